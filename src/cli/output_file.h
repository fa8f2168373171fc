#pragma once
// A file that is written whole or not at all: under another name beside it, which takes its place at the end.

#include <string>
#include <string_view>
#include <utility>

#include "assay/result.h"

namespace assay::cli {

class OutputFile {
 public:
  /// What a link points at is replaced, not the link; a device or a pipe (/dev/stdout, a fifo) is written to.
  static Result<OutputFile> open(const std::string& file);

  OutputFile(OutputFile&& other) noexcept
      : file_(std::move(other.file_)),
        target_(std::move(other.target_)),
        beside_(std::exchange(other.beside_, {})),
        descriptor_(std::exchange(other.descriptor_, -1)),
        mode_(other.mode_) {}
  OutputFile& operator=(OutputFile&&) = delete;
  /// Without commit() nothing is left.
  ~OutputFile();

  /// A reader that has gone away (`| head`) is no error.
  Result<void> write(std::string_view text);
  Result<void> commit();

 private:
  OutputFile() = default;

  std::string file_, target_, beside_;  // beside_: empty where it is written through
  int descriptor_ = -1;
  unsigned mode_ = 0;
};

/// Writes all of it to a descriptor; false: errno tells.
bool write_all(int descriptor, std::string_view text);

}  // namespace assay::cli
