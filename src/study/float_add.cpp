// A sum in a format, one addition after the other (float_addition.cpp), each rounded once, and the words that say what
// became of the addends: swallowed, changed by their own rounding, flushed, lost to a tie or to the draw.

#include "study/float_add.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "num/codes.h"
#include "num/exact_sum.h"
#include "num/format.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr std::size_t kMostValues = 1000;

using Shown = TableColumn::Shown;

struct Sum {
  std::vector<FloatInFormat> addends;  // the first is what the sum begins with
  std::vector<FloatAddition> steps;
  ExactSum exact;  // of all addends as they are in the format
  double result() const { return steps.back().after.value; }
};

Sum sum_of(const FloatAdd& question, std::vector<FloatInFormat> addends) {
  if (question.order != AddendOrder::kGiven) {
    const double sign = question.order == AddendOrder::kIncreasing ? 1 : -1;
    std::vector<std::pair<double, std::size_t>> order;  // NaN, which has no size, as the largest
    for (const FloatInFormat& one : addends) {
      const double size = std::isnan(one.stored()) ? HUGE_VAL : std::fabs(one.stored());
      order.emplace_back(sign * size, order.size());
    }
    std::sort(order.begin(), order.end());
    std::vector<FloatInFormat> sorted;
    for (const auto& [size, index] : order) sorted.push_back(std::move(addends[index]));
    addends = std::move(sorted);
  }
  Sum out;
  out.addends = std::move(addends);
  double running = out.addends.front().stored();
  out.exact.add(running);
  for (std::size_t i = 1; i < out.addends.size(); ++i) {
    const FloatInFormat& addend = out.addends[i];
    out.exact.add(addend.stored());
    out.steps.push_back(float_addition(running, addend, question.rules, i));
    running = out.steps.back().after.value;
  }
  return out;
}

std::string told(double value) { return shown_decimal(value); }

std::string told(const ExactSum& sum, std::size_t most) {
  const Real value = sum.value();
  return value.kind == Real::Kind::kFinite ? sum.text(most) : told(to_double(value));
}

constexpr std::size_t kShownDigits = 30;

bool was_nan(const FloatInFormat& one) { return one.input.value.kind == Real::Kind::kNan && !std::isnan(one.stored()); }

bool was_flushed(const FloatInFormat& one) {
  const bool as_input = one.given.kind == Real::Kind::kZero && one.input.value.kind == Real::Kind::kFinite;
  return as_input || one.rounded.flushed;
}

bool flushes(const RoundingRules& rules) { return rules.flush_inputs || rules.flush_outputs; }

bool to_nearest(const RoundingRules& rules) {
  return rules.rounding == Rounding::kNearestEven || rules.rounding == Rounding::kNearestAway;
}

// --- two ---

// The spacing of the numbers of the value's binade, which goes on beyond the largest number.
double spacing_of_binade(const NumberFormat& format, int exponent) {
  return std::ldexp(1.0, quantum_exponent(format, std::clamp(exponent, smallest_exponent(format), format.emax)));
}

// The distance to the next number on that side; NaN where there is none.
double spacing_beside(const NumberFormat& format, double value, bool downwards) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(value)) return kNone;
  if (value == 0) return smallest_positive(format);
  if (std::signbit(value) == downwards) return spacing_of_binade(format, std::ilogb(value));
  const auto next = downwards ? next_down(format, value) : next_up(format, value);
  return next ? std::fabs(*next - value) : kNone;
}

// Of two addends the one that is at risk, and the other one.
struct Pair {
  const FloatInFormat& greater;
  const FloatInFormat& smaller;
  bool downwards() const { return std::signbit(smaller.stored()); }
  // As it was written, unless the sum begins with something quite different.
  std::string greater_name() const {
    const bool changed = greater.rounded.overflowed || !greater.input.value.finite();
    return changed ? told(greater.stored()) : shown_text(greater.input.text);
  }
};

