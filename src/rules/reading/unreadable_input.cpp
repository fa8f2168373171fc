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
const char* action_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound: return "check-path";
    case ErrorCode::kUnreadable: return "check-permission";
    case ErrorCode::kLimit: return "check-limit";
    case ErrorCode::kCorrupt:
    case ErrorCode::kTruncated: return "copy-again";
    default: return "name-log";
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
  finding.actions.push_back({{action_of(code), {{"path", spoken(first->path)}}}, ""});
  out.add(std::move(finding));
}

void judge_lines(const FileRecord& file, const Parameters& set, Findings& out) {
  if (file.state != FileState::kRead) return;
  // A cut end is told by truncated-input.
  const auto cut = [](const Error& error) { return error.code == ErrorCode::kTruncated; };
  const auto cuts = std::count_if(file.problems.begin(), file.problems.end(), cut);
  const std::int64_t bad = file.problem_count - cuts;
  const auto first = std::find_if_not(file.problems.begin(), file.problems.end(), cut);
  if (bad <= 0 || first == file.problems.end()) return;
  const std::int64_t whole = file.unit == PlaceUnit::kRecord ? std::max(file.lines, bad) : bad + file.records;
  const double share = static_cast<double>(bad) / static_cast<double>(std::max<std::int64_t>(whole, 1));
  Finding finding;
  finding.severity = share >= set["share"] ? Severity::kWarning : Severity::kNote;
  finding.confidence = 1;
  finding.impact = share;
  finding.message = {"lines",
                     {{"count", bad},
                      {"path", spoken(file.path)},
                      {"share", Value(100 * share, Unit::kPercent)},
                      {"why", first->message}}};
  finding.where = place_of(file, &*first);
  for (auto other = first + 1; other != file.problems.end(); ++other) {
    if (!cut(*other)) finding.also.push_back(place_of(file, &*other));
  }
  finding.actions.push_back({{"look-at-ledger", {}}, "assay show --ledger " + file.path});
  out.add(std::move(finding));
}

void judge(const Report& read, const Parameters& set, Findings& out) {
  judge_whole_files(read, out);
  for (const FileRecord& file : read.files) judge_lines(file, set, out);
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
    .parameters = {{"share", "of the records", 0.05, 0, 1,
                    "a few broken lines lose a few records; one in twenty means that writer and reader disagree, and "
                    "what was read may not be what happened"}},
    .sentences = {{"file", "{path}: {why}", "{path} 不是可读取的训练日志（{why}）"},
                  {"file-missing", "{path}: {why}", "{path}：没有这个文件或目录"},
                  {"file-unreadable", "{path}: {why}", "{path}：无法打开或读取（{why}）"},
                  {"file-damaged", "{path}: {why}", "{path}：文件已损坏（{why}）"},
                  {"file-limit", "{path}: {why}", "{path}：超出保护上限（{why}）"},
                  {"files", "{count} files gave nothing; first {path}: {why}",
                   "{count} 个文件没有读到内容；第一个是 {path}：{why}"},
                  {"lines", "{count} broken records in {path} ({share}); first: {why}",
                   "{path} 中有 {count} 条损坏的记录（{share}）；第一条：{why}"},
                  {"hint", "{hint}", "提示：{hint}"},
                  {"check-path", "check the path {path}", "检查路径 {path} 是否正确"},
                  {"check-permission", "check that {path} may be read by this user",
                   "检查当前用户是否有权限读取 {path}"},
                  {"check-limit", "{path} exceeds a limit that protects the machine: split it",
                   "{path} 超出了保护机器的上限，请拆分后再试"},
                  {"copy-again", "{path} is damaged: copy it again from its source", "{path} 已损坏，请重新拷贝"},
                  {"name-log", "name a training log or a folder that holds one", "请指定训练日志或包含它的目录"},
                  {"look-at-ledger", "see what was not used and why", "查看哪些内容没有用上以及原因"}},
    .docs = {.finds = "Paths that were named and gave nothing, files that the system would not let assay read, and "
                      "broken records within readable files.",
             .matters = "What could not be read was not judged. Without this, silence would look like health.",
             .decides = "From the ledger of the reading. A named path that yielded nothing is an error and exit status "
                        "2; an unreadable file in a folder is a warning. Broken records are a note, from `share` of "
                        "the records on a warning. Lines of a console that belong to no metric are not broken.",
             .example = "`train.csv: 14 broken records (0.07 %); first: 9 cells where the header has 12`",
             .to_do = "See the action of the finding, and `assay show --ledger FILE` for every kind of line not used.",
             .false_alarms = "None: it tells what happened to the reading, not to the training.",
             .references = ""},
    .judge_reading = judge};

}  // namespace assay
