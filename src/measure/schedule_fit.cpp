// Which curve a learning rate follows on its way down.
//
// Why: where a decay ends decides whether it fits the run, and most logs do not show the end: they are of a run that
// goes on, or that was planned shorter than its schedule. The points that are there, fitted by the few formulas that
// are in use, tell the end by extrapolation.
//
//   linear               y = 1 - (1 - f) x / T                              T where the line meets the floor f
//   cosine               y = f + (1 - f) (1 + cos(pi x / T)) / 2            T by search, f told or by least squares
//   1 - square root      y = 1 - (1 - f) sqrt(x / T)                        the cool-down of WSD
//   inverse square root  1 / y^2 is linear in x                             no end
//   exponential          log y is linear in x                               no end
//
// A schedule is computed, not measured: the points lie on its curve within what printing and the interval of logging
// hide. So a form is accepted only if no point is farther away than that, or than one per cent of the peak. The
// simplest form that fits does (the first in the order above, unless another is twice as near): a short piece of any
// curve is a line, and then only its beginning is known. A piece that has fallen by less than kEnoughFall tells no form
// at all.
//
// Cosine without a told floor: for a given T the best f is a linear least-squares coefficient. The search runs over T
// from the last point to kFarthest times that far, on a logarithmic grid, refined by golden section. While less than a
// third of the period is seen, T and f can stand for each other; the end is then not told.
//
// Limits: polynomial decays of other powers and sums of schedules are kUnclear.

#include "measure/schedule_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stat/trend.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 4;
constexpr double kEnoughFall = 0.02;  // of the peak
constexpr double kNear = 0.01;        // of the peak: the peak itself may lie between two records
constexpr double kFarthest = 30;      // times the length that is seen
constexpr int kGrid = 200;
constexpr int kRefinements = 60;
constexpr double kSeenPeriod = 1.0 / 3;  // of a cosine, from which on T and f can be told apart

// Least squares of g(y) over h(x).
template <class G, class H>
std::optional<Line> line_through(std::span<const DecayPoint> points, G g, H h) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const DecayPoint& p : points) {
    mean_x += h(p.x) / n;
    mean_y += g(p.y) / n;
  }
  double xx = 0;
  double xy = 0;
  for (const DecayPoint& p : points) {
    xx += (h(p.x) - mean_x) * (h(p.x) - mean_x);
    xy += (h(p.x) - mean_x) * (g(p.y) - mean_y);
  }
  if (!(xx > 0) || !std::isfinite(xx) || !std::isfinite(xy)) return std::nullopt;
  const double slope = xy / xx;
  return Line{slope, mean_y - slope * mean_x};
}

double same(double x) { return x; }

template <class Curve>
double distance(std::span<const DecayPoint> points, Curve curve) {
  double out = 0;
  for (const DecayPoint& p : points) out = std::max(out, std::fabs(p.y - curve(p.x)));
  return out;
}

DecayFit fit_line(std::span<const DecayPoint> points, std::optional<double> floor, double (*h)(double),
                  double (*back)(double), DecayForm form) {
  DecayFit out{form, INFINITY, {}, floor.value_or(0)};
  const auto line = line_through(points, same, h);
  if (!line || !(line->slope < 0)) return out;
  out.error = distance(points, [&](double x) { return line->intercept + line->slope * h(x); });
  const double end = (out.floor - line->intercept) / line->slope;
  if (end > 0 && std::isfinite(back(end))) out.end = back(end);
  return out;
}

double half_wave(double x, double period) {
  return 0.5 * (1 - std::cos(std::numbers::pi * std::clamp(x / period, 0.0, 1.0)));
}

// For a period: how far the curve falls by the points, and the squared distance of these from it.
struct Fall {
  double depth = 1;
  double squares = 0;
};

Fall fall_for(std::span<const DecayPoint> points, double period, std::optional<double> floor) {
  Fall out;
  double qq = 0;
  double qy = 0;
  for (const DecayPoint& p : points) {
    const double q = half_wave(p.x, period);
    qq += q * q;
    qy += q * (1 - p.y);
  }
  out.depth = floor ? 1 - *floor : std::clamp(qq > 0 ? qy / qq : 1.0, 0.0, 1.0);
  for (const DecayPoint& p : points) {
    const double off = p.y - 1 + out.depth * half_wave(p.x, period);
    out.squares += off * off;
  }
  return out;
}

