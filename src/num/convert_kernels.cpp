// Floats to codes and back, with vectors.
//
// Code and pattern have the same order of fields, so a code is the float's pattern, rounded, shifted and moved by the
// difference of the biases; a carry out of the fraction runs into the exponent as it must. Below the smallest normal
// number a code counts quanta: adding the power of two whose last place is the quantum rounds to nearest even, and
// leaves the count in the lowest bits. Both are computed for every lane and one is chosen: small numbers are too common
// among gradients for a branch. Too large numbers, infinities and NaN are found by one comparison, and are rare.
// Decoding is the same backward; there the count of quanta is put into the power of two, which is then subtracted.
//
// Conversion instructions (F16C, AVX-512 BF16) are not used: they know two formats, some flush subnormal numbers, and
// the memory is what limits these loops.

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

HWY_INLINE WordVector encode_vector(const CodePlan& plan, FloatVector x) {
  const Floats d;
  const Words du;
  const Signed di;
  const auto bits = hn::BitCast(du, x);
  const auto sign = hn::And(bits, hn::Set(du, kSign));
  const auto magnitude = hn::Xor(bits, sign);
  // NaN as infinity until it is replaced, so that no sum reaches the sign.
  const auto infinite = hn::Set(di, static_cast<std::int32_t>(kInfinity));
  const auto below_nan = hn::BitCast(du, hn::Min(hn::BitCast(di, magnitude), infinite));
  const auto last = hn::ShiftRightSame(hn::Or(below_nan, hn::Set(du, plan.always_odd)), plan.drop);
  const auto odd = hn::And(last, hn::Set(du, plan.parity));
  const auto biased = hn::Add(hn::Add(below_nan, hn::Set(du, plan.bias)), odd);
  const auto normal = hn::Sub(hn::ShiftRightSame(biased, plan.drop), hn::Set(du, plan.rebias));
  const auto quantum = hn::Set(du, plan.small_quantum);
  const auto sum = hn::Add(hn::BitCast(d, below_nan), hn::BitCast(d, quantum));
  const auto small = hn::Sub(hn::BitCast(du, sum), quantum);
  const auto rounded = hn::IfThenElse(less_than(below_nan, hn::Set(du, plan.small)), small, normal);
  const auto too_large = less_than(hn::Set(du, plan.largest), rounded);
  // Minus zero may be the code of NaN.
  const auto code_sign = hn::ShiftRightSame(sign, plan.sign_shift);
  const auto with_sign = hn::Or(rounded, code_sign);
  const auto is_zero = hn::Eq(rounded, hn::Zero(du));
  auto code = hn::IfThenElse(is_zero, hn::And(code_sign, hn::Set(du, plan.negative_zero)), with_sign);
  if (HWY_UNLIKELY(!hn::AllFalse(du, too_large))) code = special_codes(plan, code, too_large, magnitude, sign);
  return code;
}

HWY_INLINE FloatVector decode_vector(const CodePlan& plan, WordVector code) {
  const Floats d;
  const Words du;
  const auto magnitude = hn::And(code, hn::Set(du, plan.magnitude));
  const auto sign = hn::And(hn::ShiftLeftSame(code, plan.sign_shift), hn::Set(du, kSign));
  const auto normal = hn::ShiftLeftSame(hn::Add(magnitude, hn::Set(du, plan.rebias)), plan.drop);
  const auto quantum = hn::Set(du, plan.small_quantum);
  const auto sum = hn::BitCast(d, hn::Add(magnitude, quantum));
  const auto small = hn::BitCast(du, hn::Sub(sum, hn::BitCast(d, quantum)));
  const auto is_small = less_than(magnitude, hn::Set(du, plan.first_normal));
  auto bits = hn::Or(hn::IfThenElse(is_small, small, normal), sign);
  const auto only_nan = hn::Eq(hn::Or(sign, magnitude), hn::Set(du, plan.only_nan));
  const auto special = hn::Or(less_than(hn::Set(du, plan.largest), magnitude), only_nan);
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

template <typename Code>
void encode_all(const CodePlan& given, const float* in, Code* out, std::size_t count) {
  const CodePlan plan = given;  // what cannot alias `out` stays in registers
  const Floats d;
  const hn::Rebind<Code, Floats> codes;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(narrowed<Code>(encode_vector(plan, hn::LoadU(d, in + i))), codes, out + i);
  if (i == count) return;
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN Code rest_codes[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(rest, in + i, (count - i) * sizeof(float));
  hn::StoreU(narrowed<Code>(encode_vector(plan, hn::Load(d, rest))), codes, rest_codes);
  std::memcpy(out + i, rest_codes, (count - i) * sizeof(Code));
}

template <typename Code>
void decode_all(const CodePlan& given, const Code* in, float* out, std::size_t count) {
  const CodePlan plan = given;
  const Floats d;
  const Words du;
  const hn::Rebind<Code, Floats> codes;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(decode_vector(plan, hn::PromoteTo(du, hn::LoadU(codes, in + i))), d, out + i);
  if (i == count) return;
  HWY_ALIGN Code rest[HWY_MAX_BYTES / sizeof(float)] = {};
  HWY_ALIGN float rest_floats[HWY_MAX_BYTES / sizeof(float)];
  std::memcpy(rest, in + i, (count - i) * sizeof(Code));
  hn::StoreU(decode_vector(plan, hn::PromoteTo(du, hn::LoadU(codes, rest))), d, rest_floats);
  std::memcpy(out + i, rest_floats, (count - i) * sizeof(float));
}

void encode_8(const CodePlan& plan, const float* in, std::uint8_t* out, std::size_t count) {
  encode_all(plan, in, out, count);
}
void encode_16(const CodePlan& plan, const float* in, std::uint16_t* out, std::size_t count) {
  encode_all(plan, in, out, count);
}
void decode_8(const CodePlan& plan, const std::uint8_t* in, float* out, std::size_t count) {
  decode_all(plan, in, out, count);
}
void decode_16(const CodePlan& plan, const std::uint16_t* in, float* out, std::size_t count) {
  decode_all(plan, in, out, count);
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
