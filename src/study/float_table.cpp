// Constants of formats, from their descriptions.
//
// Two numbers are called "machine epsilon", one twice the other: the distance from 1 to the next larger number (C's
// FLT_EPSILON, numpy's eps) and half of it, the unit roundoff u of error analysis, which bounds the relative error of
// rounding to nearest. Both are always told by their names.
//
// Decimal digits, for a significand of p bits: every decimal number of floor((p − 1)·log10 2) digits comes back from
// the format unharmed, and ceil(1 + p·log10 2) digits tell every number of the format from its neighbours (C's FLT_DIG
// and FLT_DECIMAL_DIG). Both hold for normal numbers.

#include "study/float_table.h"

#include <cmath>

#include "num/format.h"
#include "study/float_words.h"

namespace assay {

namespace {

using Shown = TableColumn::Shown;

std::string bits_of(const NumberFormat& format) {
  const int sign = format.has_sign ? 1 : 0;
  const std::string fraction = std::to_string(format.precision - 1);
  switch (format.layout) {
    case CodeLayout::kTapered: return "1-(2…4)-(0…4)-(1…3)";
    case CodeLayout::kTwosComplement: return std::to_string(format.bits);
    case CodeLayout::kFields: break;
  }
  if (format.bits == 0) return {};
  std::string out = std::to_string(sign) + "-" + std::to_string(exponent_bits(format)) + "-" + fraction;
  return format.unused_bits > 0 ? out + " (+" + std::to_string(format.unused_bits) + ")" : out;
}

Cell decimal(double value) { return std::isnan(value) ? Cell{} : cell(value, constant_decimal(value)); }
Cell whole(double value) { return std::isnan(value) ? Cell{} : cell(value, exact_decimal(value)); }
Cell powers(double value) { return std::isnan(value) ? Cell{} : cell(in_powers_of_two(value)); }

Cell count(const NumberFormat& format, std::uint64_t codes) {
  if (code_counts(format).finite == 0) return {};
  return {Value(static_cast<std::int64_t>(codes)), {}};
}

// Short ones with all digits: 65504 is a number that people know.
Cell great(double value) {
  constexpr double kMostWhole = 1e6;
  const bool short_one = value < kMostWhole && exact_decimal(value).size() <= 12;
  return short_one ? whole(value) : decimal(value);
}

std::vector<TableColumn> columns() {
  return {{"format", {"format", "格式"}},
          {"title", {"name", "名称"}, false, Shown::kSingle},
          {"bits", {"bits s-e-f", "位数 s-e-f"}},
          {"width", {"stored bits", "存储位数"}, false, Shown::kNever},
          {"precision", {"significand bits", "有效位数"}},
          {"bias", {"exponent bias", "指数偏置"}},
          {"largest", {"largest", "最大数"}},
          {"largest_exact", {"  exactly", "  精确值"}},
          {"smallest_normal", {"smallest normal", "最小正规数"}},
          {"smallest_normal_exact", {"  exactly", "  精确值"}},
          {"smallest_subnormal", {"smallest subnormal", "最小次正规数"}},
          {"smallest_subnormal_exact", {"  exactly", "  精确值"}},
          {"eps", {"eps = ulp(1)", "eps = ulp(1)"}},
          {"eps_exact", {"  exactly", "  精确值"}},
          {"unit_roundoff", {"u = eps/2", "u = eps/2"}},
          {"unit_roundoff_exact", {"  exactly", "  精确值"}},
          {"overflow_from", {"rounding overflows", "舍入后溢出"}},
          {"largest_exact_integer", {"integers exact up to", "精确整数上限"}},
          {"finite", {"finite values", "有限值个数"}},
          {"infinite", {"codes of Inf", "Inf 编码数"}},
          {"nan", {"codes of NaN", "NaN 编码数"}},
          {"digits_kept", {"decimal digits kept", "可保留十进制位数"}},
          {"digits_needed", {"digits to write it", "写出所需位数"}},
          {"range", {"log10 of the range", "范围的 log10"}},
          {"decades_from", {"log10 of the smallest", "最小数的 log10"}, false, Shown::kNever},
          {"decades_to", {"log10 of the largest", "最大数的 log10"}, false, Shown::kNever},
          {"subnormals", {"subnormals", "次正规数"}, false, Shown::kNever},
          {"used", {"met in", "用途"}, false, Shown::kSingle},
          {"also", {"also called", "别名"}, false, Shown::kSingle},
          {"source", {"defined by", "定义"}, false, Shown::kSingle}};
}

std::string one_decimal(double value) { return rounded_decimal(std::round(value * 10) / 10); }

Cell threshold(const NumberFormat& format) {
  const OverflowThreshold at = overflow_threshold(format);
  if (std::isinf(at.value)) {  // FP64's own is no double
    const std::string exact =
        "2^" + std::to_string(format.emax + 1) + " − 2^" + std::to_string(quantum_exponent(format, format.emax) - 1);
    return cell(exact, filled("from {n}", "从 {n} 起", {{"n", exact}}));
  }
  Cell out = great(at.value);
  const std::string number = out.text.en;
  out.text =
      at.itself ? filled("from {n}", "从 {n} 起", {{"n", number}}) : filled("above {n}", "超过 {n}", {{"n", number}});
  return out;
}

TableRow row_of(const NumberFormat& format) {
  const double most = largest(format);
  const double normal = smallest_normal(format);
  const double least = smallest_positive(format);
  const bool subnormals = least < normal;
  const double eps = epsilon(format);
  const bool fields = format.layout == CodeLayout::kFields && format.bits > 0;
  const double digits_kept = std::floor((format.precision - 1) * std::log10(2.0));
  const double digits_needed = std::ceil(1 + format.precision * std::log10(2.0));
  const CodeCounts codes = code_counts(format);
  std::string also;
  for (const std::string& one : format.also) also += (also.empty() ? "" : ", ") + one;
  TableRow out;
  out.key = format.name;
  const Cell none;
  out.cells = {cell(format.name),
               cell(format.title),
               cell(bits_of(format)),
               {Value(std::int64_t{format.bits}), {}},
               {Value(std::int64_t{format.precision}), {}},
               fields ? Cell{Value(std::int64_t{exponent_bias(format)}), {}} : none,
               great(most),
               powers(most),
               decimal(normal),
               powers(normal),
               subnormals ? decimal(least) : none,
               subnormals ? powers(least) : none,
               decimal(eps),
               powers(eps),
               decimal(eps / 2),
               powers(eps / 2),
               threshold(format),
               whole(largest_exact_integer(format)),
               count(format, codes.finite),
               count(format, codes.infinite),
               count(format, codes.nan),
               cell(digits_kept),
               cell(digits_needed),
               cell(one_decimal(std::log10(least)) + " … " + one_decimal(std::log10(most))),
               cell(std::log10(least)),
               cell(std::log10(most)),
               cell(subnormals ? "yes" : "no"),
               cell(format.used),
               cell(also),
               cell(format.source)};
  return out;
}

Text answer_of(const std::vector<NumberFormat>& formats) {
  if (formats.size() == 1) {
    const NumberFormat& one = formats.front();
    const bool near_one = !std::isnan(epsilon(one));
    const Values values = {{"title", one.title},
                           {"precision", one.precision},
                           {"largest", great(largest(one)).text.en},
                           {"smallest", rounded_decimal(smallest_positive(one))},
                           {"percent", rounded_decimal(100 * unit_roundoff(one))}};
    return near_one ? filled("{title}: {smallest} to {largest}, rounding errors up to {percent} % (half an ulp)",
                             "{title}：{smallest} 至 {largest}，舍入误差至多 {percent} %（半个 ulp）", values)
                    : filled("{title}: {smallest} to {largest}", "{title}：{smallest} 至 {largest}", values);
  }
  return filled("{count} number formats; eps = ulp(1) is the distance from 1 to the next number, u half of it",
                "{count} 种数值格式；eps = ulp(1) 是 1 到下一个数的距离，u 是它的一半", {{"count", formats.size()}});
}

}  // namespace

Report float_table(const std::vector<NumberFormat>& formats) {
  std::vector<std::string> names;
  Section section;
  section.key = "formats";
  section.tables.push_back({"formats", columns(), {}});
  for (const NumberFormat& format : formats) {
    names.push_back(format.name);
    section.tables.back().rows.push_back(row_of(format));
  }
  Report out = study_report("float table", std::move(names), answer_of(formats));
  out.sections = {std::move(section)};
  return out;
}

}  // namespace assay
