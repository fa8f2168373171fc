// Letters that are no words, words that are not what they look like.

#include "measure/text/gibberish.h"

#include <random>

#include "measure/text/common_words.h"
#include "measure/text/letter_triples.h"
#include "unit/judge_helpers.h"

namespace assay {
namespace {

std::string words_of(std::string_view letters, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  for (int i = 0; i < count; ++i) {
    for (std::size_t length = 3 + random() % 8; length > 0; --length) out += letters[random() % letters.size()];
    out += ' ';
  }
  return out;
}

constexpr std::string_view kProse =
    "The harbour was quiet when the last boat came in. Nobody on the quay spoke, and the gulls had gone to sleep on "
    "the roof "
    "of the fish market. Anna counted the lamps along the wall, as she did every evening, and found that one was out.";

TEST(LetterTriples, UsualOnesAreThoseOfWords) {
  TripleCounts words;
  for (const char* word : {"the", "lamp", "Donau", "harbour", "strengths", "przed", "llan", "zhongguo"})
    add_triples(word, words);
  EXPECT_EQ(words.words, 8U);
  EXPECT_LE(words.unusual, 1U);
  TripleCounts keys;
  for (const char* word : {"qwxz", "zxcvbn", "sdfgh", "kjhgf"}) add_triples(word, keys);
  EXPECT_GE(keys.unusual * 10, keys.triples * 7);
}

TEST(CommonWords, WithTheirEndings) {
  for (const char* word : {"the", "The", "files", "used", "reading", "newly", "largest"})
    EXPECT_TRUE(is_common_word(word)) << word;
  for (const char* word : {"strould", "quaw", "xq", "bnmt"}) EXPECT_FALSE(is_common_word(word)) << word;
}

TEST(Gibberish, RandomLettersOfManyKinds) {
  for (const std::string_view letters :
       {"abcdefghijklmnopqrstuvwxyz", "asdfghjkl", "qwertyuiopasdfghjklzxcvbnm", "bcdfghjklmnpqrstvwxz"}) {
    // Forty words may by chance look like those of a language.
    int found = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      found += test::judged("gibberish", words_of(letters, 40, seed)).is_bad() ? 1 : 0;
    }
    EXPECT_GE(found, 18) << letters;
  }
}

TEST(Gibberish, ThePlaceInProse) {
  std::string prose;
  while (prose.size() < 3000) prose += kProse;
  const std::string noise = words_of("bcdfghjklmnpqrstvwxz", 120, 1);
  const std::string text = prose + "\n" + noise + "\n" + prose;
  const test::Judged found = test::judged("gibberish", text);
  EXPECT_TRUE(found.is_bad());
  ASSERT_FALSE(found.hits.empty());
  EXPECT_GE(found.hits.front().offset + 100, prose.size());
  EXPECT_LE(found.hits.front().offset + found.hits.front().length, prose.size() + noise.size() + 100);
}

TEST(Gibberish, ALittleInALongTextIsANote) {
  std::string prose;
  while (prose.size() < 1900) prose += kProse;
  const test::Judged found = test::judged("gibberish", prose + " sdfkjh gsdkjf hgkjsdfh gkjsdfhg " + prose);
  EXPECT_FALSE(found.is_bad());
}

TEST(Gibberish, UpsideDownIsTurnedBack) {
  const std::string text = "ʇno ǝuo punoɟ puɐ ɥɔʇɐʍ ʎq llɐʍ ǝɥʇ uo sdɯɐl ǝɥʇ";
  const test::Judged found = test::judged("gibberish", text);
  EXPECT_TRUE(found.is_bad());
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.hits.front().reason.key, "upside-down");
  EXPECT_EQ(turned_back(text), "the lamps on the wall by watch and found one out");
}

TEST(Gibberish, LookAlikesAreFoundAndUndone) {
  const std::string text = "The hаrbоur wаs quiet whеn the lаst bоat cаme in";
  const test::Judged found = test::judged("gibberish", text);
  EXPECT_TRUE(found.is_bad());
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.hits.front().reason.key, "disguise");
  EXPECT_EQ(found.hits.front().repaired, "harbour");
  EXPECT_EQ(without_homoglyphs("Гpуппа"), "Группа");
}

TEST(Gibberish, UnitsAndEndingsAreNoDisguise) {
  for (const char* text :
       {"The gap is 3 μm wide, the resistor has 4 kΩ and ΔT is small", "Он шлёт email'ы, USB-кабель и PDF-файлы",
        "Let αβx be the angle; μs and νmax follow", "ВМС и BMC — разные вещи"}) {
    EXPECT_FALSE(test::judged("gibberish", text).is_bad()) << text;
  }
}

TEST(Gibberish, StyledLettersAreANote) {
  const test::Judged found = test::judged("gibberish", "𝐓𝐡𝐞 𝐥𝐚𝐦𝐩 𝐢𝐬 𝐨𝐮𝐭 𝐚𝐧𝐝 𝐧𝐨𝐛𝐨𝐝𝐲 𝐬𝐩𝐨𝐤𝐞");
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.hits.front().reason.key, "styled");
  EXPECT_FALSE(found.is_bad());
}

TEST(Gibberish, ListsOfGlitchTokens) {
  EXPECT_TRUE(test::judged("gibberish", " SolidGoldMagikarp TheNitromeFan StreamerBot rawdownload").is_bad());
  const std::string article =
      std::string(kProse) + " The token SolidGoldMagikarp is one of them. " + std::string(kProse);
  EXPECT_FALSE(test::judged("gibberish", article).is_bad());
}

}  // namespace
}  // namespace assay
