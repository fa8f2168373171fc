#pragma once
// Numbers and formats in words, for the studies of `assay float`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/number_format.h"
#include "assay/report.h"
#include "assay/text.h"
#include "core/sections.h"
#include "num/round.h"

namespace assay {

/// All digits: "0.0999755859375", "5.9604644775390625e-8", "Inf", "-NaN".
std::string exact_decimal(double value);
/// The same, cut after 30 digits: "0.100000000000000005551115123125…".
std::string shown_decimal(double value);
/// Cut after 15 digits, for tables of several columns.
std::string brief_decimal(double value);
/// "0x1.998p-4".
std::string hexadecimal_float(double value);
/// "2^-24", "(2 − 2^-10) · 2^15", "1.75 · 2^8", "0".
std::string in_powers_of_two(double value);
/// Four significant digits.
std::string rounded_decimal(double value);
/// Seven significant digits: a constant that people compare with published tables.
std::string constant_decimal(double value);
/// Cut for a sentence.
std::string shown_text(std::string_view written);

/// Bit for bit the same, any NaN as any other.
bool same_number(double a, double b);

/// "0x3c00".
std::string code_text(const NumberFormat& format, std::uint64_t code);
BitPattern pattern_of(const NumberFormat& format, std::uint64_t code);
/// "0 01111 0000000000".
std::string binary_text(const BitPattern& pattern);
/// "quiet, payload 0x1"; of a value that is NaN.
Text nan_words(const NumberFormat& format, std::uint64_t code);

/// Names of the options.
using RoundingName = std::pair<Rounding, std::string_view>;
using OverflowName = std::pair<Overflow, std::string_view>;
const std::vector<RoundingName>& rounding_names();
const std::vector<OverflowName>& overflow_names();

/// "fp16,bf16".
std::string names_of(const std::vector<NumberFormat>& formats);
/// The options that give these rules, after the words that are there: what a report tells of its question.
void add_rules(std::vector<std::string>& words, const RoundingRules& rules);

/// The frame of a report of a study.
Report study_report(std::string study, std::vector<std::string> arguments, Text answer);

}  // namespace assay
