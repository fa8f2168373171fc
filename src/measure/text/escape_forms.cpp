// What an escape looks like, for each kind. Names of HTML's entities: those of ISO 8859-1 and of typography; "&name;"
// of any other name is more often an address in C than an entity.

#include "measure/text/escape_forms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "measure/text/ascii_classes.h"

namespace assay {

namespace {

using Entity = std::pair<std::string_view, char32_t>;

constexpr Entity kEntities[] = {
    {"AElig", 198},  {"Aacute", 193}, {"Acirc", 194},   {"Agrave", 192},  {"Alpha", 913},   {"Aring", 197},
    {"Atilde", 195}, {"Auml", 196},   {"Ccedil", 199},  {"Delta", 916},   {"Eacute", 201},  {"Ecirc", 202},
    {"Egrave", 200}, {"Euml", 203},   {"Gamma", 915},   {"Iacute", 205},  {"Icirc", 206},   {"Igrave", 204},
    {"Iuml", 207},   {"Ntilde", 209}, {"OElig", 338},   {"Oacute", 211},  {"Ocirc", 212},   {"Ograve", 210},
    {"Omega", 937},  {"Oslash", 216}, {"Otilde", 213},  {"Ouml", 214},    {"Prime", 8243},  {"Scaron", 352},
    {"Sigma", 931},  {"Uacute", 218}, {"Ucirc", 219},   {"Ugrave", 217},  {"Uuml", 220},    {"Yacute", 221},
    {"aacute", 225}, {"acirc", 226},  {"acute", 180},   {"aelig", 230},   {"agrave", 224},  {"alpha", 945},
    {"amp", '&'},    {"apos", '\''},  {"aring", 229},   {"asymp", 8776},  {"atilde", 227},  {"auml", 228},
    {"bdquo", 8222}, {"beta", 946},   {"bull", 8226},   {"ccedil", 231},  {"cent", 162},    {"circ", 710},
    {"copy", 169},   {"curren", 164}, {"darr", 8595},   {"deg", 176},     {"delta", 948},   {"divide", 247},
    {"eacute", 233}, {"ecirc", 234},  {"egrave", 232},  {"emsp", 8195},   {"ensp", 8194},   {"epsilon", 949},
    {"euml", 235},   {"euro", 8364},  {"frac12", 189},  {"frac14", 188},  {"frac34", 190},  {"gamma", 947},
    {"ge", 8805},    {"gt", '>'},     {"hArr", 8660},   {"harr", 8596},   {"hellip", 8230}, {"iacute", 237},
    {"icirc", 238},  {"iexcl", 161},  {"igrave", 236},  {"infin", 8734},  {"iquest", 191},  {"iuml", 239},
    {"lambda", 955}, {"laquo", 171},  {"larr", 8592},   {"ldquo", 8220},  {"le", 8804},     {"lsaquo", 8249},
    {"lsquo", 8216}, {"lt", '<'},     {"macr", 175},    {"mdash", 8212},  {"micro", 181},   {"middot", 183},
    {"minus", 8722}, {"mu", 956},     {"nbsp", 160},    {"ndash", 8211},  {"ne", 8800},     {"ntilde", 241},
    {"oacute", 243}, {"ocirc", 244},  {"oelig", 339},   {"ograve", 242},  {"omega", 969},   {"ordf", 170},
    {"ordm", 186},   {"oslash", 248}, {"otilde", 245},  {"ouml", 246},    {"para", 182},    {"pi", 960},
    {"plusmn", 177}, {"pound", 163},  {"prime", 8242},  {"quot", '"'},    {"raquo", 187},   {"rarr", 8594},
    {"rdquo", 8221}, {"reg", 174},    {"rsaquo", 8250}, {"rsquo", 8217},  {"sbquo", 8218},  {"scaron", 353},
    {"sect", 167},   {"shy", 173},    {"sigma", 963},   {"sum", 8721},    {"sup1", 185},    {"sup2", 178},
    {"sup3", 179},   {"szlig", 223},  {"theta", 952},   {"thinsp", 8201}, {"thorn", 254},   {"tilde", 732},
    {"times", 215},  {"trade", 8482}, {"uacute", 250},  {"uarr", 8593},   {"ucirc", 251},   {"ugrave", 249},
    {"uml", 168},    {"uuml", 252},   {"yacute", 253},  {"yen", 165},     {"yuml", 255},    {"zwj", 8205},
    {"zwnj", 8204},
};
static_assert(std::ranges::is_sorted(kEntities, {}, &Entity::first));

unsigned digit_value(char c) {
  return c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

/// Exactly `count` hexadecimal digits at `at`.
bool read_hex(std::string_view text, std::size_t at, std::size_t count, char32_t& out) {
  if (at + count > text.size()) return false;
  out = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_ascii(text[i], kAsciiHex)) return false;
    out = out * 16 + digit_value(text[i]);
  }
  return true;
}

Escape unicode_at(std::string_view text, std::size_t at) {
  char32_t code = 0;
  if (text[at] == 'u') return read_hex(text, at + 1, 4, code) ? Escape{5, code} : Escape{};
  if (at + 1 >= text.size()) return {};
  // JSON in JSON has two or more backslashes.
  std::size_t from = at + 1;
  while (from < text.size() && from < at + 4 && text[from] == '\\') ++from;
  if (from >= text.size()) return {};
  if (text[from] == 'u' && read_hex(text, from + 1, 4, code)) return {from + 5 - at, code};
  if (text[from] == 'U' && read_hex(text, from + 1, 8, code) && code < 0x110000) return {from + 9 - at, code};
  if (text.substr(from, 2) != "u{") return {};
  const std::size_t end = text.substr(0, std::min(text.size(), from + 10)).find('}', from);
  if (end == std::string_view::npos || end < from + 3 || !read_hex(text, from + 2, end - from - 2, code)) return {};
  return code < 0x110000 ? Escape{end + 1 - at, code} : Escape{};
}

Escape byte_at(std::string_view text, std::size_t at) {
  char32_t code = 0;
  std::size_t from = at + 1;
  while (from < text.size() && from < at + 3 && text[from] == '\\') ++from;
  if (from >= text.size()) return {};
  if ((text[from] | 0x20) == 'x') return read_hex(text, from + 1, 2, code) ? Escape{from + 3 - at, code} : Escape{};
  if (from + 3 > text.size() || text[from] < '0' || text[from] > '3') return {};
  for (std::size_t i = from; i < from + 3; ++i) {
    if (text[i] < '0' || text[i] > '7') return {};
    code = code * 8 + digit_value(text[i]);
  }
  return {from + 3 - at, code};
}

Escape percent_at(std::string_view text, std::size_t at) {
  char32_t code = 0;
  if (!read_hex(text, at + 1, 2, code)) return {};
  // "%08x" and "%20s" are formats.
  const bool digits = is_ascii(text[at + 1], kAsciiDigit) && is_ascii(text[at + 2], kAsciiDigit);
  const bool format = digits && at + 3 < text.size() && std::string_view("dsxXufeEgGildp").contains(text[at + 3]);
  // Nothing that writes addresses escapes letters and digits.
  const bool plain = code < 0x80 && is_ascii(static_cast<char>(code), kAsciiLetter | kAsciiDigit);
  if (format || plain || (code < 0x20 && code != '\n' && code != '\r' && code != '\t')) return {};
  return {3, code};
}

Escape entity_at(std::string_view text, std::size_t at) {
  std::size_t from = at + 1;
  if (from < text.size() && text[from] == '#') {
    const bool hex = from + 1 < text.size() && (text[from + 1] | 0x20) == 'x';
    from += hex ? 2 : 1;
    char32_t code = 0;
    std::size_t end = from;
    while (end < text.size() && end < from + 7 && is_ascii(text[end], hex ? kAsciiHex : kAsciiDigit)) {
      code = code * (hex ? 16 : 10) + digit_value(text[end++]);
    }
    const bool whole = end > from && end < text.size() && text[end] == ';' && code < 0x110000;
    return whole ? Escape{end + 1 - at, code} : Escape{};
  }
  const std::size_t end = text.substr(0, std::min(text.size(), from + 9)).find(';', from);
  if (end == std::string_view::npos) return {};
  const std::string_view name = text.substr(from, end - from);
  const auto* const found = std::ranges::lower_bound(kEntities, name, {}, &Entity::first);
  if (found == std::end(kEntities) || found->first != name) return {};
  return {end + 1 - at, found->second};
}

// "&amp;" and then what would be an entity with "&" before it, escaped once or more often.
Escape double_entity_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kAmp = "&amp;";
  if (text.substr(at, kAmp.size()) != kAmp) return {};
  std::size_t from = at + kAmp.size();
  while (text.substr(from, 4) == "amp;") from += 4;
  const Escape inner = from > 0 ? entity_at(text, from - 1) : Escape{};
  if (inner.length != 0) return {from - 1 + inner.length - at, inner.code};
  return from > at + kAmp.size() ? Escape{from - at, '&'} : Escape{};
}

