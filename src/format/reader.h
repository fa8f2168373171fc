#pragma once
// A stream reader: feed(bytes) at any chunk boundary, then finish(). Files, pipes, compressed streams and growing files
// are then the same code. A reader pushes what it understands into a Recorder and accounts for the rest in its ledger.

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "core/recording.h"

namespace assay {

class StreamReader {
 public:
  virtual ~StreamReader() = default;
  virtual void feed(std::span<const char> bytes) = 0;
  /// No more bytes. cut: the stream is known to be incomplete (a broken codec frame).
  virtual void finish(bool cut) = 0;
};

/// A format that can be told from its first bytes. The table is in format/formats.cpp; the first that says yes reads
/// the file.
struct Format {
  std::string_view name;  // "trainer_state.json", "jsonl", "csv", "text log"
  /// prefix: up to 64 KiB from the start (decompressed); whole: that is all there is.
  bool (*is)(std::string_view path, std::string_view prefix, bool whole) = nullptr;
  std::unique_ptr<StreamReader> (*open)(Recorder& recorder) = nullptr;
  bool binary = false;  // it is asked, and fed, with the bytes as they are instead of as text
};

struct ReadOptions {
  struct Progress* progress = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  bool named = false;
};

/// Hands over a file's bytes piece by piece.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The next piece, valid until the next call; empty: the end. An error ends the reading: what came before stays, as
  /// of a file that is cut.
  virtual Result<std::span<const char>> next() = 0;
};

/// Reads what a source hands over, as the file of that path.
Recording read_pieces(const std::string& path, ByteSource& source, const ReadOptions& options);

/// Reads one file of whatever kind, or the members of one archive (format/archive.h): wanted tells which.
/// At least one recording.
std::vector<Recording> read_path(const std::string& path, const ReadOptions& options,
                                 const std::function<bool(std::string_view path)>& wanted);

/// Reads one file of whatever kind. Never throws; a failure is in Recording::file (state, error).
Recording read_file(const std::string& path, const ReadOptions& options);
/// The same for bytes in memory (tests, fuzzing). `chunk` bytes are fed at a time; 0: all at once.
Recording read_bytes(const std::string& path, std::string_view bytes, std::size_t chunk = 0);

}  // namespace assay
