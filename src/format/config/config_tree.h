#pragma once
// A configuration as a tree, whatever its syntax: what the readers of YAML, TOML and JSON build, and what is made flat
// for all of them by one function.
//
// Nodes lie in one vector and name each other by index, so that an alias is an index and a document a hundred thousand
// levels deep is destroyed without recursion. Nothing here grows with a number that the file claims.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/result.h"
#include "core/recording.h"
#include "format/config/flat_settings.h"

namespace assay {

struct ConfigNode {
  enum class Kind : std::uint8_t { kScalar, kList, kMap, kAlias, kUnbuilt };
  struct Member {
    std::string key;  // empty in a list
    std::uint32_t value = 0;
    std::int64_t line = 0;  // of the key; in a list, of the item
    bool merge = false;     // YAML's `<<`
  };

  Kind kind = Kind::kScalar;
  std::int64_t line = 0;
  std::string text;             // of a scalar, "None" for null; of what is not built, its tag
  std::vector<Member> members;  // of a map or list, in the order of the file
  std::uint32_t target = 0;     // of an alias
};

struct ConfigTree {
  std::vector<ConfigNode> nodes;
  std::vector<std::uint32_t> documents;  // their roots

  std::uint32_t add(ConfigNode::Kind kind, std::int64_t line, std::string text = {});
};

/// What a reader could not take; `cut`: the text ends inside a value.
struct ConfigFault {
  ErrorCode code = ErrorCode::kCorrupt;
  std::string message;
  std::int64_t line = 0;
  std::string hint;
};

struct ReadConfig {
  ConfigTree tree;
  std::vector<ConfigFault> faults;
};

/// Every reader keeps what stands before a fault.
ReadConfig read_yaml(const std::string& text);
ReadConfig read_toml(std::string_view text);
/// JSON with comments, trailing commas, NaN, Infinity and strings in single quotes.
ReadConfig read_json(std::string_view text);

/// The settings of all documents, levels of the path joined by '/'. A list of plain values is one setting, "[a, b]";
/// items of another list have their number in the path. Aliases and merges are followed within a budget that is told
/// in `faults` when it ends; what is not built is a setting that is not known. W&B's {desc, value} are taken off.
std::vector<FlatSetting> flatten(const ConfigTree& tree, std::vector<ConfigFault>& faults);

}  // namespace assay