// Mailers break lines at 76 bytes: "=" after a short line is something else.
bool is_long_line(std::string_view text, std::size_t at) {
  constexpr std::size_t kLong = 56;
  return at >= kLong && text.substr(at - kLong, kLong).find('\n') == std::string_view::npos;
}

// "=?UTF-8?Q?Caf=C3=A9?=" in the head of a mail is how it is written there.
bool is_in_encoded_word(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 75;  // RFC 2047
  const std::size_t from = at > kLongest ? at - kLongest : 0;
  const std::string_view before = text.substr(from, at - from);
  const std::size_t begin = before.rfind("=?");
  return begin != std::string_view::npos && before.find_first_of(" \t\n", begin) == std::string_view::npos;
}

// The end of a key in base64 is no line that was broken.
bool is_padding(std::string_view text, std::size_t at) {
  constexpr std::size_t kKey = 24;
  return at >= kKey &&
         std::ranges::all_of(text.substr(at - kKey, kKey), [](char c) { return is_ascii(c, kAsciiBlob); });
}

// "=A1+B1" is a formula of a spreadsheet: the name of a cell, and neither a letter nor another byte beside it.
bool is_cell(std::string_view text, std::size_t at) {
  if (!is_ascii(text[at + 1], kAsciiUpper) || !is_ascii(text[at + 2], kAsciiDigit)) return false;
  if (at > 0 && is_ascii(text[at - 1], kAsciiLetter | kAsciiDigit)) return false;
  if (at + 3 >= text.size()) return true;
  char32_t code = 0;
  if (text[at + 3] == '=') return !read_hex(text, at + 4, 2, code);
  return !is_ascii(text[at + 3], kAsciiLetter) && (text[at + 3] & 0x80) == 0;
}

