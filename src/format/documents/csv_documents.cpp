// Tables of text. Where a row ends can only be told from its start, because a quoted cell may hold line feeds: so the
// thread that reads finds the ends of rows (it passes over quoted text as fast as memory allows), and the threads that
// take blocks apart find the cells.
//
// A quote that never closes would make one cell of the rest of the file. Where that rest reads as rows of this table,
// only the line with the quote is given up (kTruncated), else the rest is the row that the file was cut in. Of a row
// that is too long the first line is given up, whatever follows.

#include "format/documents/csv_documents.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "format/documents/byte_scan.h"
#include "format/documents/csv_rows.h"
#include "format/documents/line_blocks.h"
#include "format/documents/plain_text.h"
#include "format/documents/text_field.h"

namespace assay {

namespace {

constexpr std::size_t kLongestName = 64;

// Where the parts of a field are in a header; empty: not all that are needed are there.
std::vector<std::size_t> columns_of(const TextField& field, const std::vector<std::string>& names) {
  std::vector<std::size_t> out;
  for (const TextField::Path& part : field.parts) {
    const auto found = std::find(names.begin(), names.end(), part.front());
    const bool inner = &part != &field.parts.front() && &part != &field.parts.back();
    if (found == names.end() && !inner) return {};
    if (found != names.end()) out.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return out;
}

std::string_view first_row(std::string_view start, const CsvRows& rows) {
  bool open = false;
  return start.substr(0, rows.row_end(start, 0, open));
}

std::vector<std::string> names_in(std::string_view row, const CsvRows& rows) {
  std::vector<CsvRows::Cell> cells;
  rows.split(row, cells);
  std::vector<std::string> out;
  std::string scratch;
  for (const CsvRows::Cell& cell : cells) out.emplace_back(cell_text(cell, scratch));
  return out;
}

// Words, all different: what stands above a table, not in it.
bool are_names(const std::vector<std::string>& names) {
  const std::set<std::string> different(names.begin(), names.end());
  const auto is_name = [](const std::string& name) {
    return !name.empty() && name.size() <= kLongestName && name.find('\n') == std::string::npos &&
           name.find_first_not_of("0123456789.+- ") != std::string::npos;
  };
  return different.size() == names.size() && std::all_of(names.begin(), names.end(), is_name);
}

bool find_text(CsvColumns& columns, std::string_view field) {
  std::vector<TextField> candidates;
  if (field.empty()) {
    for (const std::string_view name : default_text_fields()) candidates.push_back(parse_text_field(name, true));
  } else {
    candidates.push_back(parse_text_field(field, true));
  }
  for (const TextField& candidate : candidates) {
    columns.text = columns_of(candidate, columns.names);
    columns.field = candidate.name;
    if (!columns.text.empty()) return true;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error == std::errc() && end == field.data() + field.size() && number >= 1 && number <= columns.count) {
    columns.text = {number - 1};
    columns.has_header = are_names(columns.names);
    return true;
  }
  return false;
}

}  // namespace

CsvColumns find_csv_columns(std::string_view start, std::string_view field, char delimiter) {
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  CsvColumns best;
  for (const char one : {',', '\t', ';', '|'}) {
    if (delimiter != 0 && one != delimiter) continue;
    const CsvRows rows(one);
    CsvColumns found{.delimiter = one};
    found.names = names_in(first_row(start, rows), rows);
    found.count = found.names.size();
    const bool text = find_text(found, field);
    if (best.count == 0 || std::pair(text, found.count) > std::pair(!best.text.empty(), best.count)) {
      best = std::move(found);
    }
  }
  const auto id = std::find_if(best.names.begin(), best.names.end(), [](const std::string& name) {
    return std::any_of(id_fields().begin(), id_fields().end(), [&](std::string_view one) { return one == name; });
  });
  if (best.has_header && id != best.names.end()) best.id = static_cast<std::size_t>(id - best.names.begin());
  return best;
}

namespace {

class CsvDocuments final : public DocumentReader {
 public:
  CsvDocuments(UnpackedFile file, const DocumentOptions& options, CsvColumns columns)
      : file_(std::move(file)),
        size_(std::max<std::size_t>(options.block, 1)),
        longest_(options.longest_line),
        columns_(std::move(columns)),
        rows_(columns_.delimiter) {}

  Result<bool> next(DocumentBlock& block) override;
  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override;

