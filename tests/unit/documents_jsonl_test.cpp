// JSON lines as documents: what each line must give, field by field and fault by fault.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/documents/reader.h"
#include "unit/compressed.h"
#include "unit/documents_helpers.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = LineFaultKind;

// A first line tells the field, so that the line under test decides nothing.
ReadFile line(std::string_view text) { return read_documents("a.jsonl", "{\"text\":\"first\"}\n" + std::string(text)); }

ReadFault fault_of(std::string_view text) {
  const ReadFile got = line(text);
  EXPECT_THAT(got.faults, SizeIs(1)) << text;
  return got.faults.empty() ? ReadFault{} : got.faults.front();
}

TEST(JsonlDocuments, TextIdAndPlace) {
  const ReadFile got = read_documents("a.jsonl",
                                      "{\"id\": \"doc-7\", \"text\": \"a\\nb\"}\r\n"
                                      "\n"
                                      "{\"text\": \"c\", \"meta\": {\"id\": 1, \"text\": \"no\"}, \"_id\": 7}\n"
                                      "{\"url\": \"u\", \"text\": \"\", \"doc_id\": \"d\"}");
  EXPECT_EQ(got.kind, "jsonl");
  EXPECT_EQ(got.field, "text");
  EXPECT_EQ(got.lines, 4U);
  EXPECT_THAT(got.faults, IsEmpty());
  EXPECT_THAT(got.documents, ElementsAre(ReadDocument{"a\nb", "\"doc-7\"", 1, 0}, ReadDocument{"c", "7", 3, 34},
                                         ReadDocument{"", "\"d\"", 4, 91}));
}

TEST(JsonlDocuments, EscapesBecomeWhatTheyMean) {
  const ReadFile got = line(R"({"text":"\"\\\/\b\f\n\r\t\u4e2d\ud83d\ude00\u0000"})");
  ASSERT_THAT(got.documents, SizeIs(2));
  EXPECT_EQ(got.documents[1].text, std::string("\"\\/\b\f\n\r\t中😀\0", 16));
}

TEST(JsonlDocuments, LinesThatGiveNothing) {
  EXPECT_EQ(fault_of("{\"text\":\"caf\xe9\"}"), (ReadFault{Kind::kInvalidUtf8, 2, 17, 12, 1, true, "e9"}));
  EXPECT_EQ(fault_of(R"({"text":"a \ud83d b"})").kind, Kind::kLoneSurrogate);
  EXPECT_EQ(fault_of(R"({"text":"a \ude00 b"})").offset, 11U);
  EXPECT_EQ(fault_of("{\"text\":\"a\tb\"}").offset, 10U);
  EXPECT_EQ(fault_of("{\"text\":\"a\tb\"}").kind, Kind::kInvalidJson);
  EXPECT_EQ(fault_of(std::string_view("{\"text\":\"a\0b\"}", 14)).kind, Kind::kInvalidJson);
  EXPECT_EQ(fault_of("{\"text\":\"never closed").kind, Kind::kTruncated);
  EXPECT_EQ(fault_of("{\"text\":\"a\",}").kind, Kind::kInvalidJson);
  EXPECT_EQ(fault_of("{\"text\":\"a\"}{\"text\":\"b\"}").kind, Kind::kTrailingData);
  EXPECT_EQ(fault_of("[\"text\"]").kind, Kind::kNotAnObject);
  EXPECT_EQ(fault_of("{\"text\":null}").kind, Kind::kNullText);
  EXPECT_EQ(fault_of("{\"text\":5}").kind, Kind::kWrongType);
  EXPECT_EQ(fault_of("{\"text\":[1]}").kind, Kind::kWrongType);
  EXPECT_EQ(fault_of("{\"texd\":\"a\",\"b\":1}").detail, "texd, b");
  EXPECT_EQ(fault_of("{\"texd\":\"a\"}").kind, Kind::kMissingText);
  EXPECT_EQ(fault_of("plain words").kind, Kind::kInvalidJson);
  for (const std::string_view text : {"{\"text\":null}", "{\"text\":5}", "{\"text\":\"a", "{\"a\":\"b\"}"}) {
    EXPECT_TRUE(fault_of(text).lost) << text;
    EXPECT_THAT(line(text).documents, SizeIs(1)) << text;
  }
}

