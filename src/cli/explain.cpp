// assay explain: the record of a rule, for people.

#include <memory>
#include <utility>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "report/markdown.h"
#include "report/page.h"
#include "report/words.h"
#include "rules/rule.h"

namespace assay::cli {

namespace {

void print_parameters(Page& page, const Rule& rule) {
  page.blank();
  page.paragraph(0, "Parameters", Ink::kStrong);
  for (const Parameter& one : rule.parameters) {
    const std::string unit = one.unit.empty() ? "" : " " + std::string(one.unit);
    page.paragraph("  ", 2, 4,
                   std::string(one.name) + " = " + format(Value(one.standard)) + unit + " (" +
                       format(Value(one.least)) + " to " + format(Value(one.greatest)) + ")" +
                       (one.reason.empty() ? "" : ": " + std::string(one.reason)));
  }
  const Parameter& first = rule.parameters.front();
  page.paragraph("  ", 2, 4, "to set one: --set " + std::string(rule.name) + "." + std::string(first.name) + "=NUMBER",
                 Ink::kFaint);
}

void print_rule(Page& page, const Rule& rule) {
  const std::string severity = word(rule.severity, Language::kEnglish);
  page.line(page.paint(Ink::kStrong, rule.name) + "  " + page.paint(ink_of(rule.severity), severity) + "  " +
            page.clean(rule.family));
  page.paragraph(0, rule.title_en);
  const std::pair<std::string_view, std::string_view> sections[] = {
      {"What it finds", rule.docs.finds},    {"Why it matters", rule.docs.matters},
      {"How it decides", rule.docs.decides}, {"Example", rule.docs.example},
      {"What to do", rule.docs.to_do},       {"False alarms", rule.docs.false_alarms},
  };
  for (const auto& [title, text] : sections) {
    if (text.empty()) continue;
    page.blank();
    page.paragraph(0, title, Ink::kStrong);
    print_markdown(page, 2, text);
  }
  if (!rule.parameters.empty()) print_parameters(page, rule);
  if (rule.docs.references.empty()) return;
  page.blank();
  page.paragraph(0, "References", Ink::kStrong);
  print_markdown(page, 2, rule.docs.references);
}

int unknown_rule(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Rule* rule : all_rules()) known.push_back(rule->name);
  const std::string guess = nearest(name, known);
  return complain(usage_error("unknown rule '" + name + "'",
                              guess.empty() ? "'assay rules' lists them" : "did you mean '" + guess + "'?"));
}

int run(const OutputChoice& choice, const std::vector<std::string>& names) {
  Page page(choice.render());
  for (const std::string& name : names) {
    const Rule* rule = find_rule(name);
    if (rule == nullptr) return unknown_rule(name);
    if (&name != &names.front()) page.blank();
    print_rule(page, *rule);
  }
  return print(page.take(), kExitOk, choice.file);
}

}  // namespace

Command explain_command() {
  const auto choice = std::make_shared<OutputChoice>();
  Command command;
  command.name = "explain";
  command.summary = "tell what a finding means, how it is decided, and its thresholds";
  command.arguments = "RULE...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  for (Option& option : output_options(choice, {"text"})) {
    if (option.name == "output" || option.name == "color") command.options.push_back(std::move(option));
  }
  command.examples = {{"assay explain loss-spike", "one rule"},
                      {"assay explain loss-spike grad-norm-spike", "several"},
                      {"assay rules", "their names"}};
  command.run = [choice](const std::vector<std::string>& names) { return run(*choice, names); };
  return command;
}

}  // namespace assay::cli
