// The passes over text that skip most of it, against the plain loops that do not.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/text/byte_masks.h"
#include "measure/text/characters.h"
#include "measure/text/code_pages.h"
#include "measure/text/extraction.h"
#include "measure/text/find_word.h"
#include "measure/text/letter_triples.h"
#include "measure/text/line_repeats.h"
#include "measure/text/listing.h"
#include "measure/text/lost_ligatures.h"
#include "measure/text/next_odd.h"
#include "measure/text/phrases.h"
#include "measure/text/plain_words.h"
#include "measure/text/script.h"
#include "unit/judge_helpers.h"

namespace assay {
namespace {

using Random = std::mt19937;

std::string utf8(char32_t code) {
  std::string out;
  append_utf8(code, out);
  return out;
}

// Of the bytes of `alphabet`, each as likely.
std::string any_bytes(Random& random, std::string_view alphabet, std::size_t most) {
  std::string out(random() % (most + 1), ' ');
  for (char& c : out) c = alphabet[random() % alphabet.size()];
  return out;
}

// Characters of all kinds, in runs of one script or mixed.
std::string any_text(Random& random, std::size_t characters) {
  static constexpr char32_t kFirst[] = {0x20,   0x61,   0xa0,   0xe0,   0x370,  0x430,  0x5d0,  0x620,
                                        0x660,  0xe00,  0x2000, 0x2020, 0x2500, 0x3000, 0x3040, 0x4e00,
                                        0xac00, 0xfe00, 0xff00, 0xff40, 0xf8f0, 0xfff0, 0x1f600};
  std::string out;
  while (characters > 0) {
    const char32_t first = kFirst[random() % std::size(kFirst)];
    for (std::size_t run = std::min<std::size_t>(characters, 1 + random() % 40); run > 0; --run, --characters) {
      append_utf8(first + random() % 32, out);
    }
  }
  return out;
}

bool asks_nothing(char32_t code) {
  return kind_of(code) >= CharacterKind::kSpace && kind_of(code) != CharacterKind::kEmoji;
}

// Three places without a character, among kana.
bool is_gap(char32_t code) { return code == 0x3040 || code == 0x3097 || code == 0x3098; }

TEST(NextUnusual, PassesOverNothingThatIsAskedAbout) {
  for (char32_t code = 1; code < 0x20000; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const std::string text = std::string(37, 'a') + utf8(code) + std::string(70, 'b');
    const std::size_t at = next_unusual(text, code % 38);
    if (at == text.size()) {
      ASSERT_TRUE(code < 0x80 || asks_nothing(code) || is_gap(code)) << static_cast<unsigned>(code);
    } else {
      ASSERT_EQ(at, 37U) << static_cast<unsigned>(code);
    }
  }
}

TEST(NextUnusual, OrdinaryTextIsPassedOver) {
  for (const std::string_view text :
       {"这是一个“普通”的句子，没有什么特别的。", "Обычный текст на русском языке", "Élève à l’école — ça va",
        "これはふつうの文章です。カタカナも", "보통의 문장입니다"}) {
    std::string much;
    for (int i = 0; i < 9; ++i) much += text;
    EXPECT_GE(next_unusual(much, 0) + 4, much.size()) << text;  // the last character is given in any case
  }
}

// Whether some page reads the first of two characters as the first byte of a sequence of UTF-8 that may go on with the
// second.
bool may_be_misread(char32_t first, char32_t second) {
  for (std::size_t i = 0; i < kSinglePages; ++i) {
    const SinglePage& page = single_page(static_cast<SingleByte>(i));
    const unsigned lead = page.encode(first);
    const unsigned rest = page.encode(second);
    // U+0600 to U+07FF but for Arabic and Hebrew letters begin with DC to DF: the detector asks for none of them.
    if (lead >= 0xc2 && lead < 0xf5 && !(lead >= 0xdc && lead < 0xe0) &&
        (second < 0x80 || second == 0xfffd || (rest >= 0x80 && rest < 0xc0)))
      return true;
  }
  return false;
}

TEST(NextMisreadLead, PassesOverNothingThatMayBeOne) {
  static constexpr char32_t kNext[] = {' ',    '?',    0xa0,   0xa9,   0x431,  0x2019,
                                       0x2122, 0x2593, 0x3002, 0x4e2d, 0xff0c, 0xfffd};
  for (char32_t code = 0x80; code < 0x10000; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    for (const char32_t next : kNext) {
      const std::string text = std::string(code % 40, 'a') + utf8(code) + utf8(next) + std::string(70, 'b');
      if (next_misread_lead(text, 0) > code % 40) {
        ASSERT_FALSE(may_be_misread(code, next)) << static_cast<unsigned>(code) << " " << static_cast<unsigned>(next);
      }
    }
  }
}

// At every place what is found is what each character alone gives.
TEST(NextOdd, AsOneByOne) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const std::string text = any_text(random, random() % 300);
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < text.size(); at += character_at(text, at).bytes) places.push_back(at);
    for (const bool unusual : {true, false}) {
      const auto next = [&](std::string_view in, std::size_t from) {
        return unusual ? next_unusual(in, from) : next_misread_lead(in, from);
      };
      std::size_t expected = text.size();
      for (std::size_t i = places.size(); i-- > 0;) {
        const std::size_t bytes = character_at(text, places[i]).bytes;
        const std::string alone = text.substr(places[i], bytes + (unusual ? 0 : 4)) + std::string(8, 'a');
        if (next(alone, 0) == 0) expected = places[i];
        const std::size_t found = next(text, places[i]);
        // The last character is given in any case.
        ASSERT_TRUE(found == expected || (found < expected && found + 4 > text.size())) << text << ' ' << places[i];
      }
    }
  }
}

