#pragma once
// UTF-8 that was read as Windows-1252, and then written in small letters: "levã©e", "mã¼ssen".

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Where such a letter stands, in bytes of the text.
struct LoweredLetter {
  std::size_t offset = 0;
  std::size_t length = 0;
};
/// All of them, within or beside a word, up to `most`. None of them is in a text of any language, but for one that has
/// a word with such a sign behind it: ask for several.
void find_lowered_utf8(std::string_view text, std::size_t most, std::vector<LoweredLetter>& out);

/// What the text should read, in small letters.
std::string undo_lowered_utf8(std::string_view text);

}  // namespace assay
