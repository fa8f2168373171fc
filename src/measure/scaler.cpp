// The life of a loss scale.
//
// Half precision cannot hold small gradients, so the loss is multiplied by a scale before the backward pass. A dynamic
// scaler looks for the largest scale that works: it halves after a step whose gradients overflowed (that step is
// skipped) and doubles after `window` steps without one. Hence the healthy shapes: at the start a quick way down from
// an initial value that nobody chose with care (2^32 takes some twenty skipped steps), then a saw-tooth with about one
// overflow for each window, since the scaler tries a doubling as often as that. Trouble looks different: a way down
// that is quick although the run is under way, or a level at or below 1, where gradients that overflow and gradients
// that vanish exist in the same step and no scale is right.
//
// What is read. The scale printed with the records, and the scaler's messages ("Attempted loss scale: A, reducing to
// B"), in the order of the file. A message is exact about the moves and vague about the step, a record the other way
// round; a doubling is never announced and shows only in the next number. Each move gets the steps within which it must
// have happened.
//
// The start-up search is a run of halvings that begins within kStartUpSteps of the start of training and is not
// interrupted by a rise or by a pause of more than kStartUpSteps, as long as the scale stays at 1 or above. An excerpt
// from the middle of a run has no start; a resumed run has one only when the scale begins anew, well above where it
// was. Where no step tells that this is the start, the scale has to look like one: nobody begins a search below
// kLeastSearched, while a scaler in trouble passes through all values below.
//
// Zeros. A scale is printed with few decimals: below half the last one it reads 0.0, after small values and in
// fairseq, which prints a scale only if there is one. Elsewhere a first 0 is a setting ("dynamic") or nothing at all.
//
// Limits: a log with one record in 1,000 steps shows the sum of several moves. A scale that a framework prints as a
// running mean moves by less than a half; moves below a third are followed but not counted.

#include "measure/scaler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/metric.h"
#include "core/axis.h"
#include "measure/order.h"

