// Periodic text against every period tried at every place; lines that are counted.

#include "measure/text/repeats.h"

#include <cctype>
#include <random>

#include "measure/text/find_word.h"
#include "measure/text/line_repeats.h"
#include "unit/judge_helpers.h"

namespace assay {
namespace {

std::string letters(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string out(size, ' ');
  for (char& c : out) c = static_cast<char>('a' + random() % 26);
  return out;
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::vector<PeriodicRun> runs_of(std::string_view text) {
  PeriodFinder finder;
  std::vector<PeriodicRun> out;
  finder.find(text, out);
  return out;
}

TEST(Repeats, EveryPeriodOfThirtyTwoRepeatsIsFoundAtEveryPlace) {
  for (std::size_t period = 1; period <= 400; period += period < 70 ? 1 : 13) {
    const std::size_t repeats = std::max<std::size_t>(32, (96 + period - 1) / period);
    for (const std::size_t before :
         {std::size_t{0}, std::size_t{1}, std::size_t{37}, std::size_t{64}, std::size_t{1001}}) {
      // A period that is none of a shorter one: its first letter occurs once.
      const std::string unit = "A" + letters(period - 1, static_cast<unsigned>(period));
      const std::string text = letters(before, 3) + repeated(unit, repeats) + letters(before + 90, 4);
      const std::vector<PeriodicRun> found = runs_of(text);
      ASSERT_EQ(found.size(), 1U) << period << " after " << before;
      EXPECT_EQ(found[0].period, period) << before;
      EXPECT_LE(found[0].offset, before) << period;
      EXPECT_GE(found[0].offset + found[0].length, before + repeats * period) << period;
      EXPECT_LE(found[0].length, repeats * period + 8) << period;
    }
  }
}

// The same eight bytes at several phases of the period, and a copy of the beginning far before it.
TEST(Repeats, BlanksInsideAndACopyBefore) {
  for (std::size_t period = 40; period <= 200; period += 7) {
    const std::string gap(12, ' ');
    const std::string half = letters(period / 2 - 12, static_cast<unsigned>(period));
    const std::string unit = half + gap + letters(period - half.size() - 24, 5) + gap;
    const std::string before = letters(30, 1) + unit + letters(4001 - unit.size(), 2);
    const std::vector<PeriodicRun> found = runs_of(before + repeated(unit, 32) + letters(500, 3));
    ASSERT_EQ(found.size(), 1U) << period;
    EXPECT_EQ(found[0].period, period);
    EXPECT_LE(found[0].offset, before.size()) << period;
    EXPECT_GE(found[0].length, 32 * period) << period;
  }
}

TEST(Repeats, RandomTextHasNone) {
  for (unsigned seed = 0; seed < 20; ++seed) EXPECT_TRUE(runs_of(letters(20'000, seed)).empty()) << seed;
}

TEST(Repeats, RunsDoNotOverlapAndAreTrue) {
  std::mt19937 random(9);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    while (text.size() < 20'000) {
      text += letters(random() % 300, static_cast<unsigned>(random()));
      text += repeated(letters(1 + random() % 200, static_cast<unsigned>(random())), random() % 50);
    }
    std::size_t end = 0;
    for (const PeriodicRun& run : runs_of(text)) {
      ASSERT_GE(run.offset, end);
      end = run.offset + run.length;
      ASSERT_LE(end, text.size());
      const std::string_view all = std::string_view(text).substr(run.offset, run.length);
      ASSERT_EQ(all.substr(run.period), all.substr(0, all.size() - run.period));
    }
  }
}

TEST(Repeats, SixRepeatsThatAreHalfOfTheText) {
  for (std::size_t period = 33; period <= 3000; period += 1 + period / 5) {
    const std::string run = repeated(letters(period, static_cast<unsigned>(period)), 6);
    for (const std::size_t before : {std::size_t{0}, run.size() / 3, run.size() / 2, run.size()}) {
      const std::string text = letters(before, 6) + run + letters(run.size() - before, 7);
      const std::vector<PeriodicRun> found = runs_of(text);
      ASSERT_EQ(found.size(), 1U) << period << " after " << before;
      EXPECT_EQ(found[0].period, period) << before;
      EXPECT_LE(found[0].offset, before) << period;
      EXPECT_GE(found[0].offset + found[0].length, before + run.size()) << period;
    }
  }
}

TEST(RepeatedNgram, TheRunIsThePlace) {
  const std::string before = "A lamp was lit on the wall of the harbour.\n";
  const std::string run = repeated("go home now ", 120);
  const std::string text = before + run + "\nAnd then it was day.";
  const test::Judged found = test::judged("repeated-ngram", text);
  EXPECT_TRUE(found.is_bad());
  ASSERT_FALSE(found.hits.empty());
  EXPECT_NEAR(static_cast<double>(found.hits.front().offset), static_cast<double>(before.size()), 2);
  EXPECT_NEAR(static_cast<double>(found.hits.front().length), static_cast<double>(run.size()), 4);
}

TEST(RepeatedNgram, ThirtyOneAreNotThirtyTwo) {
  const std::string rest = "and then the story goes on with other words, for a while and a little more.";
  EXPECT_FALSE(test::judged("repeated-ngram", repeated("ok ", 31) + rest).is_bad());
  EXPECT_TRUE(test::judged("repeated-ngram", repeated("ok ", 32) + rest).is_bad());
}

TEST(RepeatedNgram, BlanksFrom256On) {
  const std::string prose = "A lamp was lit on the wall.";
  EXPECT_FALSE(test::judged("repeated-ngram", prose + std::string(200, ' ') + prose).is_bad());
  EXPECT_TRUE(test::judged("repeated-ngram", prose + std::string(300, ' ') + prose).is_bad());
  EXPECT_TRUE(test::judged("repeated-ngram", prose + repeated(" \n\t\n", 90) + prose).is_bad());
  EXPECT_TRUE(test::judged("repeated-ngram", prose + repeated("\xC2\xA0", 200) + prose).is_bad());
  EXPECT_TRUE(test::judged("repeated-ngram", prose + repeated("\xE3\x80\x80", 120) + prose).is_bad());
}

TEST(RepeatedLines, HowOftenALineOccurs) {
  const std::string line = "Copyright by the Harbour Company and its friends, all wrongs reserved.\n";
  const std::string prose =
      "A lamp was lit on the wall.\nNobody spoke on the quay.\nThe gulls slept on the roof of the market.\n";
  const test::Judged found = test::judged("repeated-lines", prose + repeated(line, 40));
  EXPECT_TRUE(found.is_bad());
  ASSERT_FALSE(found.hits.empty());
  EXPECT_EQ(found.hits.front().offset, prose.size());
  EXPECT_FALSE(test::judged("repeated-lines", prose + line + prose + line).is_bad());
}

TEST(RepeatedLines, CountersAreOneForm) {
  std::string pages;
  std::string log;
  for (int i = 1; i <= 40; ++i) {
    pages += "This is page number " + std::to_string(i) + " of the harbour book\n";
    log += "10:22:" + std::to_string(10 + i) + " step " + std::to_string(i * 10) + " loss 2." +
           std::to_string(1000 - i) + "\n";
  }
  EXPECT_TRUE(test::judged("repeated-lines", pages).is_bad());
  EXPECT_FALSE(test::judged("repeated-lines", log).is_bad());
}

TEST(LineRepeats, EqualSentencesOfOneLineAreUnits) {
  std::string text;
  for (int i = 0; i < 6; ++i)
    text +=
        "The lamp at the end of the quay is still burning. Something else number " + std::to_string(i) + " is here. ";
  TextSurvey counts;
  survey(text, counts);
  LineCounter counter;
  LineRepeats found;
  counter.count(text, counts, found);
  EXPECT_EQ(found.units, 12U);
  EXPECT_EQ(found.most, 6U);
  EXPECT_EQ(found.repeated_bytes, 5 * std::string_view("The lamp at the end of the quay is still burning.").size());
}

TEST(FindWord, AsStringsFindIt) {
  static constexpr std::array<SoughtWord, 3> kWords = {{{"ipsum", 1}, {"eiusmod", 3}, {"ullamco", 4}}};
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = "ipsumodIPSUMOD x"[random() % 16];
    if (round % 3 != 0)
      text.insert(random() % (text.size() + 1), std::array{"iPsUm", "Eiusmod", "ULLAMCo"}[random() % 3]);
    std::string small = text;
    for (char& c : small) c = static_cast<char>(std::tolower(c));
    const std::size_t from = random() % (text.size() + 1);
    ASSERT_EQ(has_any(text, kWords), small.contains("ipsum") || small.contains("eiusmod") || small.contains("ullamco"))
        << text;
    ASSERT_EQ(find_pair(text, 'p', 's', from), text.find("ps", from)) << text;
  }
  for (const std::string_view part : {"", "psum", "ips", "ullam", "eiusmo"})
    EXPECT_FALSE(has_any(part, kWords)) << part;
  EXPECT_EQ(find_pair("p", 'p', 's'), std::string_view::npos);
}

}  // namespace
}  // namespace assay
