// NVIDIA's DLLogger: its console and its JSON lines; steps are lists of epoch and iteration.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "lines_helpers.h"

namespace assay {
namespace {

using lines_test::read_log;
using lines_test::values_of;

std::string setting_of(const Recording& recording, std::string_view key) {
  for (const Setting& one : recording.config.settings) {
    if (one.key == key) return one.value;
  }
  return {};
}

std::string json(const char* mark, const char* step, const char* data) {
  return std::string(mark) +
         R"( {"timestamp": "1591200000.1", "datetime": "2020-06-03 16:09:10", "elapsedtime": "1.0", "type": "LOG", )" +
         R"("step": )" + step + R"(, "data": {)" + data + "}}\n";
}

TEST(Dllogger, ALineOfParametersTellsAllOfThem) {
  const Recording r = read_log(
      "DLL 2020-06-03 16:09:10.353998 - PARAMETER learning_rate : 0.006  train_batch_size : 64  max_steps : 7038 \n"
      "DLL 2020-06-03 16:09:10.353998 - PARAMETER warmup_proportion : 0.2843 \n");
  EXPECT_EQ(setting_of(r, setting::kLearningRate), "0.006");
  EXPECT_EQ(setting_of(r, setting::kGlobalBatchSize), "64");
  EXPECT_EQ(setting_of(r, setting::kTrainSteps), "7038");
}

TEST(Dllogger, AListOfTwoIsEpochAndIteration) {
  for (const char* mark : {"DLLL", "DLL"}) {
    std::string log = json(mark, R"("PARAMETER")", R"("learning_rate": 0.006, "batch_size": 64)");
    log += json(mark, "[0, 7]", R"("loss": 1.75, "lr": 0.1)") + json(mark, "[0, 8]", R"("loss": 1.5, "lr": 0.1)");
    log += json(mark, "[1, 1]", R"("loss": 1.25, "lr": 0.1)") + json(mark, "[1]", R"("loss": 1.4, "val_loss": 1.6)");
    const Recording r = read_log(log);
    EXPECT_EQ(r.dialect, "dllogger");
    EXPECT_EQ(setting_of(r, setting::kLearningRate), "0.006") << mark;
    EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{1.75, 1.5, 1.25})) << mark;
    EXPECT_EQ(values_of(r, "epoch_loss"), (std::vector<double>{1.4})) << mark;
    EXPECT_EQ(values_of(r, metric::kEvalLoss), (std::vector<double>{1.6})) << mark;
    EXPECT_EQ(values_of(r, metric::kEpoch), (std::vector<double>{0, 0, 1, 1})) << mark;
    EXPECT_EQ(r.step[0], 7);
    EXPECT_EQ(r.step[2], 1);
  }
}

TEST(Dllogger, AFileOfListsOfOneCountsSteps) {
  const Recording r =
      read_log(json("DLLL", "[10]", R"("train_loss": 1.75)") + json("DLLL", "[20]", R"("train_loss": 1.5)") +
               json("DLLL", "[30]", R"("train_loss": 1.25)"));
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{1.75, 1.5, 1.25}));
  EXPECT_TRUE(values_of(r, metric::kEpoch).empty());
  EXPECT_EQ(r.step[2], 30);
}

TEST(Dllogger, TheConsolePrintsThemAsATuple) {
  const Recording r = read_log(
      "DLL 2023-06-03 16:09:11.353998 - (0, 7) loss : 1.75  lr : 0.0035 \n"
      "DLL 2023-06-03 16:09:12.353998 - (0, 8) loss : 1.5  lr : 0.0035 \n"
      "DLL 2023-06-03 16:09:13.353998 - (1,) val_loss : 1.25 \n");
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{1.75, 1.5}));
  EXPECT_EQ(values_of(r, metric::kEvalLoss), (std::vector<double>{1.25}));
  EXPECT_EQ(r.step[1], 8);
}

TEST(Dllogger, OtherListsOfStepsAreReadTheSameWay) {
  const Recording r = read_log("{'step': [0, 10], 'loss': 2.5}\n{'step': [0, 20], 'loss': 2.25}\n");
  EXPECT_EQ(r.step[0], 10);
  EXPECT_EQ(r.step[1], 20);
  EXPECT_EQ(values_of(r, metric::kEpoch), (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace assay
