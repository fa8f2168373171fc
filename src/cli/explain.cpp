// assay explain: the record of a rule, for people.

#include <memory>
#include <tuple>

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

void heading(Page& page, std::string_view en, std::string_view zh) {
  page.blank();
  page.paragraph(0, say(en, zh, page.language()), Ink::kStrong);
}

void print_parameters(Page& page, const Rule& rule) {
  heading(page, "Parameters", "参数");
  for (const Parameter& one : rule.parameters) {
    const std::string counted = unit_word(one.unit, page.language());
    const std::string unit = (counted.empty() || counted.starts_with("（") ? "" : " ") + counted;
    const Values values = {{"name", one.name},
                           {"value", format(Value(one.standard)) + unit},
                           {"least", format(Value(one.least))},
                           {"greatest", format(Value(one.greatest))},
                           {"reason", one.reason}};
    std::string text = say("{name} = {value} ({least} to {greatest})", "{name} = {value}（{least} 至 {greatest}）",
                           values, page.language());
    if (!one.reason.empty()) text += say(": {reason}", "：{reason}", values, page.language());
    page.paragraph("  ", 2, 4, text);
  }
  const Values example = {{"name", std::string(rule.name) + "." + std::string(rule.parameters.front().name)}};
  page.paragraph("  ", 2, 4,
                 say("to set one: --set {name}=NUMBER", "设置方法：--set {name}=数值", example, page.language()),
                 Ink::kFaint);
}

void print_harm(Page& page, const Rule& rule) {
  heading(page, "Rank", "排序");
  const Values values = {{"weight", format(Value(rule.harm.weight))}, {"reason", rule.harm.reason}};
  page.paragraph(2, say("A byte of it weighs {weight} of one of those that have brought trainings down: {reason}.",
                        "此类文本的每个字节按曾导致训练失败的文本的 {weight} 计：{reason}。", values, page.language()));
}

// What a report says, with the places of its values, for who met a sentence and looks for its rule. In English the
// documentation tells as much.
void print_chinese_sentences(Page& page, const Rule& rule) {
  heading(page, "", "报告语句模板（花括号处填入实际数值）");
  for (const SentenceRecord& one : rule.sentences) page.paragraph("  - ", 4, 4, one.zh);
}

void print_rule(Page& page, const Rule& rule) {
  const bool chinese = page.language() == Language::kChinese;
  const std::string severity = word(rule.severity, page.language());
  page.line(page.paint(Ink::kStrong, rule.name) + "  " + page.paint(ink_of(rule.severity), severity) + "  " +
            page.clean(family_word(rule.family, page.language())));
  page.paragraph(0, say(rule.title_en, rule.title_zh, page.language()));
  if (chinese) page.paragraph(0, "说明正文目前只有英文；报告中的中文语句见文末。", Ink::kFaint);
  const std::tuple<std::string_view, std::string_view, std::string_view> sections[] = {
      {"What it finds", "检查内容", rule.docs.finds},    {"Why it matters", "为何重要", rule.docs.matters},
      {"How it decides", "判断方法", rule.docs.decides}, {"Example", "示例", rule.docs.example},
      {"What to do", "建议", rule.docs.to_do},           {"False alarms", "误报", rule.docs.false_alarms},
  };
  for (const auto& [en, zh, text] : sections) {
    if (text.empty()) continue;
    heading(page, en, zh);
    print_markdown(page, 2, text);
  }
  if (rule.harm.weight > 0) print_harm(page, rule);
  if (!rule.parameters.empty()) print_parameters(page, rule);
  if (!rule.docs.references.empty()) {
    heading(page, "References", "参考资料");
    print_markdown(page, 2, rule.docs.references);
  }
  if (chinese) print_chinese_sentences(page, rule);
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
    if (option.name != "format") command.options.push_back(std::move(option));
  }
  command.examples = {{"assay explain loss-spike", "one rule"},
                      {"assay explain loss-spike grad-norm-spike", "several"},
                      {"assay rules", "their names"}};
  command.run = [choice](const std::vector<std::string>& names) { return run(*choice, names); };
  return command;
}

}  // namespace assay::cli
