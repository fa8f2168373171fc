// Puts a run together: rows are kept, dropped and cut into segments as the row plan says, then each segment is
// interpreted.
//
// A recording of one segment without repeats, the usual case, keeps its columns: nothing is copied. Otherwise the
// series are taken over one by one, so that at most one series exists twice.

#include "measure/assemble.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "assay/metric.h"
#include "measure/interpret.h"
#include "measure/rank_values.h"
#include "measure/row_plan.h"

namespace assay {

namespace {

// The segment of each row is found by walking along, since both rise.
struct Cursor {
  const std::vector<std::size_t>& start;
  std::size_t segment = 0;
  std::size_t at(std::size_t row) {
    while (segment + 1 < start.size() && start[segment + 1] <= row) ++segment;
    return segment;
  }
};

bool nothing_dropped(const RowPlan& plan) {
  return plan.segment_start.size() == 1 && std::find(plan.keep.begin(), plan.keep.end(), false) == plan.keep.end() &&
         std::all_of(plan.repeated_values.begin(), plan.repeated_values.end(),
                     [](const auto& rows) { return rows.empty(); });
}

std::vector<Segment> cut(Recording& recording, RowPlan& plan) {
  const std::size_t count = plan.segment_start.size();
  std::vector<Segment> segments(count);
  std::vector<std::shared_ptr<Rows>> rows;
  for (std::size_t s = 0; s < count; ++s) rows.push_back(std::make_shared<Rows>());
  const bool whole = nothing_dropped(plan);
  IntegerColumn new_row;  // row within its segment
  if (whole) {
    rows[0]->step = std::move(plan.step);
    rows[0]->line = std::move(recording.line);
  } else {
    Cursor cursor{plan.segment_start};
    for (std::size_t i = 0; i < recording.line.size(); ++i) {
      Rows& own = *rows[cursor.at(i)];
      new_row.push_back(static_cast<std::int64_t>(own.size()));
      if (!plan.keep[i]) continue;
      own.step.push_back(plan.step[i]);
      own.line.push_back(recording.line[i]);
    }
  }
  for (std::size_t s = 0; s < count; ++s) segments[s].rows = rows[s];
  for (std::size_t number = 0; number < recording.series.size(); ++number) {
    Series& series = recording.series[number];
    if (series.empty()) continue;
    if (whole) {
      series.rows = rows[0];
      segments[0].series.push_back(std::move(series));
      continue;
    }
    Series taken = std::move(series);
    Cursor cursor{plan.segment_start};
    std::size_t current = count;
    const std::vector<std::size_t>& repeated = plan.repeated_values[number];
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const std::size_t row = taken.row_of(i);
      if (!plan.keep[row] || std::binary_search(repeated.begin(), repeated.end(), row)) continue;
      const std::size_t s = cursor.at(row);
      if (s != current) {
        Series& fresh = segments[s].series.emplace_back();
        fresh.metric = taken.metric;
        fresh.printed_as = taken.printed_as;
        fresh.unit = taken.unit;
        fresh.quirks = taken.quirks;
        fresh.rows = rows[s];
        current = s;
      }
      Series& target = segments[s].series.back();
      target.row.push_back(new_row[row]);
      target.values.push_back(taken.value(i));
    }
  }
  return segments;
}

// An error is often logged by what catches it (an upload that failed, a batch that did not fit). That the part of the
// run goes on for more records than other ranks print until they are killed, without a start or a loaded checkpoint
// between, says that it ended nothing.
bool ended_nothing(const Recording& recording, const RowPlan& plan, std::size_t event) {
  constexpr std::size_t kLastBreath = 5;
  const auto row = static_cast<std::size_t>(recording.event_row[event]);
  if (recording.events[event].kind != EventKind::kAborted) return false;
  const auto after = std::upper_bound(plan.segment_start.begin(), plan.segment_start.end(), row == 0 ? 0 : row - 1);
  const std::size_t end = after == plan.segment_start.end() ? recording.rows() : *after;
  if (end < row + kLastBreath) return false;
  for (std::size_t e = event + 1; e < recording.events.size(); ++e) {
    if (static_cast<std::size_t>(recording.event_row[e]) > row + kLastBreath) break;
    const EventKind kind = recording.events[e].kind;
    if (kind == EventKind::kRunStart || kind == EventKind::kCheckpointLoaded) return false;
  }
  return true;
}

// One rank's lines stand for all, but not where another prints NaN and it does not: that is told as the log's own
// message.
void tell_other_ranks(Recording& recording, const RowPlan& plan) {
  for (const Series& series : recording.series) {
    if (series.metric != metric::kLoss && series.metric != metric::kGradNorm) continue;
    std::optional<std::size_t> first;  // of the values that were left out
    bool everywhere = false;
    for (std::size_t i = 0; i < series.size() && !everywhere; ++i) {
      if (std::isfinite(series.value(i))) continue;
      everywhere = plan.keep[series.row_of(i)];
      const std::int64_t rank = recording.rank[series.row_of(i)];
      if (!first && rank != kNoRank && rank != plan.rank) first = i;
    }
    if (everywhere || !first) continue;
    const std::size_t row = series.row_of(*first);
    Event event;
    event.kind = EventKind::kNonFinite;
    event.line = recording.line[row];
    if (recording.step[row] != kNoStep && !plan.numbered) event.step = recording.step[row];
    event.text = "rank " + std::to_string(recording.rank[row]) + " prints " + series.printed_as + " = " +
                 (std::isnan(series.value(*first)) ? "NaN" : "Inf") + ", rank " + std::to_string(plan.rank) +
                 " a number";
    const auto at =
        std::upper_bound(recording.event_row.begin(), recording.event_row.end(), static_cast<std::int64_t>(row)) -
        recording.event_row.begin();
    recording.events.insert(recording.events.begin() + at, std::move(event));
    recording.event_row.insert(recording.event_row.begin() + at, static_cast<std::int64_t>(row) + 1);
  }
}

// A start or a loaded checkpoint belongs to what follows it, everything else to what stands before it.
std::vector<std::int64_t> place_events(Recording& recording, const RowPlan& plan, Run& run) {
  std::vector<std::int64_t> event_row;  // of those that stay
  std::vector<Event>& events = run.events;
  std::vector<bool> survived(recording.events.size());
  for (std::size_t e = 0; e < survived.size(); ++e) survived[e] = ended_nothing(recording, plan, e);
  if (const auto count = std::count(survived.begin(), survived.end(), true); count > 0) {
    run.interpretations.push_back({"errors-survived", "", 0, count, {}});
  }
  for (std::size_t e = 0; e < recording.events.size(); ++e) {
    if (survived[e]) continue;
    Event event = std::move(recording.events[e]);
    const auto rows_before = static_cast<std::size_t>(recording.event_row[e]);
    const bool opens = event.kind == EventKind::kRunStart || event.kind == EventKind::kCheckpointLoaded;
    const std::size_t row = opens ? rows_before : rows_before == 0 ? 0 : rows_before - 1;
    const auto after = std::upper_bound(plan.segment_start.begin(), plan.segment_start.end(), row);
    event.segment = static_cast<int>(after - plan.segment_start.begin()) - 1;
    if (!event.step && rows_before > 0 && rows_before <= plan.step.size()) event.step = plan.step[rows_before - 1];
    events.push_back(std::move(event));
    event_row.push_back(recording.event_row[e]);
  }
  return event_row;
}

// Lines rise within one file, and tell even where a record was printed in several; where all records stand on one
// line, their number does.
void order_events(const std::vector<std::int64_t>& event_row, const RowPlan& plan, Run& run) {
  for (std::size_t e = 0; e < run.events.size(); ++e) {
    Event& event = run.events[e];
    const auto index = static_cast<std::size_t>(std::max(event.segment, 0));
    const Rows& rows = *run.segments[index].rows;
    const bool flat = rows.size() > 1 && rows.line.front() == rows.line.back();
    std::size_t low = 0;
    std::size_t high = rows.size();
    if (flat) {
      const auto start = static_cast<std::int64_t>(plan.segment_start[index]);
      low =
          static_cast<std::size_t>(std::clamp<std::int64_t>(event_row[e] - start, 0, static_cast<std::int64_t>(high)));
      high = low;
    }
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (rows.line[middle] < event.line) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    event.rows_before = static_cast<std::int64_t>(low);
  }
}

std::vector<Event> of_segment(const std::vector<Event>& events, int segment) {
  std::vector<Event> out;
  std::copy_if(events.begin(), events.end(), std::back_inserter(out),
               [&](const Event& e) { return e.segment == segment; });
  return out;
}

void tell_plan(const RowPlan& plan, Run& run) {
  auto& told = run.interpretations;
  const auto parts = static_cast<std::int64_t>(plan.segment_start.size());
  if (parts > 1) told.push_back({"restarts", "", static_cast<double>(parts), parts - 1, {}});
  if (plan.repeats > 0) told.push_back({"repeats", "", 0, plan.repeats, {}});
  if (plan.stragglers > 0) told.push_back({"stragglers", "", 0, plan.stragglers, {}});
  if (plan.counted_through_epochs) told.push_back({"step-within-epoch", "", 0, 1, {}});
  if (plan.numbered && plan.epoch_axis.empty())
    told.push_back({plan.step_printed ? "step-not-counting" : "records-numbered", "", 0, 1, {}});
}

}  // namespace

