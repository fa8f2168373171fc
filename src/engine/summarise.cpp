// What was read of a run: enough to see whether assay understood the log before one believes what it says of it.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "assay/setting.h"
#include "core/curve.h"
#include "core/setting_table.h"
#include "engine/engine.h"
#include "measure/training_kind.h"
#include "rules/plan.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr std::size_t kMostSettings = 2000;
constexpr std::size_t kCurveBuckets = 120;

SeriesSummary summarise_series(const Series& series, int segment, bool details) {
  SeriesSummary out;
  out.metric = series.metric;
  out.printed_as = series.printed_as;
  out.unit = series.unit;
  out.segment = segment;
  out.steps = {series.first_step(), series.last_step()};
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  out.first = out.last = out.least = out.greatest = nothing;
  for (const double value : series.values.span()) {
    if (!std::isfinite(value)) {
      ++out.non_finite;
      continue;
    }
    if (out.points == 0) out.first = out.least = out.greatest = value;
    ++out.points;
    out.last = value;
    out.least = std::min(out.least, value);
    out.greatest = std::max(out.greatest, value);
  }
  out.median = details ? median(series.values.span()) : nothing;
  if (details) out.curve = curve_of(series, 0, series.size(), kCurveBuckets);
  return out;
}

std::vector<EventCount> count_events(const Run& run) {
  std::map<EventKind, EventCount> kinds;
  for (const Event& event : run.events) {
    EventCount& kind = kinds[event.kind];
    if (kind.count++ == 0) kind.first = event;
    kind.last = event;
  }
  std::vector<EventCount> out;
  for (auto& [kind, count] : kinds) {
    count.kind = kind;
    count.first_where = run.location(count.first.line);
    count.last_where = run.location(count.last.line);
    out.push_back(std::move(count));
  }
  return out;
}

// Segments may overlap in steps: a run that was resumed from an older checkpoint went over them twice.
std::optional<StepRange> steps_of(const Run& run) {
  std::optional<StepRange> steps;
  for (const Segment& segment : run.segments) {
    if (segment.empty()) continue;
    if (!steps) steps = StepRange{segment.first_step(), segment.last_step()};
    steps->first = std::min(steps->first, segment.first_step());
    steps->last = std::max(steps->last, segment.last_step());
  }
  return steps;
}

bool tells_warmup(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(),
                     [](const Setting& one) { return one.key.starts_with("warmup_"); });
}

// What the framework takes where the settings say nothing is a part of the plan.
void add_defaults(const Run& run, RunSummary& out) {
  const Plan plan(run);
  for (const std::string_view key : {setting::kLearningRate, setting::kWarmupSteps, setting::kClipNorm}) {
    const auto value = plan.find(key);
    if (!value || value->origin != Origin::kDefault) continue;
    if (key == setting::kWarmupSteps && tells_warmup(run.config)) continue;  // in what cannot be turned into steps
    const std::string& name = plan.framework();
    out.derived.push_back({std::string(key), Value(value->value), {"default of " + name, name + " 的默认值"}, {}, {}});
  }
}

// Of a run that has not begun they are all that there is: `check` tells those that it has a name for.
void add_settings(const Run& run, bool details, RunSummary& out) {
  if (!details && run.has_begun()) return;
  for (const Setting& one : run.config.settings) {
    if (out.settings.size() == kMostSettings) break;
    const bool told =
        one.key == setting::kFramework || one.key == setting::kParameters || setting_row(one.key) != nullptr;
    if (details || told) out.settings.push_back(one);
  }
}

}  // namespace

RunSummary summarise(const Run& run, bool details) {
  RunSummary out;
  out.id = run.id;
  for (const Source& one : run.sources) out.sources.push_back({one.path, one.kind, one.role, one.unit});
  out.dialect = run.dialect;
  out.axis = run.segments.empty() ? "" : run.segments.front().axis;
  out.kind = run.kind;
  out.segments = static_cast<int>(run.segments.size());
  out.steps = steps_of(run);
  out.planned_steps = run.planned_steps;
  out.interpretations = run.interpretations;
  out.events = count_events(run);
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Segment& segment = run.segments[i];
    if (segment.rows) out.records += static_cast<std::int64_t>(segment.rows->size());
    for (const Series& series : segment.series) {
      if (!series.empty()) out.series.push_back(summarise_series(series, static_cast<int>(i), details));
    }
  }
  if (details || !run.has_begun()) out.derived = run.derived;
  if (!run.has_begun()) add_defaults(run, out);
  add_settings(run, details, out);
  return out;
}

}  // namespace assay
