// assay error: the error of an operator in a format

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>

#include "base/nearest.h"
#include "cli/float_options.h"
#include "cli/output.h"
#include "study/error_op.h"
#include "study/float_words.h"
#include "study/operators/operators.h"

namespace assay::cli {

namespace {

struct Choice {
  std::vector<NumberFormat> dtype, input, result, compute, accumulator, partials;
  std::optional<SumOrder> order;
  std::optional<MatrixUnit> unit;
  bool rounds_products = false;
  RoundingRules rules;
  std::string variant;
  std::vector<std::pair<std::string, double>> parameters;
  std::size_t rows = 1000;
  std::optional<std::size_t> length;
  std::vector<std::string> data;
  std::vector<double> mean, deviation;  // of each input, or one of all
  std::uint64_t seed = 1;
  std::size_t seeds = 1;
  bool order_study = false;
  std::size_t orders = 20;
  unsigned jobs = 0;
  bool random_bits_given = false, orders_given = false;
  std::vector<std::string> typed;  // what the report tells of its question
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

bool is_path(const std::string& word) {
  return word.find('.') != std::string::npos || word.find('/') != std::string::npos;
}

Result<double> number_of(std::string_view option, std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) {
    return fail(ErrorCode::kUsage, "--" + std::string(option) + " takes a number, not '" + std::string(text) + "'");
  }
  return value;
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    out.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

Result<std::vector<double>> numbers_of(std::string_view option, std::string_view text) {
  std::vector<double> out;
  for (const std::string& part : parts_of(text)) out.push_back(ASSAY_TRY(number_of(option, part)));
  return out;
}

// The format of an option, or another.
Result<NumberFormat> format_of(std::string_view option, const std::vector<NumberFormat>& given,
                               const NumberFormat& otherwise) {
  return given.empty() ? Result<NumberFormat>(otherwise) : one_format(option, given, otherwise.name);
}

Result<void> set_model(const Choice& choice, ErrorQuestion& question) {
  OperatorModel& model = question.model;
  const NumberFormat fp16 = *number_format("fp16");
  const NumberFormat fp32 = *number_format("fp32");
  const NumberFormat usual = choice.unit ? choice.unit->input : fp16;
  const NumberFormat dtype = ASSAY_TRY(format_of("dtype", choice.dtype, usual));
  model.input = ASSAY_TRY(format_of("input", choice.input, dtype));
  // Units of FP8 and TF32 hand on what they accumulate.
  const bool hands_on = choice.unit && choice.dtype.empty() && dtype.bits != 16;
  model.output = ASSAY_TRY(format_of("result", choice.result, hands_on ? fp32 : dtype));
  const NumberFormat& wide = dtype.precision > fp32.precision ? dtype : fp32;
  model.compute = ASSAY_TRY(format_of("compute", choice.compute, wide));
  model.accumulator = ASSAY_TRY(format_of("accumulate", choice.accumulator, wide));
  if (!choice.partials.empty()) model.partials = ASSAY_TRY(one_format("partials", choice.partials, "fp32"));
  if (choice.order) model.order = *choice.order;
  model.rounds_products = choice.rounds_products;
  model.unit = choice.unit;
  model.rules = choice.rules;
  model.rules.seed = choice.seed;
  return {};
}

Result<void> set_parameters(const Choice& choice, ErrorQuestion& question) {
  const Operator& op = *question.op;
  for (const OperatorParameter& one : op.parameters) question.parameters.push_back(one.value);
  for (const auto& [name, value] : choice.parameters) {
    std::vector<std::string_view> names;
    for (const OperatorParameter& one : op.parameters) names.push_back(one.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string near = nearest(name, names);
      std::string hint = near.empty() ? "" : "did you mean '" + near + "'? ";
      hint += names.empty() ? "it has none" : "it has:";
      for (const std::string_view one : names) hint += " " + std::string(one);
      return fail(ErrorCode::kUsage, "'" + std::string(op.name) + "' has no parameter '" + name + "'", {}, hint);
    }
    const auto index = static_cast<std::size_t>(found - names.begin());
    const OperatorParameter& parameter = op.parameters[index];
    if (value < parameter.least || value > parameter.most) {
      return fail(ErrorCode::kUsage, "'" + name + "' lies between " + rounded_decimal(parameter.least) + " and " +
                                         rounded_decimal(parameter.most) + ", " + rounded_decimal(value) + " does not");
    }
    question.parameters[index] = value;
  }
  question.variant = std::string(op.variants.empty() ? "" : op.variants.front());
  if (choice.variant.empty()) return {};
  if (std::find(op.variants.begin(), op.variants.end(), choice.variant) == op.variants.end()) {
    std::string hint = op.variants.empty() ? "it has none" : "it has:";
    for (const std::string_view one : op.variants) hint += " " + std::string(one);
    return fail(ErrorCode::kUsage, "'" + std::string(op.name) + "' has no variant '" + choice.variant + "'", {}, hint);
  }
  question.variant = choice.variant;
  return {};
}

Result<void> set_data(const Choice& choice, ErrorQuestion& question) {
  const std::vector<OperatorInput>& inputs = question.op->inputs;
  if (choice.data.size() > std::max<std::size_t>(inputs.size(), 1)) {
    return fail(ErrorCode::kUsage, "'" + std::string(question.op->name) + "' has " + std::to_string(inputs.size()) +
                                       " input(s), --data names " + std::to_string(choice.data.size()));
  }
  if (!choice.data.empty() && question.op->data != nullptr) {
    return fail(ErrorCode::kUsage, "'" + std::string(question.op->name) + "' makes its own data", {},
                "leave out --data");
  }
  for (const auto& [option, given] : {std::pair{"mean", choice.mean.size()}, {"std", choice.deviation.size()}}) {
    if (given > 1 && given != inputs.size()) {
      return fail(ErrorCode::kUsage, "'" + std::string(question.op->name) + "' has " + std::to_string(inputs.size()) +
                                         " input(s), --" + option + " gives " + std::to_string(given) + " numbers");
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ErrorData data{
        .path = {}, .distribution = inputs[i].distribution, .mean = inputs[i].mean, .deviation = inputs[i].deviation};
    if (!choice.data.empty()) {
      const std::string& word = choice.data[std::min(i, choice.data.size() - 1)];
      if (is_path(word)) {
        data.path = word;
      } else {
        data.distribution = ASSAY_TRY(distribution_named(word));
      }
    }
    if (!choice.mean.empty()) data.mean = choice.mean[std::min(i, choice.mean.size() - 1)];
    if (!choice.deviation.empty()) data.deviation = choice.deviation[std::min(i, choice.deviation.size() - 1)];
    question.data.push_back(std::move(data));
  }
  return {};
}

// What was asked for and would change nothing.
Result<void> check_use(const Choice& choice, const ErrorQuestion& question) {
  const Operator& op = *question.op;
  const std::string name = "'" + std::string(op.name) + "'";
  const bool files =
      std::all_of(question.data.begin(), question.data.end(), [](const ErrorData& one) { return !one.path.empty(); });
  const bool sums = choice.order || !choice.accumulator.empty() || !choice.partials.empty();
  const std::pair<bool, std::string> idle[] = {
      {choice.order && !op.sums, "--order: " + name + " has no sum"},
      {!choice.partials.empty() && !op.sums, "--partials: " + name + " has no sum"},
      {choice.rounds_products && !op.multiplies, "--round-products: " + name + " is no sum of products"},
      {choice.unit && op.multiplies && (sums || choice.rounds_products),
       "--order, --accumulate, --partials and --round-products: with --unit the unit does the sums"},
      {choice.random_bits_given && choice.rules.rounding != Rounding::kStochastic,
       "--random-bits: only stochastic rounding draws some"},
      {choice.orders_given && !choice.order_study, "--orders: only --order-study takes it"},
      {(!choice.mean.empty() || !choice.deviation.empty()) && files && !question.data.empty(),
       "--mean and --std: the numbers are of files"}};
  for (const auto& [is_idle, what] : idle) {
    if (is_idle) return fail(ErrorCode::kUsage, what, {}, "leave it out");
  }
  return {};
}

Result<ErrorQuestion> question_of(const Choice& choice, const std::string& op) {
  ErrorQuestion question;
  question.op = ASSAY_TRY(operator_named(op));
  for (const Result<void>& step :
       {set_model(choice, question), set_parameters(choice, question), set_data(choice, question)}) {
    if (!step) return std::unexpected(step.error());
  }
  if (const Result<void> used = check_use(choice, question); !used) return std::unexpected(used.error());
  question.input_given = !choice.input.empty() || !choice.dtype.empty();
  question.rows = choice.rows;
  question.length = choice.length.value_or(0);
  question.length_given = choice.length.has_value();
  question.seed = choice.seed;
  question.seeds = choice.seeds;
  question.orders = choice.order_study ? choice.orders : 0;
  question.jobs = choice.jobs;
  question.arguments = {op};
  question.arguments.insert(question.arguments.end(), choice.typed.begin(), choice.typed.end());
  return question;
}

int run(const Choice& choice, const std::string& op) {
  Result<ErrorQuestion> question = question_of(choice, op);
  if (!question) return complain(question.error());
  Result<Report> report = [&] {
    LongWork work(choice.output->quiet);
    question->progress = work.progress();
    question->interrupted = LongWork::interrupted();
    return error_op(*question);
  }();
  if (!report) return complain(report.error());
  return print(render(*report, *choice.output), report->complete ? kExitOk : kExitInterrupted, choice.output->file);
}

constexpr std::string_view kNotes =
    "The data are numbers of FP32; --dtype is what they are rounded into first and what the result is rounded into "
    "last. "
    "In between all is in FP32, as GPUs and NPUs do it, unless --compute and --accumulate say otherwise. Orders: "
    "sequential, pairwise, cascade (PyTorch on a CPU), lanes:N (term k to sum k mod N, then a tree), blocks:N, "
    "split:N. "
    "Units: 'assay unit list'. Formats: 'assay float table'.";

Glossary operators_glossary() {
  Glossary out{"operators"};
  for (const Operator* one : operators()) {
    std::string meaning = one->title.en == one->name ? one->formula.en : one->title.en;
    for (std::size_t i = 0; i < one->variants.size(); ++i) {
      meaning += (i == 0 ? "; --variant " : ", ") + std::string(one->variants[i]);
    }
    for (const OperatorParameter& parameter : one->parameters) {
      meaning += "; --set " + std::string(parameter.name) + "=" + rounded_decimal(parameter.value);
    }
    out.words.emplace_back(one->name, std::move(meaning));
  }
  return out;
}

// Remembers what was typed, for the report.
Option remembered(Option option, const std::shared_ptr<Choice>& choice) {
  const std::string name = "--" + std::string(option.name);
  const bool takes = !option.argument.empty();
  option.take = [take = option.take, name, takes, choice](const std::string& value) -> Result<void> {
    choice->typed.push_back(name);
    choice->random_bits_given |= name == "--random-bits";
    choice->orders_given |= name == "--orders";
    if (takes) choice->typed.push_back(value);
    return take(value);
  };
  return option;
}

std::vector<Option> model_options(const std::shared_ptr<Choice>& choice) {
  std::vector<Option> out = {
      one_format_option("dtype", "format of the inputs and of the result; fp16 where not given", &choice->dtype),
      one_format_option("input", "format of the inputs, where it is another", &choice->input),
      one_format_option("result", "format of the result, where it is another", &choice->result),
      one_format_option("compute", "format of operations inside; fp32 where not given", &choice->compute),
      one_format_option("accumulate", "format of sums; fp32 where not given", &choice->accumulator),
      one_format_option("partials", "format of the sums of lanes, blocks and splits, where it is another",
                        &choice->partials),
      {"order",
       0,
       "ORDER",
       "of the sum, see below; sequential where not given",
       {},
       [choice](const std::string& text) -> Result<void> {
         choice->order = ASSAY_TRY(sum_order(text));
         return {};
       }},
      {"unit",
       0,
       "UNIT",
       "a matrix unit does the sum of products: h100/bf16",
       {},
       [choice](const std::string& text) -> Result<void> {
         choice->unit = ASSAY_TRY(matrix_unit(text));
         return {};
       }},
      flag("round-products", 0, "products are rounded before they are added", &choice->rounds_products),
      {"variant",
       0,
       "NAME",
       "how the operator is computed, see below",
       {},
       [choice](const std::string& text) -> Result<void> {
         choice->variant = text;
         return {};
       }},
      {"set",
       0,
       "NAME=NUMBER",
       "a parameter of the operator, see below",
       {},
       [choice](const std::string& text) -> Result<void> {
         const std::size_t equals = text.find('=');
         if (equals == std::string::npos) return fail(ErrorCode::kUsage, "--set takes NAME=NUMBER, not '" + text + "'");
         choice->parameters.emplace_back(text.substr(0, equals), ASSAY_TRY(number_of("set", text.substr(equals + 1))));
         return {};
       }}};
  for (Option& option : rounding_options(&choice->rules)) {
    if (option.name != "seed") out.push_back(std::move(option));
  }
  return out;
}

std::vector<Option> data_options(const std::shared_ptr<Choice>& choice) {
  return {{"rows",
           0,
           "N",
           "rows of data, each an operator call; 1000 where not given",
           {},
           set_number<std::size_t>("rows", 0, std::size_t{1} << 40, &choice->rows)},
          {"length",
           'n',
           "N",
           "numbers in a row",
           {},
           set_number<std::size_t>("length", 0, std::size_t{1} << 40, &choice->length)},
          {"data",
           0,
           "WHAT,...",
           "normal, uniform (0 to 1), positive, heavy-tailed, or a file .npy; one for each input or one for all",
           {},
           [choice](const std::string& text) -> Result<void> {
             choice->data = parts_of(text);
             return {};
           }},
          {"mean",
           0,
           "X,...",
           "added to the random numbers; one for each input or one for all",
           {},
           [choice](const std::string& text) -> Result<void> {
             choice->mean = ASSAY_TRY(numbers_of("mean", text));
             return {};
           }},
          {"std",
           0,
           "X,...",
           "factor of the random numbers; one for each input or one for all",
           {},
           [choice](const std::string& text) -> Result<void> {
             choice->deviation = ASSAY_TRY(numbers_of("std", text));
             return {};
           }},
          {"seed",
           0,
           "N",
           "of the random numbers; 1 where not given",
           {},
           set_number<std::uint64_t>("seed", 0, UINT64_MAX, &choice->seed)},
          {"seeds",
           0,
           "N",
           "repeat the experiment with so many seeds",
           {},
           set_number<std::size_t>("seeds", 1, 100000, &choice->seeds)},
          flag("order-study", 0, "what changes when only the order of the terms does", &choice->order_study),
          {"orders",
           0,
           "N",
           "of the order study: how many; 20 where not given",
           {},
           set_number<std::size_t>("orders", 1, 10000, &choice->orders)}};
}

}  // namespace

Command error_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "error";
  command.summary = "the error of an operator in a format: measured, predicted, explained";
  command.arguments = "OPERATOR";
  command.least_arguments = 1;
  command.most_arguments = 1;
  for (Option& option : model_options(choice)) command.options.push_back(remembered(std::move(option), choice));
  for (Option& option : data_options(choice)) command.options.push_back(remembered(std::move(option), choice));
  command.options.push_back(jobs_option(&choice->jobs));
  add_output(command, choice->output);
  command.examples = {
      {"assay error mean --dtype bf16 --seeds 200", "the usual test program, and why its maximum says little"},
      {"assay error sum --dtype fp16 --accumulate fp16 --data positive", "a sum that stops growing"},
      {"assay error matmul --unit h100/e4m3 --data uniform -n 16384", "a matrix unit that cuts"},
      {"assay error dot --dtype bf16 --order-study", "what another order of the terms changes"}};
  command.glossary = operators_glossary();
  command.notes = kNotes;
  command.run = [choice](const std::vector<std::string>& arguments) { return run(*choice, arguments.front()); };
  return command;
}

}  // namespace assay::cli
