// assay float cast

#include "study/float_cast.h"

#include <memory>

#include "cli/float_options.h"

namespace assay::cli {

namespace {

struct Choice {
  FloatCast question;
  std::vector<NumberFormat> from;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

int run(Choice& choice, const std::vector<std::string>& values) {
  FloatCast& question = choice.question;
  if (question.to.empty()) {
    return complain(usage_error("into which format?", "name one or, for a chain, several: --to fp32,fp16"));
  }
  if (!choice.from.empty()) {
    const Result<NumberFormat> from = one_format("from", choice.from, "");
    if (!from) return complain(from.error());
    question.from = *from;
  }
  question.values = values;
  return print_study(float_cast(question), *choice.output);
}

}  // namespace

Command float_cast_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "float cast";
  command.summary = "conversions one after the other: double rounding, saturation";
  command.arguments = "VALUE...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  command.options = {
      one_format_option("from", "format that the values are of; the numbers as written where not given", &choice->from),
      formats_option("to", "formats to convert into, one after the other", &choice->question.to)};
  for (Option& option : rounding_options(&choice->question.rules)) command.options.push_back(std::move(option));
  add_output(command, choice->output);
  command.examples = {{"assay float cast 0x1.00200001p0 --from fp64 --to fp32,fp16", "rounded twice"},
                      {"assay float cast 500 --from bf16 --to e4m3 --overflow saturate", "saturated"},
                      {"assay float cast 0x3f80 --from bf16 --to fp16", "from a pattern of bits"}};
  command.notes = kValuesHelp;
  command.run = [choice](const std::vector<std::string>& values) { return run(*choice, values); };
  return command;
}

}  // namespace assay::cli
