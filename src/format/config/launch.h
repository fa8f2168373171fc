#pragma once
// What the commands of a launch script say about a training: the options of the program, and how many processes the
// launcher starts.

#include <string>
#include <string_view>
#include <vector>

#include "format/config/flat_settings.h"
#include "format/config/shell_value.h"

namespace assay {

/// A setting of a command line. canonical: what a launcher says in a word of its own; empty: the vocabulary of the
/// program says what it is called.
struct CommandSetting {
  std::string canonical;
  FlatSetting flat;
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
  bool trains = false;                // tells a learning rate, a batch size, a length: not only how a tool is to be run
  std::string branch;                 // why it may not run
  const Vocabulary* words = nullptr;  // whose options they are, where the program tells it
};

/// No settings: no launch of anything that trains.
Launch read_launch(const shell::Invocation& command, const Allocation& allocation);

/// What a launcher of processes says where the program is told nothing: torchrun --nproc_per_node=8 train.py
std::vector<CommandSetting> read_launcher(const shell::Invocation& command, const Allocation& allocation);

/// Options without a command: a script that is sourced by others holds them in its variables.
Launch read_options(const std::vector<shell::Argument>& words);

}  // namespace assay
