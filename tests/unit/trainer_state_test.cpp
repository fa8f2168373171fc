#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "format/tables/json_history.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kState = R"({
  "best_metric": null,
  "epoch": 2.0,
  "eval_steps": 500,
  "global_step": 4,
  "log_history": [
    {
      "epoch": 0.5,
      "grad_norm": 1.5,
      "learning_rate": 1e-05,
      "loss": 2.5,
      "step": 1
    },
    {
      "epoch": 1.0,
      "grad_norm": NaN,
      "learning_rate": 2e-05,
      "loss": 0.0,
      "step": 2
    },
    {
      "epoch": 1.0,
      "eval_loss": 2.25,
      "eval_runtime": 3.5,
      "step": 2
    },
    {
      "epoch": 2.0,
      "step": 4,
      "total_flos": 1e+17,
      "train_loss": 2.375,
      "train_runtime": 100.5
    }
  ],
  "logging_steps": 1,
  "max_steps": 4,
  "num_train_epochs": 2,
  "stateful_callbacks": {"TrainerControl": {"args": {"should_log": false}}},
  "train_batch_size": 8
}
)";

TEST(TrainerStateTest, HistorySettingsAndQuirk) {
  const Recording got = read_bytes("checkpoint-4/trainer_state.json", kState);
  EXPECT_EQ(got.file.kind, "trainer_state.json");
  EXPECT_EQ(got.axis, "step");
  EXPECT_EQ(got.planned_steps, 4);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 0.0));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(7, 14));
  EXPECT_TRUE(has(find_series(got, "loss")->quirks, Quirk::kNanHiddenAsZero));
  EXPECT_TRUE(std::isnan(values_of(got, "grad_norm")[1]));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(2.25));
  EXPECT_THAT(values_of(got, "train_loss"), ElementsAre(2.375));  // the mean of the run is no step's loss
  ASSERT_NE(got.config.find("micro_batch_size"), nullptr);
  EXPECT_EQ(got.config.find("micro_batch_size")->value, "8");
  EXPECT_EQ(got.config.find("log_interval")->where.line, 35);
  EXPECT_EQ(got.file.problem_count, 0);
}

TEST(TrainerStateTest, InOneLineAndInAnyPieces) {
  std::string flat;
  for (const char c : kState) flat += c == '\n' ? ' ' : c;
  EXPECT_THAT(steps_of(read_bytes("trainer_state.json", flat), "loss"), ElementsAre(1, 2));
  expect_same_for_any_chunk("trainer_state.json", kState);
}

TEST(TrainerStateTest, CutAnywhereKeepsTheEntriesBefore) {
  const Recording whole = read_bytes("trainer_state.json", kState);
  const std::size_t history = kState.find("log_history") + 20;
  for (std::size_t length = history; length + 2 < kState.size(); ++length) {
    const std::string text = kState.substr(0, length);
    const Recording cut = read_bytes("trainer_state.json", text);
    std::size_t entries = 0;
    for (std::size_t at = history; (at = text.find("    }", at)) != std::string::npos; ++at) ++entries;
    ASSERT_EQ(cut.rows(), entries) << length;
    for (std::size_t row = 0; row < entries; ++row) {
      ASSERT_EQ(cut.step[row], whole.step[row]) << length;
      ASSERT_EQ(cut.line[row], whole.line[row]) << length;
    }
    if (entries >= 2) {
      ASSERT_THAT(values_of(cut, "loss"), ElementsAre(2.5, 0.0)) << length;
    }
    ASSERT_TRUE(cut.truncated) << length;
  }
}

TEST(TrainerStateTest, ABrokenDocumentKeepsTheEntriesBefore) {
  std::string text = kState;
  text.replace(text.find("\"eval_loss\": 2.25"), 11, "\"eval_loss'");
  const Recording got = read_bytes("trainer_state.json", text);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 0.0));
  ASSERT_EQ(got.file.problems.size(), 1U);
  EXPECT_THAT(got.file.problems[0].message, HasSubstr("broken JSON"));
}

TEST(JsonDocumentTest, AListOfRecords) {
  const Recording got = read_bytes("history.json", R"([{"step": 1, "loss": 2.5}, {"step": 2, "loss": "2.25"}])");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
}

