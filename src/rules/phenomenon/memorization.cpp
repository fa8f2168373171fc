// The training loss goes to nothing over many passes: the corpus is being learned by heart.
//
// Text has an entropy. A model that predicts its training text at a tenth of a nat per token does not know the language
// better than others do, it knows the text. Whether that is harm is told by the evaluation, where there is one; where
// there is none the log cannot say that the model has learned anything else.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/training_kind.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/rolling.h"

namespace assay {

namespace {

constexpr std::size_t kLeastRecords = 20;
constexpr std::size_t kSmoothHalf = 8;
constexpr double kHalf = 0.5;
constexpr double kEvalKept = 1.05;
constexpr double kSurelyShare = 0.1;  // of the first epoch: without an evaluation less is a guess
constexpr double kSurelyNats = 0.1;

struct Memorised {
  std::size_t segment = 0;
  const Series* loss = nullptr;
  double first_epoch = 0;  // level of the first pass
  double end = 0;
  double epochs = 0;
};

// Epochs that the segment covers, and the level of the loss in the second half of the first one.
std::optional<Memorised> measure(const Run& run, std::size_t index) {
  const Segment& segment = run.segments[index];
  const Series* loss = segment.find(metric::kLoss);
  const Series* epoch = segment.find(metric::kEpoch);
  if (loss == nullptr || epoch == nullptr || loss->size() < kLeastRecords || epoch->size() < 2) return std::nullopt;
  const auto values = loss->values.span();
  if (std::any_of(values.begin(), values.end(), [](double x) { return x < 0; })) return std::nullopt;
  // A trainer that prints 0 for NaN: hidden-nan tells it.
  if (has(loss->quirks, Quirk::kNanHiddenAsZero) && values.back() == 0) return std::nullopt;
  Memorised out;
  out.segment = index;
  out.loss = loss;
  const double begin = epoch->value(0);
  out.epochs = epoch->values.back() - begin;
  if (!(out.epochs > 0)) return std::nullopt;
  std::size_t half = 0;
  std::size_t whole = 0;
  for (std::size_t i = 0; i < epoch->size() && epoch->value(i) - begin < 1; ++i) {
    if (epoch->value(i) - begin < kHalf) half = i;
    whole = i;
  }
  std::size_t from = loss->at_or_after_row(epoch->row_of(half));
  std::size_t to = loss->at_or_after_row(epoch->row_of(whole)) + 1;
  if (to <= from + 2) {  // hardly a record within the first epoch: the first records stand for it
    from = 0;
    to = std::max<std::size_t>(3, loss->size() / 20);
  }
  out.first_epoch = median(values.subspan(from, std::min(to, values.size()) - from));
  out.end = median(values.last(std::max<std::size_t>(5, values.size() / 20)));
  return out;
}

// First record below half of the first pass, for good.
std::size_t onset_of(const Memorised& it) {
  const auto values = it.loss->values.span();
  const std::vector<double> smooth = running_median(values, kSmoothHalf);
  std::size_t onset = 0;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    if (!(smooth[i] <= kHalf * it.first_epoch)) onset = std::min(i + 1, smooth.size() - 1);
  }
  return onset;
}

void tell(const Run& run, const Memorised& it, Findings& out) {
  const Segment& segment = run.segments[it.segment];
  const std::size_t onset = onset_of(it);
  const StepRange steps{it.loss->step(onset), it.loss->last_step()};
  const Series* eval = segment.find(metric::kEvalLoss);
  const bool judged = eval != nullptr && eval->size() >= 2;
  bool kept = false;
  if (judged) {
    const auto values = eval->values.span();
    kept = values.back() <= kEvalKept * *std::min_element(values.begin(), values.end());
  }
  Finding finding;
  const bool nothing_left = it.end <= kSurelyShare * it.first_epoch && it.end <= kSurelyNats;
  finding.severity = kept || (!judged && !nothing_left) ? Severity::kNote : Severity::kWarning;
  finding.confidence = judged ? 0.9 : 0.7;
  finding.where = place(run, it.segment, steps, it.loss->line(onset));
  finding.impact = share_of_run(run, steps);
  finding.message = {"by-heart",
                     {{"before", it.first_epoch},
                      {"after", it.end},
                      {"epochs", Value(std::round(10 * it.epochs) / 10, Unit::kEpochs)},
                      {"step", steps.first}}};
  finding.evidence.push_back({{}, curve_of(*it.loss, 0, it.loss->size(), 60, steps), {}});
  if (judged) {
    const double best = *std::min_element(eval->values.span().begin(), eval->values.span().end());
    finding.evidence.push_back(
        {{kept ? "eval-kept" : "eval-worse", {{"best", best}, {"last", eval->values.back()}}}, {}, {}});
  } else {
    finding.evidence.push_back({{"no-eval", {}}, {}, {}});
  }
  const Series& epoch = *segment.find(metric::kEpoch);
  const std::size_t at = std::min(epoch.at_or_after_row(it.loss->row_of(onset)), epoch.size() - 1);
  const double until = std::round(10 * epoch.value(at)) / 10;
  finding.actions.push_back({{"fewer", {{"step", steps.first}, {"epoch", until}}}, ""});
  if (!judged) finding.actions.push_back({{"evaluate", {}}, ""});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  if (is_objective(training_kind(run))) return out.not_applicable("preference");
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const auto found = measure(run, i);
    any = any || found;
    if (!found || found->epochs < set["epochs"] || !(found->end <= set["share"] * found->first_epoch) ||
        found->end > set["nats"])
      continue;
    tell(run, *found, out);
  }
  if (!any) out.not_applicable("no-epochs");
}

}  // namespace

