// The main job: read all files, group them into runs, then run by run: join, judge, summarise, let go.
//
// A file is one piece of work for one thread, and so is a run. Between the two the recordings lie on a shelf of bounded
// size (shelf.cpp). What comes out is put together in the order of the paths, whichever thread was first, so the report
// has the same bits for any number of jobs.

#include "assay/check.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "advice/precision_advice.h"
#include "assay/setting.h"
#include "base/parallel.h"
#include "base/progress.h"
#include "base/version.h"
#include "engine/checkpoints.h"
#include "engine/engine.h"
#include "engine/gaps.h"
#include "engine/group.h"
#include "engine/references.h"
#include "engine/shelf.h"
#include "measure/join.h"

namespace assay {

namespace {

constexpr std::size_t kMostCopies = 32;  // whose places are told; a run has hundreds of checkpoints

// What came of the files of one run.
struct Outcome {
  std::optional<RunSummary> run;
  Judgement judgement;
  std::optional<Section> advice;
  std::vector<std::string> refers;  // files that the settings of a run that has not begun name
};

void add_problem(FileRecord& file, Error problem) {
  ++file.problem_count;
  file.problems.push_back(std::move(problem));
}

bool stopped(const CheckOptions& options) { return options.interrupted != nullptr && options.interrupted->load(); }

bool is_settings(SourceRole role) { return role == SourceRole::kSettings || role == SourceRole::kSummary; }

// The run of a group, one recording at a time. Nothing where there is no run in it, or where the recordings cannot be
// had any more: the user interrupted.
std::optional<Run> join(Shelf& shelf, const RunGroup& group) {
  Joiner joiner;
  std::size_t copies = 0;
  bool records = false;
  bool settings = false;
  // Ledgers are completed by the joiner.
  const auto add = [&](const GroupMember& member, bool first) {
    FileRecord& ledger = shelf.ledger(member.file);
    if (member.role == SourceRole::kSame && ++copies > kMostCopies) {
      joiner.name_source(ledger.path, ledger.kind, member.role, ledger.unit);
      return true;
    }
    std::optional<Recording> recording = shelf.take(member.file);
    if (!recording) return false;
    records = records || recording->rows() > 0 || !recording->events.empty();
    settings = settings || !recording->config.settings.empty();
    if (is_settings(member.role) && !first) {
      joiner.add_settings(*recording, member.role);
    } else {
      joiner.add(*recording, member.role);
    }
    if (!shelf.is_shared(member.file)) ledger = std::move(recording->file);
    return true;
  };
  for (std::size_t i = 1; i < group.members.size(); ++i) {
    if (is_settings(group.members[i].role) && !add(group.members[i], false)) return std::nullopt;
  }
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if ((i == 0 || !is_settings(group.members[i].role)) && !add(group.members[i], i == 0)) return std::nullopt;
  }
  if (!records && !settings) return std::nullopt;
  return joiner.finish();
}

bool has_records(const Shelf& shelf, const RunGroup& group) {
  return std::any_of(group.members.begin(), group.members.end(),
                     [&](const GroupMember& one) { return shelf.fingerprints()[one.file].has_records(); });
}

// Which groups are judged. Settings alone are a run that has not begun; in a folder of runs they are of none of them,
// and nobody asked for them.
std::vector<bool> asked_for(const Shelf& shelf, const Grouping& grouping, const CheckOptions& options) {
  std::vector<bool> out;
  for (const RunGroup& group : grouping.groups) out.push_back(has_records(shelf, group));
  const bool nothing_ran = std::find(out.begin(), out.end(), true) == out.end();
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const GroupMember& one : grouping.groups[i].members) {
      out[i] = out[i] || nothing_ran || options.details || shelf.inputs()[one.file].named;
    }
  }
  return out;
}

Outcome judge_group(Shelf& shelf, const RunGroup& group, std::vector<Checkpoint> checkpoints,
                    const std::vector<const Rule*>& rules, const CheckOptions& options) {
  Outcome out;
  std::optional<Run> run = join(shelf, group);
  if (!run) return out;
  run->checkpoints = std::move(checkpoints);
  take_from_sourced(*run);
  fill_gaps(*run, options.gaps);
  if (options.judge) out.judgement = judge_run(*run, rules, options);
  out.run = summarise(*run, options.details);
  for (const GroupMember& member : group.members) {
    if (!shelf.is_shared(member.file)) shelf.ledger(member.file).run = run->id;
  }
  if (!run->has_begun()) {
    out.refers = references_of(run->config);
    if (options.judge) out.advice = precision_advice(*run, device_of(*run, options.gaps.device));
  }
  for (Error& fault : out.judgement.faults) add_problem(shelf.ledger(group.members.front().file), std::move(fault));
  return out;
}

