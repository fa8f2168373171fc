#pragma once
// What a report tells of itself, whatever was judged: which rules were asked and which could not judge, what was
// ignored, what was set, what gave nothing.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace assay {

void add_problem(FileRecord& file, Error problem);

/// The records of the rules that the report speaks of, so that it can be rendered without the rules. `more`: sentences
/// that their findings may use besides their own.
void add_rule_records(const std::vector<const Rule*>& rules, std::span<const SentenceRecord> more, Report& report);

/// What the user set is told beside the result: it is judged by other thresholds than anybody else's.
void add_thresholds(const CheckOptions& options, Report& report);

/// Collects, over all judgements, which rules judged and why others could not.
class RuleTally {
 public:
  explicit RuleTally(std::size_t rules) : judged_(rules), reasons_(rules) {}
  /// Takes the findings over into `findings`.
  void add(const std::vector<const Rule*>& rules, Scope scope, Judgement& judgement, std::vector<Finding>& findings);
  void conclude(const std::vector<const Rule*>& rules, const CheckOptions& options, Report& report) const;

 private:
  std::vector<bool> judged_;
  std::vector<std::optional<Phrase>> reasons_;  // the first of each
};

/// Leaves out what ignored rules found, and counts it by the names that asked for it.
void drop_ignored(const CheckOptions& options, Report& report);

/// Rules of the reading see what was found before them: unused-ignore, the last of the table, counts on it.
void judge_the_reading(const std::vector<const Rule*>& rules, const CheckOptions& options, RuleTally& tally,
                       Report& report);

/// A folder that the user named and that gave nothing is told like a file that gave nothing. what: it does not hold.
void add_empty_folders(const std::vector<std::string>& paths, const Discovery& discovery, std::span<const Input> inputs,
                       std::string_view what, Report& report);

}  // namespace assay
