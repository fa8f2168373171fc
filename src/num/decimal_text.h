#pragma once
// Decimal digits, laid out for people.

#include <string>

namespace assay {

/// 0.digits · 10^(power + 1), digits without zeros at the ends; after `most` digits "…". Plain where that is not much
/// longer than the digits ("0.00012", "65504"), else with a power of ten ("5.96e-8").
std::string decimal_text(bool negative, std::string digits, int power, std::size_t most);

}  // namespace assay
