// A script is often a template: the number of machines is asked for at the start, the model is described elsewhere.
// What the user says beside it counts, since nobody types a number that is not meant. What it replaces is told with its
// place, so that a mistake does not hide: "128 (--ranks; the settings have 8, line 7)". Where the ranks are said, so
// are the nodes: the settings' number of them is taken away with the product that it was a factor of.

#include "engine/gaps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/setting.h"
#include "base/bytes.h"
#include "core/counts.h"
#include "measure/derive.h"

namespace assay {

namespace {

// What the settings tell without the user.
struct Before {
  Value value;
  Location where;  // of the first setting that it stands on and that has a place
};

bool is_number(const Value& value) { return !std::holds_alternative<std::string>(value.data); }

std::optional<Before> told(const Run& run, std::string_view key) {
  for (const Derived& fact : run.derived) {
    if (fact.name != key || !is_number(fact.value)) continue;
    Before before{fact.value, {}};
    for (const std::string& from : fact.from) {
      const Setting* said = run.config.find(from);
      if (said == nullptr || said->where.line == 0) continue;
      before.where = said->where;
      break;
    }
    return before;
  }
  const Setting* said = run.config.find(key);
  const auto number = said == nullptr ? std::nullopt : said->number();
  if (!number) return std::nullopt;
  const auto whole = exact_integer(*number);
  return Before{whole ? Value(*whole) : Value(*number), said->where};
}

void say(Run& run, std::string_view key, std::int64_t value, std::string_view option) {
  std::erase_if(run.config.settings, [&](const Setting& one) {
    return one.key == key || (key == setting::kWorldSize && one.key == setting::kNodes);
  });
  Setting one;
  one.key = key;
  one.value = std::to_string(value);
  one.written = option;
  one.where.path = option;
  run.config.settings.push_back(std::move(one));
}

Derived& fact_of(Run& run, std::string_view key, std::int64_t value) {
  const auto found =
      std::find_if(run.derived.begin(), run.derived.end(), [&](const Derived& one) { return one.name == key; });
  if (found != run.derived.end()) return *found;
  run.derived.push_back({std::string(key), Value(value), {}, {}, {std::string(key)}});
  return run.derived.back();
}

// Beside the number stands what it replaces; that is no contradiction any more.
void tell_replaced(Run& run, std::string_view key, std::int64_t value, std::string_view option, const Before& before) {
  Derived& fact = fact_of(run, key, value);
  fact.value = Value(value);
  fact.disagreement = {};
  const auto number = [&](Language language) {
    const auto* count = std::get_if<std::int64_t>(&before.value.data);
    const bool great = count != nullptr && key != setting::kWorldSize;
    return great ? format_count(static_cast<double>(*count), language) : format(before.value);
  };
  const std::string name(option);
  fact.arithmetic = {name + "; the settings have " + number(Language::kEnglish),
                     name + "；设置中为 " + number(Language::kChinese)};
  if (before.where.line == 0) return;
  const std::string line = std::to_string(before.where.line);
  if (before.where.path == run.id) {
    fact.arithmetic.en += ", line " + line;
    fact.arithmetic.zh += "，第 " + line + " 行";
  } else {
    fact.arithmetic.en += ", " + before.where.path + ":" + line;
    fact.arithmetic.zh += "，" + before.where.path + ":" + line;
  }
}

}  // namespace

void take_from_sourced(Run& run) {
  const auto is_sourced = [&](const Setting& one) {
    return one.unknown.empty() && one.value != "None" && one.where.path != run.id &&
           std::any_of(run.sources.begin(), run.sources.end(), [&](const Source& source) {
             return source.path == one.where.path && source.kind == "launch script";
           });
  };
  std::map<std::string, std::pair<const Setting*, const Setting*>> sayings;  // the last, and the last in a sourced file
  for (const Setting& one : run.config.settings) {
    auto& [last, sourced] = sayings[one.key];
    last = &one;
    if (is_sourced(one)) sourced = &one;
  }
  std::vector<Setting> taken;
  for (const auto& [key, both] : sayings) {
    const bool left_open = both.first->unknown.find("may be set in ") != std::string::npos;
    if (left_open && both.second != nullptr) taken.push_back(*both.second);
  }
  if (taken.empty()) return;
  run.config.settings.insert(run.config.settings.end(), taken.begin(), taken.end());
  run.derived = derive(run.config, run.dialect);
}

void fill_gaps(Run& run, const Gaps& gaps) {
  struct Option {
    std::string_view key;
    std::int64_t value;
    std::string_view name;
  };
  const Option options[] = {{setting::kWorldSize, gaps.ranks, "--ranks"},
                            {setting::kParameters, gaps.parameters, "--params"},
                            {setting::kTrainTokens, gaps.tokens, "--tokens"}};
  std::vector<std::pair<Option, Before>> replaced;
  bool any = false;
  for (const Option& one : options) {
    if (one.value <= 0) continue;
    const auto before = told(run, one.key);
    if (before && before->value == Value(one.value)) continue;  // the settings say so too
    if (before) replaced.emplace_back(one, *before);
    say(run, one.key, one.value, one.name);
    any = true;
  }
  if (!any) return;
  run.derived = derive(run.config, run.dialect);
  for (const auto& [one, before] : replaced) tell_replaced(run, one.key, one.value, one.name, before);
}

}  // namespace assay
