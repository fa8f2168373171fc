#include "rules/hyper/drift_traces.h"

#include <algorithm>
#include <cmath>

#include "assay/setting.h"
#include "rules/places.h"
#include "rules/said_places.h"

namespace assay {

namespace {

constexpr double kSameFactor = 0.03;  // of a ratio that is to be a number of ranks

// "train" of "run/train.sh".
std::string_view bare_name(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.substr(0, name.find('.'));
}

}  // namespace

Issue& DriftTraces::add(std::string_view key, Severity severity, double confidence, const Planned& asked, Values values,
                        Location where) {
  Issue issue;
  issue.severity = severity;
  issue.confidence = asked.origin == Origin::kSaid ? confidence : confidence - 0.15;
  issue.impact = severity == Severity::kNote ? 0.1 : 0.5;
  issue.message = {std::string(key), {{"written", asked.written}, {"said", asked.value}}};
  for (auto& value : values) issue.message.values.push_back(std::move(value));
  const bool has_place = !asked.where.path.empty();
  issue.evidence.push_back({{"seen-at", {}}, {}, where});
  issue.where = has_place ? asked.where : where;
  if (severity != Severity::kNote && has_place && only_lies_beside(asked.where)) {
    issue.evidence.push_back({{"may-be-another", {{"file", file_name(asked.where.path)}}}, {}, {}});
  }
  if (severity != Severity::kNote) issue.actions.push_back({{"believe-the-log", {{"written", asked.written}}}, ""});
  out_.push_back(std::move(issue));
  return out_.back();
}

bool DriftTraces::only_lies_beside(const Location& setting) const {
  if (printed_by_run(run_, setting)) return false;
  return std::ranges::none_of(run_.sources, [&](const Source& one) {
    const bool records = one.role != SourceRole::kSettings && one.role != SourceRole::kSummary;
    return records && bare_name(one.path) == bare_name(setting.path);
  });
}

void DriftTraces::explain(double ratio, Of of, Issue& issue) const {
  const double factor = ratio >= 1 ? ratio : 1 / ratio;
  if (factor < 1.5) return;
  for (const std::string_view key :
       {setting::kWorldSize, setting::kDataParallelSize, setting::kGradientAccumulation, setting::kGlobalBatchSize}) {
    const auto count = plan_.told(key);
    if (!count || count->value < 2) continue;
    const bool whole = std::fabs(factor / count->value - 1) <= kSameFactor;
    const bool root = of == Of::kRate && std::fabs(factor * factor / count->value - 1) <= kSameFactor;
    if (!whole && !root) continue;
    issue.evidence.push_back(
        {{whole ? "factor" : "root",
          {{"factor", Value(factor, Unit::kTimes)}, {"what", std::string(key)}, {"count", count_value(count->value)}}},
         {},
         {}});
    return;
  }
}

}  // namespace assay
