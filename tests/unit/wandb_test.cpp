#include "format/records/wandb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "format/records/wandb_writer.h"
#include "unit/record_bytes.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using bytes::history;
using bytes::item;
using bytes::little;
using bytes::nested_item;
using bytes::number;
using bytes::text;
using bytes::wandb_file;
using bytes::zip_crc;
using testing::ElementsAre;
using testing::HasSubstr;

Recording read(const std::string& bytes, std::size_t chunk = 0) { return read_bytes("run-1.wandb", bytes, chunk); }

std::string setting_of(const Recording& recording, std::string_view key) {
  const Setting* setting = recording.config.find(key);
  return setting == nullptr ? "(none)" : setting->value;
}

std::string row(std::uint64_t step, std::string_view loss) {
  return bytes::history(step, bytes::item("_step", std::to_string(step)) + bytes::item("loss", loss));
}

std::string console(std::string_view text) { return bytes::text(13, bytes::number(1, 1) + bytes::text(3, text)); }

TEST(WandbTest, HistoryBecomesRows) {
  const std::string file = wandb_file({
      text(21, ""),
      text(17, text(1, "8hx57wy1") + text(3, "demo") + text(17, number(1, 1700000000) + number(2, 500000000))),
      history(0, item("_step", "0") + item("train/loss", "3.5") + item("train/lr", "1e-05") +
                     item("_timestamp", "1.7e+09")),
      text(3, item("train/loss", "3.5")),
      history(1, item("train/lr", "2e-05") + item("_step", "1") + item("train/loss", "\"NaN\"")),
      history(2, item("_step", "2") + item("train/loss", "Infinity") + nested_item({"eval", "loss"}, "4.25")),
      history(3, item("_step", "3") + item("train/loss", "\"-Infinity\"")),
  });
  const Recording got = read(file);
  EXPECT_EQ(got.file.kind, "W&B run file");
  EXPECT_EQ(got.unit, PlaceUnit::kRecord);
  EXPECT_EQ(got.axis, "_step");
  EXPECT_EQ(got.run_id, "8hx57wy1");
  ASSERT_TRUE(got.started.has_value());
  EXPECT_EQ(*got.started, 1700000000.5);
  EXPECT_EQ(got.file.lines, 7);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(3, 5, 6, 7));
  const std::vector<double> loss = values_of(got, "loss");
  EXPECT_EQ(loss[0], 3.5);
  EXPECT_TRUE(std::isnan(loss[1]));
  EXPECT_EQ(loss[2], INFINITY);
  EXPECT_EQ(loss[3], -INFINITY);
  EXPECT_THAT(values_of(got, "learning_rate"), ElementsAre(1e-5, 2e-5));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(4.25));
  EXPECT_FALSE(got.truncated);
  EXPECT_EQ(got.file.problem_count, 0);
}

TEST(WandbTest, TheSameAsItsHistoryAsJsonLines) {
  std::vector<std::string> records;
  std::string lines;
  for (std::uint64_t step = 1; step <= 50; ++step) {
    const std::string loss = std::to_string(5.0 / static_cast<double>(step));
    const std::string at = std::to_string(step * 4);
    const std::string update = std::to_string(step);
    // The newer client puts the names in another order each time.
    const std::string a = bytes::item("_step", at) + bytes::item("loss", loss);
    const std::string b = bytes::item("update_step", update) + bytes::item("lr", "0.004");
    records.push_back(bytes::history(step * 4, step % 2 == 0 ? a + b : b + a));
    lines += R"({"_step": )" + at + R"(, "loss": )" + loss + R"(, "update_step": )" + update + ", \"lr\": 0.004}\n";
  }
  const Recording wandb = read(bytes::wandb_file(records));
  const Recording jsonl = read_bytes("history.jsonl", lines);
  ASSERT_EQ(jsonl.file.kind, "jsonl");
  EXPECT_EQ(wandb.axis, jsonl.axis);
  for (const char* metric : {"loss", "learning_rate", "optimizer_step"}) {
    EXPECT_EQ(values_of(wandb, metric), values_of(jsonl, metric)) << metric;
    EXPECT_EQ(steps_of(wandb, metric), steps_of(jsonl, metric)) << metric;
  }
  for (std::size_t i = 1; i < wandb.rows(); ++i) EXPECT_EQ(wandb.shape[i], wandb.shape[0]);
}

