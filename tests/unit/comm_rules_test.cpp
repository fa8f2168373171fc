// The numbers that the rules of sums over ranks tell, against sums and roundings that are done.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/check.h"
#include "num/distribution.h"
#include "num/format.h"
#include "num/real.h"
#include "num/round.h"
#include "rules/precision/precision_plan.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A value of the finding of a rule about one of its fixtures; of one of its evidences where `evidence` is named.
double told(std::string_view rule, std::string_view file, std::string_view value, std::string_view evidence = {}) {
  const fs::path path = fs::path(ASSAY_SOURCE_DIR) / "tests" / "rules" / rule / file;
  const auto report = check({path.string()}, {});
  if (!report) return std::nan("");
  for (const Finding& one : report->findings) {
    if (one.name != rule) continue;
    Values values = evidence.empty() ? one.message.values : Values();
    for (const Evidence& more : one.evidence) {
      if (!evidence.empty() && more.text.key == evidence) values = more.text.values;
    }
    for (const auto& [name, number] : values) {
      if (name == value) return std::get<double>(number.data);
    }
  }
  return std::nan("");
}

double in_fp16(double value) { return round_to(format_named("fp16"), real(value)).value; }

// Ranks that all have the same gradient, scaled, added one after the other in fp16.
double summed(double gradient, double scale, int ranks) {
  double sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum = in_fp16(sum + in_fp16(gradient * scale));
  return sum;
}

TEST(CommRules, TheSumOverflowsAboveTheToldGradient) {
  const double limit = told("reduce-overflow", "bad.json", "limit");  // 64 ranks, scale 65,536
  EXPECT_TRUE(std::isfinite(summed(0.99 * limit, 65536, 64)));
  EXPECT_TRUE(std::isinf(summed(1.02 * limit, 65536, 64)));
  const double divided = told("reduce-overflow", "bad.json", "divided");
  EXPECT_TRUE(std::isfinite(summed(0.99 * divided / 64, 65536, 64)));
  EXPECT_TRUE(std::isinf(summed(1.02 * divided / 64, 65536, 64)));
}

TEST(CommRules, WhatIsDividedFirstIsLostUpToTheToldGradient) {
  const double lost = told("reduce-overflow", "bad-megatron.sh", "lost");  // 1,024 ranks, scale 128
  EXPECT_EQ(in_fp16(lost * 128 / 1024), 0);
  EXPECT_GT(in_fp16(1.01 * lost * 128 / 1024), 0);
  const double unscaled = told("reduce-overflow", "bad-hook.yaml", "lost");  // 64 ranks
  EXPECT_EQ(in_fp16(unscaled / 64), 0);
  EXPECT_GT(in_fp16(1.01 * unscaled / 64), 0);
}

TEST(CommRules, TheLostShareIsThatOfDrawnGradients) {
  const double size = told("reduce-overflow", "bad-megatron.sh", "size", "share-of-one");
  const double share = told("reduce-overflow", "bad-megatron.sh", "share", "share-of-one");
  std::vector<double> gradients(400000);
  draw(Distribution::kNormal, 0, size, 5, 1, 0, gradients);
  std::size_t zeros = 0;
  for (const double one : gradients) zeros += in_fp16(one * 128 / 1024) == 0 ? 1U : 0U;
  EXPECT_NEAR(share, 100.0 * static_cast<double>(zeros) / static_cast<double>(gradients.size()), 0.05);
}

// Hops of a ring, one by one: 1,024 numbers of both signs in bf16.
TEST(CommRules, TheErrorOfARingIsThatOfItsHops) {
  const NumberFormat& bf16 = format_named("bf16");
  constexpr std::size_t kRows = 300;
  constexpr std::size_t kRanks = 1024;
  double error = 0;
  double square = 0;
  std::vector<double> numbers(kRanks);
  for (std::size_t row = 0; row < kRows; ++row) {
    draw(Distribution::kNormal, 0, 1, 9, row, 0, numbers);
    double exact = 0;
    double sum = 0;
    for (const double one : numbers) {
      exact += one;
      sum = round_to(bf16, real(sum + round_to(bf16, real(one)).value)).value;
    }
    error += (sum - exact) * (sum - exact);
    square += exact * exact;
  }
  const double measured = 100 * std::sqrt(error / square);
  EXPECT_NEAR(told("reduce-low-precision", "bad.sh", "error") / measured, 1, 0.1);
}

}  // namespace
}  // namespace assay
