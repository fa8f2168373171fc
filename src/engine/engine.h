#pragma once
// The engine: discover files, read them, assemble runs, judge, rank. Its public face is assay/check.h.

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/check.h"
#include "assay/report.h"
#include "rules/rule.h"

namespace assay {

/// A file to read, or a path that cannot be read and why.
struct Input {
  std::string path;
  std::size_t argument = 0;    // which of the paths that the user named it comes from
  bool named = false;          // it is that path itself
  bool stream = false;         // a pipe: it can be read once
  std::int64_t bytes = 0;      // where known
  std::optional<Error> error;  // then it is not read
  std::string archive = {};    // that it is a member of; `path` then goes on from its path
};

struct Discovery {
  std::vector<Input> inputs;
  std::vector<std::size_t> folders;     // the arguments that are folders, without those whose files others gave already
  std::vector<Checkpoint> checkpoints;  // whose names were come across, in the order of the walk
};

/// Every file at the paths: those named, in that order, and for a folder all files below it in the order of their
/// names. Hidden entries of folders, sockets and the like are left out; a file reached twice is read once.
Discovery discover(const std::vector<std::string>& paths, const std::atomic<bool>* interrupted);

/// The rules that the options leave, in table order; an error names the nearest rule for an unknown name.
Result<std::vector<const Rule*>> plan(const CheckOptions& options);

/// Whether one of the names is the rule's or its family's.
bool names(const std::vector<std::string>& names, const Rule& rule);

/// What the rules say of one run, or of the reading.
struct Judgement {
  std::vector<Finding> findings;
  std::vector<std::optional<Phrase>> not_applied;  // one for each rule; nothing: it judged; no key: it was not asked
  std::vector<Error> faults;                       // rules that threw
};
Judgement judge_run(const Run& run, std::span<const Rule* const> rules, const CheckOptions& options);
Judgement judge_corpus(const CorpusFacts& facts, std::span<const Rule* const> rules, const CheckOptions& options);
/// Null entries of `rules` are passed over.
Judgement judge_reading(const Report& read, std::span<const Rule* const> rules, const CheckOptions& options);

/// Joins the findings of one run that tell of one event: `because_of`, one set of actions, one warning where a healthy
/// run would get two; those of ignored rules are left alone. Gives the findings their ids.
void link(const Run& run, const std::vector<std::string>& ignored, std::vector<Finding>& findings);
/// Names what tells why (settings, data, machines) as the cause of what the log shows: `because_of`, before the first
/// signs. Findings need their ids. causes.cpp.
void link_causes(const Run& run, const std::vector<std::string>& ignored, std::vector<Finding>& findings);
/// Whether a finding says why rather than what: it can be a cause that is read before a graver effect.
bool tells_why(const Finding& finding);
/// The sentences of the actions that link() writes.
std::span<const SentenceRecord> link_sentences();

/// "loss-spike@train.log", and "#2" for the second of that name and place; ids that are there stay.
void give_ids(std::vector<Finding>& findings);

/// Gives the findings their order, then their ids. Order: severity; within it causes before their effects, and what
/// tells why before whatever it explains; then confidence x impact, name, place.
void rank(std::vector<Finding>& findings);

/// Files that lie beside the one that the user named and by their names belong to the same run; by name, bounded.
/// begun: it holds records or messages; beside settings alone other settings are those of other runs.
std::vector<Beside> lies_beside(const Input& input, bool begun);
/// Files that the settings at `path` name and that are there.
std::vector<std::string> named_beside(const std::string& path, const std::vector<std::string>& references);

/// What was read of a run, for the report. details: settings and curves too.
RunSummary summarise(const Run& run, bool details);

}  // namespace assay
