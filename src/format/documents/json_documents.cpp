// A JSON array may be larger than memory, so it is not parsed but cut: a value ends where its brackets are closed, and
// strings are passed over with vectors. Each value is then read alone, as a line of JSON lines is. Where a bracket is
// missing, all that follows is one value that never ends; no rule could tell where the next one begins.

#include "format/documents/json_documents.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "format/documents/byte_scan.h"
#include "format/documents/line_blocks.h"
#include "format/documents/object_document.h"
#include "format/documents/plain_text.h"

namespace assay {

namespace {

constexpr std::size_t kEnoughObjects = 200;
constexpr std::string_view kBetween = " \t\r\n,[]";

}  // namespace

// at_: inside of a string. True: behind its closing quote.
bool JsonCutter::string(std::string_view text) {
  const char* at = text.data() + at_;
  const char* const end = text.data() + text.size();
  while (at < end) {
    at = string_stop(at, end);
    if (at == end) break;
    if (*at == '"') {
      in_string_ = false;
      at_ = static_cast<std::size_t>(at - text.data()) + 1;
      return true;
    }
    if (*at == '\\' && end - at == 1) break;  // looked at again when the next byte is there
    at += *at == '\\' ? 2 : 1;
  }
  at_ = static_cast<std::size_t>(std::min(at, end) - text.data());
  return false;
}

// True: a value ends with it.
bool JsonCutter::bracket(char c) {
  if (c == '{' || c == '[') {
    if (!started_ && c == '[') {
      started_ = in_list_ = true;
    } else {
      started_ = true;
      ++depth_;
    }
    return false;
  }
  if (depth_ == 0) {
    in_list_ = false;
    return false;
  }
  return --depth_ == 0;
}

bool JsonCutter::next(std::string_view text) {
  while (at_ < text.size()) {
    if (in_string_) {
      if (!string(text)) return false;
      if (depth_ == 0) return true;
      continue;
    }
    const char c = text[at_];
    const bool between = kBetween.find(c) != std::string_view::npos;
    if (in_scalar_) {
      if (between || c == '{' || c == '}' || c == '"') {
        in_scalar_ = false;
        return true;
      }
      ++at_;
      continue;
    }
    ++at_;
    if (c == '"') {
      started_ = in_string_ = true;
    } else if (c == '{' || c == '}' || c == '[' || c == ']') {
      if (bracket(c)) return true;
    } else if (depth_ == 0 && !between) {
      started_ = in_scalar_ = true;
    }
  }
  return false;
}

namespace {

// What separates a value from the one before it is no part of it.
std::string_view value_in(std::string_view piece, std::size_t& before) {
  // An array inside of the list keeps its own bracket: the list's stands before the first value only.
  if (piece.find_first_not_of(kBetween) == std::string_view::npos) {  // what closes the list
    before = piece.size();
    return {};
  }
  before = piece.find_first_not_of(" \t\r\n,");
  if (piece.substr(before).starts_with('[') && !piece.ends_with(']')) {
    before = std::min(piece.find_first_not_of(kBetween, before), piece.size());
  }
  return piece.substr(before);
}

class JsonDocuments final : public DocumentReader {
 public:
  JsonDocuments(UnpackedFile file, const DocumentOptions& options, TextField field)
      : file_(std::move(file)),
        size_(std::max<std::size_t>(options.block, 1)),
        longest_(options.longest_line),
        field_(std::move(field)) {}

  Result<bool> next(DocumentBlock& block) override {
    std::string bytes = std::move(block.bytes);
    bytes.clear();
    bytes += rest_;
    rest_.clear();
    block = {.number = number_, .line = line_, .byte = byte_, .bytes = std::move(bytes)};
    const std::size_t end = cut(block);
    if (end == 0) {
      if (file_.error()) return std::unexpected(*file_.error());
      return false;
    }
    rest_.assign(block.bytes, end);
    block.bytes.resize(end);
    cutter_.drop(std::min(cutter_.at(), end));
    const std::uint64_t feeds = count_byte(block.bytes, '\n');
    const bool last = rest_.empty() && !file_.fill(rest_, 1);
    block.lines = feeds + (last && block.bytes.back() != '\n' ? 1 : 0);
    block.stored = file_.stored() - stored_;
    stored_ = file_.stored();
    line_ += feeds;
    byte_ += end;
    ++number_;
    if (block.overlong > 0) block.bytes.resize(std::min(block.bytes.size(), LineBlocks::kKept));
    return true;
  }

  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override;

