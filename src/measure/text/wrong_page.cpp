// Text that was decoded with another code page than its own, none of them UTF-8 over one byte (see misread_utf8.cpp).
//
// Two steps. First, stretches that are unlikely as they stand: the segment with the greatest sum of surprise (Kadane's
// algorithm), where a character's surprise is its cost under the model of likelihood.h less what characters of its
// script usually cost. Text that is what it seems has a negative mean, so that sums stay low and nothing more is done.
// Second, for a stretch whose sum is high, every pair of encodings is tried: the characters back into bytes of the one
// that it was decoded with, those bytes into characters of the one that it was written in. The pair that gains most
// wins if the gain is more than trying so many pairs can give by chance (14 nats for one stretch, ln 500 = 6 of which
// for the number of pairs), and a seventh of what the stretch costs. Clean text that happens to be surprising (a list
// of rare ideographs, a table of boxes) gains nothing in any other reading.
//
// What is lost (U+FFFD) stays a hole: the bytes around it are decoded on their own.
// Only the first 256 characters of a stretch are tried, and at most 8 stretches of a text before a pair is found, so
// that no text takes long. Limits: short names; two encodings in which the text reads equally well.

#include "measure/text/wrong_page.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "measure/text/characters.h"
#include "measure/text/code_pages.h"
#include "measure/text/likelihood.h"
#include "measure/text/transcode.h"

