// Rounding against a search in the list of all numbers (naive_formats.h): all FP16 and all BF16 patterns, FP64 numbers
// beside every number and every middle, into every format, with every rounding and every overflow.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "num/codes.h"
#include "num/format.h"
#include "num/round.h"
#include "oracle/naive_formats.h"
#include "oracle/scale.h"

namespace assay {
namespace {

using oracle::kStride;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Target {
  NumberFormat format;
  oracle::Grid grid;
  bool sign, zero, negative_zero, infinity, nan, fnuz;
};

NumberFormat named(const std::string& name) {
  const Result<NumberFormat> format = number_format(name);
  EXPECT_TRUE(format.has_value()) << name;
  return format.value_or(NumberFormat{});
}

Target target_of(const oracle::Format& f) {
  const oracle::Grid grid = oracle::grid_of(f);
  return {.format = named(f.name),
          .grid = grid,
          .sign = f.has_sign(),
          .zero = grid.has_zero(),
          .negative_zero = f.has_negative_zero(),
          .infinity = f.has_infinity(),
          .nan = f.has_nan(),
          .fnuz = f.scheme == oracle::Scheme::kNegativeZeroNan};
}

Target described(int p, int emin, int emax, bool subnormals, bool infinity, bool nan) {
  const std::string name = "p=" + std::to_string(p) + ",emin=" + std::to_string(emin) +
                           ",emax=" + std::to_string(emax) + (subnormals ? "" : ",no-subnormals") +
                           (infinity ? "" : ",no-inf") + (nan ? "" : ",no-nan");
  return {.format = named(name),
          .grid = oracle::grid_of(p, emin, emax, subnormals),
          .sign = true,
          .zero = true,
          .negative_zero = true,
          .infinity = infinity,
          .nan = nan,
          .fnuz = false};
}

// MXINT8 has -2 beside its symmetric numbers: it is decoded, but rounding stays symmetric, as microscaling libraries
// have it.
const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> out;
    for (const oracle::Format& f : oracle::formats_up_to_20_bits()) out.push_back(target_of(f));
    out.push_back(described(1, -3, 4, true, true, true));
    out.push_back(described(1, -20, 20, false, false, false));
    out.push_back(described(2, -130, -120, true, true, true));
    out.push_back(described(3, 0, 0, true, false, true));
    out.push_back(described(5, -6, 7, false, true, true));
    out.push_back(described(6, 2, 9, true, true, false));
    out.push_back(described(9, -40, 3, true, true, true));
    return out;
  }();
  return all;
}

constexpr std::pair<Rounding, oracle::Mode> kModes[] = {
    {Rounding::kNearestEven, oracle::Mode::kNearestEven},
    {Rounding::kNearestAway, oracle::Mode::kNearestAway},
    {Rounding::kTowardZero, oracle::Mode::kTowardZero},
    {Rounding::kUp, oracle::Mode::kUp},
    {Rounding::kDown, oracle::Mode::kDown},
    {Rounding::kToOdd, oracle::Mode::kToOdd},
};
constexpr Overflow kOverflows[] = {Overflow::kInfinity, Overflow::kNan, Overflow::kSaturate, Overflow::kAscend};

struct Wanted {
  double value = 0;  // any NaN is NaN
  bool inexact = false, overflowed = false, away = false;
};

double infinity_becomes(const Target& t, bool negative, Overflow overflow) {
  const double most = negative ? -t.grid.largest() : t.grid.largest();
  if (overflow == Overflow::kAscend) return most;
  if (overflow == Overflow::kSaturate) return t.fnuz ? std::nan("") : most;
  if (overflow == Overflow::kInfinity && t.infinity) return negative ? -kInf : kInf;
  if (t.nan) return std::nan("");
  if (t.infinity) return negative ? -kInf : kInf;
  return most;
}

Wanted wanted_of_finite(const Target& t, bool negative, const oracle::Step& step, Overflow overflow) {
  Wanted out{.value = step.magnitude, .inexact = step.inexact, .overflowed = step.beyond, .away = step.away};
  if (step.beyond && !step.stopped && overflow != Overflow::kSaturate && overflow != Overflow::kAscend) {
    out.value = std::fabs(infinity_becomes(t, negative, overflow));
    out.away = std::isinf(out.value);
  }
  const bool zero = out.value == 0;
  if (negative && !(zero && !t.negative_zero)) out.value = -out.value;
  return out;
}

Wanted wanted_of_special(const Target& t, double x, Overflow overflow) {
  const bool negative = std::signbit(x);
  const bool none = !t.sign && negative;  // no number is nearest
  if (std::isnan(x) || none || (x == 0 && !t.zero)) {
    Wanted out{.value = t.nan ? std::nan("") : t.grid.largest(), .inexact = !std::isnan(x)};
    if (overflow == Overflow::kAscend && t.zero) out.value = 0;
    return out;
  }
  if (x == 0) return {.value = t.negative_zero ? x : 0.0};
  const double value = infinity_becomes(t, negative, overflow);
  return {.value = value, .inexact = !std::isinf(value), .overflowed = !std::isinf(value)};
}

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

