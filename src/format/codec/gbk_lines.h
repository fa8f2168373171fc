#pragma once
// Consoles of Chinese Windows machines and of older clusters write GBK, and a log that several programs write to mixes
// it with UTF-8. So the encoding is a matter of each line: one that is not valid UTF-8 but valid GB 18030 (the superset
// of GBK), and reads as Chinese text, is turned into UTF-8; every other line passes as it is.
//
// "Reads as Chinese": it holds ideographs, and nine times as many as there are characters above ASCII which are neither
// ideographs nor the symbols that stand between them (full-width forms, arrows, boxes, ×, ℃); and four fifths of its
// pairs of bytes are of GB 2312. Random bytes and Latin-1 accents fail one or the other, or decode to nothing.
//
// Cost: pieces without a byte above 0x7f are passed on unread. Limit: a line is held until it ends, at most 1 MiB; what
// is longer passes as it is.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "format/codec/codec.h"

namespace assay {

class GbkLines {
 public:
  GbkLines();
  ~GbkLines();
  GbkLines(const GbkLines&) = delete;
  GbkLines& operator=(const GbkLines&) = delete;

  /// Hands text on to `sink`. What it gets in all does not depend on the pieces.
  void feed(std::string_view bytes, ByteSink& sink);
  /// Hands on the last line, where it did not end.
  void finish(ByteSink& sink);
  /// Whether some line was turned.
  bool found() const { return found_; }

 private:
  class Converter;
  std::string_view end_line(std::string_view bytes, ByteSink& sink);
  void whole_lines(std::string_view text, ByteSink& sink);
  bool convert(std::string_view line);

  std::unique_ptr<Converter> converter_;  // made for the first line that needs it
  std::string converted_;
  std::string held_;       // the beginning of a line
  bool overlong_ = false;  // the line that is being read is too long to be held
  bool found_ = false;
};

}  // namespace assay
