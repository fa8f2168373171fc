#pragma once
// Options that several commands have, written once.

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/check.h"
#include "assay/report.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "report/render.h"

namespace assay::cli {

/// How and where the result is shown.
struct OutputChoice {
  std::string format = "text";
  std::string file;
  ColourChoice colour = ColourChoice::kAuto;
  Language language = Language::kEnglish;
  bool all = false;
  bool quiet = false;
  bool verbose = false;
  RenderOptions render() const;
};

/// --format (the formats given), -o, --color, --lang.
std::vector<Option> output_options(const std::shared_ptr<OutputChoice>& choice, std::vector<std::string_view> formats);
/// -q, -v, --all.
std::vector<Option> detail_options(const std::shared_ptr<OutputChoice>& choice);
/// --params, --tokens, --ranks.
std::vector<Option> gap_options(Gaps* gaps);
/// --select, --ignore, --set.
std::vector<Option> rule_options(std::vector<std::string>* select, std::vector<std::string>* ignore,
                                 std::map<std::string, double>* parameters);
/// --fail-on; nothing: never.
Option fail_on_option(std::optional<Severity>* fail_on);
/// --device.
Option device_option(Gaps* gaps);
/// --jobs.
Option jobs_option(unsigned* jobs);

Option flag(std::string_view name, char letter, std::string_view help, bool* target);

/// Reading that can take long: a line of progress on a terminal after a second, and an interrupt (Ctrl-C) that ends
/// the reading and leaves what was found until then; a second one ends the program at once.
class LongWork {
 public:
  explicit LongWork(bool quiet);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;
  Progress* progress() { return &progress_; }
  static const std::atomic<bool>* interrupted();

 private:
  struct Display;
  Progress progress_;
  std::unique_ptr<Display> display_;
};

/// Renders a report in the format asked for.
std::string render(const Report& report, const OutputChoice& choice);

/// Tells on standard error why named paths gave nothing, and the faults of assay itself; without those that stand in
/// the text on standard output already.
void tell_failures(const Report& report, const OutputChoice& choice);

/// The exit status of a report: 130, 2, 1 or 0. fail_on: the least severity that makes it 1; nothing: never.
int status_of(const Report& report, std::optional<Severity> fail_on);

}  // namespace assay::cli
