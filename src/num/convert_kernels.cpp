// Floats to codes and back, with vectors.
//
// Code and pattern have the same order of fields, so a code is the float's pattern, rounded, moved by the difference of
// the biases and shifted; a carry out of the fraction runs into the exponent as it must. NaN is carried out of its
// range, too, but not beyond 32 bits, and the shift brings it below the sign again. Below the smallest normal number a
// code counts quanta: adding the power of two whose last place is the quantum rounds to nearest even, and leaves the
// count in the lowest bits. Both are computed for every lane and one is chosen, because small numbers are too common
// among gradients for a branch. Too large numbers, infinities and NaN are found by one comparison, and are rare.
// Decoding is the same backward; there the count of quanta is put into the power of two, which is then subtracted.
//
// Constants that tell formats apart come from a CodePlan. Two differences are arguments of templates: whether small
// numbers are apart (BF16's are FP32's own), and whether there is a -0. One kernel for all, with more instructions,
// took 0.8 to 1.2 us for 4,096 numbers in the cache (AVX-512), these take 0.5 to 1.0 us; from memory all are alike.
//
// Conversion instructions (F16C, AVX-512 BF16) are not used: they know two formats, some flush subnormal numbers, and
// memory is what limits these loops.

#include <cstring>

#include "num/convert_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "num/convert_kernels.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Signed = hn::RebindToSigned<Floats>;
using FloatVector = hn::Vec<Floats>;
using WordVector = hn::Vec<Words>;

constexpr std::uint32_t kSign = 0x8000'0000;
constexpr std::uint32_t kInfinity = 0x7F80'0000;

// Of patterns and codes without sign.
HWY_INLINE hn::Mask<Words> less_than(WordVector a, WordVector b) {
  const Signed di;
  return hn::RebindMask(Words(), hn::Lt(hn::BitCast(di, a), hn::BitCast(di, b)));
}

HWY_INLINE WordVector choose_by(hn::Mask<Words> negative, const std::uint32_t (&by_sign)[2]) {
  const Words du;
  return hn::IfThenElse(negative, hn::Set(du, by_sign[1]), hn::Set(du, by_sign[0]));
}

// The lanes that are too large, infinite or NaN replaced.
HWY_INLINE WordVector special_codes(const CodePlan& plan, WordVector code, hn::Mask<Words> too_large,
                                    WordVector magnitude, WordVector sign) {
  const Words du;
  const auto negative = hn::Ne(sign, hn::Zero(du));
  const auto infinite = hn::Set(du, kInfinity);
  code = hn::IfThenElse(too_large, choose_by(negative, plan.overflow), code);
  code = hn::IfThenElse(hn::Eq(magnitude, infinite), choose_by(negative, plan.infinity), code);
  const auto payload = hn::And(hn::ShiftRightSame(magnitude, plan.drop), hn::Set(du, plan.nan_kept));
  const auto nan = hn::Or(payload, choose_by(negative, plan.nan));
  return hn::IfThenElse(less_than(infinite, magnitude), nan, code);
}

// kSmall: there are numbers below the smallest normal one that the float's pattern does not show as such. kMinusZero:
// as in most formats; else its code, if any, is that of NaN.
template <bool kSmall, bool kMinusZero>
HWY_INLINE WordVector encode_vector(const CodePlan& plan, FloatVector x) {
  const Floats d;
  const Words du;
  const auto bits = hn::BitCast(du, x);
  const auto magnitude = hn::And(bits, hn::Set(du, ~kSign));
  const auto odd = hn::And(hn::ShiftRightSame(magnitude, plan.drop), hn::Set(du, plan.parity));
  const auto biased = hn::Add(hn::Add(magnitude, hn::Set(du, plan.bias)), odd);
  auto rounded = hn::ShiftRightSame(biased, plan.drop);
  if constexpr (kSmall) {
    const auto quantum = hn::Set(du, plan.small_quantum);
    const auto sum = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, quantum));
    const auto is_small = less_than(magnitude, hn::Set(du, plan.small));
    rounded = hn::IfThenElse(is_small, hn::Sub(hn::BitCast(du, sum), quantum), rounded);
  }
  const auto too_large = less_than(hn::Set(du, plan.largest), rounded);
  const auto sign = hn::And(hn::ShiftRightSame(bits, plan.sign_shift), hn::Set(du, plan.sign));
  auto code = hn::Or(rounded, sign);
  if constexpr (!kMinusZero) code = hn::IfThenZeroElse(hn::Eq(rounded, hn::Zero(du)), code);
  if (HWY_UNLIKELY(!hn::AllFalse(du, too_large))) code = special_codes(plan, code, too_large, magnitude, sign);
  return code;
}

