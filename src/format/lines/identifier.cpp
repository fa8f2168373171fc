// What tells an identifier from a name is how digits and letters mix. Names have few digits at few places (fp16,
// layer4, e4m3, stage_1_and_2); hashes, uuids, pods and numbered files have many, or switch between both again and
// again.
//
// A word is an identifier if one of its parts between underscores is
//   * hexadecimal digits of one case, six or more, of both kinds, and not merely a short word with a number behind it;
//   * eight or more letters and digits that switch at least four times;
//   * sixteen or more with a digit at all;
//   * anything with five digits in a row;
// or if it is 0x and four more. What hangs on it by hyphens and has a digit, or is the five letters without a vowel
// that Kubernetes calls its pods by, belongs to it.
//
// Looking only forward from the beginning of a word, so that the tokenizer and a compiled shape agree. Taken wrongly, a
// name is lost from the text before a number, nothing else; missed, the line takes the slow path.

#include "format/lines/identifier.h"

#include "format/lines/number_scan.h"

namespace assay::lines {

namespace {

constexpr std::size_t kMostWord = 256;  // longer ones are data

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

struct Mix {
  std::size_t size = 0;
  std::size_t digits = 0;
  std::size_t switches = 0;  // from letter to digit or back
  std::size_t row = 0;       // of digits, the longest
  bool small_hex = true;
  bool large_hex = true;
  bool digit_first = false;

  bool identifies() const {
    if (digits == 0 || digits == size) return false;
    const bool hex = small_hex || large_hex;
    return (hex && size >= 6 && (switches >= 2 || digit_first || size >= 8)) || (size >= 8 && switches >= 4) ||
           size >= 16 || row >= 5;
  }
};

Mix mix_of(const char* p, const char* end) {
  Mix mix;
  std::size_t row = 0;
  mix.digit_first = is_digit(*p);
  for (const char* c = p; c < end; ++c) {
    const bool digit = is_digit(*c);
    if (digit) {
      ++mix.digits;
      if (++row > mix.row) mix.row = row;
    } else {
      row = 0;
      mix.small_hex = mix.small_hex && *c >= 'a' && *c <= 'f';
      mix.large_hex = mix.large_hex && *c >= 'A' && *c <= 'F';
    }
    if (c > p && digit != is_digit(c[-1])) ++mix.switches;
  }
  mix.size = static_cast<std::size_t>(end - p);
  return mix;
}

const char* word_end(const char* p, const char* end) {
  while (p < end && is_word(*p)) ++p;
  return p;
}

bool word_identifies(const char* p, const char* stop) {
  if (static_cast<std::size_t>(stop - p) > kMostWord) return false;
  if (stop - p >= 6 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
    const char* hex = p + 2;
    while (hex < stop && is_hex(*hex)) ++hex;
    return hex == stop;
  }
  std::size_t digits_before = 0;  // in parts of digits only: "exp_20240528"
  for (const char* part = p; part < stop;) {
    const char* to = part;
    while (to < stop && *to != '_') ++to;
    if (to > part) {
      const Mix mix = mix_of(part, to);
      if (mix.identifies()) return true;
      if (mix.digits == mix.size && mix.size >= 5) ++digits_before;
    }
    part = to + 1;
  }
  return digits_before > 0;
}

// "-x2k" behind "7d9f8b".
bool hangs_on(const char* p, const char* stop) {
  constexpr std::size_t kPod = 5;
  bool vowel = false;
  for (const char* c = p; c < stop; ++c) {
    if (is_digit(*c)) return true;
    vowel = vowel || *c == 'a' || *c == 'e' || *c == 'i' || *c == 'o' || *c == 'u' || *c == '_';
  }
  return !vowel && static_cast<std::size_t>(stop - p) == kPod;
}

}  // namespace

bool is_uuid(const char* p, const char* end) {
  if (static_cast<std::size_t>(end - p) < kUuidSize || p[8] != '-') return false;
  for (std::size_t i = 0; i < kUuidSize; ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? p[i] != '-' : !is_hex(p[i])) return false;
  }
  return p + kUuidSize == end || !is_word(p[kUuidSize]);
}

const char* identifier_end(const char* p, const char* end) {
  if (p == end || !is_word(*p)) return nullptr;
  const char* stop = word_end(p, end);
  constexpr std::ptrdiff_t kShortest = 6;
  if (stop - p < kShortest || !word_identifies(p, stop)) return nullptr;
  while (end - stop > 1 && *stop == '-' && is_word(stop[1])) {
    const char* const next = word_end(stop + 1, end);
    if (!hangs_on(stop + 1, next)) break;
    stop = next;
  }
  return stop;
}

}  // namespace assay::lines
