#pragma once
// A curve on a terminal: its name, its picture, its range, and under it the event.

#include "assay/finding.h"
#include "core/axis.h"
#include "report/page.h"

namespace assay {

/// `label_width`: of the longest name among the curves that stand under each other. `ink`: of the event. `axis`: what
/// the curve's steps count.
void print_curve(Page& page, int indent, const Curve& curve, int label_width, Ink ink, Axis axis);

}  // namespace assay
