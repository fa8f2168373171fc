#pragma once
// Finds which of some hundred texts a line contains, in one pass (Aho and Corasick 1975): anchors of dialects and the
// telling parts of messages. The automaton is a dense table over classes of bytes: one look-up for each byte.

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::lines {

inline constexpr std::size_t kMostKeywords = 384;
using KeywordSet = std::bitset<kMostKeywords>;

class Keywords {
 public:
  /// The number of a text; the same text gets the same number. Call build() after the last.
  std::size_t add(std::string_view text);
  void build();
  KeywordSet find(std::string_view line) const;

 private:
  std::vector<std::string_view> texts_;
  std::array<std::uint8_t, 256> class_{};
  std::size_t classes_ = 1;
  std::vector<std::uint16_t> next_;  // state · classes + class; the top bit tells that something ends there
  std::vector<KeywordSet> found_;    // for each state
};

}  // namespace assay::lines
