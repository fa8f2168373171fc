#include "format/tables/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "format/tables/csv_layout.h"
#include "format/tables/number.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Csv, DeepSpeedsMonitorCountsSamples) {
  for (const std::string_view header :
       {"step,Train/Samples/train_loss", "Step,run1 - Train/Samples/train_loss", "_step,Train/Samples/train_loss"}) {
    EXPECT_EQ(read_bytes("m.csv", std::string(header) + "\n512,2.5\n1024,2.4\n1536,2.3\n").axis, "samples");
  }
  const std::string one = "step,train_loss\n512,2.5\n1024,2.4\n1536,2.3\n";
  EXPECT_EQ(read_bytes("csv_monitor/Train_Samples_train_loss.csv", one).axis, "samples");
  EXPECT_EQ(read_bytes("train_loss.csv", one).axis, "step");
  const std::string both = "train/global_step,Train/Samples/train_loss,_step\n1,2.5,512\n2,2.4,1024\n3,2.3,1536\n";
  EXPECT_EQ(read_bytes("m.csv", both).axis, "train/global_step");
}

TEST(ParseNumberTest, EverySpelling) {
  EXPECT_EQ(parse_number(" 1.5e-3 "), 1.5e-3);
  EXPECT_EQ(parse_number("+7"), 7.0);
  EXPECT_EQ(parse_number("12,345"), 12345.0);
  EXPECT_EQ(parse_number("-1,234,567.5"), -1234567.5);
  EXPECT_EQ(parse_number("12.5%"), 12.5);
  EXPECT_EQ(parse_number("1e400"), kInf);
  EXPECT_EQ(parse_number("-1e400"), -kInf);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("-Infinity"), -kInf);
  EXPECT_EQ(parse_number("inf"), kInf);
  EXPECT_EQ(parse_number("1.#INF"), kInf);
  for (const char* text : {"nan", "NaN", "NAN", "-nan", "-1.#IND", "1.#QNAN"}) {
    ASSERT_TRUE(parse_number(text).has_value()) << text;
    EXPECT_TRUE(std::isnan(*parse_number(text))) << text;
  }
  for (const char* text :
       {"", "1,23", "1,2345", ",123", "12,345,6", "0x10", "1.2.3", "nano", "1e", "--1", "loss", "1 2"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
  }
  EXPECT_EQ(parse_number("2,5", true), 2.5);
  EXPECT_EQ(parse_number("1.234,5", true), 1234.5);
}

TEST(SplitRecordTest, QuotesOfRfc4180) {
  std::vector<CsvCell> cells;
  EXPECT_TRUE(split_record("a,\"b,\"\"c\"\"\nd\", e ,", ',', cells));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[1].text, "b,\"\"c\"\"\nd");
  EXPECT_EQ(cells[2].text, "e ");
  EXPECT_EQ(cells[3].text, "");
  EXPECT_FALSE(split_record("a,\"b", ',', cells));
  EXPECT_TRUE(split_record("5\" disk,1", ',', cells));
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_TRUE(split_record("  1   2.5 ", ' ', cells));
  ASSERT_EQ(cells.size(), 2U);
}

TEST(CsvTest, StepsValuesAndLines) {
  const Recording got = read_bytes("run.csv", "step,loss,grad_norm\n10,2.5,0.4\n20,2.25,\n30,nan,inf\n");
  EXPECT_EQ(got.file.kind, "csv");
  EXPECT_EQ(got.axis, "step");
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(10, 20, 30));
  EXPECT_THAT(lines_of(got, "grad_norm"), ElementsAre(2, 4));
  EXPECT_TRUE(std::isnan(values_of(got, "loss")[2]));
  EXPECT_EQ(values_of(got, "grad_norm")[1], kInf);
  EXPECT_EQ(got.file.problem_count, 0);
  EXPECT_EQ(got.file.unused_lines, 0);
  EXPECT_EQ(got.file.lines, 4);
}

