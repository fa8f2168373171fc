#include "study/error_report.h"

#include <algorithm>
#include <cmath>

#include "facts/published_errors.h"
#include "num/format.h"
#include "study/error_explain.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr double kLow = 0.05, kMiddle = 0.5, kHigh = 0.95;  // percentiles over seeds

Cell number(double value) { return std::isnan(value) ? Cell{} : cell(value, format(Value(value))); }
Cell share_cell(double value) { return std::isnan(value) ? Cell{} : cell(value, percent(value)); }
Cell count_cell(std::uint64_t count) { return {Value(static_cast<std::int64_t>(count)), {}}; }

double over(std::uint64_t count, std::uint64_t of) {
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

// A figure: measured, over the seeds where there are several, and predicted.
TableRow figure_row(std::string key, const Text& label, const std::vector<ErrorFigures>& all,
                    double ErrorFigures::* figure, double predicted, bool as_share) {
  const auto shown = as_share ? share_cell : number;
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
                   {"measured", several ? Text{"median of seeds", "各种子的中位数"} : Text{"measured", "实测"}, true}};
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
  add("relative_median", {"relative error, median", "相对误差，中位数"}, &ErrorFigures::median, theory.relative_median,
      true);
  add("relative_mean", {"relative error, mean", "相对误差，平均"}, &ErrorFigures::mean, theory.relative_mean, true);
  add("relative_p99", {"relative error, 99 % are below", "相对误差，99 % 低于"}, &ErrorFigures::p99,
      theory.relative_p99, true);
  add("relative_max", {"relative error, largest", "相对误差，最大"}, &ErrorFigures::most, none, true);
  add("scaled_rms", filled("error over {scale}, root mean square", "误差 / {scale_zh}，均方根", scale),
      &ErrorFigures::rms, std::sqrt(theory.squares), false);
  add("scaled_max", filled("error over {scale}, largest", "误差 / {scale_zh}，最大", scale), &ErrorFigures::largest,
      none, false);
  add("bias", filled("error over {scale}, mean (bias)", "误差 / {scale_zh}，平均（偏差）", scale), &ErrorFigures::bias,
      theory.sum, false);
  Section out;
  out.key = "error";
  out.title = {"The error", "误差"};
  out.tables = {std::move(table)};
  return out;
}

Section sources_section(const ErrorQuestion& question, const Experiment& first) {
  const Measured& measured = first.measured;
  const auto shares = shares_of(measured);
  const std::array<Text, kErrorParts> labels = {
      filled("rounding of the inputs to {format}", "把输入舍入为 {format}", {{"format", question.model.input.title}}),
      {"arithmetic, " + arithmetic_words(question).en, "运算，" + arithmetic_words(question).zh},
      filled("rounding of the result to {format}", "把结果舍入为 {format}", {{"format", question.model.output.title}})};
  const char* keys[] = {"input", "arithmetic", "output"};
  Table table;
  table.key = "sources";
  table.columns = {{"source", {"", ""}},
                   {"rms", filled("rms over {scale}", "均方根 / {scale}", {{"scale", question.op->scale.en}}), true},
                   {"share", {"share", "占比"}, true},
                   {"predicted", {"predicted", "预测"}, true}};
  for (std::size_t part = 0; part < kErrorParts; ++part) {
    const double predicted = first.predicted.known ? std::sqrt(first.predicted.part_squares[part]) : NAN;
    table.rows.push_back({keys[part],
                          {{std::nullopt, labels[part]},
                           number(measured.part_rms(static_cast<ErrorPart>(part))),
                           share_cell(shares[part]),
                           number(predicted)}});
  }
  Section out;
  out.key = "sources";
  out.title = {"Where it comes from", "误差来源"};
  out.tables = {std::move(table)};
  return out;
}

struct CountLine {
  const char* key;
  Text label;
  std::uint64_t count;
  std::uint64_t of;
  bool always;  // also where it is 0
};

void add_counts(Table& table, const std::vector<CountLine>& lines) {
  for (const CountLine& line : lines) {
    if (line.count == 0 && !line.always) continue;
    table.rows.push_back(
        {line.key, {{std::nullopt, line.label}, count_cell(line.count), share_cell(over(line.count, line.of))}});
  }
}

