// The reader of text logs, on logs that the test prints as the frameworks do.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "assay/metric.h"
#include "format/lines/text_log.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::read_log;
using lines_test::values_of;

TEST(LinesTextLog, ReadsAMegatronLine) {
  const Recording r = read_log(
      " iteration       10/    1000 | consumed samples:           40 | elapsed time per iteration (ms): 19932.4 | "
      "learning rate: "
      "0.000E+00 | global batch size:     4 | loss scale: 8388608.0 | number of skipped iterations:  10 | number of "
      "nan "
      "iterations:   0 |\n"
      " iteration       20/    1000 | consumed samples:           80 | elapsed time per iteration (ms): 6707.5 | "
      "learning rate: "
      "3.750E-05 | global batch size:     4 | lm loss: 1.412743E+01 | loss scale: 32768.0 | grad norm: 126.963 | "
      "number of "
      "skipped iterations:   8 | number of nan iterations:   0 |\n");
  EXPECT_EQ(r.dialect, "megatron");
  EXPECT_EQ(r.axis, "iteration");
  EXPECT_EQ(r.planned_steps, 1000);
  ASSERT_EQ(r.rows(), 2U);
  EXPECT_EQ(r.step[1], 20);
  EXPECT_EQ(r.line[1], 2);
  EXPECT_EQ(values_of(r, metric::kLoss), std::vector<double>{14.12743});
  EXPECT_EQ(values_of(r, metric::kStepTime), (std::vector<double>{19932.4 * 1e-3, 6707.5 * 1e-3}));
  EXPECT_EQ(values_of(r, metric::kSkippedSteps), (std::vector<double>{10, 8}));
  EXPECT_EQ(values_of(r, metric::kNanSteps), (std::vector<double>{0, 0}));
}

TEST(LinesTextLog, ReadsAnUnknownFormat) {
  const Recording r =
      read_log("update 1 | objective loss: 2.5 | gnorm: 0.3\nupdate 2 | objective loss: nan | gnorm: inf\n");
  EXPECT_EQ(r.dialect, "general");
  ASSERT_EQ(r.rows(), 2U);
  const auto norm = values_of(r, metric::kGradNorm);
  ASSERT_EQ(norm.size(), 2U);
  EXPECT_TRUE(std::isinf(norm[1]));
  // No key is known as the loss: the only one that is called so is taken.
  const auto loss = values_of(r, metric::kLoss);
  ASSERT_EQ(loss.size(), 2U);
  EXPECT_TRUE(std::isnan(loss[1]));
}

TEST(LinesTextLog, ProseIsNoLog) {
  const Recording r =
      read_log("Loaded 3 shards in 4.2 seconds\nnode0 [2] NCCL INFO Channel 27/32\nthe loss of time is 5 minutes\n");
  EXPECT_EQ(r.rows(), 0U);
  EXPECT_EQ(r.file.unused_lines, 3);
}

TEST(LinesTextLog, LinesOfOneShapeAreAllCounted) {
  std::string log;
  for (int i = 0; i < 1000; ++i) log += "shelf " + std::to_string(i) + " was dusted\n";
  for (int i = 0; i < 30; ++i) log += "door " + std::to_string(i) + " was shut\n";
  const Recording r = read_log(log);
  ASSERT_EQ(r.file.unused.size(), 1U);
  EXPECT_EQ(r.file.unused[0].count, 1030);
  EXPECT_EQ(r.file.unused[0].example, "shelf 0 was dusted");
  EXPECT_EQ(r.file.unused_lines, 1030);
}

TEST(LinesTextLog, TellsTextFromBinary) {
  EXPECT_TRUE(looks_like_text("step 1 loss 2.3\n"));
  EXPECT_TRUE(looks_like_text("\x1b[32mstep\x1b[0m 1\r\n"));
  EXPECT_FALSE(
      looks_like_text(std::string_view("\x7f"
                                       "ELF\0\0\0\1\2\3",
                                       10)));
  EXPECT_FALSE(looks_like_text(""));
}

// A word that is new on every line makes no new shape, and a line reads the same however it is read.
TEST(LinesTextLog, IdentifiersAreNoText) {
  std::string log;
  std::string hash = "00000000";
  for (int i = 1; i <= 60; ++i) {
    for (std::size_t k = 0; k < hash.size(); ++k)
      hash[k] = "0123456789abcdef"[static_cast<std::size_t>(i * 7919 + static_cast<int>(k) * i * 31) % 16];
    log += "worker-7d9f8b-" + std::string(i % 2 != 0 ? "x2k" : "9zq") + " fetched shard " + hash + " of 12\n";
    log += "step " + std::to_string(i) + " [" + hash + "] loss: 2." + std::to_string(i % 10) + "5 lr: 0.001\n";
  }
  const Recording fast = read_log(log);
  EXPECT_EQ(values_of(fast, "loss").size(), 60u);
  EXPECT_EQ(lines_test::described(fast), lines_test::described(read_log(log, 7)));
  EXPECT_EQ(lines_test::described(fast), lines_test::described(read_log(log, 0, true)));
}

}  // namespace
}  // namespace assay
