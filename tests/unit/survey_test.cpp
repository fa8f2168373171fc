// The survey against one that looks at one byte after the other, with every instruction set.

#include "measure/text/survey.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "unit/num_patterns.h"

namespace assay {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::uint32_t longest(std::string_view text, const auto& belongs) {
  std::uint32_t best = 0;
  std::uint32_t now = 0;
  for (const char c : text) {
    now = belongs(c) ? now + 1 : 0;
    best = std::max(best, now);
  }
  return best;
}

TextSurvey twin(std::string_view text) {
  TextSurvey out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 || byte >= 0xC0) ++out.characters;
    const bool capital = c >= 'A' && c <= 'Z';
    if ((c >= 'a' && c <= 'z') || capital) {
      ++out.letters;
      if (capital) ++out.capitals;
      if (std::string_view("aeiouyAEIOUY").contains(c)) ++out.vowels;
      continue;
    }
    if (c >= '0' && c <= '9') {
      ++out.digits;
      continue;
    }
    ++out.bytes[byte];
    if (is_blank(c)) {
      ++out.blanks;
    } else if (byte >= 0x21 && byte <= 0x7E) {
      ++out.punctuation;
    } else if (byte < 0x20 || byte == 0x7F) {
      ++out.controls;
    } else {
      ++out.high;
    }
    if (c == '\n') ++out.lines;
  }
  if (!text.empty() && text.back() != '\n') ++out.lines;
  out.longest_word = longest(text, [](char c) { return !is_blank(c); });
  out.longest_blank = longest(text, is_blank);
  return out;
}

void expect_same(std::string_view text) {
  const TextSurvey expected = twin(text);
  test::for_each_target([&] {
    TextSurvey got;
    got.bytes.fill(7);  // of the document before
    got.longest_word = 1000;
    survey(text, got);
    ASSERT_EQ(got.bytes, expected.bytes) << text.size();
    ASSERT_EQ(got.characters, expected.characters) << text.size();
    ASSERT_EQ(got.letters, expected.letters) << text.size();
    ASSERT_EQ(got.capitals, expected.capitals) << text.size();
    ASSERT_EQ(got.vowels, expected.vowels) << text.size();
    ASSERT_EQ(got.digits, expected.digits) << text.size();
    ASSERT_EQ(got.blanks, expected.blanks) << text.size();
    ASSERT_EQ(got.punctuation, expected.punctuation) << text.size();
    ASSERT_EQ(got.controls, expected.controls) << text.size();
    ASSERT_EQ(got.high, expected.high) << text.size();
    ASSERT_EQ(got.lines, expected.lines) << text.size();
    ASSERT_EQ(got.longest_word, expected.longest_word) << text.size();
    ASSERT_EQ(got.longest_blank, expected.longest_blank) << text.size();
  });
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

// Runs of one class after the other, of up to `longest_run` bytes.
std::string runs_of_classes(Random& random, std::size_t size, std::size_t longest_run) {
  static const std::vector<std::string> kClasses = {" ",          " \t\r\n",      "abcXYZ",
                                                    "0123456789", "aB3+/=_-",     ".,;:!?(){}",
                                                    "\n",         "\xE4\xB8\xAD", std::string("\x00\x01\x7F", 3),
                                                    "a b\n"};
  std::string text;
  while (text.size() < size) {
    const std::string& of = kClasses[random.below(kClasses.size())];
    for (std::size_t left = 1 + random.below(longest_run); left > 0; --left) text += of[random.below(of.size())];
  }
  text.resize(size);
  return text;
}

TEST(Survey, EveryByteAlone) {
  for (int byte = 0; byte < 256; ++byte) expect_same(std::string(1, static_cast<char>(byte)));
}

TEST(Survey, AllBytesAtEveryOffset) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (std::size_t offset = 0; offset < 70; ++offset) expect_same(std::string(offset, 'x') + all);
}

TEST(Survey, EveryLengthUpToThreeBlocks) {
  Random random(1);
  for (std::size_t size = 0; size <= 200; ++size) expect_same(runs_of_classes(random, size, 9));
}

TEST(Survey, RunsOfEveryLength) {
  Random random(2);
  for (std::size_t longest_run = 1; longest_run <= 300; longest_run += 3) {
    expect_same(runs_of_classes(random, 2000 + random.below(200), longest_run));
  }
}

TEST(Survey, OneRunOfEveryLengthAtEveryPlace) {
  for (std::size_t length = 0; length <= 130; length += 5) {
    for (std::size_t before = 0; before <= 130; before += 7) {
      expect_same(std::string(before, '.') + std::string(length, 'a') + "." + std::string(length / 2, ' ') + ".");
    }
  }
}

TEST(Survey, LinesAsEditorsCountThem) {
  TextSurvey got;
  survey("", got);
  EXPECT_EQ(got.lines, 0U);
  survey("one", got);
  EXPECT_EQ(got.lines, 1U);
  survey("one\n", got);
  EXPECT_EQ(got.lines, 1U);
  survey("one\n\nthree", got);
  EXPECT_EQ(got.lines, 3U);
}

}  // namespace
}  // namespace assay
