// Sections on a terminal.
//
// A table that is wider than the page is laid on its side where it then fits (few rows of many values become lines
// "name  value"), else cut into tables of some columns, each with the first column again. A pattern of bits has the
// letter of its field under each bit, so that colour only repeats what the letters say.

#include "report/section_page.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/display.h"
#include "report/curve_line.h"
#include "report/render.h"
#include "report/words.h"

namespace assay {

namespace {

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

struct FieldLook {
  char letter;
  Ink ink;
  std::string_view en;
  std::string_view zh;
};

FieldLook look_of(BitField::Kind kind) {
  switch (kind) {
    case BitField::Kind::kSign: return {'s', Ink::kSign, "sign", "符号"};
    case BitField::Kind::kPrefix: return {'p', Ink::kPrefix, "prefix", "前缀"};
    case BitField::Kind::kExponent: return {'e', Ink::kExponent, "exponent", "指数"};
    case BitField::Kind::kFraction: return {'f', Ink::kFraction, "fraction", "尾数"};
    case BitField::Kind::kUnused: break;
  }
  return {'-', Ink::kFaint, "unused", "未用"};
}

std::string legend(const BitPattern& pattern, Language language) {
  std::string out;
  for (const BitField& field : pattern.fields) {
    if (field.bits.empty()) continue;
    const FieldLook look = look_of(field.kind);
    out += (out.empty() ? "" : "  ") + std::string(1, look.letter) + " " + say(look.en, look.zh, language);
  }
  return out;
}

// The digits of a code in the colours of their fields; one that has bits of two fields has none.
std::string painted(const Page& page, std::string_view hex, const BitPattern& pattern) {
  std::vector<Ink> inks;  // of the bits, the lowest first
  for (const BitField& field : pattern.fields) inks.insert(inks.begin(), field.bits.size(), look_of(field.kind).ink);
  inks.resize(4 * (hex.size() - 2), inks.empty() ? Ink::kPlain : inks.back());
  std::string out(hex.substr(0, 2));
  for (std::size_t digit = hex.size() - 2; digit-- > 0;) {
    const auto first = inks.begin() + static_cast<std::ptrdiff_t>(4 * digit);
    const bool one = std::all_of(first, first + 4, [&](Ink ink) { return ink == *first; });
    out += page.paint(one ? *first : Ink::kPlain, hex.substr(hex.size() - 1 - digit, 1));
  }
  return out;
}

// Lines of bits, each with a line of letters; a pattern that is wider than the page goes on below.
void print_pattern(Page& page, int indent, const BitPattern& pattern) {
  if (!pattern.title.en.empty()) page.paragraph(indent, pattern.title.in(page.language()));
  std::string bits = spaces(indent);
  std::string letters = bits;
  int used = indent;
  const auto flush = [&] {
    page.line(bits);
    page.line(letters);
    bits = letters = spaces(indent);
    used = indent;
  };
  for (const BitField& field : pattern.fields) {
    const FieldLook look = look_of(field.kind);
    const std::string all = page.clean(field.bits);
    std::string_view rest = all;
    if (used > indent && !rest.empty()) {
      bits += ' ';
      letters += ' ';
      ++used;
    }
    while (!rest.empty()) {
      if (used >= page.width()) flush();
      const std::string_view part = rest.substr(0, static_cast<std::size_t>(std::max(1, page.width() - used)));
      bits += page.paint(look.ink, part);
      letters += page.paint(look.ink, std::string(part.size(), look.letter));
      used += static_cast<int>(part.size());
      rest.remove_prefix(part.size());
    }
  }
  const std::string hex = hexadecimal(pattern);
  const std::string code = "= " + hex;
  const std::string meaning = page.clean(legend(pattern, page.language()));
  if (used + 3 + std::max(display_width(code), display_width(meaning)) <= page.width()) {
    bits += "   = " + painted(page, hex, pattern);
    letters += "   " + page.paint(Ink::kFaint, meaning);
    return flush();
  }
  flush();
  page.line(spaces(indent) + "= " + painted(page, hex, pattern) + "   " + page.paint(Ink::kFaint, meaning));
}

// Cells as text, with the columns that they stand under.
struct TextTable {
  std::vector<TableColumnText> columns;
  std::vector<std::vector<std::string>> rows;
};

int width_of(const TextTable& table, int indent) {
  const std::vector<int> widths = column_widths(table.columns, table.rows);
  return std::accumulate(widths.begin(), widths.end(), indent) + 2 * static_cast<int>(widths.size() - 1);
}

bool is_shown(const TableColumn& column, std::size_t rows) {
  switch (column.shown) {
    case TableColumn::Shown::kAlways: return true;
    case TableColumn::Shown::kSingle: return rows == 1;
    case TableColumn::Shown::kSeveral: return rows > 1;
    case TableColumn::Shown::kNever: return false;
  }
  return true;
}

TextTable text_of(const Page& page, const Table& table) {
  TextTable out;
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [&](const TableRow& row) {
      return c >= row.cells.size() || shown(row.cells[c], page.language()).empty();
    });
    if (empty || !is_shown(table.columns[c], table.rows.size())) continue;
    columns.push_back(c);
    out.columns.push_back({page.clean(table.columns[c].title.in(page.language())), table.columns[c].right});
  }
  for (const TableRow& row : table.rows) {
    out.rows.emplace_back();
    for (const std::size_t c : columns) {
      out.rows.back().push_back(c < row.cells.size() ? page.clean(shown(row.cells[c], page.language())) : "");
    }
  }
  return out;
}

