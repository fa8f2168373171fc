// A run that goes on: is its loss where it was?
//
// Why at the same steps: a restart goes back to a checkpoint and computes some steps again. With the data in the same
// order these steps have the same losses but for rounding, and even with other data they have the same level, whatever
// the trend: no comparison of a loss with itself is fairer. Where no steps are repeated, the last records before stand
// against the first ones after it.
//
// How: medians of up to 16 records on each side; the first three after it count alone, where they are higher, so that
// a short bump is seen. It goes on when they differ by no more than 5 % of the level and four sigma of the noise
// between neighbours. Around zero (policy objectives) there is no level to take a share of: the range covered is the
// scale. A loss that is higher is back at the first record from which on the median of 16 is within that margin. One
// that is lower and rises again by half of the difference has been reading data that it had read before: what had
// been learned by heart was no progress.
// The loss of random weights: within 5 % of the first loss of the run after having been below half of it.
//
// Limits: fewer than three records on one side tell nothing. In a steep fall without repeated steps the medians lie
// half a window apart, which hides a jump of that size.

#include "measure/resumes.h"

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/order.h"
#include "measure/scaler.h"
#include "stat/quantile.h"
#include "stat/trend.h"

namespace assay {
namespace {

constexpr std::size_t kCompared = 16;
constexpr std::size_t kFewest = 3;
constexpr std::size_t kNoiseRecords = 64;
constexpr std::size_t kMostBefore = 512;
constexpr std::size_t kMostParts =
    64;  // restarts looked over: a file of nothing but restarts must not cost their square
constexpr double kSameLevel = 0.05;
constexpr double kNoise = 4;
constexpr double kWellTrained = 0.5;
constexpr double kBackShare = 1.0 / 3;

struct Side {
  std::vector<double> then;   // before
  std::vector<double> noise;  // more of them, for the noise
  std::span<const double> now;
  bool same_steps = false;
};

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> out;
  std::copy_if(values.begin(), values.end(), std::back_inserter(out), [](double x) { return std::isfinite(x); });
  return out;
}

double median_of_last(std::span<const double> values) {
  return median(values.last(std::min(values.size(), kCompared)));
}

// First index from which on the values are on the wanted side of the edge, or nothing.
template <class Beyond>
std::optional<std::size_t> first_lasting(std::span<const double> values, Beyond beyond) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!beyond(values[i])) continue;
    const auto ahead = values.subspan(i, std::min(kCompared, values.size() - i));
    if (ahead.size() >= 2 && beyond(median(ahead))) return i;
  }
  return std::nullopt;
}

// The first loss of the run that this segment continues, where the log begins with its training.
std::optional<double> first_loss(const Run& run, std::size_t segment) {
  for (std::size_t parts = 0; segment > 0 && continues(run, segment); --segment) {
    if (++parts > kMostParts) return std::nullopt;
  }
  const Series* loss = run.segments[segment].find(metric::kLoss);
  if (loss == nullptr || loss->empty() || !begins_at_start(run, segment) || !(loss->value(0) > 0)) return std::nullopt;
  return loss->value(0);
}

bool back_later(const Run& run, std::size_t segment, double edge) {
  const std::size_t end = std::min(run.segments.size(), segment + 1 + kMostParts);
  for (std::size_t i = segment + 1; i < end && continues(run, i); ++i) {
    const Series* loss = run.segments[i].find(metric::kLoss);
    if (loss != nullptr && !loss->empty() && median_of_last(loss->values.span()) <= edge) return true;
  }
  return false;
}

std::optional<LossAcross> compare(const Run& run, std::size_t segment, const Side& side, const Series& loss,
                                  std::size_t from) {
  const std::vector<double> begin = finite(side.now.first(std::min(kCompared, side.now.size())));
  if (begin.size() < kFewest || side.then.size() < kFewest) return std::nullopt;
  LossAcross out;
  out.same_steps = side.same_steps;
  out.before = median(side.then);
  const double all = median(begin);
  out.after = std::max(all, median(std::span(begin).first(kFewest)));
  const auto [low, high] = std::minmax_element(side.noise.begin(), side.noise.end());
  const bool positive = *low > 0 && *std::min_element(begin.begin(), begin.end()) > 0;
  const double scale = positive ? out.before : *high - *low;
  if (!(scale > 0)) return std::nullopt;
  const double margin = std::max(kSameLevel * scale, kNoise * neighbor_noise(side.noise));
  out.records = side.now.size();
  out.end = median_of_last(side.now);
  if (out.after > out.before + margin) {
    out.goes = LossAcross::Goes::kHigher;
    const double edge = out.before + margin;
    if (const auto back = first_lasting(side.now, [&](double x) { return x <= edge; })) {
      out.back = loss.step(from + *back);
      out.records = *back;
    } else {
      out.repaired = back_later(run, segment, edge);
      out.coming_back = out.after - out.end > kBackShare * (out.after - out.before);
    }
    const auto start = first_loss(run, segment);
    if (start && out.before < kWellTrained * *start && std::fabs(out.after - *start) <= kSameLevel * *start)
      out.from_start = start;
  } else {
    out.after = all;
    if (out.after < out.before - margin) {
      out.goes = LossAcross::Goes::kLower;
      const double edge = out.before - (out.before - out.after) / 2;
      if (const auto back = first_lasting(side.now, [&](double x) { return x >= edge; }))
        out.back = loss.step(from + *back);
    }
  }
  out.rise = (out.after - out.before) / scale;
  out.end_rise = (out.end - out.before) / scale;
  return out;
}

