// Documents that are numbers and nothing else: phone lists, lottery results, dumps of measurements.
//
// A share of digits does not tell them from tables: a CSV file with a header, a sequence with its name or a log has as
// many. What those have, and a dump lacks, is words. So numbers are counted against different words: where 25 or more
// numbers fall to each word that the document has, the words are a frame ("No. … period") and the numbers the content.
// A word counts once, however often it is repeated, and an ideograph is half a word. A header that names columns (as
// many fields in the first line that has letters as in the lines below it) makes the document a table, which is left
// to the share of tables.
//
// Digits of all scripts count. Exponents, hexadecimal digits glued to digits and signs belong to their number.
// The survey decides for nearly all documents: digits must be half of what is visible, letters a fifth at most.
// Limits: different words are counted up to 64 with a hash of each; more make no dump.

#include <algorithm>
#include <array>
#include <memory>

#include "base/ascii.h"
#include "measure/text/characters.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Count {
  std::size_t numbers = 0;
  std::size_t digits = 0;
  double words = 0;  // different ones
};

// Different words by their hashes; beyond 64 nobody asks.
class Words {
 public:
  bool add(std::uint64_t hash) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (seen_[i] == hash) return false;
    }
    if (size_ < seen_.size()) seen_[size_++] = hash;
    return true;
  }
  bool full() const { return size_ == seen_.size(); }

 private:
  std::array<std::uint64_t, 64> seen_ = {};
  std::size_t size_ = 0;
};

constexpr std::uint64_t kStart = 0xcbf29ce484222325;
constexpr std::uint64_t mix(std::uint64_t hash, char32_t code) { return (hash ^ code) * 0x100000001b3; }

Count count_of(std::string_view text) {
  Count out;
  Words words;
  for (std::size_t at = 0; at < text.size() && !words.full();) {
    const Character one = character_at(text, at);
    const CharacterKind kind = kind_of(one.code);
    if (kind == CharacterKind::kDigit) {
      ++out.numbers;
      while (at < text.size()) {  // with its point, its exponent and the hexadecimal digits within it
        const Character next = character_at(text, at);
        const bool digit = kind_of(next.code) == CharacterKind::kDigit;
        const bool within = next.code < 0x80 && (next.code == '.' || (lower(static_cast<char>(next.code)) >= 'a' &&
                                                                      lower(static_cast<char>(next.code)) <= 'f'));
        if (!digit && !within) break;
        out.digits += digit ? 1U : 0U;
        at += next.bytes;
      }
    } else if (kind == CharacterKind::kHan || kind == CharacterKind::kKana) {
      if (words.add(mix(kStart, one.code))) out.words += 0.5;
      at += one.bytes;
    } else if (is_letter(kind)) {
      std::uint64_t hash = kStart;
      while (at < text.size()) {
        const Character next = character_at(text, at);
        if (!is_letter(kind_of(next.code))) break;
        hash =
            mix(hash, next.code < 0x80 ? static_cast<unsigned char>(lower(static_cast<char>(next.code))) : next.code);
        at += next.bytes;
      }
      if (words.add(hash)) out.words += 1;
    } else {
      at += one.bytes;
    }
  }
  if (words.full()) out.words = 1e9;
  return out;
}

// Fields of a line at commas, tabs, bars or semicolons: the sign that there is most of.
std::size_t fields_of(std::string_view line) {
  std::size_t most = 0;
  for (const char sign : {',', '\t', '|', ';'}) {
    most = std::max(most, static_cast<std::size_t>(std::count(line.begin(), line.end(), sign)));
  }
  return most + 1;
}

// Whether the first line that has letters names as many columns as lines below it have.
bool has_header(std::string_view text) {
  std::size_t columns = 0;
  std::size_t like = 0;
  std::size_t lines = 0;
  while (!text.empty() && lines < 12) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min<std::size_t>(end, 65536));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line == "\r") continue;
    if (columns == 0) {
      const auto letters = std::count_if(line.begin(), line.end(),
                                         [](char c) { return is_letter(c) || static_cast<unsigned char>(c) >= 0x80; });
      const auto digits = std::count_if(line.begin(), line.end(), is_digit);
      columns = fields_of(line);
      if (columns < 2 || letters < static_cast<std::ptrdiff_t>(columns) || digits > letters) return false;
      continue;
    }
    ++lines;
    if (fields_of(line) == columns) ++like;
  }
  return lines >= 1 && like * 4 >= lines * 3;
}

