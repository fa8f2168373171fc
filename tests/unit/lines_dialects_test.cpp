// Every dialect on logs of its own print format: as they are, and in all the ways in which a console spoils them.

#include <gtest/gtest.h>

#include "assay/metric.h"
#include "format/lines/dialect.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::described;
using lines_test::Format;
using lines_test::log_of;
using lines_test::loss_at;
using lines_test::print;
using lines_test::read_log;
using lines_test::values_of;

constexpr int kLast = 40;

class LinesDialects : public testing::TestWithParam<Format> {};

void expect_losses(const Recording& r, const Format& format, int from, int to, const std::string& what) {
  const auto loss = values_of(r, metric::kLoss);
  ASSERT_EQ(loss.size(), static_cast<std::size_t>(to - from + 1)) << what << ": " << format.name;
  for (int i = from; i <= to; ++i) {
    EXPECT_NEAR(loss[static_cast<std::size_t>(i - from)], loss_at(i), 6e-6) << what << ": " << format.name;
  }
  if (!format.has_step) return;
  for (const Series& series : r.series) {
    if (series.metric != metric::kLoss) continue;
    for (std::size_t k = 0; k < series.size(); ++k)
      EXPECT_EQ(r.step[series.row_of(k)], from + static_cast<int>(k)) << format.name;
  }
}

TEST_P(LinesDialects, ReadAsTheyAre) {
  const Format& format = GetParam();
  const Recording r = read_log(log_of(format.line, 1, kLast));
  EXPECT_EQ(r.dialect, format.dialect) << format.name;
  EXPECT_FALSE(r.truncated) << format.name;
  EXPECT_EQ(r.file.unused_lines, 0) << format.name;
  expect_losses(r, format, 1, kLast, "as is");
}

TEST_P(LinesDialects, ReadWithAColumnMoreAndAColumnLess) {
  const Format& format = GetParam();
  expect_losses(read_log(log_of(format.added, 1, kLast)), format, 1, kLast, "added");
  expect_losses(read_log(log_of(format.missing, 1, kLast)), format, 1, kLast, "missing");
  const std::string mixed = log_of(format.line, 1, 10) + log_of(format.added, 11, 20) + log_of(format.missing, 21, 30);
  expect_losses(read_log(mixed), format, 1, 30, "mixed");
}

TEST_P(LinesDialects, ReadTwoRanksInterleaved) {
  const Format& format = GetParam();
  std::string log;
  for (int i = 1; i <= kLast; ++i) log += "[rank0]: " + format.line(i) + "\n[rank1]: " + format.line(i) + '\n';
  const Recording r = read_log(log);
  const auto loss = values_of(r, metric::kLoss);
  if (format.dialect == "llm.c" || format.dialect == "nanogpt" || format.dialect == "modded-nanogpt" ||
      format.name == "bare columns") {
    return;  // anchored at the start of the line: whole programs are echoed into such logs
  }
  ASSERT_EQ(loss.size(), 2U * kLast) << format.name;
  EXPECT_EQ(r.rank[0], 0) << format.name;
  EXPECT_EQ(r.rank[1], 1) << format.name;
}

// Colours round every number, as a console prints them.
TEST_P(LinesDialects, ReadColoured) {
  const Format& format = GetParam();
  std::string log;
  for (int i = 1; i <= kLast; ++i) {
    for (const char c : format.line(i)) {
      if (c == ' ') log += "\x1b[1;32m";
      log += c;
      if (c == ' ') log += "\x1b[0m";
    }
    log += '\n';
  }
  expect_losses(read_log(log), format, 1, kLast, "coloured");
}

TEST_P(LinesDialects, ReadWithCarriageReturns) {
  const Format& format = GetParam();
  std::string crlf;
  std::string redrawn;
  for (int i = 1; i <= kLast; ++i) {
    crlf += format.line(i) + "\r\n";
    redrawn += print("\rUpdate steps:  20%%|##   | %d/20000 [26:08<1:30:54,  2.92it/s]\r", i) + format.line(i) + '\n';
  }
  expect_losses(read_log(crlf), format, 1, kLast, "CRLF");
  expect_losses(read_log(redrawn), format, 1, kLast, "progress bar");
}

