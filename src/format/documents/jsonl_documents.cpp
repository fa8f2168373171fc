// JSON lines. Lines are cut first and each is read alone, so that one bad line costs one line: a parser that takes the
// whole buffer gives up all of it for one byte that is no UTF-8. What a line must be is what Python's json module
// takes, because that is what tokenises it; where others would differ (NaN, a key that comes twice) the line is read
// as Python does, and told.
//
// UTF-8 is checked for a block at once, at the speed of memory, and line by line only where the block fails.

#include "format/documents/jsonl_documents.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "format/documents/byte_scan.h"
#include "format/documents/line_blocks.h"
#include "format/documents/object_document.h"
#include "format/documents/plain_text.h"

namespace assay {

namespace {

constexpr std::size_t kEnoughLines = 200;

std::string_view next_line(std::string_view& text) {
  const auto* end = static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
  const std::size_t size = end == nullptr ? text.size() : static_cast<std::size_t>(end - text.data());
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(end == nullptr ? size : size + 1);
  return line;
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
    ObjectDocument object(field_, sink);
    const bool utf8 = simdjson::validate_utf8(block.bytes.data(), block.bytes.size());
    std::uint64_t number = 0;
    for (LinesOfBlock lines(block, longest_, sink); lines.next();) {
      const LinesOfBlock::Line& line = lines.line();
      const ObjectPlace place{line.number, line.byte};
      if (is_blank(line.text) || !(utf8 || tell_utf8(line.text, place, sink))) continue;
      number += object.take(line.text, place, number) ? 1 : 0;
    }
  }

 private:
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
  while (!lines.empty() && choice.lines() < kEnoughLines) {
    const std::string_view line = next_line(lines);
    JsonWalk walk(line);
    JsonValue value;
    // Two objects on one line are a fault of that line, and no other shape of the file.
    if (walk.peek() == '{' && walk.value(value) && (walk.at_end() || walk.peek() == '{')) {
      choice.see(value.raw);
    } else if (!is_blank(line) && !lines.empty()) {  // the last one may be cut
      choice.pass();
    }
  }
  return choice;
}

}  // namespace assay
