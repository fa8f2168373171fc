// When does an excerpt convince?
//
// Three records make a level of a sort, and small batches of a fine-tuning run swing by half of it and more. An
// engineer who is shown so few wants to see what no noise does:
// - twice the level at the end (three times where a single record stands before it: that one may be low by chance),
// - a clean step: three records or more behind the rise, two or more before it, and a gap between both groups of three
//   times what either scatters,
// - eight records up there without one that is back, three or more before them,
// - a steady climb of five records or more that ends at its highest.
//
// Each of these has to be eight times as high as the noise (five times the largest of a few rises) and twice as high as
// any swing before. A level that is visited again has not been left, and a grad norm that did not move speaks against
// it. A second witness makes all this unnecessary: the grad norm at five times what it was before, or an evaluation
// loss that went up by a tenth, or a loss that stands still up there. Any other departure of an excerpt is worth a
// note.

#include "rules/excerpts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/metric.h"
#include "measure/plateau.h"
#include "rules/loss_support.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr double kGradConfirms = 5;  // times: twice what a healthy norm does
constexpr double kEvalConfirms = 0.1;
constexpr double kBeyondNoise = 8;
constexpr double kWitnessed = 3;      // times the noise, with a witness
constexpr double kBeyondLargest = 5;  // times the largest of three rises and more, which is a bound already
constexpr std::size_t kSomeBefore = 3;
constexpr std::size_t kManyAfter = 8;
constexpr double kDoubled = 2;
constexpr double kBeyondChance = 10;  // times a single record: batches of one data set do not differ by so much
constexpr double kPossible = 0.5;     // below kLikely
constexpr double kTripled = 3;        // with one record before
constexpr double kMovedBefore = 10;   // times what the still records span
constexpr double kTwice = 2;          // the largest swing before
constexpr double kCleanGap = 3;
constexpr double kThere = 0.75;    // of the height
constexpr std::size_t kClimb = 5;  // records; four of noise do so once in 24

double range_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

// From the lowest record so far to the highest after it: how far the series swings upwards.
double largest_swing(std::span<const double> values) {
  double lowest = std::numeric_limits<double>::infinity();
  double swing = 0;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    lowest = std::min(lowest, x);
    swing = std::max(swing, x - lowest);
  }
  return swing;
}

// First record that is half way up.
std::size_t half_way_up(const LossEvent& event) {
  const Departure& shape = event.shape;
  const double half = shape.level + (shape.peak_value - shape.level) / 2;
  std::size_t i = shape.onset;
  while (i < shape.peak && !(event.loss->value(i) >= half)) ++i;
  return i;
}

// A level that is visited again has not been left.
bool visits_its_level(const LossEvent& event) {
  const auto later = event.loss->values.span().subspan(half_way_up(event));
  return std::any_of(later.begin(), later.end(), [&](double x) { return x <= event.shape.edge; });
}

// Many records up there, all above the middle of some before.
bool stays(const LossEvent& event) {
  const std::size_t up = half_way_up(event);
  const auto values = event.loss->values.span();
  if (up < kSomeBefore || values.size() - up < kManyAfter) return false;
  return *std::min_element(values.begin() + static_cast<std::ptrdiff_t>(up), values.end()) > median(values.first(up));
}

// Two groups of records, far apart for what they scatter.
bool steps_cleanly(const LossEvent& event) {
  const Departure& shape = event.shape;
  const auto values = event.loss->values.span();
  std::size_t begin = shape.onset;
  const double up = shape.level + kThere * (shape.peak_value - shape.level);
  while (begin < shape.last && !(values[begin] > up)) ++begin;  // what lies on the way up belongs to neither
  const auto before = values.first(shape.onset);
  const auto after = values.subspan(begin, shape.last + 1 - begin);
  if (before.size() < 2 || after.size() < 3) return false;
  const double gap = *std::min_element(after.begin(), after.end()) - *std::max_element(before.begin(), before.end());
  return gap >= kCleanGap * std::max(range_of(before), range_of(after));
}

// All but equal from some record on, up there: one answer to whatever is shown.
bool froze(const LossEvent& event) {
  const auto values = event.loss->values.span();
  const std::size_t up = half_way_up(event);
  const auto still = standstill(values, up);
  return still && up >= 2 && range_of(values.first(up)) >= kMovedBefore * still->change;
}

bool climbs(const LossEvent& event) {
  const Departure& shape = event.shape;
  const auto values = event.loss->values.span();
  std::size_t from = shape.peak;
  while (from > 0 && values[from - 1] < values[from]) --from;
  return from <= shape.onset && shape.peak + 1 == values.size() && values.size() - from >= kClimb;
}

// Before its onset: the walk back may have taken some of those before the alarm.
std::size_t records_before(const Departure& shape) {
  return shape.before_count - std::min(shape.before_count, shape.alarm - shape.onset);
}

}  // namespace

bool confirmed(const Run& run, const LossEvent& event) {
  const Segment& segment = run.segments[event.segment];
  const auto grad = grad_reaction(segment, *event.loss, event.shape);
  if (grad && grad->rose && grad->ratio() >= kGradConfirms) return true;
  if (event.loss->metric != metric::kLoss) return false;
  const auto eval = eval_reaction(segment, event.acute());
  return eval && eval->after > eval->before + kEvalConfirms * std::fabs(eval->before);
}

bool convincing(const Run& run, const LossEvent& event) {
  const Departure& shape = event.shape;
  if (!shape.absolute || shape.ends_non_finite) return true;
  if (shape.z >= kWitnessed && (confirmed(run, event) || froze(event))) return true;
  const std::size_t before = records_before(shape);
  const bool bounded = before > kSomeBefore && before <= kManyAfter;
  if (shape.z < (bounded ? kBeyondLargest : kBeyondNoise) || visits_its_level(event)) return false;
  const auto grad = grad_reaction(run.segments[event.segment], *event.loss, shape);
  if (grad && !grad->rose) return false;
  if (!event.positive) return true;  // such a candidate dwarfs all that came before
  const double times = before < 2 ? kTripled : kDoubled;
  if (shape.peak_value - shape.level < kTwice * largest_swing(event.loss->values.span().first(shape.onset)))
    return false;
  const double end = std::min(shape.after, event.loss->values.back());
  return end >= times * shape.level || stays(event) || steps_cleanly(event) || climbs(event);
}

double confidence_of_few(const Departure& shape) {
  const bool by_chance = !shape.ends_non_finite && shape.after < kBeyondChance * shape.level;
  return records_before(shape) < 2 && by_chance ? kPossible : kLikely;
}

}  // namespace assay
