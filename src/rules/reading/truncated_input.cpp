// A file ends in the middle of something.
//
// A run that is killed, and one that goes on while it is read, leave half a line. That loses one record and is worth a
// note with its place. A compressed file that ends early may have lost any amount, and so may a container whose record
// lengths run beyond its end: a warning.

#include <algorithm>

#include "rules/rule.h"

namespace assay {

namespace {

void judge(const Report& read, const Parameters&, Findings& out) {
  for (const FileRecord& file : read.files) {
    if (!file.truncated) continue;
    const auto cut = std::find_if(file.problems.begin(), file.problems.end(),
                                  [](const Error& error) { return error.code == ErrorCode::kTruncated; });
    Finding finding;
    const bool compressed = !file.codec.empty();
    finding.severity = compressed ? Severity::kWarning : Severity::kNote;
    finding.confidence = 1;
    finding.impact = 0.05;
    Location where;
    if (cut != file.problems.end()) where = cut->where;
    if (where.path.empty()) where.path = file.path;
    if (where.line == 0 && where.byte < 0) where.line = file.lines;
    const bool records = where.unit == PlaceUnit::kRecord;
    finding.where = where;
    finding.message = {compressed        ? "compressed"
                       : where.line <= 0 ? "cut"
                       : records         ? "record"
                                         : "line",
                       {{"path", file.path},
                        {"codec", file.codec},
                        {"line", where.line},
                        {"byte", where.byte},
                        {"records", file.records}}};
    if (cut != file.problems.end() && !cut->message.empty()) {
      finding.evidence.push_back({{"what", {{"what", cut->message}}}, {}, {}});
    }
    if (compressed) finding.actions.push_back({{"copy-again", {{"path", file.path}}}, ""});
    out.add(std::move(finding));
  }
}

}  // namespace

extern const Rule kTruncatedInput;
const Rule kTruncatedInput{
    .name = "truncated-input",
    .family = "reading",
    .title_en = "a file ends in the middle of a record",
    .title_zh = "文件在一条记录中间被截断",
    .scope = Scope::kReading,
    .severity = Severity::kNote,
    .sentences = {{"line",
                   "{path} ends in the middle of a record at line {line}; judged up to there: {records} records",
                   "{path} 在第 {line} 行的记录中间结束；此前的 {records} 条记录已参与判断"},
                  {"record",
                   "{path} ends in the middle of its record {line} (byte {byte}); judged up to there: {records} rows",
                   "{path} 在第 {line} 条记录（第 {byte} 字节）中间结束；此前的 {records} 行数据已参与判断"},
                  {"cut", "{path} ends in the middle of a record; judged up to there: {records} records",
                   "{path} 在一条记录中间结束；此前的 {records} 条记录已参与判断"},
                  {"compressed", "{path}: the {codec} stream ends too early; judged up to there: {records} records",
                   "{path}：{codec} 压缩流提前结束；截断之前的 {records} 条记录已参与判断"},
                  {"what", "{what}", "读取器的说明：{what}"},
                  {"copy-again", "copy {path} again: an unknown amount is missing at its end",
                   "重新拷贝 {path}：末尾缺失的数据量未知"}},
    .docs = {.finds = "Files whose last line, record or compressed block is cut off.",
             .matters = "The end of such a file is not the end of the run, and the last record is missing.",
             .decides = "The reader says so: it knows when bytes are left that make no whole record. A cut line is a "
                        "note; a cut compressed stream, of which any amount may be missing, is a warning.",
             .example = "`train.log ends in the middle of a record at line 88,120; judged up to there: 43,901 records`",
             .to_do = "Nothing for a run that was killed or still goes on. Otherwise copy the file again.",
             .false_alarms = "A log that is written while it is read ends in half a line by nature.",
             .references = ""},
    .judge_reading = judge};

}  // namespace assay