TEST(WandbTest, RecordsOfOneStepAreOneRow) {
  const Recording got = read(wandb_file({
      history(1, item("_step", "1") + item("loss", "3")), history(1, item("eval/loss", "4")),
      history(2, item("_step", "2") + item("loss", "2")), text(2, item("_step", "3") + item("loss", "1")),
      text(2, item("_step", "3") + item("lr", "7")),  // no step of its own: rows of their own
  }));
  EXPECT_EQ(got.rows(), 4U);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3));
  EXPECT_THAT(steps_of(got, "eval_loss"), ElementsAre(1));
  EXPECT_THAT(lines_of(got, "eval_loss"), ElementsAre(1));
}

TEST(WandbTest, AStepThatOnlyTheRecordTellsIsTheAxis) {
  const Recording got = read(
      bytes::wandb_file({bytes::history(5, bytes::item("loss", "3")), bytes::history(6, bytes::item("loss", "2"))}));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(5, 6));
  EXPECT_EQ(got.axis, "_step");
}

TEST(WandbTest, DeepSpeedsMonitorPassesSamplesAsTheStep) {
  std::vector<std::string> records;
  for (std::uint64_t samples = 512; samples <= 1536; samples += 512) {
    records.push_back(
        history(samples, item("_step", std::to_string(samples)) + item("Train/Samples/train_loss", "2.5")));
  }
  const Recording got = read(wandb_file(records));
  EXPECT_EQ(got.axis, "samples");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(512, 1024, 1536));
}

TEST(WandbTest, ConfigurationIsSettings) {
  const std::string config = item("_wandb", R"({"t": 1})") + item("learning_rate", "0.0003") +
                             item("model", R"({"layers": 12, "act": "gelu", "betas": [0.9, 0.95]})") +
                             nested_item({"optim", "eps"}, "1e-08") + item("fp16", "true") + item("seed", "null") +
                             item("broken", "{");
  const Recording got = read(wandb_file({text(17, text(1, "a") + text(4, config)), row(1, "2"),
                                         text(5, item("weight_decay", "0.1") + item("max_steps", "900"))}));
  EXPECT_EQ(setting_of(got, "learning_rate"), "0.0003");
  EXPECT_EQ(setting_of(got, "layers"), "12");
  EXPECT_EQ(setting_of(got, "act"), "gelu");
  EXPECT_EQ(setting_of(got, "adam_beta1"), "0.9");
  EXPECT_EQ(setting_of(got, "adam_beta2"), "0.95");
  EXPECT_EQ(setting_of(got, "fp16"), "true");
  EXPECT_EQ(setting_of(got, "weight_decay"), "0.1");
  EXPECT_EQ(got.planned_steps, 900);
  for (const Setting& one : got.config.settings) EXPECT_THAT(one.key, testing::Not(HasSubstr("wandb")));
  EXPECT_EQ(got.config.settings.front().where.line, 1);
}

TEST(WandbTest, MediaAndSystemMetricsAreCounted) {
  const Recording got = read(wandb_file({
      history(1, item("_step", "1") + item("loss", "3") +
                     item("h", R"({"_type": "histogram", "values": [1], "bins": [1, 2]})")),
      history(2, nested_item({"img", "width"}, "640") + item("_step", "2") + item("loss", "3") +
                     nested_item({"img", "_type"}, "\"image-file\"")),
      history(3, item("_step", "3") + item("loss", "2")),
      text(7, number(1, 0)),
      text(10, text(1, "loss is high")),
  }));
  EXPECT_EQ(got.series.size(), 1U);
  ASSERT_EQ(got.file.unused.size(), 3U);
  EXPECT_EQ(got.file.unused[0].count, 2);
  EXPECT_THAT(got.file.unused[0].why, HasSubstr("histogram"));
  EXPECT_THAT(got.file.unused[1].why, HasSubstr("system"));
  EXPECT_THAT(got.file.unused[2].example, HasSubstr("loss is high"));
}

