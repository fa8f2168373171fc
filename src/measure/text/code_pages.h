#pragma once
// The encodings that were in use before UTF-8, as tables in both directions: what a byte (two bytes) means, and which
// byte a character is. Text that was decoded with the wrong one is undone with them.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

enum class SingleByte : std::uint8_t {
  kWestern,  // ISO-8859-1 and Windows-1252: who decodes as the one reads C1 controls where the other has signs
  kWindows1250,
  kWindows1251,
  kWindows1253,
  kWindows1254,
  kWindows1255,
  kWindows1256,
  kWindows1257,
  kWindows1258,
  kMacRoman,
  kDos437,
  kDos850,
  kDos852,
  kDos866,
  kKoi8R,
  kKoi8U,
  kIso2,
  kIso5,
  kIso7,
  kIso9,
  kIso15,
  kMacCyrillic,
  kThai,  // Windows-874, TIS-620
};
inline constexpr std::size_t kSinglePages = 23;

/// A code page whose bytes below 0x80 are ASCII.
class SinglePage {
 public:
  std::string_view name;
  /// Of a byte from 0x80 on; 0: none.
  char16_t decode(unsigned byte) const { return forward[byte - 0x80]; }
  /// The byte of a character above ASCII; 0: none. In pages of Windows and ISO a C1 control is its own byte, too: that
  /// is how decoders read a byte that the page leaves undefined.
  unsigned encode(char32_t code) const {
    for (unsigned slot = static_cast<unsigned>(code * 0x9e3779b1U) >> 23;; slot = (slot + 1) & 511) {
      if (slots[slot].code == code) return slots[slot].byte;
      if (slots[slot].code == 0) return 0;
    }
  }

  std::array<char16_t, 128> forward = {};
  struct Slot {
    char16_t code = 0;
    std::uint8_t byte = 0;
  };
  std::array<Slot, 512> slots = {};  // open addressing: at most 160 are taken
};

const SinglePage& single_page(SingleByte which);

enum class DoubleByte : std::uint8_t { kGbk, kBig5, kShiftJis, kEucJp, kEucKr };
inline constexpr std::size_t kDoublePages = 5;

/// A code page of one and two bytes.
class DoublePage {
 public:
  std::string_view name;
  /// 0: none.
  char16_t decode(unsigned lead, unsigned trail) const { return forward[(lead - 0x80) << 8 | trail]; }
  char16_t decode_single(unsigned byte) const { return singles[byte - 0x80]; }
  /// Two bytes, or one that stands alone (below 0x100); 0: none.
  unsigned encode(char32_t code) const { return code < 0x10000 ? backward[code] : 0; }

  std::array<char16_t, 0x8000> forward = {};
  std::array<char16_t, 128> singles = {};
  std::array<std::uint16_t, 0x10000> backward = {};
};

/// Built when first asked for: 200 KiB each.
const DoublePage& double_page(DoubleByte which);

}  // namespace assay
