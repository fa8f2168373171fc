// Megatron's index and its tokens: read as they were written, and what contradicts itself is told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "format/tokens/megatron_index.h"
#include "unit/documents_helpers.h"

namespace assay::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = LineFaultKind;

template <class T>
std::string packed(const std::vector<T>& numbers) {
  std::string out(numbers.size() * sizeof(T), '\0');
  if (!numbers.empty()) std::memcpy(out.data(), numbers.data(), out.size());
  return out;
}

// A dataset as Megatron-LM writes it.
struct Dataset {
  std::vector<std::vector<std::vector<std::int64_t>>> documents;  // sequences of tokens
  unsigned char code = 8;
  std::size_t item = 2;
  bool modes = false;

  std::string tokens() const {
    std::string out;
    for (const auto& document : documents) {
      for (const auto& sequence : document) {
        for (const std::int64_t token : sequence) out.append(reinterpret_cast<const char*>(&token), item);
      }
    }
    return out;
  }

  std::string index() const {
    std::vector<std::int32_t> lengths;
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> starts{0};
    std::int64_t byte = 0;
    for (const auto& document : documents) {
      for (const auto& sequence : document) {
        lengths.push_back(static_cast<std::int32_t>(sequence.size()));
        offsets.push_back(byte);
        byte += static_cast<std::int64_t>(sequence.size() * item);
      }
      starts.push_back(static_cast<std::int64_t>(lengths.size()));
    }
    std::string out("MMIDIDX\0\0", 9);
    out += packed<std::uint64_t>({1});
    out += static_cast<char>(code);
    out += packed<std::uint64_t>({lengths.size(), starts.size()});
    out += packed(lengths) + packed(offsets) + packed(starts);
    if (modes) out += std::string(lengths.size(), '\1');
    return out;
  }
};

std::vector<std::int64_t> bytes_of(std::string_view text, bool ends) {
  std::vector<std::int64_t> out;
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  if (ends) out.push_back(256);
  return out;
}

Dataset three_documents() {
  return {.documents = {{bytes_of("first, 中文", true)}, {}, {bytes_of("two ", false), bytes_of("sequences", true)}}};
}

ReadFile read(const Dataset& dataset, const DocumentOptions& options = {},
              const std::function<void(std::string& index, std::string& tokens)>& change = {}) {
  std::string index = dataset.index();
  std::string tokens = dataset.tokens();
  if (change) change(index, tokens);
  const TempFolder folder;
  folder.write("set.bin", tokens);
  return read_documents_of(folder.write("set.idx", index), options);
}

TEST(MegatronDocuments, TextOfBytes) {
  for (const auto& [code, item] : {std::pair{8, 2}, std::pair{4, 4}, std::pair{5, 8}, std::pair{3, 2}}) {
    Dataset dataset = three_documents();
    dataset.code = static_cast<unsigned char>(code);
    dataset.item = static_cast<std::size_t>(item);
    const ReadFile got = read(dataset);
    EXPECT_EQ(got.kind, "megatron");
    EXPECT_THAT(got.texts(), ElementsAre("first, 中文", "", "two sequences")) << code;
    EXPECT_THAT(got.faults, IsEmpty());
    EXPECT_FALSE(got.error);
    EXPECT_EQ(got.lines, 3U);
    ASSERT_THAT(got.documents, SizeIs(3));
    EXPECT_EQ(got.documents[2].line, 3U);
    EXPECT_EQ(got.documents[2].byte, static_cast<std::uint64_t>(14 * item));
  }
  Dataset bytes{.documents = {{bytes_of("plain", false)}}, .code = 1, .item = 1, .modes = true};
  EXPECT_THAT(read(bytes).texts(), ElementsAre("plain"));
  EXPECT_THAT(read(Dataset{}).documents, IsEmpty());
}

TEST(MegatronDocuments, TheBinIsAsGoodAsTheIndex) {
  const TempFolder folder;
  folder.write("set.idx", three_documents().index());
  EXPECT_THAT(read_documents_of(folder.write("set.bin", three_documents().tokens())).documents, SizeIs(3));
}

