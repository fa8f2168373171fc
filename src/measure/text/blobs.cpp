// Bytes that someone wrote as text: base64, hexadecimal, and denser codes.
//
// StarCoder2 looks for 64 characters of the base64 alphabet in a row, for eight pairs of hexadecimal digits, and so on;
// that misses url-safe alphabets, vocabularies of short words, hashes and dumps with a gutter, and takes a long file
// name for base64. So length is only where one begins to look here. What tells code from words is how often the class
// of a character (small letter, capital, digit) changes to the next: 0.65 times a character in random base64, 0.5 where
// it encodes English, at most 0.3 in names with capitals inside or in paths, 0.02 in words. Zero bytes give runs of
// "A", so the longer a stretch without a break, the fewer changes are asked for.
//
// Hexadecimal is digits of which some are letters: with random bytes 6 of 16. Tables of decimal numbers have none,
// words have no digits. A list of bytes or words is told by one width for nearly all. Dense codes (uuencode, ascii85)
// have what no language has: capitals, small letters or digits, and punctuation mixed within one long word, or lines of
// 61 characters that begin with "M" and have no small letter.
//
// Stretches are found backwards (next_run): in prose most bytes are never looked at. Blobs with a line break, a quote
// or a full stop between them (wrapped lines, the three parts of a token) are one.
//
// Limits: below 24 characters a password or a product code looks the same. DNA and proteins are no blobs (no digits).
// What a blob holds is guessed from its first characters only.

#include "measure/text/blobs.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "measure/text/ascii_classes.h"

