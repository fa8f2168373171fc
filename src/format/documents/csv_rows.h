#pragma once
// Rows of a table in text, as Python's csv module and RFC 4180 have them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A quote opens only at the start of a cell; inside of it delimiters and line ends are text, and two quotes are one.
/// Behind the closing quote the cell goes on to its delimiter, as in Python.
class CsvRows {
 public:
  struct Cell {
    std::string_view raw;  // with its quotes
    bool quoted = false;
  };
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  explicit CsvRows(char delimiter) : delimiter_(delimiter) {}

  /// Where the row that starts at `from` ends: behind its line feed. npos: the text ends before, or before the quote
  /// that is open there closes (`open`).
  std::size_t row_end(std::string_view text, std::size_t from, bool& open) const;
  /// The cells of one row, with or without its line end.
  void split(std::string_view row, std::vector<Cell>& cells) const;

 private:
  const char* cell_end(const char* at, const char* end, bool& open) const;
  char delimiter_;
};

/// The text of a cell: a view of it, or, where quotes have to be undone, of `scratch`.
std::string_view cell_text(const CsvRows::Cell& cell, std::string& scratch);

}  // namespace assay
