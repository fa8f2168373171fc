// Numbers that share a scale.
//
// Microscaling (OCP MX v1.0): 32 numbers x share one scale X = 2^e, stored as E8M0, and each is kept as an element
// q = round(x / X), which saturates. The specification takes e = floor(log2 amax) - E, E the exponent of the largest
// element, so that amax lands in the element's last binade [2^E, 2^(E+1)). The largest element does not fill that
// binade (448 of 512, 6 of 8, 28 of 32, 7.5 of 8, 127/64 of 2), so what lies above it is clipped: by up to 12.5 % in
// E4M3, E5M2 and E3M2, 25 % in E2M1, 6.25 % in E2M3, 0.8 % in INT8. Other rules are met in practice (ScaleRule): kCeil
// is "round up" of ONNX, cuBLAS and torchao's RCEIL, which arXiv 2506.08027 recommends for training; it never clips and
// costs up to one bit of the small numbers. kEven is torchao's EVEN. Libraries take log2 and the quotient in FP32; here
// they are exact, which differs only where amax / M lies within an FP32 rounding of a power of two.
//
// NVFP4: 16 numbers share an E4M3 scale s, and the whole tensor an FP32 factor S = 448 · 6 / amax(tensor) that moves
// the scales into E4M3's range. All in FP32, in the order of Transformer Engine (core_nvfp4.cuh, 2026), because the
// last bit depends on it: S = min(2688 / amax, FLT_MAX), 1 where amax or S is 0; s = E4M3(amax(block) · (S · (1/6)));
// the factor f = min(1 / (s · (1 / S)), FLT_MAX); q = E2M1(x · f). Back: q · ((s · amax) · (1 / 2688))
// (dequantize_nvfp4.cuh).
// A block 460,000 times (448 · 2^10) below the tensor's largest number has s = 0 and vanishes. In that order s · amax
// overflows where amax > FLT_MAX / 448 = 7.6e35: such a tensor comes back as infinities and NaN.
//
// What the specifications leave open, decided here:
//   a block of zeros        E8M0 code 0 (2^-127), E4M3 code 0; signs of zeros are kept where elements have them
//   NaN, infinity in it     the scale is NaN and so is the block (kPoison): microxcaling does so in MX. Or kKeep
//   exponents beyond E8M0   e is held within -127 … 127; elements then saturate, or fall into the subnormals and to 0.
//                           (microxcaling makes the block NaN above 127; FP32 numbers reach that only with kCeil)
//   MXINT8                  -2 = -128/64 is not used unless asked for: the negative of every value is then a value
// NVFP4's input is rounded to FP32 first. What is beyond FP32 is then an infinity.

#include "num/block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "num/codes.h"
#include "num/format.h"
#include "num/real.h"

namespace assay {

namespace {

constexpr std::uint8_t kNanOfE8m0 = 0xFF;
constexpr std::uint8_t kNanOfE4m3 = 0x7F;
constexpr int kBiasOfE8m0 = 127;
constexpr std::uint8_t kLowestInteger = 0x80;
constexpr float kLargestFloat = std::numeric_limits<float>::max();
constexpr float kLargestElement = 6.0F;  // of E2M1
constexpr float kLargestScale = 448.0F;  // of E4M3
constexpr float kBoth = kLargestElement * kLargestScale;

// A format that is a row of the table is known to exist.
const NumberFormat& known(std::string_view name) {
  const auto& formats = number_formats();
  return *std::find_if(formats.begin(), formats.end(), [&](const NumberFormat& one) { return one.name == name; });
}

// The exponent of a power-of-two scale. Precondition: amax is finite and above 0.
int scale_exponent(const NumberFormat& element, double amax, ScaleRule rule) {
  if (rule == ScaleRule::kFloor) return real(amax).magnitude() - element.emax;
  if (rule == ScaleRule::kEven) {
    NumberFormat wide = known("fp64");
    wide.precision = element.precision;
    wide.emin = -1074;  // no binade has fewer bits
    const double rounded = round_to(wide, real(amax), {.overflow = Overflow::kInfinity}).value;
    return (std::isinf(rounded) ? wide.emax + 1 : real(rounded).magnitude()) - element.emax;
  }
  const Real ratio = quotient(real(amax), real(largest(element)));
  constexpr UInt128 kOne = UInt128{1} << 127;
  const bool up = rule == ScaleRule::kCeil ? ratio.significand > kOne : ratio.significand >= kOne + (kOne >> 1);
  return ratio.magnitude() + (up ? 1 : 0);
}

// Rounds scaled numbers to codes of elements. What is the same for all of a call is made once.
class Elements {
 public:
  Elements(const BlockFormat& format, const BlockRules& rules)
      : format_(element_format(format)),
        rules_(rules.rounding),
        lowest_(rules.lowest_integer),
        integers_(format_.layout == CodeLayout::kTwosComplement),
        most_(static_cast<std::uint32_t>(encode(format_, largest(format_)))) {
    rules_.overflow = Overflow::kSaturate;
    plain_ = rules_.rounding == Rounding::kNearestEven && !rules_.flush_outputs;
  }

