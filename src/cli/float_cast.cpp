// assay float cast

#include "study/float_cast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "cli/float_options.h"
#include "study/float_blocks.h"
#include "study/float_value.h"

namespace assay::cli {

namespace {

struct Choice {
  FloatCast question;
  std::vector<NumberFormat> from;
  std::optional<BlockFormat> blocks;  // the last of --to
  std::optional<ScaleRule> scale;
  std::optional<double> tensor_amax;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

// "fp16", "bf16,mxfp8": number formats, and at the end one of blocks.
Result<void> take_targets(Choice& choice, std::string_view names) {
  const std::size_t comma = names.rfind(',');
  const std::string_view last = comma == std::string_view::npos ? names : names.substr(comma + 1);
  if (const BlockFormat* blocks = find_block_format(last)) {
    choice.blocks = *blocks;
    if (comma == std::string_view::npos) return {};
    names = names.substr(0, comma);
  }
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(',', at), names.size());
    const std::string_view part = names.substr(at, end - at);
    at = end + 1;
    if (find_block_format(part) != nullptr) {
      return fail(ErrorCode::kUsage, "nothing is converted after " + std::string(part) + ": name it last");
    }
  }
  Result<std::vector<NumberFormat>> formats = float_formats(names);
  if (!formats) {
    const Result<AnyFormat> any = any_format(last);  // its hint knows the blocks, too
    return std::unexpected(any ? formats.error() : any.error());
  }
  for (NumberFormat& format : *formats) choice.question.to.push_back(std::move(format));
  return {};
}

Result<void> take_amax(Choice& choice, const std::string& text) {
  const FloatInput input = ASSAY_TRY(float_input(text, *number_format("fp32")));
  const double value = to_double(input.value);
  if (!(value > 0) || value > std::numeric_limits<float>::max() || input.code) {
    return fail(ErrorCode::kUsage, "--tensor-amax is a number above 0 that FP32 can hold, not '" + text + "'");
  }
  choice.tensor_amax = value;
  return {};
}

std::vector<std::string_view> scale_choices() {
  std::vector<std::string_view> out;
  for (const auto& [rule, name] : scale_rule_names()) out.push_back(name);
  return out;
}

std::string_view notes() {
  static const std::string text = [] {
    std::string out = "Blocks: ";
    for (const BlockFormat& format : block_formats()) {
      out += format.name + " (" + std::to_string(format.size) + " values share a scale), ";
    }
    out.resize(out.size() - 2);
    return out + ". " + std::string(kValuesHelp);
  }();
  return text;
}

int run_blocks(const Choice& choice, const std::vector<std::string>& values) {
  FloatBlocks question;
  question.values = values;
  question.format = *choice.blocks;
  if (choice.question.from) question.before.push_back(*choice.question.from);
  question.before.insert(question.before.end(), choice.question.to.begin(), choice.question.to.end());
  question.rules.rounding = choice.question.rules;
  question.rules.scale = choice.scale.value_or(ScaleRule::kFloor);
  question.rules.tensor_amax = choice.tensor_amax.value_or(0);
  const bool two_level = question.format.scaling == BlockScaling::kTwoLevel;
  if (choice.scale && two_level) {
    return complain(usage_error("--scale chooses powers of two; " + question.format.name + " has other scales", ""));
  }
  if (choice.tensor_amax && !two_level) {
    return complain(usage_error("--tensor-amax: " + question.format.name + " has no scale of the tensor", ""));
  }
  const Overflow overflow = choice.question.rules.overflow;
  if (overflow != Overflow::kInfinity && overflow != Overflow::kSaturate) {
    return complain(usage_error("elements of blocks saturate, nothing else", "--overflow saturate"));
  }
  return print_study(float_blocks(question), *choice.output);
}

int run(Choice& choice, const std::vector<std::string>& values) {
  FloatCast& question = choice.question;
  if (question.to.empty() && !choice.blocks) {
    return complain(usage_error("into which format?", "name one or, for a chain, several: --to fp32,fp16"));
  }
  if (!choice.from.empty()) {
    const Result<NumberFormat> from = one_format("from", choice.from, "");
    if (!from) return complain(from.error());
    question.from = *from;
  }
  if (choice.blocks) return run_blocks(choice, values);
  if (choice.scale || choice.tensor_amax) {
    return complain(usage_error("--scale and --tensor-amax are for blocks", "--to mxfp8"));
  }
  question.values = values;
  return print_study(float_cast(question), *choice.output);
}

}  // namespace

Command float_cast_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "float cast";
  command.summary = "conversions one after the other: double rounding, saturation";
  command.arguments = "VALUE...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  command.options = {
      one_format_option("from", "format that the values are of; the numbers as written where not given", &choice->from),
      {"to",
       0,
       "FORMAT,...",
       "formats to convert into, one after the other; at the end perhaps blocks",
       {},
       [choice](const std::string& names) { return take_targets(*choice, names); }},
      {"scale", 0, "RULE",
       "of MX blocks: floor (OCP, where not given) may clip the largest, ceil never does; nearest, even",
       scale_choices(),
       [choice](const std::string& wanted) -> Result<void> {
         for (const auto& [rule, name] : scale_rule_names()) {
           if (name == wanted) choice->scale = rule;
         }
         return {};
       }},
      {"tensor-amax",
       0,
       "X",
       "largest magnitude of the tensor (nvfp4); of the values given where not given",
       {},
       [choice](const std::string& text) { return take_amax(*choice, text); }}};
  for (Option& option : rounding_options(&choice->question.rules)) command.options.push_back(std::move(option));
  add_output(command, choice->output);
  command.examples = {{"assay float cast 0x1.00200001p0 --from fp64 --to fp32,fp16", "rounded twice"},
                      {"assay float cast 500 --from bf16 --to e4m3 --overflow saturate", "saturated"},
                      {"assay float cast 0x3f80 --from bf16 --to fp16", "from a pattern of bits"},
                      {"assay float cast 0.1 7 -3 --to mxfp4", "a block: its scale, what is clipped"}};
  command.notes = notes();
  command.run = [choice](const std::vector<std::string>& values) { return run(*choice, values); };
  return command;
}

}  // namespace assay::cli
