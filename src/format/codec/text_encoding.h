#pragma once
// Text as it is stored: UTF-8 (a byte order mark is taken off) or UTF-16, which PowerShell's `>` writes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assay {

enum class TextEncoding { kUtf8, kUtf16Little, kUtf16Big };

struct DetectedEncoding {
  TextEncoding encoding = TextEncoding::kUtf8;
  std::size_t mark = 0;  // bytes of the byte order mark
};
/// From the mark; without one, UTF-16 where nearly every other byte is zero (Latin text in two bytes a letter).
DetectedEncoding detect_encoding(std::string_view prefix);

/// Turns UTF-16 into UTF-8, whatever the pieces. A lone surrogate becomes U+FFFD.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(bool big_endian) : big_endian_(big_endian) {}
  /// Appends to `out`.
  void feed(std::string_view bytes, std::string& out);
  /// False where half a code unit, or half a surrogate pair, was left.
  bool finish(std::string& out);

 private:
  void unit(std::uint32_t value, std::string& out);

  bool big_endian_;
  int half_ = -1;           // the first byte of a unit whose second is to come
  std::uint32_t high_ = 0;  // a high surrogate that waits for the low one
};

}  // namespace assay
