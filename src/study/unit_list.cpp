#include "study/unit_list.h"

#include "study/float_words.h"
#include "study/unit_words.h"

namespace assay {

namespace {

bool aligns(const MatrixUnit& unit) { return unit.step == StepKind::kFused || unit.step == StepKind::kStaged; }

}  // namespace

Report unit_list() {
  Table table;
  table.key = "units";
  table.columns = {{"unit", {"unit", "单元"}},
                   {"chip", {"chip", "芯片"}},
                   {"group", {"g", "g"}, true},
                   {"bits", {"F", "F"}, true},
                   {"accumulator", {"sums in", "累加格式"}},
                   {"rounding", {"rounded", "舍入"}},
                   {"known", {"known from", "依据"}}};
  for (const MatrixUnit& unit : matrix_units()) {
    table.rows.push_back({unit.name,
                          {cell(unit.name),
                           cell(unit.chip),
                           {Value(unit.group), {}},
                           !aligns(unit)                       ? Cell{}
                           : unit.fraction_bits == kNothingCut ? cell("all", {"all", "全部"})
                                                               : Cell{Value(unit.fraction_bits), {}},
                           cell(unit.accumulator.title),
                           Cell{std::nullopt, rounding_words(unit.rounding)},
                           Cell{std::nullopt, standing_brief(unit.standing)}}});
  }
  const Values values = {{"count", matrix_units().size()}};
  Report out =
      study_report("unit list", {}, filled("{count} matrix units have a name", "{count} 个有名字的矩阵单元", values));
  Section section;
  section.key = "units";
  section.text = {"g: products of a step; F: bits kept below the largest addend",
                  "g：每步的乘积数；F：最大加数以下保留的位数"};
  section.tables = {std::move(table)};
  out.sections = {std::move(section)};
  return out;
}

}  // namespace assay
