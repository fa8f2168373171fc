// Of the languages that are written with Cyrillic letters none has many rows of four consonants: in 270 pieces of
// programs' translations into nine of them (200 letters and more; Belarusian, Bulgarian, Kazakh, Kyrgyz, Macedonian,
// Mongolian, Russian, Serbian, Ukrainian) at most 6 % of the letters stood in such rows. Of letters at random it is a
// quarter, and so it is of keys struck at random and of English typed on a Russian keyboard. 17 % lies between, and
// Greek text stays below it, too.
//
// Abbreviations are rows of consonants, too, and so are alphabets: capitals and a letter's next one end a row. Letters
// of the languages of the Caucasus and of Siberia that Russian does not have end it as well, since several of them are
// one sound.

#include "measure/text/consonant_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "measure/text/characters.h"
#include "measure/text/vowels.h"

namespace assay {

namespace {

constexpr std::size_t kWindow = 200;   // letters
constexpr std::size_t kRow = 4;        // consonants
constexpr std::size_t kPercent = 17;   // of the letters
constexpr std::size_t kBetween = 160;  // bytes that do not part two stretches

enum class Sound : std::uint8_t { kNone, kVowel, kConsonant, kMute };

constexpr char32_t kFirst = 0x370;
constexpr char32_t kLast = 0x45f;

constexpr std::array<Sound, kLast + 1 - kFirst> kSounds = [] {
  std::array<Sound, kLast + 1 - kFirst> out = {};
  for (char32_t code = 0x3b1; code <= 0x3c9; ++code) out[code - kFirst] = Sound::kConsonant;
  for (char32_t code = 0x430; code <= 0x45f; ++code) out[code - kFirst] = Sound::kConsonant;
  for (const char32_t code : kGreekVowels) out[code - kFirst] = Sound::kVowel;
  for (const char32_t code : kCyrillicVowels) out[code - kFirst] = Sound::kVowel;
  out[U'й' - kFirst] = Sound::kVowel;  // half of one
  out[U'ь' - kFirst] = Sound::kMute;
  return out;
}();

Sound sound_of(char32_t code) { return code >= kFirst && code <= kLast ? kSounds[code - kFirst] : Sound::kNone; }

// The letters of a window, and those of them in rows.
struct Window {
  std::size_t first = 0;  // bytes
  std::size_t last = 0;
  std::size_t letters = 0;
  std::size_t in_rows = 0;
  std::size_t row = 0;

  void end_row() {
    if (row >= kRow) in_rows += row;
    row = 0;
  }
  std::size_t share() const { return 100 * in_rows / letters; }
};

}  // namespace

void find_consonant_rows(std::string_view text, std::vector<OddStretch>& out) {
  out.clear();
  Window window;
  const auto close = [&] {
    window.end_row();
    if (window.letters >= kLeastRowLetters && window.share() >= kPercent) {
      if (!out.empty() && window.first <= out.back().offset + out.back().length + kBetween) {
        out.back().length = window.last - out.back().offset;
        out.back().count = std::max(out.back().count, window.share());
      } else {
        out.push_back({window.first, window.last - window.first, window.share()});
      }
    }
    window = {};
  };
  char32_t before = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      window.end_row();
      ++at;
      continue;
    }
    const Character one = character_at(text, at);
    const Sound sound = sound_of(one.code);
    if (sound == Sound::kNone || sound == Sound::kVowel || one.code == before + 1) window.end_row();
    before = one.code;
    if (sound != Sound::kNone) {
      if (window.letters++ == 0) window.first = at;
      window.last = at + one.bytes;
      window.row += sound == Sound::kConsonant ? 1 : 0;
    }
    at += one.bytes;
    if (window.letters >= kWindow && window.row == 0) close();
  }
  close();
}

}  // namespace assay
