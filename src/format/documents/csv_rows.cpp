#include "format/documents/csv_rows.h"

#include <cstring>

#include "format/documents/byte_scan.h"

namespace assay {

// The delimiter or line feed at which the cell ends that starts at `at`; `end`: none comes.
const char* CsvRows::cell_end(const char* at, const char* end, bool& open) const {
  open = false;
  if (at != end && *at == '"') {
    for (++at;; at += 2) {
      at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
      if (at == nullptr) {
        open = true;
        return end;
      }
      if (end - at < 2 || at[1] != '"') break;
    }
    ++at;
  }
  return find_any(at, end, delimiter_, '\n', '\n');
}

std::size_t CsvRows::row_end(std::string_view text, std::size_t from, bool& open) const {
  const char* at = text.data() + from;
  const char* const end = text.data() + text.size();
  for (;; ++at) {
    at = cell_end(at, end, open);
    if (at == end) return npos;
    if (*at == '\n') return static_cast<std::size_t>(at - text.data()) + 1;
  }
}

void CsvRows::split(std::string_view row, std::vector<Cell>& cells) const {
  cells.clear();
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  const char* at = row.data();
  const char* const end = at + row.size();
  for (;; ++at) {
    const char* const from = at;
    bool open = false;
    // A line feed outside of quotes is the end of a row: inside a row there is none.
    at = cell_end(at, end, open);
    cells.push_back({{from, static_cast<std::size_t>(at - from)}, from != end && *from == '"'});
    if (at == end) return;
  }
}

std::string_view cell_text(const CsvRows::Cell& cell, std::string& scratch) {
  if (!cell.quoted || cell.raw.size() < 2) return cell.quoted ? std::string_view() : cell.raw;
  std::string_view rest = cell.raw.substr(1);
  std::size_t quote = rest.find('"');
  if (quote == rest.size() - 1) return rest.substr(0, quote);
  scratch.clear();
  while (quote != std::string_view::npos) {
    scratch += rest.substr(0, quote);
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) break;  // it closes; what may stand behind it is text
    scratch += '"';
    rest.remove_prefix(1);
    quote = rest.find('"');
  }
  scratch += rest;
  return scratch;
}

}  // namespace assay
