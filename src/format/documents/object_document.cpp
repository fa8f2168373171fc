#include "format/documents/object_document.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "format/documents/plain_text.h"

namespace assay {

namespace {

using Kind = JsonValue::Kind;

constexpr std::size_t kLongestPiece = 32;
constexpr std::size_t kLongestDetail = 200;

}  // namespace

ObjectDocument::ObjectDocument(const TextField& field, DocumentSink& sink) : field_(field), sink_(sink) {}

// What stands there, cut between characters.
std::string_view ObjectDocument::piece(std::size_t offset) const {
  const std::string_view rest = object_.substr(offset);
  std::size_t size = std::min(rest.size(), kLongestPiece);
  while (size > 0 && size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xc0) == 0x80) --size;
  return rest.substr(0, size);
}

void ObjectDocument::fault(LineFaultKind kind, std::size_t offset, std::size_t length, bool lost,
                           std::string_view detail) {
  sink_.fault({.kind = kind,
               .line = place_.line,
               .byte = place_.byte,
               .offset = offset,
               .length = length,
               .lost = lost,
               .detail = detail});
}

void ObjectDocument::broken(const JsonWalk& walk) {
  const std::size_t at = walk.position();
  const bool cut = walk.fault() == JsonWalk::Fault::kCut;
  fault(cut ? LineFaultKind::kTruncated : LineFaultKind::kInvalidJson, at, cut ? 0 : 1, true, piece(at));
}

void ObjectDocument::see_id(const JsonValue& key, const JsonValue& value) {
  if (value.kind == Kind::kObject || value.kind == Kind::kArray || value.kind == Kind::kNull) return;
  for (std::size_t i = 0; i < id_rank_; ++i) {
    if (!is_key(key, id_fields()[i])) continue;
    id_rank_ = i;
    // As it is written, its quotes included.
    id_ = value.kind == Kind::kString ? std::string_view(value.raw.data() - 1, value.raw.size() + 2) : value.raw;
    return;
  }
}

// False: the object is broken.
bool ObjectDocument::read_members(JsonWalk& walk) {
  values_.assign(field_.parts.size(), {});
  id_ = {};
  id_rank_ = id_fields().size();
  JsonValue key;
  JsonValue value;
  bool twice = false;
  const char* where = nullptr;
  while (walk.next_member(key, value)) {
    for (std::size_t i = 0; i < field_.parts.size(); ++i) {
      if (!is_key(key, field_.parts[i].front())) continue;
      if (values_[i].kind != Kind::kNone) {
        twice = true;
        where = key.raw.data();
      }
      values_[i] = value;
    }
    see_id(key, value);
  }
  if (walk.fault() != JsonWalk::Fault::kNone) return false;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const TextField::Path& path = field_.parts[i];
    if (path.size() == 1 || values_[i].kind == Kind::kNone) continue;
    bool inner = false;
    const bool object = values_[i].kind == Kind::kObject;
    values_[i] = object ? find_value(values_[i].raw, std::span(path).subspan(1), inner) : JsonValue{};
  }
  if (twice) {
    const auto offset = static_cast<std::size_t>(where - object_.data());
    fault(LineFaultKind::kDuplicateKey, offset, 0, false, field_.name);
  }
  return true;
}

void ObjectDocument::missing() {
  detail_.clear();
  JsonWalk walk(object_);
  JsonValue key;
  JsonValue value;
  walk.enter(Kind::kObject);
  while (walk.next_member(key, value) && detail_.size() + key.raw.size() < kLongestDetail) {
    if (!detail_.empty()) detail_ += ", ";
    detail_ += key.raw;
  }
  fault(LineFaultKind::kMissingText, 0, 0, true, detail_);
}

// The text of one part: a view of the line where nothing has to be undone. False: a fault has been told.
bool ObjectDocument::one_text(std::size_t part, std::string_view& text) {
  const JsonValue& value = values_[part];
  if (value.kind == Kind::kString && !value.escaped) {
    text = value.raw;
    return true;
  }
  const std::size_t before = scratch_.size();
  const char* place = value.raw.data();
  const TextState state = append_text(value, scratch_, place);
  const auto offset = static_cast<std::size_t>(place - object_.data());
  text = std::string_view(scratch_).substr(before);
  switch (state) {
    case TextState::kText: return true;
    case TextState::kList: fault(LineFaultKind::kListText, offset, value.raw.size(), false, {}); return true;
    case TextState::kNull: fault(LineFaultKind::kNullText, offset, value.raw.size(), true, {}); return false;
    case TextState::kLoneSurrogate: fault(LineFaultKind::kLoneSurrogate, offset, 6, true, piece(offset)); return false;
    case TextState::kWrongType:
      fault(LineFaultKind::kWrongType, offset, value.raw.size(), true, piece(offset));
      return false;
  }
  return false;
}

bool ObjectDocument::join_text(std::string_view& text) {
  scratch_.clear();
  if (values_.size() == 1) return one_text(0, text);
  std::string joined;
  bool first = true;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool inner = i > 0 && i + 1 < values_.size();
    if (values_[i].kind == Kind::kNone || (inner && values_[i].kind == Kind::kNull)) continue;
    std::string_view part;
    if (!one_text(i, part)) return false;
    if (inner && part.empty()) continue;  // "input": "" is how an instruction says that it has none
    if (!first) joined += '\n';
    joined += part;
    first = false;
  }
  scratch_ = std::move(joined);
  text = scratch_;
  return true;
}

bool ObjectDocument::take(std::string_view text, const ObjectPlace& place, std::uint64_t number) {
  object_ = text;
  place_ = place;
  JsonWalk walk(text);
  if (walk.peek() != '{') {
    JsonValue other;
    const bool json = walk.value(other) && walk.at_end();
    if (json) {
      fault(LineFaultKind::kNotAnObject, 0, text.size(), true, piece(0));
    } else {
      broken(walk);
    }
    return false;
  }
  walk.enter(Kind::kObject);
  if (!read_members(walk)) {
    broken(walk);
    return false;
  }
  if (!walk.at_end()) {
    fault(LineFaultKind::kTrailingData, walk.position(), text.size() - walk.position(), true, piece(walk.position()));
    return false;
  }
  if (values_.front().kind == Kind::kNone || values_.back().kind == Kind::kNone) {
    missing();
    return false;
  }
  std::string_view document;
  if (!join_text(document)) return false;
  if (const std::string_view odd = walk.odd(); !odd.empty()) {
    const auto offset = static_cast<std::size_t>(odd.data() - text.data());
    fault(LineFaultKind::kNonStrictJson, offset, odd.size(), false, odd);
  }
  sink_.take({.text = document, .id = id_, .number = number, .line = place.line, .byte = place.byte});
  return true;
}

bool tell_utf8(std::string_view line, const ObjectPlace& place, DocumentSink& sink) {
  if (simdjson::validate_utf8(line.data(), line.size())) return true;
  const BadBytes bad = find_bad_bytes(line);
  sink.fault({.kind = LineFaultKind::kInvalidUtf8,
              .line = place.line,
              .byte = place.byte,
              .offset = bad.first,
              .length = bad.count,
              .detail = bad.seen});
  return false;
}

}  // namespace assay
