// Collectives against their twin, which moves messages between ranks.

#include "sim/collective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "collective_twin.h"
#include "num/distribution.h"
#include "sim/all_reduce.h"

namespace assay {
namespace {

using Kind = Collective::Kind;

constexpr std::size_t kElements = 37;

twin::Ranks drawn(std::size_t ranks, std::size_t elements, const NumberFormat& format) {
  twin::Ranks out(ranks, twin::Array(elements));
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    draw({.seed = 11, .stream = rank}, 0, out[rank]);
    Arithmetic(format).round(out[rank], out[rank]);
  }
  return out;
}

// Elements are rows, ranks their numbers.
Lanes lanes_of(const twin::Ranks& ranks) {
  Lanes out(ranks.front().size(), ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    std::copy(ranks[rank].begin(), ranks[rank].end(), out.at(rank).begin());
  return out;
}

void expect_as_twin(const Collective& collective, const char* format) {
  const NumberFormat wire = *number_format(format);
  const twin::Ranks ranks = drawn(collective.ranks, kElements, wire);
  const AllReduce how{.collective = collective, .wire = wire, .elements = kElements};
  const std::vector<double> got = all_reduced(how, lanes_of(ranks));
  const twin::Ranks all = twin::AllReduceTwin(collective, wire).run(ranks);
  for (const twin::Array& one : all) {
    ASSERT_EQ(got, one) << facts_of(collective.kind).name << ' ' << collective.ranks << ' ' << format << " within "
                        << facts_of(collective.within).name << ' ' << collective.per_node;
  }
}

TEST(Collective, WalksAreWhatMessagesDo) {
  for (const char* format : {"fp16", "bf16", "fp32"}) {
    for (std::size_t ranks = 1; ranks <= 33; ++ranks) {
      for (const CollectiveFacts& facts : collectives()) {
        if (facts.kind == Kind::kHierarchical) continue;
        Collective collective{.kind = facts.kind, .ranks = ranks, .radix = 2 + ranks % 5};
        expect_as_twin(collective, format);
        collective.ring_begin = 0;
        expect_as_twin(collective, format);
      }
    }
  }
}

TEST(Collective, NodesAreReducedFirst) {
  for (const char* format : {"fp16", "bf16", "fp32"}) {
    for (std::size_t ranks = 1; ranks <= 33; ++ranks) {
      for (std::size_t size = 1; size <= ranks; ++size) {
        if (ranks % size != 0) continue;
        for (const Kind within : {Kind::kRing, Kind::kRecursiveDoubling, Kind::kTree, Kind::kServer}) {
          expect_as_twin({.kind = Kind::kHierarchical, .ranks = ranks, .per_node = size, .within = within}, format);
        }
      }
    }
  }
}

TEST(Collective, FewElementsAndBuckets) {
  // Buckets are buffers of their own, and a buffer may have fewer elements than there are ranks.
  const NumberFormat wire = *number_format("bf16");
  for (const std::size_t bucket : {1U, 3U, 5U, 8U, 20U, 37U}) {
    const Collective collective{.kind = Kind::kRing, .ranks = 7};
    const twin::Ranks ranks = drawn(7, kElements, wire);
    const AllReduce how{.collective = collective, .wire = wire, .elements = kElements, .bucket = bucket};
    const std::vector<double> got = all_reduced(how, lanes_of(ranks));
    for (std::size_t begin = 0; begin < kElements; begin += bucket) {
      const std::size_t end = std::min(begin + bucket, kElements);
      twin::Ranks part;
      for (const twin::Array& one : ranks) {
        part.emplace_back(one.begin() + static_cast<std::ptrdiff_t>(begin),
                          one.begin() + static_cast<std::ptrdiff_t>(end));
      }
      const twin::Array expected = twin::AllReduceTwin(collective, wire).run(part).front();
      for (std::size_t i = begin; i < end; ++i) ASSERT_EQ(got[i], expected[i - begin]) << bucket << ' ' << i;
    }
  }
}

// Each rank is added once, whatever the chunk.
struct Gathered {
  using Number = std::vector<std::size_t>;
  Number first(std::size_t k) const { return {k}; }
  void add_term(Number& sum, std::size_t k) const { sum.push_back(k); }
  void add(Number& sum, Number&& other) const { sum.insert(sum.end(), other.begin(), other.end()); }
  void close(Number& /*sum*/) const {}
};

TEST(Collective, EveryRankIsAddedOnceInEveryChunk) {
  for (const CollectiveFacts& facts : collectives()) {
    for (const std::size_t ranks : {1U, 2U, 12U, 63U, 64U, 65U, 1000U, 65536U}) {
      Collective collective{.kind = facts.kind, .ranks = ranks, .per_node = ranks % 4 == 0 ? 4U : 1U};
      ASSERT_TRUE(check(collective).has_value());
      const std::size_t chunks = chunk_count(collective);
      for (std::size_t chunk = 0; chunk < chunks; chunk += 1 + chunks / 5) {
        Gathered walker;
        std::vector<std::size_t> got = walk(collective, chunk, walker);
        ASSERT_EQ(got.size(), ranks);
        std::sort(got.begin(), got.end());
        for (std::size_t rank = 0; rank < ranks; ++rank) ASSERT_EQ(got[rank], rank) << facts.name << ' ' << chunk;
      }
    }
  }
}

TEST(Collective, ChunksAreNearlyEqualParts) {
  for (const std::size_t elements : {1U, 5U, 12U, 100U}) {
    for (const std::size_t chunks : {1U, 2U, 7U, 12U}) {
      std::vector<std::size_t> sizes(chunks);
      std::size_t last = 0;
      for (std::size_t i = 0; i < elements; ++i) {
        const std::size_t chunk = chunk_of(chunks, i, elements);
        ASSERT_GE(chunk, last);
        ASSERT_LT(chunk, chunks);
        last = chunk;
        ++sizes[chunk];
      }
      const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
      EXPECT_LE(*most - *least, 1U);
    }
  }
}

TEST(Collective, NamesAndWhatCannotBe) {
  EXPECT_EQ(*collective_named("Ring"), Kind::kRing);
  EXPECT_EQ(*collective_named("recursive_doubling"), Kind::kRecursiveDoubling);
  EXPECT_EQ(*collective_named("nvls"), Kind::kSwitch);
  const auto unknown = collective_named("rign");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_NE(unknown.error().hint.find("'ring'"), std::string::npos);
  EXPECT_FALSE(check({.ranks = 0}).has_value());
  EXPECT_FALSE(check({.ranks = kMostRanks + 1}).has_value());
  EXPECT_TRUE(check({.ranks = kMostRanks}).has_value());
  EXPECT_FALSE(check({.kind = Kind::kSwitch, .radix = 1}).has_value());
  EXPECT_FALSE(check({.kind = Kind::kHierarchical, .ranks = 12, .per_node = 8}).has_value());
  EXPECT_FALSE(check({.kind = Kind::kHierarchical, .ranks = 16, .per_node = 0}).has_value());
  EXPECT_TRUE(check({.kind = Kind::kHierarchical, .ranks = 3, .per_node = 8}).has_value());
}

}  // namespace
}  // namespace assay
