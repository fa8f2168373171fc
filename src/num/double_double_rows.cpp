// Sums of two doubles for many rows at once.
//
// A step is what operator+ does with one double less (DWPlusFP of Joldes, Muller, Popescu, 2 u²), and rows are
// independent, so lanes are rows. Infinities need care: two_sum of an infinity is infinity and NaN. Errors that are not
// finite count as 0, and a sum that is not finite gets lo = 0; that is two comparisons a step. Products take the error
// by a fused multiply-add: where a target's vectors have none, lane by lane from the C library, which gives the same
// bits.

#include <cmath>

#include "num/double_double.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "num/double_double_rows.cpp"
// clang-format off: the order is Highway's
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace assay {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V finite_or_zero(D d, V value) {
  return hn::IfThenElseZero(hn::Le(hn::Abs(value), hn::Set(d, std::numeric_limits<double>::max())), value);
}

// (hi, lo) + addend + more, where `more` is far below the addend.
template <class D, class V>
HWY_INLINE void add_one(D d, V& hi, V& lo, V addend, V more) {
  const V sum = hn::Add(hi, addend);
  const V part = hn::Sub(sum, hi);
  const V lacks = hn::Add(hn::Sub(hi, hn::Sub(sum, part)), hn::Sub(addend, part));
  const V low = hn::Add(finite_or_zero(d, lacks), hn::Add(lo, more));
  hi = hn::Add(sum, low);
  lo = finite_or_zero(d, hn::Sub(low, hn::Sub(hi, sum)));
}

// a · b - product, exactly.
template <class D, class V>
HWY_INLINE V product_lacks(D d, V a, V b, V product) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulSub(a, b, product);
#else
  HWY_ALIGN double left[HWY_MAX_BYTES / sizeof(double)];
  HWY_ALIGN double right[HWY_MAX_BYTES / sizeof(double)];
  HWY_ALIGN double away[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(a, d, left);
  hn::Store(b, d, right);
  hn::Store(product, d, away);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) away[i] = std::fma(left[i], right[i], -away[i]);
  return hn::Load(d, away);
#endif
}

template <class D>
HWY_INLINE void add_lanes(D d, double* hi, double* lo, const double* addend) {
  auto high = hn::LoadU(d, hi), low = hn::LoadU(d, lo);
  add_one(d, high, low, hn::LoadU(d, addend), hn::Zero(d));
  hn::StoreU(high, d, hi);
  hn::StoreU(low, d, lo);
}

template <class D>
HWY_INLINE void add_product_lanes(D d, double* hi, double* lo, const double* a, const double* b) {
  const auto left = hn::LoadU(d, a), right = hn::LoadU(d, b);
  const auto product = hn::Mul(left, right);
  auto high = hn::LoadU(d, hi), low = hn::LoadU(d, lo);
  add_one(d, high, low, product, finite_or_zero(d, product_lacks(d, left, right, product)));
  hn::StoreU(high, d, hi);
  hn::StoreU(low, d, lo);
}

void add_rows(double* hi, double* lo, const double* addend, std::size_t count) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) add_lanes(d, hi + i, lo + i, addend + i);
  for (; i < count; ++i) add_lanes(one, hi + i, lo + i, addend + i);
}

void add_product_rows(double* hi, double* lo, const double* a, const double* b, std::size_t count) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) add_product_lanes(d, hi + i, lo + i, a + i, b + i);
  for (; i < count; ++i) add_product_lanes(one, hi + i, lo + i, a + i, b + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(add_rows);
HWY_EXPORT(add_product_rows);

void add_to(std::span<double> hi, std::span<double> lo, std::span<const double> addend) {
  HWY_DYNAMIC_DISPATCH(add_rows)(hi.data(), lo.data(), addend.data(), hi.size());
}

void add_product_to(std::span<double> hi, std::span<double> lo, std::span<const double> a, std::span<const double> b) {
  HWY_DYNAMIC_DISPATCH(add_product_rows)(hi.data(), lo.data(), a.data(), b.data(), hi.size());
}

}  // namespace assay
#endif