// Records of the part before that are of the same steps as the first ones after, with those before them for the noise.
bool take_same_steps(const Run& run, std::size_t segment, const Series& after, Side& side) {
  const std::size_t take = std::min(kCompared, after.size());
  const std::size_t end = segment - std::min(segment, kMostParts);
  for (std::size_t i = segment; i > end && continues(run, i);
       --i) {  // the last part may have ended before it got there
    const Series* before = run.segments[i - 1].find(metric::kLoss);
    if (before == nullptr) continue;
    const std::size_t from = before->at_or_after_step(after.step(0));
    const std::size_t to = std::min(before->at_or_after_step(after.step(take - 1) + 1), from + kCompared);
    if (to < from + kFewest || 2 * (to - from) < take) continue;
    const std::size_t wide = to > kNoiseRecords ? to - kNoiseRecords : 0;
    side.then = finite(before->values.span().subspan(from, to - from));
    side.noise = finite(before->values.span().subspan(wide, to - wide));
    side.same_steps = true;
    return true;
  }
  return false;
}

std::optional<LossAcross> loss_across(const Run& run, std::size_t segment) {
  const Series* after = run.segments[segment].find(metric::kLoss);
  if (after == nullptr || after->empty()) return std::nullopt;
  Side side;
  side.now = after->values.span();
  std::optional<LossAcross> same;
  if (take_same_steps(run, segment, *after, side)) same = compare(run, segment, side, *after, 0);
  if (same && same->goes != LossAcross::Goes::kLower) return same;
  side.same_steps = false;
  side.noise = finite(values_before(run, segment, metric::kLoss));
  if (side.noise.size() > kNoiseRecords) side.noise.erase(side.noise.begin(), side.noise.end() - kNoiseRecords);
  const auto last = static_cast<std::ptrdiff_t>(std::min(kCompared, side.noise.size()));
  side.then.assign(side.noise.end() - last, side.noise.end());
  const auto beside = compare(run, segment, side, *after, 0);
  // Lower than at the same steps, but no lower than just before them: those steps were an event that was left behind.
  return same && !(beside && beside->goes == LossAcross::Goes::kOn) ? same : beside;
}

std::optional<LossAcross> loss_across_row(const Run& run, std::size_t segment, std::size_t row) {
  const Series* loss = run.segments[segment].find(metric::kLoss);
  if (loss == nullptr) return std::nullopt;
  const std::size_t at = loss->at_or_after_row(row);
  const auto values = loss->values.span();
  Side side;
  side.now = values.subspan(at);
  side.then = finite(values.subspan(at - std::min(at, kCompared), std::min(at, kCompared)));
  side.noise = finite(values.subspan(at - std::min(at, kNoiseRecords), std::min(at, kNoiseRecords)));
  return compare(run, segment, side, *loss, at);
}

// Checkpoints loaded in the middle of a segment: the steps go on, so nothing but the message tells of a resume.
void add_loads(const Run& run, std::size_t index, std::span<const Event* const> loads, std::vector<Resume>& out) {
  const Segment& segment = run.segments[index];
  if (segment.empty()) return;
  for (const Event* event : loads) {
    if (event->segment != static_cast<int>(index)) continue;
    const std::size_t next = rows_before(run, index, *event);
    if (next == 0 || next >= segment.rows->size()) continue;
    const bool again = !out.empty() && out.back().segment == index && out.back().row == next;
    if (again) continue;  // every rank may say so
    Resume one{index, next, segment.rows->step[next - 1], segment.rows->step[next], event->line, {}};
    one.loss = loss_across_row(run, index, next);
    out.push_back(one);
  }
}

}  // namespace

bool continues(const Run& run, std::size_t index) {
  if (index == 0) return false;
  const Segment& first = run.segments.front();
  const Segment& segment = run.segments[index];
  if (segment.empty() || first.empty() || run.segments[index - 1].empty()) return false;
  // Two segments begin at the same place when their first steps differ by no more than an interval between records.
  return !begins_at_start(run, index) ||
         segment.first_step() > first.first_step() + std::max(record_spacing(first), record_spacing(segment));
}

std::vector<double> values_before(const Run& run, std::size_t segment, std::string_view metric) {
  std::vector<double> reversed;
  if (run.segments[segment].empty()) return reversed;
  std::int64_t limit = run.segments[segment].first_step();
  const std::size_t end = segment - std::min(segment, kMostParts);
  for (std::size_t i = segment; i > end && continues(run, i) && reversed.size() < kMostBefore; --i) {
    const Segment& part = run.segments[i - 1];
    if (const Series* series = part.find(metric)) {
      for (std::size_t k = series->at_or_after_step(limit); k-- > 0 && reversed.size() < kMostBefore;)
        reversed.push_back(series->value(k));
    }
    limit = std::min(limit, part.first_step());
  }
  return {reversed.rbegin(), reversed.rend()};
}

std::vector<Resume> find_resumes(const Run& run) {
  std::vector<Resume> out;
  std::vector<const Event*> loads;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::kCheckpointLoaded) loads.push_back(&event);
  }
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    if (continues(run, i)) {
      const Segment& segment = run.segments[i];
      Resume one{i, 0, run.segments[i - 1].last_step(), segment.first_step(), segment.rows->line.front(), {}};
      one.loss = loss_across(run, i);
      out.push_back(one);
    }
    add_loads(run, i, loads, out);
  }
  return out;
}

}  // namespace assay
