#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/bytes.h"
#include "base/progress.h"
#include "format/foreign.h"
#include "unit/compressed.h"
#include "unit/recordings.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kTable = "step,loss\n1,2.5\n2,2.25\n3,2.125\n";

class ReadFileTest : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const { return folder_.write(name, bytes); }
  static Recording read(const std::string& path) { return read_file(path, {.named = true}); }
  TempFolder folder_;
};

TEST_F(ReadFileTest, PlainAndCompressedGiveTheSame) {
  const Recording plain = read(write("m.csv", kTable));
  EXPECT_EQ(plain.file.state, FileState::kRead);
  EXPECT_EQ(plain.file.bytes, static_cast<std::int64_t>(kTable.size()));
  EXPECT_EQ(plain.file.records, 3);
  const Recording gzip = read(write("m.gz", gzipped(kTable)));
  const Recording zstd = read(write("m.zst", zstandard(kTable)));
  EXPECT_EQ(gzip.file.codec, "gzip");
  EXPECT_EQ(zstd.file.codec, "zstd");
  EXPECT_EQ(everything(gzip), everything(plain));
  EXPECT_EQ(everything(zstd), everything(plain));
}

TEST_F(ReadFileTest, ACutArchiveKeepsItsRowsAndSaysWhere) {
  std::string text = "step,loss\n";
  for (int i = 1; i < 50'000; ++i) text += std::to_string(i) + "," + std::to_string(1.0 / i) + "\n";
  for (const std::string& packed : {gzipped(text), zstandard(text)}) {
    const Recording got = read(write("m.csv.gz", packed.substr(0, packed.size() * 3 / 4)));
    EXPECT_TRUE(got.truncated);
    EXPECT_GT(got.rows(), 20'000U);
    ASSERT_EQ(got.file.problem_count, 1);
    EXPECT_EQ(got.file.problems[0].where.byte, static_cast<std::int64_t>(packed.size() * 3 / 4));
    const Recording whole = read_bytes("m.csv", text);
    const std::size_t last = got.rows() - 1;
    EXPECT_EQ(row_text(got, last), row_text(whole, last));
  }
}

TEST_F(ReadFileTest, Utf16IsRead) {
  std::string little = "\xff\xfe";
  for (const char c : kTable) little += std::string{c, '\0'};
  EXPECT_EQ(everything(read(write("m.csv", little))), everything(read_bytes("m.csv", kTable)));
  for (const std::size_t chunk : {1U, 3U}) {
    EXPECT_EQ(everything(read_bytes("m.csv", little, chunk)), everything(read_bytes("m.csv", kTable)));
  }
}

TEST_F(ReadFileTest, WhatCannotBeReadSaysWhy) {
  const Recording absent = read(folder_.path("absent.log"));
  EXPECT_EQ(absent.file.state, FileState::kFailed);
  EXPECT_EQ(absent.file.error->code, ErrorCode::kNotFound);
  EXPECT_TRUE(absent.file.named);
  const Recording folder = read(folder_.path());
  EXPECT_EQ(folder.file.state, FileState::kFailed);
  EXPECT_THAT(folder.file.error->message, HasSubstr("directory"));
  const Recording empty = read(write("empty.log", ""));
  EXPECT_EQ(empty.file.state, FileState::kNothingRead);
  EXPECT_THAT(empty.file.error->message, HasSubstr("empty"));
  const Recording blank = read(write("blank.log", "\n \n"));
  EXPECT_EQ(blank.file.state, FileState::kNothingRead);
  if (geteuid() != 0) {
    const std::string secret = write("secret.log", kTable);
    fs::permissions(secret, fs::perms::none);
    EXPECT_EQ(read(secret).file.error->code, ErrorCode::kUnreadable);
  }
}

TEST_F(ReadFileTest, APipeIsReadWhenNamedOnly) {
  const std::string path = folder_.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read_file(path, {}).file.state, FileState::kFailed);
  std::thread writer([&] {
    std::ofstream out(path);
    for (const char c : kTable) out << c << std::flush;
  });
  const Recording got = read(path);
  writer.join();
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3));
}

