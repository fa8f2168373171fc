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
// What is lost (U+FFFD) stays a hole: the bytes around it are decoded on their own. Only the first 256 characters of a
// stretch are tried, and at most 8 stretches of a text before a pair is found, so that no text takes long. Limits:
// short names; two encodings in which the text reads equally well.

#include "measure/text/wrong_page.h"

#include <algorithm>
#include <array>

#include "measure/text/characters.h"
#include "measure/text/code_pages.h"
#include "measure/text/likelihood.h"

namespace assay {

namespace {

constexpr std::uint8_t kUtf8 = kSinglePages + kDoublePages;
constexpr std::uint8_t kUtf16 = kUtf8 + 1;         // two bytes a character, the high one first
constexpr std::uint8_t kUtf16Swapped = kUtf8 + 2;  // the low one first
constexpr std::uint8_t kEncodings = kUtf8 + 3;

constexpr unsigned char kLost = 0xff;  // stands for bytes that are gone; no encoding here uses it for text

constexpr std::size_t kSample = 256;  // characters that are tried
constexpr unsigned kMostTries = 8;
constexpr double kEnough = 14;  // nats

const SinglePage& single(std::uint8_t encoding) { return single_page(static_cast<SingleByte>(encoding)); }
const DoublePage& pair(std::uint8_t encoding) { return double_page(static_cast<DoubleByte>(encoding - kSinglePages)); }

void put(std::string& out, unsigned byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); }

// The bytes that the characters were decoded from; false: that encoding was not it.
bool encode(std::u32string_view text, std::uint8_t encoding, std::string& out) {
  out.clear();
  for (const char32_t code : text) {
    if (code == 0xfffd) {
      put(out, kLost);
      continue;
    }
    if (encoding >= kUtf16) {
      if (code >= 0xe000) return false;  // private use and beyond: not how two bytes of text fall
      put(out, encoding == kUtf16 ? code >> 8 : code & 0xff);
      put(out, encoding == kUtf16 ? code & 0xff : code >> 8);
      continue;
    }
    if (code < 0x80) {
      put(out, code);
      continue;
    }
    const unsigned bytes = encoding < kSinglePages ? single(encoding).encode(code) : pair(encoding).encode(code);
    if (bytes == 0) return false;
    if (bytes > 0xff) put(out, bytes >> 8);
    put(out, bytes & 0xff);
  }
  return true;
}

// Takes bytes apart; counts those that are none of the encoding and lie beside no hole.
struct Decoder {
  std::string_view bytes;
  std::u32string& out;
  std::size_t invalid = 0;
  std::size_t at = 0;

