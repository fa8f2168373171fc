#pragma once
// One word, two bytes, or a blank in a long text.

#include <cstddef>
#include <string_view>

namespace assay {

/// Where the word stands next, from `from` on, in small or capital letters; npos: nowhere. `word`: small letters of
/// ASCII, at least three. Some 20 GB/s where its letters are rare.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

/// Where the two bytes stand next, from `from` on; npos: nowhere.
std::size_t find_pair(std::string_view text, char first, char second, std::size_t from = 0);

/// Where a blank (space, tab, CR, LF) stands next, from `from` on; text.size(): nowhere.
std::size_t next_blank(std::string_view text, std::size_t from);

}  // namespace assay