TEST(MegatronDocuments, TokensThatAreNoBytes) {
  Dataset words = three_documents();
  words.documents[0] = {{50000, 12, 40213}};
  const ReadFile refused = read(words);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, ErrorCode::kUnrecognised);
  EXPECT_THAT(refused.error->message, HasSubstr("50000"));

  // One among many: not seen when the file is opened.
  Dataset odd;
  for (int i = 0; i < 400; ++i) odd.documents.push_back({bytes_of(std::string(1000, 'a'), true)});
  odd.documents[130][0][5] = 300;
  odd.documents[130][0][7] = 256;
  const ReadFile got = read(odd);
  ASSERT_THAT(got.faults, SizeIs(1));
  EXPECT_EQ(got.faults[0], (ReadFault{Kind::kBadToken, 131, 130 * 2002, 5, 2, false, "300"}));
  EXPECT_EQ(got.documents[130].text.substr(4, 9),
            "a\xef\xbf\xbd"
            "a\xef\xbf\xbd"
            "a");
}

TEST(MegatronDocuments, WhatContradictsItself) {
  const auto message = [](const std::function<void(std::string&, std::string&)>& change) {
    const ReadFile got = read(three_documents(), {}, change);
    return got.error ? got.error->message : "(no error)";
  };
  using S = std::string;
  EXPECT_THAT(message([](S& index, S&) { index[0] = 'X'; }), HasSubstr("MMIDIDX"));
  EXPECT_THAT(message([](S& index, S&) { index[9] = 2; }), HasSubstr("version 2"));
  EXPECT_THAT(message([](S& index, S&) { index[17] = 6; }), HasSubstr("type 6"));
  EXPECT_THAT(message([](S& index, S&) { index.resize(20); }), HasSubstr("header"));
  EXPECT_THAT(message([](S& index, S&) { index.pop_back(); }), HasSubstr("take"));
  EXPECT_THAT(message([](S& index, S&) { index += "12345"; }), HasSubstr("take"));
  EXPECT_THAT(message([](S& index, S&) { index[25] = '\x7f'; }), HasSubstr("sequences"));
  // The second sequence begins elsewhere; the first has more tokens; documents go backwards.
  EXPECT_THAT(message([](S& index, S&) { index[34 + 12 + 8] = 1; }), HasSubstr("sequence 1"));
  EXPECT_THAT(message([](S& index, S&) { index[34] = 15; }), HasSubstr("sequence 1"));
  EXPECT_THAT(message([](S& index, S&) { index[34 + 36 + 8] = 3; }), HasSubstr("document 1"));
  EXPECT_THAT(message([](S& index, S&) { index[34 + 36] = 1; }), HasSubstr("not 0"));
  EXPECT_THAT(message([](S& index, S&) { index[34 + 36 + 24] = 2; }), HasSubstr("has 3"));
  EXPECT_THAT(message([](S&, S& tokens) { tokens += "xx"; }), HasSubstr("its index tells of"));
  const S old("TNTIDX\0\0\1", 9);
  EXPECT_THAT(message([&](S& index, S&) { index = old; }), HasSubstr("TNTIDX"));
}

TEST(MegatronDocuments, ACutBinKeepsWhatCameBefore) {
  const std::string whole = three_documents().tokens();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ReadFile got = read(three_documents(), {}, [&](std::string&, std::string& tokens) { tokens.resize(size); });
    ASSERT_TRUE(got.error) << size;
    EXPECT_EQ(got.error->code, ErrorCode::kTruncated) << size;
    EXPECT_EQ(got.documents.size(), size < 28 ? 0U : 2U) << size;
  }
  const std::string index = three_documents().index();
  for (std::size_t size = 0; size < index.size(); ++size) {
    const ReadFile got = read(three_documents(), {}, [&](std::string& cut, std::string&) { cut.resize(size); });
    EXPECT_TRUE(got.documents.empty()) << size;
  }
}

