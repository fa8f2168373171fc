// UTF-8 that was decoded with a code page of one byte. Each character above ASCII then stands as two to four: the first
// is a byte from C2 to F4, the others are bytes from 80 to BF. In Windows-1252 "é" is "Ã©", "’" is "â€™".
//
// The idea: find such sequences and undo them, and weigh what stands there against what would stand there. Undoing
// alone proves little: "Ê…" at the end of a Portuguese line, "ВІ" in Ukrainian, "─┤" in a table are sequences, too. So
// two questions are asked of each, and answered with points, about two for a factor of ten in the odds:
//   is the character that comes out natural here?   A letter of the word that it stands in, a letter of the script of
//     the sequence before, a quotation mark, an emoji. Rare letters, IPA, combining marks, unassigned code points speak
//     against it, and rule the sequence out: chance makes those, because few code points are in use.
//   is what stands here odd?   A C1 control, a capital after a small letter, a sign inside a word, a letter of another
//     script inside a word, a box beside a letter. A quotation mark or a blank behind the first letter is not: words
//       end
//     with them.
// Points of all sequences of a page are added; the page with most is the one that was used. 5 are reached by one clear
// sequence ("â€™", "Ã©" in a word) or several weak ones ("Â " twice). The points were set by hand from what follows
// from the alphabets, and checked on texts in 90 languages and their mojibake in all pages; they are not fitted.
//
// Lost bytes. Windows-1252 leaves 81, 8D, 8F, 90, 9D undefined, so that decoders put U+FFFD, "?" or nothing; programs
// turn the no-break space (A0) into a blank. Such a hole is filled with the byte that gives the most natural character.
// Repeated misreadings ("Ã¢â‚¬â„¢") decode to natural letters at the first step already; repairing goes on until
// nothing odd is left.
//
// Source: the code pages; the idea of judging by what comes out is that of ftfy (R. Speer), whose negative examples are
// among the tests. Limits: pages with the same letters at the lead bytes (Windows-1254, ISO-8859-9, -15) are told as
// Windows-1252; one short word in a script of its own may be missed.

#include "measure/text/misread_utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "measure/text/characters.h"
#include "measure/text/likelihood.h"
#include "measure/text/mention.h"
#include "measure/text/misread_points.h"
#include "measure/text/next_odd.h"

namespace assay {

namespace {

using Kind = CharacterKind;

constexpr std::array<SingleByte, 18> kPages = {
    SingleByte::kWestern,     SingleByte::kWindows1250, SingleByte::kWindows1251, SingleByte::kWindows1253,
    SingleByte::kWindows1254, SingleByte::kWindows1255, SingleByte::kWindows1256, SingleByte::kWindows1257,
    SingleByte::kMacRoman,    SingleByte::kDos437,      SingleByte::kDos850,      SingleByte::kDos852,
    SingleByte::kDos866,      SingleByte::kKoi8R,       SingleByte::kIso2,        SingleByte::kIso5,
    SingleByte::kMacCyrillic, SingleByte::kThai};

// Lead bytes of characters that texts are made of. The others (C7, C9, CA, CC, CD: IPA and marks; D3 to D5: rare
// Cyrillic, Armenian; DC to DF; EE: private use; F1 on) come out of chance pairs only.
constexpr bool is_lead(unsigned byte) {
  return (byte >= 0xc2 && byte <= 0xc6) || byte == 0xc8 || byte == 0xcb || (byte >= 0xce && byte <= 0xd2) ||
         (byte >= 0xd6 && byte <= 0xdb) || (byte >= 0xe0 && byte <= 0xed) || byte == 0xef || byte == 0xf0;
}
constexpr bool is_rest(unsigned byte) { return byte >= 0x80 && byte <= 0xbf; }

// Whether a lead byte is that of the script of the letter which it was read as.
bool is_own(CharacterKind kind, unsigned byte) {
  switch (kind) {
    case CharacterKind::kCyrillic: return byte == 0xd0 || byte == 0xd1;
    case CharacterKind::kGreek: return byte == 0xce || byte == 0xcf;
    case CharacterKind::kHebrew: return byte == 0xd7;
    case CharacterKind::kArabic: return byte >= 0xd8 && byte <= 0xdb;
    case CharacterKind::kThai: return byte == 0xe0;
    default: return false;
  }
}

// For each character of the plane: as which pages' lead byte or following byte it can stand. Bit i: kPages[i].
struct Roles {
  struct Row {
    std::uint32_t lead = 0;
    std::uint32_t rest = 0;
    std::uint32_t own = 0;  // lead of a character of the same script in UTF-8: "Р" of Windows-1251 is D0
    Kind kind = Kind::kSpace;
    bool capital = false;  // Cyrillic
  };
  std::array<std::uint16_t, 0x10000> index = {};
  std::vector<Row> rows = {Row{}};
  const Row& of(char32_t code) const { return rows[code < 0x10000 ? index[code] : 0]; }
};

const Roles& roles() {
  static const std::unique_ptr<const Roles> built = [] {
    auto out = std::make_unique<Roles>();
    for (char32_t code = 0x80; code < 0x10000; ++code) {
      Roles::Row row;
      for (std::size_t i = 0; i < kPages.size(); ++i) {
        const unsigned byte = single_page(kPages[i]).encode(code);
        row.lead |= static_cast<std::uint32_t>(is_lead(byte)) << i;
        row.rest |= static_cast<std::uint32_t>(is_rest(byte)) << i;
        row.own |= static_cast<std::uint32_t>(is_own(kind_of(code), byte)) << i;
      }
      if ((row.lead | row.rest) == 0) continue;
      row.kind = kind_of(code);
      row.capital = row.kind == Kind::kCyrillic && !is_small_cyrillic(code);
      out->index[code] = static_cast<std::uint16_t>(out->rows.size());
      out->rows.push_back(row);
    }
    return out;
  }();
  return *built;
}

struct Sequence {
  Misread misread;
  Kind kind = Kind::kSpace;  // of what comes out
};

constexpr unsigned length_of(unsigned lead) { return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4; }

// The code point of the bytes; 0 where they are none. Surrogates pass: CESU-8.
char32_t code_of(const std::array<unsigned, 4>& bytes, unsigned length) {
  const auto low = [&](unsigned i) { return bytes[i] & 0x3f; };
  if (length == 2) return (bytes[0] & 0x1f) << 6 | low(1);
  if (length == 3) {
    const char32_t code = (bytes[0] & 0x0f) << 12 | low(1) << 6 | low(2);
    return code < 0x800 ? 0 : code;
  }
  const char32_t code = (bytes[0] & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3);
  return code < 0x10000 || code > 0x10ffff ? 0 : code;
}

// Reads one sequence of a page at a lead character.
class Reader {
 public:
  Reader(std::string_view text, unsigned page) : text_(text), page_(single_page(kPages[page])) {}

