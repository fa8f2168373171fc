// What elementwise operations tell: whether results are those of IEEE 754, rounded once, and what becomes of subnormal
// numbers and of too large results. Each way of flushing and of overflow is tried; the one that gives most rows is the
// device's, and where others give as many the rows do not tell.

#include <algorithm>
#include <bit>
#include <cmath>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_words.h"
#include "study/unit_findings.h"
#include "study/unit_words.h"

namespace assay {

namespace {

enum class Operation : std::uint8_t { kAdd, kMultiply, kDivide, kSqrt };

struct Elements {
  NumberFormat format;
  Operation operation = Operation::kAdd;
  std::vector<double> x, y, d;
  std::vector<std::int64_t> lines;
};

struct Tried {
  RoundingRules rules;
  std::size_t right = 0;
};

std::vector<double> column_of(const ProbeColumn& column) {
  std::vector<double> out;
  for (const std::uint32_t pattern : column.patterns) out.push_back(std::bit_cast<float>(pattern));
  return out;
}

Result<Elements> elements_of(const ProbeFile& file, const ProbeSection& section) {
  Location where;
  where.path = file.path;
  where.line = section.line;
  const auto single = [&](std::string_view name) {
    const ProbeColumn* const column = section.column(name);
    return column != nullptr && column->width == 1 ? column : nullptr;
  };
  const ProbeColumn* const x = single("x");
  const ProbeColumn* const y = single("y");
  const ProbeColumn* const d = single("d");
  if (x == nullptr || y == nullptr || d == nullptr || section.rows() == 0) {
    return fail(ErrorCode::kCorrupt, "an elementwise section has columns x, y and d", where);
  }
  Elements out;
  const Result<NumberFormat> format = number_format(section.key("input"));
  if (!format) return fail(ErrorCode::kCorrupt, format.error().message, where);
  out.format = *format;
  const std::string_view operation = section.key("operation");
  const std::pair<std::string_view, Operation> names[] = {{"add", Operation::kAdd},
                                                          {"multiply", Operation::kMultiply},
                                                          {"divide", Operation::kDivide},
                                                          {"sqrt", Operation::kSqrt}};
  const auto* const found =
      std::find_if(std::begin(names), std::end(names), [&](const auto& one) { return one.first == operation; });
  if (found == std::end(names)) {
    return fail(ErrorCode::kCorrupt, "'" + shown_text(operation) + "' is no operation: add, multiply, divide, sqrt",
                where);
  }
  out.operation = found->second;
  out.x = column_of(*x);
  out.y = column_of(*y);
  out.d = column_of(*d);
  out.lines = section.lines;
  return out;
}

Real exact(const Elements& all, std::size_t row, bool flush_inputs) {
  const auto input = [&](double value) { return flush_inputs ? flushed(all.format, real(value)) : real(value); };
  const Real x = input(all.x[row]);
  switch (all.operation) {
    case Operation::kAdd: return sum(x, input(all.y[row]));
    case Operation::kMultiply: return product(x, input(all.y[row]));
    case Operation::kDivide: return quotient(x, input(all.y[row]));
    case Operation::kSqrt: break;
  }
  return square_root(x);
}

double rounded_once(const Elements& all, std::size_t row, const RoundingRules& rules) {
  return round_to(all.format, exact(all, row, rules.flush_inputs), rules).value;
}

std::vector<Tried> tried_rules(const Elements& all) {
  std::vector<Tried> out;
  for (const Overflow overflow : {Overflow::kInfinity, Overflow::kSaturate, Overflow::kAscend}) {
    for (const int flush : {0, 1, 2, 3}) {
      Tried one;
      one.rules = {.overflow = overflow, .flush_inputs = flush % 2 != 0, .flush_outputs = flush > 1};
      for (std::size_t r = 0; r < all.d.size(); ++r) {
        one.right += same_number(rounded_once(all, r, one.rules), all.d[r]) ? 1 : 0;
      }
      out.push_back(one);
    }
  }
  return out;
}

// The largest distance from the exact result, in ulps of the result, over rows where both are finite; and the first
// row that is not what the rules give.
struct Worst {
  double ulps = 0;
  std::size_t first_wrong = 0;
  bool other_kind = false;  // infinite, NaN or zero where the rules have a number, or the other way round
};

Worst worst_of(const Elements& all, const RoundingRules& rules) {
  Worst out;
  bool found = false;
  for (std::size_t r = 0; r < all.d.size(); ++r) {
    const double expected = rounded_once(all, r, rules);
    if (same_number(expected, all.d[r])) continue;
    if (!found) out.first_wrong = r;
    found = true;
    if (!std::isfinite(expected) || !std::isfinite(all.d[r]) || (expected == 0) != (all.d[r] == 0)) {
      out.other_kind = true;
      continue;
    }
    const Real error = sum(real(all.d[r]), negated(exact(all, r, rules.flush_inputs)));
    const int exponent = expected == 0 ? smallest_exponent(all.format) : std::ilogb(expected);
    const double ulp = std::ldexp(1.0, quantum_exponent(all.format, exponent));
    out.ulps = std::max(out.ulps, std::fabs(to_double(error)) / ulp);
  }
  return out;
}

Text sentence_of(const Elements& all, const Tried& best, const Worst& worst) {
  const RoundingRules& rules = best.rules;
  const Text flushed = rules.flush_inputs && rules.flush_outputs ? Text{"become 0", "变为 0"}
                       : rules.flush_inputs                      ? Text{"become 0 as inputs", "作为输入变为 0"}
                       : rules.flush_outputs                     ? Text{"become 0 as results", "作为结果变为 0"}
                                                                 : Text{"are kept", "保留"};
  const Text beyond = overflow_words(rules.overflow);
  const Values values = {{"right", best.right},    {"rows", all.d.size()},   {"ulps", rounded_decimal(worst.ulps)},
                         {"flush_en", flushed.en}, {"flush_zh", flushed.zh}, {"beyond_en", beyond.en},
                         {"beyond_zh", beyond.zh}};
  if (best.right == all.d.size()) {
    return filled(
        "all {rows} results are rounded rightly; subnormal numbers {flush_en}, too large results are "
        "{beyond_en}",
        "全部 {rows} 个结果舍入正确；次正规数{flush_zh}，过大结果为{beyond_zh}", values);
  }
  Text out = filled("{right} of {rows} results are rounded rightly", "{rows} 个结果中 {right} 个舍入正确", values);
  const auto add = [&](std::string_view en, std::string_view zh) {
    const Text more = filled(en, zh, values);
    out = {out.en + more.en, out.in(Language::kChinese) + more.in(Language::kChinese)};
  };
  if (worst.ulps > 0) add(", the worst is {ulps} ulp off", "，最差偏差 {ulps} ulp");
  if (worst.other_kind) add(", some are of another kind (0, infinite, NaN)", "，有些结果类别不同（0、无穷、NaN）");
  add("; subnormal numbers {flush_en}, too large results are {beyond_en}",
      "；次正规数{flush_zh}，过大结果为{beyond_zh}");
  return out;
}

// "; the first other one: line 7, 3 / 7 is …, rounded once …".
Text first_other(const Elements& all, std::size_t row, const RoundingRules& rules) {
  const Values values = {{"line", all.lines[row]},
                         {"x", shown_decimal(all.x[row])},
                         {"y", shown_decimal(all.y[row])},
                         {"came", shown_decimal(all.d[row])},
                         {"expected", shown_decimal(rounded_once(all, row, rules))}};
  if (all.operation == Operation::kSqrt) {
    return filled("; the first other one, line {line}: of {x} came {came}, rounded once it is {expected}",
                  "；首个不同的在第 {line} 行：由 {x} 得 {came}，一次舍入应为 {expected}", values);
  }
  return filled("; the first other one, line {line}: of {x} and {y} came {came}, rounded once it is {expected}",
                "；首个不同的在第 {line} 行：由 {x} 和 {y} 得 {came}，一次舍入应为 {expected}", values);
}

}  // namespace

Result<UnitFinding> element_finding(const ProbeFile& file, const ProbeSection& section) {
  const Elements all = ASSAY_TRY(elements_of(file, section));
  const std::vector<Tried> tried = tried_rules(all);
  const Tried best =
      *std::max_element(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) { return a.right < b.right; });
  const Worst worst = worst_of(all, best.rules);
  UnitFinding out;
  out.sentence = sentence_of(all, best, worst);
  out.section.key = "elementwise";
  out.gathered = true;
  const std::string name(section.key("name"));
  out.in_table = best.right == all.d.size();
  if (!out.in_table) {
    const Text other = first_other(all, worst.first_wrong, best.rules);
    out.sentence = {out.sentence.en + other.en, out.sentence.in(Language::kChinese) + other.in(Language::kChinese)};
    const Values values = {{"name", name}, {"wrong", all.d.size() - best.right}};
    out.brief = filled("{name}: {wrong} results not rounded rightly", "{name}：{wrong} 个结果舍入不正确", values);
  }
  Table table;
  table.key = "elementwise";
  table.columns = {{"name", {"operation", "运算"}},
                   {"rows", {"results", "结果数"}, true},
                   {"right", {"rounded rightly", "舍入正确"}, true},
                   {"worst_ulps", {"worst error, ulp", "最大误差 ulp"}, true},
                   {"subnormal", {"subnormal", "次正规数"}},
                   {"overflow", {"too large", "过大结果"}}};
  const bool flush = best.rules.flush_inputs || best.rules.flush_outputs;
  const Text subnormal = flush ? Text{"become 0", "变为 0"} : Text{"kept", "保留"};
  const Text beyond = overflow_words(best.rules.overflow);
  table.rows.push_back({"elementwise",
                        {cell(name),
                         {Value(all.d.size()), {}},
                         {Value(best.right), {}},
                         worst.ulps > 0 ? cell(worst.ulps, rounded_decimal(worst.ulps)) : Cell{},
                         cell(flush ? "flushed" : "kept", subnormal),
                         cell(beyond.en, beyond)}});
  out.section.tables = {std::move(table)};
  return out;
}

}  // namespace assay
