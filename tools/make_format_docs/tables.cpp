#include "tables.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "num/codes.h"
#include "num/format.h"
#include "numbers.h"

namespace assay::docs {

namespace {

using Row = std::vector<std::string>;

std::string markdown(const std::vector<Row>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i == 0) {
      for (std::size_t k = 0; k < rows[0].size(); ++k) out += "|---";
      out += "|\n";
    }
  }
  out.pop_back();
  return out;
}

std::string also_called(const NumberFormat& format) {
  std::string out;
  for (const std::string& name : format.also) out += fmt::format(", `{}`", name);
  return fmt::format("`{}`{}", format.name, out);
}

std::string bits_text(const NumberFormat& format) {
  if (format.layout == CodeLayout::kTapered) return "1, then as the number wants";
  if (format.layout == CodeLayout::kTwosComplement) return fmt::format("{}, two's complement", format.bits);
  std::string out = fmt::format("{}-{}-{}", format.has_sign ? 1 : 0, exponent_bits(format), format.precision - 1);
  if (format.unused_bits > 0) out += fmt::format(" in {}", format.bits);
  return out;
}

std::string specials_text(const NumberFormat& format) {
  std::string infinity = "no infinity";
  if (format.has_infinity()) infinity = "±Inf";
  switch (format.nans) {
    case Nans::kNone: return infinity + ", no NaN";
    case Nans::kIeee: return infinity + ", NaN";
    case Nans::kAllOnes: return infinity + (format.has_sign ? ", NaN only S.11…1" : ", NaN only 11…1");
    case Nans::kNegativeZero: return infinity + ", one NaN, in the place of -0";
  }
  return infinity;
}

std::string layouts() {
  std::vector<Row> rows = {
      {"format", "names that assay knows", "bits s-e-f", "bias", "infinity, NaN", "met in", "defined by"}};
  for (const NumberFormat& f : number_formats()) {
    const bool fields = f.layout == CodeLayout::kFields;
    rows.push_back({f.title, also_called(f), bits_text(f), fields ? std::to_string(exponent_bias(f)) : "–",
                    specials_text(f), f.used, f.source});
  }
  return markdown(rows);
}

// FP64's is the only one that no FP64 number can hold.
std::string threshold_text(const NumberFormat& format) {
  const OverflowThreshold threshold = overflow_threshold(format);
  const bool too_large = std::isinf(threshold.value);
  const std::string value = too_large ? fmt::format("2^{} - 2^{}", format.emax + 1, format.emax - format.precision)
                                      : text_of(threshold.value);
  return (threshold.itself ? "from " : "above ") + value;
}

std::string counts_text(const NumberFormat& format) {
  const CodeCounts counts = code_counts(format);
  if (counts.finite == 0) return "–";
  return fmt::format("{} / {} / {}", grouped(counts.finite), grouped(counts.infinite), grouped(counts.nan));
}

std::string constants() {
  std::vector<Row> rows = {{"format", "smallest above 0", "smallest normal", "largest", "ε: from 1 to the next",
                            "overflows", "whole numbers up to", "numbers / ±Inf / NaN"}};
  for (const NumberFormat& f : number_formats()) {
    const bool integer = f.layout == CodeLayout::kTwosComplement;
    rows.push_back({f.title, power_and_text(smallest_positive(f)), integer ? "–" : power_and_text(smallest_normal(f)),
                    text_of(largest(f)), power_and_text(epsilon(f)), threshold_text(f),
                    grouped(static_cast<std::uint64_t>(largest_exact_integer(f))), counts_text(f)});
  }
  return markdown(rows);
}

// "1 in 75 %, else 1.125".
std::string stochastic_text(const NumberFormat& format, double x) {
  const double down = round_to(format, real(x), {.rounding = Rounding::kDown}).value;
  const double up = round_to(format, real(x), {.rounding = Rounding::kUp}).value;
  if (down == up) return text_of(down);
  return fmt::format("{} in {}, else {}", text_of(up), percent_of((x - down) / (up - down)), text_of(down));
}

