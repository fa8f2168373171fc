// Columns of CSV and TSV, and JSON that is not one object a line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/documents/csv_documents.h"
#include "format/documents/csv_rows.h"
#include "unit/documents_helpers.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = LineFaultKind;

std::vector<std::string> cells(std::string_view row, char delimiter = ',') {
  const CsvRows rows(delimiter);
  std::vector<CsvRows::Cell> found;
  rows.split(row, found);
  std::vector<std::string> out;
  std::string scratch;
  for (const CsvRows::Cell& cell : found) out.emplace_back(cell_text(cell, scratch));
  return out;
}

// What Python's csv module makes of the same rows.
TEST(CsvRows, CellsAsPythonCutsThem) {
  EXPECT_THAT(cells("a,b,c\r\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cells(",,"), ElementsAre("", "", ""));
  EXPECT_THAT(cells("\"a,b\",\"c\"\"d\",\"\""), ElementsAre("a,b", "c\"d", ""));
  EXPECT_THAT(cells("5\" pipe,x\"y\""), ElementsAre("5\" pipe", "x\"y\""));
  EXPECT_THAT(cells("\"a\"b,c"), ElementsAre("ab", "c"));
  EXPECT_THAT(cells("\"a\"b\"c\",d"), ElementsAre("ab\"c\"", "d"));
  EXPECT_THAT(cells("\"two\nlines\"\tb", '\t'), ElementsAre("two\nlines", "b"));
  EXPECT_THAT(cells("\"\"\"\",a"), ElementsAre("\"", "a"));
}

TEST(CsvDocuments, RowsOfAColumn) {
  const ReadFile got = read_documents("a.csv",
                                      "id,text,label\n"
                                      "1,\"hello, \"\"world\"\"\nnext line\",x\r\n"
                                      "a\"b,plain,y\n"
                                      "\n"
                                      "3,,z");
  EXPECT_EQ(got.kind, "csv");
  EXPECT_EQ(got.field, "text");
  EXPECT_THAT(got.faults, IsEmpty());
  EXPECT_THAT(got.documents, ElementsAre(ReadDocument{"hello, \"world\"\nnext line", "1", 2, 14},
                                         ReadDocument{"plain", "\"a\\\"b\"", 4, 48}, ReadDocument{"", "3", 6, 61}));
  EXPECT_EQ(got.lines, 5U);
}

TEST(CsvDocuments, DelimitersAndColumns) {
  const auto first = [](std::string_view name, std::string_view bytes, std::string_view field) {
    DocumentOptions options;
    options.field = field;
    const ReadFile got = read_documents(name, bytes, options);
    return got.documents.empty() ? "(none)" : got.documents[0].text;
  };
  EXPECT_EQ(first("a.tsv", "id\ttext\n1\ta, b\n", ""), "a, b");
  EXPECT_EQ(first("a.csv", "id;text;n\n1;a, b;2\n", ""), "a, b");
  EXPECT_EQ(first("a.csv", "id|body\n1|x\n", "body"), "x");
  EXPECT_EQ(first("a.csv", "id,body\n1,x\n", "2"), "x");
  EXPECT_EQ(first("a.csv", "7,the first row\n8,x\n", "2"), "the first row");
  EXPECT_EQ(first("a.csv", "instruction,input,output\ndo,,done\n", ""), "do\ndone");
  EXPECT_EQ(first("a.csv", "\xef\xbb\xbftext\nword\n", ""), "word");
}

TEST(CsvDocuments, RowsThatAreWrong) {
  const ReadFile got = read_documents("a.csv",
                                      "id,text,label\n"
                                      "1\n"
                                      "2,short\n"
                                      "3,a,b,c\n"
                                      "4,caf\xe9,x\n"
                                      "5,\"never closed\n"
                                      "6,good,x\n");
  EXPECT_THAT(got.texts(), ElementsAre("short", "a", "caf\xef\xbf\xbd", "good"));
  EXPECT_THAT(got.faults, ElementsAre(ReadFault{Kind::kMissingColumn, 2, 14, 0, 2, true, "1/3"},
                                      ReadFault{Kind::kMissingColumn, 3, 16, 0, 8, false, "2/3"},
                                      ReadFault{Kind::kTrailingData, 4, 24, 0, 8, false, "4/3"},
                                      ReadFault{Kind::kInvalidUtf8, 5, 32, 3, 1, false, "e9"},
                                      ReadFault{Kind::kTruncated, 6, 41, 0, 16, true, ""}));
}

// A file that was cut inside of a quoted cell has lost that row and no other.
TEST(CsvDocuments, TheRowThatTheFileWasCutIn) {
  const ReadFile got = read_documents("a.csv", "id,text\n1,a\n2,\"one\ntwo\nthree");
  EXPECT_THAT(got.texts(), ElementsAre("a"));
  EXPECT_THAT(got.faults, ElementsAre(ReadFault{Kind::kTruncated, 3, 12, 0, 16, true, ""}));
}

TEST(CsvDocuments, ARowThatIsTooLongCostsALine) {
  DocumentOptions options;
  options.longest_line = 200;
  std::string text = "id,text\n1,\"opens here\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + ",row\n";
  expect_same_for_any_block("a.csv", text, options);
  const ReadFile got = read_documents("a.csv", text, options);
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kTooLong));
  EXPECT_THAT(got.documents, SizeIs(100));
}

