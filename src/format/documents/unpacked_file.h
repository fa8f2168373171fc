#pragma once
// The bytes of a file as its readers want them: unpacked (gzip, zstd), from the start to the end, as many at a time as
// they ask for. What came before a broken frame stands; the error is told behind it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "assay/result.h"
#include "base/file.h"
#include "format/codec/codec.h"
#include "format/codec/text_encoding.h"

namespace assay {

class UnpackedFile {
 public:
  /// "-" is standard input. kUsage for a directory.
  static Result<UnpackedFile> open(const std::string& path);

  /// The first bytes without taking them; fewer than `wanted` only where the file is shorter. Valid until the next
  /// call.
  std::string_view peek(std::size_t wanted);
  /// Appends until `out` holds `size` bytes; false where the end came before.
  bool fill(std::string& out, std::size_t size);
  /// Set where the file ended by a fault: a broken frame, a disk.
  const std::optional<Error>& error() const { return error_; }
  /// Turns UTF-16 into UTF-8 from here on, the mark of the encoding taken off. Nothing may have been taken before.
  void decode(const DetectedEncoding& encoding);

  Codec codec() const { return codec_; }
  /// Bytes of the stored file that have been read.
  std::uint64_t stored() const { return stored_; }
  const std::string& path() const { return path_; }

 private:
  explicit UnpackedFile(std::string path, InputFile file) : path_(std::move(path)), file_(std::move(file)) {}
  bool read_portion(std::string& out, std::size_t most);
  bool read_raw(std::string& out, std::size_t most);
  bool unpack_more();
  void fail_with(Error error);

  std::string path_;
  InputFile file_;
  Codec codec_ = Codec::kNone;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<Utf16Decoder> utf16_;
  std::string packed_;  // read, not yet unpacked: from packed_at_ on
  std::size_t packed_at_ = 0;
  std::string waiting_;  // unpacked, not yet taken: from waiting_at_ on
  std::size_t waiting_at_ = 0;
  std::string units_;  // UTF-16 on its way
  std::uint64_t stored_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace assay
