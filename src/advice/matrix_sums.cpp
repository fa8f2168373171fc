// Sums of products in a matrix unit, for a model that does not exist yet.
//
// What a unit loses depends on its steps (num/expected_unit), on the length of the sums and on the data, of which a
// plan tells nothing. So two kinds stand for all: factors of N(0, 1), whose sums are noise, and factors of U(0, 1), all
// of one sign, where what truncation cuts off adds up. Activations and weights are nearer to the first, squares and
// probabilities to the second. The errors of a few rows are expected ones, not drawn, so that few are enough: rows
// differ by some percent.

#include "advice/matrix_sums.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "num/distribution.h"
#include "num/expected_unit.h"
#include "num/real.h"
#include "num/round.h"

namespace assay {

namespace {

constexpr std::size_t kProducts = std::size_t{1} << 16;  // of all rows: some milliseconds
constexpr std::size_t kLeastRows = 2;

std::vector<double> drawn(const MatrixUnit& unit, Distribution distribution, std::uint64_t stream, std::size_t count) {
  std::vector<double> out(count);
  draw({.distribution = distribution, .seed = 1, .stream = stream}, 0, out);
  for (double& one : out) one = round_to(unit.input, real(one)).value;
  return out;
}

struct Sums {
  double value = 0, value_squares = 0, error = 0, error_squares = 0;
};

Sums sums_of(const MatrixUnit& unit, Distribution distribution, std::size_t length) {
  const std::size_t rows = std::max(kLeastRows, kProducts / length);
  const std::vector<double> a = drawn(unit, distribution, 0, rows * length);
  const std::vector<double> b = drawn(unit, distribution, 1, rows * length);
  std::vector<double> products(std::min<std::size_t>(a.size(), kProducts));
  for (std::size_t i = 0; i < products.size(); ++i) products[i] = a[i] * b[i];
  TermRounding cut(std::move(products), unit.alignment, TermRounding::Zero::kOfTerm);
  Sums out;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto left = std::span(a).subspan(row * length, length), right = std::span(b).subspan(row * length, length);
    const ExpectedSum sum = expected_unit_sum(unit, left, right, cut);
    const double exact = sum.value - sum.error.mean;
    out.value += exact;
    out.value_squares += exact * exact;
    out.error += sum.error.mean;
    out.error_squares += sum.error.mean * sum.error.mean + sum.error.variance;
  }
  return out;
}

}  // namespace

UnitLoss expected_loss(const MatrixUnit& unit, std::size_t length) {
  const Sums noise = sums_of(unit, Distribution::kNormal, length), same = sums_of(unit, Distribution::kUniform, length);
  return {std::sqrt(noise.error_squares / noise.value_squares), same.error / same.value};
}

}  // namespace assay
