#pragma once
// A series: one metric of one segment of a run, each value with its step and its place in the file.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "assay/column.h"

namespace assay {

/// Units of logged values. Readers convert to these (milliseconds to seconds), so that rules never do.
enum class Unit : std::uint8_t {
  kNone,
  kNats,
  kSecond,
  kPercent,
  kSamples,
  kTokens,
  kSteps,
  kEpochs,
  kBytes,
  kGib,
  kTflops,
  kTokensPerSecond,
  kSamplesPerSecond,
  kTimes,  // a ratio in a sentence: two digits are enough
};
/// "s", "%", "tokens/s", …; empty for kNone.
std::string_view symbol(Unit unit);

/// What the reader knows about how the program that wrote the log prints a metric. Bits, because several can hold.
enum class Quirk : std::uint32_t {
  kNone = 0,
  kInBits = 1,  // base-2 logarithm: multiply by ln 2 to get nats
  kOmittedUnlessPositive =
      2,                    // not printed when it is NaN or zero, or when every step since the last record was skipped
  kZeroIsAbsent = 4,        // 0.000 stands for "not measured"
  kNegativeIsAbsent = 8,    // -1.0 stands for "not measured"
  kMaySitOnLossScale = 16,  // the grad norm may still be multiplied by the loss scale
  kStaleAfterSkip = 32,     // after a skipped step the former value is printed again
  kRunningMean = 64,        // an average over the past: spikes come out flattened and late
  kNanHiddenAsZero = 128,   // a non-finite value may be printed as 0.0
};
constexpr Quirk operator|(Quirk a, Quirk b) {
  return static_cast<Quirk>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(Quirk all, Quirk one) {
  return (static_cast<std::uint32_t>(all) & static_cast<std::uint32_t>(one)) != 0;
}

/// The records of a segment in the order of the file. Series refer to them by row, so that two series can be joined by
/// row.
struct Rows {
  IntegerColumn step;  // on the axis that the file prints; record numbers from 1 where it prints none
  IntegerColumn line;  // from 1, numbered through over the sources of the run; no order: records of several files mix
  std::size_t size() const { return step.size(); }
};

class Series {
 public:
  std::string metric;      // canonical name, or the file's own where there is none
  std::string printed_as;  // the key as the file writes it
  Unit unit = Unit::kNone;
  Quirk quirks = Quirk::kNone;
  std::shared_ptr<const Rows> rows;
  IntegerColumn row;       // row[i] is the record of values[i]; rising
  ValueColumn values;      // may hold NaN and infinities: they are what the log said
  IntegerColumn own_line;  // line of values[i], where another file than that of the record tells them; else empty

  std::size_t size() const { return values.size(); }
  bool empty() const { return values.empty(); }
  double value(std::size_t i) const { return values[i]; }
  std::size_t row_of(std::size_t i) const { return static_cast<std::size_t>(row[i]); }
  std::int64_t step(std::size_t i) const { return rows->step[row_of(i)]; }
  std::int64_t line(std::size_t i) const { return own_line.empty() ? rows->line[row_of(i)] : own_line[i]; }
  std::int64_t first_step() const { return step(0); }
  std::int64_t last_step() const { return step(size() - 1); }
  /// Index of the first value whose row is >= wanted (size() when there is none). O(log n).
  std::size_t at_or_after_row(std::size_t wanted) const;
  /// Index of the first value whose step is >= wanted; steps do not fall within a segment. O(log n).
  std::size_t at_or_after_step(std::int64_t wanted) const;
};

}  // namespace assay