Pair pair_of(const Sum& sum) {
  const bool second = std::fabs(sum.addends[1].stored()) > std::fabs(sum.addends[0].stored());
  return {sum.addends[second ? 1 : 0], sum.addends[second ? 0 : 1]};
}

// What is to be said of a sum of two.
struct Words {
  Values values;
  void add(std::string name, Value value) { values.emplace_back(std::move(name), std::move(value)); }
  void add(const std::string& name, const Text& text) {
    add(name + "_en", Value(text.en));
    add(name + "_zh", Value(text.in(Language::kChinese)));
  }
  Text part(std::string_view en, std::string_view zh) const { return filled(en, zh, values); }
  // After "1 + 2 in FP16 is 3".
  Text say(std::string_view en, std::string_view zh) const {
    const Text begin = part("{a} + {b} in {format} is {sum}", "在 {format} 中 {a} + {b} 是 {sum}");
    const Text end = part(en, zh);
    return {begin.en + end.en, begin.zh + end.zh};
  }
};

// How much of the smaller addend the error is. A directed rounding can add a multiple that no percentage makes clear.
Text share_of(const Words& words, double part) {
  constexpr double kMostPercent = 10'000;
  if (!(100 * part < kMostPercent)) return words.part("far more than {less}", "远大于 {less}");
  return words.part("{percent} % of {less}", "即 {less} 的 {percent} %");
}

Words words_of(const NumberFormat& format, const Sum& sum, const FloatAddition& step) {
  const Pair pair = pair_of(sum);
  const double spacing = spacing_beside(format, pair.greater.stored(), pair.downwards());
  const double part = std::fabs(step.error / pair.smaller.stored());
  Words out;
  out.add("a", shown_text(sum.addends[0].input.text));
  out.add("b", shown_text(sum.addends[1].input.text));
  out.add("format", format.title);
  out.add("sum", told(step.after.value));
  out.add("less", shown_text(pair.smaller.input.text));
  out.add("greater", pair.greater_name());
  out.add("spacing", rounded_decimal(spacing));
  out.add("half", rounded_decimal(spacing / 2));
  out.add("largest", told(largest(format)));
  out.add("normal", rounded_decimal(smallest_normal(format)));
  out.add("percent", rounded_decimal(100 * part));
  out.add("error", rounded_decimal(std::fabs(step.error)));
  out.add("side", pair.downwards() ? Text{"below", "下方"} : Text{"above", "上方"});
  out.add("share", share_of(out, part));
  return out;
}

// The number that a stochastic rounding did not take, and how likely that was.
struct OtherChoice {
  double value = 0;
  double probability = 0;
};

OtherChoice other_choice(const FloatAdd& question, const Real& exact, double result) {
  const NumberFormat& format = question.format;
  RoundingRules rules = question.rules;
  rules.rounding = exact.negative ? Rounding::kDown : Rounding::kUp;
  const double outer = round_to(format, exact, rules).value;
  const double inner = round_to(format, exact, {.rounding = Rounding::kTowardZero}).value;
  const Real rest = sum(exact, negated(real(inner)));
  // As many bits of the rest as the random number has; the others never decide.
  const double steps = std::ldexp(1.0, rules.random_bits);
  const Real part = quotient(rest, real(spacing_of_binade(format, exact.magnitude())));
  const Real scaled = product(part, real(steps));
  const double whole = round_to(number_formats().front(), scaled, {.rounding = Rounding::kTowardZero}).value;
  const double away = std::floor(std::fabs(whole)) / steps;
  const bool went_away = result != inner;
  return {went_away ? inner : outer, went_away ? 1 - away : away};
}