namespace assay {

namespace {

constexpr std::size_t kShortestWord = 24;
constexpr std::size_t kShortestHash = 32;
constexpr std::size_t kLongestHash = 128;
constexpr std::size_t kShortestDense = 50;
constexpr std::size_t kShortestHexRun = 36;

struct WordCounts {
  std::size_t size = 0, lower = 0, upper = 0, digits = 0, hex = 0, dashes = 0, prefixes = 0, marks = 0,
              outside_base32 = 0, changes = 0;
  std::size_t lower_runs = 0;     // of small letters
  std::size_t capital_pairs = 0;  // capitals behind capitals
};

WordCounts count_word(std::string_view word) {
  constexpr unsigned kKinds = kAsciiLetter | kAsciiDigit;
  WordCounts out;
  out.size = word.size();
  unsigned before = 0;
  for (const char c : word) {
    const unsigned classes = ascii_class(c);
    const unsigned kind = classes & kKinds;
    out.lower += (classes & kAsciiLower) != 0;
    out.upper += (classes & kAsciiUpper) != 0;
    out.digits += (classes & kAsciiDigit) != 0;
    out.hex += (classes & kAsciiHex) != 0;
    out.lower_runs += (classes & kAsciiLower & ~before) != 0;
    out.capital_pairs += (classes & kAsciiUpper & before) != 0;
    out.dashes += c == '-';
    out.prefixes += c == 'x' && out.hex > 0;
    out.marks += kind == 0 && c != '=';
    out.outside_base32 += c == '0' || c == '1' || c == '8' || c == '9';
    out.changes += kind != 0 && before != 0 && kind != before;
    if (kind != 0) before = kind;
  }
  return out;
}

bool is_hexadecimal(const WordCounts& counts) {
  // A UUID has dashes, programs in hexadecimal follow each other with 0x; two kinds of letters are not written in one.
  const std::size_t other = counts.dashes + counts.prefixes;
  if (counts.hex + other != counts.size || counts.hex < kShortestHash || other * 6 > counts.size) return false;
  const std::size_t letters = counts.hex - counts.digits;
  if (counts.lower > 4 && counts.upper > 4) return false;
  return letters * 100 >= 3 * counts.hex && counts.digits * 4 >= counts.hex;
}

bool is_base64(const WordCounts& counts) {
  const std::size_t size = counts.size;
  const std::size_t letters = counts.lower + counts.upper;
  if (counts.marks * 100 > 14 * size) return false;
  // Lower-case identifiers of random letters and digits, and base32.
  if (counts.lower == 0 || counts.upper == 0) {
    const bool base32 = counts.upper > 0 && counts.outside_base32 == 0 && counts.digits * 14 > size;
    if (size < 40 || letters * 3 < size) return false;
    return base32 ? counts.changes * 7 > size : counts.changes * 10 > 3 * size && counts.digits * 10 > size;
  }
  if (counts.lower * 12 < size || counts.upper * 12 < size) {
    // Zero bytes: "AAAA" with little else.
    return size >= 200 && counts.marks * 20 < size && counts.changes * 20 > size && counts.digits > 0;
  }
  // Names in CamelCase change as often; but one word of base64 in fifty has no digit, two fifths of its capitals follow
  // capitals, and its small letters come in runs of 1.7.
  const bool is_name = counts.capital_pairs * 8 < counts.upper && counts.lower * 2 >= counts.lower_runs * 5;
  if (counts.digits == 0 || is_name) return false;
  const bool few_marks = counts.marks * 14 <= size;
  if (size >= 200 && few_marks) return counts.changes * 5 >= size;
  if (size >= 64 && few_marks) return counts.changes * 10 >= 3 * size;
  return counts.changes * 100 >= 40 * size;
}

void find_words(std::string_view text, std::vector<Blob>& out) {
  const auto belongs = [](char c) { return is_ascii(c, kAsciiBlob); };
  for (ByteRun run = next_run(text, 0, kShortestWord, belongs); run.first < text.size();
       run = next_run(text, run.last, kShortestWord, belongs)) {
    // Separators around a word do not belong to it: "path=", "--".
    std::string_view word = text.substr(run.first, run.last - run.first);
    while (!word.empty() && (word.front() == '=' || word.front() == '-' || word.front() == '_')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == '-' || word.back() == '_')) word.remove_suffix(1);
    const auto offset = static_cast<std::size_t>(word.data() - text.data());
    std::string_view number = word;
    if (number.starts_with("0x") || number.starts_with("0X")) number.remove_prefix(2);
    if (const WordCounts counts = count_word(number); is_hexadecimal(counts)) {
      out.push_back({offset, word.size(), counts.hex <= kLongestHash ? BlobKind::kHash : BlobKind::kHex});
    } else if (word.size() >= kShortestWord && is_base64(count_word(word))) {
      out.push_back({offset, word.size(), BlobKind::kBase64});
    }
  }
}

// Digits, letters of hexadecimal and what stands between the numbers of a dump.
constexpr std::array<bool, 256> kHexish = [] {
  std::array<bool, 256> out{};
  for (std::size_t c = 0; c < 256; ++c) out[c] = (kAsciiClasses[c] & (kAsciiHex | kAsciiBlank)) != 0;
  for (const char c : {'x', 'X', ',', ':', ';', '-', '"', '\'', '{', '}', '|', '[', ']', '<', '>'})
    out[static_cast<unsigned char>(c)] = true;
  return out;
}();

struct HexNumbers {
  std::size_t numbers = 0, digits = 0, letters = 0, even = 0;
  std::array<std::size_t, 4> of_width = {};  // 2, 4, 8, 16 digits
};

HexNumbers count_numbers(std::string_view run) {
  HexNumbers out;
  for (std::size_t at = 0; at < run.size();) {
    if (!is_ascii(run[at], kAsciiHex)) {
      ++at;
      continue;
    }
    if (run[at] == '0' && at + 1 < run.size() && (run[at + 1] | 0x20) == 'x') {
      at += 2;
    }
    const std::size_t first = at;
    std::size_t letters = 0;
    while (at < run.size() && is_ascii(run[at], kAsciiHex)) letters += is_ascii(run[at++], kAsciiHexLetter);
    const std::size_t width = at - first;
    if (width == 0) continue;
    ++out.numbers;
    out.letters += letters;
    out.digits += width - letters;
    out.even += width % 2 == 0;
    for (std::size_t i = 0; i < out.of_width.size(); ++i) out.of_width[i] += width == std::size_t{2} << i;
  }
  return out;
}

// Dumps and lists. Whether a stretch is hexadecimal is judged for all of them together: a line of zeros has no letter.
void find_hex_bytes(std::string_view text, std::vector<Blob>& out) {
  const auto belongs = [](char c) { return kHexish[static_cast<unsigned char>(c)]; };
  std::size_t letters = 0;
  std::size_t all = 0;
  const std::size_t before = out.size();
  for (ByteRun run = next_run(text, 0, kShortestHexRun, belongs); run.first < text.size();
       run = next_run(text, run.last, kShortestHexRun, belongs)) {
    while (run.first < run.last && !is_ascii(text[run.first], kAsciiHex)) ++run.first;
    std::size_t last = run.last;
    while (last > run.first && !is_ascii(text[last - 1], kAsciiHex)) --last;
    const HexNumbers seen = count_numbers(text.substr(run.first, last - run.first));
    const std::size_t digits = seen.letters + seen.digits;
    const std::size_t uniform = *std::max_element(seen.of_width.begin(), seen.of_width.end());
    // Bytes in groups of any size have an even number of digits; decimal numbers and words do not.
    const bool even = seen.even * 100 >= 90 * seen.numbers && seen.letters * 100 >= 12 * digits;
    const bool one_width = seen.numbers >= 8 && uniform * 100 >= 85 * seen.numbers;
    if (digits < 16 || seen.numbers < 4 || digits * 5 < (last - run.first) || !(one_width || even)) continue;
    letters += seen.letters;
    all += digits;
    // A fingerprint with colons is a checksum like any other.
    const std::string_view all_of = text.substr(run.first, last - run.first);
    const auto colons = static_cast<std::size_t>(std::ranges::count(all_of, ':'));
    const bool hash = digits <= kLongestHash && colons + 2 >= seen.numbers && colons < seen.numbers;
    out.push_back({run.first, last - run.first, hash ? BlobKind::kHash : BlobKind::kHexBytes});
  }
  if (letters * 100 < 3 * all || letters < 4 || letters * 10 > 8 * all) out.resize(before);
}

bool is_dense(std::string_view word) {
  std::size_t letters = 0, digits = 0, punctuation = 0, changes = 0;
  unsigned before = 0;
  for (const char c : word) {
    const unsigned classes = ascii_class(c);
    const unsigned kind = classes & (kAsciiLetter | kAsciiDigit);
    letters += (classes & kAsciiLetter) != 0;
    digits += (classes & kAsciiDigit) != 0;
    punctuation += (classes & kAsciiPunctuation) != 0;
    changes += kind != 0 && before != 0 && kind != before;
    before = kind;
  }
  const std::size_t size = word.size();
  return punctuation * 100 >= 12 * size && punctuation * 2 <= size && changes * 100 >= 15 * size &&
         digits * 100 >= 4 * size && letters * 4 >= size;
}

void find_dense_words(std::string_view text, std::vector<Blob>& out) {
  const auto belongs = [](char c) { return c > 0x20 && c < 0x7F; };
  for (ByteRun run = next_run(text, 0, kShortestDense, belongs); run.first < text.size();
       run = next_run(text, run.last, kShortestDense, belongs)) {
    const std::string_view word = text.substr(run.first, run.last - run.first);
    // Addresses mix as much.
    if (word.find("://") != std::string_view::npos) continue;
    // Escapes have a rule of their own.
    const auto escapes = std::ranges::count_if(word, [](char c) { return c == '\\' || c == '%'; });
    if (static_cast<std::size_t>(escapes) * 12 > word.size()) continue;
    if (is_dense(word)) out.push_back({run.first, word.size(), BlobKind::kDense});
  }
}

// The first character says how many bytes the line has; the header and the last lines belong to it.
bool is_uuencoded(std::string_view line) {
  if (line == "`" || line == "end" ||
      (line.size() > 10 && line.starts_with("begin ") && is_ascii(line[6], kAsciiDigit)))
    return true;
  if (line.size() < 5 || line.front() < '!' || line.front() > 'M') return false;
  const auto bytes = static_cast<std::size_t>(line.front() - ' ');
  if (line.size() != 1 + (bytes + 2) / 3 * 4) return false;
  return std::ranges::all_of(line, [](char c) { return c >= 0x20 && c <= 0x60; });
}

bool has_uuencoded(std::string_view lines, std::size_t count) {
  std::size_t punctuation = 0;
  for (const char c : lines) punctuation += is_ascii(c, kAsciiPunctuation);
  return lines.size() >= 28 * (count > 2 ? count - 2 : 1) && punctuation * 8 >= lines.size() && lines.find("  ") != 0;
}

bool is_vocabulary_entry(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || space % 4 != 0 || space == 0 || space > 200) return false;
  for (const char c : line.substr(0, space)) {
    if (!is_ascii(c, kAsciiBlob)) return false;
  }
  std::size_t at = space + 1;
  while (at < line.size() && is_ascii(line[at], kAsciiDigit)) ++at;
  return at > space + 1 && line.substr(at).find_first_not_of(" \r") == std::string_view::npos;
}