  // `at`: of a character that is a lead byte of the page. weight < 0 or length 0: none.
  Sequence read(std::size_t at, const Around& around) {
    around_ = around;
    Character one = character_at(text_, at);
    bytes_[0] = page_.encode(one.code);
    length_ = length_of(bytes_[0]);
    codes_[0] = one.code;
    std::size_t next = at + one.bytes;
    unsigned holes = 0;
    unsigned hole = 0;
    for (unsigned i = 1; i < length_; ++i) {
      one = next < text_.size() ? character_at(text_, next) : Character{' ', 0};
      const unsigned byte = one.code >= 0x80 ? page_.encode(one.code) : 0;
      codes_[i] = one.code;
      if (is_rest(byte)) {
        bytes_[i] = byte;
      } else if (one.code == ' ' && one.bytes > 0 && space_is_hole(i)) {
        bytes_[i] = 0xa0;
      } else if (i >= 1 && (one.code == 0xfffd || (one.code == '?' && mark_is_hole(next, i)))) {
        hole = i;
        ++holes;
      } else if (i + 1 == length_ && holes == 0 && may_lack_last()) {
        hole = i;  // dropped: "â€" for "â€\x9d"
        ++holes;
        codes_[i] = 0;
        continue;
      } else {
        return {};
      }
      next += one.bytes;
    }
    if (holes > 1) return {};
    around_.after = next < text_.size() ? character_at(text_, next).code : U' ';
    more_ = page_.encode(around_.after) >= 0xc2 && around_.after >= 0x80;
    return judge(at, next - at, hole);
  }

 private:
  // A blank stands for A0 where the sequence goes on behind it, or where "Ã" stands alone: it was "à".
  bool space_is_hole(unsigned i) const {
    return (bytes_[0] == 0xc3 && codes_[0] == 0xc3 && i == 1 && length_ == 2 && !is_capital(around_.before)) ||
           (length_ == 3 && i == 2 && bytes_[0] == 0xe0 && around_.last == Kind::kThai);
  }
  // The last byte is often dropped, and only where the others tell enough: "â€" for a quotation mark, "ðŸ˜" for a face.
  bool may_lack_last() const {
    return (bytes_[0] == 0xe2 && bytes_[1] == 0x80) || (bytes_[0] == 0xf0 && bytes_[1] == 0x9f);
  }
  // A question mark stands for a lost byte where a byte of the page follows at once.
  bool mark_is_hole(std::size_t at, unsigned i) const {
    if (at + 1 >= text_.size()) return false;
    const Character after = character_at(text_, at + 1);
    const unsigned byte = after.code >= 0x80 ? page_.encode(after.code) : 0;
    return i + 1 < length_ ? is_rest(byte) : is_lead(byte);
  }

