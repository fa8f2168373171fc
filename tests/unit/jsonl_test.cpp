#include "format/tables/jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "format/reader.h"
#include "format/tables/json_scanner.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using testing::ElementsAre;
using Token = JsonScanner::Token;

std::vector<Token> tokens(std::string_view text) {
  JsonScanner scanner(text);
  std::vector<Token> out;
  do {
    out.push_back(scanner.next());
  } while (out.back() != Token::kEnd && out.back() != Token::kCut && out.back() != Token::kError);
  return out;
}

TEST(JsonScannerTest, EveryKindOfValue) {
  EXPECT_THAT(tokens(R"({"a": [1, -2.5e3, "x\"y", true, false, null], "b": {}})"),
              ElementsAre(Token::kObject, Token::kKey, Token::kArray, Token::kNumber, Token::kNumber, Token::kString,
                          Token::kTrue, Token::kFalse, Token::kNull, Token::kEndArray, Token::kKey, Token::kObject,
                          Token::kEndObject, Token::kEndObject, Token::kEnd));
}

TEST(JsonScannerTest, NumbersThatJsonDoesNotKnow) {
  JsonScanner scanner("[NaN, nan, Infinity, -Infinity, inf, -inf, 1e400, -NaN]");
  scanner.next();
  std::vector<double> values;
  while (scanner.next() == Token::kNumber) values.push_back(scanner.number());
  ASSERT_EQ(values.size(), 8U);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1]) && std::isnan(values[7]));
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(std::vector<double>(values.begin() + 2, values.begin() + 7), ElementsAre(kInf, -kInf, kInf, -kInf, kInf));
}

TEST(JsonScannerTest, FaultsAreErrorsAndEndsAreCuts) {
  for (const char* text : {"{'a': 1}", "{\"a\" 1}", "{\"a\": 1 \"b\": 2}", "{\"a\": 01x}", "{\"a\": hello}", "[1}",
                           "{]", "{\"a\": \"open\n\"}", "[--1]", "{1: 2}"}) {
    EXPECT_EQ(tokens(text).back(), Token::kError) << text;
  }
  const std::string whole = R"({"a": [1.5, "x\u00e9", null], "b": NaN})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(tokens(whole.substr(0, length)).back(), Token::kCut) << length;
  }
  EXPECT_EQ(tokens(std::string(100'000, '[')).back(), Token::kError);
}

TEST(JsonLines, LlamaFactoryHidesNanAsZero) {
  const std::string lines =
      R"({"current_steps": 10, "total_steps": 40, "loss": 2.5, "lr": 1e-5, "epoch": 0.1, "percentage": 25.0})"
      "\n"
      R"({"current_steps": 20, "total_steps": 40, "loss": 0.0, "lr": 1e-5, "epoch": 0.2, "percentage": 50.0})"
      "\n";
  const Recording got = read_bytes("trainer_log.jsonl", lines);
  EXPECT_EQ(got.dialect, "llama-factory");
  EXPECT_EQ(got.planned_steps, 40);
  EXPECT_TRUE(has(find_series(got, "loss")->quirks, Quirk::kNanHiddenAsZero));
  const std::string others = R"({"step": 10, "loss": 2.5})"
                             "\n"
                             R"({"step": 20, "loss": 0.0})"
                             "\n";
  const Recording plain = read_bytes("log.jsonl", others);
  EXPECT_FALSE(has(find_series(plain, "loss")->quirks, Quirk::kNanHiddenAsZero));
}

TEST(JsonLines, TimeAndMemoryBesideTheTimeOfData) {
  const std::string lines = R"({"iter": 10, "loss": 2.5, "time": 1.5, "data_time": 0.25, "memory": 5120})"
                            "\n"
                            R"({"iter": 20, "loss": 2.4, "time": 1.5, "data_time": 0.25, "memory": 5120})"
                            "\n";
  const Recording got = read_bytes("20260102.log.json", lines);
  EXPECT_EQ(find_series(got, "step_time")->values[1], 1.5);
  EXPECT_EQ(find_series(got, "memory")->values[1], 5.0);
}

TEST(JsonScannerTest, EscapesBecomeUtf8) {
  EXPECT_EQ(json_unescaped(R"(a\"\\\/\n\u00e9\u4e2d\ud83d\ude00)"), "a\"\\/\n\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80");
  EXPECT_EQ(json_unescaped(R"(\ud83d \udc00)"), "\xef\xbf\xbd \xef\xbf\xbd");
  EXPECT_EQ(json_unescaped("\\u12"), "u12");
  EXPECT_EQ(json_unescaped("\\"), "\\");
}

// A run that logs its progress and nothing else is a run all the same.
TEST(JsonlTest, ProgressAloneIsALog) {
  std::string text;
  for (int i = 1; i <= 12; ++i) {
    text += R"({"current_steps": )" + std::to_string(5 * i) +
            R"(, "total_steps": 250, "percentage": 2.0, "elapsed_time": "0:00:19"})" + "\n";
  }
  const Recording got = read_bytes("trainer_log.jsonl", text);
  EXPECT_EQ(got.file.state, FileState::kRead);
  EXPECT_EQ(got.rows(), 12U);
  EXPECT_EQ(got.step[11], 60);
  EXPECT_EQ(got.planned_steps, 250);
}

TEST(JsonlTest, TrainerLogOldAndNewKeys) {
  const Recording got = read_bytes(
      "trainer_log.jsonl",
      "{\"current_steps\": 5, \"total_steps\": 20, \"loss\": 1.75, \"eval_loss\": null, \"learning_rate\": 5e-05, "
      "\"epoch\": 0.5}\n"
      "{\"current_steps\": 10, \"total_steps\": 20, \"loss\": 1.5, \"lr\": 4e-05, \"epoch\": 1.0, \"elapsed_time\": "
      "\"0:03:29\"}\n"
      "{\"current_steps\": 20, \"total_steps\": 20, \"loss\": null, \"epoch\": 2.0, \"percentage\": 100.0}\n");
  EXPECT_EQ(got.file.kind, "jsonl");
  EXPECT_EQ(got.axis, "current_steps");
  EXPECT_EQ(got.planned_steps, 20);
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(1.75, 1.5));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(5, 10));
  EXPECT_EQ(find_series(got, "eval_loss"), nullptr);
}

TEST(JsonlTest, NestedKeysStringsAndNonFiniteNumbers) {
  const Recording got =
      read_bytes("wandb-history.jsonl",
                 "{\"_step\": 1, \"_timestamp\": 1.7e9, \"train\": {\"loss\": \"2.5\", \"grad_norm\": NaN}}\n"
                 "{\"_step\": 2, \"_timestamp\": 1.7e9, \"train\": {\"loss\": Infinity, \"grad_norm\": \"nan\"}}\n"
                 "{\"_step\": 3, \"_timestamp\": 1.7e9, \"train\": {\"loss\": 2.25, \"grad_norm\": 0.5}, "
                 "\"hist\": {\"_type\": \"histogram\", \"values\": [1, 2, 3]}}\n");
  EXPECT_EQ(got.axis, "_step");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, std::numeric_limits<double>::infinity(), 2.25));
  EXPECT_EQ(find_series(got, "loss")->printed_as, "train/loss");
  EXPECT_EQ(values_of(got, "grad_norm").size(), 3U);
  EXPECT_EQ(find_series(got, "hist/values"), nullptr);
}

