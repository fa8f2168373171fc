// Which share of the elements of an all-reduce overflows, when what the ranks have is N(m, s²).
//
// A partial sum beyond the threshold T of the format stays infinite. Along a sequence of additions (rings, servers) the
// partial sums are a random walk, and that one of them passes T is by reflection about twice as likely as that the last
// does; with a barrier on both sides
//     P = 1 − (4/π) Σ_k (−1)^k / (2k + 1) · exp(−(2k + 1)²·π²·n·s² / (8·T²)).
// Steps are not small: a barrier at T acts like one at T + 0.5826·s for a walk without steps (Siegmund 1985). With a
// mean that drives the walk (|m|·√n > s / 2) the last sum is the largest, and P is its own.
//
// In a tree the sums of a level are independent, so the density of the sums that are still finite is followed level by
// level: convolved with itself, then cut at ±T. A switch adds `radix` of them in FP32 before the cut. Levels whose sums
// are far from T (8 deviations) lose nothing and are normal.
//
// Limits: numbers of other distributions are taken as normal (heavy tails overflow more often); ranks that are no power
// of the radix are taken as a tree with as many equal parts; nodes are taken to add in sequence, and where there are
// more than 64 of them nothing is counted inside.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "num/format.h"
#include "study/all_reduce.h"

namespace assay {

namespace {

constexpr double kDriven = 0.5;        // |m|·√n / s from which on the mean decides
constexpr double kOvershoot = 0.5826;  // −ζ(1/2) / √(2π)
constexpr double kFar = 8;             // deviations: what is beyond is nothing
constexpr double kNothing = 1e-15;     // a share that is told as 0
constexpr std::size_t kFollowed = 64;  // steps of a walk whose density is followed
constexpr std::ptrdiff_t kGrid = 100;  // points from 0 to T

struct Numbers {
  double mean = 0, deviation = 1;
};

double beyond(const Numbers& one, double count, double threshold) {
  const double mean = one.mean * count;
  const double spread = one.deviation * std::sqrt(2 * count);
  if (!(spread > 0)) return std::abs(mean) >= threshold ? 1 : 0;
  return (std::erfc((threshold - mean) / spread) + std::erfc((threshold + mean) / spread)) / 2;
}

double walk_beyond(const Numbers& one, double count, double threshold) {
  const double last = beyond(one, count, threshold);
  if (std::abs(one.mean) * std::sqrt(count) > kDriven * one.deviation) return last;
  const double barrier = threshold + kOvershoot * one.deviation;
  const double spread = one.deviation * std::sqrt(count) / barrier;
  if (!(spread > 0)) return last;
  if (spread < 0.3) return std::clamp(2 * beyond(one, count, barrier), last, 1.0);  // the series would cancel
  double inside = 0;
  for (int k = 0; k < 50; ++k) {
    const double odd = 2 * k + 1;
    inside +=
        (k % 2 == 0 ? 1 : -1) / odd * std::exp(-odd * odd * std::numbers::pi * std::numbers::pi * spread * spread / 8);
  }
  return std::clamp(1 - 4 / std::numbers::pi * inside, last, 1.0);
}

// A density on the points i·step, |i| <= reach. Values beyond three thresholds do not come back.
class Density {
 public:
  Density(const Numbers& sum, double threshold)
      : step_(threshold / static_cast<double>(kGrid)), shares_(2 * kReach + 1) {
    for (std::ptrdiff_t i = -kReach; i <= kReach; ++i) {
      const double z = (static_cast<double>(i) * step_ - sum.mean) / sum.deviation;
      at(i) = std::exp(-z * z / 2) / (sum.deviation * std::sqrt(2 * std::numbers::pi)) * step_;
    }
  }

  double within_threshold() const {
    double sum = 0;
    for (std::ptrdiff_t i = -kGrid; i <= kGrid; ++i) sum += get(i) * (std::abs(i) == kGrid ? 0.5 : 1);
    return sum;
  }
  void cut() {
    for (std::ptrdiff_t i = -kReach; i <= kReach; ++i)
      at(i) *= std::abs(i) > kGrid ? 0 : std::abs(i) == kGrid ? 0.5 : 1;
  }
  /// Of the sum of two independent numbers.
  Density plus(const Density& other) const {
    Density out = *this;
    for (std::ptrdiff_t i = -kReach; i <= kReach; ++i) {
      double sum = 0;
      for (std::ptrdiff_t k = std::max(-kReach, i - kReach); k <= std::min(kReach, i + kReach); ++k)
        sum += get(k) * other.get(i - k);
      out.at(i) = sum;
    }
    return out;
  }

 private:
  static constexpr std::ptrdiff_t kReach = 3 * kGrid;
  double& at(std::ptrdiff_t i) { return shares_[static_cast<std::size_t>(i + kReach)]; }
  double get(std::ptrdiff_t i) const { return shares_[static_cast<std::size_t>(i + kReach)]; }