TEST(CsvTest, EveryDelimiterLineEndAndMark) {
  const std::string expected = "4 step 3 rank -1 loss=1.500000 learning_rate=0.001000";
  for (const std::string& text : {
           std::string("step,loss,lr\n1,2.5,0.001\n2,2,0.001\n3,1.5,0.001\n"),
           std::string("step\tloss\tlr\r\n1\t2.5\t0.001\r\n2\t2\t0.001\r\n3\t1.5\t0.001\r\n"),
           std::string("step;loss;lr\n1;2,5;0,001\n2;2;0,001\n3;1,5;0,001\n"),
           std::string("\xef\xbb\xbfstep|loss|lr\n1|2.5|0.001\n2|2|0.001\n3|1.5|0.001\n"),
           std::string("step   loss  lr\n1   2.5  0.001\n2   2  0.001\n3   1.5  0.001\n"),
           std::string("\"step\", \"loss\", \"lr\"\n1, \"2.5\", 0.001\n2, \"2\", 0.001\n3, \"1.5\", 0.001"),
       }) {
    const Recording got = read_bytes("metrics", text);
    ASSERT_EQ(got.rows(), 3U) << text;
    EXPECT_EQ(row_text(got, 2), expected) << text;
    EXPECT_EQ(got.file.problem_count, 0) << text;
  }
}

TEST(CsvTest, ACommaBetweenSemicolonsIsADecimalPoint) {
  EXPECT_THAT(values_of(read_bytes("a.csv", "step;loss\n1;2,345\n2;2,125\n"), "loss"), ElementsAre(2.345, 2.125));
  EXPECT_THAT(values_of(read_bytes("a.csv", "step;loss\n1;2,345.5\n2;2,125.5\n"), "loss"), ElementsAre(2345.5, 2125.5));
}

TEST(CsvTest, MarkdownTable) {
  const Recording got = read_bytes(
      "table.md",
      "| Step | Training Loss | Validation Loss |\n|---|:---:|---|\n| 500 | 2.5 | 2.6 |\n| 1,000 | 2.1 | 2.3 |\n");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(500, 1000));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(2.6, 2.3));
}

TEST(CsvTest, OfSeveralColumnsOfOneMeaningTheMainOneHasIt) {
  const Recording got = read_bytes("m.csv",
                                   "global_step,grad_norm,loss,lr,train/loss,validation/loss,test/loss\n"
                                   "0,6.1,0.56,0.0,,,\n1,,,,0.55,0.554,0.555\n1,6.2,0.54,0.1,,,\n2,3.6,0.41,0.2,,,\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(0.56, 0.54, 0.41));
  EXPECT_THAT(values_of(got, "train/loss"), ElementsAre(0.55));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(0.554));
  EXPECT_THAT(values_of(got, "test/loss"), ElementsAre(0.555));
  EXPECT_EQ(got.axis, "global_step");
}

TEST(CsvTest, ARowWithoutLossIsStillARow) {
  const Recording got = read_bytes("m.csv", "step,loss,lr\n1,2.5,0.1\n2,,0.1\n3,,0.1\n");
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_EQ(values_of(got, "loss").size(), 1U);
  EXPECT_EQ(values_of(got, "learning_rate").size(), 3U);
}

TEST(CsvTest, CommentsRepeatedAndChangedHeaders) {
  const Recording got = read_bytes("m.csv",
                                   "# a run\nstep,loss\n1,2.5\n\n# resumed\n2,2.4\nstep,loss\n1,2.6\n"
                                   "step,lr,loss\n2,0.5,2.3\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.4, 2.6, 2.3));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(values_of(got, "learning_rate"), ElementsAre(0.5));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(3, 6, 8, 10));
}

TEST(CsvTest, RaggedRowsGoIntoTheLedgerWithTheirLine) {
  const Recording got =
      read_bytes("m.csv", "step,loss,lr\n1,2.5,0.1\n2,2.4\n3,2.3,0.1,7,8\n4,2.2,0.1,\nKilled\n5,oops,0.1\n6,2.0,0.1\n");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 4, 6));
  ASSERT_EQ(got.file.problems.size(), 2U);
  EXPECT_EQ(got.file.problems[0].where.line, 3);
  EXPECT_EQ(got.file.problems[1].where.line, 7);
  ASSERT_EQ(got.file.unused.size(), 2U);
  EXPECT_EQ(got.file.unused[0].first_line, 4);
  EXPECT_EQ(got.file.unused[1].first_line, 6);
}

