#pragma once
// How many processes a launcher starts: torchrun, deepspeed, accelerate, mpirun, msrun, srun.

#include <string_view>
#include <vector>

#include "format/config/launch.h"

namespace assay {

/// Whether the word names a launcher, an interpreter or a script: what stands behind it is no longer of a container.
bool starts_processes(std::string_view word);

/// Where the program of a command begins: behind the launchers and their options. words.size(): there is none.
std::size_t program_of(const std::vector<shell::Argument>& words);

/// The words of a launcher that also tells the program how to train, by its environment: accelerate, Lightning's.
std::vector<shell::Argument> launcher_options(const std::vector<shell::Argument>& words, std::size_t program);

/// Appends nodes, devices per node and world size as far as the words before the program tell them.
void tell_world(const shell::Invocation& command, std::size_t program, const Allocation& allocation,
                std::vector<CommandSetting>& out);

/// Nodes × devices per node; unknown where a factor is.
FlatSetting product(const FlatSetting& nodes, const FlatSetting& per_node);

/// Reads a line `#SBATCH --nodes=4`; others change nothing.
void read_allocation(std::string_view line, std::int64_t number, Allocation& out);

}  // namespace assay