/// Stretches of at least `least` lines that `belongs` takes; `enough` says of a stretch whether to keep it.
void find_lines(std::string_view text, std::size_t least, BlobKind kind, const auto& belongs, const auto& enough,
                std::vector<Blob>& out) {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t at = 0;
  const auto close = [&](std::size_t end) {
    if (count >= least && enough(text.substr(first, end - first), count)) out.push_back({first, end - first, kind});
    count = 0;
  };
  while (at < text.size()) {
    const std::size_t feed = text.find('\n', at);
    const std::size_t end = feed == std::string_view::npos ? text.size() : feed;
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (belongs(line)) {
      if (count++ == 0) first = at;
    } else if (count > 0) {
      close(at - 1);
    }
    at = end + 1;
  }
  if (count > 0) close(text.size());
}

bool by_offset(const Blob& a, const Blob& b) { return a.offset < b.offset; }

// Whether what stands between two blobs only separates them.
bool is_joint(std::string_view between) {
  if (between.size() > 16) return false;
  return std::ranges::none_of(between,
                              [](char c) { return is_ascii(c, kAsciiLetter | kAsciiDigit) || (c & 0x80) != 0; });
}

// The last line of wrapped base64 is a short one.
std::size_t with_last_line(std::string_view text, std::size_t end) {
  std::size_t at = end;
  while (at < text.size() && at < end + 4 && is_ascii(text[at], kAsciiBlank)) ++at;
  if (at == end || text.substr(end, at - end).find('\n') == std::string_view::npos) return end;
  std::size_t last = at;
  while (last < text.size() && last < at + 80 && is_ascii(text[last], kAsciiBlob)) ++last;
  const bool whole = last == text.size() || text[last] == '\n' || text[last] == '\r';
  if (!whole || last == at) return end;
  return text[last - 1] == '=' || ((last - at) % 4 == 0 && is_base64(count_word(text.substr(at, last - at)))) ? last
                                                                                                              : end;
}