Section counts_section(const ErrorQuestion& question, const Experiment& first) {
  const SumBounds& bounds = first.bounds;
  const Measured& measured = first.measured;
  const Tolerance tolerance = torch_tolerance(question.model.output);
  const Values values = {
      {"format", question.model.output.title}, {"rtol", tolerance.relative}, {"atol", tolerance.absolute},
      {"scale", question.op->scale.en},        {"certain", bounds.certain},  {"probable", bounds.probable}};
  Table table;
  table.key = "counts";
  table.columns = {{"what", {"", ""}}, {"count", {"results", "结果数"}, true}, {"share", {"share", "占比"}, true}};
  const std::uint64_t all = measured.outputs;
  const std::uint64_t judged = measured.judged;
  add_counts(table,
             {{"not_finite",
               {"infinite or NaN, the exact one is not", "为 Inf 或 NaN，而精确值不是"},
               measured.not_finite,
               all,
               false},
              {"exact_not_finite",
               {"the exact result is infinite or NaN", "精确结果为 Inf 或 NaN"},
               measured.exact_not_finite,
               all,
               false},
              {"saturated",
               filled("the largest number of {format} in place of a larger one", "被饱和为 {format} 的最大数", values),
               measured.at_largest, all, false},
              {"vanished", {"0, the exact one is not", "为 0，而精确值不是"}, measured.vanished, all, false},
              {"beyond_ulp", filled("off by more than one spacing of {format}", "偏差超过 {format} 的一个间距", values),
               measured.beyond_ulp, judged, true},
              {"beyond_tolerance",
               filled("beyond torch.testing.assert_close (rtol {rtol}, atol {atol})",
                      "超出 torch.testing.assert_close（rtol {rtol}，atol {atol}）", values),
               measured.beyond_tolerance, judged, true}});
  if (std::isfinite(bounds.certain)) {
    add_counts(table, {{"beyond_certain",
                        filled("beyond {certain} of {scale}: the bound that always holds",
                               "超出 {scale} 的 {certain}：恒成立的界", values),
                        measured.beyond_certain, judged, true}});
  }
  if (std::isfinite(bounds.probable)) {
    add_counts(table, {{"beyond_probable",
                        filled("beyond {probable} of {scale}: the bound that holds with 99.9 %",
                               "超出 {scale} 的 {probable}：以 99.9 % 概率成立的界", values),
                        measured.beyond_probable, judged, true}});
  }
  add_counts(
      table,
      {{"data_not_finite",
        {"inputs that are infinite or NaN", "为 Inf 或 NaN 的输入"},
        measured.data_not_finite,
        0,
        false},
       {"data_overflowed",
        {"inputs that rounding made infinite or NaN", "舍入后变为 Inf 或 NaN 的输入"},
        measured.data_overflowed,
        0,
        false},
       {"data_vanished", {"inputs that rounding made 0", "舍入后变为 0 的输入"}, measured.data_vanished, 0, false}});
  Section out;
  out.key = "counts";
  out.title = {"Results that stand out", "超出的结果"};
  out.tables = {std::move(table)};
  return out;
}

// Where a published figure lies among those of the seeds.
Cell place_of(double published, const std::vector<double>& sorted) {
  const auto below =
      static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), published) - sorted.begin());
  const double share = over(below, sorted.size());
  if (below == 0) return Cell{Value(share), {"below all", "低于全部"}};
  if (below == sorted.size()) return {Value(share), {"above all", "高于全部"}};
  return {Value(share), filled("above {share} of them", "高于其中 {share}", {{"share", percent(share)}})};
}

Section published_section(const PublishedError& published, const std::vector<ErrorFigures>& all) {
  Table table;
  table.key = "published";
  table.columns = {{"figure", {"", ""}},
                   {"published", {"published", "已发表"}, true},
                   {"place", {"among these experiments", "在这些实验中"}}};
  const auto add = [&](const char* key, const Text& label, double value, double ErrorFigures::* figure) {
    table.rows.push_back(
        {key, {{std::nullopt, label}, share_cell(value), place_of(value, sorted_figures(all, figure))}});
  };
  add("mean", {"relative error, mean", "相对误差，平均"}, published.mean_relative, &ErrorFigures::mean);
  add("max", {"relative error, largest", "相对误差，最大"}, published.largest_relative, &ErrorFigures::most);
  Section out;
  out.key = "published";
  out.title = {"The published experiment", "已发表的实验"};
  out.text = {
      "The largest relative error is no measure of quality: it is |error| / |result|, a quotient of two numbers "
      "around zero, which has no finite mean (half-Cauchy). It tells how near to zero the smallest of the "
      "results happened to be: other data, another maximum. Judge by the median, or by the error over Σ|x|.",
      "最大相对误差不能衡量质量：它是 |误差| / "
      "|结果|，两个都在零附近的数之比，服从半柯西分布，没有有限的均值。它只说明最"
      "小的结果碰巧离零多近：换一批数据就换一个最大值。应看中位数，或误差与 Σ|x| 之比。"};
  const double least = published.largest_relative / static_cast<double>(published.rows);
  if (least > published.mean_relative) {
    const Values values = {{"most", percent(published.largest_relative)},
                           {"rows", published.rows},
                           {"least", percent(least)},
                           {"mean", percent(published.mean_relative)}};
    add_line(
        out.text,
        filled(
            "The two published figures cannot be of one run: a largest error of {most} in {rows} rows "
            "makes the mean at least {least}, not {mean}.",
            "这两个已发表的数字不可能来自同一次运行：{rows} 行中最大误差为 {most}，平均至少为 {least}，而不是 {mean}。",
            values));
  }
  out.tables = {std::move(table)};
  return out;
}

