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
#include "engine/account.h"
#include "engine/checkpoints.h"
#include "engine/corpus/conclude.h"
#include "engine/corpus/corpora.h"
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

CorpusOptions corpus_options(const CheckOptions& options) {
  CorpusOptions out;
  out.ignore = options.ignore;
  out.parameters = options.parameters;
  out.jobs = options.jobs;
  out.interrupted = options.interrupted;
  out.progress = options.progress;
  return out;
}

}  // namespace

Result<Report> check(const std::vector<std::string>& paths, const CheckOptions& options) {
  ASSAY_TRY(plan(options));
  if (!options.gaps.device.empty()) ASSAY_TRY(device_named(options.gaps.device));
  CheckOptions asked = options;
  asked.ignore.clear();
  const std::vector<const Rule*> rules = ASSAY_TRY(plan(asked));
  Discovery discovery = discover(paths, options.interrupted);
  const std::vector<Input> corpora = options.judge ? take_corpora(discovery.inputs) : std::vector<Input>();
  if (options.progress != nullptr) {
    for (const Input& input : discovery.inputs) options.progress->bytes_total += input.bytes;
    for (const Input& input : corpora) options.progress->bytes_total += input.bytes;
    options.progress->files_total += static_cast<std::int64_t>(discovery.inputs.size() + corpora.size());
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
  if (!corpora.empty()) add_corpora(judge_corpora(corpora, rules, corpus_options(options)), rules, tally, report);
  report.complete = !stopped(options);
  if (report.complete) {
    std::vector<Input> all(inputs.begin(), inputs.end());
    all.insert(all.end(), corpora.begin(), corpora.end());
    add_empty_folders(paths, discovery, all, "log of a training run", report);
  }
  for (const std::string& name : options.ignore) report.ignored.push_back({name, 0});
  drop_ignored(options, report);
  if (options.judge) judge_the_reading(rules, options, tally, report);
  rank(report.findings);
  tally.conclude(rules, options, report);
  std::vector<SentenceRecord> shared(link_sentences().begin(), link_sentences().end());
  shared.insert(shared.end(), kind_sentences().begin(), kind_sentences().end());
  add_rule_records(rules, shared, report);
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
