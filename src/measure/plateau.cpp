// Plateaus.
//
// What: the longest stretch of a loss in which nothing happens.
//
// How: the series in up to 400 blocks of medians, smoothed over five. The longest run of blocks whose smoothed values
// stay within a band of `change` times the level (plus what the noise of the blocks needs) is found with two pointers
// and a monotone queue for each end of the band. The candidate is then proved on its records: the Theil-Sen line moves
// by less than the change allowed, and by less than two sigma of the noise or half of the change allowed (averages of
// many steps have so little noise that any crawl shows), and the noise is small enough for that to mean anything. The
// change over n independent records with noise sigma has a standard error of sigma sqrt(12 / n) (least squares slope
// times length; Theil-Sen needs 5 % more): three of them have to fit below the change allowed, so that a record of
// single samples, 15 % noise, is not called flat for want of proof.
//
// Fewer records than that prove nothing, unless they are all but equal: batches differ, and so do the losses of any
// model that looks at them. standstill() finds the end of a series that repeats itself to a quarter of a per cent.
//
// Limits: the ends of the stretch are good to a block. A stretch that creeps on by just under the change allowed is
// found in its longest part.

#include "measure/plateau.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "stat/blocks.h"
#include "stat/quantile.h"
#include "stat/rolling.h"
#include "stat/trend.h"

namespace assay {
namespace {

constexpr std::size_t kMostBlocks = 400;
constexpr std::size_t kHalfWidth = 2;
constexpr double kMedianOfFive = 0.536;
constexpr double kBandOfNoise = 4;  // smoothed blocks of pure noise span this many of their sigma
constexpr double kErrors = 3;
constexpr double kStill = 0.0025;
constexpr std::size_t kStillRecords = 5;

// The longest [begin, end) of values whose span stays within the band of their level.
std::pair<std::size_t, std::size_t> longest_within(std::span<const double> values, double share, double slack) {
  std::deque<std::size_t> high;
  std::deque<std::size_t> low;
  std::pair<std::size_t, std::size_t> best{0, 0};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    while (!high.empty() && values[high.back()] <= values[i]) high.pop_back();
    while (!low.empty() && values[low.back()] >= values[i]) low.pop_back();
    high.push_back(i);
    low.push_back(i);
    while (values[high.front()] - values[low.front()] > share * values[low.front()] + slack) {
      ++begin;
      if (high.front() < begin) high.pop_front();
      if (low.front() < begin) low.pop_front();
    }
    if (i + 1 - begin > best.second - best.first) best = {begin, i + 1};
  }
  return best;
}

// The stretch [first, stop) if its records bear it out.
std::optional<Plateau> proved(std::span<const double> values, std::size_t first, std::size_t stop,
                              const PlateauOptions& options) {
  const auto stretch = values.subspan(first, stop - first);
  Plateau out;
  out.first = first;
  out.last = stop - 1;
  while (out.last > out.first && !std::isfinite(values[out.last])) --out.last;
  out.records = count_finite(stretch);
  if (out.records < options.least) return std::nullopt;
  out.level = median(stretch);
  out.noise = neighbor_noise(stretch);
  const auto line = theil_sen(stretch);
  if (!line) return std::nullopt;
  out.change = line->slope * static_cast<double>(stretch.size() - 1);
  const double allowed = options.change * out.level;
  const double unseen = std::max(options.noises * out.noise, allowed / 2);
  if (std::fabs(out.change) > std::min(allowed, unseen)) return std::nullopt;
  const double error = out.noise * std::sqrt(12.0 / static_cast<double>(out.records));
  return kErrors * error <= allowed ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<Plateau> longest_plateau(std::span<const double> values, std::size_t from,
                                       const PlateauOptions& options) {
  if (from >= values.size()) return std::nullopt;
  const auto tail = values.subspan(from);
  if (std::any_of(tail.begin(), tail.end(), [](double x) { return x <= 0; })) return std::nullopt;
  const std::size_t finite = count_finite(tail);
  if (finite < options.least) return std::nullopt;
  const BlockMedians blocks(tail, block_size(finite, kMostBlocks));
  const std::vector<double> smooth = running_median(blocks.medians(), kHalfWidth);
  const double slack = kBandOfNoise * kMedianOfFive * neighbor_noise(blocks.medians());
  // The widest band may catch more than the proof allows; a part of it may still pass.
  for (const auto& [share, width] :
       {std::pair(options.change, slack), {options.change, 0.0}, {options.change / 2, 0.0}}) {
    const auto [begin, end] = longest_within(smooth, share, width);
    if (begin == end) continue;
    if (const auto found = proved(values, from + blocks.first(begin), from + blocks.first(end), options)) return found;
  }
  return std::nullopt;
}

std::optional<Plateau> standstill(std::span<const double> values, std::size_t from) {
  std::size_t first = values.size();
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  while (first > from) {
    const double x = values[first - 1];
    if (!(x > 0) || std::isinf(x)) break;
    if (std::max(high, x) - std::min(low, x) > kStill * std::min(low, x)) break;
    low = std::min(low, x);
    high = std::max(high, x);
    --first;
  }
  if (values.size() < first + kStillRecords) return std::nullopt;
  const auto stretch = values.subspan(first);
  return Plateau{first, values.size() - 1, stretch.size(), median(stretch), high - low, neighbor_noise(stretch)};
}

std::optional<double> uniform_guess(double level, std::optional<double> told) {
  // What tokenizers in use have, and the classes of ImageNet: near one of them the level tells that it is a guess, not
  // which tokenizer.
  constexpr std::array<double, 10> kUsual = {1000, 30522, 32000, 50257, 64000, 65536, 100277, 128256, 151936, 256000};
  const auto within = [&](double classes, double share) {
    return std::fabs(level - std::log(classes)) <= share * std::log(classes);
  };
  if (told) return within(*told, 0.01) ? told : std::nullopt;
  const auto nearest = *std::min_element(kUsual.begin(), kUsual.end(), [&](double a, double b) {
    return std::fabs(level - std::log(a)) < std::fabs(level - std::log(b));
  });
  return within(nearest, 0.005) ? std::optional(nearest) : std::nullopt;
}

}  // namespace assay
