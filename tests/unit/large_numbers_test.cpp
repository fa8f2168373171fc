// Numbers of tokens and parameters as people say them.

#include "rules/large_numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

TEST(LargeNumbers, EachLanguageCountsForItself) {
  EXPECT_EQ(in_words(176.25e9).en, "176 B");
  EXPECT_EQ(in_words(176.25e9).zh, "1,760 亿");
  EXPECT_EQ(in_words(450e9).en, "450 B");
  EXPECT_EQ(in_words(450e9).zh, "4,500 亿");
  EXPECT_EQ(in_words(1.4e12).en, "1.4 T");
  EXPECT_EQ(in_words(1.4e12).zh, "1.4 万亿");
  EXPECT_EQ(in_words(124475904).en, "124 M");
  EXPECT_EQ(in_words(124475904).zh, "1.24 亿");
  EXPECT_EQ(in_words(8388608).zh, "839 万");
  EXPECT_EQ(in_words(999999).en, "1 M");
}

TEST(LargeNumbers, SmallAndAbsurdOnesStayNumbers) {
  EXPECT_EQ(in_words(2048).en, "2,048");
  EXPECT_EQ(in_words(2048).zh, "2,048");
  EXPECT_EQ(in_words(0).en, "0");
  EXPECT_EQ(in_words(1e24).en, "1.0e+24");
  EXPECT_EQ(in_words(std::nan("")).en, "NaN");
}

}  // namespace
}  // namespace assay
