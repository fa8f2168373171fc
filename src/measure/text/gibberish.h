#pragma once
// Letters that are no words, and words that are not what they look like.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"
#include "measure/text/word_variety.h"

namespace assay {

struct OddStretch {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  std::size_t count = 0;  // of what was found in it
};

/// Stretches of Latin words whose letters follow each other as in no language. Reads little of a text that has vowels.
/// `count`: per cent of triples that are unusual.
void find_random_letters(std::string_view text, const TextSurvey& survey, std::vector<OddStretch>& out);

/// Whether the text has English's little words but not its other words: babble of a Markov chain. `count`: per cent of
/// its words that are common ones.
bool is_babble(std::string_view text, const TextSurvey& survey, OddStretch& out);

/// Whether a text looks like prose and has no word twice: babble of a chain that looks back one letter. `count`: per
/// cent of its words that are different.
class WordlessText {
 public:
  bool judge(std::string_view text, const TextSurvey& survey, OddStretch& out);

 private:
  WordCounter words_;
};

/// Words in which letters of one script stand for those of another that look alike. `count`: 1.
void find_homoglyphs(std::string_view text, const TextSurvey& survey, std::vector<OddStretch>& out);
/// Such a word in the script of most of its letters.
std::string without_homoglyphs(std::string_view word);

/// Text turned upside down by letters that look so. `count`: such letters.
bool is_upside_down(std::string_view text, const TextSurvey& survey, OddStretch& out);
std::string turned_back(std::string_view text);

/// Words in mathematical, circled, full-width or small letters. `count`: letters of all stretches.
bool find_styled_letters(std::string_view text, const TextSurvey& survey, OddStretch& out);

/// Names of tokens that models were hardly trained on. `count`: 1.
void find_glitch_tokens(std::string_view text, const TextSurvey& survey, std::vector<OddStretch>& out);

}  // namespace assay
