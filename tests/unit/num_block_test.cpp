// Block formats against an oracle of the tests' own: sorted lists of element values made from their definitions,
// nearest neighbours searched, scales by ilogb and ldexp. Nothing of num/ is in it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "num/block.h"
#include "num/codes.h"
#include "num/real.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Magnitudes in the order of their codes: exponent and fraction bits as the OCP specifications have them.
std::vector<double> magnitudes(int exponent_bits, int fraction_bits, double most) {
  std::vector<double> out;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  for (int e = 0; e < 1 << exponent_bits; ++e) {
    for (int f = 0; f < 1 << fraction_bits; ++f) {
      const double part = std::ldexp(f, -fraction_bits);
      const double value = e == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, e - bias);
      if (value <= most) out.push_back(value);
    }
  }
  return out;
}

struct Element {
  std::vector<double> values;  // magnitudes, index = code without sign
  int emax;
  int sign_bit;
  bool twos_complement = false;
};

Element oracle_element(const std::string& name) {
  if (name == "mxfp8" || name == "mxfp8_e4m3") return {magnitudes(4, 3, 448), 8, 7};
  if (name == "mxfp8_e5m2") return {magnitudes(5, 2, 57344), 15, 7};
  if (name == "mxfp6_e3m2") return {magnitudes(3, 2, 28), 4, 5};
  if (name == "mxfp6") return {magnitudes(2, 3, 7.5), 2, 5};
  if (name == "mxfp4" || name == "nvfp4") return {magnitudes(2, 1, 6), 2, 3};
  std::vector<double> integers;
  for (int i = 0; i <= 127; ++i) integers.push_back(i / 64.0);
  return {integers, 0, 7, true};
}

// Index of the nearest magnitude; ties to the even one, or away from zero.
int nearest_index(const std::vector<double>& values, double magnitude, bool ties_away) {
  const auto above = std::lower_bound(values.begin(), values.end(), magnitude);
  if (above == values.end()) return static_cast<int>(values.size()) - 1;
  const int high = static_cast<int>(above - values.begin());
  if (values[static_cast<std::size_t>(high)] == magnitude) return high;
  const double to_high = values[static_cast<std::size_t>(high)] - magnitude;
  const double to_low = magnitude - values[static_cast<std::size_t>(high - 1)];
  if (to_high != to_low) return to_high < to_low ? high : high - 1;
  return ties_away || high % 2 == 0 ? high : high - 1;
}

int oracle_exponent(const Element& element, double amax, ScaleRule rule) {
  if (rule == ScaleRule::kFloor) return std::ilogb(amax) - element.emax;
  if (rule == ScaleRule::kEven) {
    // Rounded to as many bits as the elements of the last binade have: a count of them.
    const double below = std::ldexp(1.0, element.emax);
    int in_binade = 0;
    double step = 0;
    for (std::size_t i = 1; i < element.values.size(); ++i) {
      if (element.values[i] > below && step == 0) step = element.values[i] - below;
    }
    in_binade = static_cast<int>(below / step);
    const double significand = std::ldexp(amax, -std::ilogb(amax));
    const bool next = std::nearbyint(significand * in_binade) == 2 * in_binade;
    return std::ilogb(amax) + (next ? 1 : 0) - element.emax;
  }
  // The smallest, or nearest, e: compared without dividing.
  const double most = element.values.back();
  int e = -1100;
  while (std::ldexp(most, e) < amax) ++e;
  if (rule == ScaleRule::kCeil) return e;
  return amax >= std::ldexp(1.5 * most, e - 1) ? e : e - 1;
}

struct Oracle {
  std::vector<int> scales;
  std::vector<int> codes;
  std::vector<double> values;
};

