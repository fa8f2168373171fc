#pragma once
// Options that the commands of `assay float` share.

#include <charconv>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"
#include "cli/command.h"
#include "cli/shared_options.h"
#include "num/round.h"

namespace assay::cli {

/// What the help of a command that takes values says of them.
inline constexpr std::string_view kValuesHelp =
    "A value is a decimal (-1.5e-3), a power of two (2^-24), a hexadecimal number with p (0x1.8p-3), inf, nan or "
    "nan(0x1), or of the format: max, min-normal, min-subnormal, eps. Without p or point 0x3c00 and "
    "0b0_01111_0000000000 are patterns of bits of the format. 'assay float table' lists the formats.";

/// --as, --from or --to: names of formats, with commas.
Option formats_option(std::string_view name, std::string_view help, std::vector<NumberFormat>* formats);
/// The same where one format is wanted.
Option one_format_option(std::string_view name, std::string_view help, std::vector<NumberFormat>* formats);
/// The one that was named; `otherwise` where none was. An error where several were.
Result<NumberFormat> one_format(std::string_view name, const std::vector<NumberFormat>& formats,
                                std::string_view otherwise);
/// Takes a whole number from `least` to `most`, for Option::take.
template <class Number, class Target>
std::function<Result<void>(const std::string&)> set_number(std::string name, Number least, Number most,
                                                           Target* target) {
  return [name = std::move(name), least, most, target](const std::string& text) -> Result<void> {
    Number value{};
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size() || value < least || value > most) {
      return fail(ErrorCode::kUsage, "--" + name + " is a whole number from " + std::to_string(least) + " to " +
                                         std::to_string(most) + ", not '" + text + "'");
    }
    *target = value;
    return {};
  };
}

/// What a command that takes one format was asked, and how the answer is shown.
template <class Question>
struct FormatChoice {
  Question question;
  std::vector<NumberFormat> formats;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

/// --rounding, --overflow, --flush, --seed, --random-bits.
std::vector<Option> rounding_options(RoundingRules* rules);

/// Sets what the commands have in common: arguments that are values, also negative ones; output options.
void add_output(Command& command, const std::shared_ptr<OutputChoice>& output);

/// Prints the report of a study, or what was wrong.
int print_study(const Result<Report>& report, const OutputChoice& output);

}  // namespace assay::cli
