#pragma once
// Where the text of a JSON object is, and how it becomes one string.
//
// A field is a key ("text"), a path ("meta.body"), or several of them joined ("instruction+input+output"). What is
// found there may be a string; a list of the messages of a conversation, objects with the text under content, value or
// text (of a content that is itself a list, its parts of text); or a list of strings. Several texts make one document,
// a line feed between them; what a message has besides its text (role, name, tool calls) is no part of it, because
// each template of a chat writes that in its own way.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "format/documents/json_walk.h"

namespace assay {

struct TextField {
  using Path = std::vector<std::string>;
  std::string name;         // as people write it; empty: none
  std::vector<Path> parts;  // at least one; of several, those between the first and the last may be missing
};

/// literal: a dot is part of the key.
TextField parse_text_field(std::string_view name, bool literal);

/// The fields tried where the user names none, in this order.
std::span<const std::string_view> default_text_fields();
/// What the name of a document is looked for under; the first that is there wins.
std::span<const std::string_view> id_fields();

/// The value at a path below an object (which a walk has checked); of a key that comes twice the last, as in Python.
/// kNone: it is not there.
JsonValue find_value(std::string_view object, std::span<const std::string> path, bool& twice);
/// Whether the key is `name`, escapes undone.
bool is_key(const JsonValue& key, std::string_view name);

enum class TextState : std::uint8_t { kText, kList, kNull, kWrongType, kLoneSurrogate };

/// Appends the text of a value. place: of a lone surrogate, where it stands.
TextState append_text(const JsonValue& value, std::string& out, const char*& place);

/// What one takes the text of objects from, judged by some of them.
class FieldChoice {
 public:
  /// field: what the user wants; empty: the first of default_text_fields() that half of the objects have, else the one
  /// that most of them have.
  explicit FieldChoice(std::string_view field);
  void see(std::string_view object);
  /// A line that is no object.
  void pass() { ++others_; }
  std::uint64_t objects() const { return objects_; }
  std::uint64_t lines() const { return objects_ + others_; }
  /// Its name is empty where no object has it.
  TextField best() const;
  /// The keys that there are, in the order in which they came.
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  struct Candidate {
    TextField field;
    std::uint64_t seen = 0;
  };
  std::vector<Candidate> candidates_;
  std::vector<std::string> keys_;
  std::uint64_t objects_ = 0;
  std::uint64_t others_ = 0;
};

/// "a, b, c, and 4 more"
std::string listed_names(const std::vector<std::string>& names);

/// The error of a file of rows that have none of the fields of text (kUnrecognised), or not the one that is wanted
/// (kUsage, with the nearest).
std::unexpected<Error> no_text_field(const std::string& path, const std::vector<std::string>& names,
                                     const std::string& wanted);

}  // namespace assay
