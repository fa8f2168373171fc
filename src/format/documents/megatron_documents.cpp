// Tokens that are bytes: 0 to 255, and 256 where the tokenizer ends a document (Megatron's own byte-level tokenizers,
// and every test set). The text is then known exactly, so each document is read back; tokens of another vocabulary
// tell nothing without it, and no guess is made.
//
// The .bin is read in blocks of whole documents, in their order, at the places that the index tells: 100 GB of tokens
// need a block of memory.

#include "format/documents/megatron_documents.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file.h"
#include "format/documents/line_blocks.h"
#include "format/documents/plain_text.h"
#include "format/tokens/megatron_index.h"

namespace assay {

namespace {

constexpr std::int64_t kEndOfDocument = 256;
constexpr std::size_t kProbe = std::size_t{64} << 10;  // bytes looked at in each of three places
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Calls take(token) for each of the tokens.
template <class Token, class Take>
void each(std::string_view bytes, Take&& take) {
  for (std::size_t at = 0; at + sizeof(Token) <= bytes.size(); at += sizeof(Token)) {
    Token token;
    std::memcpy(&token, bytes.data() + at, sizeof token);
    take(static_cast<std::int64_t>(token));
  }
}

template <class Take>
void each_token(TokenType type, std::string_view bytes, Take&& take) {
  switch (type) {
    case TokenType::kU8: return each<std::uint8_t>(bytes, take);
    case TokenType::kI8: return each<std::int8_t>(bytes, take);
    case TokenType::kI16: return each<std::int16_t>(bytes, take);
    case TokenType::kI32: return each<std::int32_t>(bytes, take);
    case TokenType::kI64: return each<std::int64_t>(bytes, take);
    case TokenType::kU16: return each<std::uint16_t>(bytes, take);
  }
}

// The low bytes of tokens; false where one of them is no byte.
template <class Token>
bool narrowed(std::string_view bytes, std::string& out) {
  out.resize(bytes.size() / sizeof(Token));
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    Token token;
    std::memcpy(&token, bytes.data() + i * sizeof token, sizeof token);
    high |= static_cast<std::uint64_t>(token) & ~std::uint64_t{0xff};
    out[i] = static_cast<char>(token & 0xff);
  }
  return high == 0;
}

bool all_bytes(TokenType type, std::string_view bytes, std::string& out) {
  switch (type) {
    case TokenType::kU8: out = bytes; return true;
    case TokenType::kI8: return narrowed<std::int8_t>(bytes, out);
    case TokenType::kI16: return narrowed<std::int16_t>(bytes, out);
    case TokenType::kI32: return narrowed<std::int32_t>(bytes, out);
    case TokenType::kI64: return narrowed<std::int64_t>(bytes, out);
    case TokenType::kU16: return narrowed<std::uint16_t>(bytes, out);
  }
  return false;
}

std::string stem_of(const std::string& path) { return path.substr(0, path.size() - 4); }

class MegatronDocuments final : public DocumentReader {
 public:
  MegatronDocuments(MegatronIndex index, InputFile tokens, const DocumentOptions& options)
      : index_(std::move(index)),
        tokens_(std::move(tokens)),
        scan_(index_),
        size_(std::max<std::size_t>(options.block, 1)),
        longest_(options.longest_line) {}
  MegatronDocuments(const MegatronDocuments&) = delete;  // the scan refers to the index
  MegatronDocuments& operator=(const MegatronDocuments&) = delete;

  Result<bool> next(DocumentBlock& block) override;
  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override;

 private:
  Result<bool> next_document();
  Result<void> check_end() const;
  std::string_view text_of(std::string_view bytes, const PlainText::Place& place, std::string& scratch,
                           DocumentSink& sink) const;