namespace assay {

namespace {

constexpr double kSmallestFall = 0.75;  // of the value before; a halving with room for a mean
constexpr double kSmallestRise = 4.0 / 3.0;
constexpr double kPrintedAsZero = 0.03125;
constexpr double kLeastSearched = 4096;  // initial values in use: 2^15 to 2^32, rarely 2^12
constexpr std::int64_t kSecondEpoch = 2;
constexpr std::int64_t kNearTheStart = 100;  // records: what is printed first may be later than what is trained first
constexpr double kFairseqFirst = 64;
constexpr double kCutNumber = 16;
constexpr double kAnew = 4;  // a scale this much above the last one was initialised again, not grown

struct Reading {
  StepRange steps;
  std::int64_t line = 0;
  double scale = 0;
  bool told = false;   // by a message of the scaler
  bool stuck = false;  // the message says that the scale cannot fall any more
  std::size_t rows_before = 0;
};

// Scales that the scaler's messages tell, of one rank.
std::vector<Reading> told_scales(const Run& run, std::size_t index) {
  std::vector<Reading> told;
  std::int64_t rank = -1;
  for (const Event& event : run.events) {
    if (event.segment != static_cast<int>(index) || !event.after || !(*event.after >= 0)) continue;
    if (event.kind != EventKind::kOverflow && event.kind != EventKind::kScaleChange) continue;
    const std::int64_t speaker = rank_in_text(event.text);
    if (speaker >= 0 && rank < 0) rank = speaker;
    if (speaker >= 0 && speaker != rank) continue;
    const StepRange steps = steps_of_event(run, index, event);
    const double after = std::max(*event.after, std::numeric_limits<double>::denorm_min());
    const std::size_t order = rows_before(run, index, event);
    if (event.before && *event.before > 0) told.push_back({steps, event.line, *event.before, true, false, order});
    told.push_back({steps, event.line, after, true, event.before && *event.before <= *event.after, order});
  }
  // From one line to the next a scale cannot have grown: the last number is cut in its exponent ("1.06" of 1.06e-31).
  if (told.size() >= 2) {
    const Reading& last = told.back();
    const Reading& before = told[told.size() - 2];
    if (last.line - before.line <= 2 && last.scale > kCutNumber * before.scale) told.pop_back();
  }
  return told;
}

// Scales of records and messages in the order of the file: the first, each that differs from the one before it, the
// last.
std::vector<Reading> readings(const Run& run, std::size_t index) {
  std::vector<Reading> out;
  Reading latest;
  const auto take = [&](const Reading& one) {
    latest = one;
    if (out.empty() || out.back().scale != one.scale || one.stuck) out.push_back(one);
  };
  const std::vector<Reading> told = told_scales(run, index);
  std::size_t next = 0;
  const Series* scale = run.segments[index].find(metric::kLossScale);
  std::int64_t before = 0;
  for (std::size_t i = 0; scale != nullptr && i < scale->size(); ++i) {
    const std::int64_t step = scale->step(i);
    const std::int64_t line = scale->line(i);
    // A message on the line of a record stands behind it.
    while (next < told.size() && told[next].rows_before <= scale->row_of(i) && told[next].line != line)
      take(told[next++]);
    double value = scale->value(i);
    // With one decimal a scale below 0.05 prints as 0.0: it is at most the next power of two.
    const bool after_small = i > 0 && !out.empty() && out.back().scale <= 1;
    if (value == 0 && (after_small || run.dialect == "fairseq")) {
      value = out.empty() ? kPrintedAsZero : std::min(out.back().scale, kPrintedAsZero);
    }
    if (value > 0 && std::isfinite(value))
      take({{i == 0 ? step : std::min(step, before + 1), step}, line, value, false, false, 0});
    before = step;
  }
  while (next < told.size()) take(told[next++]);
  if (!out.empty() && out.back().line != latest.line) out.push_back(latest);
  return out;
}

void find_moves(const std::vector<Reading>& all, ScalerHistory& out) {
  double current = all.front().scale;
  std::int64_t known_to = all.front().steps.last;
  out.first = out.lowest = out.highest = current;
  for (const Reading& one : all) {
    const double ratio = one.scale / current;
    if (ratio <= kSmallestFall || ratio >= kSmallestRise) {
      const std::int64_t earliest = std::min(std::max(one.steps.first, known_to), one.steps.last);
      out.moves.push_back({{std::min(one.steps.first, earliest), one.steps.last}, one.line, current, one.scale});
    }
    current = one.scale;
    known_to = one.steps.last;
    out.lowest = std::min(out.lowest, current);
    out.highest = std::max(out.highest, current);
  }
  out.last = current;
}

// Steps between successive rises without a fall between them: what the scaler waits before it doubles.
void find_window(ScalerHistory& out) {
  std::vector<double> waits;
  const ScaleMove* before = nullptr;
  for (const ScaleMove& move : out.moves) {
    if (before != nullptr && !move.down() && move.doublings() == 1) {
      const std::int64_t wait = move.steps.last - before->steps.last;
      if (wait > 0) waits.push_back(static_cast<double>(wait));
    }
    before = &move;
  }
  if (waits.size() < 2) return;
  std::nth_element(waits.begin(), waits.begin() + static_cast<std::ptrdiff_t>(waits.size() / 2), waits.end());
  out.window = std::max(1.0, waits[waits.size() / 2]);
  out.window_seen = true;
}

bool scale_begins_anew(const Run& run, std::size_t segment, double first) {
  if (segment == 0) return false;
  const Series* before = run.segments[segment - 1].find(metric::kLossScale);
  return before != nullptr && !before->empty() && before->values.back() > 0 && first >= kAnew * before->values.back();
}

// A step tells that the segment begins at the start of training; of a single record, only a small one.
bool step_shows_start(const Segment& segment) {
  if (segment.empty()) return false;
  const Axis axis = axis_of(segment.axis, segment.last_step());
  if (axis == Axis::kEpoch) return segment.first_step() < kSecondEpoch;
  if (axis != Axis::kStep) return false;
  return segment.rows->size() > 1 || segment.first_step() <= kStartUpSteps;
}

// By the first scale alone. fairseq begins at 128, so that 64 is the first that it tells.
bool looks_like_start(const Run& run, const ScalerHistory& out) {
  if (out.first >= kLeastSearched) return true;
  const auto first = std::find_if(run.events.begin(), run.events.end(),
                                  [](const Event& one) { return one.kind == EventKind::kOverflow && one.after; });
  return out.first == kFairseqFirst && first != run.events.end() && *first->after == kFairseqFirst &&
         first->text.find("setting loss scale to") != std::string::npos;
}

void find_start_up(const Run& run, std::size_t index, ScalerHistory& out) {
  if (!begins_at_start(run, index) && !(out.logged && scale_begins_anew(run, index, out.first))) return;
  const Segment& segment = run.segments[index];
  if (!step_shows_start(segment) && !(out.logged && looks_like_start(run, out))) return;
  // Messages alone, and among them a rise: more than a search.
  const bool rises = std::any_of(out.moves.begin(), out.moves.end(), [](const ScaleMove& one) { return !one.down(); });
  if (segment.empty() && rises) return;
  std::int64_t end = kStartUpSteps;
  if (!segment.empty()) {
    const std::int64_t first = segment.first_step();
    end = std::max(first, first - record_spacing(segment) + kStartUpSteps);
  }
  std::size_t searched = 0;
  for (; searched < out.moves.size(); ++searched) {
    const ScaleMove& move = out.moves[searched];
    if (!move.down() || move.after < 1 || move.steps.first > end + kStartUpSteps) break;
    end = std::max(end, move.steps.last);
  }
  // A search that goes down to the floor, and from there not up again, has found nothing.
  const bool found = searched == 0 || out.moves[searched - 1].after > 1 ||
                     (searched < out.moves.size() && !out.moves[searched].down());
  if (found) out.start_up_to = end;
}

void find_falls(ScalerHistory& out) {
  const auto pause = static_cast<std::int64_t>(std::clamp(out.window / 4, 1.0, static_cast<double>(kStartUpSteps)));
  bool open = false;
  for (const ScaleMove& move : out.moves) {
    if (!move.down()) {
      open = false;
      continue;
    }
    const bool start_up = out.start_up_to && move.steps.last <= *out.start_up_to && move.after >= 1;
    if (open && move.steps.first - out.falls.back().steps.last <= pause && out.falls.back().start_up == start_up) {
      ScaleFall& fall = out.falls.back();
      fall.steps.last = std::max(fall.steps.last, move.steps.last);
      fall.to = move.after;
      fall.halvings += move.doublings();
    } else {
      out.falls.push_back({move.steps, move.line, move.before, move.after, move.doublings(), start_up});
    }
    open = true;
  }
}

void find_low(const std::vector<Reading>& all, ScalerHistory& out) {
  double highest = 0;
  bool open = false;
  for (const Reading& one : all) {
    const bool low = one.scale < 1 || (one.scale <= 1 && (highest >= 2 || one.stuck));
    // A message may lie anywhere between two records: only from the second one on the scale is known to be low.
    const StepRange since = one.told ? StepRange{one.steps.last, one.steps.last} : one.steps;
    if (low && !open) out.low.push_back({since, one.line, one.scale, highest, false, false});
    if (!low && open) out.low.back().steps.last = std::max(out.low.back().steps.last, one.steps.first - 1);
    if (low) {
      LowScale& stretch = out.low.back();
      // A fall passes through 1 on its way: it is low from where it is below.
      const bool passing =
          one.scale < 1 && stretch.lowest == 1 && one.steps.first - stretch.steps.first <= kStartUpSteps;
      if (passing) stretch = {one.steps, one.line, one.scale, stretch.fell_from, false, stretch.stuck};
      stretch.steps.last = std::max(stretch.steps.last, one.steps.last);
      stretch.lowest = std::min(stretch.lowest, one.scale);
      stretch.stuck = stretch.stuck || one.stuck;
    }
    open = low;
    highest = std::max(highest, one.scale);
  }
  if (open) out.low.back().to_the_end = true;
}

}  // namespace

int ScaleMove::doublings() const {
  const double size = std::fabs(std::log2(after / before));
  return std::isfinite(size) ? std::max(1, static_cast<int>(std::lround(size))) : 1;
}

std::int64_t rank_in_text(std::string_view text) {
  const std::size_t at = text.find("ank ");
  if (at == std::string_view::npos || at == 0 || (text[at - 1] != 'R' && text[at - 1] != 'r')) return -1;
  std::int64_t number = -1;
  for (std::size_t i = at + 4; i < text.size() && text[i] >= '0' && text[i] <= '9' && number < 100'000'000; ++i) {
    number = std::max<std::int64_t>(number, 0) * 10 + (text[i] - '0');
  }
  return number;
}

std::int64_t record_spacing(const Segment& segment) {
  if (segment.empty()) return 1;
  const std::size_t most = std::min<std::size_t>(segment.rows->size(), 64);
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < most; ++i) {
    const std::int64_t gap = segment.rows->step[i] - segment.rows->step[i - 1];
    if (gap > 0) gaps.push_back(gap);
  }
  if (gaps.empty()) return 1;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
  return gaps[gaps.size() / 2];
}

