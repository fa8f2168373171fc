// References are resolved where they are used, each with the chain of those that led to it, so that a cycle is seen
// when it closes; the chain's length and the length of a text are limited, so that references that double each other
// ("${a}${a}") end early. Every reference of a file is looked up once in an index of its paths: of duplicates the last
// counts, as everywhere.

#include "format/config/references.h"

#include <algorithm>
#include <map>
#include <optional>

namespace assay {

namespace {

constexpr std::size_t kLongestChain = 16;
constexpr std::size_t kLongestText = 400;
constexpr std::size_t kMostLookups = 100'000;

class Resolver {
 public:
  explicit Resolver(std::vector<FlatSetting>& settings) : settings_(settings) {
    for (std::size_t i = 0; i < settings.size(); ++i) index_[settings[i].path] = i;
  }

  void resolve_all() {
    for (FlatSetting& one : settings_) {
      if (!one.unknown.empty()) continue;
      if (one.text == "???") {
        one.unknown = "to be given on the command line";
        continue;
      }
      if (one.text.find("${") == std::string::npos) continue;
      std::string reason;
      std::vector<std::string_view> chain = {one.path};
      const auto text = resolved(one.text, one.path, chain, reason);
      if (text) {
        results_.emplace_back(&one, *text);
      } else {
        one.unknown = reason;
      }
    }
    // Only now, so that what one of them holds does not depend on which came first.
    for (auto& [setting, text] : results_) setting->text = std::move(text);
  }

 private:
  using Chain = std::vector<std::string_view>;

  static std::optional<std::string> give_up(std::string& reason, std::string why) {
    if (reason.empty()) reason = std::move(why);
    return std::nullopt;
  }

  // The whole of `text` with its references replaced.
  std::optional<std::string> resolved(std::string_view text, std::string_view path, Chain& chain, std::string& reason) {
    std::string out;
    while (!text.empty()) {
      const std::size_t open = text.find("${");
      out += text.substr(0, open);
      if (open == std::string_view::npos) break;
      const std::size_t close = closing(text, open);
      if (close == std::string_view::npos) {  // no reference but text
        out += text.substr(open);
        break;
      }
      const auto value = looked_up(text.substr(open + 2, close - open - 2), path, chain, reason);
      if (!value) return std::nullopt;
      out += *value;
      if (out.size() > kLongestText) return give_up(reason, "becomes too long when its references are put in");
      text.remove_prefix(close + 1);
    }
    return out;
  }

  static std::size_t closing(std::string_view text, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
      if (text.substr(i).starts_with("${")) ++depth;
      if (text[i] == '}' && --depth == 0) return i;
    }
    return std::string_view::npos;
  }

  std::optional<std::string> looked_up(std::string_view name, std::string_view path, Chain& chain,
                                       std::string& reason) {
    if (name.find_first_of(":$") != std::string_view::npos) return give_up(reason, "computed when the program runs");
    const std::string wanted = absolute(name, path);
    if (++lookups_ > kMostLookups || chain.size() >= kLongestChain) {
      return give_up(reason, "leads through too many references");
    }
    const auto found = index_.find(wanted);
    if (found == index_.end()) {
      const auto below = index_.lower_bound(wanted + "/");
      const bool group = below != index_.end() && below->first.starts_with(wanted + "/");
      return give_up(reason, group ? "refers to a group of settings" : "refers to what is not in this file");
    }
    const FlatSetting& target = settings_[found->second];
    if (std::find(chain.begin(), chain.end(), target.path) != chain.end()) {
      return give_up(reason, "leads back to itself");
    }
    if (target.text == "???") return give_up(reason, "to be given on the command line");
    if (!target.unknown.empty()) return give_up(reason, target.unknown);
    chain.push_back(target.path);
    auto value = resolved(target.text, target.path, chain, reason);
    chain.pop_back();
    return value;
  }

  // "a.b[0]" is a/b/0; each leading dot is a level, the first the one in which the reference stands.
  static std::string absolute(std::string_view name, std::string_view path) {
    std::string base;
    if (name.starts_with('.')) {
      base = path;
      while (name.starts_with('.')) {
        const std::size_t slash = base.rfind('/');
        base = slash == std::string::npos ? "" : base.substr(0, slash);
        name.remove_prefix(1);
      }
    }
    std::string out = base.empty() ? "" : base + "/";
    for (const char c : name) {
      if (c == ']') continue;
      out += c == '.' || c == '[' ? '/' : c;
    }
    return out;
  }

  std::vector<FlatSetting>& settings_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::pair<FlatSetting*, std::string>> results_;
  std::size_t lookups_ = 0;
};

}  // namespace

void resolve_references(std::vector<FlatSetting>& settings) { Resolver(settings).resolve_all(); }

}  // namespace assay
