#pragma once
// Values that are NaN or infinite, and losses that a log hides because they were. Essay in non_finite.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/run.h"
#include "measure/skips.h"

namespace assay {

/// The non-finite values of a series that no skipped step explains, and those that one does.
struct NonFinite {
  std::size_t first = 0;          ///< index of the first unexplained value
  std::size_t last = 0;           ///< of the last one
  std::size_t count = 0;          ///< unexplained
  std::size_t skipped = 0;        ///< explained by a skipped step
  std::size_t first_skipped = 0;  ///< index of the first explained one
  std::size_t longest = 0;        ///< longest row of unexplained values one after the other
  bool to_the_end = false;        ///< no finite value after the first unexplained one
  bool from_the_start = false;    ///< no finite value before it
  bool is_nan = false;            ///< the first one: NaN, not infinite
};

/// Nothing when every value is finite. A value is explained when a step within its record (since the record before)
/// was skipped and finite values follow.
std::optional<NonFinite> non_finite_values(const Series& series, const SkipHistory& skips);

enum class HiddenBy : std::uint8_t {
  kOmission,       // the loss is missing where its companions go on
  kZero,           // printed as 0.0 beside a grad norm that is not finite
  kZeroFromThere,  // 0.0 in every record from there on, in a log without a grad norm
  kZeroAlways,     // 0.0 in every record there is
};

struct HiddenLoss {
  HiddenBy by = HiddenBy::kOmission;
  std::string metric;                   ///< of the loss that is hidden
  std::size_t first_row = 0;            ///< first record without it
  std::size_t last_row = 0;             ///< last such record of the stretch
  std::size_t records = 0;              ///< records of the stretch
  std::size_t before = 0;               ///< records that had it before
  bool to_the_end = false;              ///< it never comes back in this segment
  bool printed_if_positive = false;     ///< the framework leaves NaN losses out: not an inference
  bool norm_too = false;                ///< the grad norm vanishes (or is not finite) with it
  std::vector<std::string> companions;  ///< metrics that go on, as printed
};

/// Stretches of hidden losses of a segment, training and evaluation.
std::vector<HiddenLoss> hidden_losses(const Run& run, std::size_t segment, const SkipHistory& skips);

/// What went before a NaN.
enum class Precursor : std::uint8_t {
  kNone,        // the record before was as all the others
  kLossGrew,    // the loss grew threefold or more in the one or two records before
  kNormGrew,    // the grad norm grew 10,000-fold or more, or was not finite before the loss was
  kFirstSteps,  // there was hardly anything before
  kEvaluation,  // an evaluation or a checkpoint stands between the last finite record and it
};
struct Precursors {
  Precursor kind = Precursor::kNone;
  double before = 0;        ///< level of what grew
  double peak = 0;          ///< its last or greatest value
  std::int64_t step = 0;    ///< where the growth began; the row's own step when nothing grew
  std::size_t records = 0;  ///< records before the NaN at which it began
};
/// Of the record `row` of the segment, at which a loss is no longer finite.
Precursors precursors_of(const Run& run, std::size_t segment, std::size_t row);

}  // namespace assay
