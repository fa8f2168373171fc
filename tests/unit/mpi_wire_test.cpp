// Numbers as they travel, and the operator that adds them: every pair of codes of FP8 against an addition of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "mpi/wire.h"
#include "num/codes.h"
#include "num/philox.h"
#include "num/round.h"

namespace assay::mpi {
namespace {

using testing::HasSubstr;

Wire wire_of(const char* format) { return *Wire::of(*number_format(format), "accumulate"); }

std::vector<std::byte> bytes_of(const Wire& wire, const std::vector<std::uint64_t>& codes) {
  std::vector<std::byte> out(codes.size() * wire.bytes());
  for (std::size_t i = 0; i < codes.size(); ++i) std::memcpy(out.data() + i * wire.bytes(), &codes[i], wire.bytes());
  return out;
}

std::uint64_t code_at(const Wire& wire, const std::vector<std::byte>& bytes, std::size_t i) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data() + i * wire.bytes(), wire.bytes());
  return out;
}

// One number at a time, by the reference.
std::uint64_t slow_sum(const NumberFormat& format, std::uint64_t a, std::uint64_t b) {
  const double left = decode(format, a);
  const double right = decode(format, b);
  const double special = left + right;  // where one is infinite or NaN
  const Real exact = std::isfinite(special) ? sum(real(left), real(right)) : real(special);
  const double rounded = round_to(format, exact).value;
  return encode(format, std::isnan(rounded) ? std::numeric_limits<double>::quiet_NaN() : rounded);
}

void expect_sums(const char* name, const std::vector<std::uint64_t>& left, const std::vector<std::uint64_t>& right) {
  const NumberFormat format = *number_format(name);
  Wire wire = wire_of(name);
  std::vector<std::byte> sums = bytes_of(wire, right);
  wire.add(bytes_of(wire, left), sums);
  for (std::size_t i = 0; i < left.size(); ++i) {
    ASSERT_EQ(code_at(wire, sums, i), slow_sum(format, left[i], right[i])) << name << ' ' << left[i] << ' ' << right[i];
  }
}

TEST(MpiWire, EveryPairOfCodes) {
  for (const char* name : {"e4m3", "e5m2", "e4m3fnuz", "hif8", "e2m1"}) {
    const std::uint64_t count = std::uint64_t{1} << number_format(name)->bits;
    std::vector<std::uint64_t> left, right;
    for (std::uint64_t a = 0; a < count; ++a) {
      for (std::uint64_t b = 0; b < count; ++b) {
        left.push_back(a);
        right.push_back(b);
      }
    }
    expect_sums(name, left, right);
  }
}

TEST(MpiWire, RandomPairsOf16Bits) {
  for (const char* name : {"bf16", "fp16", "e5m10"}) {
    std::vector<std::uint64_t> left, right;
    for (std::uint64_t i = 0; i < 50000; ++i) {
      const std::uint64_t other = random_word(7, 2 * i + 1);
      left.push_back(random_word(7, 2 * i) & 0xFFFF);
      // Every second pair is near in size, so that its sum rounds.
      right.push_back(i % 2 == 0 ? other & 0xFFFF : left.back() ^ (other & 0x83FF));
    }
    expect_sums(name, left, right);
  }
}

TEST(MpiWire, Fp32AddsAsTheMachineDoes) {
  Wire wire = wire_of("fp32");
  ASSERT_EQ(wire.bytes(), 4U);
  std::vector<std::uint64_t> left, right;
  for (const float one : {1.0F, 1e-8F, 3.0e38F, -1.5F, 1e-45F}) {
    for (const float other : {1e-8F, 2.0e38F, 1.5F, 1e-45F}) {
      left.push_back(std::bit_cast<std::uint32_t>(one));
      right.push_back(std::bit_cast<std::uint32_t>(other));
    }
  }
  std::vector<std::byte> sums = bytes_of(wire, right);
  wire.add(bytes_of(wire, left), sums);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const float expected = std::bit_cast<float>(static_cast<std::uint32_t>(left[i])) +
                           std::bit_cast<float>(static_cast<std::uint32_t>(right[i]));
    EXPECT_EQ(code_at(wire, sums, i), std::bit_cast<std::uint32_t>(expected));
  }
}

// 1 is half the spacing of BF16 at 256, and 256 is even: each hop rounds back to 256. At once, 258 is a number of BF16.
TEST(MpiWire, RoundsAtEveryHop) {
  Wire wire = wire_of("bf16");
  std::vector<std::byte> sum(2), one(2);
  wire.encode(std::vector<double>{256}, sum);
  wire.encode(std::vector<double>{1}, one);
  wire.add(one, sum);
  wire.add(one, sum);
  double result = 0;
  wire.decode(sum, {&result, 1});
  EXPECT_EQ(result, 256);
  EXPECT_EQ(round_to(*number_format("bf16"), real(256.0 + 1.0 + 1.0)).value, 258);
}

// Other NaN codes of BF16 are 0x7f81 … 0x7fff and the same with a sign.
TEST(MpiWire, EveryNanIsOne) {
  Wire wire = wire_of("bf16");
  const std::vector<std::uint64_t> left = {0x7F81, 0x3F80, 0xFFFF, 0x7F80};
  const std::vector<std::uint64_t> right = {0x3F80, 0xFFC1, 0x7FC0, 0xFF80};  // at the end Inf − Inf
  std::vector<std::byte> sums = bytes_of(wire, right);
  wire.add(bytes_of(wire, left), sums);
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_EQ(code_at(wire, sums, i), 0x7FC0U) << i;
}

TEST(MpiWire, LongRowsAsShortOnes) {
  Wire wire = wire_of("fp16");
  std::vector<double> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i) / 7 - 300;
  std::vector<std::byte> all(10000), sums(10000), one(2);
  wire.encode(numbers, all);
  std::vector<double> back(5000);
  wire.decode(all, back);
  sums = all;
  wire.add(all, sums);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double kept = round_to(*number_format("fp16"), real(numbers[i])).value;
    EXPECT_EQ(back[i], kept);
    wire.encode(std::vector<double>{2 * kept}, one);
    ASSERT_EQ(std::memcmp(one.data(), sums.data() + 2 * i, 2), 0) << i;
  }
}

TEST(MpiWire, RefusesWhatHasNoCodesOf16Bits) {
  for (const char* name : {"fp64", "tf32", "p=11,emin=-100,emax=100"}) {
    const auto wire = Wire::of(*number_format(name), "accumulate");
    ASSERT_FALSE(wire) << name;
    EXPECT_EQ(wire.error().code, ErrorCode::kUsage);
    EXPECT_THAT(wire.error().message, HasSubstr("--accumulate"));
  }
}

}  // namespace
}  // namespace assay::mpi
