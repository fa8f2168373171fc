#pragma once
// A rule judges: a pure function from facts to findings. It reads no file, asks no clock, prints nothing.
//
// One record in one file holds all that assay knows of a rule: its sentences in both languages, its parameters with the
// reason of each threshold, its documentation and its function. `explain`, `rules` and the report are made
// from it. One line in rules/table.cpp registers it.

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/finding.h"
#include "assay/report.h"
#include "assay/run.h"
#include "rules/document_rule.h"

namespace assay {

struct CorpusFacts;  // measure/corpus.h

/// kReading: judges the ledger; kDocument: judges documents inside the pass over a corpus; kCorpus: what came of it.
enum class Scope : std::uint8_t { kRun, kReading, kDocument, kCorpus };

std::string_view name(Scope scope);  // "run", "reading", "document", "corpus"

/// What a rule looks at. Before anything has run only the settings are there.
enum class Needs : std::uint8_t { kARun, kPlan };  // kPlan: settings are enough

struct Parameter {
  std::string_view name;
  std::string_view unit;
  double standard = 0;
  double least = 0;
  double greatest = 0;
  std::string_view reason;  // why this value
};

/// The parameters of one rule as set for this call.
class Parameters {
 public:
  Parameters(std::span<const Parameter> declared, const std::map<std::string, double>& set, std::string_view rule);
  /// Aborts on a name that the rule does not declare: that is a mistake in the rule, found by its first test.
  double operator[](std::string_view name) const;

 private:
  std::map<std::string, double, std::less<>> values_;
};

/// What a rule returns.
class Findings {
 public:
  void add(Finding finding) { found_.push_back(std::move(finding)); }
  /// The run lacks what the rule needs. `sentence`: a key of the rule's sentences.
  void not_applicable(std::string_view sentence, Values values = {}) {
    reason_ = Phrase{std::string(sentence), std::move(values)};
  }
  std::vector<Finding>& found() { return found_; }
  const std::optional<Phrase>& reason() const { return reason_; }

 private:
  std::vector<Finding> found_;
  std::optional<Phrase> reason_;
};

struct Documentation {
  std::string_view finds, matters, decides, example, to_do, false_alarms, references;  // Markdown
};

struct SentenceRecord {
  std::string_view key;
  std::string_view en;
  std::string_view zh;
};

/// What a byte that a rule finds does to a training, against what is known to have brought one down (1), and why.
struct ByteHarm {
  double weight = 0;
  std::string_view reason;
};

struct Rule {
  std::string_view name;
  std::string_view family;    // "phenomenon", "reading", …: the folder
  std::string_view title_en;  // completes the verdict: "most likely: …"
  std::string_view title_zh;
  Scope scope = Scope::kRun;
  Needs needs = Needs::kARun;
  Severity severity = Severity::kWarning;  // the usual one
  bool is_reason = false;                  // of a phenomenon: it is the reason of others (a restart, a broken machine)
  std::vector<Parameter> parameters;
  std::vector<SentenceRecord> sentences;
  Documentation docs;
  void (*judge)(const Run& run, const Parameters& set, Findings& out) = nullptr;                   // Scope::kRun
  void (*judge_reading)(const Report& read, const Parameters& set, Findings& out) = nullptr;       // Scope::kReading
  std::unique_ptr<DocumentJudge> (*judge_documents)(const Parameters& set) = nullptr;              // Scope::kDocument
  void (*judge_line)(const LineFault& fault, DocumentHits& out) = nullptr;                         // Scope::kDocument
  void (*judge_corpus)(const CorpusFacts& facts, const Parameters& set, Findings& out) = nullptr;  // Scope::kCorpus
  ByteHarm harm;                                                                                   // Scope::kDocument
};

/// Whether its findings say why something happened, not what: those about settings, data and machines do.
inline bool tells_why(const Rule& rule) { return rule.family != "phenomenon" || rule.is_reason; }

/// All rules in the order of the table.
std::span<const Rule* const> all_rules();
const Rule* find_rule(std::string_view name);

}  // namespace assay
