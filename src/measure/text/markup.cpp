// Markup that was left in a text.
//
// A text extracted from a page should have none. Tags are read as a browser reads them, roughly: "<", a name of HTML's,
// anything up to ">" that stands within 4 KiB; a script or style reaches to its end tag. Names that HTML does not have
// are counted apart: XML and the generics of programs are no residue of a page. Layout tells a page from the few tags
// that Markdown allows: div, span, li, td, forms, and attributes that only a browser needs.
//
// MediaWiki: links, templates, tables, bold, references and headings. Each of these has another meaning somewhere
// ([[ -f in a shell, {{ in a template, == in a program), so at least two kinds must be there. BBCode: known names in
// brackets that are also closed.

#include "measure/text/markup.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"

namespace assay {

namespace {

constexpr std::size_t kLongestTag = 4096;
constexpr std::size_t kLongestScript = 1 << 20;
constexpr std::size_t kGap = 240;  // between tags of one stretch

constexpr std::string_view kTags[] = {
    "a",        "abbr",   "article", "aside",  "audio",  "b",      "blockquote", "body",   "br",       "button",
    "canvas",   "center", "code",    "col",    "dd",     "div",    "dl",         "dt",     "em",       "embed",
    "fieldset", "figure", "font",    "footer", "form",   "frame",  "frameset",   "h1",     "h2",       "h3",
    "h4",       "h5",     "h6",      "head",   "header", "hr",     "html",       "i",      "iframe",   "img",
    "input",    "label",  "legend",  "li",     "link",   "main",   "meta",       "nav",    "noscript", "object",
    "ol",       "option", "p",       "param",  "pre",    "script", "section",    "select", "small",    "source",
    "span",     "strong", "style",   "sub",    "sup",    "table",  "tbody",      "td",     "textarea", "tfoot",
    "th",       "thead",  "title",   "tr",     "u",      "ul",     "video",
};
static_assert(std::ranges::is_sorted(kTags));

constexpr std::string_view kLayout[] = {"button",   "div",    "embed",  "fieldset", "footer",  "form",   "frame",
                                        "frameset", "header", "iframe", "input",    "label",   "li",     "nav",
                                        "noscript", "object", "option", "script",   "section", "select", "span",
                                        "style",    "tbody",  "td",     "textarea", "tr",      "ul"};
static_assert(std::ranges::is_sorted(kLayout));

constexpr std::string_view kShell[] = {"body", "head", "html", "link", "meta", "title"};
static_assert(std::ranges::is_sorted(kShell));

struct Tag {
  std::size_t length = 0;  // 0: none
  std::string_view attributes = {};
  char name[12] = {};
  std::size_t name_size = 0;
  bool closing = false;
  bool doctype = false;
  std::string_view called() const { return {name, name_size}; }
};

// What ends comments, scripts and styles, remembered: a text of nothing but beginnings would be searched again from
// each.
class Ends {
 public:
  enum Kind : std::uint8_t { kComment, kScriptEnd, kStyleEnd };
  explicit Ends(std::string_view text) : text_(text) {}

  /// The next end from `from` on, at most `within` bytes away; npos: there is none.
  std::size_t find(Kind kind, std::size_t from, std::size_t within) {
    if (next_[kind] == kUnknown || (next_[kind] != std::string_view::npos && next_[kind] < from)) {
      constexpr std::string_view kWords[] = {"-->", "</script", "</style"};
      next_[kind] = kind == kComment ? text_.find(kWords[kind], from) : find_word(kWords[kind], from);
    }
    const std::size_t found = next_[kind];
    return found != std::string_view::npos && found - from <= within ? found : std::string_view::npos;
  }

 private:
  static constexpr std::size_t kUnknown = std::string_view::npos - 1;

  // In small or capital letters.
  std::size_t find_word(std::string_view word, std::size_t from) const {
    for (std::size_t at = text_.find("</", from); at != std::string_view::npos; at = text_.find("</", at + 2)) {
      if (lower(text_.substr(at, word.size())) == word) return at;
    }
    return std::string_view::npos;
  }

