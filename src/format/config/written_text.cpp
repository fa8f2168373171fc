// Unknown pieces are put in as marks that no program writes, found again in the values, and turned back into what the
// script says. JSON is read by the reader of literals, which takes `"lr": $LR` as it takes any word. Of YAML the part
// is read that scripts write: keys, indentation, plain values, lists in brackets; anything else is passed over.

#include "format/config/written_text.h"

#include <string>
#include <string_view>
#include <utility>

#include "format/config/literal.h"

namespace assay {

namespace {

constexpr char kMark = '\x01';
constexpr std::size_t kMostSettings = 2000;

struct Marked {
  std::string text;
  std::vector<const shell::Piece*> unknown;
};

Marked marked(const shell::Value& value) {
  Marked out;
  for (const shell::Piece& piece : value) {
    if (!piece.why) {
      for (const char c : piece.text) out.text += c == kMark ? ' ' : c;
      continue;
    }
    out.text += kMark;
    out.text += std::to_string(out.unknown.size());
    out.text += kMark;
    out.unknown.push_back(&piece);
  }
  return out;
}

FlatSetting restored(std::string path, std::string_view text, std::int64_t line, const Marked& source) {
  FlatSetting out{std::move(path), "", line};
  while (!text.empty()) {
    const std::size_t begin = text.find(kMark);
    const std::size_t end = begin == std::string_view::npos ? begin : text.find(kMark, begin + 1);
    out.text += text.substr(0, begin);
    if (end == std::string_view::npos) break;
    std::size_t which = 0;
    for (const char c : text.substr(begin + 1, end - begin - 1)) which = which * 10 + static_cast<std::size_t>(c - '0');
    if (which < source.unknown.size()) {
      out.text += source.unknown[which]->text;
      if (out.unknown.empty()) out.unknown = *source.unknown[which]->why;
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// key: value, nested by indentation.
std::vector<FlatSetting> read_yaml(const Marked& source, std::int64_t line) {
  struct Level {
    std::size_t indent;
    std::string path;
  };
  std::vector<Level> levels;
  std::vector<FlatSetting> out;
  const std::string_view text = source.text;
  std::size_t lines = 0;
  std::size_t understood = 0;
  for (std::size_t at = 0; at < text.size() && out.size() < kMostSettings; ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole = text.substr(at, end - at);
    at = end + 1;
    const std::string_view body = trimmed(whole.substr(0, whole.find(" #")));
    if (body.empty() || body.starts_with('#') || body.starts_with("---")) continue;
    ++lines;
    const std::size_t indent = whole.find_first_not_of(' ');
    const std::size_t colon = body.find(':');
    const std::string_view key = unquoted(trimmed(body.substr(0, colon)));
    if (body.starts_with('-')) {
      ++understood;
      continue;
    }
    if (colon == std::string_view::npos || key.empty() || key.find_first_of(" {}[]\"'") != std::string_view::npos)
      continue;
    if (colon + 1 < body.size() && body[colon + 1] != ' ') continue;
    ++understood;
    while (!levels.empty() && levels.back().indent >= indent) levels.pop_back();
    std::string path = (levels.empty() ? "" : levels.back().path + "/") + std::string(key);
    const std::string_view value = trimmed(body.substr(colon + 1));
    if (value.empty()) {
      if (levels.size() < 32) levels.push_back({indent, std::move(path)});
    } else {
      out.push_back(restored(std::move(path), unquoted(value), line, source));
    }
  }
  if (understood * 10 < lines * 8) out.clear();
  return out;
}

}  // namespace

std::vector<FlatSetting> flatten_written(const shell::WrittenText& written) {
  const Marked source = marked(written.text);
  const std::int64_t line = written.text.empty() ? 0 : written.text[0].line;
  const std::size_t begin = source.text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return {};
  std::vector<FlatSetting> out;
  if (source.text[begin] == '{') {
    std::vector<Leaf> leaves;
    flatten_literal(source.text, "", line, leaves);
    for (Leaf& leaf : leaves) {
      if (out.size() < kMostSettings && !leaf.path.empty())
        out.push_back(restored(std::move(leaf.path), leaf.text, leaf.line, source));
    }
    return out;
  }
  const bool yaml = written.file.ends_with(".yaml") || written.file.ends_with(".yml");
  return yaml ? read_yaml(source, line) : out;
}

}  // namespace assay