namespace {

// Records that are numbered because the log has no step begin at 1 wherever the log does; its epochs tell more. One
// that begins at epoch 2.5, or at 0.4 while a record is a hundredth of an epoch, is an excerpt or a resumed run.
bool epochs_begin_late(const Segment& segment) {
  constexpr double kClear = 0.1;  // an epoch of a few records may well begin above it
  constexpr double kRecords = 3;  // that may stand before the first one that tells its epoch
  const Series* epoch = segment.find(metric::kEpoch);
  if (segment.axis != "record" || epoch == nullptr || epoch->size() < 2) return false;
  const double first = epoch->value(0);
  if (first >= 2) return true;
  const auto next = std::find_if(epoch->values.span().begin(), epoch->values.span().end(),
                                 [&](double value) { return value > first; });
  const double spacing = next == epoch->values.span().end() ? 0 : *next - first;
  return first >= kClear && spacing > 0 && first > kRecords * spacing;
}

}  // namespace

bool begins_at_start(const Run& run, std::size_t index) {
  const Segment& segment = run.segments[index];
  if (segment.empty()) return index == 0;
  if (epochs_begin_late(segment)) return false;
  const std::int64_t first = segment.first_step();
  const std::int64_t spacing = record_spacing(segment);
  // Without steps the epoch may tell that the beginning is missing; the first is 0 or 1.
  const Axis axis = axis_of(segment.axis, segment.last_step());
  if (axis == Axis::kEpoch && first >= kSecondEpoch) return false;
  const Series* epoch = axis == Axis::kRecord ? segment.find(metric::kEpoch) : nullptr;
  if (epoch != nullptr && !epoch->empty() && epoch->value(0) >= kSecondEpoch) return false;
  if (first <= kStartUpSteps || first <= spacing + spacing / 2) return true;
  if (index > 0) return false;
  // Skips told before the first record may fill the steps up to it; with a single record that is all one can know.
  std::int64_t skips = 0;
  bool banner = false;
  const std::int64_t first_line = segment.rows->line.front();
  for (const Event& event : run.events) {
    if (!stands_before(event, index, 0, segment)) break;
    skips += event.kind == EventKind::kOverflow ? 1 : 0;
    banner = banner || event.kind == EventKind::kRunStart;
    if (event.kind == EventKind::kCheckpointLoaded) return false;
  }
  if (skips > 0 && segment.rows->size() == 1) return true;
  // A log that begins with the settings of its run was not cut from the middle of one.
  const Location beginning = run.location(first_line);
  const auto first_setting =
      std::find_if(run.config.settings.begin(), run.config.settings.end(),
                   [&](const Setting& one) { return one.where.path == beginning.path || run.sources.size() <= 1; });
  const bool settings = first_setting != run.config.settings.end() && first_setting->where.line < beginning.line;
  const bool near = first <= kNearTheStart * spacing;
  return first <= skips + spacing + kStartUpSteps || (near && (banner || settings));
}

