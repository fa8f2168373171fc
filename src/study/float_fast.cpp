// A quotient or a root by a fast mode: the result, how far it lies from the correctly rounded one, how the
// approximation grew, and how the mode fares over all significands. The last is what one result cannot tell: a mode
// that is right for 1 / 3 may be wrong for every third divisor.

#include "study/float_fast.h"

#include <cmath>
#include <limits>
#include <optional>

#include "num/codes.h"
#include "num/format.h"
#include "num/real.h"
#include "num/round.h"
#include "study/float_value.h"
#include "study/float_words.h"

namespace assay {

namespace {

using Shown = TableColumn::Shown;

// The question with its numbers, and what came out.
struct Outcome {
  const FastMode& mode;
  const NumberFormat& format;
  std::vector<std::string> written;
  double a = 0;
  double b = 1;
  bool inexact = false;  // an operand is no number of the format
  double fast = 0;
  RightValue right;
  std::optional<std::int64_t> distance;  // fast − right, in numbers of the format

  bool root() const { return is_root(mode.operation); }
};

std::string expression(FastOperation operation, const std::string& a, const std::string& b) {
  switch (operation) {
    case FastOperation::kDivide: return a + " / " + b;
    case FastOperation::kReciprocal: return "1 / " + b;
    case FastOperation::kSquareRoot: return "√" + a;
    case FastOperation::kReciprocalRoot: return "1/√" + a;
  }
  return {};
}

Text what_it_is(FastOperation operation) {
  if (is_root(operation)) return {"root", "平方根"};
  return {"quotient", "商"};
}

Text answer_of(const Outcome& one) {
  const std::string a = shown_text(one.written.front());
  const std::string b = one.root() ? "" : shown_text(one.written.back());
  const Text noun = what_it_is(one.mode.operation);
  const std::int64_t distance = one.distance.value_or(0);
  const Values values = {{"what", expression(one.mode.operation, a, b)},
                         {"title", one.format.title},
                         {"mode", one.mode.name},
                         {"fast", shown_decimal(one.fast)},
                         {"right", shown_decimal(one.right.value)},
                         {"ulps", std::abs(distance)}};
  if (same_number(one.fast, one.right.value)) {
    return filled("{what} in {title} by {mode} is {fast}, the correctly rounded " + noun.en,
                  "{title} 中 {what} 用 {mode} 得 {fast}，即正确舍入的" + noun.zh, values);
  }
  if (!one.distance) {
    return filled("{what} in {title} by {mode} is {fast}; the correctly rounded " + noun.en + " is {right}",
                  "{title} 中 {what} 用 {mode} 得 {fast}；正确舍入的" + noun.zh + "是 {right}", values);
  }
  return distance > 0 ? filled("{what} in {title} by {mode} is {fast}: {ulps} ulp above the correctly rounded {right}",
                               "{title} 中 {what} 用 {mode} 得 {fast}：比正确舍入的 {right} 大 {ulps} ulp", values)
                      : filled("{what} in {title} by {mode} is {fast}: {ulps} ulp below the correctly rounded {right}",
                               "{title} 中 {what} 用 {mode} 得 {fast}：比正确舍入的 {right} 小 {ulps} ulp", values);
}

Cell number(double value) { return cell(value, shown_decimal(value)); }
Cell ulps(double value) { return std::isnan(value) ? Cell{} : cell(value, rounded_decimal(value) + " ulp"); }
Cell code(const NumberFormat& format, double value) {
  return format.bits > 0 ? cell(code_text(format, encode(format, value))) : Cell{};
}

Table result_table(const Outcome& one) {
  Table out;
  out.key = "result";
  out.columns = {{"dividend", {"dividend", "被除数"}},
                 {"divisor", {"divisor", "除数"}},
                 {"fast", {"fast mode", "快速模式"}},
                 {"fast_code", {"  bits", "  编码"}},
                 {"right", {"correctly rounded", "正确舍入"}},
                 {"right_code", {"  bits", "  编码"}},
                 {"distance", {"steps between them", "相隔步数"}},
                 {"fast_error_ulps", {"fast from exact", "快速模式误差"}},
                 {"right_error_ulps", {"rounded from exact", "正确舍入误差"}}};
  if (one.root()) out.columns[0].title = {"argument", "被开方数"};
  TableRow row;
  row.key = one.mode.name;
  row.cells = {number(one.a),
               one.root() ? Cell{} : number(one.b),
               number(one.fast),
               code(one.format, one.fast),
               number(one.right.value),
               code(one.format, one.right.value),
               one.distance ? cell(static_cast<double>(*one.distance), format(Value(*one.distance))) : Cell{},
               ulps(one.right.fast_error_ulps),
               ulps(one.right.right_error_ulps)};
  out.rows = {std::move(row)};
  return out;
}

// 1/b or 1/√a after k steps, and how many bits of it are good.
Table growth_table(const Outcome& one) {
  Table out;
  out.key = "steps";
  out.columns = {{"step", {"", ""}, false, Shown::kSeveral},
                 {"value", one.root() ? Text{"1/√a is about", "1/√a 约为"} : Text{"1/b is about", "1/b 约为"}},
                 {"good_bits", {"good bits", "正确位数"}, true}};
  const Real exact = quotient(real(1), one.root() ? square_root(real(one.a)) : real(one.b));
  FastMode partial = one.mode;
  partial.operation = one.root() ? FastOperation::kReciprocalRoot : FastOperation::kReciprocal;
  const int steps = steps_of(one.mode, one.format);
  for (int step = 0; step <= steps; ++step) {
    partial.steps = step;
    const double value = fast_value(partial, one.format, one.a, one.b);
    const double error = to_double(quotient(sum(real(value), negated(exact)), exact));
    TableRow row;
    row.key = std::to_string(step);
    const Values values = {{"n", std::int64_t{step}}};
    Cell name{Value(std::int64_t{step}),
              step == 0 ? Text{"seed", "初始近似"} : filled("step {n}", "第 {n} 步", values)};
    Cell bits;
    if (error == 0) bits = cell("exact", {"exact", "精确"});
    if (std::isfinite(error) && error != 0) {
      const double good = -std::log2(std::abs(error));
      bits = cell(good, rounded_decimal(std::round(good * 10) / 10));
    }
    row.cells = {std::move(name), number(value), std::move(bits)};
    out.rows.push_back(std::move(row));
  }
  return out;
}

void describe_seed(Text& text, const FastMode& mode) {
  const Values values = {{"bits", std::int64_t{mode.seed_bits}}};
  const bool root = is_root(mode.operation);
  if (mode.seed == SeedKind::kTable) {
    add_line(text, root ? filled("seed: a table of 2^{bits} intervals, the root's reciprocal of their middles",
                                 "初始近似：2^{bits} 个区间的表，取区间中点的平方根倒数", values)
                        : filled("seed: a table of 2^{bits} intervals, the reciprocal of their middles",
                                 "初始近似：2^{bits} 个区间的表，取区间中点的倒数", values));
    return;
  }
  add_line(text, root ? filled("seed: 1/√a, rounded to {bits} bits", "初始近似：1/√a，舍入到 {bits} 位", values)
                      : filled("seed: 1/b, rounded to {bits} bits", "初始近似：1/b，舍入到 {bits} 位", values));
}

void describe_steps(Text& text, const FastMode& mode, int steps) {
  const Values values = {{"count", std::int64_t{steps}},
                         {"fma", std::int64_t{mode.form == StepForm::kFused       ? 2
                                              : mode.form == StepForm::kFusedStep ? 1
                                                                                  : 0}}};
  if (steps > 0 && mode.form == StepForm::kSeparate) {
    add_line(text, filled("Newton steps: {count}, every product and difference rounded",
                          "牛顿迭代 {count} 步，每次乘法和减法都舍入", values));
  } else if (steps > 0) {
    add_line(text, filled("Newton steps: {count}; fused multiply-adds (FMA) in each: {fma}",
                          "牛顿迭代 {count} 步，每步 {fma} 次融合乘加（FMA）", values));
  }
}

// What the mode is, and how much of it is a model.
Section mode_section(const Outcome& one) {
  const FastMode& mode = one.mode;
  Section out;
  out.key = "mode";
  add_line(out.text, {mode.name + ": " + mode.title.en, mode.name + "：" + mode.title.zh});
  describe_seed(out.text, mode);
  describe_steps(out.text, mode, steps_of(mode, one.format));
  if (mode.correction) add_line(out.text, {"last: corrected by the residual of the result", "最后：用结果的残差校正"});
  if (mode.flush) {
    add_line(out.text, {"subnormal inputs and results become 0", "次正规的输入和结果都变为 0"});
  }
  if (!mode.documented.en.empty()) {
    add_line(out.text, {"documented: " + mode.documented.en + " (" + mode.source + ")",
                        "文档：" + mode.documented.zh + "（" + mode.source + "）"});
  }
  if (!mode.formats.empty() && !mode.seed_specified) {
    add_line(out.text, {"a model: the chip's own seed is not published, and its last bits may differ",
                        "这是模型：芯片自己的初始近似没有公开，末几位可能不同"});
  }
  return out;
}

Text survey_line(const Outcome& one, const FastSurvey& found) {
  const Values values = {
      {"tried", static_cast<std::int64_t>(found.tried)},
      {"share", rounded_decimal(100.0 * static_cast<double>(found.wrong()) / static_cast<double>(found.tried))},
      {"wrong", static_cast<std::int64_t>(found.wrong())},
      {"ulps", static_cast<std::int64_t>(found.largest_distance)},
      {"dividend", shown_decimal(found.worst_a)}};
  Text who = {"{tried} significands drawn at random", "随机抽取的 {tried} 个有效数"};
  if (found.over == FastSurvey::Over::kAllPairs) {
    who = {"all {tried} pairs of significands", "全部 {tried} 对有效数"};
  } else if (found.over == FastSurvey::Over::kAllDivisors) {
    who = one.root() ? Text{"all {tried} significands in [1, 4)", "[1, 4) 中全部 {tried} 个有效数"}
                     : Text{"all {tried} significands of the divisor, with the dividend's {dividend}",
                            "被除数有效数为 {dividend} 时全部 {tried} 个除数有效数"};
  }
  if (found.wrong() == 0) {
    return filled("Away from the ends of the range: for " + who.en + ", the result is correctly rounded.",
                  "远离范围两端时：" + who.zh + "的结果都正确舍入。", values);
  }
  return filled("Away from the ends of the range: of " + who.en +
                    ", {share} % ({wrong}) are not correctly rounded; the largest distance is {ulps} ulp.",
                "远离范围两端时：" + who.zh + "中，{share} %（{wrong} 个）没有正确舍入；最大相差 {ulps} ulp。", values);
}

Section survey_section(const Outcome& one) {
  const FastSurvey found = survey(one.mode, one.format, one.a);
  const int p = one.format.precision;
  Section out;
  out.key = "survey";
  add_line(out.text, survey_line(one, found));
  const Values values = {
      {"what", expression(one.mode.operation, shown_decimal(found.worst_a), shown_decimal(found.worst_b))},
      {"fast", shown_decimal(found.worst_fast)},
      {"error", rounded_decimal(found.worst_error_ulps)},
      {"bound", rounded_decimal(relative_error_bound(one.mode, p) * std::ldexp(1.0, p))}};
  add_line(out.text, filled("Worst: {what} gives {fast}, {error} ulp from the exact result.",
                            "最差：{what} 得 {fast}，与精确结果相差 {error} ulp。", values));
  add_line(out.text, filled("Theory: never more than {bound} ulp while nothing overflows or is flushed.",
                            "理论：不发生溢出和清零时，至多 {bound} ulp。", values));
  Table distances;
  distances.key = "distances";
  distances.columns = {{"distance", {"from correctly rounded", "与正确舍入相差"}},
                       {"count", {"results", "结果数"}, true},
                       {"percent", {"share", "比例"}, true}};
  for (std::size_t i = 0; i < found.by_distance.size(); ++i) {
    if (found.by_distance[i] == 0) continue;
    const double percent = 100.0 * static_cast<double>(found.by_distance[i]) / static_cast<double>(found.tried);
    const bool last = i + 1 == found.by_distance.size();
    const std::string n = std::to_string(i);
    TableRow row;
    row.key = n;
    row.cells = {
        {Value(static_cast<std::int64_t>(i)), last ? Text{n + " ulp or more", n + " ulp 及以上"} : both(n + " ulp")},
        {Value(static_cast<std::int64_t>(found.by_distance[i])), {}},
        cell(percent, rounded_decimal(percent) + " %")};
    distances.rows.push_back(std::move(row));
  }
  if (distances.rows.size() > 1) out.tables.push_back(std::move(distances));
  return out;
}

Result<double> operand(const std::string& written, const NumberFormat& format, bool& inexact) {
  const FloatInput input = ASSAY_TRY(float_input(written, format));
  const Rounded rounded = round_to(format, input.value);
  inexact = inexact || rounded.inexact;
  return input.code ? decode(format, *input.code) : rounded.value;
}

Result<Outcome> outcome(const FloatFast& question) {
  if (const auto why = misfit(question.mode, question.format)) return std::unexpected(*why);
  Outcome out{.mode = question.mode, .format = question.format, .written = question.operands};
  out.a = ASSAY_TRY(operand(question.operands.front(), question.format, out.inexact));
  if (!out.root()) out.b = ASSAY_TRY(operand(question.operands.back(), question.format, out.inexact));
  if (question.mode.operation == FastOperation::kReciprocal && out.a != 1) {
    return fail(ErrorCode::kUsage,
                "'" + question.mode.name + "' makes reciprocals: the dividend is 1, not " + question.operands.front());
  }
  out.fast = fast_value(out.mode, out.format, out.a, out.b);
  if (std::isnan(out.fast)) out.fast = std::numeric_limits<double>::quiet_NaN();  // its sign means nothing
  out.right = right_value(out.mode, out.format, out.a, out.b, out.fast);
  if (std::isfinite(out.fast) && std::isfinite(out.right.value)) {
    out.distance = ordinal(out.format, out.fast) - ordinal(out.format, out.right.value);
  }
  return out;
}

}  // namespace

Result<Report> float_fast(const FloatFast& question) {
  const Outcome one = ASSAY_TRY(outcome(question));
  Report out = study_report(one.root() ? "float sqrt" : "float divide", question.operands, answer_of(one));
  Section result;
  result.key = "result";
  if (one.inexact) {
    add_line(result.text, {"the operands are rounded to the format first", "操作数先舍入到该格式"});
  }
  result.tables.push_back(result_table(one));
  const bool ordinary = std::isfinite(one.a) && std::isfinite(one.b) && one.a != 0 && one.b != 0;
  if (ordinary && !(one.root() && one.a < 0)) result.tables.push_back(growth_table(one));
  out.sections = {std::move(result), mode_section(one), survey_section(one)};
  return out;
}

}  // namespace assay
