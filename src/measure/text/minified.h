#pragma once
// Source code without line breaks and blanks, as tools write it for browsers.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"

namespace assay {

enum class MinifiedKind : std::uint8_t { kScript, kStyle, kSymbols };

struct MinifiedStretch {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  MinifiedKind kind = MinifiedKind::kScript;
};

/// In the order of the text. Reads only what the survey lets expect something.
void find_minified(std::string_view text, const TextSurvey& survey, std::vector<MinifiedStretch>& out);

}  // namespace assay
