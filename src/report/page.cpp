#include "report/page.h"

#include <algorithm>
#include <vector>

#include "base/display.h"

namespace assay {

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::kError: return Ink::kError;
    case Severity::kWarning: return Ink::kWarning;
    case Severity::kNote: return Ink::kNote;
  }
  return Ink::kPlain;
}

namespace {

// The terminal's own sixteen colours: they follow the user's theme, light or dark.
std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain: return "";
    case Ink::kError: return "1;31";
    case Ink::kWarning: return "1;33";
    case Ink::kNote: return "36";
    case Ink::kStrong: return "1";
    case Ink::kFaint: return "2";
    case Ink::kDo: return "32";
    case Ink::kSign: return "35";
    case Ink::kPrefix: return "33";
    case Ink::kExponent: return "32";
    case Ink::kFraction: return "36";
  }
  return "";
}

}  // namespace

std::string Page::clean(std::string_view text) const {
  std::string out = printable(text);
  return options_.unicode ? out : ascii_typography(out);
}

std::string Page::paint(Ink ink, std::string_view text) const {
  const std::string_view code = code_of(ink);
  if (!options_.colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

void Page::line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  out_ += text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  out_ += '\n';
}

void Page::paragraph(std::string_view lead, int lead_width, int indent, std::string_view text, Ink ink) {
  // The first line has its lead where the others have their indent: wrapped as if all were `width` - indent wide.
  const std::vector<std::string> lines =
      wrap(clean(text), std::max(20, width() - indent), std::max(0, lead_width - indent));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string begin = i == 0 ? std::string(lead) : std::string(static_cast<std::size_t>(indent), ' ');
    line(begin + paint(ink, lines[i]));
  }
}

void Page::paragraph(int indent, std::string_view text, Ink ink) {
  paragraph(std::string(static_cast<std::size_t>(indent), ' '), indent, indent, text, ink);
}

std::vector<int> column_widths(const std::vector<TableColumnText>& columns,
                               const std::vector<std::vector<std::string>>& rows) {
  std::vector<int> widths;
  for (const TableColumnText& column : columns) widths.push_back(display_width(column.title));
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size() && c < widths.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
  }
  return widths;
}

void print_table(Page& page, int indent, const std::vector<TableColumnText>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  if (columns.empty()) return;
  const std::vector<int> widths = column_widths(columns, rows);
  const auto print = [&](const auto& cell, Ink ink) {
    std::string lead(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c + 1 < columns.size(); ++c) {
      lead += (columns[c].right ? pad_left(cell(c), widths[c]) : pad_right(cell(c), widths[c])) + "  ";
    }
    const std::size_t last = columns.size() - 1;
    const int used = display_width(lead);
    // Text in the last column may be long: it goes on under itself.
    const std::vector<std::string> lines = columns[last].right ? std::vector{pad_left(cell(last), widths[last])}
                                                               : wrap(cell(last), std::max(20, page.width() - used));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string line = (i == 0 ? lead : std::string(static_cast<std::size_t>(used), ' ')) + lines[i];
      page.line(page.paint(ink, line.substr(0, line.find_last_not_of(' ') + 1)));
    }
  };
  const bool titled =
      std::any_of(columns.begin(), columns.end(), [](const auto& column) { return !column.title.empty(); });
  if (titled) print([&](std::size_t c) { return columns[c].title; }, Ink::kFaint);
  for (const auto& row : rows)
    print([&](std::size_t c) { return c < row.size() ? row[c] : std::string(); }, Ink::kPlain);
}

}  // namespace assay
