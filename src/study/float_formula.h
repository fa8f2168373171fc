#pragma once
// How a pattern of bits makes its number.

#include "assay/text.h"
#include "study/float_show.h"

namespace assay {

/// The formula of the layout with the numbers of this pattern put in: "(−1)^0 · 2^(11 − 15) · (1 + 614/1024) = 2^-4 ·
/// 1.599609375". Empty for NaN, infinities and formats without patterns.
Text formula_of(const FloatInFormat& one);

}  // namespace assay
