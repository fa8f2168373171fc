// What the other tests of a probe tell: orders of sums, elementwise operations, repeats.

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "gmock/gmock.h"
#include "num/round.h"
#include "study/sum_tree.h"
#include "study/unit_identify.h"

namespace assay {
namespace {

using testing::HasSubstr;

// --- orders ---

using Adder = std::function<float(const std::vector<float>&)>;

std::vector<MaskSum> all_pairs(std::size_t count, const Adder& add) {
  std::vector<MaskSum> out;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      std::vector<float> x(count, 1);
      x[i] = 0x1p60F;
      x[j] = -x[i];
      out.push_back({i, j, add(x)});
    }
  }
  return out;
}

float one_by_one(const std::vector<float>& x) {
  float sum = 0;
  for (const float value : x) sum += value;
  return sum;
}

float pairwise(const std::vector<float>& x) {
  if (x.size() == 1) return x[0];
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  return pairwise({x.begin(), middle}) + pairwise({middle, x.end()});
}

// `lanes` sums of every lanes-th element, then one lane after the other.
float in_lanes(const std::vector<float>& x, std::size_t lanes) {
  std::vector<float> sums(lanes, 0);
  for (std::size_t i = 0; i < x.size(); ++i) sums[i % lanes] += x[i];
  return one_by_one(sums);
}

// Four terms at once, exactly, and the running sum with them.
float fused_by_four(const std::vector<float>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); i += 4) {
    double largest = std::fabs(sum);
    for (std::size_t k = i; k < i + 4; ++k) largest = std::max(largest, std::fabs(static_cast<double>(x[k])));
    const double quantum = std::max(std::ldexp(1.0, std::ilogb(largest) - 24), 1.0);
    sum = std::trunc(sum / quantum) * quantum;
    for (std::size_t k = i; k < i + 4; ++k) sum += std::trunc(static_cast<double>(x[k]) / quantum) * quantum;
  }
  return static_cast<float>(sum);
}

TEST(SumTree, OneAfterTheOther) {
  const SumOrder order = sum_order(24, all_pairs(24, one_by_one));
  EXPECT_TRUE(order.tree && order.all_pairs && order.in_turn);
  EXPECT_EQ(order.depth, 23U);
  EXPECT_EQ(order.first_partner, 1U);
  EXPECT_EQ(order.most_terms, 2U);
}

TEST(SumTree, Pairwise) {
  const SumOrder order = sum_order(32, all_pairs(32, pairwise));
  EXPECT_TRUE(order.tree && !order.in_turn);
  EXPECT_EQ(order.depth, 5U);
  EXPECT_EQ(order.first_partner, 1U);
}

TEST(SumTree, Lanes) {
  const SumOrder order = sum_order(40, all_pairs(40, [](const auto& x) { return in_lanes(x, 8); }));
  EXPECT_TRUE(order.tree && !order.in_turn);
  EXPECT_EQ(order.depth, 4U + 7U);
  EXPECT_EQ(order.first_partner, 8U);
}

TEST(SumTree, TermsThatAreAddedAtOnce) {
  const SumOrder order = sum_order(16, all_pairs(16, fused_by_four));
  EXPECT_TRUE(order.tree);
  EXPECT_EQ(order.most_terms, 5U);  // four and the running sum
  EXPECT_EQ(order.depth, 4U);
}

TEST(SumTree, TheWayOfTheFirstElement) {
  const auto all = all_pairs(64, [](const auto& x) { return in_lanes(x, 16); });
  const std::vector<MaskSum> first(all.begin(), all.begin() + 63);
  const SumOrder order = sum_order(64, first);
  EXPECT_TRUE(order.tree && !order.all_pairs);
  EXPECT_EQ(order.depth, 3U + 15U);
  EXPECT_EQ(order.first_partner, 16U);
}

TEST(SumTree, WhatIsNoTree) {
  std::vector<MaskSum> sums = all_pairs(16, pairwise);
  sums[7].ones = sums[7].ones == 2 ? 3 : 2;
  EXPECT_FALSE(sum_order(16, sums).tree);
  for (const double wrong : {0.5, -1.0, 15.0, std::nan(""), HUGE_VAL}) {
    sums[7].ones = wrong;
    EXPECT_FALSE(sum_order(16, sums).tree) << wrong;
  }
  EXPECT_FALSE(sum_order(16, {}).tree);
}

TEST(SumTree, WideAccumulatorsKeepEverything) {
  const SumOrder order = sum_order(16, all_pairs(16, [](const auto& x) {
                                     double sum = 0;
                                     for (const float value : x) sum += std::fabs(value) > 2 ? 0 : value;
                                     return static_cast<float>(sum);
                                   }));
  EXPECT_TRUE(order.keeps_ones);
  EXPECT_FALSE(order.tree);
  EXPECT_TRUE(sum_order(16, all_pairs(16, [](const auto&) { return 0.0F; })).vanish);
}

// --- a probe's sections ---

std::string pattern(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  return text;
}

Result<Report> identified(const std::string& text) {
  const testing::TestInfo* const info = testing::UnitTest::GetInstance()->current_test_info();
  const auto path = std::filesystem::temp_directory_path() / ("assay_unit_" + std::string(info->name()));
  std::ofstream(path, std::ios::binary) << text;
  Result<Report> out = unit_identify({.file = path.string()});
  std::filesystem::remove(path);
  return out;
}

using Pairs = std::vector<std::pair<double, double>>;

