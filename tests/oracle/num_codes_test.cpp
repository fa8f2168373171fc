// Every code of every format up to 20 bits against a decoder of the test's own (naive_formats.h), and codes of FP32 and
// FP64 against the machine's.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include "num/codes.h"
#include "num/format.h"
#include "num/round.h"
#include "oracle/naive_formats.h"

namespace assay {
namespace {

NumberFormat named(const std::string& name) {
  const Result<NumberFormat> format = number_format(name);
  EXPECT_TRUE(format.has_value()) << name;
  return format.value_or(NumberFormat{});
}

std::uint64_t bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

NumberClass class_of_kind(oracle::Kind kind) {
  switch (kind) {
    case oracle::Kind::kZero: return NumberClass::kZero;
    case oracle::Kind::kSubnormal: return NumberClass::kSubnormal;
    case oracle::Kind::kNormal: return NumberClass::kNormal;
    case oracle::Kind::kInfinity: return NumberClass::kInfinity;
    case oracle::Kind::kNan: break;
  }
  return NumberClass::kNan;
}

TEST(OracleCodes, EveryCodeDecodes) {
  for (const oracle::Format& wanted : oracle::formats_up_to_20_bits()) {
    SCOPED_TRACE(wanted.name);
    const NumberFormat format = named(wanted.name);
    ASSERT_EQ(format.bits, wanted.bits() + wanted.unused);
    ASSERT_EQ(format.unused_bits, wanted.unused);
    for (std::uint64_t code = 0; code < std::uint64_t{1} << wanted.bits(); ++code) {
      const oracle::Meaning meaning = oracle::meaning(wanted, code);
      const double value = decode(format, code << wanted.unused);
      ASSERT_EQ(class_of(format, value), class_of_kind(meaning.kind)) << code;
      if (meaning.kind == oracle::Kind::kNan) {
        if (wanted.scheme == oracle::Scheme::kIeee) {
          ASSERT_EQ(bits_of(value) << 1 >> (53 - wanted.fraction_bits),
                    std::uint64_t{0x7FF} << wanted.fraction_bits | meaning.fraction)
              << code;
        }
        if (wanted.scheme == oracle::Scheme::kIeee || wanted.scheme == oracle::Scheme::kAllOnesNan) {
          ASSERT_EQ(std::signbit(value), meaning.negative) << code;
        }
      } else {
        ASSERT_EQ(bits_of(value), bits_of(meaning.value())) << code;
      }
      ASSERT_TRUE(is_in(format, value)) << code;
    }
  }
}

TEST(OracleCodes, EveryCodeComesBack) {
  for (const oracle::Format& wanted : oracle::formats_up_to_20_bits()) {
    SCOPED_TRACE(wanted.name);
    const NumberFormat format = named(wanted.name);
    for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << wanted.bits(); ++pattern) {
      const std::uint64_t code = pattern << wanted.unused;
      ASSERT_EQ(encode(format, decode(format, code)), code);
      // What lies above the pattern and in its unused bits is no part of it.
      const std::uint64_t dirt = (std::uint64_t{1} << wanted.unused) - 1 + (std::uint64_t{0xA5} << format.bits);
      ASSERT_EQ(encode(format, decode(format, code | dirt)), code);
    }
  }
}

TEST(OracleCodes, FieldsAreThePattern) {
  for (const oracle::Format& wanted : oracle::formats_up_to_20_bits()) {
    SCOPED_TRACE(wanted.name);
    const NumberFormat format = named(wanted.name);
    for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << wanted.bits(); ++pattern) {
      const std::uint64_t code = pattern << wanted.unused;
      std::uint64_t joined = 0;
      int width = 0;
      for (const CodeField& field : fields_of(format, code)) {
        ASSERT_GT(field.bits, 0);
        ASSERT_LT(field.value, std::uint64_t{1} << field.bits);
        joined = joined << field.bits | field.value;
        width += field.bits;
        if (field.kind == CodeField::Kind::kExponent && wanted.scheme != oracle::Scheme::kTapered) {
          ASSERT_EQ(field.bits, wanted.exponent_bits);
        }
        ASSERT_TRUE(field.kind != CodeField::Kind::kUnused || field.bits == wanted.unused);
      }
      ASSERT_EQ(width, format.bits);
      ASSERT_EQ(joined, code);
    }
  }
}

