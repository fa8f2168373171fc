#pragma once
// Matrix units (tensor cores, matrix cores): how an accelerator sums products. Essay in matrix_unit.cpp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/number_format.h"
#include "assay/result.h"
#include "num/round.h"

namespace assay {

/// What one step does with a group of products and the accumulator c.
enum class StepKind : std::uint8_t {
  kFused,        // c and products aligned to the largest exponent, cut there, summed exactly, rounded once
  kStaged,       // the products that way without c; their sum and c are aligned and cut a second time, then rounded
  kLanes,        // products dealt out to lanes, c = a·b + c in each; the lanes summed pairwise, their sum added to c
  kPairs,        // products rounded, summed pairwise with a rounding each, their sum added to c
  kFma,          // c = a·b + c for one product after the other, rounded once each
  kMultiplyAdd,  // the same with the product rounded before it is added
};

/// Nothing is cut when addends are aligned.
inline constexpr int kNothingCut = 0;
/// Limits of a description, so that sums of aligned addends fit into the 53 bits of a double.
inline constexpr int kMostProducts = 64;
inline constexpr int kMostFractionBits = 40;

/// How sure it is that the chip computes so.
enum class Standing : std::uint8_t {
  kDeviceData,      // bit for bit what results of the chip are, published ones, thousands of random rows
  kPublishedModel,  // others have published the model and checked it; here it was not checked
  kAssumed,         // nothing is published: a plausible unit, not the chip's
};

struct MatrixUnit {
  std::string name;               // "h100/fp16": what a user types; empty: described
  std::vector<std::string> also;  // other names that mean the same unit
  std::string chip;               // "NVIDIA H100"
  NumberFormat input;             // of a and b. More bits than it has are cut off before (TF32 in words of 32 bits)
  StepKind step = StepKind::kFused;
  int group = 1;  // products of a step; kFma and kMultiplyAdd: 1
  /// kLanes: lanes, product k in lane k % interleaved. kStaged: 2: products of even and odd places are aligned apart.
  int interleaved = 1;
  /// kFused, kStaged: addends keep this many bits below the leading bit of the largest; kNothingCut: all of them.
  int fraction_bits = kNothingCut;
  int late_bits = kNothingCut;  // kStaged: of the sum of products, when it meets c; c keeps fraction_bits
  Rounding alignment = Rounding::kTowardZero;  // of cut addends; kTowardZero, kDown, kUp or kNearestEven
  Rounding late_alignment = Rounding::kDown;   // kStaged: when the sum meets c
  NumberFormat accumulator;                    // in which c and the results of steps are
  Rounding rounding = Rounding::kTowardZero;   // into it
  /// Of too large results. kInfinity: infinite, however they are rounded; else as num/round.h has it.
  Overflow overflow = Overflow::kInfinity;
  bool flush_inputs = false;   // subnormal a, b and c are +0
  bool flush_outputs = false;  // subnormal products (where they are rounded), sums and results are zeros
  /// Into what the last result is rounded, to nearest even, where that is not the accumulator; no name: it stays.
  NumberFormat output;
  Standing standing = Standing::kAssumed;
  std::string source = {};

  bool has_output() const { return output.precision > 0; }
};

/// The units that have a name, oldest chip first.
const std::vector<MatrixUnit>& matrix_units();

/// Those of one chip ("h100", "910b"), one for each format that it multiplies.
/// Errors (kUsage): an unknown name, with the nearest.
Result<std::vector<const MatrixUnit*>> units_of_chip(std::string_view name);

/// By name ("h100/fp16"), as a description ("in=fp16,g=16,F=25,round=rz"), or a name that a description alters
/// ("h100/fp16,F=24"). Keys: in, step (fused, staged, lanes, pairs, fma, multiply-add), g, F (or "all"), align (rz, rd,
/// ru, rne), acc (a number format), round (of it), out, sets, late, late-align, flush (in, out, both, none), overflow
/// (inf, nan, saturate, ascend).
/// Errors (kUsage): an unknown name with the nearest, a key or value that is impossible.
/// `input`: of a description that does not name it.
Result<MatrixUnit> matrix_unit(std::string_view name, const NumberFormat* input = nullptr);
/// The description, complete: matrix_unit(describe(u)) does what u does.
std::string describe(const MatrixUnit& unit);
/// Null where the unit can be emulated; else why not.
const char* fault_of(const MatrixUnit& unit);
/// Whether both do the same with all inputs, whatever their names.
bool same_arithmetic(const MatrixUnit& a, const MatrixUnit& b);

/// accumulator[r] becomes the unit's accumulator[r] + Σ_k a[k · rows + r] · b[k · rows + r], for r < rows, k < length:
/// in groups in the order of k, each result the next step's c; a last group that is not full is filled with zeros.
/// Preconditions: a and b are numbers of unit.input (infinities and NaN allowed), accumulators have up to 32 bits and
/// an exponent of unit.accumulator's range, and fault_of(unit) is null. The result is of unit.accumulator: to_output
/// gives that of unit.output. Calls may run at once.
void multiply_accumulate(const MatrixUnit& unit, std::size_t rows, std::size_t length, const double* a, const double* b,
                         double* accumulator);
/// What the unit takes of a and b: the bits that its input format lacks are cut off (TF32 is read from words of FP32).
void to_input(const MatrixUnit& unit, std::size_t count, double* values);
/// The last rounding, where the unit has one; else nothing.
void to_output(const MatrixUnit& unit, std::size_t count, double* values);

}  // namespace assay
