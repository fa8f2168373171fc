// Rounding with vectors, on the patterns of bits.
//
// Of a number's pattern without its sign the lowest bits are those that the format lacks. Every rounding is then: add
// something to them, and cut them off. A carry out of them is the step to the next number, and runs on into the
// exponent where it must, because patterns are ordered as the numbers are. What is added, d bits being cut off:
//   to nearest, ties away   2^(d-1)                      to nearest even   2^(d-1) - 1, and the last bit kept
//   away from zero          2^d - 1                      toward zero       0
//   to odd                  2^d - 1 where the last bit kept is 0
//   stochastic              the highest of d random bits; r of them may be random
// Below the smallest normal number the format's quantum stays while that of floats shrinks: those lanes shift their
// significand, each by its own count, to a whole number of quanta n, by the same rule. n goes back to a number by being
// put into the fraction of 2^(digits - 1) quanta, which is then subtracted. For nearest-even the processor does it all:
// adding that power of two leaves no room for less than a quantum. This needs the environment that C++ programs start
// in (rounding to nearest even, subnormal numbers kept); all else is integers.
// Too large numbers, infinities and NaN are found after rounding by one comparison, and are rare.
//
// The constants come from a RoundPlan, the kind of rounding is a template's argument: nothing is decided per lane.

#include <cstring>
#include <limits>

#include "num/round_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "num/rounder_kernels.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using UnsignedOf = hn::Vec<hn::RebindToUnsigned<D>>;

template <typename Float>
constexpr int kFraction = std::numeric_limits<Float>::digits - 1;

template <typename Float>
constexpr int kWidth = 8 * sizeof(Float);

template <typename Float>
constexpr BitsOf<Float> kSignBit = BitsOf<Float>{1} << (kWidth<Float> - 1);

template <typename Float>
constexpr BitsOf<Float> kInfinityBits = (kSignBit<Float> - 1) & ~((BitsOf<Float>{1} << kFraction<Float>)-1);

// Patterns without sign: compared as signed numbers, which all processors can.
template <class D>
HWY_INLINE auto less(D d, UnsignedOf<D> a, UnsignedOf<D> b) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToUnsigned<D> du;
  (void)d;
  return hn::RebindMask(du, hn::Lt(hn::BitCast(di, a), hn::BitCast(di, b)));
}

// All ones in the lanes of negative numbers.
template <class D>
HWY_INLINE UnsignedOf<D> where_negative(D, UnsignedOf<D> sign) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(du, hn::BroadcastSignBit(hn::BitCast(di, sign)));
}

// What is added before the lowest bits are cut off.
template <Rounding kMode, typename Float, class D>
HWY_INLINE UnsignedOf<D> bias_of(D d, const RoundPlan<Float>& plan, UnsignedOf<D> magnitude, UnsignedOf<D> sign,
                                 UnsignedOf<D> word) {
  const hn::RebindToUnsigned<D> du;
  const auto bias = hn::Set(du, plan.bias);
  if constexpr (kMode == Rounding::kUp) return hn::AndNot(where_negative(d, sign), bias);
  if constexpr (kMode == Rounding::kDown) return hn::And(where_negative(d, sign), bias);
  if constexpr (kMode == Rounding::kStochastic) {
    const auto random = hn::ShiftLeft<kWidth<Float> - 32>(hn::And(word, hn::Set(du, plan.random_kept)));
    return hn::And(hn::ShiftRightSame(random, plan.random_shift), hn::Set(du, plan.dropped));
  }
  if constexpr (kMode == Rounding::kNearestEven || kMode == Rounding::kToOdd) {
    const auto odd = hn::And(hn::ShiftRightSame(magnitude, plan.drop), hn::Set(du, plan.parity));
    if constexpr (kMode == Rounding::kNearestEven) return hn::Add(bias, odd);
    return hn::And(bias, hn::Sub(odd, hn::Set(du, BitsOf<Float>{1})));
  }
  return bias;
}

