#pragma once
// What both kinds of traces (drift_seen.cpp, drift_schedule.cpp) say in the same way.

#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/hyper/drift_issues.h"

namespace assay {

/// Refers to a case that outlives it.
class DriftTraces {
 public:
  DriftTraces(const DriftCase& one, std::vector<Issue>& out) : one_(one), run_(one.run), plan_(one.plan), out_(out) {}

 protected:
  /// What a ratio is of. Learning rates are scaled with the root of a batch too; a batch or a length never is.
  enum class Of : std::uint8_t { kRate, kCount };

  /// `asked` has the word of the sentence, `where` is in the log. The finding stands at the setting.
  Issue& add(std::string_view key, Severity severity, double confidence, const Planned& asked, Values values,
             Location where);
  /// A ratio that is one of the numbers of the run.
  void explain(double ratio, Of of, Issue& issue) const;
  /// Nothing but its folder ties the file of this setting to the log.
  bool only_lies_beside(const Location& setting) const;

  const DriftCase& one_;
  const Run& run_;
  const Plan& plan_;
  std::vector<Issue>& out_;
};

}  // namespace assay
