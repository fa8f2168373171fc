// A value in a format: the numbers, and the sentence that says what became of it.
//
// An ulp here is the distance of the format's numbers in the binade of the given value, not of the stored one: rounding
// to nearest is then off by at most half an ulp, also where it ends at a power of two (Muller et al., Handbook of
// Floating-Point Arithmetic, 2.3.1). Beyond the largest number the last binade goes on.

#include <algorithm>
#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_show.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double spacing_at(const NumberFormat& format, const Real& value) {
  const int smallest = smallest_exponent(format);
  const int exponent =
      value.kind == Real::Kind::kFinite ? std::clamp(value.magnitude(), smallest, format.emax) : smallest;
  return std::ldexp(1.0, quantum_exponent(format, exponent));
}

double ratio(const Real& a, const Real& b) { return to_double(quotient(a, b)); }

// How far the given value has come from the number nearer to zero to the next one, as `bits` random bits see it.
double away_probability(const FloatInFormat& one, const RoundingRules& rules) {
  if (one.given.kind != Real::Kind::kFinite) return kNone;
  const Rounded inner = round_to(one.format, one.given, {.rounding = Rounding::kTowardZero});
  if (!std::isfinite(inner.value) || inner.overflowed) return kNone;
  const double part = std::fabs(ratio(sum(one.given, negated(real(inner.value))), real(one.spacing)));
  const double steps = std::ldexp(1.0, rules.random_bits);
  return std::floor(std::min(part, 1.0) * steps) / steps;
}

struct Words {
  Values values;
  Text say(std::string_view en, std::string_view zh) const { return filled(en, zh, values); }
};

Words words_of(const FloatInFormat& one) {
  return {{{"x", shown_text(one.input.text)},
           {"format", one.format.title},
           {"stored", shown_decimal(one.stored())},
           {"largest", shown_decimal(std::copysign(largest(one.format), one.given.negative ? -1.0 : 1.0))},
           {"beyond", shown_decimal(-std::ldexp(1.0, one.format.emax + 1))},
           {"smallest", rounded_decimal(smallest_positive(one.format))},
           {"normal", rounded_decimal(smallest_normal(one.format))},
           {"percent", rounded_decimal(std::fabs(one.error_percent))},
           {"ulps", rounded_decimal(std::fabs(one.error_ulps))}}};
}

Text of_nan(const FloatInFormat& one, const Words& words) {
  if (!std::isnan(one.stored()) && one.format.has_nan()) {
    return words.say("{x} in {format} becomes {stored}: this overflow mode makes NaN 0",
                     "{x} 在 {format} 中变为 {stored}：该溢出模式把 NaN 变为 0");
  }
  if (!std::isnan(one.stored())) {
    return words.say("{format} has no NaN: {x} becomes {stored}", "{format} 没有 NaN：{x} 变为 {stored}");
  }
  if (!one.code) return words.say("{x} in {format} is NaN, not a number", "{x} 在 {format} 中是 NaN（非数）");
  Words more = words;
  const Text kind = nan_words(one.format, *one.code);
  more.values.emplace_back("kind_en", kind.en);
  more.values.emplace_back("kind_zh", kind.in(Language::kChinese));
  return more.say("{x} in {format} is NaN, not a number: {kind_en}", "{x} 在 {format} 中是 NaN（非数）：{kind_zh}");
}

// Beyond the largest number, or infinite.
Text of_overflow(const FloatInFormat& one, const Words& words) {
  if (std::isinf(one.stored())) {
    return words.say("{x} in {format} is {stored}: overflow, the largest number is {largest}",
                     "{x} 在 {format} 中是 {stored}：溢出，最大的数是 {largest}");
  }
  if (std::isnan(one.stored())) {
    return words.say("{x} in {format} is NaN: overflow, the largest number is {largest}",
                     "{x} 在 {format} 中是 NaN：溢出，最大的数是 {largest}");
  }
  if (one.given.kind == Real::Kind::kInfinite) {
    return words.say("{x} in {format} is {stored}, the largest number", "{x} 在 {format} 中是 {stored}，即最大的数");
  }
  if (one.format.layout == CodeLayout::kTwosComplement && one.given.negative) {
    return words.say("{x} in {format} is {stored}: rounding is symmetric and does not use {beyond}",
                     "{x} 在 {format} 中是 {stored}：舍入是对称的，不使用 {beyond}");
  }
  return words.say("{x} in {format} is {stored}, the largest number: overflow, {percent} % is lost",
                   "{x} 在 {format} 中是 {stored}，即最大的数：溢出，损失 {percent} %");
}

