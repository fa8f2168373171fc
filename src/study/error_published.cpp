// Published figures beside the same experiment.

#include <algorithm>

#include "facts/published_errors.h"
#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

// Experiments from which on a place among them means something.
constexpr std::size_t kEnough = 20;

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

// Where a published figure lies among those of the seeds.
Cell place_of(double published, const std::vector<double>& sorted) {
  if (sorted.size() < kEnough) return {};
  const auto below =
      static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), published) - sorted.begin());
  const double share = share_of(below, sorted.size());
  if (below == 0) return Cell{Value(share), {"below all", "低于全部"}};
  if (below == sorted.size()) return {Value(share), {"above all", "高于全部"}};
  return {Value(share), filled("above {share} of them", "高于其中 {share}", {{"share", percent(share)}})};
}

}  // namespace

std::optional<Section> published_section(const ErrorQuestion& question, const std::vector<ErrorFigures>& all) {
  const PublishedError* found = published_for(question);
  if (found == nullptr) return std::nullopt;
  const PublishedError& published = *found;

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
  if (all.size() < kEnough) {
    add_line(out.text,
             Text{"One experiment is one draw: with --seeds 200 the places of the published figures are told.",
                  "一次实验只是一次抽样：加上 --seeds 200 可给出已发表数字所处的百分位。"});
  }
  out.tables = {std::move(table)};
  return out;
}

}  // namespace assay