namespace assay {

namespace {

constexpr std::size_t kSample = 256;  // characters that are tried
constexpr unsigned kMostTries = 8;
constexpr double kEnough = 14;  // nats

constexpr bool is_alphabet(SingleByte page) {
  switch (page) {
    case SingleByte::kWestern:
    case SingleByte::kWindows1250:
    case SingleByte::kWindows1251:
    case SingleByte::kWindows1253:
    case SingleByte::kWindows1255:
    case SingleByte::kWindows1256:
    case SingleByte::kDos866:
    case SingleByte::kKoi8R:
    case SingleByte::kThai: return true;
    default: return false;
  }
}

// Bytes of one encoding that are text of another one: which pairs occur.
bool occurs(std::uint8_t read_as, std::uint8_t was) {
  if (read_as == was) return false;
  if (was == kUtf8) return read_as >= kSinglePages && read_as < kUtf8;
  if (read_as >= kUtf16) return was < kSinglePages ? was == 0 : true;
  if (was >= kUtf16) return false;
  // Two bytes were taken for one character: of one-byte pages only those that whole alphabets are written in.
  if (read_as >= kSinglePages && was < kSinglePages) return is_alphabet(static_cast<SingleByte>(was));
  return true;
}

// Letters of one byte each: the first one is no surprise, but two bytes may belong together.
std::size_t begin_of(std::string_view text, std::size_t from) {
  for (int most = 64; most > 0 && from > 0; --most) {
    const std::size_t at = before(text, from);
    const Cost one = cost_of(character_at(text, at).code, {});
    if (one.side != Side::kAccented && one.side != Side::kSign && one.side != Side::kBox) break;
    from = at;
  }
  return from;
}

std::size_t end_of(std::string_view text, std::size_t to) {
  for (int most = 64; most > 0 && to < text.size(); --most) {
    const Character next = character_at(text, to);
    const Cost one = cost_of(next.code, {});
    if (one.side != Side::kAccented && one.side != Side::kSign && one.side != Side::kBox) break;
    to += next.bytes;
  }
  return to;
}

// What the text costs as one that was written in this encoding: it was chosen because it has the characters that its
// language uses, so that the others are rarer than elsewhere.
double cost_as(std::u32string_view text, std::uint8_t was, std::size_t invalid) {
  double cost = cost_of(text) + (was == kUtf8 ? 7 : 10) * static_cast<double>(invalid);
  if (was < kSinglePages || was >= kUtf8) return cost;
  constexpr std::array<unsigned, kDoublePages> kLevels = {1, 2, 4, 4, 0};  // GBK, Big5, Shift-JIS, EUC-JP, EUC-KR
  const unsigned wanted = kLevels[was - kSinglePages];
  for (const char32_t code : text) {
    if (kind_of(code) == CharacterKind::kHan && (han_levels(code) & wanted) == 0) cost += 4;
  }
  return cost;
}

// The small accented letter of French, German or Spanish that a character is, if it was decoded with this page; 0:
// none, or one that may stand for the Latin letter that it looks like.
char32_t accent(char32_t code, std::uint8_t read_as) {
  constexpr std::u32string_view kLookAlike = U"асеорухіјѕοαυνι";
  if (kLookAlike.find(code) != std::u32string_view::npos) return 0;
  char32_t out = 0;
  if (read_as < kSinglePages) {
    out = single_page(static_cast<SingleByte>(read_as)).encode(code);
  } else {
    const unsigned bytes = double_page(static_cast<DoubleByte>(read_as - kSinglePages)).encode(code);
    if (bytes >> 8 == 0xc3) out = 0xc0 | (bytes & 0x3f);
  }
  constexpr std::u32string_view kAccents = U"àáâãäåæçèéêëìíîïñòóôõöøùúûüß";
  return kAccents.find(out) != std::u32string_view::npos ? out : 0;
}

// Which part of its cost a stretch has to gain at least. Two alphabets of one size are mapped onto each other by any
// pair of pages, so that a little is gained by chance.
double least_share(std::uint8_t read_as, std::uint8_t was) {
  return read_as < kSinglePages && was < kSinglePages ? 0.2 : 0.14;
}

bool is_vowel(Side side) {
  return side == Side::kSmallVowel || side == Side::kCapitalVowel || side == Side::kLeading || side == Side::kFollowing;
}

// Whether what comes out is enough of a text to be believed: letters of one byte each need four, and a vowel among six
// (the keys of a keyboard with a key held down have none), ideographs and syllables three (two of common ones), UTF-8
// two; and no more than half may be lost. `odd`: no text has what stands
// there; where one may have it, what comes out has to be common.
bool is_enough(std::u32string_view text, std::uint8_t read_as, std::uint8_t was, bool odd) {
  std::size_t letters = 0;
  std::size_t lost = 0;
  std::size_t voiced = 0;  // of scripts that write vowels, and vowels among them
  std::size_t vowels = 0;
  double cost = 0;
  Cost last;
  for (const char32_t code : text) {
    last = cost_of(code, last);
    if (code == 0xfffd) ++lost;
    if ((code < 0x80 && read_as < kUtf16) || code == 0xfffd || !is_letter(last.kind)) continue;
    const bool pairs = was >= kSinglePages && was < kUtf8;
    if (pairs && last.kind != CharacterKind::kHan && last.kind != CharacterKind::kKana &&
        last.kind != CharacterKind::kHangul) {
      continue;  // full-width letters
    }
    ++letters;
    cost += last.nats;
    const bool voices = last.kind == CharacterKind::kCyrillic || last.kind == CharacterKind::kGreek ||
                        last.kind == CharacterKind::kThai;
    voiced += voices ? 1 : 0;
    vowels += voices && is_vowel(last.side) ? 1 : 0;
  }
  if (was >= kUtf16) return true;
  if (was == kUtf8) return letters >= 2 && lost <= letters;
  if (was < kSinglePages) return letters >= 4 && lost <= letters && 6 * vowels >= voiced;
  const double mean = cost / static_cast<double>(std::max<std::size_t>(letters, 1));
  if (lost > letters || letters < 2) return false;
  return mean <= (letters == 2 ? 7 : odd ? 10 : 8.2);
}

// Letters above ASCII that the encoding has; at most `most`.
std::size_t high_letters(std::string_view text, std::uint8_t encoding, std::size_t most) {
  const auto has = [&](char32_t code) {
    return encoding < kSinglePages ? single_page(static_cast<SingleByte>(encoding)).encode(code) != 0
                                   : double_page(static_cast<DoubleByte>(encoding - kSinglePages)).encode(code) != 0;
  };
  std::size_t out = 0;
  for (std::size_t at = next_high(text, 0); at < text.size() && out < most;) {
    const Character one = character_at(text, at);
    if (is_letter(kind_of(one.code)) && has(one.code)) ++out;
    at = next_high(text, at + one.bytes);
  }
  return out;
}

// "؟؟5؟؟", "É-ÉÉ ÓÓ": one or two characters over and over.
bool is_of_few(std::u32string_view text) {
  char32_t first = 0, second = 0;
  for (const char32_t code : text) {
    if (code < 0x80 || code == first || code == second) continue;
    if (second != 0) return false;
    (first == 0 ? first : second) = code;
  }
  return text.size() > 2;
}

// "àèìòù ÀÈÌÒÙ": the letters of an alphabet or of a keyboard, in their order.
bool is_list_of_letters(std::u32string_view text) {
  std::size_t rising = 0;
  std::size_t other = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i - 1] < 0x80 || text[i] < 0x80) continue;
    ++(text[i] > text[i - 1] && text[i] - text[i - 1] < 0x20 ? rising : other);
  }
  return rising >= 3 && other * 4 <= rising;
}

