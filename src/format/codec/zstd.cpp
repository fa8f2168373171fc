// zstd (RFC 8878): frames one after another, skippable ones among them; the library steps from frame to frame itself.
// Windows above 128 MiB (`zstd --ultra --long=28` and more) are refused by the library's own limit, so that a header of
// ten bytes cannot ask for gigabytes.

#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/codec/codec.h"

namespace assay {

namespace {

class ZstdDecoder final : public Decoder {
 public:
  explicit ZstdDecoder(const CodecLimits& limits)
      : limits_(limits), out_(ZSTD_DStreamOutSize()), stream_(ZSTD_createDStream()) {}
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() override { ZSTD_freeDStream(stream_); }

  bool feed(std::span<const char> bytes, ByteSink& sink) override {
    if (stream_ == nullptr) return broken(ErrorCode::kInternal, "zstd has no memory for a stream", 0);
    while (!bytes.empty()) {
      // Always the very block that the library waits for. Given less, it hands out parts of a block before it has
      // seen whether the block is sound; given more, it loses sound blocks when a later one fails. So what comes out
      // does not depend on how the stream was cut.
      if (waiting_.empty() && bytes.size() >= wanted_) {
        const std::size_t size = wanted_;
        if (!unpack(bytes.first(size), sink)) return false;
        bytes = bytes.subspan(size);
        continue;
      }
      const std::size_t size = std::min(wanted_ - waiting_.size(), bytes.size());
      waiting_.append(bytes.data(), size);
      bytes = bytes.subspan(size);
      if (waiting_.size() < wanted_) return true;
      if (!unpack(waiting_, sink)) return false;
      waiting_.clear();
    }
    return true;
  }

  bool finish() override {
    if (!inside_ && waiting_.empty()) return true;
    return broken(ErrorCode::kTruncated, "the zstd stream ends in the middle", consumed_ + waiting_.size());
  }

 private:
  bool unpack(std::span<const char> block, ByteSink& sink) {
    ZSTD_inBuffer in{block.data(), block.size(), 0};
    bool full = false;  // the output was filled: more may wait inside although no input is left
    do {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const std::size_t before = in.pos;
      const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
      if (out.pos > 0) sink.take({out_.data(), out.pos});
      produced_ += out.pos;
      if (ZSTD_isError(status) != 0) {
        return broken(ErrorCode::kCorrupt, std::string("the zstd stream is broken: ") + ZSTD_getErrorName(status),
                      consumed_);
      }
      consumed_ += in.pos - before;
      inside_ = status != 0;
      wanted_ = inside_ ? std::min(status, kLargestBlock) : kFrameStart;
      full = inside_ && out.pos == out.size;
      if (auto why = over_limit(limits_, consumed_, produced_)) {
        return broken(ErrorCode::kLimit, *std::move(why), consumed_);
      }
    } while (in.pos < in.size || full);
    return true;
  }

  // A block and the header of the next. Only a skippable frame asks for more at once (up to 4 GiB); it takes any part.
  static constexpr std::size_t kLargestBlock = (std::size_t{128} << 10) + 32;
  static constexpr std::size_t kFrameStart = 5;  // the least from which the library learns a frame's header

  CodecLimits limits_;
  std::vector<char> out_;
  ZSTD_DStream* stream_;
  std::size_t wanted_ = kFrameStart;  // at most kLargestBlock
  std::string waiting_;               // the part of it that has come
  bool inside_ = true;                // of a frame
  std::uint64_t consumed_ = 0;
  std::uint64_t produced_ = 0;
};

}  // namespace

std::unique_ptr<Decoder> open_zstd(const CodecLimits& limits) { return std::make_unique<ZstdDecoder>(limits); }

}  // namespace assay
