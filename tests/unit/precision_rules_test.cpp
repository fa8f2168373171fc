// The numbers that the rules of precision tell, against rounding drawn number by number.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "assay/check.h"
#include "num/distribution.h"
#include "num/real.h"
#include "num/round.h"
#include "rules/precision/precision_plan.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDrawn = 200000;

// A value of the finding of a rule about one of its fixtures.
double told(std::string_view rule, std::string_view file, std::string_view value) {
  const fs::path path = fs::path(ASSAY_SOURCE_DIR) / "tests" / "rules" / rule / file;
  const auto report = check({path.string()}, {});
  if (!report) return std::nan("");
  for (const Finding& one : report->findings) {
    if (one.name != rule) continue;
    for (const auto& [name, told] : one.message.values) {
      if (name == value) return std::get<double>(told.data);
    }
  }
  return std::nan("");
}

std::vector<double> drawn(Distribution distribution, double deviation, std::uint64_t stream) {
  std::vector<double> out(kDrawn);
  draw({.distribution = distribution, .deviation = deviation, .seed = 7, .stream = stream, .as_float = false}, 0, out);
  return out;
}

double in_format(std::string_view format, double value) { return round_to(format_named(format), real(value)).value; }

// Percent of bf16 weights that an update leaves where they are.
double unmoved(const std::vector<double>& updates) {
  const auto weights = drawn(Distribution::kNormal, 0.02, 1);
  std::size_t same = 0;
  for (std::size_t i = 0; i < kDrawn; ++i) {
    const double weight = in_format("bf16", weights[i]);
    same += in_format("bf16", weight - updates[i]) == weight ? 1U : 0U;
  }
  return 100.0 * static_cast<double>(same) / kDrawn;
}

TEST(PrecisionRules, SwallowedShareIsThatOfDrawnUpdates) {
  const double rho = std::sqrt(0.1 / 1.9);  // beta1 0.9
  EXPECT_NEAR(told("update-swallowed", "bad.yaml", "lost"), unmoved(drawn(Distribution::kNormal, 1e-4 * rho, 2)), 1);
  EXPECT_NEAR(told("update-swallowed", "bad.yaml", "full"), unmoved(std::vector<double>(kDrawn, 1e-4)), 1);
  EXPECT_NEAR(told("update-swallowed", "bad-fine-tuning.sh", "lost"),
              unmoved(drawn(Distribution::kNormal, 3e-5 * rho, 3)), 1);
}

TEST(PrecisionRules, ErrorOfTf32ProductsIsThatOfRoundedFactors) {
  const auto spread = drawn(Distribution::kUniform, 1, 4);
  double squares = 0;
  for (std::size_t i = 0; i + 1 < kDrawn; i += 2) {
    const double a = std::exp2(spread[i]);
    const double b = std::exp2(spread[i + 1]);
    const double error = in_format("tf32", a) * in_format("tf32", b) / (a * b) - 1;
    squares += error * error;
  }
  const double rms = std::sqrt(squares / (kDrawn / 2));
  EXPECT_NEAR(told("narrow-matmul-inputs", "bad.sh", "error") / rms, 1, 0.01);
}

}  // namespace
}  // namespace assay
