// How the error of an all-reduce grows with the ranks, as lines that can be read at a glance.

#include <algorithm>
#include <array>
#include <cmath>

#include "study/all_reduce_report.h"
#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

// A letter a number of ranks; all algorithms on one logarithmic scale.
std::string drawn(const std::vector<GrowthPoint>& points, double least, double greatest) {
  static constexpr std::array<const char*, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (const GrowthPoint& one : points) {
    const double error = one.measured;
    if (!(error > 0) || !std::isfinite(error)) {
      out += " ";
      continue;
    }
    const double place = greatest > least ? std::log(error / least) / std::log(greatest / least) : 0;
    out += kBars[static_cast<std::size_t>(std::clamp(place * 7.999, 0.0, 7.0))];
  }
  return out;
}

Text law_of(const AllReduceLine& line) {
  if (line.key == "fp32" || line.model.model.accumulator.precision > line.model.model.output.precision) {
    return {"none", "不增长"};
  }
  const AllReduce& how = *line.model.model.collective;
  switch (how.collective.kind) {
    case Collective::Kind::kRing:
    case Collective::Kind::kServer:
    case Collective::Kind::kLinear: return both("√(N/2)");
    case Collective::Kind::kRecursiveDoubling:
    case Collective::Kind::kHalvingDoubling: return both("√(1 + log2 N)");
    case Collective::Kind::kTree:
    case Collective::Kind::kDoubleTree: return both("√(1 + 1.5·log2 N)");
    case Collective::Kind::kHierarchical: return both("√(N/" + std::to_string(2 * how.collective.per_node) + ")");
    case Collective::Kind::kSwitch: return both("√(1 + log" + std::to_string(how.collective.radix) + " N)");
  }
  return {};
}

// "ring, server, linear: √(N/2); …".
Text laws_of(const AllReduceStudy& study) {
  std::vector<std::pair<Text, Text>> laws;  // and the algorithms
  for (const AllReduceLine& line : study.lines) {
    const Text law = law_of(line);
    const auto same = [&](const auto& one) { return one.first.en == law.en; };
    const auto found = std::find_if(laws.begin(), laws.end(), same);
    if (found == laws.end()) {
      laws.emplace_back(law, line.title);
    } else {
      found->second.en += ", " + line.title.en;
      found->second.zh = found->second.in(Language::kChinese) + "、" + line.title.in(Language::kChinese);
    }
  }
  Text out;
  for (const auto& [law, names] : laws) {
    out.en += (out.en.empty() ? "Grows as: " : "; ") + names.en + ": " + law.en;
    out.zh += (out.zh.empty() ? "增长规律：" : "；") + names.in(Language::kChinese) + "：" + law.in(Language::kChinese);
  }
  return {out.en + ".", out.zh + "。"};
}

void add_points(const AllReduceStudy& study, Table& table) {
  for (const GrowthPoint& at : study.lines.front().growth) {
    for (const bool measured : {true, false}) {
      const std::string ranks = std::to_string(at.ranks);
      table.columns.push_back(
          {.key = (measured ? "measured_" : "predicted_") + ranks,
           .title = filled(measured ? "measured at {n}" : "predicted at {n}",
                           measured ? "{n} 个 rank 时实测" : "{n} 个 rank 时预测", {{"n", at.ranks}}),
           .right = true,
           .shown = TableColumn::Shown::kNever});
      for (std::size_t i = 0; i < study.lines.size(); ++i) {
        const auto& points = study.lines[i].growth;
        const auto found =
            std::find_if(points.begin(), points.end(), [&](const GrowthPoint& one) { return one.ranks == at.ranks; });
        const bool known = found != points.end();
        table.rows[i].cells.push_back(share_cell(!known ? NAN : measured ? found->measured : found->predicted));
      }
    }
  }
}

}  // namespace

Section all_reduce_growth_section(const AllReduceStudy& study) {
  double least = INFINITY, greatest = 0;
  for (const AllReduceLine& line : study.lines) {
    for (const GrowthPoint& one : line.growth) {
      if (!(one.measured > 0) || !std::isfinite(one.measured)) continue;
      least = std::min(least, one.measured);
      greatest = std::max(greatest, one.measured);
    }
  }
  Table table;
  table.key = "growth";
  const Values ends = {{"last", study.ranks}};
  table.columns = {{"algorithm", {"algorithm", "算法"}},
                   {"chart", filled("2 … {last}", "2 … {last}", ends)},
                   {"last", {"measured", "实测"}, true},
                   {"last_predicted", {"predicted", "预测"}, true},
                   {"exponent", {"N^", "N^"}, true},
                   {"exponent_predicted", {"theory", "理论"}, true},
                   {.key = "law", .title = {"grows as", "增长规律"}, .shown = TableColumn::Shown::kNever}};
  for (const AllReduceLine& line : study.lines) {
    const GrowthPoint& last = line.growth.back();
    table.rows.push_back(
        {line.key,
         {{std::nullopt, line.title},
          {std::nullopt, both(drawn(line.growth, least, greatest))},
          share_cell(last.measured),
          share_cell(last.predicted),
          cell(growth_exponent(line.growth, &GrowthPoint::measured),
               rounded_decimal(std::round(growth_exponent(line.growth, &GrowthPoint::measured) * 100) / 100)),
          cell(growth_exponent(line.growth, &GrowthPoint::predicted),
               rounded_decimal(std::round(growth_exponent(line.growth, &GrowthPoint::predicted) * 100) / 100)),
          {std::nullopt, law_of(line)}}});
  }
  add_points(study, table);
  Section out;
  out.key = "growth";
  out.title = {"Growth with the number of ranks", "随 rank 数的增长"};
  out.text = filled(
      "Root mean square of the error over that of the results, from 2 to {last} ranks (logarithmic, one scale for "
      "all), and at {last}. N^: slope from 8 ranks on. The laws hold for numbers of both signs around zero.",
      "误差均方根与结果均方根之比，rank 数从 2 到 {last}（对数刻度，各行相同），以及 {last} 个 rank 时的值。N^：8 "
      "个 rank "
      "起的斜率。增长规律适用于在零附近有正有负的数。",
      ends);
  add_line(out.text, laws_of(study));
  out.tables = {std::move(table)};
  return out;
}

}  // namespace assay
