#pragma once
// Curves and lookups that the tests of the loss rules share.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule.h"
#include "unit/stat_random.h"
#include "unit/support/complete.h"
#include "unit/support/make_run.h"

namespace assay::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline const Rule& rule(std::string_view name) {
  const Rule* found = find_rule(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

inline std::vector<double> trained(std::size_t n, double first = 10.8, double floor = 3.0,
                                   unsigned long long seed = 1) {
  Random random(seed);
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = (floor + (first - floor) * std::exp(-static_cast<double>(i) / 15)) * (1 + 0.01 * random.gauss());
  }
  return out;
}

inline std::vector<double> norms(std::size_t n) {
  Random random(99);
  std::vector<double> out(n);
  for (double& x : out) x = 0.3 * std::exp(0.1 * random.gauss());
  return out;
}

inline void raise(std::vector<double>& values, std::size_t from, std::size_t to, double factor) {
  for (std::size_t i = from; i < to; ++i) values[i] *= factor;
}

inline std::string actions_of(const Rule& of, const Finding& finding) {
  std::string out;
  for (const Action& one : finding.actions)
    out += say(of, one.text) + (one.command.empty() ? "" : " | " + one.command) + "\n";
  return out;
}

inline std::string evidence_of(const Rule& of, const Finding& finding) {
  std::string out;
  for (const Evidence& one : finding.evidence)
    out += one.curve ? "curve " + one.curve->metric + "\n" : say(of, one.text) + "\n";
  return out;
}

// --- loss-spike ---

}  // namespace assay::test
