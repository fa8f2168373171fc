#pragma once
// How much a sequence of characters looks like UTF-8 that was decoded wrongly, in points: about two for a factor of ten
// in the odds. Essay: misread_utf8.cpp.

#include "measure/text/characters.h"

namespace assay {

// What stands around a sequence.
struct Around {
  char32_t before = ' ';
  char32_t after = ' ';
  CharacterKind last =
      CharacterKind::kSpace;  // what the sequence right before came out as; kSpace: none is right before
};

bool is_plain_letter(char32_t c);  // of ASCII
bool is_word(char32_t c);          // a letter
/// Of the Latin letters that matter here.
bool is_capital(char32_t c);

/// How natural a character is where it would come out. Below 0: it is not.
double natural_points(char32_t code, const Around& around);

/// How odd the characters are that stand there: the first of a sequence, and the others. more: another sequence
/// follows.
double odd_lead_points(char32_t lead, char32_t first_rest, const Around& around);
double odd_rest_points(char32_t lead, char32_t code, bool last_one, const Around& around, bool more);

}  // namespace assay