TEST(CsvTest, AQuotedCellMaySpanLinesAndAnUnclosedOneLosesOneLine) {
  const Recording spanning = read_bytes("m.csv", "step,loss,note\n1,2.5,\"two\nlines, \"\"quoted\"\"\"\n2,2.4,\n");
  EXPECT_THAT(lines_of(spanning, "loss"), ElementsAre(2, 4));
  const std::string open = "step,loss,note\n1,2.5,ok\n2,2.4,\"never closed\n3,2.3,ok\n4,2.2,ok\n";
  const Recording got = read_bytes("m.csv", open);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 3, 4));
  EXPECT_EQ(got.file.unused[0].first_line, 3);
  expect_same_for_any_chunk("m.csv", open);
}

TEST(CsvTest, NumbersWithoutAHeader) {
  std::string text;
  for (int i = 1; i <= 6; ++i) text += std::to_string(i * 10) + "," + std::to_string(3.0 - i * 0.25) + ",0.5\n";
  const Recording got = read_bytes("losses.txt", text);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_EQ(find_series(got, "loss")->printed_as, "column 2");
  EXPECT_EQ(values_of(got, "column 3").size(), 6U);
  EXPECT_EQ(got.axis, "column 1");
  const Recording named = read_bytes("losses.txt", "# step,loss,lr\n" + text);
  EXPECT_EQ(find_series(named, "loss")->printed_as, "loss");
  EXPECT_EQ(values_of(named, "learning_rate").size(), 6U);
}

TEST(CsvTest, ASplitColumnTellsTrainingFromEvaluation) {
  const Recording got =
      read_bytes("m.csv", "step,loss,split,lr\n50,12.6,train,0.1\n50,12.9,val,\n100,11.0,train,0.1\n100,11.5,val,\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(12.6, 11.0));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(12.9, 11.5));
}

TEST(CsvTest, LongFormMetricByMetricIsNoRestart) {
  const Recording got = read_bytes("export.csv",
                                   "metric,value,step,timestamp\nloss,2.5,1,100\nloss,2.4,2,101\nloss,2.3,3,102\n"
                                   "grad_norm,0.5,1,100\ngrad_norm,0.6,2,101\ngrad_norm,0.7,3,102\n");
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_EQ(row_text(got, 1), "3 step 2 rank -1 loss=2.400000 grad_norm=0.600000");
}

TEST(CsvTest, TensorBoardExportTakesItsMetricFromTheName) {
  const Recording got =
      read_bytes("a/run-1-tag-train_loss.csv", "Wall time,Step,Value\n1700000000.1,1,2.5\n1700000001.1,2,2.25\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2));
}

TEST(CsvTest, TensorBoardExportWithoutATagIsTakenForTheLoss) {
  const std::string text = "Wall time,Step,Value\n1700000000.1,1,2.5\n1700000001.1,2,2.25\n";
  const Recording got = read_bytes("a/download.csv", text);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
  EXPECT_EQ(find_series(got, "loss")->printed_as, "Value");
  EXPECT_EQ(find_series(read_bytes("run-1-tag-queue_size.csv", text), "loss"), nullptr);
}

TEST(CsvTest, TrackerExportNamesTheRunInTheColumn) {
  const Recording got = read_bytes("wandb.csv",
                                   "\"Step\",\"brave-sun-1 - train/loss\",\"brave-sun-1 - train/loss__MIN\"\n"
                                   "\"1\",\"2.5\",\"2.5\"\n\"2\",\"2.25\",\"2.25\"\n");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
}

TEST(CsvTest, TheStepThatDoesNotStartAgainIsTheAxis) {
  const Recording got = read_bytes("m.csv", "epoch,step,global_step,loss\n0,1,1,3\n0,2,2,2.9\n1,1,3,2.8\n1,2,4,2.7\n");
  EXPECT_EQ(got.axis, "global_step");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3, 4));
  const Recording micro = read_bytes("m.csv", "_step,update_step,loss\n4,1,3\n8,2,2.9\n12,3,2.8\n");
  EXPECT_EQ(micro.axis, "_step");
  EXPECT_THAT(values_of(micro, "optimizer_step"), ElementsAre(1, 2, 3));
}