void join(std::string_view text, std::vector<Blob>& blobs) {
  std::sort(blobs.begin(), blobs.end(), by_offset);
  std::size_t kept = 0;
  for (const Blob& blob : blobs) {
    if (kept > 0) {
      Blob& last = blobs[kept - 1];
      const std::size_t end = last.offset + last.length;
      if (blob.offset < end) {  // seen in two ways
        const std::size_t new_end = std::max(end, blob.offset + blob.length);
        if (blob.length > last.length) last.kind = blob.kind;
        last.length = new_end - last.offset;
        continue;
      }
      const bool alike = blob.kind == last.kind && blob.kind != BlobKind::kHash;
      if (alike && is_joint(text.substr(end, blob.offset - end))) {
        last.length = blob.offset + blob.length - last.offset;
        continue;
      }
    }
    blobs[kept++] = blob;
  }
  blobs.resize(kept);
  for (std::size_t i = 0; i < kept; ++i) {
    if (blobs[i].kind != BlobKind::kBase64 || blobs[i].length < 60) continue;
    const std::size_t end = with_last_line(text, blobs[i].offset + blobs[i].length);
    if (i + 1 == kept || end <= blobs[i + 1].offset) blobs[i].length = end - blobs[i].offset;
  }
}

}  // namespace

void find_blobs(std::string_view text, const TextSurvey& survey, std::vector<Blob>& out) {
  out.clear();
  const std::size_t size = text.size();
  if (survey.longest_word >= kShortestWord) find_words(text, out);
  if (survey.digits >= 24 && survey.digits * 50 >= size) find_hex_bytes(text, out);
  if (survey.longest_word >= kShortestDense && survey.punctuation * 10 >= survey.longest_word &&
      survey.letters > survey.high) {
    find_dense_words(text, out);
  }
  if (survey.lines >= 2 && survey.punctuation * 10 >= size)
    find_lines(text, 2, BlobKind::kDense, is_uuencoded, has_uuencoded, out);
  if (survey.lines >= 8 && survey.of('=') * 5 >= survey.lines && survey.digits * 12 >= size) {
    const auto padded = [](std::string_view lines, std::size_t count) {
      return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '=')) * 3 >= count;
    };
    find_lines(text, 8, BlobKind::kVocabulary, is_vocabulary_entry, padded, out);
  }
  if (!out.empty()) join(text, out);
}

std::string_view content_of_base64(std::string_view blob) {
  static constexpr std::pair<std::string_view, std::string_view> kBeginnings[] = {
      {"iVBORw0KGgo", "PNG"}, {"/9j/", "JPEG"},   {"R0lGOD", "GIF"},  {"UklGR", "WebP"},  {"PHN2Zy", "SVG"},
      {"JVBERi0", "PDF"},     {"UEsDB", "ZIP"},   {"H4sI", "gzip"},   {"eyJ", "JSON"},    {"MII", "X.509"},
      {"d09GR", "WOFF"},      {"AAEAAAA", "TTF"}, {"AGFzbQ", "wasm"}, {"f0VMR", "ELF"},   {"TVqQ", "EXE"},
      {"SUkq", "TIFF"},       {"T2dnUw", "Ogg"},  {"SUQz", "MP3"},    {"gASV", "pickle"},
  };
  for (const auto& [beginning, content] : kBeginnings) {
    if (blob.starts_with(beginning)) return content;
  }
  return {};
}

}  // namespace assay