  std::string_view text_;
  std::size_t next_[3] = {kUnknown, kUnknown, kUnknown};
};

Tag tag_at(std::string_view text, std::size_t at, Ends& ends) {
  Tag out;
  std::size_t from = at + 1;
  if (from < text.size() && text[from] == '/') {
    out.closing = true;
    ++from;
  }
  if (text.substr(from, 3) == "!--") {
    const std::size_t end = ends.find(Ends::kComment, from, kLongestTag);
    if (end != std::string_view::npos) out.length = end + 3 - at;
    return out;
  }
  if (from < text.size() && text[from] == '!') {
    out.doctype = true;
    ++from;
  }
  while (from < text.size() && out.name_size < sizeof out.name && is_ascii(text[from], kAsciiLetter | kAsciiDigit)) {
    out.name[out.name_size++] = lower(text[from++]);
  }
  if (out.name_size == 0 || from >= text.size()) return out;
  const char next = text[from];
  if (next != '>' && next != '/' && !is_ascii(next, kAsciiBlank)) return out;
  const std::string_view rest = text.substr(from, kLongestTag);
  const std::size_t end = rest.find_first_of("<>");
  if (end == std::string_view::npos || rest[end] == '<') return out;
  out.attributes = rest.substr(0, end);
  out.length = from + end + 1 - at;
  return out;
}

bool has_layout(std::string_view attributes) {
  return contains_any(attributes, {"class=", "style=", "onclick=", "bgcolor=", "cellpadding=", "data-", "aria-"});
}

void append(std::vector<MarkupStretch>& out, std::size_t offset, std::size_t length) {
  if (!out.empty() && offset <= out.back().offset + out.back().length + kGap) {
    out.back().length = offset + length - out.back().offset;
  } else {
    out.push_back({offset, length});
  }
  ++out.back().marks;
  out.back().bytes += length;
}

std::size_t count_of(std::string_view text, std::string_view word, std::size_t enough) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos && count < enough; at = text.find(word, at + 1))
    ++count;
  return count;
}

void widen(MarkupStretch& all, std::size_t offset, std::size_t length) {
  if (all.marks++ == 0) all.offset = offset;
  all.length = std::max(all.length, offset + length - all.offset);
  all.bytes += length;
}

// The bracket that closes the one of `size` bytes at `at`, in one line and near.
std::size_t closing(std::string_view text, std::size_t at, std::string_view bracket, std::size_t within) {
  const std::string_view rest = text.substr(at, within);
  const std::size_t end = rest.find(bracket, bracket.size());
  const std::size_t feed = rest.find('\n');
  return end == std::string_view::npos || feed < end ? 0 : end + bracket.size();
}

// What begins with two equal brackets, two quotes, "==" or "{|", and its length.
enum class WikiKind : std::uint8_t { kNone, kLink, kFile, kTemplate, kTable, kBold, kHeading, kReference };
struct WikiMark {
  WikiKind kind = WikiKind::kNone;
  std::size_t length = 0;
};

WikiMark wiki_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, 400);
  const bool line_start = at == 0 || text[at - 1] == '\n';
  if (rest.starts_with("[[")) {
    const std::size_t length = closing(text, at, "]]", 300);
    if (length < 5 || is_ascii(rest[2], kAsciiBlank | kAsciiDigit) || rest[2] == '[' || rest[2] == '-') return {};
    const std::string_view inside = rest.substr(2, length - 4);
    if (inside.find_first_of("=(\"$") != std::string_view::npos) return {};
    return {inside.find(':') != std::string_view::npos ? WikiKind::kFile : WikiKind::kLink, length};
  }
  if (rest.starts_with("{{")) {
    if (rest.size() < 4 || !(is_ascii(rest[2], kAsciiLetter) || (rest[2] & 0x80) != 0)) return {};
    const std::size_t length = closing(text, at, "}}", 400);
    if (length != 0)
      return rest.substr(0, length).find('|') != std::string_view::npos ? WikiMark{WikiKind::kTemplate, length}
                                                                        : WikiMark{};
    const std::string_view line = rest.substr(0, rest.find('\n'));
    return line.size() < 60 && rest.find("\n|") != std::string_view::npos ? WikiMark{WikiKind::kTemplate, line.size()}
                                                                          : WikiMark{};
  }
  if (rest.starts_with("'''")) {
    const std::size_t length = closing(text, at, "'''", 300);
    return length > 6 ? WikiMark{WikiKind::kBold, length} : WikiMark{};
  }
  if (line_start && (rest.starts_with("{|") || rest.starts_with("|}") || rest.starts_with("|-\n")))
    return {WikiKind::kTable, 2};
  if (line_start && rest.starts_with("==")) {
    const std::size_t length = closing(text, at, "==", 120);
    return length > 5 && rest[2] != '-' ? WikiMark{WikiKind::kHeading, length} : WikiMark{};
  }
  if (rest.starts_with("<ref")) return {WikiKind::kReference, 5};
  return {};
}

