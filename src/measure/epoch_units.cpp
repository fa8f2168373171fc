// A count of epochs that counts something else: MLPerf's language-model benchmarks write samples or tokens under
// "epoch_num", a billion of them. It keeps the log's own name, so that nothing takes it for passes over the data.
//
// An accuracy that is none: the same benchmarks have a log perplexity as their target (GPT-3: 2.69, Llama 2 LoRA:
// 0.925) and write it under "eval_accuracy", since the log knows no other word for a result. The name of the benchmark
// tells.

#include <algorithm>
#include <array>

#include "assay/metric.h"
#include "core/axis.h"
#include "measure/interpret.h"

namespace assay {

void keep_own_name_of_foreign_epochs(Segment& segment, std::vector<Interpretation>& told) {
  for (Series& series : segment.series) {
    if (series.metric != metric::kEpoch || series.empty()) continue;
    if (!(series.values.back() > static_cast<double>(kMostEpochs))) continue;
    told.push_back({"epochs-count-samples", series.printed_as, series.values.back(), 1, {}});
    series.metric = series.printed_as;
    series.unit = Unit::kNone;
  }
}

void rename_loss_called_accuracy(Segment& segment, const Config& config, std::vector<Interpretation>& told) {
  constexpr std::array<std::string_view, 5> kLanguageModels{"gpt", "llama", "mixtral", "deepseek", "moe"};
  const Setting* benchmark = config.find("submission_benchmark");
  if (benchmark == nullptr || segment.find(metric::kEvalLoss) != nullptr) return;
  if (std::none_of(kLanguageModels.begin(), kLanguageModels.end(),
                   [&](std::string_view name) { return benchmark->value.find(name) != std::string::npos; })) {
    return;
  }
  for (Series& series : segment.series) {
    if (series.metric != metric::kEvalAccuracy || series.empty()) continue;
    told.push_back({"accuracy-is-loss", series.printed_as, 0, static_cast<std::int64_t>(series.size()), {}});
    series.metric = metric::kEvalLoss;
    series.unit = Unit::kNats;
  }
}

}  // namespace assay
