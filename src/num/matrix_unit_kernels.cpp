// Sums of a matrix unit with vectors: rows side by side.
//
// A power of two is a double whose fraction is zero, so exponents are taken, added and compared as doubles: x with its
// fraction masked off is 2^exponent, their product is that of the product before it is normalised, and the largest is a
// maximum. Addends are then multiplied by 2^(F - exponent) and cut to whole numbers. All of these steps are exact, as
// are the sums: 65 addends of less than 2^(F + 2). Infinities and NaN need no care: an infinity masked is an infinity,
// scales are powers of two all the same, and sums come out as IEEE 754 has them.

#include <cstdint>
#include <type_traits>

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

// A power of two, and the factor that makes whole numbers of multiples of 2^-bits of it.
template <class D>
struct Scale {
  Scale(D d, VecOf<D> power, int count) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, power);
    const auto fraction = static_cast<std::uint64_t>(count) << 52;
    factor = hn::BitCast(d, hn::Sub(hn::Set(du, (std::uint64_t{2046} << 52) + fraction), bits));
    quantum = hn::BitCast(d, hn::Sub(bits, hn::Set(du, fraction)));
  }
  VecOf<D> factor;
  VecOf<D> quantum;
};

// The products are left in `held`; `top`: the largest power so far.
template <bool kStaged, class D>
HWY_INLINE VecOf<D> multiply_vector(D d, const FusedPlan& plan, std::size_t stride, std::size_t products,
                                    const double* a, const double* b, VecOf<D> top, double* held) {
  const auto zero = hn::Zero(d);
  const auto least = hn::Set(d, plan.least_input);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t k = 0; k < products; ++k) {
    const auto left = hn::LoadU(d, a + k * stride);
    const auto right = hn::LoadU(d, b + k * stride);
    auto product = hn::Mul(left, right);
    const auto power = hn::Mul(power_of(d, left, least), power_of(d, right, least));
    top = hn::Max(top, hn::IfThenElseZero(hn::Ne(product, zero), power));
    if constexpr (kStaged) {
      const auto infinite = hn::CopySign(hn::Inf(d), product);
      product = hn::IfThenElse(hn::Ge(hn::Abs(product), hn::Set(d, plan.beyond)), infinite, product);
    }
    hn::Store(product, d, held + k * lanes);
  }
  return top;
}

template <Rounding kCut, class D>
HWY_INLINE VecOf<D> sum_vector(D d, std::size_t products, const double* held, VecOf<D> factor, VecOf<D> sum) {
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t k = 0; k < products; ++k) {
    sum = hn::Add(sum, cut<kCut>(hn::Mul(hn::Load(d, held + k * lanes), factor)));
  }
  return sum;
}

constexpr std::size_t kMostHeld = 64;  // products of a step

template <Rounding kCut, class D>
HWY_INLINE void fused_vector(D d, const FusedPlan& plan, std::size_t stride, std::size_t products, const double* a,
                             const double* b, const double* c, double* sums) {
  HWY_ALIGN double held[kMostHeld * hn::MaxLanes(D())];
  const auto addend = hn::LoadU(d, c);
  const auto least = power_of(d, addend, hn::Set(d, plan.least_accumulator));
  const Scale<D> scale(d, multiply_vector<false>(d, plan, stride, products, a, b, least, held), plan.fraction_bits);
  const auto first = hn::Add(hn::Zero(d), cut<kCut>(hn::Mul(addend, scale.factor)));
  hn::StoreU(hn::Mul(sum_vector<kCut>(d, products, held, scale.factor, first), scale.quantum), d, sums);
}

template <Rounding kCut, class D>
HWY_INLINE void staged_vector(D d, const FusedPlan& plan, std::size_t stride, std::size_t products, const double* a,
                              const double* b, double* sums, double* powers) {
  HWY_ALIGN double held[kMostHeld * hn::MaxLanes(D())];
  const auto least = hn::Set(d, plan.least_accumulator);
  const auto power = multiply_vector<true>(d, plan, stride, products, a, b, least, held);
  const Scale<D> scale(d, power, plan.fraction_bits);
  hn::StoreU(hn::Mul(sum_vector<kCut>(d, products, held, scale.factor, hn::Zero(d)), scale.quantum), d, sums);
  hn::StoreU(power, d, powers);
}

template <Rounding kCut, class D>
HWY_INLINE VecOf<D> cut_to(VecOf<D> value, const Scale<D>& scale) {
  return hn::Mul(cut<kCut>(hn::Mul(value, scale.factor)), scale.quantum);
}

template <Rounding kCut, class D>
HWY_INLINE void sets_vector(D d, const FusedPlan& plan, double* sums, double* powers, const double* more_sums,
                            const double* more_powers) {
  const auto power = hn::Max(hn::LoadU(d, powers), hn::LoadU(d, more_powers));
  const Scale<D> scale(d, power, plan.fraction_bits);
  const auto one = cut_to<kCut>(hn::LoadU(d, sums), scale);
  hn::StoreU(hn::Add(one, cut_to<kCut>(hn::LoadU(d, more_sums), scale)), d, sums);
  hn::StoreU(power, d, powers);
}

