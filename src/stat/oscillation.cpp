// Oscillation and periods.
//
// Local level. Swinging around a falling curve is measured on what is left after the local level is taken out. A
// running median is not that level for a two-valued swing: of 17 alternating values 9 are on the side of the middle
// one, the median follows every swing and nothing is left. The mid-hinge (mean of both quartiles of the window) lies
// between the two sides, stands a quarter of outliers, and comes from the same sorted window at no cost.
//
// Sign changes. Independent noise changes sides at half of the steps, a drift hardly ever, a step that overshoots each
// time (learning rate near the edge of stability) nearly always. Values exactly at the level have no side.
//
// Autocorrelation r_k = sum x_i x_{i+k} / (n - k) / (sum x_i^2 / n), with x about its mean. All lags at once through
// the Fourier transform (Wiener–Khinchin), in pieces padded by as many zeros as there are lags, so that few lags of a
// long series cost transforms that stay in the cache. The transform is the plain radix-2 one with its factors from sin
// and cos directly, good to about 1e-15 log2 n.
//
// Dominant period. Saw-teeth of epochs, length buckets and curricula give peaks of r at P, 2P, 3P, … But a slope
// correlates at every lag, so the trend must go first, and no one trend fits: one stiff enough to leave an epoch
// alone leaves the bend of the curve's start in, which drowns a period of three records. So the search runs over
// scales. For periods up to p the trend is linear between the medians of blocks of 4 p records, the series is reduced
// by means of p / 128 records, and p grows by 4 from scale to scale; the last trend has 8 blocks and allows a quarter
// of the series. Each block is divided by its own MAD and cut at 5 sigma: a spike or the steep start would own the
// variance. A peak must be a local maximum after the first descent below zero. Noise with correlations r_j makes
// peaks of sqrt((1 + 2 sum r_j^2) / n) anywhere (M. S. Bartlett 1946; the sum over the lags before the first
// descent): a peak must pass three of these, and must come back after two periods. Of the peaks within 10 % of the
// highest the shortest lag is the period; between scales likewise. A parabola through the peak gives fractions of a
// record. Limits: at least four periods must fit in the series; two periods in one series show only the clearer.

#include "stat/oscillation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <utility>

#include "stat/quantile.h"
#include "stat/rolling.h"

namespace assay {
namespace {

constexpr std::size_t kTrendBlocks = 8;  // at least, and of the last scale
constexpr double kCutSigma = 5.0;
constexpr std::size_t kLeastTransform = 4096;  // fits the second-level cache, factors and all

struct Spectrum {
  std::vector<double> re, im;
};

/// In-place Fourier transform; the length is a power of two, `turns` holds cos and -sin of 2 pi k / n for k < n / 2.
void transform(Spectrum& s, const Spectrum& turns) {
  const std::size_t n = s.re.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // bit-reversed order
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      std::swap(s.re[i], s.re[j]);
      std::swap(s.im[i], s.im[j]);
    }
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t stride = n / (2 * half);
    for (std::size_t first = 0; first < n; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const double c = turns.re[k * stride], d = turns.im[k * stride];
        const std::size_t a = first + k, b = a + half;
        const double re = s.re[b] * c - s.im[b] * d;
        const double im = s.re[b] * d + s.im[b] * c;
        s.re[b] = s.re[a] - re;
        s.im[b] = s.im[a] - im;
        s.re[a] += re;
        s.im[a] += im;
      }
    }
  }
}

Spectrum turns_of(std::size_t n) {
  Spectrum turns{std::vector<double>(n / 2), std::vector<double>(n / 2)};
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    turns.re[k] = std::cos(angle);
    turns.im[k] = -std::sin(angle);
  }
  return turns;
}

/// sum over i of x[i] x[i + k] for k = 0 .. max_lag (< x.size()). Piece by piece: a piece of x is the real part, the
/// same piece with the max_lag values behind it the imaginary part of one transform, whose symmetric and antisymmetric
/// parts are the spectra of the two. Their products add up over the pieces; one more transform gives all lags.
std::vector<double> lagged_sums(std::span<const double> x, std::size_t max_lag) {
  std::size_t n = kLeastTransform;
  while (n < std::min(x.size() + max_lag, 4 * max_lag)) n *= 2;
  const std::size_t piece = n - max_lag;
  const Spectrum turns = turns_of(n);
  Spectrum z{std::vector<double>(n), std::vector<double>(n)};
  Spectrum sum = z;
  const auto fill = [](std::vector<double>& to, std::span<const double> from) {
    std::fill(std::copy(from.begin(), from.end(), to.begin()), to.end(), 0.0);
  };
  for (std::size_t first = 0; first < x.size(); first += piece) {
    const auto rest = x.subspan(first);
    fill(z.re, rest.first(std::min(piece, rest.size())));
    fill(z.im, rest.first(std::min(n, rest.size())));
    transform(z, turns);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t mirror = (n - k) & (n - 1);
      const double a_re = z.re[k] + z.re[mirror], a_im = z.im[k] - z.im[mirror];
      const double b_re = z.im[k] + z.im[mirror], b_im = z.re[k] - z.re[mirror];  // of the conjugate
      sum.re[k] += 0.25 * (a_re * b_re - a_im * b_im);
      sum.im[k] += 0.25 * (a_re * b_im + a_im * b_re);
    }
  }
  transform(sum, turns);
  sum.re.resize(max_lag + 1);
  for (double& value : sum.re) value /= static_cast<double>(n);
  return std::move(sum.re);
}