// An exception here is ours or a library's (memory): the main file is marked, the rest goes on.
Outcome guarded(Shelf& shelf, const RunGroup& group, std::vector<Checkpoint> checkpoints,
                const std::vector<const Rule*>& rules, const CheckOptions& options) {
  std::string what;
  try {
    return judge_group(shelf, group, std::move(checkpoints), rules, options);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "unknown exception";
  }
  FileRecord& file = shelf.ledger(group.members.front().file);
  Location where;
  where.path = file.path;
  file.state = FileState::kFailed;
  file.error = Error{ErrorCode::kInternal, "judging failed: " + what, std::move(where), ""};
  return {};
}

// A single file is a run whatever it holds.
Grouping group_all(const Shelf& shelf) {
  if (shelf.fingerprints().size() != 1) return group_files(shelf.fingerprints());
  Grouping out;
  out.groups.push_back({{{0, SourceRole::kMain}}});
  return out;
}

// Settings that several plans name are a part of each.
void share(const Grouping& grouping, Shelf& shelf) {
  std::set<std::size_t> seen;
  for (const RunGroup& group : grouping.groups) {
    for (const GroupMember& one : group.members) {
      if (!seen.insert(one.file).second) shelf.share(one.file);
    }
  }
}

// Of a file that several runs share the ledger names the first.
void tell_shared(const Grouping& grouping, const std::vector<Outcome>& outcomes, Shelf& shelf) {
  for (std::size_t g = 0; g < outcomes.size(); ++g) {
    if (!outcomes[g].run) continue;
    for (const GroupMember& one : grouping.groups[g].members) {
      std::string& run = shelf.ledger(one.file).run;
      if (run.empty()) run = outcomes[g].run->id;
    }
  }
}

// Read, and used for no run: a file that was read has an error for nothing else.
void tell_unused(const Grouping& grouping, Shelf& shelf) {
  for (const UnusedSettings& one : grouping.unused) {
    FileRecord& file = shelf.ledger(one.file);
    if (file.state != FileState::kRead || file.error) continue;
    Location where;
    where.path = file.path;
    file.error = Error{ErrorCode::kUsage, one.why, std::move(where), ""};
  }
}

// A folder that the user named and that gave nothing is told like a file that gave nothing.
void add_empty_folders(const std::vector<std::string>& paths, const Discovery& discovery, std::span<const Input> inputs,
                       Report& report) {
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
    folder.error =
        Error{ErrorCode::kUnrecognised,
              files[argument] == 0 ? "no file below it" : "no log of a training run among the " + below + " below it",
              std::move(where), ""};
    report.files.push_back(std::move(folder));
  }
}

// What lies beside the one file that was named, and what plans name and nobody read.
void add_beside(const Discovery& discovery, std::span<const Input> inputs, const std::vector<Outcome>& outcomes,
                Report& report) {
  if (!discovery.folders.empty()) return;
  const bool planned = std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& one) {
    return one.run && one.run->records == 0 && one.run->events.empty();
  });
  if (inputs.size() == 1) report.beside = lies_beside(inputs.front(), !planned);
  for (const Outcome& one : outcomes) {
    if (!one.run) continue;
    for (std::string& path : named_beside(one.run->id, one.refers)) {
      const auto same = [&](const auto& other) { return plain_path(other.path) == plain_path(path); };
      const bool known = std::any_of(inputs.begin(), inputs.end(), same) ||
                         std::any_of(report.beside.begin(), report.beside.end(), same);
      if (!known) report.beside.push_back({std::move(path), SourceRole::kSettings});
    }
  }
}

Text text_of(std::string_view en, std::string_view zh) { return {std::string(en), std::string(zh)}; }

bool uses(const std::vector<Finding>& findings, std::string_view rule, std::string_view sentence) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.name == rule && std::any_of(finding.actions.begin(), finding.actions.end(),
                                               [&](const Action& action) { return action.text.key == sentence; });
  });
}

// The records of the rules that the report speaks of, so that it can be rendered without the rules.
void add_rule_records(const std::vector<const Rule*>& rules, Report& report) {
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
    for (const SentenceRecord& sentence : link_sentences()) {
      if (!uses(report.findings, rule->name, sentence.key)) continue;
      record.sentences.push_back({std::string(sentence.key), text_of(sentence.en, sentence.zh)});
    }
    report.rules.push_back(std::move(record));
  }
}

// What the user set is told beside the result: it is judged by other thresholds than anybody else's.
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

// Collects, over all runs, which rules judged and why others could not.
class RuleTally {
 public:
  explicit RuleTally(std::size_t rules) : judged_(rules), reasons_(rules) {}

