#include "format/records/event_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "format/records/event_file_writer.h"
#include "format/records/event_frames.h"
#include "unit/record_bytes.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using bytes::event;
using bytes::frame;
using bytes::little;
using bytes::number;
using bytes::real32;
using bytes::real64;
using bytes::scalar;
using bytes::tensor;
using bytes::text;
using bytes::value;
using bytes::varint;
using bytes::version;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Recording read(const std::string& bytes, std::size_t chunk = 0) { return read_bytes("events", bytes, chunk); }

std::string setting_of(const Recording& recording, std::string_view key) {
  const Setting* setting = recording.config.find(key);
  return setting == nullptr ? "(none)" : setting->value;
}

std::string why_left(const Recording& recording) {
  std::string out;
  for (const UnusedKind& kind : recording.file.unused) out += std::to_string(kind.count) + " " + kind.why + "; ";
  return out;
}

TEST(EventFileTest, ScalarsBecomeRowsOfOneStep) {
  std::string bytes = bytes::version();
  for (std::uint64_t step = 1; step <= 3; ++step) {
    const auto x = static_cast<float>(step);
    bytes += bytes::scalar(step, "train/loss", 4 - x) + bytes::scalar(step, "train/learning_rate", x / 8);
    if (step == 2) bytes += bytes::scalar(step, "eval/loss", 7);
  }
  const Recording got = read(bytes);
  EXPECT_EQ(got.file.kind, "TensorBoard event file");
  EXPECT_EQ(got.unit, PlaceUnit::kRecord);
  EXPECT_EQ(got.axis, "step");
  ASSERT_TRUE(got.started.has_value());
  EXPECT_EQ(*got.started, 1700000000.5);
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_EQ(got.file.lines, 8);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3, 2, 1));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(2, 4, 7));
  EXPECT_THAT(values_of(got, "learning_rate"), ElementsAre(0.125, 0.25, 0.375));
  EXPECT_THAT(steps_of(got, "eval_loss"), ElementsAre(2));
  EXPECT_FALSE(got.truncated);
  EXPECT_EQ(got.file.problem_count, 0);
  EXPECT_EQ(got.file.unused_lines, 0);
}

TEST(EventFileTest, WhatTheWriterWrites) {
  EventFileWriter writer(1700000000.5);
  writer.set_time(1700000001);
  writer.scalar("train/loss", 1, 3);
  EXPECT_EQ(writer.bytes(), bytes::version() + bytes::scalar(1, "train/loss", 3));
  writer.scalar("train/loss", 2, NAN);
  writer.text("args/text_summary", 0, R"({"learning_rate": 0.001, "seed": 3})");
  const Recording got = read(writer.bytes());
  ASSERT_EQ(values_of(got, "loss").size(), 2U);
  EXPECT_TRUE(std::isnan(values_of(got, "loss")[1]));
  EXPECT_EQ(setting_of(got, "learning_rate"), "0.001");
  EXPECT_EQ(setting_of(got, "seed"), "3");
}

// Type of types.proto, the fields of the tensor, the number. 1.5 is exact in all.
struct TensorCase {
  const char* name;
  std::uint64_t type;
  std::string fields;
  double number;
};