/// Autocorrelation of values that are centred already. Scaled first, so that squares neither overflow nor vanish.
std::vector<double> normalised(std::vector<double> x, std::size_t max_lag) {
  double largest = 0.0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  if (!(largest > 0.0) || !std::isfinite(largest)) return {};
  for (double& value : x) value /= largest;
  const std::size_t lags = std::min(max_lag, x.size() - 1);
  std::vector<double> r = lagged_sums(x, lags);
  const double n = static_cast<double>(x.size());
  const double variance = r[0] / n;
  for (std::size_t k = 0; k <= lags; ++k) r[k] /= (n - static_cast<double>(k)) * variance;
  return r;
}

/// Means of runs of `width` records; a run without finite values gives NaN.
std::vector<double> block_means(std::span<const double> values, std::size_t width) {
  std::vector<double> out;
  for (std::size_t first = 0; first < values.size(); first += width) {
    double sum = 0.0;
    std::size_t count = 0;
    for (const double value : values.subspan(first, std::min(width, values.size() - first))) {
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
    out.push_back(count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count));
  }
  return out;
}

/// Length of block `b` when n values are dealt evenly into consecutive blocks.
std::size_t block_size(std::size_t n, std::size_t blocks, std::size_t b) {
  return n / blocks + (b < n % blocks ? 1 : 0);
}

/// Values less their trend: linear between the medians of `blocks` equal blocks placed at their middles, the first and
/// the last line continued to the ends. NaN stays NaN.
std::vector<double> detrended(std::span<const double> values, std::size_t blocks) {
  const std::size_t n = values.size();
  std::vector<double> middles, medians, scratch;
  std::size_t end = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = end;
    end += block_size(n, blocks, b);
    const double center = median(values.subspan(first, end - first), scratch);
    if (std::isnan(center)) continue;
    middles.push_back(0.5 * static_cast<double>(first + end - 1));
    medians.push_back(center);
  }
  std::vector<double> out(values.begin(), values.end());
  if (medians.empty()) return out;
  std::size_t b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i);
    while (b + 2 < middles.size() && at > middles[b + 1]) ++b;
    const bool line = b + 1 < middles.size();
    const double slope = line ? (medians[b + 1] - medians[b]) / (middles[b + 1] - middles[b]) : 0.0;
    out[i] -= medians[b] + slope * (at - middles[b]);
  }
  return out;
}

/// Each block in units of its own MAD (of all values where that is zero) and cut at kCutSigma, so that neither a spike
/// nor a steep part of the curve owns the variance; then centred, missing values at the centre.
void tame(std::vector<double>& residuals, std::size_t blocks) {
  std::vector<double> scratch;
  const std::span<double> all(residuals);
  const double spread = mad(all, scratch);
  double sum = 0.0;
  std::size_t end = 0, count = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t first = end;
    end += block_size(all.size(), blocks, b);
    const auto block = all.subspan(first, end - first);
    const double own = mad(block, scratch);
    const double sigma = kMadToSigma * (own > 0.0 ? own : spread);
    for (double& value : block) {
      if (!std::isfinite(value)) continue;
      if (sigma > 0.0) value = std::clamp(value / sigma, -kCutSigma, kCutSigma);
      sum += value;
      ++count;
    }
  }
  const double mean = count == 0 ? 0.0 : sum / static_cast<double>(count);
  for (double& value : residuals) value = std::isfinite(value) ? value - mean : 0.0;
}

/// Fraction of a lag by which the vertex of a parabola through three points is off the middle one.
double vertex(double left, double middle, double right) {
  const double bend = left - 2.0 * middle + right;
  return bend < 0.0 ? std::clamp(0.5 * (left - right) / bend, -0.5, 0.5) : 0.0;
}

/// Highest value within a tenth of twice the lag: where the peak comes back although the period is no whole number.
double height_after_two(const std::vector<double>& r, std::size_t lag) {
  const std::size_t slack = std::max<std::size_t>(1, lag / 10);
  const std::size_t end = std::min(r.size(), 2 * lag + slack + 1);
  double out = -1.0;
  for (std::size_t k = 2 * lag - std::min(slack, lag - 1); k < end; ++k) out = std::max(out, r[k]);
  return out;
}

