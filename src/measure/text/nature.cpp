// What a document is made of, added to a sum. Order: scripts (all of the text, from the survey where it is ASCII), kind
// (three windows), language (one window, text only: a program has the language of its comments at most), tokens.

#include "measure/text/nature.h"

#include <algorithm>

#include "measure/text/kind.h"
#include "measure/text/language.h"
#include "measure/text/script.h"
#include "measure/text/tokens.h"

namespace assay {

void NatureShares::add(const NatureShare& share) {
  const auto place = std::lower_bound(shares_.begin(), shares_.end(), share.id,
                                      [](const NatureShare& a, std::uint16_t id) { return a.id < id; });
  if (place == shares_.end() || place->id != share.id) {
    shares_.insert(place, share);
    return;
  }
  place->documents += share.documents;
  place->bytes += share.bytes;
  place->tokens += share.tokens;
}

void NatureShares::add(const NatureShares& other) {
  for (const NatureShare& one : other.shares_) add(one);
}

const NatureShare* NatureShares::main() const {
  const auto most = std::max_element(shares_.begin(), shares_.end(),
                                     [](const NatureShare& a, const NatureShare& b) { return a.bytes < b.bytes; });
  return most == shares_.end() ? nullptr : &*most;
}

void TextNature::add(const TextNature& other) {
  languages.add(other.languages);
  scripts.add(other.scripts);
  kinds.add(other.kinds);
  tokens += other.tokens;
}

void add_nature(std::string_view text, const TextSurvey& survey, TextNature& out) {
  if (text.empty()) return;
  ScriptCounts scripts;
  count_scripts(text, survey, scripts);
  const TextKind kind = kind_of_text(text, survey);
  const LanguageId language = is_text(kind) ? language_of(text, scripts) : kUnknownLanguage;
  const TokenEstimate tokens = estimate_tokens(scripts, kind, language);
  const auto main = static_cast<std::size_t>(main_script(scripts));
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kScripts; ++i) {
    all += tokens[i];
    if (scripts.characters[i] == 0 && i != main) continue;
    out.scripts.add({static_cast<std::uint16_t>(i), i == main ? 1U : 0U, scripts.bytes[i], tokens[i]});
  }
  out.kinds.add({static_cast<std::uint16_t>(kind), 1, text.size(), all});
  if (is_text(kind)) out.languages.add({language, 1, text.size(), all});
  out.tokens += all;
}

}  // namespace assay