std::vector<TensorCase> tensor_cases() {
  const std::uint64_t minus_two = static_cast<std::uint64_t>(-2);
  const std::string half = little(0x3e00, 2);
  const std::string bfloat = little(0x3fc0, 2);
  return {
      {"float bytes", 1, text(4, little(std::bit_cast<std::uint32_t>(1.5F), 4)), 1.5},
      {"float packed", 1, text(5, little(std::bit_cast<std::uint32_t>(1.5F), 4)), 1.5},
      {"float plain", 1, real32(5, 1.5F), 1.5},
      {"double bytes", 2, text(4, little(std::bit_cast<std::uint64_t>(1.5), 8)), 1.5},
      {"double packed", 2, text(6, little(std::bit_cast<std::uint64_t>(1.5), 8)), 1.5},
      {"double plain", 2, real64(6, 1.5), 1.5},
      {"int32 bytes", 3, text(4, little(minus_two, 4)), -2},
      {"int32 packed", 3, text(7, varint(minus_two)), -2},
      {"int32 plain", 3, number(7, minus_two), -2},
      {"uint8 bytes", 4, text(4, little(200, 1)), 200},
      {"uint8 plain", 4, number(7, 200), 200},
      {"int16 bytes", 5, text(4, little(minus_two, 2)), -2},
      {"int8 bytes", 6, text(4, little(minus_two, 1)), -2},
      {"int64 bytes", 9, text(4, little(minus_two, 8)), -2},
      {"int64 packed", 9, text(10, varint(minus_two)), -2},
      {"bool bytes", 10, text(4, little(1, 1)), 1},
      {"bool packed", 10, text(11, varint(1)), 1},
      {"bfloat16 bytes", 14, text(4, bfloat), 1.5},
      {"bfloat16 packed", 14, text(13, varint(0x3fc0)), 1.5},
      {"uint16 bytes", 17, text(4, little(50000, 2)), 50000},
      {"half bytes", 19, text(4, half), 1.5},
      {"half plain", 19, number(13, 0x3e00), 1.5},
      {"half subnormal", 19, number(13, 1), 0x1p-24},
      {"uint32 bytes", 22, text(4, little(4000000000, 4)), 4e9},
      {"uint32 packed", 22, text(16, varint(4000000000)), 4e9},
      {"uint64 bytes", 23, text(4, little(~0ULL, 8)), 0x1p64},
      {"uint64 plain", 23, number(17, ~0ULL), 0x1p64},
  };
}

TEST(EventFileTest, EveryTypeThatHoldsAScalar) {
  for (const TensorCase& one : tensor_cases()) {
    const Recording got = read(bytes::version() + bytes::tensor(4, "loss", one.type, one.fields));
    EXPECT_THAT(values_of(got, "loss"), ElementsAre(one.number)) << one.name;
  }
  const std::string inf = bytes::tensor(1, "loss", 19, bytes::number(13, 0xfc00));
  EXPECT_THAT(values_of(read(bytes::version() + inf), "loss"), ElementsAre(-INFINITY));
}

TEST(EventFileTest, TensorsOfSeveralValuesAreCountedAndOfOneElementRead) {
  const auto shaped = [](std::string_view shape) {
    return event(1, value("loss", text(8, number(1, 1) + text(2, shape) + real32(5, 2.5F))));
  };
  const std::string one = text(2, number(1, 1));
  const std::string three = text(2, number(1, 3));
  EXPECT_THAT(values_of(read(version() + shaped(one + one)), "loss"), ElementsAre(2.5));
  const Recording several = read(version() + scalar(1, "lr", 1) + shaped(one + three));
  EXPECT_THAT(values_of(several, "loss"), IsEmpty());
  EXPECT_EQ(why_left(several), "1 a tensor of several values; ");
  // A value in the field of another type is none; a content of the wrong size neither.
  EXPECT_THAT(values_of(read(version() + tensor(1, "loss", 1, real64(6, 1.5))), "loss"), IsEmpty());
  EXPECT_THAT(values_of(read(version() + tensor(1, "loss", 1, text(4, "abc"))), "loss"), IsEmpty());
}

TEST(EventFileTest, WhatIsNoNumberIsCountedByKind) {
  const std::string file = version() + scalar(1, "loss", 1) + event(1, value("h", text(5, "x"))) +
                           event(1, value("i", text(4, ""))) + event(1, value("a", text(6, ""))) +
                           tensor(1, "w", 2, text(2, text(2, number(1, 30)) + text(2, number(1, 3))), "histograms") +
                           tensor(1, "shot", 7, text(8, "PNG"), "images") + frame(real64(1, 2) + text(4, "graph")) +
                           frame(real64(1, 2) + text(6, number(1, 20) + text(2, "hello"))) +
                           tensor(1, "sample", 7, text(8, "Once upon a time there was a king."), "text");
  const Recording got = read(file);
  EXPECT_EQ(why_left(got),
            "2 a histogram; 2 an image; 1 audio; 1 a text that sets nothing; 1 a graph or a profile; 1 a message of "
            "TensorFlow's log; ");
  EXPECT_EQ(got.file.unused_lines, 8);
  EXPECT_THAT(got.file.unused.front().example, HasSubstr("h at byte "));
}

