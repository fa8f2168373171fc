// Files of a device's results: what is read, and where each fault is told to be.

#include "format/tensors/probe_file.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "unit/compressed.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kPlain =
    "a\tb\tc\td\n"
    "3f800000 40000000\t3f800000 3F800000\t00000000\t40400000\n"
    "bf800000 40000000\t0x3f800000  3f800000 \t3f800000\t40000000\n";

Result<ProbeFile> read(std::string_view text, std::size_t piece = 1 << 20, const ProbeLimits& limits = {}) {
  ProbeReader reader("file", limits);
  for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(text.substr(at, piece));
  return reader.finish();
}

TEST(ProbeFile, APlainTable) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, kPlain.size()}) {
    const Result<ProbeFile> file = read(kPlain, piece);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_TRUE(file->plain);
    ASSERT_EQ(file->sections.size(), 1U);
    const ProbeSection& section = file->sections[0];
    EXPECT_EQ(section.kind, "matmul");
    EXPECT_EQ(section.rows(), 2U);
    EXPECT_THAT(section.lines, ElementsAre(2, 3));
    EXPECT_THAT(section.column("a")->row(1), ElementsAre(0xbf800000, 0x40000000));
    EXPECT_THAT(section.column("b")->row(0), ElementsAre(0x3f800000, 0x3f800000));
    EXPECT_THAT(section.column("d")->patterns, ElementsAre(0x40400000, 0x40000000));
    EXPECT_EQ(section.column("e"), nullptr);
  }
}

TEST(ProbeFile, SectionsKeysAndRemarks) {
  const Result<ProbeFile> file = read(
      "\xEF\xBB\xBF# assay-probe 1\r\n# device Some Chip 9 \n#\n# Remark that is none\n\n[matmul]\n# input fp16\n"
      "# input bf16\na\tb\td\r\n3f800000\t3f800000\t3f800000\r\n  [sqrt]  \nx\td\n[division]\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_FALSE(file->plain);
  EXPECT_THAT(file->keys, ElementsAre(testing::Pair("assay-probe", "1"), testing::Pair("device", "Some Chip 9")));
  ASSERT_EQ(file->sections.size(), 3U);
  EXPECT_EQ(file->sections[0].key("input"), "bf16");
  EXPECT_EQ(file->sections[0].key("output"), "");
  EXPECT_EQ(file->sections[0].line, 6);
  EXPECT_EQ(file->sections[1].rows(), 0U);
  EXPECT_EQ(file->sections[2].kind, "division");
}

TEST(ProbeFile, TheLastLineNeedsNoEnd) {
  const Result<ProbeFile> file = read(kPlain.substr(0, kPlain.size() - 1));
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->sections[0].rows(), 2U);
}

struct Fault {
  std::string_view text;
  ErrorCode code;
  std::int64_t line;
  std::string_view message;
};

