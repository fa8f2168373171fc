#include "study/error_report.h"

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr double kLow = 0.05, kMiddle = 0.5, kHigh = 0.95;  // percentiles over seeds

// A figure: measured, over the seeds where there are several, and predicted.
TableRow figure_row(std::string key, const Text& label, const std::vector<ErrorFigures>& all,
                    double ErrorFigures::* figure, double predicted, bool as_share) {
  const auto shown = as_share ? share_cell : number_cell;
  const std::vector<double> sorted = sorted_figures(all, figure);
  TableRow row;
  row.key = std::move(key);
  row.cells = {{std::nullopt, label}, shown(quantile_of_sorted(sorted, kMiddle))};
  if (all.size() > 1) {
    row.cells.push_back(shown(quantile_of_sorted(sorted, kLow)));
    row.cells.push_back(shown(quantile_of_sorted(sorted, kHigh)));
  }
  row.cells.push_back(shown(predicted));
  return row;
}

Section error_section(const ErrorQuestion& question, const Experiment& first, const std::vector<ErrorFigures>& all) {
  const bool several = all.size() > 1;
  Table table;
  table.key = "error";
  table.columns = {{"figure", {"", ""}},
                   {"measured", several ? Text{"median", "中位数"} : Text{"measured", "实测"}, true}};
  if (several) {
    table.columns.push_back({"p5", {"5 %", "5 %"}, true});
    table.columns.push_back({"p95", {"95 %", "95 %"}, true});
  }
  table.columns.push_back({"predicted", {"predicted", "预测"}, true});
  const Predicted& theory = first.predicted;
  const double none = NAN;
  const Values scale = {{"scale", question.op->scale.en}, {"scale_zh", question.op->scale.in(Language::kChinese)}};
  const auto add = [&](const char* key, const Text& label, double ErrorFigures::* figure, double predicted,
                       bool share) {
    table.rows.push_back(figure_row(key, label, all, figure, theory.known ? predicted : none, share));
  };
  add("relative_median", {"relative, median", "相对误差，中位数"}, &ErrorFigures::median, theory.relative_median, true);
  add("relative_mean", {"relative, mean", "相对误差，平均"}, &ErrorFigures::mean, theory.relative_mean, true);
  add("relative_p99", {"relative, 99 % are below", "相对误差，99 % 低于"}, &ErrorFigures::p99, theory.relative_p99,
      true);
  add("relative_max", {"relative, largest", "相对误差，最大"}, &ErrorFigures::most, none, true);
  add("scaled_rms", Text{"scaled, rms", "标度误差，均方根"}, &ErrorFigures::rms, std::sqrt(theory.squares), false);
  add("scaled_max", Text{"scaled, largest", "标度误差，最大"}, &ErrorFigures::largest, none, false);
  add("bias", Text{"scaled, mean (bias)", "标度误差，平均（偏差）"}, &ErrorFigures::bias, theory.sum, false);
  const double scatter = first.measured.bias_error();
  if (!several && !std::isnan(scatter)) {
    table.rows.back().cells[1].text = both(format(Value(first.measured.bias())) + " ± " + format(Value(scatter)));
  }
  Section out;
  out.key = "error";
  out.title = {"The error", "误差"};
  out.text = filled("Relative: over the result. Scaled: over {scale}.",
                    "相对误差：与结果之比。标度误差：与 {scale_zh} 之比。", scale);
  out.tables = {std::move(table)};
  return out;
}

Section sources_section(const ErrorQuestion& question, const Experiment& first) {
  const Measured& measured = first.measured;
  const auto shares = shares_of(measured);
  const std::array<Text, kErrorParts> labels = {
      filled("inputs to {format}", "输入舍入为 {format}", {{"format", question.model.input.title}}),
      filled("arithmetic ({how})", "运算（{how}）", {{"how", arithmetic_name(question)}}),
      filled("result to {format}", "结果舍入为 {format}", {{"format", question.model.output.title}})};
  const char* keys[] = {"input", "arithmetic", "output"};
  Table table;
  table.key = "sources";
  table.columns = {{"source", {"", ""}},
                   {"rms", Text{"scaled, rms", "标度误差，均方根"}, true},
                   {"share", {"share", "占比"}, true},
                   {"predicted", {"predicted", "预测"}, true}};
  for (std::size_t part = 0; part < kErrorParts; ++part) {
    const double predicted = first.predicted.known ? std::sqrt(first.predicted.part_squares[part]) : NAN;
    table.rows.push_back({keys[part],
                          {{std::nullopt, labels[part]},
                           number_cell(measured.part_rms(static_cast<ErrorPart>(part))),
                           share_cell(shares[part]),
                           number_cell(predicted)}});
  }
  Section out;
  out.key = "sources";
  out.title = {"Where it comes from", "误差来源"};
  out.tables = {std::move(table)};
  return out;
}

