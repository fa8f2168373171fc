#pragma once
// A product or quotient under way, with its text in both languages: the arithmetic that derive.cpp shows.

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/text.h"
#include "base/bytes.h"

namespace assay {

using Count = std::optional<std::int64_t>;

inline std::string shown(std::int64_t value) { return format(Value(value)); }

// "1 rank", "8 ranks", "1 device on one node": the first word of a count of one loses its s.
inline std::string counted(std::int64_t value, std::string_view noun) {
  const std::size_t end = std::min(noun.find(' '), noun.size());
  const bool one = value == 1 && end > 0 && noun[end - 1] == 's';
  return shown(value) + " " + std::string(noun.substr(0, one ? end - 1 : end)) + std::string(noun.substr(end));
}

// One factor of a product: "2 micro".
struct Factor {
  std::int64_t value = 1;
  const char* en = "";
  const char* zh = "";
  std::string_view key;
};

// The factors so far; their product, where it fits; the settings that it took.
class Product {
 public:
  void times(const Factor& factor) {
    if (!text_.en.empty()) {
      text_.en += " x ";
      text_.zh += " × ";
    }
    text_.en += counted(factor.value, factor.en);
    text_.zh += fmt::format("{} {}", shown(factor.value), factor.zh);
    value_ = value_ ? checked_multiply(*value_, factor.value) : std::nullopt;
    from_.emplace_back(factor.key);
  }
  Count value() const { return value_; }
  const Text& text() const { return text_; }
  const std::vector<std::string>& from() const { return from_; }

 private:
  Count value_ = 1;
  Text text_;
  std::vector<std::string> from_;
};

}  // namespace assay
