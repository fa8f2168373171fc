#pragma once
// The walks of sim/collective.h.

#include <algorithm>
#include <bit>
#include <utility>

namespace assay {

namespace collective_walk {

// Terms of a walker under other numbers.
template <class Walker, class Place>
struct Renamed {
  Walker& walker;
  Place place;
  using Number = decltype(std::declval<Walker&>().first(0));

  Number first(std::size_t k) { return walker.first(place(k)); }
  void add_term(Number& sum, std::size_t k) { walker.add_term(sum, place(k)); }
  void add(Number& sum, Number&& other) { walker.add(sum, std::move(other)); }
  void close(Number& sum) { walker.close(sum); }
};

template <class Walker, class Place>
auto renamed(Walker& walker, Place place) {
  return Renamed<Walker, Place>{walker, std::move(place)};
}

// Ranks beyond the largest power of two give what they have to a neighbour before the others begin.
struct Folded {
  std::size_t doubled = 0;  // so many pairs at the beginning
  std::size_t count = 0;    // a power of two

  explicit Folded(std::size_t ranks) : count(std::bit_floor(ranks)) { doubled = ranks - count; }
  bool is_pair(std::size_t place) const { return place < doubled; }
  std::size_t rank(std::size_t place) const { return is_pair(place) ? 2 * place : place + doubled; }
};

template <class Walker>
auto doubling(const Folded& ranks, std::size_t begin, std::size_t count, Walker& walker)
    -> decltype(walker.first(begin)) {
  if (count == 1) {
    auto sum = walker.first(ranks.rank(begin));
    if (ranks.is_pair(begin)) walker.add_term(sum, ranks.rank(begin) + 1);
    return sum;
  }
  const std::size_t half = count / 2;
  auto sum = doubling(ranks, begin, half, walker);
  if (half == 1 && !ranks.is_pair(begin + half)) {
    walker.add_term(sum, ranks.rank(begin + half));
  } else {
    walker.add(sum, doubling(ranks, begin + half, half, walker));
  }
  return sum;
}

// The children of a rank other than 0: half its lowest bit below, and above as far as there are ranks.
template <class Walker>
auto tree(std::size_t rank, std::size_t step, std::size_t ranks, Walker& walker) -> decltype(walker.first(rank)) {
  auto sum = walker.first(rank);
  const auto take = [&](std::size_t child, std::size_t child_step) {
    if (child_step == 1) {
      walker.add_term(sum, child);
    } else {
      walker.add(sum, tree(child, child_step, ranks, walker));
    }
  };
  if (step > 1 && rank > 0) take(rank - step / 2, step / 2);
  std::size_t above = step / 2;
  while (above > 0 && rank + above >= ranks) above /= 2;
  if (above > 0) take(rank + above, above);
  return sum;
}

// Each level of switches adds the sums of the one below.
template <class Walker>
auto switched(std::size_t begin, std::size_t end, std::size_t below, std::size_t radix, Walker& walker)
    -> decltype(walker.first(begin)) {
  if (end - begin == 1) return walker.first(begin);
  auto sum = switched(begin, std::min(begin + below, end), std::max<std::size_t>(below / radix, 1), radix, walker);
  bool joined = false;
  for (std::size_t next = begin + below; next < end; next += below) {
    joined = true;
    if (below == 1) {
      walker.add_term(sum, next);
    } else {
      walker.add(sum,
                 switched(next, std::min(next + below, end), std::max<std::size_t>(below / radix, 1), radix, walker));
    }
  }
  if (joined) walker.close(sum);
  return sum;
}

template <class Walker>
auto in_sequence(std::size_t ranks, Walker& walker) {
  auto sum = walker.first(0);
  for (std::size_t k = 1; k < ranks; ++k) walker.add_term(sum, k);
  return sum;
}

// Without levels of nodes or switches.
template <class Walker>
auto flat(Collective::Kind kind, std::size_t ranks, Walker& walker) {
  switch (kind) {
    case Collective::Kind::kRecursiveDoubling:
    case Collective::Kind::kHalvingDoubling: {
      const Folded folded(ranks);
      return doubling(folded, 0, folded.count, walker);
    }
    case Collective::Kind::kTree:
    case Collective::Kind::kDoubleTree: return tree(0, std::bit_ceil(ranks), ranks, walker);
    case Collective::Kind::kRing:
    case Collective::Kind::kHierarchical:
    case Collective::Kind::kSwitch:
    case Collective::Kind::kServer:
    case Collective::Kind::kLinear: break;
  }
  return in_sequence(ranks, walker);
}

template <class Walker>
auto by_nodes(const Collective& collective, Walker& walker) {
  const std::size_t size = std::min(collective.per_node, collective.ranks);
  const auto node = [&](std::size_t index) {
    auto inside = renamed(walker, [first = index * size](std::size_t k) { return first + k; });
    auto sum = flat(collective.within, size, inside);
    walker.close(sum);
    return sum;
  };
  auto sum = node(0);
  for (std::size_t index = 1; index < collective.ranks / size; ++index) walker.add(sum, node(index));
  return sum;
}

}  // namespace collective_walk

template <class Walker>
auto walk(const Collective& collective, Walker& walker) {
  if (collective.kind == Collective::Kind::kHierarchical) return collective_walk::by_nodes(collective, walker);
  if (collective.kind == Collective::Kind::kSwitch) {
    std::size_t below = 1;
    while (below * collective.radix < collective.ranks) below *= collective.radix;
    return collective_walk::switched(0, collective.ranks, below, collective.radix, walker);
  }
  return collective_walk::flat(collective.kind, collective.ranks, walker);
}

template <class Walker>
auto walk(const Collective& collective, std::size_t chunk, Walker& walker) {
  auto by_rank = collective_walk::renamed(
      walker, [order = rank_order(collective, chunk)](std::size_t position) { return order.rank_at(position); });
  return walk(collective, by_rank);
}

}  // namespace assay
