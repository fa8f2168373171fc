// Asks the rules. A rule is code that may be wrong: what it throws is told as a fault of assay, and the others go on.

#include <algorithm>
#include <cmath>
#include <exception>

#include "engine/engine.h"

namespace assay {

namespace {

// One rule; `ask` calls its function.
template <class Ask>
void judge_one(const Rule& rule, const CheckOptions& options, const Ask& ask, Judgement& out) {
  Findings findings;
  std::string fault;
  try {
    ask(Parameters(rule.parameters, options.parameters, rule.name), findings);
  } catch (const std::exception& error) {
    fault = error.what();
  } catch (...) {
    fault = "unknown exception";
  }
  if (!fault.empty()) {
    out.faults.push_back({ErrorCode::kInternal,
                          "rule " + std::string(rule.name) + " failed: " + fault,
                          {},
                          "please report this; the other rules were judged"});
    findings.found().clear();
  }
  out.not_applied.push_back(findings.found().empty() ? findings.reason() : std::nullopt);
  for (Finding& finding : findings.found()) {
    if (finding.name.empty()) finding.name = rule.name;
    finding.confidence = std::clamp(std::round(1000 * finding.confidence) / 1000, 0.01, 1.0);  // not known better
    finding.impact = std::clamp(finding.impact, 0.0, 1.0);
    // A false alarm costs more than a miss: what is only possible stops nobody's job.
    if (finding.confidence < kLikely) finding.severity = std::min(finding.severity, Severity::kWarning);
    out.findings.push_back(std::move(finding));
  }
}

// A rule need not repeat which run it looks at.
void complete_place(Location& place, const Run& run) {
  if (place.run.empty()) place.run = run.id;
  if (place.path.empty()) place.path = run.location(0).path;
}

// What is found in a series stands at the same steps of the files that tell it again.
void add_copies(const Run& run, Finding& finding) {
  if (!finding.where || !finding.where->steps || finding.where->segment < 0) return;
  const StepRange& steps = *finding.where->steps;
  for (const Copy& copy : run.copies) {
    if (copy.segment != static_cast<std::size_t>(finding.where->segment)) continue;
    std::size_t low = 0;
    std::size_t high = copy.step.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      (copy.step[middle] < steps.first ? low : high) = copy.step[middle] < steps.first ? middle + 1 : middle;
    }
    if (low == copy.step.size() || copy.step[low] > steps.last) continue;
    Location place = run.location(copy.line[low]);
    if (place.path == finding.where->path) continue;
    place.run = run.id;
    place.segment = finding.where->segment;
    place.steps = steps;
    finding.also.push_back(std::move(place));
  }
}

}  // namespace

Judgement judge_run(const Run& run, std::span<const Rule* const> rules, const CheckOptions& options) {
  Judgement out;
  const bool begun = run.has_begun();
  for (const Rule* rule : rules) {
    if (rule->scope != Scope::kRun) {
      out.not_applied.emplace_back();
      continue;
    }
    if (rule->needs == Needs::kARun && !begun) {
      out.not_applied.emplace_back(Phrase{});  // not asked
      continue;
    }
    judge_one(*rule, options, [&](const Parameters& set, Findings& found) { rule->judge(run, set, found); }, out);
  }
  for (Finding& finding : out.findings) {
    if (!finding.where) finding.where.emplace();
    complete_place(*finding.where, run);
    for (Location& place : finding.also) complete_place(place, run);
    for (Evidence& evidence : finding.evidence) {
      if (evidence.where) complete_place(*evidence.where, run);
    }
  }
  for (Error& fault : out.faults) complete_place(fault.where, run);
  link(run, options.ignore, out.findings);
  link_causes(run, options.ignore, out.findings);
  for (Finding& finding : out.findings) add_copies(run, finding);
  return out;
}

Judgement judge_corpus(const CorpusFacts& facts, std::span<const Rule* const> rules, const CheckOptions& options) {
  Judgement out;
  for (const Rule* rule : rules) {
    if (rule->scope != Scope::kCorpus) {
      out.not_applied.emplace_back();
      continue;
    }
    judge_one(
        *rule, options, [&](const Parameters& set, Findings& found) { rule->judge_corpus(facts, set, found); }, out);
  }
  return out;
}

Judgement judge_reading(const Report& read, std::span<const Rule* const> rules, const CheckOptions& options) {
  Judgement out;
  for (const Rule* rule : rules) {
    if (rule == nullptr || rule->scope != Scope::kReading) {
      out.not_applied.emplace_back();
      continue;
    }
    judge_one(
        *rule, options, [&](const Parameters& set, Findings& found) { rule->judge_reading(read, set, found); }, out);
  }
  return out;
}

}  // namespace assay
