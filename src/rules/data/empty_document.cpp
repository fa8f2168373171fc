// A document without text: nothing, blanks, or characters that cannot be seen. It costs an end-of-document token, and
// many of them teach a model that a document may end where it begins; most often they are the trace of a failed
// extraction upstream. Blanks are those of Unicode; zero-width characters and byte order marks count as blank here.
//
// The survey decides for all but texts that have no visible ASCII; those are read up to the first visible character.

#include <memory>

#include "measure/text/characters.h"
#include "rules/rule.h"

namespace assay {

namespace {

bool is_blank(CharacterKind kind) {
  switch (kind) {
    case CharacterKind::kSpace:
    case CharacterKind::kZeroWidth:
    case CharacterKind::kJoiner:
    case CharacterKind::kDirectionMark:
    case CharacterKind::kBidi:
    case CharacterKind::kInvisible:
    case CharacterKind::kSoftHyphen: return true;
    default: return false;
  }
}

class EmptyJudge : public DocumentJudge {
 public:
  void judge(const SurveyedDocument& document, DocumentHits& out) override {
    const std::string_view text = document.text();
    const TextSurvey& survey = document.survey;
    if (text.empty()) {
      out.add({0, 0, Severity::kWarning, 1, {"empty", {}}, {}});
      return;
    }
    if (survey.letters + survey.digits + survey.punctuation + survey.controls > 0) return;
    for (std::size_t at = 0; at < text.size();) {
      const Character one = character_at(text, at);
      if (!is_blank(kind_of(one.code))) return;
      at += one.bytes;
    }
    out.add({0, text.size(), Severity::kWarning, 1, {"blank", {{"bytes", text.size()}}}, {}});
  }
};

std::unique_ptr<DocumentJudge> make(const Parameters& /*set*/) { return std::make_unique<EmptyJudge>(); }

}  // namespace

extern const Rule kEmptyDocument;
const Rule kEmptyDocument{
    .name = "empty-document",
    .family = "data",
    .title_en = "documents without text",
    .title_zh = "没有文本的文档",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences = {{"empty", "the text is empty", "文本为空"},
                  {"blank", "{bytes} bytes of blanks and invisible characters, no text",
                   "{bytes} 字节全是空白或不可见字符，没有文本"},
                  {"do", "leave them out when the corpus is written, and look why the source gave nothing",
                   "写出语料时跳过，并查明来源为何没有内容"}},
    .docs = {.finds = "Documents whose text is empty, or holds only blanks and invisible characters.",
             .matters = "Each one becomes an end-of-document token with nothing before it, and shifts the count of "
                        "documents. Many of them mean that an extraction failed.",
             .decides = "No character is visible: blanks of Unicode, zero-width and direction characters and soft "
                        "hyphens do not count as visible.",
             .example = "`the text is empty`",
             .to_do = "Leave them out when the corpus is written, and look why the source gave nothing.",
             .false_alarms = "None known: an empty document is one.",
             .references = "Megatron-LM's preprocess_data writes an empty document for such a line."},
    .judge_documents = make,
    .harm = {0.1, "one token"}};

}  // namespace assay
