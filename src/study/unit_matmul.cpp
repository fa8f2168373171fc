// What a table of dot products tells: the fit (unit_fit.cpp) in words.

#include <algorithm>

#include "study/float_words.h"
#include "study/unit_findings.h"
#include "study/unit_words.h"

namespace assay {

namespace {

constexpr std::size_t kShownModels = 5;
constexpr std::size_t kUndecided = 20;  // models that fit: more than that and the rows tell next to nothing

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

Text fitting_sentence(const UnitFit& fit) {
  const MatrixUnit& unit = fit.fitting.front().unit;
  const Text words = unit_words(unit);
  const Values values = {{"rows", fit.rows},     {"units", names_of(fit.presets)}, {"words_en", words.en},
                         {"words_zh", words.zh}, {"count", fit.fitting.size()},    {"model", describe(unit)}};
  if (fit.fitting.size() > kUndecided) {
    return filled("the rows do not tell the unit: {count} models or more give all {rows} rows, the first is {model}",
                  "这些行无法确定单元：至少 {count} 个模型与全部 {rows} 行一致，第一个是 {model}", values);
  }
  if (fit.presets.empty()) {
    return filled("no named unit, but a model gives all {rows} rows: {words_en}",
                  "没有已知单元符合，但有模型与全部 {rows} 行一致：{words_zh}", values);
  }
  return filled("all {rows} rows are what {units} gives: {words_en}", "全部 {rows} 行与 {units} 一致：{words_zh}",
                values);
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
  if (fit.fitting.size() > kUndecided) return filled("{what}: not told", "{what}：无法判断", {{"what", what}});
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
                 {"standing", {"how sure the model is", "模型依据"}}};
  for (const MatrixUnit& unit : units) {
    const Text standing = standing_words(unit.standing);
    out.rows.push_back({unit.name, {cell(unit.name), cell(unit.chip), Cell{Value(standing.en), standing}}});
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
    out.section.tables.push_back(parameters_table(fit.fitting.front().unit, &fit));
    if (!fit.presets.empty()) out.section.tables.push_back(presets_table(fit.presets));
    if (fit.fitting.size() > 1) out.section.tables.push_back(models_table("fitting", fit.fitting, fit.rows));
    return out;
  }
  out.section.tables.push_back(models_table("nearest", fit.nearest, fit.rows));
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