TEST(ScriptCounts, AsCharacterByCharacter) {
  Random random(7);
  std::string all;
  for (char32_t code = 1; code < 0x20000; code += 1 + static_cast<char32_t>(random() % 3)) {
    if (code < 0xd800 || code >= 0xe000) append_utf8(code, all);
  }
  for (int round = 0; round < 300; ++round) {
    const std::string text = round == 0 ? all : any_text(random, random() % 300);
    TextSurvey counts;
    survey(text, counts);
    ScriptCounts found;
    count_scripts(text, counts, found);
    ScriptCounts expected{};
    for (std::size_t at = 0; at < text.size();) {
      const Character one = character_at(text, at);
      ++expected.characters[static_cast<std::size_t>(script_of(one.code))];
      expected.bytes[static_cast<std::size_t>(script_of(one.code))] += one.bytes;
      at += one.bytes;
    }
    ASSERT_EQ(found.characters, expected.characters) << text;
    ASSERT_EQ(found.bytes, expected.bytes) << text;
  }
}

TEST(ByteMasks, AsByteByByte) {
  Random random(2);
  for (int round = 0; round < 600; ++round) {
    const std::string text = any_bytes(random, round % 2 == 0 ? "aZ0_ .\n\x80\x82\xff" : "\x80\x82\n", 1300);
    const std::size_t from = random() % (text.size() + 1);
    ByteMasks either{}, pair{};
    NameMasks names{};
    mask_either(text, from, '.', '\n', either);
    mask_pair(text, from, '\x80', '\x82', '\n', pair);
    WordMasks words{};
    mask_names(text, from, names);
    mask_words(text, from, words);
    for (std::size_t i = 0; i < kMaskedBytes && from + i < text.size() + 64; ++i) {
      const char c = from + i < text.size() ? text[from + i] : '\0';
      const char next = from + i + 1 < text.size() ? text[from + i + 1] : '\0';
      const auto bit = [&](const ByteMasks& mask) { return (mask[i / 64] >> (i % 64) & 1) != 0; };
      const bool capital = c >= 'A' && c <= 'Z';
      const bool letter = capital || (c >= 'a' && c <= 'z');
      ASSERT_EQ(bit(either), c == '.' || c == '\n') << i;
      ASSERT_EQ(bit(pair), (c == '\x80' && next == '\x82') || c == '\n') << i;
      ASSERT_EQ(bit(words.plain), letter || (c >= '0' && c <= '9')) << i;
      ASSERT_EQ(bit(words.leads), static_cast<unsigned char>(c) >= 0xc0) << i;
      ASSERT_EQ(bit(names.capitals), capital) << i;
      ASSERT_EQ(bit(names.letters), letter) << i;
      ASSERT_EQ(bit(names.high), (c & 0x80) != 0) << i;
      ASSERT_EQ(bit(names.names), letter || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0) << i;
    }
  }
}

TEST(NextBlank, AsStringsFindIt) {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    const std::string text = any_bytes(random, "abcdefghijklmnopqrstuvwxyz\x0b\x01\x8d\xa0 \t\r\n", 300);
    const std::size_t from = random() % (text.size() + 1);
    ASSERT_EQ(next_blank(text, from), std::min(text.find_first_of(" \t\r\n", from), text.size()));
  }
}