TEST(CsvTest, ByEpochWhereThereIsNoStep) {
  const Recording got = read_bytes("history.csv", "epoch,loss,val_loss\n0,3,3.1\n1,2.5,2.8\n2,2.2,2.6\n");
  EXPECT_EQ(got.axis, "epoch");
  EXPECT_THAT(steps_of(got, "eval_loss"), ElementsAre(0, 1, 2));
}

TEST(CsvTest, RanksAndPlannedSteps) {
  const Recording got =
      read_bytes("m.csv", "rank,step,total_steps,loss\n0,1,100,2.5\n1,1,100,2.6\n0,2,100,2.4\n1,2,100,2.5\n");
  EXPECT_EQ(got.rank[1], 1);
  EXPECT_EQ(got.planned_steps, 100);
  EXPECT_EQ(find_series(got, "rank"), nullptr);
}

TEST(CsvTest, ATableOfRunsIsNoLog) {
  std::string text = "name,N,D,lr,bs,loss\n";
  for (int i = 0; i < 12; ++i) {
    text += "exp" + std::to_string(i) + ",1000000,2000000," + (i % 2 == 0 ? "0.001" : "0.004") + "," +
            std::to_string(64 << (i % 3)) + "," + std::to_string(2.5 + 0.01 * (i % 5)) + "\n";
  }
  const Recording got = read_bytes("grid.csv", text);
  EXPECT_EQ(got.rows(), 0U);
  EXPECT_EQ(got.file.state, FileState::kNothingRead);
  EXPECT_THAT(got.file.error->message, testing::HasSubstr("table of runs"));
}

TEST(CsvTest, ATableOfSomethingElseSaysWhichColumnsItHas) {
  const Recording got = read_bytes("people.csv", "name,height\nann,1.7\nbob,1.8\n");
  EXPECT_EQ(got.file.state, FileState::kNothingRead);
  EXPECT_THAT(got.file.error->message, testing::HasSubstr("name, height"));
}

TEST(CsvTest, TextWithDelimitersIsNoTable) {
  const std::string log = " iteration 1/ 10 | loss: 2.5 | lr: 0.1 |\n iteration 2/ 10 | loss: 2.4 | lr: 0.1 |\n";
  EXPECT_FALSE(is_csv("train.log", log, true));
  EXPECT_FALSE(is_csv("train.log", "step 1, loss 2.5\nstep 2, loss 2.4\nstep 3, loss 2.2\n", true));
  EXPECT_FALSE(is_csv("notes.txt", "Dear all,\nthe loss, as you know, went up,\nagain.\n", true));
}

TEST(CsvTest, AbsurdNumbersAndNames) {
  const Recording got = read_bytes("m.csv",
                                   "step,loss,\xff\xfe,\n1e30,2.5,1,\n2,1e400,1,\n3,2,1,\n4,2,1,\n5,2,1,\n"
                                   "9007199254740992,2,1,\n9007199254740993000,2,1,\n9007199254740992,1,1,\n");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(kNoStep, 2, 3, 4, 5, 9007199254740992, kNoStep, 9007199254740992));
  EXPECT_EQ(values_of(got, "loss")[1], kInf);
  EXPECT_EQ(got.file.problem_count, 2);
  EXPECT_EQ(got.series.back().metric, "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(CsvTest, ALongLineIsLeftOutAndTheNextOneRead) {
  const std::string text = "step,loss,note\n1,2.5,x\n2,2.4," + std::string(3 << 20, 'x') + "\n3,2.3,x\n";
  const Recording got = read_bytes("m.csv", text);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 3));
  EXPECT_EQ(got.file.unused[0].why, "a line of more than 1 MiB");
  EXPECT_EQ(everything(read_bytes("m.csv", text, 65537)), everything(got));
}

TEST(CsvTest, ThousandsOfColumnsAreBounded) {
  std::string header = "step,loss";
  std::string row = "1,2.5";
  for (int i = 0; i < 5000; ++i) {
    header += ",c" + std::to_string(i);
    row += ",1";
  }
  const Recording got = read_bytes("wide.csv", header + "\n" + row + "\n");
  EXPECT_LE(got.series.size(), 4096U);
  EXPECT_GT(got.file.problem_count, 0);
}

