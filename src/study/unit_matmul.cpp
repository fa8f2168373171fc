// What a table of dot products tells: the fit (unit_fit.cpp) in words.

#include <algorithm>

#include "study/float_words.h"
#include "study/unit_findings.h"
#include "study/unit_words.h"

namespace assay {

namespace {

constexpr std::size_t kShownModels = 5;
std::string percent_of(std::size_t part, std::size_t whole) {
  // Never 100 % where a row is wrong.
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return part < whole && percent > 99.99 ? "99.99" : rounded_decimal(percent);
}

// "h100/fp16 (also h200/fp16), b200/fp16".
std::string names_of(const std::vector<MatrixUnit>& units) {
  std::string out;
  for (const MatrixUnit& unit : units) out += (out.empty() ? "" : ", ") + unit.name;
  return out;
}

// What the fitting models differ in. How many bits are kept does not count where it may be any number from one on.
struct Open {
  bool step = false;  // or group
  bool bits = false;
  bool alignment = false;
  bool rounding = false;
  bool accumulator = false;
  /// Next to nothing is told.
  bool all() const {
    return step || (bits ? 1 : 0) + (alignment ? 1 : 0) + (rounding ? 1 : 0) + (accumulator ? 1 : 0) > 1;
  }
};

Open open_of(const UnitFit& fit) {
  const MatrixUnit& first = fit.fitting.front().unit;
  const auto group = [&](const MatrixUnit& unit) { return std::min(static_cast<std::size_t>(unit.group), fit.length); };
  Open out;
  for (const TriedUnit& tried : fit.fitting) {
    const MatrixUnit& unit = tried.unit;
    // Sums in FP64 are next to exact.
    if (unit.accumulator.name == "fp64" && first.fraction_bits == kNothingCut) continue;
    const bool one_product = group(unit) == 1 && group(first) == 1;
    out.step = out.step || group(unit) != group(first) || (unit.step != first.step && !one_product);
    out.alignment = out.alignment || unit.alignment != first.alignment;
    out.rounding = out.rounding || unit.rounding != first.rounding;
    out.accumulator =
        out.accumulator || unit.accumulator.name != first.accumulator.name || unit.output.name != first.output.name;
  }
  const std::vector<int>& bits = fit.undecided.bits;
  const bool from_one_on = !bits.empty() && bits.back() == kNothingCut;
  out.bits = bits.size() > 1 && !from_one_on;
  out.alignment = out.alignment && !from_one_on;
  return out;
}

Text open_words(const Open& open) {
  Text out;
  const auto add = [&out](bool is, std::string_view en, std::string_view zh) {
    if (!is) return;
    out.en += (out.en.empty() ? "" : ", ") + std::string(en);
    out.zh += (out.zh.empty() ? "" : "、") + std::string(zh);
  };
  add(open.bits, "how many bits are kept", "保留位数");
  add(open.alignment, "how addends are cut", "加数截断方式");
  add(open.rounding, "how the accumulator is rounded", "累加器舍入方式");
  add(open.accumulator, "the accumulator's format", "累加器格式");
  return out;
}

Text fitting_sentence(const UnitFit& fit) {
  const MatrixUnit& unit = fit.fitting.front().unit;
  const Text words = unit_words(unit, fit.length);
  const Open open = open_of(fit);
  const Text untold = open_words(open);
  const Values values = {{"rows", fit.rows},           {"units", names_of(fit.presets)}, {"words_en", words.en},
                         {"words_zh", words.zh},       {"count", fit.fitting.size()},    {"model", describe(unit)},
                         {"also", names_of(fit.also)}, {"untold_en", untold.en},         {"untold_zh", untold.zh}};
  if (open.all()) {
    return filled("the rows do not tell the unit: {count} models give all {rows} rows, one is {model}",
                  "这些行无法确定单元：{count} 个模型与全部 {rows} 行一致，其一为 {model}", values);
  }
  Text out = fit.presets.empty() ? filled("no named unit, but a model gives all {rows} rows: {words_en}",
                                          "没有已知单元符合，但有模型与全部 {rows} 行一致：{words_zh}", values)
                                 : filled("all {rows} rows are those of {units}: {words_en}",
                                          "全部 {rows} 行与 {units} 一致：{words_zh}", values);
  const auto add = [&](bool is, std::string_view en, std::string_view zh) {
    if (!is) return;
    const Text more = filled(en, zh, values);
    out = {out.en + more.en, out.in(Language::kChinese) + more.in(Language::kChinese)};
  };
  add(!fit.also.empty(), "; with inputs of another format also those of {also}",
      "；若输入为其他格式，也与 {also} 一致");
  add(!untold.en.empty(), "; the rows do not tell {untold_en}", "；这些行无法判断{untold_zh}");
  return out;
}

Text sentence_of(const UnitFit& fit) {
  if (fit.fits()) return fitting_sentence(fit);
  const TriedUnit& nearest = fit.nearest.front();
  const Values values = {{"tried", fit.tried},
                         {"model", describe(nearest.unit)},
                         {"right", nearest.right},
                         {"rows", fit.rows},
                         {"percent", percent_of(nearest.right, fit.rows)}};
  return filled("no model fits: of {tried} the nearest, {model}, gives {percent} % of the rows ({right} of {rows})",
                "没有模型符合：所试 {tried} 个中最接近的 {model} 与 {percent} % 的行一致（{rows} 行中 {right} 行）",
                values);
}

Text brief_of(const UnitFit& fit, const UnitRows& rows) {
  const std::string what = rows.name.empty() ? fit.inputs.front().title : rows.name;
  if (!fit.fits()) return filled("{what}: no model", "{what}：无模型符合", {{"what", what}});
  if (open_of(fit).all()) return filled("{what}: not told", "{what}：无法判断", {{"what", what}});
  const std::string names = fit.presets.empty() ? describe(fit.fitting.front().unit) : names_of(fit.presets);
  return filled("{what}: {names}", "{what}：{names}", {{"what", what}, {"names", names}});
}

Table models_table(std::string key, const std::vector<TriedUnit>& units, std::size_t rows) {
  Table out;
  out.key = std::move(key);
  out.columns = {
      {"model", {"model", "模型"}}, {"right", {"rows right", "正确行"}, true}, {"percent", {"%", "%"}, true}};
  for (std::size_t i = 0; i < std::min(units.size(), kShownModels); ++i) {
    out.rows.push_back({std::to_string(i + 1),
                        {cell(name_of(units[i].unit)),
                         {Value(units[i].right), {}},
                         cell(100 * static_cast<double>(units[i].right) / static_cast<double>(rows),
                              percent_of(units[i].right, rows))}});
  }
  return out;
}

Table presets_table(const std::vector<MatrixUnit>& units) {
  Table out;
  out.key = "units";
  out.columns = {{"unit", {"named units that fit", "符合的已知单元"}},
                 {"chip", {"chip", "芯片"}},
                 {"standing", {"known from", "依据"}}};
  for (const MatrixUnit& unit : units) {
    const Text standing = standing_brief(unit.standing);
    out.rows.push_back({unit.name, {cell(unit.name), cell(unit.chip), Cell{Value(standing.en), standing}}});
  }
  return out;
}

// Of models that differ only in bits that make no difference the first.
std::vector<TriedUnit> distinct(const UnitFit& fit, const std::vector<TriedUnit>& units) {
  std::vector<TriedUnit> out;
  std::vector<std::string> seen;
  for (const TriedUnit& tried : units) {
    MatrixUnit unit = tried.unit;
    unit.group = static_cast<int>(std::min(static_cast<std::size_t>(unit.group), fit.length));
    if (tried.right == fit.rows) unit.fraction_bits = kNothingCut;
    if (unit.fraction_bits > 30) unit.fraction_bits = kNothingCut;
    unit.alignment = Rounding::kTowardZero;
    unit.input = fit.inputs.front();
    const std::string what = describe(unit) + " " + std::to_string(tried.right);
    if (std::find(seen.begin(), seen.end(), what) != seen.end()) continue;
    seen.push_back(what);
    out.push_back(tried);
  }
  return out;
}

void tell_what_is_open(const UnitRows& rows, const UnitFit& fit, Text& text) {
  const Values values = {{"rows", fit.rows},
                         {"length", fit.length},
                         {"bits", fit.facts.precision},
                         {"tried", fit.tried},
                         {"non_finite", fit.facts.non_finite}};
  add_line(text, filled("{rows} rows of {length} products; {tried} models tried; the longest significand of a result "
                        "has {bits} bits",
                        "{rows} 行，每行 {length} 个乘积；试了 {tried} 个模型；结果有效数字最长 {bits} 位", values));
  const bool all_zero = std::all_of(rows.c.begin(), rows.c.end(), [](double c) { return c == 0; });
  if (all_zero && fit.fits()) {
    add_line(text, {"c is 0 in all rows: how an accumulator is aligned shows only where a row has several steps",
                    "所有行的 c 都为 0：只有一行包含多步时才能看出累加器如何对齐"});
  }
  if (fit.facts.non_finite != 0) {
    add_line(text,
             filled("infinite or NaN: {non_finite} of the results", "无穷或 NaN 的结果：{non_finite} 个", values));
  }
}

// The first row that the nearest model gives wrong.
Section nearest_row(const UnitRows& rows, const MatrixUnit& unit) {
  const std::vector<double> given = emulated(unit, rows);
  std::size_t row = 0;
  while (row + 1 < rows.rows && same_number(given[row], rows.d[row])) ++row;
  return row_section(rows, row, given[row], unit);
}

}  // namespace

Result<UnitFinding> matmul_finding(const ProbeFile& file, const ProbeSection& section, unsigned jobs) {
  const UnitRows rows = ASSAY_TRY(unit_rows(file, section));
  const UnitFit fit = fit_unit(rows, jobs);
  UnitFinding out;
  out.sentence = sentence_of(fit);
  out.brief = brief_of(fit, rows);
  out.section.key = "matmul";
  tell_what_is_open(rows, fit, out.section.text);
  if (fit.fits()) {
    add_line(out.section.text, step_words(fit.fitting.front().unit));
    MatrixUnit described = fit.fitting.front().unit;
    described.group = std::min(described.group, static_cast<int>(std::min<std::size_t>(fit.length, kMostProducts)));
    add_line(out.section.text, both("--as " + describe(described)));
    out.section.tables.push_back(parameters_table(fit.fitting.front().unit, &fit));
    std::vector<MatrixUnit> named = fit.presets;
    named.insert(named.end(), fit.also.begin(), fit.also.end());
    named.insert(named.end(), fit.assumed.begin(), fit.assumed.end());
    if (!named.empty()) out.section.tables.push_back(presets_table(named));
    const std::vector<TriedUnit> others = distinct(fit, fit.fitting);
    if (others.size() > 1) out.section.tables.push_back(models_table("fitting", others, fit.rows));
    return out;
  }
  out.section.tables.push_back(models_table("nearest", distinct(fit, fit.nearest), fit.rows));
  if (!fit.near_presets.empty()) {
    out.section.tables.push_back(models_table("near_units", fit.near_presets, fit.rows));
  }
  Section row = nearest_row(rows, fit.nearest.front().unit);
  const Values values = {{"line", row.title.en}, {"line_zh", row.title.in(Language::kChinese)}};
  add_line(out.section.text, filled("the first row that the nearest model gives wrong: {line}",
                                    "最接近的模型首个不一致的行：{line_zh}", values));
  for (Table& table : row.tables) out.section.tables.push_back(std::move(table));
  return out;
}

}  // namespace assay
