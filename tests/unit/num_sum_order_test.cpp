// num/sum_order.h: which additions an order does, written down as text and compared with hand-made trees.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "num/real.h"
#include "num/reduction.h"
#include "num/sum_order.h"

namespace assay {
namespace {

// A number is the expression that makes it.
struct Writer {
  std::string first(std::size_t k) { return std::to_string(k); }
  void add_term(std::string& sum, std::size_t k) { sum = "(" + sum + "+" + std::to_string(k) + ")"; }
  void add(std::string& sum, std::string&& other) { sum = "(" + sum + "+" + other + ")"; }
  void close(std::string& sum) { sum = "[" + sum + "]"; }
};

std::string tree(const char* order, std::size_t n) {
  Writer writer;
  return walk(*sum_order(order), n, writer);
}

TEST(NumSumOrder, TreesAreWhatTheirNamesSay) {
  EXPECT_EQ(tree("sequential", 4), "(((0+1)+2)+3)");
  EXPECT_EQ(tree("pairwise", 5), "((0+1)+(2+(3+4)))");
  EXPECT_EQ(tree("lanes:3", 7), "(([((0+3)+6)]+[(2+5)])+[(1+4)])");
  EXPECT_EQ(tree("lanes:4", 8), "(([(0+4)]+[(2+6)])+([(1+5)]+[(3+7)]))");
  EXPECT_EQ(tree("blocks:2", 5), "(([(0+1)]+[(2+3)])+[4])");
  EXPECT_EQ(tree("split:2", 5), "([((0+1)+2)]+[(3+4)])");
  EXPECT_EQ(tree("lanes:1", 3), tree("sequential", 3));
  EXPECT_EQ(tree("blocks:100", 3), tree("sequential", 3));
  EXPECT_EQ(tree("split:100", 3), "(([0]+[1])+[2])");
}

TEST(NumSumOrder, TheCascadeCarriesEverySixteenTerms) {
  EXPECT_EQ(tree("cascade", 16), tree("sequential", 16));
  std::string second = "16";
  for (int k = 17; k < 32; ++k) second = "(" + second + "+" + std::to_string(k) + ")";
  EXPECT_EQ(tree("cascade", 32), "(" + tree("sequential", 16) + "+" + second + ")");
  EXPECT_EQ(cascade_step(10), 16u);
  EXPECT_EQ(cascade_step(std::size_t{1} << 20), 32u);
  EXPECT_EQ(cascade_step((std::size_t{1} << 24) + 1), 64u);
}

TEST(NumSumOrder, EveryTermIsTakenOnce) {
  struct Counter {
    using Number = std::multiset<std::size_t>;
    Number first(std::size_t k) { return {k}; }
    void add_term(Number& sum, std::size_t k) { sum.insert(k); }
    void add(Number& sum, Number&& other) { sum.merge(other); }
    void close(Number&) {}
  };
  for (const char* order : {"sequential", "pairwise", "cascade", "lanes:7", "blocks:13", "split:6"}) {
    for (const std::size_t n : {1u, 2u, 3u, 16u, 17u, 255u, 4097u}) {
      Counter counter;
      const auto taken = walk(*sum_order(order), n, counter);
      EXPECT_EQ(taken.size(), n) << order;
      EXPECT_EQ(std::set<std::size_t>(taken.begin(), taken.end()).size(), n) << order;
    }
  }
}

TEST(NumSumOrder, NamesAreReadAndWritten) {
  for (const char* name : {"sequential", "pairwise", "cascade", "lanes:8", "blocks:128", "split:4"}) {
    ASSERT_TRUE(sum_order(name)) << name;
    EXPECT_EQ(name_of(*sum_order(name)), name);
  }
  EXPECT_EQ(sum_order("pairwize").error().hint.substr(0, 23), "did you mean 'pairwise'");
  for (const char* bad : {"", "lanes", "lanes:", "lanes:0", "lanes:-1", "lanes:8x", "sequential:3", "tree"}) {
    EXPECT_FALSE(sum_order(bad)) << bad;
  }
}

// The obvious twin of rounded_sums.
TEST(NumReduction, SumsAreWhatOneNumberAtATimeGives) {
  const NumberFormat bf16 = *number_format("bf16");
  const NumberFormat fp16 = *number_format("fp16");
  struct Twin {
    const Lanes& x;
    std::size_t row;
    const NumberFormat& format;
    const NumberFormat& part;
    double first(std::size_t k) { return round_to(format, real(x.at(k)[row])).value; }
    void add_term(double& sum, std::size_t k) {
      sum = round_to(format, assay::sum(real(sum), real(x.at(k)[row]))).value;
    }
    void add(double& sum, double&& other) { sum = round_to(part, assay::sum(real(sum), real(other))).value; }
    void close(double& sum) { sum = round_to(part, real(sum)).value; }
  };
  Lanes x(5, 300);
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = std::sin(static_cast<double>(i) * 1.7) * 3;
  for (const char* order : {"sequential", "pairwise", "cascade", "lanes:7", "blocks:13", "split:6"}) {
    Terms terms(x);
    SumEvents events;
    const std::vector<double> sums = rounded_sums({fp16, bf16, *sum_order(order), {}}, terms, &events);
    for (std::size_t row = 0; row < x.rows; ++row) {
      Twin twin{x, row, fp16, bf16};
      EXPECT_EQ(sums[row], walk(*sum_order(order), x.length, twin)) << order;
    }
    EXPECT_EQ(events.additions, x.rows * (x.length - 1)) << order;
  }
}

TEST(NumReduction, SwallowedTermsAreCounted) {
  const NumberFormat bf16 = *number_format("bf16");
  Lanes ones(1, 300);
  for (double& one : ones.values) one = 1;
  Terms terms(ones);
  SumEvents events;
  const std::vector<double> sums = rounded_sums({bf16, std::nullopt, {}, {}}, terms, &events);
  EXPECT_EQ(sums[0], 256);
  EXPECT_EQ(events.swallowed, 300u - 256u);
}

}  // namespace
}  // namespace assay
