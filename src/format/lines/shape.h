#pragma once
// A shape: the format string of one print statement, recovered from the first line seen of it, with what each number
// means worked out once. Later lines of the shape are only compared with its literals, and their numbers read.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/recording.h"
#include "format/lines/dialect.h"
#include "format/lines/keys.h"
#include "format/lines/keywords.h"
#include "format/lines/tokenizer.h"

namespace assay::lines {

inline constexpr std::uint16_t kNoColumn = 0xffff;

/// The columns that shapes refer to: one for each metric of the file, made a column of the recording at its first
/// value.
struct ColumnSpec {
  std::string metric;
  std::string printed_as;
  Unit unit = Unit::kNone;
  Quirk quirks = Quirk::kNone;
  /// How likely it is the training loss where the file has none under that name; 0: it is not.
  int loss_likeness = 0;
  bool made = false;
  Recorder::Column column = 0;
  std::int64_t values = 0;
  bool own_name = false;  // known to no table
  bool varies = false;
  double first = 0;
  bool held = false;  // printed again until it is measured anew: only changes are values
  double last = 0;
};

class Columns {
 public:
  /// The column of a metric, or kNoColumn when there are too many.
  std::uint16_t find_or_add(ColumnSpec spec);
  ColumnSpec& operator[](std::uint16_t id) { return specs_[id]; }
  const ColumnSpec& operator[](std::uint16_t id) const { return specs_[id]; }
  std::span<ColumnSpec> all() { return specs_; }

 private:
  std::vector<ColumnSpec> specs_;
  std::unordered_map<std::string, std::uint16_t> number_;  // by metric
};

enum class SlotUse : std::uint8_t { kSkip, kStep, kTotal, kRank, kValue };

struct SlotPlan {
  SlotUse use = SlotUse::kSkip;
  std::uint16_t column = kNoColumn;  // in Meaning::own, after intern() of the file
  double factor = 1;
  bool truth = false;  // True and False are values here
};

/// A line of a record that goes over several lines.
enum class Part : std::uint8_t {
  kNone,
  kHeader,  // tells a step or an epoch and nothing else
  kField,   // tells one value
};

/// What the slots of a line mean.
struct Meaning {
  std::vector<SlotPlan> slots;
  Columns own;  // of this line; empty once interned
  bool interned = false;
  const Dialect* dialect = nullptr;
  bool has_step = false;
  bool bar_step = false;             // a progress bar tells the step
  bool has_epoch = false;            // tells the epoch
  bool epoch_step = false;           // the epoch, as long as it is a whole number, counts the records
  bool weak_step = false;            // taken for the step only because nothing better is there
  bool has_loss = false;             // a training loss by name
  bool has_eval = false;             // an evaluation's loss or accuracy
  bool has_core = false;             // a metric that tells of training: loss, grad norm, rate, scale, evaluation
  bool only_rate = false;            // a learning rate is its only core metric
  bool loss_like = false;            // a key that ends in "loss", unknown
  bool table_row = false;            // nothing but numbers and separators
  std::vector<std::uint16_t> cells;  // of a table row: the slot of each
  int done_slot = -1;                // of one that is drawn again and again: how many percent of its epoch are done
  bool total_is_plan = false;        // the step's total counts the whole run, not an epoch
  bool measured = false;             // tells a loss, a norm, an accuracy, a reward: more than settings do
  Part part = Part::kNone;           // what the line can be to a record over several lines
  std::size_t body_slot = 0;         // the literal in which the field begins, behind what a logger puts before it,
  std::size_t body_skip = 0;         // and how far into it
  std::size_t key_slot = 0;          // the number that its key stands before
  int step_slot = -1;
  int total_slot = -1;
  int rank_slot = -1;
  std::int64_t rank = kNoRank;  // told by a prefix ("[rank0]:")
  std::string axis;             // key of the step as printed
  std::size_t step_list = 0;    // numbers of the list that tells the step, of DLLogger
};

/// message: where it begins behind a launcher's mark.
/// lone_step: the only number of a list of steps is the step, not the epoch.
Meaning derive_meaning(const Tokenised& line, const Dialect* dialect, const char* message, bool lone_step = false);

/// The columns of a table whose first line names them; empty slots when the names mean nothing.
Meaning derive_table(std::span<const std::string_view> names);

/// Makes the columns of a line columns of the file. Only lines that give values need it: lines of prose would fill the
/// table with names.
void intern(Meaning& meaning, Columns& columns);

/// The literals of a line, compiled for comparison.
class Template {
 public:
  explicit Template(const Tokenised& line);
  /// Fills one token for each slot; false at the first difference.
  bool match(std::string_view line, Token* tokens) const;
  /// Whether the line is a beginning of the template that broke off; fills the tokens that are complete (those that
  /// are followed by more text) and returns their number, or -1.
  int match_beginning(std::string_view line, Token* tokens) const;
  std::size_t slots() const { return pieces_.size() - 1; }
  /// Whether a match has the tokens that the tokenizer finds. Not so where a literal ends in what other digits behind
  /// it would make a number: "1e-" before "06x".
  bool is_sure() const { return sure_; }

 private:
  struct Piece {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    char before = 0;
    char after = 0;
    bool loose = false;  // the blanks that may stand at the end of the line
    bool stamp = false;
    bool word = false;  // ends in a word: "nan" behind it may belong to the key
  };
  std::string text_;
  std::vector<Piece> pieces_;
  bool sure_ = true;
};

}  // namespace assay::lines
