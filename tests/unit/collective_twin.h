#pragma once
// All-reduces as they are done: every rank has an array, messages carry parts of it, and a rank adds what it receives
// to what it has. Slow, and with nothing in common with the walks of src/sim.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "assay/number_format.h"
#include "num/round.h"
#include "sim/collective.h"

namespace assay::twin {

using Array = std::vector<double>;
using Ranks = std::vector<Array>;  // what each rank has

class AllReduceTwin {
 public:
  AllReduceTwin(const Collective& collective, const NumberFormat& format) : how_(collective), format_(format) {}

  /// What every rank has in the end.
  Ranks run(Ranks ranks) const {
    switch (how_.kind) {
      case Collective::Kind::kRing: return ring(std::move(ranks));
      case Collective::Kind::kRecursiveDoubling: return recursive_doubling(std::move(ranks));
      case Collective::Kind::kHalvingDoubling: return halving_doubling(std::move(ranks));
      case Collective::Kind::kTree: return tree(ranks, 0, ranks.front().size(), false, ranks);
      case Collective::Kind::kDoubleTree: return double_tree(std::move(ranks));
      case Collective::Kind::kHierarchical: return hierarchical(ranks);
      case Collective::Kind::kSwitch: return switched(std::move(ranks));
      case Collective::Kind::kServer: return server(std::move(ranks));
      case Collective::Kind::kLinear: return linear(std::move(ranks));
    }
    return {};
  }

 private:
  double add(double a, double b) const {
    if (format_.name == "fp32") return static_cast<float>(a) + static_cast<float>(b);
    return round_to(format_, real(a + b), {}).value;
  }

