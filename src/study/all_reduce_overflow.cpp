// Which share of the elements of an all-reduce overflows, when what the ranks have is N(m, s²).
//
// A sum of n numbers is N(n·m, n·s²), and where it is beyond the threshold T of the format it stays infinite. Along a
// sequence of additions (rings, servers) the partial sums are a random walk, and that one of them passes T is by
// reflection about twice as likely as that the last does; with a barrier on both sides
//     P = 1 − (4/π) Σ_k (−1)^k / (2k + 1) · exp(−(2k + 1)²·π²·n·s² / (8·T²)).
// With a mean that drives the walk (|m|·√n > s / 2) the last sum is the largest, and P is its own. In a tree the sums of
// a level are independent; those of the levels below matter little and are taken as independent of the ones above, which
// overestimates a little. A switch or a node adds inside FP32 and only what leaves it can overflow.
//
// Limits: numbers of other distributions are taken as normal (heavy tails overflow more often); steps of a walk are not
// small where T is a few s.

#include <algorithm>
#include <cmath>

#include "num/format.h"
#include "study/all_reduce.h"

namespace assay {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kDriven = 0.5;  // |m|·√n / s from which on the mean decides

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
  const double spread = one.deviation * std::sqrt(count) / threshold;
  if (!(spread > 0)) return last;
  if (spread < 0.3) return std::min(1.0, 2 * last);  // the other barrier is out of reach; the series would cancel
  double inside = 0;
  for (int k = 0; k < 50; ++k) {
    const double odd = 2 * k + 1;
    inside += (k % 2 == 0 ? 1 : -1) / odd * std::exp(-odd * odd * kPi * kPi * spread * spread / 8);
  }
  return std::clamp(1 - 4 / kPi * inside, last, 1.0);
}

// Levels of a tree, each with `radix` times as many sums as the one above.
double levels_beyond(const Numbers& one, double count, double radix, double threshold) {
  double inside = 1;
  double sums = 1;
  for (double terms = count; terms > 1.5; terms /= radix, sums *= radix) {
    inside *= std::pow(1 - beyond(one, terms, threshold), sums);
  }
  return 1 - inside;
}

}  // namespace

double overflow_share(const AllReduce& how, const NumberFormat& result, double mean, double deviation) {
  const Scaling scaling = scaling_of(how);
  const double divisor = scaling.before / scaling.factor;
  const Numbers one{mean / divisor, deviation / divisor};
  const auto count = static_cast<double>(how.collective.ranks);
  const double threshold = overflow_threshold(how.wire).value;
  const double stored = beyond(one, count, overflow_threshold(result).value * scaling.after);
  switch (how.collective.kind) {
    case Collective::Kind::kRing:
    case Collective::Kind::kServer:
    case Collective::Kind::kLinear:
    case Collective::Kind::kHierarchical: return std::max(stored, walk_beyond(one, count, threshold));
    case Collective::Kind::kRecursiveDoubling:
    case Collective::Kind::kHalvingDoubling:
    case Collective::Kind::kTree:
    case Collective::Kind::kDoubleTree: return std::max(stored, levels_beyond(one, count, 2, threshold));
    case Collective::Kind::kSwitch: break;
  }
  return std::max(stored, levels_beyond(one, count, static_cast<double>(how.collective.radix), threshold));
}

}  // namespace assay
