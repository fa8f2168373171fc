#pragma once
// Sums of rows side by side, in a format and an order.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "num/arithmetic.h"
#include "num/lanes.h"
#include "num/sum_order.h"

namespace assay {

/// The terms of a sum: numbers, or products of numbers.
class Terms {
 public:
  explicit Terms(const Lanes& numbers) : a_(&numbers) {}
  /// Products, exact for factors of up to 26 bits. Both have the same rows and length.
  Terms(const Lanes& a, const Lanes& b) : a_(&a), b_(&b) {}
  /// Products rounded, each in `arithmetic`, which must outlive this.
  Terms(const Lanes& a, const Lanes& b, Arithmetic& arithmetic) : a_(&a), b_(&b), rounding_(&arithmetic) {}

  std::size_t rows() const { return a_->rows; }
  std::size_t length() const { return a_->length; }
  /// Term k of every row; valid until the next call.
  std::span<const double> at(std::size_t k);

 private:
  const Lanes* a_;
  const Lanes* b_ = nullptr;
  Arithmetic* rounding_ = nullptr;
  std::vector<double> products_;
};

/// How a sum is done.
struct SumModel {
  NumberFormat accumulator;
  std::optional<NumberFormat> partials = std::nullopt;  // sums of lanes, blocks and splits are kept and added in it
  SumOrder order;
  RoundingRules rules;
  std::optional<NumberFormat> joins = std::nullopt;  // sums are added to each other in it; else in that of partials

  const NumberFormat& joined() const { return joins ? *joins : partials ? *partials : accumulator; }
};

/// What happened in the additions of a sum.
struct SumEvents {
  std::uint64_t additions = 0;
  std::uint64_t swallowed = 0;  // of a term that is not zero, which changed nothing
};

/// The sum of each row; terms are rounded into the accumulator's format as they begin a sum. Empty rows give 0.
/// `events` may be null: counting takes as long as adding.
std::vector<double> rounded_sums(const SumModel& model, Terms& terms, SumEvents* events = nullptr);

}  // namespace assay
