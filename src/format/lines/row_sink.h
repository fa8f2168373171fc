#pragma once
// Rows on their way into the recording. Lines of a known dialect are records at once. A line of no dialect only might
// be one: its rows wait until its family (all lines with the same keys) has shown that it is a series: it comes again,
// its step rises, its values change. Everything that comes behind it waits too, so that the recording keeps the order
// of the file. What waits is bounded; the oldest undecided rows go first.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/recording.h"
#include "format/lines/shape.h"

namespace assay::lines {

struct Cell {
  std::uint16_t column;
  double value;
};

struct Family {
  std::string dialect;  // empty: the general grammar
  std::string axis;
  bool accepted = false;
  bool has_step = false;
  bool weak_step = false;
  bool has_loss = false;
  bool only_rate = false;
  bool columns = false;  // two bare columns
  std::int64_t lines = 0;
  std::int64_t rows = 0;  // given to the recording
  std::int64_t dropped = 0;
  std::int64_t last_step = kNoStep;
  std::int64_t rises = 0;
  std::int64_t falls = 0;
  bool varies = false;
  bool cut = false;  // its first line is the last one of an input that ends in the middle
  double first_value = 0;
  std::string example;
  std::int64_t first_line = 0;
};

class RowSink {
 public:
  RowSink(Recorder& recorder, Columns& columns) : recorder_(recorder), columns_(columns) {}

  /// The family of lines that mean the same; its number is the row's shape in the recording.
  std::uint32_t family(const Meaning& meaning);
  std::uint32_t columns_family();

  /// True: a row of this family may go straight to the recorder (begin_row, then put).
  bool is_direct(std::uint32_t family) const { return queue_.empty() && families_[family].accepted; }
  void begin_direct(std::uint32_t family, std::int64_t step, std::int64_t line, std::int64_t rank) {
    Family& own = families_[family];
    if (own.rows++ == 0) name_axis(own);
    ++rows_seen_;
    recorder_.begin_row(step, line, rank, family);
  }
  void put(std::uint16_t column, double value) {
    ColumnSpec& spec = columns_[column];
    if (!spec.made) make(spec);
    if (spec.held && spec.values > 0 && (value == spec.last || (value != value && spec.last != spec.last))) return;
    spec.last = value;
    if (spec.values++ == 0) spec.first = value;
    spec.varies = spec.varies || value != spec.first;
    recorder_.put(spec.column, value);
  }
  /// Any row.
  void row(std::uint32_t family, std::int64_t step, std::int64_t line, std::int64_t rank,
           const std::vector<Cell>& cells, std::string_view text);
  void event(Event event);

  /// What comes now is of a last line that may be cut: it lacks columns that its like had.
  void begin_cut_line() { in_cut_line_ = true; }

  /// No more rows: decides what is undecided, names the loss where no line did.
  /// single_lines: take candidates that are no series where nothing is.
  void finish(bool single_lines);

  /// Rows begun so far, decided or not.
  std::int64_t rows_seen() const { return rows_seen_; }
  const std::deque<Family>& families() const { return families_; }

  void axis_of_bar();

 private:
  struct Item {
    std::uint32_t family;
    std::int64_t step;
    std::int64_t line;
    std::int64_t rank;
    std::size_t cells;
  };
  void make(ColumnSpec& spec);
  void name_axis(const Family& family);
  void observe(Family& family, std::int64_t step, const std::vector<Cell>& cells);
  void drain(bool all);
  void accept_beside_others();
  void name_loss();
  void forget_constants();
  std::uint32_t add_family(const std::string& key, Family family);

  Recorder& recorder_;
  Columns& columns_;
  std::deque<Family> families_;
  std::map<std::string, std::uint32_t> family_of_;
  std::deque<Item> queue_;
  std::deque<Cell> waiting_;
  std::deque<Event> events_;
  std::int64_t rows_seen_ = 0;
  bool axis_has_loss_ = false;
  bool in_cut_line_ = false;
};

}  // namespace assay::lines
