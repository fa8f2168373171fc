// Plain text as documents: files, groups of paragraphs, paragraphs, lines; encodings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/documents/text_documents.h"
#include "unit/compressed.h"
#include "unit/documents_helpers.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = LineFaultKind;
DocumentOptions by(TextSplit split) {
  DocumentOptions options;
  options.split = split;
  return options;
}

TEST(NextParagraph, BeginsBehindABlankLine) {
  EXPECT_EQ(next_paragraph("a\n\nb", 0), 3U);
  EXPECT_EQ(next_paragraph("a\r\n \t\r\n\n  b", 0), 8U);
  EXPECT_EQ(next_paragraph("a\nb\n", 0), std::string_view::npos);
  EXPECT_EQ(next_paragraph("a\n\n\n", 0), std::string_view::npos);
  EXPECT_EQ(next_paragraph("", 0), std::string_view::npos);
  EXPECT_EQ(next_paragraph("a\n\nb\n\nc", 3), 6U);
}

TEST(TextDocuments, AFileIsOneDocument) {
  const ReadFile got = read_documents("a.md", "# Title\n\nOne.\n\nTwo.\n");
  EXPECT_EQ(got.kind, "text");
  EXPECT_EQ(got.field, "");
  EXPECT_THAT(got.documents, ElementsAre(ReadDocument{"# Title\n\nOne.\n\nTwo.\n", "", 1, 0}));
  EXPECT_EQ(got.lines, 5U);
  EXPECT_THAT(read_documents("a.py", "{x for x in y}\n").texts(), ElementsAre("{x for x in y}\n"));
  EXPECT_THAT(read_documents("a.txt", "").documents, IsEmpty());
}

TEST(TextDocuments, ParagraphsAndLines) {
  const std::string text = "\n\n  One,\nmore.\r\n \t\nTwo.\n\n\nThree.";
  const ReadFile paragraphs = read_documents("a.txt", text, by(TextSplit::kParagraph));
  EXPECT_THAT(paragraphs.documents, ElementsAre(ReadDocument{"  One,\nmore.", "", 3, 2},
                                                ReadDocument{"Two.", "", 6, 19}, ReadDocument{"Three.", "", 9, 26}));
  const ReadFile lines = read_documents("a.txt", text, by(TextSplit::kLine));
  EXPECT_THAT(lines.documents, ElementsAre(ReadDocument{"  One,", "", 3, 2}, ReadDocument{"more.", "", 4, 9},
                                           ReadDocument{"Two.", "", 6, 19}, ReadDocument{"Three.", "", 9, 26}));
  EXPECT_EQ(lines.lines, 9U);
  EXPECT_EQ(paragraphs.lines, 9U);
}

std::string many_paragraphs() {
  std::string out = "\xef\xbb\xbf";
  for (int i = 0; i < 40; ++i) {
    out += std::string(static_cast<std::size_t>(i * 11 % 60), 'a') + " 中文 " + std::to_string(i) + "\n";
    if (i % 3 == 0) out += "\n";
    if (i % 5 == 0) out += " \r\n";
    if (i % 7 == 0) out += "bad \xe9 byte\n";
  }
  return out;
}

TEST(TextDocuments, BlocksAndCutsChangeNothing) {
  for (const TextSplit split : {TextSplit::kAuto, TextSplit::kFile, TextSplit::kParagraph, TextSplit::kLine}) {
    expect_same_for_any_block("a.txt", many_paragraphs(), by(split));
    expect_every_cut_is_read("a.txt", many_paragraphs().substr(0, 600), by(split));
  }
}

TEST(TextDocuments, ALongParagraphIsCutAtTheSamePlacesForAnyBlock) {
  DocumentOptions options = by(TextSplit::kParagraph);
  options.longest_line = 60;
  expect_same_for_any_block("a.txt", many_paragraphs(), options);
  const ReadFile got =
      read_documents("a.txt", "short\n\n" + std::string(40, 'a') + "\n" + std::string(70, 'b'), options);
  EXPECT_THAT(got.texts(), ElementsAre("short", std::string(40, 'a'), std::string(60, 'b'), std::string(10, 'b')));
}

