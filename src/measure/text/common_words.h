#pragma once
// Common words of English.

#include <string_view>

namespace assay {

/// Whether the word, or what it is without its ending, is one of 1,500 common ones. `word`: ASCII letters.
/// `readable`: bytes that may be read from its beginning on, as many as it has or more. Words that stand in a text are
/// read faster where they do not end it.
bool is_common_word(std::string_view word, std::size_t readable = 0);

}  // namespace assay
