// assay float divide, assay float sqrt

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/float_options.h"
#include "study/float_fast.h"

namespace assay::cli {

namespace {

struct Choice {
  std::vector<NumberFormat> formats;
  std::string mode = "newton";
  std::optional<int> seed_bits;
  std::optional<int> steps;
  std::optional<StepForm> form;
  bool correct = false;
  bool flush = false;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

// The mode, with what was asked for otherwise. A mode of a chip that was changed is no longer that chip's.
Result<FastMode> mode_of(const Choice& choice, bool root) {
  FastMode mode = ASSAY_TRY(fast_mode(choice.mode, root));
  if (choice.seed_bits || choice.steps || choice.form || choice.correct) {
    if (!mode.formats.empty()) mode.title = {mode.title.en + " (changed)", mode.title.zh + "（有改动）"};
    mode.formats.clear();
    mode.documented = {};
    mode.seed_specified = false;
    mode.documented_ulps = 0;
  }
  if (choice.seed_bits) mode.seed_bits = *choice.seed_bits;
  if (choice.steps) mode.steps = *choice.steps;
  if (choice.form) mode.form = *choice.form;
  mode.correction = mode.correction || choice.correct;
  mode.flush = choice.flush;
  return mode;
}

int run(const Choice& choice, bool root, const std::vector<std::string>& operands) {
  FloatFast question;
  question.operands = operands;
  Result<NumberFormat> format = one_format("as", choice.formats, "fp32");
  if (!format) return complain(format.error());
  question.format = *std::move(format);
  Result<FastMode> mode = mode_of(choice, root);
  if (!mode) return complain(mode.error());
  question.mode = *std::move(mode);
  // A seed of the general mode has at most the bits of the format.
  if (!choice.seed_bits && question.mode.formats.empty()) {
    question.mode.seed_bits = std::min(question.mode.seed_bits, question.format.precision);
  }
  return print_study(float_fast(question), *choice.output);
}

const std::string& modes_help(bool root) {
  static const auto list = [](bool of_root) {
    std::string out = "Modes: ";
    for (const FastMode& mode : fast_modes()) {
      if (is_root(mode.operation) == of_root) out += mode.name + " (" + mode.title.en + "), ";
    }
    out.resize(out.size() - 2);
    return out + ". " + std::string(kValuesHelp);
  };
  static const std::string divisions = list(false);
  static const std::string roots = list(true);
  return root ? roots : divisions;
}

Command command_of(bool root) {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.options = {
      one_format_option("as", "format of the arithmetic; fp32 where not given", &choice->formats),
      {"mode",
       0,
       "MODE",
       "how it is done, see below; newton where not given",
       {},
       [choice](const std::string& name) -> Result<void> {
         choice->mode = name;
         return {};
       }},
      {"seed-bits",
       0,
       "N",
       "good bits of the first approximation",
       {},
       set_number("seed-bits", 1, 53, &choice->seed_bits)},
      {"steps",
       0,
       "N",
       "Newton steps; as many as the format needs where not given",
       {},
       set_number("steps", 0, 8, &choice->steps)},
      {"fma",
       0,
       "N",
       "fused multiply-adds in a step; 2 where not given",
       {"0", "1", "2"},
       [choice](const std::string& count) -> Result<void> {
         choice->form = count == "0" ? StepForm::kSeparate : count == "1" ? StepForm::kFusedStep : StepForm::kFused;
         return {};
       }},
      flag("correct", 0, "correct the result by its residual at the end", &choice->correct),
      flag("ftz", 0, "subnormal inputs and results become 0", &choice->flush)};
  add_output(command, choice->output);
  command.notes = modes_help(root);
  command.run = [choice, root](const std::vector<std::string>& operands) { return run(*choice, root, operands); };
  return command;
}

}  // namespace

Command float_divide_command() {
  Command command = command_of(false);
  command.name = "float divide";
  command.summary = "a quotient as fast modes make it: a reciprocal, Newton steps, a product";
  command.arguments = "A B";
  command.least_arguments = 2;
  command.most_arguments = 2;
  command.examples = {{"assay float divide 1 3 --mode cuda-full", "as CUDA with -prec-div=false"},
                      {"assay float divide 2 3 --as fp16 --seed-bits 6 --steps 1", "a coarse seed, one step"},
                      {"assay float divide 1 1.7e38 --mode cuda-approx", "where __fdividef gives 0"}};
  return command;
}

Command float_sqrt_command() {
  Command command = command_of(true);
  command.name = "float sqrt";
  command.summary = "a square root as fast modes make it";
  command.arguments = "A";
  command.least_arguments = 1;
  command.most_arguments = 1;
  command.examples = {{"assay float sqrt 2 --mode cuda-approx", "as CUDA with -prec-sqrt=false"},
                      {"assay float sqrt 0 --mode x86", "a · rsqrt(a) at 0"},
                      {"assay float sqrt 2 --mode cuda-rsqrt", "1/√2"}};
  return command;
}

}  // namespace assay::cli