Text answer_of(const ErrorQuestion& question, const Experiment& first, const std::vector<ErrorFigures>& all) {
  const auto middle = [&](double ErrorFigures::* figure) {
    return quantile_of_sorted(sorted_figures(all, figure), kMiddle);
  };
  const Values values = {{"op", question.op->title.en},
                         {"op_zh", question.op->title.in(Language::kChinese)},
                         {"length", question.length},
                         {"format", question.model.input.title},
                         {"how", arithmetic_words(question).en},
                         {"how_zh", arithmetic_words(question).in(Language::kChinese)},
                         {"median", percent(middle(&ErrorFigures::median))},
                         {"mean", percent(middle(&ErrorFigures::mean))},
                         {"most", percent(middle(&ErrorFigures::most))}};
  const Text why = explanation_of(question, first);
  if (first.measured.relative.empty()) {
    const Text out = filled("{op} of {length} numbers of {format}, {how}: no result can be judged; ",
                            "{length} 个数的{op_zh}，{format}，{how_zh}：没有可判断的结果；", values);
    return {out.en + why.en, out.zh + why.zh};
  }
  const Text out = filled(
      "{op} of {length} numbers of {format}, {how}: off by {median} of the result in the median, "
      "{mean} on average, {most} at most; ",
      "{length} 个数的{op_zh}，{format}，{how_zh}：与结果相差，中位数 {median}，平均 {mean}，最大 {most}；", values);
  return {out.en + why.en, out.zh + why.zh};
}

}  // namespace

Cell number_cell(double value) { return std::isnan(value) ? Cell{} : cell(value, format(Value(value))); }
Cell share_cell(double value) { return std::isnan(value) ? Cell{} : cell(value, percent(value)); }

double share_of(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? NAN : static_cast<double>(count) / static_cast<double>(of);
}

std::vector<double> sorted_figures(const std::vector<ErrorFigures>& all, double ErrorFigures::* figure) {
  std::vector<double> out;
  for (const ErrorFigures& one : all) {
    if (!std::isnan(one.*figure)) out.push_back(one.*figure);
  }
  std::sort(out.begin(), out.end());
  return out;
}

ErrorFigures figures_of(const Measured& measured) {
  ErrorFigures out;
  out.median = quantile_of_sorted(measured.relative, kMiddle);
  out.p99 = quantile_of_sorted(measured.relative, 0.99);
  out.most = measured.relative.empty() ? NAN : measured.relative.back();
  double sum = 0;
  for (const double one : measured.relative) sum += one;
  out.mean = measured.relative.empty() ? NAN : sum / static_cast<double>(measured.relative.size());
  out.rms = measured.rms();
  out.bias = measured.bias();
  out.largest = measured.judged == 0 ? NAN : measured.largest;
  return out;
}

Report error_report(const ErrorQuestion& question, const Experiment& first, const std::vector<ErrorFigures>& all,
                    const std::optional<OrderStudy>& orders) {
  Report out =
      study_report("error " + std::string(question.op->name), question.arguments, answer_of(question, first, all));
  if (first.measured.judged > 0) {
    out.sections = {error_section(question, first, all), sources_section(question, first)};
  }
  out.sections.push_back(counts_section(question, first));
  out.sections.push_back(experiment_section(question, first, all.size(), orders));
  if (std::optional<Section> published = published_section(question, all))
    out.sections.push_back(*std::move(published));
  if (orders) out.sections.push_back(orders_section(question, *orders));
  return out;
}

}  // namespace assay