Text of_rounding(const FloatInFormat& one, const Words& words) {
  if (std::isnan(one.error)) {
    return words.say("{x} in {format} is {stored}, all but exactly", "{x} 在 {format} 中是 {stored}，几乎精确");
  }
  if (std::isnan(one.error_percent)) {
    return words.say("{x} in {format} is {stored}: {ulps} ulp from it",
                     "{x} 在 {format} 中是 {stored}：相差 {ulps} ulp");
  }
  const bool grew = std::fabs(one.stored()) > std::fabs(to_double(one.given));
  if (one.given.negative) {
    return grew ? words.say("{x} in {format} is {stored}: {percent} % too far from 0, {ulps} ulp",
                            "{x} 在 {format} 中是 {stored}：离 0 远了 {percent} %，{ulps} ulp")
                : words.say("{x} in {format} is {stored}: {percent} % too near to 0, {ulps} ulp",
                            "{x} 在 {format} 中是 {stored}：离 0 近了 {percent} %，{ulps} ulp");
  }
  return grew ? words.say("{x} in {format} is {stored}: {percent} % too large, {ulps} ulp",
                          "{x} 在 {format} 中是 {stored}：大了 {percent} %，{ulps} ulp")
              : words.say("{x} in {format} is {stored}: {percent} % too small, {ulps} ulp",
                          "{x} 在 {format} 中是 {stored}：小了 {percent} %，{ulps} ulp");
}

}  // namespace

FloatInFormat float_in_format(const FloatInput& input, const NumberFormat& format, const RoundingRules& rules,
                              std::uint64_t index) {
  FloatInFormat out;
  out.input = input;
  out.format = format;
  out.given = rules.flush_inputs ? flushed(format, input.value) : input.value;
  if (input.code && !rules.flush_inputs) {
    out.rounded.value = decode(format, *input.code);
    out.code = input.code;
  } else {
    out.rounded = round_to(format, out.given, rules, index);
    if (format.bits > 0) out.code = encode(format, out.stored());
  }
  if (!std::isnan(out.stored())) {
    out.above = next_up(format, out.stored());
    out.below = next_down(format, out.stored());
  }
  out.spacing = out.given.finite() ? spacing_at(format, out.given) : kNone;
  out.error = out.error_percent = out.error_ulps = kNone;
  out.away_probability = away_probability(out, rules);
  if (!input.value.finite() || !std::isfinite(out.stored())) return out;
  out.rounded.inexact = out.rounded.inexact || out.given.kind != input.value.kind;  // flushed before it was rounded
  const Real error = sum(real(out.stored()), negated(input.value));
  // Of a value that has more than 128 bits an error as small as what was cut off is not known.
  // Four digits of it are 14 bits, and must stand clear of the mark.
  constexpr int kKnownBits = 128 - 16;
  const bool known = input.value.exact ||
                     (error.kind == Real::Kind::kFinite && error.magnitude() > input.value.magnitude() - kKnownBits);
  if (!known) return out;
  out.error = to_double(error);
  out.error_ulps = ratio(error, real(out.spacing));
  out.error_percent = error.kind == Real::Kind::kZero ? 0 : ratio(product(error, real(100.0)), input.value);
  if (std::isinf(out.error_percent)) out.error_percent = kNone;  // of 1e-400
  return out;
}

Text answer_of(const FloatInFormat& one) {
  const Words words = words_of(one);
  const bool flushed_input = one.given.kind == Real::Kind::kZero && one.input.value.kind == Real::Kind::kFinite;
  if (flushed_input || one.rounded.flushed) {
    return words.say("{x} in {format} is {stored}: flushed, it is below the smallest normal number {normal}",
                     "{x} 在 {format} 中是 {stored}：小于最小正规数 {normal}，被冲刷为零");
  }
  if (one.given.kind == Real::Kind::kNan) return of_nan(one, words);
  if (one.rounded.overflowed) return of_overflow(one, words);
  if (std::isnan(one.stored())) {
    return one.given.kind == Real::Kind::kZero
               ? words.say("{format} has no zero: {x} becomes NaN", "{format} 没有零：{x} 变为 NaN")
               : words.say("{format} has no negative numbers: {x} becomes NaN", "{format} 没有负数：{x} 变为 NaN");
  }
  if (one.input.code || std::isinf(one.stored())) {
    return words.say("{x} in {format} is {stored}", "{x} 在 {format} 中是 {stored}");
  }
  if (!one.rounded.inexact) return words.say("{x} in {format} is {stored}, exactly", "{x} 在 {format} 中恰为 {stored}");
  if (one.stored() == 0) {
    return words.say("{x} in {format} is {stored}: underflow, the smallest number is {smallest}",
                     "{x} 在 {format} 中是 {stored}：下溢，最小的数是 {smallest}");
  }
  return of_rounding(one, words);
}

}  // namespace assay
