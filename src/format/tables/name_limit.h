#pragma once
// Which names become columns in a file that has too many of them.
//
// A program that logs each expert's load has a hundred thousand tags, and among them one loss. So the limit is for
// names without a meaning. Those with one are kept beyond it; they are few by nature, but a hostile file can spell them
// in many ways, so they have a limit of their own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "core/recording.h"

namespace assay {

class NameLimit {
 public:
  static constexpr std::size_t kLongestName = 256;
  static constexpr std::size_t kMostKnown = 1024;  // beyond the limit

  /// most: names without a meaning. noun: what the format calls them, in the plural.
  NameLimit(std::size_t most, std::string_view noun) : most_(most), noun_(noun) {}

  /// Whether a name that was not seen before becomes a column, where `have` did. If not, it counts as a value left out.
  bool admits(std::size_t have, std::string_view name);
  /// One problem for all that was left out.
  void tell(Recorder& recorder) const;

 private:
  std::size_t most_;
  std::string_view noun_;
  std::unordered_set<std::uint64_t> refused_;  // hashes of names; never iterated
  std::int64_t values_ = 0;                    // left out
  std::string first_;
};

}  // namespace assay
