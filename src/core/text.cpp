// Numbers and sentences as people read them.

#include "assay/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "core/counts.h"

namespace assay {

namespace {

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

// Four significant digits; plain notation from 1e-3 to 1e6, else a power of ten ("3.0e-4", "1.5e+24"). Whole numbers
// are counts, scales or limits: "1,048,576" tells more than "1.049e+6" and is hardly longer.
std::string four_digits(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  if (number == 0) return "0";
  char text[64];
  const double size = std::fabs(number);
  if (size >= 1e-3 && size < 1e6) {
    if (number == std::floor(number)) return with_thousands(static_cast<std::int64_t>(number));
    if (size >= 1e4) return with_thousands(std::llround(number));
    std::snprintf(text, sizeof text, "%.4g", number);
    const double rounded = std::strtod(text, nullptr);
    return std::fabs(rounded) >= 1000 && rounded == std::floor(rounded) ? with_thousands(std::llround(rounded)) : text;
  }
  constexpr double kMostWhole = 1e9;
  if (size >= 1e6 && size < kMostWhole && number == std::floor(number)) {
    return with_thousands(static_cast<std::int64_t>(number));
  }
  std::snprintf(text, sizeof text, "%.3e", number);
  std::string out = text;
  const std::size_t e = out.find('e');
  std::string mantissa = out.substr(0, e);
  // Keeps one digit after the point.
  while (mantissa.back() == '0' && mantissa[mantissa.size() - 2] != '.') mantissa.pop_back();
  std::string exponent = out.substr(e + 2);
  while (exponent.size() > 1 && exponent.front() == '0') exponent.erase(0, 1);
  return mantissa + "e" + (out[e + 1] == '-' ? "-" : "+") + exponent;
}

// A share is never known better than to a tenth of a per cent; of a smaller one the first two digits tell.
std::string percent(double number) {
  if (!std::isfinite(number) || std::fabs(number) >= 1000) return four_digits(number);
  char text[64];
  std::snprintf(text, sizeof text, std::fabs(number) < 0.095 ? "%.1g" : "%.1f", number);
  const std::string out = text;
  return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
}

// A ratio tells an order of magnitude: "5.3", "27", "100,000", and a power of ten where nobody counts noughts any more.
// Chinese counts by ten thousands.
std::string times(double number, bool english) {
  if (!std::isfinite(number)) return four_digits(number);
  char text[64];
  std::snprintf(text, sizeof text, "%.1e", number);
  const double rounded = std::strtod(text, nullptr);
  if (rounded >= 1e8) return "10^" + std::to_string(std::lround(std::log10(rounded)));
  if (!english && rounded >= 1e4) return four_digits(rounded / 1e4) + " 万";
  if (rounded >= 1e4) return with_thousands(std::llround(rounded));
  return four_digits(rounded);
}

std::string with_unit(const std::string& number, Unit unit) {
  const std::string_view sign = symbol(unit);
  return sign.empty() ? number : number + " " + std::string(sign);
}

bool is_one(const Value& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return *count == 1;
  const auto* range = std::get_if<StepRange>(&value.data);
  return range != nullptr && range->first == range->last;
}

// What is counted in millions and more, and never digit by digit: nobody compares 176,247,271,424 with 450,000,000,000.
constexpr std::string_view kCountedInMillions[] = {"tokens", "parameters", "个 token", "个参数"};

// A number in the sentence that such a word follows.
std::optional<double> great_count(const Value& value, std::string_view rest) {
  if (value.unit != Unit::kNone) return std::nullopt;
  const bool counted =
      rest.starts_with(" ") && std::any_of(std::begin(kCountedInMillions), std::end(kCountedInMillions),
                                           [&](std::string_view noun) { return rest.substr(1).starts_with(noun); });
  if (!counted) return std::nullopt;
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*count);
  const auto* number = std::get_if<double>(&value.data);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

// "1 records" and "steps 7" become one of them. Only the words that are counted in the sentences: a word that happens
// to follow a number need not be its noun.
constexpr std::string_view kCounted[] = {"steps",    "records",     "epochs", "samples",        "tokens",
                                         "halvings", "evaluations", "rows",   "broken records", "places"};

// The noun that stands at the end of `out`, before a number that is one place: "steps " loses its s.
void make_last_word_single(std::string& out) {
  for (const std::string_view noun : kCounted) {
    const std::string tail = std::string(noun) + " ";
    if (!out.ends_with(tail)) continue;
    out.replace(out.size() - 2, 2, " ");
    return;
  }
}

// The noun that follows a count of one: what of the pattern is passed over at its end.
bool begins_with_counted(std::string_view rest, std::string_view& noun) {
  for (const std::string_view one : kCounted) {
    if (!rest.starts_with(" ") || !rest.substr(1).starts_with(one)) continue;
    const std::string_view after = rest.substr(1 + one.size());
    if (!after.empty() && after.front() >= 'a' && after.front() <= 'z') continue;
    noun = one;
    return true;
  }
  return false;
}

// Steps and the like are told digit by digit, though a quotient need not be whole.
bool before_counted(std::string_view rest) {
  std::string_view noun;
  return begins_with_counted(rest, noun) || rest.starts_with(" 步") || rest.starts_with(" 个样本") ||
         rest.starts_with(" sequences") || rest.starts_with(" 条序列");
}

// A value as it stands in a sentence before `rest`.
std::string in_sentence(const Value& value, std::string_view rest, bool english) {
  const auto* number =
      value.unit == Unit::kTimes || value.unit == Unit::kNone ? std::get_if<double>(&value.data) : nullptr;
  if (number != nullptr && value.unit == Unit::kTimes) return times(*number, english);
  if (const auto count = great_count(value, rest)) {
    return format_count(*count, english ? Language::kEnglish : Language::kChinese);
  }
  const bool great = number != nullptr && std::fabs(*number) >= 1e6 && std::fabs(*number) < 1e15;
  return great && before_counted(rest) ? with_thousands(std::llround(*number)) : format(value);
}

// "record(s)": the number decides.
std::string without_brackets(std::string_view pattern) {
  constexpr std::string_view kEither = "(s)";
  std::string out(pattern);
  for (std::size_t at = out.find(kEither); at != std::string::npos; at = out.find(kEither, at)) {
    out.replace(at, kEither.size(), "s");
  }
  return out;
}

}  // namespace

std::string format_count(double number, Language language) {
  struct Step {
    double size;
    const char* word;
  };
  static constexpr Step kEnglish[] = {{1e12, " T"}, {1e9, " B"}, {1e6, " M"}};
  static constexpr Step kChinese[] = {{1e12, " 万亿"}, {1e8, " 亿"}, {1e4, " 万"}};
  constexpr double kLeast = 1e6, kMost = 1e16;
  const double size = std::fabs(number);
  if (!(size >= kLeast && size < kMost)) return four_digits(number);
  for (const Step& one : language == Language::kChinese ? kChinese : kEnglish) {
    if (size >= one.size) return four_digits(number / one.size) + one.word;
  }
  return four_digits(number);
}

std::string format(const Value& value) {
  if (const auto* number = std::get_if<double>(&value.data)) {
    if (value.unit == Unit::kTimes) return times(*number, true);
    return with_unit(value.unit == Unit::kPercent ? percent(*number) : four_digits(*number), value.unit);
  }
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return with_unit(with_thousands(*count), value.unit);
  if (const auto* range = std::get_if<StepRange>(&value.data)) {
    if (range->first == range->last) return with_thousands(range->first);
    return with_thousands(range->first) + "-" + with_thousands(range->last);
  }
  return std::get<std::string>(value.data);
}

std::string fill(const Text& text, const Values& values, Language language) {
  const bool english = &text.in(language) == &text.en;
  const std::string pattern = english ? without_brackets(text.en) : text.zh;
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t close = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
    const Value* found = nullptr;
    if (close != std::string::npos) {
      const std::string_view name = std::string_view(pattern).substr(at + 1, close - at - 1);
      for (const auto& [key, value] : values) {
        if (key == name) found = &value;
      }
    }
    if (found != nullptr) {
      const bool one = english && is_one(*found);
      if (one && std::holds_alternative<StepRange>(found->data)) make_last_word_single(out);
      at = close + 1;
      out += in_sentence(*found, std::string_view(pattern).substr(at), english);
      const bool chinese_unit = out.ends_with("万") || out.ends_with("亿");
      if (chinese_unit && at < pattern.size() && pattern[at] == ' ') ++at;  // 10 万倍
      std::string_view noun;
      if (one && begins_with_counted(std::string_view(pattern).substr(at), noun)) {
        out += " " + std::string(noun.substr(0, noun.size() - 1));
        at += 1 + noun.size();
      }
    } else {
      out += pattern[at++];
    }
  }
  return out;
}

}  // namespace assay
