// Rows against one model: how many come out bit for bit, and the first that does not, in full.

#include "study/unit_check.h"

#include <optional>
#include <utility>
#include <vector>

#include "study/float_words.h"
#include "study/unit_words.h"

namespace assay {

namespace {

struct CheckedTable {
  UnitRows rows;
  MatrixUnit unit;
  std::size_t right = 0;
  std::size_t first_wrong = 0;
  double given = 0;  // there
  std::size_t wrong() const { return rows.rows - right; }
};

// The unit as it is asked for, its inputs' format taken from the rows where the description does not say it.
Result<MatrixUnit> unit_for(const UnitCheck& question, const UnitRows& rows, const ProbeSection& section) {
  const std::vector<NumberFormat> inputs = formats_of_inputs(rows);
  MatrixUnit unit = ASSAY_TRY(matrix_unit(question.unit, inputs.empty() ? nullptr : &inputs.front()));
  // Results that a library rounded at the end, as a probe tells it.
  const std::string_view output = section.key("output");
  if (!output.empty() && !unit.has_output() && output != unit.accumulator.name && output != "fp32") {
    unit.output = ASSAY_TRY(number_format(output));
  }
  return unit;
}

Result<void> inputs_belong(const ProbeFile& file, const UnitRows& rows, const MatrixUnit& unit) {
  if (unit.input.unused_bits > 0) return {};  // FP32 words, cut by the unit
  const std::optional<InputPlace> misfit = first_misfit(unit.input, rows);
  if (!misfit) return {};
  Location where;
  where.path = file.path;
  where.line = rows.lines[misfit->row];
  return fail(ErrorCode::kUsage,
              std::string("column ") + (misfit->in_b ? "b" : "a") + ", number " + std::to_string(misfit->k + 1) + ": " +
                  brief_decimal(misfit->value) + " (" + fp32_pattern(misfit->value) + ") is no number of " +
                  unit.input.title + ", the input of " + name_of(unit),
              std::move(where), "'assay unit identify' finds a unit for the file's numbers");
}

CheckedTable checked(UnitRows rows, MatrixUnit unit) {
  CheckedTable out;
  const std::vector<double> given = emulated(unit, rows);
  for (std::size_t r = rows.rows; r-- > 0;) {
    if (same_number(given[r], rows.d[r])) {
      ++out.right;
    } else {
      out.first_wrong = r;
      out.given = given[r];
    }
  }
  out.rows = std::move(rows);
  out.unit = std::move(unit);
  return out;
}

Result<std::vector<CheckedTable>> check_all(const ProbeFile& file, const UnitCheck& question) {
  std::vector<CheckedTable> out;
  std::string others;
  for (const ProbeSection& section : file.sections) {
    if (section.kind != "matmul") continue;
    UnitRows rows = ASSAY_TRY(unit_rows(file, section));
    MatrixUnit unit = ASSAY_TRY(unit_for(question, rows, section));
    const bool other = rows.input && rows.input->name != unit.input.name &&
                       !(unit.input.unused_bits > 0 && rows.input->name == "fp32");
    if (other && !file.plain) {
      others += (others.empty() ? "" : ", ") + rows.input->name;
      continue;
    }
    ASSAY_TRY(inputs_belong(file, rows, unit));
    out.push_back(checked(std::move(rows), std::move(unit)));
  }
  if (!out.empty()) return out;
  Location where;
  where.path = file.path;
  return fail(ErrorCode::kUsage, "has no matmul with the inputs of '" + question.unit + "'", std::move(where),
              others.empty() ? "" : "its matmuls have inputs in " + others);
}

Table tables_table(const std::vector<CheckedTable>& tables) {
  Table out;
  out.key = "tables";
  out.columns = {{"name", {"table", "表"}},
                 {"rows", {"rows", "行"}, true},
                 {"products", {"products", "乘积数"}, true},
                 {"right", {"right", "正确"}, true},
                 {"first_wrong", {"first wrong line", "首个错误行"}, true}};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const CheckedTable& one = tables[i];
    out.rows.push_back({std::to_string(i + 1),
                        {one.rows.name.empty() ? Cell{} : cell(one.rows.name),
                         {Value(one.rows.rows), {}},
                         {Value(one.rows.length), {}},
                         {Value(one.right), {}},
                         one.wrong() == 0 ? Cell{} : Cell{Value(one.rows.lines[one.first_wrong]), {}}}});
  }
  return out;
}

Section unit_section(const MatrixUnit& unit) {
  Section out;
  out.key = "unit";
  out.title = both(name_of(unit));
  out.text = unit.name.empty() ? unit_words(unit) : both(unit.chip);
  if (!unit.name.empty()) add_line(out.text, standing_words(unit.standing));
  add_line(out.text, step_words(unit));
  out.tables = {parameters_table(unit)};
  return out;
}

}  // namespace

Result<UnitChecked> unit_check(const UnitCheck& question) {
  const NumberFormat any = ASSAY_TRY(number_format("fp32"));
  ASSAY_TRY(matrix_unit(question.unit, &any));  // a name that is wrong is told before a file that is
  const ProbeFile file = ASSAY_TRY(read_probe_file(question.file));
  const std::vector<CheckedTable> tables = ASSAY_TRY(check_all(file, question));
  std::size_t rows = 0, right = 0;
  const CheckedTable* wrong = nullptr;
  for (const CheckedTable& one : tables) {
    rows += one.rows.rows;
    right += one.right;
    if (wrong == nullptr && one.wrong() != 0) wrong = &one;
  }
  Values values = {{"right", right}, {"rows", rows}, {"unit", name_of(tables.front().unit)}};
  if (wrong != nullptr) values.emplace_back("line", Value(wrong->rows.lines[wrong->first_wrong]));
  UnitChecked out;
  out.wrong = rows - right;
  const Text answer =
      wrong == nullptr
          ? filled("{right} of {rows} rows are what {unit} gives", "{rows} 行中 {right} 行与 {unit} 一致", values)
          : filled("{right} of {rows} rows are what {unit} gives; the first wrong one is line {line}",
                   "{rows} 行中 {right} 行与 {unit} 一致；首个不一致的是第 {line} 行", values);
  out.report = study_report("unit check", {question.file, "--as", question.unit}, answer);
  Section summary;
  summary.key = "tables";
  summary.tables = {tables_table(tables)};
  out.report.sections = {std::move(summary), unit_section(tables.front().unit)};
  if (wrong != nullptr) {
    out.report.sections.push_back(row_section(wrong->rows, wrong->first_wrong, wrong->given, wrong->unit));
  }
  return out;
}

}  // namespace assay
