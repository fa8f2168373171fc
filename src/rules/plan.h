#pragma once
// What a run is meant to do, as numbers that rules calculate with: said, derived from what was said, or the default of
// the framework. A rule tells where its numbers come from, so each carries that.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/run.h"

namespace assay {

enum class Origin : std::uint8_t { kSaid, kDerived, kDefault };

struct Planned {
  double value = 0;
  Origin origin = Origin::kSaid;
  std::string key;      // canonical
  std::string written;  // the name that the source has for it; of what was not said: the canonical one
  Location where;       // where it was said; of what follows: the first setting that it stands on, if it has a place
  Text arithmetic;      // of what follows
};

/// Refers to a run that outlives it.
class Plan {
 public:
  explicit Plan(const Run& run);

  /// In whose words the settings are; empty: nobody's.
  const std::string& framework() const { return framework_; }
  /// "bf16", "fp16", "fp8", "fp32", "fp64"; empty: not said.
  const std::string& precision() const { return precision_; }

  /// A setting as it was said, or what follows from others under the same name ("warmup_steps", "train_steps",
  /// "global_batch_size", "parameters", "tokens_per_step", …). Nothing where it is not a finite number, not known
  /// before a run, or not said.
  std::optional<Planned> told(std::string_view key) const;
  /// The same, or else the default of the framework.
  std::optional<Planned> find(std::string_view key) const;
  /// Of the settings it stands on one is said, but cannot be known before the run: no default holds.
  bool hidden(std::string_view key) const;

  /// The learning rate at the end of the schedule, in its own unit: said as such or as a share of the peak.
  std::optional<Planned> min_learning_rate() const;
  /// In lower case; empty: not said.
  std::string word(std::string_view key) const;
  const Setting* setting(std::string_view key) const { return run_.config.find(key); }

  const Run& run() const { return run_; }

 private:
  std::optional<Planned> derived(std::string_view key) const;

  const Run& run_;
  std::string framework_;
  std::string precision_;
};

}  // namespace assay
