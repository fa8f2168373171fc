#pragma once
// How many different words a text has.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

struct WordVariety {
  std::size_t words = 0;
  std::size_t distinct = 0;
};

/// Keeps its memory (two words of memory for each word of the longest text) from text to text.
class WordCounter {
 public:
  /// Words are separated by blanks and ASCII punctuation; letters of ASCII count alike, small or capital.
  WordVariety count(std::string_view text);

 private:
  std::vector<std::uint64_t> seen_;
};

}  // namespace assay
