#pragma once
// Bytes that should be text: what is no UTF-8 in them is told, and read as well as can be.

#include <cstdint>
#include <string>
#include <string_view>

#include "format/documents/reader.h"

namespace assay {

/// Keeps scratch memory from one document to the next.
class PlainText {
 public:
  explicit PlainText(DocumentSink& sink) : sink_(sink) {}

  /// Where the bytes stand that are to be read: the line and byte where they begin.
  struct Place {
    std::uint64_t line = 1;
    std::uint64_t byte = 0;
    bool rows = false;  // `line` counts rows of a table, which line feeds inside do not move
  };

  /// The text that `bytes` are; it lasts until the next call. checked: they are known to be UTF-8. A line that is GBK
  /// becomes UTF-8 (one kOtherEncoding for all of them); of another one each byte that belongs to no character becomes
  /// U+FFFD (one kInvalidUtf8 a line).
  std::string_view read(std::string_view bytes, const Place& place, bool checked);

 private:
  void replace(std::string_view bytes, const Place& place);
  void replace_line(std::string_view line, const Place& place);

  DocumentSink& sink_;
  std::string converted_;
  std::string text_;
};

/// The text with its lines that are GBK turned into UTF-8; empty where none is.
std::string gbk_to_utf8(std::string_view text);

/// The first bytes of a text that belong to no character, and how many do in all.
struct BadBytes {
  std::size_t first = 0;
  std::size_t count = 0;
  std::string seen;  // those at the first place, "c4 e3"
};
BadBytes find_bad_bytes(std::string_view text);

}  // namespace assay
