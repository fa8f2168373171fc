// Numbers as the page prints them, and the small computations that its sentences ask for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/number_format.h"
#include "num/round.h"

namespace assay::docs {

/// The format of that name; ends the program where there is none: the page names it wrongly.
const NumberFormat& format_of(std::string_view name);
/// The value that a text says, rounded to FP64.
double value_of(std::string_view text);

/// 65504, 0.1, 3.38953e38: all digits where they are few, else six.
std::string text_of(double value);
/// "2^-24" where it is a power of two that is far from 1, else as above.
std::string power_of(double value);
/// "2^-24 = 5.96e-8".
std::string power_and_text(double value);
std::string percent_of(double share);
std::string grouped(std::uint64_t value);
/// The fields of a code, "0 01111011 1001101".
std::string fields_text(const NumberFormat& format, std::uint64_t code);

/// What an expression of the page, as "cast 65519 fp16", comes to. Ends the program on one that it does not know.
std::string evaluate(const std::vector<std::string>& words);

}  // namespace assay::docs
