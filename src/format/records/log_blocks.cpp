// Cuts a stream into blocks and blocks into records.
//
// A fault ends the reading of its block: where the next chunk begins is told by the length of the one before, which is
// no more to be believed than the rest of it. The next block begins afresh, and what cannot be joined there, because
// its beginning was lost, is passed over.
//
// A file that is still written may end in zeros (some systems reserve space ahead), and one whose pages were never
// written holds zeros in the middle. A writer leaves fewer than seven of them at the end of a block: where more stand,
// at the end of the file they are told as padding, before other data as lost.

#include "format/records/log_blocks.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

namespace assay {

namespace {

std::uint32_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

bool only_zeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

}  // namespace

void LogBlocks::feed(std::string_view bytes) {
  if (!pending_.empty()) {
    const std::size_t more = std::min(kBlock - pending_.size(), bytes.size());
    pending_.append(bytes.substr(0, more));
    bytes.remove_prefix(more);
    if (pending_.size() < kBlock) return;
    take_block(pending_, false);
    pending_.clear();
  }
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) take_block(bytes.substr(0, kBlock), false);
  pending_.assign(bytes);
}

void LogBlocks::finish() {
  if (!pending_.empty()) take_block(pending_, true);
  if (joining_) return sink_.cut(record_from_);
  if (zeros_from_ >= 0) sink_.padded(zeros_from_);
}

// last: the stream ends with this block, which may be shorter than others.
void LogBlocks::take_block(std::string_view block, bool last) {
  const std::int64_t start = position_;
  const std::int64_t end = start + static_cast<std::int64_t>(block.size());
  position_ = end;
  const auto place = [&](std::size_t at) { return start + static_cast<std::int64_t>(at); };
  std::size_t at = start == 0 ? kHeader : 0;
  if (at > block.size()) return sink_.cut(0);
  if (zeros_from_ >= 0 && !only_zeros(block)) pass_over(std::exchange(zeros_from_, -1), start, "zeros");
  while (at < block.size()) {
    const std::string_view rest = block.substr(at);
    if (kBlock - at < kHeader || only_zeros(rest.substr(0, kHeader))) {
      if (only_zeros(rest)) {
        if (kBlock - at >= kHeader && zeros_from_ < 0) zeros_from_ = place(at);
        return;
      }
      return pass_over(place(at), end, "zeros in the middle of a block");
    }
    // The cut is that of the record which began before, if one did.
    const auto cut_here = [&] {
      if (!joining_) sink_.cut(place(at));
    };
    if (rest.size() < kHeader) return cut_here();
    const std::size_t length = byte_at(rest, 4) | byte_at(rest, 5) << 8;
    const std::uint32_t type = byte_at(rest, 6);
    if (type < 1 || type > 4 || length > kBlock - at - kHeader) {
      return pass_over(place(at), end, "a chunk whose header makes no sense");
    }
    if (length > rest.size() - kHeader) {
      if (last) return cut_here();
      return pass_over(place(at), end, "a chunk that is longer than its block");
    }
    const std::uint32_t told =
        byte_at(rest, 0) | byte_at(rest, 1) << 8 | byte_at(rest, 2) << 16 | byte_at(rest, 3) << 24;
    const auto* checked = reinterpret_cast<const unsigned char*>(rest.data()) + 6;
    if (crc32(0, checked, static_cast<uInt>(length + 1)) != told) {
      return pass_over(place(at), end, "a wrong checksum");
    }
    take_chunk(static_cast<Chunk>(type), rest.substr(kHeader, length), place(at));
    at += kHeader + length;
  }
}

void LogBlocks::take_chunk(Chunk type, std::string_view data, std::int64_t byte) {
  const bool begins = type == Chunk::kFull || type == Chunk::kFirst;
  if (begins && joining_) {  // the writer died in the middle of a record, and another went on
    joining_ = false;
    sink_.lost(record_from_, byte, "a record without an end");
  }
  if (type == Chunk::kFull) return sink_.record(data, byte);
  if (begins) {
    joining_ = true;
    too_long_ = false;
    record_from_ = byte;
    joined_.clear();
  }
  if (!joining_) return;  // its beginning was passed over, and told
  too_long_ = too_long_ || joined_.size() + data.size() > kLongest;
  if (!too_long_) joined_ += data;
  if (type != Chunk::kLast) return;
  joining_ = false;
  if (too_long_) return sink_.lost(record_from_, byte, "a record of more than 64 MiB");
  sink_.record(joined_, record_from_);
}

void LogBlocks::pass_over(std::int64_t from, std::int64_t to, std::string_view why) {
  sink_.lost(joining_ ? record_from_ : from, to, why);
  joining_ = false;
}

}  // namespace assay
