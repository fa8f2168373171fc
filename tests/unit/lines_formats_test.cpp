// Print formats of programs that put step, metric or value where most do not.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "format/reader.h"
#include "measure/assemble.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::described;
using lines_test::loss_at;
using lines_test::print;
using lines_test::read_log;
using lines_test::values_of;

struct Printed {
  const char* name;
  const char* metric;
  std::int64_t first;  // step
  std::int64_t last;
  std::function<std::string(int i)> lines;  // i: 1 to 12
};

std::string plain(const char* format, int i) { return print(format, i * 10, loss_at(i)); }

std::vector<Printed> printed() {
  const auto of = [](const char* format) { return [format](int i) { return plain(format, i) + '\n'; }; };
  return {
      {"keys in brackets", "loss", 10, 120, of("E3 | [loss] %2$.4f | [url] none | [step]   %1$d | [time] 0.4m")},
      {"LightGBM", "loss", 10, 120, of("[%d]\ttraining's l2: %.4f\tvalid_1's l2: 0.4")},
      {"LightGBM, sets", "eval_loss", 10, 120, of("[%d]\tvalid_0's auc: 0.7\tvalid_1's binary_logloss: %.4f")},
      {"LightGBM, command line", "loss", 10, 120, of("[LightGBM] [Info] Iteration:%d, training l2 : %.4f")},
      {"XGBoost", "loss", 10, 120, of("[%d]\ttrain-rmse:%.4f\teval-rmse:4.1")},
      {"XGBoost, sets", "eval_loss", 10, 120, of("[%d]\tvalidation_0-logloss:%.4f")},
      {"CatBoost", "loss", 10, 120, of("%1$d:\tlearn: %2$.4f\ttest: 0.68\tbest: 0.6 (2)\ttotal: 58ms\tremaining: 5s")},
      {"YOLACT", "loss", 10, 120,
       of("[  2] %7d || B: 5.2 | C: 18.1 | M: 6.0 | T: %.4f || ETA: 9:10:20 || timer: 0.512")},
      {"Stable-Baselines", "loss", 10, 120,
       of("-----------\n| time/        |      |\n|    iterations      | 1    |\n|    total_timesteps | %d    |\n"
          "| train/       |      |\n|    loss            | %.4f |\n-----------")},
      {"rllab", "reward", 10, 120,
       of("2019-10-01 10:00:00.1 EDT | -------------  -------\n2019-10-01 10:00:00.1 EDT | Iteration      %d\n"
          "2019-10-01 10:00:00.1 EDT | LossAfter      0.5\n2019-10-01 10:00:00.2 EDT | AverageReturn  %.4f\n"
          "2019-10-01 10:00:00.1 EDT | -------------  -------")},
      {"typographic quotes", "loss", 10, 120, of("{‘loss’: %2$.4f, ‘learning_rate’: 1e-05, ‘step’: %1$d}")},
      {"step between name and value", "eval_loss", 10, 120, of("Validation loss %d:  %.4f")},
      {"a bar without a bar", "loss", 10, 120, of("  1%% %d/2774 [14:15<00:00,  3.24it/s, train_loss=%.4f]")},
      {"value before name", "loss", 10, 120, of("%5d 4.40 s run, %.4f loss, 0.0000005 LR, 45.5 GB used")},
      {"the global one of two counters", "loss", 10, 120,
       of("train | inner iter:   7/  8 | ppo epoch:  2/ 4 | global iter: %d/ 5000| tot_loss: %.4f | lr: 1e-4")},
      {"CycleGAN", "G_GAN", 10, 120, of("(epoch: 1, iters: %d, time: 0.078, data: 0.094) G_GAN: %.4f D_real: 0.4")},
      {"espnet", "loss", 10, 120,
       of("[h] 2020-11-11 16:41:00,521 (trainer:486) INFO: 1epoch:train:1-%dbatch: iter_time=0.1, loss=%.4f, "
          "train_time=0.014")},
      {"a thread before the place in the source", "loss", 1, 12,
       of("I0609 07:53:35.956785 140160153200448 hooks.py:260] Lost %d, Loss = %.4f")},
      {"policy loss of PPO", "loss", 10, 120,
       of("{'step': %d, 'objective/kl': 6.8, 'loss/policy_avg': %.4f, 'loss/value_avg': 0.34, 'lr': 9e-06}")},
      {"DLLogger with the loss of the step alone", "loss", 10, 120,
       of("DLL 2022-04-05 02:22:54.614486 - Training Epoch: 1 Training Iteration: %d  step_loss : %.4f  "
          "learning_rate : 1.5e-05")},
      {"YOLO", "box_loss", 1, 12,
       [](int i) {
         const std::string row =
             print("   %2d/100      6.73G     %.4f     0.5911       1.14         11        640: ", i, loss_at(i));
         return "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n" + row +
                " 50%|█████     | 8/16 [00:02<00:02,  2.83it/s]\r" + row +
                "100%|██████████| 16/16 [00:05<00:00,  2.83it/s]\n";
       }},
      {"lit-gpt while the step stands still", "loss", 10, 120,
       of("Epoch 1 | iter %d step 1 | loss train: %.4f, val: n/a | iter time: 45.73 ms")},
  };
}

