#include "format/tables/number.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <limits>
#include <string>

namespace assay {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> plain(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error != std::errc() && error != std::errc::result_out_of_range) return std::nullopt;
  return value;
}

// "12,345" and "1,234,567.8": groups of three after a first group of one to three.
bool has_thousands(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = 0;
  std::size_t groups = 0;
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || text[i] == ','); ++i) {
    if (is_digit(text[i])) {
      ++digits;
      continue;
    }
    if (digits == 0 || digits > 3 || (groups > 0 && digits != 3)) return false;
    ++groups;
    digits = 0;
  }
  return groups > 0 && digits == 3 && (i == text.size() || text[i] == '.');
}

// What the C library of Windows printed before 2015: 1.#INF, -1.#IND, 1.#QNAN.
std::optional<double> microsoft(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("1.#")) return std::nullopt;
  text.remove_prefix(3);
  if (text.starts_with("INF"))
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (text.starts_with("IND") || text.starts_with("QNAN") || text.starts_with("SNAN")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> parse_number(std::string_view cell, bool decimal_comma) {
  constexpr std::size_t kLongest =
      400;  // no double needs more digits to be told apart from its neighbours, nor a person
  cell = trimmed(cell);
  if (cell.empty() || cell.size() > kLongest) return std::nullopt;
  if (cell.ends_with('%')) cell = trimmed(cell.substr(0, cell.size() - 1));
  if (const auto value = plain(cell)) return value;
  if (cell.find(',') != std::string_view::npos) {
    std::string rewritten(cell);
    if (decimal_comma) {
      std::erase(rewritten, '.');
      std::replace(rewritten.begin(), rewritten.end(), ',', '.');
    } else if (has_thousands(cell)) {
      std::erase(rewritten, ',');
    } else {
      return std::nullopt;
    }
    return plain(rewritten);
  }
  return microsoft(cell);
}

bool is_no_value(std::string_view cell) {
  constexpr std::string_view kSpellings[] = {"",    "None", "none", "null", "NULL", "Null", "NA",  "N/A",
                                             "n/a", "na",   "<NA>", "#N/A", "-",    "--",   "nil", "undefined"};
  const std::string_view text = trimmed(cell);
  return std::find(std::begin(kSpellings), std::end(kSpellings), text) != std::end(kSpellings);
}

}  // namespace assay
