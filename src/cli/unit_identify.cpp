// assay unit identify

#include "study/unit_identify.h"

#include <memory>

#include "cli/float_options.h"

namespace assay::cli {

namespace {

struct Choice {
  UnitIdentify question;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

}  // namespace

Command unit_identify_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "unit identify";
  command.summary = "which matrix unit gives a chip's results: group, bits, roundings";
  command.arguments = "FILE";
  command.least_arguments = 1;
  command.most_arguments = 1;
  command.options = {jobs_option(&choice->question.jobs)};
  add_output(command, choice->output);
  command.examples = {{"assay unit identify h100_fp16.tsv.gz", "neither chip nor format need be known"},
                      {"python3 probe.py > mine.probe; assay unit identify mine.probe", "what your own chip does"}};
  command.notes =
      "The file is what python/probe.py writes, or a table with a header a, b, c, d: 'assay help unit check' shows its "
      "form. Every model that gives all rows fits; what they differ in is what the rows do not tell.";
  command.run = [choice](const std::vector<std::string>& files) {
    choice->question.file = files.front();
    return print_study(unit_identify(choice->question), *choice->output);
  };
  return command;
}

}  // namespace assay::cli
