#include "format/codec/codec.h"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace assay {

Codec codec_of(std::string_view start) {
  if (start.starts_with("\x1f\x8b\x08")) return Codec::kGzip;  // 08: deflate, the only method there ever was
  if (start.starts_with("\x28\xb5\x2f\xfd")) return Codec::kZstd;
  // A stream may begin with skippable frames (0x184D2A50 to 0x184D2A5F, little endian); pzstd writes one first.
  if (start.size() >= 4 && (static_cast<unsigned char>(start[0]) & 0xf0) == 0x50 &&
      start.substr(1, 3) == "\x2a\x4d\x18") {
    return Codec::kZstd;
  }
  return Codec::kNone;
}

std::string_view name(Codec codec) {
  switch (codec) {
    case Codec::kGzip: return "gzip";
    case Codec::kZstd: return "zstd";
    case Codec::kNone: break;
  }
  return "";
}

bool Decoder::broken(ErrorCode code, std::string message, std::uint64_t byte) {
  Location where;
  where.byte = static_cast<std::int64_t>(byte);
  error_ = Error{code, std::move(message), std::move(where), ""};
  return false;
}

std::unique_ptr<Decoder> open_decoder(Codec codec, const CodecLimits& limits) {
  return codec == Codec::kGzip ? open_gzip(limits) : open_zstd(limits);
}

std::optional<std::string> over_limit(const CodecLimits& limits, std::uint64_t input, std::uint64_t output) {
  if (output > limits.output) return fmt::format("unpacks to more than {} bytes; the rest is not read", limits.output);
  if (output > limits.ratio_from && output / (input + 1) > limits.ratio) {
    return fmt::format("unpacks to more than {} times its size, which no log does; the rest is not read", limits.ratio);
  }
  return std::nullopt;
}

}  // namespace assay
