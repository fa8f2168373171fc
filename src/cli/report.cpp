// assay report: a saved report in another format or language.

#include "assay/report.h"

#include <memory>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/shared_options.h"

namespace assay::cli {

namespace {

int run(const OutputChoice& choice, const std::string& path) {
  const Result<std::string> text = read_all(path);
  if (!text) return complain(text.error());
  Result<Report> report = parse_report(*text);
  if (!report) {
    report.error().where.path = path;
    return complain(report.error());
  }
  if (!report->judged && report->study.empty() && choice.format == "text")
    return print(render_reading(*report, false, choice.render()), kExitOk, choice.file);
  return print(render(*report, choice), kExitOk, choice.file);
}

}  // namespace

Command report_command() {
  const auto choice = std::make_shared<OutputChoice>();
  Command command;
  command.name = "report";
  command.summary = "print a saved report again, in any format or language";
  command.arguments = "SAVED.json";
  command.least_arguments = 1;
  command.most_arguments = 1;
  command.options = output_options(choice, {"text", "json", "jsonl"});
  for (Option& option : detail_options(choice)) command.options.push_back(std::move(option));
  command.examples = {{"assay check runs/ -f json -o report.json", "save one"},
                      {"assay report report.json -v", "read it again, with the notes"},
                      {"assay report report.json --lang zh", "in Chinese"}};
  command.notes = "Exit status: 0; 2 where the file is not a report.";
  command.run = [choice](const std::vector<std::string>& paths) { return run(*choice, paths.front()); };
  return command;
}

}  // namespace assay::cli
