// Boilerplate is known by what it says, in many languages.
//
// The table holds phrases, not words, because each of their words also stands in prose. They are looked for where a
// word begins: the first six bytes (as small letters) choose a bucket, and only phrases of that bucket are compared. A
// loop over bytes would wait at each end of a word for a branch that was not foreseen, so one goes from bit to bit.
// Of letters that are no ASCII the first of a phrase may be a capital, the others are compared as they are.
//
// Placeholder text is Latin that no Latin author wrote: its vocabulary is 63 words, and a stretch of at least eight
// words of which nine in ten are from it is no accident, also where it does not begin with "Lorem ipsum".

#include "measure/text/phrases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <string>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"
#include "measure/text/byte_masks.h"
#include "measure/text/known_phrases.h"

namespace assay {

namespace {

constexpr std::string_view kPlaceholderWords[] = {
    "ad",      "adipiscing", "adipisicing", "aliqua",    "aliquip",   "amet",          "anim",     "aute",
    "cillum",  "commodo",    "consectetur", "consequat", "culpa",     "cupidatat",     "deserunt", "do",
    "dolor",   "dolore",     "duis",        "ea",        "eiusmod",   "elit",          "enim",     "esse",
    "est",     "et",         "eu",          "ex",        "excepteur", "exercitation",  "fugiat",   "id",
    "in",      "incididunt", "ipsum",       "irure",     "labore",    "laboris",       "laborum",  "lorem",
    "magna",   "minim",      "mollit",      "nisi",      "non",       "nostrud",       "nulla",    "occaecat",
    "officia", "pariatur",   "proident",    "qui",       "quis",      "reprehenderit", "sed",      "sint",
    "sit",     "sunt",       "tempor",      "ullamco",   "ut",        "velit",         "veniam",   "voluptate",
};
static_assert(std::ranges::is_sorted(kPlaceholderWords));

// More of the generators' vocabulary: stretches that do not begin with the first sentence.
constexpr std::string_view kGeneratorWords[] = {
    "accumsan",  "aenean",       "aliquam",     "aliquet",     "ante",        "arcu",         "at",        "auctor",
    "augue",     "bibendum",     "blandit",     "condimentum", "congue",      "consectetuer", "convallis", "cras",
    "curabitur", "cursus",       "dapibus",     "diam",        "dictum",      "dignissim",    "donec",     "dui",
    "efficitur", "egestas",      "eget",        "eleifend",    "elementum",   "erat",         "eros",      "etiam",
    "euismod",   "facilisi",     "facilisis",   "fames",       "faucibus",    "felis",        "fermentum", "feugiat",
    "finibus",   "fringilla",    "fusce",       "gravida",     "habitant",    "hendrerit",    "iaculis",   "imperdiet",
    "integer",   "interdum",     "justo",       "lacinia",     "lacus",       "laoreet",      "lectus",    "leo",
    "libero",    "ligula",       "lobortis",    "luctus",      "maecenas",    "malesuada",    "massa",     "mattis",
    "mauris",    "maximus",      "metus",       "mi",          "molestie",    "morbi",        "nam",       "nec",
    "neque",     "netus",        "nibh",        "nisl",        "nullam",      "nunc",         "odio",      "orci",
    "ornare",    "pellentesque", "pharetra",    "phasellus",   "placerat",    "porta",        "porttitor", "posuere",
    "praesent",  "pretium",      "proin",       "pulvinar",    "purus",       "quam",         "quisque",   "rhoncus",
    "risus",     "rutrum",       "sagittis",    "sapien",      "scelerisque", "sem",          "semper",    "senectus",
    "sodales",   "sollicitudin", "suscipit",    "suspendisse", "tellus",      "tempus",       "tincidunt", "tortor",
    "tristique", "turpis",       "ullamcorper", "ultrices",    "ultricies",   "urna",         "varius",    "vehicula",
    "vel",       "venenatis",    "vestibulum",  "vitae",       "vivamus",     "viverra",      "volutpat",  "vulputate",
};

using known_phrases::kPhrases;

constexpr std::size_t kBuckets = 4096;
constexpr std::size_t kKeyBytes = 6;
static_assert(std::ranges::all_of(kPhrases, [](const KnownPhrase& phrase) { return phrase.text.size() >= kKeyBytes; }));

// Of the first bytes at `at`, capitals as small letters and line feeds as blanks; other signs become others, in the
// table as in the text. Bytes behind the text are zeros.
std::uint32_t bucket_of(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
  std::uint64_t key = 0;
  if (at + sizeof key <= text.size()) {
    std::memcpy(&key, text.data() + at, sizeof key);
  } else {
    std::memcpy(&key, text.data() + at, text.size() - at);
  }
  static_assert(std::endian::native == std::endian::little);
  key <<= 8 * (sizeof key - kKeyBytes);
  const std::uint64_t feeds = key ^ '\n' * kEach;
  const std::uint64_t is_feed = (feeds - kEach) & ~feeds & 0x80 * kEach;  // and what follows one, seldom
  key = (key | ' ' * kEach) ^ (is_feed >> 7) * '\n';
  return static_cast<std::uint32_t>((key * 0x9E37'79B9'7F4A'7C15) >> 52);
}

/// Phrases by bucket: those of bucket b are order[first[b]] to order[first[b + 1]].
struct Buckets {
  std::array<std::uint64_t, kBuckets / 64> used = {};  // bits: buckets that hold a phrase
  std::array<std::uint16_t, kBuckets + 1> first = {};
  std::array<std::uint16_t, 2 * std::size(kPhrases)> order = {};
};

// The capital that a phrase may begin with, where it begins with a letter of Latin-1 or of Cyrillic; else as it begins.
std::array<char, 2> capital_of(std::string_view phrase) {
  const auto lead = static_cast<unsigned char>(phrase[0]);
  const auto trail = static_cast<unsigned char>(phrase[1]);
  const auto pair = [](unsigned first, unsigned second) {
    return std::array{static_cast<char>(static_cast<unsigned char>(first)),
                      static_cast<char>(static_cast<unsigned char>(second))};
  };
  if (lead == 0xC3 && trail >= 0xA0) return pair(0xC3, trail - 0x20U);
  if (lead == 0xD0 && trail >= 0xB0) return pair(0xD0, trail - 0x20U);
  if (lead == 0xD1 && trail < 0x90) return pair(0xD0, trail + 0x20U);
  return pair(lead, trail);
}

// Calls `take(bucket, number)` for each beginning of each phrase.
void for_each_beginning(const auto& take) {
  for (std::size_t i = 0; i < std::size(kPhrases); ++i) {
    take(bucket_of(kPhrases[i].text, 0), static_cast<std::uint16_t>(i));
    std::string capital(kPhrases[i].text);
    std::ranges::copy(capital_of(capital), capital.begin());
    if (capital != kPhrases[i].text) take(bucket_of(capital, 0), static_cast<std::uint16_t>(i));
  }
}

const Buckets& buckets() {
  static const Buckets kMade = [] {
    Buckets out;
    for_each_beginning([&](std::uint32_t bucket, std::uint16_t) {
      out.used[bucket / 64] |= std::uint64_t{1} << bucket % 64;
      ++out.first[bucket + 1];
    });
    for (std::size_t b = 0; b < kBuckets; ++b)
      out.first[b + 1] = static_cast<std::uint16_t>(out.first[b + 1] + out.first[b]);
    std::array<std::uint16_t, kBuckets> next = {};
    std::copy_n(out.first.begin(), kBuckets, next.begin());
    for_each_beginning([&](std::uint32_t bucket, std::uint16_t i) { out.order[next[bucket]++] = i; });
    return out;
  }();
  return kMade;
}

bool matches(std::string_view text, std::size_t at, std::string_view phrase) {
  if (at + phrase.size() > text.size()) return false;
  const std::array<char, 2> capital = capital_of(phrase);
  const bool begins_so = text[at] == capital[0] && text[at + 1] == capital[1];
  for (std::size_t i = begins_so ? 2 : 0; i < phrase.size(); ++i) {
    const char c = text[at + i];
    // A line break inside of a phrase is a blank.
    if (lower(c) != phrase[i] && !(phrase[i] == ' ' && c == '\n')) return false;
  }
  return true;
}

// Who puts a phrase in quotation marks writes about it. In a page of JSON they stand behind a colon or a bracket.
bool is_quoted(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 7> kMarks = {"“", "„", "«", "「", "『", " \"", "\n\""};
  const std::string_view before = text.substr(0, at);
  return std::ranges::any_of(kMarks, [&](std::string_view mark) { return before.ends_with(mark); });
}

// The longest phrase of the bucket that stands there; null: none.
const KnownPhrase* longest_at(std::string_view text, std::size_t at, std::uint32_t bucket) {
  const Buckets& table = buckets();
  const KnownPhrase* longest = nullptr;
  for (std::size_t i = table.first[bucket]; i < table.first[bucket + 1]; ++i) {
    const KnownPhrase& phrase = kPhrases[table.order[i]];
    if ((longest == nullptr || phrase.text.size() > longest->text.size()) && matches(text, at, phrase.text))
      longest = &phrase;
  }
  return longest;
}

bool is_placeholder(std::string_view word) {
  char small[16];
  if (word.size() > 14) return false;
  for (std::size_t i = 0; i < word.size(); ++i) small[i] = lower(word[i]);
  const std::string_view lowered(small, word.size());
  return std::ranges::binary_search(kPlaceholderWords, lowered) ||
         std::ranges::find(kGeneratorWords, lowered) != std::end(kGeneratorWords);
}

}  // namespace

void find_phrases(std::string_view text, std::vector<FoundPhrase>& out) {
  out.clear();
  const Buckets& table = buckets();
  WordMasks masks;
  std::size_t behind = 0;    // the last phrase
  std::uint64_t before = 0;  // 1: the byte before is of a word
  for (std::size_t from = 0; from + kKeyBytes <= text.size(); from += kMaskBytes) {
    const std::size_t word = from % kMaskedBytes / kMaskBytes;
    if (word == 0) mask_words(text, from, masks);
    const std::uint64_t plain = masks.plain[word];
    for (std::uint64_t bits = (plain & ~(plain << 1 | before)) | masks.leads[word]; bits != 0; bits &= bits - 1) {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(bits));
      if (at + kKeyBytes > text.size()) break;
      const std::uint32_t bucket = bucket_of(text, at);
      if ((table.used[bucket / 64] >> bucket % 64 & 1) == 0 || at < behind) continue;
      if (is_quoted(text, at)) continue;
      if (const KnownPhrase* const phrase = longest_at(text, at, bucket)) {
        behind = at + phrase->text.size();
        out.push_back({at, phrase->text.size(), phrase->kind, phrase->weight,
                       static_cast<std::uint16_t>(phrase - std::begin(kPhrases))});
      }
    }
    before = plain >> 63;
  }
}

void find_placeholder(std::string_view text, std::vector<FoundPhrase>& out) {
  out.clear();
  constexpr std::size_t kLeastWords = 8;
  constexpr std::size_t kLeastLong = 4;  // words of more than three letters
  std::size_t first = 0, last = 0, words = 0, long_words = 0, strange = 0;
  const auto close = [&] {
    if (words >= kLeastWords && long_words >= kLeastLong)
      out.push_back({first, last - first, PhraseKind::kPlaceholder, 3});
    words = long_words = strange = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii(text[at], kAsciiLetter)) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_ascii(text[at], kAsciiLetter)) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (is_placeholder(word)) {
      if (words++ == 0) first = begin;
      long_words += word.size() > 3;
      last = at;
    } else if (words > 0 && ++strange * 10 > words + 5) {
      close();
    }
  }
  close();
}

}  // namespace assay