struct Sign {
  std::string_view text;
  bool fill;
  std::size_t least;  // times in a row
};
constexpr std::array<Sign, 8> kDebris = {{{"锟斤拷", false, 1},
                                          {"烫烫", true, 2},
                                          {"屯屯", true, 2},
                                          {"葺葺", true, 2},
                                          {"ÌÌÌ", true, 2},
                                          {"ÍÍÍ", true, 2},
                                          {"ÝÝÝ", true, 2},
                                          {"ÿÿÿ", true, 2}}};

// Of a character of three bytes, the first lowest.
char32_t code_of_three(std::uint32_t bytes) {
  return (bytes & 0xf) << 12 | (bytes >> 2 & 0xfc0) | (bytes >> 16 & 0x3f);
}

constexpr int kSuspicious = 80;  // the sum at which a stretch is tried, in tenths of a nat
constexpr int kDrop = 100;

}  // namespace

bool WrongPages::find(std::string_view text) {
  stretches_.clear();
  known_ = false;
  tries_ = 0;
  gain_ = hunch_gain_ = 0;
  rest_ = done_ = 0;
  foreign_.clear();
  debris_.clear();
  scan(text);
  if (!known_) judge_foreign();
  if (known_ && is_little_of(text)) return false;
  std::sort(stretches_.begin(), stretches_.end(), [](const WrongStretch& a, const WrongStretch& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.offset < b.offset;
  });
  return known_ && !stretches_.empty();
}

// A text is decoded as a whole. Where most of the letters that the wrong page has stand in good words, acronyms among
// them ("УПнП" in Serbian) are no part of a wrong decoding; a longer stretch may be a quotation of one.
bool WrongPages::is_little_of(std::string_view text) const {
  constexpr double kQuotation = 60;  // nats: some twelve letters
  if (confusion_.read_as >= kUtf8 || confusion_.was >= kUtf8 || stretches_.empty()) return false;
  std::size_t inside = 0;
  for (const WrongStretch& one : stretches_) {
    if (one.gain >= kQuotation) return false;
    inside += high_letters(text.substr(one.offset, one.length), confusion_.read_as, text.size());
  }
  return high_letters(text, confusion_.read_as, 4 * inside + 1) > 4 * inside;
}

// What of East Asian text leaves a sum of 0 where it is, from `at` on: nearly all.
std::size_t WrongPages::pass_calm(std::string_view text, std::size_t at, Surprise::East east, Side& side) const {
  std::uint32_t bytes = 0;
  std::uint32_t last = 0;
  for (; at + 4 <= text.size(); at += 3) {
    std::memcpy(&bytes, text.data() + at, 4);
    static_assert(std::endian::native == std::endian::little);
    if ((bytes & 0xc0c0f0) != 0x8080e0 || !surprise_.is_calm(east, bytes)) break;
    last = bytes;
  }
  if (last != 0) side = surprise_.side_of(code_of_three(last));
  return at;
}