 private:
  class Taker;
  void pass_header(std::string& bytes);
  std::size_t cut(DocumentBlock& block);
  std::size_t pass_open_row(DocumentBlock& block) const;
  std::size_t pass_long_row(DocumentBlock& block);
  bool is_row(std::string_view text, std::size_t from) const;

  UnpackedFile file_;
  std::size_t size_;
  std::uint64_t longest_;
  CsvColumns columns_;
  CsvRows rows_;
  std::string rest_;
  bool mark_ = false;  // the file has a byte order mark
  std::uint64_t number_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t byte_ = 0;
  std::uint64_t skipped_ = 0;  // bytes of a line that were not kept
  std::uint64_t stored_ = 0;
};

// Takes the header off what the file begins with.
void CsvDocuments::pass_header(std::string& bytes) {
  bool open = false;
  std::size_t end = 0;
  bool more = file_.fill(bytes, size_);
  while ((end = rows_.row_end(bytes, 0, open)) == CsvRows::npos && more) more = file_.fill(bytes, bytes.size() + size_);
  mark_ = bytes.starts_with(kByteOrderMark);
  std::size_t passed = mark_ ? kByteOrderMark.size() : 0;
  if (columns_.has_header) passed = std::min(end, bytes.size());
  line_ += count_byte(std::string_view(bytes).substr(0, passed), '\n');
  byte_ += passed;
  bytes.erase(0, passed);
}

// Whether the line is one row with as many cells as the header has.
bool CsvDocuments::is_row(std::string_view text, std::size_t from) const {
  std::vector<CsvRows::Cell> cells;
  const std::size_t end = text.find('\n', from);
  rows_.split(text.substr(from, end - from), cells);
  return columns_.count > 1 && cells.size() == columns_.count;
}

// The row that starts the block is still open where the file ends. What is given up stands in the block alone.
std::size_t CsvDocuments::pass_open_row(DocumentBlock& block) const {
  const std::string_view bytes = block.bytes;
  const std::size_t line = bytes.find('\n');
  block.overlong = line != std::string_view::npos && is_row(bytes, line + 1) ? line + 1 : bytes.size();
  return block.overlong;
}

// The row that starts the block is too long. Most often a quote did not close: its first line is given up.
std::size_t CsvDocuments::pass_long_row(DocumentBlock& block) {
  std::string& bytes = block.bytes;
  std::size_t end = bytes.find('\n') + 1;  // 0: in none of them
  block.overlong = std::max<std::uint64_t>(end, longest_ + 1);
  if (end > 0) return end;
  block.overlong = bytes.size();
  const std::size_t kept = std::min(bytes.size(), LineBlocks::kKept);
  bytes.resize(kept);
  std::string piece;
  for (bool more = true; more && end == 0;) {
    piece.clear();
    more = file_.fill(piece, size_);
    end = piece.find('\n') + 1;
    block.overlong += end > 0 ? end : piece.size();
  }
  skipped_ = block.overlong - kept;
  if (end > 0) bytes.append(piece, end);
  return kept;
}

// Where the block ends whose bytes have been read up to here; 0: at the end of the file.
std::size_t CsvDocuments::cut(DocumentBlock& block) {
  std::string& bytes = block.bytes;
  bool more = file_.fill(bytes, size_);
  std::size_t end = 0;
  while (end < size_) {
    bool open = false;
    const std::size_t next = rows_.row_end(bytes, end, open);
    if (std::min(next, bytes.size()) - end > longest_) return end > 0 ? end : pass_long_row(block);
    if (next != CsvRows::npos) {
      if (end > 0 && next > size_) return end;
      end = next;
      continue;
    }
    if (!more) {
      if (end == bytes.size()) return end;
      if (!open) return bytes.size();
      return end > 0 ? end : pass_open_row(block);
    }
    if (end > 0) return end;
    more = file_.fill(bytes, 2 * bytes.size() + size_);
  }
  return end;
}

Result<bool> CsvDocuments::next(DocumentBlock& block) {
  std::string bytes = std::move(block.bytes);
  bytes.clear();
  bytes += rest_;
  rest_.clear();
  if (byte_ == 0) pass_header(bytes);
  block = {.number = number_, .line = line_, .byte = byte_, .bytes = std::move(bytes)};
  const std::size_t end = cut(block);
  if (end == 0) {
    if (file_.error()) return std::unexpected(*file_.error());
    return false;
  }
  rest_.assign(block.bytes, end);
  block.bytes.resize(end);
  block.lines = count_byte(block.bytes, '\n') + (block.bytes.back() == '\n' ? 0 : 1);
  block.stored = file_.stored() - stored_;
  stored_ = file_.stored();
  line_ += block.lines;
  byte_ += end + skipped_;
  skipped_ = 0;
  ++number_;
  if (block.overlong > 0) block.bytes.resize(std::min(block.bytes.size(), LineBlocks::kKept));
  return true;
}

// Hands over the rows of a block.
class CsvDocuments::Taker {
 public:
  Taker(const CsvDocuments& of, const DocumentBlock& block, DocumentSink& sink)
      : of_(of), bytes_(block.bytes), sink_(sink), text_(sink), place_{.line = block.line, .byte = block.byte} {
    checked_ = simdjson::validate_utf8(bytes_.data(), bytes_.size());
  }

