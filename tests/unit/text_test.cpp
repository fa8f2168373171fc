// Text on a terminal: widths, wrapping, escapes; the nearest word; sparklines.

#include "assay/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/display.h"
#include "base/nearest.h"
#include "core/counts.h"
#include "core/curve.h"
#include "report/sparkline.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(Display, WidthsOfLettersIdeographsAndMarks) {
  EXPECT_EQ(display_width("loss"), 4);
  EXPECT_EQ(display_width("损失"), 4);
  EXPECT_EQ(display_width("▁▂█"), 3);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("🙂"), 2);
  EXPECT_EQ(display_width("\xff\xfe"), 2);
}

TEST(Display, PrintableEscapesWhatSteersOrMisleads) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("a\tb\r\n"), "a b\\x0d\\x0a");
  EXPECT_EQ(printable("a\nb", true), "a\nb");
  EXPECT_EQ(printable("\xc3\x28"), "\\xc3(");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // an overlong slash
  EXPECT_EQ(printable("x\u202ey"), "x\\u{202e}y");
  EXPECT_EQ(printable("\u009b31m"), "\\u{009b}31m");  // CSI in one character
  EXPECT_EQ(printable("损失 ▁×–"), "损失 ▁×–");
}

TEST(Display, PrintableTwiceIsPrintableOnce) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::size_t k = random() % 40; k > 0; --k) text += static_cast<char>(random() % 256);
    const std::string once = printable(text);
    EXPECT_EQ(printable(once), once);
    EXPECT_EQ(valid_utf8(once), once);
    EXPECT_EQ(printable(valid_utf8(text)), once);
  }
}

TEST(Display, WrapsAtSpacesAndBetweenIdeographs) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("one two", 7, 2), ElementsAre("one", "two"));
  EXPECT_THAT(wrap("a/very/long/path stays whole", 8), ElementsAre("a/very/long/path", "stays", "whole"));
  EXPECT_THAT(wrap("损失没有恢复。", 8), ElementsAre("损失没有", "恢复。"));
  EXPECT_THAT(wrap("损失没有恢复。", 12), ElementsAre("损失没有恢", "复。"));  // the stop stays with its word
  EXPECT_THAT(wrap("", 10), ElementsAre(""));
  EXPECT_THAT(wrap("it rose 10.2 % at once", 12), ElementsAre("it rose", "10.2 % at", "once"));
  EXPECT_THAT(wrap("见日志（第3行）", 9), ElementsAre("见日志", "（第3行）"));  // the bracket stays with what it opens
}

TEST(Display, AsciiTypography) { EXPECT_EQ(ascii_typography("≥ 3× … →"), ">= 3x ... ->"); }

