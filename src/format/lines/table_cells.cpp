#include "format/lines/table_cells.h"

#include <algorithm>

namespace assay::lines {

bool find_cells(const Tokenised& tokens, const char* message, Meaning& out) {
  for (std::size_t i = 0; i < tokens.literals.size(); ++i) {
    std::string_view core = tokens.literals[i].core;
    if (!core.empty() && core.data() < message) {
      core.remove_prefix(std::min(static_cast<std::size_t>(message - core.data()), core.size()));
    }
    if (core.find_first_not_of("|,;\t ") != std::string_view::npos) {
      out.cells.clear();
      return false;
    }
    if (i < tokens.slots.size() && tokens.slots[i].begin >= message) {
      out.cells.push_back(static_cast<std::uint16_t>(i));
    }
  }
  return !out.cells.empty();
}

bool find_cells_before_bar(const Tokenised& tokens, Meaning& out) {
  constexpr std::size_t kFewest = 4;
  for (std::size_t i = 0; i < tokens.slots.size(); ++i) {
    const std::string_view core = tokens.literals[i].core;
    if (core == ":" && i >= kFewest && tokens.literals[i + 1].core.starts_with("%|")) {
      out.done_slot = static_cast<int>(i);
      return true;
    }
    const bool total = core == "/" && i == 1;
    if (!total && !core.empty() && core != "G" && core != "M" && core != "GB" && core != "MB") break;
    if (!total) out.cells.push_back(static_cast<std::uint16_t>(i));
  }
  out.cells.clear();
  return false;
}

}  // namespace assay::lines