// The segments whose surprise sums up high. Until a sum is, nothing but the sum and where it was last 0 has to be
// known, without a branch that depends on the text; what it grows to is followed only then.
void WrongPages::scan(std::string_view text) {
  Side side = Side::kNothing;
  int sum = 0;
  std::size_t from = 0;
  Surprise::East east = Surprise::kChinese;
  for (std::size_t at = next_high(text, 0); at < text.size();) {
    const Character one = fast_character_at(text, at);
    const Side before = side;
    sum += surprise_(one.code, side);
    if (before == Side::kPlain && one.code >= 0x370) take_foreign(text, at, one);
    at += one.bytes;
    const auto count = [&] {
      const bool none = sum <= 0;
      sum = none ? 0 : sum;
      from = none ? at : from;
    };
    count();
    // Characters of three bytes, which follow each other in most scripts that have them.
    for (std::uint32_t bytes = 0; at + 4 <= text.size() && sum < kSuspicious; at += 3, count()) {
      if (const Surprise::East now = Surprise::east_of(side, east); sum == 0 && now != Surprise::kNoEast) {
        east = now;
        at = from = pass_calm(text, at, east, side);
        if (at + 4 > text.size()) break;
      }
      std::memcpy(&bytes, text.data() + at, 4);
      static_assert(std::endian::native == std::endian::little);
      if ((bytes & 0xc0c0f0) != 0x8080e0 || side == Side::kPlain) break;
      sum += surprise_.of_plane(code_of_three(bytes), side);
    }
    if (sum >= kSuspicious) {
      at = follow(text, from, at, sum, side);
      from = at;
      sum = 0;
    }
    if (sum == 0 && at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) {
      at = from = next_high(text, at);
      side = at < text.size() ? surprise_.side_of(static_cast<unsigned char>(text[at - 1])) : Side::kNothing;
    }
  }
}

// A segment from `from` on, whose sum at `at` is `sum`: examined up to where its sum is greatest. Returns where it
// ends.
std::size_t WrongPages::follow(std::string_view text, std::size_t from, std::size_t at, int sum, Side& side) {
  int most = sum;
  std::size_t to = at;
  while (at < text.size() && sum > 0 && sum >= most - kDrop) {
    const Character one = fast_character_at(text, at);
    const Side before = side;
    sum += surprise_(one.code, side);
    if (before == Side::kPlain && one.code >= 0x370) take_foreign(text, at, one);
    at += one.bytes;
    if (sum > most) {
      most = sum;
      to = at;
    }
  }
  examine(text, from, to);
  return at;
}

// A letter of another script within a word of small Latin letters ("r茅sider", "cafй"): one accented letter, in two
// bytes of UTF-8 or in one of Windows-1252.
void WrongPages::take_foreign(std::string_view text, std::size_t at, const Character& one) {
  const std::size_t next = at + one.bytes;
  const auto small = [&](std::size_t i) { return i < text.size() && text[i] >= 'a' && text[i] <= 'z'; };
  if (foreign_.size() >= kMostStretches || !small(at - 1) || !small(next) || !is_letter(kind_of(one.code))) return;
  foreign_.push_back({at, one.bytes, one.code});
}

void WrongPages::judge_foreign() {
  if (foreign_.size() < 3) return;
  std::size_t most = 0;
  Confusion best;
  for (std::uint8_t read_as = 0; read_as < kUtf8; ++read_as) {
    const std::size_t count = static_cast<std::size_t>(std::count_if(
        foreign_.begin(), foreign_.end(), [&](const Foreign& one) { return accent(one.code, read_as) != 0; }));
    if (count <= most) continue;
    most = count;
    best = {read_as, read_as < kSinglePages ? std::uint8_t{0} : kUtf8};
  }
  if (most < 3 || most * 5 < foreign_.size() * 4) return;
  confusion_ = best;
  known_ = true;
  stretches_.clear();
  gain_ = 0;
  for (const Foreign& one : foreign_) {
    if (accent(one.code, best.read_as) == 0) continue;
    stretches_.push_back({one.offset, one.length, 7});
    gain_ += 7;
  }
}

