// Letters that are no words.
//
// Every language uses a part of all triples of letters, and the languages that are written with Latin letters use,
// taken together, a third of them (6,789 of 19,683: kUsualTriples). In stretches of 80 triples of real text, 2 % are
// others, and of 14,000 documents in 60 languages one in a thousand had more than 20 % (of 24 triples: 38 %); of random
// letters, of keys struck at random and of rot13 it is 50 to 70 %. So 30 % separates them, and 44 % where there are
// fewer than 80. Words with other letters, capitals inside or digits are left out, and so are stretches of which less
// than 65 % is words: names in programs, mnemonics and tables are no text.
//
// Counting every triple takes longer than reading the text ten times. Vowels tell first: they are a third or more of
// the letters of every language, and less than 30 % of random ones (6 of 26, with y). The survey has their number. A
// long text in which a part is random keeps its vowels, so one window of 96 bytes in 2 KiB is counted in any case.
//
// Babble of Markov chains has usual triples, or nearly. Chains that look back two letters or more make English's little
// words, but half of the other words up, while common words (common_words.cpp) are 70 % of real prose: asked where at
// least two or three of the little words are there, and not where the stretches with little words are English by
// themselves: a page that was translated in part. Chains that look back one letter, shuffled letters and ciphers that
// keep the vowels make up all: then 70 to 90 % of the first words are different (prose: 55 to 75 %), and 5 to 20 % of
// the triples unusual (prose: below 4 %). Neither is telling alone, so what is asked of the one falls with the other,
// from 4.5 % at 82 % to 9.4 % at 65 %. Babble of chains of words, and that of longer chains in other languages, is not
// seen.

#include "measure/text/gibberish.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"
#include "measure/text/common_words.h"
#include "measure/text/letter_triples.h"
#include "measure/text/plain_words.h"

