#include "rules/issues.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace assay {

Finding one_finding(const Run& run, const std::vector<Issue>& issues) {
  const auto worst =
      std::ranges::max_element(issues, [](const Issue& a, const Issue& b) { return a.severity < b.severity; });
  Finding out;
  out.severity = worst->severity;
  out.confidence = worst->confidence;
  out.impact = worst->impact;
  out.message = worst->message;
  out.where = worst->where;
  out.where->run = run.id;
  out.evidence = worst->evidence;
  out.actions = worst->actions;
  for (const Evidence& one : worst->evidence) {
    if (one.where) out.also.push_back(*one.where);
  }
  for (const Issue& other : issues) {
    if (&other == &*worst) continue;
    out.evidence.push_back({other.message, {}, other.where});
    out.also.push_back(other.where);
    for (const Action& action : other.actions) {
      const bool known = std::ranges::any_of(out.actions, [&](const Action& one) {
        return one.text.key == action.text.key && one.command == action.command;
      });
      if (!known) out.actions.push_back(action);
    }
  }
  return out;
}

Evidence asked_evidence(const Planned& asked) {
  return {{"asked", {{"written", asked.written}, {"value", asked.value}}},
          {},
          asked.where.path.empty() ? std::nullopt : std::optional(asked.where)};
}

}  // namespace assay
