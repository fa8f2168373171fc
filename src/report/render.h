#pragma once
// One value, several outputs. Rendering never judges and never reads a file.

#include <string>

#include "assay/report.h"
#include "assay/result.h"
#include "assay/text.h"

namespace assay {

struct RenderOptions {
  Language language = Language::kEnglish;
  bool colour = false;
  bool unicode = true;    // false: ASCII of the same shape
  bool verbose = false;   // notes in full, every line of evidence, every reason
  bool quiet = false;     // the verdict alone
  std::size_t most = 10;  // findings shown in text; 0: all
  int width = 80;         // columns of the terminal
};

std::string render_text(const Report& report, const RenderOptions& options);
/// What was read, without a judgement: runs, series, settings, events, what was done to the numbers. ledger: what
/// was not used instead, and every problem.
std::string render_reading(const Report& report, bool ledger, const RenderOptions& options);
/// A report that answers a question: the answer, then its sections.
std::string render_study(const Report& report, const RenderOptions& options);
std::string render_json(const Report& report, const RenderOptions& options);
std::string render_jsonl(const Report& report,
                         const RenderOptions& options);  // one finding a line, then a summary line

/// Reads a report that render_json wrote. The messages are made anew in the language asked for.
Result<Report> parse_report(const std::string& json);

}  // namespace assay
