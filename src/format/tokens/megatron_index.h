#pragma once
// The index of a Megatron dataset (MMIDIDX): where in the .bin beside it which sequence of tokens lies, and which
// sequences make a document. Megatron-LM, Megatron-DeepSpeed, GPT-NeoX, NeMo, MindSpeed-LLM and MindFormers write it,
// the same since 2019.
//
//   offset          type      what
//   0               9 bytes   "MMIDIDX" 0 0
//   9               u64       version, 1
//   17              u8        type of a token
//   18              u64       S, sequences
//   26              u64       D + 1, documents and one
//   34              i32[S]    tokens of each sequence
//   34 + 4 S        i64[S]    where each sequence begins in the .bin, in bytes
//   34 + 12 S       i64[D+1]  first sequence of each document; the last is S
//   + 8 (D+1)       i8[S]     modes, of multimodal sets only
//
// All little-endian, and nothing aligned: the numbers begin at byte 34.
//
// An index of 10^9 sequences has 20 GB, so it is neither mapped nor held: numbers are read where they are asked for,
// and a scan goes through in pieces and checks each on its way. Source: megatron/core/datasets/indexed_dataset.py.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "base/file.h"

namespace assay {

enum class TokenType : std::uint8_t { kU8, kI8, kI16, kI32, kI64, kU16 };
std::size_t token_size(TokenType type);
std::string_view name(TokenType type);  // "uint16"

class MegatronIndex {
 public:
  /// Checks what its first bytes and its size tell. kUnrecognised for another kind of file; for the older TNTIDX, too,
  /// with what to do.
  static Result<MegatronIndex> open(const std::string& path);

  TokenType type() const { return type_; }
  std::uint64_t sequences() const { return sequences_; }
  std::uint64_t documents() const { return documents_; }
  bool has_modes() const { return has_modes_; }
  /// Of the .bin, as the last sequence tells.
  std::uint64_t token_bytes() const { return token_bytes_; }
  const std::string& path() const { return path_; }

  /// Numbers from `first` on, as many as `out` has room for: tokens of sequences; where they begin, in bytes; the first
  /// sequences of documents, of which there are documents() + 1. Precondition: they are there. By any thread.
  Result<void> read_lengths(std::uint64_t first, std::span<std::int32_t> out) const;
  Result<void> read_offsets(std::uint64_t first, std::span<std::int64_t> out) const;
  Result<void> read_document_starts(std::uint64_t first, std::span<std::int64_t> out) const;

  /// The document of a sequence: the last one that begins at it or before (documents without sequences have none).
  /// log2(documents()) reads.
  Result<std::uint64_t> document_of(std::uint64_t sequence) const;

 private:
  explicit MegatronIndex(std::string path, InputFile file) : path_(std::move(path)), file_(std::move(file)) {}
  Result<void> read_header();
  Result<void> read_ends();
  Result<void> read_at(std::uint64_t offset, std::span<char> out) const;
  std::unexpected<Error> broken(ErrorCode code, std::string message, std::uint64_t byte) const;

  std::string path_;
  InputFile file_;
  TokenType type_ = TokenType::kU16;
  std::uint64_t sequences_ = 0;
  std::uint64_t documents_ = 0;
  std::uint64_t token_bytes_ = 0;
  bool has_modes_ = false;
};

/// Goes through an index document by document, in order, and checks that sequences follow one another without a gap and
/// documents do not go backwards.
class MegatronScan {
 public:
  struct Document {
    std::uint64_t number = 0;
    std::uint64_t first_sequence = 0;
    std::uint64_t sequences = 0;
    std::uint64_t byte = 0;    // in the .bin
    std::uint64_t tokens = 0;  // of all its sequences, which lie one behind the other
  };

  /// index: outlives the scan.
  explicit MegatronScan(const MegatronIndex& index) : index_(index) {}
  /// False: the end. An error: the index contradicts itself there.
  Result<bool> next(Document& out);

 private:
  Result<void> load_starts();
  Result<void> load_sequences();
  std::unexpected<Error> broken(std::string message) const;

  const MegatronIndex& index_;
  std::vector<std::int64_t> starts_;  // of documents from starts_from_ on
  std::uint64_t starts_from_ = 0;
  std::vector<std::int32_t> lengths_;  // of sequences from lengths_from_ on
  std::vector<std::int64_t> offsets_;
  std::uint64_t lengths_from_ = 0;
  std::uint64_t document_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t byte_ = 0;
};

}  // namespace assay