// The fraction that is left over, `word` added to it: 1 where that carries. Shifts: 1 or more.
template <typename Float, class D>
HWY_INLINE UnsignedOf<D> random_carry(D d, const RoundPlan<Float>& plan, UnsignedOf<D> significand, UnsignedOf<D> shift,
                                      UnsignedOf<D> word) {
  const hn::RebindToUnsigned<D> du;
  using Bits = BitsOf<Float>;
  constexpr int kAll = kWidth<Float>;
  const auto width = hn::Set(du, Bits{kAll});
  const auto zero = hn::Zero(du);
  const auto most = hn::Set(du, Bits{kAll - 1});
  const auto beyond = hn::Sub(shift, width);  // counted from the width: left where less, right where more
  const auto is_left = less(d, shift, width);
  const auto left = hn::IfThenElse(is_left, hn::Sub(width, shift), zero);
  const auto right = hn::IfThenElse(is_left, zero, hn::IfThenElse(less(d, beyond, most), beyond, most));
  const auto kept = hn::Set(du, Bits{plan.random_kept} << (kAll - 32));
  const auto rest = hn::And(hn::Shr(hn::Shl(significand, left), right), kept);
  const auto random = hn::And(hn::ShiftLeft<kAll - 32>(word), kept);
  const auto sum = hn::Add(rest, random);
  const auto carry = hn::Or(hn::And(rest, random), hn::AndNot(sum, hn::Or(rest, random)));
  return hn::ShiftRight<kAll - 1>(carry);
}

// Numbers below plan.small, in quanta; of others 0.
template <Rounding kMode, typename Float, class D>
HWY_INLINE UnsignedOf<D> small_quanta(D d, const RoundPlan<Float>& plan, UnsignedOf<D> magnitude, UnsignedOf<D> sign,
                                      UnsignedOf<D> word) {
  const hn::RebindToUnsigned<D> du;
  using Bits = BitsOf<Float>;
  const auto one = hn::Set(du, Bits{1});
  const auto field = hn::ShiftRight<kFraction<Float>>(magnitude);
  const auto exponent = hn::IfThenElse(hn::Eq(field, hn::Zero(du)), one, field);
  const auto significand = hn::Sub(magnitude, hn::ShiftLeft<kFraction<Float>>(hn::Sub(exponent, one)));
  const auto shift = hn::Sub(hn::Set(du, static_cast<Bits>(plan.small_shift)), exponent);
  // From here on less than a quarter is left in any case, and all sums stay below the sign.
  const auto enough = hn::Set(du, Bits{kWidth<Float> - 2});
  const auto capped = hn::IfThenElse(less(d, shift, enough), shift, enough);
  const auto whole = hn::Shr(significand, capped);
  if constexpr (kMode == Rounding::kTowardZero) return whole;
  if constexpr (kMode == Rounding::kStochastic)
    return hn::Add(whole, random_carry<Float>(d, plan, significand, shift, word));
  if constexpr (kMode == Rounding::kNearestAway) {
    const auto half = hn::Shl(one, hn::Sub(capped, one));
    return hn::Shr(hn::Add(significand, half), capped);
  }
  auto bias = hn::Sub(hn::Shl(one, capped), one);
  if constexpr (kMode == Rounding::kUp) bias = hn::AndNot(where_negative(d, sign), bias);
  if constexpr (kMode == Rounding::kDown) bias = hn::And(where_negative(d, sign), bias);
  if constexpr (kMode == Rounding::kToOdd) bias = hn::And(bias, hn::Sub(hn::And(whole, one), one));
  return hn::Shr(hn::Add(significand, bias), capped);
}

