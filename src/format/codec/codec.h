#pragma once
// Compressed streams, told by their first bytes and undone piece by piece: memory stays flat whatever the sizes are.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "assay/result.h"

namespace assay {

/// Takes the bytes of a stream, piece by piece.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void take(std::span<const char> bytes) = 0;
};

enum class Codec { kNone, kGzip, kZstd };

/// Bytes that codec_of wants to see (fewer only when the stream is shorter).
inline constexpr std::size_t kCodecMagic = 4;
Codec codec_of(std::string_view start);
/// "gzip", "zstd", or empty.
std::string_view name(Codec codec);

/// Guards against input made to exhaust the machine. Nothing is held in memory, so they only bound the time: a log of
/// equal lines shrinks some 1,000 times in gzip and 20,000 times in zstd, an archive made for harm has no bound.
struct CodecLimits {
  std::uint64_t output = std::uint64_t{1} << 40;      // 1 TiB
  std::uint64_t ratio = 100'000;                      // output : input, once the output is above ratio_from
  std::uint64_t ratio_from = std::uint64_t{1} << 30;  // 1 GiB
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Undoes `bytes` into `sink`. False: the stream is broken, or over a limit; error() tells, what was good before the
  /// fault is in the sink, and nothing more may be fed.
  virtual bool feed(std::span<const char> bytes, ByteSink& sink) = 0;
  /// No more bytes. False: the stream ends in the middle of a frame.
  virtual bool finish() = 0;
  /// Set when feed or finish said no; its place is a byte offset in the compressed stream.
  const std::optional<Error>& error() const { return error_; }

 protected:
  bool broken(ErrorCode code, std::string message, std::uint64_t byte);
  std::optional<Error> error_;
};

/// codec: not kNone.
std::unique_ptr<Decoder> open_decoder(Codec codec, const CodecLimits& limits = {});
std::unique_ptr<Decoder> open_gzip(const CodecLimits& limits);
std::unique_ptr<Decoder> open_zstd(const CodecLimits& limits);

/// Over a limit: the sentence that says so.
std::optional<std::string> over_limit(const CodecLimits& limits, std::uint64_t input, std::uint64_t output);

}  // namespace assay