TEST(EventFileTest, AxesOtherThanStepsDoNotSpoilTheSteps) {
  std::string bytes = bytes::version();
  for (std::uint64_t step = 1; step <= 4; ++step) {
    const auto x = static_cast<float>(step);
    bytes += bytes::scalar(step, "lm-loss-training/lm loss", x) +
             bytes::scalar(step * 1024, "lm-loss-training/lm loss vs samples", x) +
             bytes::scalar(step * 4096, "steps-vs-tokens/y=steps,x=tokens", x) +
             bytes::scalar(step, "learning-rate/learning-rate", x) +
             bytes::scalar(step * 1024, "learning-rate/learning-rate vs samples", x) +
             bytes::scalar(step, "grad-norm/grad-norm", x) + bytes::scalar(step, "loss-scale/loss-scale", x) +
             bytes::scalar(step, "batch-size/batch-size", x) + bytes::scalar(step, "iteration-time/iteration-time", x) +
             bytes::scalar(step, "params-norm/params-norm", x) + bytes::scalar(step, "num-zeros/num-zeros", x);
  }
  bytes += bytes::scalar(4, "lm-loss-validation/lm loss validation", 9);
  const Recording got = read(bytes);
  EXPECT_EQ(got.rows(), 4U);
  for (const char* metric : {"loss", "learning_rate", "grad_norm", "loss_scale", "global_batch_size", "step_time",
                             "params_norm", "num_zeros"}) {
    EXPECT_THAT(steps_of(got, metric), ElementsAre(1, 2, 3, 4)) << metric;
  }
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(9));
  EXPECT_EQ(why_left(got), "12 over samples or tokens instead of steps; ");

  const Recording alone = read(bytes::version() + bytes::scalar(1024, "lm loss vs samples", 3) +
                               bytes::scalar(2048, "lm loss vs samples", 2));
  EXPECT_THAT(steps_of(alone, "loss"), ElementsAre(1024, 2048));
  EXPECT_EQ(alone.axis, "samples");
}

// DeepSpeed's monitor counts in samples, and says so in front.
TEST(EventFileTest, TheAxisOfTheTrainingLossIsKept) {
  std::string bytes = bytes::version();
  for (std::uint64_t step = 1; step <= 3; ++step) {
    const auto x = static_cast<float>(step);
    bytes += scalar(step * 512, "Train/Samples/train_loss", 4 - x) + scalar(step * 512, "Train/Samples/lr", x / 8) +
             scalar(step * 512, "Train/Eigenvalues/ModelBlockParam_0", x) + scalar(step, "gpu/temperature", 70);
  }
  const Recording got = read(bytes);
  EXPECT_EQ(got.axis, "samples");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(512, 1024, 1536));
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3, 2, 1));
  EXPECT_THAT(values_of(got, "learning_rate"), ElementsAre(0.125, 0.25, 0.375));
  EXPECT_EQ(why_left(got), "3 on another axis than the loss; ");
  for (std::uint64_t step = 1; step <= 3; ++step) bytes += scalar(step, "train/loss", 2);
  const Recording both = read(bytes);
  EXPECT_EQ(both.axis, "step");
  EXPECT_THAT(values_of(both, "loss"), ElementsAre(2, 2, 2));
  EXPECT_EQ(why_left(both), "9 over samples or tokens instead of steps; ");
}

TEST(EventFileTest, NamesOfFrameworks) {
  const Recording got =
      read(bytes::version() + bytes::scalar(1, "train_loss_step", 3) + bytes::scalar(1, "lm loss validation", 4) +
           bytes::scalar(1, "hp_metric", -1) + bytes::scalar(1, "epoch", 2) + bytes::scalar(1, "iteration-time", 0.5) +
           bytes::scalar(1, "global_step", 1) + bytes::scalar(1, "my own thing", 6));
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(4));
  EXPECT_THAT(values_of(got, "epoch"), ElementsAre(2));
  EXPECT_THAT(values_of(got, "step_time"), ElementsAre(0.5));
  EXPECT_THAT(values_of(got, "my own thing"), ElementsAre(6));
  EXPECT_EQ(find_series(got, "hp_metric"), nullptr);
  EXPECT_EQ(find_series(got, "global_step"), nullptr);  // the step once more
}

TEST(EventFileTest, AResumeInTheSameFileComesAfterWhatWasBefore) {
  std::string bytes = bytes::version();
  const auto train = [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t step = from; step <= to; ++step) {
      bytes += bytes::scalar(step, "loss", static_cast<float>(step)) + bytes::scalar(step, "lr", 1);
      if (step % 4 == 0) bytes += bytes::scalar(step, "eval/loss", 2);
    }
  };
  train(1, 6);
  train(5, 9);  // the evaluation's own steps, 4 and 8, do not fall
  const Recording got = read(bytes);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3, 4, 5, 6, 5, 6, 7, 8, 9));
  EXPECT_EQ(got.rows(), 11U);
  EXPECT_THAT(steps_of(got, "eval_loss"), ElementsAre(4, 8));
}

