// The expressions of page.md stand between double braces: a word and its arguments, "{{cast 65519 fp16}}". They are few
// and plain on purpose: who edits the page sees what is computed, and cannot type a wrong number.

#include "numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_words.h"

namespace assay::docs {

namespace {

using Words = std::vector<std::string>;

[[noreturn]] void give_up(std::string_view what) {
  fmt::print(stderr, "make_format_docs: {}\n", what);
  std::exit(1);
}

// "1e-08" as "1e-8", "1e+30" as "1e30".
std::string plain_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string sign = text[e + 1] == '-' ? "-" : "";
  std::size_t digits = e + 2;
  while (digits + 1 < text.size() && text[digits] == '0') ++digits;
  return text.substr(0, e + 1) + sign + text.substr(digits);
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::isfinite(value) && value > 0 && std::frexp(value, &exponent) == 0.5;
}

// What an option of `assay float` calls so.
template <class Names>
auto named(const Names& names, std::string_view name) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& one) { return one.second == name; });
  if (found == names.end()) give_up(fmt::format("no rounding or overflow '{}'", name));
  return found->first;
}

Real real_of(std::string_view text) {
  const Result<Real> value = parse_real(text);
  if (!value) give_up(value.error().message);
  return *value;
}

// cast VALUE FORMAT [ROUNDING [OVERFLOW]]
double cast(const Words& words) {
  RoundingRules rules;
  if (words.size() > 3) rules.rounding = named(rounding_names(), words[3]);
  if (words.size() > 4) rules.overflow = named(overflow_names(), words[4]);
  return round_to(format_of(words[2]), real_of(words[1]), rules).value;
}

// via VALUE FORMAT FORMAT…: rounded again and again.
double via(const Words& words) {
  Real value = real_of(words[1]);
  for (std::size_t i = 2; i < words.size(); ++i) value = real(round_to(format_of(words[i]), value).value);
  return to_double(value);
}

double constant(const std::string& which, const std::string& format_name) {
  const NumberFormat& format = format_of(format_name);
  if (which == "max") return largest(format);
  if (which == "normal") return smallest_normal(format);
  if (which == "smallest") return smallest_positive(format);
  if (which == "epsilon") return epsilon(format);
  if (which == "roundoff") return unit_roundoff(format);
  if (which == "overflow") return overflow_threshold(format).value;
  if (which == "integers") return largest_exact_integer(format);
  give_up(fmt::format("no constant '{}'", which));
}

// Of the whole numbers 0 to count - 1, how many are different in the format.
std::size_t distinct(const NumberFormat& format, int count) {
  std::set<double> seen;
  for (int i = 0; i < count; ++i) seen.insert(round_to(format, real(i)).value);
  return seen.size();
}

int first_collision(const NumberFormat& format) {
  double before = round_to(format, real(0.0)).value;
  for (int i = 1;; ++i) {
    const double now = round_to(format, real(static_cast<double>(i))).value;
    if (now == before) return i;
    before = now;
  }
}

// Rotary positions: the angle of pair i at position p is p · base^(-2i/dimension). Largest error over all positions and
// pairs where position, frequency and their product are rounded to the format.
double rotary_error(const NumberFormat& format, int positions, int dimension) {
  double worst = 0;
  for (int pair = 0; pair < dimension / 2; ++pair) {
    const double frequency = std::pow(10000.0, -2.0 * pair / dimension);
    const double rounded = round_to(format, real(frequency)).value;
    for (int p = 0; p < positions; ++p) {
      const double position = round_to(format, real(static_cast<double>(p))).value;
      const double angle = round_to(format, real(position * rounded)).value;
      worst = std::max(worst, std::fabs(angle - p * frequency));
    }
  }
  return worst;
}

// How many of all FP16 numbers come out differently by way of a format in the middle.
std::size_t harmed(const NumberFormat& middle, const NumberFormat& to) {
  const NumberFormat& from = format_of("fp16");
  std::size_t count = 0;
  for (std::uint64_t code = 0; code < 65536; ++code) {
    const double x = decode(from, code);
    if (!std::isfinite(x)) continue;
    const double once = round_to(to, real(x)).value;
    const double twice = round_to(to, real(round_to(middle, real(x)).value)).value;
    if (!same_number(once, twice)) ++count;
  }
  return count;
}

// The significand that the fraction field stands for, as "1 + 77/128".
std::string formula(double value, const NumberFormat& format) {
  const std::uint64_t code = encode(format, value);
  const bool subnormal = class_of(format, value) == NumberClass::kSubnormal;
  std::uint64_t fraction = 0, field = 0;
  for (const CodeField& one : fields_of(format, code)) {
    if (one.kind == CodeField::Kind::kFraction) fraction = one.value;
    if (one.kind == CodeField::Kind::kExponent) field = one.value;
  }
  const int bias = exponent_bias(format);
  const std::uint64_t whole = std::uint64_t{1} << (format.precision - 1);
  const std::string exponent = subnormal ? fmt::format("1-{}", bias) : fmt::format("{}-{}", field, bias);
  return fmt::format("{}2^({}) · ({}{}/{}) = {}", value < 0 ? "-" : "", exponent, subnormal ? "" : "1 + ", fraction,
                     whole, text_of(value));
}

