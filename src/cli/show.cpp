// assay show: what the readers see.

#include <memory>

#include "assay/check.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/shared_options.h"

namespace assay::cli {

namespace {

struct Choice {
  CheckOptions check;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
  bool ledger = false;
};

int run(Choice& choice, const std::vector<std::string>& paths) {
  choice.check.judge = false;
  choice.check.details = true;
  Result<Report> report = [&] {
    LongWork work(choice.output->quiet);
    choice.check.progress = work.progress();
    choice.check.interrupted = LongWork::interrupted();
    return check(paths, choice.check);
  }();
  if (!report) return complain(report.error());
  tell_failures(*report, *choice.output);
  const RenderOptions options = choice.output->render();
  const std::string text =
      choice.output->format == "json" ? render_json(*report, options) : render_reading(*report, choice.ledger, options);
  return print(*report, text, status_of(*report, std::nullopt), choice.output->file);
}

}  // namespace

Command show_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "show";
  command.summary = "print what is read in a log: series, settings, events";
  command.arguments = "PATH...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  command.options = {
      flag("ledger", 'l', "print what was not used instead, and why", &choice->ledger),
      flag("verbose", 'v', "print all settings, and the files that were passed over", &choice->output->verbose),
      jobs_option(&choice->check.jobs)};
  for (Option& option : gap_options(&choice->check.gaps)) command.options.push_back(std::move(option));
  for (Option& option : output_options(choice->output, {"text", "json"})) command.options.push_back(std::move(option));
  command.examples = {{"assay show train.log", "every series with its range and curve"},
                      {"assay show --ledger train.log", "the lines that no reader understands"},
                      {"assay show train.log -f json", "the same as data"}};
  command.notes = "Exit status: 0; 2 wrong usage, or a named PATH that gave nothing; 130 interrupted.";
  command.run = [choice](const std::vector<std::string>& paths) { return run(*choice, paths); };
  return command;
}

}  // namespace assay::cli
