// Skipped optimizer steps.
//
// When a gradient overflows, mixed-precision training throws the step away. Frameworks tell so in many ways, and often
// wrongly: Megatron counts skipped iterations since the last record, DeepSpeed since the start; Megatron-DeepSpeed
// prints a counter of 0 while the engine below it skips; some print a message for every rank, some nothing at all. What
// cannot be hidden is the loss scale, which falls with each overflow, and the grad norm, which is printed again
// unchanged because nobody computed a new one.
//
// Each source gives stretches: "c steps within [a, b] were skipped". Stretches that overlap are one; per source the
// counts add up, between sources the largest stands, because all speak of the same steps. A stretch is dated by the
// records around it and never wider than needed.
//
// A counter that never falls is taken as running since the start, unless it is named "number of skipped iterations",
// which Megatron resets with each record. A record that prints a loss scale but no loss is taken for a skip where the
// scale is dynamic: Megatron averages the loss over the steps that were not skipped and prints nothing when there were
// none. Without a scaler a missing loss means NaN and is no business of this file.
//
// Limits: a scale printed every 100 steps shows the net of its moves, so the count is a lower bound.

#include "measure/skips.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include "assay/metric.h"
#include "core/axis.h"
#include "core/metric_names.h"
#include "measure/order.h"

namespace assay {

namespace {

constexpr std::size_t kFewRecords = 3;

struct Hint {
  StepRange steps;
  std::int64_t count = 1;
  std::int64_t line = 0;
  SkipSource source = SkipSource::kMessage;
  bool undated = false;
};

// One skip is often told twice, with the scaler's own count and without any: "Grad overflow on iteration 7", then
// "Overflow detected. Skipping step".
class Messages {
 public:
  Messages(const Run& run, std::size_t index) : run_(run), index_(index), segment_(run.segments[index]) {}

  void read(std::vector<Hint>& out, SkipHistory& history) {
    for (const Event& event : run_.events) {
      if (event.segment != static_cast<int>(index_) || event.kind != EventKind::kOverflow) continue;
      if (event.text.find(kTakenAllTheSame) != std::string::npos) {
        if (history.updated++ == 0) history.updated_line = event.line;
        continue;
      }
      if (of_another_rank(event) || told_before(event) || of_another_process(event)) continue;
      const bool behind = segment_.empty() || rows_before(run_, index_, event) >= segment_.rows->size();
      const StepRange steps = steps_of_event(run_, index_, event);
      const bool dated = event.step_is_own && event.step == steps.first;
      if (!dated && behind) {
        if (trailing_++ == 0) first_trailing_ = event.line;
      } else {
        out.push_back({steps, 1, event.line, SkipSource::kMessage});
      }
    }
    if (trailing_ > 0) add_trailing(out);
  }

 private:
  static constexpr std::string_view kTakenAllTheSame = "still update";
  static constexpr std::string_view kScalersCount = "on iteration";
  static constexpr std::int64_t kLinesOfOneSkip = 12;  // each process may say it

  bool of_another_rank(const Event& event) {
    const std::int64_t speaker = rank_in_text(event.text);
    if (speaker >= 0 && rank_ < 0) rank_ = speaker;
    return speaker >= 0 && speaker != rank_;
  }

  // Without a rank: the same new scale from one line to the next. A scale that came back needs a window of steps.
  bool of_another_process(const Event& event) {
    const bool same = event.after && event.after == after_ && event.line - after_line_ <= 2;
    after_ = event.after;
    after_line_ = event.line;
    return same;
  }

  bool told_before(const Event& event) {
    if (!event.step_is_own) return counted_ && event.line - own_line_ <= kLinesOfOneSkip;
    if (own_ == event.step) return true;
    own_ = event.step;
    own_line_ = event.line;
    counted_ = event.text.find(kScalersCount) != std::string::npos;
    return false;
  }

  // Behind the last record the messages themselves count the steps, if every step has a record. Otherwise they lie
  // within the interval whose record did not come any more, as far as its length is known.
  void add_trailing(std::vector<Hint>& out) const {
    const std::int64_t last = segment_.empty() ? 0 : segment_.last_step();
    const bool known =
        !segment_.empty() && segment_.rows->size() > 1 && axis_of(segment_.axis, segment_.last_step()) == Axis::kStep;
    const std::int64_t width = known ? std::max(record_spacing(segment_), trailing_) : trailing_;
    out.push_back({{last + 1, last + width}, trailing_, first_trailing_, SkipSource::kMessage, !known});
  }

