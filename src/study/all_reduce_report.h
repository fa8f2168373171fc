#pragma once
// The report of `assay allreduce`.

#include <optional>

#include "study/all_reduce.h"

namespace assay {

/// The line with sums in FP32; the one with the least, and the one with the largest error among the others (null: there
/// are none).
const AllReduceLine& fp32_line(const AllReduceStudy& study);
const AllReduceLine* best_line(const AllReduceStudy& study);
const AllReduceLine* worst_line(const AllReduceStudy& study);

Section all_reduce_growth_section(const AllReduceStudy& study);
Section all_reduce_advice_section(const AllReduceQuestion& question, const AllReduceStudy& study);
/// Published figures of this experiment, hop by hop; nothing where there are none.
std::optional<Section> all_reduce_published_section(const AllReduceQuestion& question, const AllReduceStudy& study);

}  // namespace assay