  Sequence judge(std::size_t at, std::size_t length, unsigned hole) {
    Sequence out;
    out.misread = {at, length, 0, -4};
    if (hole == 0) {
      weigh(out);
    } else {
      for (const unsigned byte : {0x9dU, 0x80U, 0x81U, 0x84U, 0x8dU, 0x8fU, 0x90U}) {
        bytes_[hole] = byte;
        weigh(out);
      }
      if (codes_[hole] == 0) out.misread.weight -= 1;
      // What was filled in is a guess, and a good one for quotation marks only.
      const bool quote = out.misread.code >= 0x2010 && out.misread.code <= 0x203a;
      if (out.misread.length > 0 && !quote) out.misread.code = 0xfffd;
    }
    return out;
  }

  void weigh(Sequence& out) {
    const char32_t code = code_of(bytes_, length_);
    if (code == 0) return;
    double points = natural_points(code, around_);
    if (points < 0) return;
    points += odd_lead_points(codes_[0], codes_[1], around_);
    const Kind was = kind_of(codes_[0]);
    if ((was == Kind::kThai || was == Kind::kArabic) && kind_of(code) == was && around_.last == was) points += 2.5;
    // The blank behind the one-letter words of Russian.
    if (length_ == 2 && codes_[1] == 0xa0 && (was == Kind::kCyrillic || was == Kind::kThai) && around_.last != was)
      return;
    for (unsigned i = 1; i < length_; ++i) {
      points += codes_[i] == 0xfffd || codes_[i] == '?'
                    ? 1.5
                    : odd_rest_points(codes_[0], codes_[i], i + 1 == length_, around_, more_);
    }
    // "Â" and "Ã" stand before signs and blanks in no language.
    const Kind rest = kind_of(codes_[1]);
    const bool sign = rest == Kind::kSymbol || rest == Kind::kNumber || codes_[1] == 0xa0 || rest == Kind::kSoftHyphen;
    const bool a_or_c = (bytes_[0] == 0xc2 || (bytes_[0] == 0xc3 && codes_[1] != 0xa0)) && codes_[0] == bytes_[0];
    if (a_or_c && length_ == 2 && sign && !is_word(around_.before)) points += 2;
    // Letters and quotation marks that make a sign of typography: "ΓÇô", "‚Äì".
    const bool typographic = code >= 0x2010 && code <= 0x203a && codes_[0] != 0xe2;
    if (typographic && is_letter(kind_of(codes_[1])) && is_letter(kind_of(codes_[2]))) points += 1.5;
    if (points <= out.misread.weight) return;
    out.misread.weight = points;
    out.misread.code = code;
    out.kind = code >= 0xd800 && code < 0xe000 ? Kind::kEmoji : kind_of(code);
  }

  std::string_view text_;
  const SinglePage& page_;
  Around around_;
  std::array<unsigned, 4> bytes_ = {};
  std::array<char32_t, 4> codes_ = {};
  unsigned length_ = 0;
  bool more_ = false;
};

constexpr double kWorthCounting = 1.5;
constexpr double kMayBelong = -1.5;  // beside one that counts: the first letter of a word
constexpr double kMayBe = -3.5;      // where the page is known: natural, whatever stands there

// Blanks and signs between two sequences do not end a text in a script.
bool reaches(std::string_view text, std::size_t end, std::size_t at) {
  if (at < end || at - end > 2) return false;
  for (std::size_t i = end; i < at; ++i) {
    if (is_plain_letter(static_cast<unsigned char>(text[i])) || static_cast<unsigned char>(text[i]) >= 0x80)
      return false;
  }
  return true;
}

// What a page's sequences have come out as: a character that comes again proves less, since what looks like one by
// chance ("`¬´") does so again and again.
class Repeats {
 public:
  // What of the weight counts: all at first, then a quarter, until it has counted twice.
  double worth(char32_t code, double weight) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (seen_[i].code != code) continue;
      const double more = std::max(0.0, std::min(0.25 * weight, weight - seen_[i].more));
      seen_[i].more += more;
      return more;
    }
    if (size_ < seen_.size()) seen_[size_++] = {code, 0};
    return weight;
  }

 private:
  struct Seen {
    char32_t code = 0;
    double more = 0;
  };
  std::array<Seen, 8> seen_ = {};
  std::size_t size_ = 0;
};

