// Which number is which metric: units that stand behind, names in other languages, totals and parts, losses that are no
// loss of the run.

#include <gtest/gtest.h>

#include "assay/metric.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::loss_at;
using lines_test::print;
using lines_test::read_log;
using lines_test::values_of;

constexpr int kLast = 8;

template <class... Values>
Recording read_lines(const char* format, Values... values) {
  std::string log;
  for (int i = 1; i <= kLast; ++i) log += print(format, i, loss_at(i), values...) + '\n';
  return read_log(log);
}

TEST(LinesNames, TheUnitBehindANumberNamesIt) {
  const Recording r = read_lines(
      "step %4d/19560 | loss %.6f (+nanz)| norm 0.9 (+nanz)| lr 8.57e-07 | 1400.00 ms | 35.7%% bf16 MFU | 374491 "
      "tok/s");
  ASSERT_EQ(values_of(r, metric::kLoss).size(), std::size_t{kLast});
  EXPECT_EQ(values_of(r, metric::kStepTime), std::vector<double>(kLast, 1400.0 * 1e-3));
  EXPECT_EQ(values_of(r, metric::kMfu), std::vector<double>(kLast, 35.7));
  EXPECT_EQ(values_of(r, metric::kTokensPerSecond), std::vector<double>(kLast, 374491));
}

TEST(LinesNames, AnIndexBelongsToItsKey) {
  for (const char* format : {"step=%d, loss=%.5f, optim/LR (group 0)=0.0001, optim/LR (group 1)=0.0002",
                             "step=%d loss=%.5f lr[0]=0.0001 lr[1]=0.0002"}) {
    EXPECT_EQ(values_of(read_lines(format), metric::kLearningRate), std::vector<double>(kLast, 1e-4)) << format;
  }
}

TEST(LinesNames, AnAdversarialLossIsNoLossOfTheRun) {
  const Recording r = read_lines("[0/25][%d/1583]\tLoss_D: %.4f\tLoss_G: 4.2\tD(x): 0.9\tD(G(z)): 0.1 / 0.05");
  EXPECT_TRUE(values_of(r, metric::kLoss).empty());
  EXPECT_EQ(values_of(r, "Loss_D").size(), std::size_t{kLast});
  EXPECT_EQ(values_of(r, "Loss_G").size(), std::size_t{kLast});
  EXPECT_EQ(r.step[r.rows() - 1], kLast);
}

TEST(LinesNames, TheTotalBeforeItsParts) {
  EXPECT_NEAR(values_of(read_lines("step: %d, nll_loss: 0.5, loss: %.5f, aux_loss: 0.1"), metric::kLoss)[0], loss_at(1),
              1e-5);
  const Recording r = read_lines(
      "2021-03-08 10:00:00 | INFO | train | epoch %03d | loss %.3f | nll_loss 1.5 | ppl 2.8 | num_updates 7 | lr 1e-4 "
      "| "
      "gnorm 0.5");
  EXPECT_NEAR(values_of(r, metric::kLoss)[0], loss_at(1), 1e-3);
}

TEST(LinesNames, EvaluationsInAllTheirWords) {
  for (const char* line : {"step: 40 (val) loss %.5f", "validation loss at step 40: %.5f", "验证损失：%.5f",
                           "评估集损失：%.5f", "验证 loss: %.5f", "evaluating... loss %.5f",
                           "loss (val): %.5f, step: 85", "Test set: Average loss: %.5f, Accuracy: 9800/10000 (98%%)"}) {
    std::string log;
    for (int i = 1; i <= kLast; ++i) log += print("step: %d loss %.5f\n", 10 * i, loss_at(i));
    log += print(line, 3.25) + '\n';
    log += print("step: %d loss %.5f\n", 90, 2.5);
    log += print(line, 3.25) + '\n';
    log += print(line, 3.125) + '\n';
    const Recording r = read_log(log);
    EXPECT_EQ(values_of(r, metric::kLoss).size(), std::size_t{kLast} + 1) << line;
    EXPECT_GE(values_of(r, metric::kEvalLoss).size(), 2U) << line;
  }
}

TEST(LinesNames, WhatALoggerPutsBeforeIsNoMetric) {
  const Recording r = read_lines("2024-03-01 10:00:00\thost:0\tsome.module:99\tINFO\tstep=%d loss=%.5f");
  EXPECT_EQ(r.series.size(), 1U);
}

TEST(LinesNames, PlacesDevicesAndConstantsAreNoMetrics) {
  std::string log;
  for (int i = 1; i <= 20; ++i) {
    log += print("step: %d, loss: %.5f, pid: %d, port: %d, gpu: %d, v_num: 0, beta: 0.95, foo: %.3f\n", i, loss_at(i),
                 9 * i, 8000 + i, i % 8, 0.5 * i);
  }
  const Recording r = read_log(log);
  for (const char* name : {"pid", "port", "gpu", "v_num", "beta"}) EXPECT_TRUE(values_of(r, name).empty()) << name;
  EXPECT_EQ(values_of(r, "foo").size(), 20U);
}

TEST(LinesNames, TheLossOfEveryBatchBeforeThatOfAFewSummaries) {
  std::string log;
  for (int i = 1; i <= 40; ++i) {
    log += print("batch done, loss: %.5f, acc: 0.%d\n", loss_at(i), i + 10);
    if (i % 20 == 0) log += print("step: %d summary loss: 2.5\n", i);
  }
  EXPECT_EQ(values_of(read_log(log), metric::kLoss).size(), 40U);
}

}  // namespace
}  // namespace assay
