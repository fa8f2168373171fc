#pragma once
// How likely a text is, character by character, in any script: what decides between two readings of the same bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "measure/text/characters.h"

namespace assay {

/// What of a character its neighbours ask.
enum class Side : std::uint8_t {
  kNothing,     // blanks, ASCII digits and punctuation
  kPlain,       // letters of ASCII
  kAccented,    // other Latin letters
  kGregarious,  // the Latin letters that stand beside other accented ones: Vietnamese, Turkish
  kSign,        // signs and punctuation above ASCII, controls
  kLine,        // lines of box drawing, horizontal and vertical
  kBox,         // its corners, and blocks
  kSmallVowel,  // Cyrillic and Greek
  kSmall,
  kCapitalVowel,
  kCapital,
  kHan,
  kForeignHan,  // ideographs that Japanese does not write
  kKana,
  kHalfKana,
  kHangul,
  kEastSign,   // punctuation of East Asia
  kOther,      // letters of other scripts
  kLeading,    // vowels of Thai that stand before their consonant
  kFollowing,  // vowels, points and tones that stand on or behind a letter of their script
};
inline constexpr std::size_t kSides = 20;

struct Cost {
  double nats = 0;
  Side side = Side::kNothing;
  CharacterKind kind = CharacterKind::kSpace;
};

/// How much more a character costs than those of ordinary text in its script, in tenths of a nat, with what it costs
/// behind `side`, which becomes its own. Mean of ordinary text: below 0. Does not ask whether two scripts differ.
class Surprise {
 public:
  Surprise();
  int operator()(char32_t code, Side& side) const {
    return take(code < 0x10000 ? entries_[code] : code < 0x1f000 ? other_ : emoji_, side);
  }
  /// The same of a code below 0x10000.
  int of_plane(char32_t code, Side& side) const { return take(entries_[code], side); }
  /// East Asian text is of one language: Chinese, Japanese or Korean. The next one after a character, `before` the
  /// language so far, which ideographs and punctuation leave as it is. kNoEast: the character is of none.
  enum East : std::uint8_t { kChinese, kJapanese, kKorean, kNoEast };
  static constexpr std::size_t kEasts = 3;
  static East east_of(Side side, East before) {
    switch (side) {
      case Side::kForeignHan: return kChinese;
      case Side::kKana: return kJapanese;
      case Side::kHangul: return kKorean;
      case Side::kHan:
      case Side::kEastSign: return before;
      default: return kNoEast;
    }
  }
  /// Whether the character of three bytes of UTF-8 (in the order of the text, the first lowest) is of that language,
  /// and costs no more behind others of it than ordinary text does: where a sum is 0, such a one leaves it there.
  bool is_calm(East east, std::uint32_t bytes) const {
    return (calm_[east][(bytes & 0xf) << 6 | (bytes >> 8 & 0x3f)] >> (bytes >> 16 & 0x3f) & 1) != 0;
  }
  Side side_of(char32_t code) const { return code < 0x10000 ? entries_[code].side : Side::kSign; }

 private:
  struct Entry {
    std::int8_t tenths = 0;
    Side side = Side::kNothing;
  };
  int take(const Entry& one, Side& side) const {
    const int out = one.tenths + between_[static_cast<std::size_t>(side)][static_cast<std::size_t>(one.side)];
    side = one.side;
    return out;
  }

  using CalmBits = std::array<std::uint64_t, 0x10000 / 64>;
  struct Plane {
    std::array<Entry, 0x10000> entries;
    std::array<CalmBits, kEasts> calm = {};
  };
  static Plane plane(const std::array<std::array<std::int8_t, kSides>, kSides>& between);

  const Entry* entries_;  // of the plane
  const CalmBits* calm_;
  Entry other_{60, Side::kSign};
  Entry emoji_{-10, Side::kSign};
  std::array<std::array<std::int8_t, kSides>, kSides> between_ = {};
};

/// Minus the logarithm of the probability of a character behind another one.
Cost cost_of(char32_t code, const Cost& before);

/// Of a whole text.
double cost_of(std::u32string_view text);

}  // namespace assay
