#pragma once
// Latin text whose accented letters were decoded with the page of other languages: "Pøíli¹" for "Příliš", "baþkan" for
// "başkan", "dÈj‡" for "déjà".

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/code_pages.h"

namespace assay {

/// Counts the accented letters of one text after the other, and the signs that stand where letters should.
class LatinMixup {
 public:
  static constexpr std::size_t kMostPlaces = 64;

  struct Place {
    std::size_t offset = 0;
    std::size_t length = 0;
  };

  /// Whether the letters of the text are those of no language, and those of one once they are decoded right.
  bool find(std::string_view text);
  SingleByte read_as() const { return read_as_; }
  SingleByte was() const { return was_; }
  std::size_t count() const { return count_; }  // letters that no language explains
  /// The words that hold such letters, the first ones.
  const std::vector<Place>& places() const { return places_; }
  std::string undo(std::string_view text) const;

 private:
  static constexpr std::size_t kSlots = 0x400;

  struct Seen {
    char32_t code = 0;
    bool inside = false;  // a capital behind a small letter, a sign between letters
    std::uint32_t count = 0;
  };

  void add(char32_t code, bool inside);
  void count_letters(std::string_view text);
  bool choose();
  void collect(std::string_view text);

  std::array<std::uint16_t, 2 * kSlots> place_of_ = {};  // by slot and `inside`: place in seen_, from 1
  std::vector<Seen> seen_;
  SingleByte read_as_ = SingleByte::kWestern;
  SingleByte was_ = SingleByte::kWestern;
  std::size_t count_ = 0;
  std::size_t language_ = 0;  // that explains it
  std::vector<Place> places_;
};

}  // namespace assay
