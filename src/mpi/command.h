#pragma once
// assay-mpi allreduce, as words of a command line.

#include <memory>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "mpi/rank_numbers.h"

namespace assay::mpi {

/// What a command line asked for. Commands are read before the processes agree on anything, so that they only note it.
struct Asked {
  bool allreduce = false;  // else there is nothing left to do
  Question question;
  std::shared_ptr<cli::OutputChoice> output = std::make_shared<cli::OutputChoice>();
};

cli::Command allreduce_command(const std::shared_ptr<Asked>& asked);

}  // namespace assay::mpi
