// Where an operator's error comes from.
//
// First what is no rounding at all (overflow, saturation, numbers that became 0), then what rounding theory does not
// cover because its errors have one sign (stagnation, truncation), then the largest of the three parts of the mean
// square error. The limits: a thousandth of the results is enough to be told of overflow; an error has one sign where
// its mean is more than half its root mean square, and the result's sign (a denominator that stopped growing makes all
// results too large) where its correlation with the exact results is more than a half.

#include "study/error_explain.h"

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/float_words.h"
#include "study/operators/operators.h"

namespace assay {

namespace {

constexpr double kTold = 1e-3;       // of results: worth the first sentence
constexpr double kOneSided = 0.5;    // |mean| / rms of an error
constexpr double kSwallowed = 0.05;  // of additions that changed nothing
constexpr double kVanishing = 0.1;   // of inputs that became 0
constexpr double kCancelling = 10;   // Σ|x| / |Σx| from which on it is said

bool to_nearest(Rounding rounding) { return rounding == Rounding::kNearestEven || rounding == Rounding::kNearestAway; }

double share(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

bool one_sided(const Measured& measured, ErrorPart part) {
  const double mean = measured.part_sums[static_cast<std::size_t>(part)] / static_cast<double>(measured.judged);
  return std::abs(mean) > kOneSided * measured.part_rms(part);
}

// Whether the arithmetic makes results too large, or too small, by one factor: its error has then the result's sign.
bool follows_result(const Measured& measured) {
  const double inside = measured.part_squares[static_cast<std::size_t>(ErrorPart::kInside)];
  return std::abs(measured.inside_by_result) > kOneSided * std::sqrt(inside * measured.result_squares);
}

Values values_of(const ErrorQuestion& question, const Experiment& experiment) {
  const Measured& measured = experiment.measured;
  const auto shares = shares_of(measured);
  return {{"share", percent(*std::max_element(shares.begin(), shares.end()))},
          {"input", question.model.input.title},
          {"accumulator", question.model.accumulator.title},
          {"output", question.model.output.title},
          {"largest", shown_decimal(largest(question.model.output))},
          {"condition", rounded_decimal(quantile_of_sorted(measured.condition, 0.5))},
          {"scale", question.op->scale.en},
          {"not_finite", static_cast<std::int64_t>(measured.not_finite)},
          {"outputs", static_cast<std::int64_t>(measured.outputs)},
          {"peak", rounded_decimal(experiment.predicted.peak)},
          {"accumulator_largest", shown_decimal(largest(question.model.accumulator))},
          {"compute", question.model.compute.title},
          {"compute_largest", shown_decimal(largest(question.model.compute))},
          {"at_largest", static_cast<std::int64_t>(measured.at_largest)},
          {"vanished", static_cast<std::int64_t>(std::max(measured.vanished, measured.data_vanished))},
          {"swallowed", percent(share(measured.events.swallowed, measured.events.additions))},
          {"bias", percent(measured.bias())},
          {"half", to_nearest(question.model.rules.rounding) ? "half " : ""},
          {"half_zh", to_nearest(question.model.rules.rounding) ? "的一半" : ""},
          {"arithmetic", arithmetic_name(question)},
          {"factor", percent(std::abs(measured.inside_by_result / measured.result_squares))}};
}

Text overflow_words(const ErrorQuestion& question, const Experiment& experiment, const Values& values) {
  const Measured& measured = experiment.measured;
  if (measured.data_overflowed > 0) {
    return filled("{not_finite} of {outputs} results are infinite or NaN: inputs that {input} cannot hold",
                  "{outputs} 个结果中有 {not_finite} 个为 Inf 或 NaN：输入无法用 {input} 表示", values);
  }
  const double peak = experiment.predicted.peak;
  if (std::isfinite(peak) && peak > largest(question.model.accumulator)) {
    return filled(
        "{not_finite} of {outputs} results are infinite or NaN: partial results reach {peak}, and "
        "{accumulator} ends at {accumulator_largest}",
        "{outputs} 个结果中有 {not_finite} 个为 Inf 或 NaN：中间结果达到 {peak}，而 {accumulator} 最大为 "
        "{accumulator_largest}",
        values);
  }
  if (measured.too_large > 0) {
    return filled("{not_finite} of {outputs} results are infinite or NaN: {output} ends at {largest}",
                  "{outputs} 个结果中有 {not_finite} 个为 Inf 或 NaN：{output} 最大为 {largest}", values);
  }
  const Text why =
      question.op->not_finite.en.empty() ? Text{"from a step inside", "产生于中间步骤"} : question.op->not_finite;
  const Text what = filled("{not_finite} of {outputs} results are infinite or NaN: ",
                           "{outputs} 个结果中有 {not_finite} 个为 Inf 或 NaN：", values);
  return {what.en + why.en, what.zh + why.zh};
}

Text flush_words(const ErrorQuestion& question, const Experiment& experiment, const Values& values) {
  if (!question.op->sums && experiment.predicted.peak > largest(question.model.compute)) {
    return filled("{vanished} numbers became 0: a step inside reaches {peak}, and {compute} ends at {compute_largest}",
                  "{vanished} 个数变为 0：中间步骤达到 {peak}，而 {compute} 最大为 {compute_largest}", values);
  }
  if (experiment.measured.kept_squares < experiment.measured.flushed_squares / 2) {
    return filled("subnormal numbers are flushed to 0 in the arithmetic: {share} of it (of the mean square)",
                  "运算中次正规数被冲刷为 0：占其中 {share}（按均方计）", values);
  }
  return filled("{vanished} number(s) became 0: they are below the smallest number that is kept",
                "{vanished} 个数变为 0：小于能保留的最小数", values);
}

Text swallowed_words(const ErrorQuestion& question, const Values& values) {
  if (question.model.rules.rounding == Rounding::kStochastic || question.variant == "stochastic") {
    return filled(
        "{share} of it (of the mean square) comes from the updates: {swallowed} of them changed nothing, which the "
        "others make up for on average, as the rounding is stochastic",
        "其中 {share}（按均方计）来自更新：{swallowed} 的更新没有改变任何数；由于是随机舍入，其余更新平均会补回来",
        values);
  }
  return filled(
      "{share} of it (of the mean square) comes from the updates: {swallowed} of them changed nothing, as they were "
      "less than half the spacing of what they were added to",
      "其中 {share}（按均方计）来自更新：{swallowed} 的更新没有改变任何数，因为小于被更新数的间距的一半", values);
}

Text input_words(const ErrorQuestion& question, const Experiment& experiment, const Values& values) {
  Text out = filled("{share} of it (of the mean square) is the rounding of the inputs to {input}",
                    "其中 {share}（按均方计）来自把输入舍入为 {input}", values);
  const bool cancels = quantile_of_sorted(experiment.measured.condition, 0.5) > kCancelling;
  if (!cancels || !question.op->one_output) return out;
  const Text more = filled(", made large by cancellation: {scale} is {condition} times the result in the median row",
                           "，并被相消放大：中位行的 {scale} 是结果的 {condition} 倍", values);
  return {out.en + more.en, out.zh + more.zh};
}

Text stagnation_words(const ErrorQuestion& question, const Measured& measured, const Values& values) {
  const Text what = filled(
      "stagnation: {swallowed} of the additions in {accumulator} changed nothing, as the term was less than {half}the "
      "spacing of the sum; ",
      "停滞：{accumulator} 中 {swallowed} 的加法没有改变结果，因为加数小于和的间距{half_zh}；", values);
  Text more = filled("the error has one sign ({bias} of {scale} on average)",
                     "误差符号一致（平均为 {scale} 的 {bias}）", values);
  if (!question.op->one_output && follows_result(measured)) {
    more = measured.inside_by_result > 0 ? filled("results are {factor} too large", "结果偏大 {factor}", values)
                                         : filled("results are {factor} too small", "结果偏小 {factor}", values);
  }
  return {what.en + more.en, what.zh + more.zh};
}

}  // namespace

std::string percent(double value) {
  if (std::isnan(value)) return "NaN";
  return format(Value(value * 100)) + " %";
}

std::array<double, kErrorParts> shares_of(const Measured& measured) {
  std::array<double, kErrorParts> out = measured.part_squares;
  double total = 0;
  for (const double square : out) total += square;
  for (double& one : out) one = total > 0 ? one / total : 0;
  return out;
}

ErrorCause cause_of(const ErrorQuestion& question, const Experiment& experiment) {
  const Measured& measured = experiment.measured;
  if (share(measured.not_finite, measured.outputs) > kTold) return ErrorCause::kOverflow;
  if (share(measured.at_largest, measured.outputs) > kTold) return ErrorCause::kSaturation;
  if (measured.squares == 0) return ErrorCause::kNone;
  const auto shares = shares_of(measured);
  const auto greatest = static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  const auto part = static_cast<ErrorPart>(greatest);
  const bool swallows = share(measured.events.swallowed, measured.events.additions) > kSwallowed;
  if (part == ErrorPart::kInside && question.op->updates && swallows) return ErrorCause::kSwallowed;
  const bool vanishes = share(measured.vanished, measured.outputs) > kTold;
  if (part == ErrorPart::kInside && vanishes && experiment.predicted.peak > largest(question.model.accumulator)) {
    return ErrorCause::kLostInside;
  }
  const bool flushed = part == ErrorPart::kInside && measured.kept_squares < measured.flushed_squares / 2;
  if (flushed) return ErrorCause::kFlush;
  if (part == ErrorPart::kInside && one_sided(measured, part) && question.model.unit && question.op->multiplies) {
    return ErrorCause::kTruncation;
  }
  if (part == ErrorPart::kInside && swallows && (one_sided(measured, part) || follows_result(measured))) {
    return ErrorCause::kStagnation;
  }
  const bool inputs_vanish =
      part == ErrorPart::kInput && share(measured.data_vanished, measured.data_numbers) > kVanishing;
  if (inputs_vanish || measured.vanished_squares > measured.squares / 2) return ErrorCause::kFlush;
  return part == ErrorPart::kInput    ? ErrorCause::kInput
         : part == ErrorPart::kInside ? ErrorCause::kInside
                                      : ErrorCause::kOutput;
}

Text explanation_of(const ErrorQuestion& question, const Experiment& experiment) {
  const Values values = values_of(question, experiment);
  switch (cause_of(question, experiment)) {
    case ErrorCause::kNone: return {"there is no error at all", "没有任何误差"};
    case ErrorCause::kOverflow: return overflow_words(question, experiment, values);
    case ErrorCause::kSaturation:
      return filled(
          "{at_largest} of {outputs} results are the largest number of {output}, {largest}, in place of a "
          "larger one: saturation",
          "{outputs} 个结果中有 {at_largest} 个被饱和为 {output} 的最大数 {largest}", values);
    case ErrorCause::kFlush: return flush_words(question, experiment, values);
    case ErrorCause::kLostInside:
      return filled(
          "{vanished} of {outputs} results became 0: partial results reach {peak}, and {accumulator} ends at "
          "{accumulator_largest}; what is divided by an infinite one is 0",
          "{outputs} 个结果中有 {vanished} 个变为 0：中间结果达到 {peak}，而 {accumulator} 最大为 "
          "{accumulator_largest}；除以 Inf 得 0",
          values);
    case ErrorCause::kStagnation: return stagnation_words(question, experiment.measured, values);
    case ErrorCause::kSwallowed: return swallowed_words(question, values);
    case ErrorCause::kTruncation:
      return filled(
          "the matrix unit cuts its addends toward zero: the error has one sign ({bias} of {scale} on "
          "average) and grows with the number of terms",
          "矩阵单元把加数向零截断：误差符号一致（平均为 {scale} 的 {bias}），并随项数增长", values);
    case ErrorCause::kInput: return input_words(question, experiment, values);
    case ErrorCause::kInside:
      return question.op->sums ? filled("{share} of it (of the mean square) comes from the arithmetic ({arithmetic})",
                                        "其中 {share}（按均方计）来自运算（{arithmetic}）", values)
                               : filled("{share} of it (of the mean square) comes from the arithmetic inside",
                                        "其中 {share}（按均方计）来自内部运算", values);
    case ErrorCause::kOutput:
      return filled("{share} of it (of the mean square) is the rounding of the result to {output}",
                    "其中 {share}（按均方计）来自把结果舍入为 {output}", values);
  }
  return {};
}

std::string arithmetic_name(const ErrorQuestion& question) {
  const OperatorModel& model = question.model;
  if (model.unit && question.op->multiplies) return model.unit->name.empty() ? describe(*model.unit) : model.unit->name;
  if (!question.op->sums) return model.compute.title;
  return model.accumulator.title + ", " + (question.op == &kAllReduce ? question.variant : name_of(model.order));
}

Text arithmetic_words(const ErrorQuestion& question) {
  const Values values = {{"how", arithmetic_name(question)}};
  if (question.model.unit && question.op->multiplies) {
    return filled("on the matrix unit {how}", "在矩阵单元 {how} 上", values);
  }
  if (!question.op->sums) return filled("computed in {how}", "以 {how} 计算", values);
  return filled("accumulated in {how}", "以 {how} 累加", values);
}

}  // namespace assay
