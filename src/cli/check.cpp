// assay check: read everything there, say what is wrong.

#include "assay/check.h"

#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/shared_options.h"

namespace assay::cli {

namespace {

struct Choice {
  CheckOptions check;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
  std::optional<Severity> fail_on = Severity::kError;
};

int run(Choice& choice, const std::vector<std::string>& paths) {
  Result<Report> report = [&] {
    LongWork work(choice.output->quiet);
    choice.check.progress = work.progress();
    choice.check.interrupted = LongWork::interrupted();
    return check(paths, choice.check);
  }();
  if (!report) return complain(report.error());
  tell_failures(*report, *choice.output);
  return print(*report, render(*report, *choice.output), status_of(*report, choice.fail_on), choice.output->file);
}

}  // namespace

Command check_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "check";
  command.summary = "read logs, say what went wrong, where, and what to do";
  command.arguments = "PATH...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  command.options = rule_options(&choice->check.select, &choice->check.ignore, &choice->check.parameters);
  command.options.push_back(fail_on_option(&choice->fail_on));
  command.options.push_back(jobs_option(&choice->check.jobs));
  for (Option& option : gap_options(&choice->check.gaps)) command.options.push_back(std::move(option));
  command.options.push_back(device_option(&choice->check.gaps));
  for (Option& option : output_options(choice->output, {"text", "json", "jsonl"}))
    command.options.push_back(std::move(option));
  for (Option& option : detail_options(choice->output)) command.options.push_back(std::move(option));
  command.examples = {{"assay check train.log", "one log"},
                      {"assay check launch.sh ds_config.json", "a plan, before anything runs"},
                      {"assay check runs/ -o report.json -f json", "all runs below a folder, each with all its files"},
                      {"kubectl logs trainer | assay check -", "from a pipe"}};
  command.notes =
      "In a folder, links to folders elsewhere are not followed: name these too. "
      "Exit status: 0 no finding at or above --fail-on; 1 some; 2 wrong usage, a fault of assay, or a named PATH that "
      "gave nothing (the others are judged); 130 interrupted (what was found until then is printed). In the curves, ^ "
      "stands under the steps of the finding, x or × where a value is NaN or Inf; (log scale): heights are logarithms.";
  command.run = [choice](const std::vector<std::string>& paths) { return run(*choice, paths); };
  return command;
}

}  // namespace assay::cli