Escape quoted_printable_at(std::string_view text, std::size_t at) {
  const std::string_view next = text.substr(at + 1, 2);
  if (next.starts_with('\n') || next == "\r\n") {
    if (!is_long_line(text, at) || is_padding(text, at)) return {};
    return {next.starts_with('\n') ? std::size_t{2} : std::size_t{3}, 0, true};
  }
  char32_t code = 0;
  if (!read_hex(text, at + 1, 2, code) || is_ascii(text[at + 1], kAsciiLower) || is_ascii(text[at + 2], kAsciiLower)) {
    return {};
  }
  if (is_cell(text, at) || is_in_encoded_word(text, at)) return {};
  // "=3D" and "=20" are what is escaped of ASCII; the rest of "=12" is arithmetic.
  return code >= 0x80 || code == '=' || code == ' ' || code == '\t' ? Escape{3, code} : Escape{};
}

// "[", numbers and ";", "m" (colours) or another letter of movement; with ESC, U+009B or "^[" before it.
Escape terminal_at(std::string_view text, std::size_t at) {
  const bool escaped = text[at] == '\x1B';
  std::size_t from = escaped ? at + 1 : at;
  if (from >= text.size() || text[from] != '[') return {};
  ++from;
  const std::size_t first = from;
  while (from < text.size() && from < first + 16 && (is_ascii(text[from], kAsciiDigit) || text[from] == ';')) ++from;
  if (from >= text.size() || !is_ascii(text[from], kAsciiLetter)) return {};
  // Without ESC only colours, which are hardly anything else; after a backslash they are source code.
  if (escaped) return {from + 1 - at, 0, true};
  if (text[from] != 'm' || (from == first && (at == 0 || text[at - 1] != ']'))) return {};
  const std::string_view before = text.substr(at > 6 ? at - 6 : 0, std::min<std::size_t>(at, 6));
  if (before.find('\\') != std::string_view::npos || before.ends_with('\x1B')) return {};
  if (from + 1 < text.size() && text[from + 1] == ']') return {};  // "[12m]": a length
  return {from + 1 - at, 0, true};
}