extern const Rule kMemorization;
const Rule kMemorization{
    .name = "memorization",
    .family = "phenomenon",
    .title_en = "the training data is learned by heart",
    .title_zh = "模型在背诵训练数据",
    .severity = Severity::kWarning,
    .parameters = {{"epochs", "epochs", 3, 2, 1000,
                    "two passes are usual, and a loss that falls from one to the next is no proof of anything"},
                   {"share", "of the loss of the first epoch", 0.2, 0.01, 0.9,
                    "generalising does not make a loss fall to a fifth from the first pass to the last; seeing the "
                    "same text again does"},
                   {"nats", "nats", 0.3, 0.01, 2,
                    "natural text is not that predictable by anyone who has not seen it"}},
    .sentences = with_loss_sentences({
        {"by-heart",
         "training loss falls from {before} in the first epoch to {after} after {epochs}; half of it was gone by step "
         "{step}",
         "训练 loss 由第一个 epoch 的 {before} 降到 {epochs} 之后的 {after}；第 {step} 步时已减半"},
        {"eval-kept", "the evaluation loss has kept up: {last}, at best {best}",
         "验证 loss 未变差：{last}，最佳 {best}"},
        {"eval-worse", "the evaluation loss is worse than it was: {last}, at best {best}",
         "验证 loss 已变差：{last}，最佳 {best}"},
        {"no-eval", "the log has no evaluation loss that could show what else was learned",
         "日志中没有验证 loss，无法说明模型还学到了什么"},
        {"fewer",
         "train for fewer epochs: use a checkpoint before step {step} and stop before epoch {epoch} next time, or use "
         "more data",
         "减少 epoch 数：使用第 {step} 步之前的检查点，下次在第 {epoch} 个 epoch 之前停止，或增加数据"},
        {"evaluate", "evaluate on data that was held out", "在留出的数据上做评估"},
        {"preference", "preference objectives go to zero without memorising text",
         "偏好训练的目标趋于零并不意味着背诵"},
        {"no-epochs", "needs a training loss and a count of epochs", "需要训练 loss 和 epoch 计数"},
    }),
    .docs = {.finds = "A training loss that falls to nearly nothing over several passes over the same data.",
             .matters = "The model repeats its training data and gets worse at everything else; private data can be "
                        "read out of it.",
             .decides = "At least three epochs in the log; the loss at the end (median of the last 5 %) is at most a "
                        "fifth of that of the first epoch, and at most 0.3 nats. *warning*; *note* when an evaluation "
                        "loss is within 5 % of its best, or, without evaluations, above a tenth of the first epoch or "
                        "0.1 nats. Preference training is not judged.",
             .example = "`training loss falls from 2.09 in the first epoch to 0.085 after 24 epochs; half of it was "
                        "gone by step 3,150`",
             .to_do = "Fewer epochs or more data; use the checkpoint at which the evaluation was best.",
             .false_alarms = "Tasks with short, certain answers (classification by a language model) reach such losses "
                             "honestly: there the evaluation keeps up, and the finding is a note.",
             .references = "Measured on a public adapter run of 24 epochs (2.09 to 0.08 nats)."},
    .judge = judge};

}  // namespace assay
