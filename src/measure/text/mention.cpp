#include "measure/text/mention.h"

#include "measure/text/characters.h"

namespace assay {

namespace {

bool is_quote(char32_t c) {
  return c == '"' || c == '\'' || c == '`' || c == 0xab || c == 0xbb || (c >= 0x2018 && c <= 0x201f) ||
         (c >= 0x300c && c <= 0x300f);
}

}  // namespace

bool is_within_quotes(std::string_view text, std::size_t at, std::size_t end) {
  constexpr int kBeside = 3;
  const auto is_set = [](char32_t c) { return c >= 0x80 && is_quote(c); };
  bool opened = false;
  for (int i = 0; i < kBeside && at > 0 && !opened; ++i) {
    at = before(text, at);
    opened = is_set(character_at(text, at).code);
  }
  for (int i = 0; i < kBeside && end < text.size() && opened; ++i) {
    const Character one = character_at(text, end);
    if (is_set(one.code)) return true;
    end += one.bytes;
  }
  return false;
}

bool is_mentioned(std::string_view text, std::size_t at, std::size_t end) {
  const auto is_space = [&](std::size_t i, std::size_t size) {
    return text.substr(i, size) == "\u00a0" || text.substr(i, size) == "\u202f";  // within «»
  };
  while (at >= 2 && is_space(before(text, at), at - before(text, at))) at = before(text, at);
  while (end < text.size() && is_space(end, character_at(text, end).bytes)) end += character_at(text, end).bytes;
  if (at == 0 || end >= text.size()) return false;
  const char32_t first = character_at(text, before(text, at)).code;
  const char32_t last = character_at(text, end).code;
  return (is_quote(first) && !is_letter(kind_of(last))) || (is_quote(last) && !is_letter(kind_of(first)));
}

}  // namespace assay
