#pragma once
// What of a recording is kept to decide to which run it belongs: bounded, however long the file is. Essay in
// fingerprint.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/recording.h"
#include "stat/quantum.h"

namespace assay {

/// Values of a series at some of its steps, one a step (the last one there), by rising step.
struct SampledSeries {
  struct Point {
    std::int64_t step = 0;
    std::int64_t ordinal = 0;  // from 1: the how manieth value of the series
    double value = 0;
    double sum = 0;  // of all values up to this one, in the order of the file: means of intervals (averages.cpp)
  };
  std::string metric;
  std::size_t size = 0;    // values in the file
  DecimalQuantum quantum;  // how they were printed
  std::vector<Point> points;
};

/// Names of Fingerprint::said that are compared with what was seen.
inline constexpr std::string_view kRateSetting = "learning_rate";
inline constexpr std::string_view kStepsSetting = "steps";

struct Fingerprint {
  std::string path;
  std::string kind;    // FileRecord::kind
  bool named = false;  // by the user, not found in a folder
  std::string dialect;
  std::optional<double> started;  // Recording::started
  std::string run_id;             // Recording::run_id
  std::size_t rows = 0;
  std::size_t events = 0;
  std::size_t settings = 0;
  std::size_t metrics = 0;
  bool stepless = false;  // most values of its main series have no step
  StepRange steps;        // of its main series; its greatest and least step where it goes back
  std::int64_t spacing = 1;
  bool goes_back = false;  // a step comes again: the run was restarted
  std::optional<std::int64_t> planned;
  bool begins = false;                // the banner of a start, or a loaded checkpoint, stands before the first record
  bool ended = false;                 // it says that it ended as planned
  std::vector<SampledSeries> series;  // the main one first
  std::optional<SampledSeries> rate;  // learning rate
  std::optional<double> highest_rate;
  bool rate_peaked = false;  // it fell or stayed level after that: it is the peak of the schedule
  std::vector<std::pair<std::string, double>> said;  // settings that tell runs apart; a key may come twice
  std::string framework;                             // in whose words its settings are
  std::vector<std::string> refers;                   // settings that may name other files or folders, as written
  bool has_records() const { return rows > 0 || events > 0; }
};

/// Runs of one recipe with other seeds have losses that lie at least this share of their level apart.
inline constexpr double kSeedsApart = 0.005;

/// Points kept of a series, so that the fingerprints of all files fit into memory.
std::size_t points_for(std::size_t files);

/// Of one recording: O(rows), at most `most` points for each of four series.
Fingerprint fingerprint(const Recording& recording, std::size_t most);

/// How two samples of a metric agree at their common steps.
struct Agreement {
  std::size_t common = 0;
  std::size_t agree = 0;     // within the coarser of their printed resolutions
  std::size_t distinct = 0;  // different values among those that agree
  std::size_t gross = 0;     // that differ by more than any way of rounding
  std::size_t tail = 0;      // common steps at the end that disagree, without a break
  double bits = 0;           // what agreeing by chance would cost
  /// The same numbers: by chance once in a thousand at most.
  bool same() const;
  /// Common at first, or now and then, but not the same numbers throughout.
  bool parted() const { return common >= 3 && (10 * agree < 9 * common || tail >= 3 || (common < 6 && tail > 0)); }
  /// Not the same numbers.
  bool differs() const { return common >= 3 && 2 * agree < common; }
};

/// by_ordinal: the k-th values are compared instead of those at equal steps.
Agreement compare(const SampledSeries& a, const SampledSeries& b, bool by_ordinal = false);

/// The `most` points that other files most likely have too: round steps, then the first.
std::vector<SampledSeries::Point> shared_points(const SampledSeries& series, std::size_t most);

/// The resolution at which a value of one and a value of the other can be told apart.
double resolution(const SampledSeries& a, double x, const SampledSeries& b, double y);

/// The series of that metric, or null.
const SampledSeries* find(const Fingerprint& print, std::string_view metric);

}  // namespace assay