// The first column becomes the heading, the titles the first column.
TextTable on_its_side(const TextTable& table) {
  TextTable out;
  const bool one = table.rows.size() == 1;  // what is asked for, in lines: it needs no heading
  if (!one) out.columns.push_back({table.columns.front().title, false});
  if (one) out.columns.resize(2);
  for (const auto& row : table.rows) {
    if (!one) out.columns.push_back({row.front(), false});
  }
  for (std::size_t c = one ? 0 : 1; c < table.columns.size(); ++c) {
    out.rows.push_back({table.columns[c].title});
    for (const auto& row : table.rows) out.rows.back().push_back(row[c]);
  }
  return out;
}

void print_in_parts(Page& page, int indent, const TextTable& table) {
  for (std::size_t next = 1; next < table.columns.size();) {
    TextTable part;
    const auto take = [&](std::size_t c) {
      part.columns.push_back(table.columns[c]);
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        if (part.rows.size() <= r) part.rows.emplace_back();
        part.rows[r].push_back(table.rows[r][c]);
      }
    };
    take(0);
    if (next > 1) page.blank();
    take(next++);
    while (next < table.columns.size()) {
      TextTable before = part;
      take(next);
      if (width_of(part, indent) > page.width()) {
        part = std::move(before);
        break;
      }
      ++next;
    }
    print_table(page, indent, part.columns, part.rows);
  }
}

bool has_shown(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const TableColumn& column) { return is_shown(column, table.rows.size()); });
}

void print(Page& page, int indent, const Table& table, std::size_t most) {
  TextTable text = text_of(page, table);
  if (text.columns.empty() || text.rows.empty()) return;
  // One more than the limit would be replaced by the line that tells of it.
  const std::size_t left_out = most > 0 && text.rows.size() > most + 1 ? text.rows.size() - most : 0;
  text.rows.resize(text.rows.size() - left_out);
  const bool one = text.rows.size() == 1;
  const TextTable turned = on_its_side(text);
  if ((!one || most > 0) && width_of(text, indent) <= page.width()) {
    print_table(page, indent, text.columns, text.rows);
  } else if (one || width_of(turned, indent) <= page.width()) {
    // A single row always fits: its values are wrapped.
    print_table(page, indent, turned.columns, turned.rows);
  } else if (text.columns.size() == 1) {
    print_table(page, indent, text.columns, text.rows);
  } else {
    print_in_parts(page, indent, text);
  }
  if (left_out == 0) return;
  const Values values = {{"count", left_out}};
  page.paragraph(indent,
                 say("and {count} more (-v shows all)", "另有 {count} 行（-v 显示全部）", values, page.language()),
                 Ink::kFaint);
}

}  // namespace

std::string shown(const Cell& cell, Language language) {
  if (!cell.text.en.empty()) return cell.text.in(language);
  return cell.value ? format(*cell.value) : std::string();
}

std::string hexadecimal(const BitPattern& pattern) {
  std::string bits;
  for (const BitField& field : pattern.fields) bits += field.bits;
  bits.insert(0, (4 - bits.size() % 4) % 4, '0');
  std::string out = "0x";
  for (std::size_t i = 0; i < bits.size(); i += 4) {
    unsigned digit = 0;
    for (const char bit : bits.substr(i, 4)) digit = 2 * digit + (bit == '1' ? 1 : 0);
    out += "0123456789abcdef"[digit];
  }
  return out;
}

void print_section(Page& page, int indent, const Section& section, std::size_t most) {
  if (!section.title.en.empty()) page.paragraph(0, section.title.in(page.language()), Ink::kStrong);
  for (const BitPattern& pattern : section.patterns) print_pattern(page, indent, pattern);
  const std::string& text = section.text.in(page.language());
  bool first = true;
  const auto blank_between = [&] {
    if (!std::exchange(first, false)) page.blank();
  };
  if (!section.patterns.empty() || !text.empty()) blank_between();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    page.paragraph(spaces(indent), indent, indent, text.substr(at, end - at));
    at = end + 1;
  }
  for (const Table& table : section.tables) {
    if (!has_shown(table)) continue;
    blank_between();
    print(page, indent, table, most);
  }
  int label_width = 0;
  for (const Curve& curve : section.curves) label_width = std::max(label_width, display_width(spoken(curve.metric)));
  for (const Curve& curve : section.curves) print_curve(page, indent, curve, label_width, Ink::kStrong, Axis::kStep);
}

std::string render_study(const Report& report, const RenderOptions& options) {
  constexpr int kIndent = 2;
  Page page(options);
  page.paragraph(0, report.answer.in(options.language), Ink::kStrong);
  if (options.quiet) return page.take();
  for (const Section& section : report.sections) {
    page.blank();
    print_section(page, kIndent, section);
  }
  return page.take();
}

}  // namespace assay
