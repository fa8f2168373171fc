#pragma once
// A curve in one line of text.

#include <string>
#include <vector>

#include "assay/finding.h"

namespace assay {

struct Sparkline {
  std::vector<std::string> cells;  // one column each
  std::vector<bool> marked;        // the event touches this column
  double low = 0;                  // of the finite values; NaN when there is none
  double high = 0;
  bool logarithmic = false;  // heights are those of the logarithm
  bool any_marked = false;
  std::string text() const;
};

/// At most `columns` cells. unicode: block elements, else ASCII of the same meaning. A cell that held a non-finite
/// value is "×" ("x"), whatever else it held.
Sparkline sparkline(const Curve& curve, int columns, bool unicode);

}  // namespace assay