// What the rounding adds to an inexact sum's story.
Text rounding_words(const FloatAdd& question, const Sum& sum, Words words) {
  if (question.rules.rounding == Rounding::kToOdd) {
    return words.part("; the last bit of {sum} is 1, the mark of an inexact sum", "；{sum} 的末位为 1，标记和不精确");
  }
  if (question.rules.rounding != Rounding::kStochastic) return {};
  const OtherChoice other = other_choice(question, sum.exact.value(), sum.result());
  const double p = other.probability;
  words.add("other", told(other.value));
  words.add("p", p > 0.999 ? "1 − " + rounded_decimal(1 - p) : rounded_decimal(p));
  words.add("bits", std::to_string(question.rules.random_bits));
  if (p == 0) {
    return words.part("; never {other}: the rest is finer than {bits} random bits",
                      "；不会是 {other}：余量比 {bits} 个随机位更细");
  }
  return words.part("; with probability {p} it would have been {other}, the random number decided",
                    "；它本会以概率 {p} 成为 {other}，由随机数决定");
}

// Why nothing is left of the smaller addend.
Text reason_of_loss(const FloatAdd& question, const Pair& pair, Words words) {
  const double spacing = spacing_beside(question.format, pair.greater.stored(), pair.downwards());
  const bool tie = std::fabs(pair.smaller.stored()) == spacing / 2;
  switch (question.rules.rounding) {
    case Rounding::kNearestEven:
      if (!tie) break;
      return words.part(", exactly half the spacing at {greater}: a tie, which goes to the even neighbour {sum}",
                        "，它恰为 {greater} 处间距的一半：正好居中，舍入到偶邻数 {sum}");
    case Rounding::kNearestAway:
      if (!tie) break;
      return words.part(", exactly half the spacing {side_en} {greater}: a tie, which goes away from zero, to {sum}",
                        "，它恰为 {greater} {side_zh}间距的一半：正好居中，远离零舍入到 {sum}");
    case Rounding::kTowardZero: words.add("way", Text{"toward zero", "向零"}); break;
    case Rounding::kUp: words.add("way", Text{"up", "向上"}); break;
    case Rounding::kDown: words.add("way", Text{"down", "向下"}); break;
    case Rounding::kToOdd:
    case Rounding::kStochastic: return {};
  }
  if (to_nearest(question.rules)) {
    return words.part(", half the spacing at {greater} is {half}", "，{greater} 处间距的一半是 {half}");
  }
  return words.part(", rounding {way_en} needs the whole spacing {side_en} {greater}, {spacing}",
                    "，{way_zh}舍入需要 {greater} {side_zh}的整个间距 {spacing}");
}

Text joined(std::initializer_list<Text> parts) {
  Text out;
  for (const Text& part : parts) {
    out.en += part.en;
    out.zh += part.in(Language::kChinese);
  }
  return out;
}

Text inexact_sum(const FloatAdd& question, const Sum& sum, const FloatAddition& step, const Words& words) {
  const Text more = rounding_words(question, sum, words);
  if (step.swallowed()) {
    return joined({words.say(": all of {less} is lost", "：{less} 全部丢失"),
                   reason_of_loss(question, pair_of(sum), words), more});
  }
  const bool grew = (step.error > 0) != step.exact.negative;
  return joined({grew ? words.say(": rounding adds {error}, {share_en}", "：舍入多出 {error}，{share_zh}")
                      : words.say(": {error} is lost, {share_en}", "：丢失 {error}，{share_zh}"),
                 more});
}

// Addends that were nothing any more when the sum began.
Text flushed_before(const Sum& sum, Words words) {
  const bool first = was_flushed(sum.addends[0]);
  if (first && was_flushed(sum.addends[1])) {
    return words.say(": both are below the smallest normal number {normal}, flushed before the sum: all is lost",
                     "：两者都小于最小正规数 {normal}，求和前被冲刷为零，全部丢失");
  }
  words.add("gone", shown_text(sum.addends[first ? 0 : 1].input.text));
  return words.say(": {gone} is below the smallest normal number {normal}, flushed before the sum: all of it is lost",
                   "：{gone} 小于最小正规数 {normal}，求和前被冲刷为零，全部丢失");
}