template <Rounding kCut, class D>
HWY_INLINE void result_vector(D d, const FusedPlan& plan, const double* sums, const double* powers, const double* c,
                              bool drop_far, double* out) {
  const hn::RebindToUnsigned<D> du;
  auto addend = hn::LoadU(d, c);
  const auto power = power_of(d, addend, hn::Set(d, plan.least_accumulator));
  const auto top = hn::Max(hn::LoadU(d, powers), power);
  if (drop_far) {
    const auto shift = static_cast<std::uint64_t>(plan.fraction_bits + 1) << 52;
    const auto below = hn::BitCast(d, hn::Sub(hn::BitCast(du, top), hn::Set(du, shift)));
    addend = hn::IfThenZeroElse(hn::Lt(power, below), addend);
  }
  const auto kept = cut_to<kCut>(addend, Scale<D>(d, top, plan.fraction_bits));
  const auto sum = cut_to<kCut>(hn::LoadU(d, sums), Scale<D>(d, top, plan.late_bits));
  hn::StoreU(hn::Add(hn::Add(hn::Zero(d), sum), kept), d, out);
}

// Calls work(tag, row) for each vector of rows, the last ones one by one.
template <class Work>
HWY_INLINE void for_rows(std::size_t rows, const Work& work) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  std::size_t r = 0;
  for (; r + hn::Lanes(d) <= rows; r += hn::Lanes(d)) work(d, r);
  for (; r < rows; ++r) work(one, r);
}

template <Rounding kMode>
using Cut = std::integral_constant<Rounding, kMode>;

// Calls work with the rounding as a type.
template <class Work>
HWY_INLINE void with_cut(Rounding mode, const Work& work) {
  switch (mode) {
    case Rounding::kDown: return work(Cut<Rounding::kDown>());
    case Rounding::kUp: return work(Cut<Rounding::kUp>());
    case Rounding::kNearestEven: return work(Cut<Rounding::kNearestEven>());
    default: return work(Cut<Rounding::kTowardZero>());
  }
}

void fused(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
           const double* b, const double* c, double* sums) {
  with_cut(plan.alignment, [&](auto mode) {
    for_rows(rows, [&](auto d, std::size_t r) {
      fused_vector<mode.value>(d, plan, stride, products, a + r, b + r, c + r, sums + r);
    });
  });
}

void products_staged(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                     const double* b, double* sums, double* powers) {
  with_cut(plan.alignment, [&](auto mode) {
    for_rows(rows, [&](auto d, std::size_t r) {
      staged_vector<mode.value>(d, plan, stride, products, a + r, b + r, sums + r, powers + r);
    });
  });
}

void sets_staged(const FusedPlan& plan, std::size_t rows, double* sums, double* powers, const double* more_sums,
                 const double* more_powers) {
  with_cut(plan.late_alignment, [&](auto mode) {
    for_rows(rows, [&](auto d, std::size_t r) {
      sets_vector<mode.value>(d, plan, sums + r, powers + r, more_sums + r, more_powers + r);
    });
  });
}

void results_staged(const FusedPlan& plan, std::size_t rows, const double* sums, const double* powers, const double* c,
                    bool drop_far, double* out) {
  with_cut(plan.late_alignment, [&](auto mode) {
    for_rows(rows, [&](auto d, std::size_t r) {
      result_vector<mode.value>(d, plan, sums + r, powers + r, c + r, drop_far, out + r);
    });
  });
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
  for_rows(rows,
           [&](auto d, std::size_t r) { plain_vector(d, stride, products, a + r, b + r, c + r, sums + r, error + r); });
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
  for_rows(count, [&](auto d, std::size_t i) { odd_vector(d, a + i, b + i, out + i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace assay
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

HWY_EXPORT(fused);
HWY_EXPORT(products_staged);
HWY_EXPORT(sets_staged);
HWY_EXPORT(results_staged);
HWY_EXPORT(plain);
HWY_EXPORT(odd);

void fused_sums(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                const double* b, const double* c, double* sums) {
  HWY_DYNAMIC_DISPATCH(fused)(plan, rows, stride, products, a, b, c, sums);
}

void staged_products(const FusedPlan& plan, std::size_t rows, std::size_t stride, std::size_t products, const double* a,
                     const double* b, double* sums, double* powers) {
  HWY_DYNAMIC_DISPATCH(products_staged)(plan, rows, stride, products, a, b, sums, powers);
}

void staged_sets(const FusedPlan& plan, std::size_t rows, double* sums, double* powers, const double* more_sums,
                 const double* more_powers) {
  HWY_DYNAMIC_DISPATCH(sets_staged)(plan, rows, sums, powers, more_sums, more_powers);
}

void staged_results(const FusedPlan& plan, std::size_t rows, const double* sums, const double* powers, const double* c,
                    bool drop_far, double* out) {
  HWY_DYNAMIC_DISPATCH(results_staged)(plan, rows, sums, powers, c, drop_far, out);
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
