// The report of assay-mpi allreduce: what is certain first. Equal or not is said of bits and has no threshold; times
// are told and judged by nothing, since other processes share the machine.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mpi/experiment.h"
#include "study/error_explain.h"
#include "study/error_sections.h"
#include "study/float_words.h"

namespace assay::mpi {

namespace {

TableColumn column(std::string key, const Text& title, bool right = false) {
  return {.key = std::move(key), .title = title, .right = right};
}

Text order_text(const std::optional<Comparison>& simulation) {
  if (!simulation) return {"not defined", "未定义"};
  switch (simulation->order.kind) {
    case Collective::Kind::kLinear: return both("r0+(r1+(r2+…))");
    case Collective::Kind::kRing: return {"ring from rank c", "环，从 rank c 起"};
    default: return {"binary tree", "二叉树"};
  }
}

Cell yes_or_no(bool equal) { return equal ? cell("equal", {"equal", "相同"}) : cell("differ", {"DIFFER", "不同"}); }

Cell simulation_cell(const std::optional<Comparison>& simulation) {
  if (!simulation) return {};
  return {Value(simulation->equal), filled("{equal} of {elements}", "{equal} / {elements}",
                                           {{"equal", simulation->equal}, {"elements", simulation->elements}})};
}

// "A" for the first bits that were seen, "B" for the next.
std::string letter(const Experiment& experiment, const Outcome& outcome) {
  std::size_t before = 0;
  for (std::size_t k = 0; k < outcome.alike; ++k) before += experiment.outcomes[k].alike == k ? 1 : 0;
  return {static_cast<char>('A' + before)};  // there are seven algorithms
}

std::size_t distinct(const Experiment& experiment) {
  std::size_t out = 0;
  for (std::size_t k = 0; k < experiment.outcomes.size(); ++k) out += experiment.outcomes[k].alike == k ? 1 : 0;
  return out;
}

void tell_difference(const Outcome& one, Text& out) {
  const Difference& where = *one.difference;
  add_line(out,
           filled("{algorithm}: element {element} is {value} on rank {rank} in call {call}, {expected} on rank 0 "
                  "in call 1.",
                  "{algorithm}：第 {call} 次调用中 rank {rank} 的第 {element} 个元素为 {value}，rank 0 第 1 次调用为 "
                  "{expected}。",
                  {{"algorithm", one.algorithm.name},
                   {"element", std::to_string(where.element)},
                   {"value", exact_decimal(where.value)},
                   {"rank", std::to_string(where.rank)},
                   {"call", std::to_string(where.repeat + 1)},
                   {"expected", exact_decimal(where.expected)}}));
}

void tell_comparison(const Outcome& one, Text& out) {
  const Comparison& simulation = *one.simulation;
  add_line(
      out,
      filled("{algorithm}: element {element} is {value}, the simulation has {expected}; it is the first of "
             "{count} that differ.",
             "{algorithm}：第 {element} 个元素为 {value}，模拟为 {expected}；共有 {count} 个元素不同，这是第一个。",
             {{"algorithm", one.algorithm.name},
              {"element", std::to_string(simulation.element)},
              {"value", exact_decimal(simulation.value)},
              {"expected", exact_decimal(simulation.expected)},
              {"count", simulation.elements - simulation.equal}}));
}

Section bits_section(const Experiment& experiment) {
  Table table;
  table.key = "bits";
  table.columns = {column("algorithm", {"algorithm", "算法"}),
                   column("order", {"additions", "加法次序"}),
                   column("repeats", {"repeats", "重复"}),
                   column("ranks", {"ranks", "各 rank"}),
                   column("simulation", {"as simulated", "与模拟相同"}, true),
                   column("result", {"result", "结果"})};
  Section out;
  out.key = "bits";
  out.title = {"Bits", "逐位比较"};
  out.text = {
      "Repeats: the same input again. As simulated: sums whose bits are those of the simulation in that order; a ring "
      "adds chunk c of the buffer from rank c on. Result: algorithms with one letter gave the same bits.",
      "重复：同一输入再次归约。与模拟相同：各位与该次序的模拟一致的元素数；环从 rank c 起相加缓冲区的第 c 块。结果："
      "字母相同的算法结果逐位相同。"};
  for (const Outcome& one : experiment.outcomes) {
    table.rows.push_back({one.algorithm.name,
                          {cell(one.algorithm.name, one.algorithm.title),
                           {std::nullopt, order_text(one.simulation)},
                           yes_or_no(one.repeats_agree),
                           yes_or_no(one.ranks_agree),
                           simulation_cell(one.simulation),
                           cell(letter(experiment, one))}});
    if (one.difference) tell_difference(one, out.text);
    if (one.simulation && !one.simulation->holds()) tell_comparison(one, out.text);
  }
  if (!experiment.left_out.empty()) {
    add_line(out.text,
             filled("{library} does not let a program choose an algorithm, so only its default was run.",
                    "{library} 不允许程序选择算法，因此只运行了默认算法。", {{"library", experiment.library}}));
  }
  out.tables = {std::move(table)};
  return out;
}

Section error_section(const Question& question, const Experiment& experiment) {
  Table table;
  table.key = "error";
  table.columns = {column("algorithm", {"algorithm", "算法"}),
                   column("median", {"median", "中位数"}, true),
                   column("median_simulated", {"simulated", "模拟"}, true),
                   column("mean", {"mean", "平均"}, true),
                   column("max", {"largest", "最大"}, true),
                   column("overflow", {"overflow", "溢出"}, true)};
  bool any = false;
  for (const Outcome& one : experiment.outcomes) {
    any = any || one.errors.not_finite > 0;
    table.rows.push_back(
        {one.algorithm.name,
         {cell(one.algorithm.name, one.algorithm.title), share_cell(one.errors.median),
          share_cell(one.simulated_errors ? one.simulated_errors->median : NAN), share_cell(one.errors.mean),
          share_cell(one.errors.most), share_cell(share_of(one.errors.not_finite, experiment.elements))}});
  }
  if (!any) table.columns.back().shown = TableColumn::Shown::kNever;
  Section out;
  out.key = "error";
  out.title = {"Relative error of an element", "单个元素的相对误差"};
  out.text = filled("Of the result in {dtype}, against the exact sum of the numbers before they were rounded.",
                    "以 {dtype} 存储的结果，相对于未舍入数据的精确和。", {{"dtype", question.dtype.title}});
  out.tables = {std::move(table)};
  return out;
}

// Elements that a rank adds, in buffers.
Cell buffers_cell(std::uint64_t additions, std::size_t elements) {
  const double buffers = static_cast<double>(additions) / static_cast<double>(elements);
  return {Value(static_cast<std::int64_t>(additions)), both(fmt::format("{:.3g} n", buffers))};
}

Section work_section(const Experiment& experiment) {
  Table table;
  table.key = "work";
  table.columns = {
      column("algorithm", {"algorithm", "算法"}), column("additions", {"busiest rank adds", "最忙的 rank 相加"}, true),
      column("planned", {"expected", "预期"}, true), column("milliseconds", {"ms a call", "每次调用（ms）"}, true)};
  Section out;
  out.key = "work";
  out.title = {"Work", "工作量"};
  out.text = filled(
      "Counted by the operator, n = {elements} elements. It tells whether the algorithm that was chosen is "
      "the one that ran. Times are medians on this machine as it is, and judged by nothing.",
      "由归约算子计数，n = {elements} 个元素；据此判断所选算法是否真正执行。时间为本机当前状态下的中位数，"
      "不用于判断。",
      {{"elements", experiment.elements}});
  for (const Outcome& one : experiment.outcomes) {
    table.rows.push_back(
        {one.algorithm.name,
         {cell(one.algorithm.name, one.algorithm.title), buffers_cell(one.additions, experiment.elements),
          one.planned ? buffers_cell(*one.planned, experiment.elements) : Cell{}, number_cell(one.seconds * 1000)}});
    if (one.acted(experiment.ranks)) continue;
    add_line(out.text,
             filled("{algorithm}: not what was asked for. This MPI did something else: a rank added {additions} "
                    "elements, {algorithm} adds {planned}.",
                    "{algorithm}：实际执行的并非所选算法：有 rank 相加了 {additions} 个元素，{algorithm} 应为 "
                    "{planned} 个。",
                    {{"algorithm", one.algorithm.name},
                     {"additions", static_cast<std::int64_t>(one.additions)},
                     {"planned", static_cast<std::int64_t>(*one.planned)}}));
  }
  out.tables = {std::move(table)};
  return out;
}

std::size_t defined(const Experiment& experiment) {
  return static_cast<std::size_t>(std::count_if(experiment.outcomes.begin(), experiment.outcomes.end(),
                                                [](const Outcome& one) { return one.simulation.has_value(); }));
}

// The names of those that a condition holds for.
template <class Condition>
std::string names_where(const Experiment& experiment, Condition condition) {
  std::string out;
  for (const Outcome& one : experiment.outcomes) {
    if (condition(one)) out += (out.empty() ? "" : ", ") + one.algorithm.name;
  }
  return out;
}

Text frame(const Question& question, const Experiment& experiment, const Text& verdict) {
  const auto fill_in = [&](Language language) {
    return Values{{"elements", experiment.elements},
                  {"dtype", question.dtype.title},
                  {"ranks", experiment.ranks},
                  {"library", experiment.library},
                  {"verdict", verdict.in(language)}};
  };
  const Text text = {"all-reduce of {elements} elements of {dtype} over {ranks} ranks by {library}: {verdict}",
                     "{library} 在 {ranks} 个 rank 上对 {elements} 个 {dtype} 元素做全归约：{verdict}"};
  return {fill(text, fill_in(Language::kEnglish), Language::kEnglish),
          fill(text, fill_in(Language::kChinese), Language::kChinese)};
}

Text verdict_of(const Question& question, const Experiment& experiment) {
  const std::string by_call = names_where(experiment, [](const Outcome& one) { return !one.repeats_agree; });
  const std::string by_rank = names_where(experiment, [](const Outcome& one) { return !one.ranks_agree; });
  const std::string unlike =
      names_where(experiment, [](const Outcome& one) { return one.simulation && !one.simulation->holds(); });
  const Values values = {{"repeats", question.repeats},
                         {"by_call", by_call},
                         {"by_rank", by_rank},
                         {"unlike", unlike},
                         {"defined", defined(experiment)},
                         {"distinct", distinct(experiment)},
                         {"algorithms", experiment.outcomes.size()}};
  if (!by_call.empty()) {
    return filled("the same input gave OTHER BITS in another call with {by_call}",
                  "采用 {by_call} 时，同一输入在不同调用中得到不同的位", values);
  }
  if (!by_rank.empty()) {
    return filled("the ranks hold DIFFERENT BITS with {by_rank}", "采用 {by_rank} 时，各 rank 的结果逐位不同", values);
  }
  const Text same = filled("every call ({repeats} each) gave the same bits on every rank",
                           "每次调用（各 {repeats} 次）在每个 rank 上都得到相同的位", values);
  const Text other = unlike.empty() ? filled("the {defined} with a defined order equal the simulation in every bit",
                                             "其中 {defined} 个次序有定义的算法与模拟逐位相同", values)
                                    : filled("{unlike} DIFFERS from the simulation of its order",
                                             "{unlike} 与其次序的模拟不同", values);
  const Text results = distinct(experiment) == 1 ? filled("all {algorithms} algorithms gave the same bits",
                                                          "{algorithms} 种算法结果逐位相同", values)
                                                 : filled("{algorithms} algorithms gave {distinct} different results",
                                                          "{algorithms} 种算法得到 {distinct} 种不同结果", values);
  const bool compared = defined(experiment) > 0;
  return {same.en + (compared ? "; " + other.en : "") + (experiment.outcomes.size() > 1 ? "; " + results.en : ""),
          same.zh + (compared ? "；" + other.zh : "") + (experiment.outcomes.size() > 1 ? "；" + results.zh : "")};
}

}  // namespace

Report experiment_report(const Question& question, const Experiment& experiment) {
  Text answer = frame(question, experiment, verdict_of(question, experiment));
  if (experiment.ranks == 1) {
    answer = {
        "one process: nothing was summed, the result is what it had. Several are started with mpirun: mpirun -np 8 "
        "assay-mpi allreduce",
        "只有一个进程：没有求和，结果即其自身的数。用 mpirun 启动多个进程：mpirun -np 8 assay-mpi allreduce"};
  }
  Report out = study_report("mpi allreduce", question.arguments, std::move(answer));
  if (experiment.ranks == 1) return out;
  out.sections = {bits_section(experiment), error_section(question, experiment), work_section(experiment)};
  return out;
}

}  // namespace assay::mpi
