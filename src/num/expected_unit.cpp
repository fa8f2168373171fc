// The expected error of a matrix unit.
//
// A fused step cuts each addend at Q = 2^(E − F), E the largest exponent of the group's products (of their inputs,
// added, so a product may be up to 4·2^E) and of the accumulator. A product that is a multiple of h < Q loses
// (Q − h)/2 on average toward zero, one that is smaller than Q all of itself. Then the sum is rounded into the
// accumulator. Both are roundings as in num/expected_error.h: means add up along the chain, with the sign of what is
// cut, and variances, too. With data of one sign the means are what counts: the bias of truncating units grows with
// K / g · Q and Q grows with the sum. The sum is followed with its mean error, since an accumulator that has lost a
// quarter reaches the next power of two later.
//
// Units that round to nearest (chains of multiply-adds, pairs) are sums with a rounding an addition.
//
// Where it fails: products of few values (FP8 times FP8 has trailing zeros more often than h says: less is lost, by up
// to a fifth); a unit whose alignment is not to zero and whose products are nearly all smaller than Q.

#include "num/expected_unit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "num/format.h"

namespace assay {

namespace {

int exponent_of(const NumberFormat& format, double number) {
  return number == 0 || !std::isfinite(number) ? format.emin : std::max(std::ilogb(number), format.emin);
}

class UnitWalk {
 public:
  explicit UnitWalk(const MatrixUnit& unit) : unit_(unit) {}

  void step(std::span<const double> a, std::span<const double> b) {
    switch (unit_.step) {
      case StepKind::kFused:
      case StepKind::kStaged: return fused(a, b);
      case StepKind::kPairs: return pairs(a, b);
      case StepKind::kFma:
      case StepKind::kMultiplyAdd: return chain(a, b);
    }
  }

  ExpectedSum sum;

 private:
  struct Product {
    double value, grid;
    int exponent;  // of the factors, added
  };

  Product product(double a, double b) const {
    return {a * b, spacing_at(unit_.input, a) * spacing_at(unit_.input, b),
            exponent_of(unit_.input, a) + exponent_of(unit_.input, b)};
  }

  void finish(const NumberFormat& format, Rounding rounding, double grid, Moments error, double exact) {
    error += rounding_moments(format, rounding, exact, grid);
    sum.value = exact + error.mean;
    sum.grid = std::max(grid, spacing_at(format, sum.value));
    sum.error += error;
    sum.peak = std::max(sum.peak, std::abs(exact));
  }

  void fused(std::span<const double> a, std::span<const double> b) {
    int largest = sum.value == 0 ? INT32_MIN : exponent_of(unit_.accumulator, sum.value);
    std::vector<Product> products;
    for (std::size_t k = 0; k < a.size(); ++k) {
      products.push_back(product(a[k], b[k]));
      if (products.back().value != 0) largest = std::max(largest, products.back().exponent);
    }
    if (largest == INT32_MIN) return;
    double exact = sum.value;
    double grid = sum.value == 0 ? INFINITY : sum.grid;
    Moments error;
    const double cut = unit_.fraction_bits == kNothingCut ? 0 : std::ldexp(1.0, largest - unit_.fraction_bits);
    if (sum.value != 0) error += cut_error(sum.value, sum.grid, cut);
    for (const Product& one : products) {
      if (one.value == 0) continue;
      exact += one.value;
      grid = std::min(grid, one.grid);
      error += cut_error(one.value, one.grid, cut);
    }
    exact += error.mean;
    sum.error += error;
    finish(unit_.accumulator, unit_.rounding, std::max(grid, cut), {}, exact);
  }

  Moments cut_error(double value, double grid, double cut) const {
    if (grid >= cut) return {};
    if (unit_.alignment == Rounding::kTowardZero && std::abs(value) < cut) return {-value, 0};
    return rounding_moments(unit_.alignment, cut, grid, value);
  }

  void chain(std::span<const double> a, std::span<const double> b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      Product one = product(a[k], b[k]);
      Moments error;
      if (unit_.step == StepKind::kMultiplyAdd) round_product(one, error);
      finish(unit_.accumulator, unit_.rounding, sum.value == 0 ? one.grid : std::min(sum.grid, one.grid), error,
             sum.value + one.value);
    }
  }

  void pairs(std::span<const double> a, std::span<const double> b) {
    Moments error;
    std::vector<Product> tree;
    for (std::size_t k = 0; k < a.size(); ++k) {
      tree.push_back(product(a[k], b[k]));
      round_product(tree.back(), error);
    }
    while (tree.size() > 1) {
      std::vector<Product> next;
      for (std::size_t i = 0; i + 1 < tree.size(); i += 2) {
        next.push_back({tree[i].value + tree[i + 1].value, std::min(tree[i].grid, tree[i + 1].grid), 0});
        round_product(next.back(), error);
      }
      if (tree.size() % 2 != 0) next.push_back(tree.back());
      tree = std::move(next);
    }
    const double grid = sum.value == 0 ? tree.front().grid : std::min(sum.grid, tree.front().grid);
    finish(unit_.accumulator, unit_.rounding, grid, error, sum.value + tree.front().value);
  }

  void round_product(Product& one, Moments& error) const {
    error += rounding_moments(unit_.accumulator, unit_.rounding, one.value, one.grid);
    one.grid = std::max(one.grid, spacing_at(unit_.accumulator, one.value));
  }

  const MatrixUnit& unit_;
};

}  // namespace

ExpectedSum expected_unit_sum(const MatrixUnit& unit, std::span<const double> a, std::span<const double> b) {
  UnitWalk walk(unit);
  const auto group = static_cast<std::size_t>(std::max(unit.group, 1));
  for (std::size_t k = 0; k < a.size(); k += group) {
    const std::size_t count = std::min(group, a.size() - k);
    walk.step(a.subspan(k, count), b.subspan(k, count));
  }
  return walk.sum;
}

SumBounds unit_bounds(const MatrixUnit& unit, std::size_t length) {
  const auto group = static_cast<std::size_t>(std::max(unit.group, 1));
  const auto steps = static_cast<double>((length + group - 1) / group);
  const double rounding = unit_roundoff(unit.accumulator) * (unit.rounding == Rounding::kNearestEven ? 1 : 2);
  const double cut = unit.fraction_bits == kNothingCut ? 0 : std::ldexp(1.0, -unit.fraction_bits);
  const bool one_by_one = unit.step == StepKind::kPairs || unit.step == StepKind::kMultiplyAdd;
  const double roundings = one_by_one ? std::log2(static_cast<double>(group)) + 2 : 1;
  const double total = steps * ((static_cast<double>(group) + 1) * cut + roundings * rounding);
  return {total, total};
}

}  // namespace assay
