#pragma once
// To which step were the values of a series rounded before they reached us? Essay in quantum.cpp.
//
// Non-finite values and zeros are skipped: they fit every step. All values of a series come through the same printing,
// so of long series evenly spaced records are enough; every record is used up to 2 kQuantumSample of them.

#include <cstddef>
#include <optional>
#include <span>

namespace assay {

inline constexpr std::size_t kQuantumSample = 65536;

/// Decimal digits that the values were printed with.
struct DecimalQuantum {
  int decimals = 0;          ///< the most that any value has after the point; negative when all end in zeros before it
  int digits = 0;            ///< the most significant digits of any value
  std::size_t distinct = 0;  ///< different absolute values that this stands on

  /// Smallest step of the series, 10^-decimals, in the unit of the values.
  double step() const;
  /// Step at a value: right for a fixed number of decimals ("%.3f") and for a fixed number of digits ("%.6E").
  double step_at(double value) const;
};

/// Significant bits that the values had before they were printed.
struct BinaryQuantum {
  int bits = 0;                  ///< 8: bfloat16. 11: float16 or TF32
  std::size_t informative = 0;   ///< distinct values that chance would hardly (p < 1/2) put on the grid
  std::size_t on_grid = 0;       ///< of these, how many are on it
  std::size_t last_bit_set = 0;  ///< of these, how many use the last bit: about half if `bits` is the true width
  double evidence = 0.0;         ///< log2 likelihood ratio, rounded to `bits` against not rounded

  /// Spacing of the binary format at a value, in the unit of the values.
  double step_at(double value) const;
  /// Strong enough to say: evidence of 30 bits (once in 10^9 by chance), 98 % on the grid, a fifth using the last bit.
  bool convincing() const;
};

struct Quantum {
  DecimalQuantum decimal;
  std::optional<BinaryQuantum> binary;  ///< only when convincing()

  /// The coarser of both steps at a value: nothing smaller can be told apart there. A floor for MAD and noise.
  double step_at(double value) const;
};

/// nullopt without a finite non-zero value.
std::optional<DecimalQuantum> decimal_quantum(std::span<const double> values);

/// How well the values fit `bits` significant bits (2 to 24), given how they were printed. `min_spacing` is the spacing
/// among subnormals of the format (2^-24 for float16), 0 for none.
BinaryQuantum binary_fit(std::span<const double> values, int bits, double min_spacing, const DecimalQuantum& printed);

/// Decimal step, and bfloat16 or float16 if the values convince; the narrower one is tried first. At most about 30 ms.
std::optional<Quantum> find_quantum(std::span<const double> values);

}  // namespace assay
