// Floats to codes and back: which formats the kernels (num/convert_kernels.cpp) take, and with what constants.
//
// Rounding to nearest even without flushing, the common case, is one pass. Any other rounding is two passes over pieces
// that stay in the nearest cache: round (num/rounder.h), then the same kernel, which finds nothing left to round.
// Formats that are not laid out as IEEE 754's are (HiF8, E8M0, integers) or reach below FP32's normal numbers are
// encoded one by one, and decoded by a table; those that FP32 cannot hold go through round_to one by one as well.

#include "num/convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/format.h"

namespace assay {

namespace {

constexpr std::size_t kChunk = 1024;
constexpr int kDigits = std::numeric_limits<float>::digits;
constexpr int kEmin = std::numeric_limits<float>::min_exponent - 1;
constexpr int kEmax = std::numeric_limits<float>::max_exponent - 1;
constexpr std::uint32_t kSign = 0x8000'0000;

std::uint32_t pattern(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

bool suits_vectors(const NumberFormat& format) {
  const bool ieee_or_neither = (format.nans == Nans::kIeee) == (format.infinities == Infinities::kAllOnes);
  return format.layout == CodeLayout::kFields && format.has_sign && format.has_zero && format.has_subnormals &&
         format.unused_bits == 0 && ieee_or_neither && format.bits <= 16 && fits_float(format) &&
         format.emin >= kEmin && format.emin - format.precision + kDigits < kEmax;
}

void set_specials(CodePlan& plan, const NumberFormat& format, const RoundingRules& rules) {
  Real beyond = real(1);
  beyond.exponent += format.emax + 2;
  const auto code_of = [&](const Real& value) {
    return static_cast<std::uint32_t>(encode(format, round_to(format, value, rules).value));
  };
  for (const int negative : {0, 1}) {
    const double sign = negative != 0 ? -1 : 1;
    const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    beyond.negative = negative != 0;
    plan.overflow[negative] = code_of(beyond);
    plan.infinity[negative] = code_of(real(sign * std::numeric_limits<double>::infinity()));
    plan.nan[negative] = code_of(real(nan));
    plan.nan_pattern[negative] = pattern(round_to(format, real(nan)).value);
  }
  if (format.has_infinity())
    plan.infinite_code = static_cast<std::uint32_t>(encode(format, std::numeric_limits<double>::infinity()));
  if (format.nans == Nans::kNegativeZero) plan.only_nan = kSign;
  if (format.nans == Nans::kIeee) {
    const std::uint32_t fraction = plan.first_normal - 1;
    plan.nan_kept = rules.overflow == Overflow::kAscend ? 0 : fraction;
    plan.nan_pattern_kept = fraction << plan.drop;
  }
}

// `rules` tell what becomes of special numbers; rounding is to nearest even.
CodePlan make_plan(const NumberFormat& format, const RoundingRules& rules) {
  CodePlan plan;
  plan.vectors = suits_vectors(format);
  if (!plan.vectors) return plan;
  plan.minus_zero = format.has_negative_zero();
  plan.drop = kDigits - format.precision;
  plan.sign_shift = 32 - format.bits;
  plan.sign = 1U << (format.bits - 1);
  plan.largest = static_cast<std::uint32_t>(encode(format, largest(format)));
  plan.first_normal = 1U << (format.precision - 1);
  plan.rebias = static_cast<std::uint32_t>(format.emin - kEmin) << (kDigits - 1);
  // Significands of one bit are odd: a tie goes up.
  plan.parity = format.precision > 1 ? 1 : 0;
  plan.bias = (1U << (plan.drop - 1)) - plan.parity - plan.rebias;
  // With one bit, what lies below the smallest normal number is even, 0: it is rounded apart.
  if (format.emin > kEmin || format.precision == 1) plan.small = pattern(smallest_normal(format));
  plan.small_quantum = pattern(std::ldexp(1.0, format.emin - format.precision + kDigits));
  set_specials(plan, format, rules);
  return plan;
}

bool is_one_pass(const RoundingRules& rules) {
  return rules.rounding == Rounding::kNearestEven && !rules.flush_inputs && !rules.flush_outputs;
}

}  // namespace

Encoder::Encoder(const NumberFormat& to, const RoundingRules& rules, const NumberFormat* from)
    : rounder_(to, rules, from),
      from_(from != nullptr ? *from : NumberFormat{.precision = kDigits, .emin = kEmin, .emax = kEmax}),
      fits_float_(fits_float(to)),
      one_pass_(is_one_pass(rules)),
      plan_(make_plan(to, one_pass_ ? rules : RoundingRules{})) {}

template <typename Code>
void Encoder::run(std::span<const float> in, std::span<Code> out, std::uint64_t first) const {
  if (plan_.vectors && one_pass_) return encode_vectors(plan_, in.data(), out.data(), in.size());
  const NumberFormat& to = rounder_.format();
  const RoundingRules& rules = rounder_.rules();
  if (!fits_float_) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Real value = rules.flush_inputs ? flushed(from_, real(in[i])) : real(in[i]);
      out[i] = static_cast<Code>(encode(to, round_to(to, value, rules, first + i).value));
    }
    return;
  }
  std::array<float, kChunk> rounded;
  for (std::size_t at = 0; at < in.size(); at += kChunk) {
    const std::size_t count = std::min(kChunk, in.size() - at);
    rounder_(in.subspan(at, count), std::span(rounded).first(count), first + at);
    if (plan_.vectors) {
      encode_vectors(plan_, rounded.data(), out.data() + at, count);
    } else {
      for (std::size_t i = 0; i < count; ++i) out[at + i] = static_cast<Code>(encode(to, rounded[i]));
    }
  }
}

void Encoder::operator()(std::span<const float> in, std::span<std::uint8_t> out, std::uint64_t first) const {
  run(in, out, first);
}

void Encoder::operator()(std::span<const float> in, std::span<std::uint16_t> out, std::uint64_t first) const {
  run(in, out, first);
}

Decoder::Decoder(const NumberFormat& from) : plan_(make_plan(from, {})) {
  if (plan_.vectors) return;
  table_.resize(std::size_t{1} << from.bits);
  for (std::size_t code = 0; code < table_.size(); ++code) table_[code] = static_cast<float>(decode(from, code));
}

template <typename Code>
void Decoder::run(std::span<const Code> in, std::span<float> out) const {
  if (plan_.vectors) return decode_vectors(plan_, in.data(), out.data(), in.size());
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = table_[in[i] & mask];
}

void Decoder::operator()(std::span<const std::uint8_t> in, std::span<float> out) const { run(in, out); }

void Decoder::operator()(std::span<const std::uint16_t> in, std::span<float> out) const { run(in, out); }

}  // namespace assay
