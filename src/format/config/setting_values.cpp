// Traps. YAML 1.1 takes `1e-4` for a string, `1_000` for 1000, `010` for 8 and `1:30` for 90; a program that wants a
// learning rate converts the string, one that wants a time does not. A number is therefore what both the language and
// the reader of the value would take for that number, and everything else stays text.

#include "format/config/setting_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "assay/setting.h"
#include "base/ascii.h"
#include "format/tables/number.h"

namespace assay {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct UnitWord {
  std::string_view word;  // lower case, but for Composer's T (tokens)
  std::string_view unit;
};
constexpr auto kUnits = std::to_array<UnitWord>({
    {"ba", "steps"},      {"batch", "steps"},  {"batches", "steps"},  {"step", "steps"},      {"steps", "steps"},
    {"iter", "steps"},    {"sp", "samples"},   {"sample", "samples"}, {"samples", "samples"}, {"t", "tokens"},
    {"tok", "tokens"},    {"token", "tokens"}, {"tokens", "tokens"},  {"ep", "epochs"},       {"epoch", "epochs"},
    {"epochs", "epochs"}, {"dur", "fraction"}, {"s", "seconds"},      {"sec", "seconds"},     {"second", "seconds"},
});

}  // namespace

std::optional<std::string> plain_number(std::string_view text) {
  constexpr std::size_t kLongestNumber = 40;
  text = trimmed(text);
  if (text.empty() || text.size() > kLongestNumber) return std::nullopt;
  const std::string word = lower(text);
  for (const auto& [spelling, plain] : {std::pair{".inf", "inf"},
                                        {"+.inf", "inf"},
                                        {"-.inf", "-inf"},
                                        {".nan", "nan"},
                                        {"inf", "inf"},
                                        {"-inf", "-inf"},
                                        {"nan", "nan"},
                                        {"infinity", "inf"}}) {
    if (word == spelling) return plain;
  }
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' && i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1])) continue;
    if (text[i] == '+' && i == 0) continue;
    plain += text[i];
  }
  const std::size_t first = plain.starts_with('-') ? 1 : 0;
  if (first >= plain.size() || (!is_digit(plain[first]) && plain[first] != '.')) return std::nullopt;
  double value = 0;
  const auto [rest, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || rest != plain.data() + plain.size()) return std::nullopt;
  return plain;
}

std::optional<double> config_number(std::string_view text) {
  const auto plain = plain_number(text);
  if (!plain) return std::nullopt;
  double value = 0;
  std::from_chars(plain->data(), plain->data() + plain->size(), value);
  return value;
}

std::optional<bool> config_flag(std::string_view text) {
  const std::string word = lower(trimmed(text));
  for (const std::string_view yes : {"true", "yes", "on", "1", "y"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"false", "no", "off", "0", "n"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

bool is_unset(std::string_view text) {
  const std::string word = lower(trimmed(text).substr(0, 8));
  return word.empty() || word == "none" || word == "null" || word == "~" || word == setting::kAutomatic;
}

bool is_automatic(std::string_view text) { return lower(trimmed(text).substr(0, 8)) == setting::kAutomatic; }

std::string_view list_item(std::string_view text, std::size_t index) {
  text = trimmed(text);
  if (text.size() >= 2 &&
      ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'))) {
    text = text.substr(1, text.size() - 2);
  }
  for (; index > 0; --index) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
  return trimmed(text.substr(0, text.find(',')));
}

std::string_view duration_unit(std::string_view word) {
  const std::string wanted = lower(trimmed(word));
  const auto* found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const UnitWord& one) { return one.word == wanted; });
  return found == kUnits.end() ? std::string_view{} : found->unit;
}

std::optional<Duration> config_duration(std::string_view text) {
  text = trimmed(text);
  std::size_t end = text.size();
  while (end > 0 && !is_digit(text[end - 1]) && text[end - 1] != '.') --end;
  const auto number = plain_number(text.substr(0, end));
  if (!number) return std::nullopt;
  if (end == text.size()) return Duration{*number, {}};
  const std::string_view unit = duration_unit(text.substr(end));
  if (unit.empty()) return std::nullopt;
  return Duration{*number, unit};
}

std::string canonical_value(ValueKind kind, std::string_view text) {
  constexpr const char* kUnset = "None";
  if (is_unset(text)) return kUnset;
  if (kind == ValueKind::kWord) return std::string(text);
  if (kind == ValueKind::kFlag) {
    const auto flag = config_flag(text);
    return flag ? (*flag ? "true" : "false") : std::string(text);
  }
  // A list of one is its item: fairseq has a learning rate for each epoch.
  const bool one = list_item(text, 0) != trimmed(text) && list_item(text, 1).empty();
  const std::string_view item = one ? list_item(text, 0) : text;
  const auto plain = plain_number(item);
  if (!plain) return std::string(text);
  return kind != ValueKind::kInteger && config_number(*plain) == -1 ? kUnset : *plain;
}

}  // namespace assay
