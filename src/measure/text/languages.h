#pragma once
// The languages that a report has names for.

#include <span>
#include <string_view>

namespace assay {

struct LanguageName {
  std::string_view code, en, zh;  // code: ISO 639, with a script where it needs one
};

/// [0] is "unknown". Sorted by code from [1] on.
std::span<const LanguageName> languages();

}  // namespace assay
