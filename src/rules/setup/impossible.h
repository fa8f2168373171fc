#pragma once
// Settings with which no training can run: one function for each kind of them. The rule is impossible_setting.cpp.

#include <string>
#include <string_view>
#include <vector>

#include "rules/issues.h"
#include "rules/plan.h"

namespace assay {

void impossible_counts(const Plan& plan, std::vector<Issue>& out);   // impossible_counts.cpp
void impossible_numbers(const Plan& plan, std::vector<Issue>& out);  // impossible_numbers.cpp
void impossible_words(const Plan& plan, std::vector<Issue>& out);    // impossible_words.cpp
void impossible_pairs(const Plan& plan, std::vector<Issue>& out);    // impossible_pairs.cpp

/// An error where it is refused, else a warning, with the place of the setting, whose {name} and {value} its sentence
/// has. refused_by: key of the sentence that says who refuses it; empty: it is not known where that is written.
Issue impossible(std::string sentence, const Setting& said, bool refused, std::string refused_by = {});

/// As the source has it: "--lr", "optimizer/lr".
std::string name_of(const Setting& said);

/// Both stand in one file, on one level of it: settings of one thing, not of a model and its neighbour.
bool beside_each_other(const Setting& a, const Setting& b);

}  // namespace assay
