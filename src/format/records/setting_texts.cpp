#include "format/records/setting_texts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/setting.h"
#include "base/bytes.h"
#include "format/config/vocabulary.h"
#include "format/lines/settings.h"
#include "format/records/proto.h"
#include "format/tables/json_scanner.h"
#include "format/tables/number.h"

namespace assay {

namespace {

using Token = JsonScanner::Token;

constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLongestValue = 1024;
constexpr std::size_t kDeepest = 8;
constexpr std::size_t kMostLines = 10'000;  // a text of settings is shorter by far

std::string joined(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + "/" + std::string(name);
}

using FlatSettings = std::vector<FlatSetting>;

void append(FlatSettings& out, std::string_view path, std::string_view value, std::int64_t record) {
  constexpr std::size_t kMostSettings = 100'000;
  if (out.size() >= kMostSettings) return;
  out.push_back(
      {printable_utf8(path.substr(0, 4 * kLongestName)), printable_utf8(value.substr(0, kLongestValue)), record});
}

class JsonSettings {
 public:
  JsonSettings(FlatSettings& out, std::string_view json, std::int64_t record)
      : out_(out), json_(json), scanner_(json), record_(record) {}

  bool take(const std::string& path) {
    const bool good = take_value(scanner_.next(), path, 0);
    return good && trimmed(json_.substr(scanner_.position())).empty();
  }

 private:
  bool take_value(Token token, const std::string& path, std::size_t depth) {
    switch (token) {
      case Token::kObject: return take_object(path, depth);
      case Token::kArray: return take_list(path);
      case Token::kString: record(path, json_unescaped(scanner_.text().substr(0, kLongestValue))); return true;
      case Token::kNumber: record(path, scanner_.text()); return true;
      case Token::kTrue: record(path, "true"); return true;
      case Token::kFalse: record(path, "false"); return true;
      case Token::kNull: record(path, "None"); return true;
      default: return false;
    }
  }

  bool take_object(const std::string& path, std::size_t depth) {
    for (;;) {
      const Token token = scanner_.next();
      if (token == Token::kEndObject) return true;
      if (token != Token::kKey) return false;
      const std::string name = json_unescaped(scanner_.text().substr(0, kLongestName));
      const bool own = name.starts_with("_wandb");
      const Token value = scanner_.next();
      if ((own || depth == kDeepest) && (value == Token::kObject || value == Token::kArray)) {
        if (scanner_.skip() != Token::kEnd) return false;
      } else if (!take_value(value, joined(path, name), depth + 1)) {
        return false;
      }
    }
  }

  // A list of plain values is one setting, as written: "[0.9, 0.95]".
  bool take_list(const std::string& path) {
    const std::size_t from = scanner_.position() - 1;
    if (scanner_.skip() != Token::kEnd) return false;
    const std::string_view text = json_.substr(from, scanner_.position() - from);
    if (text.size() <= kLongestValue && text.find('{') == std::string_view::npos) record(path, text);
    return true;
  }

  void record(const std::string& path, std::string_view value) {
    if (!path.empty()) append(out_, path, value, record_);
  }

  FlatSettings& out_;
  std::string_view json_;
  JsonScanner scanner_;
  std::int64_t record_;
};

// What HTML and Markdown put around a text that is to be shown as it is.
std::string_view without_wrapping(std::string_view text) {
  text = trimmed(text);
  constexpr auto kWrappings = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"<pre>", "</pre>"}, {"<code>", "</code>"}, {"```json", "```"}, {"```yaml", "```"}, {"```", "```"}, {"`", "`"}});
  for (const auto& [open, close] : kWrappings) {
    if (text.size() < open.size() + close.size() || !text.starts_with(open) || !text.ends_with(close)) continue;
    text = trimmed(text.substr(open.size(), text.size() - open.size() - close.size()));
  }
  return text;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(line);
}

// "|lr|0.0003|"; the line under the heading is dashes.
bool take_table_row(FlatSettings& out, std::string_view line, std::int64_t record) {
  if (line.size() < 5 || !line.starts_with('|') || !line.ends_with('|')) return false;
  line = line.substr(1, line.size() - 2);
  const std::size_t bar = line.find('|');
  if (bar == std::string_view::npos || line.find('|', bar + 1) != std::string_view::npos) return false;
  const std::string_view name = trimmed(line.substr(0, bar));
  const std::string_view value = trimmed(line.substr(bar + 1));
  const bool rule = name.find_first_not_of("-: ") == std::string_view::npos;
  const bool heading = value == "value" || value == "Value";
  if (!rule && !heading && name.size() <= kLongestName) append(out, name, value, record);
  return true;
}

bool is_name(std::string_view tag) {
  return !tag.empty() && tag.size() <= 64 && std::all_of(tag.begin(), tag.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  });
}