TEST(WandbTest, TheExitCodeEndsTheRun) {
  const auto ended = [](const std::string& exit) {
    const Recording got = read(bytes::wandb_file({row(1, "2"), bytes::text(18, exit)}));
    EXPECT_EQ(got.events.size(), 1U);
    EXPECT_THAT(got.event_row, ElementsAre(1));
    return got.events.empty() ? Event{} : got.events.front();
  };
  EXPECT_EQ(ended("").kind, EventKind::kRunEnd);
  EXPECT_EQ(ended("").line, 2);
  EXPECT_EQ(ended(bytes::number(1, 1)).kind, EventKind::kAborted);
  EXPECT_EQ(ended(bytes::number(1, 1)).text, "the program ended with an error (exit code 1)");
  EXPECT_EQ(ended(bytes::number(1, 3)).text, "the program ended with an error (exit code 3)");
  EXPECT_EQ(ended(bytes::number(1, 137)).text, "the program was ended by SIGKILL (exit code 137)");
  EXPECT_EQ(ended(bytes::number(1, 143)).text, "the program was ended by SIGTERM (exit code 143)");
  EXPECT_EQ(ended(bytes::number(1, 139)).text, "the program ended with a segmentation fault (exit code 139)");
  EXPECT_EQ(ended(bytes::number(1, 255)).text, "the program was interrupted (KeyboardInterrupt, exit code 255)");
}

TEST(WandbTest, KnownMetricsAreReadBeyondTheLimitOfKeys) {
  std::vector<std::string> records;
  for (std::uint64_t step = 1; step <= 3; ++step) {
    std::string items = item("_step", std::to_string(step));
    for (int i = 0; i < 4200; ++i) items += item("p" + std::to_string(i), "0");
    records.push_back(history(step, items + item("loss", "2.5") + nested_item({"eval", "loss"}, "3.5")));
  }
  const Recording got = read(wandb_file(records));
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.5, 2.5));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(3.5, 3.5, 3.5));
  ASSERT_EQ(got.file.problem_count, 1);
  EXPECT_EQ(got.file.problems[0].code, ErrorCode::kLimit);
  EXPECT_THAT(got.file.problems[0].message, HasSubstr("more than 4096 keys"));
}