TEST(MegatronDocuments, WithoutItsTokens) {
  const TempFolder folder;
  const ReadFile got = read_documents_of(folder.write("set.idx", three_documents().index()));
  ASSERT_TRUE(got.error);
  EXPECT_EQ(got.error->code, ErrorCode::kNotFound);
  EXPECT_THAT(got.error->message, HasSubstr("set.bin"));
}

TEST(MegatronDocuments, BlocksChangeNothing) {
  Dataset dataset;
  for (std::size_t i = 0; i < 300; ++i) {
    dataset.documents.emplace_back();
    for (std::size_t k = 0; k < i % 3; ++k) {
      dataset.documents.back().push_back(bytes_of(std::string(i * 7 % 50, 'a'), k + 1 == i % 3));
    }
  }
  const ReadFile want = read(dataset);
  EXPECT_THAT(want.documents, SizeIs(300));
  for (const std::size_t block : {1UL, 10UL, 100UL, 1000UL}) {
    DocumentOptions options;
    options.block = block;
    const ReadFile got = read(dataset, options);
    EXPECT_EQ(got.documents, want.documents) << block;
    EXPECT_EQ(got.lines, want.lines) << block;
  }
  DocumentOptions small;
  small.longest_line = 40;
  EXPECT_THAT(read(dataset, small).kinds(), testing::Each(Kind::kTooLong));
  EXPECT_EQ(read(dataset, small).faults.size() + read(dataset, small).documents.size(), 300U);
}

TEST(MegatronIndex, DocumentsOfSequences) {
  Dataset dataset;
  for (std::size_t i = 0; i < 100; ++i) {
    dataset.documents.emplace_back(i % 4, std::vector<std::int64_t>(3, 7));
  }
  const TempFolder folder;
  const Result<MegatronIndex> index = MegatronIndex::open(folder.write("set.idx", dataset.index()));
  ASSERT_TRUE(index);
  EXPECT_EQ(index->documents(), 100U);
  EXPECT_EQ(index->sequences(), 150U);
  EXPECT_EQ(index->token_bytes(), 900U);
  MegatronScan scan(*index);
  MegatronScan::Document document;
  std::uint64_t sequence = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(*scan.next(document));
    EXPECT_EQ(document.number, i);
    EXPECT_EQ(document.first_sequence, sequence);
    EXPECT_EQ(document.tokens, 3 * document.sequences);
    for (std::uint64_t k = 0; k < document.sequences; ++k) {
      EXPECT_EQ(index->document_of(sequence++).value_or(9999), i);
    }
  }
  EXPECT_FALSE(*scan.next(document));
}

// Datasets that Megatron-LM itself wrote, where they are at hand: every byte against the text they were made from.
TEST(MegatronDocuments, WhatMegatronWrote) {
  const char* set = std::getenv("ASSAY_CASES");
  const std::filesystem::path cases =
      set != nullptr ? std::filesystem::path(set) : std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/cases";
  if (!std::filesystem::exists(cases / "megatron")) GTEST_SKIP() << "no datasets at hand";
  for (const std::string name : {"en_web", "zh", "code"}) {
    const ReadFile text = read_documents_of((cases / "megatron" / (name + ".jsonl")).string());
    const ReadFile tokens = read_documents_of((cases / "megatron" / (name + "_text_document.idx")).string());
    EXPECT_FALSE(tokens.error);
    EXPECT_THAT(tokens.faults, IsEmpty());
    ASSERT_EQ(tokens.documents.size(), text.documents.size()) << name;
    for (std::size_t i = 0; i < text.documents.size(); ++i) {
      std::string want = text.documents[i].text;
      std::string got = tokens.documents[i].text;
      const auto is_list = [&](const ReadFault& fault) { return fault.line == text.documents[i].line; };
      if (std::any_of(text.faults.begin(), text.faults.end(), is_list)) {
        // A text that is a list became several sequences of one document, without the line feeds between them.
        std::erase(want, '\n');
        std::erase(got, '\n');
      }
      EXPECT_EQ(got, want) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace assay::test
