// A JSON array may be larger than memory, so it is not parsed but cut: a value ends where its brackets are closed, and
// strings are passed over with vectors. Each value is then read alone, as a line of JSON lines is. Where a bracket is
// missing, all that follows is one value that never ends; no rule could tell where the next one begins. A value that is
// too long is cut like any other, but not kept: its length is told, and what follows is read.

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
constexpr std::string_view kEndsScalar = " \t\r\n,[]{}\"";

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

// Where no value has begun: whether one does not begin here either.
bool JsonCutter::separates(char c) {
  if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',') return true;
  if (c == '[' && !started_) {
    started_ = in_list_ = true;
    return true;
  }
  if (c == ']' && in_list_) {
    in_list_ = false;
    return true;
  }
  return false;
}

// Of a value, outside of its strings and of scalars: whether it ends behind this byte.
bool JsonCutter::ends_value(char c) {
  switch (c) {
    case '"': in_string_ = true; return false;
    case '{':
    case '[': ++depth_; return false;
    case '}':
    case ']':
      if (depth_ > 0) --depth_;
      return depth_ == 0;
    default: in_scalar_ = depth_ == 0; return false;
  }
}

bool JsonCutter::next(std::string_view text) {
  while (at_ < text.size()) {
    bool ends = false;
    if (in_string_) {
      if (!string(text)) return false;
      ends = depth_ == 0;
    } else if (in_scalar_) {
      ends = kEndsScalar.find(text[at_]) != std::string_view::npos;
      in_scalar_ = !ends;
      if (!ends) ++at_;
    } else {
      const char c = text[at_];
      if (!in_value_ && !separates(c)) {
        from_ = at_;
        started_ = in_value_ = true;
      }
      ++at_;
      ends = in_value_ && ends_value(c);
    }
    if (ends) {
      in_value_ = false;
      return true;
    }
  }
  return false;
}

namespace {

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
    if (number_ == 0) pass_mark(block.bytes);
    passed_ = {};
    const std::size_t end = cut(block);
    if (block.overlong == 0) {
      rest_.assign(block.bytes, end);
      block.bytes.resize(end);
      see_passed(block.bytes);
      cutter_.drop(end);
    }
    if (passed_.size == 0) {
      if (file_.error()) return std::unexpected(*file_.error());
      return false;
    }
    const bool last = rest_.empty() && !file_.fill(rest_, 1);
    block.lines = passed_.feeds + (last && passed_.back != '\n' ? 1 : 0);
    block.stored = file_.stored() - stored_;
    stored_ = file_.stored();
    line_ += passed_.feeds;
    byte_ += passed_.size;
    ++number_;
    return true;
  }

  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override;

 private:
  // What the block stands for, kept or not.
  struct Passed {
    std::uint64_t size = 0;
    std::uint64_t feeds = 0;
    char back = 0;
  };

  void see_passed(std::string_view bytes) {
    if (bytes.empty()) return;
    passed_.size += bytes.size();
    passed_.feeds += count_byte(bytes, '\n');
    passed_.back = bytes.back();
  }

  // A byte order mark is no value.
  void pass_mark(std::string& bytes) {
    if (!file_.peek(kByteOrderMark.size()).starts_with(kByteOrderMark)) return;
    file_.fill(bytes, kByteOrderMark.size());
    cutter_.pass(kByteOrderMark.size());
  }

  // Where the block ends: behind the first value that reaches its size, or behind separators that do. A value that is
  // too long has a block of its own. `ends` has two places for each value: where it begins and where it ends.
  std::size_t cut(DocumentBlock& block) {
    std::string& bytes = block.bytes;
    bool more = file_.fill(bytes, size_);
    for (;;) {
      while (cutter_.next(bytes)) {
        block.ends.insert(block.ends.end(), {cutter_.from(), cutter_.at()});
        if (cutter_.at() >= size_) return cutter_.at();
      }
      if (!more) break;
      if (!cutter_.in_value()) {
        if (bytes.size() >= size_) return bytes.size();
      } else if (bytes.size() - cutter_.from() > longest_) {
        if (cutter_.from() > 0) return cutter_.from();
        pass_long_value(block);
        return 0;
      }
      more = file_.fill(bytes, bytes.size() + size_);
    }
    if (cutter_.in_value()) {  // cut
      block.ends.insert(block.ends.end(), {cutter_.from(), bytes.size()});
      cutter_.pass(bytes.size() - cutter_.at());  // a backslash
    }
    return bytes.size();
  }

  // Reads to the end of the value that starts the block and is too long, and forgets what it reads.
  void pass_long_value(DocumentBlock& block) {
    std::string piece = std::move(block.bytes);
    block.bytes.clear();
    for (bool more = true, ended = false;;) {
      if (!more && !ended) cutter_.pass(piece.size() - cutter_.at());  // a backslash
      const std::string_view seen = std::string_view(piece).substr(0, cutter_.at());
      block.bytes += seen.substr(0, LineBlocks::kKept - block.bytes.size());
      see_passed(seen);
      const std::size_t size = seen.size();
      piece.erase(0, size);
      cutter_.drop(size);
      if (ended || !more) break;
      more = file_.fill(piece, piece.size() + size_);
      ended = cutter_.next(piece);
    }
    block.overlong = passed_.size;
    rest_ = std::move(piece);
  }

  UnpackedFile file_;
  std::size_t size_;
  std::uint64_t longest_;
  TextField field_;
  JsonCutter cutter_;
  Passed passed_;
  std::string rest_;  // read, not yet handed over
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
  if (block.byte == 0 && bytes.starts_with(kByteOrderMark)) {
    sink.fault({.kind = LineFaultKind::kByteOrderMark, .line = 1, .length = kByteOrderMark.size(), .lost = false});
  }
  const bool checked = simdjson::validate_utf8(bytes.data(), bytes.size());
  ObjectPlace place{block.line, block.byte};
  std::uint64_t number = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i + 1 < block.ends.size(); i += 2) {
    const auto from = static_cast<std::size_t>(block.ends[i]);
    const std::string_view value = bytes.substr(from, static_cast<std::size_t>(block.ends[i + 1]) - from);
    place.line += count_byte(bytes.substr(seen, from - seen), '\n');
    place.byte = block.byte + from;
    seen = from;
    if (value.size() > longest_) {
      sink.fault({.kind = LineFaultKind::kTooLong, .line = place.line, .byte = place.byte, .length = value.size()});
    } else if (sink.wants(place.line) && (checked || tell_utf8(value, place, sink))) {
      number += object.take(value, place, number) ? 1 : 0;
    }
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
  while (choice.objects() < kEnoughObjects && cutter.next(start)) {
    JsonWalk walk(start.substr(cutter.from(), cutter.at() - cutter.from()));
    JsonValue value;
    if (walk.peek() == '{' && walk.value(value) && walk.at_end()) choice.see(value.raw);
  }
  return choice;
}

}  // namespace assay
