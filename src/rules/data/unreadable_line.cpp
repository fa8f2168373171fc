// Lines that are not what a loader expects, one by one, with what loaders make of them.
//
// A corpus of a billion lines always has some. What they do depends on the loader: Megatron's preprocessing stops at a
// missing key, takes a list of strings for one document of several sequences and JSON that others refuse (NaN, the last
// of two equal keys); a lone surrogate passes Python's parser and fails when the text is encoded. So the line is told,
// with its place and its fault, and whether it gives a document at all.

#include <array>
#include <string>
#include <string_view>

#include "rules/rule.h"

namespace assay {

namespace {

std::string_view sentence_of(LineFaultKind kind) {
  switch (kind) {
    case LineFaultKind::kInvalidUtf8: return "invalid-utf8";
    case LineFaultKind::kLoneSurrogate: return "lone-surrogate";
    case LineFaultKind::kInvalidJson: return "invalid-json";
    case LineFaultKind::kTruncated: return "truncated";
    case LineFaultKind::kNotAnObject: return "not-an-object";
    case LineFaultKind::kMissingText: return "missing-text";
    case LineFaultKind::kNullText: return "null-text";
    case LineFaultKind::kWrongType: return "wrong-type";
    case LineFaultKind::kListText: return "list-text";
    case LineFaultKind::kDuplicateKey: return "duplicate-key";
    case LineFaultKind::kTrailingData: return "trailing-data";
    case LineFaultKind::kNonStrictJson: return "non-strict-json";
    case LineFaultKind::kByteOrderMark: return "byte-order-mark";
    case LineFaultKind::kTooLong: return "too-long";
    case LineFaultKind::kMissingColumn: return "missing-column";
    case LineFaultKind::kOtherEncoding: return "other-encoding";
    case LineFaultKind::kBadToken: return "bad-token";
  }
  return "invalid-json";
}

// A fault that every loader passes over is worth a note.
bool is_harmless(LineFaultKind kind) {
  return kind == LineFaultKind::kByteOrderMark || kind == LineFaultKind::kListText;
}

void judge_line(const LineFault& fault, DocumentHits& out) {
  out.add({.offset = fault.offset,
           .length = fault.length,
           .severity = is_harmless(fault.kind) ? Severity::kNote : Severity::kWarning,
           .confidence = 1,
           .reason = {std::string(sentence_of(fault.kind)), {{"detail", fault.detail}}}});
}

}  // namespace

extern const Rule kUnreadableLine;
const Rule kUnreadableLine{
    .name = "unreadable-line",
    .family = "data",
    .title_en = "lines of the corpus cannot be read as they should",
    .title_zh = "语料中有无法正常读取的行",
    .scope = Scope::kDocument,
    .severity = Severity::kWarning,
    .sentences = {{"invalid-utf8", "bytes that are no UTF-8", "含非 UTF-8 字节"},
                  {"lone-surrogate", "half of a surrogate pair: Python reads it and fails when it writes the text",
                   "含孤立的代理项：Python 能读入，但写出文本时会出错"},
                  {"invalid-json", "no JSON", "不是 JSON"},
                  {"truncated", "ends in the middle", "中途截断"},
                  {"not-an-object", "no object", "不是 JSON 对象"},
                  {"missing-text", "no text field; it has: {detail}", "没有文本字段；已有字段：{detail}"},
                  {"null-text", "the text is null", "文本为 null"},
                  {"wrong-type", "the text is no string", "文本不是字符串"},
                  {"list-text",
                   "the text is a list: one document of several sequences for Megatron-LM, an error for other loaders",
                   "文本是列表：Megatron-LM 视为含多个序列的一篇文档，其他加载器会报错"},
                  {"duplicate-key", "a field twice: Python takes the last one, other parsers the first",
                   "字段重复：Python 取最后一个，其他解析器取第一个"},
                  {"trailing-data", "more after the object", "对象之后还有内容"},
                  {"non-strict-json", "NaN or Infinity: Python reads it, strict parsers do not",
                   "含 NaN 或 Infinity：Python 能读入，严格的解析器不能"},
                  {"byte-order-mark", "a byte order mark at the start: taken off", "开头有字节顺序标记：已去除"},
                  {"too-long", "longer than a line may be: passed over", "行过长：已跳过"},
                  {"other-encoding",
                   "the file is in another encoding ({detail}): read as such; a loader that expects UTF-8 fails",
                   "文件使用其他编码（{detail}）：已按该编码读取；只接受 UTF-8 的加载器会出错"},
                  {"bad-token", "a token that is no byte: {detail}", "不是字节的 token：{detail}"},
                  {"missing-column", "fewer cells than the header", "单元格少于表头"},
                  {"do", "find out what your loader does with such lines: some stop, some pass over them in silence",
                   "确认加载器如何处理这些行：有的会中止，有的会无声跳过"}},
    .docs = {.finds =
                 "Lines of a corpus that are no JSON, no UTF-8, have no text or one of another type, and lines that "
                 "loaders read differently.",
             .matters = "A loader stops at such a line, passes over it in silence, or reads something else than you "
                        "think: preprocessing of Megatron-LM stops at a missing key, Python's json takes the last of "
                        "two equal keys and simdjson the first.",
             .decides = "Each line is parsed on its own, so one bad line costs one line. A fault that every loader "
                        "passes over (a byte order mark, a list of strings) is a note.",
             .example = "`3 of 120,000 lines (0.0 %)`",
             .to_do = "Write the flagged lines with `--documents` and mend or drop them.",
             .false_alarms = "A corpus whose text has another field: name it with `--field`.",
             .references = "RFC 8259; Megatron-LM, tools/preprocess_data.py."},
    .judge_line = judge_line,
    .harm = {0.5, "the line is lost or read as something else; the text that is read is sound"}};

}  // namespace assay
