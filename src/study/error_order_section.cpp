// How results change with the order of the terms, as a table.

#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

TableRow order_row(const OrderChanges& one, const Text& label) {
  TableRow row{one.order.empty() ? "shuffled" : one.order,
               {{std::nullopt, label}, share_cell(share_of(one.changed, one.compared))}};
  for (std::size_t steps = 1; steps < one.by_steps.size(); ++steps)
    row.cells.push_back(share_cell(share_of(one.by_steps[steps], one.compared)));
  row.cells.push_back({Value(one.most_steps), {}});
  row.cells.push_back(number_cell(one.largest));
  row.cells.push_back(one.order.empty() ? share_cell(one.predicted_share) : Cell{});
  return row;
}

}  // namespace

Section orders_section(const ErrorQuestion& question, const OrderStudy& study) {
  Table table;
  table.key = "orders";
  table.columns = {{"order", {"terms", "项"}},
                   {"changed", {"changed", "改变"}, true},
                   {"one", {"by 1 ulp", "1 ulp"}, true},
                   {"two", {"2", "2"}, true},
                   {"three", {"3", "3"}, true},
                   {"more", {"4 or more", "≥ 4"}, true},
                   {"most", {"most ulps", "最多 ulp"}, true},
                   {"largest", {"largest, scaled", "最大，标度"}, true},
                   {"predicted", {"predicted", "预测"}, true}};
  table.rows.push_back(
      order_row(study.shuffled, filled("shuffled, {orders} times", "打乱 {orders} 次", {{"orders", study.orders}})));
  for (const OrderChanges& one : study.named) table.rows.push_back(order_row(one, both(one.order)));
  Section out;
  out.key = "orders";
  out.title = {"The same data in another order", "同样的数据，不同的顺序"};
  const Values values = {{"ever", study.ever_changed},
                         {"outputs", study.outputs},
                         {"orders", study.orders},
                         {"order", name_of(question.model.order)}};
  out.text = filled(
      "{ever} of {outputs} results are not the same bits in all {orders} orders. Summed again in the same "
      "order, all are: order alone makes the difference.",
      "{outputs} 个结果中有 {ever} 个在 {orders} "
      "种顺序下位模式不全相同。以同样的顺序再算一次则完全相同：差别只来自顺序。",
      values);
  if (study.ever_changed == 0) {
    out.text = filled("All {outputs} results are the same bits in all {orders} orders.",
                      "全部 {outputs} 个结果在 {orders} 种顺序下位模式都相同。", values);
  }
  out.tables = {std::move(table)};
  return out;
}

}  // namespace assay
