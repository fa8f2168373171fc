#pragma once
// What the commands of a launch script say about a training: the options of the program, and how many processes the
// launcher starts.

#include <string>
#include <string_view>
#include <vector>

#include "format/config/flat_settings.h"
#include "format/config/shell_value.h"

namespace assay {

/// A setting of a command line. canonical: where the option means something of its own; empty: the shared vocabulary
/// says what it is called.
struct CommandSetting {
  std::string canonical;
  FlatSetting flat;
  int source = 0;  // settings of one source, a command or a file, are of one framework's words
};

/// What `#SBATCH` lines ask for; empty text: nothing.
struct Allocation {
  shell::Argument nodes;
  shell::Argument tasks;
  shell::Argument tasks_per_node;
  shell::Argument devices_per_node;
};

/// One command, understood.
struct Launch {
  std::vector<CommandSetting> settings;
  bool trains = false;  // tells a learning rate, a batch size, a length: not only how a tool is to be run
  std::string branch;   // why it may not run
};

/// No settings: no launch of anything that trains.
Launch read_launch(const shell::Invocation& command, const Allocation& allocation);

/// What a launcher of processes says where the program is told nothing: torchrun --nproc_per_node=8 train.py
std::vector<CommandSetting> read_launcher(const shell::Invocation& command, const Allocation& allocation);

/// Options without a command: a script that is sourced by others holds them in its variables.
Launch read_options(const std::vector<shell::Argument>& words);

/// The canonical key of an option as the shared vocabulary and Megatron's know it, or empty.
std::string_view canonical_option(std::string_view option);

}  // namespace assay
