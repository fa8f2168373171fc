#pragma once
// The fixed words of the reports, English and Chinese side by side.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/finding.h"
#include "assay/report.h"
#include "assay/text.h"
#include "core/axis.h"

namespace assay {

/// What a report counts. Chinese has a measure word instead of a plural.
struct Noun {
  std::string_view one;
  std::string_view many;
  std::string_view zh;  // with its measure word: "个错误"
};
inline constexpr Noun kErrors{"error", "errors", "个错误"};
inline constexpr Noun kWarnings{"warning", "warnings", "个警告"};
inline constexpr Noun kNotes{"note", "notes", "条提示"};
inline constexpr Noun kRuns{"run", "runs", "次运行"};
inline constexpr Noun kPlans{"plan", "plans", "个计划"};
inline constexpr Noun kSteps{"step", "steps", "步"};
inline constexpr Noun kRecords{"record", "records", "条记录"};
inline constexpr Noun kEpochs{"epoch", "epochs", "个 epoch"};
inline constexpr Noun kSamples{"sample", "samples", "个样本"};
inline constexpr Noun kTokens{"token", "tokens", "个 token"};
inline constexpr Noun kSamplesOrTokens{"sample or token", "samples or tokens", "个样本或 token"};
inline constexpr Noun kDocuments{"document", "documents", "篇文档"};
inline constexpr Noun kFiles{"file", "files", "个文件"};
inline constexpr Noun kLines{"line", "lines", "行"};
inline constexpr Noun kValues{"value", "values", "个值"};
inline constexpr Noun kRows{"row", "rows", "行数据"};
inline constexpr Noun kSettings{"setting", "settings", "项设置"};
inline constexpr Noun kMetrics{"metric", "metrics", "个指标"};
inline constexpr Noun kRules{"rule", "rules", "条规则"};
inline constexpr Noun kFindings{"finding", "findings", "条结果"};
inline constexpr Noun kRemarks{"remark", "remarks", "条说明"};
inline constexpr Noun kProblems{"problem", "problems", "处问题"};

/// "1 error", "9,800 steps", "3 个错误".
std::string count_of(std::int64_t count, const Noun& noun, Language language);

/// The sentence with its places filled.
std::string say(std::string_view en, std::string_view zh, const Values& values, Language language);
std::string say(std::string_view en, std::string_view zh, Language language);

/// "error" or "错误".
std::string word(Severity severity, Language language);
/// "certain" (from 0.9), "likely" (from 0.6), "possible".
std::string confidence_word(double confidence, Language language);
const Noun& noun_of(Axis axis);
/// "step 18,600", "steps 1,912-9,800"; "record …" where the run has no step of its own.
std::string steps_word(const StepRange& steps, Axis axis, Language language);
/// "read", "nothing read", "passed over", "failed".
std::string word(FileState state, Language language);
std::string word(TrainingKind kind, Language language);
std::string word(EventKind kind, Language language);

/// What was done to the numbers, as a sentence.
std::string describe(const Interpretation& interpretation, Language language);

/// Items as a sentence lists them: "a, b", "a、b".
std::string listed(const std::vector<std::string>& items, Language language);

/// A family of rules: "phenomenon".
std::string family_word(std::string_view family, Language language);
/// What a parameter of a rule is counted in: "of the level".
std::string unit_word(std::string_view unit, Language language);
/// The kind of a file as the ledger has it: "text log".
std::string kind_word(std::string_view kind, Language language);
/// "line 12", "record 12", as the file's places are counted.
std::string place_word(std::int64_t number, PlaceUnit unit, Language language);
/// "train.log:12", "events.out, record 12"; the path alone where no more is known.
std::string place_of(const Location& where, Language language);
/// Why a setting is not known, as its reader has it.
std::string reason_word(std::string_view reason, Language language);
/// "-" as a sentence says it: "stdin".
std::string path_word(std::string_view path);
/// A metric as a sentence says it: "grad norm".
std::string spoken(std::string_view metric);

}  // namespace assay
