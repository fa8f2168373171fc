#pragma once
// A line as literals and slots: the format string behind it, with its numbers taken out.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "format/lines/number_scan.h"

namespace assay::lines {

/// The text before a slot (or, for the last, behind all slots), without the blanks at its ends.
struct Literal {
  std::string_view core;
  bool blank_before = false;
  bool blank_after = false;
};

struct Tokenised {
  std::vector<Literal> literals;  // one more than slots
  std::vector<Token> slots;
  bool too_many = false;   // more slots than a record can have: what was found so far
  bool has_value = false;  // at least one slot that is not a stamp
};

inline constexpr std::size_t kMostSlots = 256;

/// Cuts a line (without control characters other than tabs). `out` is cleared first; views point into `line`.
void tokenise(std::string_view line, Tokenised& out);

/// What two lines of one format string have in common: the cores, with a mark for each kind of slot, and for those
/// blanks that matter (needs_same_blank_*) whether they are there.
void skeleton(const Tokenised& line, std::string& out);

/// Where padding may vary between lines of one format string, and where a blank changes what the numbers are:
/// "loss 5" is no "loss5", "a - 5" no "a -5", "1 2" no "12".
bool needs_same_blank_before(std::string_view core);
bool needs_same_blank_after(std::string_view core);

}  // namespace assay::lines
