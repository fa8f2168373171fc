#pragma once
// From what frameworks call a metric to its canonical name. One table for all readers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/series.h"

namespace assay {

enum class KeyRole : std::uint8_t { kMetric, kStep, kTotalSteps, kIgnored };

struct KeyMeaning {
  KeyRole role = KeyRole::kMetric;
  std::string_view metric = {};  // canonical name
  Unit unit = Unit::kNone;
  double factor = 1;  // as printed · factor = in the canonical unit
  int rank = 0;       // of two keys of one record that mean the same metric the lower rank wins
};

/// Key with case, spaces, '_', '-', quotes taken away: "lm loss", "lm-loss", "LM_Loss" are one. Unit suffixes in
/// brackets
/// ("(ms)") are kept as "(ms)".
std::string normalise_key(std::string_view key);

/// The meaning of a key as printed, or nothing when it is not in the table. Understands namespaces ("train/loss",
/// "eval/…", "actor/grad_norm"), unit suffixes and evaluation prefixes.
std::optional<KeyMeaning> meaning_of(std::string_view key);

/// The meaning of a normalised key in a record that tells how long the data took ("data_time"): there "time" is that of
/// the step and "memory" counts MiB.
std::optional<KeyMeaning> meaning_beside_data_time(std::string_view normalised);

/// "box_loss", "train/cls_loss": what detectors call the parts of their loss (Ultralytics and its forerunners).
bool is_part_of_detection_loss(std::string_view key);

/// The row of the table (metric_table.cpp) for a normalised key, or null.
const KeyMeaning* exact_meaning(std::string_view normalised);

}  // namespace assay
