// assay float between

#include "study/float_between.h"

#include <memory>

#include "cli/float_options.h"

namespace assay::cli {

namespace {

using Choice = FormatChoice<FloatBetween>;

int run(Choice& choice, const std::vector<std::string>& values) {
  const Result<NumberFormat> format = one_format("as", choice.formats, "bf16");
  if (!format) return complain(format.error());
  choice.question.format = *format;
  choice.question.from = values[0];
  choice.question.to = values[1];
  return print_study(float_between(choice.question), *choice.output);
}

}  // namespace

Command float_between_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "float between";
  command.summary = "how many numbers of a format lie between two, and how far apart";
  command.arguments = "VALUE VALUE";
  command.least_arguments = 2;
  command.most_arguments = 2;
  command.options = {one_format_option("as", "the format; bf16 where not given", &choice->formats)};
  for (Option& option : rounding_options(&choice->question.rules)) command.options.push_back(std::move(option));
  add_output(command, choice->output);
  command.examples = {{"assay float between 1 2 --as fp16", "1,023"},
                      {"assay float between 0x3c00 0x3c05 --as fp16", "how far two patterns are apart"}};
  command.notes = kValuesHelp;
  command.run = [choice](const std::vector<std::string>& values) { return run(*choice, values); };
  return command;
}

}  // namespace assay::cli
