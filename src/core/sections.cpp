// Sentences and cells of sections, for studies and for what is told beside findings.

#include "core/sections.h"

#include <utility>

namespace assay {

Text filled(std::string_view en, std::string_view zh, const Values& values) {
  const Text text{std::string(en), std::string(zh)};
  return {fill(text, values, Language::kEnglish), fill(text, values, Language::kChinese)};
}

Text both(std::string text) { return {std::move(text), {}}; }

void add_line(Text& text, const Text& line) {
  // The Chinese text is empty while all lines are the same in both languages.
  const std::string chinese = text.zh.empty() ? text.en : text.zh;
  text.zh = chinese + (chinese.empty() ? "" : "\n") + line.in(Language::kChinese);
  text.en += (text.en.empty() ? "" : "\n") + line.en;
}

Cell cell(double value, std::string text) { return {Value(value), both(std::move(text))}; }

Cell cell(std::string word, Text text) { return {Value(std::move(word)), std::move(text)}; }

Cell count_cell(std::uint64_t count) { return {Value(static_cast<std::int64_t>(count)), {}}; }

}  // namespace assay
