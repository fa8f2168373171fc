// Lines of programs whose print statements need more than a key before each number.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assay/metric.h"
#include "measure/assemble.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::described;
using lines_test::print;
using lines_test::read_log;

assay::Run run_of(const std::string& log) {
  const Recording fast = read_log(log);
  EXPECT_EQ(described(fast), described(read_log(log, 0, true)));
  EXPECT_EQ(described(fast), described(read_log(log, 17)));
  Recording recording = read_log(log);
  return assemble(recording);
}

// The values of a metric in the only segment.
std::vector<double> told(const assay::Run& run, std::string_view metric) {
  if (run.segments.size() != 1) return {};
  const Series* series = run.segments[0].find(metric);
  if (series == nullptr) return {};
  return {series->values.span().begin(), series->values.span().end()};
}

TEST(LinesFrameworks, IcefallTellsRankEvaluationAndQuartiles) {
  std::string log;
  for (int epoch = 1; epoch <= 2; ++epoch) {
    for (int batch = 0; batch <= 100; batch += 50) {
      log += print(
          "2024-05-01 10:00:00,123 WARNING [optim.py:487] (0/2) Clipping_scale=2.0, grad-norm quartiles 1.1e+00 "
          "1.5e+00 1.%de+00 2.5e+00 1.2e+01, threshold=3.6e+00, percent-clipped=5.0\n",
          5 + batch / 50);
      for (int rank = 0; rank < 2; ++rank) {
        log += print(
            "2024-05-01 10:00:00,123 INFO [train.py:1021] (%d/2) Epoch %d, batch %d, loss[loss=%.3f, over 15630.00 "
            "frames. ], tot_loss[loss=2.654, over 715630.00 frames. ], batch size: 45, lr: 2.48e-02\n",
            rank, epoch, batch, 3.0 - epoch - 0.001 * batch + rank);
      }
    }
    log += print(
        "2024-05-01 10:02:10,123 INFO [train.py:1054] (0/2) Epoch %d, validation: loss=1.%d21, over 944034.00 "
        "frames. \n",
        epoch, epoch);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{2.0, 1.95, 1.9, 1.0, 0.95, 0.9}));
  EXPECT_EQ(told(run, metric::kEvalLoss), (std::vector<double>{1.121, 1.221}));
  EXPECT_EQ(told(run, metric::kGradNorm), (std::vector<double>{1.5, 1.6, 1.7, 1.5, 1.6, 1.7}));
  EXPECT_EQ(told(run, metric::kClipFraction), std::vector<double>(6, 0.05));
}

TEST(LinesFrameworks, InternLmTellsTheNormOfEachGroup) {
  std::string log;
  for (int i = 0; i < 3; ++i) {
    log += print(
        "2024-05-01 10:00:00,123\tINFO train.py:309 in record_current_batch_training_metrics -- tflops=180.12 "
        "step=%d loss=%.4f tgs (tokens/gpu/second)=3990.32 lr=4.0e-07 loss_scale=65536.0 grad_norm={'0_default': "
        "%.2f, '1_fp32': 0.0} micro_num=4\n",
        i, 11.5 - i, 44.25 - i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{11.5, 10.5, 9.5}));
  EXPECT_EQ(told(run, metric::kGradNorm), (std::vector<double>{44.25, 43.25, 42.25}));
}

TEST(LinesFrameworks, ArealPrintsATableUnderTheLineOfAStep) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print(
        "20250501-10:00:00.123 StatsLogger INFO: Epoch 1/10 Step %d/500 Train step %d/5000 done.\n"
        "20250501-10:00:00.124 StatsLogger INFO: Stats (1/1): \n╒════════╤═══════╕\n",
        i + 3, i);
    log += print(
        "│ ppo_actor/update/loss/avg │ -1.%de-03 │\n├────────┼───────┤\n"
        "│ ppo_actor/update/grad_norm │  5.%de-01 │\n├────────┼───────┤\n"
        "│ ppo_actor/task_reward/avg │  2.%de-01 │\n╘════════╧═══════╛\n",
        i, i, i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{-1.1e-3, -1.2e-3, -1.3e-3}));
  EXPECT_EQ(told(run, metric::kGradNorm), (std::vector<double>{0.51, 0.52, 0.53}));
  EXPECT_EQ(told(run, metric::kReward), (std::vector<double>{0.21, 0.22, 0.23}));
  EXPECT_EQ(run.segments[0].find(metric::kLoss)->step(2), 3);
}

