#pragma once
// The schedule that the logged learning rate draws: warm-up, peak, decay, end. Essay in seen_schedule.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "assay/run.h"
#include "measure/schedule_fit.h"

namespace assay {

/// A learning rate that was logged.
struct RatePoint {
  std::int64_t step = 0;
  double rate = 0;
  std::int64_t line = 0;    // numbered through
  std::size_t segment = 0;  // of the run
};

/// The learning rate of the run as it was drawn in the end: of steps that were run again only the last time counts, and
/// what stands before a place where the rate was set anew is left out. Finite values; a 0 between others (a skipped
/// step) is left out too.
std::vector<RatePoint> rates_of(const Run& run);

struct WarmUp {
  double end = 0;               // step at which the peak is reached; while it still rises: where it is
  std::int64_t not_before = 0;  // the last record below the peak: what is known without extrapolation
  std::int64_t not_after = 0;   // the first record at the peak
  bool linear = false;
  double length = 0;  // steps from a rate of 0 to the peak, by its slope; where linear
  double from = 0;    // rate at the first record
};

struct SeenSchedule {
  std::vector<RatePoint> points;
  bool counts_steps = true;  // its axis is steps; else records, epochs, samples
  bool from_start = false;   // its first point is at the beginning of training
  double first = 0, last = 0;
  double peak = 0;     // the greatest; a lower bound while `still_rising`
  double quantum = 0;  // to which the values were printed, at the peak
  std::optional<WarmUp> warm_up;
  bool still_rising = false;  // to the last record
  std::size_t peak_from = 0;  // index of the first point at the peak
  std::size_t peak_to = 0;    // of the last
  DecayForm form = DecayForm::kNone;
  double fit_error = 0;             // of the form, in shares of the peak
  std::vector<DecayPoint> decay;    // points of the way down, as they were fitted
  double decay_from = 0;            // step at which it begins
  std::optional<double> decay_end;  // step at which it ends: seen, or by its form
  std::optional<double> floor;      // the rate at which it stays after the end; seen
  std::size_t floor_from = 0;       // index of the first point there
  std::vector<std::size_t> climbs;  // kRestarts: indices at which it begins to climb back

  std::int64_t first_step() const { return points.front().step; }
  std::int64_t last_step() const { return points.back().step; }
  /// Step at which the decay would end if it went down to `rate`. Nothing for forms without an end.
  std::optional<double> end_at(double rate) const;
};

/// Nothing with fewer than three logged values, or without a positive one. O(n) for n values.
std::optional<SeenSchedule> seen_schedule(const Run& run);

}  // namespace assay
