#pragma once
// Formats and floating-point patterns on which the vector kernels of num/ are held against the scalar reference.

#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "assay/number_format.h"
#include "gtest/gtest.h"
#include "num/round.h"
#include "num/round_plan.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ASSAY_SANITIZED 1
#endif
#endif

namespace assay::test {

#ifdef ASSAY_SANITIZED
inline constexpr int kRandomFormats = 6;
inline constexpr int kRandomPatterns = 100;
#else
inline constexpr int kRandomFormats = 60;
inline constexpr int kRandomPatterns = 2000;
#endif

inline constexpr Rounding kAllRoundings[] = {Rounding::kNearestEven, Rounding::kNearestAway, Rounding::kTowardZero,
                                             Rounding::kUp,          Rounding::kDown,        Rounding::kToOdd,
                                             Rounding::kStochastic};
inline constexpr Overflow kAllOverflows[] = {Overflow::kInfinity, Overflow::kNan, Overflow::kSaturate,
                                             Overflow::kAscend};

/// Runs it once with each instruction set that this processor has, and that of processors which have none.
inline void for_each_target(const std::function<void()>& run) {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const std::int64_t fallback = HWY_TARGETS & (HWY_SCALAR | HWY_EMU128);
  if (fallback != 0 && std::ranges::count(targets, fallback) == 0) targets.push_back(fallback);
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    run();
    hwy::SetSupportedTargetsForTest(0);
    if (testing::Test::HasFailure()) return;
  }
}

/// With no more precision than `digits`, normal numbers from 2^emin to 2^emax; a few reach below, to the subnormals.
inline NumberFormat random_format(std::mt19937_64& random, int digits, int emin, int emax) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  NumberFormat out;
  out.precision = 1 + below(digits);
  const bool low = below(6) == 0;
  const int floor = low ? emin - digits + out.precision : emin;
  const int range = below(2) == 0 ? 40 : emax - floor;
  out.emin = below(4) == 0 ? floor : below(2) == 0 ? -below(30) : floor + below(emax - floor + 1);
  out.emax = std::min(emax, out.emin + below(range + 1));
  switch (below(4)) {
    case 0: out.infinities = Infinities::kNone; break;
    case 1: out.nans = Nans::kAllOnes; break;
    case 2: out.nans = Nans::kNegativeZero; break;
    default: break;
  }
  if (out.nans != Nans::kIeee) out.infinities = Infinities::kNone;
  if (out.nans == Nans::kIeee && out.precision == 1) out.nans = Nans::kNone;
  out.has_subnormals = below(5) != 0;
  out.name = "p=" + std::to_string(out.precision) + ",emin=" + std::to_string(out.emin) +
             ",emax=" + std::to_string(out.emax) + (out.has_subnormals ? "" : ",no-subnormals") +
             ",nans=" + std::to_string(static_cast<int>(out.nans));
  return out;
}

/// Exponent fields where something happens in the format: the array's ends, 1, and the format's ends.
template <typename Float>
std::vector<int> exponent_fields(const NumberFormat& format) {
  constexpr int kBias = std::numeric_limits<Float>::max_exponent - 1;
  constexpr int kAllOnes = 2 * kBias + 1;
  std::vector<int> out;
  const auto around = [&](int middle, int below, int above) {
    for (int field = middle - below; field <= middle + above; ++field)
      if (field >= 0 && field <= kAllOnes) out.push_back(field);
  };
  around(0, 0, 3);
  around(kAllOnes, 3, 0);
  around(kBias, 2, 2);
  around(format.emin + kBias, 3, 2);
  around(format.emin - format.precision + kBias, 3, 3);
  around(format.emin - format.precision + kBias - 33, 1, 1);
  around(format.emax + kBias, 2, 3);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Each exponent with significands at and beside every place where a rounding turns, both signs; then random patterns.
template <typename Float>
std::vector<Float> patterns(const NumberFormat& format, bool all_exponents, int random_patterns, std::uint64_t seed) {
  using Bits = BitsOf<Float>;
  constexpr int kFraction = std::numeric_limits<Float>::digits - 1;
  constexpr Bits kOnes = (Bits{1} << kFraction) - 1;
  std::vector<Bits> fractions = {0, 1, 2, kOnes, kOnes - 1, Bits{1} << (kFraction - 1), kOnes >> 1};
  for (const int kept : {format.precision - 1, format.precision - 2, 1}) {
    const int drop = kFraction - kept;
    if (drop < 1 || drop > kFraction) continue;
    const Bits half = Bits{1} << (drop - 1);
    for (const Bits whole : {Bits{0}, half << 1, kOnes & ~((half << 1) - 1)}) {
      for (const Bits rest : {Bits{0}, Bits{1}, half - 1, half, half + 1, (half << 1) - 1})
        fractions.push_back((whole + rest) & kOnes);
    }
  }
  std::ranges::sort(fractions);
  fractions.erase(std::unique(fractions.begin(), fractions.end()), fractions.end());
  std::vector<int> fields = exponent_fields<Float>(format);
  if (all_exponents) {
    fields.clear();
    for (int field = 0; field < 2 * std::numeric_limits<Float>::max_exponent; ++field) fields.push_back(field);
  }
  std::vector<Float> out;
  const auto both_signs = [&](Bits magnitude) {
    out.push_back(std::bit_cast<Float>(magnitude));
    out.push_back(std::bit_cast<Float>(magnitude | Bits{1} << (8 * sizeof(Float) - 1)));
  };
  for (const int field : fields)
    for (const Bits fraction : fractions) both_signs(static_cast<Bits>(field) << kFraction | fraction);
  std::mt19937_64 random(seed);
  for (int i = 0; i < random_patterns; ++i) out.push_back(std::bit_cast<Float>(static_cast<Bits>(random())));
  return out;
}

/// All combinations of rounding, overflow and flushing: 112.
inline std::vector<RoundingRules> all_rules() {
  std::vector<RoundingRules> out;
  for (const Rounding rounding : kAllRoundings)
    for (const Overflow overflow : kAllOverflows)
      for (const int flush : {0, 1, 2, 3}) {
        RoundingRules rules{.rounding = rounding, .overflow = overflow, .seed = 42};
        rules.flush_inputs = (flush & 1) != 0;
        rules.flush_outputs = (flush & 2) != 0;
        rules.random_bits = std::vector{1, 7, 16, 32}[out.size() % 4];
        out.push_back(rules);
      }
  return out;
}

inline std::string describe(const NumberFormat& format, const RoundingRules& rules) {
  return format.name + " rounding " + std::to_string(static_cast<int>(rules.rounding)) + " overflow " +
         std::to_string(static_cast<int>(rules.overflow)) + (rules.flush_inputs ? " flush_inputs" : "") +
         (rules.flush_outputs ? " flush_outputs" : "") + " random bits " + std::to_string(rules.random_bits);
}

}  // namespace assay::test
