#pragma once
// A line as literals and slots: the format string behind it, with its numbers taken out.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "format/lines/number_scan.h"

namespace assay::lines {

/// The text before a slot (or, for the last, behind all slots), without the blanks at its ends. Of those only the
/// nearest is kept, since a key may begin or end with one: ' ', '\t', or 0 where there is none.
struct Literal {
  std::string_view core;
  char blank_before = 0;
  char blank_after = 0;
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

/// What two lines of one format string have in common: the cores, the blanks next to them (how many is padding), and a
/// mark for each kind of slot.
void skeleton(const Tokenised& line, std::string& out);

}  // namespace assay::lines
