#pragma once
// For readers that need all of a file before any of it means something: collects its text, up to a limit.

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/recording.h"
#include "format/tables/ledger.h"

namespace assay {

class WholeText {
 public:
  /// What is longer is cut: no configuration comes near the limit, so that it only bounds the memory.
  explicit WholeText(std::size_t megabytes) : megabytes_(megabytes) {}

  void feed(std::span<const char> bytes) {
    const std::size_t limit = megabytes_ << 20;
    const std::size_t room = limit - std::min(limit, text_.size());
    too_large_ = too_large_ || bytes.size() > room;
    text_.append(bytes.data(), std::min(bytes.size(), room));
  }

  /// The text, once it is whole. Tells the ledger how many lines it has, and whether it was cut; hint: what to do then.
  std::string& end(Recorder& recorder, std::string hint = {}) {
    recorder.file().lines = std::count(text_.begin(), text_.end(), '\n') + (text_.ends_with('\n') ? 0 : 1);
    if (too_large_) {
      tell_problem(recorder, ErrorCode::kLimit, fmt::format("is larger than {} MB: only so much is read", megabytes_),
                   recorder.file().lines, std::move(hint));
    }
    return text_;
  }

 private:
  std::size_t megabytes_;
  std::string text_;
  bool too_large_ = false;
};

}  // namespace assay
