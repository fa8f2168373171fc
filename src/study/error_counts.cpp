// What stands out among the results of `assay error`.

#include <cmath>

#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

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
        {line.key, {{std::nullopt, line.label}, count_cell(line.count), share_cell(share_of(line.count, line.of))}});
  }
}

// Updates of a state that change nothing, beside what theory expects.
Table updates_table(const Measured& measured, const Predicted& predicted) {
  Table table;
  table.key = "updates";
  table.columns = {{"what", {"", ""}},
                   {"count", {"updates", "更新数"}, true},
                   {"share", {"share", "占比"}, true},
                   {"predicted", {"predicted", "预测"}, true}};
  table.rows.push_back({"swallowed",
                        {{std::nullopt, {"changed nothing", "没有改变任何数"}},
                         count_cell(measured.events.swallowed),
                         share_cell(share_of(measured.events.swallowed, measured.events.additions)),
                         share_cell(predicted.known ? predicted.swallowed : NAN)}});
  return table;
}

}  // namespace

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
  if (bounds.certain < 1) {
    add_counts(table, {{"beyond_certain",
                        filled("beyond {certain} of {scale}: the bound that always holds",
                               "超出 {scale} 的 {certain}：恒成立的界", values),
                        measured.beyond_certain, judged, true}});
  }
  if (bounds.probable < 1) {
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
  if (std::isfinite(bounds.certain) && bounds.certain >= 1) {
    add_line(out.text,
             filled("The bound that always holds is {certain} times {scale}: it says nothing here, so many "
                    "are the additions for this format.",
                    "恒成立的界为 {scale} 的 {certain} 倍：对这种格式来说加法次数太多，这个界没有意义。", values));
  }
  if (measured.beyond_probable > 0 && bounds.probable < 1) {
    add_line(out.text, Text{"The bound that holds with 99.9 % supposes errors of both signs; here they have one.",
                            "以 99.9 % 概率成立的界假设误差有正有负；这里的误差符号一致。"});
  }
  out.tables = {std::move(table)};
  if (question.op->updates) out.tables.push_back(updates_table(measured, first.predicted));
  return out;
}

}  // namespace assay
