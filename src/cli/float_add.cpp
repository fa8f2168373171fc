// assay float add

#include "study/float_add.h"

#include <memory>

#include "cli/float_options.h"

namespace assay::cli {

namespace {

using Choice = FormatChoice<FloatAdd>;

int run(Choice& choice, const std::vector<std::string>& values) {
  const Result<NumberFormat> format = one_format("as", choice.formats, "bf16");
  if (!format) return complain(format.error());
  choice.question.format = *format;
  choice.question.values = values;
  return print_study(float_add(choice.question), *choice.output);
}

}  // namespace

Command float_add_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "float add";
  command.summary = "a sum in a format: what is swallowed, and what would survive";
  command.arguments = "VALUE VALUE...";
  command.least_arguments = 2;
  command.most_arguments = SIZE_MAX;
  command.options = {
      one_format_option("as", "format of the values and the sum; bf16 where not given", &choice->formats),
      {"order",
       0,
       "ORDER",
       "of the additions, by magnitude; given where not given",
       {"given", "increasing", "decreasing"},
       [choice](const std::string& order) -> Result<void> {
         choice->question.order = order == "increasing"   ? AddendOrder::kIncreasing
                                  : order == "decreasing" ? AddendOrder::kDecreasing
                                                          : AddendOrder::kGiven;
         return {};
       }}};
  for (Option& option : rounding_options(&choice->question.rules)) command.options.push_back(std::move(option));
  add_output(command, choice->output);
  command.examples = {{"assay float add 1 0.0001 --as fp16", "0.0001 is swallowed"},
                      {"assay float add 256 1 1 1 1 --as bf16", "step by step"},
                      {"assay float add 256 1 1 1 1 --as bf16 --order increasing", "smallest first"}};
  command.notes = kValuesHelp;
  command.run = [choice](const std::vector<std::string>& values) { return run(*choice, values); };
  return command;
}

}  // namespace assay::cli
