// What a value becomes: the table of one or many values in one or many formats, and, of one value in one format, its
// pattern, its formula and what other ways of rounding would have made of it.

#include "study/float_show.h"

#include <algorithm>
#include <cmath>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_formula.h"
#include "study/float_words.h"

namespace assay {

namespace {

using Shown = TableColumn::Shown;

constexpr std::size_t kMostRows = 10'000;

std::string class_name(const FloatInFormat& one) {
  switch (class_of(one.format, one.stored())) {
    case NumberClass::kZero: return "zero";
    case NumberClass::kSubnormal: return "subnormal";
    case NumberClass::kNormal: return "normal";
    case NumberClass::kInfinity: return "infinity";
    case NumberClass::kNan: return "nan";
  }
  return {};
}

std::string with_sign(std::string text) { return text.starts_with('-') ? text : "+" + std::move(text); }

// An error that FP64 cannot hold (of 1e-1000) is not told.
Cell measure(double value, bool none) {
  if (!std::isfinite(value) || (value == 0 && !none)) return {};
  return cell(value, value == 0 ? "0" : with_sign(rounded_decimal(value)));
}

Cell neighbour(const std::optional<double>& value) {
  return value ? cell(*value, shown_decimal(*value)) : Cell{std::nullopt, {"none", "无"}};
}

std::vector<TableColumn> value_columns() {
  return {{"value", {"value", "值"}, false, Shown::kSeveral},
          {"format", {"format", "格式"}, false, Shown::kSeveral},
          {"stored", {"stored", "存储为"}},
          {"exact", {"all digits", "全部数位"}, false, Shown::kNever},
          {"hexadecimal", {"in hexadecimal", "十六进制"}, false, Shown::kSingle},
          {"code", {"bits", "编码"}, false, Shown::kSeveral},
          {"binary", {"in binary", "二进制"}, false, Shown::kNever},
          {"class", {"class", "类别"}, false, Shown::kNever},
          {"above", {"next above", "上邻数"}, false, Shown::kSingle},
          {"below", {"next below", "下邻数"}, false, Shown::kSingle},
          {"spacing", {"spacing, 1 ulp", "间距（1 ulp）"}, false, Shown::kSingle},
          {"error", {"error", "误差"}, false, Shown::kSingle},
          {"error_percent", {"error in %", "误差（%）"}, true},
          {"error_ulps", {"error in ulps", "误差（ulp）"}, true},
          {"away_probability", {"stochastic rounding", "随机舍入"}, false, Shown::kSingle}};
}

// What stochastic rounding would do, and how often.
Cell stochastic_cell(const FloatInFormat& one) {
  const double p = one.away_probability;
  if (std::isnan(p) || !one.rounded.inexact || one.rounded.flushed || one.rounded.overflowed) return {};
  const Rounded inner = round_to(one.format, one.given, {.rounding = Rounding::kTowardZero});
  const Rounded outer =
      round_to(one.format, one.given, {.rounding = one.given.negative ? Rounding::kDown : Rounding::kUp});
  if (outer.overflowed || outer.value == inner.value) return {};
  const Values values = {{"outer", shown_decimal(outer.value)},
                         {"inner", shown_decimal(inner.value)},
                         {"p", rounded_decimal(p)},
                         {"q", rounded_decimal(1 - p)}};
  if (p == 0) {
    return {Value(p),
            filled("always {inner}: the rest is finer than the random bits", "总是 {inner}：余量比随机位更细", values)};
  }
  return {Value(p),
          filled("{outer} with probability {p}, {inner} with {q}", "以概率 {p} 取 {outer}，以 {q} 取 {inner}", values)};
}

TableRow value_row(const FloatInFormat& one, bool alone) {
  const bool finite = std::isfinite(one.stored());
  TableRow row;
  row.key = one.input.text + " " + one.format.name;
  row.cells = {cell(one.input.text, both(shown_text(one.input.text))),
               cell(one.format.name, both(one.format.title)),
               cell(one.stored(), alone ? shown_decimal(one.stored()) : brief_decimal(one.stored())),
               cell(exact_decimal(one.stored())),
               finite ? cell(hexadecimal_float(one.stored())) : Cell{},
               one.code ? cell(code_text(one.format, *one.code)) : Cell{},
               one.code ? cell(binary_text(pattern_of(one.format, *one.code))) : Cell{},
               cell(class_name(one)),
               std::isnan(one.stored()) ? Cell{} : neighbour(one.above),
               std::isnan(one.stored()) ? Cell{} : neighbour(one.below),
               std::isnan(one.spacing)
                   ? Cell{}
                   : cell(one.spacing, in_powers_of_two(one.spacing) + " = " + rounded_decimal(one.spacing)),
               measure(one.error, !one.rounded.inexact),
               measure(one.error_percent, !one.rounded.inexact),
               measure(one.error_ulps, !one.rounded.inexact),
               stochastic_cell(one)};
  return row;
}

// What hardware would have stored, where it treats ties in another way.
void add_tie(Text& text, const FloatInFormat& one) {
  if (!one.format.ties_away || one.input.code || !one.rounded.inexact) return;
  const double even = round_to(one.format, one.given).value;
  const double away = round_to(one.format, one.given, {.rounding = Rounding::kNearestAway}).value;
  if (one.stored() != even || even == away) return;
  add_line(text, filled("a tie: conversions in hardware round it away from zero in {format}, to {away} (--rounding "
                        "nearest-away)",
                        "正好居中：硬件转换到 {format} 时远离零舍入，得 {away}（--rounding nearest-away）",
                        {{"format", one.format.title}, {"away", shown_decimal(away)}}));
}

// What the reader should know before the numbers: fewer bits, a value that no pattern writes.
void add_remarks(Text& text, const FloatInFormat& one) {
  if (std::isnan(one.stored()) && one.input.code) {
    const std::uint64_t quiet = encode(one.format, round_to(one.format, one.given).value);
    if (quiet != *one.input.code) {
      add_line(text, filled("a conversion makes it quiet: {quiet}", "转换会使其变为静默 NaN：{quiet}",
                            {{"quiet", code_text(one.format, quiet)}}));
    }
  }
  if (!std::isfinite(one.stored())) return;
  add_tie(text, one);
  if (one.stored() == 0) return;
  const int exponent = std::ilogb(one.stored());
  const int bits = precision_at(one.format, exponent);
  const Values values = {{"bits", std::to_string(bits)},
                         {"precision", std::to_string(one.format.precision)},
                         {"normal", in_powers_of_two(smallest_normal(one.format))}};
  if (class_of(one.format, one.stored()) == NumberClass::kSubnormal) {
    add_line(text, filled("subnormal, below {normal}: {bits} of {precision} bits of the significand are left",
                          "次正规数（小于 {normal}）：有效位只剩 {bits} 位（共 {precision} 位）", values));
  } else if (bits < one.format.precision && one.format.layout == CodeLayout::kTapered) {
    add_line(text, filled("so far from 1 the significand has {bits} bits; near 1 it has {precision}",
                          "离 1 较远，有效位为 {bits} 位；在 1 附近为 {precision} 位", values));
  }
}

Section stored_section(const FloatInFormat& one) {
  Section out;
  out.key = "values";
  if (one.code) out.patterns.push_back(pattern_of(one.format, *one.code));
  const Text formula = formula_of(one);
  if (!formula.en.empty()) {
    add_line(out.text, formula);
  }
  add_remarks(out.text, one);
  out.tables.push_back({"values", value_columns(), {value_row(one, true)}});
  return out;
}

struct Choice {
  std::string_view name;
  Rounded rounded;
};

bool all_same(const std::vector<Choice>& choices) {
  return std::all_of(choices.begin(), choices.end(),
                     [&](const Choice& one) { return same_number(one.rounded.value, choices.front().rounded.value); });
}

Table choice_table(std::string key, Text title, const FloatInFormat& one, const std::vector<Choice>& choices) {
  Table out;
  out.key = std::move(key);
  out.columns = {{"mode", std::move(title)}, {"stored", {"stored", "存储为"}}, {"code", {"bits", "编码"}}};
  for (const Choice& choice : choices) {
    const double value = choice.rounded.value;
    out.rows.push_back({std::string(choice.name),
                        {cell(std::string(choice.name)), cell(value, shown_decimal(value)),
                         one.format.bits > 0 ? cell(code_text(one.format, encode(one.format, value))) : Cell{}}});
  }
  return out;
}

// What other modes would give, where they differ; a line where they agree.
Section choices_section(const FloatInFormat& one, const RoundingRules& rules) {
  std::vector<Choice> roundings;
  for (const auto& [rounding, name] : rounding_names()) {
    if (rounding == Rounding::kStochastic) continue;
    RoundingRules other = rules;
    other.rounding = rounding;
    roundings.push_back({name, round_to(one.format, one.given, other)});
  }
  std::vector<Choice> overflows;
  for (const auto& [overflow, name] : overflow_names()) {
    RoundingRules other = rules;
    other.overflow = overflow;
    overflows.push_back({name, round_to(one.format, one.given, other)});
  }
  Section out;
  out.key = "choices";
  const bool one_rounding = all_same(roundings);
  const bool one_overflow = all_same(overflows);
  if (one_rounding && one_overflow) {
    out.text = {"Every rounding and every overflow mode gives the same.", "各种舍入和溢出模式的结果都相同。"};
    return out;
  }
  if (!one_rounding) out.tables.push_back(choice_table("roundings", {"rounding", "舍入"}, one, roundings));
  if (!one_overflow) out.tables.push_back(choice_table("overflows", {"overflow mode", "溢出模式"}, one, overflows));
  if (one_rounding)
    out.text = {"Every rounding gives the same; the overflow modes differ:", "各种舍入结果相同；溢出模式不同："};
  if (one_overflow)
    out.text = {"Every overflow mode gives the same; the roundings differ:", "各种溢出模式结果相同；舍入不同："};
  return out;
}

Text answer_of_many(const std::vector<FloatInFormat>& all) {
  const FloatInFormat* worst = nullptr;
  std::size_t exact = 0;
  for (const FloatInFormat& one : all) {
    if (!one.rounded.inexact && !one.rounded.overflowed) ++exact;
    const bool worse = worst == nullptr || std::fabs(one.error_percent) > std::fabs(worst->error_percent);
    if (std::isfinite(one.error_percent) && one.error_percent != 0 && worse) worst = &one;
    if (one.rounded.overflowed && !std::isfinite(one.stored())) {
      worst = &one;
      break;
    }
  }
  const Values values = {{"exact", exact}, {"all", all.size()}};
  if (worst == nullptr) return filled("{exact} of {all} are exact", "{all} 个中有 {exact} 个是精确的", values);
  Text out = filled("{exact} of {all} are exact; the worst: ", "{all} 个中有 {exact} 个是精确的；误差最大的：", values);
  const Text told = answer_of(*worst);
  return {out.en + told.en, out.zh + told.in(Language::kChinese)};
}

std::vector<std::string> arguments_of(const FloatShow& question) {
  std::vector<std::string> out = question.values;
  out.insert(out.end(), {"--as", names_of(question.formats)});
  add_rules(out, question.rules);
  return out;
}

}  // namespace

Result<Report> float_show(const FloatShow& question) {
  std::vector<FloatInFormat> all;
  if (question.values.size() * question.formats.size() > kMostRows) {
    return fail(ErrorCode::kLimit, "more than " + std::to_string(kMostRows) + " values in formats at once");
  }
  for (const std::string& written : question.values) {
    for (const NumberFormat& format : question.formats) {
      // A pattern of bits, like a word ("max"), is each format's own: that is what tells E4M3 from its "fnuz" twin.
      const FloatInput input = ASSAY_TRY(float_input(written, format));
      all.push_back(float_in_format(input, format, question.rules, all.size()));
    }
  }
  if (all.size() == 1) {
    Report out = study_report("float show", arguments_of(question), answer_of(all.front()));
    out.sections = {stored_section(all.front())};
    if (!all.front().input.code || std::isnan(all.front().stored())) {
      out.sections.push_back(choices_section(all.front(), question.rules));
    }
    return out;
  }
  Report out = study_report("float show", arguments_of(question), answer_of_many(all));
  Section section;
  section.key = "values";
  section.tables.push_back({"values", value_columns(), {}});
  for (const FloatInFormat& one : all) section.tables.back().rows.push_back(value_row(one, false));
  out.sections = {std::move(section)};
  return out;
}

}  // namespace assay