TEST(JsonlTest, RowsOfSeveralKindsHaveSeveralShapes) {
  // As mmengine writes: `step` counts iterations in the first kind and epochs in the second.
  const Recording got = read_bytes(
      "scalars.json",
      "{\"lr\": 0.1, \"loss\": 2.5, \"step\": 50}\n{\"lr\": 0.1, \"loss\": 2.25, \"step\": 100}\n"
      "{\"accuracy/top1\": 50.5, \"data_time\": 0.1, \"step\": 1}\n{\"lr\": 0.1, \"loss\": 2.125, \"step\": 150}\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25, 2.125));
  EXPECT_EQ(got.shape[0], got.shape[3]);
  EXPECT_NE(got.shape[0], got.shape[2]);
  EXPECT_EQ(got.step[2], 1);
}

TEST(JsonlTest, EventsAndSettingsBesideTheRows) {
  const Recording got =
      read_bytes("events.jsonl",
                 "{\"event\": \"start\", \"config\": {\"learning_rate\": 0.001, \"optimizer\": \"adamw\"}}\n"
                 "{\"event\": \"train_step\", \"step\": 10, \"train_loss\": 9.25}\n"
                 "{\"event\": \"train_step\", \"step\": 20, \"train_loss\": 9.0}\n{\"event\": \"safe_stop\"}\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(9.25, 9.0));
  ASSERT_NE(got.config.find("learning_rate"), nullptr);
  EXPECT_EQ(got.config.find("learning_rate")->value, "0.001");
  EXPECT_EQ(got.config.find("optimizer")->value, "adamw");
  EXPECT_EQ(got.file.unused_lines, 1);
}

TEST(JsonlTest, AModeKeyTellsEvaluation) {
  const Recording got = read_bytes(
      "log.json",
      "{\"mode\": \"train\", \"step\": 10, \"loss\": 2.5}\n{\"mode\": \"val\", \"step\": 10, \"loss\": 2.75}\n"
      "{\"mode\": \"train\", \"step\": 20, \"loss\": 2.25}\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(2.75));
}

TEST(JsonlTest, LongForm) {
  const Recording got = read_bytes(
      "metrics.jsonl",
      "{\"key\": \"train/loss\", \"value\": 2.5, \"step\": 1}\n{\"key\": \"grad_norm\", \"value\": 0.5, \"step\": 1}\n"
      "{\"key\": \"train/loss\", \"value\": 2.25, \"step\": 2}\n");
  EXPECT_EQ(got.rows(), 2U);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
  EXPECT_THAT(values_of(got, "grad_norm"), ElementsAre(0.5));
}

TEST(JsonlTest, BrokenLinesLoseNothingElse) {
  const std::string text =
      "{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2, \"loss\": }\nnoise\n{\"step\": 3, \"lo{\"step\": 3, \"loss\": "
      "2.25}\n"
      "{\"step\": 4, \"loss\": 2.125}{\"step\": 5, \"loss\": 2.0}\n{\"step\": 6, \"loss\": 1.5} tail\n\n{\"step\": 7, "
      "\"loss\": 1.25}\n";
  const Recording got = read_bytes("m.jsonl", text);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 3, 4, 5, 6, 7));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(1, 4, 5, 5, 6, 8));
  EXPECT_EQ(got.file.unused_lines, 4);
  EXPECT_EQ(got.file.unused[0].first_line, 2);
  EXPECT_THAT(got.file.unused[0].why, testing::HasSubstr("broken JSON"));
  expect_same_for_any_chunk("m.jsonl", text);
}

