#include "rules/places.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/axis.h"
#include "stat/quantile.h"
#include "stat/trend.h"

namespace assay {

namespace {

constexpr std::size_t kLevelRecords = 16;  // enough for a median that one spike cannot move
constexpr std::size_t kAfterRecords = 5;
constexpr double kSmallestReaction = 0.1;  // of the level: less is what data of another kind does
constexpr double kNoiseAlone = 2;
constexpr double kNoiseFactor = 4;  // sigma of the noise between neighbours

}  // namespace

Location place(const Run& run, std::size_t segment, StepRange steps, std::int64_t line) {
  Location where = place(run, line);
  where.segment = static_cast<int>(segment);
  // Without a record only a message can tell a step; 0 stands for none.
  if (!run.segments[segment].empty() || steps.last > 0) where.steps = steps;
  return where;
}

Location place(const Run& run, std::int64_t line) {
  Location where = run.location(line);
  where.run = run.id;
  return where;
}

std::optional<Checkpoint> checkpoint_before(const Run& run, std::size_t segment, std::int64_t step) {
  std::optional<Checkpoint> best;
  if (!counts_steps(run, segment)) return best;  // checkpoints are named by steps, which this log does not count
  for (const Checkpoint& one : run.checkpoints) {
    if (one.step < step) best = one;  // by rising step
  }
  // What the log names may have been deleted since.
  if (best) return best;
  for (const Event& event : run.events) {
    if (event.kind != EventKind::kCheckpointSaved || !event.step || *event.step >= step) continue;
    if (event.segment > static_cast<int>(segment)) break;
    if (!best || *event.step > best->step) best = Checkpoint{*event.step, ""};
  }
  return best;
}

bool has_records(const Run& run) {
  return std::any_of(run.segments.begin(), run.segments.end(), [](const Segment& one) { return !one.empty(); });
}

bool counts_steps(const Run& run, std::size_t segment) {
  const Segment& part = run.segments[segment];
  return part.empty() || axis_of(part.axis, part.last_step()) == Axis::kStep;
}

std::int64_t covered_steps(const Run& run) {
  std::int64_t total = 0;
  for (const Segment& segment : run.segments) {
    if (!segment.empty()) total += segment.last_step() - segment.first_step() + 1;
  }
  return std::max<std::int64_t>(total, 1);
}

double share_of_run(const Run& run, StepRange steps) {
  const double width = static_cast<double>(steps.last - steps.first + 1);
  return std::clamp(width / static_cast<double>(covered_steps(run)), 1e-6, 1.0);
}

std::optional<LossReaction> loss_reaction(const Segment& segment, StepRange event) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr) return std::nullopt;
  const std::size_t start = loss->at_or_after_step(event.first);
  if (start == 0 || start >= loss->size()) return std::nullopt;
  const std::size_t from = start > kLevelRecords ? start - kLevelRecords : 0;
  const std::span<const double> before = loss->values.span().subspan(from, start - from);
  // One record more than the event: the loss is measured before the update that the gradient makes.
  const std::size_t end = std::min(loss->size(), loss->at_or_after_step(event.last + 1) + 1);
  LossReaction out;
  out.before = median(before);
  out.peak = -INFINITY;
  for (std::size_t i = start; i < end; ++i) {
    if (std::isfinite(loss->value(i))) out.peak = std::max(out.peak, loss->value(i));
  }
  const std::size_t tail = std::min<std::size_t>(kLevelRecords, loss->size() - start);
  out.last = median(loss->values.span().last(tail));
  if (!std::isfinite(out.before) || !std::isfinite(out.peak)) return std::nullopt;
  // The event may begin a record after the loss did: then one difference is large, and the deviation is not.
  double noise = before.size() >= 3 ? std::min(neighbor_noise(before), robust_sigma(before)) : 0;
  const auto all = loss->values.span();
  // A loss that passes through zero (a policy objective) has no level to take a tenth of: its noise alone tells, and
  // the first calm records are not all of it.
  if (std::any_of(all.begin(), all.end(), [](double x) { return x <= 0; })) {
    noise = std::max(noise, kNoiseAlone * neighbor_noise(all));
  }
  const double needed = std::max(kSmallestReaction * std::fabs(out.before), kNoiseFactor * noise);
  out.reacts = out.peak - out.before > needed;
  const std::size_t after = std::min(end, loss->size());
  const std::size_t few = std::min(kAfterRecords, loss->size() - after);
  const double still = few > 0 ? median(loss->values.span().subspan(after, few)) : out.last;
  out.lasting = out.reacts && still - out.before > needed / 2;
  return out;
}

Value scale_value(double scale) {
  constexpr double kExact = 0x1p53;
  if (scale >= 1 && scale <= kExact && scale == std::floor(scale)) return Value(static_cast<std::int64_t>(scale));
  return Value(scale);
}

Value count_value(double number) {
  constexpr double kExact = 0x1p53;
  if (!(std::fabs(number) < kExact)) return Value(number);
  return Value(static_cast<std::int64_t>(std::llround(number)));
}

double two_digits(double number) {
  if (number == 0 || !std::isfinite(number)) return number;
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", number);
  return std::strtod(text, nullptr);
}

double clip_threshold(const Run& run) {
  const Setting* setting = run.config.find(setting::kClipNorm);
  const double value = setting != nullptr ? setting->number().value_or(0) : 0;
  return value > 0 && std::isfinite(value) ? value : 0;
}

}  // namespace assay
