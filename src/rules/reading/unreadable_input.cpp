// A path that was named gave nothing, or a file that was read holds lines that cannot be.
//
// Silence must not be taken for health: what could not be read was not judged. A path that the user named and that
// yields nothing is worth an error, because the answer to the question asked is missing. Files that were only met in a
// folder are passed over without a word unless the system refused to let us read them. Broken lines within a readable
// file are told with their share and their first place; the rest of the file was judged.

#include <algorithm>

#include "rules/rule.h"

namespace assay {

namespace {

constexpr std::size_t kMostPlaces = 1000;

Location place_of(const FileRecord& file, const Error* error) {
  Location where = error != nullptr ? error->where : Location{};
  if (where.path.empty()) where.path = file.path;
  return where;
}

std::string spoken(const std::string& path) { return path == "-" ? "standard input" : path; }

// Why a whole file gave nothing, by what one can do about it.
const char* action_of(ErrorCode code, bool corpus) {
  switch (code) {
    case ErrorCode::kNotFound: return "check-path";
    case ErrorCode::kUnreadable: return "check-permission";
    case ErrorCode::kLimit: return "check-limit";
    case ErrorCode::kCorrupt:
    case ErrorCode::kTruncated: return "copy-again";
    default: return corpus ? "name-documents" : "name-log";
  }
}

const char* sentence_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound: return "file-missing";
    case ErrorCode::kUnreadable: return "file-unreadable";
    case ErrorCode::kLimit: return "file-limit";
    case ErrorCode::kCorrupt:
    case ErrorCode::kTruncated: return "file-damaged";
    default: return "file";
  }
}

void judge_whole_files(const Report& read, Findings& out) {
  Finding finding;
  std::size_t count = 0;
  bool named = false;
  const FileRecord* first = nullptr;
  for (const FileRecord& file : read.files) {
    if (file.state != FileState::kFailed && !(file.named && file.state == FileState::kNothingRead)) continue;
    ++count;
    const Location where = place_of(file, file.error ? &*file.error : nullptr);
    // The same one whatever the order of the arguments.
    const bool leads = first == nullptr || (file.named && !named) || (file.named == named && file.path < first->path);
    if (leads && first != nullptr) finding.also.push_back(*finding.where);
    if (leads) {
      first = &file;
      finding.where = where;
    } else if (finding.also.size() < kMostPlaces) {
      finding.also.push_back(where);
    }
    named = named || file.named;
  }
  if (first == nullptr) return;
  const ErrorCode code = first->error ? first->error->code : ErrorCode::kUnrecognised;
  const std::string why = first->error ? first->error->message : "";
  finding.severity = named ? Severity::kError : Severity::kWarning;
  finding.confidence = 1;
  finding.impact = static_cast<double>(count) / static_cast<double>(read.files.size());
  finding.message = {count == 1 ? sentence_of(code) : "files",
                     {{"path", spoken(first->path)}, {"why", why}, {"count", count}}};
  if (first->error && !first->error->hint.empty()) {
    finding.evidence.push_back({{"hint", {{"hint", first->error->hint}}}, {}, {}});
  }
  finding.actions.push_back({{action_of(code, read.corpus.has_value()), {{"path", spoken(first->path)}}}, ""});
  out.add(std::move(finding));
}

Finding about(const FileRecord& file, const Error& first, double share, const Parameters& set) {
  Finding finding;
  finding.severity = share >= set["share"] ? Severity::kWarning : Severity::kNote;
  finding.confidence = 1;
  finding.impact = share;
  finding.where = place_of(file, &first);
  return finding;
}

// Names beyond a limit: what was left out is the file's, not a fault of it, but nobody else would tell.
void judge_limits(const FileRecord& file, Findings& out) {
  for (const Error& error : file.problems) {
    if (error.code != ErrorCode::kLimit) continue;
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.confidence = 1;
    finding.impact = 0.05;
    finding.where = place_of(file, &error);
    finding.message = {"limit", {{"path", spoken(file.path)}, {"why", error.message}}};
    if (!error.hint.empty()) finding.evidence.push_back({{"hint", {{"hint", error.hint}}}, {}, {}});
    finding.actions.push_back({{"look-at-ledger", {}}, "assay show --ledger " + file.path});
    out.add(std::move(finding));
  }
}

