#include "format/documents/text_field.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/nearest.h"

namespace assay {

namespace {

using Kind = JsonValue::Kind;

// Plain text first, then conversations, then pairs of instruction and answer; "code" last, because the rows of many
// sets of instructions have one, too.
constexpr auto kTextFields = std::to_array<std::string_view>(
    {"text", "content", "raw_content", "messages", "conversations", "conversation", "instruction+input+output",
     "instruction+output", "instruction+context+response", "instruction+response", "prompt+completion",
     "prompt+response", "prompt+chosen", "question+answer", "query+response", "code"});

// What the frameworks and the public corpora call the name of a document; the first that is there wins.
constexpr auto kIds = std::to_array<std::string_view>(
    {"id", "doc_id", "document_id", "_id", "uuid", "warc_record_id", "WARC-Record-ID", "uid", "url"});

constexpr std::size_t kMostKeys = 64;

TextField::Path split_path(std::string_view name) {
  TextField::Path path;
  for (std::size_t at = 0;;) {
    const std::size_t dot = name.find('.', at);
    path.emplace_back(name.substr(at, dot - at));
    if (dot == std::string_view::npos) return path;
    at = dot + 1;
  }
}

// A line feed before all but the first of the texts.
class Joined {
 public:
  explicit Joined(std::string& out) : out_(out) {}
  TextState add(const JsonValue& string, const char*& place) {
    if (!first_) out_ += '\n';
    first_ = false;
    if (!string.escaped) {
      out_ += string.raw;
      return TextState::kText;
    }
    std::size_t lone = 0;
    if (append_unescaped(string.raw, out_, lone)) return TextState::kText;
    place = string.raw.data() + lone;
    return TextState::kLoneSurrogate;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

// The text of a message: under the first of these keys that it has.
JsonValue text_of_message(std::string_view message) {
  bool twice = false;
  for (const std::string& key : {std::string("content"), std::string("value"), std::string("text")}) {
    const JsonValue found = find_value(message, std::span(&key, 1), twice);
    if (found.kind != Kind::kNone) return found;
  }
  return {};
}

// The parts of a message's content: strings, and objects with a text. Pictures and sounds have none.
TextState append_parts(std::string_view list, Joined& out, const char*& place) {
  JsonWalk walk(list);
  JsonValue part;
  walk.enter(Kind::kArray);
  while (walk.next_element(part)) {
    if (part.kind == Kind::kObject) {
      const std::string key = "text";
      bool twice = false;
      part = find_value(part.raw, std::span(&key, 1), twice);
    }
    if (part.kind != Kind::kString) continue;
    if (const TextState state = out.add(part, place); state != TextState::kText) return state;
  }
  return TextState::kText;
}

TextState append_list(std::string_view list, std::string& out, const char*& place) {
  JsonWalk walk(list);
  JsonValue element;
  Joined joined(out);
  bool strings = false;
  walk.enter(Kind::kArray);
  while (walk.next_element(element)) {
    strings = strings || element.kind == Kind::kString;
    if (element.kind != Kind::kString && element.kind != Kind::kObject) return TextState::kWrongType;
    const JsonValue text = element.kind == Kind::kString ? element : text_of_message(element.raw);
    TextState state = TextState::kText;
    if (text.kind == Kind::kString) {
      state = joined.add(text, place);
    } else if (text.kind == Kind::kArray) {
      state = append_parts(text.raw, joined, place);
    } else if (text.kind != Kind::kNull && text.kind != Kind::kNone) {
      state = TextState::kWrongType;  // a message without a text (a call of a tool) is none
    }
    if (state != TextState::kText) return state;
  }
  return strings ? TextState::kList : TextState::kText;
}

}  // namespace

bool is_key(const JsonValue& key, std::string_view name) {
  if (!key.escaped) return key.raw == name;
  std::string plain;
  std::size_t lone = 0;
  return append_unescaped(key.raw, plain, lone) && plain == name;
}

TextField parse_text_field(std::string_view name, bool literal) {
  TextField field{.name = std::string(name)};
  for (std::size_t at = 0;;) {
    const std::size_t plus = name.find('+', at);
    const std::string_view part = name.substr(at, plus - at);
    field.parts.push_back(literal ? TextField::Path{std::string(part)} : split_path(part));
    if (plus == std::string_view::npos) return field;
    at = plus + 1;
  }
}

std::span<const std::string_view> default_text_fields() { return kTextFields; }
std::span<const std::string_view> id_fields() { return kIds; }

JsonValue find_value(std::string_view object, std::span<const std::string> path, bool& twice) {
  JsonWalk walk(object);
  JsonValue key;
  JsonValue value;
  JsonValue found;
  if (!walk.enter(Kind::kObject)) return {};
  while (walk.next_member(key, value)) {
    if (!is_key(key, path.front())) continue;
    twice = twice || found.kind != Kind::kNone;
    found = value;
  }
  if (path.size() == 1 || found.kind == Kind::kNone) return found;
  return found.kind == Kind::kObject ? find_value(found.raw, path.subspan(1), twice) : JsonValue{};
}

TextState append_text(const JsonValue& value, std::string& out, const char*& place) {
  switch (value.kind) {
    case Kind::kString: return Joined(out).add(value, place);
    case Kind::kArray: return append_list(value.raw, out, place);
    case Kind::kNull: return TextState::kNull;
    default: return TextState::kWrongType;
  }
}

FieldChoice::FieldChoice(std::string_view field) {
  if (field.empty()) {
    for (const std::string_view name : kTextFields) candidates_.push_back({parse_text_field(name, false)});
    return;
  }
  candidates_.push_back({parse_text_field(field, true)});
  if (field.find('.') != std::string_view::npos) candidates_.push_back({parse_text_field(field, false)});
}

void FieldChoice::see(std::string_view object) {
  JsonWalk walk(object);
  JsonValue key;
  JsonValue value;
  if (!walk.enter(Kind::kObject)) return;
  ++objects_;
  std::map<std::string_view, JsonValue, std::less<>> members;  // those that a candidate begins with
  while (walk.next_member(key, value)) {
    const auto known = [&](const std::string& name) { return is_key(key, name); };
    if (keys_.size() < kMostKeys && std::none_of(keys_.begin(), keys_.end(), known)) keys_.emplace_back(key.raw);
    for (const Candidate& candidate : candidates_) {
      for (const TextField::Path& path : candidate.field.parts) {
        if (is_key(key, path.front())) members[path.front()] = value;
      }
    }
  }
  const auto has = [&](const TextField::Path& path) {
    const auto found = members.find(path.front());
    if (found == members.end()) return false;
    if (path.size() == 1) return true;
    bool twice = false;
    return found->second.kind == Kind::kObject &&
           find_value(found->second.raw, std::span(path).subspan(1), twice).kind != Kind::kNone;
  };
  for (Candidate& candidate : candidates_) {
    const std::vector<TextField::Path>& parts = candidate.field.parts;
    if (has(parts.front()) && (parts.size() == 1 || has(parts.back()))) ++candidate.seen;
  }
}

TextField FieldChoice::best() const {
  const auto half = [&](const Candidate& one) { return one.seen > 0 && one.seen * 2 >= objects_; };
  auto found = std::find_if(candidates_.begin(), candidates_.end(), half);
  if (found == candidates_.end()) {
    found = std::max_element(candidates_.begin(), candidates_.end(),
                             [](const Candidate& a, const Candidate& b) { return a.seen < b.seen; });
  }
  return found->seen > 0 ? found->field : TextField{};
}

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) out += ", and " + std::to_string(names.size() - kMost) + " more";
  return out;
}

std::unexpected<Error> no_text_field(const std::string& path, const std::vector<std::string>& names,
                                     const std::string& wanted) {
  Location where;
  where.path = path;
  const std::string fields = "fields: " + listed_names(names);
  if (wanted.empty()) {
    return fail(ErrorCode::kUnrecognised, "has no field that is known to hold a text; " + fields, std::move(where),
                "name the field of the text with --field");
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string near = nearest(wanted, known);
  return fail(ErrorCode::kUsage, "none of its first rows has the field \"" + wanted + "\"; " + fields, std::move(where),
              near.empty() ? "name one of them with --field" : "did you mean \"" + near + "\"?");
}

}  // namespace assay
