#pragma once
// One of three words, two bytes, or a blank in a long text.

#include <array>
#include <cstddef>
#include <string_view>

namespace assay {

struct SoughtWord {
  std::string_view word;  // small letters of ASCII
  std::size_t pair;       // where in it two letters stand that seldom follow each other
};
/// Whether one of three words stands anywhere, in small or capital letters. Some 20 GB/s where their pairs are rare.
bool has_any(std::string_view text, const std::array<SoughtWord, 3>& words);

/// Where the two bytes stand next, from `from` on; npos: nowhere.
std::size_t find_pair(std::string_view text, char first, char second, std::size_t from = 0);

/// Where a blank (space, tab, CR, LF) stands next, from `from` on; text.size(): nowhere.
std::size_t next_blank(std::string_view text, std::size_t from);

}  // namespace assay
