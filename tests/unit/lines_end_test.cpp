// Files that end in the middle of a line of a format that nobody knows.

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <string>

#include "assay/metric.h"
#include "format/lines/shape.h"
#include "lines_helpers.h"

namespace assay {
namespace {

using lines_test::described;
using lines_test::read_log;
using lines_test::values_of;

std::string text_of(const char* format, int step) {
  char line[200];
  std::snprintf(line, sizeof line, format, 10 * step, 5 - 0.1234 * step, 1e-4 * step);
  return line;
}

// Cut at every byte of the last line: what stood before is as it was, and no value is another one than in the whole.
void expect_no_false_value(const char* format) {
  std::string log;
  for (int step = 1; step <= 5; ++step) log += text_of(format, step) + "\n";
  const Recording whole = read_log(log);
  const std::size_t last = log.rfind('\n', log.size() - 2) + 1;
  for (std::size_t cut = last + 1; cut + 1 < log.size(); ++cut) {
    const std::string_view text = std::string_view(log).substr(0, cut);
    const Recording r = read_log(text);
    EXPECT_TRUE(r.truncated) << text.substr(last);
    for (const std::string_view metric : {metric::kLoss, metric::kLearningRate}) {
      const auto all = values_of(whole, metric);
      const auto some = values_of(r, metric);
      ASSERT_GE(some.size(), 4U) << metric << " of " << text.substr(last);
      ASSERT_LE(some.size(), 5U);
      for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], all[i]) << metric << " of " << text.substr(last);
    }
    EXPECT_EQ(described(read_log(text, 0, true)), described(r)) << text.substr(last);
  }
}

TEST(LinesEnd, NoValueOfACutLineIsBelievedThatMayHaveLostDigits) {
  expect_no_false_value("iteration= %d | train loss= %.4f | learning rate= %.6f");
  expect_no_false_value("step %d loss %.4f lr %.3e");
  expect_no_false_value("{'step': %d, 'loss': %.4f, 'lr': %.3e}");
  expect_no_false_value("[%d/1000] loss = %.4f, lr = %.5f (fast)");
}

TEST(LinesEnd, AWholeLineWithoutItsEndLosesNothing) {
  const Recording r = read_log("step 10 loss 4.5 lr 1e-4\nstep 20 loss 4.25 lr 1e-4\nstep 30 loss 4.1 lr 1e-4");
  EXPECT_FALSE(r.truncated);
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{4.5, 4.25, 4.1}));
}

TEST(LinesEnd, OfALineOfANewShapeWhatStandsBeforeTheCutIsKept) {
  const Recording r = read_log("step=10 loss=4.8 lr=0.0001\nstep=20 loss=4.7 lr=0.0001\nstep=30 loss=4.6 eval_loss=4");
  EXPECT_TRUE(r.truncated);
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{4.8, 4.7, 4.6}));
  EXPECT_TRUE(values_of(r, metric::kEvalLoss).empty());
}

TEST(LinesEnd, FieldsLineByLineAreCutAsWell) {
  std::string log;
  for (const char* loss : {"4.50", "4.40", "4.30"})
    log += std::string("step: 1") + loss[2] + "\n  loss: " + loss + "\n  lr: 0.00030\n";
  log += "step: 20\n  loss: 4.21\n  lr: 0.0";
  const Recording r = read_log(log);
  EXPECT_TRUE(r.truncated);
  EXPECT_EQ(values_of(r, metric::kLoss).back(), 4.21);
  EXPECT_EQ(values_of(r, metric::kLearningRate), (std::vector<double>{3e-4, 3e-4, 3e-4}));
}

TEST(LinesEnd, AnInputOfOneLineIsBelievedUnlessItIsVisiblyBrokenOff) {
  const Recording whole = read_log("step: 1, loss: 3.2, lr: 0.001");
  EXPECT_FALSE(whole.truncated);
  EXPECT_EQ(values_of(whole, metric::kLearningRate), (std::vector<double>{0.001}));
  const Recording broken = read_log("step: 1, loss: 3.2, lr: 1.2e-");
  EXPECT_TRUE(broken.truncated);
  EXPECT_EQ(values_of(broken, metric::kLoss), (std::vector<double>{3.2}));
  EXPECT_TRUE(values_of(broken, metric::kLearningRate).empty());
}

}  // namespace
}  // namespace assay
