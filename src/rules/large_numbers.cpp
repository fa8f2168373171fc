// A billion and 十亿 do not share their noughts, so each language counts for itself. Three digits: what these numbers are
// compared with is known no better.

#include "rules/large_numbers.h"

#include <array>
#include <cmath>
#include <string_view>

namespace assay {

namespace {

constexpr double kPlain = 1e4;
constexpr double kMost = 1e16;

struct Word {
  double size = 0;
  std::string_view name;
};
constexpr std::array kEnglish{Word{1e12, "T"}, Word{1e9, "B"}, Word{1e6, "M"}, Word{1e3, "K"}};
constexpr std::array kChinese{Word{1e12, "万亿"}, Word{1e8, "亿"}, Word{1e4, "万"}};

double three_digits(double number) {
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  return std::round(number / unit) * unit;
}

template <std::size_t count>
std::string said(double number, const std::array<Word, count>& words) {
  for (const Word& word : words) {
    if (number >= word.size) return format(Value(number / word.size)) + " " + std::string(word.name);
  }
  return format(Value(number));
}

}  // namespace

Text in_words(double number) {
  if (!(number >= 1) || number > kMost) return {format(Value(number)), format(Value(number))};
  if (number < kPlain) return {format(Value(std::lround(number))), format(Value(std::lround(number)))};
  const double rounded = three_digits(number);
  return {said(rounded, kEnglish), said(rounded, kChinese)};
}

void add_large(Values& values, const std::string& name, double number) {
  const Text words = in_words(number);
  values.emplace_back(name, number);
  values.emplace_back(name + "_en", words.en);
  values.emplace_back(name + "_zh", words.zh);
}

}  // namespace assay