  void add(const std::vector<const Rule*>& rules, Scope scope, Judgement& judgement, std::vector<Finding>& findings) {
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

  void conclude(const std::vector<const Rule*>& rules, const CheckOptions& options, Report& report) const {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (names(options.ignore, *rules[i])) continue;
      if (judged_[i]) {
        report.rules_run.emplace_back(rules[i]->name);
      } else if (reasons_[i]) {
        report.not_applicable.push_back({std::string(rules[i]->name), *reasons_[i]});
      }
    }
  }

 private:
  std::vector<bool> judged_;
  std::vector<std::optional<Phrase>> reasons_;  // the first of each
};

// Leaves out what ignored rules found, and counts it by the names that asked for it.
void drop_ignored(const CheckOptions& options, Report& report) {
  std::erase_if(report.findings, [&](const Finding& finding) {
    const Rule* rule = find_rule(finding.name);
    if (rule == nullptr || !names(options.ignore, *rule)) return false;
    for (IgnoredName& one : report.ignored) one.findings += names({one.name}, *rule) ? 1 : 0;
    return true;
  });
}

// Rules of the reading see what was found before them: unused-ignore, the last of the table, counts on it.
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

}  // namespace

Result<Report> check(const std::vector<std::string>& paths, const CheckOptions& options) {
  ASSAY_TRY(plan(options));
  if (!options.gaps.device.empty()) ASSAY_TRY(device_named(options.gaps.device));
  CheckOptions asked = options;
  asked.ignore.clear();
  const std::vector<const Rule*> rules = ASSAY_TRY(plan(asked));
  const Discovery discovery = discover(paths, options.interrupted);
  if (options.progress != nullptr) {
    for (const Input& input : discovery.inputs) options.progress->bytes_total += input.bytes;
    options.progress->files_total += static_cast<std::int64_t>(discovery.inputs.size());
  }

  Shelf shelf(discovery.inputs, options);
  parallel_for(discovery.inputs.size(), options.jobs, [&](std::size_t i) {
    shelf.read(i);
    if (options.progress != nullptr) ++options.progress->files_done;
  });
  shelf.unpack();
  const std::span<const Input> inputs = shelf.inputs();
  const Grouping grouping = group_all(shelf);
  // What was read until an interruption is judged; one that comes now ends it.
  const bool cut_short = stopped(options);
  share(grouping, shelf);
  std::vector<Outcome> outcomes(grouping.groups.size());
  std::vector<std::vector<Checkpoint>> checkpoints =
      checkpoints_of(grouping.groups, shelf.fingerprints(), inputs, discovery.checkpoints);
  const std::vector<bool> wanted = asked_for(shelf, grouping, options);
  parallel_for(grouping.groups.size(), options.jobs, [&](std::size_t i) {
    if (!wanted[i]) return;
    if (cut_short || !stopped(options)) {
      outcomes[i] = guarded(shelf, grouping.groups[i], std::move(checkpoints[i]), rules, options);
    }
  });

  Report report;
  report.tool_version = version();
  report.arguments = paths;
  report.judged = options.judge;
  add_thresholds(options, report);
  RuleTally tally(rules.size());
  for (const LooseSettings& one : grouping.loose) shelf.ledger(one.file).could_be_of = one.runs;
  tell_unused(grouping, shelf);
  tell_shared(grouping, outcomes, shelf);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (shelf.was_read(i)) report.files.push_back(std::move(shelf.ledger(i)));
  }
  add_beside(discovery, inputs, outcomes, report);
  for (Outcome& outcome : outcomes) {
    if (outcome.advice) {
      outcome.advice->run = outcome.run->id;
      report.sections.push_back(std::move(*outcome.advice));
    }
    if (outcome.run) report.runs.push_back(std::move(*outcome.run));
    tally.add(rules, Scope::kRun, outcome.judgement, report.findings);
  }
  report.complete = !stopped(options);
  if (report.complete) add_empty_folders(paths, discovery, inputs, report);
  for (const std::string& name : options.ignore) report.ignored.push_back({name, 0});
  drop_ignored(options, report);
  if (options.judge) judge_the_reading(rules, options, tally, report);
  rank(report.findings);
  tally.conclude(rules, options, report);
  add_rule_records(rules, report);
  return report;
}

bool some_named_path_failed(const Report& report) {
  return std::any_of(report.files.begin(), report.files.end(),
                     [](const FileRecord& file) { return file.named && file.error && file.state != FileState::kRead; });
}

bool has_internal_fault(const Report& report) {
  const auto internal = [](const Error& error) { return error.code == ErrorCode::kInternal; };
  return std::any_of(report.files.begin(), report.files.end(), [&](const FileRecord& file) {
    return (file.error && internal(*file.error)) || std::any_of(file.problems.begin(), file.problems.end(), internal);
  });
}

std::optional<Severity> worst(const Report& report) {
  std::optional<Severity> worst;
  for (const Finding& finding : report.findings) worst = worst ? std::max(*worst, finding.severity) : finding.severity;
  return worst;
}

}  // namespace assay