Text answer_of_two(const FloatAdd& question, const Sum& sum, const FloatAddition& step) {
  Words words = words_of(question.format, sum, step);
  for (const FloatInFormat& one : sum.addends) {
    if (!was_nan(one) || question.rules.overflow != Overflow::kAscend) continue;
    words.add("nan", shown_text(one.input.text));
    words.add("became", told(one.stored()));
    return words.say(": {nan} became {became} in the Ascend mode", "：{nan} 在昇腾模式下变为 {became}");
  }
  if (step.after.overflowed) {
    return words.say(": overflow, the largest number is {largest}", "：溢出，最大的数是 {largest}");
  }
  if (std::isnan(step.error)) return words.say("", "");
  if (was_flushed(sum.addends[0]) || was_flushed(sum.addends[1])) return flushed_before(sum, words);
  if (step.after.flushed) return words.say(": a subnormal sum, flushed", "：和为次正规数，被冲刷");
  if (!step.after.inexact) return words.say(": nothing is lost in the sum", "：求和没有损失");
  return inexact_sum(question, sum, step, words);
}

// How the inputs were changed before anything was added.
void add_changes(Text& text, const Sum& sum, const RoundingRules& rules) {
  for (const FloatInFormat& one : sum.addends) {
    if (was_nan(one) && rules.overflow == Overflow::kAscend) {
      const Values values = {{"x", shown_text(one.input.text)}, {"stored", told(one.stored())}};
      add_line(text, filled("{x} becomes {stored} in the Ascend mode", "{x} 在昇腾模式下变为 {stored}", values));
    } else if (was_nan(one) || one.rounded.inexact) {
      add_line(text, answer_of(one));
    }
  }
}

Cell error_cell(double error) { return std::isnan(error) ? Cell{} : cell(error, rounded_decimal(error)); }

// As a double, for scripts, where it is none beyond FP64.
Cell exact_cell(const ExactSum& exact) {
  const double nearest = to_double(exact.value());
  Cell out = cell(nearest, told(exact, kShownDigits));
  if (std::isinf(nearest) && exact.finite()) out.value.reset();
  return out;
}

// Half of the smallest FP64 number is no double.
Cell distance_cell(double distance) {
  if (std::isnan(distance) || distance == 0) return {};
  return cell(distance, in_powers_of_two(distance) + " = " + rounded_decimal(distance));
}

Cell survivor_cell(const FloatAdd& question, double value, bool downwards) {
  if (!std::isfinite(value) || question.rules.rounding == Rounding::kStochastic) return {};
  const auto least = smallest_that_survives(question.format, value, downwards, question.rules);
  return least ? cell(*least, told(*least)) : Cell{std::nullopt, {"none", "无"}};
}

// Rounding to nearest asks for half the spacing, other roundings for all of it.
std::vector<TableColumn> columns_of_two(const FloatAdd& question, const Pair& pair) {
  constexpr std::size_t kLongestName = 14;  // with all digits beside it within a line
  std::string name = pair.greater_name();
  if (name.size() > kLongestName) name = name.substr(0, kLongestName - 1) + "…";
  const Values names = {
      {"value", name}, {"side", pair.downwards() ? "below" : "above"}, {"side_zh", pair.downwards() ? "下方" : "上方"}};
  const bool nearest = to_nearest(question.rules);
  return {{"exact", {"exact sum", "精确和"}},
          {"exact_digits", {"all digits", "全部数位"}, false, Shown::kNever},
          {"sum", {"rounded", "舍入为"}},
          {"code", {"bits", "编码"}},
          {"error", {"error of the sum", "和的误差"}},
          {"half_spacing", filled("half the spacing {side} {value}", "{value} {side_zh}间距的一半", names), false,
           nearest ? Shown::kAlways : Shown::kNever},
          {"spacing", filled("spacing {side} {value}", "{value} {side_zh}的间距", names), false,
           nearest ? Shown::kNever : Shown::kAlways},
          {"survives", {"smallest addend that survives", "不被吞掉的最小加数"}}};
}

