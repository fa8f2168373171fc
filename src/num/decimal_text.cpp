#include "num/decimal_text.h"

namespace assay {

std::string decimal_text(bool negative, std::string digits, int power, std::size_t most) {
  constexpr int kMostNoughts = 5;      // after the point, before the digits
  constexpr int kLongestInteger = 21;  // digits: all integers of 64 bits
  const bool cut = digits.size() > most;
  if (cut) digits.resize(most);
  const std::string more = cut ? "…" : "";
  const std::string sign = negative ? "-" : "";
  if (power < -kMostNoughts || power >= kLongestInteger) {
    if (digits.size() > 1) digits.insert(1, ".");
    return sign + digits + more + "e" + std::to_string(power);
  }
  if (power < 0) return sign + "0." + std::string(static_cast<std::size_t>(-power) - 1, '0') + digits + more;
  const auto whole = static_cast<std::size_t>(power) + 1;
  if (digits.size() > whole) return sign + digits.insert(whole, ".") + more;
  return sign + digits + std::string(whole - digits.size(), '0') + more;
}

}  // namespace assay
