// Any bytes as a file: as a gzip and as a zstd stream (what comes out must not depend on how they are cut), and through
// the whole way from bytes to a recording.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/codec/codec.h"
#include "recording_digest.h"

namespace {

class Collected : public assay::ByteSink {
 public:
  void take(std::span<const char> bytes) override { text.append(bytes.data(), bytes.size()); }
  std::string text;
};

std::string unpack(assay::Codec codec, std::string_view bytes, std::size_t piece) {
  const auto decoder = assay::open_decoder(codec, {.output = 1 << 22, .ratio = 1000, .ratio_from = 1 << 20});
  Collected sink;
  bool good = true;
  for (std::size_t at = 0; at < bytes.size() && good; at += piece) good = decoder->feed(bytes.substr(at, piece), sink);
  if (good) decoder->finish();
  return sink.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const assay::Codec codec : {assay::Codec::kGzip, assay::Codec::kZstd}) {
    const std::string whole = unpack(codec, bytes, size + 1);
    // At a limit the last piece may be longer or shorter.
    if (whole.size() < (1 << 20) && unpack(codec, bytes, 1 + size % 7) != whole) std::abort();
  }
  const std::uint64_t whole = assay::digest(assay::read_bytes("file", bytes));
  if (assay::digest(assay::read_bytes("file", bytes, 1 + size % 13)) != whole) std::abort();
  return 0;
}
