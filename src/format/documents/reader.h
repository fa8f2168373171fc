#pragma once
// Readers of documents. One thread reads a file and cuts it into blocks of whole documents; any number of threads take
// blocks apart. Where blocks are cut depends on the file alone, so what is counted does not depend on the threads.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/document.h"
#include "assay/result.h"

namespace assay {

/// A piece of a file that holds whole documents.
struct DocumentBlock {
  std::uint64_t number = 0;              // in its file, from 0
  std::uint64_t line = 1;                // of its first byte: lines of a text, rows of a table, both from 1
  std::uint64_t byte = 0;                // of its first byte in the unpacked file
  std::string bytes;                     // what it holds, as the reader cut it
  std::vector<std::uint64_t> ends = {};  // of a reader that cuts by documents itself: where each ends in `bytes`
  std::uint64_t lines = 0;               // lines (rows) in it
  std::uint64_t stored = 0;              // bytes of the stored file that were read for it: for progress
  std::uint64_t overlong = 0;            // not 0: it holds nothing but the start of a line that is given up; its length
};

class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  /// Asked for each line (row) before it is looked at: a sample leaves most of them out.
  virtual bool wants(std::uint64_t line) {
    static_cast<void>(line);
    return true;
  }
  virtual void take(const Document& document) = 0;
  virtual void fault(const LineFault& fault) = 0;
};

/// Of one file.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;
  /// The next block; false: the end. By one thread at a time. An error ends the file (a broken .zst frame, a cut .gz):
  /// what came before it stands. The blocks of one file are the same for every call order.
  virtual Result<bool> next(DocumentBlock& block) = 0;
  /// Takes a block apart, in order. By any number of threads at once. Document::number counts from 0 in the block:
  /// whoever puts blocks together in order adds the numbers.
  virtual void take_apart(const DocumentBlock& block, DocumentSink& sink) const = 0;
};

/// How a file is to be read.
struct DocumentOptions {
  std::string field;  // of JSON objects, the column of tables; empty: the first of kTextFields that is there
  TextSplit split = TextSplit::kAuto;  // of plain text
  std::string format;  // "jsonl", "text", "csv", "tsv", "parquet", "arrow", "megatron"; empty: told by the file
  std::uint64_t longest_line = std::uint64_t{256} << 20;  // a longer one is a fault (kTooLong), and the rest goes on
  std::size_t block = std::size_t{1} << 20;               // bytes of a block; a line that is longer has one of its own
};

/// What a file was taken for.
struct DocumentFile {
  std::string kind;      // "jsonl", "text", "csv", "tsv", "parquet", "arrow", "megatron"
  std::string codec;     // "gzip", "zstd" or empty
  std::string encoding;  // "UTF-16", "GB18030": its bytes were turned into UTF-8; empty: they are
  std::string field;     // where its text is: "text", "messages[].content", …; empty: the file is the text
  std::unique_ptr<DocumentReader> reader;
};

/// Opens a file as documents. Errors: those of opening; kUnrecognised for what holds no documents, with what was seen
/// (the fields that there are); kUsage for a field that is in none of the first rows, with the nearest one.
Result<DocumentFile> open_documents(const std::string& path, const DocumentOptions& options);

/// Whether `assay check` takes a file for a corpus without being told: JSON lines whose objects have a text and tell no
/// step of a training, Parquet, Arrow, Megatron's .idx with its .bin. Plain text never is: it may be a log.
bool is_corpus(std::string_view path, std::string_view prefix);
/// The same of a file, from its first bytes, unpacked; false of what cannot be read.
bool is_corpus(const std::string& path);

}  // namespace assay
