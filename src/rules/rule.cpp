#include "rules/rule.h"

#include <cstdlib>

namespace assay {

std::string_view name(Scope scope) {
  switch (scope) {
    case Scope::kRun: return "run";
    case Scope::kReading: return "reading";
    case Scope::kDocument: return "document";
    case Scope::kCorpus: return "corpus";
  }
  return "run";
}

Parameters::Parameters(std::span<const Parameter> declared, const std::map<std::string, double>& set,
                       std::string_view rule) {
  for (const Parameter& one : declared) {
    const auto chosen = set.find(std::string(rule) + "." + std::string(one.name));
    values_[std::string(one.name)] = chosen == set.end() ? one.standard : chosen->second;
  }
}

double Parameters::operator[](std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) std::abort();
  return found->second;
}

}  // namespace assay