void WrongPages::examine(std::string_view text, std::size_t from, std::size_t to) {
  if (take_debris(text.substr(0, to), from)) return;
  if (!known_ && tries_ >= kMostTries) return;
  from = std::max(begin_of(text, from), done_);
  to = std::max(end_of(text, to), from);
  done_ = to;
  characters_.clear();
  for (std::size_t at = from; at < to && characters_.size() < kSample;) {
    const Character one = character_at(text, at);
    characters_.push_back(one.code);
    at += one.bytes;
  }
  if (is_list_of_letters(characters_) || is_of_few(characters_)) return;
  const double now = cost_of(characters_);
  if (!known_) {
    ++tries_;
    best_gain_ = 0;
    try_all(characters_, now);
    if (best_gain_ < 6) return;
    if (best_ == hunch_) {
      hunch_gain_ += best_gain_;
    } else {
      hunch_ = best_;
      hunch_gain_ = best_gain_;
      stretches_.clear();
    }
    stretches_.push_back({from, to - from, best_gain_});
    if (hunch_gain_ < kEnough) return;
    known_ = true;
    confusion_ = best_;
    gain_ = hunch_gain_;
    return;
  }
  std::size_t invalid = 0;
  if (!encode(characters_, confusion_.read_as, bytes_) || !decode(bytes_, confusion_.was, undone_, invalid)) return;
  const double gain = now - cost_as(undone_, confusion_.was, invalid);
  if (gain < 4) return;
  gain_ += gain;
  if (stretches_.size() < kMostStretches) {
    stretches_.push_back({from, to - from, gain});
  } else {
    rest_ += to - from;
  }
}

// U+FFFD in UTF-8 that was read as GBK, and memory that a compiler filled with one byte, read as GBK or Latin-1: known
// by their looks, and nothing to undo.
bool WrongPages::take_debris(std::string_view text, std::size_t from) {
  bool found = false;
  for (const auto& [sign, fill, least] : kDebris) {
    for (std::size_t at = text.find(sign, from); at != std::string_view::npos; at = text.find(sign, at)) {
      std::size_t end = at;
      while (text.substr(end).starts_with(sign)) end += sign.size();
      if ((end - at) / sign.size() >= least) {
        found = true;
        if (debris_.size() < kMostStretches) debris_.push_back({at, end - at, 10, fill});
      }
      at = end;
    }
    if (found) return true;
  }
  return false;
}

// A pair is judged by the beginning of the text first: where nothing is gained there, the rest is not looked at.
void WrongPages::try_all(std::u32string_view text, double now) {
  constexpr std::size_t kGlance = 40;
  const std::u32string_view glance = text.substr(0, kGlance);
  const double now_there = cost_of(glance);
  // Characters that are seen in texts, though not so many in a row: half-width katakana, names in rare ideographs.
  const bool odd = now > 9 * static_cast<double>(text.size());
  for (std::uint8_t read_as = 0; read_as < kEncodings; ++read_as) {
    if (read_as == kUtf8 || !encode(glance, read_as, glance_)) continue;
    bool whole = false;  // bytes_ holds all of the text
    for (std::uint8_t was = 0; was < kEncodings; ++was) {
      if (!occurs(read_as, was)) continue;
      std::size_t invalid = 0;
      if (!decode(glance_, was, undone_, invalid) || now_there <= cost_as(undone_, was, invalid)) continue;
      if (!whole && !encode(text, read_as, bytes_)) break;
      whole = true;
      if (!decode(bytes_, was, undone_, invalid)) continue;
      const double gain = now - cost_as(undone_, was, invalid);
      if (gain > best_gain_ && gain > now * least_share(read_as, was) && is_enough(undone_, read_as, was, odd)) {
        best_gain_ = gain;
        best_ = {read_as, was};
      }
    }
  }
}

std::string undone(std::string_view text, const Confusion& confusion) {
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    characters.push_back(one.code);
    at += one.bytes;
  }
  std::string bytes;
  std::u32string decoded;
  std::size_t invalid = 0;
  std::string out;
  if (!encode(characters, confusion.read_as, bytes) || !decode(bytes, confusion.was, decoded, invalid)) return out;
  for (const char32_t code : decoded) append_utf8(code, out);
  return out;
}

}  // namespace assay