std::string rounding() {
  std::vector<Row> rows = {{"x", "nearest-even", "nearest-away", "toward-zero", "up", "down", "to-odd", "stochastic"}};
  const NumberFormat& format = format_of("e4m3");
  for (const char* text : {"1.0625", "1.1875", "-1.0625", "1.09375", "0.0009765625", "0.0004"}) {
    Row row = {text};
    for (const Rounding one : {Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kTowardZero, Rounding::kUp,
                               Rounding::kDown, Rounding::kToOdd}) {
      row.push_back(text_of(round_to(format, real(value_of(text)), {.rounding = one}).value));
    }
    row.push_back(stochastic_text(format, value_of(text)));
    rows.push_back(row);
  }
  return markdown(rows);
}

std::string overflow() {
  std::vector<Row> rows = {{"into", "x", "infinity", "nan", "saturate", "ascend"}};
  const std::pair<const char*, std::vector<const char*>> cases[] = {
      {"fp16", {"65519", "65520", "-1e6", "inf", "nan"}},
      {"e4m3", {"464", "465", "inf", "nan"}},
      {"e5m2", {"61439", "61440", "inf", "nan"}},
      {"e4m3fnuz", {"247", "248", "inf", "nan"}},
      {"e2m1", {"7", "inf", "nan"}},
      {"e8m0", {"1e39", "0", "-1", "nan"}},
  };
  for (const auto& [name, values] : cases) {
    const NumberFormat& format = format_of(name);
    for (const char* text : values) {
      Row row = {format.title, text_of(value_of(text))};
      for (const Overflow one : {Overflow::kInfinity, Overflow::kNan, Overflow::kSaturate, Overflow::kAscend}) {
        row.push_back(text_of(round_to(format, real(value_of(text)), {.overflow = one}).value));
      }
      rows.push_back(row);
    }
  }
  return markdown(rows);
}

// One row for each prefix, found by going through the codes.
std::string hif8() {
  const NumberFormat& format = format_of("hif8");
  struct Group {
    std::string layout;
    int lowest = 0, highest = 0;  // magnitudes of exponents
    std::uint64_t first = 0, last = 0;
  };
  std::vector<Group> groups;
  for (std::uint64_t code = 1; code < 128; ++code) {
    const double value = decode(format, code);
    if (std::isinf(value)) continue;
    std::string layout;
    for (const CodeField& field : fields_of(format, code)) {
      const char letter = "SPEFx"[static_cast<int>(field.kind)];
      layout += layout.empty() ? "" : " ";
      layout += field.kind == CodeField::Kind::kPrefix ? fmt::format("{:0{}b}", field.value, field.bits)
                                                       : std::string(static_cast<std::size_t>(field.bits), letter);
    }
    const int exponent = std::abs(std::ilogb(value));
    if (groups.empty() || groups.back().layout != layout) groups.push_back({layout, exponent, exponent, code, code});
    groups.back().lowest = std::min(groups.back().lowest, exponent);
    groups.back().highest = std::max(groups.back().highest, exponent);
    groups.back().last = code;
  }
  std::vector<Row> rows = {{"bits", "exponents", "codes"}};
  for (const Group& group : groups) {
    const bool small = class_of(format, decode(format, group.first)) == NumberClass::kSubnormal;
    std::string exponents = group.highest == 0 ? "0" : fmt::format("±{} … ±{}", group.lowest, group.highest);
    if (group.lowest == group.highest && group.highest != 0) exponents = fmt::format("±{}", group.lowest);
    if (small) exponents = fmt::format("-{} … -{}, powers of two only", group.highest, group.lowest);
    rows.push_back(
        {fmt::format("`{}`", group.layout), exponents, fmt::format("0x{:02X} … 0x{:02X}", group.first, group.last)});
  }
  return markdown(rows);
}

std::string clips() {
  std::vector<Row> rows = {{"element", "exponent of its largest", "largest", "clipped at worst"}};
  for (const char* name : {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "mxint8_element"}) {
    const NumberFormat& f = format_of(name);
    rows.push_back({f.title, std::to_string(f.emax), text_of(largest(f)),
                    percent_of(1 - largest(f) / std::ldexp(1.0, f.emax + 1))});
  }
  return markdown(rows);
}

}  // namespace

std::string table(std::string_view name) {
  static const std::map<std::string_view, std::function<std::string()>> all = {
      {"layouts", layouts},   {"constants", constants}, {"rounding", rounding},
      {"overflow", overflow}, {"hif8", hif8},           {"clips", clips}};
  const auto found = all.find(name);
  return found == all.end() ? std::string() : found->second();
}

}  // namespace assay::docs
