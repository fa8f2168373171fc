// FP32 into FP16, BF16, E4M3 and E5M2 against an oracle that knows only what the formats are: it lists their numbers
// from the definition and goes through the floats in increasing order with a pointer to the nearest one. It uses
// nothing of num/ but the casts that it tests.
//
// By default every 251st pattern and all that lie within 2 of a place where the result changes, with each instruction
// set; ASSAY_EXHAUSTIVE=1 adds all 2^32 patterns with the best one (1.5 minutes of processor time, on two threads).

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "num/convert.h"
#include "unit/num_patterns.h"

namespace assay {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000;
constexpr std::uint32_t kInfinity = 0x7F80'0000;

struct Definition {
  const char* name;
  int exponent_bits, fraction_bits, bias;
  std::uint32_t infinity;     // what infinities become
  std::uint32_t too_large;    // and too large numbers
  std::uint32_t nan;          // set in the code of NaN
  std::uint32_t nan_payload;  // the bits of it that the payload's highest bits fill
  std::uint32_t largest;      // code
  Overflow overflow = Overflow::kInfinity;

  int bits() const { return 1 + exponent_bits + fraction_bits; }
};

const Definition kDefinitions[] = {
    {"fp16", 5, 10, 15, 0x7C00, 0x7C00, 0x7E00, 0x3FF, 0x7BFF},
    {"bf16", 8, 7, 127, 0x7F80, 0x7F80, 0x7FC0, 0x7F, 0x7F7F},
    {"e4m3", 4, 3, 7, 0x7F, 0x7F, 0x7F, 0, 0x7E},
    {"e5m2", 5, 2, 15, 0x7C, 0x7C, 0x7E, 3, 0x7B},
    {"e4m3", 4, 3, 7, 0x7E, 0x7E, 0x7F, 0, 0x7E, Overflow::kSaturate},
    {"e5m2", 5, 2, 15, 0x7B, 0x7B, 0x7E, 3, 0x7B, Overflow::kSaturate},
};

class Oracle {
 public:
  explicit Oracle(const Definition& format) : format_(format) {
    // One number more than there is: too large begins half-way to it.
    for (std::uint32_t code = 0; code <= format.largest + 1; ++code) values_.push_back(value_of(code));
    for (std::uint32_t code = 0; code <= format.largest; ++code)
      middles_.push_back((values_[code] + values_[code + 1]) / 2);  // both have far fewer bits than a double
  }

  const std::vector<double>& middles() const { return middles_; }
  double value(std::uint32_t code) const { return values_[code]; }

  /// The code of a pattern without its sign. `place` is where the last, smaller pattern ended: it only goes up.
  std::uint32_t code(std::uint32_t magnitude, std::size_t& place) const {
    const int fraction_lost = 23 - format_.fraction_bits;
    if (magnitude > kInfinity) return format_.nan | (magnitude >> fraction_lost & format_.nan_payload);
    if (magnitude == kInfinity) return format_.infinity;
    const double value = std::bit_cast<float>(magnitude);
    while (place < middles_.size() && (value > middles_[place] || (value == middles_[place] && place % 2 == 1)))
      ++place;
    return place == middles_.size() ? format_.too_large : static_cast<std::uint32_t>(place);
  }

 private:
  double value_of(std::uint32_t code) const {
    const std::uint32_t one = 1U << format_.fraction_bits;
    const auto fraction = static_cast<int>(code % one);
    const auto field = static_cast<int>(code / one);
    if (field == 0) return std::ldexp(fraction, 1 - format_.bias - format_.fraction_bits);
    return std::ldexp(static_cast<int>(one) + fraction, field - format_.bias - format_.fraction_bits);
  }