TEST(ProbeFile, FaultsAreToldWithTheirPlace) {
  const Fault faults[] = {
      {"", ErrorCode::kUnrecognised, 0, "is empty"},
      {"\n\n", ErrorCode::kUnrecognised, 0, "is empty"},
      {"# device x\n", ErrorCode::kUnrecognised, 0, "has no section"},
      {"a\tb\tc\td\n", ErrorCode::kTruncated, 1, "no rows"},
      {"step,loss\n1,2\n", ErrorCode::kUnrecognised, 1, "column 1: 'step,loss'"},
      {"x\ty\n", ErrorCode::kUnrecognised, 1, "columns are not a, b, c, d"},
      {"a\tb\tc\td\n3f800000\t3f800000\t3f800000\n", ErrorCode::kCorrupt, 2, "has 3 columns, the header 4"},
      {"a\tb\tc\td\n3f800000\t3f800000\t3f800000", ErrorCode::kTruncated, 2, "has 3 columns, the header 4"},
      {"a\tb\tc\td\n3f800000\t3f800000\t3f800000\t3f80000", ErrorCode::kTruncated, 2,
       "column 4 (d), number 1: '3f80000'"},
      {"a\tb\tc\td\n3f800000\t3f80000g\t3f800000\t3f800000\n", ErrorCode::kCorrupt, 2,
       "column 2 (b), number 1: '3f80000g'"},
      {"a\tb\tc\td\n3f800000 1.0\t3f800000\t3f800000\t3f800000\n", ErrorCode::kCorrupt, 2,
       "column 1 (a), number 2: '1.0'"},
      {"a\tb\tc\td\n3f800000\t-f800000\t3f800000\t3f800000\n", ErrorCode::kCorrupt, 2, "'-f800000'"},
      {"a\tb\tc\td\n3f800000\t3f800000\t\t3f800000\n", ErrorCode::kCorrupt, 2, "column 3 (c) has 0 numbers"},
      {"a\tb\tc\td\n3f800000\t3f800000\t3f800000\t3f800000\n3f800000 3f800000\t3f800000\t3f800000\t3f800000\n",
       ErrorCode::kCorrupt, 3, "column 1 (a) has 2 numbers, the first row 1"},
      {"[matmul\n", ErrorCode::kCorrupt, 1, "no section head"},
      {"[Mat mul]\n", ErrorCode::kCorrupt, 1, "no section head"},
      {"[matmul]\na\ta\n", ErrorCode::kCorrupt, 2, "'a' is there twice"},
      {"[matmul]\na\t\n", ErrorCode::kCorrupt, 2, "has 1 column"},
      {"a\tb\tc\td\n3f800000\t3f800000\t3f800000\t3f800000\n[matmul]\n", ErrorCode::kCorrupt, 3, "belongs to none"},
      {std::string_view("a\tb\tc\td\n\0\0\0\0\t\n", 14), ErrorCode::kCorrupt, 2, "has 2 columns"},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.text);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1000}}) {
      const Result<ProbeFile> file = read(fault.text, piece);
      if (fault.message == "has 1 column" && file.has_value()) break;  // a tab at the end is no column
      ASSERT_FALSE(file.has_value());
      EXPECT_EQ(file.error().code, fault.code);
      EXPECT_EQ(file.error().where.line, fault.line);
      EXPECT_THAT(file.error().message, HasSubstr(fault.message));
    }
  }
}

TEST(ProbeFile, Limits) {
  const auto refused = [](std::string_view text, const ProbeLimits& limits) {
    const Result<ProbeFile> file = read(text, 3, limits);
    return !file.has_value() && file.error().code == ErrorCode::kLimit;
  };
  EXPECT_TRUE(refused(kPlain, {.line = 20}));
  EXPECT_TRUE(refused(kPlain, {.width = 1}));
  EXPECT_TRUE(refused(kPlain, {.patterns = 11}));
  EXPECT_FALSE(refused(kPlain, {.patterns = 12}));
  EXPECT_TRUE(refused("[a]\n[b]\n[c]\n", {.sections = 2}));
  EXPECT_TRUE(refused("# a 1\n# b 2\n# c 3\n", {.keys = 2}));
  std::string wide = "[x]\na";
  for (int i = 0; i < 17; ++i) wide += "\tc" + std::to_string(i);
  EXPECT_TRUE(refused(wide + "\n", {}));
}

class ProbeFiles : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* const info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() / ("assay_probe_" + std::string(info->name()));
  }
  void TearDown() override { std::filesystem::remove(path_); }
  Result<ProbeFile> read_back(std::string_view bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_probe_file(path_.string());
  }
  std::filesystem::path path_;
};

TEST_F(ProbeFiles, PlainAndCompressed) {
  for (const std::string& bytes : {std::string(kPlain), gzipped(kPlain), zstandard(kPlain)}) {
    const Result<ProbeFile> file = read_back(bytes);
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_EQ(file->sections[0].rows(), 2U);
  }
}

TEST_F(ProbeFiles, ACutStreamIsNoShorterFile) {
  const std::string whole = gzipped(kPlain);
  for (std::size_t size = 4; size < whole.size(); ++size) {
    const Result<ProbeFile> file = read_back(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(file.has_value()) << size;
    EXPECT_EQ(file.error().code, ErrorCode::kTruncated) << size << ": " << file.error().message;
    EXPECT_EQ(file.error().where.path, path_.string());
  }
}

TEST_F(ProbeFiles, AbsentFilesAndFolders) {
  EXPECT_EQ(read_probe_file(path_.string()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_probe_file(path_.parent_path().string()).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace assay
