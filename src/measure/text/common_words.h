#pragma once
// Common words of English.

#include <string_view>

namespace assay {

/// Whether the word, or what it is without its ending, is one of 1,500 common ones. `word`: ASCII letters.
bool is_common_word(std::string_view word);

}  // namespace assay