TEST(LinesFrameworks, CatalystCountsEpochsInBrackets) {
  std::string log;
  for (int e = 1; e <= 3; ++e) {
    log += print(
        "train (%d/10) loss: %.2f | lr: 0.001 | momentum: 0.9\nvalid (%d/10) loss: %.2f | lr: 0.001\n"
        "* Epoch (%d/10) \n",
        e, 2.0 / e, e, 2.5 / e, e);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{2.0, 1.0, 0.67}));
  EXPECT_EQ(told(run, metric::kEvalLoss), (std::vector<double>{2.5, 1.25, 0.83}));
}

TEST(LinesFrameworks, DarknetPutsNamesBehindNumbers) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print(" %d: 9.123, %.2f avg loss, 0.001000 rate, 3.512000 seconds, %d images, 10.1 hours left\n", 999 + i,
                 8.0 / i, 64 * i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{8.0, 4.0, 2.67}));
  EXPECT_EQ(told(run, metric::kConsumedSamples), (std::vector<double>{64, 128, 192}));
  EXPECT_EQ(run.segments[0].find(metric::kLoss)->step(1), 1001);
}

TEST(LinesFrameworks, EvaluationsThatOnlyTheirSentenceTells) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print("INFO:tensorflow:loss = %.2f, step = %d (7.912 sec)\n", 5.0 / i, 100 * i);
    log += print("INFO:tensorflow:Saving dict for global step %d: accuracy = 0.5, global_step = %d, loss = %.2f\n",
                 100 * i, 100 * i, 6.0 / i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{5.0, 2.5, 1.67}));
  EXPECT_EQ(told(run, metric::kEvalLoss), (std::vector<double>{6.0, 3.0, 2.0}));
}

TEST(LinesFrameworks, ABarOfRichTellsTheStepWithinTheEpoch) {
  std::string log;
  for (int i = 1; i <= 6; ++i) {
    log += print("Epoch %d/9  ━━━━━━━━╸━━━━━━━ %d/100 0:00:10 • 0:00:10 9.51it/s v_num: 0.000 train_loss: %.2f\n",
                 (i - 1) / 3, 30 * ((i - 1) % 3 + 1), 6.0 / i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{6, 3, 2, 1.5, 1.2, 1}));
  EXPECT_EQ(run.segments[0].find(metric::kLoss)->step(1), 60);
  EXPECT_EQ(run.segments[0].find("s v_num"), nullptr);
}

TEST(LinesFrameworks, OfACountAndItsShareTheShareIsTheAccuracy) {
  std::string log;
  for (int e = 1; e <= 2; ++e) {
    log += print("Train Epoch: %d [640/60000 (1%%)]\tLoss: %.2f\n", e, 2.0 / e);
    log += print("\nTest set: Average loss: %.4f, Accuracy: 98%d0/10000 (9%d%%)\n\n", 0.05 / e, e, 7 + e);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kEvalAccuracy), (std::vector<double>{98, 99}));
}

TEST(LinesFrameworks, NewerWenetAndOlderMmcv) {
  std::string wenet;
  std::string mmcv;
  for (int i = 1; i <= 3; ++i) {
    wenet += print("DEBUG TRAIN | steps/sec 2.1| Batch 0/%d loss %.2f lr 0.00055784 grad_norm 1.5 rank 0\n", 100 * i,
                   6.0 / i);
    mmcv += print(
        "2021-05-01 10:00:00,123 - mmdet - INFO - Epoch [1][%d/7330]\tlr: 1.978e-03, eta: 1 day, 2:10:20, time: "
        "0.512, data_time: 0.051, memory: 3500, loss_cls: 1.2, loss: %.2f\n",
        50 * i, 6.0 / i);
  }
  EXPECT_EQ(told(run_of(wenet), metric::kLoss), (std::vector<double>{6, 3, 2}));
  EXPECT_EQ(told(run_of(wenet), metric::kEpoch), (std::vector<double>{0, 0, 0}));
  const assay::Run run = run_of(mmcv);
  EXPECT_EQ(told(run, metric::kStepTime), std::vector<double>(3, 0.512));
  EXPECT_NEAR(told(run, metric::kMemory).at(0), 3500 / 1024.0, 1e-9);  // printed in MB
}

