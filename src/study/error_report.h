#pragma once
// The report of `assay error`.

#include <optional>

#include "study/error_measure.h"
#include "study/error_orders.h"

namespace assay {

/// Figures of one experiment that experiments of other seeds are compared by.
struct ErrorFigures {
  double median = 0, mean = 0, p99 = 0, most = 0;  // of the relative error
  double rms = 0, bias = 0, largest = 0;           // in units of the operator's magnitude
};
ErrorFigures figures_of(const Measured& measured);

/// `experiments`: of each seed; the first has the prediction.
Report error_report(const ErrorQuestion& question, const Experiment& first, const std::vector<ErrorFigures>& all,
                    const std::optional<OrderStudy>& orders);

}  // namespace assay
