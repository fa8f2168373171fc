#pragma once
// Formats as settings say them, for the rules of precision. Essay in precision_plan.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/finding.h"
#include "assay/number_format.h"
#include "assay/run.h"
#include "rules/plan.h"

namespace assay {

/// "bf16" or "fp16"; empty: the word says neither ("float32", "fp8", "bf16-mixed" is bf16).
std::string_view half_format(std::string_view word);
bool is_low(std::string_view word);  // 16 bits, or 8

/// A format of the tables; `name` is one of them.
const NumberFormat& format_named(std::string_view name);

/// The last setting whose key ends so and says a format of 16 or 8 bits, or says yes; null: none.
const Setting* said_low(const Plan& plan, std::string_view ending);
const Setting* said_true(const Plan& plan, std::string_view ending);

/// The setting that asks for weights without a copy in fp32, whatever the framework; null: none does.
const Setting* pure_weights(const Plan& plan);

/// The format in which an optimizer changes the weights, where that is one of 16 bits.
struct LowWeights {
  std::string_view format;  // "bf16", "fp16"
  const Setting* from = nullptr;
};
/// Nothing where a copy in fp32 is kept, or where nothing is known of it.
std::optional<LowWeights> low_weights(const Plan& plan);

/// Mixed precision is off: matrices of fp32 are multiplied. By the settings, or because the framework's default is so
/// and the settings are whole.
bool multiplies_fp32(const Plan& plan);

/// A flag or variable that says yes or no; nothing where it is not said.
std::optional<bool> said_flag(const Run& run, std::string_view key);

/// The name of a setting as its source writes it.
Value written_name(const Setting& setting);

/// Positions that one sequence of the run has; nothing where it is not told.
std::optional<std::int64_t> positions_of(const Plan& plan);

/// By what gradients are multiplied at the start of an fp16 training: as told, or by the framework's default.
std::optional<double> loss_scale_told(const Plan& plan);

/// Relative rms error of one rounding to nearest, in units of the unit roundoff, of numbers whose logarithm is evenly
/// spread: the square root of 1 / (8 ln 2).
inline constexpr double kRmsOfRounding = 0.42466;

/// How many of the integers 0 … count − 1 a format tells apart. Counted one by one.
std::int64_t distinct_integers(const NumberFormat& format, std::int64_t count);

/// Micro-batches that a format sums without a word about it, as a share of the terms that it can tell apart (2^p).
inline constexpr double kFewTerms = 0.03125;

/// The relative error (rms) of a product of two factors that are each rounded into a format.
double product_error(const NumberFormat& inputs);

/// A finding about settings: `from` says it.
Finding hazard(Severity severity, double confidence, const Setting& from, Phrase message);

}  // namespace assay
