// The numbers of a format in their order have places 0, ±1, ±2, … from zero outwards (num/codes.h). The distance of two
// is counted in these steps: "ulps" as comparing tools count them. It is not the difference divided by the spacing at
// one end, which is told beside it for either end: from 1 to 2 in FP16 there are 1,024 steps, but the spacing at 2 is
// twice that at 1.

#include "study/float_between.h"

#include <cmath>

#include "num/codes.h"
#include "study/float_words.h"

namespace assay {

namespace {

// Beyond 2^53 a number in JSON is no longer read digit by digit everywhere: then it is a word.
Cell steps_cell(std::uint64_t count) {
  constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
  if (count <= kMostExact) return {Value(static_cast<std::int64_t>(count)), {}};
  return cell(std::to_string(count), both(rounded_decimal(static_cast<double>(count))));
}

std::string count_text(std::uint64_t count) {
  const Cell counted = steps_cell(count);
  return counted.text.en.empty() ? format(*counted.value) : "≈ " + counted.text.en;
}

Cell ordinal_cell(std::int64_t ordinal) {
  constexpr std::int64_t kMostExact = std::int64_t{1} << 53;
  if (std::abs(ordinal) <= kMostExact) return {Value(ordinal), {}};
  return cell(std::to_string(ordinal));
}

Cell in_spacings(const Real& difference, double spacing) {
  if (!difference.finite() || std::isnan(spacing)) return {};
  const double ulps = std::fabs(to_double(quotient(difference, real(spacing))));
  return cell(ulps, rounded_decimal(ulps));
}

TableRow end_row(std::string key, const FloatInFormat& end, std::int64_t ordinal, const Real& difference) {
  // The spacing at the number itself, not at what was written for it.
  FloatInput own = end.input;
  own.value = real(end.stored());
  const double spacing = float_in_format(own, end.format).spacing;
  const bool finite = std::isfinite(spacing);
  return {std::move(key),
          {cell(end.input.text, both(shown_text(end.input.text))), cell(end.stored(), brief_decimal(end.stored())),
           end.code ? cell(code_text(end.format, *end.code)) : Cell{}, ordinal_cell(ordinal),
           finite ? cell(spacing, in_powers_of_two(spacing)) : Cell{}, in_spacings(difference, spacing)}};
}

Text answer_of(const FloatDistance& distance) {
  Values values = {{"a", shown_text(distance.from.input.text)}, {"b", shown_text(distance.to.input.text)},
                   {"format", distance.from.format.title},      {"stored", shown_decimal(distance.from.stored())},
                   {"between", count_text(distance.between)},   {"steps", count_text(distance.steps)}};
  const auto say = [&](std::string_view en, std::string_view zh) { return filled(en, zh, values); };
  if (distance.steps == 0) {
    return say("{a} and {b} are the same number in {format}: {stored}",
               "{a} 和 {b} 在 {format} 中是同一个数：{stored}");
  }
  if (distance.between == 0) {
    return say("{a} and {b} are neighbours in {format}: 1 step apart", "{a} 和 {b} 在 {format} 中相邻：相距 1 步");
  }
  if (distance.between == 1) {
    return say("1 number of {format} lies between {a} and {b}: they are 2 steps apart",
               "{a} 和 {b} 之间有 1 个 {format} 数：相距 2 步");
  }
  return say("{between} numbers of {format} lie between {a} and {b}: they are {steps} steps apart",
             "{a} 和 {b} 之间有 {between} 个 {format} 数：相距 {steps} 步");
}

}  // namespace

Result<FloatDistance> float_distance(const FloatInFormat& from, const FloatInFormat& to) {
  for (const FloatInFormat* end : {&from, &to}) {
    if (std::isnan(end->stored())) {
      return fail(ErrorCode::kUsage, "'" + shown_text(end->input.text) + "' in " + end->format.title +
                                         " is NaN: it has no place among the numbers");
    }
  }
  FloatDistance out;
  out.from = from;
  out.to = to;
  out.from_ordinal = ordinal(from.format, from.stored());
  out.to_ordinal = ordinal(to.format, to.stored());
  // As unsigned numbers: the difference of two places of FP64 can be beyond 2^63.
  const auto a = static_cast<std::uint64_t>(out.from_ordinal);
  const auto b = static_cast<std::uint64_t>(out.to_ordinal);
  out.steps = out.from_ordinal < out.to_ordinal ? b - a : a - b;
  // Formats without zero have no number at place 0, and none on its other side.
  out.between = out.steps == 0 ? 0 : out.steps - 1;
  return out;
}

Result<Report> float_between(const FloatBetween& question) {
  const auto end = [&](const std::string& written) -> Result<FloatInFormat> {
    const FloatInput input = ASSAY_TRY(float_input(written, question.format));
    return float_in_format(input, question.format, question.rules);
  };
  const FloatInFormat from = ASSAY_TRY(end(question.from));
  const FloatInFormat to = ASSAY_TRY(end(question.to));
  const FloatDistance distance = ASSAY_TRY(float_distance(from, to));
  const Real difference = sum(real(to.stored()), negated(real(from.stored())));

  Report out = study_report("float between", {question.from, question.to}, answer_of(distance));
  Section section;
  section.key = "distance";
  for (const FloatInFormat* one : {&from, &to}) {
    if (one->rounded.inexact) add_line(section.text, answer_of(*one));
  }
  const double gap = to_double(difference);
  Table whole;
  whole.key = "distance";
  whole.columns = {{"between", {"numbers strictly between", "其间的数"}},
                   {"steps", {"steps (ulps) apart", "相距步数（ulp）"}},
                   {"difference", {"difference", "差"}}};
  whole.rows.push_back({"distance",
                        {steps_cell(distance.between), steps_cell(distance.steps),
                         std::isnan(gap) ? Cell{} : cell(gap, shown_decimal(gap))}});
  Table ends;
  ends.key = "ends";
  ends.columns = {
      {"written", {"end", "端点"}},     {"stored", {"in the format", "存储为"}},
      {"code", {"bits", "编码"}},       {"ordinal", {"place", "序号"}, true},
      {"spacing", {"spacing", "间距"}}, {"difference_in_spacings", {"difference / spacing", "差/间距"}, true}};
  ends.rows.push_back(end_row("from", from, distance.from_ordinal, difference));
  ends.rows.push_back(end_row("to", to, distance.to_ordinal, difference));
  section.tables = {std::move(whole), std::move(ends)};
  out.sections = {std::move(section)};
  return out;
}

}  // namespace assay
