#pragma once
// Cuts a byte stream into physical lines, at any chunk boundary, and cleans a line for reading.
//
// A line that lies wholly within a chunk is handed on without being copied. Of a line longer than kLongestLine only its
// beginning is kept; the rest is counted. Line ends are '\n'; a '\r' before it belongs to the end.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::lines {

inline constexpr std::size_t kLongestLine = std::size_t{1} << 20;

class LineSource {
 public:
  /// Calls sink(text, number, dropped) for each line that ends in `bytes`; `dropped` bytes of it were not kept.
  template <class Sink>
  void feed(std::string_view bytes, Sink&& sink) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (end == std::string_view::npos) {
        keep(bytes);
        return;
      }
      std::string_view text = bytes.substr(0, end);
      if (open_ || text.size() > kLongestLine) {
        keep(text);
        text = carry_;
      }
      sink(without_return(text), ++number_, dropped_);
      start_next();
      bytes.remove_prefix(end + 1);
    }
  }
  /// The rest behind the last '\n', if there is any.
  template <class Sink>
  void finish(Sink&& sink) {
    if (!open_) return;
    sink(without_return(carry_), ++number_, dropped_);
    start_next();
  }
  std::int64_t lines() const { return number_; }

 private:
  static std::string_view without_return(std::string_view text) {
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    return text;
  }
  void keep(std::string_view bytes) {
    open_ = true;
    const std::size_t room = kLongestLine - carry_.size();
    carry_.append(bytes.substr(0, room));
    if (bytes.size() > room) dropped_ += bytes.size() - room;
  }
  void start_next() {
    open_ = false;
    carry_.clear();
    dropped_ = 0;
  }

  std::string carry_;
  bool open_ = false;
  std::size_t dropped_ = 0;
  std::int64_t number_ = 0;
};

/// Whether a line holds control characters other than tabs.
bool has_control(std::string_view text);

/// "[rank0]:", "[1,0]<stdout>:", "(Worker pid=7, ip=10.0.0.3) ", "> ": what a launcher puts before every line that it
/// passes on, or a letter before what it quotes.
std::string_view launcher_prefix(std::string_view line);

/// "worker-0: ", "0: ", "trainer-1  | ": may be a launcher's mark, if all lines have the like.
std::string_view likely_prefix(std::string_view line);
bool same_but_digits(std::string_view a, std::string_view b);

/// Goes on with a text that was broken off: a blank stands between the parts unless one word or number was broken.
void join(std::string& head, std::string_view tail);

/// A line without ANSI escape sequences, NUL and other control characters, cut at '\r' into what was drawn one over the
/// other. Empty parts are left out.
class CleanLine {
 public:
  /// The parts; they point into this object and are valid until the next call.
  const std::vector<std::string_view>& parts(std::string_view raw);

 private:
  std::string buffer_;
  std::vector<std::string_view> parts_;
};

}  // namespace assay::lines