  Definition format_;
  std::vector<double> values_;
  std::vector<double> middles_;
};

/// Increasing patterns of [first, first + size), without sign.
std::vector<std::uint32_t> sample(const Oracle& oracle, std::uint32_t first, std::uint32_t size, std::uint32_t stride) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t at = (first + stride - 1) / stride * stride; at - first < size; at += stride) out.push_back(at);
  if (stride > 1) {
    for (const double middle : oracle.middles()) {
      const std::uint32_t pattern = std::bit_cast<std::uint32_t>(static_cast<float>(middle));
      for (std::uint32_t at = pattern - 2; at != pattern + 3; ++at)
        if (at - first < size) out.push_back(at);
    }
    for (const std::uint32_t at : {0U, 1U, kInfinity - 1, kInfinity, kInfinity + 1, kSign - 1})
      if (at - first < size) out.push_back(at);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

/// How many of the patterns, with either sign, the cast gets wrong; `example` is the first.
template <typename Code>
std::size_t count_wrong(const Definition& format, const Oracle& oracle, const Encoder& encoder,
                        const std::vector<std::uint32_t>& magnitudes, std::atomic<std::uint64_t>& example) {
  constexpr std::size_t kPiece = 4096;
  std::vector<float> in(2 * kPiece);
  std::vector<Code> out(2 * kPiece);
  std::size_t wrong = 0;
  std::size_t place = 0;
  for (std::size_t at = 0; at < magnitudes.size(); at += kPiece) {
    const std::size_t count = std::min(kPiece, magnitudes.size() - at);
    for (std::size_t i = 0; i < count; ++i) {
      in[2 * i] = std::bit_cast<float>(magnitudes[at + i]);
      in[2 * i + 1] = std::bit_cast<float>(magnitudes[at + i] | kSign);
    }
    encoder(std::span<const float>(in).first(2 * count), std::span(out).first(2 * count));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t expected = oracle.code(magnitudes[at + i], place);
      if (out[2 * i] == expected && out[2 * i + 1] == (expected | 1U << (format.bits() - 1))) continue;
      if (wrong++ == 0) example = magnitudes[at + i];
    }
  }
  return wrong;
}

template <typename Code>
void check_casts(const Definition& format, std::uint32_t stride) {
  constexpr std::uint32_t kSlice = 1U << 22;
  const Oracle oracle(format);
  const Encoder encoder(*number_format(format.name), {.overflow = format.overflow});
  std::atomic<std::uint32_t> next{0};
  std::atomic<std::uint64_t> checked{0};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> example{0};
  const auto work = [&] {
    for (std::uint32_t slice = next++; slice < kSign / kSlice; slice = next++) {
      const auto magnitudes = sample(oracle, slice * kSlice, kSlice, stride);
      wrong += count_wrong<Code>(format, oracle, encoder, magnitudes, example);
      checked += 2 * magnitudes.size();
    }
  };
  std::thread second(work);
  work();
  second.join();
  EXPECT_EQ(wrong, 0U) << format.name << ", for example pattern " << std::hex << example;
  EXPECT_GE(checked, (std::uint64_t{1} << 32) / stride);
}

void check_all(std::uint32_t stride) {
  for (const Definition& format : kDefinitions) {
    if (format.bits() <= 8)
      check_casts<std::uint8_t>(format, stride);
    else
      check_casts<std::uint16_t>(format, stride);
  }
}

TEST(NumCastsLong, FloatsIntoNarrowFormatsAsTheDefinitionSays) {
  test::for_each_target([] { check_all(251); });
  if (std::getenv("ASSAY_EXHAUSTIVE") != nullptr) check_all(1);
}

TEST(NumCastsLong, CodesIntoFloatsAsTheDefinitionSays) {
  test::for_each_target([] {
    for (const Definition& format : kDefinitions) {
      const Oracle oracle(format);
      std::vector<std::uint16_t> codes;
      for (std::uint32_t code = 0; code <= format.largest; ++code) {
        codes.push_back(static_cast<std::uint16_t>(code));
        codes.push_back(static_cast<std::uint16_t>(code | 1U << (format.bits() - 1)));
      }
      std::vector<float> values(codes.size());
      Decoder{*number_format(format.name)}(codes, values);
      for (std::size_t i = 0; i < codes.size(); i += 2) {
        ASSERT_EQ(values[i], oracle.value(codes[i])) << format.name << " code " << codes[i];
        ASSERT_EQ(values[i + 1], -oracle.value(codes[i])) << format.name << " code " << codes[i + 1];
        ASSERT_TRUE(std::signbit(values[i + 1]) && !std::signbit(values[i]));
      }
    }
  });
}

}  // namespace
}  // namespace assay