void judge_lines(const FileRecord& file, const Parameters& set, Findings& out) {
  // A cut end is told by truncated-input.
  const auto other = [](const Error& error) {
    return error.code == ErrorCode::kTruncated || error.code == ErrorCode::kLimit;
  };
  const auto others = std::count_if(file.problems.begin(), file.problems.end(), other);
  const std::int64_t bad = file.problem_count - others;
  const auto first = std::find_if_not(file.problems.begin(), file.problems.end(), other);
  if (bad <= 0 || first == file.problems.end()) return;
  const bool plan = file.records == 0 && file.settings > 0;
  const std::int64_t whole = plan                              ? bad + file.settings
                             : file.unit == PlaceUnit::kRecord ? std::max(file.lines, bad)
                                                               : bad + file.records;
  const double of_records = static_cast<double>(bad) / static_cast<double>(std::max<std::int64_t>(whole, 1));
  // One place may have lost a whole block of records: where bytes are known, they tell.
  const double of_bytes =
      static_cast<double>(file.lost_bytes) / static_cast<double>(std::max<std::int64_t>(file.bytes, 1));
  const bool bytes = file.lost_bytes > 0;
  Finding finding = about(file, *first, bytes ? std::min(of_bytes, 1.0) : of_records, set);
  if (plan) finding.severity = Severity::kWarning;  // one place may hold any number of settings
  finding.message = {bytes  ? "bytes"
                     : plan ? "settings"
                            : "lines",
                     {{"count", bad},
                      {"path", spoken(file.path)},
                      {"bytes", file.lost_bytes},
                      {"all", file.bytes},
                      {"share", Value(100 * finding.impact, Unit::kPercent)},
                      {"line", std::to_string(finding.where->line)},
                      {"why", first->message}}};
  for (auto more = first + 1; more != file.problems.end(); ++more) {
    if (!other(*more)) finding.also.push_back(place_of(file, &*more));
  }
  finding.actions.push_back({{"look-at-ledger", {}}, "assay show --ledger " + file.path});
  if (finding.severity == Severity::kWarning && bytes) {
    finding.actions.push_back({{"copy-again", {{"path", spoken(file.path)}}}, ""});
  }
  out.add(std::move(finding));
}

void judge(const Report& read, const Parameters& set, Findings& out) {
  judge_whole_files(read, out);
  for (const FileRecord& file : read.files) {
    if (file.state != FileState::kRead) continue;
    judge_lines(file, set, out);
    judge_limits(file, out);
  }
}

}  // namespace

extern const Rule kUnreadableInput;
const Rule kUnreadableInput{
    .name = "unreadable-input",
    .family = "reading",
    .title_en = "something could not be read and was not judged",
    .title_zh = "部分输入无法读取，未参与判断",
    .scope = Scope::kReading,
    .severity = Severity::kError,
    .parameters = {{"share", "of the records or bytes", 0.05, 0, 1,
                    "a few broken lines lose a few records; one in twenty means that writer and reader disagree, and "
                    "what was read may not be what happened"}},
    .sentences =
        {{"file", "{path}: {why}", "{path} 不是可读取的训练日志（{why}）"},
         {"file-missing", "{path}: {why}", "{path}：没有这个文件或目录"},
         {"file-unreadable", "{path}: {why}", "{path}：无法打开或读取（{why}）"},
         {"file-damaged", "{path}: {why}", "{path}：文件已损坏（{why}）"},
         {"file-limit", "{path}: {why}", "{path}：超出保护上限（{why}）"},
         {"files", "{count} files gave nothing; first {path}: {why}",
          "{count} 个文件没有读到内容；第一个是 {path}：{why}"},
         {"limit", "{path}: {why}", "{path}：{why}"},
         {"bytes", "{bytes} of {all} bytes of {path} are damaged and were passed over ({share}); first: {why}",
          "{path} 共 {all} 字节，其中 {bytes} 字节已损坏并被跳过（{share}）；第一处：{why}"},
         {"lines", "{count} broken records in {path} ({share}); first: {why}",
          "{path} 中有 {count} 条损坏的记录（{share}）；第一条：{why}"},
         {"settings", "{path}, line {line}: {why} ({count} places)", "{path} 第 {line} 行：{why}（共 {count} 处）"},
         {"hint", "{hint}", "提示：{hint}"},
         {"check-path", "check the path {path}", "检查路径 {path} 是否正确"},
         {"check-permission", "check that {path} may be read by this user", "检查当前用户是否有权限读取 {path}"},
         {"check-limit", "{path} exceeds a limit that protects the machine: split it",
          "{path} 超出了保护机器的上限，请拆分后再试"},
         {"copy-again", "{path} is damaged: copy it again from its source", "{path} 已损坏，请重新拷贝"},
         {"name-documents",
          "name a file of documents, or a folder that holds some ('assay corpus check --help' lists the kinds)",
          "请指定文档文件或包含它的目录（'assay corpus check --help' 列出支持的类型）"},
         {"name-log", "name a training log or a folder that holds one", "请指定训练日志或包含它的目录"},
         {"look-at-ledger", "see what was not used and why", "查看哪些内容没有用上以及原因"}},
    .docs = {.finds = "Paths that were named and gave nothing, files that the system would not let assay read, and "
                      "broken records within readable files.",
             .matters = "What could not be read was not judged. Without this, silence would look like health.",
             .decides =
                 "From the ledger of the reading. A named path that yielded nothing is an error and exit status "
                 "2; an unreadable file in a folder is a warning. Broken records are a note, from `share` of "
                 "the records on, or of the bytes of a container, a warning. Names beyond the limits of a reader are a "
                 "warning. Lines of a console that belong to no metric are not broken.",
             .example = "`train.csv: 14 broken records (0.07 %); first: 9 cells where the header has 12`",
             .to_do = "See the action of the finding, and `assay show --ledger FILE` for every kind of line not used.",
             .false_alarms = "None: it tells what happened to the reading, not to the training.",
             .references = ""},
    .judge_reading = judge};

}  // namespace assay