  MegatronIndex index_;
  InputFile tokens_;
  MegatronScan scan_;
  std::size_t size_;
  std::uint64_t longest_;
  std::optional<MegatronScan::Document> waiting_;  // read from the index, not yet in a block
  std::uint64_t number_ = 0;
};

// Whether waiting_ holds a document.
Result<bool> MegatronDocuments::next_document() {
  if (waiting_) return true;
  MegatronScan::Document document;
  if (!ASSAY_TRY(scan_.next(document))) return false;
  waiting_ = document;
  return true;
}

// What is in the .bin behind the last sequence.
Result<void> MegatronDocuments::check_end() const {
  const auto size = static_cast<std::uint64_t>(tokens_.size().value_or(0));
  if (size == index_.token_bytes()) return {};
  Location where;
  where.path = stem_of(index_.path()) + ".bin";
  where.byte = static_cast<std::int64_t>(std::min(size, index_.token_bytes()));
  const std::string sizes = fmt::format("has {} bytes; its index tells of {}", size, index_.token_bytes());
  if (size < index_.token_bytes()) return fail(ErrorCode::kTruncated, sizes, std::move(where));
  return fail(ErrorCode::kCorrupt, sizes, std::move(where), "another dataset may have been written over this one");
}

Result<bool> MegatronDocuments::next(DocumentBlock& block) {
  std::string bytes = std::move(block.bytes);
  bytes.clear();
  block = {.number = number_, .bytes = std::move(bytes)};
  const std::size_t item = token_size(index_.type());
  std::uint64_t size = 0;
  while (size < size_) {
    const Result<bool> more = next_document();
    if (!more && block.ends.empty()) return std::unexpected(more.error());
    if (!more || !*more) break;  // an error comes again with the next block
    const std::uint64_t whole = waiting_->tokens * item;
    if (block.ends.empty() && block.lines == 0) {
      block.line = waiting_->number + 1;
      block.byte = waiting_->byte;
    }
    if (size > 0 && size + whole > size_) break;
    if (waiting_->tokens > longest_) {
      if (size > 0 || !block.ends.empty()) break;
      block.overlong = waiting_->tokens;
      block.lines = 1;
      waiting_.reset();
      break;
    }
    size += whole;
    block.ends.push_back(size);
    waiting_.reset();
  }
  if (block.ends.empty() && block.overlong == 0) {
    if (auto end = check_end(); !end) return std::unexpected(std::move(end).error());
    return false;
  }
  ++number_;
  block.lines = std::max<std::uint64_t>(block.lines, block.ends.size());
  const auto wanted = static_cast<std::size_t>(block.overlong > 0 ? 0 : size);
  block.bytes.resize(wanted);
  const std::size_t got = ASSAY_TRY(tokens_.read_at(static_cast<std::int64_t>(block.byte), block.bytes));
  block.stored = got;
  if (got == wanted) return true;
  // The .bin is cut: the documents that are there whole are handed over, the error is told after them.
  block.bytes.resize(got);
  while (!block.ends.empty() && block.ends.back() > got) block.ends.pop_back();
  if (!block.ends.empty()) {
    block.lines = block.ends.size();
    return true;
  }
  if (auto end = check_end(); !end) return std::unexpected(std::move(end).error());
  return false;
}

std::string_view MegatronDocuments::text_of(std::string_view bytes, const PlainText::Place& place, std::string& scratch,
                                            DocumentSink& sink) const {
  const std::size_t item = token_size(index_.type());
  if (bytes.size() >= item) {
    each_token(index_.type(), bytes.substr(bytes.size() - item), [&](std::int64_t last) {
      if (last == kEndOfDocument) bytes.remove_suffix(item);
    });
  }
  if (all_bytes(index_.type(), bytes, scratch)) return scratch;
  scratch.clear();
  std::uint64_t position = 0;
  std::uint64_t bad = 0;
  std::uint64_t first = 0;
  std::string seen;
  each_token(index_.type(), bytes, [&](std::int64_t token) {
    if (token >= 0 && token < kEndOfDocument) {
      scratch += static_cast<char>(static_cast<unsigned char>(token));
    } else {
      scratch += kReplacement;
      if (bad++ == 0) {
        first = position;
        seen = std::to_string(token);
      }
    }
    ++position;
  });
  sink.fault({.kind = LineFaultKind::kBadToken,
              .line = place.line,
              .byte = place.byte,
              .offset = first,
              .length = bad,
              .lost = false,
              .detail = seen});
  return scratch;
}

void MegatronDocuments::take_apart(const DocumentBlock& block, DocumentSink& sink) const {
  if (block.overlong > 0) {
    sink.fault({.kind = LineFaultKind::kTooLong, .line = block.line, .byte = block.byte, .length = block.overlong});
    return;
  }
  PlainText text(sink);
  std::string scratch;
  PlainText::Place place{.line = block.line, .byte = block.byte, .rows = true};
  std::uint64_t from = 0;
  std::uint64_t number = 0;
  for (const std::uint64_t end : block.ends) {
    if (sink.wants(place.line)) {
      const std::string_view bytes =
          std::string_view(block.bytes).substr(static_cast<std::size_t>(from), static_cast<std::size_t>(end - from));
      const std::string_view raw = text_of(bytes, place, scratch, sink);
      const std::string_view read = text.read(raw, place, false);
      sink.take({.text = read, .number = number, .line = place.line, .byte = place.byte});
      ++number;
    }
    ++place.line;
    place.byte += end - from;
    from = end;
  }
}

// The greatest token among those at the start, in the middle and at the end, by its size: a negative one is no byte.
Result<std::int64_t> greatest_token(const MegatronIndex& index, const InputFile& tokens) {
  const std::uint64_t item = token_size(index.type());
  const std::uint64_t size = std::min(index.token_bytes(), static_cast<std::uint64_t>(tokens.size().value_or(0)));
  std::string piece;
  std::int64_t greatest = 0;
  for (const std::uint64_t place : {std::uint64_t{0}, size / 2, size - std::min<std::uint64_t>(size, kProbe)}) {
    const std::uint64_t offset = place / item * item;
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kProbe, size - offset)));
    piece.resize(ASSAY_TRY(tokens.read_at(static_cast<std::int64_t>(offset), piece)));
    each_token(index.type(), piece, [&](std::int64_t token) {
      const std::uint64_t unsigned_token = static_cast<std::uint64_t>(token);
      if (unsigned_token > static_cast<std::uint64_t>(greatest)) greatest = token;
    });
  }
  return greatest;
}

}  // namespace