struct PageState {
  Repeats repeats;
  std::size_t first = 0;  // where the first one that counts stands
  std::size_t end = 0;    // of the last sequence
  Kind last = Kind::kSpace;
  double weight = 0;
  double heaviest = 0;
  std::size_t count = 0;
};

Around around_of(std::string_view text, std::size_t at, const PageState& state) {
  Around out;
  if (at > 0) out.before = character_at(text, before(text, at)).code;
  if (state.end > 0 && reaches(text, state.end, at)) out.last = state.last;
  return out;
}

// One sequence of a page at `at`; true: it counts, and the state is behind it.
bool step(std::string_view text, std::size_t at, unsigned page, PageState& state, Sequence& out) {
  if (at < state.end) return false;
  Reader reader(text, page);
  out = reader.read(at, around_of(text, at, state));
  if (out.misread.length == 0 || out.misread.weight <= -4) return false;
  state.end = at + out.misread.length;
  state.last = out.kind;
  return out.misread.weight >= kWorthCounting && !is_mentioned(text, at, state.end);
}

// The pages for which the character at `next` may follow a lead byte.
std::uint32_t rest_of(const Roles& table, const Roles::Row& lead, std::string_view text, std::size_t next) {
  const Character rest = fast_character_at(text, next);
  if (rest.code < 0x80) return rest.code == '?' || (rest.code == ' ' && lead.kind == Kind::kLatin) ? ~0U : 0U;
  if (rest.code == 0xfffd) return ~0U;
  const Roles::Row& row = table.of(rest.code);
  // Two letters of one script are a word, save where they are lead and rest in it, or the case is that of no word.
  const bool word = row.kind == lead.kind && is_letter(row.kind) && row.kind != Kind::kLatin;
  if (word && !(row.capital && !lead.capital)) return row.rest & lead.own;
  return row.rest;
}

// Whether a letter can be passed over because it stands before a small letter of its own script, as nearly all letters
// do: then it is a lead byte at most where UTF-8 begins letters of that script with it.
bool within_word(char32_t code, std::string_view text, std::size_t next) {
  if (next + 1 >= text.size()) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[next + i]); };
  switch (code >> 8) {
    case 3:  // Greek, before CE or CF: lead bytes are Ξ and Ο
      return (byte(0) == 0xce || byte(0) == 0xcf) && code != 0x39e && code != 0x39f;
    case 6:  // Arabic: lead bytes are 0637 to 063A
      return byte(0) >= 0xd8 && byte(0) <= 0xdb && (code < 0x637 || code > 0x63a);
    case 0xe:  // Thai: the lead byte is 0E40
      return byte(0) == 0xe0 && code != 0xe40;
    default: return false;
  }
}

// Bytes of small Russian letters in a row from `at` on. None of them follows a lead byte in any page, save in code page
// 866 the boxes; so none of the letters before the last one begins a sequence.
std::size_t small_letters(std::string_view text, std::size_t at) {
  const std::size_t from = at;
  for (; at + 8 <= text.size(); at += 8) {
    // Four characters of two bytes: their codes in lanes of 16 bits, 0430 to 044F moved to 8000 to 801F.
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, 8);
    static_assert(std::endian::native == std::endian::little);
    const bool pairs = (bytes & 0xc0e0'c0e0'c0e0'c0e0) == 0x80c0'80c0'80c0'80c0;
    const std::uint64_t codes = (bytes & 0x001f'001f'001f'001f) << 6 | (bytes >> 8 & 0x003f'003f'003f'003f);
    if (!pairs || ((codes + 0x7bd0'7bd0'7bd0'7bd0) & 0xffe0'ffe0'ffe0'ffe0) != 0x8000'8000'8000'8000) break;
  }
  while (at + 2 <= text.size()) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    if (!((first == 0xd0 && second >= 0xb0) || (first == 0xd1 && second < 0x90))) break;
    at += 2;
  }
  return at - from;
}

unsigned index_of(SingleByte page) {
  return static_cast<unsigned>(std::find(kPages.begin(), kPages.end(), page) - kPages.begin());
}

constexpr std::size_t kSample = 200;  // bytes by which pages are told apart
constexpr double kNear = 0.7;         // of the greatest weight: pages that are asked

double cost_of_reading(std::string_view text, SingleByte page) {
  int times = 0;
  const std::string undone = undo_misread(text, page, times);
  double sum = 0;
  bool small = false;  // the letter before
  Cost last;
  for (std::size_t at = 0; at < undone.size();) {
    const Character one = character_at(undone, at);
    last = cost_of(one.code, last);
    sum += last.nats + (small && is_capital(one.code) ? 4 : 0);  // "GrÜßere"
    small = last.side == Side::kPlain && !is_capital(one.code);
    at += one.bytes;
  }
  return sum;
}

}  // namespace