Escape byte_token_at(std::string_view text, std::size_t at) {
  char32_t code = 0;
  if (text.substr(at, 3) != "<0x" || !read_hex(text, at + 3, 2, code)) return {};
  return at + 5 < text.size() && text[at + 5] == '>' ? Escape{6, code} : Escape{};
}

Escape quoted_at(std::string_view text, std::size_t at) {
  std::size_t from = at + 1;
  while (from < text.size() && from < at + 8 && text[from] == '\\') ++from;
  if (from >= text.size() || (text[from] != '"' && text[from] != '/')) return {};
  // A comment of roff; pictures of slashes.
  if (text[from] == '"' && at > 0 && (text[at - 1] == '.' || text[at - 1] == '\'')) return {};
  if (text[from] == '/' && (at == 0 || !(is_ascii(text[at - 1], kAsciiLetter | kAsciiDigit) || text[at - 1] == ':' ||
                                         text[at - 1] == '/' || text[at - 1] == '<'))) {
    return {};
  }
  return {from + 1 - at, static_cast<unsigned char>(text[from])};
}

// "\n" and "\r\n" where a line feed should be. "\nabla" is LaTeX, "\n\"" the end of a string in a program.
Escape line_feed_at(std::string_view text, std::size_t at) {
  std::size_t from = at + 1;
  if (from < text.size() && text[from] == '\\') ++from;
  if (text.substr(from, 3) == "r\\n") from += 2;
  if (from >= text.size() || text[from] != 'n') return {};
  const char next = from + 1 < text.size() ? text[from + 1] : ' ';
  if (is_ascii(next, kAsciiLower) || next == '"' || next == '\'' || next == '`') return {};
  return {from + 1 - at, '\n'};
}

// A word that begins with the mark (two of GPT-2's alphabet, one of SentencePiece), or a piece that ends in "@@".
Escape token_mark_at(std::string_view text, std::size_t at) {
  if (text.substr(at, 3) == "@@ ")
    return at > 0 && is_ascii(text[at - 1], kAsciiLetter) ? Escape{3, 0, true} : Escape{};
  for (const std::string_view mark : {"\xC4\xA0", "\xE2\x96\x81", "\xC4\x8A"}) {
    if (text.substr(at, mark.size()) != mark || at + mark.size() >= text.size()) continue;
    const char next = text[at + mark.size()];
    const bool word = is_ascii(next, kAsciiLetter) || (next & 0x80) != 0;
    if (word && text.substr(at + mark.size(), mark.size()) != mark)
      return {mark.size(), mark[1] == '\x8A' ? '\n' : U' '};
  }
  return {};
}

}  // namespace

Escape escape_at(std::string_view text, std::size_t at, EscapeKind kind) {
  switch (kind) {
    case EscapeKind::kUnicode: return unicode_at(text, at);
    case EscapeKind::kByte: return byte_at(text, at);
    case EscapeKind::kPercent: return percent_at(text, at);
    case EscapeKind::kEntity: return entity_at(text, at);
    case EscapeKind::kDoubleEntity: return double_entity_at(text, at);
    case EscapeKind::kQuotedPrintable: return quoted_printable_at(text, at);
    case EscapeKind::kTerminal: return terminal_at(text, at);
    case EscapeKind::kByteToken: return byte_token_at(text, at);
    case EscapeKind::kQuoted: return quoted_at(text, at);
    case EscapeKind::kLineFeed: return line_feed_at(text, at);
    case EscapeKind::kTokenMark: return token_mark_at(text, at);
    case EscapeKind::kBackslashes: break;
  }
  return {};
}

}  // namespace assay
