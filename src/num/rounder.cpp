// Rounding of arrays: which numbers the kernels (num/rounder_kernels.cpp) take, and with what constants.
//
// The kernels take every format with sign and zero whose normal numbers are normal floats (doubles): all named ones but
// HiF8 and E8M0. Those two, formats that reach below the array's smallest normal number, and those whose small numbers
// are so large that the power of two of the kernels' last step would be infinite go through round_to one by one.
// What becomes of overflow, infinities and NaN is asked of round_to, once, so that there is one place that knows it.

#include "num/rounder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "num/format.h"

namespace assay {

namespace {

// How many random numbers are made at once: they stay in the nearest cache.
constexpr std::size_t kChunk = 1024;

template <typename Float>
constexpr int kDigits = std::numeric_limits<Float>::digits;
template <typename Float>
constexpr int kEmin = std::numeric_limits<Float>::min_exponent - 1;
template <typename Float>
constexpr int kEmax = std::numeric_limits<Float>::max_exponent - 1;

template <typename Float>
BitsOf<Float> bits_of(double value) {
  return std::bit_cast<BitsOf<Float>>(static_cast<Float>(value));
}

// 2^exponent, or the nearest of zero and infinity.
template <typename Float>
BitsOf<Float> power(int exponent) {
  return bits_of<Float>(std::ldexp(1.0, exponent));
}

template <typename Float>
const NumberFormat& array_format() {
  static const NumberFormat format{.precision = kDigits<Float>, .emin = kEmin<Float>, .emax = kEmax<Float>};
  return format;
}

// The exponent of the kernels' power of two for small numbers.
template <typename Float>
int small_power(const NumberFormat& format) {
  return quantum_exponent(format, format.emin - 1) + kDigits<Float> - 1;
}

template <typename Float>
bool suits_vectors(const NumberFormat& format) {
  if (format.layout == CodeLayout::kTapered || !format.has_sign || !format.has_zero) return false;
  if (format.precision > kDigits<Float> || format.emin < kEmin<Float> || format.emax > kEmax<Float>) return false;
  return small_power<Float>(format) < kEmax<Float>;
}

template <typename Float>
void set_bias(RoundPlan<Float>& plan, const NumberFormat& to, const RoundingRules& rules) {
  using Bits = BitsOf<Float>;
  constexpr int kWidth = 8 * sizeof(Float);
  plan.drop = kDigits<Float> - to.precision;
  plan.dropped = (Bits{1} << plan.drop) - 1;
  if (plan.drop == 0) return;
  const Bits half = Bits{1} << (plan.drop - 1);
  const bool always_odd = to.precision == 1;  // in normal numbers
  plan.parity = always_odd ? 0 : 1;
  switch (rules.rounding) {
    case Rounding::kNearestEven: plan.bias = always_odd ? half : half - 1; break;
    case Rounding::kNearestAway: plan.bias = half; break;
    case Rounding::kUp:
    case Rounding::kDown: plan.bias = plan.dropped; break;
    case Rounding::kToOdd: plan.bias = always_odd ? 0 : plan.dropped; break;
    case Rounding::kTowardZero:
    case Rounding::kStochastic: break;
  }
  plan.random_shift = kWidth - plan.drop;
}

template <typename Float>
void set_specials(RoundPlan<Float>& plan, const NumberFormat& to, const RoundingRules& rules) {
  using Bits = BitsOf<Float>;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Real beyond = real(1);
  beyond.exponent += to.emax + 2;
  for (const int negative : {0, 1}) {
    const double sign = negative != 0 ? -1 : 1;
    beyond.negative = negative != 0;
    plan.overflow[negative] = bits_of<Float>(round_to(to, beyond, rules).value);
    plan.infinity[negative] = bits_of<Float>(round_to(to, real(sign * kInfinite), rules).value);
    plan.nan[negative] = bits_of<Float>(round_to(to, real(std::copysign(kNan, sign)), rules).value);
    plan.zero_sign[negative] = bits_of<Float>(round_to(to, real(sign * 0.0), rules).value);
  }
  const bool keeps_payload = to.nans == Nans::kIeee && rules.overflow != Overflow::kAscend;
  const Bits fraction = (Bits{1} << (kDigits<Float> - 1)) - 1;
  plan.nan_kept = keeps_payload ? fraction & ~plan.dropped : 0;
}

template <typename Float>
RoundPlan<Float> make_plan(const NumberFormat& to, const RoundingRules& rules, const NumberFormat& from) {
  RoundPlan<Float> plan;
  plan.vectors = suits_vectors<Float>(to);
  if (!plan.vectors) return plan;
  plan.plain = !rules.flush_inputs && !rules.flush_outputs && to.has_negative_zero();
  plan.rounding = rules.rounding;
  set_bias(plan, to, rules);
  // Where the subnormal numbers are the array's own, their patterns are cut as those of other numbers are; but for
  // significands of one bit, whose last bit is not stored: 1 in normal numbers, 0 below.
  const bool own = to.emin == kEmin<Float> && to.has_subnormals && to.precision > 1;
  const int quantum = quantum_exponent(to, to.emin - 1);
  plan.small = own ? 0 : power<Float>(to.emin);
  plan.small_shift = quantum - kEmin<Float> + kDigits<Float>;
  plan.small_quantum = power<Float>(small_power<Float>(to));
  plan.largest = bits_of<Float>(largest(to));
  set_specials(plan, to, rules);
  if (rules.flush_inputs) plan.flush_input = bits_of<Float>(smallest_normal(from));
  if (rules.flush_outputs) plan.flush_output = bits_of<Float>(smallest_normal(to));
  if (rules.rounding == Rounding::kStochastic) plan.random_kept = ~std::uint32_t{0} << (32 - rules.random_bits);
  return plan;
}

}  // namespace

bool fits_float(const NumberFormat& format) {
  return format.precision <= kDigits<float> && format.emax <= kEmax<float> &&
         quantum_exponent(format, smallest_exponent(format)) >= kEmin<float> - kDigits<float> + 1;
}

Rounder::Rounder(const NumberFormat& to, const RoundingRules& rules, const NumberFormat* from)
    : to_(to),
      rules_(rules),
      from_(from != nullptr ? *from : NumberFormat{}),
      from_array_(from == nullptr),
      floats_(make_plan<float>(to, rules, from != nullptr ? *from : array_format<float>())),
      doubles_(make_plan<double>(to, rules, from != nullptr ? *from : array_format<double>())) {}

template <typename Float>
void Rounder::run(const RoundPlan<Float>& plan, std::span<const Float> in, std::span<Float> out,
                  std::uint64_t first) const {
  if (!plan.vectors) {
    const NumberFormat& from = from_array_ ? array_format<Float>() : from_;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Real value = rules_.flush_inputs ? flushed(from, real(in[i])) : real(in[i]);
      out[i] = static_cast<Float>(round_to(to_, value, rules_, first + i).value);
    }
  } else if (plan.rounding != Rounding::kStochastic) {
    round_vectors(plan, in.data(), out.data(), in.size(), nullptr);
  } else {
    std::array<std::uint32_t, kChunk> words;
    for (std::size_t at = 0; at < in.size(); at += kChunk) {
      const std::size_t count = std::min(kChunk, in.size() - at);
      random_words(rules_.seed, first + at, words.data(), count);
      round_vectors(plan, in.data() + at, out.data() + at, count, words.data());
    }
  }
}

void Rounder::operator()(std::span<const float> in, std::span<float> out, std::uint64_t first) const {
  run(floats_, in, out, first);
}

void Rounder::operator()(std::span<const double> in, std::span<double> out, std::uint64_t first) const {
  run(doubles_, in, out, first);
}

}  // namespace assay
