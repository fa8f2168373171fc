// A format, a number and how to round it, as a user types them: the first line names a format, the second is a number,
// what follows picks rounding, overflow, flushing, bits and seed. Whatever it is, what comes out must be a number of
// the format, on the right side, and survive being encoded, decoded, counted and stepped from.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "num/codes.h"
#include "num/format.h"
#include "num/round.h"

namespace {

using assay::NumberFormat;
using assay::Real;

void demand(bool good) {
  if (!good) std::abort();
}

std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

void check_place(const NumberFormat& format, double value) {
  const std::int64_t place = assay::ordinal(format, value);
  demand(assay::at_ordinal(format, place) == value);
  const auto up = assay::next_up(format, value), down = assay::next_down(format, value);
  if (up) demand(*up > value && assay::ordinal(format, *up) == place + 1 && assay::is_in(format, *up));
  if (down) demand(*down < value && assay::ordinal(format, *down) == place - 1 && assay::is_in(format, *down));
}

void check_value(const NumberFormat& format, double value) {
  demand(assay::is_in(format, value));
  if (format.bits > 0) {
    const std::uint64_t code = assay::encode(format, value);
    if (format.bits < 64) demand(code >> format.bits == 0);
    demand(same(assay::decode(format, code), value));
    demand(assay::encode(format, assay::decode(format, code)) == code);
    std::uint64_t joined = 0;
    for (const assay::CodeField& field : assay::fields_of(format, code)) {
      joined = field.bits < 64 ? joined << field.bits | field.value : field.value;
    }
    demand(joined == code);
  }
  if (!std::isnan(value)) check_place(format, value);
}

// The two neighbours enclose the number, and nearest is one of them.
void check_sides(const NumberFormat& format, const Real& x) {
  using assay::Rounding;
  const auto rounded = [&](Rounding rounding) { return assay::round_to(format, x, {.rounding = rounding}).value; };
  const double down = rounded(Rounding::kDown), up = rounded(Rounding::kUp), zero = rounded(Rounding::kTowardZero);
  const double even = rounded(Rounding::kNearestEven), away = rounded(Rounding::kNearestAway);
  if (!x.finite() || !format.has_sign || !format.has_infinity()) return;
  demand(assay::compare(assay::real(down), x) <= 0 && assay::compare(assay::real(up), x) >= 0);
  demand(zero == down || zero == up);
  demand(even == down || even == up);
  demand(away == down || away == up);
  demand(std::fabs(zero) <= std::fabs(even) && std::fabs(even) <= std::fabs(away));
}

assay::RoundingRules rules_of(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U; };
  assay::RoundingRules rules;
  rules.rounding = static_cast<assay::Rounding>(byte(0) % 7);
  rules.overflow = static_cast<assay::Overflow>(byte(1) % 4);
  rules.flush_outputs = byte(2) % 2 == 1;
  rules.random_bits = 1 + static_cast<int>(byte(3) % 32);
  rules.seed = byte(4);
  return rules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto format = assay::number_format(take_line(rest));
  const auto value = assay::parse_real(take_line(rest));
  if (value) demand(value->kind != Real::Kind::kFinite || value->significand >> 127 == 1);
  if (!format) return 0;
  const auto again = assay::number_format(format->name);
  demand(again.has_value() && again->name == format->name && again->bits == format->bits);
  demand(assay::is_in(*format, assay::largest(*format)) && assay::is_in(*format, assay::smallest_positive(*format)));
  if (!value) return 0;
  const assay::RoundingRules rules = rules_of(rest);
  const Real x = rest.size() % 2 == 1 ? assay::flushed(*format, *value) : *value;
  const assay::Rounded rounded = assay::round_to(*format, x, rules, size);
  check_value(*format, rounded.value);
  if (!rounded.inexact && x.kind != Real::Kind::kNan) demand(assay::compare(assay::real(rounded.value), x) == 0);
  demand(same(assay::round_to(*format, assay::real(rounded.value), rules, size).value, rounded.value));
  check_sides(*format, x);
  return 0;
}
