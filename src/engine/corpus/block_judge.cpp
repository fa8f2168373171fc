// Inside the pass: a document is surveyed once, each rule looks at the survey and, where that gives a reason, at the
// text. Nothing is kept of a clean document but counts.
//
// A sample is drawn by a hash of file and line, so that it is the same for any number of threads, and each document is
// as likely as any other: shares then have the confidence interval of independent draws.

#include "engine/corpus/block_judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <tuple>
#include <utility>

#include "base/display.h"
#include "base/mix.h"

namespace assay {

namespace {

constexpr std::size_t kExcerpt = 160;  // bytes of an excerpt, as it is shown
constexpr std::size_t kBefore = 24;    // of them before the place, so that one sees where it stands
constexpr std::size_t kMostRepaired = 160;

// The place with a little before it, in one line; what cannot be shown is escaped, and counts as long as it then is.
std::string excerpt_of(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  std::size_t from = offset > kBefore ? offset - kBefore : 0;
  while (from < offset && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
  std::string out = from > 0 ? "…" : "";
  std::string_view rest = text.substr(from);
  while (!rest.empty()) {
    const auto bytes = static_cast<std::size_t>(next_char(rest).bytes);
    const std::string shown = rest.front() == '\n' ? "⏎" : printable(rest.substr(0, bytes));
    if (out.size() + shown.size() > kExcerpt) return out + "…";
    out += shown;
    rest.remove_prefix(bytes);
  }
  return out;
}

bool before(const CorpusExample& a, const CorpusExample& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  return std::tie(a.file, a.block, a.document) < std::tie(b.file, b.block, b.document);
}

}  // namespace

void CorpusExamples::add(std::size_t rule, CorpusExample example) {
  std::vector<CorpusExample>& list = of_[rule];
  list.insert(std::upper_bound(list.begin(), list.end(), example, before), std::move(example));
  if (list.size() > kMost) list.pop_back();
}

void CorpusExamples::merge(CorpusExamples other) {
  of_.resize(std::max(of_.size(), other.of_.size()));
  for (std::size_t rule = 0; rule < other.of_.size(); ++rule) {
    for (CorpusExample& one : other.of_[rule]) {
      if (wants(rule, one.weight)) add(rule, std::move(one));
    }
  }
}

DocumentRules::DocumentRules(const std::vector<const Rule*>& rules, const std::map<std::string, double>& parameters) {
  for (const Rule* rule : rules) {
    if (rule->scope != Scope::kDocument) continue;
    rules_.push_back(rule);
    parameters_.emplace_back(rule->parameters, parameters, rule->name);
  }
}

std::vector<std::unique_ptr<DocumentJudge>> DocumentRules::open() const {
  std::vector<std::unique_ptr<DocumentJudge>> out;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    out.push_back(rules_[i]->judge_documents != nullptr ? rules_[i]->judge_documents(parameters_[i]) : nullptr);
  }
  return out;
}

BlockJudge::BlockJudge(const DocumentRules& rules, const Wanted& wanted)
    : rules_(rules), judges_(rules.open()), sampled_(wanted.sample < 1), tell_(wanted.flagged), nature_(wanted.nature) {
  constexpr double kAll = 18446744073709551616.0;  // 2^64
  sample_ = sampled_ ? static_cast<std::uint64_t>(wanted.sample * kAll) : std::numeric_limits<std::uint64_t>::max();
}

BlockResult BlockJudge::judge(const DocumentReader& reader, const DocumentBlock& block, std::uint64_t file,
                              const std::string& path) {
  const std::size_t rules = rules_.rules().size();
  result_ = {};
  result_.counts.kinds.resize(rules);
  result_.counts.lines = block.lines;
  result_.examples = CorpusExamples(rules);
  file_ = file;
  block_ = block.number;
  path_ = path;
  reader.take_apart(block, *this);
  return std::exchange(result_, {});
}

bool BlockJudge::wants(std::uint64_t line) { return mixed_bits(mixed_bits(file_) ^ line) <= sample_; }

void BlockJudge::take(const Document& document) {
  TextCounts& counts = result_.counts;
  survey(document.text, survey_);
  ++counts.documents;
  counts.bytes += document.text.size();
  counts.characters += survey_.characters;
  ++counts.lengths[std::min<std::size_t>(std::bit_width(document.text.size()), counts.lengths.size() - 1)];
  if (nature_) add_nature(document.text, survey_, counts.nature);

  FlaggedDocument flagged = place_of(document);
  std::size_t affected = 0;
  for (std::size_t i = 0; i < judges_.size(); ++i) {
    if (judges_[i] != nullptr) affected += ask(i, {document, survey_}, flagged);
  }
  counts.abnormal_documents += affected > 0 ? 1 : 0;
  counts.abnormal_bytes += std::min(affected, document.text.size());
  // A line that has a fault and gives a document is told with the document's name.
  const bool has_fault = !result_.flagged.empty() && !result_.flagged.back().is_document &&
                         result_.flagged.back().line == document.line && result_.flagged.back().byte == document.byte;
  if (has_fault || !flagged.findings.empty()) tell(std::move(flagged));
}

std::size_t BlockJudge::ask(std::size_t rule, const SurveyedDocument& document, FlaggedDocument& flagged) {
  hits_.clear();
  judges_[rule]->judge(document, hits_);
  if (hits_.found().empty()) return 0;
  const DocumentHit& worst = hits_.found().front();
  const bool abnormal = worst.severity != Severity::kNote;
  const std::size_t affected = std::min(hits_.affected(), document.text().size());
  KindCounts& kind = result_.counts.kinds[rule];
  if (abnormal) {
    ++kind.documents;
    kind.bytes += affected;
  } else {
    ++kind.noted;
  }
  const Rule& record = *rules_.rules()[rule];
  const double weight = (abnormal ? 1e12 : 0) + std::round(1000 * worst.confidence) *
                                                    static_cast<double>(std::min(affected, std::size_t{1} << 20));
  if (result_.examples.wants(rule, weight)) {
    CorpusExample example{weight, file_, block_, document.document.number, place_of(document.document)};
    example.flagged.findings.push_back(finding_of(record, worst, document.text()));
    result_.examples.add(rule, std::move(example));
  }
  if (tell_) {
    for (const DocumentHit& hit : hits_.found()) flagged.findings.push_back(finding_of(record, hit, document.text()));
  }
  // An empty document is abnormal without a byte of it.
  return abnormal ? std::max<std::size_t>(affected, 1) : 0;
}

FlaggedDocument BlockJudge::place_of(const Document& document) const {
  return {.path = path_,
          .id = std::string(document.id),
          .document = sampled_ ? -1 : static_cast<std::int64_t>(document.number),
          .line = document.line,
          .byte = document.byte};
}

void BlockJudge::fault(const LineFault& fault) {
  TextCounts& counts = result_.counts;
  counts.lost_lines += fault.lost ? 1 : 0;
  for (std::size_t i = 0; i < judges_.size(); ++i) {
    const Rule& rule = *rules_.rules()[i];
    if (rule.judge_line == nullptr) continue;
    hits_.clear();
    rule.judge_line(fault, hits_);
    if (hits_.found().empty()) continue;
    const DocumentHit& hit = hits_.found().front();
    ++(hit.severity == Severity::kNote ? counts.kinds[i].noted : counts.kinds[i].documents);
    FlaggedDocument flagged;
    flagged.path = path_;
    flagged.is_document = false;
    flagged.line = fault.line;
    flagged.byte = fault.byte;
    flagged.findings.push_back(finding_of(rule, hit, {}));
    flagged.findings.back().excerpt = printable(shortened(fault.detail, kExcerpt));
    const double weight = (hit.severity == Severity::kNote ? 0 : 1e12) + std::round(1000 * hit.confidence);
    if (result_.examples.wants(i, weight)) {
      result_.examples.add(i, {weight, file_, block_, fault.line, flagged});
    }
    if (tell_) tell(std::move(flagged));
  }
}

// A line that has a fault and gives a document all the same is told once.
void BlockJudge::tell(FlaggedDocument&& flagged) {
  if (!result_.flagged.empty() && result_.flagged.back().line == flagged.line &&
      result_.flagged.back().byte == flagged.byte && !(result_.flagged.back().is_document && flagged.is_document)) {
    FlaggedDocument& last = result_.flagged.back();
    if (flagged.is_document) {
      last.is_document = true;
      last.document = flagged.document;
      last.id = std::move(flagged.id);
    }
    std::move(flagged.findings.begin(), flagged.findings.end(), std::back_inserter(last.findings));
    return;
  }
  result_.flagged.push_back(std::move(flagged));
}

DocumentFinding BlockJudge::finding_of(const Rule& rule, const DocumentHit& hit, std::string_view text) const {
  return {.name = rule.name,
          .severity = hit.severity,
          .confidence = std::clamp(std::round(1000 * hit.confidence) / 1000, 0.01, 1.0),
          .offset = hit.offset,
          .length = hit.length,
          .reason = hit.reason,
          .excerpt = excerpt_of(text, hit.offset),
          .repaired = shortened(hit.repaired, kMostRepaired)};
}

}  // namespace assay
