// --select, --ignore, --set, --fail-on: of the commands that judge.

#include <charconv>

#include "cli/shared_options.h"

namespace assay::cli {

namespace {

// "a,b" and repeated options both add.
std::function<Result<void>(const std::string&)> add_names(std::vector<std::string>* names) {
  return [names](const std::string& value) -> Result<void> {
    for (std::size_t at = 0; at <= value.size();) {
      const std::size_t comma = std::min(value.find(',', at), value.size());
      if (comma > at) names->push_back(value.substr(at, comma - at));
      at = comma + 1;
    }
    return {};
  };
}

Result<void> set_parameter(std::map<std::string, double>& parameters, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + equals + 1, end, value);
    if (error == std::errc() && rest == end) {
      parameters[text.substr(0, equals)] = value;
      return {};
    }
  }
  return fail(ErrorCode::kUsage, "--set takes RULE.PARAMETER=NUMBER, not '" + text + "'", {},
              "'assay explain RULE' lists the parameters of a rule");
}

Result<void> set_threshold(std::optional<Severity>& fail_on, const std::string& value) {
  fail_on.reset();
  for (const Severity one : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    if (value == name(one)) fail_on = one;
  }
  return {};
}

}  // namespace

std::vector<Option> rule_options(std::vector<std::string>* select, std::vector<std::string>* ignore,
                                 std::map<std::string, double>* parameters) {
  return {
      {"select", 's', "NAME,...", "only these rules or families of rules ('assay rules')", {}, add_names(select)},
      {"ignore", 'i', "NAME,...", "all but these rules or families", {}, add_names(ignore)},
      {"set",
       0,
       "RULE.PARAMETER=NUMBER",
       "another threshold ('assay explain RULE')",
       {},
       [parameters](const std::string& text) { return set_parameter(*parameters, text); }},
  };
}

Option fail_on_option(std::optional<Severity>* fail_on) {
  return {"fail-on",
          0,
          "SEVERITY",
          "exit status 1 from this severity on; error where not given",
          {"note", "warning", "error", "never"},
          [fail_on](const std::string& value) { return set_threshold(*fail_on, value); }};
}

}  // namespace assay::cli
