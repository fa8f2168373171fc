#pragma once
// Who quotes a piece of text by itself writes about it.

#include <cstddef>
#include <string_view>

namespace assay {

/// Whether text[at, end) stands between quotation marks, or beside one with no letter on the other side: "is shown as
/// “Ã©” or “Ã§”". No-break blanks within the marks (French) do not count.
bool is_mentioned(std::string_view text, std::size_t at, std::size_t end);

/// Whether it stands between quotation marks that a printer sets (“ ” « » 「 」), but for at most two characters on each
/// side.
bool is_within_quotes(std::string_view text, std::size_t at, std::size_t end);

}  // namespace assay
