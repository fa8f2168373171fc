// TOML, through toml++. Its tables are sorted by name; the line of each value gives back the order of the file. The
// parser is all or nothing, so a broken file is read again up to the table in which it breaks.

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "format/config/config_tree.h"

namespace assay {

namespace {

using Kind = ConfigNode::Kind;

constexpr int kDeepest = 64;

std::int64_t line_of(const toml::source_region& source) { return static_cast<std::int64_t>(source.begin.line); }

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  std::ostringstream out;
  out.imbue(std::locale::classic());
  if (const auto* whole = node.as_integer()) {
    out << whole->get();
  } else if (const auto* real = node.as_floating_point()) {
    return fmt::format("{}", real->get());
  } else if (const auto* date = node.as_date()) {
    out << date->get();
  } else if (const auto* time = node.as_time()) {
    out << time->get();
  } else if (const auto* both = node.as_date_time()) {
    out << both->get();
  }
  return out.str();
}

// A table that is only opened by its children ([a.b] without [a]) has the line of the first of them.
std::uint32_t build(const toml::node& node, ConfigTree& tree, int depth) {
  const std::int64_t line = line_of(node.source());
  if (depth >= kDeepest) return tree.add(Kind::kUnbuilt, line, "…");
  if (const auto* table = node.as_table()) {
    const std::uint32_t made = tree.add(Kind::kMap, line);
    std::vector<ConfigNode::Member> members;
    for (const auto& [key, value] : *table) {
      const std::uint32_t child = build(value, tree, depth + 1);
      members.push_back({std::string(key.str()), child, line_of(key.source()), false});
    }
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return std::tie(a.line, a.value) < std::tie(b.line, b.value); });
    tree.nodes[made].members = std::move(members);
    return made;
  }
  if (const auto* array = node.as_array()) {
    const std::uint32_t made = tree.add(Kind::kList, line);
    std::vector<ConfigNode::Member> members;
    for (const toml::node& item : *array)
      members.push_back({{}, build(item, tree, depth + 1), line_of(item.source()), false});
    tree.nodes[made].members = std::move(members);
    return made;
  }
  return tree.add(Kind::kScalar, line, text_of(node));
}

// Where the line begins, counted from 1.
std::size_t start_of_line(std::string_view text, std::int64_t line) {
  std::size_t at = 0;
  for (; line > 1 && at != std::string_view::npos; --line) {
    at = text.find('\n', at);
    if (at != std::string_view::npos) ++at;
  }
  return std::min(at, text.size());
}

}  // namespace

ReadConfig read_toml(std::string_view text) {
  ReadConfig out;
  // A text is cut before a broken statement; the statement may have begun some lines above, in a string or array of
  // several lines, so a second and third try go back further.
  for (int attempt = 0; attempt < 8 && !text.empty(); ++attempt) {
    try {
      const toml::table root = toml::parse(text);
      out.tree.documents.push_back(build(root, out.tree, 0));
      return out;
    } catch (const toml::parse_error& error) {
      const std::int64_t line = line_of(error.source());
      if (out.faults.empty()) {
        out.faults.push_back({ErrorCode::kCorrupt,
                              "broken TOML: " + std::string(error.description()) + "; what follows is not read", line,
                              ""});
      }
      std::size_t end = start_of_line(text, std::max<std::int64_t>(line - attempt, 1));
      if (end >= text.size()) end = text.size() < 2 ? 0 : text.rfind('\n', text.size() - 2) + 1;  // npos + 1 is 0
      text = text.substr(0, end);
    }
  }
  return out;
}

}  // namespace assay
