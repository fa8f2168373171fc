#pragma once
// What the engine could not use: counts while reading, told once at the end.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/recording.h"

namespace assay::lines {

enum class Unused : std::uint8_t {
  kNoNumber,
  kNoMetric,
  kProgress,
  kRepeatedMessage,
  kUnconfirmed,
  kTooLong,
  kSlots,
  kHeader
};
inline constexpr std::size_t kUnusedKinds = 8;

class Ledger {
 public:
  void count(Unused kind, std::string_view text, std::int64_t line) {
    Entry& entry = entries_[static_cast<std::size_t>(kind)];
    if (entry.count++ == 0) {
      entry.line = line;
      entry.example = text.substr(0, 160);
    }
  }
  /// Writes it into the file's record.
  void tell(Recorder& recorder) const;

 private:
  struct Entry {
    std::int64_t count = 0;
    std::int64_t line = 0;
    std::string example;
  };
  std::array<Entry, kUnusedKinds> entries_;
};

/// `count` lines like `example`, the first at `line`.
void tell_unused(Recorder& recorder, std::string_view example, std::int64_t line, std::int64_t count,
                 std::string_view why);

}  // namespace assay::lines