TEST(EventFileTest, AWriterWithoutStepsGetsRecordNumbers) {
  std::string bytes = bytes::version();
  for (int i = 0; i < 3; ++i) bytes += bytes::scalar(0, "loss", 1) + bytes::scalar(0, "lr", 2);
  const Recording got = read(bytes);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(kNoStep, kNoStep, kNoStep));
  EXPECT_EQ(got.rows(), 3U);
  EXPECT_EQ(got.axis, "");
}

TEST(EventFileTest, KerasKeepsEvaluationInAFolderAndCountsEpochs) {
  std::string bytes = bytes::version();
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    bytes += scalar(epoch, "epoch_loss", 3) + scalar(epoch, "epoch_accuracy", 0.5);
  }
  const Recording train = read_bytes("logs/train/events.out.v2", bytes);
  EXPECT_THAT(values_of(train, "loss"), ElementsAre(3, 3, 3));
  EXPECT_EQ(train.axis, "epoch");
  const Recording evaluation = read_bytes("logs/validation/events.out.v2", bytes);
  EXPECT_THAT(values_of(evaluation, "loss"), IsEmpty());
  EXPECT_THAT(values_of(evaluation, "eval_loss"), ElementsAre(3, 3, 3));
  EXPECT_THAT(steps_of(evaluation, "eval_accuracy"), ElementsAre(0, 1, 2));
  const Recording steps = read(bytes::version() + scalar(100, "epoch_loss", 3) + scalar(200, "epoch_loss", 2));
  EXPECT_EQ(steps.axis, "step");
}

TEST(EventFileTest, SessionsOfTensorFlow) {
  const auto session = [](std::uint64_t step, std::string_view log) {
    return frame(real64(1, 1) + number(2, step) + text(7, log));
  };
  const Recording got = read(version() + session(0, number(1, 1)) + scalar(1, "loss", 2) +
                             session(1, number(1, 3) + text(2, "model.ckpt-1")) + scalar(2, "loss", 1));
  ASSERT_EQ(got.events.size(), 2U);
  EXPECT_EQ(got.events[0].kind, EventKind::kRunStart);
  EXPECT_EQ(got.events[1].kind, EventKind::kCheckpointSaved);
  EXPECT_EQ(got.events[1].text, "model.ckpt-1");
  EXPECT_EQ(got.events[1].step, 1);
  EXPECT_THAT(got.event_row, ElementsAre(0, 1));
}

std::string small_file() {
  std::string bytes = bytes::version() + bytes::tensor(0, "seed/text_summary", 7, bytes::text(8, "3"), "text");
  for (std::uint64_t step = 1; step <= 6; ++step) {
    bytes += bytes::scalar(step, "loss", static_cast<float>(step)) + bytes::scalar(step, "eval/loss", 1);
  }
  return bytes;
}

TEST(EventFileTest, EveryPrefixIsReadUpToItsEnd) {
  const std::string whole = small_file();
  std::size_t before = 0;
  for (std::size_t size = 20; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const Recording got = read(cut);
    const std::string said = everything(got);
    const std::size_t values = values_of(got, "loss").size();
    EXPECT_GE(values, before) << size;
    before = values;
    for (const std::size_t chunk : {1U, 2U, 3U, 7U, 13U, 64U})
      EXPECT_EQ(everything(read(cut, chunk)), said) << size << " by " << chunk;
    bool boundary = false;
    for (std::size_t at = 0; at <= size; at += 16 + static_cast<unsigned char>(whole[at])) {
      boundary = boundary || at == size;
      if (at == whole.size()) break;
    }
    EXPECT_EQ(got.truncated, !boundary) << size;
    EXPECT_EQ(got.file.problem_count, boundary ? 0 : 1) << size;
  }
  EXPECT_EQ(before, 6U);
}

