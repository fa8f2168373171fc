#pragma once
// What a format reader hands on: a recording of one file, in the order of the file.
//
// Readers push rows of values through a Recorder; they know no rule and change no value except for its unit. Repeats,
// restarts, placeholders and scales are sorted out afterwards, in one place for all formats (src/measure/).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/report.h"
#include "assay/run.h"

namespace assay {

/// A row whose step is not told: it takes a record number.
inline constexpr std::int64_t kNoStep = INT64_MIN;
/// Steps beyond this (2^53) are no steps: a row that tells one counts as telling none. Differences and sums of a
/// million steps then never overflow, and none loses a bit as a double.
inline constexpr std::int64_t kGreatestStep = std::int64_t{1} << 53;
/// A row whose line is not marked with a rank.
inline constexpr std::int64_t kNoRank = -1;

struct Recording {
  std::string path;
  std::string dialect;
  PlaceUnit unit = PlaceUnit::kLine;    // what places count
  std::optional<double> started;        // seconds since 1970 when its writer began, where the file says so
  std::string run_id;                   // what its writer calls the run; empty where it has no name for it
  std::string axis;                     // what the file calls its step; empty when no row has one
  IntegerColumn step;                   // kNoStep where the row tells none
  IntegerColumn line;                   // of a container of records: the record
  IntegerColumn rank;                   // kNoRank where there is none
  IntegerColumn shape;                  // rows of one shape were printed by one statement of the program
  std::vector<Series> series;           // row refers to the columns above; Series::rows is null here
  std::vector<Event> events;            // step: told by the line itself, or unset
  std::vector<std::int64_t> event_row;  // number of rows that stood before the event
  Config config;
  std::optional<std::int64_t> planned_steps;
  std::optional<std::int64_t> steps_per_epoch;  // where the step is told as a position in the epoch: "[50/625]"
  bool truncated = false;
  FileRecord file;  // the ledger
  std::size_t rows() const { return line.size(); }
};

/// Collects one file. Memory: the columns; everything else is bounded.
class Recorder {
 public:
  /// A column of the recording. Cheap to copy; valid as long as the Recorder.
  using Column = std::uint32_t;

  explicit Recorder(std::string path);

  /// The column of a metric, made at the first call. The first caller's printed_as, unit and quirks stay.
  Column column(std::string_view metric, std::string_view printed_as, Unit unit = Unit::kNone,
                Quirk quirks = Quirk::kNone);

  /// Starts a row. step: kNoStep when the line tells none.
  void begin_row(std::int64_t step, std::int64_t line, std::int64_t rank = kNoRank, std::int64_t shape = 0) {
    if (step > kGreatestStep || step < -kGreatestStep) step = kNoStep;
    recording_.step.push_back(step);
    recording_.line.push_back(line);
    recording_.rank.push_back(rank);
    recording_.shape.push_back(shape);
    if (step != kNoStep) last_step_ = step;
  }
  /// A value of the row begun last; a second value for the same column and row is dropped (the first is the more
  /// specific one).
  void put(Column column, double value) {
    const auto row = static_cast<std::int64_t>(recording_.rows()) - 1;
    if (row_of_last_[column] == row) return;
    row_of_last_[column] = row;
    Series& series = recording_.series[column];
    series.row.push_back(row);
    series.values.push_back(value);
  }

  /// Gives a column another name: for a reader that learns only at the end what it read.
  void rename(Column column, std::string_view metric) { recording_.series[column].metric = metric; }

  /// Gives a column that has no values all of them at once. row: of each value, rising.
  void fill(Column column, IntegerColumn row, ValueColumn values) {
    Series& series = recording_.series[column];
    series.row = std::move(row);
    series.values = std::move(values);
  }

  /// Takes back the values of a column.
  void forget(Column column) {
    Series& series = recording_.series[column];
    series.row = {};
    series.values = {};
  }

  void event(Event event);
  /// Gives a step to the events that told none: for a file without a record, whose progress bar is all there is.
  void date_events(std::int64_t step);
  /// written: the key as written; unknown: why its value cannot be known, which `value` then only quotes.
  void setting(std::string_view key, std::string_view value, std::int64_t line, std::string_view written = {},
               std::string_view unknown = {});
  void planned_steps(std::int64_t steps);    // absurd ones are passed over
  void steps_per_epoch(std::int64_t steps);  // absurd ones are passed over; the last one stays
  void axis(std::string_view name);          // the last one stays
  void dialect(std::string_view name);
  /// The file is no text: its places count records. Before anything that has a place.
  void count_records();
  void started(double seconds);  // since 1970; absurd ones are passed over, the earliest stays
  /// A name whose values are known to tell nothing of training. Each name is told once.
  void left_out(std::string_view name);
  void run_id(std::string_view name);  // the first one stays
  /// line: from 1, 0 where it is not known; byte: offset in the file as stored, -1 where it is not known.
  void truncated(std::int64_t line, std::string_view what, std::int64_t byte = -1);
  void problem(Error error);  // the first 20 are kept, all are counted
  void unused(std::string_view line_text, std::int64_t line,
              std::string_view why);  // an unused line, aggregated by the caller's `why`
  FileRecord& file() { return recording_.file; }
  std::size_t rows() const { return recording_.rows(); }
  const std::vector<Event>& events() const { return recording_.events; }
  std::size_t settings() const { return recording_.config.settings.size(); }
  std::int64_t last_step() const { return last_step_; }

  Recording finish() &&;

 private:
  Recording recording_;
  std::int64_t last_step_ = kNoStep;
  std::vector<std::int64_t> row_of_last_;  // for each column, the row of its last value
};

}  // namespace assay
