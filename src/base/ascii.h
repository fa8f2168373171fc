#pragma once
// Letters of ASCII, whatever the locale: names of options, metrics and formats are written in them. Other bytes stay.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace assay {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

/// Whether any of the parts stands in the text.
inline bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace assay
