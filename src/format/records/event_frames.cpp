// Cuts a stream into records, and finds the way back after a fault.
//
// A record whose data are broken is dropped: its length is sound, so the next one is known. A header that is broken
// leaves no way to the next record but to look for it: each place is tried where the upper half of the length is zero
// and the checksum of the length is right. That costs one comparison a byte, and one in 2^32 of the places tried is
// taken by mistake, which the checksum of the data then tells.
//
// What is done depends on the bytes alone, never on how they are cut into pieces. Memory: one record of at most
// kLongest bytes, however long a header claims its record to be.

#include "format/records/event_frames.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/records/crc32c.h"

namespace assay {

namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kTrailer = 4;

template <class T>
T little_endian(const char* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  return value;
}

}  // namespace

bool is_frame_header(std::string_view bytes) {
  if (bytes.size() < kHeader) return false;
  // Protocol buffers end at 2 GiB, and so do the records that hold one.
  if (little_endian<std::uint64_t>(&bytes[0]) >> 31 != 0) return false;
  return masked_crc(crc32c(bytes.substr(0, 8))) == little_endian<std::uint32_t>(&bytes[8]);
}

void EventFrames::feed(std::string_view bytes) {
  std::size_t taken = 0;  // of this piece, into pending_
  while (!pending_.empty()) {
    const std::size_t more = std::min(wanted_ - std::min(wanted_, pending_.size()), bytes.size() - taken);
    pending_.append(bytes.substr(taken, more));
    taken += more;
    if (pending_.size() < wanted_) return;
    pending_.erase(0, consume(pending_));
    if (pending_.size() > taken) continue;
    // What is left lies in this piece: on without copying.
    taken -= pending_.size();
    pending_.clear();
  }
  bytes.remove_prefix(taken);
  pending_.assign(bytes.substr(consume(bytes)));
}

// Returns how much is done with. What is left is less than wanted_.
std::size_t EventFrames::consume(std::string_view bytes) {
  std::size_t at = 0;
  for (;;) {
    if (skipping_ > 0) skip(bytes, at);
    if (searching_) search(bytes, at);
    const std::string_view rest = bytes.substr(at);
    wanted_ = kHeader;
    if (rest.size() < wanted_) break;
    if (searching_ || !read_header(bytes, at)) continue;
    if (skipping_ > 0) continue;
    const auto size = static_cast<std::size_t>(little_endian<std::uint64_t>(&rest[0]));
    wanted_ = kHeader + size + kTrailer;
    if (rest.size() < wanted_) break;
    const std::string_view data = rest.substr(kHeader, size);
    const std::int64_t place = position_ + static_cast<std::int64_t>(at);
    const bool good = masked_crc(crc32c(data)) == little_endian<std::uint32_t>(&rest[kHeader + size]);
    good ? sink_.record(data, place) : sink_.broken(place, size);
    at += wanted_;
  }
  position_ += static_cast<std::int64_t>(at);
  return at;
}

// False where there is no header; then the search is on. A record that is too long is passed over by skip().
bool EventFrames::read_header(std::string_view bytes, std::size_t& at) {
  const std::string_view rest = bytes.substr(at);
  const std::int64_t place = position_ + static_cast<std::int64_t>(at);
  if (!is_frame_header(rest)) {
    searching_ = true;
    lost_from_ = place;
    only_zeros_ = true;
    return false;
  }
  const auto size = little_endian<std::uint64_t>(&rest[0]);
  if (size > kLongest) {
    skipping_ = size + kTrailer;
    skipped_size_ = size;
    skipped_from_ = place;
    at += kHeader;
  }
  return true;
}

void EventFrames::search(std::string_view bytes, std::size_t& at) {
  for (; bytes.size() - at >= kHeader; ++at) {
    const bool short_enough = little_endian<std::uint32_t>(&bytes[at + 4]) == 0;
    if (short_enough && is_frame_header(bytes.substr(at))) {
      searching_ = false;
      return sink_.lost(lost_from_, position_ + static_cast<std::int64_t>(at));
    }
    only_zeros_ = only_zeros_ && bytes[at] == '\0';
  }
}

void EventFrames::skip(std::string_view bytes, std::size_t& at) {
  const std::uint64_t step = std::min<std::uint64_t>(skipping_, bytes.size() - at);
  at += static_cast<std::size_t>(step);
  skipping_ -= step;
  if (skipping_ == 0) sink_.too_long(skipped_from_, skipped_size_);
}

void EventFrames::finish() {
  const bool zeros = std::all_of(pending_.begin(), pending_.end(), [](char c) { return c == '\0'; });
  const std::int64_t end = position_ + static_cast<std::int64_t>(pending_.size());
  if (skipping_ > 0) return sink_.cut(skipped_from_, false);
  if (searching_ && !(only_zeros_ && zeros)) return sink_.lost(lost_from_, end);
  if (searching_) return sink_.cut(lost_from_, true);
  if (!pending_.empty()) sink_.cut(position_, zeros);
}

}  // namespace assay
