// What a file beside the main one adds to the run.
//
// Records are united by step. A record of the other file at a step that the run has gives its values to the record
// there (they keep their own line, Series::own_line); at another step it becomes a record. Steps come again after a
// restart, so each record first needs its segment: of those whose steps cover it the one that has most steps in
// common with the other file's segment, else the last.
//
// A metric that the run has is left as it is, for the main file tells it more densely. Of a file with the same series
// what lies before the first or behind the last value of the run is taken too: an event file is written late, and a
// console that was cut is short, so that the NaN at the end may stand in one of them only. Other files' values are
// never put into a series of the run: a mean over an interval is another quantity than the values in it.
//
// Messages. One kind of message is told by many processes and files at once; where the main file tells a kind, it
// stands for all. Only what ends or spoils a run is taken from each file, unless the words are the same. A message
// stands where it stood in its own file: behind the record of the step that came before it there; at the end, or the
// beginning of a run for a start, where its file has no records.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "assay/metric.h"
#include "measure/join.h"
#include "measure/rank_values.h"

namespace assay {

namespace {

constexpr std::size_t kNone = SIZE_MAX;

const Series* main_series(const Segment& segment) {
  for (const std::string_view metric : {metric::kLoss, metric::kEvalLoss, metric::kGradNorm, metric::kLearningRate}) {
    if (const Series* series = segment.find(metric); series != nullptr && !series->empty()) return series;
  }
  const Series* longest = nullptr;
  for (const Series& one : segment.series) {
    if (!one.empty() && (longest == nullptr || one.size() > longest->size())) longest = &one;
  }
  return longest;
}

// Rows whose step is at most the given one; below: less than it.
std::size_t rows_up_to(const Segment& segment, std::int64_t step, bool below = false) {
  std::size_t low = 0;
  std::size_t high = segment.empty() ? 0 : segment.rows->size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::int64_t own = segment.rows->step[middle];
    if (own < step || (!below && own == step)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool has_step(const Segment& segment, std::int64_t step) {
  const std::size_t next = rows_up_to(segment, step, true);
  return !segment.empty() && next < segment.rows->size() && segment.rows->step[next] == step;
}

bool covers(const Segment& segment, std::int64_t step) {
  return !segment.empty() && segment.first_step() <= step && step <= segment.last_step();
}

// The segment of the run with which a segment of another file has most steps in common; the later of equals.
std::size_t partner(const Run& run, const Segment& other) {
  const std::size_t looked_at = std::max<std::size_t>(16, 4096 / run.segments.size());
  const std::size_t stride = std::max<std::size_t>(1, other.rows->size() / looked_at);
  std::vector<std::size_t> common(run.segments.size());
  std::size_t best = run.segments.size() - 1;
  for (std::size_t s = 0; s < run.segments.size(); ++s) {
    for (std::size_t i = 0; i < other.rows->size(); i += stride) {
      common[s] += has_step(run.segments[s], other.rows->step[i]) ? 1 : 0;
    }
    if (common[s] >= common[best]) best = s;
  }
  return best;
}

// The segment of a step: the partner if it covers it, else the last that does, else the partner.
std::size_t segment_of(const Run& run, std::size_t partner, std::int64_t step) {
  if (covers(run.segments[partner], step)) return partner;
  for (std::size_t s = run.segments.size(); s-- > 0;) {
    if (covers(run.segments[s], step)) return s;
  }
  return partner;
}

// Values of one series of the other file that go into one segment of the run.
struct Taken {
  const Series* series = nullptr;
  std::vector<std::size_t> index;  // of its values, rising
};

// Whether the value of a series that the run has may be taken: only outside of what the run tells.
bool outside(const Series& own, std::int64_t step) { return step < own.first_step() || step > own.last_step(); }

// Whether the two are the same quantity, by the values at common steps: a norm may be that after clipping.
bool same_quantity(const Series& own, const Series& other) {
  constexpr double kTolerance = 0.01;  // what printing with few digits changes
  constexpr std::size_t kLookedAt = 512;
  std::size_t common = 0;
  std::size_t agree = 0;
  for (std::size_t i = 0; i < other.size() && common < kLookedAt; ++i) {
    const std::size_t at = own.at_or_after_step(other.step(i));
    if (at == own.size() || own.step(at) != other.step(i)) continue;
    ++common;
    const double a = own.value(at);
    const double b = other.value(i);
    const bool numbers = std::isfinite(a) && std::isfinite(b);
    agree += (numbers ? std::fabs(a - b) <= kTolerance * std::fabs(a) : std::isfinite(a) == std::isfinite(b)) ? 1 : 0;
  }
  return common > 0 && 10 * agree >= 9 * common;
}

// Rows of the run and of the other file as one sequence.
class Weave {
 public:
  Weave(Segment& segment, const Segment& other)
      : segment_(segment), other_(other), target_(other.rows->size(), kNone) {}

  void want(std::size_t other_row) { target_[other_row] = 0; }

  // Gives each wanted row its place; the rows of the segment may move.
  void weave() {
    const std::size_t count = segment_.empty() ? 0 : segment_.rows->size();
    auto rows = std::make_shared<Rows>();
    std::vector<std::size_t> moved(count);
    bool inserted = false;
    std::size_t next = 0;
    const auto copy_up_to = [&](std::int64_t step, bool below) {
      while (next < count && (segment_.rows->step[next] < step || (!below && segment_.rows->step[next] == step))) {
        moved[next] = rows->size();
        rows->step.push_back(segment_.rows->step[next]);
        rows->line.push_back(segment_.rows->line[next++]);
      }
    };
    std::size_t free = 0;  // first row of the segment that took none yet
    for (std::size_t j = 0; j < target_.size(); ++j) {
      if (target_[j] == kNone) continue;
      const std::int64_t step = other_.rows->step[j];
      copy_up_to(step, true);
      free = std::max(free, next);
      if (free < count && segment_.rows->step[free] == step) {
        while (next <= free) copy_one(*rows, moved, next);
        target_[j] = moved[free++];
        continue;
      }
      copy_up_to(step, false);
      target_[j] = rows->size();
      rows->step.push_back(step);
      rows->line.push_back(other_.rows->line[j]);
      inserted = true;
    }
    copy_up_to(INT64_MAX, false);
    if (inserted || segment_.empty()) replace(std::move(rows), moved);
  }

  std::size_t target(std::size_t other_row) const { return target_[other_row]; }

 private:
  void copy_one(Rows& rows, std::vector<std::size_t>& moved, std::size_t& next) const {
    moved[next] = rows.size();
    rows.step.push_back(segment_.rows->step[next]);
    rows.line.push_back(segment_.rows->line[next++]);
  }

  void replace(std::shared_ptr<Rows> rows, const std::vector<std::size_t>& moved) {
    for (Series& one : segment_.series) {
      IntegerColumn row;
      for (std::size_t i = 0; i < one.size(); ++i) row.push_back(static_cast<std::int64_t>(moved[one.row_of(i)]));
      one.row = std::move(row);
      one.rows = rows;
    }
    moved_ = moved;
    segment_.rows = std::move(rows);
  }

 public:
  /// Rows that now stand before a message: it stays right behind the record that came before it, and at the end.
  std::int64_t moved(std::int64_t rows_before) const {
    if (moved_.empty() || rows_before <= 0) return rows_before;
    const auto at = static_cast<std::size_t>(rows_before);
    return at < moved_.size() ? static_cast<std::int64_t>(moved_[at - 1]) + 1
                              : static_cast<std::int64_t>(segment_.rows->size());
  }

 private:
  Segment& segment_;
  const Segment& other_;
  std::vector<std::size_t> target_;  // kNone: not wanted
  std::vector<std::size_t> moved_;
};

// The values of a series of the run and those taken, by row.
void put(Segment& segment, const Taken& taken, const Weave& weave) {
  const Series& other = *taken.series;
  auto own = std::find_if(segment.series.begin(), segment.series.end(),
                          [&](const Series& one) { return one.metric == other.metric; });
  Series out;
  out.metric = other.metric;
  out.printed_as = other.printed_as;
  out.unit = other.unit;
  out.quirks = other.quirks;
  if (own != segment.series.end() && !own->empty()) {
    out.printed_as = own->printed_as;
    out.unit = own->unit;
    out.quirks = own->quirks;
  }
  out.rows = segment.rows;
  const std::size_t own_size = own == segment.series.end() ? 0 : own->size();
  std::size_t next = 0;
  bool elsewhere = false;
  const auto add = [&](std::size_t row, double value, std::int64_t line) {
    out.row.push_back(static_cast<std::int64_t>(row));
    out.values.push_back(value);
    out.own_line.push_back(line);
    elsewhere = elsewhere || line != segment.rows->line[row];
  };
  const auto add_own_up_to = [&](std::size_t row) {
    for (; next < own_size && own->row_of(next) < row; ++next)
      add(own->row_of(next), own->value(next), own->line(next));
  };
  for (const std::size_t i : taken.index) {
    const std::size_t row = weave.target(other.row_of(i));
    add_own_up_to(row);
    if (next < own_size && own->row_of(next) == row) continue;
    add(row, other.value(i), other.line(i));
  }
  add_own_up_to(SIZE_MAX);
  if (!elsewhere) out.own_line = {};
  if (own == segment.series.end()) {
    segment.series.push_back(std::move(out));
  } else {
    *own = std::move(out);
  }
}

// Puts one segment of the other file into the run.
class Adder {
 public:
  Adder(Run& run, const Segment& other, SourceRole role, std::size_t source)
      : run_(run), other_(other), role_(role), source_(source), present_(run.segments.size()) {
    const std::size_t best = partner(run, other);
    for (std::size_t row = 0; row < other.rows->size(); ++row) {
      home_.push_back(segment_of(run, best, other.rows->step[row]));
      present_[home_.back()] = true;
    }
  }

  // Metrics of which something was taken.
  void add(std::set<std::string>& metrics) {
    for (std::size_t s = 0; s < run_.segments.size(); ++s) {
      if (!present_[s]) continue;
      const std::vector<Taken> taken = wanted(s);
      if (role_ == SourceRole::kSame) remember_copy(s);
      if (taken.empty()) continue;
      Segment& segment = run_.segments[s];
      Weave weave(segment, other_);
      for (const Taken& one : taken) {
        metrics.insert(one.series->metric);
        for (const std::size_t i : one.index) weave.want(one.series->row_of(i));
      }
      weave.weave();
      for (const Taken& one : taken) put(segment, one, weave);
      for (Event& event : run_.events) {
        if (event.segment == static_cast<int>(s)) event.rows_before = weave.moved(event.rows_before);
      }
    }
  }

 private:
  std::vector<Taken> wanted(std::size_t s) const {
    std::vector<Taken> out;
    for (const Series& series : other_.series) {
      const Series* own = run_.segments[s].find(series.metric);
      const bool known = own != nullptr && !own->empty();
      if (known && (role_ != SourceRole::kSame || !same_quantity(*own, series))) continue;
      Taken taken{&series, {}};
      for (std::size_t i = 0; i < series.size(); ++i) {
        const std::int64_t step = series.step(i);
        if (known && !outside(*own, step)) continue;
        if (home_[series.row_of(i)] == s) taken.index.push_back(i);
      }
      if (!taken.index.empty()) out.push_back(std::move(taken));
    }
    return out;
  }

  void remember_copy(std::size_t s) {
    const Series* series = main_series(other_);
    if (series == nullptr) return;
    Copy copy;
    copy.source = source_;
    copy.segment = s;
    for (std::size_t i = 0; i < series->size(); ++i) {
      if (home_[series->row_of(i)] != s) continue;
      copy.step.push_back(series->step(i));
      copy.line.push_back(series->line(i));
    }
    if (!copy.step.empty()) run_.copies.push_back(std::move(copy));
  }

  Run& run_;
  const Segment& other_;
  SourceRole role_;
  std::size_t source_;
  std::vector<std::size_t> home_;  // of each row of the other segment: its segment in the run
  std::vector<bool> present_;      // segments that occur there
};

bool is_grave(EventKind kind) {
  return kind == EventKind::kAborted || kind == EventKind::kHardwareFault || kind == EventKind::kNonFinite;
}

// Where a message of another file stands among the records of the run.
void stand(const Run& run, const Run& beside, Event& event) {
  const auto own = static_cast<std::size_t>(std::max(event.segment, 0));
  const Segment& segment = beside.segments[own];
  const bool opens = event.kind == EventKind::kRunStart || event.kind == EventKind::kCheckpointLoaded;
  const std::size_t last = run.segments.size() - 1;
  if (segment.empty()) {
    if (event.step_is_own && event.step) {
      const std::size_t s = segment_of(run, last, *event.step);
      event.segment = static_cast<int>(s);
      event.rows_before = static_cast<std::int64_t>(rows_up_to(run.segments[s], *event.step, true));
      return;
    }
    event.segment = opens ? 0 : static_cast<int>(last);
    event.rows_before =
        opens || run.segments[last].empty() ? 0 : static_cast<std::int64_t>(run.segments[last].rows->size());
    return;
  }
  const std::size_t best = partner(run, segment);
  if (event.rows_before == 0) {
    event.segment = static_cast<int>(segment_of(run, best, segment.first_step()));
    const Segment& target = run.segments[static_cast<std::size_t>(event.segment)];
    event.rows_before = static_cast<std::int64_t>(rows_up_to(target, segment.first_step(), true));
    return;
  }
  const std::int64_t step = segment.rows->step[static_cast<std::size_t>(event.rows_before) - 1];
  const bool at_end = event.rows_before >= static_cast<std::int64_t>(segment.rows->size());
  event.segment = static_cast<int>(segment_of(run, best, step));
  const Segment& target = run.segments[static_cast<std::size_t>(event.segment)];
  // Behind its last record a sparse file says nothing of when: what ends a run stands at the end.
  const bool ends = at_end && is_grave(event.kind) && own + 1 == beside.segments.size();
  if (ends) event.segment = static_cast<int>(last);
  event.rows_before = ends ? static_cast<std::int64_t>(run.segments[last].empty() ? 0 : run.segments[last].rows->size())
                           : static_cast<std::int64_t>(rows_up_to(target, step));
}

// Another process prints NaN where this one does not: the log's own message, as within one file (assemble.cpp).
std::optional<Event> tells_of_another_rank(const Run& run, const Run& beside, const std::string& path) {
  for (std::size_t s = 0; s < beside.segments.size(); ++s) {
    for (const std::string_view metric : {metric::kLoss, metric::kGradNorm}) {
      const Series* other = beside.segments[s].find(metric);
      if (other == nullptr) continue;
      const bool everywhere = std::any_of(run.segments.begin(), run.segments.end(), [&](const Segment& one) {
        const Series* own = one.find(metric);
        return own != nullptr && std::any_of(own->values.span().begin(), own->values.span().end(),
                                             [](double value) { return !std::isfinite(value); });
      });
      for (std::size_t i = 0; i < other->size() && !everywhere; ++i) {
        if (std::isfinite(other->value(i))) continue;
        Event event;
        event.kind = EventKind::kNonFinite;
        event.step = other->step(i);
        event.line = other->line(i);
        event.text = path + " prints " + other->printed_as + " = " + (std::isnan(other->value(i)) ? "NaN" : "Inf") +
                     ", the other ranks a number";
        event.segment = static_cast<int>(s);
        event.rows_before = static_cast<std::int64_t>(other->row_of(i)) + 1;
        return event;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void take_steps(const Run& run, Run& beside) {
  const bool stepless = beside.segments.front().axis == "record";
  if (!stepless || run.segments.front().axis == "record") return;
  std::vector<std::int64_t> steps;  // of the values of the main series, in their order
  std::string metric;
  for (const Segment& segment : run.segments) {
    const Series* series = main_series(segment);
    if (series == nullptr || (!metric.empty() && series->metric != metric)) continue;
    metric = series->metric;
    for (std::size_t i = 0; i < series->size(); ++i) steps.push_back(series->step(i));
  }
  if (steps.empty()) return;
  std::size_t k = 0;
  for (Segment& segment : beside.segments) {
    if (segment.empty()) continue;
    auto rows = std::make_shared<Rows>();
    const Series* series = segment.find(metric);
    std::int64_t step = steps[std::min(k, steps.size() - 1)];
    std::size_t i = 0;
    for (std::size_t row = 0; row < segment.rows->size(); ++row) {
      if (series != nullptr && i < series->size() && series->row_of(i) == row) {
        step = std::max(row == 0 ? steps[std::min(k, steps.size() - 1)] : step, steps[std::min(k, steps.size() - 1)]);
        ++i;
        ++k;
      }
      rows->step.push_back(step);
      rows->line.push_back(segment.rows->line[row]);
    }
    for (Series& one : segment.series) one.rows = rows;
    segment.rows = std::move(rows);
    segment.axis = run.segments.front().axis;
  }
}

void add_messages(Run& run, const Run& beside, std::vector<Event> events) {
  std::set<EventKind> told;
  std::set<std::pair<EventKind, std::string>> words;
  for (const Event& event : run.events) {
    told.insert(event.kind);
    words.emplace(event.kind, event.text);
  }
  for (Event& event : events) {
    if (told.contains(event.kind) && (!is_grave(event.kind) || words.contains({event.kind, event.text}))) continue;
    stand(run, beside, event);
    run.events.push_back(std::move(event));
  }
}

void add_beside(Run& run, Run beside, SourceRole role, std::size_t source) {
  if (role == SourceRole::kSame) take_steps(run, beside);
  std::vector<Event> events = std::move(beside.events);
  if (role == SourceRole::kRank) {
    if (auto event = tells_of_another_rank(run, beside, beside.id)) events.push_back(std::move(*event));
    merge_differences(run.rank_differences, rank_differences(run, beside, run.id, beside.id));
  }
  add_messages(run, beside, std::move(events));
  std::set<std::string> metrics;
  for (const Segment& other : beside.segments) {
    if (other.empty() || other.axis != run.segments.front().axis) {
      // Steps of two kinds have nothing in common, but several names stand for the same one.
      if (other.empty() || (other.axis == "record") != (run.segments.front().axis == "record")) continue;
    }
    Adder(run, other, role, source).add(metrics);
  }
  for (Interpretation& one : beside.interpretations) {
    if (metrics.contains(one.metric)) run.interpretations.push_back(std::move(one));
  }
}

}  // namespace assay
