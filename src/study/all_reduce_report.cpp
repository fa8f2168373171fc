#include "study/all_reduce_report.h"

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr double kMiddle = 0.5;
constexpr double kWorthTelling = 1e-9;  // share of elements that overflow
constexpr double kApart = 1.05;         // times: below it two algorithms are as good as each other
constexpr double kTold = 1e-3;          // share of overflowing elements that comes before all else

double middle(const AllReduceLine& line, double ErrorFigures::* figure) {
  return quantile_of_sorted(sorted_figures(line.figures, figure), kMiddle);
}

double overflowed(const Measured& measured) {
  return share_of(measured.not_finite + measured.at_largest, measured.outputs);
}

bool sums_in_fp32(const AllReduceLine& line) {
  return line.model.model.accumulator.precision >= number_format("fp32")->precision;
}

TableColumn column(std::string key, const Text& title, bool right = true) {
  return {.key = std::move(key), .title = title, .right = right};
}

Section error_section(const AllReduceStudy& study) {
  Table table;
  table.key = "error";
  table.columns = {column("algorithm", {"algorithm", "算法"}, false),
                   column("roundings", {"roundings", "舍入次数"}),
                   column("median", {"median", "中位数"}),
                   column("median_predicted", {"predicted", "预测"}),
                   column("mean", {"mean", "平均"}),
                   column("max", {"largest", "最大"})};
  for (const AllReduceLine& line : study.lines) {
    table.rows.push_back({line.key,
                          {{std::nullopt, line.title},
                           count_cell(line.roundings),
                           share_cell(middle(line, &ErrorFigures::median)),
                           share_cell(predicted_median(line)),
                           share_cell(middle(line, &ErrorFigures::mean)),
                           share_cell(middle(line, &ErrorFigures::most))}});
  }
  Section out;
  out.key = "error";
  out.title = {"Relative error of an element", "单个元素的相对误差"};
  out.text = {
      "Against the exact result of the numbers before they were rounded. Roundings: into the result's format, on "
      "the longest way from a rank to the result.",
      "相对于未舍入数据的精确结果。舍入次数：从某个 rank 到结果的最长路径上，舍入为结果格式的次数。"};
  if (study.lines.front().figures.size() > 1) {
    add_line(out.text, filled("Medians over {seeds} seeds.", "{seeds} 个种子的中位数。",
                              {{"seeds", study.lines.front().figures.size()}}));
  }
  if (!study.left_out.en.empty()) add_line(out.text, study.left_out);
  out.tables = {std::move(table)};
  return out;
}

Section scaled_section(const AllReduceStudy& study) {
  Table table;
  table.key = "scaled";
  table.columns = {column("algorithm", {"algorithm", "算法"}, false),  column("rms", {"rms", "均方根"}),
                   column("rms_predicted", {"predicted", "预测"}),     column("bias", {"bias", "偏差"}),
                   column("bias_error", {"± of bias", "偏差的 ±"}),    column("overflow", {"overflow", "溢出"}),
                   column("overflow_predicted", {"predicted", "预测"})};
  const bool any = std::any_of(study.lines.begin(), study.lines.end(), [](const AllReduceLine& line) {
    return overflowed(line.experiment.measured) > 0 || line.overflow > kWorthTelling;
  });
  table.columns[4].shown = TableColumn::Shown::kNever;
  if (!any) table.columns[5].shown = table.columns[6].shown = TableColumn::Shown::kNever;
  for (const AllReduceLine& line : study.lines) {
    const Experiment& one = line.experiment;
    const double predicted = one.predicted.known ? std::sqrt(one.predicted.squares) : NAN;
    table.rows.push_back({line.key,
                          {{std::nullopt, line.title},
                           number_cell(middle(line, &ErrorFigures::rms)),
                           number_cell(predicted),
                           number_cell(one.measured.bias()),
                           number_cell(one.measured.bias_error()),
                           share_cell(overflowed(one.measured)),
                           share_cell(line.overflow)}});
  }
  Section out;
  out.key = "scaled";
  out.title = {"Error over Σ|x|, and overflow", "与 Σ|x| 之比的误差，以及溢出"};
  out.text = {"Σ|x| does not cancel: this error says how well was added, not how near to zero a result is.",
              "Σ|x| 不会相消：这个误差反映加法的精度，而不是结果离零多近。"};
  if (any) {
    add_line(out.text, Text{"Overflow: share of the elements; predicted for normal numbers of this mean and deviation.",
                            "溢出：元素占比；预测按同均值、同标准差的正态分布。"});
  } else {
    add_line(out.text, Text{"Overflow: none.", "溢出：无。"});
  }
  out.tables = {std::move(table)};
  return out;
}

