// Violent oscillation.
//
// What: a loss that swings up and down by a tenth of itself and more, and gets nowhere.
//
// Why amplitude alone does not tell: a log that prints the loss of single samples swings by 15 % for ever and is
// healthy. What is sick is that the swings have grown, while data and batch size are what they were: to three times
// those of the calmest stretch before. Without a calm stretch only swings of 30 % are told, and only when the level
// does not fall meanwhile: then the loss says nothing about progress whatever its cause.
//
// How: windows of 32 points (a fifth of the points where there are fewer than 160, at least 12; then the growth asked
// for is larger by the root of 32 / width); in each the robust sigma about the local level (stat/oscillation.h), in
// units of the scale (the window's median, or a third of the range that the series has covered so far: a memorised
// corpus swings by half of nothing). Windows above the amplitude asked for, with at most one below it in between, make
// the stretch. It gets nowhere when its second half is not lower than its first by more than 3 % and what the swings
// themselves do to the medians. The same is done with medians of 8 and of 64 records for points: swings slower than a
// window would else pass for the level.

#include "measure/swings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stat/blocks.h"
#include "stat/oscillation.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr std::size_t kWindow = 32;
constexpr std::size_t kLeastWindow = 12;
constexpr std::size_t kWindows = 5;  // that a short series is cut into: two calm ones, two that swing, and what is left
constexpr std::size_t kCalmWindows = 2;
constexpr double kHolds = 0.97;  // of the level at the beginning: it does not fall

struct Window {
  double level = 0;
  double amplitude = 0;
  double changes = 0;
};

std::vector<Window> windows_of(std::span<const double> points, std::size_t width) {
  std::vector<Window> out;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t from = 0; from + width <= points.size(); from += width) {
    const auto part = points.subspan(from, width);
    const auto swing = oscillation(part, width / 4);
    if (!swing) continue;
    low = std::min(low, swing->level);
    high = std::max(high, swing->level);
    const double scale = std::max(swing->level, (high - low) / 3);
    out.push_back({swing->level, scale > 0 ? swing->residual_sigma / scale : 0, swing->sign_change_rate});
  }
  return out;
}

double median_amplitude(std::span<const Window> windows) {
  std::vector<double> all;
  for (const Window& one : windows) all.push_back(one.amplitude);
  return median(all);
}

double median_level(std::span<const Window> windows) {
  std::vector<double> all;
  for (const Window& one : windows) all.push_back(one.level);
  return median(all);
}

// The calmest pair of windows that ends before `end`; 0 when there is none.
double calmest(std::span<const Window> windows, std::size_t end) {
  double least = 0;
  for (std::size_t i = 0; i + kCalmWindows <= end; ++i) {
    const double here = std::max(windows[i].amplitude, windows[i + 1].amplitude);
    if (here > 0 && (least == 0 || here < least)) least = here;
  }
  return least;
}

std::optional<Swings> at_scale(std::span<const double> values, std::size_t size, const SwingOptions& set) {
  const BlockMedians blocks(values, size);
  const auto points = blocks.medians();
  // Slow swings are judged in whole windows only: blocks of a short series say nothing.
  const std::size_t width = size > 1 ? kWindow : std::clamp(points.size() / kWindows, kLeastWindow, kWindow);
  const std::vector<Window> windows = windows_of(points, width);
  // The calmest of a few short windows is calm by chance as well: the scatter of an amplitude goes with the root.
  const double growth = set.growth * std::sqrt(static_cast<double>(kWindow) / static_cast<double>(width));
  std::optional<Swings> best;
  for (std::size_t i = 0; i < windows.size();) {
    if (windows[i].amplitude < set.amplitude) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < windows.size() && (windows[end].amplitude >= set.amplitude ||
                                    (end + 1 < windows.size() && windows[end + 1].amplitude >= set.amplitude))) {
      ++end;
    }
    const auto stretch = std::span(windows).subspan(i, end - i);
    Swings found;
    found.amplitude = median_amplitude(stretch);
    found.calm = calmest(windows, i);
    found.level_before = median_level(stretch.first((stretch.size() + 1) / 2));
    found.level_after = median_level(stretch.last((stretch.size() + 1) / 2));
    found.first = blocks.first(i * width);
    found.last = blocks.first(end * width) - 1;
    found.smoothed = size;
    found.sign_change_rate = stretch[stretch.size() / 2].changes;
    const bool grown = found.calm > 0 && found.amplitude >= growth * found.calm;
    const bool always = found.calm == 0 && found.amplitude >= set.always;
    const bool long_enough =
        static_cast<double>(found.last - found.first + 1) >= set.share * static_cast<double>(values.size());
    // Swings move the medians of the halves as well: by about their size over the root of the points in a half.
    const double half = static_cast<double>(stretch.size() * width) / 2;
    const bool holds = found.level_after >= (kHolds - found.amplitude / std::sqrt(half)) * found.level_before;
    if ((grown || always) && long_enough && holds && stretch.size() >= 2 &&
        (!best || found.last - found.first > best->last - best->first)) {
      best = found;
    }
    i = end;
  }
  return best;
}

}  // namespace

std::optional<Swings> find_swings(std::span<const double> values, const SwingOptions& options) {
  if (std::any_of(values.begin(), values.end(), [](double x) { return x <= 0; })) return std::nullopt;
  if (count_finite(values) < options.least) return std::nullopt;
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{64}}) {
    if (auto found = at_scale(values, size, options)) return found;
  }
  return std::nullopt;
}

}  // namespace assay
