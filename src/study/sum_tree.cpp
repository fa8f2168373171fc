// Order revealing (Xie, Gao, Yang, Xue, "FPRev: Revealing the Order of Floating-Point Summation", USENIX ATC 2025).
//
// All elements are ones but for a huge M and its negative. While M is in a partial sum, ones that are added to it are
// lost; where M and -M meet they cancel, and ones that are added later count. So the sum is the number of elements that
// are not below the addition where the two meet, and count - sum is the size L(i, j) of the smallest part of the tree
// that holds both. From all L the tree follows: at the root, elements belong to one child where L is less than the size
// of the whole; children are taken apart in the same way. The tree is then asked for its own L, and is believed only
// where all agree. With the pairs of the first element alone only its own way to the root is known: as many additions
// as there are different L.
//
// Where ones are not lost, every L comes out as 2: the accumulator has more bits than M and 1 are apart, which tells
// its format.

#include "study/sum_tree.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace assay {

namespace {

constexpr std::size_t kMostPairs = 256;  // elements whose whole tree is sought

class Meetings {
 public:
  Meetings(std::size_t count, std::span<const MaskSum> sums) : count_(count), size_(count * count, 0) {
    for (const MaskSum& one : sums) {
      const std::size_t met = count - static_cast<std::size_t>(one.ones);
      size_[one.i * count + one.j] = size_[one.j * count + one.i] = met;
    }
  }
  std::size_t at(std::size_t i, std::size_t j) const { return size_[i * count_ + j]; }

 private:
  std::size_t count_;
  std::vector<std::size_t> size_;
};

struct Part {
  std::vector<std::size_t> elements;
  std::size_t depth = 0;
};

// The children of a part: elements that meet before the whole part does.
std::vector<std::vector<std::size_t>> children_of(const Meetings& met, const std::vector<std::size_t>& part) {
  std::vector<std::vector<std::size_t>> out;
  for (const std::size_t element : part) {
    const auto belongs = [&](const auto& child) { return met.at(child.front(), element) < part.size(); };
    const auto child = std::find_if(out.begin(), out.end(), belongs);
    if (child != out.end()) {
      child->push_back(element);
    } else {
      out.push_back({element});
    }
  }
  return out;
}

// Whether elements of different children meet here, and nowhere else.
bool agrees(const Meetings& met, const std::vector<std::vector<std::size_t>>& children, std::size_t size) {
  for (std::size_t a = 0; a < children.size(); ++a) {
    for (std::size_t b = a + 1; b < children.size(); ++b) {
      for (const std::size_t i : children[a]) {
        for (const std::size_t j : children[b]) {
          if (met.at(i, j) != size) return false;
        }
      }
    }
  }
  return true;
}

// Takes the whole tree apart. False: no tree has these sums.
bool take_apart(const Meetings& met, SumOrder& out) {
  std::vector<Part> waiting(1);
  for (std::size_t i = 0; i < out.count; ++i) waiting.front().elements.push_back(i);
  while (!waiting.empty()) {
    const Part part = std::move(waiting.back());
    waiting.pop_back();
    out.depth = std::max(out.depth, part.depth);
    if (part.elements.size() == 1) continue;
    auto children = children_of(met, part.elements);
    if (children.size() < 2 || !agrees(met, children, part.elements.size())) return false;
    out.most_terms = std::max(out.most_terms, children.size());
    for (auto& child : children) waiting.push_back({std::move(child), part.depth + 1});
  }
  return true;
}

}  // namespace

SumOrder sum_order(std::size_t count, std::span<const MaskSum> sums) {
  SumOrder out;
  out.count = count;
  const auto possible = [count](const MaskSum& one) {
    return one.ones >= 0 && one.ones <= static_cast<double>(count - 2) && one.ones == std::floor(one.ones);
  };
  if (sums.empty() || !std::all_of(sums.begin(), sums.end(), possible)) return out;
  const auto kept = [count](const MaskSum& one) { return one.ones == static_cast<double>(count - 2); };
  out.keeps_ones = count > 2 && std::all_of(sums.begin(), sums.end(), kept);
  out.vanish = count > 2 && std::all_of(sums.begin(), sums.end(), [](const MaskSum& one) { return one.ones == 0; });
  if (out.keeps_ones || out.vanish) return out;
  std::set<std::size_t> sizes;
  std::size_t nearest = count + 1;
  out.in_turn = true;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (const MaskSum& one : sums) {
    const std::size_t met = count - static_cast<std::size_t>(one.ones);
    const std::size_t later = std::max(one.i, one.j);
    pairs.emplace(std::min(one.i, one.j), later);
    out.in_turn = out.in_turn && met == later + 1;
    if (std::min(one.i, one.j) != 0) continue;
    sizes.insert(met);
    if (met < nearest) out.first_partner = later;
    nearest = std::min(nearest, met);
  }
  out.all_pairs = count <= kMostPairs && pairs.size() == count * (count - 1) / 2;
  if (!out.all_pairs) {
    out.depth = sizes.size();
    out.tree = !sizes.empty() && *sizes.rbegin() == count;  // the way ends at the root
    return out;
  }
  out.tree = take_apart(Meetings(count, sums), out);
  return out;
}

}  // namespace assay