MisreadVerdict misread_utf8(std::string_view text) {
  const Roles& table = roles();
  std::array<PageState, kPages.size()> states;
  for (std::size_t at = next_misread_lead(text, 0); at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first == 0xd0 || first == 0xd1) {
      if (const std::size_t letters = small_letters(text, at + 2); letters > 0) {
        at += letters;  // to the last one
        continue;
      }
    }
    const Character one = fast_character_at(text, at);
    const std::size_t next = at + one.bytes;
    if (!within_word(one.code, text, next)) {
      const Roles::Row& row = table.of(one.code);
      if (row.lead != 0 && next < text.size()) {
        std::uint32_t pages = row.lead & rest_of(table, row, text, next);
        for (; pages != 0; pages &= pages - 1) {
          const auto page = static_cast<unsigned>(__builtin_ctz(pages));
          Sequence found;
          PageState& state = states[page];
          if (!step(text, at, page, state, found)) continue;
          if (state.count == 0) state.first = at;
          state.weight += state.repeats.worth(found.misread.code, std::min(found.misread.weight, 8.0));
          state.heaviest = std::max(state.heaviest, found.misread.weight);
          ++state.count;
        }
      }
    }
    // In alphabets of two bytes the next one is near.
    at = next < text.size() && static_cast<unsigned char>(text[next]) == ' ' ? next + 1 : next;
    if (at < text.size() &&
        !(static_cast<unsigned char>(text[at]) >= 0xc2 && static_cast<unsigned char>(text[at]) <= 0xe0))
      at = next_misread_lead(text, at);
  }
  MisreadVerdict out;
  for (const PageState& one : states) out.weight = std::max(out.weight, one.weight);
  // Pages that agree in most bytes: the one whose reading is likelier.
  std::size_t first = text.size();
  for (const PageState& one : states) {
    if (one.weight > 0 && one.weight >= kNear * out.weight) first = std::min(first, one.first);
  }
  double least = 1e9;
  for (std::size_t i = 0; i < kPages.size() && out.weight > 0; ++i) {
    const PageState& one = states[i];
    if (one.weight < kNear * out.weight) continue;
    const double cost = cost_of_reading(text.substr(first, kSample), kPages[i]);
    if (cost >= least) continue;
    least = cost;
    out.page = kPages[i];
    out.heaviest = one.heaviest;
    out.count = one.count;
  }
  return out;
}

void each_misread(std::string_view text, SingleByte page, const std::function<void(const Misread&)>& take) {
  const Roles& table = roles();
  const unsigned index = index_of(page);
  PageState state;
  for (std::size_t at = next_high(text, 0); at < text.size();) {
    const Character one = character_at(text, at);
    Sequence found;
    if ((table.of(one.code).lead >> index & 1) != 0) {
      step(text, at, index, state, found);
      if (found.misread.length > 0 && found.misread.weight > kMayBelong) take(found.misread);
    }
    at = next_high(text, at + one.bytes);
  }
}

std::string undo_misread(std::string_view text, SingleByte page, int& times) {
  const Roles& table = roles();
  const unsigned index = index_of(page);
  std::string now(text);
  for (times = 0; times < 6; ++times) {
    std::string next;
    PageState state;
    std::size_t done = 0;
    char32_t high = 0;  // half of a surrogate pair
    bool changed = false;
    for (std::size_t i = next_high(now, 0); i < now.size();) {
      const Character one = character_at(now, i);
      Sequence found;
      const bool lead = (table.of(one.code).lead >> index & 1) != 0;
      if (lead && i >= state.end) step(now, i, index, state, found);
      if (found.misread.length == 0 || found.misread.weight <= (times == 0 ? kMayBe : 0)) {
        i = next_high(now, i + one.bytes);
        continue;
      }
      next.append(now, done, i - done);
      done = i = i + found.misread.length;
      changed = true;
      char32_t code = found.misread.code;
      if (code >= 0xd800 && code < 0xdc00) {
        high = code;
      } else {
        if (code >= 0xdc00 && code < 0xe000)
          code = high == 0 ? 0xfffd : 0x10000 + ((high & 0x3ff) << 10) + (code & 0x3ff);
        append_utf8(code, next);
        high = 0;
      }
      i = next_high(now, i);
    }
    if (!changed) break;
    next.append(now, done);
    now = std::move(next);
  }
  return now;
}

}  // namespace assay