// Keys and values, nested by indentation, as YAML is written for people. Everything that a line may be beside that
// (anchors, quotes over lines, flow mappings) makes the text something else.
class IndentedSettings {
 public:
  // False where the text is none.
  bool read(std::string_view text) {
    for (std::size_t count = 0; !text.empty() && count < kMostLines; ++count) {
      const std::size_t end = text.find('\n');
      if (!read_line(text.substr(0, end))) return false;
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return !found_.empty();
  }
  FlatSettings settings(std::int64_t record) const {
    FlatSettings out;
    for (const auto& [path, value] : found_) append(out, path, value, record);
    return out;
  }

 private:
  struct Level {
    std::size_t indent;
    std::string path;
  };

  bool read_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content.starts_with('#') || content == "---") return true;
    if (content.starts_with("- ")) return true;  // of a list: passed over
    const std::size_t indent = line.find_first_not_of(' ');
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos || !is_name(content.substr(0, colon))) return false;
    const std::string_view value = trimmed(content.substr(colon + 1));
    if (!value.empty() && content[colon + 1] != ' ') return false;
    while (!open_.empty() && open_.back().indent >= indent) open_.pop_back();
    const std::string path = joined(open_.empty() ? "" : open_.back().path, content.substr(0, colon));
    if (!value.empty()) {
      found_.emplace_back(path, value);
    } else if (open_.size() < kDeepest) {
      open_.push_back({indent, path});
    }
    return true;
  }

  std::vector<Level> open_;
  std::vector<std::pair<std::string, std::string_view>> found_;
};

bool take_indented_settings(Recorder& recorder, std::string_view tag, std::string_view text, std::int64_t record) {
  IndentedSettings settings;
  if (!settings.read(text)) return false;
  // What people say to each other looks alike ("User: hello").
  constexpr auto kTags = std::to_array<std::string_view>({"config", "arg", "param", "setting", "yaml"});
  const bool meant = std::any_of(kTags.begin(), kTags.end(),
                                 [&](std::string_view word) { return tag.find(word) != std::string_view::npos; });
  const FlatSettings found = settings.settings(record);
  if (!meant && !holds_training_settings(found, true)) return false;
  record_settings(found, recorder);
  return true;
}

std::string text_of(double value) {
  if (const auto integer = exact_integer(value)) return fmt::format("{}", *integer);
  return fmt::format("{}", value);
}

// google.protobuf.Value; empty for what is no plain value.
std::string plain_value(std::string_view message) {
  std::string out;
  ProtoReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case 1: out = reader.varint() == 0 ? "None" : ""; break;
      case 2: out = text_of(reader.float64()); break;
      case 3: out = std::string(reader.bytes().substr(0, kLongestValue)); break;
      case 4: out = reader.varint() != 0 ? "true" : "false"; break;
      default: reader.skip();
    }
  }
  return out;
}

// SessionStartInfo: a map from names to values is a list of messages of a key (1) and a value (2).
void take_session_start(FlatSettings& out, std::string_view message, std::int64_t record) {
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() != 1) {
      reader.skip();
      continue;
    }
    std::string_view name;
    std::string value;
    ProtoReader entry(reader.bytes());
    while (entry.next()) {
      switch (entry.field()) {
        case 1: name = entry.bytes(); break;
        case 2: value = plain_value(entry.bytes()); break;
        default: entry.skip();
      }
    }
    if (!name.empty() && name.size() <= kLongestName && !value.empty()) append(out, name, value, record);
  }
}

}  // namespace

bool append_json_settings(std::vector<FlatSetting>& out, std::string_view path, std::string_view json,
                          std::int64_t record) {
  // Once to see that it is sound, so that broken text leaves no half of itself.
  JsonScanner check(json);
  const Token first = check.next();
  if (first == Token::kObject || first == Token::kArray ? check.skip() != Token::kEnd : first == Token::kError) {
    return false;
  }
  return JsonSettings(out, json, record).take(std::string(path));
}

bool take_text_settings(Recorder& recorder, std::string_view tag, std::string_view text, std::int64_t record) {
  constexpr std::string_view kSuffix = "/text_summary";
  if (tag.ends_with(kSuffix)) tag.remove_suffix(kSuffix.size());
  text = without_wrapping(text);
  FlatSettings settings;
  if (text.starts_with('{') && append_json_settings(settings, "", text, record)) {
    record_settings(settings, recorder);
    return true;
  }
  settings.clear();
  if (text.find('\n') == std::string_view::npos) {
    constexpr std::size_t kShort = 200;
    if (text.empty() || text.size() > kShort || !is_name(tag)) return false;
    // A sentence is a sample of what the model says, and no value.
    if (common_setting(tag).empty() && std::count(text.begin(), text.end(), ' ') > 2) return false;
    append(settings, tag, text, record);
    record_setting(settings.front(), recorder, shared_vocabulary());
    return true;
  }
  if (take_indented_settings(recorder, tag, text, record)) return true;
  bool any = false;
  for (std::size_t count = 0; !text.empty() && count < kMostLines; ++count) {
    const std::string_view line = next_line(text);
    if (take_table_row(settings, line, record) || lines::take_settings(line, record, recorder)) any = true;
  }
  record_settings(settings, recorder);
  return any;
}

void take_hparams(Recorder& recorder, std::string_view message, std::int64_t record) {
  constexpr std::uint32_t kSessionStartInfo = 3;  // of HParamsPluginData
  FlatSettings settings;
  ProtoReader reader(message);
  while (reader.next()) {
    if (reader.field() == kSessionStartInfo) {
      take_session_start(settings, reader.bytes(), record);
    } else {
      reader.skip();
    }
  }
  record_settings(settings, recorder);
}

}  // namespace assay