Section two_section(const FloatAdd& question, const Sum& sum, const FloatAddition& step) {
  const NumberFormat& format = question.format;
  const Pair pair = pair_of(sum);
  const double value = pair.greater.stored();
  // Where zeros are made of subnormal numbers their spacing around zero means nothing.
  const bool means_nothing = value == 0 && flushes(question.rules);
  const double spacing =
      means_nothing ? std::numeric_limits<double>::quiet_NaN() : spacing_beside(format, value, pair.downwards());
  Section out;
  out.key = "sum";
  add_changes(out.text, sum, question.rules);
  Table table;
  table.key = "sum";
  table.columns = columns_of_two(question, pair);
  const double result = step.after.value;
  table.rows.push_back(
      {"sum",
       {exact_cell(sum.exact), cell(told(sum.exact, std::string::npos)), cell(result, told(result)),
        format.bits > 0 ? cell(code_text(format, encode(format, result))) : Cell{}, error_cell(step.error),
        distance_cell(spacing / 2), distance_cell(spacing), survivor_cell(question, value, pair.downwards())}});
  out.tables = {std::move(table)};
  return out;
}

// --- many ---

Text answer_of_many(const NumberFormat& format, const Sum& sum) {
  const auto swallowed = static_cast<std::int64_t>(
      std::count_if(sum.steps.begin(), sum.steps.end(), [](const FloatAddition& one) { return one.swallowed(); }));
  const auto flushed = static_cast<std::int64_t>(std::count_if(sum.addends.begin(), sum.addends.end(), was_flushed));
  const Real exact = sum.exact.value();
  ExactSum difference = sum.exact;
  difference.add(-sum.result());
  const Real error = difference.value();
  // In this order: a hundred times a large error, or a small one's part of the sum, may be beyond FP64.
  const double percent = std::fabs(to_double(quotient(product(error, real(100.0)), exact)));
  const Values values = {{"count", sum.addends.size()},
                         {"format", format.title},
                         {"sum", told(sum.result())},
                         {"exact", told(sum.exact, kShownDigits)},
                         {"percent", rounded_decimal(percent)},
                         {"swallowed", swallowed},
                         {"flushed", flushed},
                         {"steps", static_cast<std::int64_t>(sum.steps.size())}};
  Text out = filled("the sum of {count} values in {format} is {sum}", "{count} 个值在 {format} 中的和是 {sum}", values);
  if (error.kind == Real::Kind::kZero) {
    out = filled("the sum of {count} values in {format} is {sum}, exactly", "{count} 个值在 {format} 中的和恰为 {sum}",
                 values);
  } else if (!error.finite() || exact.kind == Real::Kind::kZero) {
    out = joined({out, filled("; exactly it is {exact}", "；精确和为 {exact}", values)});
  } else {
    out = joined({out, filled(", {percent} % off the exact {exact}", "，与精确和 {exact} 相差 {percent} %", values)});
  }
  if (swallowed != 0 && error.finite()) {
    out = joined(
        {out, filled("; {swallowed} of the addends changed nothing", "；{swallowed} 个加数没有改变结果", values)});
  }
  if (flushed == 0) return out;
  return joined({out, filled("; flushed to 0 before the sum: {flushed} of the values",
                             "；求和前被冲刷为零的值：{flushed} 个", values)});
}

Section steps_section(const Sum& sum, const RoundingRules& rules) {
  Section out;
  out.key = "steps";
  add_changes(out.text, sum, rules);
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
  std::vector<std::string> arguments = question.values;
  arguments.insert(arguments.end(), {"--as", question.format.name});
  add_rules(arguments, question.rules);
  Report out =
      study_report("float add", std::move(arguments),
                   two ? answer_of_two(question, sum, sum.steps.front()) : answer_of_many(question.format, sum));
  out.sections = {two ? two_section(question, sum, sum.steps.front()) : steps_section(sum, question.rules)};
  return out;
}

}  // namespace assay
