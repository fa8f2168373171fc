#pragma once
// The sections of the report of `assay error`, and the cells that they are made of.

#include "study/error_report.h"

namespace assay {

/// Of a number, a share (as per cent). NaN: an empty cell.
Cell number_cell(double value);
Cell share_cell(double value);
/// A share; NaN of nothing.
double share_of(std::uint64_t count, std::uint64_t of);

/// A figure of every experiment, sorted.
std::vector<double> sorted_figures(const std::vector<ErrorFigures>& all, double ErrorFigures::* figure);

/// Results that stand out: infinite, saturated, beyond a tolerance or a bound.
Section counts_section(const ErrorQuestion& question, const Experiment& first);
/// What was computed, and of what; where it was interrupted, how far it came.
Section experiment_section(const ErrorQuestion& question, const Experiment& first, std::size_t seeds,
                           const std::optional<OrderStudy>& orders);
/// Published figures of this experiment beside ours; nothing where there are none.
std::optional<Section> published_section(const ErrorQuestion& question, const std::vector<ErrorFigures>& all);
Section orders_section(const ErrorQuestion& question, const OrderStudy& study);

}  // namespace assay
