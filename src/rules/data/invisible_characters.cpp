// Characters that cannot be seen, or that are none: zero-width characters, direction controls, tags, variation
// selectors in rows, soft hyphens in every word, marks stacked upon marks, private use, unassigned code points.
//
// Nearly all of them have a right use, and the neighbours tell it:
//   joiners (U+200C, U+200D)   in Arabic, Persian, Indic and Mongolian words and between emoji
//   zero-width space           between words of Thai, Lao, Khmer, Burmese, Tibetan
//   direction controls         wherever there is Hebrew or Arabic in the document
//   tag characters             behind a black flag (Scotland); elsewhere they carry hidden text
//   variation selectors        one behind an emoji, an ideograph, a sign; a row of them carries hidden bytes
//   marks                      up to three on a letter (Vietnamese, IPA); scripts of their own are not counted at all
//   byte order mark            at the very beginning
// What is left over is counted by group, against the length of the text. One or two are a note: pages of the web are
// full of them. Overrides of direction are never innocent without Hebrew or Arabic: they make code read otherwise than
// it runs.
//
// One pass over the characters that may be one of these (measure/text/next_odd.h); nothing where there is only ASCII.
// Limits: code points newer than Unicode 15 count as unassigned, so that several are asked for.

#include <array>
#include <memory>
#include <optional>

#include "measure/text/characters.h"
#include "measure/text/next_odd.h"
#include "rules/data/clusters.h"
#include "rules/rule.h"

namespace assay {

namespace {

using Kind = CharacterKind;

enum Group : std::uint8_t {
  kHidden,
  kDirection,
  kOverride,
  kTags,
  kSelectors,
  kStacked,
  kStruck,
  kHyphens,
  kOwn,
  kNone,
  kGroups
};

constexpr std::array<const char*, kGroups> kKeys = {"zero-width", "direction", "override", "tags",    "selectors",
                                                    "stacked",    "struck",    "hyphens",  "private", "unassigned"};

bool joins(Kind kind) {
  return kind == Kind::kArabic || kind == Kind::kIndic || kind == Kind::kSoutheast || kind == Kind::kMongolian ||
         kind == Kind::kThai || kind == Kind::kHebrew || kind == Kind::kOtherLetter;
}

bool draws(Kind kind) { return kind == Kind::kEmoji || kind == Kind::kSelector || kind == Kind::kSymbol; }

bool breaks_without_space(Kind kind) { return kind == Kind::kThai || kind == Kind::kSoutheast; }

// The marks that letters of living languages are made of; others strike letters out or decorate them.
bool is_accent(char32_t code) {
  return (code >= 0x300 && code <= 0x304) || (code >= 0x306 && code <= 0x30c) || code == 0x30f || code == 0x311 ||
         code == 0x313 || code == 0x314 || code == 0x31b || (code >= 0x323 && code <= 0x331) || code == 0x342 ||
         code == 0x345 || (code >= 0x318 && code <= 0x322) || code == 0x339 || code == 0x33a || code == 0x33b ||
         code == 0x33c || code == 0x33d || code == 0x361 || code == 0x35c || code >= 0x370;
}

class InvisibleJudge : public DocumentJudge {
 public:
  explicit InvisibleJudge(const Parameters& set)
      : marks_(static_cast<unsigned>(set["marks"])), apart_(static_cast<std::size_t>(set["apart"])) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const TextSurvey& survey = document.survey;
    if (survey.high == 0) return;
    if (!kinds_) kinds_.emplace();
    for (Clusters& one : places_) one.clear();
    // Lead bytes of Hebrew, Arabic and their kin.
    std::size_t right_to_left = survey.of('\xd6') + survey.of('\xd7');
    for (unsigned lead = 0xd8; lead <= 0xdf; ++lead) right_to_left += survey.bytes[lead];
    right_to_left_ = right_to_left >= 4;
    deepest_ = longest_selectors_ = 0;
    read(document.text());
    for (unsigned group = 0; group < kGroups; ++group) tell(static_cast<Group>(group), survey, Severity::kWarning, out);
    for (unsigned group = 0; group < kGroups; ++group) tell(static_cast<Group>(group), survey, Severity::kNote, out);
  }

 private:
  struct Place {
    std::size_t at;
    Character one;
    Kind kind;
  };

