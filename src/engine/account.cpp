#include "engine/account.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace assay {

namespace {

Text text_of(std::string_view en, std::string_view zh) { return {std::string(en), std::string(zh)}; }

bool uses(const std::vector<Finding>& findings, std::string_view rule, std::string_view sentence) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    if (finding.name != rule) return false;
    const auto says = [&](const Phrase& phrase) { return phrase.key == sentence; };
    return says(finding.message) ||
           std::any_of(finding.actions.begin(), finding.actions.end(),
                       [&](const Action& one) { return says(one.text); }) ||
           std::any_of(finding.evidence.begin(), finding.evidence.end(),
                       [&](const Evidence& one) { return says(one.text); });
  });
}

}  // namespace

void add_problem(FileRecord& file, Error problem) {
  ++file.problem_count;
  file.problems.push_back(std::move(problem));
}

void add_rule_records(const std::vector<const Rule*>& rules, std::span<const SentenceRecord> more, Report& report) {
  std::set<std::string, std::less<>> mentioned;
  for (const Finding& finding : report.findings) mentioned.insert(finding.name);
  for (const RuleNotApplied& one : report.not_applicable) mentioned.insert(one.rule);
  for (const Rule* rule : rules) {
    if (!mentioned.contains(rule->name)) continue;
    RuleRecord record;
    record.name = rule->name;
    record.family = rule->family;
    record.tells_why = tells_why(*rule);
    record.title = text_of(rule->title_en, rule->title_zh);
    for (const SentenceRecord& sentence : rule->sentences) {
      record.sentences.push_back({std::string(sentence.key), text_of(sentence.en, sentence.zh)});
    }
    for (const SentenceRecord& sentence : more) {
      if (!uses(report.findings, rule->name, sentence.key)) continue;
      record.sentences.push_back({std::string(sentence.key), text_of(sentence.en, sentence.zh)});
    }
    report.rules.push_back(std::move(record));
  }
}

void add_thresholds(const CheckOptions& options, Report& report) {
  for (const auto& [name, value] : options.parameters) {
    const std::size_t dot = name.find('.');
    const Rule* rule = find_rule(name.substr(0, dot));
    if (rule == nullptr) continue;
    for (const Parameter& one : rule->parameters) {
      if (name.substr(dot + 1) == one.name) report.thresholds.push_back({name, value, one.standard});
    }
  }
}

void RuleTally::add(const std::vector<const Rule*>& rules, Scope scope, Judgement& judgement,
                    std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < judgement.not_applied.size(); ++i) {
    if (rules[i] == nullptr || rules[i]->scope != scope) continue;
    if (!judgement.not_applied[i]) {
      judged_[i] = true;
    } else if (!reasons_[i] && !judgement.not_applied[i]->key.empty()) {
      reasons_[i] = std::move(judgement.not_applied[i]);
    }
  }
  std::move(judgement.findings.begin(), judgement.findings.end(), std::back_inserter(findings));
}

void RuleTally::conclude(const std::vector<const Rule*>& rules, const CheckOptions& options, Report& report) const {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (names(options.ignore, *rules[i])) continue;
    if (judged_[i]) {
      report.rules_run.emplace_back(rules[i]->name);
    } else if (reasons_[i]) {
      report.not_applicable.push_back({std::string(rules[i]->name), *reasons_[i]});
    }
  }
}

void drop_ignored(const CheckOptions& options, Report& report) {
  std::erase_if(report.findings, [&](const Finding& finding) {
    const Rule* rule = find_rule(finding.name);
    if (rule == nullptr || !names(options.ignore, *rule)) return false;
    for (IgnoredName& one : report.ignored) one.findings += names({one.name}, *rule) ? 1 : 0;
    return true;
  });
}

void judge_the_reading(const std::vector<const Rule*>& rules, const CheckOptions& options, RuleTally& tally,
                       Report& report) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]->scope != Scope::kReading) continue;
    std::vector<const Rule*> only(rules.size(), nullptr);
    only[i] = rules[i];
    Judgement reading = judge_reading(report, only, options);
    if (!reading.faults.empty() && report.files.empty()) report.files.emplace_back();
    for (Error& fault : reading.faults) add_problem(report.files.front(), std::move(fault));
    tally.add(only, Scope::kReading, reading, report.findings);
    drop_ignored(options, report);
  }
}

void add_empty_folders(const std::vector<std::string>& paths, const Discovery& discovery, std::span<const Input> inputs,
                       std::string_view what, Report& report) {
  std::vector<std::int64_t> files(paths.size()), gave(paths.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].archive.empty()) ++files[inputs[i].argument];
    if (report.files[i].state == FileState::kRead) ++gave[inputs[i].argument];
  }
  for (const std::size_t argument : discovery.folders) {
    if (gave[argument] > 0) continue;
    FileRecord folder;
    folder.path = paths[argument];
    folder.kind = "folder";
    folder.named = true;
    folder.state = FileState::kNothingRead;
    Location where;
    where.path = paths[argument];
    const std::string below = files[argument] == 1 ? "one file" : format(Value(files[argument])) + " files";
    folder.error = Error{
        ErrorCode::kUnrecognised,
        files[argument] == 0 ? "no file below it" : "no " + std::string(what) + " among the " + below + " below it",
        std::move(where), ""};
    report.files.push_back(std::move(folder));
  }
}

}  // namespace assay
