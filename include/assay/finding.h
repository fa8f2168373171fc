#pragma once
// A finding: what a rule says of a run, with its place, its evidence and what to do.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/location.h"
#include "assay/text.h"

namespace assay {

enum class Severity : std::uint8_t { kNote, kWarning, kError };  // by the harm done: see docs/design/report.md
std::string_view name(Severity severity);

/// The words for a confidence: certain, likely, below that possible. What is only possible is never an error.
inline constexpr double kCertain = 0.9;
inline constexpr double kLikely = 0.6;

/// A stretch of a series as a picture: buckets of at least one record with their least and greatest value, so that no
/// spike is lost. Empty buckets do not occur; a bucket that held a non-finite value says so.
struct Curve {
  std::string metric;
  struct Bucket {
    std::int64_t first_step = 0;
    double low = 0;
    double high = 0;
    bool non_finite = false;
  };
  std::vector<Bucket> buckets;
  std::int64_t last_step = 0;
  std::optional<StepRange> marked;  // the event
};

struct Evidence {
  Phrase text;  // may be empty when the curve speaks for itself
  std::optional<Curve> curve;
  std::optional<Location> where;
};

/// What an action does. The engine puts the actions of one event together by it, whatever their sentences are.
enum class ActionRole : std::uint8_t {
  kOther,
  kResume,        // from a checkpoint before the trouble
  kStartAgain,    // there is nothing to go back to
  kSkipData,      // leave out what was read in some steps
  kLookAtData,    // what was read in some steps
  kLearningRate,  // its peak, or its shape
  kClip,
  kBatch,
  kPrecision,
  kLossScale,
};

struct Action {
  Phrase text;
  std::string command = {};  // to copy; may be empty
  ActionRole role = ActionRole::kOther;
};

struct Finding {
  std::string name;  // of the rule
  Severity severity = Severity::kWarning;
  double confidence = 0;  // in (0, 1]
  double impact = 0;      // 0 … 1, how much of the run it touches; orders findings of one severity
  Phrase message;
  std::optional<Location> where;  // the worst place; no wider than the event
  std::vector<Location> also;     // further places of the same kind
  std::vector<Evidence> evidence;
  std::vector<Action> actions;
  std::vector<std::string> because_of;  // ids of findings that explain this one
  std::string id;                       // "loss-spike@train.log", unique in the report; set by the engine
};

}  // namespace assay