namespace assay {

namespace {

constexpr std::size_t kWindow = 80;        // triples judged together
constexpr std::size_t kLeastTriples = 24;  // of a text that is shorter than that
constexpr std::size_t kProbe = 96;         // bytes
constexpr std::size_t kProbeEvery = 2048;

bool is_unnatural(const TripleCounts& counts) {
  if (counts.triples >= kWindow) return counts.unusual * 100 >= 30 * counts.triples;
  return counts.triples >= kLeastTriples && counts.unusual * 100 >= 44 * counts.triples;
}

bool has_few_vowels(std::string_view text, const TextSurvey& survey) {
  if (survey.letters < kLeastTriples || survey.letters * 4 < text.size() - survey.blanks) return false;
  // Where some letters have accents, ciphers have taken vowels for what they were.
  return survey.vowels * 100 < (survey.high > 0 ? 34U : 30U) * survey.letters;
}

bool probes_find_some(std::string_view text) {
  for (std::size_t at = kProbeEvery / 2; at + kProbe < text.size(); at += kProbeEvery) {
    const TripleCounts counts = triples_of_words(text.substr(at, kProbe));
    if (counts.triples >= kLeastTriples && counts.unusual * 2 >= counts.triples) return true;
  }
  return false;
}

// A word of up to four letters as a number.
constexpr std::uint32_t number_of(std::string_view word) {
  std::uint32_t out = 0;
  for (const char c : word) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

// What English has and its neighbours do not.
constexpr std::uint32_t kLittleWords[] = {number_of("the"),  number_of("and"), number_of("to"),  number_of("that"),
                                          number_of("with"), number_of("for"), number_of("his"), number_of("it"),
                                          number_of("he"),   number_of("are"), number_of("you"), number_of("this"),
                                          number_of("not"),  number_of("by"),  number_of("from")};

constexpr std::size_t kGlanceWords = 24;
constexpr std::size_t kGlanceShare = 55;  // percent of them that are common words
constexpr std::size_t kLeastWords = 40;
constexpr std::size_t kMostWords = 400;

struct BabbleCounts {
  // Of windows of words, those with two little words or more.
  struct Window {
    std::size_t words = 0, common = 0, little = 0;
  };
  static constexpr std::size_t kWindowWords = 16;

  std::size_t words = 0, common = 0, capitals = 0, little = 0, odd = 0;
  Window window, english;
  std::array<bool, std::size(kLittleWords)> seen = {};

  // readable: see is_common_word
  void add(std::string_view word, std::size_t readable, bool plain) {
    ++words;
    odd += !plain;
    capitals += is_ascii(word.front(), kAsciiUpper);
    if (window.words == kWindowWords) {
      if (window.little >= 2) english = {english.words + kWindowWords, english.common + window.common, 0};
      window = {};
    }
    ++window.words;
    if (!is_common_word(word, readable)) return;
    ++common;
    ++window.common;
    if (word.size() > 4) return;
    const auto* const known = std::ranges::find(kLittleWords, number_of(word));
    if (known == std::end(kLittleWords)) return;
    seen[static_cast<std::size_t>(known - kLittleWords)] = true;
    ++little;
    ++window.little;
  }

  // Where English stands it is English (prose has 70 % common words, babble below 46 %): the other words are those of
  // another language, in paragraphs of their own.
  bool is_half_translated() const {
    return english.words >= 2 * kWindowWords && english.common * 100 >= 55 * english.words;
  }

  // English, and fewer of its common words than that many in a hundred. Lists of names have capitals, other languages
  // quote English, programs have names.
  bool may_be_babble(std::size_t share, std::size_t kinds) const {
    return static_cast<std::size_t>(std::ranges::count(seen, true)) >= kinds && little * 16 >= words &&
           capitals * 4 <= words && odd * 12 <= words && common * 100 < share * words;
  }
};

}  // namespace

void find_random_letters(std::string_view text, const TextSurvey& survey, std::vector<OddStretch>& out) {
  out.clear();
  if (!has_few_vowels(text, survey) && (survey.letters * 4 < text.size() || !probes_find_some(text))) return;
  // Of prose a part of the words has accented letters.
  const bool prose = survey.digits * 60 < survey.letters && survey.punctuation * 10 < survey.letters;
  const std::size_t least = prose && survey.high > 0 ? 45 : 65;
  TripleCounts window;
  std::size_t first = 0;
  std::size_t last = 0;
  const auto close = [&] {
    // Mnemonics and columns of a table stand between numbers and signs, words between blanks.
    const bool text_like = window.triples * 100 >= least * (last - first);
    if (is_unnatural(window) && text_like) {
      const bool follows = !out.empty() && first <= out.back().offset + out.back().length + 80;
      const std::size_t share = 100 * window.unusual / window.triples;
      if (follows) {
        out.back().length = last - out.back().offset;
        out.back().count = std::max(out.back().count, share);
      } else {
        out.push_back({first, last - first, share});
      }
    }
    window = {};
  };
  PlainWords words(text);
  for (Word word; words.next(word);) {
    const std::size_t length = word.last - word.first;
    if (!word.plain || length < 3 || length > 200) continue;
    if (window.words == 0) first = word.first;
    add_triples(text.substr(word.first, length), window);
    last = word.last;
    if (window.triples >= kWindow) close();
  }
  close();
}

bool is_babble(std::string_view text, const TextSurvey& survey, OddStretch& out) {
  const std::size_t size = text.size();
  if (survey.letters * 10 < size * 7 || survey.digits * 30 > size || survey.blanks * 10 < size ||
      survey.lines * 40 > size) {
    return false;
  }
  BabbleCounts counts;
  PlainWords words(text);
  for (Word word; counts.words < kMostWords && words.next(word);) {
    counts.add(text.substr(word.first, word.last - word.first), size - word.first, word.plain);
    if (counts.words == kGlanceWords && !counts.may_be_babble(kGlanceShare, 1)) return false;
    if (counts.words < kGlanceWords && counts.common * 100 >= kGlanceShare * kGlanceWords) return false;
  }
  if (counts.words < kLeastWords || !counts.may_be_babble(46, counts.words < 100 ? 2 : 3)) return false;
  if (counts.is_half_translated()) return false;
  out = {0, size, 100 * counts.common / counts.words};
  return true;
}

bool WordlessText::judge(std::string_view text, const TextSurvey& survey, OddStretch& out) {
  constexpr std::size_t kShortest = 400;  // bytes
  constexpr std::size_t kGlance = 192;
  constexpr std::size_t kRead = 1536;
  const std::size_t size = text.size();
  const bool prose = survey.letters * 4 >= size * 3 && survey.high * 20 <= size && survey.lines * 60 <= size;
  if (size < kShortest || !prose) return false;
  if (triples_of_words(text.substr(0, kGlance)).share() < 0.045) return false;
  const std::string_view read = text.substr(0, kRead);
  const double unusual = triples_of_words(read).share();
  if (unusual < 0.045) return false;
  const WordVariety variety = words_.count(read);
  if (variety.words < 60) return false;
  // The fewer words occur twice, the less unusual their letters have to be.
  const double different = static_cast<double>(variety.distinct) / static_cast<double>(variety.words);
  if (different < 0.65 || unusual < 0.045 + 0.29 * std::max(0.0, 0.82 - different)) return false;
  out = {0, size, 100 * variety.distinct / variety.words};
  return true;
}

}  // namespace assay
