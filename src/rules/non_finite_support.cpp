#include "rules/non_finite_support.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"
#include "core/curve.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"

namespace assay {
namespace {

constexpr std::size_t kCurveRecords = 60;
constexpr std::int64_t kMostSkipped = 500;  // batches: what has been skipped in practice

constexpr std::array kShared = {
    SentenceRecord{"grew-loss", "the loss announced it: {before} to {peak} within {records} records, from step {step}",
                   "loss 有先兆：从第 {step} 步起 {records} 条记录之内由 {before} 升到 {peak}"},
    SentenceRecord{"grew-norm",
                   "the grad norm announced it: {before} to {peak} from step {step}, {records} records before",
                   "梯度范数有先兆：从第 {step} 步起（提前 {records} 条记录）由 {before} 升到 {peak}"},
    SentenceRecord{"no-precursor", "nothing announced it: the record before (step {step}) was like the others",
                   "没有任何先兆：前一条记录（第 {step} 步）一切正常"},
    SentenceRecord{"at-first-steps", "it came with the first steps", "从最初几步就出现"},
    SentenceRecord{"after-evaluation", "an evaluation or a checkpoint stands right before it",
                   "紧接在一次评估或保存检查点之后出现"},
    SentenceRecord{"no-scaler", "no skipped step and no loss scaler explain it",
                   "没有跳步记录，也没有 loss scale 可以解释"},
    SentenceRecord{"lower-rate",
                   "then halve the peak learning rate ({rate} -> {half}), or clip tighter: the optimizer exploded",
                   "并将峰值学习率减半（{rate} -> {half}），或收紧梯度裁剪：这是优化过程爆炸所致"},
    SentenceRecord{"lower-rate-unknown", "then halve the learning rate, or clip tighter: the optimizer exploded",
                   "并将学习率减半，或收紧梯度裁剪：这是优化过程爆炸所致"},
    SentenceRecord{"look-forward",
                   "look at the forward pass of that step, not at the learning rate: half-precision overflow, an "
                   "attention kernel or mask, a batch whose labels are all masked",
                   "请检查该步的前向计算，而不是学习率：半精度溢出、注意力算子或掩码、标签被全部屏蔽的 batch"},
    SentenceRecord{
        "look-first",
        "look at what is wrong from the first step: Adam's epsilon 1e-8 in pure fp16 (it is 0 there), rows of the "
        "embedding that were never initialised, labels that are all masked, the attention kernel with padding",
        "请检查一开始就存在的问题：纯 fp16 下 Adam 的 epsilon 1e-8 会变成 0、未初始化的 embedding "
        "行、被全部屏蔽的标签、带 padding 的注意力算子"},
    SentenceRecord{
        "look-evaluation",
        "look at what the evaluation or the checkpoint leaves behind: eval mode, scaler state, dropout kernels",
        "请检查评估或保存检查点之后遗留的状态：eval 模式、scaler 状态、dropout 算子"},
    SentenceRecord{"use-bf16", "or train in bfloat16, which has the range of float32",
                   "或改用 bfloat16 训练：其数值范围与 float32 相同"},
};

Action lower_rate(const Run& run, std::size_t segment) {
  Action action = halve_learning_rate(run, segment);
  action.text.key = action.text.key == "halve-rate" ? "lower-rate" : "lower-rate-unknown";
  return action;
}

void add_curve(const Segment& segment, std::string_view name, std::size_t row, Finding& finding) {
  const Series* series = segment.find(name);
  if (series == nullptr || series->size() < 3) return;
  const std::size_t at = series->at_or_after_row(row);
  const std::size_t from = at > kCurveRecords ? at - kCurveRecords : 0;
  if (at - from < 3) return;
  const std::int64_t step = segment.rows->step[row];
  finding.evidence.push_back(
      {{}, curve_of(*series, from, at + kCurveRecords / 6, kCurveRecords, StepRange{step, step}), {}});
}

}  // namespace

std::vector<SentenceRecord> with_non_finite_sentences(std::initializer_list<SentenceRecord> own) {
  std::vector<SentenceRecord> all = with_loss_sentences(own);
  all.insert(all.end(), kShared.begin(), kShared.end());
  return all;
}

void add_non_finite_evidence(const Run& run, std::size_t index, std::size_t row, const Precursors& announced,
                             Finding& finding) {
  const Segment& segment = run.segments[index];
  const Values grown = {
      {"before", announced.before}, {"peak", announced.peak}, {"step", announced.step}, {"records", announced.records}};
  switch (announced.kind) {
    case Precursor::kLossGrew: finding.evidence.push_back({{"grew-loss", grown}, {}, {}}); break;
    case Precursor::kNormGrew: finding.evidence.push_back({{"grew-norm", grown}, {}, {}}); break;
    case Precursor::kFirstSteps: finding.evidence.push_back({{"at-first-steps", {}}, {}, {}}); break;
    case Precursor::kEvaluation: finding.evidence.push_back({{"after-evaluation", {}}, {}, {}}); break;
    case Precursor::kNone:
      if (row > 0) finding.evidence.push_back({{"no-precursor", {{"step", segment.rows->step[row - 1]}}}, {}, {}});
      break;
  }
  add_curve(segment, metric::kLoss, row, finding);
  add_curve(segment, metric::kGradNorm, row, finding);
}

void add_non_finite_actions(const Run& run, std::size_t index, std::size_t row, const Precursors& announced,
                            Finding& finding) {
  const Segment& segment = run.segments[index];
  const std::int64_t step = segment.rows->step[row];
  const bool grew = announced.kind == Precursor::kLossGrew || announced.kind == Precursor::kNormGrew;
  const std::int64_t begin = grew ? std::min(announced.step, step) : step;
  if (announced.kind == Precursor::kFirstSteps) {
    finding.actions.push_back({{"look-first", {}}, ""});
  } else {
    finding.actions.push_back(resume_before(run, index, begin));
    const std::int64_t before = row > 0 ? segment.rows->step[row - 1] : step - 1;
    // What an evaluation or a checkpoint leaves behind is not in the data.
    if (announced.kind != Precursor::kEvaluation) {
      const std::int64_t first = std::min(begin, std::max(before + 1, step - kMostSkipped + 1));
      finding.actions.push_back(skip_data(run, index, {std::max(first, step - kMostSkipped + 1), step}));
    }
    if (grew) finding.actions.push_back(lower_rate(run, index));
    if (announced.kind == Precursor::kNone) finding.actions.push_back({{"look-forward", {}}, ""});
    if (announced.kind == Precursor::kEvaluation) finding.actions.push_back({{"look-evaluation", {}}, ""});
  }
  const Series* scale = segment.find(metric::kLossScale);
  const bool half = scale != nullptr && std::any_of(scale->values.span().begin(), scale->values.span().end(),
                                                    [](double x) { return x > 1; });
  if (half && finding.actions.size() < 4)
    finding.actions.push_back({{"use-bf16", {}}, bf16_option(run), ActionRole::kPrecision});
}

std::vector<SkipHistory> skips_of(const Run& run) {
  std::vector<SkipHistory> out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) out.push_back(skip_history(run, i, scaler_history(run, i)));
  return out;
}

bool tells_non_finite(const Event& event, bool gradient) {
  if (event.kind != EventKind::kNonFinite) return false;
  const bool about_gradient =
      event.text.find("grad") != std::string::npos || event.text.find("Backward") != std::string::npos;
  return about_gradient == gradient;
}

const Event* told_non_finite(const Run& run, bool gradient) {
  const auto first = std::find_if(run.events.begin(), run.events.end(),
                                  [&](const Event& event) { return tells_non_finite(event, gradient); });
  return first == run.events.end() ? nullptr : &*first;
}

}  // namespace assay