std::string section_of(std::string_view operation, const Pairs& pairs, const std::function<double(double, double)>& f) {
  std::string out = "[elementwise]\n# name test\n# input fp16\n# operation " + std::string(operation) + "\nx\ty\td\n";
  for (const auto& [x, y] : pairs) out += pattern(x) + "\t" + pattern(y) + "\t" + pattern(f(x, y)) + "\n";
  return out;
}

double fp16(double value, const RoundingRules& rules = {}) {
  return round_to(*number_format("fp16"), real(value), rules).value;
}

TEST(UnitProbe, ElementwiseOperations) {
  const double tiny = std::ldexp(1.0, -24), small = std::ldexp(1.0, -14);
  const Pairs pairs{{1, 3}, {3, 7}, {tiny, 2048}, {small, 0.5}, {65504, 2}, {1.5, 1.25}};
  const auto exact = [](double x, double y) { return fp16(x * y); };
  EXPECT_THAT(
      identified(section_of("multiply", pairs, exact))->answer.en,
      HasSubstr("all 6 results are rounded rightly; subnormal numbers are kept, too large results are infinite"));
  const auto flushing = [](double x, double y) {
    const double in = std::fabs(x) < std::ldexp(1.0, -14) ? 0 : x;
    return fp16(in * y, {.overflow = Overflow::kSaturate, .flush_outputs = true});
  };
  EXPECT_THAT(identified(section_of("multiply", pairs, flushing))->answer.en,
              HasSubstr("subnormal numbers become 0, too large results are the largest number"));
  const auto sloppy = [](double x, double y) { return fp16(x / y) + (x == 3 ? std::ldexp(1.0, -12) : 0.0); };
  const Result<Report> divided = identified(section_of("divide", pairs, sloppy));
  ASSERT_TRUE(divided.has_value());
  EXPECT_THAT(divided->answer.en, HasSubstr("5 of 6 results are rounded rightly, the worst is 0.5714 ulp"));
  EXPECT_THAT(divided->answer.en, HasSubstr("line 7: of 3 and 7 came"));
  EXPECT_THAT(divided->answer.zh, HasSubstr("6 个结果中 5 个舍入正确"));
}

TEST(UnitProbe, Repeats) {
  std::string text = "[determinism]\n# name index_add\nrun\tdigest\n";
  for (int run = 0; run < 3; ++run) text += pattern(run) + "\t00000007\n";
  EXPECT_EQ(identified(text)->answer.en, "the same bits in all 3 runs");
  text += pattern(3) + "\t00000008\n";
  EXPECT_EQ(identified(text)->answer.en, "2 different results in 4 runs: not deterministic");
}

TEST(UnitProbe, OrdersOfSums) {
  std::string text = "[sum-order]\n# name sum\n# count 16\n# mask 1152921504606846976\n# unit 1\ni\tj\td\n";
  for (const MaskSum& one : all_pairs(16, one_by_one)) {
    text += pattern(static_cast<double>(one.i)) + "\t" + pattern(static_cast<double>(one.j)) + "\t" +
            pattern(one.ones) + "\n";
  }
  EXPECT_EQ(identified(text)->answer.en, "one element after the other: 15 additions in a row for 16 elements");
}

TEST(UnitProbe, SeveralTestsHaveOneAnswer) {
  const Pairs pairs{{1, 3}};
  const Result<Report> report = identified(
      "# device A chip\n" + section_of("add", pairs, [](double, double) { return 5.0; }) +
      section_of("multiply", pairs, [](double, double) { return 3.0; }) +
      "[matmul]\n# name mm\n# input fp16\na\tb\td\n3f800000\t3f800000\t3f800000\n[of-the-future]\nq\n00000000\n"
      "[determinism]\n# name mm\nrun\tdigest\n00000000\t00000007\n");
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->answer.en, "A chip: test: 1 results not rounded rightly; mm: not told");
  ASSERT_EQ(report->sections.size(), 3U);
  EXPECT_EQ(report->sections[0].key, "elementwise");
  EXPECT_EQ(report->sections[0].tables[0].rows.size(), 2U);
  EXPECT_EQ(report->sections[1].key, "matmul");
}

TEST(UnitProbe, SectionsThatCannotBeUsed) {
  for (const char* text :
       {"[of-the-future]\nq\n00000000\n", "[matmul]\na\tb\td\n", "[matmul]\na\td\n00000000\t00000000\n",
        "[matmul]\n# input fp17\na\tb\td\n00000000\t00000000\t00000000\n",
        "[elementwise]\n# input fp16\n# operation power\nx\ty\td\n00000000\t00000000\t00000000\n",
        "[elementwise]\n# operation add\nx\ty\td\n00000000\t00000000\t00000000\n",
        "[sum-order]\n# count 4\n# mask 9\n# unit 1\ni\tj\td\n00000000\t00000000\t00000000\n",
        "[sum-order]\n# count 1e300\n# mask 9\n# unit 1\ni\tj\td\n00000000\t3f800000\t00000000\n",
        "[sum-order]\n# count 4\n# mask nan\n# unit 1\ni\tj\td\n00000000\t3f800000\t00000000\n",
        "[sum-order]\n# count 4\n# mask 9\n# unit 1\ni\tj\td\n00000000\t42c80000\t00000000\n",
        "[determinism]\nrun\n00000000\n"}) {
    EXPECT_FALSE(identified(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace assay
