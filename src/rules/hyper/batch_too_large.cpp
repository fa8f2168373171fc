// The batch is larger than the run can make use of.
//
// Beyond the critical batch a step learns no more from more sequences: the tokens are spent, the number of updates is
// not there. Two laws say where the best batch lies; what is several times beyond both leaves too few updates. A run
// that is short in itself, with some tens of updates, is the same in the small.

#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/hyper/batch_advice.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

void judge_by_laws(const Plan& plan, const BatchAdvice& advice, const Parameters& set, Findings& out) {
  const double ratio = advice.batch / advice.most;
  if (ratio < set["times"]) return;
  Finding finding;
  finding.severity = ratio >= set["times-warning"] ? Severity::kWarning : Severity::kNote;
  finding.confidence = ratio >= set["times-warning"] ? 0.75 : 0.6;
  finding.impact = 0.5;
  finding.message = {"large",
                     {{"batch", static_cast<std::int64_t>(advice.batch)},
                      {"ratio", Value(two_digits(ratio), Unit::kTimes)},
                      {"best", count_value(two_digits(advice.most))},
                      {"tokens", count_value(two_digits(advice.tokens))},
                      {"laws", advice.laws}}};
  finding.where = advice.where;
  finding.evidence.push_back({{"updates",
                               {{"updates", static_cast<std::int64_t>(advice.tokens / advice.batch)},
                                {"better", static_cast<std::int64_t>(advice.tokens / advice.most)}}},
                              {},
                              {}});
  if (const auto sequences = sequences_of(plan, advice.most)) {
    finding.actions.push_back({{"take", {{"sequences", *sequences}, {"best", count_value(two_digits(advice.most))}}},
                               option_to_set(plan.run(), setting::kGlobalBatchSize, static_cast<double>(*sequences)),
                               ActionRole::kBatch});
  }
  out.add(std::move(finding));
}

// The length follows from epochs over a set of examples: a smaller batch makes more updates of the same data.
void judge_few_updates(const Plan& plan, const Parameters& set, Findings& out) {
  const auto updates = plan.told(setting::kTrainSteps);
  const auto examples = plan.told(setting::kNumExamples);
  const auto batch = plan.told(setting::kGlobalBatchSize);
  if (!updates || !examples || !batch || !(updates->value >= 1) || updates->value >= set["fewest-updates"] ||
      batch->value < 8)
    return;
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.7;
  finding.impact = 0.3;
  finding.message = {"few-updates",
                     {{"batch", batch->value}, {"examples", examples->value}, {"updates", updates->value}}};
  finding.where = batch->where;
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  judge_few_updates(plan, set, out);
  const auto advice = batch_advice(plan);
  if (!advice) return out.not_applicable("not-told");
  if (!trains_from_scratch(plan)) return out.not_applicable("not-from-scratch");
  judge_by_laws(plan, *advice, set, out);
}

}  // namespace

extern const Rule kBatchTooLarge;
const Rule kBatchTooLarge{
    .name = "batch-too-large",
    .family = "hyper",
    .title_en = "the batch is larger than the run can make use of",
    .title_zh = "批量过大，超出训练所能利用的范围",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters =
        {{"times", "times", 4, 1, 1000,
          "published recipes reach 1.8 times what StepLaw takes for best; on its public grid four times costs 0.8-2.2 "
          "% "
          "of the loss, which many accept for speed: a note"},
         {"times-warning", "times", 8, 1, 1000,
          "on the public grid eight times costs 1.8-4.8 % of the loss, more than a model twice as large would gain"},
         {"fewest-updates", "updates", 50, 1, 10000,
          "a schedule with a warm-up and a decay needs some tens of updates; Adam's second moment alone averages over "
          "20 (beta2 0.95) to 1,000 (0.999)"}},
    .sentences =
        {{"large", "a step has {batch} tokens, {ratio} times the {best} that are best for {tokens} tokens ({laws})",
          "每步 {batch} 个 token，是 {tokens} 个 token 的最优批量 {best} 的 {ratio} 倍（{laws}）"},
         {"updates", "that leaves {updates} updates; the best batch makes {better}",
          "只剩 {updates} 次更新；最优批量有 {better} 次"},
         {"few-updates", "a batch of {batch} leaves {updates} updates of {examples} examples",
          "批量 {batch} 对 {examples} 个样本只剩 {updates} 次更新"},
         {"take", "take {sequences} sequences a step (about {best} tokens), or let the batch grow to what it is now",
          "每步取 {sequences} 条序列（约 {best} 个 token），或让批量逐步增长到现在的大小"},
         {"not-told", "needs the tokens of a step and of the run (1e9 or more)",
          "需要每步与全程的 token 数（至少 1e9）"},
         {"not-from-scratch", "holds for pre-training from a random start", "仅适用于从随机初始化开始的预训练"}},
    .docs =
        {.finds =
             "A pre-training whose batch, in tokens, is several times what two published laws take for best; and a "
             "run over a set of examples that ends after a few updates.",
         .matters =
             "Beyond the critical batch a step learns no more from more tokens: the run ends with fewer updates and "
             "a higher loss. It may have to be so for speed; then a batch that grows during the run costs less.",
         .decides =
             "B = 0.58 D^0.571 tokens (StepLaw) and B = 0.292 C^0.3271 (DeepSeek LLM), where they hold; the greater "
             "of the two counts. From `times` on it is a note, from `times-warning` on a warning, never an error: "
             "it is advice. Not judged: fine-tuning, runs that start from a checkpoint, less than 1e9 tokens. Less "
             "than `fewest-updates` updates of a set of examples are a note.",
         .example = "`a step has 16,777,216 tokens, 15 times the 1,100,000 that are best for 100,000,000,000 "
                    "tokens (StepLaw, DeepSeek LLM)`",
         .to_do =
             "Take the batch that is named. Where all accelerators are to be used, let the batch grow: start small "
             "(Megatron: --rampup-batch-size), and scale the learning rate with the root of the batch.",
         .false_alarms = "A recipe with an optimizer that was made for large batches (LAMB, Muon), and a short test of "
                         "speed.",
         .references =
             "Li et al., Predictable Scale: Part I (StepLaw), 2025, with its public grid. DeepSeek LLM, 2024. "
             "McCandlish et al., An Empirical Model of Large-Batch Training, 2018. Zhang et al., How Does "
             "Critical Batch Size Scale in Pre-training?, 2024 (arXiv 2410.21676)."},
    .judge = judge};

}  // namespace assay