constexpr std::array<bool, 256> kWikiSigns = [] {
  std::array<bool, 256> out{};
  for (const char c : {'[', '{', '\'', '=', '|', '<'}) out[static_cast<unsigned char>(c)] = true;
  return out;
}();

constexpr std::string_view kBbcodes[] = {"*",   "b",    "center", "code",  "color", "email",  "font",    "i",
                                         "img", "list", "li",     "quote", "s",     "size",   "spoiler", "table",
                                         "td",  "tr",   "u",      "ul",    "url",   "youtube"};

}  // namespace

void count_html(std::string_view text, HtmlCounts& out) {
  out = {};
  Ends ends(text);
  for (std::size_t at = 0; at < text.size();) {
    const void* found = std::memchr(text.data() + at, '<', text.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    const Tag tag = tag_at(text, at, ends);
    if (tag.length == 0) {
      out.source += text.substr(at, 5) == "<?php" || text.substr(at, 2) == "<%";
      ++at;
      continue;
    }
    const std::string_view name = tag.called();
    const bool known = name.empty() || std::ranges::binary_search(kTags, name) || (tag.doctype && name == "doctype");
    if (!known || (tag.doctype && name != "doctype")) {
      ++out.other_tags;
      at += tag.length;
      continue;
    }
    std::size_t length = tag.length;
    out.source += tag.attributes.find("className=") != std::string_view::npos ||
                  tag.attributes.find("={") != std::string_view::npos;
    if (!tag.closing && (name == "script" || name == "style") && !tag.attributes.ends_with('/')) {
      ++out.scripts;
      const std::size_t end =
          ends.find(name == "style" ? Ends::kStyleEnd : Ends::kScriptEnd, at + length, kLongestScript);
      if (end != std::string_view::npos) length = std::min(end + name.size() + 3, text.size()) - at;
    }
    ++out.tags;
    out.tag_bytes += length;
    out.layout_tags += std::ranges::binary_search(kLayout, name) || has_layout(tag.attributes);
    out.shell_tags += tag.doctype || std::ranges::binary_search(kShell, name);
    append(out.stretches, at, length);
    at += length;
  }
  out.source += count_of(text, "{{", 3) + count_of(text, "{%", 3);
}

WikiCounts count_wiki(std::string_view text) {
  WikiCounts out;
  unsigned kinds = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!kWikiSigns[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    // Marks begin with two equal signs, but for tables and references.
    const char c = text[at];
    const bool twice = at + 1 < text.size() && text[at + 1] == c;
    if (!twice && c != '{' && c != '|' && c != '<') {
      ++at;
      continue;
    }
    const WikiMark mark = wiki_at(text, at);
    if (mark.kind == WikiKind::kNone) {
      ++at;
      continue;
    }
    kinds |= 1U << static_cast<unsigned>(mark.kind);
    ++out.marks;
    widen(out.all, at, mark.length);
    at += mark.length;
  }
  out.kinds = static_cast<std::size_t>(__builtin_popcount(kinds));
  return out;
}

BbcodeCounts count_bbcode(std::string_view text) {
  BbcodeCounts out;
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const bool closes = at + 1 < text.size() && text[at + 1] == '/';
    const std::size_t from = at + (closes ? 2 : 1);
    std::size_t end = from;
    while (end < text.size() && end < from + 10 && (is_ascii(text[end], kAsciiLetter) || text[end] == '*')) ++end;
    if (end >= text.size() || (text[end] != ']' && text[end] != '=' && text[end] != ' ')) continue;
    const std::string name = lower(text.substr(from, end - from));
    if (std::ranges::find(kBbcodes, name) == std::end(kBbcodes)) continue;
    end = text.substr(0, std::min(text.size(), at + 300)).find(']', end);
    if (end == std::string_view::npos) continue;
    // "[i]" and "[s]" are indices in a program: what counts is that they are closed, too.
    (closes ? out.closed : out.opened) += 1;
    widen(out.all, at, end + 1 - at);
  }
  return out;
}

}  // namespace assay
