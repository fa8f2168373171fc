#pragma once
// The line engine: from lines to rows, events and settings.
//
// A log is what a handful of print statements wrote. So the format string of each statement is recovered once
// (tokenizer, keys, meaning: the slow path) and kept as a shape; after that a line is only compared with the literals
// of the shape that is likely to come next, and its numbers are read (the fast path). docs/design/line-engine.md tells
// the whole.

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording.h"
#include "format/lines/ledger.h"
#include "format/lines/lexicon.h"
#include "format/lines/line_source.h"
#include "format/lines/padded_table.h"
#include "format/lines/row_sink.h"
#include "format/lines/setting_blocks.h"
#include "format/lines/shape_cache.h"

namespace assay::lines {

class Engine {
 public:
  /// remember: false reads every line by the slow path, for tests: the recording has to be the same.
  Engine(Recorder& recorder, bool remember);

  /// unended: the last line of the input, and no line end behind it.
  void line(std::string_view text, std::int64_t number, std::size_t dropped, bool unended);
  /// cut: the input is known to be incomplete.
  void finish(bool cut, std::int64_t lines);

 private:
  static constexpr int kFirstLines = 64;  // show what a launcher puts before each line
  struct Place {
    std::int64_t number = 0;
    bool whole = true;     // false: what is missing at its end will not come any more
    bool unended = false;  // the last line of the input, without a line end
    bool alone = false;    // no part of a record over several lines
  };
  struct HeldLine {
    std::string text;
    std::int64_t number;
  };
  // Lines that may be one record, of one process (engine_block.cpp).
  struct Block {
    std::string launcher;  // "[rank0]:", or nothing
    std::vector<HeldLine> lines;
    std::vector<std::string> keys;  // of its fields
    std::string joined;
    std::int64_t depth = 0;  // of open braces; 0: fields line by line
    bool sure = false;       // under the header of a known program
    int strangers = 0;       // lines between them that belong to something else
    bool has_field = false;
    bool has_header = false;
  };

  // Progress bars and the records between them that tell no step (engine_bars.cpp).
  struct Bar {
    std::int64_t step = kNoStep;
    std::int64_t total = 0;
  };
  struct WaitingRow {
    bool active = false;
    std::uint32_t family = 0;
    std::int64_t line = 0;
    std::int64_t rank = kNoRank;
    std::string text;
    std::vector<Cell> cells;
  };
  struct Bars {
    Bar last;            // of any length
    Bar training;        // the last one of the length that stood beside the losses
    bool asked = false;  // a record without a step has come
    bool fresh = false;  // `training` was drawn since the last loss
    enum class Place : std::uint8_t { kUnknown, kBefore, kBehind } place = Place::kUnknown;
    WaitingRow waiting;
  };

  std::string_view without_container_stamp(std::string_view text);
  void piece(std::string_view text, Place place);
  void analyse(std::string_view text, Place place);
  void unended_line(std::string_view text, Place place);
  std::size_t whole_numbers(const Shape& shape, std::string_view text, const Place& place);
  static void note_end(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text);
  static std::size_t first_dictionary(std::string_view text);
  bool take_joined(const std::string& text, std::int64_t number);
  bool take_under_heading(std::string_view text, Place place);
  void note_header(std::string_view text);
  bool open_settings(std::string_view text, std::int64_t number);
  void without_number(std::string_view text, const KeywordSet& found, Place place);
  static Meaning meaning_beside_messages(const Tokenised& line, std::string_view text, const Dialect* dialect,
                                         std::span<const Message* const> told, bool lone_step);
  std::unique_ptr<Shape> compile(const Tokenised& line, std::string_view text, const KeywordSet& found);
  Shape& shape_of(std::string_view text, const KeywordSet& found, Shape* known);
  ShapeState* new_state();