// As long as a row may be, a byte longer in two lines, and a line that nothing ends for a while.
TEST(CsvDocuments, RowsAroundTheLongest) {
  DocumentOptions options;
  options.longest_line = 200;
  const auto row = [](std::size_t size) {
    return "7,\"" + std::string(100, 'a') + "\n" + std::string(size - 106, 'b') + "\"\n";
  };
  ASSERT_EQ(row(200).size(), 200U);
  const std::string text =
      "id,text\n" + row(200) + "1,x\n" + row(201) + "2,y\n3," + std::string(9000, 'z') + "\n4,end\n";
  expect_same_for_any_block("a.csv", text, options);
  const ReadFile got = read_documents("a.csv", text, options);
  EXPECT_THAT(got.faults, ElementsAre(ReadFault{Kind::kTooLong, 5, 212, 0, 201, true, ""},
                                      ReadFault{Kind::kMissingColumn, 6, 316, 0, 97, true, "1/2"},
                                      ReadFault{Kind::kTooLong, 8, 417, 0, 9003, true, ""}));
  EXPECT_THAT(got.texts(), ElementsAre(testing::SizeIs(195), "x", "y", "end"));
}

TEST(CsvDocuments, AFieldThatIsNotThere) {
  DocumentOptions options;
  options.field = "txet";
  const ReadFile got = read_documents("a.csv", "id,text\n1,a\n", options);
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, ErrorCode::kUsage);
  EXPECT_THAT(got.error->hint, HasSubstr("\"text\""));
  const ReadFile none = read_documents("a.csv", "a,b\n1,2\n");
  ASSERT_TRUE(none.error);
  EXPECT_THAT(none.error->message, HasSubstr("a, b"));
}

std::string many_rows() {
  std::string out = "\xef\xbb\xbfid,text,n\r\n";
  for (int i = 0; i < 50; ++i) {
    out += std::to_string(i) + ",\"" + std::string(static_cast<std::size_t>(i * 13 % 70), 'q') + "\"\"中\nx\"," +
           std::to_string(i) + "\r\n";
    if (i % 7 == 0) out += "short\n\n";
    if (i % 11 == 0) out += "9,5\" pipe,caf\xe9\n";
  }
  return out;
}

TEST(CsvDocuments, BlocksAndCutsChangeNothing) {
  expect_same_for_any_block("a.csv", many_rows());
  expect_every_cut_is_read("a.csv", many_rows().substr(0, 700));
}

