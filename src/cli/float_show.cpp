// assay float show

#include "study/float_show.h"

#include <algorithm>
#include <memory>

#include "cli/float_options.h"

namespace assay::cli {

namespace {

struct Choice {
  FloatShow question;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

int run(Choice& choice, const std::vector<std::string>& values) {
  FloatShow& question = choice.question;
  question.values = values;
  const auto pattern = std::find_if(values.begin(), values.end(), [](const auto& one) { return is_bit_pattern(one); });
  if (question.formats.empty() && pattern != values.end()) {
    return complain(usage_error("of which format is the pattern of bits '" + *pattern + "'?",
                                "name it: --as fp16; a hexadecimal number has a p: 0x1.8p-3"));
  }
  if (question.formats.empty()) question.formats = *float_formats("fp32,fp16,bf16,e4m3,e5m2");
  return print_study(float_show(question), *choice.output);
}

}  // namespace

Command float_show_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "float show";
  command.summary = "what a value becomes: its bits, formula, neighbours and error";
  command.arguments = "VALUE...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  command.options = {
      formats_option("as", "formats; fp32,fp16,bf16,e4m3,e5m2 where not given", &choice->question.formats)};
  for (Option& option : rounding_options(&choice->question.rules)) command.options.push_back(std::move(option));
  add_output(command, choice->output);
  command.examples = {{"assay float show 0.1 --as fp16", "what is stored, bit by bit"},
                      {"assay float show 0x2e66 --as fp16", "what a pattern of bits means"},
                      {"assay float show 70000 -1e-9", "side by side in the common formats"},
                      {"assay float show 0.3 --as p=5,emin=-6,emax=7", "in a format of one's own"}};
  command.notes = kValuesHelp;
  command.run = [choice](const std::vector<std::string>& values) { return run(*choice, values); };
  return command;
}

}  // namespace assay::cli