TEST(EventFileTest, AFlippedByteCostsOneRecordAndIsTold) {
  const std::string whole = small_file();
  const Recording good = read(whole);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string broken = whole;
      broken[at] = static_cast<char>(broken[at] ^ (1 << bit));
      const Recording got = read(broken);
      if (got.file.kind != "TensorBoard event file") {  // the very first header, and no word of the version
        EXPECT_LT(at, 12U);
        continue;
      }
      const std::size_t kept = values_of(got, "loss").size() + values_of(got, "eval_loss").size();
      EXPECT_GE(kept + 1, 12U) << at;
      ASSERT_EQ(got.file.problem_count, 1) << at;
      EXPECT_EQ(everything(read(broken, 5)), everything(got)) << at;
      const Error& told = got.file.problems.front();
      EXPECT_LE(told.where.byte, static_cast<std::int64_t>(at));
      EXPECT_GE(told.where.byte, static_cast<std::int64_t>(at) - 200);
    }
  }
}

TEST(EventFileTest, ABrokenRecordIsToldWithItsPlace) {
  std::string file = bytes::version() + bytes::scalar(1, "loss", 1);
  const std::size_t second = file.size();
  file += bytes::scalar(2, "loss", 2) + bytes::scalar(3, "loss", 3);
  file[second + 20] = static_cast<char>(file[second + 20] ^ 1);
  const Recording got = read(file);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 3));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(2, 4));
  ASSERT_EQ(got.file.problems.size(), 1U);
  EXPECT_EQ(got.file.problems[0].where.byte, static_cast<std::int64_t>(second));
  EXPECT_THAT(got.file.problems[0].message, HasSubstr("checksum"));
}

TEST(EventFileTest, JunkBetweenRecordsIsPassedOver) {
  const std::string before = bytes::version() + bytes::scalar(1, "loss", 1);
  const std::string junk(1000, 'j');
  const std::string file = before + junk + bytes::scalar(2, "loss", 2) + bytes::scalar(3, "loss", 3);
  for (const std::size_t chunk : {0U, 1U, 11U, 12U, 13U, 999U}) {
    const Recording got = read(file, chunk);
    EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3)) << chunk;
    ASSERT_EQ(got.file.problems.size(), 1U);
    EXPECT_EQ(got.file.problems[0].where.byte, static_cast<std::int64_t>(before.size()));
    EXPECT_THAT(got.file.problems[0].message, HasSubstr("1000 bytes"));
  }
}

TEST(EventFileTest, ZerosAtTheEndAreAFileStillWritten) {
  const std::string file = bytes::version() + bytes::scalar(1, "loss", 1) + std::string(500, '\0');
  const Recording got = read(file);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(1));
  EXPECT_TRUE(got.truncated);
  EXPECT_EQ(got.file.problem_count, 1);
}

TEST(EventFileTest, AbsurdLengthsTakeNoMemory) {
  using bytes::castagnoli;
  const auto header = [](std::uint64_t size) {
    const std::string length = bytes::little(size, 8);
    const std::uint32_t c = castagnoli(length);
    return length + bytes::little(((c >> 15) | (c << 17)) + 0xa282ead8U, 4);
  };
  const std::string before = bytes::version() + bytes::scalar(1, "loss", 1);
  for (const std::uint64_t size : {std::uint64_t{1} << 30, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    const Recording got = read(before + header(size) + bytes::scalar(2, "loss", 2));
    EXPECT_EQ(values_of(got, "loss").front(), 1);
    EXPECT_EQ(got.file.problem_count, 1);
  }
  // Too long to matter, but whole: what follows is read.
  const std::string big(EventFrames::kLongest + 1, 'b');
  const Recording got = read(before + bytes::frame(big) + bytes::scalar(2, "loss", 2), 1 << 16);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(1, 2));
  EXPECT_EQ(why_left(got), "1 a record of more than 16 MiB; ");
}

TEST(EventFileTest, RecordsThatAreNoMessagesAreTold) {
  const Recording got =
      read(version() + frame("\xff\xff\xff") + frame(text(5, "\x0a\x7f")) + frame(std::string("\x0b", 1)) +
           scalar(1, "loss", 2) + frame(number(1, 5) + number(5, 7) + text(2, "x")));  // every field of another type
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2));
  EXPECT_EQ(got.file.problem_count, 3);
}

TEST(EventFileTest, DataSetsOfTheSameFramingAreNone) {
  const std::string example = bytes::text(1, bytes::text(1, bytes::text(1, "feature")));
  const std::string file = bytes::frame(example) + bytes::frame(example);
  EXPECT_FALSE(is_event_file("x", file, true));
  EXPECT_TRUE(is_event_file("x", bytes::version(), true));
  EXPECT_FALSE(is_event_file("x", "a log that says nothing of it\n", true));
}

