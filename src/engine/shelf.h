#pragma once
// The recordings of all files between reading and judging. Essay in shelf.cpp.

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/recording.h"
#include "engine/engine.h"
#include "engine/fingerprint.h"

namespace assay {

class Shelf {
 public:
  /// options have to outlive it.
  Shelf(std::vector<Input> inputs, const CheckOptions& options);

  /// Reads a file; each once, from any thread. Never throws.
  void read(std::size_t file);
  /// Puts what archives held behind them, each member a file of its own: the numbers of files change. Once, after all
  /// were read.
  void unpack();
  std::span<const Input> inputs() const { return inputs_; }
  /// Whether it was read before an interruption.
  bool was_read(std::size_t file) const { return places_[file].read; }
  /// Its recording, which leaves the shelf: held, or read again. Nothing where it cannot be read again any more (an
  /// interruption). Each once, from any thread.
  std::optional<Recording> take(std::size_t file);
  /// A file that several runs have: each of them gets a copy, and its ledger stays as it is. Before any is taken.
  void share(std::size_t file) { places_[file].shared = true; }
  bool is_shared(std::size_t file) const { return places_[file].shared; }
  /// The ledger of a file; goes on to be completed while its run is judged.
  FileRecord& ledger(std::size_t file) { return places_[file].ledger; }
  /// One for each file; those that were not read are empty.
  std::span<const Fingerprint> fingerprints() const { return fingerprints_; }

 private:
  struct Place {
    bool read = false;
    bool shared = false;
    FileRecord ledger;
    std::optional<Recording> held;
    std::vector<Recording> members;  // until unpack()
  };
  std::vector<Recording> recordings_of(const Input& input, bool again) const;
  Recording complete(const Input& input, Recording recording) const;
  void put(std::size_t file, Recording recording);
  bool stopped() const { return options_.interrupted != nullptr && options_.interrupted->load(); }

  std::vector<Input> inputs_;
  const CheckOptions& options_;
  std::vector<Place> places_;
  std::vector<Fingerprint> fingerprints_;
  std::atomic<std::size_t> held_bytes_ = 0;
};

/// Bytes that a recording holds, near enough.
std::size_t bytes_of(const Recording& recording);

}  // namespace assay