/// The period's lag among 2 .. longest, or 0. `n` is the number of values behind r.
std::size_t peak_lag(const std::vector<double>& r, std::size_t longest, double least_strength, std::size_t n) {
  std::size_t first = 1;
  double correlated = 1.0;
  for (; first <= longest && r[first] > 0.0; ++first) correlated += 2.0 * r[first] * r[first];
  const double least = std::max(least_strength, 3.0 * std::sqrt(correlated / static_cast<double>(n)));
  std::vector<std::size_t> peaks;
  double highest = least;
  for (std::size_t k = std::max<std::size_t>(first, 2); k <= longest; ++k) {
    if (r[k] < least || r[k] < r[k - 1] || r[k] <= r[k + 1]) continue;
    if (height_after_two(r, k) < 0.5 * r[k]) continue;
    peaks.push_back(k);
    highest = std::max(highest, r[k]);
  }
  for (const std::size_t k : peaks) {
    if (r[k] >= 0.9 * highest) return k;
  }
  return 0;
}

/// One scale: periods up to `longest` records after a trend of `blocks` blocks.
std::optional<Period> period_at_scale(std::span<const double> values, std::size_t longest, std::size_t blocks,
                                      double least_strength) {
  const std::size_t width = std::max<std::size_t>(1, longest / 128);
  const std::vector<double> means = width == 1 ? std::vector<double>() : block_means(values, width);
  std::vector<double> residuals = detrended(width == 1 ? values : std::span<const double>(means), blocks);
  tame(residuals, blocks);
  const std::size_t n = residuals.size();
  const std::size_t lags = std::min(longest / width, n / 4);
  const std::vector<double> r = normalised(std::move(residuals), 2 * lags + lags / 5 + 1);
  if (r.empty()) return std::nullopt;
  const std::size_t lag = peak_lag(r, lags, least_strength, n);
  if (lag == 0) return std::nullopt;
  const double exact = static_cast<double>(lag) + vertex(r[lag - 1], r[lag], r[lag + 1]);
  return Period{.records = exact * static_cast<double>(width),
                .strength = std::min(1.0, r[lag]),
                .repeat = std::min(1.0, height_after_two(r, lag))};
}

}  // namespace

double Oscillation::relative_std() const { return residual_std / std::abs(level); }

double Oscillation::relative_sigma() const { return residual_sigma / std::abs(level); }

std::optional<Oscillation> oscillation(std::span<const double> values, std::size_t half_width) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept), [](double v) { return std::isfinite(v); });
  const std::size_t n = kept.size();
  if (n < 8) return std::nullopt;
  const std::size_t half = std::clamp<std::size_t>(half_width, 1, n);
  RollingMedian window(std::min(n, 2 * half + 1));
  for (std::size_t i = 0; i < half; ++i) window.push(kept[i]);
  std::vector<double> residuals;
  residuals.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i > half) window.pop_oldest();
    if (i + half < n) window.push(kept[i + half]);
    const auto sorted = window.sorted();
    residuals.push_back(kept[i] - std::midpoint(quantile_sorted(sorted, 0.25), quantile_sorted(sorted, 0.75)));
  }
  Oscillation out{.level = median(kept), .count = n};
  std::size_t changes = 0, sides = 0;
  double last = 0.0, squares = 0.0;
  for (const double residual : residuals) {
    squares += residual * residual;
    if (residual == 0.0) continue;
    if (sides > 0 && (residual > 0.0) != (last > 0.0)) ++changes;
    last = residual;
    ++sides;
  }
  if (sides > 1) out.sign_change_rate = static_cast<double>(changes) / static_cast<double>(sides - 1);
  out.residual_std = std::sqrt(squares / static_cast<double>(n));
  out.residual_sigma = robust_sigma(residuals);
  return out;
}

std::vector<double> autocorrelation(std::span<const double> values, std::size_t max_lag) {
  if (values.empty()) return {};
  std::vector<double> x(values.begin(), values.end());
  double largest = 0.0;
  for (const double value : x) largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
  if (largest == 0.0) return {};
  double sum = 0.0;
  std::size_t count = 0;
  for (double& value : x) {
    value /= largest;
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  const double mean = sum / static_cast<double>(std::max<std::size_t>(count, 1));
  for (double& value : x) value = std::isfinite(value) ? value - mean : 0.0;
  return normalised(std::move(x), max_lag);
}

std::optional<Period> dominant_period(std::span<const double> values, double least_strength, std::size_t max_points) {
  if (values.size() < 32) return std::nullopt;
  const std::size_t most = std::max<std::size_t>(max_points, 32);
  const std::size_t width = (values.size() + most - 1) / most;
  const std::vector<double> means = width == 1 ? std::vector<double>() : block_means(values, width);
  const std::span<const double> points = width == 1 ? values : std::span<const double>(means);
  std::optional<Period> best;
  for (std::size_t longest = 16;; longest *= 4) {
    const bool last = points.size() / (4 * longest) <= kTrendBlocks;
    const auto found = last ? period_at_scale(points, points.size() / 4, kTrendBlocks, least_strength)
                            : period_at_scale(points, longest, points.size() / (4 * longest), least_strength);
    if (found && (!best || 0.9 * found->strength > best->strength)) best = found;
    if (last) break;
  }
  if (best) best->records *= static_cast<double>(width);
  return best;
}

}  // namespace assay