// Replaces the lanes below plan.small.
template <Rounding kMode, typename Float, class D>
HWY_INLINE UnsignedOf<D> with_small(D d, const RoundPlan<Float>& plan, UnsignedOf<D> rounded, UnsignedOf<D> magnitude,
                                    UnsignedOf<D> sign, UnsignedOf<D> word) {
  const hn::RebindToUnsigned<D> du;
  const auto is_small = less(d, magnitude, hn::Set(du, plan.small));
  const auto quantum = hn::Set(du, plan.small_quantum);
  if constexpr (kMode == Rounding::kNearestEven) {
    const auto power = hn::BitCast(d, quantum);
    const auto sum = hn::Add(hn::BitCast(d, magnitude), power);
    return hn::IfThenElse(is_small, hn::BitCast(du, hn::Sub(sum, power)), rounded);
  }
  if (hn::AllFalse(du, is_small)) return rounded;
  const auto quanta = small_quanta<kMode>(d, plan, hn::IfThenElseZero(is_small, magnitude), sign, word);
  const auto sum = hn::BitCast(d, hn::Add(quanta, quantum));
  return hn::IfThenElse(is_small, hn::BitCast(du, hn::Sub(sum, hn::BitCast(d, quantum))), rounded);
}

template <class DU, class M, typename Bits>
HWY_INLINE hn::Vec<DU> choose(DU du, M negative, const Bits (&by_sign)[2]) {
  return hn::IfThenElse(negative, hn::Set(du, by_sign[1]), hn::Set(du, by_sign[0]));
}

// Replaces the lanes that are too large, infinite or NaN.
template <typename Float, class D, class M>
HWY_NOINLINE UnsignedOf<D> with_special(D d, const RoundPlan<Float>& plan, UnsignedOf<D> result,
                                        UnsignedOf<D> magnitude, UnsignedOf<D> sign, M too_large) {
  const hn::RebindToUnsigned<D> du;
  const auto negative = hn::Ne(sign, hn::Zero(du));
  const auto infinite = hn::Set(du, kInfinityBits<Float>);
  result = hn::IfThenElse(too_large, choose(du, negative, plan.overflow), result);
  result = hn::IfThenElse(hn::Eq(magnitude, infinite), choose(du, negative, plan.infinity), result);
  const auto nan = hn::Or(hn::And(magnitude, hn::Set(du, plan.nan_kept)), choose(du, negative, plan.nan));
  return hn::IfThenElse(less(d, infinite, magnitude), nan, result);
}

template <Rounding kMode, bool kPlain, typename Float, class D>
HWY_INLINE hn::Vec<D> round_vector(D d, const RoundPlan<Float>& plan, hn::Vec<D> x, UnsignedOf<D> word) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, x);
  const auto sign = hn::And(bits, hn::Set(du, kSignBit<Float>));
  auto magnitude = hn::Xor(bits, sign);
  if constexpr (!kPlain) magnitude = hn::IfThenZeroElse(less(d, magnitude, hn::Set(du, plan.flush_input)), magnitude);
  // NaN as infinity until it is replaced, so that no sum reaches the sign.
  const auto infinite = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(kInfinityBits<Float>));
  const auto below_nan = hn::BitCast(du, hn::Min(hn::BitCast(di, magnitude), infinite));
  const auto biased = hn::Add(below_nan, bias_of<kMode>(d, plan, below_nan, sign, word));
  auto rounded = hn::AndNot(hn::Set(du, plan.dropped), biased);
  rounded = with_small<kMode>(d, plan, rounded, below_nan, sign, word);
  const auto too_large = less(d, hn::Set(du, plan.largest), rounded);
  auto result = hn::Or(rounded, sign);
  if constexpr (!kPlain) {
    const auto is_zero = hn::Or(hn::Eq(rounded, hn::Zero(du)), less(d, rounded, hn::Set(du, plan.flush_output)));
    const auto zero = hn::And(sign, hn::Set(du, plan.zero_sign[1]));
    result = hn::IfThenElse(is_zero, zero, result);
  }
  if (HWY_UNLIKELY(!hn::AllFalse(du, too_large)))
    result = with_special<Float>(d, plan, result, magnitude, sign, too_large);
  return hn::BitCast(d, result);
}