bool is_megatron(std::string_view path, std::string_view start) {
  if (start.starts_with("MMIDIDX") || start.starts_with("TNTIDX")) return true;
  const bool tokens = path.ends_with(".bin");
  if (!tokens && !path.ends_with(".idx")) return false;
  const auto kind = InputFile::kind_of(stem_of(std::string(path)) + (tokens ? ".idx" : ".bin"));
  return kind && *kind == InputFile::Kind::kRegular;
}

Result<DocumentFile> open_megatron_documents(const std::string& path, const DocumentOptions& options) {
  const bool tokens_named = path.ends_with(".bin");
  const std::string stem = tokens_named || path.ends_with(".idx") ? stem_of(path) : path;
  MegatronIndex index = ASSAY_TRY(MegatronIndex::open(tokens_named ? stem + ".idx" : path));
  Result<InputFile> tokens = InputFile::open(stem + ".bin");
  if (!tokens) {
    Error error = std::move(tokens).error();
    error.message = "the tokens of this index, " + stem + ".bin: " + error.message;
    error.hint = "put the .bin beside its .idx";
    return std::unexpected(std::move(error));
  }
  const std::int64_t greatest = ASSAY_TRY(greatest_token(index, *tokens));
  if (greatest < 0 || greatest > kEndOfDocument) {
    Location where;
    where.path = path;
    return fail(ErrorCode::kUnrecognised,
                fmt::format("holds tokens of a vocabulary ({} is one of them), not bytes of text", greatest),
                std::move(where), "check the text that it was made from");
  }
  DocumentFile out{.kind = "megatron", .field = "tokens"};
  out.reader = std::make_unique<MegatronDocuments>(std::move(index), *std::move(tokens), options);
  return out;
}

}  // namespace assay
