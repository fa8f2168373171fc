#pragma once
// A report is a value: what was read, what was found, what was not judged and why. Every output renders this value;
// JSON is its complete form and can be read back.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/finding.h"
#include "assay/result.h"
#include "assay/run.h"
#include "assay/text.h"

namespace assay {

/// One line a metric and segment: what was read.
struct SeriesSummary {
  std::string metric;
  std::string printed_as;
  Unit unit = Unit::kNone;
  int segment = 0;
  std::int64_t points = 0;  // finite values
  std::int64_t non_finite = 0;
  StepRange steps;
  double first = 0, last = 0, least = 0, greatest = 0, median = 0;  // of the finite values; NaN when there is none
  std::optional<Curve> curve;                                       // for `show`
};

/// The events of one kind.
struct EventCount {
  EventKind kind = EventKind::kRunStart;
  std::int64_t count = 0;
  Event first;  // its place: first_where
  Event last;
  Location first_where;
  Location last_where;
};

/// What a file was taken for.
struct SourceSummary {
  std::string path;
  std::string kind;  // as FileRecord::kind
  SourceRole role = SourceRole::kMain;
  PlaceUnit unit = PlaceUnit::kLine;
};

struct RunSummary {
  std::string id;
  std::vector<SourceSummary> sources;  // the main one first
  std::string dialect;
  std::string axis;
  KindOfTraining kind;
  int segments = 1;
  std::int64_t records = 0;
  std::optional<StepRange> steps;
  std::optional<std::int64_t> planned_steps;
  std::vector<SeriesSummary> series;
  std::vector<Interpretation> interpretations;
  std::vector<Setting> settings;   // for `show`
  std::vector<Derived> derived;    // for `show`
  std::vector<EventCount> events;  // by kind, in the order of EventKind
};

/// What a reader could not use, by kind, with the first place of each.
struct UnusedKind {
  std::string example;  // cut to 120 bytes, control characters shown as escapes
  std::string why;      // empty: no dialect or grammar takes such a line
  std::int64_t count = 0;
  std::int64_t first_line = 0;
};

enum class FileState : std::uint8_t {
  kRead,         // something was read from it
  kNothingRead,  // opened, but nothing in it is a log (only named when the user named the file)
  kUnknown,      // passed over in a folder
  kFailed,       // could not be opened or read: see error
};

struct FileRecord {
  std::string path;
  std::string kind;   // "text log", "csv", "jsonl", "trainer_state.json", "binary", …
  std::string codec;  // "gzip", "zstd", "UTF-16", "GBK", both ("gzip, GBK"), or empty
  FileState state = FileState::kRead;
  bool named = false;  // by the user, not found in a folder
  std::int64_t bytes = 0;
  PlaceUnit unit = PlaceUnit::kLine;
  std::int64_t lines = 0;  // or the records of a container
  std::int64_t records = 0;
  std::int64_t unused_lines = 0;
  std::int64_t settings = 0;        // told by it: a file of settings alone is of a run that has not begun
  std::string framework;            // in whose words the settings are; empty: nobody's
  std::int64_t repeated_lines = 0;  // the same record again (other ranks, a console written twice)
  bool truncated = false;
  std::int64_t lost_bytes = 0;        // of a container: damaged, passed over
  std::vector<UnusedKind> unused;     // the most frequent kinds, bounded
  std::vector<std::string> left_out;  // columns, tags and keys that are known and tell nothing of training; bounded
  std::int64_t left_out_count = 0;
  std::vector<Error> problems;  // bounded; problem_count tells how many there were
  std::int64_t problem_count = 0;
  std::optional<Error> error;  // for kFailed and kNothingRead
  std::string run;             // id of the run that it was taken for; empty: of none
  /// Settings that belong to one of several runs, nothing tells to which: the number of these runs. They went to none.
  std::int64_t could_be_of = 0;
};

/// A file that lies beside the one that the user named, was not read, and by its name belongs to the same run.
struct Beside {
  std::string path;
  SourceRole role = SourceRole::kMore;
};

struct RuleNotApplied {
  std::string rule;
  Phrase reason;  // a sentence of the rule
};

/// A name of --ignore: ignored rules are asked all the same, and what they find is counted and left out.
struct IgnoredName {
  std::string name;  // of a rule or a family
  std::int64_t findings = 0;
};

/// A parameter of a rule that the user set to another value.
struct Threshold {
  std::string name;  // "loss-spike.sigmas"
  double value = 0;
  double standard = 0;
};

/// The record of a rule as the report needs it: to render findings again, and to explain them.
struct RuleRecord {
  std::string name;
  std::string family;
  bool tells_why = false;  // its findings say why something happened, not what
  Text title;
  std::vector<Sentence> sentences;
};

/// A place in a table: the value that a script takes, and what people read where that is more than the value alone.
struct Cell {
  std::optional<Value> value = std::nullopt;  // without a unit: the column's title names it; nothing: not applicable
  Text text = {};                             // empty: the value, formatted
};

struct TableColumn {
  /// In which tables people see it; JSON has it always.
  enum class Shown : std::uint8_t { kAlways, kSingle /* row */, kSeveral /* rows */, kNever };
  std::string key;  // stable: scripts take values by it
  Text title;
  bool right = false;
  Shown shown = Shown::kAlways;
};

struct TableRow {
  std::string key;  // stable, within its table
  std::vector<Cell> cells;
};

struct Table {
  std::string key;
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
};

/// A field of a pattern of bits, as it is stored.
struct BitField {
  enum class Kind : std::uint8_t { kSign, kPrefix, kExponent, kFraction, kUnused };
  Kind kind = Kind::kSign;
  std::string bits;  // "01011"
};

/// A pattern of bits in its fields, from the highest bit.
struct BitPattern {
  Text title;  // empty: the section says what it is
  std::vector<BitField> fields;
};

/// A part of a report, with what it has in this order.
struct Section {
  std::string key;
  std::string run = {};  // id of the run that it is about; empty: of none or of all
  Text title;
  std::vector<BitPattern> patterns;
  Text text;  // lines
  std::vector<Table> tables;
  std::vector<Curve> curves;
};

/// What was read of a corpus.
struct CorpusSummary {
  std::int64_t lines = 0;       // rows, where a file is a table
  std::int64_t documents = 0;   // that were looked at
  std::int64_t bytes = 0;       // of their text
  std::int64_t lost_lines = 0;  // that gave no document and should have
  std::int64_t abnormal_documents = 0;
  std::int64_t abnormal_bytes = 0;
  double sample = 1;  // share of the documents that was looked at
};

struct Report {
  std::string tool_version;
  std::string study;  // "float show": the report answers a question, in its sections, and judges nothing
  Text answer;        // of a study, in a sentence
  std::vector<std::string> arguments;  // the paths as named
  std::vector<RunSummary> runs;
  std::vector<Finding> findings;        // in rank order
  std::optional<CorpusSummary> corpus;  // of the text of corpora, where some were given
  std::vector<Section> sections;
  std::vector<FileRecord> files;
  std::vector<Beside> beside;
  std::vector<std::string> rules_run;
  std::vector<RuleNotApplied> not_applicable;
  std::vector<IgnoredName> ignored;
  std::vector<Threshold> thresholds;  // those that were set
  std::vector<RuleRecord> rules;      // those that findings or not_applicable mention
  bool judged = true;                 // false: only read
  bool complete = true;               // false: interrupted
};

}  // namespace assay
