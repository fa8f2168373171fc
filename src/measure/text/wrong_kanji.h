#pragma once
// Japanese in EUC-JP that was read as GBK: its kana stay, its ideographs become others.

#include <optional>
#include <string_view>

#include "measure/text/wrong_page.h"

namespace assay {

/// The confusion, where the text becomes likelier without it. Looks at the first 2,000 characters. Precondition: UTF-8.
std::optional<Confusion> wrong_kanji(std::string_view text);

}  // namespace assay
