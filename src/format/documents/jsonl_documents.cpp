// JSON lines. Lines are cut first and each is read alone, so that one bad line costs one line: a parser that takes the
// whole buffer gives up all of it for one byte that is no UTF-8. What a line must be is what Python's json module takes,
// because that is what tokenises it; where others would differ (NaN, a key that comes twice) the line is read as Python
// does, and told.
//
// UTF-8 is checked for a block at once, at the speed of memory, and line by line only where the block fails.

#include "format/documents/jsonl_documents.h"

#include <fmt/core.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "format/documents/line_blocks.h"
#include "format/documents/object_document.h"

namespace assay {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kEnoughObjects = 200;
constexpr std::size_t kLongestSeen = 8;

std::string_view next_line(std::string_view& text) {
  const auto* end = static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
  const std::size_t size = end == nullptr ? text.size() : static_cast<std::size_t>(end - text.data());
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(end == nullptr ? size : size + 1);
  return line;
}

// "c4 e3"
std::string hexadecimal(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", static_cast<unsigned char>(c));
  return out;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

class JsonlDocuments final : public DocumentReader {
 public:
  JsonlDocuments(UnpackedFile file, const DocumentOptions& options, TextField field)
      : longest_(options.longest_line),
        field_(std::move(field)),
        blocks_(std::move(file), options.block, options.longest_line) {}

  Result<bool> next(DocumentBlock& block) override { return blocks_.next(block); }

  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override {
    ObjectPlace place{block.line, block.byte};
    if (block.overlong > 0) return tell_long(block.bytes, block.overlong, place, sink);
    ObjectDocument object(field_, sink);
    const bool utf8 = simdjson::validate_utf8(block.bytes.data(), block.bytes.size());
    std::uint64_t number = 0;
    for (std::string_view rest = block.bytes; !rest.empty(); ++place.line) {
      const char* const start = rest.data();
      std::string_view line = next_line(rest);
      if (place.byte == 0) line = without_mark(line, place, sink);
      if (line.size() > longest_) {
        tell_long(line, line.size(), place, sink);
      } else if (!is_blank(line) && (utf8 || is_utf8(line, place, sink))) {
        number += object.take(line, place, number) ? 1 : 0;
      }
      place.byte +=
          static_cast<std::uint64_t>((rest.empty() ? block.bytes.data() + block.bytes.size() : rest.data()) - start);
    }
  }

 private:
  static std::string_view without_mark(std::string_view line, const ObjectPlace& place, DocumentSink& sink) {
    if (!line.starts_with(kByteOrderMark)) return line;
    sink.fault({.kind = LineFaultKind::kByteOrderMark,
                .line = place.line,
                .byte = place.byte,
                .length = kByteOrderMark.size(),
                .lost = false});
    return line.substr(kByteOrderMark.size());
  }

  static bool is_utf8(std::string_view line, const ObjectPlace& place, DocumentSink& sink) {
    if (simdjson::validate_utf8(line.data(), line.size())) return true;
    std::size_t at = 0;
    for (std::size_t size = 0; (size = utf8_sequence(line.substr(at))) > 0;) at += size;
    std::size_t bad = 1;
    while (at + bad < line.size() && utf8_sequence(line.substr(at + bad)) == 0) ++bad;
    const std::string seen = hexadecimal(line.substr(at, std::min(bad, kLongestSeen)));
    sink.fault({.kind = LineFaultKind::kInvalidUtf8,
                .line = place.line,
                .byte = place.byte,
                .offset = at,
                .length = bad,
                .detail = seen});
    return false;
  }

  static void tell_long(std::string_view line, std::uint64_t size, const ObjectPlace& place, DocumentSink& sink) {
    sink.fault({.kind = LineFaultKind::kTooLong,
                .line = place.line,
                .byte = place.byte,
                .length = size,
                .detail = line.substr(0, 32)});
  }

  std::uint64_t longest_;
  TextField field_;
  LineBlocks blocks_;
};

}  // namespace

std::unique_ptr<DocumentReader> open_jsonl_documents(UnpackedFile file, const DocumentOptions& options,
                                                     TextField field) {
  return std::make_unique<JsonlDocuments>(std::move(file), options, std::move(field));
}

FieldChoice choose_field(std::string_view lines, std::string_view field) {
  FieldChoice choice(field);
  if (lines.starts_with(kByteOrderMark)) lines.remove_prefix(kByteOrderMark.size());
  while (!lines.empty() && choice.objects() < kEnoughObjects) {
    const std::string_view line = next_line(lines);
    JsonWalk walk(line);
    JsonValue value;
    if (walk.peek() == '{' && walk.value(value) && walk.at_end()) choice.see(value.raw);
  }
  return choice;
}

}  // namespace assay
