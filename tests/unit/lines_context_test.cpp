// What stands around a key: prefixes that leave no blank, and words that turn a whole line into an evaluation.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/reader.h"

namespace assay {
namespace {

std::size_t points(const Recording& recording, std::string_view metric) {
  for (const Series& series : recording.series) {
    if (series.metric == metric) return series.size();
  }
  return 0;
}

Recording read(const std::string& text) { return read_bytes("train.log", text); }

TEST(LineContext, APrefixWithoutABlankLeavesTheFirstKeyAlone) {
  for (const std::string prefix : {"[rank0]:", "[default7]:", "INFO:root:", "INFO:__main__:"}) {
    std::string log;
    for (int i = 1; i <= 6; ++i)
      log += prefix + "step " + std::to_string(10 * i) + " loss: 3." + std::to_string(i) + "\n";
    const Recording recording = read(log);
    ASSERT_EQ(points(recording, "loss"), 6u) << prefix;
    EXPECT_EQ(recording.step[5], 60) << prefix;
  }
}

TEST(LineContext, AWordOfItsOwnMakesALineAnEvaluation) {
  for (const std::string line :
       {"validate step: 40  loss: 9.1", "[eval] step: 40 loss: 9.1", "val | step 40 | loss 9.1",
        "eval metrics after step: 40, loss=9.1", "Validation, step: 40, loss: 9.1", "验证 step: 40 loss: 9.1"}) {
    std::string log;
    for (int i = 1; i <= 6; ++i) {
      log += "step: " + std::to_string(10 * i) + "  loss: 3." + std::to_string(i) + "\n";
      if (i == 4 || i == 6) log += line + "\n";
    }
    const Recording recording = read(log);
    EXPECT_EQ(points(recording, "loss"), 6u) << line;
    EXPECT_EQ(points(recording, "eval_loss"), 2u) << line;
  }
}

TEST(LineContext, NamesThatHoldTheWordDoNot) {
  for (const std::string prefix : {"[eval_utils.py:12] ", "run-eval/train ", "exp.val.3 - "}) {
    std::string log;
    for (int i = 1; i <= 6; ++i)
      log += prefix + "step: " + std::to_string(10 * i) + "  loss: 3." + std::to_string(i) + "\n";
    EXPECT_EQ(points(read(log), "loss"), 6u) << prefix;
  }
}

TEST(LineContext, KeysOfAnEvaluationLeaveTheTrainingLossBesideThem) {
  std::string log;
  for (int i = 1; i <= 6; ++i)
    log += "step " + std::to_string(10 * i) + ": train loss 4." + std::to_string(i) + ", val loss 5.1\n";
  const Recording recording = read(log);
  EXPECT_EQ(points(recording, "loss"), 6u);
  EXPECT_EQ(points(recording, "eval_loss"), 6u);
}

}  // namespace
}  // namespace assay
