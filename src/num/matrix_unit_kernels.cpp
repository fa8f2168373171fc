// Sums of a matrix unit with vectors: rows side by side.
//
// A power of two is a double whose fraction is zero, so exponents are taken, added and compared as doubles: x with its
// fraction masked off is 2^exponent, their product is that of the product before it is normalised, and the largest is a
// maximum. Addends are then multiplied by 2^(F - exponent) and cut to whole numbers. All of these steps are exact, as
// are the sums: 65 addends of less than 2^(F + 2). Infinities and NaN need no care: an infinity masked is an infinity,
// scales are powers of two all the same, and sums come out as IEEE 754 has them.

#include <cstdint>

#include "num/matrix_unit_plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "num/matrix_unit_kernels.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using VecOf = hn::Vec<D>;

// 2^exponent, at least `least`; infinite of infinities and NaN.
template <class D>
HWY_INLINE VecOf<D> power_of(D d, VecOf<D> value, VecOf<D> least) {
  const hn::RebindToUnsigned<D> du;
  const auto field = hn::BitCast(d, hn::Set(du, std::uint64_t{0x7FF} << 52));
  return hn::Max(hn::And(value, field), least);
}

template <Rounding kCut, class V>
HWY_INLINE V cut(V value) {
  if constexpr (kCut == Rounding::kDown) return hn::Floor(value);
  if constexpr (kCut == Rounding::kUp) return hn::Ceil(value);
  if constexpr (kCut == Rounding::kNearestEven) return hn::Round(value);
  return hn::Trunc(value);
}

template <Rounding kCut, class D>
HWY_INLINE void fused_vector(D d, const FusedPlan& plan, std::size_t stride, std::size_t products, const double* a,
                             const double* b, const double* c, double* sums) {
  const hn::RebindToUnsigned<D> du;
  constexpr std::size_t kMost = 64;
  HWY_ALIGN double held[kMost * hn::MaxLanes(D())];
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto least = hn::Set(d, plan.least_input);
  const auto addend = hn::LoadU(d, c);
  auto top = power_of(d, addend, hn::Set(d, plan.least_accumulator));
  for (std::size_t k = 0; k < products; ++k) {
    const auto left = hn::LoadU(d, a + k * stride);
    const auto right = hn::LoadU(d, b + k * stride);
    const auto product = hn::Mul(left, right);
    const auto power = hn::Mul(power_of(d, left, least), power_of(d, right, least));
    top = hn::Max(top, hn::IfThenElseZero(hn::Ne(product, zero), power));
    hn::Store(product, d, held + k * lanes);
  }
  const auto bits = hn::BitCast(du, top);
  const auto fraction = static_cast<std::uint64_t>(plan.fraction_bits) << 52;
  const auto scale = hn::BitCast(d, hn::Sub(hn::Set(du, (std::uint64_t{2046} << 52) + fraction), bits));
  const auto quantum = hn::BitCast(d, hn::Sub(bits, hn::Set(du, fraction)));
  auto sum = hn::Add(zero, cut<kCut>(hn::Mul(addend, scale)));
  for (std::size_t k = 0; k < products; ++k) {
    sum = hn::Add(sum, cut<kCut>(hn::Mul(hn::Load(d, held + k * lanes), scale)));
  }
  hn::StoreU(hn::Mul(sum, quantum), d, sums);
}

template <Rounding kCut>
void fused_rows(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                const double* b, const double* c, double* sums) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t r = 0;
  for (; r + hn::Lanes(d) <= rows; r += hn::Lanes(d)) {
    fused_vector<kCut>(d, plan, stride, products, a + r, b + r, c + r, sums + r);
  }
  for (; r < rows; ++r) fused_vector<kCut>(one, plan, stride, products, a + r, b + r, c + r, sums + r);
}