TEST(LinesFormats, StepAndLossAreFound) {
  for (const Printed& format : printed()) {
    std::string log = "Loading the data\n";
    for (int i = 1; i <= 12; ++i) log += format.lines(i);
    Recording recording = read_bytes("train.log", log);
    const assay::Run run = assemble(recording);
    ASSERT_EQ(run.segments.size(), 1U) << format.name;
    const Series* series = run.segments[0].find(format.metric);
    if (series == nullptr) series = run.segments[0].find(metric::kLoss);
    ASSERT_NE(series, nullptr) << format.name;
    ASSERT_EQ(series->size(), 12U) << format.name;
    EXPECT_EQ(series->step(0), format.first) << format.name;
    EXPECT_EQ(series->step(11), format.last) << format.name;
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(series->value(i), loss_at(static_cast<int>(i) + 1), 1e-4) << format.name;
    }
    EXPECT_EQ(described(read_log(log)), described(read_log(log, 0, true))) << format.name;
    EXPECT_EQ(described(read_log(log)), described(read_log(log, 13))) << format.name;
  }
}

// With what a launcher and the clock of a container put before each line.
std::string marked(const std::string& log, const std::string& mark) {
  std::string out;
  int second = 0;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    out +=
        mark + print("2024-05-01T10:%02d:%02d.123456789Z ", second / 60, second % 60) + log.substr(at, end - at) + '\n';
    ++second;
    at = end + 1;
  }
  return out;
}

TEST(LinesFormats, MarksBeforeEachLineChangeNothing) {
  for (const Printed& format : printed()) {
    std::string log = "Loading the data\n";
    for (int i = 1; i <= 12; ++i) log += format.lines(i);
    if (log.find('\r') != std::string::npos) continue;  // drawn over the mark as well
    const Recording plain = read_log(log);
    for (const char* mark : {"", "[pod/train-0/main] ", "trainer-1  | ", "[rank0]: ", "worker-0: "}) {
      const Recording r = read_log(marked(log, mark));
      ASSERT_EQ(r.rows(), plain.rows()) << format.name << " behind " << mark;
      for (std::size_t i = 0; i < r.rows(); ++i) {
        EXPECT_EQ(r.step[i], plain.step[i]) << format.name << " behind " << mark;
      }
      for (const Series& series : plain.series) {
        EXPECT_EQ(values_of(r, series.metric), values_of(plain, series.metric)) << format.name << " behind " << mark;
      }
    }
  }
}

TEST(LinesFormats, SeveralDictionariesOnALine) {
  std::string log;
  for (int i = 1; i <= 12; ++i) {
    log += print("{'loss': %.4f, 'lr': 1e-05, 'step': %d} ", loss_at(i), i);
    if (i % 3 == 0) log += '\n';
  }
  const Recording r = read_log(log);
  EXPECT_EQ(values_of(r, metric::kLoss).size(), 12U);
  EXPECT_EQ(described(r), described(read_log(log, 0, true)));
}

