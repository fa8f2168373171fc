// The published all-reduce of 8 cards, hop by hop.
//
// The published program fills 10^4 numbers of N(0, 1) on each of 8 cards, reduces them in 16 bits and sets the result
// against an FP32 all-reduce of the numbers before they were rounded; it tells mean and maximum of |error / result|.
// Mean and maximum are two views of one ratio of nearly normal numbers (half-Cauchy with scale γ), so they must be
// judged together: for each algorithm, in how many of the seeds does the pair come out near the published one.
//
// γ² is a sum over the roundings that a result has gone through: q²/12 of the spacing q at the partial sum, over the
// variance of the result. At hop k the partial sum has k + 1 terms, N(0, k + 1), so the later a hop the larger its
// share.

#include <algorithm>
#include <cmath>

#include "facts/published_errors.h"
#include "num/expected_error.h"
#include "study/all_reduce_report.h"
#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr std::size_t kEnough = 20;  // experiments from which on a place among them means something
constexpr double kNearMean = 1.0 / 6, kNearLargest = 1.0 / 9;  // a published figure has one or two digits

const PublishedError* published_for(const AllReduceQuestion& question, const AllReduceStudy& study) {
  const ErrorData& data = question.data;
  const bool same = data.path.empty() && data.distribution == Distribution::kNormal && data.mean == 0;
  for (const PublishedError& one : published_errors()) {
    if (same && one.op == "all-reduce" && one.rows == study.elements && one.length == study.ranks &&
        one.format == question.dtype.name) {
      return &one;
    }
  }
  return nullptr;
}

// Mean square of a rounding at N(0, terms), over the variance of a sum of `all` terms. `grid`: what is rounded has no
// digits below (inputs) or is a sum of numbers of the format.
double share_of_rounding(const NumberFormat& format, std::size_t terms, std::size_t all) {
  constexpr int kSteps = 4000;
  constexpr double kWidest = 8;  // standard deviations
  double sum = 0, weights = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double z = kWidest * (i + 0.5) / kSteps;
    const double weight = std::exp(-z * z / 2);
    const double spacing = spacing_at(format, z * std::sqrt(static_cast<double>(terms)));
    sum += weight * spacing * spacing / 12;
    weights += weight;
  }
  return sum / weights / static_cast<double>(all);
}

Table hops_table(const AllReduceQuestion& question, const AllReduceStudy& study) {
  Table table;
  table.key = "hops";
  table.columns = {{"hop", {"rounding", "舍入"}},
                   {"adds", {"adds", "增加"}, true},
                   {"until_here", {"γ until here", "至此 γ"}, true}};
  double square = 0;
  const auto add = [&](std::string key, const Text& label, double more) {
    square += more;
    table.rows.push_back(
        {std::move(key), {{std::nullopt, label}, share_cell(std::sqrt(more)), share_cell(std::sqrt(square))}});
  };
  const std::size_t all = study.ranks;
  add("inputs", {"the inputs", "输入"}, static_cast<double>(all) * share_of_rounding(question.dtype, 1, all));
  for (std::size_t hop = 1; hop < all; ++hop) {
    add("hop_" + std::to_string(hop),
        filled("hop {hop}: sum of {terms}", "第 {hop} 跳：{terms} 项之和", {{"hop", hop}, {"terms", hop + 1}}),
        share_of_rounding(question.dtype, hop + 1, all));
  }
  return table;
}

struct Near {
  std::size_t both = 0;
  std::size_t seeds = 0;
};

Near near_published(const PublishedError& published, const AllReduceLine& line) {
  const auto close = [](double value, double wanted, double share) {
    return std::abs(value - wanted) <= share * wanted;
  };
  Near out;
  for (const ErrorFigures& one : line.figures) {
    ++out.seeds;
    out.both +=
        close(one.mean, published.mean_relative, kNearMean) && close(one.most, published.largest_relative, kNearLargest)
            ? 1
            : 0;
  }
  return out;
}