Oracle oracle_mx(const std::string& name, const std::vector<double>& in, ScaleRule rule, bool ties_away) {
  const Element element = oracle_element(name);
  Oracle out;
  for (std::size_t begin = 0; begin < in.size(); begin += 32) {
    const std::size_t end = std::min(begin + 32, in.size());
    double amax = 0;
    for (std::size_t i = begin; i < end; ++i) amax = std::max(amax, std::abs(in[i]));
    const int e = amax == 0 ? -127 : std::clamp(oracle_exponent(element, amax, rule), -127, 127);
    out.scales.push_back(e + 127);
    for (std::size_t i = begin; i < end; ++i) {
      const int index = nearest_index(element.values, std::ldexp(std::abs(in[i]), -e), ties_away);
      const bool negative = std::signbit(in[i]);
      const int sign = 1 << element.sign_bit;
      out.codes.push_back(!negative ? index : element.twos_complement ? (256 - index) % 256 : index + sign);
      out.values.push_back(std::ldexp(element.values[static_cast<std::size_t>(index)], e) * (negative ? -1 : 1));
    }
  }
  return out;
}

const BlockFormat& format_of(const std::string& name) {
  const BlockFormat* found = find_block_format(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

std::vector<double> values_of(const BlockFormat& format, const QuantisedBlocks& blocks) {
  std::vector<double> out(blocks.elements.size());
  dequantise(format, blocks, out);
  return out;
}

// Blocks of all sizes of numbers, with ties: few significant bits, so that many lie half way.
std::vector<double> awkward_numbers(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> out;
  for (int block = 0; block < 60; ++block) {
    const int centre = block < 40 ? static_cast<int>(random() % 60) - 30 : static_cast<int>(random() % 250) - 125;
    for (int i = 0; i < 32; ++i) {
      const int bits = 1 + static_cast<int>(random() % 12);
      const double significand = 1 + std::ldexp(static_cast<double>(random() % (1U << bits)), -bits);
      const int exponent = centre - static_cast<int>(random() % (block % 3 == 0 ? 3 : 20));
      out.push_back(std::ldexp(significand, exponent) * (random() % 2 == 0 ? 1 : -1));
      if (random() % 40 == 0) out.back() = 0;
    }
  }
  out.resize(out.size() - 13);  // a short last block
  return out;
}

TEST(NumBlock, MxAgainstTheOracle) {
  std::map<ScaleRule, const char*> rules = {{ScaleRule::kFloor, "floor"},
                                            {ScaleRule::kCeil, "ceil"},
                                            {ScaleRule::kNearest, "nearest"},
                                            {ScaleRule::kEven, "even"}};
  for (const char* name : {"mxfp8", "mxfp8_e5m2", "mxfp6", "mxfp6_e3m2", "mxfp4", "mxint8"}) {
    const BlockFormat& format = format_of(name);
    for (const auto& [rule, rule_name] : rules) {
      for (const bool away : {false, true}) {
        SCOPED_TRACE(std::string(name) + " " + rule_name + (away ? " away" : " even"));
        const std::vector<double> in = awkward_numbers(7);
        const Oracle wanted = oracle_mx(name, in, rule, away);
        const QuantisedBlocks got =
            quantise(format, in,
                     {.scale = rule, .rounding = {.rounding = away ? Rounding::kNearestAway : Rounding::kNearestEven}});
        EXPECT_EQ(std::vector<int>(got.scales.begin(), got.scales.end()), wanted.scales);
        std::vector<int> codes(got.elements.begin(), got.elements.end());
        std::vector<int> expected = wanted.codes;
        for (std::size_t i = 0; i < codes.size(); ++i) {  // INT8 has one zero
          if (std::string(name) == "mxint8" && wanted.values[i] == 0) expected[i] = 0;
        }
        EXPECT_EQ(codes, expected);
        EXPECT_EQ(values_of(format, got), wanted.values);
      }
    }
  }
}

TEST(NumBlock, FloatsAsDoubles) {
  std::vector<float> narrow;
  for (const double x : awkward_numbers(3)) narrow.push_back(static_cast<float>(x));
  const std::vector<double> wide(narrow.begin(), narrow.end());
  for (const BlockFormat& format : block_formats()) {
    const QuantisedBlocks a = quantise(format, narrow);
    const QuantisedBlocks b = quantise(format, wide);
    EXPECT_EQ(a.scales, b.scales) << format.name;
    EXPECT_EQ(a.elements, b.elements) << format.name;
  }
}

// By hand. amax = 7: floor(log2 7) = 2, so X = 2^(2-2) = 1 and E2M1 clips 7 to 6; "ceil" takes X = 2, as 7/6 > 1:
// 7/2 = 3.5 lies between 3 and 4, whose code is even: 4 · 2 = 8. 0.7/1 = 0.7 -> 0.5; 0.7/2 = 0.35 -> 0.5 · 2 = 1.
TEST(NumBlock, ClippingByHand) {
  const BlockFormat& mxfp4 = format_of("mxfp4");
  const std::vector<double> in = {7, -0.7, 0.2, 0};
  const QuantisedBlocks floor = quantise(mxfp4, in);
  EXPECT_EQ(floor.scales, std::vector<std::uint8_t>{127});
  EXPECT_EQ(values_of(mxfp4, floor), (std::vector<double>{6, -0.5, 0, 0}));
  const std::vector<BlockFacts> facts = block_facts(mxfp4, in, floor);
  EXPECT_EQ(facts[0].amax, 7);
  EXPECT_EQ(facts[0].scale, 1);
  EXPECT_EQ(facts[0].clipped, 1U) << "7 would round to 8";
  EXPECT_NEAR(facts[0].worst_clip, 1.0 / 7, 1e-15);
  EXPECT_EQ(facts[0].zeroed, 1U);
  EXPECT_EQ(facts[0].largest_error, 1);
  EXPECT_NEAR(facts[0].rms_error, std::sqrt((1 + 0.04 + 0.04) / 4), 1e-15);
  const QuantisedBlocks ceil = quantise(mxfp4, in, {.scale = ScaleRule::kCeil});
  EXPECT_EQ(ceil.scales, std::vector<std::uint8_t>{128});
  EXPECT_EQ(values_of(mxfp4, ceil), (std::vector<double>{8, -1, 0, 0}));
}

// The largest share that flooring clips: just below 2^(E+1). 1 - 448/512, 1 - 57344/65536, 1 - 28/32, 1 - 7.5/8,
// 1 - 6/8, 1 - (127/64)/2.
TEST(NumBlock, WorstClipOfEachFormat) {
  const std::map<std::string, double> worst = {{"mxfp8", 0.125},  {"mxfp8_e5m2", 0.125}, {"mxfp6_e3m2", 0.125},
                                               {"mxfp6", 0.0625}, {"mxfp4", 0.25},       {"mxint8", 1.0 / 128}};
  for (const auto& [name, share] : worst) {
    const BlockFormat& format = format_of(name);
    const std::vector<double> in = {std::nextafter(2.0, 1.0), 0.5};
    const std::vector<BlockFacts> facts = block_facts(format, in, quantise(format, in));
    EXPECT_EQ(facts[0].clipped, 1U) << name;
    EXPECT_NEAR(facts[0].worst_clip, share, 1e-12) << name;
    const std::vector<BlockFacts> up = block_facts(format, in, quantise(format, in, {.scale = ScaleRule::kCeil}));
    EXPECT_EQ(up[0].clipped, 0U) << name;
  }
}

// 460 and 464 round to 448 as any number does, 465 would round to 480. -1.995 becomes -2 where that may be.
TEST(NumBlock, ClippedIsWhatWouldRoundToMore) {
  const BlockFormat& mxfp8 = format_of("mxfp8");
  const std::vector<double> in = {460, 464, 465, 448};
  const QuantisedBlocks got = quantise(mxfp8, in);
  EXPECT_EQ(got.scales[0], 127);
  EXPECT_EQ(block_facts(mxfp8, in, got)[0].clipped, 1U);
  EXPECT_TRUE(is_clipped(mxfp8, 465, 448, 1));
  EXPECT_FALSE(is_clipped(mxfp8, 464, 448, 1));
  const BlockFormat& mxint8 = format_of("mxint8");
  const std::vector<double> low = {-1.995};
  EXPECT_EQ(block_facts(mxint8, low, quantise(mxint8, low))[0].clipped, 1U);
  EXPECT_EQ(block_facts(mxint8, low, quantise(mxint8, low, {.lowest_integer = true}))[0].clipped, 0U);
}

TEST(NumBlock, ZerosAndTheEndsOfTheRange) {
  for (const BlockFormat& format : block_formats()) {
    SCOPED_TRACE(format.name);
    const QuantisedBlocks zeros = quantise(format, std::vector<double>{0, -0.0, 0});
    EXPECT_EQ(zeros.scales, std::vector<std::uint8_t>{0});
    for (const double x : values_of(format, zeros)) EXPECT_EQ(x, 0);
    EXPECT_TRUE(quantise(format, std::vector<double>{}).scales.empty());
    // The largest float, and the smallest: no infinity, no NaN. NVFP4's way back overflows: 448 · amax is no float.
    const bool two_level = format.scaling == BlockScaling::kTwoLevel;
    const double most = two_level ? 7e35 : std::numeric_limits<float>::max();
    const std::vector<double> large = values_of(format, quantise(format, std::vector<double>{most, -most, 1}));
    EXPECT_TRUE(std::isfinite(large[0])) << large[0];
    EXPECT_GE(large[0], 0.74 * most);
    EXPECT_EQ(large[1], -large[0]);
    if (two_level) {
      EXPECT_EQ(values_of(format, quantise(format, std::vector<double>{8e35}))[0], kInf);
    }
    const double least = std::numeric_limits<float>::denorm_min();
    const std::vector<double> small = values_of(format, quantise(format, std::vector<double>{least, 1024 * least}));
    EXPECT_TRUE(std::isfinite(small[0]) && std::isfinite(small[1]));
  }
  // 2^-149 in E4M3: e = -149 - 8 is held at -127, the element would be 2^-22, below half of 2^-9: it vanishes.
  const BlockFormat& mxfp8 = format_of("mxfp8");
  const std::vector<double> tiny = {std::ldexp(1.0, -149)};
  EXPECT_EQ(quantise(mxfp8, tiny).scales[0], 0);
  EXPECT_EQ(values_of(mxfp8, quantise(mxfp8, tiny))[0], 0);
  EXPECT_EQ(block_facts(mxfp8, tiny, quantise(mxfp8, tiny))[0].zeroed, 1U);
  // 2^-127 · 2^-9: the smallest number of the format, kept.
  const std::vector<double> smallest = {std::ldexp(1.0, -136)};
  EXPECT_EQ(values_of(mxfp8, quantise(mxfp8, smallest)), smallest);
  // Beyond FP32, 2^200: e is held at 127, the element saturates at 448.
  const std::vector<double> huge = {std::ldexp(1.0, 200)};
  EXPECT_EQ(quantise(mxfp8, huge).scales[0], 254);
  EXPECT_EQ(values_of(mxfp8, quantise(mxfp8, huge))[0], std::ldexp(448.0, 127));
}

TEST(NumBlock, NanAndInfinity) {
  for (const BlockFormat& format : block_formats()) {
    SCOPED_TRACE(format.name);
    std::vector<double> in(static_cast<std::size_t>(2 * format.size), 1.0);
    in[0] = kNan;
    const QuantisedBlocks poisoned = quantise(format, in);
    EXPECT_EQ(poisoned.scales[0], format.scaling == BlockScaling::kTwoLevel ? 0x7F : 0xFF);
    const std::vector<double> out = values_of(format, poisoned);
    EXPECT_TRUE(std::isnan(out[1])) << "the whole block";
    EXPECT_NEAR(out[static_cast<std::size_t>(format.size)], 1, 1e-6) << "and no other";
    EXPECT_EQ(block_facts(format, in, poisoned)[0].non_finite, 1U);
    EXPECT_TRUE(std::isnan(block_facts(format, in, poisoned)[0].rms_error));
    in[0] = -kInf;
    EXPECT_TRUE(std::isnan(values_of(format, quantise(format, in))[0]));
    const std::vector<double> kept = values_of(format, quantise(format, in, {.non_finite = NonFinite::kKeep}));
    EXPECT_LE(kept[0], -1) << "saturates";
    EXPECT_GE(kept[0], -2.01);
    EXPECT_NEAR(kept[1], 1, 1e-6);
  }
  // NaN kept: E4M3 has one, E2M1 has none and takes its largest.
  const BlockRules keep = {.non_finite = NonFinite::kKeep};
  EXPECT_TRUE(
      std::isnan(values_of(format_of("mxfp8"), quantise(format_of("mxfp8"), std::vector<double>{kNan, 1}, keep))[0]));
  EXPECT_EQ(values_of(format_of("mxfp4"), quantise(format_of("mxfp4"), std::vector<double>{kNan, 4}, keep))[0], 6);
}

// -1.999 · 64 = -127.9 -> -128: left out unless asked for, and never for +1.999.
TEST(NumBlock, LowestInteger) {
  const BlockFormat& mxint8 = format_of("mxint8");
  const std::vector<double> in = {1.999, -1.999};
  EXPECT_EQ(values_of(mxint8, quantise(mxint8, in)), (std::vector<double>{127.0 / 64, -127.0 / 64}));
  EXPECT_EQ(values_of(mxint8, quantise(mxint8, in, {.lowest_integer = true})), (std::vector<double>{127.0 / 64, -2}));
  EXPECT_EQ(quantise(mxint8, in, {.lowest_integer = true}).elements, (std::vector<std::uint8_t>{127, 0x80}));
}

// The fast way to an element's code against round_to and encode, the way of every other rounding.
TEST(NumBlock, FastCodesAreThoseOfTheReference) {
  for (const char* name : {"mxfp8", "mxfp8_e5m2", "mxfp6", "mxfp6_e3m2", "mxfp4", "mxint8"}) {
    const BlockFormat& format = format_of(name);
    const NumberFormat& element = element_format(format);
    const double top = std::ldexp(1.0, element.emax);  // its block has the scale 1
    std::vector<double> in;
    for (int exponent = element.emin - 12; exponent <= element.emax; ++exponent) {
      for (int i = 0; i < 1 << 11; ++i) {
        const double x = std::ldexp(1 + std::ldexp(i, -11), exponent);
        for (const double near : {std::nextafter(x, 0), x, -x}) in.push_back(near);
        while (in.size() % 32 != 31) in.push_back(0);
        in.push_back(top);
      }
    }
    const QuantisedBlocks got = quantise(format, in);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(got.scales[i / 32], 127);
      const double wanted = round_to(element, real(in[i]), {.overflow = Overflow::kSaturate}).value;
      ASSERT_EQ(got.elements[i], encode(element, wanted)) << name << ' ' << in[i];
    }
  }
}

TEST(NumBlock, StochasticRounding) {
  const BlockFormat& mxfp4 = format_of("mxfp4");
  std::vector<double> in(32000, 2.25);  // X = 1/2: 4.5 lies a quarter of the way from 4 to 6
  for (std::size_t i = 0; i < in.size(); i += 32) in[i] = 3;
  const BlockRules rules = {.rounding = {.rounding = Rounding::kStochastic, .seed = 5}};
  const QuantisedBlocks once = quantise(mxfp4, in, rules);
  EXPECT_EQ(once.elements, quantise(mxfp4, in, rules).elements);
  EXPECT_NE(once.elements, quantise(mxfp4, in, {.rounding = {.rounding = Rounding::kStochastic, .seed = 6}}).elements);
  const auto up = std::count(once.elements.begin(), once.elements.end(), std::uint8_t{7}) - 1000;
  EXPECT_NEAR(static_cast<double>(up) / 31000, 0.25, 0.01);  // four standard deviations
}

// --- NVFP4 ---

// In the order of Transformer Engine, written again.
Oracle oracle_nvfp4(const std::vector<float>& in, float tensor_amax, TwoLevelOrder order) {
  const std::vector<double> scales = magnitudes(4, 3, 448);
  const std::vector<double> elements = magnitudes(2, 1, 6);
  float global = 448.0F * 6.0F / tensor_amax;
  if (global > std::numeric_limits<float>::max()) global = std::numeric_limits<float>::max();
  if (tensor_amax == 0 || global == 0) global = 1;
  Oracle out;
  for (std::size_t begin = 0; begin < in.size(); begin += 16) {
    const std::size_t end = std::min(begin + 16, in.size());
    float amax = 0;
    for (std::size_t i = begin; i < end; ++i) amax = std::max(amax, std::abs(in[i]));
    const float sixth = 1.0F / 6.0F;
    const float of_six = global * sixth;
    const float wanted = amax * of_six;
    const int code = nearest_index(scales, wanted, false);
    const auto scale = static_cast<float>(scales[static_cast<std::size_t>(code)]);
    out.scales.push_back(code);
    float by = 0;
    if (order == TwoLevelOrder::kReciprocal) {
      const float back = 1.0F / global;
      const float both = scale * back;
      by = 1.0F / both;
    } else {
      by = global / scale;
    }
    if (by > std::numeric_limits<float>::max()) by = std::numeric_limits<float>::max();
    const float amax_scale = scale * tensor_amax;
    const float final_scale = amax_scale * static_cast<float>(1.0 / 2688.0);
    for (std::size_t i = begin; i < end; ++i) {
      const float scaled = in[i] * by;
      const int index = nearest_index(elements, std::abs(scaled), false);
      const bool negative = std::signbit(scaled);
      out.codes.push_back(index + (negative ? 8 : 0));
      const auto q = static_cast<float>(elements[static_cast<std::size_t>(index)] * (negative ? -1 : 1));
      const float value = q * final_scale;
      out.values.push_back(value);
    }
  }
  return out;
}

TEST(NumBlock, Nvfp4AgainstTheOracle) {
  const BlockFormat& nvfp4 = format_of("nvfp4");
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal;
  for (const TwoLevelOrder order : {TwoLevelOrder::kReciprocal, TwoLevelOrder::kQuotient}) {
    for (const float size : {1.0F, 1e-30F, 3e37F, 6e-39F, 1000.0F}) {
      std::vector<float> in;
      for (int i = 0; i < 4000; ++i) {
        const int block = i / 16;
        in.push_back(normal(random) * size * std::exp2(static_cast<float>(-(block % 24))));
        if (!std::isfinite(in.back())) in.back() = size;
      }
      float amax = 0;
      for (const float x : in) amax = std::max(amax, std::abs(x));
      const Oracle wanted = oracle_nvfp4(in, amax, order);
      const QuantisedBlocks got = quantise(nvfp4, in, {.order = order});
      EXPECT_EQ(std::vector<int>(got.scales.begin(), got.scales.end()), wanted.scales) << size;
      EXPECT_EQ(std::vector<int>(got.elements.begin(), got.elements.end()), wanted.codes) << size;
      const std::vector<double> values = values_of(nvfp4, got);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool same = values[i] == wanted.values[i] || (std::isnan(values[i]) && std::isnan(wanted.values[i]));
        ASSERT_TRUE(same) << size << ' ' << i << ' ' << values[i] << ' ' << wanted.values[i];
      }
      EXPECT_EQ(got.tensor_amax, amax);
    }
  }
}

