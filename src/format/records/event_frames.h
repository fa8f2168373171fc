#pragma once
// The framing of TensorBoard's event files (TensorFlow's TFRecord): cuts a stream of bytes into records.
//
//   u64 length | u32 masked CRC-32C of the length | data | u32 masked CRC-32C of the data       (little endian)

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// Takes what the frames hold. Every byte is an offset in the stream.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// The data of a record whose checksums are right; a view that ends with the call.
  virtual void record(std::string_view data, std::int64_t byte) = 0;
  /// A record whose data do not fit their checksum.
  virtual void broken(std::int64_t byte, std::uint64_t size) = 0;
  /// A record too long to be one that matters here: passed over.
  virtual void too_long(std::int64_t byte, std::uint64_t size) = 0;
  /// Bytes [from, to) that make no record.
  virtual void lost(std::int64_t from, std::int64_t to) = 0;
  /// The stream ends in the middle of the record at `byte`. padding: what is there are zeros, which a writer that is
  /// still at work leaves on some file systems.
  virtual void cut(std::int64_t byte, bool padding) = 0;
};

class EventFrames {
 public:
  /// No scalar or text comes near it; only images, graphs and hostile lengths do.
  static constexpr std::uint64_t kLongest = std::uint64_t{16} << 20;

  explicit EventFrames(FrameSink& sink) : sink_(sink) {}
  void feed(std::string_view bytes);
  void finish();

 private:
  std::size_t consume(std::string_view bytes);
  bool read_header(std::string_view bytes, std::size_t& at);
  void search(std::string_view bytes, std::size_t& at);
  void skip(std::string_view bytes, std::size_t& at);

  FrameSink& sink_;
  std::string pending_;        // the beginning of a record that goes on in the next piece
  std::size_t wanted_ = 0;     // bytes that pending_ needs before anything can be done with it
  std::int64_t position_ = 0;  // of the first byte of what consume is given
  bool searching_ = false;     // for the next header
  std::int64_t lost_from_ = 0;
  bool only_zeros_ = false;     // between lost_from_ and here
  std::uint64_t skipping_ = 0;  // bytes left of a record that is too long
  std::uint64_t skipped_size_ = 0;
  std::int64_t skipped_from_ = 0;
};

/// Whether a header with a right checksum stands at the start of `bytes`.
bool is_frame_header(std::string_view bytes);

}  // namespace assay