TEST_P(LinesDialects, GiveTheSameForAnyChunkAndWithoutRemembering) {
  const Format& format = GetParam();
  const std::string log = log_of(format.line, 1, 15) + "some prose 3 times\n" + log_of(format.added, 16, 25) +
                          "Killing subprocess 7\n" + log_of(format.missing, 26, 32);
  const auto whole = described(read_log(log));
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{65536}}) {
    EXPECT_EQ(described(read_log(log, chunk)), whole) << format.name << ", chunks of " << chunk;
  }
  EXPECT_EQ(described(read_log(log, 0, true)), whole) << format.name << ", slow path";
}

// Cut at every byte: what was read before stays, nothing is made up.
TEST_P(LinesDialects, GiveTheRowsBeforeACut) {
  const Format& format = GetParam();
  const std::string log = log_of(format.line, 1, 8);
  const auto whole_loss = values_of(read_log(log), metric::kLoss);
  std::size_t ends = 0;
  for (std::size_t cut = 0; cut < log.size(); ++cut) {
    if (cut > 0 && log[cut - 1] == '\n') ++ends;
    const auto loss = values_of(read_log(std::string_view(log).substr(0, cut)), metric::kLoss);
    if (ends < 6) continue;  // the general grammar has to see some lines first
    ASSERT_GE(loss.size(), ends) << format.name << " cut at " << cut;
    ASSERT_LE(loss.size(), ends + 1) << format.name << " cut at " << cut;
    for (std::size_t i = 0; i < loss.size(); ++i) ASSERT_EQ(loss[i], whole_loss[i]) << format.name << " cut at " << cut;
    EXPECT_EQ(described(read_log(std::string_view(log).substr(0, cut), 0, true)),
              described(read_log(std::string_view(log).substr(0, cut))))
        << format.name << " cut at " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinesDialects, testing::ValuesIn(lines_test::formats()),
                         [](const testing::TestParamInfo<Format>& each) {
                           std::string name = each.param.name;
                           for (char& c : name) {
                             if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
                           }
                           return name;
                         });

TEST(LinesDialectTable, EveryRowReadsItsOwnExample) {
  for (const lines::Dialect& dialect : lines::dialects()) {
    const Recording r = read_log(std::string(dialect.example) + '\n');
    if (dialect.treat == lines::Treat::kNoRecord) {
      EXPECT_EQ(r.rows(), 0U) << dialect.example;
    } else {
      EXPECT_EQ(r.dialect, dialect.name) << dialect.example;
      EXPECT_EQ(r.rows(), 1U) << dialect.example;
    }
  }
}

TEST(LinesWrapped, JoinsARecordThatATerminalBroke) {
  for (const std::size_t width : {100U, 120U, 151U, 190U}) {
    std::string log;
    for (int i = 1; i <= 20; ++i) {
      const std::string line = lines_test::megatron(i, "", true);
      for (std::size_t at = 0; at < line.size(); at += width) log += line.substr(at, width) + '\n';
    }
    const Recording r = read_log(log);
    const auto loss = values_of(r, metric::kLoss);
    ASSERT_EQ(loss.size(), 20U) << width;
    for (int i = 1; i <= 20; ++i) EXPECT_NEAR(loss[static_cast<std::size_t>(i - 1)], loss_at(i), 6e-6) << width;
    EXPECT_EQ(values_of(r, metric::kGradNorm).size(), 20U) << width;
    EXPECT_EQ(values_of(r, metric::kNanSteps).size(), 20U) << width;
    EXPECT_EQ(described(read_log(log, 7)), described(r)) << width;
    EXPECT_EQ(described(read_log(log, 0, true)), described(r)) << width;
  }
}

TEST(LinesWrapped, ACutRecordIsNotJoinedWithTheNext) {
  const std::string first = lines_test::megatron(1, "", true);
  const std::string log =
      first.substr(0, first.find("lm loss: ") + 12) + '\n' + lines_test::megatron(2, "", true) + '\n';
  const Recording r = read_log(log);
  ASSERT_EQ(r.rows(), 2U);
  EXPECT_EQ(r.step[0], 1);
  const auto loss = values_of(r, metric::kLoss);
  ASSERT_EQ(loss.size(), 1U);  // "lm loss: 1.0" may have been 1.0E+01
  EXPECT_NEAR(loss[0], loss_at(2), 6e-6);
}

}  // namespace
}  // namespace assay
