// JSON as people write it into configurations, through the scanner of the histories.

#include <vector>

#include "format/config/config_tree.h"
#include "format/tables/json_scanner.h"

namespace assay {

namespace {

using Kind = ConfigNode::Kind;
using Token = JsonScanner::Token;

constexpr std::size_t kMostNodes = 500'000;

std::string scalar_text(const JsonScanner& scanner, Token token) {
  switch (token) {
    case Token::kTrue: return "true";
    case Token::kFalse: return "false";
    case Token::kNull: return "None";
    case Token::kString: return json_unescaped(scanner.text());
    default: return std::string(scanner.text());
  }
}

}  // namespace

ReadConfig read_json(std::string_view text) {
  ReadConfig out;
  ConfigTree& tree = out.tree;
  JsonScanner scanner(text, 1, JsonScanner::Dialect::kRelaxed);
  std::vector<std::uint32_t> open;
  std::string key;
  std::int64_t key_line = 0;
  const auto place = [&](std::uint32_t node) {
    if (open.empty()) return tree.documents.push_back(node);
    ConfigNode& parent = tree.nodes[open.back()];
    const bool named = parent.kind == Kind::kMap;
    parent.members.push_back({named ? key : std::string(), node, named ? key_line : scanner.line(), false});
  };
  for (;;) {
    const Token token = scanner.next();
    if (token == Token::kEnd) return out;
    if (token == Token::kCut) {
      out.faults.push_back({ErrorCode::kTruncated, "the JSON document ends in the middle", scanner.line(), ""});
      return out;
    }
    if (token == Token::kError) {
      out.faults.push_back({ErrorCode::kCorrupt,
                            std::string("broken JSON: ") + scanner.error() + "; what follows is not read",
                            scanner.line(), ""});
      return out;
    }
    if (tree.nodes.size() >= kMostNodes) {
      out.faults.push_back(
          {ErrorCode::kLimit, "holds more than 500,000 values: the rest is not read", scanner.line(), ""});
      return out;
    }
    if (token == Token::kKey) {
      key = json_unescaped(scanner.text());
      key_line = scanner.line();
    } else if (token == Token::kObject || token == Token::kArray) {
      const std::uint32_t node = tree.add(token == Token::kObject ? Kind::kMap : Kind::kList, scanner.line());
      place(node);
      open.push_back(node);
    } else if (token == Token::kEndObject || token == Token::kEndArray) {
      open.pop_back();
    } else {
      place(tree.add(Kind::kScalar, scanner.line(), scalar_text(scanner, token)));
    }
  }
}

}  // namespace assay