TEST(JsonDocuments, ElementsOfAnArray) {
  const ReadFile got = read_documents("a.json",
                                      "[\n {\"text\": \"a b\", \"id\": 1},\n"
                                      " {\"id\": \"x\", \"text\": \"c\\\"]}\",\n  \"n\": [1, {}]},\n"
                                      " 5, {\"texd\": 1},\n {\"text\": \"last\"}\n]\n");
  EXPECT_EQ(got.kind, "json");
  EXPECT_THAT(got.documents, ElementsAre(ReadDocument{"a b", "1", 2, 3}, ReadDocument{"c\"]}", "\"x\"", 3, 30},
                                         ReadDocument{"last", "", 6, 94}));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kNotAnObject, Kind::kMissingText));
}

TEST(JsonDocuments, ObjectsOverSeveralLines) {
  const ReadFile got = read_documents("a.json", "{\n \"text\": \"one\"\n}\n{\n \"text\": \"two\"\n}\n");
  EXPECT_EQ(got.kind, "json");
  EXPECT_THAT(got.texts(), ElementsAre("one", "two"));
  EXPECT_EQ(got.lines, 6U);
  EXPECT_EQ(got.documents[1].line, 4U);
  EXPECT_THAT(read_documents("a.json", "[{\"text\":\"a\"},{\"text\":\"b\"}]").texts(), ElementsAre("a", "b"));
}

TEST(JsonDocuments, BrokenElements) {
  const ReadFile got = read_documents(
      "a.json", "[{\"text\":\"a\"},\n{\"text\":\"caf\xe9\"},\n{\"text\":},\n{\"text\":\"b\"},\n{\"text\":\"cu");
  EXPECT_THAT(got.texts(), ElementsAre("a", "b"));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kInvalidUtf8, Kind::kInvalidJson, Kind::kTruncated));
}

TEST(JsonDocuments, AValueThatNeverEnds) {
  DocumentOptions options;
  options.longest_line = 100;
  options.block = 20;
  const ReadFile got =
      read_documents("a.json", "[{\"text\":\"a\"},\n{\"text\":\"" + std::string(50000, 'x') + "\"}]", options);
  EXPECT_THAT(got.texts(), ElementsAre("a"));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kTooLong));
  EXPECT_LE(got.largest_block, 4096U);
}

// Values that are too long cost themselves only, however blocks are cut.
TEST(JsonDocuments, ValuesThatAreTooLong) {
  DocumentOptions options;
  options.format = "json";
  options.longest_line = 100;
  const std::string long_value = "{\"text\":\n\"" + std::string(9000, 'x') + "]\\\"\"}";
  const std::string text = "[{\"text\":\"a\"},\n \n" + long_value + ",\n{\"text\":\"b\"},\n" + long_value;
  for (const std::string end : {"\n]\n", "", "]"}) expect_same_for_any_block("a.json", text + end, options);
  for (const std::size_t block : {1UL, 20UL, 64UL, 1000UL, 100000UL}) {
    options.block = block;
    const ReadFile got = read_documents("a.json", text, options);
    EXPECT_THAT(got.documents, ElementsAre(ReadDocument{"a", "", 1, 1}, ReadDocument{"b", "", 5, 9034})) << block;
    ASSERT_THAT(got.kinds(), ElementsAre(Kind::kTooLong, Kind::kTooLong)) << block;
    EXPECT_EQ(got.faults[0], (ReadFault{Kind::kTooLong, 3, 17, 0, 9015, true, ""})) << block;
    EXPECT_EQ(got.faults[1], (ReadFault{Kind::kTooLong, 6, 9048, 0, 9015, true, ""})) << block;
    EXPECT_EQ(got.lines, 7U) << block;
    EXPECT_TRUE(block > 1000 || got.largest_block <= 4096) << block;
  }
}

