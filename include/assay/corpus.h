#pragma once
// The corpus before training: what is wrong with its text, where, how much of it, and whether that matters.

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/document.h"
#include "assay/finding.h"
#include "assay/report.h"
#include "assay/result.h"

namespace assay {

struct Progress;  // src/base/progress.h

/// What a rule says of a place in a document, or of a line.
struct DocumentFinding {
  std::string_view name;  // of the rule
  Severity severity = Severity::kWarning;
  double confidence = 0;
  std::uint64_t offset = 0;  // bytes of the document's text; of the line, where the line itself is the fault
  std::uint64_t length = 0;
  Phrase reason;         // a sentence of the rule
  std::string excerpt;   // what stands there, cut; nothing in it can steer a terminal
  std::string repaired;  // what it should read, where that can be told
};

/// A document, or a line that gives none, with something to say of it.
struct FlaggedDocument {
  std::string path;
  std::string id;              // as JSON writes it; empty: none
  bool is_document = true;     // false: the line gives none
  std::int64_t document = -1;  // in its file, from 0; -1: not known, since a sample leaves documents out
  std::uint64_t line = 0;      // from 1
  std::uint64_t byte = 0;      // where the line begins, in the unpacked file
  std::vector<DocumentFinding> findings;
};

/// Takes flagged documents in the order of the corpus, one at a time.
class FlaggedSink {
 public:
  virtual ~FlaggedSink() = default;
  virtual void take(const FlaggedDocument& document) = 0;
};

struct CorpusOptions {
  // Rule names or families; empty: all. Who selects rules wants these alone: what
  // the text is made of (languages, scripts, kinds, tokens) is told where nothing is selected.
  std::vector<std::string> select;
  std::vector<std::string> ignore;
  std::map<std::string, double> parameters;  // as CheckOptions::parameters
  std::string field;                         // of JSON objects; the column of a table; empty: the usual ones
  std::string format;                        // empty: told by each file
  TextSplit split = TextSplit::kAuto;        // of plain text
  double sample = 1;                         // share of the documents that is looked at, in (0, 1]
  unsigned jobs = 0;                         // 0: as many as there are processors
  FlaggedSink* flagged = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
  Progress* progress = nullptr;
};

/// Reads and judges. Errors: kUsage for wrong options; bad input is part of the report. Memory does not grow with the
/// corpus but for some bytes a file; the report has the same bits for any `jobs`.
Result<Report> check_corpus(const std::vector<std::string>& paths, const CorpusOptions& options);

}  // namespace assay
