// What to do, each with its number.

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/all_reduce_report.h"
#include "study/error_explain.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr double kWorthwhile = 1.2;  // times smaller: below it the choice is one of speed
constexpr double kRisk = 1e-6;       // of an element: a million elements are a small model

double error_of(const AllReduceLine& line) { return line.growth.back().measured; }

std::string times(double factor) { return rounded_decimal(std::round(factor * 10) / 10); }

void advise_sums(const AllReduceStudy& study, Text& out) {
  const AllReduceLine& fp32 = fp32_line(study);
  const AllReduceLine* best = best_line(study);
  const AllReduceLine* worst = worst_line(study);
  if (worst == nullptr) {
    add_line(out, filled("Sums are in {wire} already: the error is that of rounding inputs and result, {error} of the "
                         "results' root mean square, at any number of ranks.",
                         "求和已用 {wire}：误差只来自输入和结果的舍入，为结果均方根的 {error}，与 rank 数无关。",
                         {{"wire", fp32.model.model.accumulator.title}, {"error", percent(error_of(fp32))}}));
    return;
  }
  const Values values = {{"worst", worst->title.en},
                         {"best", best->title.en},
                         {"worst_error", percent(error_of(*worst))},
                         {"best_error", percent(error_of(*best))},
                         {"fp32_error", percent(error_of(fp32))},
                         {"gain", times(error_of(*worst) / error_of(fp32))},
                         {"choice", times(error_of(*worst) / error_of(*best))},
                         {"ranks", study.ranks}};
  if (error_of(*worst) > kWorthwhile * error_of(fp32)) {
    add_line(
        out,
        filled("Reduce in FP32 (reduce_dtype, accumulate-allreduce-grads-in-fp32): {worst} over {ranks} ranks "
               "is off by {worst_error} of the results' root mean square, sums in FP32 by {fp32_error}, "
               "{gain} times less.",
               "用 FP32 归约（reduce_dtype、accumulate-allreduce-grads-in-fp32）：{ranks} 个 rank 的 {worst} 误差为"
               "结果均方根的 {worst_error}，FP32 求和为 {fp32_error}，小 {gain} 倍。",
               values));
  } else {
    add_line(
        out,
        filled("At {ranks} ranks sums in FP32 gain little: {worst_error} of the results' root mean square with "
               "{worst}, {fp32_error} with FP32.",
               "{ranks} 个 rank 时 FP32 求和收益不大：{worst} 为结果均方根的 {worst_error}，FP32 为 {fp32_error}。",
               values));
  }
  if (best != worst && error_of(*worst) > kWorthwhile * error_of(*best)) {
    add_line(out, filled("Where the sums must stay in 16 bits, prefer {best}: {best_error}, {choice} times less than "
                         "{worst}.",
                         "若求和必须用 16 位，优先选 {best}：{best_error}，比 {worst} 小 {choice} 倍。", values));
  }
}

double worst_overflow(const AllReduceQuestion& question, const AllReduceStudy& study, Averaging averaging) {
  double out = 0;
  for (const AllReduceLine& line : study.lines) {
    AllReduce how = *line.model.model.collective;
    how.averaging = averaging;
    out = std::max(out, overflow_share(how, question.dtype, study.mean, study.deviation));
  }
  return out;
}

// The deviation of what the ranks have at which one element in a million overflows.
double limit_of(const AllReduceQuestion& question, const AllReduceStudy& study, Averaging averaging) {
  double low = 0, high = largest(question.dtype);
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    AllReduceStudy other = study;
    other.lines.resize(1);
    other.deviation = middle;
    other.mean = study.deviation > 0 ? study.mean / study.deviation * middle : middle;
    (worst_overflow(question, other, averaging) < kRisk ? low : high) = middle;
  }
  return low;
}

void advise_overflow(const AllReduceQuestion& question, const AllReduceStudy& study, Text& out) {
  const double now = worst_overflow(question, study, question.averaging);
  const double before = worst_overflow(question, study, Averaging::kBefore);
  const Values values = {
      {"dtype", question.dtype.title},
      {"now", percent(now)},
      {"before", percent(before)},
      {"both", percent(worst_overflow(question, study, Averaging::kBoth))},
      {"ranks", study.ranks},
      {"limit", rounded_decimal(limit_of(question, study, question.averaging))},
      {"deviation", rounded_decimal(study.deviation)},
      {"smallest", rounded_decimal(smallest_normal(question.dtype) * static_cast<double>(study.ranks))}};
  if (now > kRisk) {
    add_line(out,
             filled("Overflow: {now} of the elements are expected to leave the range of {dtype} on the way; divided "
                    "by {ranks} before the sum {before}, by about √{ranks} before and after {both}. Before the "
                    "sum, gradients below {smallest} lose digits.",
                    "溢出：预计有 {now} 的元素在途中超出 {dtype} 的范围；求和前除以 {ranks} 为 {before}，前后各除以约 "
                    "√{ranks} 为 {both}。求和前相除时，小于 {smallest} 的梯度会损失位数。",
                    values));
    return;
  }
  add_line(out,
           filled("Overflow: none is expected; one element in a million would at a standard deviation of {limit} "
                  "(here {deviation}), the loss scale included.",
                  "溢出：预计不会发生；标准差达到 {limit} 时（此处为 {deviation}，含损失缩放）百万分之一的元素会溢出。",
                  values));
}

}  // namespace

Section all_reduce_advice_section(const AllReduceQuestion& question, const AllReduceStudy& study) {
  Section out;
  out.key = "advice";
  out.title = {"What to do", "建议"};
  advise_sums(study, out.text);
  advise_overflow(question, study, out.text);
  return out;
}

}  // namespace assay
