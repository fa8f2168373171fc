// The predicted error of a sum across ranks against sums that are done, and against the formulas of its essay.

#include "sim/reduce_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "num/distribution.h"
#include "num/lanes.h"
#include "num/real.h"
#include "num/round.h"
#include "rules/precision/precision_plan.h"

namespace assay {
namespace {

using Kind = Collective::Kind;

NumberFormat named(std::string_view name) { return number_format(name).value(); }

AllReduce over(Kind kind, std::size_t ranks, std::string_view wire) {
  return {.collective = {.kind = kind, .ranks = ranks}, .wire = named(wire)};
}

// Drawn and added up: rms of the error over that of the sums of many such numbers. Sizes are spread over a binade, as
// the prediction takes them.
double measured(const AllReduce& how, std::size_t rows) {
  const std::size_t ranks = how.collective.ranks;
  Lanes exact(rows, ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::span<double> of_rank = exact.at(rank);
    draw(Distribution::kNormal, 0, 1, 11, rank, 0, of_rank);
    for (std::size_t row = 0; row < rows; ++row) {
      of_rank[row] *= std::exp2(static_cast<double>(row) / static_cast<double>(rows));
    }
  }
  Lanes sent = exact;
  for (double& one : sent.values) one = round_to(how.wire, real(one)).value;
  const std::vector<double> got = all_reduced(how, sent);
  double error = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) sum += exact.at(rank)[row];
    error +=
        (got[row] - sum) * (got[row] - sum) / std::exp2(2.0 * static_cast<double>(row) / static_cast<double>(rows));
  }
  return std::sqrt(error / static_cast<double>(rows * ranks));
}

TEST(ReduceError, IsThatOfDrawnSums) {
  for (const std::size_t ranks : {8U, 64U, 256U}) {
    for (const Kind kind : {Kind::kRing, Kind::kRecursiveDoubling, Kind::kDoubleTree, Kind::kSwitch}) {
      for (const std::string_view wire : {"bf16", "fp16"}) {
        const AllReduce how = over(kind, ranks, wire);
        EXPECT_NEAR(measured(how, 4000) / expected_reduce_error(how), 1, 0.1)
            << facts_of(kind).name << ", " << ranks << " ranks, " << wire;
      }
    }
  }
  AllReduce nodes = over(Kind::kHierarchical, 128, "bf16");
  EXPECT_NEAR(measured(nodes, 4000) / expected_reduce_error(nodes), 1, 0.1);
  nodes.inside = named("fp32");
  EXPECT_NEAR(measured(nodes, 4000) / expected_reduce_error(nodes), 1, 0.1);
}

TEST(ReduceError, OfALongRingIsNear) {
  const AllReduce how = over(Kind::kRing, 256, "bf16");
  EXPECT_NEAR(measured(how, 4000) / expected_reduce_error(how), 1, 0.05);
}

TEST(ReduceError, HasTheFormulasOfTheEssay) {
  const double cu = kRmsOfRounding * 0x1p-8;
  for (const double n : {2.0, 8.0, 384.0, 1024.0}) {
    const auto ranks = static_cast<std::size_t>(n);
    const double ring = cu * std::sqrt((n + n * (n + 1) / 2 - 1) / n);
    EXPECT_NEAR(expected_reduce_error(over(Kind::kRing, ranks, "bf16")) / ring, 1, 1e-5) << n;
    // Equal numbers: every partial sum of m terms is rounded, m from 2 to n, and the n numbers before.
    double squares = n;
    for (double m = 2; m <= n; ++m) squares += m * m;
    EXPECT_NEAR(expected_reduce_error(over(Kind::kRing, ranks, "bf16"), Shards::kEqual) / (cu * std::sqrt(squares) / n),
                1, 1e-5)
        << n;
  }
  EXPECT_NEAR(expected_reduce_error(over(Kind::kRecursiveDoubling, 1024, "bf16")) / (cu * std::sqrt(11)), 1, 1e-5);
  EXPECT_NEAR(expected_running_error(named("bf16"), 32) / (cu * std::sqrt((32 + 32 * 33 / 2 - 1) / 32.0)), 1, 1e-5);
  EXPECT_NEAR(expected_reduce_error(over(Kind::kRing, 1, "bf16")) / cu, 1, 1e-5);
}

// The same numbers in two orders: every rank as the first once.
TEST(ReduceError, TwoOrdersDifferByRootTwoOfIt) {
  AllReduce one = over(Kind::kServer, 64, "bf16");
  const AllReduce other = over(Kind::kLinear, 64, "bf16");
  Lanes numbers(8000, 64);
  for (std::size_t rank = 0; rank < 64; ++rank) draw(Distribution::kNormal, 0, 1, 3, rank, 0, numbers.at(rank));
  for (double& value : numbers.values) value = round_to(one.wire, real(value)).value;
  const std::vector<double> a = all_reduced(one, numbers);
  const std::vector<double> b = all_reduced(other, numbers);
  double difference = 0;
  double square = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    difference += (a[row] - b[row]) * (a[row] - b[row]);
    square += a[row] * a[row];
  }
  // Rounding the numbers is the same in both: it is in the error, not in the difference.
  EXPECT_NEAR(std::sqrt(difference / square) / order_difference(expected_reduce_error(one)), 1, 0.1);
}

}  // namespace
}  // namespace assay
