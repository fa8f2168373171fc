#pragma once
// Order statistics of a sample: median, quantiles, median absolute deviation. Essay in quantile.cpp.
//
// Common to all functions here
// - Non-finite values are skipped: a median that a single NaN turns into NaN says nothing, and NaN has no rank.
//   Count them yourself where they matter (they do: a non-finite loss is a finding of its own).
// - No finite value: the result is NaN (a quantity of the sample's unit has no other "nothing").
// - Results are in the unit of the values. The input is never changed, except by median_in_place.
// - The variants with `scratch` allocate only when the vector is too small; its content afterwards is unspecified.

#include <span>
#include <vector>

namespace assay {

/// 1 / Phi^-1(3/4): median absolute deviation times this estimates sigma for Gaussian values.
inline constexpr double kMadToSigma = 1.482602218505602;

/// Middle value; the mean of the two middle ones for an even count.
double median(std::span<const double> values);
double median(std::span<const double> values, std::vector<double>& scratch);

/// Median of values that the caller owns and may permute: all must be finite. No allocation.
double median_in_place(std::span<double> values);

/// Quantile, type 7 of Hyndman and Fan (the default of R and numpy): linear between the order statistics around
/// (n - 1) p. `p` outside [0, 1] is clamped; NaN gives NaN.
double quantile(std::span<const double> values, double p);
double quantile(std::span<const double> values, double p, std::vector<double>& scratch);

/// The same for several probabilities (any order, repeats allowed) with one copy of the values. `out[i]` belongs to
/// `ps[i]`; `out` must be as long as `ps`.
std::vector<double> quantiles(std::span<const double> values, std::span<const double> ps);
void quantiles(std::span<const double> values, std::span<const double> ps, std::span<double> out,
               std::vector<double>& scratch);

/// Quantile of values that are already finite and sorted ascending. O(1).
double quantile_sorted(std::span<const double> sorted, double p);

/// Median absolute deviation from the median, raw (not scaled to sigma).
double mad(std::span<const double> values);
double mad(std::span<const double> values, std::vector<double>& scratch);

/// Median absolute deviation from a given centre, raw. A non-finite centre gives NaN.
double mad_about(std::span<const double> values, double center);
double mad_about(std::span<const double> values, double center, std::vector<double>& scratch);

/// Standard deviation estimated robustly: kMadToSigma * mad. Right for Gaussian values, blind to up to half outliers.
double robust_sigma(std::span<const double> values);

/// Distance between the quartiles; 1.349 sigma for Gaussian values.
double interquartile_range(std::span<const double> values);

}  // namespace assay
