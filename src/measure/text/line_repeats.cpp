// Lines and sentences that occur again, next to each other or not.
//
// Gopher's rules count lines and paragraphs that occur twice, and n-grams; they take code, tables and songs for
// repetitions, since many lines of those are short or the same bracket. Here a unit is a line without the blanks around
// it, or, where lines are long, a sentence. It counts from 12 bytes on. Units with signs of a format ({}<>=;|…) are
// counted apart, because code and configuration repeat lines by nature.
//
// Counting needs a hash of all bytes. Before that, a cheaper question: of each unit the first 16 bytes only, with
// digits as zeros, in a table of tags. If units that begin like one before have less than a quarter of the bytes, there
// is nothing to find: equal lines begin alike.
//
// Counters ("Page 1 of this document", "Page 2 of this document") are equal when each number is one sign. A CSV file or
// a log is then all one form, too: whoever judges asks for words and few digits.
//
// Limits: 65,536 units are counted, those of longer texts by their beginning. A sentence ends with ". ", "! ", "? ",
// their full-width forms, or with the line.

#include "measure/text/line_repeats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "measure/text/ascii_classes.h"
#include "measure/text/byte_masks.h"

namespace assay {

namespace {

constexpr std::size_t kLeastUnit = 12;
constexpr std::size_t kLongUnit = 60;
constexpr std::size_t kMostUnits = 65536;
constexpr std::size_t kLongLines = 160;  // bytes on average: then sentences are counted, too

bool is_cut(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '"';
}

bool has_long_lines(std::string_view text, const TextSurvey& survey) {
  return survey.lines == 0 || text.size() / survey.lines >= kLongLines;
}

/// Calls `take(first, last)` for each line, or sentence where lines are long, without the blanks around it, until it
/// says false.
void for_each_unit(std::string_view text, const TextSurvey& survey, const auto& take) {
  const bool sentences = has_long_lines(text, survey);
  const bool wide = sentences && survey.of('\x82') > 0 && survey.of('\xE3') > 0;
  const auto trimmed = [&](std::size_t first, std::size_t last) {
    while (first < last && is_ascii(text[first], kAsciiBlank)) ++first;
    while (last > first && is_ascii(text[last - 1], kAsciiBlank)) --last;
    return last - first < kLeastUnit || take(first, last);
  };
  ByteMasks ends;
  std::size_t first = 0;
  for (std::size_t from = 0; from < text.size(); from += kMaskBytes) {
    if (from % kMaskedBytes == 0) {
      // The full stop of Chinese and Japanese ends with these two bytes, and little else does.
      if (wide)
        mask_pair(text, from, '\x80', '\x82', '\n', ends);
      else
        mask_either(text, from, '\n', sentences ? '.' : '\n', ends);
    }
    for (std::uint64_t bits = ends[from % kMaskedBytes / kMaskBytes]; bits != 0; bits &= bits - 1) {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(bits));
      const bool feed = text[at] == '\n';
      const std::size_t behind = at + (wide && !feed ? 2 : 1);
      if (!feed && !wide && !is_cut(text, behind)) continue;
      if (!trimmed(first, feed ? at : behind)) return;
      first = behind;
    }
  }
  trimmed(first, text.size());
}

// Digits of eight bytes as zeros: a byte of '0' to '9' loses its low half.
std::uint64_t without_digits(std::uint64_t eight) {
  constexpr std::uint64_t kHigh = 0x8080'8080'8080'8080;
  const std::uint64_t high_half = eight & 0xF0F0'F0F0'F0F0'F0F0;
  // Bytes whose high half is 3 and whose low half is at most 9 (with 6 added no carry into the high half).
  const std::uint64_t threes = high_half ^ 0x3030'3030'3030'3030;
  const std::uint64_t sums = ((eight & 0x0F0F'0F0F'0F0F'0F0F) + 0x0606'0606'0606'0606) & 0x1010'1010'1010'1010;
  const std::uint64_t no_digit = (threes | sums);
  // 0x80 in each byte that is zero in `no_digit`; exact, as no byte borrows.
  const std::uint64_t digits = ~(((no_digit & ~kHigh) + ~kHigh) | no_digit) & kHigh;
  return eight & ~((digits >> 7) * 0x0F);
}

std::uint64_t load(const char* at) {
  std::uint64_t out = 0;
  std::memcpy(&out, at, 8);
  return out;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E37'79B9'7F4A'7C15;
  return hash ^ hash >> 32;
}

std::uint64_t hash_of(std::string_view unit) {
  std::uint64_t hash = unit.size();
  std::size_t at = 0;
  for (; at + 8 <= unit.size(); at += 8) hash = mixed(hash, load(unit.data() + at));
  // The rest, with zeros behind: units are longer than eight bytes.
  static_assert(std::endian::native == std::endian::little && kLeastUnit >= 8);
  const std::size_t rest = unit.size() - at;
  if (rest > 0) hash = mixed(hash, load(unit.data() + unit.size() - 8) >> (64 - 8 * rest));
  return hash | 1;  // 0: the place is empty
}

// Each number is one sign.
std::uint64_t folded_hash_of(std::string_view unit) {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  bool in_number = false;
  for (const char c : unit) {
    const bool digit = is_ascii(c, kAsciiDigit);
    if (!digit || !in_number) hash = (hash ^ (digit ? 0x30U : static_cast<unsigned char>(c))) * 0x100'0000'01B3;
    in_number = digit;
  }
  return (hash ^ hash >> 32) | 1;
}

struct UnitKind {
  bool wordy = false;    // letters and little else
  bool counter = false;  // a few digits, and no row of a table
};

constexpr std::array<bool, 256> kStructural = [] {
  std::array<bool, 256> out = {};
  for (const char c : std::string_view("{}<>=[]\\;")) out[static_cast<unsigned char>(c)] = true;
  return out;
}();

UnitKind kind_of(std::string_view unit) {
  std::size_t letters = 0, digits = 0, blanks = 0;
  bool structural = unit.ends_with(',') || unit.ends_with(':');
  std::size_t commas = 0;
  for (std::size_t at = 0; at < unit.size(); ++at) {
    const char c = unit[at];
    // General punctuation, arrows, lines of boxes: U+2000 to U+2BFF.
    if (c == '\xE2' && at + 2 < unit.size() && static_cast<unsigned char>(unit[at + 1]) < 0xB0) {
      at += 2;
      continue;
    }
    const unsigned classes = ascii_class(c);
    commas += c == ',' || c == '"' || c == '\t' || c == '|';
    letters += (classes & kAsciiLetter) != 0 || (c & 0x80) != 0;
    digits += (classes & kAsciiDigit) != 0;
    blanks += (classes & kAsciiBlank) != 0;
    structural |= kStructural[static_cast<unsigned char>(c)];
  }
  const std::size_t rest = unit.size() - blanks;
  return {!structural && unit.size() >= 16 && letters * 10 >= rest * 6, digits * 8 <= rest && digits > 0 && commas < 2};
}

}  // namespace

bool LineCounter::is_suspicious(std::string_view text, const TextSurvey& survey) {
  const std::size_t ends = survey.lines + (has_long_lines(text, survey) ? survey.of('.') + survey.of('\x82') : 0);
  if (ends < 4 || text.size() < 200) return false;
  tags_.assign(std::bit_ceil(std::clamp<std::size_t>(ends * 4, 64, 8192)), 0);
  const int shift = 64 - std::countr_zero(tags_.size());
  // Lines that count up are no fewer than one digit in sixty bytes.
  const bool numbers = survey.digits * 60 >= text.size();
  std::size_t alike = 0;
  for_each_unit(text, survey, [&](std::size_t first, std::size_t last) {
    std::uint64_t beginning = load(text.data() + first);
    std::uint64_t next = last - first >= 16 ? load(text.data() + first + 8) : 0;
    if (numbers) {
      beginning = without_digits(beginning);
      next = without_digits(next);
    }
    const std::uint64_t hash = mixed(mixed(1, beginning), next) * 0x9E37'79B9'7F4A'7C15;
    const auto tag = static_cast<std::uint32_t>(hash) | 1U;
    std::uint32_t& place = tags_[hash >> shift];
    if (place == tag) alike += last - first;
    place = tag;
    return (alike + text.size() - last) * 4 >= text.size();  // else what is left is too little
  });
  return alike * 4 >= text.size();
}

void LineCounter::cut(std::string_view text, const TextSurvey& survey) {
  units_.clear();
  for_each_unit(text, survey, [&](std::size_t first, std::size_t last) {
    units_.push_back({first, last - first, 0});
    return units_.size() < kMostUnits;
  });
}

std::size_t LineCounter::slot_of(std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash >> 20 & mask;
  while (table_[slot].hash != 0 && table_[slot].hash != hash) slot = (slot + 1) & mask;
  return slot;
}

void LineCounter::fill_table(std::string_view text, bool folded) {
  table_.assign(std::bit_ceil(units_.size() * 2 + 2), Entry{});
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::string_view unit = text.substr(units_[i].offset, units_[i].length);
    units_[i].hash = folded ? folded_hash_of(unit) : hash_of(unit);
    Entry& entry = table_[slot_of(units_[i].hash)];
    if (entry.count++ == 0) {
      entry.hash = units_[i].hash;
      entry.units = static_cast<std::uint32_t>(i);
    }
  }
}

