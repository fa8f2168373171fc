#pragma once
// Cuts a stream of bytes into whole lines, whatever the pieces in which it comes. A piece is not copied: its whole
// lines are handed on where they are, only the line that runs into the next piece is kept.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

class LineCutter {
 public:
  /// Of a longer line the first bytes are handed on, one more than this, so that the taker knows it for too long.
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  /// Calls take(region) with one or more whole lines, each with its '\n', and no part of another.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    if (!rest_.empty()) {
      const std::size_t end = bytes.find('\n');
      keep(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      rest_ += '\n';
      take(std::string_view(rest_));
      rest_.clear();
      bytes.remove_prefix(end + 1);
    }
    const std::size_t last = bytes.rfind('\n');
    if (last != std::string_view::npos) {
      take(bytes.substr(0, last + 1));
      bytes.remove_prefix(last + 1);
    }
    keep(bytes);
  }

  /// The line without an end that is left.
  std::string_view rest() const { return rest_; }

 private:
  void keep(std::string_view bytes) {
    const std::size_t room = kLongest + 1 - std::min(kLongest + 1, rest_.size());
    rest_ += bytes.substr(0, room);
  }

  std::string rest_;
};

}  // namespace assay