// At most how many digits of other scripts there are. They share lead bytes with letters of their script: a text of
// digits has those lead bytes in shares that no words have.
std::uint32_t other_digits(const TextSurvey& survey) {
  const std::uint32_t arabic = survey.of('\xd9');   // ٠ to ٩, and half of the letters; the other half begins with D8
  const std::uint32_t persian = survey.of('\xdb');  // ۰ to ۹
  const std::uint32_t wide = survey.of('\xef');     // ０ to ９
  std::uint32_t out = 0;
  if (arabic > 3 * survey.of('\xd8')) out += arabic;
  if (persian > survey.of('\xd8') + survey.of('\xd9')) out += persian;
  if (wide * 6 > survey.high) out += wide;
  // E0 with A5, A7, … AF, B1, … B9, BB: the second half of a block of 128, where its digits stand.
  std::uint32_t second = 0;
  for (unsigned byte = 0xa5; byte <= 0xbb; byte += 2) second += survey.bytes[byte];
  if (second * 5 > survey.of('\xe0') * 4) out += survey.of('\xe0');
  return out;
}

class DigitsJudge : public DocumentJudge {
 public:
  explicit DigitsJudge(const Parameters& set)
      : share_(set["share"]), per_word_(set["numbers"]), least_(static_cast<std::size_t>(set["digits"])) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    const TextSurvey& survey = document.survey;
    const double visible = survey.characters - survey.blanks;
    const std::uint32_t digits = survey.digits + other_digits(survey);
    if (digits < least_ || digits < share_ * visible || survey.letters > 0.2 * visible) return;
    const Count count = count_of(text);
    if (count.digits < least_ || static_cast<double>(count.digits) < share_ * visible) return;
    if (static_cast<double>(count.numbers) < per_word_ * count.words) {
      // A few long numbers beside a word or none.
      if (count.words > 0) return;
    }
    if (has_header(text)) return;
    const std::size_t from = first_digit(text);
    const bool sure = static_cast<double>(count.digits) >= 0.75 * visible || count.numbers >= 25;
    out.add({from,
             last_digit(text) - from,
             Severity::kWarning,
             sure ? 0.9 : 0.7,
             {count.words == 0 ? "numbers" : "few-words", {{"numbers", count.numbers}, {"words", count.words}}},
             {}});
  }

 private:
  static std::size_t first_digit(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && kind_of(character_at(text, at).code) != CharacterKind::kDigit) {
      at += character_at(text, at).bytes;
    }
    return at;
  }
  static std::size_t last_digit(std::string_view text) {
    std::size_t at = text.size();
    while (at > 0 && kind_of(character_at(text, before(text, at)).code) != CharacterKind::kDigit) at = before(text, at);
    return at;
  }

  double share_;
  double per_word_;
  std::size_t least_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<DigitsJudge>(set); }

}  // namespace

extern const Rule kDigitsOnly;
const Rule kDigitsOnly{
    .name = "digits-only",
    .family = "data",
    .title_en = "numbers without words",
    .title_zh = "只有数字、没有文字",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"share", "of the visible characters", 0.5, 0.1, 1,
                    "digits; signs and points take most of the rest in a list of numbers"},
                   {"numbers", "numbers for each word", 25, 1, 1e6,
                    "a table row, a sequence with its name or a log line has a new word for every few numbers"},
                   {"digits", "digits", 10, 1, 1e6, "a year, a price or a phone number alone may be an answer"}},
    .sentences = {{"numbers", "{numbers} numbers and not one word", "{numbers} 个数字，没有一个词"},
                  {"few-words", "{numbers} numbers and no more than {words} different words",
                   "{numbers} 个数字，不同的词只有 {words} 个"},
                  {"do", "leave them out, or keep few, behind text that says what the numbers are",
                   "删除这些文档，或只保留少量，并在前面说明数字的含义"}},
    .docs =
        {.finds = "Documents that consist of numbers: lists of phone numbers, lottery results, dumps of measurements.",
         .matters =
             "Numbers without words have nothing that a model could predict; their loss stays high, and batches of "
             "them have been seen at grad-norm spikes.",
         .decides =
             "At least `digits` digits, a `share` of the visible characters; no word, or at least `numbers` numbers "
             "for each different word (an ideograph is half a word); and no header that names the columns.",
         .example = "`240 numbers and no more than 6 different words`",
         .to_do = "Leave them out, or keep few; tables of numbers belong behind text that says what they are.",
         .false_alarms = "Long sequences with a short title that are wanted for arithmetic.",
         .references =
             "NeMo Curator drops documents with more than 15 % digits; that takes tables and CSV files, too."},
    .judge_documents = make,
    .harm = {0.7, "nothing in it can be foretold, but its tokens are well known"}};

}  // namespace assay