  unsigned byte(std::size_t i) const { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0; }
  void fault() {
    const bool hole =
        byte(at) == kLost || byte(at + 1) == kLost || (at > 0 && byte(at - 1) == kLost) || at + 4 > bytes.size();
    if (!hole) ++invalid;
    if (out.empty() || out.back() != 0xfffd) out.push_back(0xfffd);
    ++at;
  }
  void single_byte(const SinglePage& page) {
    const char16_t code = page.decode(byte(at));
    if (code < 0xa0 || (code >= 0x2500 && code < 0x25a0)) return fault();  // what was text had no boxes
    out.push_back(code);
    ++at;
  }
  // How good a beginning of a character a byte is.
  int fit(const DoublePage& page, std::size_t i) const {
    if (byte(i) < 0x80) return 1;
    const char16_t code = page.decode(byte(i), byte(i + 1));
    if (code == 0) return 0;
    return cost_of(code, {}).nats < 9 ? 2 : 1;
  }
  // A lost byte may have been the first of two: then the next one belongs to it.
  void lost_in_pairs(const DoublePage& page) {
    const bool first = fit(page, at + 1) < fit(page, at + 2);
    fault();
    if (first && at < bytes.size() && byte(at) != kLost) ++at;
  }
  void double_byte(const DoublePage& page) {
    if (const char16_t code = page.decode_single(byte(at)); code != 0) {
      out.push_back(code);
      ++at;
      return;
    }
    const char16_t code = at + 1 < bytes.size() ? page.decode(byte(at), byte(at + 1)) : char16_t{0};
    if (code == 0) return fault();
    out.push_back(code);
    at += 2;
  }
  void utf8() {
    const Character one = character_at(bytes, at);
    if (one.code == 0xfffd && one.bytes == 1) return fault();
    out.push_back(one.code);
    at += one.bytes;
  }
  void utf16(bool swapped) {
    if (at + 1 >= bytes.size()) return fault();
    const char32_t code = swapped ? byte(at + 1) << 8 | byte(at) : byte(at) << 8 | byte(at + 1);
    if (code >= 0xd800 && code < 0xe000) return fault();
    out.push_back(code);
    at += 2;
  }
};

// The text that the bytes were; false: too many of them make no sense.
bool decode(std::string_view bytes, std::uint8_t encoding, std::u32string& out, std::size_t& invalid) {
  out.clear();
  Decoder decoder{bytes, out};
  while (decoder.at < bytes.size()) {
    const unsigned byte = decoder.byte(decoder.at);
    if (encoding >= kUtf16) {
      decoder.utf16(encoding == kUtf16Swapped);
    } else if (byte < 0x80) {
      out.push_back(byte);
      ++decoder.at;
    } else if (byte == kLost && encoding >= kSinglePages && encoding < kUtf8) {
      decoder.lost_in_pairs(pair(encoding));
    } else if (byte == kLost) {
      decoder.fault();
    } else if (encoding < kSinglePages) {
      decoder.single_byte(single(encoding));
    } else if (encoding < kUtf8) {
      decoder.double_byte(pair(encoding));
    } else {
      decoder.utf8();
    }
    // Of UTF-8 every second character may be lost: two bytes of a character are read with those of others.
    if (decoder.invalid * (encoding == kUtf8 ? 2 : 10) > out.size() + 8) return false;
  }
  invalid = decoder.invalid;
  return true;
}

// Bytes of one encoding that are text of another one: which pairs occur.
bool occurs(std::uint8_t read_as, std::uint8_t was) {
  if (read_as == was) return false;
  if (was == kUtf8) return read_as >= kSinglePages && read_as < kUtf8;
  if (read_as >= kUtf16) return was < kSinglePages ? was == 0 : true;
  return was < kUtf16;
}

// What a character of ordinary text costs at most, by its kind. Words in capitals are always looked at.
double usual(const Cost& one) {
  switch (one.side) {
    case Side::kNothing: return one.nats + 0.5;
    case Side::kPlain: return 4;
    case Side::kSmall:
    case Side::kSmallVowel: return 3.7;
    case Side::kCapital:
    case Side::kCapitalVowel: return 4.2;
    case Side::kOther:
    case Side::kLeading:
    case Side::kFollowing: return 5;
    case Side::kLine:
    case Side::kBox: return 8.2;
    case Side::kHan:
    case Side::kForeignHan: return 7.2;
    case Side::kKana: return 5;
    case Side::kEastSign: return 7;
    case Side::kHangul: return 7;
    default: return 6.5;
  }
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
    out = single(read_as).encode(code);
  } else {
    const unsigned bytes = pair(read_as).encode(code);
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

// Whether what comes out is enough of a text to be believed: letters of one byte each need four, ideographs and
// syllables three (two of common ones), UTF-8 two; and no more than half may be lost.
bool is_enough(std::u32string_view text, std::uint8_t read_as, std::uint8_t was) {
  std::size_t letters = 0;
  std::size_t lost = 0;
  double cost = 0;
  Cost last;
  for (const char32_t code : text) {
    last = cost_of(code, last);
    if (code == 0xfffd) ++lost;
    if ((code < 0x80 && read_as < kUtf16) || code == 0xfffd || !is_letter(last.kind)) continue;
    ++letters;
    cost += last.nats;
  }
  if (was >= kUtf16) return true;
  if (was == kUtf8) return letters >= 2 && lost <= letters;
  if (was < kSinglePages) return letters >= 4 && lost <= letters;
  const double mean = cost / static_cast<double>(std::max<std::size_t>(letters, 1));
  return lost <= letters && (letters >= 3 ? mean <= 10 : letters == 2 && mean <= 7);
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

constexpr double kSuspicious = 8;  // the sum at which a stretch is tried
constexpr double kDrop = 10;

}  // namespace

std::string_view encoding_name(std::uint8_t encoding) {
  if (encoding < kSinglePages) return single(encoding).name;
  if (encoding < kUtf8) return pair(encoding).name;
  return encoding == kUtf8 ? "UTF-8" : encoding == kUtf16 ? "UTF-16BE" : "UTF-16LE";
}

bool is_of_pairs(std::uint8_t encoding) { return encoding >= kSinglePages && encoding < kUtf8; }

bool WrongPages::find(std::string_view text) {
  stretches_.clear();
  known_ = false;
  tries_ = 0;
  gain_ = hunch_gain_ = 0;
  foreign_.clear();
  debris_.clear();
  Cost last;
  double sum = 0;
  double most = 0;
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t at = next_high(text, 0); at < text.size();) {
    const Character one = character_at(text, at);
    const bool in_latin_word = last.side == Side::kPlain && one.code >= 0x370;
    last = cost_of(one.code, last);
    if (in_latin_word) take_foreign(text, at, one);
    const double surprise = last.nats - usual(last);
    if (sum <= 0 && surprise > 0) {
      from = at;
      sum = most = 0;
    }
    sum += surprise;
    at += one.bytes;
    if (sum > most) {
      most = sum;
      to = at;
    }
    if (sum <= 0 || sum < most - kDrop) {
      if (most >= kSuspicious) examine(text, from, to);
      sum = most = 0;
      if (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) {
        at = next_high(text, at);
        last = at > 0 && at < text.size() ? cost_of(static_cast<unsigned char>(text[at - 1]), {}) : Cost{};
      }
    }
  }
  if (most >= kSuspicious) examine(text, from, to);
  if (!known_) judge_foreign();
  return known_ && !stretches_.empty();
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
  from = begin_of(text, from);
  to = end_of(text, to);
  if (stretches_.size() >= kMostStretches || (!known_ && tries_ >= kMostTries)) return;
  characters_.clear();
  for (std::size_t at = from; at < to && characters_.size() < kSample;) {
    const Character one = character_at(text, at);
    characters_.push_back(one.code);
    at += one.bytes;
  }
  if (is_list_of_letters(characters_)) return;
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
  stretches_.push_back({from, to - from, gain});
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

void WrongPages::try_all(std::u32string_view text, double now) {
  for (std::uint8_t read_as = 0; read_as < kEncodings; ++read_as) {
    if (read_as == kUtf8 || !encode(text, read_as, bytes_)) continue;
    for (std::uint8_t was = 0; was < kEncodings; ++was) {
      if (!occurs(read_as, was)) continue;
      std::size_t invalid = 0;
      if (!decode(bytes_, was, undone_, invalid)) continue;
      const double gain = now - cost_as(undone_, was, invalid);
      if (gain > best_gain_ && gain > now * least_share(read_as, was) && is_enough(undone_, read_as, was)) {
        best_gain_ = gain;
        best_ = {read_as, was};
      }
    }
  }
}

std::string WrongPages::undo(std::string_view text) const {
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    characters.push_back(one.code);
    at += one.bytes;
  }
  std::string bytes;
  std::u32string undone;
  std::size_t invalid = 0;
  std::string out;
  if (!encode(characters, confusion_.read_as, bytes) || !decode(bytes, confusion_.was, undone, invalid)) return out;
  for (const char32_t code : undone) append_utf8(code, out);
  return out;
}

}  // namespace assay