TEST(PlainWords, AsByteByByte) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto of_name = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0; };
  Random random(7);
  for (int round = 0; round < 1000; ++round) {
    const std::string_view alphabet = round % 2 == 0 ? "abcdefghijklmnopqrstuvwxyABC_7Ã©    .," : "aB9_$#/. ";
    std::string text = any_bytes(random, alphabet, 1400);
    if (round % 3 == 0) text.insert(random() % (text.size() + 1), std::string(random() % 600, 'e'));
    PlainWords words(text);
    Word found;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t last = at;
      while (last < text.size() && of_name(text[last])) ++last;
      if (last == at || !is_letter(text[at])) {
        at = std::max(last, at + 1);
        continue;
      }
      const std::string_view word = std::string_view(text).substr(at, last - at);
      const bool named = at > 0 && std::string_view("\\/.$@<&%#=").contains(text[at - 1]);
      const bool plain = std::ranges::all_of(word, is_letter) && !named &&
                         std::ranges::none_of(word.substr(1), [](char c) { return c >= 'A' && c <= 'Z'; });
      ASSERT_TRUE(words.next(found)) << text;
      ASSERT_EQ(found.first, at) << text;
      ASSERT_EQ(found.last, last) << text;
      ASSERT_EQ(found.plain, plain) << text;
      at = last;
    }
    ASSERT_FALSE(words.next(found)) << text;
    ASSERT_FALSE(words.next(found)) << text;
  }
}

// Plain words: of 3 to 200 letters, small but for the first, with nothing beside that belongs to a name.
TripleCounts plain_triples(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto of_name = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0; };
  TripleCounts out;
  for (std::size_t at = 0; at < text.size();) {
    if (!of_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t last = at;
    while (last < text.size() && of_name(text[last])) ++last;
    const std::string_view word = text.substr(at, last - at);
    const bool letters = std::ranges::all_of(word, is_letter);
    const bool small = std::ranges::none_of(word.substr(1), [](char c) { return c >= 'A' && c <= 'Z'; });
    const bool named = at > 0 && std::string_view("\\/.$@<&%#=").contains(text[at - 1]);
    if (letters && small && !named && word.size() >= 3 && word.size() <= 200) add_triples(word, out);
    at = last;
  }
  return out;
}

TEST(LetterTriples, OfAPieceAsOfItsWords) {
  Random random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::string_view alphabet = round % 4 == 0   ? "abcdefghijklmnopqrstuvwxyzABC     .,"
                                      : round % 4 == 1 ? "aeiouthrs \\/.$@<&%#=_19\xc3\xa9Q"
                                      : round % 4 == 2 ? "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdef "
                                                       : "the ";
    std::string text = any_bytes(random, alphabet, kMostTripled);
    if (round % 5 == 0) text.insert(random() % (text.size() + 1), std::string(190 + random() % 20, 'e'));
    text.resize(std::min(text.size(), kMostTripled));
    const TripleCounts found = triples_of_words(text);
    const TripleCounts expected = plain_triples(text);
    ASSERT_EQ(found.words, expected.words) << text;
    ASSERT_EQ(found.triples, expected.triples) << text;
    ASSERT_EQ(found.unusual, expected.unusual) << text;
  }
}

// Where a word begins, however far from the beginning of the text, in capitals and across the end of a line.
TEST(Phrases, AtEveryPlace) {
  std::vector<FoundPhrase> found;
  for (const std::string_view phrase : {"we use cookies", "We\nUse Cookies", "LOG\nIN", "404 error",
                                        "\xe9\x9a\x90\xe7\xa7\x81\xe6\x94\xbf\xe7\xad\x96"}) {
    for (std::size_t before = 0; before < 140; ++before) {
      find_phrases(std::string(before, '.') + std::string(phrase), found);
      ASSERT_EQ(found.size(), 1U) << phrase << before;
      EXPECT_EQ(found[0].offset, before) << phrase;
      EXPECT_EQ(found[0].length, phrase.size()) << phrase;
      find_phrases(std::string(before, 'x') + std::string(phrase).substr(0, phrase.size() - 1), found);
      EXPECT_TRUE(found.empty()) << phrase;
    }
  }
  find_phrases("page not founded error 404 error", found);  // the longest, and none within another
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].length, std::string_view("page not found").size());
  EXPECT_EQ(found[1].length, std::string_view("error 404").size());
}

TEST(LostLigatures, AtEveryPlace) {
  for (const std::string_view half :
       {"di cult", "speci c", " rst", "o cial", "work ow", "e ect", " elds", "Signi cant"}) {
    for (std::size_t before = 0; before < 140; ++before) {
      const std::string text = std::string(before, '.') + " " + std::string(half) + " at";
      const std::size_t place = before + 1 + (half.front() == ' ' ? 1 : 0);
      const Residue found = next_lost_ligature(text, 0, text.size());
      ASSERT_EQ(found.count, 1U) << text;
      ASSERT_EQ(found.offset, place) << text;
      ASSERT_EQ(found.length, half.size() - (half.front() == ' ' ? 1 : 0)) << text;
      ASSERT_EQ(next_lost_ligature(text, 0, place + half.find(' ') + 1).count, 0U) << text;
    }
  }
}

