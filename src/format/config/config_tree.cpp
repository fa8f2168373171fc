// From a tree to flat settings.
//
// Limits. A file of a few hundred bytes can say 10^9 values by aliases of aliases ("billion laughs"), and an anchor may
// hold an alias of itself. The walk therefore has a budget of visits and a greatest depth: within them an honest
// configuration (the largest known, of a data mixture, has some thousand entries) is never touched, and beyond them one
// clear problem is told and what was read until then stays.

#include "format/config/config_tree.h"

#include <algorithm>
#include <set>

namespace assay {

namespace {

using Kind = ConfigNode::Kind;

constexpr std::size_t kMostVisits = 200'000;
constexpr std::size_t kMostFlat = 20'000;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLongestText = 400;
constexpr std::size_t kLongestPath = 400;

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not within a character
  return std::string(text.substr(0, end)) + "…";
}

class Flattener {
 public:
  Flattener(const ConfigTree& tree, std::vector<ConfigFault>& faults) : tree_(tree), faults_(faults) {}

  std::vector<FlatSetting> take() {
    for (const std::uint32_t root : tree_.documents) document(root);
    return std::move(out_);
  }

 private:
  const ConfigNode& node(std::uint32_t index) const { return tree_.nodes[index]; }

  // Where aliases lead to. An alias of an alias cannot be written, but a cycle of them costs nothing to refuse.
  std::uint32_t followed(std::uint32_t index) const {
    for (int i = 0; i < 8 && node(index).kind == Kind::kAlias; ++i) index = node(index).target;
    return index;
  }

  bool spend(std::int64_t line) {
    if (visits_ < kMostVisits && out_.size() < kMostFlat) return ++visits_, true;
    if (!std::exchange(exhausted_, true)) {
      faults_.push_back({ErrorCode::kLimit, "stands for more settings than any configuration has: the rest is not read",
                         line, "references that multiply (&a, *a) or a table of data are no settings"});
    }
    return false;
  }

  void document(std::uint32_t root) {
    root = followed(root);
    const bool wandb = is_wandb(node(root));
    if (!wandb) return value("", root, node(root).line, 0);
    for (const ConfigNode::Member& member : node(root).members) {
      if (member.key == "wandb_version" || member.key == "_wandb") continue;
      const ConfigNode& wrapped = node(followed(member.value));
      for (const ConfigNode::Member& inner : wrapped.members) {
        if (inner.key == "value") value(member.key, inner.value, member.line, 1);
      }
    }
  }

  // config.yaml of W&B: {lr: {desc: null, value: 0.1}}.
  bool is_wandb(const ConfigNode& root) const {
    if (root.kind != Kind::kMap || root.members.empty()) return false;
    std::size_t wrapped = 0;
    for (const ConfigNode::Member& member : root.members) {
      if (member.key == "wandb_version") continue;
      const ConfigNode& inner = node(followed(member.value));
      if (inner.kind != Kind::kMap || inner.members.size() > 2) return false;
      const bool fits = std::all_of(inner.members.begin(), inner.members.end(),
                                    [](const ConfigNode::Member& m) { return m.key == "desc" || m.key == "value"; });
      const bool has_value = std::any_of(inner.members.begin(), inner.members.end(),
                                         [](const ConfigNode::Member& m) { return m.key == "value"; });
      if (!fits || !has_value) return false;
      ++wrapped;
    }
    return wrapped > 0;
  }

  void emit(const std::string& path, std::string text, std::int64_t line, std::string unknown = {}) {
    if (path.empty() || path.size() > kLongestPath) return;
    out_.push_back({path, std::move(text), line, std::move(unknown)});
  }

  void value(const std::string& path, std::uint32_t index, std::int64_t line, std::size_t depth) {
    if (!spend(line)) return;
    const ConfigNode& at = node(followed(index));
    if (depth >= kDeepest) return emit(path, "…", line, "nested too deeply to be read");
    switch (at.kind) {
      case Kind::kScalar: return emit(path, shortened(at.text), line);
      case Kind::kUnbuilt: return emit(path, at.text, line, "an object of a program, which is never built");
      case Kind::kMap: return map(path, at, depth);
      case Kind::kList: return list(path, at, line, depth);
      case Kind::kAlias: return;  // of itself
    }
  }

  void map(const std::string& path, const ConfigNode& at, std::size_t depth) {
    for (const ConfigNode::Member& member : at.members) {
      if (member.merge) merge(path, at, member, depth);
    }
    for (const ConfigNode::Member& member : at.members) {
      if (exhausted_) return;
      if (!member.merge) value(joined(path, member.key), member.value, member.line, depth + 1);
    }
  }

  // What is merged says less than the map itself, so it comes first and without what the map says.
  void merge(const std::string& path, const ConfigNode& at, const ConfigNode::Member& member, std::size_t depth) {
    if (depth >= kDeepest) return;
    const ConfigNode& source = node(followed(member.value));
    if (source.kind == Kind::kList) {
      // Of several maps the first counts most.
      for (auto item = source.members.rbegin(); item != source.members.rend(); ++item) {
        if (!spend(member.line)) return;
        merge_map(path, at, node(followed(item->value)), depth);
      }
    } else {
      merge_map(path, at, source, depth);
    }
  }

  void merge_map(const std::string& path, const ConfigNode& at, const ConfigNode& source, std::size_t depth) {
    if (source.kind != Kind::kMap || &source == &at) return;
    std::set<std::string_view> own;
    for (const ConfigNode::Member& member : at.members) own.insert(member.key);
    for (const ConfigNode::Member& inherited : source.members) {
      if (exhausted_) return;
      if (inherited.merge) {
        if (spend(inherited.line)) merge(path, source, inherited, depth + 1);
      } else if (!own.contains(inherited.key)) {
        value(joined(path, inherited.key), inherited.value, inherited.line, depth + 1);
      }
    }
  }

  void list(const std::string& path, const ConfigNode& at, std::int64_t line, std::size_t depth) {
    const bool plain = std::all_of(at.members.begin(), at.members.end(), [this](const ConfigNode::Member& item) {
      return node(followed(item.value)).kind == Kind::kScalar;
    });
    if (!plain) {
      for (std::size_t i = 0; i < at.members.size() && !exhausted_; ++i) {
        value(joined(path, std::to_string(i)), at.members[i].value, at.members[i].line, depth + 1);
      }
      return;
    }
    std::string text = "[";
    for (const ConfigNode::Member& item : at.members) {
      if (text.size() > 1) text += ", ";
      if (text.size() > kLongestText) break;
      text += node(followed(item.value)).text;
    }
    emit(path, shortened(text + "]"), line);
  }

  static std::string joined(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : path.size() > kLongestPath ? path : path + "/" + std::string(key);
  }

  const ConfigTree& tree_;
  std::vector<ConfigFault>& faults_;
  std::vector<FlatSetting> out_;
  std::size_t visits_ = 0;
  bool exhausted_ = false;
};

}  // namespace

std::uint32_t ConfigTree::add(ConfigNode::Kind kind, std::int64_t line, std::string text) {
  ConfigNode node;
  node.kind = kind;
  node.line = line;
  node.text = std::move(text);
  nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

std::vector<FlatSetting> flatten(const ConfigTree& tree, std::vector<ConfigFault>& faults) {
  return Flattener(tree, faults).take();
}

}  // namespace assay
