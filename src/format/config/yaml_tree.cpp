// YAML, through the events of yaml-cpp.
//
// Events and not its nodes, because a node knows no line of its key, forgets duplicate keys and is gone altogether when
// the text breaks in the middle; here what stands before a fault is kept. Scalars stay text: what YAML 1.1 makes of
// `1e-4` (a string), `1:30` (90) or `no` (false) is not what the program that reads the file makes of it, so a number
// or a flag is recognised only where one is expected (setting_values.cpp). Tags are never acted upon: a node with a tag
// that is not one of YAML's own kinds is not built.

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "format/config/config_tree.h"

namespace assay {

namespace {

using Kind = ConfigNode::Kind;

constexpr std::size_t kMostNodes = 500'000;
constexpr std::size_t kMostDocuments = 1000;

struct TooMany {};  // ends the parse; caught below

bool is_plain_tag(std::string_view tag) {
  if (tag.empty() || tag == "?" || tag == "!") return true;
  constexpr std::string_view kOwn = "tag:yaml.org,2002:";
  if (!tag.starts_with(kOwn)) return false;
  const std::string_view name = tag.substr(kOwn.size());
  for (const std::string_view known : {"str", "int", "float", "bool", "null", "map", "seq", "set", "omap", "timestamp",
                                       "python/tuple", "python/unicode", "python/str", "python/int", "python/float",
                                       "python/bool", "python/none", "python/list", "python/dict"}) {
    if (name == known) return true;
  }
  return false;
}

class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(ConfigTree& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark&) override {
    open_.clear();
    anchors_.clear();  // they do not reach beyond their document
  }
  void OnDocumentEnd() override { open_.clear(); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(made(Kind::kScalar, mark, anchor, "None"), mark, "None");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    const std::uint32_t alias = made(Kind::kAlias, mark, 0, {});
    tree_.nodes[alias].target = found == anchors_.end() ? alias : found->second;
    place(alias, mark, {});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!is_plain_tag(tag)) return place(made(Kind::kUnbuilt, mark, anchor, tag), mark, value);
    const bool null = tag != "!" && (value == "~" || value == "null" || value == "Null" || value == "NULL");
    place(made(Kind::kScalar, mark, anchor, null ? "None" : value), mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { leave(); }

 private:
  struct Open {
    std::uint32_t node = 0;
    Kind kind = Kind::kMap;  // the node itself may be one that is not built
    bool key_known = false;
    std::string key;
    std::int64_t key_line = 0;
  };

  std::uint32_t made(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, std::string text) {
    if (tree_.nodes.size() >= kMostNodes) throw TooMany{};
    const std::uint32_t node = tree_.add(kind, mark.line + 1, std::move(text));
    if (anchor != 0) anchors_[anchor] = node;
    return node;
  }

  // As a key, an item, a value or the document.
  void place(std::uint32_t node, const YAML::Mark& mark, const std::string& as_key) {
    if (open_.empty()) {
      if (tree_.documents.size() >= kMostDocuments) throw TooMany{};
      tree_.documents.push_back(node);
      return;
    }
    Open& inside = open_.back();
    ConfigNode& parent = tree_.nodes[inside.node];
    if (inside.kind == Kind::kList) {
      parent.members.push_back({{}, node, mark.line + 1, false});
    } else if (!inside.key_known) {
      inside.key_known = true;
      inside.key = as_key;
      inside.key_line = mark.line + 1;
    } else {
      inside.key_known = false;
      const bool merge = inside.key == "<<";
      parent.members.push_back({std::move(inside.key), node, inside.key_line, merge});
    }
  }

  void enter(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const bool plain = is_plain_tag(tag);
    const std::uint32_t node = made(plain ? kind : Kind::kUnbuilt, mark, anchor, plain ? std::string() : tag);
    place(node, mark, {});
    open_.push_back({node, kind, false, {}, 0});
  }

  void leave() {
    if (!open_.empty()) open_.pop_back();
  }

  ConfigTree& tree_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
};

// Where the text stands at a mark; nothing where the mark is behind it.
std::optional<std::size_t> offset_of(const std::string& text, const YAML::Mark& mark) {
  std::size_t at = 0;
  for (int line = 0; line < mark.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  at += static_cast<std::size_t>(std::max(mark.column, 0));
  return at < text.size() ? std::optional(at) : std::nullopt;
}

ReadConfig read_once(const std::string& text, std::optional<YAML::Mark>& missing_comma) {
  ReadConfig out;
  missing_comma.reset();
  Builder builder(out.tree);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const TooMany&) {
    out.faults.push_back({ErrorCode::kLimit, "holds more than 500,000 values: the rest is not read", 0, ""});
  } catch (const YAML::DeepRecursion& error) {
    out.faults.push_back({ErrorCode::kLimit, "is nested more than 500 levels deep: the rest is not read",
                          error.mark.is_null() ? 0 : error.mark.line + 1, ""});
  } catch (const YAML::Exception& error) {
    const bool placed = !error.mark.is_null();
    if (placed && error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW) missing_comma = error.mark;
    out.faults.push_back({ErrorCode::kCorrupt, "broken YAML: " + error.msg + "; what follows is not read",
                          placed ? error.mark.line + 1 : 0,
                          error.msg.find("tab") != std::string::npos ? "indent with spaces" : ""});
  }
  return out;
}

}  // namespace

// GPT-NeoX writes its files in braces, where one comma that is missing between two lines would end the reading. The
// program that reads such a file refuses it, which is told; what was meant is read nevertheless, if commas are all that
// is missing.
ReadConfig read_yaml(const std::string& text) {
  constexpr std::size_t kMostCommas = 8;
  std::optional<YAML::Mark> missing;
  ReadConfig as_written = read_once(text, missing);
  std::string mended = text;
  std::vector<ConfigFault> told;
  while (missing && told.size() < kMostCommas) {
    const auto at = offset_of(mended, *missing);
    const std::size_t line = at ? mended.rfind('\n', *at) : std::string::npos;
    if (line == std::string::npos || mended.find_first_not_of(" \t", line + 1) != *at) return as_written;
    mended.insert(*at, ",");
    told.push_back({ErrorCode::kCorrupt, "broken YAML: a comma is missing before this line; read as if it were there",
                    missing->line + 1, "a program that reads this file refuses it"});
    ReadConfig out = read_once(mended, missing);
    if (missing || !out.faults.empty()) continue;
    out.faults = std::move(told);
    return out;
  }
  return as_written;
}

}  // namespace assay