Run assemble(Recording& recording) {
  Run run;
  run.id = recording.path;
  run.sources = {{recording.path, recording.file.kind, SourceRole::kMain, recording.unit, 0}};
  run.dialect = recording.dialect;
  run.planned_steps = recording.planned_steps;
  run.truncated = recording.truncated;
  run.config = std::move(recording.config);
  RowPlan plan = plan_rows(recording);
  recording.file.repeated_lines += plan.repeats + plan.stragglers;
  tell_other_ranks(recording, plan);
  run.rank_differences = rank_differences(recording, plan.rank);
  const std::vector<std::int64_t> event_row = place_events(recording, plan, run);
  tell_plan(plan, run);
  const bool numbered = plan.numbered;
  const std::string epoch_axis = plan.epoch_axis;
  run.segments = cut(recording, plan);
  order_events(event_row, plan, run);
  for (std::size_t s = 0; s < run.segments.size(); ++s) {
    Segment& segment = run.segments[s];
    segment.axis = !epoch_axis.empty() ? epoch_axis : numbered || recording.axis.empty() ? "record" : recording.axis;
    interpret(segment, of_segment(run.events, static_cast<int>(s)), run.config, run.interpretations);
    take_nats_off_other_losses(segment, run.dialect);
  }
  merge(run.interpretations);
  return run;
}

}  // namespace assay
