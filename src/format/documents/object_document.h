#pragma once
// One JSON object that is a document: a line of JSON lines, an element of a JSON array.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/documents/reader.h"
#include "format/documents/text_field.h"

namespace assay {

/// Where an object stands.
struct ObjectPlace {
  std::uint64_t line = 1;
  std::uint64_t byte = 0;
};

/// Keeps scratch memory from one object to the next.
class ObjectDocument {
 public:
  ObjectDocument(const TextField& field, DocumentSink& sink);
  /// text: one JSON value, blanks around it allowed. Hands a document or a fault, or both, to the sink; true: a
  /// document. number: that it will have.
  bool take(std::string_view text, const ObjectPlace& place, std::uint64_t number);

 private:
  void fault(LineFaultKind kind, std::size_t offset, std::size_t length, bool lost, std::string_view detail);
  void broken(const JsonWalk& walk);
  bool read_members(JsonWalk& walk);
  void see_id(const JsonValue& key, const JsonValue& value);
  bool join_text(std::string_view& text);
  bool one_text(std::size_t part, std::string_view& text);
  std::string_view piece(std::size_t offset) const;
  void missing();

  const TextField& field_;
  DocumentSink& sink_;
  std::string_view object_;
  ObjectPlace place_;
  std::vector<JsonValue> values_;  // of the first key of each part
  std::string_view id_;
  std::size_t id_rank_ = 0;
  std::string scratch_;
  std::string detail_;
};

/// Whether the text is UTF-8; where it is not, that has been told.
bool tell_utf8(std::string_view text, const ObjectPlace& place, DocumentSink& sink);

}  // namespace assay