template <Rounding kMode, class D>
HWY_INLINE UnsignedOf<D> load_words(D, const std::uint32_t* words, std::size_t at) {
  const hn::RebindToUnsigned<D> du;
  if constexpr (kMode != Rounding::kStochastic) return hn::Zero(du);
  const hn::Rebind<std::uint32_t, D> narrow;
  if constexpr (sizeof(hn::TFromD<D>) == 4) return hn::LoadU(narrow, words + at);
  if constexpr (sizeof(hn::TFromD<D>) == 8) return hn::PromoteTo(du, hn::LoadU(narrow, words + at));
}

template <Rounding kMode, bool kPlain, typename Float>
void round_all(const RoundPlan<Float>& given, const Float* in, Float* out, std::size_t count,
               const std::uint32_t* words) {
  const RoundPlan<Float> plan = given;  // what cannot alias `out` stays in registers
  const hn::ScalableTag<Float> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto word = load_words<kMode>(d, words, i);
    hn::StoreU(round_vector<kMode, kPlain>(d, plan, hn::LoadU(d, in + i), word), d, out + i);
  }
  if (i == count) return;
  HWY_ALIGN Float rest[HWY_MAX_BYTES / sizeof(Float)] = {};
  HWY_ALIGN std::uint32_t rest_words[HWY_MAX_BYTES / sizeof(Float)] = {};
  std::memcpy(rest, in + i, (count - i) * sizeof(Float));
  if constexpr (kMode == Rounding::kStochastic) std::memcpy(rest_words, words + i, (count - i) * sizeof *words);
  const auto word = load_words<kMode>(d, rest_words, 0);
  hn::Store(round_vector<kMode, kPlain>(d, plan, hn::Load(d, rest), word), d, rest);
  std::memcpy(out + i, rest, (count - i) * sizeof(Float));
}

template <Rounding kMode, typename Float>
void round_mode(const RoundPlan<Float>& plan, const Float* in, Float* out, std::size_t count,
                const std::uint32_t* words) {
  if (plan.plain)
    round_all<kMode, true>(plan, in, out, count, words);
  else
    round_all<kMode, false>(plan, in, out, count, words);
}

template <typename Float>
HWY_INLINE void round_any(const RoundPlan<Float>& plan, const Float* in, Float* out, std::size_t count,
                          const std::uint32_t* words) {
  switch (plan.rounding) {
    case Rounding::kNearestEven: return round_mode<Rounding::kNearestEven>(plan, in, out, count, words);
    case Rounding::kNearestAway: return round_mode<Rounding::kNearestAway>(plan, in, out, count, words);
    case Rounding::kTowardZero: return round_mode<Rounding::kTowardZero>(plan, in, out, count, words);
    case Rounding::kUp: return round_mode<Rounding::kUp>(plan, in, out, count, words);
    case Rounding::kDown: return round_mode<Rounding::kDown>(plan, in, out, count, words);
    case Rounding::kToOdd: return round_mode<Rounding::kToOdd>(plan, in, out, count, words);
    case Rounding::kStochastic: return round_mode<Rounding::kStochastic>(plan, in, out, count, words);
  }
}

void round_floats(const RoundPlan<float>& plan, const float* in, float* out, std::size_t count,
                  const std::uint32_t* words) {
  round_any(plan, in, out, count, words);
}

void round_doubles(const RoundPlan<double>& plan, const double* in, double* out, std::size_t count,
                   const std::uint32_t* words) {
  round_any(plan, in, out, count, words);
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(round_floats);
HWY_EXPORT(round_doubles);

void round_vectors(const RoundPlan<float>& plan, const float* in, float* out, std::size_t count,
                   const std::uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(round_floats)(plan, in, out, count, words);
}

void round_vectors(const RoundPlan<double>& plan, const double* in, double* out, std::size_t count,
                   const std::uint32_t* words) {
  HWY_DYNAMIC_DISPATCH(round_doubles)(plan, in, out, count, words);
}

}  // namespace assay
#endif
