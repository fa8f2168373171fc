#pragma once
// Reading a file, a pipe or standard input from its start to its end, in pieces.
//
// Files are read and not mapped: a mapped log that another program cuts short ends the reader with SIGBUS, and pipes
// cannot be mapped at all. One read() of a few MiB costs nothing beside parsing what it brought.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "assay/result.h"

namespace assay {

class InputFile {
 public:
  enum class Kind { kRegular, kStream, kDirectory };  // kStream: a pipe, a terminal, a device, a socket

  /// "-" is standard input. An absent file is kNotFound, one that the system refuses kUnreadable. Opening a named pipe
  /// waits for its writer. A directory is opened, but not read.
  static Result<InputFile> open(const std::string& path);
  /// What is there, without opening it.
  static Result<Kind> kind_of(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  Kind kind() const { return kind_; }
  /// Of a regular file, when it was opened.
  std::optional<std::int64_t> size() const { return size_; }
  /// Fills `into` as far as bytes are left, waiting for a pipe's; fewer mean the end, or that *interrupted was set.
  Result<std::size_t> read(std::span<char> into, const std::atomic<bool>* interrupted = nullptr);
  /// The same of a regular file from an offset on, at any time and by several threads at once; read() goes on where it
  /// was.
  Result<std::size_t> read_at(std::int64_t offset, std::span<char> into) const;

 private:
  InputFile(std::string path, int descriptor, bool owned)
      : path_(std::move(path)), descriptor_(descriptor), owned_(owned) {}

  std::string path_;
  int descriptor_ = -1;
  bool owned_ = false;
  Kind kind_ = Kind::kStream;
  std::optional<std::int64_t> size_;
  std::int64_t position_ = 0;
};

}  // namespace assay
