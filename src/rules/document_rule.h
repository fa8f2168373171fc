#pragma once
// A rule that judges documents, in two halves: one inside the pass over the corpus, a document at a time, and one after
// it, about all of them.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/document.h"
#include "assay/finding.h"
#include "measure/text/survey.h"

namespace assay {

/// A document with what is known of it.
struct SurveyedDocument {
  const Document& document;
  const TextSurvey& survey;
  std::string_view text() const { return document.text; }
};

/// What a rule says of a place in a document.
struct DocumentHit {
  std::size_t offset = 0;  // bytes of the document's text; the worst place, no wider than the fault
  std::size_t length = 0;
  Severity severity = Severity::kWarning;  // a note counts, but does not make the document an abnormal one
  double confidence = 0;                   // in (0, 1]
  Phrase reason;                           // a sentence of the rule
  std::string repaired = {};               // what the place should read, where that can be told
};

class DocumentHits {
 public:
  static constexpr std::size_t kMost = 8;  // kept of one rule and document; the bytes of the others count
  /// In the order of their weight: the first one is told. They must not overlap.
  void add(DocumentHit hit) {
    affected_ += hit.length;
    if (found_.size() < kMost) found_.push_back(std::move(hit));
  }
  const std::vector<DocumentHit>& found() const { return found_; }
  std::size_t affected() const { return affected_; }  // bytes of the document that are no good
  void clear() {
    found_.clear();
    affected_ = 0;
  }

 private:
  std::vector<DocumentHit> found_;
  std::size_t affected_ = 0;
};

/// Judges one document after the other; one for each thread, so that it may keep scratch memory. What it says of a
/// document must not depend on the documents before.
class DocumentJudge {
 public:
  virtual ~DocumentJudge() = default;
  virtual void judge(const SurveyedDocument& document, DocumentHits& out) = 0;
};

}  // namespace assay