template <bool kSmall, bool kMinusZero>
HWY_INLINE FloatVector decode_vector(const CodePlan& plan, WordVector code) {
  const Floats d;
  const Words du;
  const auto magnitude = hn::And(code, hn::Set(du, plan.sign - 1));
  const auto sign = hn::And(hn::ShiftLeftSame(code, plan.sign_shift), hn::Set(du, kSign));
  auto bits = hn::Add(hn::ShiftLeftSame(magnitude, plan.drop), hn::Set(du, plan.rebias));
  if constexpr (kSmall) {
    const auto quantum = hn::Set(du, plan.small_quantum);
    const auto sum = hn::BitCast(d, hn::Add(magnitude, quantum));
    const auto is_small = less_than(magnitude, hn::Set(du, plan.first_normal));
    bits = hn::IfThenElse(is_small, hn::BitCast(du, hn::Sub(sum, hn::BitCast(d, quantum))), bits);
  }
  bits = hn::Or(bits, sign);
  auto special = less_than(hn::Set(du, plan.largest), magnitude);
  if constexpr (!kMinusZero) special = hn::Or(special, hn::Eq(hn::Or(sign, magnitude), hn::Set(du, plan.only_nan)));
  if (HWY_UNLIKELY(!hn::AllFalse(du, special))) {
    const auto negative = hn::Ne(sign, hn::Zero(du));
    const auto payload = hn::And(hn::ShiftLeftSame(magnitude, plan.drop), hn::Set(du, plan.nan_pattern_kept));
    const auto nan = hn::Or(payload, choose_by(negative, plan.nan_pattern));
    const auto is_infinite = hn::Eq(magnitude, hn::Set(du, plan.infinite_code));
    const auto infinity = hn::Or(hn::Set(du, kInfinity), sign);
    bits = hn::IfThenElse(special, hn::IfThenElse(is_infinite, infinity, nan), bits);
  }
  return hn::BitCast(d, bits);
}

template <typename Code>
HWY_INLINE hn::Vec<hn::Rebind<Code, Floats>> narrowed(WordVector code) {
  const Signed di;
  return hn::DemoteTo(hn::Rebind<Code, Floats>(), hn::BitCast(di, code));
}

template <bool kSmall, bool kMinusZero, typename Code>
void encode_all(const CodePlan& given, const float* in, Code* out, std::size_t count) {
  const CodePlan plan = given;  // what cannot alias `out` stays in registers
  const Floats d;
  const hn::Rebind<Code, Floats> codes;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(narrowed<Code>(encode_vector<kSmall, kMinusZero>(plan, hn::LoadU(d, in + i))), codes, out + i);
  if (i == count) return;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN Code rest_codes[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(rest, in + i, (count - i) * sizeof(float));
  hn::StoreU(narrowed<Code>(encode_vector<kSmall, kMinusZero>(plan, hn::Load(d, rest))), codes, rest_codes);
  std::memcpy(out + i, rest_codes, (count - i) * sizeof(Code));
}

template <bool kSmall, bool kMinusZero, typename Code>
void decode_all(const CodePlan& given, const Code* in, float* out, std::size_t count) {
  const CodePlan plan = given;
  const Floats d;
  const Words du;
  const hn::Rebind<Code, Floats> codes;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(decode_vector<kSmall, kMinusZero>(plan, hn::PromoteTo(du, hn::LoadU(codes, in + i))), d, out + i);
  if (i == count) return;
  HWY_ALIGN Code rest[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN float rest_floats[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(rest, in + i, (count - i) * sizeof(Code));
  hn::StoreU(decode_vector<kSmall, kMinusZero>(plan, hn::PromoteTo(du, hn::LoadU(codes, rest))), d, rest_floats);
  std::memcpy(out + i, rest_floats, (count - i) * sizeof(float));
}

template <typename Code>
HWY_INLINE void encode_any(const CodePlan& plan, const float* in, Code* out, std::size_t count) {
  if (plan.small != 0 && plan.minus_zero)
    encode_all<true, true>(plan, in, out, count);
  else if (plan.small != 0)
    encode_all<true, false>(plan, in, out, count);
  else if (plan.minus_zero)
    encode_all<false, true>(plan, in, out, count);
  else
    encode_all<false, false>(plan, in, out, count);
}

template <typename Code>
HWY_INLINE void decode_any(const CodePlan& plan, const Code* in, float* out, std::size_t count) {
  if (plan.small != 0 && plan.minus_zero)
    decode_all<true, true>(plan, in, out, count);
  else if (plan.small != 0)
    decode_all<true, false>(plan, in, out, count);
  else if (plan.minus_zero)
    decode_all<false, true>(plan, in, out, count);
  else
    decode_all<false, false>(plan, in, out, count);
}

void encode_8(const CodePlan& plan, const float* in, std::uint8_t* out, std::size_t count) {
  encode_any(plan, in, out, count);
}
void encode_16(const CodePlan& plan, const float* in, std::uint16_t* out, std::size_t count) {
  encode_any(plan, in, out, count);
}
void decode_8(const CodePlan& plan, const std::uint8_t* in, float* out, std::size_t count) {
  decode_any(plan, in, out, count);
}
void decode_16(const CodePlan& plan, const std::uint16_t* in, float* out, std::size_t count) {
  decode_any(plan, in, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(encode_8);
HWY_EXPORT(encode_16);
HWY_EXPORT(decode_8);
HWY_EXPORT(decode_16);

template <>
void encode_vectors(const CodePlan& plan, const float* in, std::uint8_t* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(encode_8)(plan, in, out, count);
}

template <>
void encode_vectors(const CodePlan& plan, const float* in, std::uint16_t* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(encode_16)(plan, in, out, count);
}

template <>
void decode_vectors(const CodePlan& plan, const std::uint8_t* in, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(decode_8)(plan, in, out, count);
}

template <>
void decode_vectors(const CodePlan& plan, const std::uint16_t* in, float* out, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(decode_16)(plan, in, out, count);
}

}  // namespace assay
#endif
