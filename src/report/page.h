#pragma once
// A page of text under way: width, colours and character set are decided here and nowhere else.

#include <string>
#include <string_view>
#include <vector>

#include "assay/finding.h"
#include "report/render.h"

namespace assay {

enum class Ink {
  kPlain,
  kError,
  kWarning,
  kNote,
  kStrong,
  kFaint,
  kDo,
  // Fields of a pattern of bits.
  kSign,
  kPrefix,
  kExponent,
  kFraction,
};
Ink ink_of(Severity severity);

class Page {
 public:
  explicit Page(const RenderOptions& options) : options_(options) {}

  const RenderOptions& options() const { return options_; }
  Language language() const { return options_.language; }
  int width() const { return options_.width; }

  /// Text that may go to the terminal: nothing in it steers the terminal, and it is ASCII where only that is wanted.
  std::string clean(std::string_view text) const;
  /// Coloured where colours are on. Measure before painting.
  std::string paint(Ink ink, std::string_view text) const;

  /// A finished line, already clean.
  void line(std::string_view text);
  void blank() { out_ += '\n'; }
  /// `lead` (already clean and painted, `lead_width` columns wide), then the text, cleaned and wrapped; further lines
  /// begin with `indent` spaces.
  void paragraph(std::string_view lead, int lead_width, int indent, std::string_view text, Ink ink = Ink::kPlain);
  /// The same with nothing before the text but its indent.
  void paragraph(int indent, std::string_view text, Ink ink = Ink::kPlain);

  std::string take() { return std::move(out_); }

 private:
  RenderOptions options_;
  std::string out_;
};

/// A table under a heading. Columns are as wide as they need to be; text in the last one is wrapped.
struct TableColumnText {
  std::string title;
  bool right = false;
};
/// Columns that print_table would need for these.
std::vector<int> column_widths(const std::vector<TableColumnText>& columns,
                               const std::vector<std::vector<std::string>>& rows);
void print_table(Page& page, int indent, const std::vector<TableColumnText>& columns,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace assay
