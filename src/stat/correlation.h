#pragma once
// Correlation of two aligned series. Essay in correlation.cpp.
//
// `x` and `y` have the same length (the excess of the longer one is ignored). Pairs with a non-finite member are
// skipped. NaN if fewer than two pairs are left or one side is constant. Results are in [-1, 1], without unit.

#include <span>

namespace assay {

/// Pearson: how well a straight line describes the pairs. One outlier can make or break it.
double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman: Pearson of the ranks (ties averaged): how monotone the relation is, whatever its shape and its outliers.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace assay
