// The delimiter is the one that cuts most of the first records into the same number of cells, at least two. The first
// of these records names the columns if none of its cells is a number. Without names a table is only believed when
// all is numbers and the first column counts up, as steps do.

#include "format/tables/csv_layout.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "core/axis.h"
#include "format/lines/line_source.h"
#include "format/tables/number.h"

namespace assay {

namespace {

constexpr std::size_t kEnoughRecords = 200;  // to find the delimiter

struct Record {
  std::string_view text;
  std::size_t line;
};

// Lines, each with its number; a quoted cell that spans lines makes a few odd ones, which do no harm here.
std::vector<Record> lines_of(std::string_view text, bool whole) {
  std::vector<Record> out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole && !out.empty()) break;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_filler(line)) out.push_back({line, number});
  }
  return out;
}

struct Cut {
  char delimiter = 0;
  std::size_t cells = 0;    // that most records have
  std::size_t records = 0;  // that have so many
};

Cut try_delimiter(std::span<const Record> records, char delimiter) {
  std::map<std::size_t, std::size_t> counts;
  std::vector<CsvCell> cells;
  for (const Record& record : records) {
    split_record(record.text, delimiter, cells);
    ++counts[cells.size()];
  }
  Cut best{delimiter, 0, 0};
  for (const auto& [cell_count, record_count] : counts) {
    if (cell_count >= 2 && record_count >= best.records) best = {delimiter, cell_count, record_count};
  }
  return best;
}

std::optional<Cut> find_delimiter(std::span<const Record> records) {
  records = records.first(std::min(records.size(), kEnoughRecords));
  std::optional<Cut> best;
  for (const char delimiter : {',', '\t', ';', '|', ' '}) {
    const Cut cut = try_delimiter(records, delimiter);
    // A file cut behind its first row has a header and half a row.
    if (cut.cells < 2 || (cut.records * 5 < records.size() * 4 && records.size() > 2)) continue;
    if (!best || (delimiter != ' ' && cut.records >= best->records && cut.cells > best->cells)) best = cut;
  }
  return best;
}

// What a launcher puts before each line ("[rank0]: ", "trainer-1  | ") makes of a table a console's text.
bool behind_launcher(std::span<const Record> records) {
  records = records.first(std::min(records.size(), kEnoughRecords));
  const auto marked = std::count_if(records.begin(), records.end(), [](const Record& record) {
    return !lines::launcher_prefix(record.text).empty() || !lines::likely_prefix(record.text).empty();
  });
  return static_cast<std::size_t>(marked) * 10 >= records.size() * 9;
}

bool all_text(std::span<const CsvCell> cells) {
  bool letters = false;
  for (const CsvCell& cell : cells) {
    if (is_no_value(cell.text)) continue;
    if (parse_number(cell.text)) return false;
    letters = true;
  }
  return letters;
}

bool all_numbers(std::span<const CsvCell> cells) {
  return std::all_of(cells.begin(), cells.end(),
                     [](const CsvCell& cell) { return is_no_value(cell.text) || parse_number(cell.text); });
}

std::string name_of(const CsvCell& cell) {
  std::string name(trimmed(cell.text));
  for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at) name.erase(at, 1);
  return name;
}

// Who separates by semicolons does so because the comma is the decimal point: unless a number has a point, or two
// commas.
bool uses_decimal_comma(std::span<const Record> records) {
  bool found = false;
  std::vector<CsvCell> cells;
  for (const Record& record : records) {
    split_record(record.text, ';', cells);
    for (const CsvCell& cell : cells) {
      const auto commas = std::count(cell.text.begin(), cell.text.end(), ',');
      const bool plain = parse_number(cell.text).has_value();
      if (plain && (commas >= 2 || cell.text.find('.') != std::string_view::npos)) return false;
      found = found || (commas == 1 && parse_number(cell.text, true));
    }
  }
  return found;
}

bool has_extension(std::string_view path, std::string_view extension) {
  return path.size() > extension.size() && path.ends_with(extension);
}

// DeepSpeed's monitor writes a file for each tag, "Train_Samples_train_loss.csv", and names the column by its end.
void name_monitor_column(std::string_view path, std::vector<std::string>& names) {
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  if (names.size() != 2 || normalise_key(names[0]) != "step" || !file.starts_with("Train_Samples_")) return;
  if (!is_logged_by_samples(names[1])) names[1].insert(0, "Train/Samples/");
}

void name_export_column(std::string_view path, CsvLayout& layout) {
  std::vector<std::string>& names = layout.names;
  if (names.size() != 3 || normalise_key(names[0]) != "walltime" || normalise_key(names[2]) != "value") return;
  if (const std::string tag = tag_of_export(path); !tag.empty()) {
    names[2] = tag;
  } else {
    layout.exported = true;
  }
}

void learn(CsvLayout& layout, std::span<const Record> rows) {
  for (const std::string& name : layout.names) layout.facts.emplace_back().key = name;
  if (layout.bare) {
    layout.facts[0].key = "step";
    layout.facts[1].key = "loss";
  }
  if (layout.exported) layout.facts[2].key = "loss";
  std::vector<CsvCell> cells;
  for (const Record& record : rows) {
    split_record(record.text, layout.delimiter, cells);
    if (cells.size() > layout.names.size() + 1) continue;
    ++layout.rows;
    for (std::size_t i = 0; i < std::min(cells.size(), layout.names.size()); ++i) {
      if (const auto number = parse_number(cells[i].text, layout.decimal_comma)) {
        layout.facts[i].see_number(*number);
      } else if (!is_no_value(cells[i].text) && name_of(cells[i]) != layout.names[i]) {
        layout.facts[i].see_text(cells[i].text);
      }
    }
  }
}