TEST(CsvTest, TheSameForAnyPieces) {
  std::string text = "step,loss,note,lr\n";
  for (int i = 0; i < 4000; ++i) {
    text += std::to_string(i) + "," + std::to_string(3.0 / (i + 1)) + (i % 97 == 0 ? ",\"a, b\"," : ",plain,") +
            (i % 3 == 0 ? "" : "0.001") + (i % 501 == 0 ? "\r\n" : "\n");
  }
  expect_same_for_any_chunk("m.csv", text);
  EXPECT_EQ(read_bytes("m.csv", text).rows(), 4000U);
}

TEST(CsvTest, FastAndSlowRowsAgree) {
  std::string plain = "step,loss,grad_norm\n";
  std::string quoted = plain;
  for (int i = 0; i < 300; ++i) {
    const std::string step = std::to_string(i);
    const std::string loss = std::to_string(1.0 / (i + 3)) + "e-" + std::to_string(i % 30);
    const std::string norm = i % 7 == 0 ? "" : std::to_string(i * 12345.678);
    plain += step + "," + loss + "," + norm + "\n";
    quoted += "\"" + step + "\",\"" + loss + "\",\"" + norm + "\"\n";
  }
  EXPECT_EQ(everything(read_bytes("m.csv", plain)), everything(read_bytes("m.csv", quoted)));
}

TEST(CsvTest, CutAnywhere) {
  const std::string text =
      "step,loss,note,lr\n1,2.5,plain,0.1\n2,2.25,\"quoted, \"\"text\"\"\",0.1\n3,2.125,,0.1\n4,nan,x,\n5,2.0,y,0.1\n";
  expect_rows_before_any_cut("m.csv", text, text.find('\n') + 1);
  const Recording cut = read_bytes("m.csv", text.substr(0, text.size() - 6));
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.file.problems.back().where.line, 6);
}

TEST(CsvTest, OfSeveralRunsOneIsReadAndTheOthersAreNamed) {
  std::string text =
      "\"Step\",\"a - _step\",\"a - lr\",\"b - train/loss\",\"b - train/loss__MIN\",\"b - train/loss__MAX\","
      "\"c - d - train/loss\"\n";
  for (int i = 1; i <= 5; ++i) text += "\"" + std::to_string(i) + "\",\"7\",\"0.1\",\"3\",\"2\",\"4\",\"5\"\n";
  const Recording got = read_bytes("chart.csv", text);
  EXPECT_EQ(got.axis, "Step");
  ASSERT_EQ(got.series.size(), 1U);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3, 3, 3, 3, 3));
  ASSERT_EQ(got.file.problem_count, 1);
  EXPECT_EQ(got.file.problems[0].code, ErrorCode::kLimit);
  EXPECT_EQ(got.file.problems[0].message, "the table holds 3 runs: 'b' is judged, not 'a', 'c - d'");
  EXPECT_THAT(got.file.left_out, ElementsAre("b - train/loss__MIN", "b - train/loss__MAX"));

  const Recording one = read_bytes("chart.csv", "Step,r - loss,r - loss__MIN,r - loss__MAX\n1,3,2,4\n2,3,2,4\n");
  EXPECT_EQ(one.file.problem_count, 0);
  EXPECT_THAT(values_of(one, "loss"), ElementsAre(3, 3));
  EXPECT_EQ(one.series.size(), 1U);
}

TEST(CsvTest, StepsMayBeNegativeOrStandStill) {
  const Recording negative = read_bytes("m.csv", "step,loss\n-3,5\n-2,4\n-1,3\n0,2\n");
  EXPECT_THAT(steps_of(negative, "loss"), ElementsAre(-3, -2, -1, 0));
  const Recording still = read_bytes("m.csv", "step,loss\n7,5\n7,4\n7,3\n7,2\n");
  EXPECT_THAT(steps_of(still, "loss"), ElementsAre(7, 7, 7, 7));
  EXPECT_EQ(still.axis, "step");
}

}  // namespace
}  // namespace assay
