// A sum in a format, one addition after the other, each rounded once.
//
// An addend that is smaller than half the spacing of the numbers around the sum changes nothing: it is swallowed. At
// half the spacing the tie decides, so it depends on the last bit of the sum whether such an addend survives. The
// smallest that does is found by asking the rounding itself: whether value + y still rounds to the value is monotone in
// y for every rounding that is not random, so a binary search over the format's positive numbers, in their order, finds
// the first for which it does not, in at most 63 roundings, for any format, rounding and neighbourhood.

#include "study/float_add.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr std::size_t kMostValues = 1000;

using Shown = TableColumn::Shown;

struct Sum {
  std::vector<FloatInFormat> addends;  // the first is what the sum begins with
  std::vector<FloatAddition> steps;
  Real exact;  // of all addends as they are in the format
  double result() const { return steps.back().after.value; }
};

Sum sum_of(const FloatAdd& question, std::vector<FloatInFormat> addends) {
  const auto magnitude = [](const FloatInFormat& one) { return std::fabs(one.stored()); };
  if (question.order != SumOrder::kGiven) {
    const bool increasing = question.order == SumOrder::kIncreasing;
    std::stable_sort(addends.begin(), addends.end(), [&](const FloatInFormat& a, const FloatInFormat& b) {
      return increasing ? magnitude(a) < magnitude(b) : magnitude(a) > magnitude(b);
    });
  }
  Sum out;
  out.addends = std::move(addends);
  double running = out.addends.front().stored();
  out.exact = real(running);
  for (std::size_t i = 1; i < out.addends.size(); ++i) {
    const FloatInFormat& addend = out.addends[i];
    out.exact = sum(out.exact, real(addend.stored()));
    out.steps.push_back(float_addition(running, addend, question.rules, i));
    running = out.steps.back().after.value;
  }
  return out;
}

std::string told(double value) { return shown_decimal(value); }

// --- two ---

// Half the distance to the next number on the side that the smaller addend pulls to; NaN at the end of all numbers.
double half_spacing(const NumberFormat& format, double value, bool downwards) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(value)) return kNone;
  const auto next = downwards ? next_down(format, value) : next_up(format, value);
  return next && std::isfinite(*next) ? std::fabs(*next - value) / 2 : kNone;
}

// Of two addends the one that is at risk, and the other one.
struct Pair {
  const FloatInFormat& greater;
  const FloatInFormat& smaller;
  bool downwards() const { return std::signbit(smaller.stored()); }
};

Pair pair_of(const Sum& sum) {
  const bool second = std::fabs(sum.addends[1].stored()) > std::fabs(sum.addends[0].stored());
  return {sum.addends[second ? 1 : 0], sum.addends[second ? 0 : 1]};
}

Text answer_of_two(const NumberFormat& format, const Sum& sum, const FloatAddition& step) {
  const Pair pair = pair_of(sum);
  const double half = half_spacing(format, pair.greater.stored(), pair.downwards());
  const Values values = {{"a", shown_text(sum.addends[0].input.text)},
                         {"b", shown_text(sum.addends[1].input.text)},
                         {"format", format.title},
                         {"sum", told(step.after.value)},
                         {"less", shown_text(pair.smaller.input.text)},
                         {"greater", shown_text(pair.greater.input.text)},
                         {"half", rounded_decimal(half)},
                         {"largest", told(largest(format))},
                         {"percent", rounded_decimal(100 * std::fabs(step.error / pair.smaller.stored()))},
                         {"error", rounded_decimal(std::fabs(step.error))}};
  const auto say = [&](std::string_view en, std::string_view zh) { return filled(en, zh, values); };
  if (step.after.overflowed) {
    return say("{a} + {b} in {format} is {sum}: overflow, the largest number is {largest}",
               "在 {format} 中 {a} + {b} 是 {sum}：溢出，最大的数是 {largest}");
  }
  if (step.after.flushed) {
    return say("{a} + {b} in {format} is {sum}: a subnormal sum, flushed",
               "在 {format} 中 {a} + {b} 是 {sum}：和为次正规数，被冲刷");
  }
  if (std::isnan(step.error)) return say("{a} + {b} in {format} is {sum}", "在 {format} 中 {a} + {b} 是 {sum}");
  if (!step.after.inexact) {
    return say("{a} + {b} in {format} is {sum}: nothing is lost in the sum",
               "在 {format} 中 {a} + {b} 是 {sum}：求和没有损失");
  }
  if (step.swallowed()) {
    return say("{a} + {b} in {format} is {sum}: all of {less} is lost, half the spacing at {greater} is {half}",
               "在 {format} 中 {a} + {b} 是 {sum}：{less} 全部丢失，{greater} 处间距的一半是 {half}");
  }
  const bool grew = (step.error > 0) != step.exact.negative;
  return grew ? say("{a} + {b} in {format} is {sum}: rounding adds {error}, {percent} % of {less}",
                    "在 {format} 中 {a} + {b} 是 {sum}：舍入多出 {error}，即 {less} 的 {percent} %")
              : say("{a} + {b} in {format} is {sum}: {error} is lost, {percent} % of {less}",
                    "在 {format} 中 {a} + {b} 是 {sum}：丢失 {error}，即 {less} 的 {percent} %");
}

