// assay version

#include "base/version.h"

#include "cli/command.h"
#include "cli/output.h"

namespace assay::cli {

Command version_command() {
  Command command;
  command.name = "version";
  command.summary = "print the version";
  command.run = [](const std::vector<std::string>&) {
    return print(std::string(program().name) + " " + std::string(version()) + "\n");
  };
  return command;
}

}  // namespace assay::cli
