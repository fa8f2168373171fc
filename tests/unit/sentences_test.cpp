// Sentences: numbers as people read them, nouns that agree with them, the axis of the run.

#include <gtest/gtest.h>

#include <string>

#include "assay/text.h"
#include "core/axis.h"

namespace assay {
namespace {

std::string english(const std::string& pattern, const Values& values, Axis axis = Axis::kStep) {
  return fill(on_axis({pattern, ""}, axis), values, Language::kEnglish);
}
std::string chinese(const std::string& pattern, const Values& values, Axis axis = Axis::kStep) {
  return fill(on_axis({"-", pattern}, axis), values, Language::kChinese);
}

TEST(Sentences, NounsAgreeWithTheirNumber) {
  EXPECT_EQ(english("{n} records", {{"n", 1}}), "1 record");
  EXPECT_EQ(english("{n} records", {{"n", 2}}), "2 records");
  EXPECT_EQ(english("{n} record(s) before", {{"n", 1}}), "1 record before");
  EXPECT_EQ(english("{n} record(s) before", {{"n", 3}}), "3 records before");
  EXPECT_EQ(english("at steps {steps}.", {{"steps", StepRange{7, 7}}}), "at step 7.");
  EXPECT_EQ(english("at steps {steps}.", {{"steps", StepRange{7, 9}}}), "at steps 7-9.");
  EXPECT_EQ(english("step {step} records", {{"step", 2}}), "step 2 records");
  EXPECT_EQ(english("{n} recordsmen", {{"n", 1}}), "1 recordsmen");
}

TEST(Sentences, AShareHasOneDecimal) {
  const auto percent = [](double x) { return format(Value(x, Unit::kPercent)); };
  EXPECT_EQ(percent(85.714), "85.7 %");
  EXPECT_EQ(percent(100), "100 %");
  EXPECT_EQ(percent(-0.3833), "-0.4 %");
  EXPECT_EQ(percent(0.0712), "0.07 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(131.87), "131.9 %");
  EXPECT_EQ(percent(25400), "25,400 %");
}

TEST(Sentences, StepsAreCalledByWhatTheAxisCounts) {
  const Values at = {{"step", 12}, {"lead", 4}};
  const std::string pattern =
      "it began at step {step}, {lead} steps before; optimizer steps stay, {lead} optimizer steps";
  EXPECT_EQ(english(pattern, at), "it began at step 12, 4 steps before; optimizer steps stay, 4 optimizer steps");
  EXPECT_EQ(english(pattern, at, Axis::kRecord),
            "it began at record 12, 4 records before; optimizer steps stay, 4 optimizer steps");
  EXPECT_EQ(english("steps {steps}", {{"steps", StepRange{3, 3}}}, Axis::kEpoch), "epoch 3");
  EXPECT_EQ(english("a misstep {step}", at, Axis::kRecord), "a misstep 12");
  EXPECT_EQ(chinese("第 {step} 步起，跳步 {lead} 次", at), "第 12 步起，跳步 4 次");
  EXPECT_EQ(chinese("第 {step} 步起，跳步 {lead} 次", at, Axis::kRecord), "第 12 条记录起，跳步 4 次");
}

TEST(Sentences, LatinWordsKeepASpaceToIdeographs) {
  EXPECT_EQ(chinese("第 {step} 步起", {{"step", 3}}, Axis::kEpoch), "第 3 个 epoch 起");
  EXPECT_EQ(chinese("第 {step} 步，", {{"step", 3}}, Axis::kEpoch), "第 3 个 epoch，");
  EXPECT_EQ(chinese("第 {step} 步起", {{"step", 3}}, Axis::kRecord), "第 3 条记录起");
}

TEST(Sentences, AnAxisIsKnownByItsKey) {
  EXPECT_EQ(axis_of("record", 10), Axis::kRecord);
  EXPECT_EQ(axis_of("", 10), Axis::kRecord);
  EXPECT_EQ(axis_of("global_step", 10), Axis::kStep);
  EXPECT_EQ(axis_of("Iter", 10), Axis::kStep);
  EXPECT_EQ(axis_of("epoch", 10), Axis::kEpoch);
  EXPECT_EQ(axis_of("epoch_num", 1'258'291'200), Axis::kStep) << "nobody trains for a billion epochs";
  EXPECT_EQ(axis_of("consumed_samples", 10), Axis::kSample);
  EXPECT_EQ(axis_of("tokens", 10), Axis::kToken);
  EXPECT_EQ(axis_of("s", 10), Axis::kStep);
}

}  // namespace
}  // namespace assay
