#pragma once
// UTF-8 that was decoded with a code page of one byte, once or several times: "cafÃ©", "РџСЂРёРІРµС‚", "вЂ™".

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "measure/text/code_pages.h"

namespace assay {

/// Some characters of a text that are the bytes of one character in UTF-8.
struct Misread {
  std::size_t offset = 0;
  std::size_t length = 0;
  char32_t code = 0;  // what they should have been
  double weight = 0;  // how much it speaks for a wrong decoding; negative: against it
};

struct MisreadVerdict {
  SingleByte page = SingleByte::kWestern;
  double weight = 0;      // of all places together
  double heaviest = 0;    // of one place
  std::size_t count = 0;  // places
};

/// Which code page the text was most likely decoded with, and how much speaks for it. Weights of 5 and more are never
/// chance: see the essay. Reads the characters above ASCII once.
MisreadVerdict misread_utf8(std::string_view text);

/// Every character of the text that is misread for this page, in order; those with a weight below 1.5 prove nothing by
/// themselves.
void each_misread(std::string_view text, SingleByte page, const std::function<void(const Misread&)>& take);

/// The text decoded right. `times`: how often it had been decoded wrong. What cannot be told stays.
std::string undo_misread(std::string_view text, SingleByte page, int& times);

}  // namespace assay
