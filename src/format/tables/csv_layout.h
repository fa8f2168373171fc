#pragma once
// How a table of text is laid out, found out from its first lines.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/tables/key_plan.h"

namespace assay {

struct CsvCell {
  std::string_view text;  // without the quotes around it; quotes doubled inside stay doubled
  bool quoted = false;
};

/// Splits a record (without its line end) into cells, RFC 4180: a quote opens only at the start of a cell and may
/// hold delimiters, line ends and doubled quotes. delimiter ' ' stands for runs of blanks. False: a quote is open at
/// the end.
bool split_record(std::string_view record, char delimiter, std::vector<CsvCell>& cells);

struct CsvLayout {
  char delimiter = ',';
  bool decimal_comma = false;
  bool has_header = true;      // the first record names the columns
  std::size_t first_line = 1;  // of the first record, from 1: what stands above is no part of the table
  bool bare = false;           // nothing names them: taken for step, loss and more
  bool exported = false;       // TensorBoard's wall time, step and value, and nothing tells of what: taken for the loss
  std::vector<std::string> names;  // "" for a column without a name
  std::vector<KeyFacts> facts;     // one for each name
  std::int64_t rows = 0;           // that the facts are from
};

/// text: whole lines from the start of the file, as many as were read (the last may be cut unless whole). Nothing
/// when it is no table. path: for its extension, and for the metric of TensorBoard's exports, which name it nowhere
/// else.
std::optional<CsvLayout> find_layout(std::string_view path, std::string_view text, bool whole);

/// TensorBoard calls what it exports "Value" and puts the tag into the name of the file: "run-x-tag-train_loss.csv".
/// The tag, or a metric that the file is called after; empty where the name tells none.
std::string tag_of_export(std::string_view path);

/// A line that a table may hold between its rows: empty, a comment, the rule under a heading.
bool is_filler(std::string_view line);

/// The most columns that are read.
inline constexpr std::size_t kMostColumns = 4096;

}  // namespace assay
