#include "format/tokens/megatron_index.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace assay {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

constexpr std::string_view kMagic{"MMIDIDX\0\0", 9};
constexpr std::string_view kOldMagic{"TNTIDX\0\0", 8};
constexpr std::uint64_t kHeader = 34;
constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // of anything: products with 20 stay far from 2^64
constexpr std::size_t kPiece = std::size_t{1} << 14;     // numbers read at once

template <class T>
T number_at(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::optional<TokenType> type_of(unsigned code) {
  switch (code) {
    case 1: return TokenType::kU8;
    case 2: return TokenType::kI8;
    case 3: return TokenType::kI16;
    case 4: return TokenType::kI32;
    case 5: return TokenType::kI64;
    case 8: return TokenType::kU16;
    default: return std::nullopt;  // 6 and 7 are floats, in an order that programs do not agree on
  }
}

template <class T>
std::span<char> bytes_of(std::span<T> out) {
  return {reinterpret_cast<char*>(out.data()), out.size_bytes()};
}

}  // namespace

std::size_t token_size(TokenType type) {
  switch (type) {
    case TokenType::kU8:
    case TokenType::kI8: return 1;
    case TokenType::kI16:
    case TokenType::kU16: return 2;
    case TokenType::kI32: return 4;
    case TokenType::kI64: return 8;
  }
  return 1;
}

std::string_view name(TokenType type) {
  constexpr auto kNames = std::to_array<std::string_view>({"uint8", "int8", "int16", "int32", "int64", "uint16"});
  return kNames[static_cast<std::size_t>(type)];
}

std::unexpected<Error> MegatronIndex::broken(ErrorCode code, std::string message, std::uint64_t byte) const {
  Location where;
  where.path = path_;
  where.byte = static_cast<std::int64_t>(byte);
  return fail(code, std::move(message), std::move(where));
}

Result<void> MegatronIndex::read_at(std::uint64_t offset, std::span<char> out) const {
  const std::size_t got = ASSAY_TRY(file_.read_at(static_cast<std::int64_t>(offset), out));
  if (got == out.size()) return {};
  return broken(ErrorCode::kTruncated, "has become shorter while it was read", offset + got);
}

Result<MegatronIndex> MegatronIndex::open(const std::string& path) {
  InputFile file = ASSAY_TRY(InputFile::open(path));
  if (file.kind() != InputFile::Kind::kRegular) {
    Location where;
    where.path = path;
    return fail(ErrorCode::kUsage, "is no regular file, as the index of a dataset has to be", std::move(where));
  }
  MegatronIndex index(path, std::move(file));
  if (Result<void> read = index.read_header(); !read) return std::unexpected(std::move(read).error());
  if (Result<void> read = index.read_ends(); !read) return std::unexpected(std::move(read).error());
  return index;
}

Result<void> MegatronIndex::read_header() {
  std::array<char, kHeader> header{};
  const std::size_t got = ASSAY_TRY(file_.read_at(0, header));
  const std::string_view start(header.data(), got);
  if (start.starts_with(kOldMagic)) {
    Location where;
    where.path = path_;
    return fail(ErrorCode::kUnrecognised, "is the index of a dataset in the layout of fairseq (TNTIDX), not read here",
                std::move(where), "make the dataset again with --dataset-impl mmap, or give the text it was made from");
  }
  if (!start.starts_with(kMagic)) {
    return broken(ErrorCode::kUnrecognised, "is no index of a Megatron dataset: it does not begin with MMIDIDX", 0);
  }
  if (got < kHeader) return broken(ErrorCode::kTruncated, "ends within its header of 34 bytes", got);
  const auto version = number_at<std::uint64_t>(&header[9]);
  if (version != 1) {
    return broken(ErrorCode::kUnrecognised, fmt::format("is an index of version {}; only 1 is known", version), 9);
  }
  const auto code = static_cast<unsigned char>(header[17]);
  const auto type = type_of(code);
  if (!type)
    return broken(ErrorCode::kCorrupt, fmt::format("says that its tokens are of type {}, no integer", code), 17);
  type_ = *type;
  sequences_ = number_at<std::uint64_t>(&header[18]);
  const auto starts = number_at<std::uint64_t>(&header[26]);
  if (sequences_ > kMost || starts > kMost || starts == 0) {
    return broken(ErrorCode::kCorrupt,
                  fmt::format("says that it has {} sequences and {} documents", sequences_, starts), 18);
  }
  documents_ = starts - 1;
  const std::uint64_t plain = kHeader + 12 * sequences_ + 8 * starts;
  const auto size = static_cast<std::uint64_t>(file_.size().value_or(0));
  has_modes_ = size == plain + sequences_ && sequences_ > 0;
  if (size == plain || has_modes_) return {};
  return broken(size < plain ? ErrorCode::kTruncated : ErrorCode::kCorrupt,
                fmt::format("has {} bytes; {} sequences and {} documents take {}", size, sequences_, documents_, plain),
                std::min(size, plain));
}

