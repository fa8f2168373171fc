// Where the step stands: in a bar beside the record, in the position within an epoch, in brackets, in words. Read and
// put together, so that one run is one segment on one rising axis.

#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "assay/metric.h"
#include "format/reader.h"
#include "measure/assemble.h"
#include "unit/lines_generators.h"

namespace assay {
namespace {

using lines_test::loss_at;
using lines_test::print;

constexpr int kEpochs = 3;
constexpr int kPerEpoch = 8;

Run run_of(const std::string& log) {
  Recording recording = read_bytes("train.log", log);
  return assemble(recording);
}

void expect_axis(const Run& run, std::size_t records, std::int64_t first, std::int64_t last, const std::string& what) {
  ASSERT_EQ(run.segments.size(), 1U) << what;
  const Series* loss = run.segments[0].find(metric::kLoss);
  ASSERT_NE(loss, nullptr) << what;
  ASSERT_EQ(loss->size(), records) << what;
  EXPECT_EQ(loss->step(0), first) << what;
  EXPECT_EQ(loss->step(records - 1), last) << what;
  for (std::size_t i = 0; i < records; ++i) {
    EXPECT_NEAR(loss->value(i), loss_at(static_cast<int>(i) + 1), 1e-4) << what;
    if (i > 0) {
      EXPECT_GT(loss->step(i), loss->step(i - 1)) << what;
    }
  }
}

// A record at position `step` of 625 in an epoch. extra: with a column that nobody knows.
struct Positional {
  const char* name;
  std::function<std::string(int epoch, int step, double loss, const char* extra)> line;
};

std::vector<Positional> positional() {
  const auto of = [](const char* format) {
    return [format](int epoch, int step, double loss, const char* extra) {
      return print(format, epoch, step, loss, extra);
    };
  };
  return {
      {"timm", of("Train: %d [%4d/625 (  8%%)]  Loss: %.4f (6.1)  Time: 0.312s  LR: 1.0e-03%s")},
      {"Swin",
       of("[2021-04-01 10:00:00 tiny] (main.py 190): INFO Train: [%d/30][%d/625]\tlr 0.0001\tloss %.4f (6.1)%s")},
      {"mmdet", of("2021-01-01 10:00:00,123 - mmdet - INFO - Epoch [%d][%d/625]\tlr: 1.0e-3, time: 0.3, loss: %.4f%s")},
      {"mmengine", of("2023/01/01 10:00:00 - mmengine - INFO - Epoch(train)  [%d][%3d/625]  lr: 1.0e-3  loss: %.4f%s")},
      {"DETR", of("Epoch: [%d]  [%4d/625]  eta: 0:10:00  lr: 0.0001  loss: %.4f (6.1)  max mem: 5000%s")},
      {"MNIST", of("Train Epoch: %d [%d/625 (8%%)]\tLoss: %.4f%s")},
      {"words", of("Epoch [%d/30], Step [%d/625], Loss: %.4f%s")},
      {"Keras",
       [](int epoch, int step, double loss, const char* extra) {
         return (step == 0 ? print("Epoch %d/3\n", epoch) : std::string()) +
                print("\r %d/625 [==>......] - ETA: 3s - loss: %.4f - accuracy: 0.91%s", step, loss, extra);
       }},
  };
}

TEST(LinesAxes, PositionsWithinEpochsAreCountedThrough) {
  for (const Positional& format : positional()) {
    for (const char* extra : {"", ", foo: 3.5"}) {
      std::string log;
      for (int e = 0; e < kEpochs; ++e) {
        for (int k = 0; k < kPerEpoch; ++k) {
          log += format.line(e + 1, 75 * k, loss_at(e * kPerEpoch + k + 1), extra) + '\n';
        }
      }
      expect_axis(run_of(log), kEpochs * kPerEpoch, 0, 2 * 625 + 75 * 7, format.name);
    }
  }
}

TEST(LinesAxes, ARestartGoesOnInItsEpoch) {
  std::string log;
  int k = 0;
  for (const int epoch : {1, 2, 3, 2, 3}) {
    for (int step = 0; step < 600; step += 100) {
      log += print("Epoch: [%d]  [%4d/625]  lr: 0.0001  loss: %.4f (6.1)\n", epoch, step, loss_at(++k));
    }
  }
  const assay::Run run = run_of(log);
  ASSERT_EQ(run.segments.size(), 2U);
  EXPECT_EQ(run.segments[0].last_step(), 2 * 625 + 500);
  EXPECT_EQ(run.segments[1].find(metric::kLoss)->step(0), 625);
  EXPECT_EQ(run.segments[1].last_step(), 2 * 625 + 500);
}

// What stands under a header again and again are records of their own: none gets lost, none is another loss.
TEST(LinesAxes, AHeaderSpeaksForAllThatRepeats) {
  for (const auto& [line, first, last] : std::vector<std::tuple<const char*, int, int>>{
           {"Loss: %2$.5f", 1, 24},
           {"loss: %2$.5f, acc: 0.5%1$d", 1, 24},
           {"step %1$d, loss: %2$.5f", 10, 240},
           {"loss: %2$.5f  [%1$4d/80]", 10, 240},
           {" 12%%|█ | %1$d/80 [00:10<00:20, 1.5it/s, loss=%2$.5f]", 10, 240}}) {
    std::string log;
    for (int i = 0; i < 24; ++i) {
      if (i % 8 == 0) log += print("Epoch %d\n----------\n", i / 8 + 1);
      log += print(line, (i % 8 + 1) * 10, loss_at(i + 1)) + '\n';
    }
    expect_axis(run_of(log), 24, first, last, line);
  }
}

TEST(LinesAxes, KerasLinesOfWholeEpochsAreOneSegment) {
  std::string log;
  for (int e = 1; e <= 10; ++e) {
    log += print("Epoch %d/10\n938/938 [====] - 3s 3ms/step - loss: %.4f - accuracy: 0.9 - val_loss: %.4f\n", e,
                 loss_at(e), loss_at(e));
  }
  const assay::Run run = run_of(log);
  expect_axis(run, 10, 1, 10, "Keras");
  EXPECT_EQ(run.segments[0].find(metric::kEvalLoss)->size(), 10U);
}

std::string dict(int i) {
  return print("{'loss': %.4f, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': %.2f}", loss_at(i), 0.1 * i);
}
std::string bar(int step, int total = 1000) {
  return print("  5%%|▌         | %d/%d [00:10<03:10,  5.0it/s]", step, total);
}

TEST(LinesAxes, TheBarBesideADictionaryTellsItsStep) {
  std::string glued;
  std::string before;
  std::string behind;
  std::string redrawn;
  std::string with_others;
  for (int i = 1; i <= 12; ++i) {
    glued += bar(10 * i) + dict(i) + '\n';
    before += bar(10 * i) + '\n' + dict(i) + '\n';
    behind += dict(i) + '\n' + bar(10 * i) + '\n';
    for (int k = 9; k >= 0; --k) redrawn += '\r' + bar(10 * i - k);
    redrawn += "\n        \n\r" + dict(i) + "\n\n\r" + bar(10 * i);
    with_others += "Map:  50%|█████     | 500/5000 [00:01<00:01, 400 examples/s]\n" + bar(10 * i) + '\n' + bar(3, 48) +
                   '\n' + (i > 1 ? bar(10 * i) + '\n' : "") + dict(i) + '\n';
  }
  expect_axis(run_of(glued), 12, 10, 120, "glued");
  expect_axis(run_of(before), 12, 10, 120, "before");
  expect_axis(run_of(behind), 12, 10, 120, "behind");
  expect_axis(run_of(bar(0) + '\n' + behind), 12, 10, 120, "behind, from 0");
  expect_axis(run_of(redrawn), 12, 10, 120, "redrawn");
  EXPECT_EQ(run_of(redrawn).planned_steps, 1000);
}

TEST(LinesAxes, ABarThatCarriesMetricsTellsTheirStep) {
  for (const char* format : {"train:   7%%|▋         | %d/500 [00:10<02:00,  3.70it/s, loss=%.5f, lr=3e-4]\n",
                             "train: %d/500 [00:10<02:00,  3.70it/s, loss=%.5f, lr=3e-4]\n",
                             "%d/500 [01:00:10<02:00:00, 3.70s/it, loss=%.5f]\n",
                             "%dit [00:10,  3.70it/s, loss=%.5f]\n", "train: %dit [00:10, 3.70it/s, loss=%.5f]\n"}) {
    std::string log;
    for (int i = 1; i <= 12; ++i) log += print(format, 37 + 10 * i, loss_at(i));
    expect_axis(run_of(log), 12, 47, 157, format);
  }
}

TEST(LinesAxes, MicroStepsOfOneStepAreNoRepeats) {
  std::string log;
  for (int i = 1; i <= 12; ++i) {
    log += print("Epoch 1 | iter %d step %d | loss train: %.3f, val: n/a | iter time: 512.33 ms\n", i, (i + 3) / 4,
                 3.0 - 0.25 * ((i + 3) / 4));
  }
  EXPECT_EQ(run_of(log).segments[0].find(metric::kLoss)->size(), 12U);
  EXPECT_EQ(run_of(log + log).segments[0].find(metric::kLoss)->size(), 12U) << "a console written twice";
}

TEST(LinesAxes, DictionariesWithoutBarsAreNumbered) {
  std::string log;
  for (int i = 1; i <= 12; ++i) log += dict(i) + '\n';
  expect_axis(run_of(log), 12, 1, 12, "plain");
}

TEST(LinesAxes, ATrainerAndItsCallbackTellOneRecord) {
  std::string log;
  for (int i = 1; i <= 12; ++i) {
    log += print(
               "[INFO|2024-01-01 10:00:00] callbacks:157 >> {'loss': %.4f, 'learning_rate': 1.0e-05, 'epoch': %.2f, "
               "'throughput': 1234.5}\n",
               loss_at(i), 0.1 * i) +
           dict(i) + '\n';
  }
  const assay::Run run = run_of(log);
  expect_axis(run, 12, 1, 12, "LLaMA-Factory");
  EXPECT_EQ(run.segments[0].find(metric::kGradNorm)->size(), 12U);
}

TEST(LinesAxes, StepsInBracketsWordsAndUnits) {
  const std::vector<std::pair<const char*, const char*>> formats = {
      {"clu", "I0501 10:00:00.123456 1400123456 logging_writer.py:48] [%d] learning_rate=0.001, loss=%.5f"},
      {"flax", "Step... (%d | Loss: %.5f, Learning Rate: 1.0e-3)"},
      {"words", "After %d steps the training loss is %.5f and the learning rate is 1.0e-3"},
      {"levanter", "Progress on:train %d.0it/4.00kit rate:1.2s/it remaining:1:00:00 elapsed:00:10 postfix:loss=%.5f"},
      {"mpirun", "[1,0]<stdout>:step %d loss %.5f"},
      {"Chinese", "第 %d 步 损失值：%.5f，学习率：1.0e-3"},
      {"Chinese keys", "步数：%d，损失：%.5f，学习率：1.0e-3，梯度范数：0.5"},
      {"Chinese sentence", "第%d步，训练损失为%.5f，学习率为1.0e-3"},
      {"position behind", "[%d/4000] loss=%.5f lr=1.0e-3"},
      {"batches", "| epoch   1 | %5d/ 2983 batches | lr 20.00 | ms/batch 12.05 | loss %.5f | ppl  9.00"},
      {"two bars",
       " 4%%|▌   | 7/4000 [00:10<03:10,  5.0  5%%|▌   | %d/4000 [00:10<03:10,  5.0it/s] loss=%.5f lr=1.0e-3"},
      {"bar in per cent", "Steps:  12%%|█ | %d/4000 [00:10<1:00:00,  1.20it/s, step_loss=%.5f, lr=1.0e-3]"},
      {"mmengine", "2023/01/01 10:00:00 - mmengine - INFO - Iter(train) [%5d/4000]  lr: 1.0e-3  loss: %.5f"},
  };
  for (const auto& [name, format] : formats) {
    std::string log;
    for (int i = 1; i <= 12; ++i) log += print(format, 10 * i, loss_at(i)) + '\n';
    expect_axis(run_of(log), 12, 10, 120, name);
  }
}

// MLPerf's line tells its place as an epoch; the first record has it like every other.
TEST(LinesAxes, TheEpochOfADialectIsAStepFromTheFirstRecordOn) {
  std::string log;
  for (int i = 1; i <= 5; ++i) {
    log +=
        R"(:::MLLOG {"namespace": "", "time_ms": 1, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": )" +
        std::to_string(0.1 * i) + R"(, "metadata": {"lineno": 467, "epoch_num": )" + std::to_string(4 * i) + "}}\n";
  }
  const Recording got = read_bytes("train.log", log);
  ASSERT_EQ(got.rows(), 5U);
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(got.step[static_cast<std::size_t>(i) - 1], 4 * i);
}

}  // namespace
}  // namespace assay