TEST(WandbTest, DamageIsCountedInBytesAndZerosAreTold) {
  std::vector<std::string> records;
  for (std::uint64_t step = 0; step < 3000; ++step) records.push_back(row(step, "2.5"));
  const std::string whole = wandb_file(records);
  ASSERT_GT(whole.size(), 3U * 32768U);
  EXPECT_EQ(read(whole).file.lost_bytes, 0);
  std::string flipped = whole;
  flipped[32768 + 100] ^= 1;  // of a chunk; what follows it in its block is lost with it
  const Recording damaged = read(flipped);
  EXPECT_GT(damaged.file.lost_bytes, 32000);
  EXPECT_LE(damaged.file.lost_bytes, 32768 + 7 + 40);
  std::string hole = whole;
  std::fill_n(hole.begin() + 32768, 32768, '\0');
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{1}, std::size_t{4096}}) {
    const Recording got = read(hole, chunk);
    EXPECT_GE(got.file.lost_bytes, 32768) << chunk;
    EXPECT_FALSE(got.truncated) << chunk;
    const Recording padded = read(whole + std::string(50'000, '\0'), chunk);
    EXPECT_TRUE(padded.truncated) << chunk;
    EXPECT_EQ(padded.file.lost_bytes, 0) << chunk;
    ASSERT_EQ(padded.file.problem_count, 1) << chunk;
    EXPECT_THAT(padded.file.problems[0].message, HasSubstr("ends in zeros")) << chunk;
  }
}

TEST(WandbTest, MessagesOfTheConsoleHaveThePlaceOfTheirRecord) {
  const Recording got = read(bytes::wandb_file({
      row(1, "2"),
      console("it"),
      console("er 1\nsaving"),
      row(2, "2"),
      console("\nRuntimeError: before a traceback this is none\nTraceback (most recent call last):\n  File \"a.py\"\n"),
      console("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB\n"),
      row(3, "2"),
  }));
  ASSERT_FALSE(got.events.empty());
  EXPECT_EQ(got.events.back().kind, EventKind::kAborted);
  EXPECT_EQ(got.events.back().line, 6);
  EXPECT_EQ(got.event_row.back(), 2);
  EXPECT_EQ(got.rows(), 3U);
}

TEST(WandbTest, WhatTheWriterWrites) {
  WandbWriter writer;
  const std::array<std::pair<std::string_view, std::string_view>, 1> config{{{"seed", "3"}}};
  writer.run("a", "demo", 1700000000.5, config);
  const std::string long_text(100'000, 'x');  // over four blocks
  for (int step = 1; step <= 400; ++step) {
    const std::string loss = std::to_string(9.0 / step);
    const std::array<std::pair<std::string_view, std::string_view>, 1> items{{{"loss", loss}}};
    writer.history(step, items);
    if (step == 200) writer.console(long_text + "\n");
  }
  writer.config(config);
  writer.exit(0);
  const Recording got = read(writer.bytes());
  EXPECT_EQ(values_of(got, "loss").size(), 400U);
  EXPECT_EQ(got.file.problem_count, 0);
  EXPECT_EQ(setting_of(got, "seed"), "3");
  EXPECT_EQ(*got.started, 1700000000.5);
  ASSERT_EQ(got.events.size(), 1U);
  EXPECT_EQ(got.events[0].kind, EventKind::kRunEnd);
  // The framing, by the other encoder.
  WandbWriter plain;
  std::vector<std::string> records;
  for (std::size_t i = 0; i < 900; ++i) {
    const std::string fields = bytes::text(4, bytes::text(3, std::string(i * 7 % 120, 'a')));
    plain.record(fields);
    records.push_back(bytes::number(1, i + 1) + fields);
  }
  EXPECT_EQ(plain.bytes(), bytes::wandb_file(records));
}

std::string small_file() {
  std::vector<std::string> records = {text(17, text(1, "a") + text(4, item("seed", "3")))};
  for (std::uint64_t step = 1; step <= 5; ++step) records.push_back(row(step, std::to_string(6 - step)));
  records.push_back(text(18, number(1, 1)));
  return wandb_file(records);
}

TEST(WandbTest, EveryPrefixIsReadUpToItsEnd) {
  const std::string whole = small_file();
  std::size_t before = 0;
  for (std::size_t size = 4; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const Recording got = read(cut);
    const std::size_t values = values_of(got, "loss").size();
    EXPECT_GE(values, before) << size;
    before = values;
    for (const std::size_t chunk : {1U, 2U, 3U, 7U, 64U})
      EXPECT_EQ(everything(read(cut, chunk)), everything(got)) << size;
    std::size_t at = 7;
    while (at + 7 <= size) {
      const std::size_t next =
          at + 7 + static_cast<unsigned char>(whole[at + 4]) + 256 * static_cast<unsigned char>(whole[at + 5]);
      if (next > size) break;
      at = next;
    }
    EXPECT_EQ(got.truncated, at != size) << size;
  }
  EXPECT_EQ(before, 5U);
}

TEST(WandbTest, AFlippedByteLosesNothingBeforeIt) {
  const std::string whole = small_file();
  for (std::size_t at = 4; at < whole.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string broken = whole;
      broken[at] = static_cast<char>(broken[at] ^ (1 << bit));
      const Recording got = read(broken);
      const std::vector<double> kept = values_of(got, "loss");
      const std::vector<double> sound = values_of(read(whole.substr(0, at)), "loss");
      ASSERT_GE(kept.size(), sound.size()) << at;
      EXPECT_TRUE(std::equal(sound.begin(), sound.end(), kept.begin())) << at;
      EXPECT_EQ(got.file.problem_count, 1) << at;
      EXPECT_EQ(everything(read(broken, 5)), everything(got)) << at;
    }
  }
}

// Rows over several blocks.
std::string large_file(std::uint64_t rows) {
  std::vector<std::string> records;
  const std::string pad = bytes::item("note", "\"" + std::string(300, 'n') + "\"");
  for (std::uint64_t step = 1; step <= rows; ++step) {
    records.push_back(bytes::history(
        step, bytes::item("_step", std::to_string(step)) + bytes::item("loss", std::to_string(step)) + pad));
  }
  return bytes::wandb_file(records);
}

TEST(WandbTest, ABrokenBlockIsPassedOverAndTold) {
  const std::string whole = large_file(600);
  ASSERT_GT(whole.size(), 6U * 32768);
  for (const std::size_t at : {std::size_t{1000}, std::size_t{32768 + 2}, std::size_t{3 * 32768 - 5}}) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 4);
    const Recording got = read(broken);
    const std::vector<double> loss = values_of(got, "loss");
    EXPECT_GE(loss.size(), 600U - 100);
    EXPECT_LT(loss.size(), 600U);
    EXPECT_EQ(loss.back(), 600);
    EXPECT_EQ(got.file.problem_count, 1);
    EXPECT_LE(got.file.problems[0].where.byte, static_cast<std::int64_t>(at));
    for (const std::size_t chunk : {1U, 7U, 4096U, 40000U}) EXPECT_EQ(everything(read(broken, chunk)), everything(got));
  }
  for (const std::size_t chunk : {1U, 7U, 4096U, 40000U})
    EXPECT_EQ(everything(read(whole, chunk)), everything(read(whole)));
}