// Names for a table of numbers without a header; nothing where it does not look like steps and losses.
bool name_bare_columns(CsvLayout& layout, std::span<const Record> records, std::size_t columns, std::size_t least) {
  std::vector<CsvCell> cells;
  std::size_t numeric = 0;
  KeyFacts first;
  bool fraction = false;  // whole numbers alone are no losses
  for (const Record& record : records) {
    split_record(record.text, layout.delimiter, cells);
    if (cells.size() != columns || !all_numbers(cells)) continue;
    ++numeric;
    for (const CsvCell& cell : std::span(cells).subspan(1)) {
      fraction = fraction || cell.text.find_first_of(".,eEnN") != std::string_view::npos;
    }
    if (const auto number = parse_number(cells[0].text, layout.decimal_comma)) first.see_number(*number);
  }
  const bool counts =
      first.integers == first.numbers && first.rises > first.falls * 10 && first.rises * 10 >= (first.numbers - 1) * 9;
  if (numeric < least || numeric * 10 < records.size() * 9 || !counts || !fraction) return false;
  layout.has_header = false;
  layout.bare = true;
  for (std::size_t i = 0; i < columns; ++i) layout.names.push_back("column " + std::to_string(i + 1));
  return true;
}

// numpy.savetxt and gnuplot put the names into a comment above the numbers: "# step,loss".
bool name_from_comment(CsvLayout& layout, std::string_view text, std::size_t columns) {
  std::vector<CsvCell> cells;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    if (!line.starts_with('#')) return false;
    while (line.starts_with('#')) line.remove_prefix(1);
    split_record(trimmed(line), layout.delimiter, cells);
    if (cells.size() != columns || !all_text(cells)) continue;
    for (const CsvCell& cell : cells) layout.names.push_back(name_of(cell));
    layout.has_header = false;
    return true;
  }
  return false;
}

}  // namespace

std::string tag_of_export(std::string_view path) {
  path = path.substr(path.find_last_of('/') + 1);
  path = path.substr(0, path.rfind('.'));
  const std::size_t tag = path.find("tag-");
  if (tag != std::string_view::npos) path = path.substr(tag + 4);
  std::string name(path);
  if (meaning_of_column(name)) return name;
  std::replace(name.begin(), name.end(), '_', '/');  // "train_loss" was "train/loss"
  if (meaning_of_column(name)) return name;
  return tag == std::string_view::npos ? std::string() : std::string(path);
}

bool is_filler(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.starts_with('#') || line.starts_with("//")) return true;
  const bool rule = line.find_first_not_of("-=+|: ") == std::string_view::npos;
  return rule && line.find_first_of("-=") != std::string_view::npos && line.find_first_of("|+-=") == 0;
}

bool split_record(std::string_view record, char delimiter, std::vector<CsvCell>& cells) {
  cells.clear();
  const bool blanks = delimiter == ' ';
  const auto separates = [&](char c) { return blanks ? c == ' ' || c == '\t' : c == delimiter; };
  std::size_t at = 0;
  while (true) {
    while (at < record.size() && (record[at] == ' ' || (record[at] == '\t' && delimiter != '\t'))) ++at;
    if (blanks && at == record.size()) return true;
    if (at < record.size() && record[at] == '"') {
      const std::size_t from = ++at;
      for (;; at += 2) {
        at = record.find('"', at);
        if (at == std::string_view::npos) {
          cells.push_back({record.substr(from), true});
          return false;
        }
        if (at + 1 >= record.size() || record[at + 1] != '"') break;
      }
      cells.push_back({record.substr(from, at - from), true});
      while (at < record.size() && !separates(record[at])) ++at;
    } else {
      const std::size_t from = at;
      while (at < record.size() && !separates(record[at])) ++at;
      cells.push_back({record.substr(from, at - from), false});
    }
    if (at >= record.size()) return true;
    ++at;
  }
}

std::optional<CsvLayout> find_layout(std::string_view path, std::string_view text, bool whole) {
  const std::vector<Record> records = lines_of(text, whole);
  if (records.empty()) return std::nullopt;
  const bool named = has_extension(path, ".csv") || has_extension(path, ".tsv") || has_extension(path, ".csv.gz") ||
                     has_extension(path, ".csv.zst");
  const auto cut = find_delimiter(records);
  if (!cut && !named) return std::nullopt;
  if (!named && behind_launcher(records)) return std::nullopt;
  CsvLayout layout;
  layout.delimiter = cut ? cut->delimiter : ',';
  const std::size_t columns = std::min(cut ? cut->cells : 1, kMostColumns);
  std::vector<CsvCell> cells;
  std::size_t first = 0;
  for (; first < records.size(); ++first) {
    split_record(records[first].text, layout.delimiter, cells);
    // R names the columns, but not the first, which holds the names of the rows.
    if (cells.size() >= columns || (cells.size() + 1 == columns && all_text(cells))) break;
  }
  if (first == records.size() || first > 20) return std::nullopt;
  layout.first_line = records[first].line;
  const auto table = std::span(records).subspan(first);
  layout.decimal_comma = layout.delimiter == ';' && uses_decimal_comma(table);
  std::span<const Record> rows = table;
  if (all_text(cells)) {
    if (cells.size() < columns) layout.names.emplace_back();
    for (const CsvCell& cell : cells) layout.names.push_back(name_of(cell));
    rows = table.subspan(1);
    name_export_column(path, layout);
    name_monitor_column(path, layout.names);
  } else if (!name_from_comment(layout, text, columns) && !name_bare_columns(layout, table, columns, named ? 2 : 5)) {
    return std::nullopt;
  }
  if (layout.names.size() > kMostColumns) layout.names.resize(kMostColumns);
  learn(layout, rows);
  return layout;
}

}  // namespace assay
