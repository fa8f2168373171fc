#pragma once
// The words of a text, from left to right.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "measure/text/byte_masks.h"

namespace assay {

/// After these stands an escape, a name of a file, a variable, a tag.
inline bool is_before_name(char c) {
  static constexpr std::array<bool, 256> kBefore = [] {
    std::array<bool, 256> out = {};
    for (const char one : std::string_view("\\/.$@<&%#=")) out[static_cast<unsigned char>(one)] = true;
    return out;
  }();
  return kBefore[static_cast<unsigned char>(c)];
}

/// Letters, digits and what joins names, from a letter of ASCII on.
struct Word {
  std::size_t first = 0;  // bytes of the text
  std::size_t last = 0;   // behind it
  bool plain = false;     // nothing but letters of ASCII, small but for the first, and no name of something else
};

/// Reads masks of 256 bytes at a time: a text of which only the first words are asked costs no more. The text must
/// live as long.
class PlainWords {
 public:
  explicit PlainWords(std::string_view text) : text_(text) {}
  /// False: there is no more.
  bool next(Word& out);

 private:
  static constexpr std::size_t kWindow = 256;

  void look_at(std::size_t at);
  std::size_t next_name(std::size_t at);
  std::size_t end_of_name(std::size_t at, bool& plain);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t window_ = static_cast<std::size_t>(-1);
  NameMasks masks_;
  std::array<std::uint64_t, kWindow / kMaskBytes> odd_ = {};  // what makes a word no plain one
};

}  // namespace assay
