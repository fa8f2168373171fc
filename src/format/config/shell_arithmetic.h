#pragma once
// Integer arithmetic of the shell, checked.

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

namespace assay::shell {

struct ArithmeticHost {
  /// The text of a variable, or why it is not known; empty text counts as 0.
  std::function<std::expected<std::string, std::string>(std::string_view name)> read;
  std::function<void(std::string_view name, std::int64_t value)> write;
};

/// The value of an expression whose $… are already put in; or why there is none.
std::expected<std::int64_t, std::string> evaluate(std::string_view expression, const ArithmeticHost& host,
                                                  int depth = 0);

}  // namespace assay::shell
