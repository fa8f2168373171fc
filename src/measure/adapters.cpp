// Whether adapters are trained, by what the settings say.
//
// A dump of all arguments names adapters whether they are used or not: a rank of 8 is a default, not a use. So a switch
// (use_lora, peft, the list of matrices that get adapters) that says no decides against all else, and only without one
// do a rank, an alpha or a kind of tuning tell that they are used. What cannot be known without running something tells
// nothing. DeepSeek's attention calls the widths of its latent vectors q_lora_rank and kv_lora_rank: no adapters.

#include "measure/adapters.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "assay/setting.h"
#include "base/ascii.h"

namespace assay {
namespace {

// The last name of a path, with "_" for "-": "--use-lora" and "model/use_lora" are one.
std::string last_name(std::string_view key) {
  const std::size_t from = key.find_last_of("/.");
  std::string out = lower(from == std::string_view::npos ? key : key.substr(from + 1));
  std::replace(out.begin(), out.end(), '-', '_');
  out.erase(0, std::min(out.size(), out.find_first_not_of('_')));
  return out;
}

bool is_rank_of_latent_attention(const Setting& setting, std::string_view name) {
  return setting.key == setting::kQueryLoraRank || setting.key == setting::kKeyValueLoraRank ||
         name.ends_with("q_lora_rank") || name.ends_with("kv_lora_rank") || name.ends_with("o_lora_rank");
}

bool is_switch(std::string_view name) {
  return name == "use_lora" || name == "use_peft" || name == "peft" || name.starts_with("lora_target");
}

bool tells_use(const Setting& setting, std::string_view name) {
  if (contains_any(name, {"use_lora", "use_peft", "lora_r", "lora_alpha", "lora_target", "lora_dim", "peft",
                          "only_optimize_lora", "adapter_r", "qlora", "pre_seq_len", "num_virtual_tokens"})) {
    return true;
  }
  return contains_any(name, {"finetuning_type", "fine_tune_type", "adapter", "train_type", "fine_tuning"}) &&
         contains_any(lower(setting.value), {"lora", "dora"});
}

}  // namespace

bool says_no(const Setting& setting) {
  static constexpr std::array<std::string_view, 10> kNo = {"",   "0",    "false", "none", "null",
                                                           "''", "\"\"", "[]",    "()",   "{}"};
  return std::find(kNo.begin(), kNo.end(), lower(setting.value)) != kNo.end();
}

const Setting* adapters_said(const Config& config) {
  const Setting* found = nullptr;
  for (const Setting& setting : config.settings) {
    if (!setting.unknown.empty()) continue;
    const std::string name = last_name(setting.written.empty() ? setting.key : setting.written);
    if (is_rank_of_latent_attention(setting, name)) continue;
    if (is_switch(name) && says_no(setting)) return nullptr;
    if (found == nullptr && !says_no(setting) && tells_use(setting, name)) found = &setting;
  }
  return found;
}

}  // namespace assay
