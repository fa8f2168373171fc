#include "cli/float_options.h"

#include "cli/output.h"
#include "study/float_value.h"
#include "study/float_words.h"

namespace assay::cli {

namespace {

template <class Names>
std::vector<std::string_view> choices_of(const Names& names) {
  std::vector<std::string_view> out;
  for (const auto& [value, name] : names) out.push_back(name);
  return out;
}

// The value of a name that is one of the choices.
template <class Names, class Value>
std::function<Result<void>(const std::string&)> set_by_name(const Names& names, Value* target) {
  return [&names, target](const std::string& wanted) -> Result<void> {
    for (const auto& [value, name] : names) {
      if (name == wanted) *target = value;
    }
    return {};
  };
}

}  // namespace

Option formats_option(std::string_view name, std::string_view help, std::vector<NumberFormat>* formats) {
  return {name, 0, "FORMAT,...", help, {}, [formats](const std::string& names) -> Result<void> {
            for (NumberFormat& format : ASSAY_TRY(float_formats(names))) formats->push_back(std::move(format));
            return {};
          }};
}

Option one_format_option(std::string_view name, std::string_view help, std::vector<NumberFormat>* formats) {
  Option out = formats_option(name, help, formats);
  out.argument = "FORMAT";
  return out;
}

Result<NumberFormat> one_format(std::string_view name, const std::vector<NumberFormat>& formats,
                                std::string_view otherwise) {
  if (formats.empty()) return number_format(otherwise);
  if (formats.size() == 1) return formats.front();
  return fail(ErrorCode::kUsage,
              "--" + std::string(name) + " takes one format here, not " + std::to_string(formats.size()));
}

std::vector<Option> rounding_options(RoundingRules* rules) {
  return {{"rounding", 0, "MODE", "how to round; nearest-even where not given", choices_of(rounding_names()),
           set_by_name(rounding_names(), &rules->rounding)},
          {"overflow", 0, "MODE",
           "what becomes of numbers beyond the largest; infinity (or NaN) where not given; ascend: the saturation mode "
           "of Ascend NPUs, which makes Inf the largest number and NaN 0",
           choices_of(overflow_names()), set_by_name(overflow_names(), &rules->overflow)},
          {"flush",
           0,
           "WHICH",
           "subnormal numbers become 0",
           {"inputs", "outputs", "both"},
           [rules](const std::string& which) -> Result<void> {
             rules->flush_inputs = which != "outputs";
             rules->flush_outputs = which != "inputs";
             return {};
           }},
          {"seed",
           0,
           "N",
           "seed of stochastic rounding",
           {},
           set_number<std::uint64_t>("seed", 0, UINT64_MAX, &rules->seed)},
          {"random-bits",
           0,
           "N",
           "random bits of stochastic rounding, 1 to 32; 16 where not given",
           {},
           set_number<int>("random-bits", 1, 32, &rules->random_bits)}};
}

void add_output(Command& command, const std::shared_ptr<OutputChoice>& output) {
  for (Option& option : output_options(output, {"text", "json"})) command.options.push_back(std::move(option));
  command.options.push_back(flag("quiet", 'q', "print the answer only", &output->quiet));
  command.takes_dashed = is_negative_value;
}

int print_study(const Result<Report>& report, const OutputChoice& output) {
  if (!report) return complain(report.error());
  return print(render(*report, output), kExitOk, output.file);
}

}  // namespace assay::cli