int whole(const std::string& text) {
  int out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) give_up(fmt::format("'{}' is no whole number", text));
  return out;
}

using Function = std::function<std::string(const Words&)>;

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> all = {
      {"cast", [](const Words& w) { return text_of(cast(w)); }},
      {"power", [](const Words& w) { return power_of(cast(w)); }},
      {"via", [](const Words& w) { return text_of(via(w)); }},
      {"via-power", [](const Words& w) { return power_of(via(w)); }},
      {"code", [](const Words& w) { return code_text(format_of(w[2]), encode(format_of(w[2]), cast(w))); }},
      {"fields", [](const Words& w) { return fields_text(format_of(w[2]), encode(format_of(w[2]), cast(w))); }},
      {"formula", [](const Words& w) { return formula(cast(w), format_of(w[2])); }},
      {"above", [](const Words& w) { return text_of(next_up(format_of(w[2]), cast(w)).value()); }},
      {"below", [](const Words& w) { return text_of(next_down(format_of(w[2]), cast(w)).value()); }},
      {"percent", [](const Words& w) { return percent_of(constant(w[1], w[2])); }},
      {"half-percent", [](const Words& w) { return percent_of(constant(w[1], w[2]) / 2); }},
      {"ratio", [](const Words& w) { return text_of(constant(w[1], w[2]) / constant(w[1], w[3])); }},
      {"half-of", [](const Words& w) { return power_and_text(constant(w[1], w[2]) / 2); }},
      {"long", [](const Words& w) { return power_and_text(constant(w[1], w[2])); }},
      {"precision", [](const Words& w) { return std::to_string(precision_at(format_of(w[1]), whole(w[2]))); }},
      {"numbers", [](const Words& w) { return grouped(code_counts(format_of(w[1])).finite); }},
      {"log-of-overflow", [](const Words& w) { return fmt::format("{:.6g}", std::log(constant("overflow", w[1]))); }},
      {"root-of-overflow", [](const Words& w) { return fmt::format("{:.5g}", std::sqrt(constant("overflow", w[1]))); }},
      {"root-of-vanishing",
       [](const Words& w) { return plain_exponent(fmt::format("{:.4g}", std::sqrt(constant("smallest", w[1]) / 2))); }},
      {"distinct", [](const Words& w) { return grouped(distinct(format_of(w[1]), whole(w[2]))); }},
      {"collision",
       [](const Words& w) { return grouped(static_cast<std::uint64_t>(first_collision(format_of(w[1])))); }},
      {"rotary",
       [](const Words& w) { return fmt::format("{:.3g}", rotary_error(format_of(w[1]), whole(w[2]), whole(w[3]))); }},
      {"harmed", [](const Words& w) { return grouped(harmed(format_of(w[1]), format_of(w[2]))); }},
  };
  return all;
}

}  // namespace

const NumberFormat& format_of(std::string_view name) {
  for (const NumberFormat& format : number_formats()) {
    if (format.name == name) return format;
  }
  give_up(fmt::format("no format '{}'", name));
}

double value_of(std::string_view text) { return to_double(real_of(text)); }

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "Inf";
  char buffer[64];
  const std::string shortest(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  const auto digits = std::count_if(shortest.begin(), shortest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits <= 12) return plain_exponent(shortest);
  return plain_exponent(fmt::format("{:.9g}", value));
}

std::string power_of(double value) {
  if (!is_power_of_two(value)) return text_of(value);
  const int exponent = std::ilogb(value);
  return exponent > -4 && exponent < 16 ? text_of(value) : fmt::format("2^{}", exponent);
}

std::string power_and_text(double value) {
  std::string power = power_of(value);
  if (!power.starts_with("2^")) return power;
  return power + " = " + plain_exponent(fmt::format("{:.5g}", value));
}

std::string percent_of(double share) { return plain_exponent(fmt::format("{:.3g}", 100 * share)) + " %"; }

std::string grouped(std::uint64_t value) { return format(Value(value)); }

std::string fields_text(const NumberFormat& format, std::uint64_t code) {
  return binary_text(pattern_of(format, code));
}

std::string evaluate(const std::vector<std::string>& words) {
  static const std::set<std::string> constants = {"max",      "normal",   "smallest", "epsilon",
                                                  "roundoff", "overflow", "integers"};
  if (words.size() == 2 && words[0] == "integers") {
    return grouped(static_cast<std::uint64_t>(constant(words[0], words[1])));
  }
  if (words.size() == 2 && constants.contains(words[0])) return power_of(constant(words[0], words[1]));
  const auto found = words.empty() ? functions().end() : functions().find(words[0]);
  if (found == functions().end()) give_up(fmt::format("no expression '{}'", fmt::join(words, " ")));
  return found->second(words);
}

}  // namespace assay::docs