TEST(WandbTest, ARecordIsCutInTheMiddleOfABlock) {
  const std::string whole = large_file(200);
  const Recording got = read(whole.substr(0, 32768 + 40));
  EXPECT_TRUE(got.truncated);
  EXPECT_EQ(got.file.problem_count, 1);
  EXPECT_GT(values_of(got, "loss").size(), 80U);
}

TEST(WandbTest, ZerosAtTheEndOfAFileAreThatOfALiveOneAndTold) {
  for (const std::size_t zeros : {1U, 6U, 7U, 100U, 40000U}) {
    const Recording got = read(small_file() + std::string(zeros, '\0'));
    EXPECT_EQ(values_of(got, "loss").size(), 5U) << zeros;
    EXPECT_EQ(got.file.lost_bytes, 0) << zeros;
    EXPECT_EQ(got.file.problem_count, 1) << zeros;
    EXPECT_TRUE(got.truncated) << zeros;
  }
}

TEST(WandbTest, AWriterThatDiedInARecordAndAnotherThatWentOn) {
  std::string file = wandb_file({row(1, "3")});
  const auto chunk = [&](int type, const std::string& data) {
    const std::string checked = static_cast<char>(type) + data;
    file += little(zip_crc(checked), 4) + little(data.size(), 2) + checked;
  };
  chunk(2, "the beginning of a record");
  chunk(1, row(2, "2"));
  chunk(4, "the end of another");
  chunk(9, "no chunk");
  const Recording got = read(file);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3, 2));
  EXPECT_EQ(got.file.problem_count, 2);
}

TEST(WandbTest, OtherVersionsAndRecordsThatAreNoMessages) {
  std::string file = bytes::wandb_file({row(1, "3"), "\xff\xff\xff", bytes::number(2, 7), row(2, "2")});
  file[6] = 1;
  const Recording got = read(file);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3, 2));
  EXPECT_EQ(got.file.problem_count, 2);
  EXPECT_EQ(read(":W&B").file.state, FileState::kNothingRead);
  EXPECT_FALSE(is_wandb("run.wandb", "text", true));
}

}  // namespace
}  // namespace assay
