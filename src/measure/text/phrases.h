#pragma once
// Sentences that stand on millions of pages: placeholders, cookie banners, error pages.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

enum class PhraseKind : std::uint8_t {
  kPlaceholder,  // lorem ipsum
  kCookies,      // consent
  kScript,       // "enable JavaScript"
  kParked,       // domain for sale, default page of a server
  kMissing,      // 404, access denied, captcha
  kTerms,        // rights, terms, privacy
  kNavigation,   // menus, log in, share, subscribe
};
inline constexpr std::size_t kPhraseKinds = 7;

struct FoundPhrase {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  PhraseKind kind = PhraseKind::kPlaceholder;
  std::uint8_t weight = 1;  // 3: says alone what the page is
  std::uint16_t which = 0;  // of the table
};

/// All phrases of the table, in the order of the text, small and capital letters alike.
void find_phrases(std::string_view text, std::vector<FoundPhrase>& out);

/// Stretches of placeholder text: at least eight of its words, next to each other.
void find_placeholder(std::string_view text, std::vector<FoundPhrase>& out);

}  // namespace assay
