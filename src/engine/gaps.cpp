// A script is often a template: the number of machines is asked for at the start, the model is described elsewhere.
// What is missing the user can say. It must not replace what is there: two numbers for one thing are a contradiction
// that the settings themselves have to settle, and an option that silently wins would hide it.

#include "engine/gaps.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/setting.h"
#include "measure/derive.h"

namespace assay {

namespace {

bool told(const Run& run, std::string_view key) {
  for (const Derived& fact : run.derived) {
    if (fact.name == key && !std::holds_alternative<std::string>(fact.value.data)) return true;
  }
  const Setting* said = run.config.find(key);
  return said != nullptr && said->unknown.empty() && said->number().has_value();
}

// An option that is not needed is not passed over in silence.
void tell_unused(Run& run, std::string_view key, std::int64_t value, const char* option) {
  if (value <= 0) return;
  for (Derived& fact : run.derived) {
    if (fact.name != key || fact.value == Value(value) || !fact.disagreement.en.empty()) continue;
    const std::string number = format(Value(value));
    fact.disagreement = {std::string(option) + " says " + number + ", but the settings tell it: they count",
                         std::string(option) + " 给出 " + number + "，但设置已说明：以设置为准"};
  }
}

void fill(Run& run, std::string_view key, std::int64_t value, const char* option) {
  Setting one;
  one.key = key;
  one.value = std::to_string(value);
  one.written = option;
  one.where.path = option;
  run.config.settings.push_back(std::move(one));
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
  // Ranks first: with them the batch may follow, with that the tokens.
  const bool lacks_ranks = gaps.ranks > 0 && !told(run, setting::kWorldSize);
  if (lacks_ranks) {
    fill(run, setting::kWorldSize, gaps.ranks, "--ranks");
    run.derived = derive(run.config, run.dialect);
  }
  const bool lacks_parameters = gaps.parameters > 0 && !told(run, setting::kParameters);
  const bool lacks_tokens = gaps.tokens > 0 && !told(run, setting::kTrainTokens);
  if (lacks_parameters) fill(run, setting::kParameters, gaps.parameters, "--params");
  if (lacks_tokens) fill(run, setting::kTrainTokens, gaps.tokens, "--tokens");
  if (lacks_parameters || lacks_tokens) run.derived = derive(run.config, run.dialect);
  if (!lacks_ranks) tell_unused(run, setting::kWorldSize, gaps.ranks, "--ranks");
  if (!lacks_parameters) tell_unused(run, setting::kParameters, gaps.parameters, "--params");
  if (!lacks_tokens) tell_unused(run, setting::kTrainTokens, gaps.tokens, "--tokens");
}

}  // namespace assay