 private:
  // Where the block ends: behind the last value within its size, or behind the first one.
  std::size_t cut(DocumentBlock& block) {
    std::string& bytes = block.bytes;
    bool more = file_.fill(bytes, size_);
    for (;;) {
      while (cutter_.next(bytes)) {
        block.ends.push_back(cutter_.at());
        if (cutter_.at() >= size_) return cutter_.at();
      }
      if (!more) break;
      const std::uint64_t whole = block.ends.empty() ? 0 : block.ends.back();
      if (bytes.size() - whole > longest_) return pass_the_rest(block);
      more = file_.fill(bytes, bytes.size() + size_);
    }
    // What is left is a value that is cut, or what closes the list.
    if (!bytes.empty() && (block.ends.empty() || block.ends.back() < bytes.size())) block.ends.push_back(bytes.size());
    return bytes.size();
  }

  // A value that is too long: nothing is known of what follows.
  std::size_t pass_the_rest(DocumentBlock& block) {
    if (!block.ends.empty()) return static_cast<std::size_t>(block.ends.back());
    block.overlong = block.bytes.size();
    std::string piece;
    for (bool more = true; more;) {
      piece.clear();
      more = file_.fill(piece, size_);
      block.overlong += piece.size();
    }
    return block.bytes.size();
  }

  UnpackedFile file_;
  std::size_t size_;
  std::uint64_t longest_;
  TextField field_;
  JsonCutter cutter_;
  std::string rest_;
  std::uint64_t number_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t byte_ = 0;
  std::uint64_t stored_ = 0;
};

void JsonDocuments::take_apart(const DocumentBlock& block, DocumentSink& sink) const {
  if (block.overlong > 0) {
    sink.fault({.kind = LineFaultKind::kTooLong, .line = block.line, .byte = block.byte, .length = block.overlong});
    return;
  }
  ObjectDocument object(field_, sink);
  const std::string_view bytes = block.bytes;
  const bool checked = simdjson::validate_utf8(bytes.data(), bytes.size());
  ObjectPlace place{block.line, block.byte};
  std::uint64_t number = 0;
  std::size_t from = 0;
  for (const std::uint64_t end : block.ends) {
    std::string_view piece = bytes.substr(from, static_cast<std::size_t>(end) - from);
    if (place.byte == 0 && piece.starts_with(kByteOrderMark)) {
      sink.fault({.kind = LineFaultKind::kByteOrderMark, .line = 1, .length = kByteOrderMark.size(), .lost = false});
      piece.remove_prefix(kByteOrderMark.size());
      place.byte += kByteOrderMark.size();
    }
    std::size_t before = 0;
    const std::string_view value = value_in(piece, before);
    place.line += count_byte(piece.substr(0, before), '\n');
    place.byte += before;
    if (value.size() > longest_) {
      sink.fault({.kind = LineFaultKind::kTooLong, .line = place.line, .byte = place.byte, .length = value.size()});
    } else if (!value.empty() && sink.wants(place.line) && (checked || tell_utf8(value, place, sink))) {
      number += object.take(value, place, number) ? 1 : 0;
    }
    place.line += count_byte(value, '\n');
    place.byte += value.size();
    from = static_cast<std::size_t>(end);
  }
}

}  // namespace

std::unique_ptr<DocumentReader> open_json_documents(UnpackedFile file, const DocumentOptions& options,
                                                    TextField field) {
  return std::make_unique<JsonDocuments>(std::move(file), options, std::move(field));
}

FieldChoice choose_field_of_values(std::string_view start, std::string_view field) {
  FieldChoice choice(field);
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  JsonCutter cutter;
  std::size_t from = 0;
  while (choice.objects() < kEnoughObjects && cutter.next(start)) {
    std::size_t before = 0;
    const std::string_view piece = value_in(start.substr(from, cutter.at() - from), before);
    JsonWalk walk(piece);
    JsonValue value;
    if (walk.peek() == '{' && walk.value(value) && walk.at_end()) choice.see(value.raw);
    from = cutter.at();
  }
  return choice;
}

}  // namespace assay
