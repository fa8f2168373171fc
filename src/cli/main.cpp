// The program `assay`: its commands, and nothing else.

#include <csignal>
#include <cstdio>
#include <exception>

#include "cli/command.h"

namespace assay::cli {

const Program& program() {
  static const Program assay = {
      .name = "assay",
      .summary = "finds out why the training of a large model goes wrong",
      .about =
          "assay reads what a training run leaves behind and says what went wrong, where, how it began, whether it "
          "recovered and what to do. It opens no connection and changes no file but the one named with --output.",
      .examples = {{"assay check train.log", "what went wrong in this run"},
                   {"assay show train.log", "what assay reads in it"},
                   {"assay explain loss-spike", "what a finding means and how it is decided"}},
      .notes = "assay opens no connection, and writes no file but the one named with -o."};
  return assay;
}

std::vector<Command> all_commands() {
  return {check_command(),         show_command(),          explain_command(),      rules_command(),
          corpus_check_command(),  float_table_command(),   float_show_command(),   float_add_command(),
          float_cast_command(),    float_between_command(), float_divide_command(), float_sqrt_command(),
          error_command(),         allreduce_command(),     unit_list_command(),    unit_check_command(),
          unit_identify_command(), report_command(),        help_command(),         version_command()};
}

std::vector<CommandGroup> all_groups() { return {corpus_group(), float_group(), unit_group()}; }

}  // namespace assay::cli

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as EPIPE, which is no error
  try {
    return assay::cli::run_words({words + (count > 0 ? 1 : 0), words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: internal fault: %s\n", error.what());
    return assay::cli::kExitFailed;
  }
}
