#include "mpi/command.h"

#include <algorithm>

#include "cli/float_options.h"
#include "cli/rank_data_options.h"

namespace assay::mpi {

namespace {

constexpr std::size_t kMostRepeats = 1000000;

struct Choice {
  std::vector<NumberFormat> dtype, accumulate;
  std::size_t elements = 0;
};

Result<void> take_algorithms(const std::string& text, Question& question) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    at = comma + 1;
    if (word == "all") {
      question.all = true;
    } else {
      question.algorithms.push_back(ASSAY_TRY(algorithm_named(word)));
    }
  }
  return {};
}

// An algorithm that was named twice runs once.
void complete_algorithms(Question& question) {
  question.all = question.all || question.algorithms.empty();
  if (question.all) question.algorithms = algorithms();
  std::vector<Algorithm> once;
  for (Algorithm& one : question.algorithms) {
    const bool there = std::any_of(once.begin(), once.end(), [&](const Algorithm& a) { return a.name == one.name; });
    if (!there) once.push_back(std::move(one));
  }
  question.algorithms = std::move(once);
}

Result<void> complete(const Choice& choice, Question& question) {
  question.dtype = ASSAY_TRY(cli::one_format("dtype", choice.dtype, "bf16"));
  question.accumulate = ASSAY_TRY(cli::one_format("accumulate", choice.accumulate, question.dtype.name));
  if (question.dtype.bits == 0 || question.dtype.bits > 16) {
    return fail(ErrorCode::kUsage, "--dtype: " + question.dtype.title + " is no format of at most 16 bits", {},
                "sums in FP32 are asked for with --accumulate fp32");
  }
  if (Result<Wire> possible = Wire::of(question.accumulate, "accumulate"); !possible) {
    return std::unexpected(possible.error());
  }
  complete_algorithms(question);
  return {};
}

std::vector<cli::Option> options_of(const std::shared_ptr<Choice>& choice, const std::shared_ptr<Asked>& asked) {
  Question& question = asked->question;
  std::vector<cli::Option> out = {
      cli::one_format_option("dtype", "format of what the ranks have and of the result; bf16 where not given",
                             &choice->dtype),
      cli::one_format_option("accumulate", "format that every hop rounds into; that of the data where not given",
                             &choice->accumulate),
      {"algorithm",
       0,
       "NAME,...",
       "linear, ring, ... or all; all where not given, see below",
       {},
       [asked](const std::string& text) { return take_algorithms(text, asked->question); }},
      {"elements",
       'n',
       "N",
       "of each rank; 10000, or as many as files have, where not given",
       {},
       [choice, asked](const std::string& text) -> Result<void> {
         Result<void> taken =
             cli::set_number<std::size_t>("elements", 0, std::size_t{1} << 40, &choice->elements)(text);
         asked->question.elements = choice->elements;
         return taken;
       }},
      {"repeat",
       'r',
       "N",
       "calls of each algorithm with the same input; 3 where not given",
       {},
       cli::set_number<std::size_t>("repeat", 1, kMostRepeats, &question.repeats)}};
  for (cli::Option& option : cli::rank_data_options(&question.data, &question.seed)) out.push_back(std::move(option));
  return out;
}

const std::string& notes() {
  static const std::string text = [] {
    std::string out = "Algorithms: ";
    for (const Algorithm& one : algorithms()) out += (one.name == "default" ? "" : ", ") + one.name;
    return out +
           ". They are Open MPI's (coll_tuned_allreduce_algorithm); any other MPI has its default alone. The reduction "
           "operator is assay's own: it adds two numbers exactly and rounds the sum into the format of --accumulate. "
           "'assay allreduce' simulates the same for more ranks and for NCCL's algorithms. Exit status: 0 every result "
           "was as it should be; 1 calls, ranks or the simulation differ in a bit; 2 wrong usage, or data that cannot "
           "be "
           "read. ASSAY_MPI_START_SECONDS: how long the processes wait for each other at the start; 120 where not set.";
  }();
  return text;
}

}  // namespace

cli::Command allreduce_command(const std::shared_ptr<Asked>& asked) {
  const auto choice = std::make_shared<Choice>();
  cli::Command command;
  command.name = "allreduce";
  command.summary = "all-reduces of 16-bit numbers for real: are the bits the same, and are they the simulation's";
  for (cli::Option& option : options_of(choice, asked)) {
    option.take = [take = option.take, name = "--" + std::string(option.name), asked](const std::string& value) {
      asked->question.arguments.insert(asked->question.arguments.end(), {name, value});
      return take(value);
    };
    command.options.push_back(std::move(option));
  }
  cli::add_output(command, asked->output);
  command.examples = {{"mpirun -np 8 assay-mpi allreduce", "10,000 numbers of BF16 on 8 ranks, by every algorithm"},
                      {"mpirun -np 8 assay-mpi allreduce --dtype fp16 --accumulate fp32 --algorithm ring,rabenseifner",
                       "sums travel in FP32, and are rounded once"},
                      {"mpirun -np 4 assay-mpi allreduce --data grads/rank%d.npy", "what each rank really had"}};
  command.notes = notes();
  command.run = [choice, asked](const std::vector<std::string>& /*arguments*/) {
    if (Result<void> possible = complete(*choice, asked->question); !possible) return cli::complain(possible.error());
    asked->allreduce = true;
    return cli::kExitOk;
  };
  return command;
}

}  // namespace assay::mpi
