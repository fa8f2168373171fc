// Which rules are asked, and whether what the user set makes sense.

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "base/nearest.h"
#include "engine/engine.h"

namespace assay {

namespace {

std::unexpected<Error> unknown(std::string_view what, const std::string& word,
                               const std::vector<std::string_view>& known, std::string otherwise) {
  const std::string guess = nearest(word, known);
  return fail(ErrorCode::kUsage, "unknown " + std::string(what) + " '" + word + "'", {},
              guess.empty() ? std::move(otherwise) : "did you mean '" + guess + "'?");
}

// A name or a family must be that of some rule.
Result<void> check_names(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const Rule* rule : all_rules()) {
    known.push_back(rule->name);
    if (std::find(known.begin(), known.end(), rule->family) == known.end()) known.push_back(rule->family);
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return unknown("rule or family", name, known, "'assay rules' lists them");
    }
  }
  return {};
}

Result<void> check_parameter(const std::string& full_name, double value) {
  const std::size_t dot = full_name.find('.');
  const std::string rule_name = full_name.substr(0, dot);
  const Rule* rule = find_rule(rule_name);
  if (rule == nullptr) {
    std::vector<std::string_view> known;
    for (const Rule* one : all_rules()) known.push_back(one->name);
    return unknown("rule", rule_name, known, "'assay rules' lists them");
  }
  const std::string parameter_name = dot == std::string::npos ? "" : full_name.substr(dot + 1);
  const auto parameter = std::find_if(rule->parameters.begin(), rule->parameters.end(),
                                      [&](const Parameter& one) { return one.name == parameter_name; });
  if (parameter == rule->parameters.end()) {
    std::vector<std::string> full_names;
    for (const Parameter& one : rule->parameters) full_names.push_back(rule_name + "." + std::string(one.name));
    const std::vector<std::string_view> known(full_names.begin(), full_names.end());
    const std::string list = rule->parameters.empty() ? rule_name + " has no parameters"
                                                      : "'assay explain " + rule_name + "' lists its parameters";
    return unknown("parameter", full_name, known, list);
  }
  if (!std::isfinite(value) || value < parameter->least || value > parameter->greatest) {
    return fail(ErrorCode::kUsage,
                full_name + " is from " + format(Value(parameter->least)) + " to " +
                    format(Value(parameter->greatest)) + ", not " + format(Value(value)),
                {}, "its default is " + format(Value(parameter->standard)));
  }
  return {};
}

}  // namespace

bool names(const std::vector<std::string>& names, const Rule& rule) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == rule.name || name == rule.family; });
}

Result<std::vector<const Rule*>> plan(const CheckOptions& options) {
  if (auto known = check_names(options.select); !known) return std::unexpected(known.error());
  if (auto known = check_names(options.ignore); !known) return std::unexpected(known.error());
  for (const auto& [name, value] : options.parameters) {
    if (auto fits = check_parameter(name, value); !fits) return std::unexpected(fits.error());
  }
  std::vector<const Rule*> rules;
  for (const Rule* rule : all_rules()) {
    if ((options.select.empty() || names(options.select, *rule)) && !names(options.ignore, *rule))
      rules.push_back(rule);
  }
  const bool narrowed = !options.select.empty() || !options.ignore.empty();
  if (rules.empty() && narrowed) return fail(ErrorCode::kUsage, "no rule is left: everything selected is ignored too");
  return rules;
}

}  // namespace assay