std::string averaging_word(Averaging averaging) {
  for (const auto& [value, name] : averaging_names()) {
    if (value == averaging) return std::string(name);
  }
  return {};
}

Text answer_of(const AllReduceQuestion& question, const AllReduceStudy& study) {
  const AllReduceLine& fp32 = fp32_line(study);
  const AllReduceLine* best = best_line(study);
  const AllReduceLine* worst = worst_line(study);
  const AllReduceLine& told = worst != nullptr ? *worst : fp32;
  const Values values = {{"elements", study.elements},
                         {"ranks", study.ranks},
                         {"dtype", question.dtype.title},
                         {"wire", question.accumulate.title},
                         {"averaging", averaging_word(question.averaging)},
                         {"worst", told.title.en},
                         {"worst_error", percent(middle(told, &ErrorFigures::median))},
                         {"best", best != nullptr ? best->title.en : ""},
                         {"best_error", best != nullptr ? percent(middle(*best, &ErrorFigures::median)) : ""},
                         {"fp32_error", percent(middle(fp32, &ErrorFigures::median))},
                         {"overflow", percent(overflowed(told.experiment.measured))}};
  const bool overflows = overflowed(told.experiment.measured) > kTold;
  if (overflows) {
    return filled(
        "all-reduce of {elements} elements of {dtype} over {ranks} ranks: {overflow} of the elements overflow "
        "with {worst}; what is left is off by {worst_error} in the median",
        "{ranks} 个 rank 对 {elements} 个 {dtype} 元素做全归约：采用 {worst} 时有 {overflow} 的元素溢出；其余元素的"
        "相对误差中位数为 {worst_error}",
        values);
  }
  if (worst == nullptr) {
    return filled(
        "all-reduce of {elements} elements of {dtype} over {ranks} ranks, summed in {wire}: off by "
        "{fp32_error} of the result in the median, whatever the algorithm",
        "{ranks} 个 rank 对 {elements} 个 {dtype} 元素做全归约，以 {wire} 求和：相对误差中位数为 {fp32_error}，"
        "与算法无关",
        values);
  }
  if (best == worst) {
    return filled(
        "all-reduce of {elements} elements of {dtype} over {ranks} ranks: off by {worst_error} of the result "
        "in the median with {worst}, {fp32_error} with sums in FP32",
        "{ranks} 个 rank 对 {elements} 个 {dtype} 元素做全归约：相对误差中位数，{worst} 为 {worst_error}，FP32 "
        "求和为 {fp32_error}",
        values);
  }
  return filled(
      "all-reduce of {elements} elements of {dtype} over {ranks} ranks: off by {worst_error} of the result in "
      "the median with {worst}, {best_error} with {best}, {fp32_error} with sums in FP32",
      "{ranks} 个 rank 对 {elements} 个 {dtype} 元素做全归约：相对误差中位数，{worst} 为 {worst_error}，{best} 为 "
      "{best_error}，FP32 求和为 {fp32_error}",
      values);
}

// How bad a line is: overflow first. Lines that chance alone tells apart are alike, and the first of them is named.
bool worse(const AllReduceLine& a, const AllReduceLine& b) {
  const double overflow_a = overflowed(a.experiment.measured);
  const double overflow_b = overflowed(b.experiment.measured);
  if (overflow_a > kTold || overflow_b > kTold) return overflow_a > kApart * overflow_b;
  return a.experiment.measured.rms() > kApart * b.experiment.measured.rms();
}

const AllReduceLine* extreme_line(const AllReduceStudy& study, bool largest_error) {
  const AllReduceLine* out = nullptr;
  for (const AllReduceLine& line : study.lines) {
    if (sums_in_fp32(line)) continue;
    if (out == nullptr || (largest_error ? worse(line, *out) : worse(*out, line))) out = &line;
  }
  return out;
}

}  // namespace

const AllReduceLine& fp32_line(const AllReduceStudy& study) { return study.lines.back(); }
const AllReduceLine* best_line(const AllReduceStudy& study) { return extreme_line(study, false); }
const AllReduceLine* worst_line(const AllReduceStudy& study) { return extreme_line(study, true); }

Result<Report> all_reduce(const AllReduceQuestion& question) {
  const AllReduceStudy study = ASSAY_TRY(study_all_reduce(question));
  Report out = study_report("allreduce", question.arguments, answer_of(question, study));
  out.sections = {error_section(study), scaled_section(study)};
  if (question.growth && study.ranks > 2) out.sections.push_back(all_reduce_growth_section(study));
  out.sections.push_back(all_reduce_advice_section(question, study));
  if (std::optional<Section> published = all_reduce_published_section(question, study)) {
    out.sections.push_back(*std::move(published));
  }
  out.complete = study.complete;
  return out;
}

}  // namespace assay
