// Escapes that were not undone.
//
// Each kind begins with one of few bytes. The survey says how many of those there are: where they are too few for
// anything to be said, nothing is read. Else memchr goes from one to the next, and what stands there is parsed. Escapes
// close to each other are one run; how close depends on the kind: Chinese written as \u4e2d has no gap, French with
// entities has words between. A run is what a rule judges, and what can be undone as a whole.
//
// Undoing: bytes are put together and must be valid UTF-8, otherwise nothing is offered. Two halves of a surrogate pair
// make one character.

#include "measure/text/escapes.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "measure/text/ascii_classes.h"
#include "measure/text/escape_forms.h"

namespace assay {

namespace {

struct Search {
  EscapeKind kind;
  char lead;
  std::size_t least;  // leads in the text, below which there is nothing to say
  std::size_t gap;    // bytes between escapes of one run
};

// A run of backslashes is searched for in find_backslashes.
constexpr Search kSearches[] = {
    {EscapeKind::kUnicode, '\\', 6, 8},          {EscapeKind::kByte, '\\', 8, 8},
    {EscapeKind::kQuoted, '\\', 8, 120},         {EscapeKind::kLineFeed, '\\', 3, 600},
    {EscapeKind::kPercent, '%', 4, 24},          {EscapeKind::kUnicode, '%', 6, 8},
    {EscapeKind::kDoubleEntity, '&', 2, 200},    {EscapeKind::kEntity, '&', 3, 200},
    {EscapeKind::kQuotedPrintable, '=', 3, 200}, {EscapeKind::kTerminal, '\x1B', 1, 200},
    {EscapeKind::kTerminal, '[', 6, 200},        {EscapeKind::kByteToken, '<', 3, 40},
    {EscapeKind::kTokenMark, '\xC4', 6, 60},     {EscapeKind::kTokenMark, '\xE2', 6, 60},
    {EscapeKind::kTokenMark, '@', 12, 60},
};

constexpr Search kBareUnicode = {EscapeKind::kUnicode, 'u', 8, 8};

// Whether the word that `at` is in begins as an address.
bool is_in_address(std::string_view text, std::size_t at) {
  const std::size_t limit = at > 400 ? at - 400 : 0;
  std::size_t from = at;
  while (from > limit && text[from - 1] > ' ' && text[from - 1] != '"' && text[from - 1] != '<') --from;
  const std::string_view word = text.substr(from, at - from);
  return word.find("://") != std::string_view::npos || word.starts_with('/') ||
         word.find("](/") != std::string_view::npos || word.find("www.") != std::string_view::npos;
}

void find_of(std::string_view text, const Search& search, std::vector<EscapeRun>& out) {
  EscapeRun run;
  const auto close = [&] {
    if (run.count > 0) out.push_back(run);
    run = {};
  };
  for (std::size_t at = 0; at < text.size();) {
    const void* found = std::memchr(text.data() + at, search.lead, text.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    const Escape escape = escape_at(text, at, search.kind);
    if (escape.length == 0 || at + escape.length > text.size()) {
      ++at;
      continue;
    }
    if (run.count > 0 && at > run.offset + run.length + search.gap) close();
    if (run.count == 0) {
      run.offset = at;
      run.kind = search.kind;
      run.in_address = search.kind == EscapeKind::kPercent && is_in_address(text, at);
    }
    ++run.count;
    run.bytes += escape.length;
    at += escape.length;
    run.length = at - run.offset;
  }
  close();
}

void find_backslashes(std::string_view text, std::vector<EscapeRun>& out) {
  constexpr std::size_t kLeast = 16;
  const auto belongs = [](char c) { return c == '\\'; };
  for (ByteRun run = next_run(text, 0, kLeast, belongs); run.first < text.size();
       run = next_run(text, run.last, kLeast, belongs)) {
    const std::size_t length = run.last - run.first;
    out.push_back({run.first, length, EscapeKind::kBackslashes, length, length});
  }
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

bool holds_bytes(EscapeKind kind) {
  return kind == EscapeKind::kByte || kind == EscapeKind::kPercent || kind == EscapeKind::kQuotedPrintable ||
         kind == EscapeKind::kByteToken;
}

bool may_lead(char c, EscapeKind kind) {
  if (kind == EscapeKind::kUnicode && c == 'u') return true;
  return std::ranges::any_of(kSearches, [&](const Search& one) { return one.kind == kind && one.lead == c; });
}

}  // namespace

void find_escapes(std::string_view text, const TextSurvey& survey, std::vector<EscapeRun>& out) {
  out.clear();
  for (const Search& search : kSearches) {
    if (survey.of(search.lead) >= search.least) find_of(text, search, out);
  }
  if (survey.of('\\') >= 16) find_backslashes(text, out);
  // "u4e2du6587": the backslashes were lost. In no language is one letter in twelve a "u" while there are as many
  // digits.
  if (survey.digits >= 8 && survey.digits * 12 >= text.size() && survey.vowels * 12 >= text.size()) {
    const auto count = static_cast<std::size_t>(std::ranges::count(text, 'u'));
    if (count >= 8 && count * 12 >= text.size() && survey.digits >= count) find_of(text, kBareUnicode, out);
  }
}

std::string unescaped(std::string_view run, EscapeKind kind) {
  if (kind == EscapeKind::kBackslashes) return {};
  std::string out;
  char32_t high = 0;  // the first half of a surrogate pair
  for (std::size_t at = 0; at < run.size();) {
    const Escape escape = may_lead(run[at], kind) ? escape_at(run, at, kind) : Escape{};
    if (escape.length == 0) {
      if (high != 0) return {};
      out += run[at++];
      continue;
    }
    at += escape.length;
    if (escape.is_nothing) continue;
    if (escape.code >= 0xD800 && escape.code < 0xDC00 && high == 0) {
      high = escape.code;
    } else if (escape.code >= 0xDC00 && escape.code < 0xE000 && high != 0) {
      append_utf8(out, 0x10000 + ((high - 0xD800) << 10) + (escape.code - 0xDC00));
      high = 0;
    } else if (high != 0 || (escape.code >= 0xD800 && escape.code < 0xE000)) {
      return {};
    } else if (holds_bytes(kind)) {
      out += static_cast<char>(static_cast<unsigned char>(escape.code));
    } else {
      append_utf8(out, escape.code);
    }
  }
  const bool valid = high == 0 && count_invalid_utf8(out) == 0 && out != run;
  // A sequence that the end cuts is not counted as invalid.
  const bool whole = out.empty() || (out.back() & 0x80) == 0 || count_invalid_utf8(out + " ") == 0;
  const bool printable = std::ranges::none_of(
      out, [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7F; });
  return valid && whole && printable ? out : std::string();
}

}  // namespace assay
