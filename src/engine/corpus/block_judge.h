#pragma once
// One block of a corpus: its documents surveyed, judged and counted.

#include <memory>
#include <string>
#include <vector>

#include "assay/corpus.h"
#include "format/documents/reader.h"
#include "measure/corpus.h"
#include "rules/rule.h"

namespace assay {

/// A document that shows what a rule finds.
struct CorpusExample {
  double weight = 0;                                // the graver first
  std::uint64_t file = 0, block = 0, document = 0;  // `document`: in its block; where it stands decides between equals
  FlaggedDocument flagged;                          // with one finding
};

/// The gravest few of each rule, whatever the order in which they come.
class CorpusExamples {
 public:
  static constexpr std::size_t kMost = 3;
  CorpusExamples() = default;
  explicit CorpusExamples(std::size_t rules) : of_(rules) {}
  /// Whether one of this weight may be among them: asked before an excerpt is made.
  bool wants(std::size_t rule, double weight) const {
    return of_[rule].size() < kMost || weight >= of_[rule].back().weight;
  }
  void add(std::size_t rule, CorpusExample example);
  void merge(CorpusExamples other);
  std::vector<CorpusExample>& of(std::size_t rule) { return of_[rule]; }

 private:
  std::vector<std::vector<CorpusExample>> of_;
};

struct BlockResult {
  TextCounts counts;
  CorpusExamples examples;
  std::vector<FlaggedDocument> flagged;  // document: in the block; empty where nobody wants them
};

/// The rules that judge documents, with the parameters that were set.
class DocumentRules {
 public:
  DocumentRules(const std::vector<const Rule*>& rules, const std::map<std::string, double>& parameters);
  const std::vector<const Rule*>& rules() const { return rules_; }
  /// For one thread.
  std::vector<std::unique_ptr<DocumentJudge>> open() const;

 private:
  std::vector<const Rule*> rules_;
  std::vector<Parameters> parameters_;
};

/// Judges blocks, one after the other; one for each thread.
class BlockJudge final : private DocumentSink {
 public:
  struct Wanted {
    double sample = 1;
    bool flagged = false;  // documents with something to say of them
    bool nature = true;    // languages, scripts, kinds
  };
  /// Refers to `rules`, which outlive it.
  BlockJudge(const DocumentRules& rules, const Wanted& wanted);

  BlockResult judge(const DocumentReader& reader, const DocumentBlock& block, std::uint64_t file,
                    const std::string& path);

 private:
  bool wants(std::uint64_t line) override;
  void take(const Document& document) override;
  void fault(const LineFault& fault) override;
  /// One rule of one document. Bytes that are no good; at least 1 where the rule calls the document abnormal.
  std::size_t ask(std::size_t rule, const SurveyedDocument& document, FlaggedDocument& flagged);
  FlaggedDocument place_of(const Document& document) const;
  void tell(FlaggedDocument&& flagged);
  DocumentFinding finding_of(const Rule& rule, const DocumentHit& hit, std::string_view text) const;

  const DocumentRules& rules_;
  std::vector<std::unique_ptr<DocumentJudge>> judges_;
  bool sampled_ = false;
  std::uint64_t sample_ = 0;  // a line is looked at where its hash is no greater
  bool tell_ = false;
  bool nature_ = true;
  BlockResult result_;
  std::uint64_t file_ = 0, block_ = 0;
  std::string path_;
  TextSurvey survey_;
  DocumentHits hits_;
};

}  // namespace assay