TableRow order_row(const OrderChanges& one, const Text& label) {
  TableRow row{one.order.empty() ? "shuffled" : one.order,
               {{std::nullopt, label}, share_cell(over(one.changed, one.compared))}};
  for (std::size_t steps = 1; steps < one.by_steps.size(); ++steps)
    row.cells.push_back(share_cell(over(one.by_steps[steps], one.compared)));
  row.cells.push_back({Value(one.most_steps), {}});
  row.cells.push_back(number(one.largest));
  row.cells.push_back(one.order.empty() ? share_cell(one.predicted_share) : Cell{});
  return row;
}

Section orders_section(const ErrorQuestion& question, const OrderStudy& study) {
  Table table;
  table.key = "orders";
  table.columns = {
      {"order", {"terms", "项"}},
      {"changed", {"changed", "改变"}, true},
      {"one", {"by 1 ulp", "1 ulp"}, true},
      {"two", {"2", "2"}, true},
      {"three", {"3", "3"}, true},
      {"more", {"4 or more", "≥ 4"}, true},
      {"most", {"most ulps", "最多 ulp"}, true},
      {"largest", filled("largest over {scale}", "最大 / {scale}", {{"scale", question.op->scale.en}}), true},
      {"predicted", {"predicted", "预测"}, true}};
  table.rows.push_back(
      order_row(study.shuffled, filled("shuffled, {orders} times", "打乱 {orders} 次", {{"orders", question.orders}})));
  for (const OrderChanges& one : study.named) table.rows.push_back(order_row(one, both(one.order)));
  Section out;
  out.key = "orders";
  out.title = {"The same data in another order", "同样的数据，不同的顺序"};
  const Values values = {{"ever", study.ever_changed},
                         {"outputs", study.outputs},
                         {"orders", question.orders},
                         {"order", name_of(question.model.order)}};
  out.text = filled(
      "{ever} of {outputs} results are not the same bits in all {orders} orders. Summed again in the same "
      "order, all are: order alone makes the difference.",
      "{outputs} 个结果中有 {ever} 个在 {orders} "
      "种顺序下位模式不全相同。以同样的顺序再算一次则完全相同：差别只来自顺序。",
      values);
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
                         {"format", question.model.output.title},
                         {"how", arithmetic_words(question).en},
                         {"how_zh", arithmetic_words(question).in(Language::kChinese)},
                         {"median", percent(middle(&ErrorFigures::median))},
                         {"mean", percent(middle(&ErrorFigures::mean))},
                         {"most", percent(middle(&ErrorFigures::most))}};
  const Text why = explanation_of(question, first);
  if (first.measured.relative.empty()) {
    const Text out = filled("{op} of {length} numbers in {format}, {how}: no result can be judged; ",
                            "{length} 个数的{op_zh}，{format}，{how_zh}：没有可判断的结果；", values);
    return {out.en + why.en, out.zh + why.zh};
  }
  const Text out = filled(
      "{op} of {length} numbers in {format}, {how}: off by {median} of the result in the median, "
      "{mean} on average, {most} at most; ",
      "{length} 个数的{op_zh}，{format}，{how_zh}：与结果相差，中位数 {median}，平均 {mean}，最大 {most}；", values);
  return {out.en + why.en, out.zh + why.zh};
}

const PublishedError* published_for(const ErrorQuestion& question) {
  for (const PublishedError& one : published_errors()) {
    const ErrorData& data = question.data.front();
    if (one.op == question.op->name && one.rows == question.rows && one.length == question.length &&
        one.format == question.model.input.name && one.format == question.model.output.name && data.path.empty() &&
        data.distribution == Distribution::kNormal && data.mean == 0) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace

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
  out.sections = {error_section(question, first, all), sources_section(question, first),
                  counts_section(question, first)};
  if (const PublishedError* published = published_for(question)) {
    out.sections.push_back(published_section(*published, all));
  }
  if (orders) out.sections.push_back(orders_section(question, *orders));
  return out;
}

}  // namespace assay