TEST(JsonlDocuments, LinesThatAreReadAsPythonDoes) {
  const auto second = [](std::string_view text, Kind kind) {
    const ReadFile got = line(text);
    EXPECT_THAT(got.kinds(), ElementsAre(kind)) << text;
    EXPECT_FALSE(got.faults.empty() || got.faults.front().lost) << text;
    return got.documents.size() == 2 ? got.documents[1].text : "(none)";
  };
  EXPECT_EQ(second(R"({"text":"first","text":"second"})", Kind::kDuplicateKey), "second");
  EXPECT_EQ(second(R"({"text":"a","score":NaN})", Kind::kNonStrictJson), "a");
  EXPECT_EQ(second(R"({"score":-Infinity,"text":"a"})", Kind::kNonStrictJson), "a");
  EXPECT_EQ(second(R"({"text":["a","b"]})", Kind::kListText), "a\nb");
}

TEST(JsonlDocuments, WhatIsNoFault) {
  const ReadFile got = line(
      "{\"\\u0074ext\":\"escaped key\"}\n"
      "{\"n\":123456789012345678901234567890,\"e\":1e999,\"text\":\"numbers\"}\n"
      "{\"meta\":{\"text\":\"decoy\"},\"text\":\"top\",\"list\":[{},[],[[1]],{\"a\":{}}]}\n"
      "  {\"text\":\"blanks\"}  \n");
  EXPECT_THAT(got.faults, IsEmpty());
  EXPECT_THAT(got.texts(), ElementsAre("first", "escaped key", "numbers", "top", "blanks"));
}

TEST(JsonlDocuments, ByteOrderMarkAtTheStartOnly) {
  const ReadFile got = read_documents("a.jsonl", "\xef\xbb\xbf{\"text\":\"a\"}\n\xef\xbb\xbf{\"text\":\"b\"}\n");
  EXPECT_THAT(got.texts(), ElementsAre("a"));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kByteOrderMark, Kind::kInvalidJson));
}

TEST(JsonlDocuments, FieldsOfManyShapes) {
  const auto text = [](std::string_view object, std::string_view field = {}) {
    DocumentOptions options;
    options.field = field;
    const ReadFile got = read_documents("a.jsonl", object, options);
    return got.documents.size() == 1 ? got.field + "=" + got.documents[0].text : "(none)";
  };
  EXPECT_EQ(text(R"({"content":"a","raw_content":"b"})"), "content=a");
  EXPECT_EQ(text(R"({"raw_content":"b"})"), "raw_content=b");
  EXPECT_EQ(text(R"({"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]})"),
            "messages=q\na");
  EXPECT_EQ(text(R"({"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}]})"),
            "conversations=q\na");
  EXPECT_EQ(text(R"({"messages":[{"content":[{"type":"text","text":"see"},{"type":"image"},{"text":"this"}]},)"
                 R"({"content":null,"tool_calls":[]}]})"),
            "messages=see\nthis");
  EXPECT_EQ(text(R"({"instruction":"do","input":"","output":"done"})"), "instruction+input+output=do\ndone");
  EXPECT_EQ(text(R"({"instruction":"do","input":"this","output":"done"})"), "instruction+input+output=do\nthis\ndone");
  EXPECT_EQ(text(R"({"prompt":"p","completion":"c"})"), "prompt+completion=p\nc");
  EXPECT_EQ(text(R"({"question":"p","answer":"c"})"), "question+answer=p\nc");
  EXPECT_EQ(text(R"({"code":"x = 1"})"), "code=x = 1");
  EXPECT_EQ(text(R"({"meta":{"body":"deep"}})", "meta.body"), "meta.body=deep");
  EXPECT_EQ(text(R"({"meta.body":"flat","meta":{"body":"deep"}})", "meta.body"), "meta.body=flat");
  EXPECT_EQ(text(R"({"title":"t","text":"b"})", "title+text"), "title+text=t\nb");
}

