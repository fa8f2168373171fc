// What stands beside a key on its line tells what it means: times beside the time of data loading, keys that come again
// behind an evaluation, numbers without a key.

#include <gtest/gtest.h>

#include <cmath>

#include "assay/metric.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::described;
using lines_test::loss_at;
using lines_test::print;
using lines_test::read_log;
using lines_test::values_of;

constexpr int kLast = 8;

template <class... Values>
Recording read_lines(const char* format, Values... values) {
  std::string log;
  for (int i = 1; i <= kLast; ++i) log += print(format, i, loss_at(i), values...) + '\n';
  const Recording out = read_log(log);
  EXPECT_EQ(described(read_log(log, 7)), described(out)) << format;
  EXPECT_EQ(described(read_log(log, 0, true)), described(out)) << format;
  return out;
}

TEST(LinesBeside, TimeBesideTheTimeOfDataIsThatOfTheStep) {
  const Recording detectron = read_lines(
      "[01/02 03:04:05 d2.utils.events]:  eta: 0:10:00  iter: %d  total_loss: %.5f  time: 0.25  data_time: 0.003  lr: "
      "0.004  max_mem: 2048M");
  EXPECT_EQ(values_of(detectron, metric::kStepTime), std::vector<double>(kLast, 0.25));
  EXPECT_EQ(values_of(detectron, "data_time"), std::vector<double>(kLast, 0.003));
  EXPECT_NEAR(values_of(detectron, metric::kMemory).at(0), 2.0, 1e-9);
  const Recording mm = read_lines(
      "2026-01-02 03:04:05,678 - mm - INFO - Epoch [1][%d/900]\tlr: 1.0e-03, eta: 1:00:00, time: 1.5, data_time: 0.05, "
      "memory: 5120, loss: %.5f");
  EXPECT_EQ(values_of(mm, metric::kStepTime), std::vector<double>(kLast, 1.5));
  EXPECT_EQ(values_of(mm, metric::kMemory), std::vector<double>(kLast, 5.0));
  const Recording logger = read_lines(
      "Epoch: [0]  [%3d/100]  eta: 0:01:00  lr: 0.001  loss: %.4f (2.5)  time: 0.50  data: 0.001  max mem: 1024");
  EXPECT_EQ(values_of(logger, metric::kStepTime), std::vector<double>(kLast, 0.5));
  EXPECT_EQ(values_of(logger, metric::kMemory), std::vector<double>(kLast, 1.0));
  // Alone it may be the time since the start, and a memory without a unit is in GiB as ever.
  const Recording alone = read_lines("step: %d, loss: %.5f, time: 12.5, memory: 40.5");
  EXPECT_TRUE(values_of(alone, metric::kStepTime).empty());
  EXPECT_EQ(values_of(alone, metric::kMemory), std::vector<double>(kLast, 40.5));
}

TEST(LinesBeside, TheTimeOfAnEvaluationIsNoTimeOfAStep) {
  const Recording r = read_lines(
      "Test:  [%3d/20]  eta: 0:00:10  loss: %.4f (6.5)  acc1: 5.0 (5.0)  time: 0.8  data: 0.7  max mem: 5012");
  EXPECT_EQ(values_of(r, metric::kEvalLoss).size(), std::size_t{kLast});
  EXPECT_TRUE(values_of(r, metric::kStepTime).empty());
  EXPECT_TRUE(values_of(r, "data_time").empty());
}

TEST(LinesBeside, WhatComesAgainBehindTheEvaluationIsOfTheEvaluation) {
  const Recording r = read_lines(
      "Epoch %d | Train Loss: %.4f | Token Acc: 0.50 | Seq Acc: 0.1 | Val Loss: 3.25 | Token Acc: 0.25 | Seq Acc: 0.2");
  EXPECT_EQ(values_of(r, metric::kAccuracy), std::vector<double>(kLast, 0.5));
  EXPECT_EQ(values_of(r, metric::kEvalAccuracy), std::vector<double>(kLast, 0.25));
  EXPECT_EQ(values_of(r, "Seq Acc"), std::vector<double>(kLast, 0.1));
  EXPECT_EQ(values_of(r, "eval Seq Acc"), std::vector<double>(kLast, 0.2));
}

TEST(LinesBeside, TheMeansOfAnEpochRepeatNoStep) {
  std::string log;
  for (int i = 1; i <= kLast; ++i) {
    log += print("Epoch: [0]  [%3d/100]  loss: %.4f (2.5)  **grad_norm: 0.5 (0.6)**  time: 0.5  data: 0.1", i,
                 loss_at(i)) +
           '\n';
  }
  log += "Averaged stats: lr: 0.001  loss: 2.5 (2.6)  loss_scale: 8192.0 (8000.0)  grad_norm: 0.5 (0.6)\n";
  const Recording r = read_log(log);
  EXPECT_EQ(values_of(r, metric::kLoss).size(), std::size_t{kLast});
  EXPECT_EQ(values_of(r, metric::kGradNorm).size(), std::size_t{kLast});
  EXPECT_TRUE(values_of(r, metric::kLossScale).empty());
  for (const Series& series : r.series) {
    if (series.metric == metric::kGradNorm) {
      EXPECT_EQ(series.printed_as, "grad_norm");
    }
  }
}

