// The expected error of a matrix unit.
//
// A fused step cuts each addend at Q = 2^(E − F), E the largest exponent of the group's products (of their inputs,
// added, so a product may be up to 4·2^E) and of the accumulator. What products lose at Q is the mean over a sample of
// them: those that are multiples of Q lose nothing, and products of FP8 numbers often are. Then the sum is rounded into
// the accumulator, as in num/expected_error.h. Means add up along the chain, with the sign of what is
// cut, and variances, too. With data of one sign the means are what counts: the bias of truncating units grows with
// K / g · Q and Q grows with the sum. The sum is followed with its mean error, since an accumulator that has lost a
// quarter reaches the next power of two later.
//
// Units that round to nearest (chains of multiply-adds, lanes of them, pairs) are sums with a rounding an addition.
//
// Where it fails: products of one row that are not like the sample's; sums that stay near zero though their addends are
// large.

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
  UnitWalk(const MatrixUnit& unit, TermRounding& cut) : unit_(unit), cut_(cut) {}

  void step(std::span<const double> a, std::span<const double> b) {
    switch (unit_.step) {
      case StepKind::kFused: return fused(a, b);
      case StepKind::kStaged: return staged(a, b);
      case StepKind::kLanes: return lanes(a, b);
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

  // The power of two at which addends are cut; 0: they are not.
  double cut_at(int largest, int bits) const { return bits == kNothingCut ? 0 : std::ldexp(1.0, largest - bits); }

  // The products' exact sum, cut at their own largest exponent or at `least`, whichever is larger.
  struct Products {
    double exact = 0, grid = INFINITY;
    int largest = INT32_MIN;
    Moments error;
  };

  Products products_of(std::span<const double> a, std::span<const double> b, int least) {
    Products out;
    out.largest = least;
    std::vector<Product> all;
    for (std::size_t k = 0; k < a.size(); ++k) {
      all.push_back(product(a[k], b[k]));
      if (all.back().value != 0) out.largest = std::max(out.largest, all.back().exponent);
    }
    if (out.largest == INT32_MIN) return out;
    const double cut = cut_at(out.largest, unit_.fraction_bits);
    for (const Product& one : all) {
      if (one.value == 0) continue;
      out.exact += one.value;
      out.grid = std::min(out.grid, std::max(one.grid, cut));
      if (cut > 0) out.error += cut_.to(cut, one.value);
    }
    return out;
  }

  int sum_exponent() const { return sum.value == 0 ? INT32_MIN : exponent_of(unit_.accumulator, sum.value); }

  void fused(std::span<const double> a, std::span<const double> b) {
    Products products = products_of(a, b, sum_exponent());
    if (products.largest == INT32_MIN) return;
    const double cut = cut_at(products.largest, unit_.fraction_bits);
    add_products(products, cut, cut, unit_.alignment);
  }

  // The products' sum and the accumulator are cut a second time, each at its own bits below the larger of the two.
  void staged(std::span<const double> a, std::span<const double> b) {
    Products products = products_of(a, b, INT32_MIN);
    if (products.largest == INT32_MIN) return;
    const int largest = std::max(exponent_of(unit_.accumulator, products.exact), sum_exponent());
    const double late = cut_at(largest, unit_.late_bits);
    if (late > 0) products.error += rounding_moments(unit_.late_alignment, late, products.grid, products.exact);
    products.grid = std::max(products.grid, late);
    add_products(products, cut_at(largest, unit_.fraction_bits), late, unit_.late_alignment);
  }

  void add_products(const Products& products, double sum_cut, double grid, Rounding alignment) {
    Moments error = products.error;
    if (sum.value != 0 && sum_cut > 0) error += rounding_moments(alignment, sum_cut, sum.grid, sum.value);
    const double finest = sum.value == 0 ? products.grid : std::min(products.grid, std::max(sum.grid, sum_cut));
    sum.error += error;
    finish(unit_.accumulator, unit_.rounding, std::max(finest, grid), {}, sum.value + products.exact + error.mean);
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
    add_tree(std::move(tree), error);
  }

  void lanes(std::span<const double> a, std::span<const double> b) {
    const std::size_t count = std::min(a.size(), static_cast<std::size_t>(unit_.interleaved));
    Moments error;
    std::vector<Product> tree;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const Product one = product(a[k], b[k]);
      if (k < count) {
        tree.push_back(one);
      } else {
        Product& lane = tree[k % count];
        lane = {lane.value + one.value, std::min(lane.grid, one.grid), 0};
      }
      round_product(tree[k % count], error);
    }
    add_tree(std::move(tree), error);
  }

  void add_tree(std::vector<Product> tree, Moments error) {
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
  TermRounding& cut_;
};

}  // namespace

ExpectedSum expected_unit_sum(const MatrixUnit& unit, std::span<const double> a, std::span<const double> b,
                              TermRounding& cut) {
  UnitWalk walk(unit, cut);
  const auto group = static_cast<std::size_t>(std::max(unit.group, 1));
  for (std::size_t k = 0; k < a.size(); k += group) {
    const std::size_t count = std::min(group, a.size() - k);
    walk.step(a.subspan(k, count), b.subspan(k, count));
  }
  return walk.sum;
}

SumBounds unit_bounds(const MatrixUnit& unit, std::size_t length) {
  const auto group = static_cast<std::size_t>(std::max(unit.group, 1));
  const std::size_t whole_steps = (length + group - 1) / group;
  const auto steps = static_cast<double>(whole_steps);
  const double rounding = unit_roundoff(unit.accumulator) * (unit.rounding == Rounding::kNearestEven ? 1 : 2);
  const double cut = unit.fraction_bits == kNothingCut ? 0 : std::ldexp(1.0, -unit.fraction_bits);
  const auto roundings_of_a_step = [&] {
    if (unit.step == StepKind::kFused || unit.step == StepKind::kStaged || unit.step == StepKind::kFma) return 1.0;
    const double lanes = unit.step == StepKind::kLanes ? unit.interleaved : unit.group;
    return static_cast<double>(unit.group) / lanes + std::log2(lanes) + 1;
  };
  const double roundings = roundings_of_a_step();
  const double total = steps * ((static_cast<double>(group) + 1) * cut + roundings * rounding);
  return {total, total};
}

}  // namespace assay