  void read(std::string_view text) {
    last_ = Kind::kSpace;
    base_ = 0;
    stacked_ = 0;
    flag_ = false;
    std::size_t end = 0;
    for (std::size_t at = next_unusual(text, 0); at < text.size();) {
      if (at != end) start_from(text, at, end);
      const Character one = character_at(text, at);
      const Kind kind = kinds_->of(one.code);
      if (kind >= Kind::kSpace && kind != Kind::kEmoji) {
        stacked_ = 0;
        base_ = at;
      } else {
        take(text, {at, one, kind});
      }
      if (kind != Kind::kZeroWidth) last_ = kind;  // several break a line as one does
      at = end = at + one.bytes;
      // Scripts whose characters are all looked at.
      const bool next = at < text.size() && (static_cast<unsigned char>(text[at]) & 0xf0) == 0xe0 &&
                        static_cast<unsigned char>(text[at]) < 0xe2;
      if (!next) at = next_unusual(text, at);
    }
  }

  // Lead bytes (and a second one) all of whose characters are letters of one script: Latin-1 and Extended-A, Cyrillic,
  // Hebrew letters, Arabic, kana, ideographs, Hangul.
  static constexpr Kind kind_of_lead(unsigned char lead, unsigned char second) {
    if (lead >= 0xc3 && lead <= 0xc5) return Kind::kLatin;
    if (lead == 0xd0 || lead == 0xd1) return Kind::kCyrillic;
    if (lead == 0xd7) return second >= 0x90 && second <= 0xaa ? Kind::kHebrew : Kind::kSpace;
    if (lead == 0xd8) return second >= 0xa0 ? Kind::kArabic : Kind::kSpace;
    if (lead == 0xd9) return second <= 0x95 ? Kind::kArabic : Kind::kSpace;
    if (lead == 0xe3) return second >= 0x81 && second <= 0x83 ? Kind::kKana : Kind::kSpace;
    if (lead >= 0xe4 && lead <= 0xe9) return Kind::kHan;
    return lead == 0xeb || lead == 0xec ? Kind::kHangul : Kind::kSpace;
  }

  // What stands before `at`, of which nothing was looked at from `end` on.
  void start_from(std::string_view text, std::size_t at, std::size_t end) {
    base_ = at > 0 ? before(text, at) : 0;
    stacked_ = 0;
    last_ = Kind::kSpace;
    if (at == 0) return;
    const auto lead = static_cast<unsigned char>(text[base_]);
    if (lead >= 0x80) last_ = kind_of_lead(lead, static_cast<unsigned char>(text[base_ + 1]));
    if (last_ == Kind::kSpace) last_ = kinds_->of(character_at(text, base_).code);
    // Nothing but letters stands between a flag and its tags if no ASCII does.
    flag_ = flag_ && next_ascii(text, end) >= at;
  }
  static std::size_t next_ascii(std::string_view text, std::size_t at) {
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) ++at;
    return at;
  }

  static Kind next_kind(std::string_view text, const Place& place) {
    const std::size_t next = place.at + place.one.bytes;
    return next < text.size() ? kind_of(character_at(text, next).code) : Kind::kSpace;
  }

  void take(std::string_view text, const Place& place) {
    switch (place.kind) {
      case Kind::kZeroWidth: return take_zero_width(text, place);
      case Kind::kJoiner: return take_joiner(text, place);
      case Kind::kDirectionMark:
      case Kind::kBidi: return take_direction(place);
      case Kind::kInvisible:
        if (last_ != Kind::kHangul && next_kind(text, place) != Kind::kHangul) add(kHidden, place);
        return;
      case Kind::kTag:
        if (!flag_) add(kTags, place);
        return;
      case Kind::kSelector:
        if (last_ == Kind::kSelector) {
          add(kSelectors, place);
          longest_selectors_ = std::max(longest_selectors_, ++selectors_);
          return;
        }
        selectors_ = 0;
        // Emoji and ideographs have variants, letters have none but those on a key.
        if ((last_ == Kind::kLatin || last_ == Kind::kGreek || last_ == Kind::kCyrillic) && !is_key(text, place))
          add(kHidden, place);
        return;
      case Kind::kMark: return take_mark(text, place);
      case Kind::kSoftHyphen: return add(kHyphens, place);
      case Kind::kPrivate: return add(kOwn, place);
      case Kind::kUnassigned:
      case Kind::kNonCharacter: return add(kNone, place);
      case Kind::kEmoji:
        flag_ = place.one.code == 0x1f3f4;
        base_ = place.at;
        stacked_ = 0;
        return;
      default: return;
    }
  }