  const Run& run_;
  std::size_t index_;
  const Segment& segment_;
  std::int64_t rank_ = -1;
  std::optional<std::int64_t> own_;
  std::int64_t own_line_ = 0;
  std::optional<double> after_;
  std::int64_t after_line_ = 0;
  bool counted_ = false;  // the step was the scaler's own count
  std::int64_t trailing_ = 0;
  std::int64_t first_trailing_ = 0;
};

bool counts_since_start(const Series& counter) {
  const std::string name = normalise_key(counter.printed_as);
  // MindFormers' is_skip is true or false of its own step.
  if (name.find("numberofskipped") != std::string::npos || name == "isskip") return false;
  for (std::size_t i = 1; i < counter.size(); ++i) {
    if (counter.value(i) < counter.value(i - 1)) return false;
  }
  return true;
}

StepRange since_record_before(const Series& series, std::size_t i, std::int64_t spacing) {
  const std::int64_t step = series.step(i);
  const std::int64_t before = i > 0 ? series.step(i - 1) : std::max<std::int64_t>(step - spacing, 0);
  return {std::min(before + 1, step), step};
}

void from_counter(const Segment& segment, std::vector<Hint>& out, bool& silent) {
  const Series* counter = segment.find(metric::kSkippedSteps);
  if (counter == nullptr || counter->empty()) return;
  // A counter is printed again and again; a single number beside many records is a sentence that speaks of skipped
  // steps. For the same reason no more steps can have been skipped than there were.
  if (counter->size() == 1 && segment.rows->size() > kFewRecords) return;
  const bool counted = segment.axis != "record";
  const bool running = counts_since_start(*counter);
  // The first record of an interval of unknown length: the steps up to it, if there are few, else one interval.
  const std::int64_t spacing = counter->size() == 1 ? counter->first_step() : record_spacing(segment);
  double before = 0;
  silent = true;
  for (std::size_t i = 0; i < counter->size(); ++i) {
    const double value = counter->value(i);
    if (!std::isfinite(value) || value < 0 || value > 1e15) continue;
    if (value > 0) silent = false;
    // What a running counter shows first happened before the log began, unless the log begins with the run.
    const bool unknown = running && i == 0 && counter->size() > 1 && counter->first_step() > spacing + spacing / 2;
    const double count = unknown ? 0 : running ? value - before : value;
    before = value;
    const StepRange steps = since_record_before(*counter, i, spacing);
    if (count < 1 || (counted && count > static_cast<double>(steps.last - steps.first + 1))) continue;
    out.push_back({steps, static_cast<std::int64_t>(count), counter->line(i), SkipSource::kCounter});
  }
}

void from_flags(const Segment& segment, std::vector<Hint>& out) {
  const Series* flag = segment.find(metric::kOverflow);
  if (flag == nullptr) return;
  for (std::size_t i = 0; i < flag->size(); ++i) {
    if (!(flag->value(i) > 0)) continue;
    out.push_back({{flag->step(i), flag->step(i)}, 1, flag->line(i), SkipSource::kFlag});
  }
}

void from_scale(const ScalerHistory& scaler, std::vector<Hint>& out) {
  for (const ScaleMove& move : scaler.moves) {
    if (!move.down()) continue;
    const std::int64_t width = move.steps.last - move.steps.first + 1;
    out.push_back({move.steps, std::min<std::int64_t>(move.doublings(), width), move.line, SkipSource::kHalving});
  }
}

// The row tells a loss under another name, the mean of an epoch or of an evaluation: it is no step.
bool tells_other_loss(const Segment& segment, std::int64_t row) {
  return std::any_of(segment.series.begin(), segment.series.end(), [row](const Series& series) {
    const bool other = series.metric.ends_with("_loss") && series.metric != metric::kLoss;
    const std::size_t at = other ? series.at_or_after_row(static_cast<std::size_t>(row)) : series.size();
    return at < series.size() && series.row[at] == row;
  });
}

// Records with a scale but without a loss, in a log that prints one otherwise.
void from_missing_loss(const Segment& segment, std::vector<Hint>& out) {
  const Series* loss = segment.find(metric::kLoss);
  const Series* scale = segment.find(metric::kLossScale);
  if (loss == nullptr || scale == nullptr) return;
  std::size_t l = 0;
  bool had_loss = false;
  for (std::size_t i = 0; i < scale->size(); ++i) {
    while (l < loss->size() && loss->row_of(l) < scale->row_of(i)) ++l;
    const bool has_loss = l < loss->size() && loss->row_of(l) == scale->row_of(i);
    if (!has_loss && had_loss && !tells_other_loss(segment, scale->row[i]))
      out.push_back({since_record_before(*scale, i, 1), 1, scale->line(i), SkipSource::kMissingLoss});
    had_loss = has_loss || had_loss;
  }
}

// Joins hints that overlap; they are sorted by their first step.
std::vector<SkipStretch> join(std::vector<Hint> hints) {
  std::sort(hints.begin(), hints.end(), [](const Hint& a, const Hint& b) {
    return std::tie(a.steps.first, a.steps.last, a.source, a.line, a.count) <
           std::tie(b.steps.first, b.steps.last, b.source, b.line, b.count);
  });
  std::vector<SkipStretch> out;
  for (std::size_t i = 0; i < hints.size();) {
    SkipStretch stretch{hints[i].steps, 0, hints[i].line, 0, false, false};
    std::int64_t counts[5] = {};
    std::size_t j = i;
    for (; j < hints.size() && (j == i || hints[j].steps.first <= stretch.steps.last); ++j) {
      const auto bit = static_cast<std::uint8_t>(hints[j].source);
      stretch.steps.last = std::max(stretch.steps.last, hints[j].steps.last);
      stretch.line = std::min(stretch.line, hints[j].line);
      stretch.undated = stretch.undated || hints[j].undated;
      stretch.sources = static_cast<std::uint8_t>(stretch.sources | bit);
      for (std::size_t k = 0; k < 5; ++k) counts[k] += bit == (1U << k) ? hints[j].count : 0;
    }
    stretch.skipped = *std::max_element(std::begin(counts), std::end(counts));
    out.push_back(stretch);
    i = j;
  }
  return out;
}

}  // namespace

SkipHistory skip_history(const Run& run, std::size_t index, const ScalerHistory& scaler) {
  const Segment& segment = run.segments[index];
  SkipHistory out;
  std::vector<Hint> hints;
  bool silent = false;
  Messages(run, index).read(hints, out);
  from_counter(segment, hints, silent);
  from_flags(segment, hints);
  if (scaler.logged) {
    if (!segment.empty()) from_scale(scaler, hints);
    if (!scaler.moves.empty()) from_missing_loss(segment, hints);
  }
  out.stretches = join(std::move(hints));
  out.counter_silent = silent && !out.stretches.empty();
  for (SkipStretch& one : out.stretches) {
    one.start_up = scaler.start_up_to && one.steps.last <= *scaler.start_up_to;
    (one.start_up ? out.start_up : out.later) += one.skipped;
  }
  if (!segment.empty()) {
    const std::int64_t from = std::max(segment.first_step() - record_spacing(segment) + 1, std::int64_t{0});
    const std::int64_t to = std::max(segment.last_step(), out.stretches.empty() ? 0 : out.stretches.back().steps.last);
    out.later_steps = std::max<std::int64_t>(to - std::max(from, scaler.start_up_to.value_or(from - 1) + 1) + 1, 0);
  }
  return out;
}

SkipStretch longest_run(const std::vector<SkipStretch>& stretches) {
  SkipStretch best;
  SkipStretch current;
  for (const SkipStretch& one : stretches) {
    const bool goes_on = current.skipped > 0 && current.whole() && one.whole() &&
                         one.steps.first == current.steps.last + 1 && one.start_up == current.start_up;
    if (goes_on) {
      current.steps.last = one.steps.last;
      current.skipped += one.skipped;
      current.sources = static_cast<std::uint8_t>(current.sources | one.sources);
    } else {
      current = one;
    }
    const bool longer = current.whole() && !current.start_up && current.skipped > best.skipped;
    if (longer) best = current;
  }
  return best;
}

SkipStretch worst_stretch(const std::vector<SkipStretch>& stretches, double rate) {
  // Greatest sum of a contiguous part (Kadane): each skip is worth 1, each step costs `rate`.
  SkipStretch best;
  SkipStretch current;
  double best_score = -1;
  double score = 0;
  for (const SkipStretch& one : stretches) {
    if (one.start_up) {
      current = {};
      continue;
    }
    const auto width = static_cast<double>(one.steps.last - one.steps.first + 1);
    const double own = static_cast<double>(one.skipped) - rate * width;
    const auto gap = static_cast<double>(one.steps.first - current.steps.last - 1);
    if (current.skipped > 0 && score - rate * gap > 0) {
      score += own - rate * gap;
      current.steps.last = one.steps.last;
      current.skipped += one.skipped;
      current.sources = static_cast<std::uint8_t>(current.sources | one.sources);
      current.undated = current.undated || one.undated;
    } else {
      score = own;
      current = one;
    }
    if (best.skipped == 0 || score > best_score) {
      best = current;
      best_score = score;
    }
  }
  return best;
}

}  // namespace assay
