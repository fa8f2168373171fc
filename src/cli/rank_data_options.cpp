#include "cli/rank_data_options.h"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "cli/float_options.h"
#include "num/distribution.h"

namespace assay::cli {

namespace {

bool is_path(const std::string& word) {
  return word.find('.') != std::string::npos || word.find('/') != std::string::npos;
}

std::function<Result<void>(const std::string&)> set_real(std::string name, double* target) {
  return [name = std::move(name), target](const std::string& text) -> Result<void> {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) {
      return fail(ErrorCode::kUsage, "--" + name + " takes a number, not '" + text + "'");
    }
    *target = value;
    return {};
  };
}

}  // namespace

std::vector<Option> rank_data_options(ErrorData* data, std::uint64_t* seed) {
  return {
      {"data",
       0,
       "WHAT",
       "normal, uniform (0 to 1), positive, heavy-tailed, or .npy: rank%d.npy, a folder, or one of ranks × elements",
       {},
       [data](const std::string& text) -> Result<void> {
         if (is_path(text)) {
           data->path = text;
         } else {
           data->distribution = ASSAY_TRY(distribution_named(text));
         }
         return {};
       }},
      {"mean", 0, "X", "added to the random numbers", {}, set_real("mean", &data->mean)},
      {"std", 0, "X", "factor of the random numbers", {}, set_real("std", &data->deviation)},
      {"seed",
       0,
       "N",
       "of the random numbers; 1 where not given",
       {},
       set_number<std::uint64_t>("seed", 0, UINT64_MAX, seed)}};
}

}  // namespace assay::cli
