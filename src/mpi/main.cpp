// The program `assay-mpi`. Every process of a job reads the command line and the data for itself, in the same way; then
// they agree that all could, and rank 0 leads (job.cpp). Rank 0 alone prints, and all end with one status.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "cli/output.h"
#include "mpi/command.h"
#include "mpi/experiment.h"
#include "mpi/job.h"

namespace assay::cli {

namespace {

const std::shared_ptr<mpi::Asked>& asked() {
  static const auto one = std::make_shared<mpi::Asked>();
  return one;
}

}  // namespace

const Program& program() {
  static const Program assay_mpi = {
      .name = "assay-mpi",
      .summary = "runs all-reduces of 16-bit numbers over MPI and compares their bits",
      .about =
          "assay-mpi is the part of assay that runs over MPI: it reduces numbers of BF16, FP16 or FP8 with a reduction "
          "operator of its own by each algorithm that Open MPI has, says whether the bits are the same in every call "
          "and on every rank, and compares them with the simulation of 'assay allreduce'.",
      .examples = {{"mpirun -np 8 assay-mpi allreduce", "every algorithm, on 8 ranks of this machine"}},
      .notes = "assay-mpi writes no file but the one named with -o."};
  return assay_mpi;
}

std::vector<Command> all_commands() {
  Command help = help_command();
  help.examples = {{"assay-mpi help allreduce", "its options"}, {"assay-mpi help --man | man -l -", "the man page"}};
  return {mpi::allreduce_command(asked()), std::move(help), version_command()};
}
std::vector<CommandGroup> all_groups() { return {}; }

}  // namespace assay::cli

namespace assay::mpi {

namespace {

// While it lives, what this process prints goes nowhere.
class Mute {
 public:
  explicit Mute(bool act) {
    if (!act) return;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0) return;
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      kept_[descriptor - STDOUT_FILENO] = dup(descriptor);
      dup2(nowhere, descriptor);
    }
    close(nowhere);
  }
  ~Mute() {
    std::fflush(nullptr);
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
      const int kept = kept_[descriptor - STDOUT_FILENO];
      if (kept < 0) continue;
      dup2(kept, descriptor);
      close(kept);
    }
  }
  Mute(const Mute&) = delete;
  Mute& operator=(const Mute&) = delete;

 private:
  int kept_[2] = {-1, -1};
};

// What this rank brings to the job.
struct Input {
  RankNumbers numbers;
  Wire wire;
  std::vector<std::byte> mine;
};

Result<Input> input_of(const Question& question, const Job& job) {
  RankNumbers numbers = ASSAY_TRY(RankNumbers::open(question, job.ranks()));
  Wire wire = ASSAY_TRY(Wire::of(question.accumulate, "accumulate"));
  std::vector<std::byte> mine = ASSAY_TRY(numbers.sent_by(job.rank(), question.dtype, wire));
  return Input{std::move(numbers), std::move(wire), std::move(mine)};
}

// The experiment on rank 0, with its report.
int led(const Job& job, const Asked& asked, Input& input) {
  const Result<Experiment> experiment = [&] {
    const std::unique_ptr<Reducer> reducer = lead(job, input.wire, std::move(input.mine));
    return run_experiment(asked.question, input.numbers, input.wire, *reducer);
  }();
  if (!experiment) return cli::complain(experiment.error());
  const int status = experiment->holds() ? cli::kExitOk : cli::kExitFound;
  return cli::print(cli::render(experiment_report(asked.question, *experiment), *asked.output), status,
                    asked.output->file);
}

int allreduce(const Job& job, const Asked& asked) {
  Result<Input> input = input_of(asked.question, job);
  const Result<void> mine = input ? Result<void>() : std::unexpected(input.error());
  if (const Result<void> all = job.agree(mine); !all) {
    return job.rank() == 0 ? cli::complain(all.error()) : cli::kExitFailed;
  }
  if (job.rank() == 0) return led(job, asked, *input);
  serve(job, input->wire, std::move(input->mine));
  return cli::kExitOk;
}

std::uint64_t hash_of_words(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + '\0';
  return hash_of(std::as_bytes(std::span(all)));
}

int run(const Job& job, const std::vector<std::string>& words) {
  if (!job.all_equal(hash_of_words(words))) {
    if (job.rank() > 0) return cli::kExitFailed;
    return cli::complain(cli::usage_error("the processes of the job were started with different words",
                                          "give all of them the same command line"));
  }
  int status = cli::kExitOk;
  {
    const Mute mute(job.rank() > 0);
    status = cli::run_words(words);
  }
  Asked& asked = *cli::asked();
  // The terminal that a process of a job sees is mpirun's, whatever becomes of the text.
  cli::ColourChoice& colour = asked.output->colour;
  if (job.ranks() > 1 && colour == cli::ColourChoice::kAuto) colour = cli::ColourChoice::kNever;
  if (job.most(asked.allreduce ? 0 : 1) == 0) status = allreduce(job, asked);
  return static_cast<int>(job.most(static_cast<std::uint64_t>(status)));
}

}  // namespace

}  // namespace assay::mpi

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away shows as EPIPE, which is no error
  assay::mpi::Job job(&count, &words);
  try {
    return assay::mpi::run(job, {words + (count > 0 ? 1 : 0), words + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay-mpi: internal fault on rank %zu: %s\n", job.rank(), error.what());
    assay::mpi::Job::abort(assay::cli::kExitFailed);
  }
}