  static bool is_key(std::string_view text, const Place& place) {
    constexpr std::string_view kKeycap = "\u20e3";
    return text.substr(place.at + place.one.bytes).starts_with(kKeycap);
  }

  void add(Group group, const Place& place) { places_[group].add(place.at, place.one.bytes); }

  void take_zero_width(std::string_view text, const Place& place) {
    if (place.one.code == 0xfeff && place.at == 0) return;
    if (breaks_without_space(last_) || breaks_without_space(next_kind(text, place))) return;
    if (is_among_words(text, place.at)) return;
    add(kHidden, place);
  }

  // Several of them, or one beside a blank or a sign, among words of a script that needs them.
  static bool is_among_words(std::string_view text, std::size_t at) {
    constexpr int kNear = 4;  // characters
    std::size_t from = at;
    for (int i = 0; i < kNear && from > 0; ++i) {
      from = before(text, from);
      if (breaks_without_space(kind_of(character_at(text, from).code))) return true;
    }
    for (int i = 0; i < kNear && at < text.size(); ++i) {
      const Character one = character_at(text, at);
      if (breaks_without_space(kind_of(one.code))) return true;
      at += one.bytes;
    }
    return false;
  }

  void take_joiner(std::string_view text, const Place& place) {
    const Kind next = next_kind(text, place);
    if (joins(last_) || joins(next) || (draws(last_) && draws(next))) return;
    add(kHidden, place);
  }

  void take_direction(const Place& place) {
    if (right_to_left_) return;
    if (place.one.code == 0x202d || place.one.code == 0x202e) return add(kOverride, place);
    add(place.kind == Kind::kBidi ? kDirection : kHidden, place);
  }

  void take_mark(std::string_view text, const Place& place) {
    const Kind base = base_ < place.at ? kind_of(character_at(text, base_).code) : Kind::kSpace;
    const bool european = base == Kind::kLatin || base == Kind::kGreek || base == Kind::kCyrillic;
    ++stacked_;
    deepest_ = std::max(deepest_, stacked_);
    if (stacked_ > marks_) {
      const std::size_t from = base_ < place.at ? base_ : place.at;
      places_[kStacked].add(from, place.at + place.one.bytes - from, stacked_ == marks_ + 1 ? 1 : 0);
    } else if (european && !is_accent(place.one.code)) {
      places_[kStruck].add(base_, place.at + place.one.bytes - base_, stacked_ == 1 ? 1 : 0);
    }
  }

  // Whether there are so many that the document is abnormal.
  bool many(Group group, const TextSurvey& survey) const {
    const std::size_t count = places_[group].count();
    const std::size_t characters = survey.characters;
    switch (group) {
      case kOverride: return count >= 1;
      case kDirection:
      case kTags: return count >= 3;
      case kSelectors: return longest_selectors_ >= 3;
      case kStacked: return count >= 3 || deepest_ >= 3 * marks_;
      case kStruck: return count >= 8 && count * 4 >= characters / 2;
      case kHyphens: return count >= 10 && count * 30 >= characters;
      case kHidden:
        return (count >= 2 && count * apart_ >= characters) || (count >= 5 && count * 10 * apart_ >= characters);
      default: return count >= 3 && count * 2 * apart_ >= characters;
    }
  }

  void tell(Group group, const TextSurvey& survey, Severity severity, DocumentHits& out) {
    const std::size_t count = places_[group].count();
    if (count == 0 || many(group, survey) != (severity == Severity::kWarning)) return;
    // Soft hyphens in some words are good typography, single selectors good Unicode.
    if (severity == Severity::kNote && (group == kHyphens || group == kSelectors || group == kStruck)) return;
    const double confidence = severity == Severity::kNote ? 0.4 : 0.9;
    places_[group].tell(out, severity, confidence, {kKeys[group], {{"count", count}}});
  }