// How the inputs were changed before anything was added.
void add_changes(Text& text, const Sum& sum) {
  for (const FloatInFormat& one : sum.addends) {
    if (one.rounded.inexact) add_line(text, answer_of(one));
  }
}

Cell error_cell(double error) { return std::isnan(error) ? Cell{} : cell(error, rounded_decimal(error)); }

Section two_section(const FloatAdd& question, const Sum& sum, const FloatAddition& step) {
  const NumberFormat& format = question.format;
  const Pair pair = pair_of(sum);
  const double value = pair.greater.stored();
  Cell half;
  Cell survives;
  if (std::isfinite(value)) {
    const double distance = half_spacing(format, value, pair.downwards());
    if (!std::isnan(distance)) half = cell(distance, in_powers_of_two(distance) + " = " + rounded_decimal(distance));
    const auto least = smallest_that_survives(format, value, pair.downwards(), question.rules);
    if (least) survives = cell(*least, told(*least));
  }
  const Values names = {{"value", shown_text(pair.greater.input.text)},
                        {"side", pair.downwards() ? "below" : "above"},
                        {"side_zh", pair.downwards() ? "下方" : "上方"}};
  const double exact = to_double(step.exact);
  const bool whole = !step.exact.finite() || compare(step.exact, real(exact)) == 0;
  Section out;
  out.key = "sum";
  add_changes(out.text, sum);
  Table table;
  table.key = "sum";
  table.columns = {{"exact", {"exact sum", "精确和"}},
                   {"sum", {"rounded", "舍入为"}},
                   {"code", {"bits", "编码"}},
                   {"error", {"error of the sum", "和的误差"}},
                   {"half_spacing", filled("half the spacing {side} {value}", "{value} {side_zh}间距的一半", names)},
                   {"survives", {"smallest addend that survives", "不被吞掉的最小加数"}}};
  const double result = step.after.value;
  table.rows.push_back({"sum",
                        {cell(exact, (whole ? "" : "≈ ") + told(exact)), cell(result, told(result)),
                         format.bits > 0 ? cell(code_text(format, encode(format, result))) : Cell{},
                         error_cell(step.error), half, survives}});
  out.tables = {std::move(table)};
  return out;
}

// --- many ---

Text answer_of_many(const NumberFormat& format, const Sum& sum) {
  const auto swallowed = static_cast<std::int64_t>(
      std::count_if(sum.steps.begin(), sum.steps.end(), [](const FloatAddition& one) { return one.swallowed(); }));
  const double exact = to_double(sum.exact);
  const double error = to_double(assay::sum(real(sum.result()), negated(sum.exact)));
  const Values values = {{"count", sum.addends.size()},
                         {"format", format.title},
                         {"sum", told(sum.result())},
                         {"exact", told(exact)},
                         {"percent", rounded_decimal(std::fabs(100 * error / exact))},
                         {"swallowed", swallowed},
                         {"steps", static_cast<std::int64_t>(sum.steps.size())}};
  if (!std::isfinite(sum.result()) || exact == 0) {
    return filled("the sum of {count} values in {format} is {sum}; exactly it is {exact}",
                  "{count} 个值在 {format} 中的和是 {sum}；精确和为 {exact}", values);
  }
  Text out = error == 0 ? filled("the sum of {count} values in {format} is {sum}, exactly",
                                 "{count} 个值在 {format} 中的和恰为 {sum}", values)
                        : filled("the sum of {count} values in {format} is {sum}, {percent} % off the exact {exact}",
                                 "{count} 个值在 {format} 中的和是 {sum}，与精确和 {exact} 相差 {percent} %", values);
  if (swallowed == 0) return out;
  const Text more = filled("; {swallowed} of the addends changed nothing", "；{swallowed} 个加数没有改变结果", values);
  return {out.en + more.en, out.zh + more.zh};
}