TEST(JsonDocuments, AValueThatNeverEndsIsToldOnce) {
  DocumentOptions options;
  options.format = "json";
  options.longest_line = 100;
  // A string, a list, a scalar; a backslash is the last byte.
  for (const std::string value : {"{\"text\":\"x", "[[{\"text\":1}", "5", "\"\\\\\\"}) {
    std::string text = "[{\"text\":\"a\"},\n" + value + std::string(5000, 'y') + "\\";
    expect_same_for_any_block("a.json", text, options);
    options.block = 16;
    const ReadFile got = read_documents("a.json", text, options);
    EXPECT_THAT(got.texts(), ElementsAre("a")) << value;
    EXPECT_THAT(got.faults, ElementsAre(ReadFault{Kind::kTooLong, 2, 15, 0, text.size() - 15, true, ""})) << value;
    EXPECT_EQ(got.lines, 2U) << value;
  }
}

TEST(JsonDocuments, BlanksAreNoValue) {
  DocumentOptions options;
  options.format = "json";
  options.longest_line = 100;
  const std::string blanks = std::string(3000, ' ') + std::string(3000, '\n') + std::string(3000, ',');
  const std::string text = blanks + "[" + blanks + "{\"text\":\"a\"}" + blanks + "[]" + blanks + "]" + blanks;
  expect_same_for_any_block("a.json", text, options);
  options.block = 64;
  const ReadFile got = read_documents("a.json", text, options);
  EXPECT_THAT(got.documents, ElementsAre(ReadDocument{"a", "", 6001, 18001}));
  EXPECT_THAT(got.faults, ElementsAre(ReadFault{Kind::kNotAnObject, 9001, 27013, 0, 2, true, "[]"}));
  EXPECT_EQ(got.lines, 15001U);
  EXPECT_LE(got.largest_block, 200U);
}

// An escape whose backslash ends a block, in a value that is kept and in one that is not.
TEST(JsonDocuments, BackslashAtTheEdgeOfABlock) {
  DocumentOptions options;
  options.format = "json";
  options.longest_line = 60;
  for (const std::size_t size : {10UL, 200UL}) {
    std::string value = "{\"text\":\"";
    for (std::size_t i = 0; i < size; ++i) value += i % 3 == 0 ? "\\\"" : "\\\\";
    const std::string text = "[" + value + "\"}, {\"text\":\"b\"}]";
    expect_same_for_any_block("a.json", text, options);
    for (options.block = 1; options.block < 40; ++options.block) {
      const ReadFile got = read_documents("a.json", text, options);
      ASSERT_FALSE(got.documents.empty()) << options.block;
      EXPECT_EQ(got.documents.back().text, "b") << options.block;
      EXPECT_THAT(got.kinds(), SizeIs(size > 60 ? 1 : 0)) << options.block;
    }
  }
}

TEST(JsonDocuments, ByteOrderMarkAndStrayBrackets) {
  const std::string text = "\xef\xbb\xbf[{\"text\":\"a\"},\n{\"text\":\"b\"}]\n} {\"text\":\"c\"}\n";
  DocumentOptions options;
  options.format = "json";
  const ReadFile got = read_documents("a.json", text, options);
  EXPECT_THAT(got.texts(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kByteOrderMark, Kind::kInvalidJson));
  expect_same_for_any_block("a.json", text, options);
}

std::string many_values() {
  std::string out = "[";
  for (int i = 0; i < 40; ++i) {
    out += std::string(i == 0 ? "" : ",") + "\n  {\"id\": " + std::to_string(i) + ",\n   \"text\": \"" +
           std::string(static_cast<std::size_t>(i * 17 % 80), 'x') + "\\\\\\\"中[}\"}";
    if (i % 6 == 0) out += ", [1, \"]\"], \"}\"";
  }
  return out + "\n]\n";
}

TEST(JsonDocuments, BlocksAndCutsChangeNothing) {
  expect_same_for_any_block("a.json", many_values());
  expect_every_cut_is_read("a.json", many_values().substr(0, 900));
}

}  // namespace
}  // namespace assay::test