TEST(LinesBeside, APairBehindABar) {
  const Recording r = read_lines("  4%%|#         | 11/300 [02:27<1:00:48, 12.12s/it]%d, %.4f");
  ASSERT_EQ(values_of(r, metric::kLoss).size(), std::size_t{kLast});
  EXPECT_EQ(r.step[0], 1);
  EXPECT_EQ(r.step[r.rows() - 1], kLast);
}

TEST(LinesBeside, TheTimeOfAStepOfKeras) {
  const Recording r = read_lines("%d/423 [====>...] - 192s 454ms/step - loss: %.4f - acc: 0.6");
  EXPECT_EQ(values_of(r, metric::kStepTime), std::vector<double>(kLast, 454 * 1e-3));
}

TEST(LinesBeside, AKeyBehindTwoDashes) {
  const Recording r = read_lines("Train step %d -- Loss: %.4f, MLM: 1.5 -- It/s: 1.69");
  EXPECT_NEAR(values_of(r, metric::kLoss).at(0), loss_at(1), 1e-4);
  EXPECT_EQ(values_of(r, "It/s").size(), std::size_t{kLast});
}

TEST(LinesBeside, PartsOfADetectorsLossAreNoLossOfTheRun) {
  const Recording line = read_lines("step %d: box_loss: %.4f, cls_loss: 1.5, dfl_loss: 0.5, grad_norm: 0.4");
  EXPECT_TRUE(values_of(line, metric::kLoss).empty());
  EXPECT_EQ(values_of(line, "box_loss").size(), std::size_t{kLast});
  // One alone is all the loss there is.
  EXPECT_EQ(values_of(read_lines("step %d: cls_loss: %.4f, grad_norm: 0.4"), metric::kLoss).size(), std::size_t{kLast});
}

TEST(LinesBeside, AnEvaluationThatEveryLineRepeatsCountsWhereItChanges) {
  std::string log;
  for (int i = 1; i <= kLast; ++i) {
    log +=
        print(
            "Training epoch 0, iteration %d/99 | lr: 1.0e-05 | global_step: %d | reduced_train_loss: %.4f | val_loss: "
            "%s",
            i, i, loss_at(i), i < 5 ? "4.106" : "3.950") +
        '\n';
  }
  EXPECT_EQ(values_of(read_log(log), metric::kEvalLoss), (std::vector<double>{4.106, 3.95}));
}

TEST(LinesBeside, WhatABarShowsOfAnEvaluationStaysThere) {
  std::string log;
  for (int i = 1; i <= kLast; ++i) {
    log += print("Epoch 0:  %d%%|#####     | %d/99 [00:33<00:03, 27.70it/s, loss=%.4f, v_num=7, val_loss=%s]", i, i,
                 loss_at(i), i < 5 ? "4.1" : "3.9") +
           '\n';
  }
  const Recording r = read_log(log);
  EXPECT_EQ(values_of(r, metric::kLoss).size(), std::size_t{kLast});
  EXPECT_EQ(values_of(r, metric::kEvalLoss), (std::vector<double>{4.1, 3.9}));
}

TEST(LinesBeside, TheProcessesOfOneStepAreRanks) {
  std::string log;
  for (int rank = 0; rank < 3; ++rank) {
    log += print(
               "2026-01-02 03:04:05,678 INFO [train.py:900] (%d/3) Epoch 2, batch 50, loss[loss=0.%d, over 2699.00 "
               "frames. ], tot_loss[loss=0.28, over 643152.39 frames. ], batch size: 10, lr: 4.48e-03,",
               rank, rank + 1) +
           '\n';
  }
  const Recording r = read_log(log);
  ASSERT_EQ(r.rows(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(r.step[i], 50);
    EXPECT_EQ(r.rank[i], static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(values_of(r, "tot_loss"), std::vector<double>(3, 0.28));
}

TEST(LinesBeside, WhatANanWasMadeOfIsOfItsStep) {
  const Recording r = read_log(
      "FloatingPointError: Loss became infinite or NaN at iteration=27!\n"
      "loss_dict = {'loss_cls': tensor(nan, device='cuda:0'), 'loss_box_reg': tensor(0.25, device='cuda:0')}\n");
  ASSERT_EQ(r.rows(), 1U);
  EXPECT_EQ(r.step[0], 27);
}

TEST(LinesBeside, ARecordOfHuggingFaceNeedsNoEpoch) {
  const Recording r = read_log(
      "{'loss': 1.46, 'grad_norm': 1.2, 'learning_rate': 4.5e-06, 'epoch': 0.66}\n"
      "{'loss': nan, 'grad_norm': nan, 'learning_rate': 4.4e-06}\n");
  ASSERT_EQ(r.rows(), 2U);
  EXPECT_EQ(r.dialect, "hf-trainer");
  EXPECT_TRUE(std::isnan(values_of(r, metric::kLoss).at(1)));
}

}  // namespace
}  // namespace assay