TEST(JsonDocumentTest, ACurveThatTensorBoardExports) {
  const std::string text = "[[1700000000.1, 10, 2.5], [1700000001.1, 20, \"NaN\"], [1700000002.1, 30, 2.25]]";
  const Recording got = read_bytes("download.json", text);
  ASSERT_EQ(values_of(got, "loss").size(), 3U);
  EXPECT_TRUE(std::isnan(values_of(got, "loss")[1]));
  EXPECT_EQ(find_series(got, "loss")->printed_as, "value");
  EXPECT_EQ(steps_of(got, "loss").back(), 30);
  EXPECT_EQ(values_of(read_bytes("run-1-tag-grad_norm.json", text), "grad_norm").size(), 3U);
  EXPECT_EQ(read_bytes("boxes.json", "[[1, 2, 3.5], [2, 3, 4.5]]").rows(), 0U);
}

TEST(JsonDocumentTest, GoldenValues) {
  const Recording got = read_bytes("golden.json", R"({
    "lm loss": {"start_step": 1, "end_step": 11, "step_interval": 5, "values": {"1": 10.5, "6": 10.25, "11": "nan"}},
    "num-zeros": {"start_step": 1, "end_step": 11, "step_interval": 5, "values": [7, 8, 9]}
  })");
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 6, 11));
  EXPECT_THAT(steps_of(got, "num_zeros"), ElementsAre(1, 6, 11));
  EXPECT_EQ(find_series(got, "loss")->printed_as, "lm loss");
}

TEST(JsonDocumentTest, ListsByMetricWithAndWithoutSteps) {
  const Recording bare = read_bytes("baseline.json", R"({"lm loss": [10.5, 10.25, 10], "time info": [1, 1, 1]})");
  EXPECT_THAT(values_of(bare, "loss"), ElementsAre(10.5, 10.25, 10));
  EXPECT_EQ(bare.rows(), 3U);
  const Recording stepped = read_bytes("history.json", R"({"step": [10, 20], "loss": [3, 2.5], "val_loss": [3.5, 3]})");
  EXPECT_THAT(steps_of(stepped, "eval_loss"), ElementsAre(10, 20));
  EXPECT_EQ(stepped.axis, "step");
}

TEST(JsonDocumentTest, PlainValuesAreSettings) {
  const Recording got =
      read_bytes("run.hparams.json", R"({"learning_rate": 1.5, "nested": {"beta1": 0.9}, "nesterov": true})");
  EXPECT_EQ(got.file.kind, "json settings");
  EXPECT_EQ(got.file.state, FileState::kRead);
  EXPECT_EQ(got.config.find("adam_beta1")->value, "0.9");
  EXPECT_EQ(got.config.find("nesterov")->value, "true");
}

TEST(JsonDocumentTest, OneRecordAlone) {
  const Recording got = read_bytes("last.json", R"({"step": 10, "loss": 2.5})");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(10));
}

TEST(JsonDocumentTest, AVocabularyIsNoSettings) {
  std::string text = "{";
  for (int i = 0; i < 3000; ++i) text += "\"token" + std::to_string(i) + "\": " + std::to_string(i) + ",";
  text.back() = '}';
  const Recording got = read_bytes("vocab.json", text);
  EXPECT_EQ(got.file.state, FileState::kNothingRead);
  EXPECT_TRUE(got.config.settings.empty());
}

TEST(IsJsonDocumentTest, ATimeStampInBracketsIsNone) {
  EXPECT_FALSE(is_json_document("train.log", "[2024-01-02 03:04:05] iteration 1\n", true));
  EXPECT_FALSE(is_json_document("train.log", "[INFO] start\n", true));
  EXPECT_FALSE(is_json_document("train.log", "[1] first\n[2] second\n", true));
  EXPECT_FALSE(is_json_document("train.log", "{'loss': 2.5}\n", true));
  EXPECT_FALSE(is_json_document("train.log", "{\"args\": 1}\niteration 1 loss 2.5\n", true));
  EXPECT_TRUE(is_json_document("state.json", "{\n  \"epoch\": 1,\n  \"log_history\": [\n", false));
}

}  // namespace
}  // namespace assay
