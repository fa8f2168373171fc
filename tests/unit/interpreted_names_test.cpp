// What a log's names hide, from its text to the run: parts of a loss, a loss called accuracy, units of losses that are
// none of tokens, epochs that count the records, a run that was started twice.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "assay/metric.h"
#include "format/reader.h"
#include "measure/assemble.h"
#include "unit/lines_generators.h"

namespace assay {
namespace {

using lines_test::loss_at;
using lines_test::print;

Run run_of(std::string_view path, const std::string& text) {
  Recording recording = read_bytes(std::string(path), text);
  return assemble(recording);
}

bool tells(const Run& run, std::string_view key) {
  for (const Interpretation& one : run.interpretations) {
    if (one.key == key) return true;
  }
  return false;
}

const Series* find(const Run& run, std::string_view metric) { return run.segments.back().find(metric); }

const std::string kDetector =
    "epoch, train/box_loss, train/cls_loss, train/dfl_loss, metrics/mAP50(B), val/box_loss, val/cls_loss, "
    "val/dfl_loss, "
    "lr/pg0, lr/pg1\n"
    "1, 1.5, 2.25, 0.5, 0.3, 1.0, 2.0, 0.5, 0.001, 0.002\n"
    "2, 1.25, 2.0, 0.5, 0.4, 1.0, 1.5, 0.5, 0.002, 0.002\n"
    "3, 1.0, nan, 0.5, 0.5, 1.0, 1.25, 0.5, 0.003, 0.002\n";

TEST(InterpretedNames, TheLossOfADetectorIsTheSumOfItsParts) {
  const assay::Run run = run_of("results.csv", kDetector);
  const Series* loss = find(run, metric::kLoss);
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->value(0), 4.25);
  EXPECT_EQ(loss->value(1), 3.75);
  EXPECT_TRUE(std::isnan(loss->value(2)));
  EXPECT_EQ(loss->step(2), 3);
  EXPECT_EQ(loss->unit, Unit::kNone);
  ASSERT_NE(find(run, metric::kEvalLoss), nullptr);
  EXPECT_EQ(find(run, metric::kEvalLoss)->value(2), 2.75);
  EXPECT_EQ(find(run, metric::kLearningRate)->value(2), 0.003);
  EXPECT_NE(find(run, "train/box_loss"), nullptr);
  EXPECT_TRUE(tells(run, "loss-sum-of-parts"));
}

TEST(InterpretedNames, ATotalOfTheFilesOwnIsTheLoss) {
  const assay::Run run =
      run_of("results.csv", "epoch,train/box_loss,train/cls_loss,train/loss\n1,1,2,7\n2,1,2,6\n3,1,1,5\n");
  EXPECT_EQ(find(run, metric::kLoss)->value(0), 7);
  EXPECT_FALSE(tells(run, "loss-sum-of-parts"));
  // A part that is missing here and there would make the sum jump.
  const assay::Run gaps = run_of("results.csv", "epoch,train/box_loss,train/cls_loss\n1,1,2\n2,1,\n3,1,1\n");
  EXPECT_EQ(find(gaps, metric::kLoss), nullptr);
}

TEST(InterpretedNames, TheTableOfAConsoleHasNoLossOfBoxesAlone) {
  std::string log;
  for (int i = 1; i <= 4; ++i) {
    log += "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size\n";
    log += print(
        "       %d/9      9.95G     -0.25       %.4f      0.5         12        640: 100%%|##########| 787/787 "
        "[09:07<00:00,  1.44it/s]\n",
        i, loss_at(i));
  }
  const assay::Run run = run_of("train.log", log);
  ASSERT_NE(find(run, metric::kLoss), nullptr);
  EXPECT_NEAR(find(run, metric::kLoss)->value(0), 0.25 + loss_at(1), 1e-3);
  EXPECT_EQ(find(run, metric::kMemory)->value(0), 9.95);
}

std::string benchmark(const char* name) {
  std::string log = print(
      ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"submission_benchmark\", \"value\": "
      "\"%s\", \"metadata\": {}}\n",
      name);
  for (int i = 1; i <= 4; ++i) {
    log += print(
        ":::MLLOG {\"event_type\": \"POINT_IN_TIME\", \"key\": \"eval_accuracy\", \"value\": %.3f, "
        "\"metadata\": {\"samples_count\": %d}}\n",
        0.75 - 0.01 * i, 128 * i);
  }
  return log;
}

TEST(InterpretedNames, TheAccuracyOfALanguageModelsBenchmarkIsALoss) {
  const assay::Run run = run_of("result_0.txt", benchmark("gpt3"));
  ASSERT_NE(find(run, metric::kEvalLoss), nullptr);
  EXPECT_EQ(find(run, metric::kEvalAccuracy), nullptr);
  EXPECT_TRUE(tells(run, "accuracy-is-loss"));
  EXPECT_NE(find(run_of("result_0.txt", benchmark("resnet")), metric::kEvalAccuracy), nullptr);
}

Unit unit_of(const std::string& text) {
  const assay::Run run = run_of("metrics.csv", text);
  const Series* loss = find(run, metric::kLoss);
  return loss == nullptr ? Unit::kSteps : loss->unit;
}

TEST(InterpretedNames, NatsAreOfTokens) {
  EXPECT_EQ(unit_of("step,loss\n1,10.8\n2,10.5\n3,9.8\n"), Unit::kNats);
  EXPECT_EQ(unit_of("step,loss\n1,142.5\n2,120\n3,96\n"), Unit::kNone);
  EXPECT_EQ(unit_of("step,loss\n1,0.5\n2,-0.25\n3,0.125\n"), Unit::kNone);
  EXPECT_EQ(unit_of("step,loss,reward\n1,0.5,1\n2,0.25,1.5\n3,0.125,2\n"), Unit::kNone);
  EXPECT_EQ(unit_of("step,loss,loss_bbox\n1,2.5,1\n2,2.25,0.5\n3,2.125,0.25\n"), Unit::kNone);
  // A program that trains language models alone is believed: its weights may start too large.
  std::string log;
  for (int i = 1; i <= 4; ++i) log += print("step:%d/90 train_loss:%.4f train_time:13ms step_avg:1.5ms\n", i, 22.5 / i);
  EXPECT_EQ(find(run_of("run.log", log), metric::kLoss)->unit, Unit::kNats);
}

TEST(InterpretedNames, RecordsAtTheEndsOfEpochsAreCountedByThem) {
  std::string log;
  for (int i = 21; i <= 24; ++i) {
    log += print("Epoch %d/100\n423/423 [==============================] - 186s 439ms/step - loss: %.4f - acc: 0.6\n",
                 i, loss_at(i));
  }
  const assay::Run run = run_of("fit.log", log);
  ASSERT_EQ(run.segments.size(), 1U);
  EXPECT_EQ(run.segments[0].axis, "Epoch");
  EXPECT_EQ(find(run, metric::kLoss)->first_step(), 21);
  EXPECT_EQ(find(run, metric::kLoss)->last_step(), 24);
  EXPECT_FALSE(tells(run, "step-not-counting"));
}

std::string epochs(std::initializer_list<int> numbers) {
  std::string log;
  int line = 0;
  for (const int epoch : numbers) log += print("Epoch %3d | Final Loss: %.4f\n", epoch, 15.0 + 0.5 * ++line);
  return log;
}

TEST(InterpretedNames, ARunOfOneRecordBeforeTheRun) {
  EXPECT_EQ(run_of("a.log", epochs({1, 1, 2, 3, 4})).segments.size(), 2U);
  EXPECT_EQ(run_of("a.log", epochs({1, 1, 1, 2, 3})).segments.size(), 3U);
  EXPECT_EQ(run_of("a.log", epochs({1, 1, 2, 2, 3, 3})).segments.size(), 1U);  // two records of each
  EXPECT_EQ(run_of("a.log", epochs({1, 2, 2, 3, 4})).segments.size(), 1U);
}

TEST(InterpretedNames, ALossOfNoTokensIsNone) {
  const assay::Run run = run_of(
      "m.csv",
      "step,loss,loss/cn,tokens/cn,loss/en,tokens/en\n1,3.5,nan,0,3.5,10\n2,3.25,3,5,nan,10\n3,3.125,nan,0,3,10\n");
  ASSERT_NE(find(run, "loss/cn"), nullptr);
  EXPECT_EQ(find(run, "loss/cn")->size(), 1U);
  EXPECT_EQ(find(run, "loss/en")->size(), 3U);  // NaN of ten tokens is one
}

TEST(InterpretedNames, StepsThatAreSkippedForTheirNorm) {
  std::string log;
  for (int i = 1; i <= 4; ++i) {
    log += print(
        "- INFO - { Epoch:[  1/  2], step:[%5d/ 6500], loss: %.3f, per_step_time: 7637ms, lr: 1e-05, overflow "
        "cond: False, loss_scale: 1.0, global_norm: [44.3], train_throughput_per_npu: 2.8T\n",
        i, loss_at(i));
    log += "- INFO - opt_global_step: 0, skip_data_grad_norm_threshold: 3.0, is_skip: [ True]\n";
    log += print(
        "- INFO - Current global norm [44.3] of step %d has been %d consecutive times greater than threshold: "
        "3.0\n",
        i, i);
  }
  const assay::Run run = run_of("mf.log", log);
  const Series* skipped = find(run, metric::kSkippedSteps);
  ASSERT_NE(skipped, nullptr);
  ASSERT_EQ(skipped->size(), 4U);
  EXPECT_EQ(skipped->value(3), 1);
  EXPECT_EQ(skipped->step(3), 4);
  EXPECT_EQ(find(run, "has been"), nullptr);
}

}  // namespace
}  // namespace assay