// Above 8 MiB: groups of paragraphs of 64 KiB, and what has none is cut at line ends.
TEST(TextDocuments, ALongFileIsReadInGroups) {
  std::string text;
  for (int i = 0; text.size() < (std::size_t{9} << 20); ++i) {
    text += "paragraph " + std::to_string(i) + std::string(3000, 'x') + "\n\n";
  }
  text += std::string(std::size_t{2} << 20, 'y');  // no line end for 2 MiB
  for (const std::size_t block : {std::size_t{1} << 20, std::size_t{1} << 16, std::size_t{3} << 20}) {
    DocumentOptions options;
    options.block = block;
    const ReadFile got = read_documents("a.txt", text, options);
    EXPECT_THAT(got.faults, IsEmpty());
    std::string joined;
    std::uint64_t byte = 0;
    for (const ReadDocument& one : got.documents) {
      EXPECT_EQ(one.byte, byte);
      byte += one.text.size();
      joined += one.text;
      EXPECT_LE(one.text.size(), std::size_t{1} << 20);
      EXPECT_TRUE(one.text.starts_with("paragraph ") || one.text.starts_with("yyy"));
    }
    EXPECT_EQ(joined, text);
    EXPECT_GT(got.documents.size(), 120U);
    EXPECT_LT(got.documents.size(), 150U);
    EXPECT_LE(got.largest_block, std::size_t{9} << 20);
  }
}

TEST(TextDocuments, InvalidUtf8IsShownCountedAndPlaced) {
  const ReadFile got = read_documents("a.txt", "a good line\nb\xff\xfe\x41\x80\n\xc3\xa9\xed\xa0\x80\n");
  EXPECT_THAT(got.texts(), ElementsAre("a good line\nb\xef\xbf\xbd\xef\xbf\xbd"
                                       "A\xef\xbf\xbd\n\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n"));
  EXPECT_THAT(got.faults, ElementsAre(ReadFault{Kind::kInvalidUtf8, 2, 12, 1, 3, false, "ff fe"},
                                      ReadFault{Kind::kInvalidUtf8, 3, 18, 2, 3, false, "ed a0 80"}));
}

// "今天天气很好，我们去公园。" in GBK, by Python's encode("gbk").
constexpr std::string_view kGbk =
    "\xbd\xf1\xcc\xec\xcc\xec\xc6\xf8\xba\xdc\xba\xc3\xa3\xac\xce\xd2\xc3\xc7\xc8\xa5\xb9\xab\xd4\xb0\xa1\xa3\n";

TEST(TextDocuments, GbkAndUtf16AreTurned) {
  const ReadFile gbk = read_documents("a.txt", kGbk);
  EXPECT_EQ(gbk.encoding, "GB18030");
  EXPECT_THAT(gbk.texts(), ElementsAre("今天天气很好，我们去公园。\n"));
  ASSERT_THAT(gbk.faults, SizeIs(1));
  EXPECT_EQ(gbk.faults[0], (ReadFault{Kind::kOtherEncoding, 1, 0, 0, kGbk.size(), false, "GB18030"}));

  std::string wide = "\xfe\xff";
  for (const char c : std::string_view("two lines\nof text\n")) wide += {'\0', c};
  wide += std::string("\x4e\x2d", 2);
  const ReadFile utf16 = read_documents("a.txt", wide);
  EXPECT_EQ(utf16.encoding, "UTF-16");
  EXPECT_THAT(utf16.texts(), ElementsAre("two lines\nof text\n中"));
  EXPECT_THAT(utf16.kinds(), ElementsAre(Kind::kOtherEncoding));
}

TEST(TextDocuments, ByteOrderMarkIsTakenOff) {
  const ReadFile got = read_documents("a.txt", "\xef\xbb\xbfText\n");
  EXPECT_THAT(got.texts(), ElementsAre("Text\n"));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kByteOrderMark));
}

TEST(TextDocuments, WhatIsNoText) {
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 4000; ++i, x = x * 1664525 + 1013904223) noise += static_cast<char>(x >> 24);
  const ReadFile got = read_documents("a.bin", noise);
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, ErrorCode::kUnrecognised);
  EXPECT_THAT(read_documents("a", "\x89PNG\r\n\x1a\n....").error->message, HasSubstr("PNG"));
}

TEST(TextDocuments, AFileThatIsTooLongIsTold) {
  DocumentOptions options = by(TextSplit::kFile);
  options.longest_line = 1000;
  for (const std::size_t block : {10UL, 100UL, 100000UL}) {
    options.block = block;
    const ReadFile got = read_documents("a.txt", std::string(30000, 'x'), options);
    EXPECT_THAT(got.documents, IsEmpty());
    ASSERT_THAT(got.kinds(), ElementsAre(Kind::kTooLong));
    EXPECT_EQ(got.faults[0].length, 30000U);
  }
}

TEST(TextDocuments, ACutGzipKeepsWhatCameBefore) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
  const std::string packed = gzipped(text);
  const ReadFile got = read_documents("a.txt.gz", std::string_view(packed).substr(0, packed.size() / 2));
  ASSERT_THAT(got.documents, SizeIs(1));
  EXPECT_TRUE(text.starts_with(got.documents[0].text));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, ErrorCode::kTruncated);
}

}  // namespace
}  // namespace assay::test
