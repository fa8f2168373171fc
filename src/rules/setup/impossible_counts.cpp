// Counts: layers, heads, sequences, ranks.
//
// A count that has to be there is a whole number above 0. What 0 or less means depends on who reads it: -1 is "derive
// it" in torchtitan, DeepSpeed and others, and never arrives here as a number; 0 is "off" for a parallelism of many
// frameworks (gpt-neox: pipe_parallel_size), "no limit" for the length of a sequence, "none" for experts. So each
// framework that is known to need the number is named, and elsewhere a 0 is left alone where it may mean something.
//
// The greatest: no model has had a hundredth of a million heads, or ranks that share one copy of it. A million experts
// have been tried (He 2024, arXiv 2407.04153), so they end at ten times that. Sequences of ten million tokens exist, of
// a milliard none. What batch-arithmetic tells (ranks, micro-batch, absurd batches, layers and sizes) is left to it.

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/places.h"
#include "rules/said_places.h"
#include "rules/setup/impossible.h"

namespace assay {

namespace {

constexpr double kMostParts = 1e6;
constexpr double kMostExperts = 1e7;
constexpr double kLongestSequence = 1e9;
constexpr double kUnbounded = 0;

enum class Zero : std::uint8_t {
  kNever,   // nothing runs with it, whoever reads it
  kMayBe,   // some take it for "off" or "no limit"
  kIsNone,  // no experts: everybody does
};

struct Count {
  std::string_view key;
  Zero zero;
  double most;
};
constexpr auto kCounts = std::to_array<Count>({
    {setting::kNumLayers, Zero::kNever, kUnbounded},
    {setting::kHiddenSize, Zero::kNever, kUnbounded},
    {setting::kNumAttentionHeads, Zero::kNever, kMostParts},
    {setting::kNumKeyValueHeads, Zero::kMayBe, kMostParts},
    {setting::kSequenceLength, Zero::kMayBe, kLongestSequence},
    {setting::kMicroBatchSize, Zero::kIsNone, kUnbounded},
    {setting::kGlobalBatchSize, Zero::kNever, kUnbounded},
    {setting::kGradientAccumulation, Zero::kNever, kMostParts},
    {setting::kTensorParallelSize, Zero::kMayBe, kMostParts},
    {setting::kPipelineParallelSize, Zero::kMayBe, kMostParts},
    {setting::kContextParallelSize, Zero::kMayBe, kMostParts},
    {setting::kExpertParallelSize, Zero::kMayBe, kMostParts},
    {setting::kNumExperts, Zero::kIsNone, kMostExperts},
    {setting::kExpertsPerToken, Zero::kIsNone, kUnbounded},
});

bool is_parallel(std::string_view key) {
  return key == setting::kTensorParallelSize || key == setting::kPipelineParallelSize ||
         key == setting::kContextParallelSize || key == setting::kExpertParallelSize;
}

bool is_batch_of_deepspeed(const Plan& plan, const Setting& said) {
  const bool acts =
      plan.framework() == "deepspeed" || plan.framework() == "gpt-neox" || plan.framework() == "hf-trainer";
  const std::string name = last_name(name_of(said));
  return acts && (name == "train_batch_size" || name == "gradient_accumulation_steps");
}

// Whether the framework is known to need at least 1 of it.
bool needs_one(const Plan& plan, const Setting& said) {
  const std::string& framework = plan.framework();
  if (framework == "megatron") return true;
  if (is_parallel(said.key)) return framework == "torchtitan";
  if (is_batch_of_deepspeed(plan, said)) return true;
  return framework == "nanogpt" || framework == "gpt-neox" || framework == "torchtitan";
}

std::string who_refuses(const Plan& plan, const Setting& said) {
  const std::string& framework = plan.framework();
  if (framework == "megatron" && said.key == setting::kGlobalBatchSize) return "checked-megatron-batch";
  if (framework == "torchtitan" && is_parallel(said.key)) return "checked-torchtitan-degree";
  const bool trainer = framework == "hf-trainer" && name_of(said).starts_with('-');
  return is_batch_of_deepspeed(plan, said) && !trainer ? "checked-deepspeed-batch" : "";
}

void check(const Plan& plan, const Count& count, const Setting& said, double value, std::vector<Issue>& out) {
  const bool needed = needs_one(plan, said);
  if (value != std::floor(value)) {
    out.push_back(impossible("fraction", said, needed));
    out.back().actions.push_back({{"round", {{"whole", count_value(std::max(std::floor(value), 1.0))}}}, ""});
    return;
  }
  if (count.most > kUnbounded && value > count.most) {
    out.push_back(impossible("beyond", said, true));
    out.back().message.values.push_back({"most", count_value(count.most)});
    out.back().actions.push_back({{"digit", {}}, ""});
    return;
  }
  const bool told_elsewhere = count.key == setting::kMicroBatchSize;
  if (value > 0 || told_elsewhere) return;
  if (value == 0 && (count.zero == Zero::kIsNone || (count.zero == Zero::kMayBe && !needed))) return;
  out.push_back(impossible("at-least-one", said, needed, needed ? who_refuses(plan, said) : ""));
  const bool off = is_parallel(count.key);
  out.back().actions.push_back(
      {{off ? "one-is-off" : "meant-or-left-out", {}}, off ? option_to_set(plan.run(), count.key, 1) : ""});
}

}  // namespace

void impossible_counts(const Plan& plan, std::vector<Issue>& out) {
  for (const Count& count : kCounts) {
    const Setting* said = plan.setting(count.key);
    const auto value = said == nullptr ? std::nullopt : said->number();
    if (value && std::isfinite(*value)) check(plan, count, *said, *value, out);
  }
}

}  // namespace assay