TEST(EventFileTest, MoreTagsThanTheLimitAreToldAndTheFirstKept) {
  std::string file = bytes::version() + bytes::scalar(1, "loss", 1);
  for (int i = 0; i < 8300; ++i) file += bytes::scalar(1, "layer." + std::to_string(i), 1);
  const Recording got = read(file);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(1));
  EXPECT_EQ(got.series.size(), 8192U);
  EXPECT_EQ(got.file.problem_count, 1);
}

TEST(EventFileTest, KnownMetricsAreReadWhereverTheyStand) {
  std::string file = bytes::version();
  for (int step = 1; step <= 2; ++step) {
    for (int i = 0; i < 8300; ++i) file += bytes::scalar(static_cast<std::uint64_t>(step), "p" + std::to_string(i), 0);
    file += bytes::scalar(static_cast<std::uint64_t>(step), "train/loss", 3);
    file += bytes::scalar(static_cast<std::uint64_t>(step), "eval/loss", 4);
    file += bytes::scalar(static_cast<std::uint64_t>(step), "Train/Samples/lr", 5);
  }
  const Recording got = read(file);
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(3, 3));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(4, 4));
  ASSERT_EQ(got.file.problem_count, 1);
  EXPECT_EQ(got.file.problems[0].code, ErrorCode::kLimit);
  EXPECT_THAT(got.file.problems[0].message, HasSubstr("216 of their values were left out, the first of 'p8192'"));
  // Known names may be spelt in many ways: they have a limit, too.
  for (int i = 0; i < 5000; ++i) {
    std::string name = "loss";
    for (int bit = 0; bit < 13; ++bit) name = ((i >> bit & 1) != 0 ? "perf/" : "optim/") + name;
    file += bytes::scalar(3, name, 1);
  }
  EXPECT_LE(read(file).series.size(), 8192U + 1024U);
}

TEST(EventFileTest, NamesThatTellNothingAreToldByName) {
  std::string bytes = version();
  for (std::uint64_t step = 1; step <= 3; ++step) {
    bytes += scalar(step, "train/loss", 3) + scalar(step, "train/time", 1) + scalar(step, "eval/runtime", 1);
  }
  const Recording got = read(bytes);
  EXPECT_THAT(got.file.left_out, ElementsAre("train/time", "eval/runtime"));
  EXPECT_EQ(got.file.left_out_count, 2);
  EXPECT_EQ(got.file.unused_lines, 0);
}

TEST(EventFileTest, DamageIsCountedInBytes) {
  std::string bytes = version() + scalar(1, "loss", 3);
  const std::size_t from = bytes.size();
  bytes += scalar(2, "loss", 3);
  const std::size_t to = bytes.size();
  bytes += scalar(3, "loss", 3);
  EXPECT_EQ(read(bytes).file.lost_bytes, 0);
  bytes[to - 6] ^= 1;  // in the data: the record alone is lost
  EXPECT_EQ(read(bytes).file.lost_bytes, static_cast<std::int64_t>(to - from - 16));
  bytes[to - 6] ^= 1;
  bytes.insert(to, 100, 'x');
  EXPECT_EQ(read(bytes).file.lost_bytes, 100);
}

TEST(EventFileTest, TheFolderMayNameEvaluation) {
  std::string bytes = version();
  for (std::uint64_t step = 1; step <= 3; ++step) bytes += scalar(step, "Loss", 3) + scalar(step, "train/loss", 2);
  const auto metrics = [&](const std::string& path) {
    std::string out;
    for (const Series& one : read_bytes(path, bytes).series) out += one.metric + " (" + one.printed_as + ") ";
    return out;
  };
  for (const char* folder : {"validation", "runs/Loss_validation", "runs/a-val", "runs/Loss_test"}) {
    EXPECT_THAT(metrics(std::string(folder) + "/events.out.tfevents.1"), HasSubstr("eval_loss (Loss)")) << folder;
  }
  for (const char* folder : {"train", "runs/smoke_test", "runs/Loss_train", "val/runs", "interval"}) {
    EXPECT_THAT(metrics(std::string(folder) + "/events.out.tfevents.1"), HasSubstr("loss (Loss)")) << folder;
    EXPECT_THAT(metrics(std::string(folder) + "/events.out.tfevents.1"), Not(HasSubstr("eval_loss"))) << folder;
  }
}

}  // namespace
}  // namespace assay