// What the first and the last numbers tell.
Result<void> MegatronIndex::read_ends() {
  std::int64_t first = 0;
  std::int64_t last = 0;
  if (auto read = read_document_starts(0, {&first, 1}); !read) return read;
  if (auto read = read_document_starts(documents_, {&last, 1}); !read) return read;
  const std::uint64_t at = kHeader + 12 * sequences_;
  if (first != 0) {
    return broken(ErrorCode::kCorrupt, fmt::format("begins its first document at sequence {}, not 0", first), at);
  }
  if (!std::in_range<std::uint64_t>(last) || static_cast<std::uint64_t>(last) != sequences_) {
    return broken(ErrorCode::kCorrupt,
                  fmt::format("ends its last document at sequence {}, but has {} of them", last, sequences_),
                  at + 8 * documents_);
  }
  if (sequences_ == 0) return {};
  std::int32_t length = 0;
  std::int64_t offset = 0;
  if (auto read = read_lengths(sequences_ - 1, {&length, 1}); !read) return read;
  if (auto read = read_offsets(sequences_ - 1, {&offset, 1}); !read) return read;
  if (length < 0 || offset < 0) {
    return broken(ErrorCode::kCorrupt, fmt::format("puts {} tokens at byte {}", length, offset), kHeader);
  }
  token_bytes_ = static_cast<std::uint64_t>(offset) + static_cast<std::uint64_t>(length) * token_size(type_);
  return {};
}

Result<void> MegatronIndex::read_lengths(std::uint64_t first, std::span<std::int32_t> out) const {
  return read_at(kHeader + 4 * first, bytes_of(out));
}

Result<void> MegatronIndex::read_offsets(std::uint64_t first, std::span<std::int64_t> out) const {
  return read_at(kHeader + 4 * sequences_ + 8 * first, bytes_of(out));
}

Result<void> MegatronIndex::read_document_starts(std::uint64_t first, std::span<std::int64_t> out) const {
  return read_at(kHeader + 12 * sequences_ + 8 * first, bytes_of(out));
}

Result<std::uint64_t> MegatronIndex::document_of(std::uint64_t sequence) const {
  // The first document that begins behind the sequence; the one before holds it.
  std::uint64_t low = 0;
  std::uint64_t high = documents_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    std::int64_t start = 0;
    if (auto read = read_document_starts(middle, {&start, 1}); !read) return std::unexpected(std::move(read).error());
    if (start >= 0 && static_cast<std::uint64_t>(start) > sequence) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low == 0 ? 0 : low - 1;
}

std::unexpected<Error> MegatronScan::broken(std::string message) const {
  Location where;
  where.path = index_.path();
  return fail(ErrorCode::kCorrupt, std::move(message), std::move(where),
              "the index and its .bin were not written to the end, or not by the same program: make the dataset again");
}

Result<void> MegatronScan::load_starts() {
  starts_from_ = document_;
  starts_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, index_.documents() + 1 - document_)));
  return index_.read_document_starts(document_, starts_);
}

Result<void> MegatronScan::load_sequences() {
  lengths_from_ = sequence_;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, index_.sequences() - sequence_));
  lengths_.resize(count);
  offsets_.resize(count);
  if (auto read = index_.read_lengths(sequence_, lengths_); !read) return read;
  return index_.read_offsets(sequence_, offsets_);
}

Result<bool> MegatronScan::next(Document& out) {
  if (document_ == index_.documents()) return false;
  // The start of this document and of the next one.
  if (document_ + 1 >= starts_from_ + starts_.size()) {
    if (auto read = load_starts(); !read) return std::unexpected(std::move(read).error());
  }
  const std::int64_t end = starts_[static_cast<std::size_t>(document_ + 1 - starts_from_)];
  if (end < 0 || static_cast<std::uint64_t>(end) < sequence_ || static_cast<std::uint64_t>(end) > index_.sequences()) {
    return broken(fmt::format("document {} begins at sequence {} and ends at {}, of {}", document_, sequence_, end,
                              index_.sequences()));
  }
  out = {.number = document_, .first_sequence = sequence_, .byte = byte_};
  for (; sequence_ < static_cast<std::uint64_t>(end); ++sequence_) {
    if (sequence_ >= lengths_from_ + lengths_.size()) {
      if (auto read = load_sequences(); !read) return std::unexpected(std::move(read).error());
    }
    const auto place = static_cast<std::size_t>(sequence_ - lengths_from_);
    if (offsets_[place] < 0 || static_cast<std::uint64_t>(offsets_[place]) != byte_ || lengths_[place] < 0) {
      return broken(fmt::format("sequence {} has {} tokens from byte {} on, but those before it end at byte {}",
                                sequence_, lengths_[place], offsets_[place], byte_));
    }
    const auto tokens = static_cast<std::uint64_t>(lengths_[place]);
    out.tokens += tokens;
    byte_ += tokens * token_size(index_.type());
  }
  out.sequences = sequence_ - out.first_sequence;
  ++document_;
  return true;
}

}  // namespace assay