// By hand: amax of the tensor 2688 = 448 · 6, so S = 1 and the first block has s = 448, f = 1/448: 2688 -> 6, 448 -> 1,
// 1000/448 = 2.23 -> 2. The second has amax 3: s = E4M3(3 · (1/6)) = 1/2, f = 2: 3 -> 6, 1 -> 2, 0.3 -> 0.6 -> 1/2.
TEST(NumBlock, Nvfp4ByHand) {
  const BlockFormat& nvfp4 = format_of("nvfp4");
  std::vector<double> in(32, 0.0);
  in[0] = 2688;
  in[1] = 448;
  in[2] = -1000;
  in[16] = 3;
  in[17] = 1;
  in[18] = -0.3;
  const QuantisedBlocks got = quantise(nvfp4, in);
  EXPECT_EQ(got.scales, (std::vector<std::uint8_t>{0x7E, 0x30}));
  const std::vector<double> out = values_of(nvfp4, got);
  EXPECT_EQ(out[0], 2688);
  EXPECT_EQ(out[1], 448);
  EXPECT_EQ(out[2], -896);
  EXPECT_EQ(out[16], 3);
  EXPECT_EQ(out[17], 1);
  EXPECT_EQ(out[18], -0.25);
  EXPECT_EQ(block_scale(nvfp4, got, 1), 0.5);
}

