#pragma once
// Characters back into the bytes that they were decoded from, and bytes into characters, for every encoding that a text
// may have been confused with.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "measure/text/code_pages.h"

namespace assay {

// Encodings by number: the pages of one byte, those of two, and
inline constexpr std::uint8_t kUtf8 = kSinglePages + kDoublePages;
inline constexpr std::uint8_t kUtf16 = kUtf8 + 1;         // two bytes a character, the high one first
inline constexpr std::uint8_t kUtf16Swapped = kUtf8 + 2;  // the low one first
inline constexpr std::uint8_t kEncodings = kUtf8 + 3;

std::string_view encoding_name(std::uint8_t encoding);

/// The bytes that the characters were decoded from; false: that encoding was not it. U+FFFD gives a mark for bytes that
/// are lost.
bool encode(std::u32string_view text, std::uint8_t encoding, std::string& out);

/// The text that the bytes were, U+FFFD for what is lost; `invalid`: how often bytes made no sense that lie beside no
/// hole. False: too many of them.
bool decode(std::string_view bytes, std::uint8_t encoding, std::u32string& out, std::size_t& invalid);

}  // namespace assay
