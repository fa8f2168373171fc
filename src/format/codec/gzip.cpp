// gzip (RFC 1952) through zlib's streaming interface. A file may hold several members one after another (what `cat a.gz
// b.gz`, pigz and bgzip make); each ends with its own check sum. Zeros after a member are padding (RFC 1952 does not
// know them, tapes and block devices do); anything else there is a fault, and all before it stays read.

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "format/codec/codec.h"

namespace assay {

namespace {

class GzipDecoder final : public Decoder {
 public:
  explicit GzipDecoder(const CodecLimits& limits) : limits_(limits), out_(kBuffer) {
    constexpr int kGzipOnly = 16;
    ready_ = inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override {
    if (ready_) inflateEnd(&stream_);
  }

  bool feed(std::span<const char> bytes, ByteSink& sink) override {
    if (!ready_) return broken(ErrorCode::kInternal, "zlib has no memory for a window of 32 KiB", 0);
    while (!bytes.empty()) {
      if (at_member_ == State::kBetween && !begin_member(bytes)) return error_ == std::nullopt;
      // zlib counts in unsigned int.
      const std::size_t piece = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib's interface knows no const
      stream_.avail_in = static_cast<uInt>(piece);
      if (!inflate_all(sink)) return false;
      const std::size_t used = piece - stream_.avail_in;
      bytes = bytes.subspan(used);
      consumed_ += used;
    }
    return true;
  }

  bool finish() override {
    if (at_member_ == State::kBetween) return true;
    return broken(ErrorCode::kTruncated, "the gzip stream ends in the middle", consumed_);
  }

 private:
  enum class State { kInside, kBetween };
  static constexpr std::size_t kBuffer = std::size_t{256} << 10;

  // Skips padding; false: nothing is left to read (or a fault).
  bool begin_member(std::span<const char>& bytes) {
    const auto start = std::find_if(bytes.begin(), bytes.end(), [](char c) { return c != 0; });
    const auto zeros = static_cast<std::size_t>(start - bytes.begin());
    bytes = bytes.subspan(zeros);
    consumed_ += zeros;
    if (bytes.empty()) return false;
    if (static_cast<unsigned char>(bytes.front()) != 0x1f) {
      return broken(ErrorCode::kCorrupt, "bytes that are no gzip follow the gzip stream", consumed_);
    }
    inflateReset(&stream_);
    at_member_ = State::kInside;
    return true;
  }

  // Runs inflate until it wants input or the member ends.
  bool inflate_all(ByteSink& sink) {
    const uInt offered = stream_.avail_in;
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = out_.size() - stream_.avail_out;
      if (made > 0) sink.take({out_.data(), made});
      produced_ += made;
      const std::uint64_t position = consumed_ + (offered - stream_.avail_in);
      if (auto why = over_limit(limits_, position, produced_))
        return broken(ErrorCode::kLimit, *std::move(why), position);
      if (status == Z_STREAM_END) {
        at_member_ = State::kBetween;
        return true;
      }
      if (status != Z_OK && status != Z_BUF_ERROR) {
        return broken(ErrorCode::kCorrupt,
                      std::string("the gzip stream is broken: ") + (stream_.msg != nullptr ? stream_.msg : "no reason"),
                      position);
      }
      if (stream_.avail_in == 0 && stream_.avail_out > 0) return true;
    }
  }

  CodecLimits limits_;
  std::vector<char> out_;
  z_stream stream_{};
  bool ready_ = false;
  State at_member_ = State::kInside;
  std::uint64_t consumed_ = 0;
  std::uint64_t produced_ = 0;
};

}  // namespace

std::unique_ptr<Decoder> open_gzip(const CodecLimits& limits) { return std::make_unique<GzipDecoder>(limits); }

}  // namespace assay