TEST(Fill, RatiosHaveTwoDigits) {
  const Text text{"about {x} times", "约 {x} 倍"};
  const auto told = [&](double ratio, Language language) {
    return fill(text, {{"x", Value(ratio, Unit::kTimes)}}, language);
  };
  EXPECT_EQ(told(5.271, Language::kEnglish), "about 5.3 times");
  EXPECT_EQ(told(27.4, Language::kEnglish), "about 27 times");
  EXPECT_EQ(told(101'141, Language::kEnglish), "about 100,000 times");
  EXPECT_EQ(told(7.931e18, Language::kEnglish), "about 10^19 times");
  EXPECT_EQ(told(INFINITY, Language::kEnglish), "about Inf times");
  EXPECT_EQ(told(101'753, Language::kChinese), "约 10 万倍");
}

TEST(Fill, ACountOfOneHasASingularNoun) {
  const auto told = [](std::string_view pattern, std::int64_t count) {
    return fill({std::string(pattern), ""}, {{"n", count}}, Language::kEnglish);
  };
  EXPECT_EQ(told("{n} broken records in a.csv", 1), "1 broken record in a.csv");
  EXPECT_EQ(told("{n} broken records in a.csv", 2), "2 broken records in a.csv");
  EXPECT_EQ(told("judged up to there: {n} rows", 1), "judged up to there: 1 row");
}

TEST(Nearest, DistancesCountEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("loss", "loss"), 0u);
  EXPECT_EQ(edit_distance("lsos", "loss"), 1u);  // a swap is one
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsWhatWasMeantOrNothing) {
  const std::vector<std::string_view> names = {"loss-spike", "loss-divergence", "grad-norm-spike", "overfit"};
  EXPECT_EQ(nearest("loss-spkie", names), "loss-spike");
  EXPECT_EQ(nearest("loss_spike", names), "loss-spike");
  EXPECT_EQ(nearest("over", names), "overfit");
  EXPECT_EQ(nearest("throughput", names), "");
  EXPECT_EQ(nearest("", names), "");
}

Series make_series(const std::vector<double>& values) {
  auto rows = std::make_shared<Rows>();
  Series series;
  series.metric = "loss";
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows->step.push_back(static_cast<std::int64_t>(10 * i));
    rows->line.push_back(static_cast<std::int64_t>(i + 1));
    series.row.push_back(static_cast<std::int64_t>(i));
    series.values.push_back(values[i]);
  }
  series.rows = rows;
  return series;
}

TEST(Curve, KeepsEverySpike) {
  std::vector<double> values(10'000, 2.0);
  values[7777] = 9.0;
  values[3333] = 0.5;
  values[5000] = std::numeric_limits<double>::quiet_NaN();
  const Curve curve = curve_of(make_series(values), 0, values.size(), 60);
  ASSERT_EQ(curve.buckets.size(), 60u);
  double low = 2, high = 2;
  int non_finite = 0;
  for (const auto& bucket : curve.buckets) {
    low = std::min(low, bucket.low);
    high = std::max(high, bucket.high);
    non_finite += bucket.non_finite ? 1 : 0;
  }
  EXPECT_EQ(low, 0.5);
  EXPECT_EQ(high, 9.0);
  EXPECT_EQ(non_finite, 1);
  EXPECT_EQ(curve.buckets.front().first_step, 0);
  EXPECT_EQ(curve.last_step, 99'990);
}

TEST(Curve, EveryRecordIsInOneBucket) {
  for (std::size_t count = 1; count < 200; ++count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
    const Curve curve = curve_of(make_series(values), 0, count, 17);
    double next = 0;
    for (const auto& bucket : curve.buckets) {
      EXPECT_EQ(bucket.low, next);
      next = bucket.high + 1;
    }
    EXPECT_EQ(next, static_cast<double>(count));
  }
}

TEST(Curve, AroundAnEvent) {
  const Series series = make_series(std::vector<double>(1000, 1.0));
  const Curve curve = curve_around(series, {5000, 5090});
  EXPECT_EQ(curve.buckets.front().first_step, 4800);
  EXPECT_EQ(curve.last_step, 5290);
  EXPECT_EQ(curve.marked, (StepRange{5000, 5090}));
  EXPECT_TRUE(curve_around(make_series({}), {1, 2}).buckets.empty());
}

TEST(Sparkline, ASpikeAndADipSurviveSqueezing) {
  std::vector<double> values(5000, 5.0);
  values[1000] = 9.0;
  values[4000] = 1.0;
  const Sparkline picture = sparkline(curve_of(make_series(values), 0, 5000, 100), 20, true);
  ASSERT_EQ(picture.cells.size(), 20u);
  EXPECT_EQ(picture.cells[4], "█");
  EXPECT_EQ(picture.cells[16], "▁");
  EXPECT_EQ(picture.cells[10], "▅");
}

TEST(Sparkline, MarksTheEventOnly) {
  const Series series = make_series(std::vector<double>(100, 1.0));
  const Sparkline picture = sparkline(curve_of(series, 0, 100, 50, StepRange{500, 510}), 50, true);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(picture.marked[i], i == 25) << i;
}

TEST(Sparkline, NonFiniteIsMarkedWhateverElseIsThere) {
  std::vector<double> values(60, 1.0);
  values[30] = std::numeric_limits<double>::infinity();
  const Curve curve = curve_of(make_series(values), 0, 60, 60);
  EXPECT_EQ(sparkline(curve, 60, true).cells[30], "×");
  EXPECT_EQ(sparkline(curve, 20, false).cells[10], "x");
}

TEST(Sparkline, WideRangesAreLogarithmic) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(std::pow(10.0, i / 10.0));
  const Sparkline picture = sparkline(curve_of(make_series(values), 0, 40, 40), 40, true);
  EXPECT_TRUE(picture.logarithmic);
  EXPECT_EQ(picture.cells[20], "▅");
  values[0] = -1;
  EXPECT_FALSE(sparkline(curve_of(make_series(values), 0, 40, 40), 40, true).logarithmic);
}

TEST(Format, WholeNumbersAreToldDigitByDigit) {
  EXPECT_EQ(format(Value(1048576.0)), "1,048,576");
  EXPECT_EQ(format(Value(16777216.0)), "16,777,216");
  EXPECT_EQ(format(Value(1e6)), "1,000,000");
  EXPECT_EQ(format(Value(1.5e24)), "1.5e+24");
  EXPECT_EQ(format(Value(1234567.5)), "1.235e+6");  // a measurement
}

TEST(Format, CountsOfMillionsAsPeopleSayThem) {
  EXPECT_EQ(format_count(176247271424, Language::kEnglish), "176.2 B");
  EXPECT_EQ(format_count(176247271424, Language::kChinese), "1,762 亿");
  EXPECT_EQ(format_count(12.3e6, Language::kEnglish), "12.3 M");
  EXPECT_EQ(format_count(12.3e6, Language::kChinese), "1,230 万");
  EXPECT_EQ(format_count(1.5e12, Language::kEnglish), "1.5 T");
  EXPECT_EQ(format_count(1.5e12, Language::kChinese), "1.5 万亿");
  EXPECT_EQ(format_count(999'999, Language::kEnglish), "999,999");
  EXPECT_EQ(format_count(1e17, Language::kEnglish), "1.0e+17");
}

TEST(Fill, TokensAndParametersAreCountedInMillions) {
  const Text text{"{tokens} tokens for {size} parameters in {steps} steps",
                  "{size} 个参数用 {tokens} 个 token 训练 {steps} 步"};
  const Values values = {{"tokens", 4.5e11}, {"size", std::int64_t{176'247'271'424}}, {"steps", 15258789.0625}};
  EXPECT_EQ(fill(text, values, Language::kEnglish), "450 B tokens for 176.2 B parameters in 15,258,789 steps");
  EXPECT_EQ(fill(text, values, Language::kChinese), "1,762 亿个参数用 4,500 亿个 token 训练 15,258,789 步");
}

}  // namespace
}  // namespace assay