TEST(JsonlDocuments, TheFieldOfMostRowsIsTaken) {
  const ReadFile got =
      read_documents("a.jsonl", "{\"text\":\"odd\"}\n{\"content\":\"a\"}\n{\"content\":\"b\"}\n{\"content\":\"c\"}\n");
  EXPECT_EQ(got.field, "content");
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kMissingText));
}

TEST(JsonlDocuments, FieldsThatAreNotThere) {
  DocumentOptions options;
  options.field = "texxt";
  const ReadFile misspelt = read_documents("a.jsonl", "{\"text\":\"a\",\"id\":1}\n", options);
  ASSERT_TRUE(misspelt.error);
  EXPECT_EQ(misspelt.error->code, ErrorCode::kUsage);
  EXPECT_THAT(misspelt.error->message, HasSubstr("text, id"));
  EXPECT_THAT(misspelt.error->hint, HasSubstr("\"text\""));
  const ReadFile none = read_documents("a.jsonl", "{\"a\":1}\n{\"b\":1}\n");
  ASSERT_TRUE(none.error);
  EXPECT_EQ(none.error->code, ErrorCode::kUnrecognised);
  EXPECT_THAT(none.error->message, HasSubstr("a, b"));
}

TEST(JsonlDocuments, EmptyFilesHaveNoDocuments) {
  for (const std::string_view bytes : {"", "\n", " \n\n"}) {
    const ReadFile got = read_documents("a.jsonl", bytes);
    EXPECT_FALSE(got.error);
    EXPECT_THAT(got.documents, IsEmpty());
    EXPECT_THAT(got.faults, IsEmpty());
  }
}

std::string many_lines() {
  std::string out = "\xef\xbb\xbf";
  for (int i = 0; i < 60; ++i) {
    out += "{\"id\":" + std::to_string(i) + ",\"text\":\"" + std::string(static_cast<std::size_t>(i * 7 % 90), 'x') +
           "\\u4e2d 中\"}" + (i % 3 == 0 ? "\r\n" : "\n");
    if (i % 10 == 3) out += "\n";
    if (i % 10 == 5) out += "{\"text\":\"cut\n";
    if (i % 10 == 7) out += "{\"text\":\"caf\xe9\"}\n";
  }
  return out + "{\"text\":\"the last\"}";
}

TEST(JsonlDocuments, BlocksAndCutsChangeNothing) {
  expect_same_for_any_block("a.jsonl", many_lines());
  expect_every_cut_is_read("a.jsonl", many_lines().substr(0, 1200));
}

TEST(JsonlDocuments, CompressedIsTheSame) {
  const ReadFile want = read_documents("a.jsonl", many_lines());
  const ReadFile gzip = read_documents("a.jsonl.gz", gzipped(many_lines()));
  EXPECT_EQ(gzip.documents, want.documents);
  EXPECT_EQ(gzip.faults, want.faults);
  EXPECT_EQ(gzip.codec, "gzip");
  const std::string packed = zstandard(many_lines());
  const ReadFile zstd = read_documents("odd name", packed);
  EXPECT_EQ(zstd.documents, want.documents);
  EXPECT_EQ(zstd.codec, "zstd");
  EXPECT_EQ(zstd.stored, packed.size());
  expect_same_for_any_block("a.gz", gzipped(many_lines()));
}

TEST(JsonlDocuments, CutCompressedFilesKeepWhatCameBefore) {
  std::string lines;
  for (int i = 0; i < 4000; ++i) lines += "{\"text\":\"line " + std::to_string(i * 7919) + "\"}\n";
  const ReadFile whole = read_documents("a.jsonl", lines);
  for (const std::string& packed : {gzipped(lines), zstandard(lines) + zstandard(lines)}) {
    const ReadFile got = read_documents("a.jsonl", std::string_view(packed).substr(0, packed.size() * 3 / 4));
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->code, ErrorCode::kTruncated);
    ASSERT_GT(got.documents.size(), 500U);
    for (std::size_t i = 0; i < std::min(got.documents.size(), whole.documents.size()); ++i) {
      ASSERT_EQ(got.documents[i], whole.documents[i]);
    }
    EXPECT_LE(got.faults.size(), 1U);  // the line that is cut
  }
}

