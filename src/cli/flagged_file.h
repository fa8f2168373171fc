#pragma once
// The list of flagged documents: one JSON object a line.

#include "assay/corpus.h"
#include "cli/output_file.h"

namespace assay::cli {

class FlaggedFile final : public FlaggedSink {
 public:
  FlaggedFile(OutputFile file, Language language) : file_(std::move(file)), language_(language) {}
  void take(const FlaggedDocument& document) override;
  /// After the last one. The first error of writing, if there was one.
  Result<void> commit();

 private:
  OutputFile file_;
  Language language_;
  std::string buffer_;
  std::optional<Error> error_;
};

}  // namespace assay::cli
