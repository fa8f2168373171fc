#pragma once
// Published figures of operator errors, to be set beside what the same experiment gives.

#include <cstddef>
#include <string_view>
#include <vector>

namespace assay {

struct PublishedError {
  std::string_view op;
  std::size_t rows = 0;
  std::size_t length = 0;
  std::string_view format;   // of input and result
  double mean_relative = 0;  // as shares: 0.001 is 0.1 %
  double largest_relative = 0;
};

/// "Sources of precision problems and what they look like" (精度问题主要来源及现象分析), the test program of a mean: 1,000 rows of
/// 10,000 numbers of N(0, 1), averaged in 16 bits, against the FP32 mean of the numbers before they were rounded; and
/// of an all-reduce: 10,000 numbers of N(0, 1) on each of 8 cards, against an FP32 all-reduce.
const std::vector<PublishedError>& published_errors();

}  // namespace assay
