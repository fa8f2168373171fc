// Control characters: C0 (all but tab, line feed, carriage return and form feed, which lay out text), DEL and C1.
//
// No text needs them. What they come from is told where it can be seen: NUL after every letter is UTF-16 read byte by
// byte; X, backspace, X is how printers made bold; ESC [ begins a colour of a terminal; C1 controls are bytes of
// Windows-1252 taken for Latin-1. One or two in a long text are a slip (a vertical tab of a slide, a ^Z at the end of a
// file) and a note; several, or one in every hundred characters, make the document abnormal.
//
// Reads nothing unless the survey counted controls, or the lead byte of C1 controls with bytes that they end in.

#include <algorithm>
#include <memory>

#include "measure/text/characters.h"
#include "rules/data/clusters.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr bool is_control(unsigned char c) {
  return c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f');
}

// The end of the escape sequence that begins at `at`: ESC [ 3 1 m, ESC ( B.
std::size_t escape_end(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end < text.size() && (text[end] == '[' || text[end] == '(')) {
    ++end;
    while (end < text.size() && end < at + 24 && ((text[end] >= '0' && text[end] <= '9') || text[end] == ';')) ++end;
    if (end < text.size() && text[end] > ' ' && text[end] < 0x7f) ++end;
  }
  return end;
}

class ControlJudge : public DocumentJudge {
 public:
  explicit ControlJudge(const Parameters& set)
      : several_(static_cast<std::size_t>(set["several"])), apart_(static_cast<std::size_t>(set["apart"])) {}

  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const TextSurvey& survey = document.survey;
    std::uint32_t c1 = 0;
    if (survey.of('\xc2') > 0) {
      for (unsigned byte = 0x80; byte < 0xa0; ++byte) c1 += survey.bytes[byte];
    }
    if (survey.controls == survey.of('\f') && survey.of('\x7f') == 0 && c1 == 0) return;
    places_.clear();
    seen_ = {};
    if (survey.controls + survey.of('\x7f') > survey.of('\f')) {
      read_all(document.text());
    } else {
      read_c1(document.text());
    }
    const std::size_t count = places_.count();
    if (count == 0) return;
    const bool abnormal = count >= several_ || (count >= 2 && count * apart_ >= survey.characters);
    places_.tell(out, abnormal ? Severity::kWarning : Severity::kNote, abnormal ? 0.95 : 0.5,
                 {reason(document), {{"count", count}}});
  }

 private:
  struct Seen {
    std::size_t nul = 0, escapes = 0, backspaces = 0, c1 = 0;
  };

  void read_all(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto c = static_cast<unsigned char>(text[at]);
      if (c == 0xc2) {
        at += take_c1(text, at) ? 1U : 0U;
        continue;
      }
      if (!is_control(c)) continue;
      std::size_t end = at + 1;
      if (c == 0) ++seen_.nul;
      if (c == '\b') ++seen_.backspaces;
      if (c == 0x1b) {
        ++seen_.escapes;
        end = escape_end(text, at);
      }
      places_.add(at, end - at);
      at = end - 1;
    }
  }

  void read_c1(std::string_view text) {
    for (std::size_t at = text.find('\xc2'); at != std::string_view::npos; at = text.find('\xc2', at + 1)) {
      take_c1(text, at);
    }
  }

  bool take_c1(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size() || (static_cast<unsigned char>(text[at + 1]) & 0xe0) != 0x80) return false;
    ++seen_.c1;
    places_.add(at, 2);
    return true;
  }

  const char* reason(const SurveyedDocument& document) const {
    const std::size_t most = places_.count();
    const std::size_t characters = document.survey.characters;
    const bool half = seen_.nul * 3 >= characters && seen_.nul * 5 <= characters * 3;
    if (half && seen_.nul * 2 >= most) return "utf-16";
    if (seen_.nul * 2 > most) return "nul";
    if (seen_.escapes * 2 > most) return "escapes";
    if (seen_.backspaces * 2 > most) return "backspaces";
    return seen_.c1 * 2 > most ? "c1" : "controls";
  }

  std::size_t several_;
  std::size_t apart_;
  Clusters places_{3};
  Seen seen_;
};

std::unique_ptr<DocumentJudge> make(const Parameters& set) { return std::make_unique<ControlJudge>(set); }

}  // namespace

extern const Rule kControlCharacters;
const Rule kControlCharacters{
    .name = "control-characters",
    .family = "data",
    .title_en = "control characters in the text",
    .title_zh = "文本中含控制字符",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {{"several", "characters", 5, 1, 1e6,
                    "so many are no slip: a form, a terminal or a wrong decoding wrote them"},
                   {"apart", "characters", 100, 1, 1e6,
                    "two or more that are no further apart than this on average make a short text abnormal, too"}},
    .sentences = {{"controls", "{count} control characters", "{count} 个控制字符"},
                  {"nul", "{count} NUL characters", "{count} 个 NUL 字符"},
                  {"utf-16", "{count} NUL characters, about one for every letter: UTF-16 that was read byte by byte",
                   "{count} 个 NUL 字符，约每个字母一个：UTF-16 被逐字节读取"},
                  {"escapes", "{count} control characters, most of them escape sequences of a terminal",
                   "{count} 个控制字符，多为终端转义序列"},
                  {"backspaces", "{count} control characters, most of them backspaces: overstruck print",
                   "{count} 个控制字符，多为退格符：打印机的重叠打印"},
                  {"c1", "{count} C1 control characters: most likely Windows-1252 that was read as Latin-1",
                   "{count} 个 C1 控制字符：多半是 Windows-1252 被当作 Latin-1 读取"},
                  {"do", "read UTF-16 as what it is, take escape sequences and overstrikes out, leave the rest out",
                   "UTF-16 按 UTF-16 读取，去掉转义序列和重打字符，其余删除"}},
    .docs = {.finds = "C0 controls other than tab, line feed, carriage return and form feed; DEL; C1 controls.",
             .matters =
                 "They are bytes of something else (a terminal, a printer, another encoding, a picture); what stands "
                 "around them is damaged more often than not, and their tokens are among the rarest there are.",
             .decides =
                 "`several` of them, or at least two that are on average no more than `apart` characters apart: a "
                 "warning. Fewer: a note.",
             .example = "`9 NUL characters, about one for every letter: UTF-16 that was read byte by byte`",
             .to_do = "Read UTF-16 as what it is; take escape sequences and overstrikes out; leave the rest out.",
             .false_alarms =
                 "Captured terminal sessions that are wanted as they are; records that are separated by U+001E.",
             .references = "ISO/IEC 6429 (ECMA-48)."},
    .judge_documents = make,
    .harm = {0.7, "rare tokens and damaged words; the text around them may be whole"}};

}  // namespace assay
