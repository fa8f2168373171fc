// Sources of one run that say different things.
//
// A run may have a launch script, a configuration, and what it printed itself. Where they differ in a number, one of
// them is not the run's: the script was changed after the start, or the copy beside the log is of another attempt. What
// the run printed is nearest to what acted; where it printed nothing, the log may still show which of two learning
// rates it was. Else it is said that nothing tells.
//
// A key that a source says several times (several launches, a dump after each restart) agrees with another source if
// any of its values does. Only numbers are compared: words differ by vocabulary. What a script holds as a template
// (nodes, processes) is left out.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "assay/setting.h"
#include "rules/hyper/drift_issues.h"
#include "rules/said_places.h"

namespace assay {

namespace {

struct Compared {
  std::string_view key;
  bool grave;  // another number is another training
};
constexpr auto kCompared = std::to_array<Compared>(
    {{setting::kLearningRate, true},   {setting::kGlobalBatchSize, true}, {setting::kTrainSteps, true},
     {setting::kTrainSamples, true},   {setting::kTrainTokens, true},     {setting::kWarmupSteps, true},
     {setting::kWarmupSamples, true},  {setting::kWarmupFraction, true},  {setting::kDecaySteps, true},
     {setting::kDecaySamples, true},   {setting::kMinLearningRate, true}, {setting::kClipNorm, true},
     {setting::kSequenceLength, true}, {setting::kWeightDecay, true},     {setting::kAdamBeta1, true},
     {setting::kAdamBeta2, true},      {setting::kAdamEpsilon, true},     {setting::kNumLayers, true},
     {setting::kHiddenSize, true},     {setting::kMicroBatchSize, false}, {setting::kGradientAccumulation, false},
     {setting::kDropout, false}});

struct Source {
  std::string path;
  std::vector<const Setting*> said;
  bool printed = false;  // by the run itself
};

bool same(double a, double b) { return std::fabs(a - b) <= 1e-6 * std::max(std::fabs(a), std::fabs(b)); }

bool agree(const Source& a, const Source& b) {
  return std::any_of(a.said.begin(), a.said.end(), [&](const Setting* x) {
    return std::any_of(b.said.begin(), b.said.end(),
                       [&](const Setting* y) { return same(*x->number(), *y->number()); });
  });
}

std::vector<Source> sources_of(const Run& run, std::string_view key) {
  std::vector<Source> out;  // in the order of reading
  for (const Setting& one : run.config.settings) {
    if (one.key != key || !one.unknown.empty() || !one.number()) continue;
    auto source = std::find_if(out.begin(), out.end(), [&](const Source& s) { return s.path == one.where.path; });
    if (source == out.end()) {
      out.push_back({one.where.path, {}, printed_by_run(run, one.where)});
      source = out.end() - 1;
    }
    source->said.push_back(&one);
  }
  return out;
}

// Whether the log shows which of two learning rates it was.
bool shows(const DriftCase& one, std::string_view key, const Setting& setting) {
  if (key != setting::kLearningRate || !one.seen || one.seen->still_rising || !one.seen->from_start) return false;
  const double said = *setting.number();
  return std::fabs(said - one.seen->peak) <= std::max(one.set["rate"] * said, one.seen->quantum);
}

void compare(const DriftCase& one, const Compared& compared, std::vector<Issue>& out) {
  const std::vector<Source> sources = sources_of(one.run, compared.key);
  if (sources.size() < 2) return;
  // The last one said counts: the run's own.
  const Source& acting = sources.back();
  for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
    if (agree(sources[i], acting)) continue;
    const Setting* other = sources[i].said.back();
    const Setting* own = acting.said.back();
    const bool other_acts = shows(one, compared.key, *other);
    if (other_acts) std::swap(other, own);
    const bool told = acting.printed || other_acts || shows(one, compared.key, *own);
    Issue issue;
    issue.severity = compared.grave && told ? Severity::kWarning : Severity::kNote;
    issue.confidence = told ? 0.8 : 0.6;
    issue.impact = 0.3;
    issue.message = {!told                           ? "two"
                     : other_acts || !acting.printed ? "two-drawn"
                                                     : "two-printed",
                     {{"key", compared.key},
                      {"a", *other->number()},
                      {"file-a", file_name(other->where.path)},
                      {"b", *own->number()},
                      {"file-b", file_name(own->where.path)}}};
    issue.where = other->where;
    issue.evidence.push_back(
        {{"other-place", {{"written", own->written.empty() ? own->key : own->written}, {"value", own->value}}},
         {},
         own->where});
    if (issue.severity != Severity::kNote) {
      issue.actions.push_back({{"correct", {{"file", file_name(other->where.path)}}}, ""});
    }
    out.push_back(std::move(issue));
    return;  // one pair of a key is enough
  }
}

}  // namespace

void judge_sources(const DriftCase& one, std::vector<Issue>& out) {
  for (const Compared& compared : kCompared) compare(one, compared, out);
}

}  // namespace assay
