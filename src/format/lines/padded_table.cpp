#include "format/lines/padded_table.h"

#include <algorithm>

#include "format/lines/line_source.h"
#include "format/lines/number_scan.h"

namespace assay::lines {

namespace {

constexpr std::size_t kShortestRule = 3;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Where the run of dashes begins that ends at `end`; end itself: there is none of that length.
std::size_t run_begin(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] == '-') --begin;
  return end - begin >= kShortestRule ? begin : end;
}

}  // namespace

std::string_view PaddedTable::line(std::string_view text, bool unended) {
  const std::size_t end = text.find_last_not_of(' ') + 1;
  if (end > 0 && text[end - 1] == '-') {
    const std::size_t value = run_begin(text, end);
    const std::size_t gap = text.substr(0, value).find_last_not_of(' ') + 1;
    const std::size_t key = run_begin(text, gap);
    const bool rule = value < end && value - gap >= 2 && key < gap && (key == 0 || text[key - 1] == ' ');
    if (rule && trimmed(text.substr(0, key)).find("--") == std::string_view::npos) {
      const bool closes = value_ > 0;
      key_ = key;
      value_ = closes ? 0 : value;
      return text;
    }
  }
  if (value_ == 0) return text;
  const bool fits = text.size() > value_ && text[value_ - 1] == ' ' && text.find('|', key_) == std::string_view::npos;
  const std::string_view key = fits ? trimmed(text.substr(key_, value_ - key_)) : std::string_view{};
  const std::string_view value = fits ? trimmed(text.substr(value_)) : std::string_view{};
  if (key.empty() || value.empty() || key.find("  ") != std::string_view::npos || !is_letter(key.front()) ||
      value.find(' ') != std::string_view::npos) {
    value_ = 0;
    return text;
  }
  const std::string_view sure = launcher_prefix(text);
  const std::string_view mark = sure.empty() ? likely_prefix(text) : sure;
  row_.assign(mark.size() <= key_ ? mark : std::string_view{});
  row_.append("| ").append(key).append(" | ").append(value);
  if (!unended) row_ += " |";
  return row_;
}

}  // namespace assay::lines
