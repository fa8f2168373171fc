#include "format/lines/lexicon.h"

#include <algorithm>

namespace assay::lines {

namespace {

constexpr std::size_t kNoKeyword = kMostKeywords;
constexpr std::array<std::string_view, 8> kNumberWords{"nan", "NaN", "NAN", "Nan", "inf", "Inf", "INF", "None"};

bool occur(const KeywordSet& found, std::span<const std::size_t> ids) {
  return std::all_of(ids.begin(), ids.end(), [&](std::size_t id) { return id == kNoKeyword || found[id]; });
}

}  // namespace

const Lexicon& Lexicon::get() {
  static const Lexicon lexicon;
  return lexicon;
}

Lexicon::Lexicon() {
  const auto number = [&](std::string_view text) { return text.empty() ? kNoKeyword : keywords_.add(text); };
  for (const Dialect& dialect : lines::dialects()) {
    auto& ids = dialects_.emplace_back();
    std::transform(dialect.anchors.begin(), dialect.anchors.end(), ids.begin(), number);
  }
  for (const Message& message : lines::messages()) {
    auto& ids = messages_.emplace_back();
    std::transform(message.texts.begin(), message.texts.end(), ids.begin(), number);
  }
  std::transform(kNumberWords.begin(), kNumberWords.end(), words_.begin(), number);
  traceback_ = number(kTraceback);
  keywords_.build();
}

const Dialect* Lexicon::dialect(std::string_view line, const KeywordSet& found) const {
  if (found.none()) return nullptr;
  for (std::size_t d = 0; d < dialects_.size(); ++d) {
    const Dialect& row = lines::dialects()[d];
    if (occur(found, dialects_[d]) && (!row.at_start || line.starts_with(row.anchors[0]))) return &row;
  }
  return nullptr;
}

std::vector<const Message*> Lexicon::messages(const KeywordSet& found) const {
  std::vector<const Message*> out;
  if (found.none()) return out;
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const Message& message = lines::messages()[m];
    const bool again = std::any_of(out.begin(), out.end(), [&](const Message* o) { return o->kind == message.kind; });
    if (!again && occur(found, messages_[m])) out.push_back(&message);
  }
  return out;
}

bool Lexicon::opens_wrapped_record(const KeywordSet& found) const {
  for (std::size_t d = 0; d < dialects_.size(); ++d) {
    if (!lines::dialects()[d].terminator.empty() && occur(found, dialects_[d])) return true;
  }
  return false;
}

bool Lexicon::has_number_word(const KeywordSet& found) const {
  return std::any_of(words_.begin(), words_.end(), [&](std::size_t id) { return found[id]; });
}

}  // namespace assay::lines