Section steps_section(const Sum& sum) {
  Section out;
  out.key = "steps";
  add_changes(out.text, sum);
  Table table;
  table.key = "steps";
  table.columns = {{"step", {"addition", "加法"}, true},
                   {"addend", {"addend", "加数"}},
                   {"stored", {"as stored", "存储为"}, false, Shown::kNever},
                   {"sum", {"sum", "和"}},
                   {"error", {"error", "误差"}},
                   {"swallowed", {"", ""}}};
  table.rows.push_back({"0",
                        {{Value(0), {}},
                         cell(sum.addends[0].input.text, both(shown_text(sum.addends[0].input.text))),
                         cell(sum.addends[0].stored()),
                         cell(sum.addends[0].stored(), brief_decimal(sum.addends[0].stored())),
                         Cell{},
                         Cell{}}});
  for (std::size_t i = 0; i < sum.steps.size(); ++i) {
    const FloatAddition& step = sum.steps[i];
    table.rows.push_back({std::to_string(i + 1),
                          {{Value(i + 1), {}},
                           cell(step.addend.input.text, both(shown_text(step.addend.input.text))),
                           cell(step.addend.stored()),
                           cell(step.after.value, brief_decimal(step.after.value)),
                           error_cell(step.error),
                           step.swallowed() ? cell("swallowed", {"swallowed", "被吞掉"}) : Cell{}}});
  }
  out.tables = {std::move(table)};
  return out;
}

}  // namespace

bool FloatAddition::swallowed() const {
  if (!std::isfinite(before) || !std::isfinite(addend.stored()) || before == 0 || addend.stored() == 0) return false;
  return after.value == before || after.value == addend.stored();
}

FloatAddition float_addition(double before, const FloatInFormat& addend, const RoundingRules& rules,
                             std::uint64_t index) {
  FloatAddition out;
  out.before = before;
  out.addend = addend;
  out.exact = sum(real(before), real(addend.stored()));
  out.after = round_to(addend.format, out.exact, rules, index);
  const bool finite = out.exact.finite() && std::isfinite(out.after.value);
  out.error =
      finite ? to_double(sum(real(out.after.value), negated(out.exact))) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

std::optional<double> smallest_that_survives(const NumberFormat& format, double value, bool downwards,
                                             const RoundingRules& rules) {
  if (rules.rounding == Rounding::kStochastic) return std::nullopt;
  const auto survives = [&](std::int64_t place) {
    const double y = *at_ordinal(format, place);
    return round_to(format, sum(real(value), real(downwards ? -y : y)), rules).value != value;
  };
  std::int64_t low = 1;
  std::int64_t high = ordinal(format, largest(format));
  if (!survives(high)) return std::nullopt;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (survives(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return at_ordinal(format, low);
}

Result<Report> float_add(const FloatAdd& question) {
  if (question.values.size() > kMostValues) {
    return fail(ErrorCode::kLimit, "more than " + std::to_string(kMostValues) + " values at once");
  }
  std::vector<FloatInFormat> addends;
  for (const std::string& written : question.values) {
    const FloatInput input = ASSAY_TRY(float_input(written, question.format));
    addends.push_back(float_in_format(input, question.format, question.rules));
  }
  const Sum sum = sum_of(question, std::move(addends));
  const bool two = sum.steps.size() == 1;
  Report out =
      study_report("float add", question.values,
                   two ? answer_of_two(question.format, sum, sum.steps.front()) : answer_of_many(question.format, sum));
  out.sections = {two ? two_section(question, sum, sum.steps.front()) : steps_section(sum)};
  return out;
}

}  // namespace assay