TEST(JsonlTest, AbsurdStepsKeysAndDepths) {
  std::string text =
      "{\"step\": 1e30, \"loss\": 2.5}\n{\"step\": 2, \"loss\": 1e999}\n{\"step\": \"3\", \"loss\": 2}\n{\"step\": 4, "
      "\"loss\": 2}\n";
  text += "{\"step\": 5, \"loss\": 2, \"deep\": " + std::string(200, '[') + std::string(200, ']') + "}\n";
  std::string wide = "{\"step\": 6, \"loss\": 2";
  for (int i = 0; i < 5000; ++i) wide += ", \"k" + std::to_string(i) + "\": 1";
  const Recording got = read_bytes("m.jsonl", text + wide + "}\n{\"step\": 7, \"loss\": 2}\n");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(kNoStep, 2, 3, 4, 6, 7));
  EXPECT_EQ(values_of(got, "loss")[1], std::numeric_limits<double>::infinity());
  EXPECT_LE(got.series.size(), 4096U);
  EXPECT_EQ(got.file.problem_count, 2);
  EXPECT_EQ(got.file.problems.back().code, ErrorCode::kLimit);
  EXPECT_EQ(got.file.unused[0].why, "broken JSON: nested too deeply");
}

TEST(JsonlTest, ALongLineIsLeftOut) {
  const std::string text = "{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2, \"note\": \"" + std::string(3 << 20, 'x') +
                           "\"}\n{\"step\": 3, \"loss\": 2.25}\n";
  const Recording got = read_bytes("m.jsonl", text);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 3));
  EXPECT_EQ(got.file.unused[0].why, "a line of more than 1 MiB");
  EXPECT_EQ(everything(read_bytes("m.jsonl", text, 65537)), everything(got));
}

TEST(JsonlTest, TheSameForAnyPieces) {
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    text += "{\"step\": " + std::to_string(i) + ", \"loss\": " + std::to_string(3.0 / (i + 1)) +
            (i % 50 == 0 ? ", \"eval_loss\": 3.5" : "") + (i % 301 == 0 ? ", \"x\n" : "}\n");
  }
  expect_same_for_any_chunk("m.jsonl", text);
  EXPECT_GT(read_bytes("m.jsonl", text).rows(), 1980U);
}

TEST(JsonlTest, CutAnywhere) {
  const std::string text =
      "{\"step\": 1, \"loss\": 2.5}\n{\"step\": 2, \"loss\": NaN, \"note\": \"a \\\"quoted\\\" word\"}\n"
      "{\"step\": 3, \"loss\": 2.25, \"n\": {\"x\": [1]}}\n";
  expect_rows_before_any_cut("m.jsonl", text, text.find('\n') + 1);
  const Recording cut = read_bytes("m.jsonl", text.substr(0, text.size() - 8));
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.file.problems.back().where.line, 3);
}

TEST(IsJsonlTest, OnlyLinesOfObjectsThatAreALog) {
  EXPECT_TRUE(is_jsonl("a", "{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": 2}\n", true));
  EXPECT_TRUE(is_jsonl("a.jsonl", "{\"step\": 1, \"loss\": 2}\n", true));
  EXPECT_FALSE(is_jsonl("a", "{'loss': 2.5, 'epoch': 1}\n{'loss': 2.4, 'epoch': 2}\n", true));
  EXPECT_FALSE(is_jsonl("a", "{\"loss\": 2}\ntext\nmore text\nand more\n", true));
  EXPECT_FALSE(is_jsonl("a.jsonl", "{\"text\": \"a document\"}\n{\"text\": \"another\"}\n", true));
  EXPECT_FALSE(is_jsonl("a", "{\n  \"loss\": 2\n}\n", true));
}

}  // namespace
}  // namespace assay
