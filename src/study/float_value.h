#pragma once
// A number as a user of `assay float` writes it: a value, or a pattern of bits of a format.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/number_format.h"
#include "assay/result.h"
#include "num/real.h"

namespace assay {

struct FloatInput {
  std::string text;  // as written
  Real value;
  std::optional<std::uint64_t> code;  // where a pattern of bits was written
};

/// "0.1", "2^-24", "0x1.8p-3", "inf", "-nan(0x1)" (parse_real); the words max, min-normal, min-subnormal and eps, with
/// a sign, of the format; patterns of its bits: "0x3c00" (without 'p' and '.') and "0b0_01111_0000000000". Errors
/// kUsage: what is none of these; a pattern that is longer than the format's, or of a format that has none.
Result<FloatInput> float_input(std::string_view text, const NumberFormat& format);

/// "0x3c00", "0b0_01111_0000000000": bits, of whatever format.
bool is_bit_pattern(std::string_view text);

/// Whether a word is meant as a value though it begins with '-': "-1.5", "-inf", "-max".
bool is_negative_value(std::string_view word);

/// The names of formats in "fp16,bf16" or "p=11,emin=-14,emax=15,fp32".
Result<std::vector<NumberFormat>> float_formats(std::string_view names);

}  // namespace assay