Table percentiles_table(const PublishedError& published, const AllReduceStudy& study) {
  Table table;
  table.key = "percentiles";
  table.columns = {{"algorithm", {"algorithm", "算法"}},          {"mean_p5", {"mean 5 %", "平均 5 %"}, true},
                   {"mean_p50", {"50 %", "50 %"}, true},          {"mean_p95", {"95 %", "95 %"}, true},
                   {"max_p5", {"largest 5 %", "最大 5 %"}, true}, {"max_p50", {"50 %", "50 %"}, true},
                   {"max_p95", {"95 %", "95 %"}, true},           {"both", {"both near", "两者接近"}, true}};
  for (const AllReduceLine& line : study.lines) {
    TableRow row{line.key, {{std::nullopt, line.title}}};
    for (double ErrorFigures::* figure : {&ErrorFigures::mean, &ErrorFigures::most}) {
      const std::vector<double> sorted = sorted_figures(line.figures, figure);
      for (const double share : {0.05, 0.5, 0.95}) row.cells.push_back(share_cell(quantile_of_sorted(sorted, share)));
    }
    const Near near = near_published(published, line);
    row.cells.push_back(share_cell(share_of(near.both, near.seeds)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What the pair of figures fits: rounding at every hop, or sums in FP32.
Text verdict(const PublishedError& published, const AllReduceStudy& study) {
  Near hops, sums;
  const AllReduceLine* best = nullptr;
  for (const AllReduceLine& line : study.lines) {
    const Near near = near_published(published, line);
    if (&line == &fp32_line(study)) {
      sums = near;
    } else if (best == nullptr || near.both > hops.both) {
      best = &line;
      hops = near;
    }
  }
  const Values values = {{"hops", hops.both}, {"sums", sums.both}, {"seeds", hops.seeds}, {"best", best->title.en}};
  const auto clear = [](std::size_t more, std::size_t less) {  // by two standard deviations of a difference of counts
    const auto difference = static_cast<double>(more) - static_cast<double>(less);
    return difference > 2 * std::sqrt(static_cast<double>(more + less));
  };
  if (!clear(hops.both, sums.both) && !clear(sums.both, hops.both)) {
    return filled(
        "Both figures come out in {hops} of {seeds} seeds with {best}, in {sums} with sums in FP32: too few "
        "to tell the two apart.",
        "{seeds} 个种子中，{best} 有 {hops} 个同时接近两个数字，FP32 求和有 {sums} 个：数量太少，无法区分。", values);
  }
  if (hops.both > sums.both) {
    return filled(
        "Both figures come out in {hops} of {seeds} seeds with {best}, in {sums} with sums in FP32: it fits a "
        "rounding at every hop.",
        "{seeds} 个种子中，{best} 有 {hops} 个同时接近两个数字，FP32 求和有 {sums} 个：与逐跳舍入相符。", values);
  }
  return filled(
      "Both figures come out in {hops} of {seeds} seeds with {best}, in {sums} with sums in FP32: they do not "
      "show a rounding at every hop.",
      "{seeds} 个种子中，{best} 有 {hops} 个同时接近两个数字，FP32 求和有 {sums} 个：看不出逐跳舍入。", values);
}

// The published figures of the two 16-bit formats, beside each other.
Text ratio_words() {
  double fp16 = 0, bf16 = 0;
  for (const PublishedError& one : published_errors()) {
    if (one.op != "all-reduce") continue;
    (one.format == "fp16" ? fp16 : bf16) = one.mean_relative;
  }
  return filled(
      "FP16 has 3 bits more than BF16: one algorithm's errors differ by a factor of 8. The published means "
      "differ by {ratio}: either that of FP16 is an order of magnitude only (8 times less than that of BF16 "
      "would be {expected}), or its sums were more precise.",
      "FP16 比 BF16 多 3 位：同一算法的误差相差 8 倍。已发表的平均值相差 {ratio} 倍：要么 FP16 的数字只是数量级（BF16 "
      "的八分之一应为 {expected}），要么其求和精度更高。",
      {{"ratio", rounded_decimal(bf16 / fp16)}, {"expected", percent(bf16 / 8)}});
}

}  // namespace

std::optional<Section> all_reduce_published_section(const AllReduceQuestion& question, const AllReduceStudy& study) {
  const PublishedError* published = published_for(question, study);
  if (published == nullptr || best_line(study) == nullptr) return std::nullopt;
  const Values values = {{"mean", percent(published->mean_relative)},
                         {"most", rounded_decimal(published->largest_relative)},
                         {"dtype", question.dtype.title},
                         {"near_mean", percent(kNearMean)},
                         {"near_most", percent(kNearLargest)}};
  Section out;
  out.key = "published";
  out.title = {"The published experiment, hop by hop", "已发表的实验，逐跳分析"};
  add_line(out.text, filled("Published for 8 cards and {dtype}: {mean} on average, {most} times the result at most.",
                            "已发表（8 卡，{dtype}）：平均 {mean}，最大为结果的 {most} 倍。", values));
  add_line(
      out.text,
      filled(
          "A ring rounds 7 times. γ is the error's deviation over the result's; the median relative error is γ, "
          "its mean over 10,000 elements about 6.7 γ, its maximum about 9,200 γ: one number explains both.",
          "环算法舍入 7 次。γ 是误差标准差与结果标准差之比；相对误差的中位数即 γ，1 万个元素的平均约为 6.7 γ，最大约为 "
          "9,200 γ：一个数解释两者。",
          values));
  add_line(out.text, ratio_words());
  out.tables = {hops_table(question, study)};
  if (study.lines.front().figures.size() < kEnough) {
    add_line(out.text, Text{"With --seeds 200 the places of the published figures among these experiments are told.",
                            "加上 --seeds 200 可给出已发表数字在这些实验中的位置。"});
    return out;
  }
  add_line(out.text,
           filled("Both near: share of the seeds whose mean is within {near_mean} and whose maximum is within "
                  "{near_most} of the published ones.",
                  "两者接近：平均与已发表值相差不超过 {near_mean}，且最大相差不超过 {near_most} 的种子占比。", values));
  add_line(out.text, verdict(*published, study));
  out.tables.push_back(percentiles_table(*published, study));
  return out;
}

}  // namespace assay