// s below 2^-10 rounds to 0: a block 2^-20 below the tensor's largest number is lost.
TEST(NumBlock, Nvfp4LosesSmallBlocks) {
  const BlockFormat& nvfp4 = format_of("nvfp4");
  std::vector<double> in(32, 1.0);
  std::fill(in.begin() + 16, in.end(), std::ldexp(1.0, -20));
  const std::vector<BlockFacts> facts = block_facts(nvfp4, in, quantise(nvfp4, in));
  EXPECT_EQ(facts[0].zeroed, 0U);
  EXPECT_EQ(facts[1].zeroed, 16U);
  EXPECT_EQ(facts[1].scale, 0);
  // With the amax of a larger tensor the first block is the small one.
  EXPECT_EQ(block_facts(nvfp4, in, quantise(nvfp4, in, {.tensor_amax = 1e7}))[0].zeroed, 16U);
}

TEST(NumBlock, SignalToNoise) {
  EXPECT_NEAR(signal_to_noise(std::vector<double>{3, 4}, std::vector<double>{3, 4.5}), 10 * std::log10(100), 1e-12);
  EXPECT_EQ(signal_to_noise(std::vector<double>{3}, std::vector<double>{3}), kInf);
  EXPECT_TRUE(std::isnan(signal_to_noise(std::vector<double>{0}, std::vector<double>{0})));
  EXPECT_NEAR(signal_to_noise(std::vector<double>{3, kNan, 4}, std::vector<double>{3, 1, 4.5}), 20, 1e-12);
  // More bits, less noise; each bit is worth about 6 dB.
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> in(32768);
  for (double& x : in) x = normal(random);
  const auto db = [&](const char* name) {
    return signal_to_noise(in, values_of(format_of(name), quantise(format_of(name), in)));
  };
  EXPECT_GT(db("mxint8"), db("mxfp8") + 6);
  EXPECT_GT(db("mxfp8"), db("mxfp8_e5m2") + 4);
  EXPECT_GT(db("mxfp6"), db("mxfp6_e3m2") + 4);
  EXPECT_GT(db("nvfp4"), db("mxfp4"));
}