  // Of value / 2^exponent. The index picks the random number.
  std::uint8_t code(double value, int exponent, double two_to_minus_exponent, std::uint64_t index) const {
    const double scaled = value * two_to_minus_exponent;
    if (plain_ && std::isfinite(scaled)) return nearest_even(scaled);  // exact, or far below the smallest element
    Real exact = real(value);
    if (exact.kind == Real::Kind::kFinite) exact.exponent -= exponent;
    return reference(exact, index);
  }
  std::uint8_t code(float scaled, std::uint64_t index) const { return code(scaled, 0, 1, index); }

  const NumberFormat& format() const { return format_; }

 private:
  std::uint8_t reference(const Real& scaled, std::uint64_t index) const {
    const Rounded rounded = round_to(format_, scaled, rules_, index);
    if (lowest_ && integers_ && rounded.overflowed && scaled.negative) return kLowestInteger;
    return static_cast<std::uint8_t>(encode(format_, rounded.value));
  }

  // The same for rounding to nearest even, ten times as fast. |x| is n · 2^(e - p + 1), n below 2^p, e at least emin;
  // its code is n + (e - emin) 2^(p - 1), also where n rounds up to 2^p.
  std::uint8_t nearest_even(double scaled) const {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(scaled);
    const bool negative = bits >> 63 != 0;
    const int e = std::max(static_cast<int>(bits >> 52 & 0x7FF) - 1023, format_.emin);
    std::uint32_t code = most_ + 1;
    if (e <= format_.emax) {
      const int shift = format_.precision - 1 - e;
      const double n = std::abs(scaled) * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + shift) << 52);
      constexpr double kWhole = 4503599627370496.0;  // 2^52: a sum with it has no bits behind the point
      code = static_cast<std::uint32_t>((n + kWhole) - kWhole) +
             (static_cast<std::uint32_t>(e - format_.emin) << (format_.precision - 1));
    }
    if (code > most_ && lowest_ && integers_ && negative) return kLowestInteger;
    code = std::min(code, most_);
    if (!negative) return static_cast<std::uint8_t>(code);
    return static_cast<std::uint8_t>(integers_ ? 0U - code : code | 1U << (format_.bits - 1));
  }

  NumberFormat format_;
  RoundingRules rules_;
  bool lowest_;
  bool integers_;
  bool plain_ = false;
  std::uint32_t most_;  // the code of the largest element
};

template <class Number>
struct Extent {
  Number amax = 0;  // of finite numbers
  bool finite = true;
};

template <class Number>
Extent<Number> extent(std::span<const Number> in) {
  // Patterns of magnitudes are in their order, infinity and NaN above all numbers; whole numbers are compared sooner.
  using Bits = std::conditional_t<std::is_same_v<Number, float>, std::uint32_t, std::uint64_t>;
  const Bits infinity = std::bit_cast<Bits>(std::numeric_limits<Number>::infinity());
  const Bits without_sign = std::numeric_limits<Bits>::max() >> 1;
  Bits most = 0;
  for (const Number x : in) most = std::max(most, static_cast<Bits>(std::bit_cast<Bits>(x) & without_sign));
  if (most < infinity) return {std::bit_cast<Number>(most), true};
  Extent<Number> out{0, false};
  for (const Number x : in) {
    if (std::isfinite(x)) out.amax = std::max(out.amax, std::abs(x));
  }
  return out;
}

