// What an experiment of `assay error` was.

#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay {

namespace {

bool interrupted(const ErrorQuestion& question) {
  return question.interrupted != nullptr && question.interrupted->load();
}

// "N(0, 1)", "3 + 0.5 · uniform", the path of a file.
Text data_words(const ErrorQuestion& question) {
  if (question.op->data != nullptr) return {"the operator's own numbers", "算子自带的数"};
  Text out;
  for (std::size_t i = 0; i < question.data.size(); ++i) {
    const ErrorData& data = question.data[i];
    Text one = facts_of(data.distribution).title;
    if (!data.path.empty()) {
      one = {data.path, data.path};
    } else if (data.mean != 0 || data.deviation != 1) {
      const std::string shift = (data.mean != 0 ? rounded_decimal(data.mean) + " + " : "") +
                                (data.deviation != 1 ? rounded_decimal(data.deviation) + " · " : "");
      one = {shift + one.en, shift + one.in(Language::kChinese)};
    }
    if (i > 0 && one.en == out.en) continue;
    out = {out.en + (i > 0 ? ", " : "") + one.en, out.zh + (i > 0 ? "，" : "") + one.in(Language::kChinese)};
  }
  return out;
}

}  // namespace

Section experiment_section(const ErrorQuestion& question, const Experiment& first, std::size_t seeds,
                           const std::optional<OrderStudy>& orders) {
  const std::size_t a_row = question.op->one_output ? 1 : question.length;
  const Text data = data_words(question);
  const Values values = {{"rows", question.rows},
                         {"length", question.length},
                         {"data", data.en},
                         {"data_zh", data.in(Language::kChinese)},
                         {"seed", std::to_string(question.seed)},
                         {"seeds", question.seeds},
                         {"done_rows", static_cast<std::size_t>(first.measured.outputs / a_row)},
                         {"done_seeds", seeds},
                         {"done_orders", orders ? orders->orders : 0},
                         {"orders", question.orders}};
  Section out;
  out.key = "experiment";
  out.title = {"The experiment", "实验"};
  out.text = filled("rows: {rows}, numbers in a row: {length}; data: {data}; first seed {seed}, seeds: {seeds}",
                    "行数 {rows}，每行 {length} 个数；数据：{data_zh}；首个种子 {seed}，种子数 {seeds}", values);
  if (interrupted(question)) {
    add_line(out.text,
             filled("interrupted: what is told is of {done_rows} of {rows} rows, {done_seeds} of {seeds} "
                    "seeds, {done_orders} of {orders} orders",
                    "被中断：以上结果来自 {rows} 行中的 {done_rows} 行、{seeds} 个种子中的 {done_seeds} 个、{orders} "
                    "种顺序中的 {done_orders} 种",
                    values));
  }
  return out;
}

}  // namespace assay