  double step_;
  std::vector<double> shares_;
};

Density normal_density(const Numbers& one, double terms, double threshold) {
  // So narrow that the grid would not see it: nothing of it is near the threshold, and nothing becomes so at once.
  const double deviation = std::max(one.deviation * std::sqrt(terms), threshold / static_cast<double>(kGrid));
  return {{one.mean * terms, deviation}, threshold};
}

// What is left of a sequence of so many steps.
Density walked(const Density& step, std::size_t count) {
  Density now = step;
  now.cut();
  for (std::size_t done = 1; done < count; ++done) {
    now = now.plus(step);
    if (done + 1 < count) now.cut();
  }
  return now;
}

bool is_far(const Numbers& one, double terms, double threshold) {
  return kFar * one.deviation * std::sqrt(terms) + std::abs(one.mean) * terms < threshold;
}

double sequence_beyond(const Numbers& one, std::size_t count, double threshold) {
  const auto all = static_cast<double>(count);
  const double last = beyond(one, all, threshold);
  if (count > kFollowed || is_far(one, all, threshold) || !(one.deviation > 0)) return walk_beyond(one, all, threshold);
  return std::clamp(1 - walked(normal_density(one, 1, threshold), count).within_threshold(), last, 1.0);
}

// A sequence in each node, and a sequence of nodes.
double nodes_beyond(const Numbers& one, const Collective& collective, double threshold) {
  const std::size_t size = std::min(collective.per_node, collective.ranks);
  const std::size_t nodes = collective.ranks / size;
  const auto terms = static_cast<double>(size);
  if (nodes == 1) return sequence_beyond(one, size, threshold);
  const double last = beyond(one, static_cast<double>(collective.ranks), threshold);
  if (is_far(one, static_cast<double>(collective.ranks), threshold) || !(one.deviation > 0)) return last;
  if (nodes > kFollowed) {
    return walk_beyond({one.mean * terms, one.deviation * std::sqrt(terms)}, static_cast<double>(nodes), threshold);
  }
  const bool followed = size <= kFollowed && !is_far(one, terms, threshold);
  Density node = followed ? walked(normal_density(one, 1, threshold), size) : normal_density(one, terms, threshold);
  node.cut();
  return std::clamp(1 - walked(node, nodes).within_threshold(), last, 1.0);
}

// A tree that adds `radix` sums at a time, and rounds then.
double tree_beyond(const Numbers& one, std::size_t count, std::size_t radix, double threshold) {
  // The sizes of the sums, from the largest.
  std::vector<double> parts;  // of each level's sums
  std::size_t below = 1;
  while (below * radix < count) below *= radix;
  for (std::size_t terms = below; terms > 0; terms /= radix) parts.push_back(static_cast<double>(terms));
  const auto far = [&](double terms) { return is_far(one, terms, threshold); };
  const auto all = static_cast<double>(count);
  const double last = beyond(one, all, threshold);
  if (far(all) || !(one.deviation > 0) || std::abs(one.mean) * std::sqrt(all) > kDriven * one.deviation) return last;
  std::size_t level = 0;
  while (level + 1 < parts.size() && !far(parts[level])) ++level;
  const double first = parts[level];
  if (!far(first) && first > 1) return last;
  Density now = normal_density(one, first, threshold);
  now.cut();
  for (std::size_t at = level + 1; at-- > 0;) {
    const double above = at == 0 ? all : parts[at - 1];
    auto copies = static_cast<std::size_t>(std::lround(above / parts[at]));
    Density power = now;
    Density sum = now;
    for (bool begun = false; copies > 0; copies /= 2) {
      if (copies % 2 == 1) {
        sum = begun ? sum.plus(power) : power;
        begun = true;
      }
      if (copies > 1) power = power.plus(power);
    }
    now = sum;
    if (at > 0) now.cut();
  }
  return std::clamp(1 - now.within_threshold(), last, 1.0);
}

}  // namespace

double overflow_share(const AllReduce& how, const NumberFormat& result, double mean, double deviation) {
  const Scaling scaling = scaling_of(how);
  const double divisor = scaling.before / scaling.factor;
  const Numbers one{mean / divisor, deviation / divisor};
  const std::size_t count = how.collective.ranks;
  const double threshold = overflow_threshold(how.wire).value;
  double share = beyond(one, static_cast<double>(count), overflow_threshold(result).value * scaling.after);
  switch (how.collective.kind) {
    case Collective::Kind::kRing:
    case Collective::Kind::kServer:
    case Collective::Kind::kLinear: share = std::max(share, sequence_beyond(one, count, threshold)); break;
    case Collective::Kind::kHierarchical: share = std::max(share, nodes_beyond(one, how.collective, threshold)); break;
    case Collective::Kind::kRecursiveDoubling:
    case Collective::Kind::kHalvingDoubling:
    case Collective::Kind::kTree:
    case Collective::Kind::kDoubleTree: share = std::max(share, tree_beyond(one, count, 2, threshold)); break;
    case Collective::Kind::kSwitch:
      share = std::max(share, tree_beyond(one, count, how.collective.radix, threshold));
      break;
  }
  return share < kNothing ? 0 : share;
}

}  // namespace assay