TEST(LostLigatures, AsBlankByBlank) {
  Random random(5);
  for (int round = 0; round < 400; ++round) {
    std::string text = any_bytes(random, "efcidnsturo          ", 1400);
    if (round % 2 == 0) text.insert(random() % (text.size() + 1), " di erent e ects");
    const std::size_t from = random() % (text.size() + 1);
    const std::size_t end = from + random() % (text.size() + 2 - from);
    Residue expected;
    for (std::size_t at = from; at + 2 < std::min(end, text.size()) && expected.count == 0; ++at) {
      expected = next_lost_ligature(text, at, std::min(at + 3, end));
    }
    const Residue found = next_lost_ligature(text, from, end);
    ASSERT_EQ(found.count, expected.count) << text;
    ASSERT_EQ(found.offset, expected.offset) << text;
    ASSERT_EQ(found.length, expected.length) << text;
  }
}

// Lines and sentences as a reader cuts them.
std::size_t plain_units(std::string_view text, bool sentences, bool wide) {
  std::size_t units = 0;
  const auto take = [&](std::string_view unit) {
    while (!unit.empty() && std::string_view(" \t\r\n").contains(unit.front())) unit.remove_prefix(1);
    while (!unit.empty() && std::string_view(" \t\r\n").contains(unit.back())) unit.remove_suffix(1);
    units += unit.size() >= 12 ? 1 : 0;
  };
  std::size_t first = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (text[at] == '\n') {
      take(text.substr(first, at - first));
      first = at + 1;
    } else if (sentences && wide && text.substr(at, 2) == "\x80\x82") {
      take(text.substr(first, at + 2 - first));
      first = at + 2;
    } else if (sentences && !wide && text[at] == '.' && std::string_view(" \n\r\"").contains(next)) {
      take(text.substr(first, at + 1 - first));
      first = at + 1;
    }
  }
  take(text.substr(first));
  return units;
}

TEST(LineRepeats, UnitsAsAReaderCutsThem) {
  Random random(6);
  LineCounter counter;
  for (int round = 0; round < 600; ++round) {
    std::string text;
    for (std::size_t pieces = random() % 60; pieces > 0; --pieces) {
      text += any_bytes(random, "abcdefgh 0.", 40);
      text +=
          std::vector<std::string>{". ", ".\"", "\n", "\r\n", "。", ".", " ", "かか"}[random() % (round % 2 ? 8 : 7)];
      if (round % 3 == 0) text.append(150, 'x');
    }
    if (text.empty()) continue;
    TextSurvey counts;
    survey(text, counts);
    LineRepeats found;
    counter.count(text, counts, found);
    const bool sentences = counts.lines == 0 || text.size() / counts.lines >= 160;
    const bool wide = counts.of('\x82') > 0 && counts.of('\xE3') > 0;
    ASSERT_EQ(found.units, plain_units(text, sentences, wide)) << text;
  }
}

// Hexadecimal numbers from left to right, with their "0x", that are code of Ethereum by their first bytes.
std::vector<std::pair<std::size_t, std::size_t>> plain_code(std::string_view text) {
  const auto is_hex = [](char c) { return std::string_view("0123456789abcdefABCDEF").contains(c); };
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    if (text[at] == '0' && at + 1 < text.size() && (text[at + 1] == 'x' || text[at + 1] == 'X')) end += 2;
    while (end < text.size() && is_hex(text[end])) ++end;
    if (end - at >= 48 && !bytecode_in_hex(text.substr(at, end - at)).empty()) out.emplace_back(at, end - at);
    at = std::max(end, at + 1);
  }
  return out;
}

TEST(Bytecode, HexadecimalNumbersFromLeftToRight) {
  static const std::vector<std::string> kPieces = {"0x",
                                                   "0X",
                                                   "x",
                                                   "0",
                                                   "a",
                                                   " ",
                                                   "60806040",
                                                   "6080604052348015600f57",
                                                   "cafebabe0000003400",
                                                   "7f454c46020101",
                                                   "00112233445566778899",
                                                   "0x0x",
                                                   "deadbeef",
                                                   "\n"};
  Random random(8);
  std::size_t found = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (std::size_t pieces = 3 + random() % 20; pieces > 0; --pieces) text += kPieces[random() % kPieces.size()];
    const auto expected = plain_code(text);
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const DocumentHit& hit : test::judged("bytecode", text).hits) {
      if (hit.reason.key == "hex") places.emplace_back(hit.offset, hit.length);
    }
    ASSERT_EQ(places, expected) << text;
    found += places.size();
  }
  EXPECT_GT(found, 100U);
}

TEST(ReplacementCharacters, EachIsCountedInChinese) {
  std::string text;
  std::size_t lost = 0;
  for (int i = 0; i < 40; ++i) {
    text += "句子，还有。！";
    if (i % 3 == 0) text += "\xef\xbf\xbd", ++lost;
  }
  const test::Judged found = test::judged("replacement-characters", text);
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.affected, 3 * lost);
}

}  // namespace
}  // namespace assay