TEST(JsonlDocuments, LinesThatAreTooLongCostThemselvesOnly) {
  DocumentOptions options;
  options.longest_line = 100;
  const std::string text = "{\"text\":\"a\"}\n{\"text\":\"" + std::string(5000, 'x') +
                           "\"}\n{\"text\":\"b\"}\n{\"text\":\"" + std::string(20000, 'y') + "\"}";
  for (const std::size_t block : {1UL, 50UL, 64UL, 1000UL, 4096UL, 100000UL}) {
    options.block = block;
    const ReadFile got = read_documents("a.jsonl", text, options);
    EXPECT_THAT(got.texts(), ElementsAre("a", "b")) << block;
    ASSERT_THAT(got.kinds(), ElementsAre(Kind::kTooLong, Kind::kTooLong)) << block;
    EXPECT_EQ(got.faults[0].length, 5011U) << block;
    EXPECT_EQ(got.faults[1].length, 20011U) << block;
    EXPECT_EQ(got.faults[1].line, 4U) << block;
    EXPECT_EQ(got.documents[1].byte, 5025U) << block;
    EXPECT_EQ(got.lines, 4U) << block;
    EXPECT_TRUE(block >= 5000 || got.largest_block < 5000) << block;
  }
}

TEST(JsonlDocuments, Utf16IsToldAndRead) {
  std::string wide = "\xff\xfe";
  for (const char c : std::string_view("{\"text\":\"abc\"}\n{\"text\":\"def\"}\n")) wide += {c, '\0'};
  const ReadFile got = read_documents("a.jsonl", wide);
  EXPECT_EQ(got.encoding, "UTF-16");
  EXPECT_THAT(got.texts(), ElementsAre("abc", "def"));
  EXPECT_THAT(got.kinds(), ElementsAre(Kind::kOtherEncoding));
  EXPECT_EQ(got.faults[0].detail, "UTF-16");
}

TEST(JsonlDocuments, OpeningWhatIsNone) {
  const TempFolder folder;
  EXPECT_EQ(read_documents_of(folder.path("absent")).error->code, ErrorCode::kNotFound);
  EXPECT_EQ(read_documents_of(folder.path("")).error->code, ErrorCode::kUsage);
  DocumentOptions options;
  options.format = "jsonk";
  const ReadFile got = read_documents("a", "{}", options);
  ASSERT_TRUE(got.error);
  EXPECT_THAT(got.error->hint, HasSubstr("\"json"));
}

TEST(IsCorpus, TextWithoutStepsIsOne) {
  EXPECT_TRUE(is_corpus("a.jsonl", "{\"text\":\"a\",\"meta\":{\"step\":1}}\n"));
  EXPECT_TRUE(is_corpus("a.jsonl", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"));
  EXPECT_TRUE(is_corpus("a.json", "[\n {\"instruction\":\"a\",\"output\":\"b\"}\n]\n"));
  EXPECT_TRUE(is_corpus("a.parquet", "PAR1\x15"));
  EXPECT_TRUE(is_corpus("a.idx", std::string_view("MMIDIDX\0\0\1", 10)));
  EXPECT_FALSE(is_corpus("a.jsonl", "{\"step\":1,\"loss\":2.5,\"text\":\"sample\"}\n"));
  EXPECT_FALSE(is_corpus("a.jsonl", "{\"level\":\"info\",\"content\":\"started\"}\n"));
  EXPECT_FALSE(is_corpus("a.jsonl", "{\"a\":1}\n"));
  EXPECT_FALSE(is_corpus("a.txt", "Once upon a time\n"));
}

}  // namespace
}  // namespace assay::test
