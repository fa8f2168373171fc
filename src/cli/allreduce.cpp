// assay allreduce: what rounding does to an all-reduce

#include <memory>
#include <optional>

#include "cli/float_options.h"
#include "cli/output.h"
#include "cli/rank_data_options.h"
#include "study/all_reduce.h"
#include "study/float_words.h"

namespace assay::cli {

namespace {

struct Choice {
  AllReduceQuestion question;
  std::vector<NumberFormat> dtype, accumulate, inside;
  std::vector<Collective::Kind> algorithms;
  std::size_t per_node = 8, radix = 8;
  Collective::Kind within = Collective::Kind::kRing;
  std::vector<std::string> typed;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

Result<void> take_algorithms(const std::string& text, Choice& choice) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    at = comma + 1;
    if (word == "all") {
      choice.question.all = true;
      continue;
    }
    choice.algorithms.push_back(ASSAY_TRY(collective_named(word)));
  }
  return {};
}

Result<AllReduceQuestion> question_of(const Choice& choice) {
  AllReduceQuestion out = choice.question;
  out.dtype = ASSAY_TRY(one_format("dtype", choice.dtype, "bf16"));
  out.accumulate = ASSAY_TRY(one_format("accumulate", choice.accumulate, out.dtype.name));
  if (!choice.inside.empty()) out.inside = ASSAY_TRY(one_format("node-accumulate", choice.inside, "fp32"));
  std::vector<Collective::Kind> kinds = choice.algorithms;
  out.all = choice.question.all || kinds.empty();
  if (out.all) {
    kinds.clear();
    for (const CollectiveFacts& one : collectives()) kinds.push_back(one.kind);
  }
  for (const Collective::Kind kind : kinds) {
    out.algorithms.push_back(
        {.kind = kind, .per_node = choice.per_node, .within = choice.within, .radix = choice.radix});
  }
  out.arguments = choice.typed;
  return out;
}

int run(const Choice& choice) {
  Result<AllReduceQuestion> question = question_of(choice);
  if (!question) return complain(question.error());
  Result<Report> report = [&] {
    LongWork work(choice.output->quiet);
    question->progress = work.progress();
    question->interrupted = LongWork::interrupted();
    return all_reduce(*question);
  }();
  if (!report) return complain(report.error());
  return print(render(*report, *choice.output), report->complete ? kExitOk : kExitInterrupted, choice.output->file);
}

// Remembers what was typed, for the report.
Option remembered(Option option, const std::shared_ptr<Choice>& choice) {
  const std::string name = "--" + std::string(option.name);
  option.take = [take = option.take, name, choice](const std::string& value) -> Result<void> {
    choice->typed.push_back(name);
    choice->typed.push_back(value);
    return take(value);
  };
  return option;
}

std::vector<Option> model_options(const std::shared_ptr<Choice>& choice) {
  std::vector<std::string_view> averagings;
  for (const auto& [value, name] : averaging_names()) averagings.push_back(name);
  std::vector<Option> out = {
      one_format_option("dtype", "format of what the ranks have and of the result; bf16 where not given",
                        &choice->dtype),
      one_format_option("accumulate", "format of the sums that ranks send; that of the data where not given",
                        &choice->accumulate),
      {"algorithm",
       0,
       "NAME,...",
       "ring, tree, ... or all; all where not given, see below",
       {},
       [choice](const std::string& text) { return take_algorithms(text, *choice); }},
      {"average", 0, "WHEN", "divide by the number of ranks: see below; none where not given", averagings,
       [choice](const std::string& text) -> Result<void> {
         for (const auto& [value, name] : averaging_names()) {
           if (name == text) choice->question.averaging = value;
         }
         return {};
       }},
      {"per-node",
       0,
       "N",
       "ranks of a node, of hierarchical; 8 where not given",
       {},
       set_number<std::size_t>("per-node", 1, kMostRanks, &choice->per_node)},
      {"node-algorithm",
       0,
       "NAME",
       "inside a node, of hierarchical; ring where not given",
       {},
       [choice](const std::string& text) -> Result<void> {
         choice->within = ASSAY_TRY(collective_named(text));
         return {};
       }},
      one_format_option("node-accumulate", "format of the sums inside a node, where it is another", &choice->inside),
      {"radix",
       0,
       "N",
       "ports that a switch adds at once; 8 where not given",
       {},
       set_number<std::size_t>("radix", 2, kMostRanks, &choice->radix)},
      {"bucket",
       0,
       "N",
       "elements that are reduced in one call; all where not given",
       {},
       set_number<std::size_t>("bucket", 1, std::size_t{1} << 40, &choice->question.bucket)}};
  for (Option& option : rounding_options(&choice->question.rules)) {
    if (option.name != "seed") out.push_back(std::move(option));
  }
  return out;
}

// Takes a whole number that may stay unsaid.
std::function<Result<void>(const std::string&)> set_size(std::string name, std::optional<std::size_t>* target) {
  return [name = std::move(name), target](const std::string& text) -> Result<void> {
    std::size_t value = 0;
    const Result<void> taken = set_number<std::size_t>(name, 0, std::size_t{1} << 40, &value)(text);
    *target = value;
    return taken;
  };
}

std::vector<Option> data_options(const std::shared_ptr<Choice>& choice) {
  AllReduceQuestion& question = choice->question;
  std::vector<Option> out = {
      {"ranks",
       'r',
       "N",
       "how many; 8, or as many as there are files, where not given",
       {},
       set_size("ranks", &question.ranks)},
      {"elements",
       'n',
       "N",
       "of each rank; 10000, or as many as files have, where not given",
       {},
       set_size("elements", &question.elements)},
  };
  for (Option& option : rank_data_options(&question.data, &question.seed)) out.push_back(std::move(option));
  out.push_back({"seeds",
                 0,
                 "N",
                 "repeat the experiment with so many seeds",
                 {},
                 set_number<std::size_t>("seeds", 1, 100000, &question.seeds)});
  return out;
}

const std::string& notes() {
  static const std::string text = [] {
    std::string out = "Algorithms: ";
    for (const CollectiveFacts& one : collectives()) out += (one.name == "ring" ? "" : ", ") + one.name;
    return out +
           ". At every hop a rank adds its own number and rounds the sum into the format of --accumulate; a switch "
           "adds "
           "in FP32 and rounds once. Where that is a 16-bit format, the same with sums in FP32 and one rounding at the "
           "end stands beside it. --average: before (each rank divides by N), after, both (by a power of two near √N "
           "before, by the rest after: FSDP), collective (each times 1/N rounded into the format: ncclAvg). 'mpirun "
           "-np N assay-mpi allreduce' does it for real.";
  }();
  return text;
}

}  // namespace

Command allreduce_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "allreduce";
  command.summary = "the error of an all-reduce: by algorithm, over ranks, what to do";
  for (Option& option : data_options(choice)) command.options.push_back(remembered(std::move(option), choice));
  for (Option& option : model_options(choice)) command.options.push_back(remembered(std::move(option), choice));
  command.options.push_back(jobs_option(&choice->question.jobs));
  add_output(command, choice->output);
  command.examples = {
      {"assay allreduce --ranks 1024", "gradients of BF16 over 1,024 ranks, by every algorithm"},
      {"assay allreduce --dtype fp16 --std 4000 --average before",
       "does the sum overflow, and does dividing first help"},
      {"assay allreduce --data grads/rank%d.npy --algorithm ring,tree", "what each rank really had"},
      {"assay allreduce --ranks 8 --seeds 200", "the published experiment of 8 cards, and where its figures lie"}};
  command.notes = notes();
  command.run = [choice](const std::vector<std::string>& /*arguments*/) { return run(*choice); };
  return command;
}

}  // namespace assay::cli