void LineCounter::count(std::string_view text, const TextSurvey& survey, LineRepeats& out) {
  out = {};
  cut(text, survey);
  out.units = units_.size();
  fill_table(text, false);
  const auto append = [&](const Unit& unit) {
    const std::size_t end = out.repeated.empty() ? 0 : out.repeated.back().offset + out.repeated.back().length;
    if (!out.repeated.empty() && unit.offset <= end + 8) {
      out.repeated.back().length = unit.offset + unit.length - out.repeated.back().offset;
    } else {
      out.repeated.push_back({unit.offset, unit.length});
    }
  };
  for (const Entry& entry : table_) {
    if (entry.count < 2) continue;
    const Unit& unit = units_[entry.units];
    const std::size_t bytes = unit.length * (entry.count - 1);
    if (!kind_of(text.substr(unit.offset, unit.length)).wordy) {
      out.structural_bytes += bytes;
      out.most_structural = std::max<std::size_t>(out.most_structural, entry.count);
      continue;
    }
    out.repeated_bytes += bytes;
    if (unit.length >= kLongUnit && entry.count >= 3) out.long_bytes += bytes;
    if (bytes > out.most_bytes) {
      out.most_bytes = bytes;
      out.most = entry.count;
    }
  }
  for (const Unit& unit : units_) {
    if (table_[slot_of(unit.hash)].count >= 2) append(unit);
  }
  if (out.repeated_bytes * 4 > text.size() || survey.digits == 0) return;
  fill_table(text, true);
  for (const Entry& entry : table_) {
    if (entry.count <= out.counter_units) continue;
    const Unit& unit = units_[entry.units];
    const UnitKind kind = kind_of(text.substr(unit.offset, unit.length));
    if (!kind.wordy || !kind.counter) continue;
    out.counter_units = entry.count;
    out.counter_bytes = unit.length * entry.count;
  }
}

}  // namespace assay
