// assay rules: what assay can find.

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "report/page.h"
#include "report/words.h"
#include "rules/rule.h"

namespace assay::cli {

namespace {

std::string as_json() {
  using Json = nlohmann::ordered_json;
  Json rules = Json::array();
  for (const Rule* rule : all_rules()) {
    Json parameters = Json::array();
    for (const Parameter& one : rule->parameters) {
      parameters.push_back({{"name", one.name},
                            {"unit", one.unit},
                            {"default", one.standard},
                            {"least", one.least},
                            {"greatest", one.greatest},
                            {"reason", one.reason}});
    }
    rules.push_back({{"name", rule->name},
                     {"family", rule->family},
                     {"severity", name(rule->severity)},
                     {"scope", name(rule->scope)},
                     {"title", {{"en", rule->title_en}, {"zh", rule->title_zh}}},
                     {"parameters", std::move(parameters)},
                     {"documentation",
                      {{"finds", rule->docs.finds},
                       {"matters", rule->docs.matters},
                       {"decides", rule->docs.decides},
                       {"example", rule->docs.example},
                       {"to_do", rule->docs.to_do},
                       {"false_alarms", rule->docs.false_alarms},
                       {"references", rule->docs.references}}}});
  }
  return Json({{"schema", 1}, {"rules", std::move(rules)}}).dump(1) + "\n";
}

std::string as_text(const OutputChoice& choice) {
  Page page(choice.render());
  std::vector<std::string_view> families;  // in the order of the table
  for (const Rule* rule : all_rules()) {
    if (std::find(families.begin(), families.end(), rule->family) == families.end()) families.push_back(rule->family);
  }
  for (const std::string_view family : families) {
    if (family != families.front()) page.blank();
    page.paragraph(0, family_word(family, choice.language), Ink::kStrong);
    std::vector<std::vector<std::string>> rows;
    for (const Rule* rule : all_rules()) {
      if (rule->family != family) continue;
      const std::string title = say(rule->title_en, rule->title_zh, choice.language);
      rows.push_back({std::string(rule->name), word(rule->severity, choice.language), page.clean(title)});
    }
    print_table(page, 2, {{""}, {""}, {""}}, rows);
  }
  page.blank();
  page.paragraph(0, say("assay explain NAME tells more of one; the severity is the usual one.",
                        "assay explain NAME 给出详细说明；所列为通常的严重程度。", choice.language));
  return page.take();
}

}  // namespace

Command rules_command() {
  const auto choice = std::make_shared<OutputChoice>();
  Command command;
  command.name = "rules";
  command.summary = "list everything that assay can find";
  command.options = output_options(choice, {"text", "json"});
  command.examples = {{"assay rules", "by family"}, {"assay rules -f json", "with parameters and documentation"}};
  command.run = [choice](const std::vector<std::string>&) {
    return print(choice->format == "json" ? as_json() : as_text(*choice), kExitOk, choice->file);
  };
  return command;
}

}  // namespace assay::cli
