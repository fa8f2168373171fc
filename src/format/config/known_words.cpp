#include "format/config/known_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/setting_names.h"
#include "format/config/megatron_words.h"

namespace assay {

namespace {

constexpr auto kWords = std::to_array<std::string_view>({"batch_size",
                                                         "train_batch_size",
                                                         "micro_batch_size",
                                                         "micro_train_batch_size",
                                                         "per_device_batch_size",
                                                         "epochs",
                                                         "max_epochs",
                                                         "total_epochs",
                                                         "num_epochs",
                                                         "train_steps",
                                                         "max_steps",
                                                         "max_train_steps",
                                                         "lr",
                                                         "learning_rate",
                                                         "n_layer",
                                                         "n_head",
                                                         "n_embd",
                                                         "dropout",
                                                         "init_from",
                                                         "betas",
                                                         "eval_iters",
                                                         "warmup",
                                                         "total_train_steps",
                                                         "model_name_or_path",
                                                         "weight_decay",
                                                         "train_steps",
                                                         "total_steps",
                                                         "eval_batch_size",
                                                         "train_epochs",
                                                         "base_lr"});

}  // namespace

bool is_training_word(std::string_view path) {
  if (setting_of_path(path) != path.substr(path.find_last_of('/') + 1)) return true;
  std::string_view last = path.substr(path.find_last_of('/') + 1);
  last.remove_prefix(std::min(last.find_first_not_of("-+~"), last.size()));
  std::string word(last);
  std::replace(word.begin(), word.end(), '-', '_');
  return !canonical_setting(word).empty() || megatron_word(word) != nullptr ||
         std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_of_other_matters(std::string_view path) {
  constexpr std::array<std::string_view, 10> kGroups{
      "aio/",         "aio_config/", "flops_profiler/", "flops_profiler_config/", "elasticity/",
      "tensorboard/", "wandb/",      "csv_monitor/",    "nebula_config/",         "compile_config/"};
  return std::any_of(kGroups.begin(), kGroups.end(), [&](auto group) { return path.starts_with(group); });
}

std::size_t count_known(std::span<const FlatSetting> settings) {
  return static_cast<std::size_t>(std::count_if(settings.begin(), settings.end(),
                                                [](const FlatSetting& one) { return is_training_word(one.path); }));
}

}  // namespace assay