  void take_all() {
    for (std::size_t from = 0; from < bytes_.size();) {
      bool open = false;
      const std::size_t end = std::min(of_.rows_.row_end(bytes_, from, open), bytes_.size());
      const std::string_view row = bytes_.substr(from, end - from);
      if (sink_.wants(place_.line) && row.find_first_not_of("\r\n") != std::string_view::npos) take(row);
      place_.line += count_byte(row, '\n');
      place_.byte += row.size();
      from = end;
    }
  }

 private:
  void fault(LineFaultKind kind, std::size_t length, bool lost, std::string_view detail) {
    sink_.fault(
        {.kind = kind, .line = place_.line, .byte = place_.byte, .length = length, .lost = lost, .detail = detail});
  }

  void take(std::string_view row) {
    of_.rows_.split(row, cells_);
    const CsvColumns& columns = of_.columns_;
    const std::size_t last = *std::max_element(columns.text.begin(), columns.text.end());
    if (cells_.size() != columns.count) {
      const std::string counts = std::to_string(cells_.size()) + "/" + std::to_string(columns.count);
      const bool fewer = cells_.size() < columns.count;
      const bool lost = last >= cells_.size();
      fault(fewer ? LineFaultKind::kMissingColumn : LineFaultKind::kTrailingData, row.size(), lost, counts);
      if (lost) return;
    }
    std::string_view raw = cell_text(cells_[columns.text.front()], scratch_);
    if (columns.text.size() > 1) raw = joined();
    const std::string_view text = text_.read(raw, place_, checked_);
    sink_.take({.text = text, .id = id(), .number = number_++, .line = place_.line, .byte = place_.byte});
  }

  std::string_view joined() {
    joined_.clear();
    bool first = true;
    for (const std::size_t column : of_.columns_.text) {
      const std::string_view part = cell_text(cells_[column], scratch_);
      const bool inner = column != of_.columns_.text.front() && column != of_.columns_.text.back();
      if (inner && part.empty()) continue;
      if (!first) joined_ += '\n';
      joined_ += part;
      first = false;
    }
    return joined_;
  }

  std::string_view id() {
    const std::size_t column = of_.columns_.id;
    if (column >= cells_.size()) return {};
    const std::string_view cell = cell_text(cells_[column], id_scratch_);
    if (cell.empty()) return {};
    id_.clear();
    append_scalar(cell, id_);
    return id_;
  }

  const CsvDocuments& of_;
  std::string_view bytes_;
  DocumentSink& sink_;
  PlainText text_;
  PlainText::Place place_;
  bool checked_ = false;
  std::uint64_t number_ = 0;
  std::vector<CsvRows::Cell> cells_;
  std::string scratch_;
  std::string joined_;
  std::string id_scratch_;
  std::string id_;
};

void CsvDocuments::take_apart(const DocumentBlock& block, DocumentSink& sink) const {
  if (mark_ && block.number == 0) {
    sink.fault({.kind = LineFaultKind::kByteOrderMark, .line = 1, .length = kByteOrderMark.size(), .lost = false});
  }
  if (block.overlong > 0) {
    sink.fault({.kind = block.overlong > longest_ ? LineFaultKind::kTooLong : LineFaultKind::kTruncated,
                .line = block.line,
                .byte = block.byte,
                .length = block.overlong});
    return;
  }
  Taker(*this, block, sink).take_all();
}

}  // namespace

std::unique_ptr<DocumentReader> open_csv_documents(UnpackedFile file, const DocumentOptions& options,
                                                   CsvColumns columns) {
  return std::make_unique<CsvDocuments>(std::move(file), options, std::move(columns));
}

}  // namespace assay
