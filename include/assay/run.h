#pragma once
// A run: what one training job left behind, brought together from its log (and, where given, more sources).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/location.h"
#include "assay/series.h"
#include "assay/text.h"

namespace assay {

/// Something that a log tells beside its numbers.
enum class EventKind : std::uint8_t {
  kOverflow,        // a step was skipped because a gradient was not finite; before, after: the loss scale, where told
  kScaleChange,     // the loss scale was set to `after` without a word about a skip
  kScaleAtMinimum,  // the scaler gave up
  kNonFinite,       // a framework itself reported NaN or Inf in loss, gradient or parameters
  kRerun,           // a framework ran a step again to tell a hardware fault from the program's
  kRanksDiffer,     // a framework compared its ranks, and they do not agree
  kHardwareFault,   // Xid, ECC, a device that fell off
  kCheckpointSaved,
  kCheckpointLoaded,
  kRunStart,  // the banner of a training loop
  kRunEnd,    // it says that it ended as planned
  kAborted,   // killed, cancelled, out of memory, an exception that ended it
};
std::string_view name(EventKind kind);

struct Event {
  EventKind kind = EventKind::kRunStart;
  std::optional<std::int64_t> step;  // told by the line itself, else the step of the record before it in the file
  bool step_is_own = false;          // the line itself told the step
  std::optional<double> before;      // a loss scale, or a value
  std::optional<double> after;
  std::string text;       // the line, cut to 200 bytes
  std::int64_t line = 0;  // its place: from 1, numbered through over the sources of the run
  // Its order, set when the run is put together. A run may be read from several files: lines tell no order.
  int segment = -1;
  std::int64_t rows_before = 0;  // records of its segment that stand before it
};

/// A setting as a source said it. Several sources may disagree: all are kept, in the order in which they were read.
struct Setting {
  std::string key;    // canonical (assay/setting.h) where known, else as written
  std::string value;  // in the unit of the canonical key where it has one ("100ba" of warm-up is 100), else as written
  Location where;
  std::string written = {};  // the key as written, with its path: "scheduler.t_warmup", "--lr"
  std::string unknown = {};  // why the value cannot be known without running something; `value` then holds the source
  std::optional<double> number() const;
};

struct Config {
  std::vector<Setting> settings;
  /// The last setting of that key whose value is not None; null when nobody said it, or when it cannot be known.
  const Setting* find(std::string_view key) const;
};

/// What follows from the settings of a run, with the arithmetic that leads there.
struct Derived {
  std::string name;               // "global_batch_size", "parameters", …
  Value value;                    // a word where settings exclude every number, "none", or hide one, "unknown"
  Text arithmetic;                // "2 micro x 4 data-parallel x 256 accumulation = 2,048 sequences"
  Text disagreement = {};         // what speaks against it: another setting, a division that leaves a rest
  std::vector<std::string> from;  // the settings that it stands on
};

/// What was done to the numbers so that they mean what their name says. The report prints it (sentence `key`).
struct Interpretation {
  std::string key;  // "grad-norm-unscaled", "loss-from-bits", …
  std::string metric;
  double factor = 0;
  std::int64_t count = 0;
  Location where;
};

/// A part of a run without a restart. Steps do not fall within it.
struct Segment {
  std::shared_ptr<const Rows> rows;
  std::vector<Series> series;
  std::string axis;  // the key that the file calls its step ("iteration", "_step"); "record" where it has none
  const Series* find(std::string_view metric) const;
  bool empty() const { return !rows || rows->size() == 0; }
  std::int64_t first_step() const { return rows->step.front(); }
  std::int64_t last_step() const { return rows->step.back(); }
};

/// What training a run is: what is normal depends on it.
enum class TrainingKind : std::uint8_t {
  kUnknown,
  kPretraining,
  kFineTuning,
  kPreference,        // pairs of answers: DPO and its like, reward models
  kReinforcement,     // PPO, GRPO and their like: the loss is an objective that says little of success
  kAdversarial,       // a generator and a discriminator
  kSelfDistillation,  // a student follows a teacher made of its own weights (DINO, BYOL)
};

struct KindOfTraining {
  TrainingKind kind = TrainingKind::kUnknown;
  double confidence = 0;  // 0 where nothing is known
  Text because = {};      // what tells it
  bool experts = false;   // a mixture of experts
};

/// What a file is to the run that it belongs to.
enum class SourceRole : std::uint8_t {
  kMain,      // its records are those of the run
  kSame,      // the same series again
  kMore,      // other records of the same run: metrics that the main one lacks, or means of its own
  kPart,      // a part of the run, after a restart or in another file
  kRank,      // another process of the same job
  kMessages,  // messages without records
  kSettings,
  kSummary,  // results at the end of the run
};

/// A file of a run. Lines are numbered through: line n of the file is line lines_before + n of the run.
struct Source {
  std::string path;
  std::string kind;  // as FileRecord::kind
  SourceRole role = SourceRole::kMain;
  PlaceUnit unit = PlaceUnit::kLine;  // what its lines are
  std::int64_t lines_before = 0;
};

/// A file that tells the main series again: where it has each step. Segments and rows as in the run; rising by both.
struct Copy {
  std::size_t source = 0;
  std::size_t segment = 0;
  IntegerColumn step;
  IntegerColumn line;  // numbered through
};

/// A checkpoint that lies on disk.
struct Checkpoint {
  std::int64_t step = 0;
  std::string path;
};

/// A number that ranks shared, and where one of them stops telling what the other tells.
struct RankDifference {
  std::string metric = {};
  std::string printed_as = {};
  std::string who = {}, other = {};        // "rank 0", or a file's name
  std::int64_t step = 0;                   // the first at which they differ
  double value = 0, other_value = 0;       // there
  std::int64_t line = 0, other_line = 0;   // numbered through
  double last_value = 0, last_other = 0;   // at the last step that both tell
  std::int64_t agreed = 0, differing = 0;  // steps before, and from there on
  std::int64_t ranks = 1;                  // that differ from the first
};

struct Run {
  std::string id;               // the path of its main source
  std::vector<Source> sources;  // the main one first, those with lines in rising order of lines_before
  std::vector<Copy> copies;
  std::string dialect;                  // what most of its records were read as: "megatron", …, "general", "csv"
  std::vector<Segment> segments;        // in the order of training; at least one
  std::vector<Event> events;            // in the order of training
  std::vector<Checkpoint> checkpoints;  // by step
  Config config;
  std::vector<Derived> derived;  // what follows from the settings (measure/derive)
  KindOfTraining kind;
  std::optional<std::int64_t> planned_steps;  // as the log or its settings say
  bool truncated = false;                     // the file ends in the middle of a record
  std::vector<Interpretation> interpretations;
  std::vector<RankDifference> rank_differences;  // one for each metric
  /// Whether anything ran: records or messages. Else there are settings alone.
  bool has_begun() const;
  /// The file that a numbered-through line stands in; null for a run without sources.
  const Source* source_of(std::int64_t line) const;
  /// Path and own line of a numbered-through line.
  Location location(std::int64_t line) const;
  /// The numbered-through line of a place in a source; 0 where it is in none.
  std::int64_t line_of(const Location& where) const;
};

}  // namespace assay
