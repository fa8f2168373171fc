#pragma once
// The main job: read what lies at the paths, judge it, rank what was found.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/report.h"
#include "assay/result.h"

namespace assay {

struct Progress;  // src/base/progress.h

/// What the user says of a run: it fills what the settings leave out, and stands where they say something else (the
/// report tells what was replaced). Zero: nothing.
struct Gaps {
  std::int64_t parameters = 0;  // of the model
  std::int64_t tokens = 0;      // that it is trained on
  std::int64_t ranks = 0;       // processes
  std::string device = {};      // a chip of `assay unit list`
};

struct CheckOptions {
  std::vector<std::string> select;  // rule names or families; empty: all
  std::vector<std::string> ignore;
  std::map<std::string, double> parameters;         // "loss-spike.mads" -> value, checked against the rule's range
  unsigned jobs = 0;                                // 0: as many as there are processors
  bool judge = true;                                // false: only read (`show`)
  std::size_t held_bytes = std::size_t{512} << 20;  // of recordings between reading and judging; the rest is read again
  Gaps gaps = {};                                   // told by the user
  bool details = false;                             // fill the parts of RunSummary that `show` prints
  const std::atomic<bool>* interrupted = nullptr;
  Progress* progress = nullptr;
};

/// Reads and judges. Fails only for wrong options (unknown rule or parameter: kUsage); bad input is part of the report.
Result<Report> check(const std::vector<std::string>& paths, const CheckOptions& options);

/// Whether a path that the user named yielded nothing (exit status 2).
bool some_named_path_failed(const Report& report);

/// Whether assay itself failed somewhere (a rule that threw): the rest of the report stands (exit status 2).
bool has_internal_fault(const Report& report);

/// The greatest severity among the findings, or nothing.
std::optional<Severity> worst(const Report& report);

}  // namespace assay
