// assay float table

#include "study/float_table.h"

#include <memory>

#include "cli/float_options.h"
#include "study/float_value.h"

namespace assay::cli {

namespace {

int run(const OutputChoice& output, const std::vector<std::string>& names) {
  std::vector<NumberFormat> formats;
  for (const std::string& name : names) {
    const Result<std::vector<NumberFormat>> some = float_formats(name);
    if (!some) return complain(some.error());
    formats.insert(formats.end(), some->begin(), some->end());
  }
  return print_study(float_table(names.empty() ? number_formats() : formats), output);
}

}  // namespace

Command float_table_command() {
  const auto output = std::make_shared<OutputChoice>();
  Command command;
  command.name = "float table";
  command.summary = "constants of formats side by side: limits, spacing, counts";
  command.arguments = "[FORMAT...]";
  command.most_arguments = SIZE_MAX;
  add_output(command, output);
  command.examples = {{"assay float table", "all formats"},
                      {"assay float table fp16 bf16 e4m3", "some of them"},
                      {"assay float table e5m3", "1 sign bit, 5 of exponent, 3 of fraction, as IEEE 754 would"},
                      {"assay float table p=11,emin=-14,emax=15", "by precision and exponents"}};
  command.run = [output](const std::vector<std::string>& names) { return run(*output, names); };
  return command;
}

}  // namespace assay::cli
