// What one rule found in all documents, as one finding.
//
// Rank follows expected harm, not the count: the share of the text that is no good, on a logarithmic scale (a tenth of
// it is one step below all of it, down to a millionth), times the harm that a byte of this kind is known to do
// (Rule::harm, with its reason).

#include <algorithm>
#include <cmath>

#include "engine/corpus/conclude.h"
#include "stat/share.h"

namespace assay {

namespace {

constexpr double kDecades = 6;  // from all of the text down to where a share counts as none

double impact_of(double share, double harm) {
  if (!(share > 0)) return 0;
  return harm * std::clamp(1 + std::log10(share) / kDecades, 0.05, 1.0);
}

Location place_of(const FlaggedDocument& flagged) {
  Location out;
  out.path = flagged.path;
  out.line = static_cast<std::int64_t>(flagged.line);
  return out;
}

double percent(double part, double all) { return all > 0 ? 100 * part / all : 0; }

std::vector<Evidence> evidence_of(const std::vector<CorpusExample>& examples) {
  std::vector<Evidence> out;
  for (const CorpusExample& one : examples) {
    const DocumentFinding& finding = one.flagged.findings.front();
    const bool again = !out.empty() && out.front().text.key == finding.reason.key;
    // A reason is told once; of the others that share it the excerpt says enough.
    if (!again) out.push_back({finding.reason, {}, place_of(one.flagged)});
    if (finding.excerpt.empty()) continue;
    Phrase shown = {finding.repaired.empty() ? "corpus-excerpt" : "corpus-repaired",
                    {{"excerpt", finding.excerpt}, {"repaired", finding.repaired}}};
    out.push_back({std::move(shown), {}, again ? std::optional<Location>(place_of(one.flagged)) : std::nullopt});
  }
  return out;
}

Phrase message_of(const CorpusFacts& facts, const KindCounts& kind, bool lines) {
  const std::uint64_t all = lines ? facts.all.lines : facts.all.documents;
  const std::uint64_t found = kind.documents > 0 ? kind.documents : kind.noted;
  const Share share{static_cast<std::size_t>(found), static_cast<std::size_t>(all)};
  Values values = {{"found", static_cast<std::int64_t>(found)},
                   {"all", static_cast<std::int64_t>(all)},
                   {"share", Value(100 * share.value(), Unit::kPercent)}};
  if (facts.sample < 1) {
    values.emplace_back("low", Value(100 * share.lower_bound(), Unit::kPercent));
    values.emplace_back("high", Value(100 * share.upper_bound(), Unit::kPercent));
    return {lines ? "corpus-lines-sampled" : "corpus-documents-sampled", std::move(values)};
  }
  if (lines) return {"corpus-lines", std::move(values)};
  if (kind.documents == 0) return {"corpus-noted", std::move(values)};
  values.emplace_back("bytes", Value(static_cast<std::int64_t>(kind.bytes), Unit::kBytes));
  values.emplace_back(
      "text", Value(percent(static_cast<double>(kind.bytes), static_cast<double>(facts.all.bytes)), Unit::kPercent));
  return {"corpus-documents", std::move(values)};
}

}  // namespace

std::span<const SentenceRecord> kind_sentences() {
  static const SentenceRecord sentences[] = {
      {"corpus-documents", "{found} of {all} documents ({share}), {bytes} of their text ({text} of all text)",
       "{all} 篇文档中有 {found} 篇（{share}），涉及文本 {bytes}（占全部文本的 {text}）"},
      {"corpus-documents-sampled", "{found} of {all} documents in the sample ({share}; of all, {low} to {high})",
       "样本的 {all} 篇文档中有 {found} 篇（{share}；推及全体为 {low} 至 {high}）"},
      {"corpus-noted", "{found} of {all} documents ({share}) may be; none surely is",
       "{all} 篇文档中有 {found} 篇（{share}）可能如此，均不确定"},
      {"corpus-lines", "{found} of {all} lines ({share})", "{all} 行中有 {found} 行（{share}）"},
      {"corpus-lines-sampled", "{found} of {all} lines in the sample ({share}; of all, {low} to {high})",
       "样本的 {all} 行中有 {found} 行（{share}；推及全体为 {low} 至 {high}）"},
      {"corpus-excerpt", "“{excerpt}”", "“{excerpt}”"},
      {"corpus-repaired", "“{excerpt}”; it should read “{repaired}”", "“{excerpt}”，应为“{repaired}”"},
  };
  return sentences;
}

std::vector<Finding> kind_findings(const CorpusFacts& facts, const DocumentRules& rules, CorpusExamples& examples,
                                   double warned_share) {
  std::vector<Finding> out;
  for (std::size_t i = 0; i < rules.rules().size(); ++i) {
    const KindCounts& kind = facts.all.kinds[i];
    const std::vector<CorpusExample>& shown = examples.of(i);
    if (kind.documents + kind.noted == 0 || shown.empty()) continue;
    const Rule& rule = *rules.rules()[i];
    const bool lines = rule.judge_line != nullptr;
    const auto all = static_cast<double>(std::max<std::uint64_t>(1, lines ? facts.all.lines : facts.all.documents));
    const double share = static_cast<double>(kind.documents) / all;
    const DocumentFinding& worst = shown.front().flagged.findings.front();
    Finding finding;
    finding.name = rule.name;
    finding.severity = kind.documents > 0 && share >= warned_share ? Severity::kWarning : Severity::kNote;
    finding.confidence = worst.confidence;
    const double text =
        static_cast<double>(kind.bytes) / static_cast<double>(std::max<std::uint64_t>(1, facts.all.bytes));
    finding.impact = impact_of(lines ? share : text, rule.harm.weight);
    finding.message = message_of(facts, kind, lines);
    finding.where = place_of(shown.front().flagged);
    finding.evidence = evidence_of(shown);
    finding.actions.push_back({{"do", {}}, "", ActionRole::kLookAtData});
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace assay
