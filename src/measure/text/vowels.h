#pragma once
// Vowels of alphabets whose languages share them.

#include <string_view>

namespace assay {

/// Small letters, with the accents that these languages write.
inline constexpr std::u32string_view kGreekVowels = U"αεηιουωάέήίόύώϊϋΐΰ";
inline constexpr std::u32string_view kCyrillicVowels = U"аеёиоуыэюяіїєѐѝўъ";

}  // namespace assay
