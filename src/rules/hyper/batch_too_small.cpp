// The batch is so small that most of each step is noise, and the accelerators wait for each other.
//
// Below the best batch nothing breaks: with a learning rate and a beta2 that fit, small batches reach the same loss.
// What is far below both laws is mostly a template that was not filled in, or accumulation that was forgotten when the
// number of ranks changed. So it takes a distance that no published recipe has, and is advice.

#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/hyper/batch_advice.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const auto advice = batch_advice(plan);
  if (!advice) return out.not_applicable("not-told");
  if (!trains_from_scratch(plan)) return out.not_applicable("not-from-scratch");
  const double ratio = advice->least / advice->batch;
  if (ratio < set["times"]) return;
  Finding finding;
  finding.severity = ratio >= set["times-warning"] ? Severity::kWarning : Severity::kNote;
  finding.confidence = 0.65;
  finding.impact = 0.4;
  finding.message = {"small",
                     {{"batch", static_cast<std::int64_t>(advice->batch)},
                      {"ratio", two_digits(ratio)},
                      {"best", count_value(two_digits(advice->least))},
                      {"tokens", count_value(two_digits(advice->tokens))},
                      {"laws", advice->laws}}};
  finding.where = advice->where;
  if (const auto sequences = sequences_of(plan, advice->least)) {
    finding.actions.push_back({{"take", {{"sequences", *sequences}, {"best", count_value(two_digits(advice->least))}}},
                               option_to_set(run, setting::kGlobalBatchSize, static_cast<double>(*sequences)),
                               ActionRole::kBatch});
  }
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kBatchTooSmall;
const Rule kBatchTooSmall{
    .name = "batch-too-small",
    .family = "hyper",
    .title_en = "the batch is far smaller than what is best for this run",
    .title_zh = "批量远小于本次训练的最优值",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters =
        {{"times", "times", 8, 1, 10000,
          "published recipes are at most 4.2 times below StepLaw; on its public grid an eighth costs 2.5-5.4 % of the "
          "loss, at the learning rate that is best for it: a note"},
         {"times-warning", "times", 128, 1, 10000,
          "examples for a single device, which run as they are, lie up to 65 times below; further away a number was "
          "not "
          "filled in"}},
    .sentences =
        {{"small", "a step has {batch} tokens, 1/{ratio} of the {best} that are best for {tokens} tokens ({laws})",
          "每步 {batch} 个 token，仅为 {tokens} 个 token 的最优批量 {best} 的 1/{ratio}（{laws}）"},
         {"take", "take {sequences} sequences a step (about {best} tokens), by more accumulation or more ranks",
          "每步取 {sequences} 条序列（约 {best} 个 token），可增加梯度累积或进程数"},
         {"not-told", "needs the tokens of a step and of the run (1e9 or more)",
          "需要每步与全程的 token 数（至少 1e9）"},
         {"not-from-scratch", "holds for pre-training from a random start", "仅适用于从随机初始化开始的预训练"}},
    .docs =
        {.finds = "A pre-training whose batch, in tokens, is many times smaller than two published laws take for best.",
         .matters =
             "Each gradient is mostly noise: the learning rate has to be low, the run takes many more updates, and "
             "the accelerators spend their time in communication.",
         .decides =
             "B = 0.58 D^0.571 tokens (StepLaw) and B = 0.292 C^0.3271 (DeepSeek LLM), where they hold; the smaller "
             "of the two counts. `times` below it is a note, `times-warning` a warning, never an error. Not judged: "
             "fine-tuning, runs that start from a checkpoint, less than 1e9 tokens.",
         .example = "`a step has 8,192 tokens, 1/130 of the 1,100,000 that are best for 100,000,000,000 tokens "
                    "(StepLaw)`",
         .to_do =
             "Raise gradient accumulation or the number of ranks until the batch is what is named, and the learning "
             "rate with the root of the batch. Where the small batch is meant, raise beta2 with it: its half-life in "
             "tokens should stay the same.",
         .false_alarms = "A small batch that is meant, with a beta2 near 0.999 or plain SGD: it works (references).",
         .references =
             "Li et al., Predictable Scale: Part I (StepLaw), 2025. DeepSeek LLM, 2024. Marek et al., Small Batch "
             "Size Training for Language Models, 2025 (arXiv 2507.07101)."},
    .judge = judge};

}  // namespace assay