template <class Number>
void quantise_power_of_two(const BlockFormat& format, std::span<const Number> in, const BlockRules& rules,
                           QuantisedBlocks& out) {
  const Elements elements(format, rules);
  const auto size = static_cast<std::size_t>(format.size);
  for (std::size_t begin = 0; begin < in.size(); begin += size) {
    const auto block = in.subspan(begin, std::min(size, in.size() - begin));
    const Extent<Number> found = extent(block);
    if (!found.finite && rules.non_finite == NonFinite::kPoison) {
      out.scales.push_back(kNanOfE8m0);
      continue;
    }
    int exponent = -kBiasOfE8m0;
    if (found.amax > 0) {
      exponent = std::clamp(scale_exponent(elements.format(), found.amax, rules.scale), -kBiasOfE8m0, kBiasOfE8m0);
    }
    out.scales.push_back(static_cast<std::uint8_t>(exponent + kBiasOfE8m0));
    const double by = std::ldexp(1.0, -exponent);
    for (std::size_t i = 0; i < block.size(); ++i) {
      out.elements[begin + i] = elements.code(static_cast<double>(block[i]), exponent, by, begin + i);
    }
  }
}

// S: by what the numbers of the tensor are multiplied so that its largest block scale is E4M3's largest number.
float tensor_factor(float amax) {
  if (amax == 0) return 1;
  const float factor = std::min(kBoth / amax, kLargestFloat);
  return factor == 0 ? 1 : factor;
}

float element_factor(float scale, float factor, TwoLevelOrder order) {
  const float out = order == TwoLevelOrder::kReciprocal ? 1 / (scale * (1 / factor)) : factor / scale;
  return std::min(out, kLargestFloat);
}

void quantise_two_level(const BlockFormat& format, std::span<const float> in, const BlockRules& rules,
                        QuantisedBlocks& out) {
  const Elements elements(format, rules);
  const NumberFormat& scales = scale_format(format);
  out.tensor_amax = rules.tensor_amax > 0 ? static_cast<float>(rules.tensor_amax) : extent(in).amax;
  const float factor = tensor_factor(out.tensor_amax);
  const auto size = static_cast<std::size_t>(format.size);
  for (std::size_t begin = 0; begin < in.size(); begin += size) {
    const auto block = in.subspan(begin, std::min(size, in.size() - begin));
    const Extent<float> found = extent(block);
    if (!found.finite && rules.non_finite == NonFinite::kPoison) {
      out.scales.push_back(kNanOfE4m3);
      continue;
    }
    const float wanted = std::min(found.amax * (factor * (1 / kLargestElement)), kLargestFloat);
    const double scale = round_to(scales, real(wanted), {.overflow = Overflow::kSaturate}).value;
    out.scales.push_back(static_cast<std::uint8_t>(encode(scales, scale)));
    const float by = element_factor(static_cast<float>(scale), factor, rules.order);
    for (std::size_t i = 0; i < block.size(); ++i) {
      out.elements[begin + i] = elements.code(block[i] * by, begin + i);
    }
  }
}

template <class Number>
QuantisedBlocks quantise_any(const BlockFormat& format, std::span<const Number> in, const BlockRules& rules) {
  QuantisedBlocks out;
  const auto size = static_cast<std::size_t>(format.size);
  out.scales.reserve((in.size() + size - 1) / size);
  out.elements.resize(in.size());
  if (format.scaling == BlockScaling::kPowerOfTwo) {
    quantise_power_of_two(format, in, rules, out);
  } else if constexpr (std::is_same_v<Number, float>) {
    quantise_two_level(format, in, rules, out);
  } else {
    std::vector<float> narrow(in.size());
    std::transform(in.begin(), in.end(), narrow.begin(), [](double x) { return static_cast<float>(x); });
    quantise_two_level(format, narrow, rules, out);
  }
  return out;
}

// FP32 products in Transformer Engine's order; exact powers of two for MX, whose scale may be below FP32's range.
double two_level_scale(double scale, float amax) {
  return static_cast<float>(scale) * amax * static_cast<float>(1.0 / kBoth);
}

}  // namespace

const NumberFormat& element_format(const BlockFormat& format) { return known(format.element); }
const NumberFormat& scale_format(const BlockFormat& format) { return known(format.scale); }