// --- names ---

TEST(NumBlock, Names) {
  EXPECT_EQ(find_block_format("MXFP8-E4M3")->name, "mxfp8");
  EXPECT_EQ(find_block_format("NVFP4")->size, 16);
  EXPECT_EQ(find_block_format("fp16"), nullptr);
  ASSERT_TRUE(any_format("mxfp4"));
  EXPECT_TRUE(std::holds_alternative<BlockFormat>(*any_format("mxfp4")));
  EXPECT_TRUE(std::holds_alternative<NumberFormat>(*any_format("e4m3")));
  EXPECT_EQ(any_format("mxfp88").error().hint, "did you mean 'mxfp8'?");
  EXPECT_EQ(any_format("nvpf4").error().hint, "did you mean 'nvfp4'?");
  EXPECT_EQ(any_format("bf61").error().hint, "did you mean 'bf16'?");
  EXPECT_EQ(any_format("p=0,emin=0,emax=0").error().code, ErrorCode::kUsage);
  std::vector<std::string> names;
  for (const BlockFormat& format : block_formats()) {
    names.push_back(format.name);
    names.insert(names.end(), format.also.begin(), format.also.end());
    EXPECT_FALSE(format.title.empty() || format.used.empty() || format.source.empty()) << format.name;
    EXPECT_TRUE(number_format(format.element)) << format.name;
    EXPECT_TRUE(number_format(format.scale)) << format.name;
  }
  for (const std::string& name : names) EXPECT_FALSE(number_format(name)) << name << " is two formats";
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace assay
