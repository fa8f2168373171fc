#pragma once
// `assay allreduce`: the error of an all-reduce by algorithm, how it grows with the ranks, and what to do.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/report.h"
#include "base/progress.h"
#include "sim/all_reduce.h"
#include "study/error_report.h"

namespace assay {

struct AllReduceQuestion {
  std::vector<Collective> algorithms;  // `ranks` is set from below
  bool all = false;                    // they are all that there are: those that the ranks do not suit are left out
  NumberFormat dtype;                  // of what the ranks have and of the result
  NumberFormat accumulate;             // of the sums that they send
  std::optional<NumberFormat> inside;  // of the sums in a node; else the algorithm's
  Averaging averaging = Averaging::kNone;
  std::optional<std::size_t> ranks;     // 8 where neither this nor files say otherwise
  std::optional<std::size_t> elements;  // 10,000 where neither this nor files say otherwise
  std::size_t bucket = 0;               // elements of a call; 0: all
  ErrorData data;                       // path: one array of ranks × elements, a folder, or rank%d.npy
  RoundingRules rules;
  std::uint64_t seed = 1;
  std::size_t seeds = 1;
  bool growth = true;  // measure fewer ranks, too
  unsigned jobs = 0;
  std::vector<std::string> arguments = {};  // as they were typed
  Progress* progress = nullptr;
  const std::atomic<bool>* interrupted = nullptr;
};

/// Where all-reduces of more and more ranks stand: root mean square of the error over that of the results.
struct GrowthPoint {
  std::size_t ranks = 0;
  double measured = 0;
  double predicted = 0;
};

/// One algorithm.
struct AllReduceLine {
  std::string key;  // "ring", "fp32"
  Text title;
  ErrorQuestion model;
  Experiment experiment;              // of the first seed
  std::vector<ErrorFigures> figures;  // of every seed
  std::size_t roundings = 0;          // into the result's format, on the longest path; the last one included
  double overflow = 0;                // share of elements that theory expects to overflow; NaN: not known
  std::vector<GrowthPoint> growth;
};

struct AllReduceStudy {
  std::size_t ranks = 0, elements = 0;
  std::vector<AllReduceLine> lines;  // as asked; at the end "fp32" where no other accumulates so
  Text left_out;                     // algorithms, and why
  double mean = 0, deviation = 1;    // of the numbers that the ranks have
  bool complete = true;
};

/// Errors: kUsage for what cannot be, those of the files.
Result<AllReduceStudy> study_all_reduce(const AllReduceQuestion& question);
Result<Report> all_reduce(const AllReduceQuestion& question);

/// √(mean square error / mean square result).
double over_results(double mean_square_scaled, const Measured& measured);

/// The median relative error that theory expects. Where theory followed few elements only, their errors over the
/// results of all.
double predicted_median(const AllReduceLine& line);

/// How fast the error grows: the slope of its logarithm over that of the ranks, from 8 on (of all where there are fewer
/// than three). NaN of less than two points.
double growth_exponent(const std::vector<GrowthPoint>& points, double GrowthPoint::* figure);

/// The share of elements of which some partial sum or the result overflows, of N(mean, deviation²).
double overflow_share(const AllReduce& how, const NumberFormat& result, double mean, double deviation);

}  // namespace assay