// Scalers count by themselves, from where they were made: "Grad overflow on iteration 3" at step 150. Such a number is
// believed where the records around it agree.
bool agrees(const Segment& segment, const Event& event, std::size_t next) {
  if (event.kind != EventKind::kOverflow && event.kind != EventKind::kScaleChange) return true;
  const std::int64_t slack = record_spacing(segment);
  const bool late_enough = next == 0 || *event.step >= segment.rows->step[next - 1] - slack;
  const bool early_enough = next == segment.rows->size() || *event.step <= segment.rows->step[next] + slack;
  return late_enough && early_enough;
}

StepRange steps_of_event(const Run& run, std::size_t index, const Event& event) {
  const Segment& segment = run.segments[index];
  if (event.step_is_own && event.step && (segment.empty() || agrees(segment, event, rows_before(run, index, event)))) {
    return {*event.step, *event.step};
  }
  if (segment.empty()) {
    const std::int64_t step = event.step.value_or(0);
    return {step, step};
  }
  const std::size_t next = rows_before(run, index, event);
  const std::size_t rows = segment.rows->size();
  if (next == 0) {
    const std::int64_t first = segment.first_step();
    const bool whole = begins_at_start(run, index);
    const std::int64_t from = whole ? std::min<std::int64_t>(first, 0) : first - record_spacing(segment);
    return {std::min(first, std::max(from, std::min<std::int64_t>(first, 0))), first};
  }
  const std::int64_t before = segment.rows->step[next - 1];
  if (next == rows) return {before, before + 1};
  const std::int64_t after = segment.rows->step[next];
  return {std::min(before + 1, after), after};
}

ScalerHistory scaler_history(const Run& run, std::size_t index) {
  ScalerHistory out;
  for (const Event& event : run.events) {
    if (event.segment == static_cast<int>(index) && event.kind == EventKind::kScaleAtMinimum && !out.at_minimum) {
      out.at_minimum = &event;
    }
  }
  const std::vector<Reading> all = readings(run, index);
  if (!all.empty()) {
    find_moves(all, out);
    const bool told = std::any_of(all.begin(), all.end(), [](const Reading& one) { return one.told; });
    out.logged = told || !out.moves.empty() || out.lowest != 1 || out.highest != 1;
    find_window(out);
  }
  find_start_up(run, index, out);
  if (!out.logged) return out;
  find_falls(out);
  find_low(all, out);
  return out;
}

}  // namespace assay
