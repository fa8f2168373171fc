// A rank's batch is micro-batch × accumulation, and the global batch is the rank's times the data-parallel ranks:
//
//   gradient_accumulation_steps = MINIBS / MICRO_BATCH_SIZE         where the script says a micro-batch
//   micro_batch_size = BATCHSIZE / GRADIENT_STEPS                   where it says the accumulation (BERT)
//   global_batch_size = MINIBS × ranks / (TP × PP × CP)             else, where it says how many ranks there are
//
// The first needs nothing else, so it comes first; what follows from it is worked out where that is done for every
// source (measure/derive.cpp). Pipelines and contexts that a script does not mention are not split; a script that does
// not mention tensor parallelism has left it to one that it sources, and nothing is said. Formula and names: the
// benchmarks' own scripts (mlcommons/training_results, NVIDIA's implementations, config_*.sh).

#include "format/config/rank_batch.h"

#include <charconv>

#include "assay/setting.h"
#include "base/bytes.h"

namespace assay {

namespace {

using Told = std::map<std::string, FlatSetting, std::less<>>;

std::optional<std::int64_t> count_of(const Told& told, std::string_view key) {
  const auto found = told.find(key);
  if (found == told.end() || !found->second.unknown.empty()) return std::nullopt;
  const std::string& text = found->second.text;
  std::int64_t out = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && rest == text.data() + text.size() && out > 0 ? std::optional(out) : std::nullopt;
}

// Sequences of all data-parallel ranks.
std::optional<std::int64_t> of_all_ranks(const Told& told, std::int64_t batch) {
  const auto world = count_of(told, setting::kWorldSize);
  const auto tensor = count_of(told, setting::kTensorParallelSize);
  if (!world || !tensor) return std::nullopt;
  std::int64_t split = *tensor;
  for (const std::string_view key : {setting::kPipelineParallelSize, setting::kContextParallelSize}) {
    const auto more = checked_multiply(split, count_of(told, key).value_or(1));
    if (!more) return std::nullopt;
    split = *more;
  }
  return *world % split == 0 ? checked_multiply(batch, *world / split) : std::nullopt;
}

}  // namespace

std::optional<SaidByRankBatch> said_by_rank_batch(const Told& told) {
  const auto batch = count_of(told, kRankBatchSize);
  if (!batch || told.contains(setting::kGlobalBatchSize)) return std::nullopt;
  const FlatSetting& said = told.find(kRankBatchSize)->second;
  if (told.contains(setting::kGradientAccumulation)) {
    const auto passes = count_of(told, setting::kGradientAccumulation);
    if (!passes || *batch % *passes != 0 || told.contains(setting::kMicroBatchSize)) return std::nullopt;
    const std::string& written = told.find(setting::kGradientAccumulation)->second.path;
    return SaidByRankBatch{setting::kMicroBatchSize,
                           {said.path + " / " + written, std::to_string(*batch / *passes), said.line}};
  }
  if (const auto micro = count_of(told, setting::kMicroBatchSize)) {
    if (*batch % *micro != 0) return std::nullopt;
    const std::string& written = told.find(setting::kMicroBatchSize)->second.path;
    return SaidByRankBatch{setting::kGradientAccumulation,
                           {said.path + " / " + written, std::to_string(*batch / *micro), said.line}};
  }
  const auto all = of_all_ranks(told, *batch);
  if (!all) return std::nullopt;
  return SaidByRankBatch{setting::kGlobalBatchSize,
                         {said.path + " × data-parallel ranks", std::to_string(*all), said.line}};
}

}  // namespace assay