// The period with the least squared distance, between the last point and kFarthest times as far.
double best_period(std::span<const DecayPoint> points, std::optional<double> floor) {
  const double least = std::max(points.back().x, 1e-9);
  const double ratio = std::pow(kFarthest, 1.0 / kGrid);
  const auto squares = [&](double exponent) {
    return fall_for(points, least * std::pow(ratio, exponent), floor).squares;
  };
  int best = 0;
  double lowest = INFINITY;
  for (int i = 0; i <= kGrid; ++i) {
    const double here = squares(i);
    if (here < lowest) {
      lowest = here;
      best = i;
    }
  }
  double low = std::max(best - 1, 0);
  double high = std::min(best + 1, kGrid);
  for (int i = 0; i < kRefinements; ++i) {
    const double a = low + (high - low) * 0.381966;
    const double b = low + (high - low) * 0.618034;
    (squares(a) < squares(b) ? high : low) = squares(a) < squares(b) ? b : a;
  }
  return least * std::pow(ratio, (low + high) / 2);
}

DecayFit fit_cosine(std::span<const DecayPoint> points, std::optional<double> floor) {
  DecayFit out{DecayForm::kCosine, INFINITY, {}, floor.value_or(0)};
  if (!(points.back().x > 0)) return out;
  const double period = best_period(points, floor);
  const Fall fall = fall_for(points, period, floor);
  out.floor = 1 - fall.depth;
  out.error = distance(points, [&](double x) { return 1 - fall.depth * half_wave(x, period); });
  if (floor || points.back().x >= kSeenPeriod * period) out.end = period;
  return out;
}

DecayFit fit_inverse_root(std::span<const DecayPoint> points) {
  DecayFit out{DecayForm::kInverseSquareRoot, INFINITY, {}, 0};
  if (points.back().y <= 0) return out;
  const auto line = line_through(points, [](double y) { return 1 / (y * y); }, same);
  if (!line || !(line->slope > 0) || !(line->intercept > 0)) return out;
  out.error = distance(points, [&](double x) { return 1 / std::sqrt(line->intercept + line->slope * x); });
  return out;
}

DecayFit fit_exponential(std::span<const DecayPoint> points) {
  DecayFit out{DecayForm::kExponential, INFINITY, {}, 0};
  if (points.back().y <= 0) return out;
  const auto line = line_through(points, [](double y) { return std::log(y); }, same);
  if (!line || !(line->slope < 0)) return out;
  out.error = distance(points, [&](double x) { return std::exp(line->intercept + line->slope * x); });
  return out;
}

double root(double x) { return std::sqrt(std::max(x, 0.0)); }
double square(double x) { return x * x; }

}  // namespace

DecayFit fit_decay(std::span<const DecayPoint> points, std::optional<double> floor, double tolerance) {
  DecayFit unclear;
  unclear.floor = floor.value_or(0);
  if (points.size() < kFewest) return unclear;
  const double fallen = points.front().y - points.back().y;
  if (fallen < std::max(kEnoughFall, 3 * tolerance)) return unclear;
  const std::array fits{fit_line(points, floor, same, same, DecayForm::kLinear), fit_cosine(points, floor),
                        fit_line(points, floor, root, square, DecayForm::kSquareRoot), fit_inverse_root(points),
                        fit_exponential(points)};
  // A tenth of what it has fallen is no fit, however little that is.
  const double most = std::max(tolerance, std::min(kNear, fallen / 10));
  const DecayFit* best = nullptr;
  for (const DecayFit& one : fits) {
    // A form farther down the list has to be clearly better: twice as near.
    if (one.error <= most && (best == nullptr || 2 * one.error < best->error)) best = &one;
  }
  return best != nullptr ? *best : unclear;
}

std::optional<double> decay_end(DecayForm form, std::span<const DecayPoint> points, double floor) {
  if (points.size() < kFewest) return std::nullopt;
  if (form == DecayForm::kLinear) return fit_line(points, floor, same, same, form).end;
  if (form == DecayForm::kSquareRoot) return fit_line(points, floor, root, square, form).end;
  if (form == DecayForm::kCosine) return fit_cosine(points, floor).end;
  return std::nullopt;
}

}  // namespace assay
