// The vector rounder against round_to, bit by bit, with every instruction set.

#include <cmath>

#include "num/format.h"
#include "num/philox.h"
#include "num/rounder.h"
#include "unit/num_patterns.h"

namespace assay {
namespace {

using test::for_each_target;
using test::patterns;

template <typename Float>
Float reference(const NumberFormat& to, const RoundingRules& rules, const NumberFormat& from, Float value,
                std::uint64_t index) {
  const Real x = rules.flush_inputs ? flushed(from, real(value)) : real(value);
  return static_cast<Float>(round_to(to, x, rules, index).value);
}

template <typename Float>
void expect_like_reference(const NumberFormat& to, const RoundingRules& rules, const std::vector<Float>& in,
                           const NumberFormat* from = nullptr) {
  constexpr std::uint64_t kFirst = 0x1'0000'0003;  // beyond 32 bits, and not the first word of a block
  const NumberFormat array = *number_format(sizeof(Float) == 4 ? "fp32" : "fp64");
  std::vector<Float> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    expected[i] = reference(to, rules, from != nullptr ? *from : array, in[i], kFirst + i);
  const Rounder rounder(to, rules, from);
  for_each_target([&] {
    std::vector<Float> out(in.size());
    rounder(std::span<const Float>(in), std::span<Float>(out), kFirst);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(std::bit_cast<BitsOf<Float>>(out[i]), std::bit_cast<BitsOf<Float>>(expected[i]))
          << test::describe(to, rules) << ": " << std::hexfloat << in[i] << " (pattern " << std::hex
          << std::bit_cast<BitsOf<Float>>(in[i]) << ") gave " << out[i] << ", not " << expected[i];
    }
  });
}

template <typename Float>
void check_format(const NumberFormat& format, bool all_exponents, std::uint64_t seed) {
  const auto few = patterns<Float>(format, false, 0, seed);
  const auto many = patterns<Float>(format, all_exponents, test::kRandomPatterns, seed);
  std::size_t i = 0;
  for (const RoundingRules& rules : test::all_rules()) {
    // Every rounding sees many patterns; every combination those where something happens.
    const bool first_of_rounding = i++ % 16 == 0;
    expect_like_reference(format, rules, first_of_rounding ? many : few);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(NumRounderTest, FloatsIntoEveryNamedFormat) {
  for (const NumberFormat& format : number_formats())
    if (fits_float(format)) check_format<float>(format, true, 1);
}

TEST(NumRounderTest, DoublesIntoEveryNamedFormat) {
  for (const NumberFormat& format : number_formats()) check_format<double>(format, false, 2);
}

TEST(NumRounderTest, FloatsIntoRandomFormats) {
  std::mt19937_64 random(3);
  for (int i = 0; i < test::kRandomFormats && !HasFailure(); ++i) {
    const NumberFormat format = test::random_format(random, 24, -126, 127);
    ASSERT_TRUE(fits_float(format)) << format.name;
    check_format<float>(format, false, random());
  }
}

TEST(NumRounderTest, DoublesIntoRandomFormats) {
  std::mt19937_64 random(4);
  for (int i = 0; i < test::kRandomFormats && !HasFailure(); ++i)
    check_format<double>(test::random_format(random, 53, -1022, 1023), false, random());
}

TEST(NumRounderTest, InputsAreFlushedByTheirOwnFormat) {
  const NumberFormat to = *number_format("bf16");
  for (const char* name : {"fp16", "fp64", "e4m3", "fp4", "p=3,emin=-140,emax=2", "p=3,emin=300,emax=301"}) {
    const NumberFormat from = *number_format(name);
    const RoundingRules rules{.flush_inputs = true};
    expect_like_reference(to, rules, patterns<float>(from, true, 0, 5), &from);
    expect_like_reference(to, rules, patterns<double>(from, false, 0, 5), &from);
  }
}

// Any length, from any place, onto itself or elsewhere; nothing is written beside it.
TEST(NumRounderTest, EveryLengthAndAlignment) {
  const NumberFormat to = *number_format("fp16");
  const auto in = patterns<float>(to, false, 0, 6);
  constexpr float kUntouched = 12345.678F;
  for (const Rounding rounding : {Rounding::kNearestEven, Rounding::kUp, Rounding::kStochastic}) {
    const RoundingRules rules{.rounding = rounding};
    const Rounder rounder(to, rules);
    for_each_target([&] {
      for (std::size_t length = 0; length <= 67; ++length) {
        const std::size_t start = length % 5;
        std::vector<float> out(length + start + 3, kUntouched);
        std::vector<float> same(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(out.size()));
        rounder(std::span(in).subspan(start, length), std::span(out).subspan(start, length), length);
        rounder(std::span(same).subspan(start, length), std::span(same).subspan(start, length), length);
        for (std::size_t i = 0; i < out.size(); ++i) {
          const bool inside = i >= start && i < start + length;
          const float rounded =
              inside ? static_cast<float>(round_to(to, real(in[i]), rules, length + i - start).value) : 0.0F;
          ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(inside ? rounded : kUntouched));
          ASSERT_EQ(std::bit_cast<std::uint32_t>(same[i]), std::bit_cast<std::uint32_t>(inside ? rounded : in[i]));
        }
      }
    });
  }
}

TEST(NumRounderTest, RandomWordsAreThoseOfTheIndex) {
  for_each_target([] {
    for (const std::uint64_t first : {0ULL, 1ULL, 7ULL, 0x3'FFFF'FFF9ULL, 0xFFFF'FFFF'FFFF'FF00ULL}) {
      for (const std::size_t count : {0U, 1U, 5U, 31U, 64U, 200U}) {
        std::vector<std::uint32_t> words(count);
        random_words(0x0123'4567'89AB'CDEF, first, words.data(), count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(words[i], random_word(0x0123'4567'89AB'CDEF, first + i));
      }
    }
  });
}

TEST(NumRounderTest, StochasticRoundingDoesNotDependOnHowTheArrayIsCut) {
  const NumberFormat to = *number_format("e5m2");
  const auto in = patterns<float>(to, false, 3000, 8);
  const Rounder rounder(to, {.rounding = Rounding::kStochastic, .seed = 9});
  std::vector<float> whole(in.size());
  rounder(in, whole, 100);
  std::vector<float> pieces(in.size());
  for (std::size_t at = 0, size = 1; at < in.size(); at += size, size = size * 7 % 1009 + 1) {
    size = std::min(size, in.size() - at);
    rounder(std::span(in).subspan(at, size), std::span(pieces).subspan(at, size), 100 + at);
  }
  for (std::size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(whole[i]), std::bit_cast<std::uint32_t>(pieces[i]));
}

// How often a number goes up is binomial; 5 standard deviations are passed once in 1.7 million seeds, and the seed is
// fixed.
TEST(NumRounderTest, StochasticRoundingGoesUpAsOftenAsTheDistanceSays) {
  constexpr std::size_t kCount = 200'000;
  const NumberFormat to = *number_format("bf16");
  for (const double share : {0.0, 0.1, 0.5, 0.9}) {
    for (const double base : {1.0, 0x1p-133}) {  // normal and subnormal
      const double quantum = std::ldexp(1.0, quantum_exponent(to, std::ilogb(base)));
      std::vector<double> in(kCount, base + share * quantum);
      std::vector<double> out(kCount);
      Rounder(to, {.rounding = Rounding::kStochastic, .random_bits = 32, .seed = 5})(in, out);
      const auto up = static_cast<double>(std::ranges::count(out, base + quantum));
      ASSERT_EQ(up + static_cast<double>(std::ranges::count(out, base)), kCount);
      ASSERT_LE(std::abs(up - share * kCount), 5 * std::sqrt(share * (1 - share) * kCount)) << share;
    }
  }
}

}  // namespace
}  // namespace assay
