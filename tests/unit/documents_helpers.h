#pragma once
// Files of documents in tests: written, read, and told what came.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/documents/reader.h"
#include "unit/support/temp_folder.h"

namespace assay::test {

struct ReadDocument {
  std::string text;
  std::string id;
  std::uint64_t line = 0;
  std::uint64_t byte = 0;
  friend bool operator==(const ReadDocument&, const ReadDocument&) = default;
};

struct ReadFault {
  LineFaultKind kind = LineFaultKind::kInvalidJson;
  std::uint64_t line = 0;
  std::uint64_t byte = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool lost = true;
  std::string detail;
  friend bool operator==(const ReadFault&, const ReadFault&) = default;
};

struct ReadFile {
  std::string kind;
  std::string codec;
  std::string encoding;
  std::string field;
  std::vector<ReadDocument> documents;
  std::vector<ReadFault> faults;
  std::uint64_t lines = 0;
  std::uint64_t stored = 0;
  std::uint64_t blocks = 0;
  std::size_t largest_block = 0;
  std::optional<Error> error;  // of opening, or what ended it

  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const ReadDocument& one : documents) out.push_back(one.text);
    return out;
  }
  std::vector<LineFaultKind> kinds() const {
    std::vector<LineFaultKind> out;
    for (const ReadFault& one : faults) out.push_back(one.kind);
    return out;
  }
};

class Collector final : public DocumentSink {
 public:
  explicit Collector(ReadFile& out) : out_(out) {}
  void begin() { number_ = 0; }
  void take(const Document& document) override {
    EXPECT_EQ(document.number, number_++);
    out_.documents.push_back({std::string(document.text), std::string(document.id), document.line, document.byte});
  }
  void fault(const LineFault& fault) override {
    out_.faults.push_back(
        {fault.kind, fault.line, fault.byte, fault.offset, fault.length, fault.lost, std::string(fault.detail)});
  }

 private:
  ReadFile& out_;
  std::uint64_t number_ = 0;
};

inline ReadFile read_documents_of(const std::string& path, const DocumentOptions& options = {}) {
  ReadFile out;
  Result<DocumentFile> file = open_documents(path, options);
  if (!file) {
    out.error = std::move(file).error();
    return out;
  }
  out.kind = file->kind;
  out.codec = file->codec;
  out.encoding = file->encoding;
  out.field = file->field;
  Collector sink(out);
  DocumentBlock block;
  for (;;) {
    const Result<bool> more = file->reader->next(block);
    if (!more) {
      out.error = more.error();
      break;
    }
    if (!*more) break;
    EXPECT_EQ(block.number, out.blocks++);
    out.lines += block.lines;
    out.stored += block.stored;
    out.largest_block = std::max(out.largest_block, block.bytes.size());
    sink.begin();
    file->reader->take_apart(block, sink);
  }
  return out;
}

inline ReadFile read_documents(std::string_view name, std::string_view bytes, const DocumentOptions& options = {}) {
  const TempFolder folder;
  return read_documents_of(folder.write(name, bytes), options);
}

/// What comes may not depend on where blocks are cut.
inline void expect_same_for_any_block(std::string_view name, std::string_view bytes, DocumentOptions options = {}) {
  const TempFolder folder;
  const std::string path = folder.write(name, bytes);
  const ReadFile want = read_documents_of(path, options);
  for (const int block : {1, 2, 3, 7, 16, 33, 64, 100, 257, 1000}) {
    options.block = static_cast<std::size_t>(block);
    const ReadFile got = read_documents_of(path, options);
    EXPECT_EQ(got.documents, want.documents) << name << " by " << block;
    EXPECT_EQ(got.faults, want.faults) << name << " by " << block;
    EXPECT_EQ(got.lines, want.lines) << name << " by " << block;
    EXPECT_EQ(got.error.has_value(), want.error.has_value()) << name << " by " << block;
  }
}

/// Every reader gets through every beginning of a file, and what it reads of it is there in the whole.
inline void expect_every_cut_is_read(std::string_view name, std::string_view bytes,
                                     const DocumentOptions& options = {}) {
  const TempFolder folder;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ReadFile got = read_documents_of(folder.write(name, bytes.substr(0, size)), options);
    EXPECT_TRUE(!got.error || !got.error->message.empty()) << name << " cut at " << size;
    for (const ReadFault& fault : got.faults) EXPECT_LE(fault.byte, size) << name << " cut at " << size;
  }
}

}  // namespace assay::test