TEST_F(ReadFileTest, ProgressIsCountedAndAnInterruptStops) {
  std::string text = "step,loss\n";
  for (int i = 0; text.size() < (std::size_t{3} << 20); ++i) text += std::to_string(i) + ",2.5\n";
  const std::string path = write("m.csv", text);
  Progress progress;
  std::atomic<bool> stop = false;
  const Recording whole = read_file(path, {.progress = &progress, .interrupted = &stop, .named = true});
  EXPECT_EQ(progress.bytes_done, static_cast<std::int64_t>(text.size()));
  EXPECT_GT(whole.rows(), 100'000U);
  stop = true;
  const Recording stopped = read_file(path, {.interrupted = &stop, .named = true});
  EXPECT_EQ(stopped.rows(), 0U);
}

TEST_F(ReadFileTest, BinaryFilesAreNamed) {
  using namespace std::string_literals;
  const struct {
    std::string bytes;
    std::string_view says;
  } kCases[] = {
      {"\x7f"
       "ELF\2\1\1\0"s +
           std::string(60, '\0'),
       "ELF"},
      {"PK\3\4"s + std::string(26, '\0') + "archive/data.pkl", "PyTorch checkpoint"},
      {"PK\3\4"s + std::string(26, '\0') + "notes.txt", "zip"},
      {"\x80\2}q\0(X\4\0\0\0"s, "pickle"},
      {"\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}"s, "safetensors"},
      {"\x89PNG\r\n\x1a\n"s, "PNG"},
      {std::string(257, 'x') + "ustar\0"s, "tar"},
      {gzipped(gzipped(kTable)), "compressed twice"},
  };
  for (const auto& example : kCases) {
    const Recording got = read(write("file", example.bytes));
    EXPECT_EQ(got.file.state, FileState::kNothingRead) << example.says;
    ASSERT_TRUE(got.file.error.has_value()) << example.says;
    EXPECT_THAT(got.file.error->message, HasSubstr(example.says));
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{5}}) {
      EXPECT_EQ(read_bytes("file", example.bytes, chunk).file.error->message, got.file.error->message);
    }
  }
}

TEST(LooksBinaryTest, RandomBytesButNoLogWithAFewOddOnes) {
  std::string random;
  std::uint64_t state = 1;
  for (int i = 0; i < 65536; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    random += static_cast<char>(state >> 56);
  }
  EXPECT_TRUE(looks_binary(random));
  std::string log;
  for (int i = 0; i < 1000; ++i) log += "\x1b[32mstep " + std::to_string(i) + "\x1b[0m loss 2.5 \xb5\xda\r\n";
  EXPECT_FALSE(looks_binary(log));
  EXPECT_FALSE(looks_binary(log + std::string(500, '\0')));
  EXPECT_TRUE(looks_binary(std::string(100, '\0')));
}

TEST(Utf8Test, SequencesAndWhatIsNone) {
  EXPECT_EQ(count_invalid_utf8("plain \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80"), 0U);
  EXPECT_EQ(count_invalid_utf8("\xc0\xaf"), 2U);          // overlong
  EXPECT_EQ(count_invalid_utf8("\xed\xa0\x80"), 3U);      // surrogate
  EXPECT_EQ(count_invalid_utf8("\xf4\x90\x80\x80"), 4U);  // above U+10FFFF
  EXPECT_EQ(count_invalid_utf8("cut \xe4\xb8"), 0U);
  EXPECT_EQ(printable_utf8("a\tb\x7f\xff"), "a b \xef\xbf\xbd");
}

TEST(CheckedTest, IntegersAndOverflow) {
  EXPECT_EQ(checked_add<std::int64_t>(1, 2), 3);
  EXPECT_FALSE(checked_add<std::int64_t>(INT64_MAX, 1).has_value());
  EXPECT_FALSE(checked_multiply<std::size_t>(SIZE_MAX, 2).has_value());
  EXPECT_EQ(exact_integer(3.0), 3);
  EXPECT_FALSE(exact_integer(3.5).has_value());
  EXPECT_FALSE(exact_integer(1e30).has_value());
  EXPECT_FALSE(exact_integer(std::nan("")).has_value());
}

TEST(Recognition, WhatAnUnreadableTextHeldIsTold) {
  const Recording got =
      read_bytes("letter.txt", "Dear all,\nthe meeting begins at 10:00\nbudget 3000 euros\nRegards\n");
  ASSERT_EQ(got.file.state, FileState::kNothingRead);
  EXPECT_THAT(got.file.error->hint, HasSubstr("2 lines (no number), the first: \"Dear all,\""));
  EXPECT_THAT(got.file.error->hint, HasSubstr("Looked for: a loss"));
}

}  // namespace
}  // namespace assay