// arXiv 2409.16626: 0x6F is 0 11 0111 1.
TEST(OracleCodes, FieldsOfHif8) {
  using Kind = CodeField::Kind;
  const NumberFormat format = named("hif8");
  const std::map<std::uint64_t, std::vector<std::pair<Kind, int>>> wanted = {
      {0x6F, {{Kind::kSign, 1}, {Kind::kPrefix, 2}, {Kind::kExponent, 4}, {Kind::kFraction, 1}}},
      {0x40, {{Kind::kSign, 1}, {Kind::kPrefix, 2}, {Kind::kExponent, 3}, {Kind::kFraction, 2}}},
      {0x20, {{Kind::kSign, 1}, {Kind::kPrefix, 2}, {Kind::kExponent, 2}, {Kind::kFraction, 3}}},
      {0x10, {{Kind::kSign, 1}, {Kind::kPrefix, 3}, {Kind::kExponent, 1}, {Kind::kFraction, 3}}},
      {0x88, {{Kind::kSign, 1}, {Kind::kPrefix, 4}, {Kind::kFraction, 3}}},
      {0x03, {{Kind::kSign, 1}, {Kind::kPrefix, 4}, {Kind::kFraction, 3}}},
  };
  for (const auto& [code, kinds] : wanted) {
    std::vector<std::pair<Kind, int>> got;
    for (const CodeField& field : fields_of(format, code)) got.emplace_back(field.kind, field.bits);
    EXPECT_EQ(got, kinds) << code;
  }
}

// All numbers and infinities in order, from the test's own decoder.
std::vector<double> in_order(const oracle::Format& wanted) {
  std::vector<double> all;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << wanted.bits(); ++code) {
    const oracle::Meaning meaning = oracle::meaning(wanted, code);
    if (meaning.kind != oracle::Kind::kNan) all.push_back(meaning.magnitude == 0 ? 0.0 : meaning.value());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

TEST(OracleCodes, NeighboursAndOrdinals) {
  for (const oracle::Format& wanted : oracle::formats_up_to_20_bits()) {
    SCOPED_TRACE(wanted.name);
    const NumberFormat format = named(wanted.name);
    const std::vector<double> all = in_order(wanted);
    // Ordinal 0 is zero; without one they begin at 1.
    const auto zero = std::lower_bound(all.begin(), all.end(), 0.0) - all.begin();
    const std::int64_t first = all[static_cast<std::size_t>(zero)] == 0 ? -zero : 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int64_t place = first + static_cast<std::int64_t>(i);
      ASSERT_EQ(ordinal(format, all[i]), place) << all[i];
      ASSERT_EQ(at_ordinal(format, place), all[i]) << place;
      const std::optional<double> up = next_up(format, all[i]), down = next_down(format, all[i]);
      ASSERT_EQ(up, i + 1 < all.size() ? std::optional(all[i + 1]) : std::nullopt) << all[i];
      ASSERT_EQ(down, i > 0 ? std::optional(all[i - 1]) : std::nullopt) << all[i];
    }
    const std::int64_t last = first + static_cast<std::int64_t>(all.size()) - 1;
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t outside : {first - 1, last + 1, -kFar - 1, kFar}) {
      EXPECT_EQ(at_ordinal(format, outside), std::nullopt) << outside;
    }
    if (wanted.has_sign()) {
      // Also where there is no -0: its pattern is NaN's.
      const std::uint64_t code = encode(format, -0.0) >> wanted.unused;
      EXPECT_EQ(oracle::meaning(wanted, code).kind, oracle::Kind::kZero);
    }
    if (format.has_negative_zero()) {
      EXPECT_EQ(ordinal(format, -0.0), 0);
      EXPECT_EQ(next_up(format, -0.0), all[static_cast<std::size_t>(zero) + 1]);
    }
  }
}

// Significand and quantum of every binade, from the sorted list: the spacing of the numbers there.
TEST(OracleCodes, QuantumIsTheSpacing) {
  for (const oracle::Format& wanted : oracle::formats_up_to_20_bits()) {
    SCOPED_TRACE(wanted.name);
    const NumberFormat format = named(wanted.name);
    const oracle::Grid grid = oracle::grid_of(wanted);
    for (std::size_t i = grid.has_zero() ? 1 : 0; i + 1 < grid.values.size(); ++i) {
      const int exponent = std::ilogb(grid.values[i]);
      const double spacing = grid.values[i + 1] - grid.values[i];
      ASSERT_EQ(std::ldexp(1.0, quantum_exponent(format, exponent)), spacing) << grid.values[i];
      const double numbers = std::ldexp(1.0, exponent) / spacing;  // 2^(precision - 1) in a binade
      ASSERT_EQ(std::ldexp(1.0, precision_at(format, exponent) - 1), numbers) << grid.values[i];
    }
  }
}

