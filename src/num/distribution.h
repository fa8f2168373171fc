#pragma once
// Random data for experiments, by counter: element i of a stream depends on seed, stream and i alone, so it is the same
// in any order, on any number of threads and on every machine.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "assay/text.h"

namespace assay {

enum class Distribution : std::uint8_t {
  kNormal,       // N(0, 1)
  kUniform,      // (0, 1), neither end
  kSymmetric,    // (-1, 1)
  kPositive,     // |N(0, 1)|
  kHeavyTailed,  // Student's t with 3 degrees of freedom: a finite variance, no fourth moment
};

/// What is known of the standard form, which `draw` shifts and scales.
struct DistributionFacts {
  Distribution id = Distribution::kNormal;
  std::string name;  // what a user types
  std::vector<std::string> also;
  Text title;
  double mean = 0;
  double variance = 0;
  double mean_size = 0;  // of |x|
};

const std::vector<DistributionFacts>& distributions();
const DistributionFacts& facts_of(Distribution distribution);
/// By name, in any case, with '-' for '_'. Error kUsage: an unknown one, with the nearest.
Result<Distribution> distribution_named(std::string_view name);

struct Draw {
  Distribution distribution = Distribution::kNormal;
  double mean = 0;       // added to the standard form …
  double deviation = 1;  // … after this factor; of N(0, 1) alone it is the standard deviation
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // independent of one another
  bool as_float = true;      // rounded to FP32, as frameworks make them; else FP64 with 53 random bits
};

/// out[k] = element first + k. Precondition: first + out.size() <= 2^60.
void draw(const Draw& how, std::uint64_t first, std::span<double> out);

/// The same in FP32, said at once.
inline void draw(Distribution distribution, double mean, double deviation, std::uint64_t seed, std::uint64_t stream,
                 std::uint64_t first, std::span<double> out) {
  draw({.distribution = distribution, .mean = mean, .deviation = deviation, .seed = seed, .stream = stream}, first,
       out);
}

}  // namespace assay