TEST(LinesFrameworks, AHeadingTellsTheStepOfTheListBehindIt) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print(
        "========================= Step %d/1000 =========================\n▶ Preparing batch...\n"
        "📊 Training Results:\n  • Loss: 0.0%d5\n  • Avg Reward: 0.2%d\n  • Mean Generation Length: 512.1\n"
        "⏱️  Timing:\n  • Total step time: 60.12s\n",
        10 * i, i, i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{0.015, 0.025, 0.035}));
  EXPECT_EQ(told(run, metric::kReward), (std::vector<double>{0.21, 0.22, 0.23}));
  EXPECT_EQ(run.segments[0].find(metric::kLoss)->step(2), 30);
}

TEST(LinesFrameworks, ColoursThatLostTheirEscape) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print(
        "[rank0]:[titan] 2025-05-01 10:00:00,123 - root - INFO - [31mstep:  %d  [32mloss: %.2f  "
        "[38;2;180;60;0mgrad_norm:  1.25  [35mmfu: 14.50%%[39m\n",
        10 * i, 6.0 / i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{6, 3, 2}));
  EXPECT_EQ(told(run, metric::kGradNorm), std::vector<double>(3, 1.25));
  EXPECT_EQ(run.segments[0].find(metric::kLoss)->step(1), 20);
}

TEST(LinesFrameworks, CheckpointsOfLightningTellWhatWasReached) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print(
        "Epoch %d, global step %d: 'val_loss' reached %.5f (best %.5f), saving model to '/x/epoch=3.ckpt' as top 1\n",
        i, 400 * i, 3.0 / i, 3.0 / i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kEvalLoss), (std::vector<double>{3, 1.5, 1}));
  EXPECT_EQ(run.segments[0].find(metric::kEvalLoss)->step(1), 800);
}

TEST(LinesFrameworks, UnitsBeforeAKeyAreNoPartOfIt) {
  std::string log;
  for (int i = 1; i <= 3; ++i) {
    log += print(
        "iteration: %d/10000  total_loss: %.2f  time: 0.41 s/iter  data_time: 0.01 s/iter total_throughput: 620.1 "
        "samples/s lr: 2.00e-05\n",
        100 * i, 6.0 / i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLearningRate), std::vector<double>(3, 2e-5));
  EXPECT_EQ(told(run, "data_time"), std::vector<double>(3, 0.01));
}

TEST(LinesFrameworks, BarsThatCountThousands) {
  std::string log = "Progress on:train 900it/10.0kit rate:2.9s/it remaining:8:10:20 elapsed:05:10 postfix:loss=7.5\n";
  for (int i = 0; i < 3; ++i) {
    log += print("Progress on:train 1.%d0kit/10.0kit rate:2.9s/it remaining:8:00:20 elapsed:15:10 postfix:loss=5.%d\n",
                 i, i);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{7.5, 5.0, 5.1, 5.2}));
  EXPECT_EQ(run.segments[0].find(metric::kLoss)->step(3), 1200);
  EXPECT_EQ(run.planned_steps, 10000);
}

TEST(LinesFrameworks, TheLastDrawingsOfTwoEpochsAreRecords) {
  std::string log;
  for (int e = 1; e <= 2; ++e) {
    log += print("Epoch %d/3\n  1/100 [....] - ETA: 2:00 - loss: %.2f\n 50/100 [==>.] - ETA: 0:10 - loss: %.2f\n", e,
                 4.0 / e, 3.0 / e);
    log += print("100/100 [====] - 20s 200ms/step - loss: %.2f - val_loss: %.2f\n", 2.0 / e, 2.5 / e);
  }
  const assay::Run run = run_of(log);
  EXPECT_EQ(told(run, metric::kLoss), (std::vector<double>{4, 3, 2, 2, 1.5, 1}));
  EXPECT_EQ(told(run, metric::kEvalLoss), (std::vector<double>{2.5, 1.25}));
}

}  // namespace
}  // namespace assay