TEST(OracleCodes, Fp32AndFp64AreTheMachines) {
  const NumberFormat single = named("fp32"), both = named("fp64");
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t pattern = random();
    ASSERT_EQ(bits_of(decode(both, pattern)), pattern);
    ASSERT_EQ(encode(both, std::bit_cast<double>(pattern)), pattern);
    const auto half = static_cast<std::uint32_t>(pattern);
    const float value = std::bit_cast<float>(half);
    const double decoded = decode(single, half);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(decoded));
    } else {
      ASSERT_EQ(bits_of(decoded), bits_of(static_cast<double>(value)));
      if (!std::isinf(value) && value != 0) {
        ASSERT_EQ(next_up(single, decoded), static_cast<double>(std::nextafter(value, HUGE_VALF)));
        ASSERT_EQ(next_down(single, decoded), static_cast<double>(std::nextafter(value, -HUGE_VALF)));
      }
    }
    ASSERT_EQ(encode(single, decoded), half);
    const double wide = std::bit_cast<double>(pattern);
    if (std::isfinite(wide) && wide != 0) {
      ASSERT_EQ(next_up(both, wide), std::nextafter(wide, HUGE_VAL));
      ASSERT_EQ(at_ordinal(both, ordinal(both, wide)), wide);
      // Positive patterns are in the order of the numbers.
      ASSERT_EQ(ordinal(both, std::fabs(wide)), static_cast<std::int64_t>(bits_of(std::fabs(wide))));
    }
  }
}

// A NaN keeps its sign and as much of its payload as there is room for; it stays a NaN where there is none.
TEST(OracleCodes, NanPayloads) {
  const auto nan = [](std::uint64_t fraction, bool negative) {
    return std::bit_cast<double>(std::uint64_t{negative} << 63 | std::uint64_t{0x7FF} << 52 | fraction);
  };
  const double full = nan(0xABCDE12345678, true);
  EXPECT_EQ(encode(named("fp16"), full), 0xFC00U | (0xABCDE12345678U >> 42));
  EXPECT_EQ(encode(named("bf16"), full), 0xFF80U | (0xABCDE12345678U >> 45));
  EXPECT_EQ(encode(named("fp32"), full), 0xFF800000U | (0xABCDE12345678U >> 29));
  EXPECT_EQ(encode(named("tf32"), full), 0xFF800000U | (0xABCDE12345678U >> 42) << 13);
  EXPECT_EQ(encode(named("e5m2"), full), 0xFCU | 2U);
  EXPECT_EQ(encode(named("e4m3"), full), 0xFFU);
  EXPECT_EQ(encode(named("e4m3"), nan(1, false)), 0x7FU);
  EXPECT_EQ(encode(named("e4m3fnuz"), nan(1, false)), 0x80U);
  EXPECT_EQ(encode(named("hif8"), full), 0x80U);
  EXPECT_EQ(encode(named("e8m0"), full), 0xFFU);
  for (const oracle::Format& wanted : oracle::formats_up_to_20_bits()) {
    if (!wanted.has_nan()) continue;
    const NumberFormat format = named(wanted.name);
    for (int bit = 0; bit < 52; ++bit) {
      for (const bool negative : {false, true}) {
        const double value = nan(std::uint64_t{1} << bit, negative);
        const std::uint64_t code = encode(format, value) >> wanted.unused;
        EXPECT_EQ(oracle::meaning(wanted, code).kind, oracle::Kind::kNan) << wanted.name << " " << bit;
        const double rounded = round_to(format, real(value)).value;
        EXPECT_TRUE(std::isnan(rounded)) << wanted.name << " " << bit;
        EXPECT_TRUE(is_in(format, rounded)) << wanted.name;
        if (wanted.scheme == oracle::Scheme::kIeee || wanted.scheme == oracle::Scheme::kAllOnesNan) {
          EXPECT_EQ(std::signbit(rounded), negative) << wanted.name << " " << bit;
        }
      }
    }
  }
}

}  // namespace
}  // namespace assay