  // Part `chunk` of an array: [begin, end).
  static std::size_t begin_of(std::size_t size, std::size_t chunks, std::size_t chunk) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < chunk; ++i) begin += size / chunks + (i < size % chunks ? 1 : 0);
    return begin;
  }

  Ranks ring(Ranks ranks) const {
    const std::size_t n = ranks.size();
    const std::size_t size = ranks.front().size();
    for (std::size_t step = 0; step + 1 < n; ++step) {
      const Ranks sent = ranks;
      for (std::size_t rank = 0; rank < n; ++rank) {
        const std::size_t to = (rank + 1) % n;
        const std::size_t chunk = (rank + 2 * n - how_.ring_begin - step) % n;
        for (std::size_t i = begin_of(size, n, chunk); i < begin_of(size, n, chunk + 1); ++i) {
          ranks[to][i] = add(sent[rank][i], ranks[to][i]);
        }
      }
    }
    for (std::size_t chunk = 0; chunk < n; ++chunk) {
      const std::size_t owner = (chunk + how_.ring_begin + n - 1) % n;
      for (std::size_t i = begin_of(size, n, chunk); i < begin_of(size, n, chunk + 1); ++i) {
        for (Array& one : ranks) one[i] = ranks[owner][i];
      }
    }
    return ranks;
  }

  // The ranks that go on, after the others gave theirs to a neighbour.
  std::vector<std::size_t> fold(Ranks& ranks) const {
    std::size_t power = 1;
    while (power * 2 <= ranks.size()) power *= 2;
    std::vector<std::size_t> active;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (rank >= 2 * (ranks.size() - power)) {
        active.push_back(rank);
      } else if (rank % 2 == 1) {
        for (std::size_t i = 0; i < ranks[rank].size(); ++i) ranks[rank][i] = add(ranks[rank - 1][i], ranks[rank][i]);
        active.push_back(rank);
      }
    }
    return active;
  }

  static void give_to_all(Ranks& ranks, std::size_t from) {
    const Array result = ranks[from];
    for (Array& one : ranks) one = result;
  }

  Ranks recursive_doubling(Ranks ranks) const {
    const std::vector<std::size_t> active = fold(ranks);
    for (std::size_t distance = 1; distance < active.size(); distance *= 2) {
      const Ranks sent = ranks;
      for (std::size_t place = 0; place < active.size(); ++place) {
        Array& mine = ranks[active[place]];
        const Array& other = sent[active[place ^ distance]];
        for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = add(mine[i], other[i]);
      }
    }
    const Ranks before = ranks;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const bool idle = std::find(active.begin(), active.end(), rank) == active.end();
      if (idle) ranks[rank] = before[rank + 1];
    }
    return ranks;
  }

  Ranks halving_doubling(Ranks ranks) const {
    const std::vector<std::size_t> active = fold(ranks);
    const std::size_t size = ranks.front().size();
    std::vector<std::size_t> begin(active.size(), 0), end(active.size(), size);
    for (std::size_t distance = 1; distance < active.size(); distance *= 2) {
      const Ranks sent = ranks;
      for (std::size_t place = 0; place < active.size(); ++place) {
        const std::size_t middle = begin[place] + (end[place] - begin[place]) / 2;
        (place & distance) == 0 ? end[place] = middle : begin[place] = middle;
        for (std::size_t i = begin[place]; i < end[place]; ++i) {
          ranks[active[place]][i] = add(ranks[active[place]][i], sent[active[place ^ distance]][i]);
        }
      }
    }
    Array result(size, NAN);
    for (std::size_t place = 0; place < active.size(); ++place) {
      for (std::size_t i = begin[place]; i < end[place]; ++i) result[i] = ranks[active[place]][i];
    }
    for (Array& one : ranks) one = result;
    return ranks;
  }

  // Parents as NCCL finds them; a rank sends when all its children have sent to it.
  static std::size_t parent_of(std::size_t rank, std::size_t n) {
    std::size_t bit = 1;
    while ((rank & bit) == 0) bit *= 2;
    const std::size_t up = (rank ^ bit) | (bit * 2);
    return up >= n ? rank ^ bit : up;
  }

  // `second`: mirrored, or shifted where the number of ranks is odd.
  Ranks tree(const Ranks& given, std::size_t begin, std::size_t end, bool second, Ranks out) const {
    const std::size_t n = given.size();
    const auto name_of = [&](std::size_t place) {
      return !second ? place : n % 2 == 0 ? n - 1 - place : (place + 1) % n;
    };
    Ranks sums = given;
    std::vector<std::vector<std::size_t>> children(n);
    for (std::size_t place = 1; place < n; ++place) children[parent_of(place, n)].push_back(place);
    const std::function<void(std::size_t)> reduce = [&](std::size_t place) {
      for (const std::size_t child : children[place]) {  // the lower one comes first
        reduce(child);
        for (std::size_t i = begin; i < end; ++i) {
          sums[name_of(place)][i] = add(sums[name_of(place)][i], sums[name_of(child)][i]);
        }
      }
    };
    reduce(0);
    for (Array& one : out) {
      for (std::size_t i = begin; i < end; ++i) one[i] = sums[name_of(0)][i];
    }
    return out;
  }

  Ranks double_tree(Ranks ranks) const {
    const Ranks given = ranks;
    const std::size_t half = begin_of(given.front().size(), 2, 1);
    const std::size_t size = given.front().size();
    if (given.size() == 1) return ranks;
    return tree(given, half, size, true, tree(given, 0, half, false, std::move(ranks)));
  }

  Ranks hierarchical(const Ranks& given) const {
    const std::size_t size = std::min(how_.per_node, given.size());
    const std::size_t nodes = given.size() / size;
    const std::size_t length = given.front().size();
    const std::size_t in_ring = how_.within == Collective::Kind::kRing ? size : 1;
    Ranks of_nodes;  // element i of a node's sum, wherever in the node it lies
    for (std::size_t node = 0; node < nodes; ++node) {
      Collective inside = how_;
      inside.kind = how_.within;
      inside.ranks = size;
      const auto first = given.begin() + static_cast<std::ptrdiff_t>(node * size);
      // The parts of a part that nodes own make the node's chunks: in_ring · nodes of them.
      of_nodes.push_back(by_parts(inside, Ranks(first, first + static_cast<std::ptrdiff_t>(size)), in_ring, nodes));
    }
    Array result(length);
    for (std::size_t chunk = 0; chunk < in_ring * nodes; ++chunk) {
      const std::size_t owner = chunk % nodes;
      for (std::size_t i = begin_of(length, in_ring * nodes, chunk); i < begin_of(length, in_ring * nodes, chunk + 1);
           ++i) {
        double sum = of_nodes[(owner + how_.ring_begin) % nodes][i];
        for (std::size_t step = 1; step < nodes; ++step) {
          sum = add(sum, of_nodes[(owner + how_.ring_begin + step) % nodes][i]);
        }
        result[i] = sum;
      }
    }
    return Ranks(given.size(), result);
  }

  // Rank `local` of a node owns `nodes` neighbouring parts: what a ring inside a node adds up at that rank.
  Array by_parts(const Collective& inside, const Ranks& ranks, std::size_t in_ring, std::size_t nodes) const {
    const std::size_t length = ranks.front().size();
    if (inside.kind != Collective::Kind::kRing) return AllReduceTwin(inside, format_).run(ranks).front();
    Array out(length);
    for (std::size_t chunk = 0; chunk < in_ring * nodes; ++chunk) {
      const std::size_t owner = chunk / nodes;
      for (std::size_t i = begin_of(length, in_ring * nodes, chunk); i < begin_of(length, in_ring * nodes, chunk + 1);
           ++i) {
        double sum = ranks[(owner + how_.ring_begin) % in_ring][i];
        for (std::size_t step = 1; step < in_ring; ++step) {
          sum = add(sum, ranks[(owner + how_.ring_begin + step) % in_ring][i]);
        }
        out[i] = sum;
      }
    }
    return out;
  }

  // A level of switches at a time, from the ranks up.
  Ranks switched(Ranks ranks) const {
    Ranks level = ranks;
    while (level.size() > 1) {
      Ranks above;
      for (std::size_t first = 0; first < level.size(); first += how_.radix) {
        Array sum = level[first];
        for (std::size_t port = first + 1; port < std::min(first + how_.radix, level.size()); ++port) {
          for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] = static_cast<float>(sum[i]) + static_cast<float>(level[port][i]);
          }
        }
        for (double& one : sum) one = round_to(format_, real(one), {}).value;
        above.push_back(std::move(sum));
      }
      level = std::move(above);
    }
    for (Array& one : ranks) one = level.front();
    return ranks;
  }

  Ranks server(Ranks ranks) const {
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) {
      for (std::size_t i = 0; i < ranks[0].size(); ++i) ranks[0][i] = add(ranks[0][i], ranks[rank][i]);
    }
    give_to_all(ranks, 0);
    return ranks;
  }

  Ranks linear(Ranks ranks) const {
    for (std::size_t rank = ranks.size() - 1; rank > 0; --rank) {
      for (std::size_t i = 0; i < ranks[0].size(); ++i) ranks[rank - 1][i] = add(ranks[rank - 1][i], ranks[rank][i]);
    }
    give_to_all(ranks, 0);
    return ranks;
  }

  Collective how_;
  NumberFormat format_;
};

}  // namespace assay::twin