  /// False: lines before had to be read first, and what the arguments refer to is gone; the line has to be read anew.
  bool act(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text, Place place);
  void row(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text, std::int64_t number);
  void table_row(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text, std::int64_t number);
  void cells_of(const Meaning& meaning, const Token* tokens, std::size_t complete, std::vector<Cell>& out) const;
  std::int64_t step_of(const Meaning& meaning, const Token* tokens, std::size_t complete) const;
  std::int64_t rank_of(const Meaning& meaning, const Token* tokens, std::size_t complete) const;
  void plan(const Meaning& meaning, const Token* tokens, std::size_t complete);
  enum class Taken : std::uint8_t { kNo, kYes, kAgain };
  Taken take_part(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text, Place place);
  bool take_brace_line(std::string_view text, Place place);
  bool opens_braces(std::string_view text, Place place);
  bool is_beside_fields(std::string_view text) const;
  void learn_prefix(std::string_view text);
  std::string_view launcher_of(std::string_view text) const;
  std::string_view message_of(std::string_view text) const;
  static bool is_stranger(Block& block);
  Block* block_of(std::string_view launcher);
  bool end_block_of(std::string_view text, bool apart = false);
  void end_block(std::size_t which, bool apart = false);
  void end_blocks();
  void end_fields();

  void note_bar(const Meaning& meaning, const Token* tokens, std::size_t complete);
  std::int64_t step_of_bar(bool loss);
  void settle_waiting(std::int64_t step);

  void note_epoch(const Meaning& meaning, const Token* tokens);
  bool takes_epoch(const Meaning& meaning) const {
    return epoch_ != kNoStep && meaning.has_step && !meaning.has_epoch && meaning.dialect == nullptr;
  }

  void tell(const Message& message, std::string_view text, const Place& place, std::int64_t bar = kNoStep);
  void note_traceback(std::string_view text, std::int64_t number);
  void tell_exception(std::string_view text, std::int64_t number);

  bool continue_record(std::string_view text, std::int64_t number);
  void give_up_record();

  Recorder& recorder_;
  bool remember_;
  const Lexicon& lexicon_ = Lexicon::get();
  Columns columns_;
  RowSink sink_;
  ShapeCache cache_;
  std::deque<ShapeState> states_;
  ShapeState spill_;
  std::unique_ptr<Shape> passing_;  // a shape that is not kept
  Ledger ledger_;

  CleanLine clean_;
  Tokenised tokenised_;
  std::string skeleton_;
  std::array<Token, kMostSlots> tokens_;
  std::vector<Cell> cells_;

  PaddedTable padded_;
  bool stamped_ = false;  // a container's clock stands behind the launcher's mark
  std::string unstamped_;
  std::string prefix_;  // what the launcher seems to put before each line
  int prefix_lines_ = 0;
  int prefix_seen_ = 0;
  std::vector<Block> blocks_;
  // Whether the line that tells the step stands before its fields or behind them, as the first one did.
  enum class Headers : std::uint8_t { kUnknown, kLead, kTrail } headers_ = Headers::kUnknown;
  std::vector<HeldLine> held_;
  std::string joined_;

  std::string heading_;      // "Test Error:" alone on the line before
  std::string header_text_;  // the last line without numbers: the names of a table, perhaps
  std::string header_used_;
  Meaning header_;
  std::uint32_t header_family_ = 0;

  std::vector<std::int64_t> message_rows_;  // rows seen when the message was told last; -1: never
  std::int64_t exception_rows_ = -1;
  std::int64_t traceback_line_ = -1;  // of the last one whose exception has not come yet
  std::int64_t traceback_rows_ = -1;
  std::string traceback_text_;
  EventKind last_kind_ = EventKind::kRunStart;
  std::optional<std::int64_t> last_event_step_;
  std::int64_t last_event_rows_ = -1;
  std::int64_t last_event_line_ = -1;
  std::int64_t planned_ = 0;
  Bars bars_;
  // The epoch that a line of its own told, for the lines behind it that tell none; the column it goes to.
  std::int64_t epoch_ = kNoStep;
  std::uint16_t epoch_column_ = kNoColumn;
  bool columns_have_fraction_ = false;
  std::size_t first_step_list_ = 0;  // numbers of the first list of steps in the file
  std::int64_t source_lines_ = 0;    // of a program's text
  bool truncated_ = false;
  bool unended_ = false;
  bool in_settings_ = false;  // a block of them is open; beside what every line looks at
  SettingBlocks settings_{recorder_};
};

}  // namespace assay::lines
