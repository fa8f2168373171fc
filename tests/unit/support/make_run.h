#pragma once
// Runs made of plain numbers, for tests of measures and rules.
//
//   const Run run = MakeRun().series("loss", {3.0, 2.9, kAbsent, 2.8}).event(EventKind::kOverflow, 2).done();
//
// Rows come from the longest series of a segment; value i stands in row i. Steps are first_step, first_step + every, …
// unless steps() says otherwise. Lines count from 1 through the whole file.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/run.h"
#include "rules/rule.h"

namespace assay::test {

/// A row in which the metric is not printed.
inline constexpr double kAbsent = -1.234567e300;

class MakeRun {
 public:
  explicit MakeRun(std::string path = "train.log") {
    run_.id = path;
    run_.sources = {{std::move(path), "text log", SourceRole::kMain, PlaceUnit::kLine, 0}};
    run_.dialect = "general";
    run_.segments.emplace_back();
  }

  MakeRun& dialect(std::string_view name) {
    run_.dialect = name;
    return *this;
  }
  MakeRun& kind(TrainingKind kind) {
    run_.kind.kind = kind;
    return *this;
  }
  /// Steps of the rows of this segment.
  MakeRun& steps(std::int64_t first, std::int64_t every = 1) {
    first_ = first;
    every_ = every;
    return *this;
  }
  MakeRun& steps(std::vector<std::int64_t> all) {
    given_ = std::move(all);
    return *this;
  }
  MakeRun& series(std::string_view metric, std::vector<double> values, Quirk quirks = Quirk::kNone) {
    columns_.push_back({std::string(metric), std::move(values), quirks});
    return *this;
  }
  MakeRun& event(EventKind kind, std::int64_t step, std::string text = "") {
    Event event;
    event.kind = kind;
    event.step = step;
    event.step_is_own = true;
    event.text = std::move(text);
    event.segment = static_cast<int>(run_.segments.size()) - 1;
    pending_.push_back(std::move(event));
    return *this;
  }
  MakeRun& setting(std::string_view key, std::string_view value) {
    Location where;
    where.path = run_.id;
    where.line = ++line_;
    run_.config.settings.push_back({std::string(key), std::string(value), std::move(where)});
    return *this;
  }
  MakeRun& planned(std::int64_t steps) {
    run_.planned_steps = steps;
    return *this;
  }
  MakeRun& truncated() {
    run_.truncated = true;
    return *this;
  }
  /// Closes the segment; what follows belongs to the next one.
  MakeRun& restart() {
    close();
    run_.segments.emplace_back();
    return *this;
  }
  Run done() {
    close();
    return std::move(run_);
  }

 private:
  struct Column {
    std::string metric;
    std::vector<double> values;
    Quirk quirks;
  };

  void close() {
    std::size_t count = given_.size();
    for (const Column& column : columns_) count = std::max(count, column.values.size());
    auto rows = std::make_shared<Rows>();
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t step = i < given_.size() ? given_[i] : first_ + every_ * static_cast<std::int64_t>(i);
      for (Event& event : pending_) {
        if (event.line != 0 || *event.step > step) continue;
        event.line = ++line_;
        event.rows_before = static_cast<std::int64_t>(i);
      }
      rows->step.push_back(step);
      rows->line.push_back(++line_);
    }
    for (Event& event : pending_) {
      if (event.line == 0) {
        event.line = ++line_;
        event.rows_before = static_cast<std::int64_t>(count);
      }
      run_.events.push_back(event);
    }
    Segment& segment = run_.segments.back();
    segment.rows = rows;
    segment.axis = "step";
    for (const Column& column : columns_) {
      Series series;
      series.metric = column.metric;
      series.printed_as = column.metric;
      series.quirks = column.quirks;
      series.rows = rows;
      for (std::size_t i = 0; i < column.values.size(); ++i) {
        if (column.values[i] == kAbsent) continue;
        series.row.push_back(static_cast<std::int64_t>(i));
        series.values.push_back(column.values[i]);
      }
      segment.series.push_back(std::move(series));
    }
    columns_.clear();
    pending_.clear();
    given_.clear();
    first_ = 1;
    every_ = 1;
  }

  Run run_;
  std::vector<Column> columns_;
  std::vector<Event> pending_;
  std::vector<std::int64_t> given_;
  std::int64_t first_ = 1;
  std::int64_t every_ = 1;
  std::int64_t line_ = 0;
};

/// Adds an event at its line: behind the records of its segment on earlier lines.
inline void put(Run& run, Event event) {
  const auto& rows = run.segments[static_cast<std::size_t>(std::max(event.segment, 0))].rows;
  event.rows_before = 0;
  for (std::size_t i = 0; rows && i < rows->size(); ++i) event.rows_before += rows->line[i] < event.line ? 1 : 0;
  run.events.push_back(std::move(event));
}

/// What a rule says of a run, with its standard parameters or with some of them set ("loss-spike.sigmas").
inline std::vector<Finding> judge(const Rule& rule, const Run& run, const std::map<std::string, double>& set = {}) {
  Findings out;
  rule.judge(run, Parameters(rule.parameters, set, rule.name), out);
  return std::move(out.found());
}

/// The message as it is printed.
inline std::string say(const Rule& rule, const Phrase& phrase, Language language = Language::kEnglish) {
  for (const SentenceRecord& one : rule.sentences) {
    if (one.key == phrase.key) return fill({std::string(one.en), std::string(one.zh)}, phrase.values, language);
  }
  return "no sentence " + phrase.key;
}

}  // namespace assay::test