class Mismatches {
 public:
  void check(const Target& t, double x, Rounding rounding, Overflow overflow, const Wanted& wanted) {
    const Rounded got = round_to(t.format, real(x), {.rounding = rounding, .overflow = overflow});
    if (same(got.value, wanted.value) && got.inexact == wanted.inexact && got.overflowed == wanted.overflowed &&
        got.away == wanted.away && !got.flushed) {
      return;
    }
    if (++count_ > 5) return;
    ADD_FAILURE() << t.format.name << ", rounding " << static_cast<int>(rounding) << ", overflow "
                  << static_cast<int>(overflow) << ", x = " << std::hexfloat << x << " (" << std::defaultfloat << x
                  << "): " << got.value << " inexact " << got.inexact << " overflowed " << got.overflowed << " away "
                  << got.away << "; wanted " << wanted.value << " " << wanted.inexact << wanted.overflowed
                  << wanted.away;
  }

  // With every rounding and every overflow.
  void check_all(const Target& t, double x) {
    if (!std::isfinite(x) || x == 0 || (!t.sign && x < 0)) {
      for (const Overflow overflow : kOverflows) {
        const Wanted wanted = wanted_of_special(t, x, overflow);
        for (const auto& [rounding, mode] : kModes) check(t, x, rounding, overflow, wanted);
      }
      return;
    }
    for (const auto& [rounding, mode] : kModes) {
      const oracle::Step step = oracle::round_magnitude(t.grid, std::fabs(x), mode, x < 0);
      for (const Overflow overflow : kOverflows) {
        check(t, x, rounding, overflow, wanted_of_finite(t, x < 0, step, overflow));
      }
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

void check_patterns(const char* source) {
  const oracle::Format* from = nullptr;
  const std::vector<oracle::Format> formats = oracle::formats_up_to_20_bits();
  for (const oracle::Format& one : formats) {
    if (one.name == source) from = &one;
  }
  ASSERT_NE(from, nullptr);
  for (const Target& t : targets()) {
    Mismatches mismatches;
    for (std::uint64_t code = 0; code < 65536; code += kStride) {
      const oracle::Meaning meaning = oracle::meaning(*from, code);
      const double nan = std::copysign(std::nan(""), meaning.negative ? -1.0 : 1.0);
      mismatches.check_all(t, meaning.kind == oracle::Kind::kNan ? nan : meaning.value());
    }
    EXPECT_EQ(mismatches.count(), 0U) << t.format.name;
  }
}

TEST(OracleRoundFp16, EveryPatternIntoEveryFormat) { check_patterns("float16"); }

TEST(OracleRoundBf16, EveryPatternIntoEveryFormat) { check_patterns("bfloat16"); }

// Every number and every middle of the format, and the FP64 numbers next to them: where rounding is decided.
TEST(OracleRoundDecisions, BesideEveryNumberAndMiddle) {
  for (const Target& t : targets()) {
    Mismatches mismatches;
    const std::size_t step = t.grid.values.size() > 40000 ? 16 * kStride + 1 : 1;
    for (std::size_t i = 0; i < t.grid.values.size(); i += step) {
      const double low = t.grid.values[i];
      const double high = i + 1 < t.grid.values.size() ? t.grid.values[i + 1] : t.grid.beyond;
      if (std::isinf(high)) continue;
      for (const double centre : {low, low + (high - low) / 2, high}) {
        for (const double x : {std::nextafter(centre, 0.0), centre, std::nextafter(centre, kInf)}) {
          mismatches.check_all(t, x);
          mismatches.check_all(t, -x);
        }
      }
    }
    EXPECT_EQ(mismatches.count(), 0U) << t.format.name;
  }
}

TEST(OracleRoundDecisions, ExtremesOfFp64) {
  for (const Target& t : targets()) {
    Mismatches mismatches;
    for (int exponent = -1074; exponent <= 1023; ++exponent) {
      for (const double x : {std::ldexp(1.0, exponent), std::nextafter(std::ldexp(1.0, exponent), 0.0)}) {
        mismatches.check_all(t, x);
        mismatches.check_all(t, -x);
      }
    }
    for (const double x : {std::numeric_limits<double>::max(), kInf, std::nan(""), 0.0}) {
      mismatches.check_all(t, x);
      mismatches.check_all(t, -x);
    }
    EXPECT_EQ(mismatches.count(), 0U) << t.format.name;
  }
}

// Whether a number is one of the format's: all FP16 and BF16 numbers looked up in its list.
TEST(OracleRoundDecisions, WhatIsInTheFormat) {
  for (const oracle::Format& f : oracle::formats_up_to_20_bits()) {
    const NumberFormat format = named(f.name);
    const oracle::Grid positive = oracle::grid_of(f), negative = oracle::grid_of(f, f.has_sign());
    const auto listed = [](const oracle::Grid& grid, double magnitude) {
      return std::binary_search(grid.values.begin(), grid.values.end(), magnitude);
    };
    for (const auto& [exponent_bits, bias] : {std::pair{5, 15}, std::pair{8, 127}}) {
      const oracle::Format source{"", exponent_bits, 15 - exponent_bits, bias, oracle::Scheme::kIeee};
      for (std::uint64_t code = 0; code < 65536; code += kStride) {
        const oracle::Meaning x = oracle::meaning(source, code);
        bool wanted = f.has_nan();
        if (x.kind == oracle::Kind::kInfinity) wanted = f.has_infinity();
        if (x.kind == oracle::Kind::kZero) wanted = positive.has_zero() && (!x.negative || f.has_negative_zero());
        if (x.kind == oracle::Kind::kSubnormal || x.kind == oracle::Kind::kNormal) {
          wanted = x.negative ? f.has_sign() && listed(negative, x.magnitude) : listed(positive, x.magnitude);
        }
        const double value = x.kind == oracle::Kind::kNan ? std::nan("") : x.value();
        ASSERT_EQ(is_in(format, value), wanted) << f.name << " " << value;
      }
    }
  }
}

// What is written down elsewhere, number by number.
TEST(OracleRoundPublished, Casts) {
  const auto value = [](const char* name, double x, RoundingRules rules = {}) {
    return round_to(named(name), real(x), rules).value;
  };
  constexpr RoundingRules kSaturating{.overflow = Overflow::kSaturate};
  constexpr RoundingRules kAscendMode{.overflow = Overflow::kAscend};
  // ONNX, "Float stored in 8 bits", the table of casts.
  for (const double x : {kInf, 500.0, 1e30}) {
    EXPECT_EQ(value("e4m3", x, kSaturating), 448);
    EXPECT_EQ(value("e4m3", -x, kSaturating), -448);
    EXPECT_TRUE(std::isnan(value("e4m3", x)));
    EXPECT_EQ(value("e5m2", x * 1000, kSaturating), 57344);
    EXPECT_EQ(value("e5m2", x * 1000), kInf);
  }
  for (const auto& [name, most] : {std::pair{"e4m3fnuz", 240.0}, std::pair{"e5m2fnuz", 57344.0}}) {
    EXPECT_TRUE(std::isnan(value(name, kInf, kSaturating)));
    EXPECT_TRUE(std::isnan(value(name, kInf)));
    EXPECT_EQ(value(name, 1e6, kSaturating), most);
    EXPECT_EQ(value(name, -1e6, kSaturating), -most);
    EXPECT_TRUE(std::isnan(value(name, 1e6)));
    EXPECT_FALSE(std::signbit(value(name, -0.0)));
  }
  EXPECT_EQ(value("e2m1", std::nan("")), 6);
  EXPECT_EQ(value("e2m1", -kInf), -6);
  // ml_dtypes: 464 is the middle of 448 and 480, and 448 is even.
  EXPECT_EQ(value("e4m3", 464), 448);
  EXPECT_TRUE(std::isnan(value("e4m3", std::nextafter(464.0, 1000.0))));
  // CANN's saturation mode: exp(12) in FP16 is 65504, sqrt(-1) is 0.
  EXPECT_EQ(value("fp16", std::exp(12.0), kAscendMode), 65504);
  EXPECT_EQ(value("fp16", kInf, kAscendMode), 65504);
  EXPECT_EQ(value("fp16", std::nan(""), kAscendMode), 0);
  // PyTorch's documentation of FP16: 1e-8 is 0, 65519 is 65504.
  EXPECT_EQ(value("fp16", 1e-8), 0);
  EXPECT_EQ(value("fp16", 65519), 65504);
  EXPECT_EQ(value("fp16", 65520), kInf);
  EXPECT_EQ(value("fp16", 0x1p-25), 0);
  EXPECT_EQ(value("bf16", 0.999), 1);
  // HiF8 converts with ties away: 2^-23 becomes the smallest number, 1.25 · 2^15 infinity.
  constexpr RoundingRules kAway{.rounding = Rounding::kNearestAway};
  EXPECT_EQ(value("hif8", 0x1p-23, kAway), 0x1p-22);
  EXPECT_EQ(value("hif8", std::nextafter(0x1p-23, 0), kAway), 0);
  EXPECT_EQ(value("hif8", 40960, kAway), kInf);
  EXPECT_EQ(value("hif8", std::nextafter(40960.0, 0), kAway), 32768);
  EXPECT_FALSE(std::signbit(value("hif8", -0x1p-24, kAway)));
}

}  // namespace
}  // namespace assay