QuantisedBlocks quantise(const BlockFormat& format, std::span<const double> in, const BlockRules& rules) {
  return quantise_any(format, in, rules);
}

QuantisedBlocks quantise(const BlockFormat& format, std::span<const float> in, const BlockRules& rules) {
  return quantise_any(format, in, rules);
}

double block_scale(const BlockFormat& format, const QuantisedBlocks& blocks, std::size_t block) {
  const double scale = decode(scale_format(format), blocks.scales[block]);
  return format.scaling == BlockScaling::kTwoLevel ? two_level_scale(scale, blocks.tensor_amax) : scale;
}

void dequantise(const BlockFormat& format, const QuantisedBlocks& blocks, std::span<double> out) {
  const NumberFormat& element = element_format(format);
  std::array<double, 256> values{};
  for (std::size_t code = 0; code < std::size_t{1} << element.bits; ++code) values[code] = decode(element, code);
  const auto size = static_cast<std::size_t>(format.size);
  for (std::size_t begin = 0; begin < out.size(); begin += size) {
    const double scale = block_scale(format, blocks, begin / size);
    for (std::size_t i = begin; i < std::min(begin + size, out.size()); ++i) {
      const double value = values[blocks.elements[i]];
      // A double product of an element and an FP32 scale is exact, so this rounds once, as an FP32 product does.
      out[i] = format.scaling == BlockScaling::kTwoLevel ? static_cast<float>(value * scale) : value * scale;
    }
  }
}

bool is_clipped(const BlockFormat& format, double value, double stored, double scale) {
  if (!std::isfinite(value) || !(scale > 0)) return false;
  const OverflowThreshold threshold = overflow_threshold(element_format(format));
  const double beyond = std::abs(value) - threshold.value * scale;
  return (beyond > 0 || (beyond == 0 && threshold.itself)) && std::abs(stored) < std::abs(value);
}

namespace {

// In shares of the largest one: squares of 1e300 and 1e-200 are no doubles.
double root_mean_square(std::span<const double> numbers, double largest) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (largest == 0 || !std::isfinite(largest)) return largest;
  double squares = 0;
  for (const double one : numbers) squares += one / largest * (one / largest);
  return largest * std::sqrt(squares / static_cast<double>(numbers.size()));
}

}  // namespace

std::vector<BlockFacts> block_facts(const BlockFormat& format, std::span<const double> in,
                                    const QuantisedBlocks& blocks) {
  std::vector<double> back(in.size());
  dequantise(format, blocks, back);
  std::vector<BlockFacts> out(blocks.scales.size());
  const auto size = static_cast<std::size_t>(format.size);
  for (std::size_t block = 0; block < out.size(); ++block) {
    BlockFacts& facts = out[block];
    facts.scale = block_scale(format, blocks, block);
    std::vector<double> errors;  // of the finite numbers
    for (std::size_t i = block * size; i < std::min((block + 1) * size, in.size()); ++i) {
      if (!std::isfinite(in[i])) {
        ++facts.non_finite;
        continue;
      }
      facts.amax = std::max(facts.amax, std::abs(in[i]));
      if (is_clipped(format, in[i], back[i], facts.scale)) {
        ++facts.clipped;
        facts.worst_clip = std::max(facts.worst_clip, 1 - std::abs(back[i] / in[i]));
      }
      if (in[i] != 0 && back[i] == 0) ++facts.zeroed;
      const double error = std::abs(back[i] - in[i]);
      errors.push_back(error);
      facts.largest_error = std::isnan(error) ? error : std::max(facts.largest_error, error);
    }
    facts.rms_error = root_mean_square(errors, facts.largest_error);
  }
  return out;
}

double signal_to_noise(std::span<const double> exact, std::span<const double> rounded) {
  double most = 0;
  for (const double x : exact) most = std::isfinite(x) ? std::max(most, std::abs(x)) : most;
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!std::isfinite(exact[i]) || !std::isfinite(rounded[i]) || most == 0) continue;
    const double share = exact[i] / most;  // squares of the numbers themselves may be no doubles
    const double error = (exact[i] - rounded[i]) / most;
    signal += share * share;
    noise += error * error;
  }
  return signal == 0 ? std::numeric_limits<double>::quiet_NaN() : 10 * std::log10(signal / noise);
}

}  // namespace assay