  unsigned marks_;
  std::size_t apart_;
  bool right_to_left_ = false;
  std::array<Clusters, kGroups> places_ = {Clusters(4), Clusters(4), Clusters(4), Clusters(4), Clusters(4),
                                           Clusters(4), Clusters(4), Clusters(4), Clusters(4), Clusters(4)};
  std::optional<CharacterKinds> kinds_;
  // While reading.
  Kind last_ = Kind::kSpace;
  std::size_t base_ = 0;    // where the character stands that marks are put on
  unsigned stacked_ = 0;    // marks on it
  unsigned deepest_ = 0;    // most marks on one
  unsigned selectors_ = 0;  // in a row, without the first
  unsigned longest_selectors_ = 0;
  bool flag_ = false;  // within the tags of a flag
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<InvisibleJudge>(set); }

}  // namespace

extern const Rule kInvisibleCharacters;
const Rule kInvisibleCharacters{
    .name = "invisible-characters",
    .family = "data",
    .title_en = "characters that cannot be seen, or are none",
    .title_zh = "不可见字符或非字符",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters =
        {{"marks", "marks", 3, 1, 20,
          "as many stand on one letter in Vietnamese, IPA and polytonic Greek; stacks are taller"},
         {"apart", "characters", 100, 1, 1e6,
          "zero-width characters at this distance on average split nearly every sentence; five or more are abnormal at "
          "ten times this distance, private and unassigned ones from three on at twice"}},
    .sentences = {{"zero-width", "{count} zero-width characters where no script needs them",
                   "{count} 个零宽字符，所在文字并不需要"},
                  {"direction", "{count} direction controls in a text without Hebrew or Arabic",
                   "{count} 个方向控制字符，而文本中没有希伯来文或阿拉伯文"},
                  {"override", "{count} direction overrides: what is shown is not what is read",
                   "{count} 个方向覆盖字符：显示的与实际读取的不同"},
                  {"tags", "{count} tag characters outside of a flag: hidden text",
                   "{count} 个标签字符，不属于旗帜表情：隐藏文本"},
                  {"selectors", "{count} variation selectors in rows: hidden bytes",
                   "{count} 个连续的变体选择符：隐藏字节"},
                  {"stacked", "{count} letters carry a stack of marks (\"zalgo\")",
                   "{count} 个字母上叠有多个附加符号（“zalgo” 文）"},
                  {"struck", "{count} letters are struck out or decorated with combining marks",
                   "{count} 个字母被附加符号划去或装饰"},
                  {"hyphens", "{count} soft hyphens, one in nearly every word", "{count} 个软连字符，几乎每个词都有"},
                  {"private", "{count} characters of private use: signs of a font that is not there",
                   "{count} 个私用区字符：所用字体并不存在"},
                  {"unassigned", "{count} code points that are no characters", "{count} 个未分配的码位"},
                  {"do",
                   "take zero-width characters and soft hyphens out and normalise; leave out what is in private or "
                   "unassigned code points",
                   "去掉零宽字符和软连字符并做规范化；含私用区或未分配码位的文本应删除"}},
    .docs =
        {.finds =
             "Zero-width characters, direction controls, tag characters, rows of variation selectors, soft hyphens in "
             "every word, stacks of marks, private-use and unassigned code points.",
         .matters = "They split words into tokens that a reader does not see, carry hidden text past reviews, and are "
                    "tokens of their own that are hardly ever trained.",
         .decides =
             "Characters that their neighbours need do not count: joiners in Arabic, Indic and emoji, zero-width "
             "spaces in Thai and Khmer, direction controls where there is Hebrew or Arabic, tags of flags, one "
             "selector behind its character, a byte order mark at the beginning. The others are a warning where "
             "they are many (at least two, one in every `apart` characters; more than `marks` marks on three "
             "letters; a direction override at all), else a note.",
         .example = "`48 zero-width characters where no script needs them`",
         .to_do =
             "Take zero-width characters and soft hyphens out; normalise; leave out texts in private or unassigned "
             "code points.",
         .false_alarms =
             "Texts in a script newer than Unicode 15; fonts with private-use letters that are used on purpose.",
         .references = "The Unicode Standard 15, chapter 23; Boucher and Anderson, Trojan Source, 2021."},
    .judge_documents = make,
    .harm = {0.4, "words in unusual pieces; a reader would find nothing wrong"}};

}  // namespace assay
