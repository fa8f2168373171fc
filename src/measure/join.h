#pragma once
// One run from the recordings of its files. Essay in join.cpp.

#include <optional>
#include <string>
#include <vector>

#include "assay/run.h"
#include "core/recording.h"

namespace assay {

/// Puts a run together from one recording at a time, so that no more than one is held beside the run. Columns and
/// settings move out of a recording; its ledger (Recording::file) stays and is completed.
class Joiner {
 public:
  /// Files of settings (kSettings) and of results (kSummary), before everything else, the nearest first.
  void add_settings(Recording& recording, SourceRole role = SourceRole::kSettings);
  /// The main file first, then further parts in their order (kPart), then what is beside them.
  void add(Recording& recording, SourceRole role);
  /// A file that is named and adds nothing.
  void name_source(std::string path, std::string kind, SourceRole role, PlaceUnit unit);
  /// The run; once, after at least one add(). Of a single recording it is what assemble() gives.
  Run finish();

 private:
  std::vector<Source> sources_;
  std::vector<Source> settings_;  // files
  std::int64_t lines_ = 0;
  Config config_;                               // of files, the farthest first
  std::vector<std::vector<Setting>> own_;       // what each file with records said itself
  std::optional<std::int64_t> planned_;         // as a part says
  std::optional<std::int64_t> planned_beside_;  // as others say
  std::optional<Run> run_;
  bool more_ = false;
};

// --- its steps ---

/// Appends a run that goes on behind the end of the other: in the same segment where nothing lies between, else as a
/// part of its own.
void append_part(Run& run, Run next);

/// Adds to the run what a file beside it tells: metrics that it lacks and, of the same series, what lies before or
/// behind its own records; remembers where the file has each step. source: its index in Run::sources.
void add_beside(Run& run, Run beside, SourceRole role, std::size_t source);

/// Adds the messages that the run does not tell itself, at the records that they stand at.
void add_messages(Run& run, const Run& beside, std::vector<Event> events);

/// Gives records without a step those of the run, by the order of the values of the main series.
void take_steps(const Run& run, Run& beside);

}  // namespace assay
