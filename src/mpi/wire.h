#pragma once
// Numbers as they travel between ranks, and the operator that adds them. Essay: wire.cpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/number_format.h"
#include "assay/result.h"
#include "num/arithmetic.h"
#include "num/convert.h"

namespace assay::mpi {

class Wire {
 public:
  /// Errors (kUsage): a format without bit patterns, or of more than 16 bits, that is not FP32. `option`: which named
  /// it.
  static Result<Wire> of(const NumberFormat& format, std::string_view option);

  const NumberFormat& format() const { return arithmetic_.format(); }
  /// Of a number: 1, 2 or 4.
  std::size_t bytes() const { return bytes_; }

  /// Rounds numbers into the format and writes their codes; every NaN becomes the same one. `out` has bytes() for each.
  void encode(std::span<const double> numbers, std::span<std::byte> out);
  void decode(std::span<const std::byte> codes, std::span<double> out) const;
  /// sum[i] = round(other[i] + sum[i]), as MPI's reduction operators do it.
  void add(std::span<const std::byte> other, std::span<std::byte> sum);

 private:
  Wire(const NumberFormat& format, std::size_t bytes);

  Arithmetic arithmetic_;
  std::size_t bytes_;
  std::optional<Encoder> encoder_;  // neither for FP32
  std::optional<Decoder> decoder_;
  std::vector<double> left_, right_;
};

}  // namespace assay::mpi
