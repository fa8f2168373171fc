#pragma once
// The parts of a training step, each with the number that decides in which formats it is safe.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advice/situation.h"
#include "assay/text.h"

namespace assay {

struct StepPart {
  std::string key;
  Text title;
  std::string now;                // formats that the plan, or its framework, has it in: "BF16"; empty: not told
  std::vector<std::string> safe;  // names of formats, the narrowest first
  Text why;                       // the number in words
  double figure = 0;              // the number
  std::string figure_is;          // what it is: "relative-error", "terms-until-lost", …
  std::vector<std::pair<std::string, double>> by_format;  // the same figure in each format
  Text from;                                              // what it is calculated from
};

/// Those that the plan tells enough of, in the order of a step.
std::vector<StepPart> parts_of_step(const Situation& situation);

/// A loss below this share is not known to hurt; from it on it is told as some. Essay: recipes.cpp.
inline constexpr double kFelt = 0.01;

/// A share in percent, two digits of it: "0.23", "<0.001"; with its unit.
std::string percent_text(double share);
std::string share_text(double share);

}  // namespace assay
