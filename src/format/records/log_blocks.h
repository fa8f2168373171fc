#pragma once
// The framing of W&B's run files: LevelDB's log format (doc/log_format.md there) behind a header of seven bytes.
//
// The file is cut into blocks of 32 KiB, the header counting as part of the first. A block holds chunks
//   u32 CRC-32 of type and data | u16 length | u8 type | data        (little endian)
// and a record is one chunk (full) or several (first, middle …, last). A chunk does not cross the end of a block; fewer
// than seven bytes there are zeros. The checksum is zlib's plain CRC-32, where LevelDB has a masked CRC-32C.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// Takes what the blocks hold. Every byte is an offset in the stream.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  /// A record; a view that ends with the call.
  virtual void record(std::string_view data, std::int64_t byte) = 0;
  /// Bytes [from, to) were passed over, and why.
  virtual void lost(std::int64_t from, std::int64_t to, std::string_view why) = 0;
  /// The stream ends in the middle of the record at `byte`.
  virtual void cut(std::int64_t byte) = 0;
  /// The stream ends in zeros from `byte` on, where records would stand.
  virtual void padded(std::int64_t byte) = 0;
};

class LogBlocks {
 public:
  static constexpr std::size_t kBlock = 32768;
  static constexpr std::size_t kHeader = 7;                       // of the file, and of a chunk
  static constexpr std::size_t kLongest = std::size_t{64} << 20;  // of a record

  explicit LogBlocks(BlockSink& sink) : sink_(sink) {}
  void feed(std::string_view bytes);
  void finish();

 private:
  enum class Chunk : std::uint8_t { kNone = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
  void take_block(std::string_view block, bool last);
  void take_chunk(Chunk type, std::string_view data, std::int64_t byte);
  void pass_over(std::int64_t from, std::int64_t to, std::string_view why);

  BlockSink& sink_;
  std::string pending_;        // the beginning of a block
  std::int64_t position_ = 0;  // of the block
  std::string joined_;         // the chunks of a record so far
  bool joining_ = false;
  bool too_long_ = false;
  std::int64_t record_from_ = 0;
  std::int64_t zeros_from_ = -1;  // nothing but zeros since; -1: none where a chunk should begin
};

}  // namespace assay
