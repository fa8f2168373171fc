// assay unit list

#include "study/unit_list.h"

#include <memory>

#include "cli/float_options.h"

namespace assay::cli {

Command unit_list_command() {
  const auto output = std::make_shared<OutputChoice>();
  Command command;
  command.name = "unit list";
  command.summary = "the matrix units that have a name, and how each computes";
  add_output(command, output);
  command.examples = {{"assay unit list", "names for 'assay unit check --as' and 'assay error matmul --unit'"}};
  command.run = [output](const std::vector<std::string>&) { return print_study(unit_list(), *output); };
  return command;
}

}  // namespace assay::cli