TEST(LinesFormats, ResultsOfAnEpochTellTrainingAndValidation) {
  std::string log;
  for (int e = 1; e <= 3; ++e) {
    log += print(
        "[h] 2020-11-11 16:41:04,070 (trainer:243) INFO: %depoch results: [train] iter_time=0.001, loss=%.3f, "
        "train_time=0.014, time=1 minute and 44.19 seconds, total_count=52549, [valid] loss=%.3f, "
        "time=3.12 seconds, total_count=1680\n",
        e, 3.0 / e, 3.5 / e);
  }
  const Recording r = read_log(log);
  const std::vector<double> eval = values_of(r, metric::kEvalLoss);
  ASSERT_EQ(eval.size(), 3U);
  EXPECT_DOUBLE_EQ(eval[0], 3.5);
  EXPECT_TRUE(values_of(r, "minute and").empty());
}

TEST(LinesFormats, AHeadingMakesTheNextLineAnEvaluation) {
  std::string log;
  for (int e = 1; e <= 3; ++e) {
    log += print("Epoch %d\n-----\nloss: %.4f  [  64/60000]\nloss: %.4f  [ 640/60000]\n", e, 3.0 / e, 2.9 / e);
    log += print("Test Error: \n Accuracy: %.1f%%, Avg loss: %.4f \n\n", 50.0 + e, 3.1 / e);
  }
  const Recording r = read_log(log);
  EXPECT_EQ(values_of(r, metric::kLoss).size(), 6U);
  EXPECT_EQ(values_of(r, metric::kEvalLoss).size(), 3U);
  EXPECT_EQ(values_of(r, metric::kEvalAccuracy).size(), 3U);
  EXPECT_EQ(described(r), described(read_log(log, 0, true)));
}

// A table is the same table behind a launcher's mark.
TEST(LinesFormats, TablesBehindALaunchersMark) {
  for (const char* mark : {"[rank0]: ", "trainer-1  | ", "worker-7d9f8b-x2k ", "[pod/trainer-7d9f8b6c5d-vrtzq/main] ",
                           "0: ", "[1,0]<stdout>:"}) {
    for (const auto& [header, row] :
         std::vector<std::pair<const char*, const char*>>{{"step,loss,lr", "%d,%.4f,1e-4"},
                                                          {"step   loss   lr", "%4d %.4f 1e-4"},
                                                          {"| step | loss | lr |", "| %4d | %.4f | 1e-4 |"}}) {
      std::string log = mark + std::string("starting, now\n") + mark + header + '\n';
      for (int i = 1; i <= 20; ++i) log += mark + plain(row, i) + '\n';
      const Recording r = read_bytes("train.log", log);
      EXPECT_EQ(values_of(r, metric::kLoss).size(), 20U) << mark << header;
      ASSERT_EQ(r.rows(), 20U) << mark << header;
      EXPECT_EQ(r.step[19], 200) << mark << header;
      EXPECT_TRUE(r.file.problems.empty()) << mark << header;
    }
  }
}

// What is no log of training gives no metric, however many numbers it holds.
TEST(LinesFormats, ChanceIsNoTraining) {
  const auto repeated = [](const char* format) {
    std::string out;
    for (int i = 1; i <= 40; ++i) out += print(format, i, (i * 7919) % 1000) + '\n';
    return out;
  };
  for (const std::string& text : {
           repeated("%d %d"),
           repeated("time=12:00 level=info msg=done id=%d latency=%d.5ms cost=0.5 retries=0"),
           repeated("(Reading database ... %d%%"),
           repeated("src/a%d.cpp:12: warning\n  %d |   float loss = 0.5;"),
           repeated("[       OK ] Suite%d.NonFiniteLoss (%d ms)"),
           repeated("64 bytes from 10.0.0.1: icmp_seq=%d ttl=56 time=%d ms"),
           std::string("We observe that the loss falls from 3.2 to 2.1 within 10000 steps.\n"
                       "With a learning rate of 1e-4 the accuracy of the model reaches 71.3 after that.\n"),
           std::string(
               "import torch\n\ndef train(model, lr=3e-4):\n    loss = 0.0\n    best_loss = 1e9\n    step = 100\n"
               "    return loss\n\nclass Net:\n    accuracy = 0.5\n"),
       }) {
    const Recording r = read_bytes("some.txt", text);
    EXPECT_EQ(r.rows(), 0U) << text.substr(0, 80);
    EXPECT_TRUE(r.events.empty()) << text.substr(0, 80);
  }
}

}  // namespace
}  // namespace assay