void fused(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
           const double* b, const double* c, double* sums) {
  switch (plan.alignment) {
    case Rounding::kDown: return fused_rows<Rounding::kDown>(plan, rows, stride, products, a, b, c, sums);
    case Rounding::kUp: return fused_rows<Rounding::kUp>(plan, rows, stride, products, a, b, c, sums);
    case Rounding::kNearestEven: return fused_rows<Rounding::kNearestEven>(plan, rows, stride, products, a, b, c, sums);
    default: return fused_rows<Rounding::kTowardZero>(plan, rows, stride, products, a, b, c, sums);
  }
}

// What a + b lost by being rounded to `sum` (Knuth's TwoSum); NaN where the sum is not finite.
template <class V>
HWY_INLINE V lost(V a, V b, V sum) {
  const V part = hn::Sub(sum, a);
  return hn::Add(hn::Sub(a, hn::Sub(sum, part)), hn::Sub(b, part));
}

template <class D>
HWY_INLINE void plain_vector(D d, std::size_t stride, std::size_t products, const double* a, const double* b,
                             const double* c, double* sums, double* error) {
  auto sum = hn::Add(hn::Zero(d), hn::LoadU(d, c));
  auto wrong = hn::Zero(d);
  for (std::size_t k = 0; k < products; ++k) {
    const auto product = hn::Mul(hn::LoadU(d, a + k * stride), hn::LoadU(d, b + k * stride));
    const auto next = hn::Add(sum, product);
    wrong = hn::Or(wrong, lost(sum, product, next));
    sum = next;
  }
  hn::StoreU(sum, d, sums);
  hn::StoreU(wrong, d, error);
}

void plain(std::size_t rows, std::size_t stride, std::size_t products, const double* a, const double* b,
           const double* c, double* sums, double* error) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t r = 0;
  for (; r + hn::Lanes(d) <= rows; r += hn::Lanes(d)) {
    plain_vector(d, stride, products, a + r, b + r, c + r, sums + r, error + r);
  }
  for (; r < rows; ++r) plain_vector(one, stride, products, a + r, b + r, c + r, sums + r, error + r);
}

// The neighbour of the sum that has an odd last bit, where the sum is inexact: the sum itself, or the one beside it on
// the side of what was lost.
template <class D>
HWY_INLINE void odd_vector(D d, const double* a, const double* b, double* out) {
  const hn::RebindToSigned<D> di;
  const auto left = hn::LoadU(d, a);
  const auto right = hn::LoadU(d, b);
  const auto sum = hn::Add(left, right);
  const auto rest = lost(left, right, sum);
  const auto zero = hn::Zero(d);
  const auto inexact = hn::Or(hn::Lt(rest, zero), hn::Gt(rest, zero));
  const auto bits = hn::BitCast(di, sum);
  const auto one = hn::Set(di, std::int64_t{1});
  const auto odd = hn::Ne(hn::And(bits, one), hn::Zero(di));
  const auto inwards = hn::Lt(hn::BitCast(di, hn::Xor(sum, rest)), hn::Zero(di));
  const auto beside = hn::IfThenElse(inwards, hn::Sub(bits, one), hn::Add(bits, one));
  const auto move = hn::AndNot(hn::RebindMask(d, odd), inexact);
  hn::StoreU(hn::IfThenElse(move, hn::BitCast(d, beside), sum), d, out);
}

void odd(std::size_t count, const double* a, const double* b, double* out) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) odd_vector(d, a + i, b + i, out + i);
  for (; i < count; ++i) odd_vector(one, a + i, b + i, out + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(fused);
HWY_EXPORT(plain);
HWY_EXPORT(odd);

void fused_sums(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                const double* b, const double* c, double* sums) {
  HWY_DYNAMIC_DISPATCH(fused)(plan, rows, stride, products, a, b, c, sums);
}

void plain_sums(std::size_t rows, std::size_t stride, std::size_t products, const double* a, const double* b,
                const double* c, double* sums, double* error) {
  HWY_DYNAMIC_DISPATCH(plain)(rows, stride, products, a, b, c, sums, error);
}

void odd_sums(std::size_t count, const double* a, const double* b, double* out) {
  HWY_DYNAMIC_DISPATCH(odd)(count, a, b, out);
}

}  // namespace assay
#endif
