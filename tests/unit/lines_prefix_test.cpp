// What containers and loggers put before a line is no part of what the program says.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "format/lines/logger_prefix.h"
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

TEST(LinesPrefix, TheClockOfAContainerIsFoundAndNoOtherClock) {
  using lines::container_stamp;
  EXPECT_EQ(container_stamp("2024-05-01T10:00:00.123456789Z   lr 1"), "2024-05-01T10:00:00.123456789Z ");
  EXPECT_EQ(container_stamp("2024-05-01T10:00:00Z lr 1"), "2024-05-01T10:00:00Z ");
  EXPECT_EQ(container_stamp("2024-05-01T10:00:00.12+08:00 stdout F lr 1"), "2024-05-01T10:00:00.12+08:00 stdout F ");
  EXPECT_EQ(container_stamp("2024-05-01T10:00:00.123 lr 1"), "");
  EXPECT_EQ(container_stamp("2024-05-01 10:00:00Z lr 1"), "");
  EXPECT_EQ(container_stamp("2024-05-01T10:00:00Z"), "");
}

TEST(LinesPrefix, TheMessageStandsBehindTheLogger) {
  using lines::logged_message;
  for (const std::string_view prefix : {"2024-05-01 10:00:00,123 INFO  ", "2024-05-01 10:00:00,123 - root - INFO - ",
                                        "[INFO] [x.py:3] ", "INFO:root:", "2024-05-01T10:00:00 ",
                                        "[2024-05-01 10:00:00] ", "INFO: ", "[2024-05-01 10:00:00,123][INFO][x] "}) {
    EXPECT_EQ(logged_message(std::string(prefix) + "lr ... 0.1"), "lr ... 0.1") << prefix;
  }
  EXPECT_EQ(logged_message("lr ... 0.1"), "lr ... 0.1");
  EXPECT_EQ(logged_message("INFORMATION 1"), "INFORMATION 1");
  EXPECT_EQ(logged_message("level='INFO' lr"), "level='INFO' lr");
}

TEST(LinesPrefix, ADumpIsReadBehindStampsAndLoggers) {
  for (const std::string prefix : {"2024-05-01T10:00:00Z ", "2024-05-01 10:00:00,123 INFO ", "[rank0]: 2024-05-01 ",
                                   "[rank0]: 2024-05-01T10:00:00.123456789Z ", "2024-05-01 10:00:00 - x - INFO - "}) {
    std::string dump = prefix + "------------------------ arguments ------------------------\n";
    dump += prefix + "  adam_beta1 ...................................... 0.9\n";
    dump += prefix + "  micro_batch_size ................................ 4\n";
    const Recording whole = read_log(dump);
    EXPECT_EQ(setting_of(whole, setting::kAdamBeta1), "0.9") << prefix;
    EXPECT_EQ(setting_of(whole, setting::kMicroBatchSize), "4") << prefix;
    const Recording alone = read_log(dump.substr(dump.find('\n') + 1));  // without the rule above it
    EXPECT_EQ(setting_of(alone, setting::kAdamBeta1), "0.9") << prefix;
  }
  const Recording sentence = read_log("2024-05-01 10:00:00 reading database ... 5\nstep 1 loss 2.5\nstep 2 loss 2.4\n");
  EXPECT_TRUE(sentence.config.settings.empty());
}

TEST(LinesPrefix, ALogOfAContainerIsReadAsIfItHadNoClock) {
  const std::vector<std::string> lines = {"weight_decay: 0.1",
                                          "step 10: train loss 4.0390, val loss 4.0427",
                                          "iter 10: loss 3.8853, time 1096.65ms, mfu 15.34%",
                                          "{\"step\": 11, \"loss\": 3.5}",
                                          "{",
                                          "  \"step\": 12,",
                                          "  \"loss\": 3.25",
                                          "}",
                                          "iter 13: loss 3.1250, time 1096.65ms, mfu 15.34%",
                                          "Traceback (most recent call last):",
                                          "  File \"train.py\", line 10, in <module>",
                                          "    step(loss=1.0)",
                                          "RuntimeError: stop"};
  for (const std::string mark : {"", "[pod/train-0/main] ", "trainer-1  | ", "[rank0]: "}) {
    std::string log;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      log += mark + "2024-05-01T10:00:" + std::to_string(10 + i) + ".12345678" + std::to_string(i % 10) + "Z " +
             lines[i] + "\n";
    }
    const Recording r = read_log(log);
    EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{3.8853, 3.5, 3.25, 3.125})) << mark;
    EXPECT_EQ(values_of(r, metric::kEvalLoss), (std::vector<double>{4.0427})) << mark;
    ASSERT_EQ(r.rows(), 5U) << mark;
    EXPECT_EQ(r.step[3], 12) << mark;
    EXPECT_EQ(setting_of(r, setting::kWeightDecay), "0.1") << mark;
    ASSERT_EQ(r.events.size(), 1U) << mark;
    EXPECT_EQ(r.events[0].kind, EventKind::kAborted) << mark;
  }
}

TEST(LinesPrefix, TheFileOfAContainerHoldsTheLinesOfAProgram) {
  const auto line = [](const std::string& log) {
    return R"({"log":")" + log + R"(\n","stream":"stdout","time":"2025-05-01T10:00:00.123456789Z"})" + "\n";
  };
  const Recording r = read_log(line(R"({\"step\": 10, \"loss\": 2.5})") + line(R"({\"step\": 20, \"loss\": 2.25})") +
                               line("iter 30: loss 2.1250, time 1096.65ms, mfu 15.34%") +
                               line(R"(train: 37/500 [00:10\u003c02:00, 3.7it/s, loss=2.0]\rtrain: 38/500)") +
                               line("RuntimeError: CUDA out of memory"));
  EXPECT_EQ(values_of(r, metric::kLoss), (std::vector<double>{2.5, 2.25, 2.125, 2.0}));
  EXPECT_EQ(r.step[2], 30);
  EXPECT_EQ(r.file.lines, 5);
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_FALSE(lines::container_json(R"({"log":"cut)").has_value());
  EXPECT_FALSE(lines::container_json(R"({"log":"x","loss":1})").has_value());
}

}  // namespace
}  // namespace assay
