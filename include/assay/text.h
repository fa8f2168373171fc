#pragma once
// Sentences in two languages, and the values that are put into them.
//
// A sentence is written once, English and Chinese side by side, with named places: "loss rose from {before} to {peak}".
// What a rule returns is not text but a Phrase: the key of a sentence and its values. The report carries the sentences,
// so that every output format, and a saved report read again years later, can be rendered in either language.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/location.h"
#include "assay/series.h"

namespace assay {

enum class Language : std::uint8_t { kEnglish, kChinese };

struct Text {
  std::string en;
  std::string zh;
  const std::string& in(Language language) const { return language == Language::kChinese && !zh.empty() ? zh : en; }
};

/// A number, a count, a step, a range of steps, or a word of the input (a metric, a path), with its unit.
struct Value {
  std::variant<double, std::int64_t, StepRange, std::string> data = 0.0;
  Unit unit = Unit::kNone;
  Value() = default;
  Value(double number, Unit u = Unit::kNone) : data(number), unit(u) {}      // NOLINT(google-explicit-constructor)
  Value(std::int64_t count, Unit u = Unit::kNone) : data(count), unit(u) {}  // NOLINT(google-explicit-constructor)
  Value(std::size_t count) : data(static_cast<std::int64_t>(count)) {}       // NOLINT(google-explicit-constructor)
  Value(int count) : data(std::int64_t{count}) {}                            // NOLINT(google-explicit-constructor)
  Value(StepRange range) : data(range) {}                                    // NOLINT(google-explicit-constructor)
  Value(std::string word) : data(std::move(word)) {}                         // NOLINT(google-explicit-constructor)
  Value(std::string_view word) : data(std::string(word)) {}                  // NOLINT(google-explicit-constructor)
  Value(const char* word) : data(std::string(word)) {}                       // NOLINT(google-explicit-constructor)
  friend bool operator==(const Value&, const Value&) = default;
};

using Values = std::vector<std::pair<std::string, Value>>;  // in the order in which they were given

struct Phrase {
  std::string key;  // of a sentence of the rule (or, outside findings, of the report)
  Values values;
};

struct Sentence {
  std::string key;
  Text text;
};

/// A value as people read it: 41,237 · 3.0e-04 · 2.61 · 12.5 % · 1,900-2,130 · "Inf". Four significant digits, of a
/// share one decimal.
std::string format(const Value& value);

/// The sentence with its places filled. A place without a value stays as written, so that a mistake is seen, not
/// hidden. English nouns agree with their number: "steps {steps}", "{count} records" (or "record(s)") are one step, one
/// record.
std::string fill(const Text& text, const Values& values, Language language);

}  // namespace assay
