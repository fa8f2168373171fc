#pragma once
// What a container of records held and gave nothing, by kind: how often, and where the first one stands. The ledger
// gets one line a kind.

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/lines/ledger.h"

namespace assay {

/// Kind: an enumeration from 0; why: one sentence for each of its values.
template <class Kind, std::size_t kKinds>
class LeftOut {
 public:
  explicit LeftOut(const std::array<std::string_view, kKinds>& why) : why_(why) {}

  /// what: its name, may be empty. byte: where the record stands; -1: not known.
  void count(Kind kind, std::string_view what, std::int64_t record, std::int64_t byte) {
    Entry& entry = entries_[static_cast<std::size_t>(kind)];
    if (entry.count++ > 0) return;
    entry.record = record;
    entry.example = printable_utf8(what.substr(0, kLongestName));
    if (byte >= 0) entry.example += fmt::format("{}at byte {}", what.empty() ? "" : " ", byte);
  }

  void tell(Recorder& recorder) const {
    for (std::size_t i = 0; i < kKinds; ++i) {
      lines::tell_unused(recorder, entries_[i].example, entries_[i].record, entries_[i].count, why_[i]);
    }
  }

 private:
  static constexpr std::size_t kLongestName = 60;  // as much as a line of the ledger shows
  struct Entry {
    std::int64_t count = 0;
    std::int64_t record = 0;
    std::string example;
  };
  const std::array<std::string_view, kKinds>& why_;
  std::array<Entry, kKinds> entries_;
};

}  // namespace assay
