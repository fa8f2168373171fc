#pragma once
// Settings that another place makes void: one function for each family of them. The rule is setting_overridden.cpp.

#include <vector>

#include "rules/issues.h"
#include "rules/plan.h"

namespace assay {

/// The last saying of that written name that the run itself did not print: what people wrote. Null: nobody wrote it.
const Setting* written_by_people(const Run& run, std::string_view name);

/// A number above 0, or a flag that is on.
bool is_on(const Setting* setting);

void megatron_overrides(const Plan& plan, std::vector<Issue>& out);     // overrides_megatron.cpp
void trainer_overrides(const Plan& plan, std::vector<Issue>& out);      // overrides_trainer.cpp
void mindformers_overrides(const Plan& plan, std::vector<Issue>& out);  // overrides_trainer.cpp
void repeated_options(const Plan& plan, std::vector<Issue>& out);       // overrides_shared.cpp
void constant_rate(const Plan& plan, std::vector<Issue>& out);          // overrides_shared.cpp
void two_precisions(const Plan& plan, std::vector<Issue>& out);         // overrides_shared.cpp
void misspelt_variables(const Plan& plan, std::vector<Issue>& out);     // overrides_shared.cpp

/// An issue whose sentence has {loser} and {winner} and their values, with both places.
Issue void_setting(std::string_view key, Severity severity, double confidence, const Setting& loser,
                   const Setting& winner);

}  // namespace assay
