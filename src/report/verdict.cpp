// The verdict must not say more than what was seen. A run without a finding is called free of problems only when it is
// long enough to judge: an excerpt of three records has nothing wrong in it either, and is not healthy for that.

#include "report/verdict.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/display.h"
#include "report/plan_page.h"
#include "report/words.h"

namespace assay {

namespace {

constexpr std::int64_t kTooFewRecords = 6;   // below, no detector can tell anything but a non-finite value
constexpr std::int64_t kTooFewSettings = 4;  // a learning rate and a number of epochs say little of a plan
constexpr std::int64_t kShortRun = 50;       // below, only absolute signs are judged
constexpr double kStartsLate = 0.05;         // of its last step: then the log is a part of the run

bool has_loss(const RunSummary& run) {
  return std::any_of(run.series.begin(), run.series.end(), [](const SeriesSummary& series) {
    return series.metric == metric::kLoss || series.metric == metric::kEvalLoss;
  });
}

// "9,800 of 20,000 steps", "19 records", "steps 31,200-31,260 of 100,000".
std::string extent(const RunSummary& run, Language language) {
  const Axis axis = axis_of(&run);
  if (run.records == 0) return say("only messages, no record", "只有消息，没有记录", language);
  if (!run.steps || axis == Axis::kRecord) return count_of(run.records, kRecords, language);
  const std::int64_t last = run.steps->last;
  const bool whole = static_cast<double>(run.steps->first) <= std::max(1.0, kStartsLate * static_cast<double>(last));
  // A key of epochs with a billion of them: what it counts is not told.
  if (axis == Axis::kStep && axis_of(run.axis, 1) == Axis::kEpoch) {
    return count_of(last, kSamplesOrTokens, language);
  }
  std::string seen = whole ? count_of(last, noun_of(axis), language) : steps_word(*run.steps, axis, language);
  if (axis == Axis::kStep && run.planned_steps && *run.planned_steps > last) {
    const Values values = {{"seen", whole ? format(Value(last)) : steps_word(*run.steps, axis, Language::kEnglish)},
                           {"steps", format(Value(*run.steps))},
                           {"last", last},
                           {"all", *run.planned_steps}};
    seen = whole ? say("{last} of {all} steps", "{all} 步中的 {last} 步", values, language)
                 : say("{seen} of {all}", "共 {all} 步中的第 {steps} 步", values, language);
  }
  return seen;
}

// "1 run (9,800 of 20,000 steps)", "2 of 12 runs", "12 runs". concerned: how many of them.
std::string runs_phrase(const Report& report, std::int64_t concerned, Language language) {
  const auto runs = static_cast<std::int64_t>(report.runs.size());
  const std::int64_t begun = std::count_if(report.runs.begin(), report.runs.end(), has_begun);
  if (begun < runs && begun > 0 && (concerned == 0 || concerned == runs)) {
    return say("{runs} and {plans} that have not begun", "{runs}和尚未开始的{plans}",
               {{"runs", count_of(begun, kRuns, language)}, {"plans", count_of(runs - begun, kPlans, language)}},
               language);
  }
  if (runs == 1) {
    const std::string one = count_of(1, kRuns, language);
    return one + say(" (", "（", language) + extent(report.runs.front(), language) + say(")", "）", language);
  }
  if (concerned > 0 && concerned < runs) {
    return say("{some} of {all} runs", "{all} 次运行中的 {some} 次", {{"some", concerned}, {"all", runs}}, language);
  }
  return count_of(runs, kRuns, language);
}

bool is_of_reading(const Report& report, const Finding& finding) {
  const RuleRecord* rule = rule_record(report, finding.name);
  return rule != nullptr && rule->family == "reading";
}

std::int64_t runs_concerned(const Report& report) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::kNote && finding.where && !finding.where->run.empty())
      ids.push_back(finding.where->run);
  }
  std::sort(ids.begin(), ids.end());
  return std::unique(ids.begin(), ids.end()) - ids.begin();
}

// Of the text of a corpus; what is found in a run is told by the run.
bool is_of_corpus(const Report& report, const Finding& finding) {
  const RuleRecord* rule = rule_record(report, finding.name);
  return report.corpus && rule != nullptr && rule->family == "data" && (!finding.where || finding.where->run.empty());
}

void count(const Finding& finding, Counts& counts) {
  ++(finding.severity == Severity::kError     ? counts.errors
     : finding.severity == Severity::kWarning ? counts.warnings
                                              : counts.notes);
}

// "2 errors, 1 warning"; empty when there is neither.
std::string problems_phrase(const Counts& counts, Language language) {
  std::vector<std::string> parts;
  if (counts.errors > 0) parts.push_back(count_of(counts.errors, kErrors, language));
  if (counts.warnings > 0) parts.push_back(count_of(counts.warnings, kWarnings, language));
  return listed(parts, language);
}

// Settings of runs that have not begun: of all files.
std::int64_t settings_read(const Report& report) {
  std::int64_t settings = 0;
  for (const FileRecord& file : report.files) settings += file.settings;
  return settings;
}

bool all_planned(const Report& report) {
  return !report.runs.empty() && std::none_of(report.runs.begin(), report.runs.end(), has_begun);
}

// Whether a plan says one batch and its factors another. No rule may know which of them holds; the table shows both.
bool batch_disagrees(const Report& report) {
  return std::any_of(report.runs.begin(), report.runs.end(), [](const RunSummary& run) {
    return std::any_of(run.derived.begin(), run.derived.end(), [](const Derived& one) {
      return one.name == setting::kGlobalBatchSize && !one.disagreement.en.empty();
    });
  });
}

// "1 plan, nothing has run yet: 2 warnings", "No problem found in 143 settings of launch.sh (megatron); nothing …".
std::string plans_verdict(const Report& report, const std::string& problems, Language language) {
  const auto plans = static_cast<std::int64_t>(report.runs.size());
  const std::string alone = say("nothing has run yet", "尚未开始训练", language);
  if (!report.judged) {
    return say("{alone}: {settings} of {plans}", "{alone}：{plans}的 {settings}",
               {{"alone", alone},
                {"settings", count_of(settings_read(report), kSettings, language)},
                {"plans", plans_phrase(report, language)}},
               language);
  }
  if (problems.empty() && settings_read(report) < kTooFewSettings) {
    return say("{settings} of {plans} are too few to judge; {alone}", "{plans}只有 {settings}，无法判断；{alone}",
               {{"settings", count_of(settings_read(report), kSettings, language)},
                {"plans", plans_phrase(report, language)},
                {"alone", alone}},
               language);
  }
  if (problems.empty()) {
    const std::string found =
        say("No problem found in {settings} of {plans}; {alone}", "{plans}的 {settings}中未发现问题；{alone}",
            {{"settings", count_of(settings_read(report), kSettings, language)},
             {"plans", plans_phrase(report, language)},
             {"alone", alone}},
            language);
    return batch_disagrees(report)
               ? found + say("; the numbers of its batch disagree", "；批量的各项数值不一致", language)
               : found;
  }
  const std::int64_t concerned = runs_concerned(report);
  Values values = {
      {"plans", count_of(plans, kPlans, language)}, {"problems", problems}, {"alone", alone}, {"some", concerned}};
  if (plans > 1 && concerned < plans) {
    return say("{plans}, {alone}: {problems} in {some} of them", "{plans}，{alone}：其中 {some} 个有 {problems}",
               values, language);
  }
  return say("{plans}, {alone}: {problems}", "{plans}，{alone}：{problems}", values, language);
}

// "12 of 1,204 documents are abnormal (1.0 %, 0.4 % of 3.1 MB of text): 3 warnings".
std::string corpus_verdict(const CorpusSummary& corpus, const std::string& problems, Language language) {
  if (corpus.lines == 0) return say("Nothing to judge: no document was read", "没有可判断的内容：未读到文档", language);
  const auto percent = [](std::int64_t part, std::int64_t all) {
    return Value(all == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(all), Unit::kPercent);
  };
  const Values values = {{"documents", count_of(corpus.documents, kDocuments, language)},
                         {"all", corpus.documents},
                         {"found", corpus.abnormal_documents},
                         {"share", percent(corpus.abnormal_documents, corpus.documents)},
                         {"text", percent(corpus.abnormal_bytes, corpus.bytes)},
                         {"size", size_text(static_cast<double>(corpus.bytes))},
                         {"problems", problems}};
  std::string out =
      corpus.abnormal_documents == 0
          ? say("No abnormal text in {documents} ({size})", "{documents}（{size}）中无异常文本", values, language)
          : say("{found} of {documents} abnormal ({share}; {text} of {size} of text)",
                "{documents}中有 {found} 篇异常（{share}；占 {size} 文本的 {text}）", values, language);
  if (corpus.sample < 1) {
    out += say(", in a sample of {sample}", "（抽样 {sample}）",
               {{"sample", Value(100 * corpus.sample, Unit::kPercent)}}, language);
  }
  return problems.empty() ? out : out + say(": {problems}", "：{problems}", values, language);
}

std::string nothing_judged(Language language) {
  return say("Nothing to judge: no training run was read", "没有可判断的内容：未读到训练运行", language);
}

std::string without_problem(const Report& report, Language language) {
  const auto runs = static_cast<std::int64_t>(report.runs.size());
  const auto count = [&](auto&& test) { return std::count_if(report.runs.begin(), report.runs.end(), test); };
  const std::int64_t too_few = count([](const RunSummary& run) { return run.records < kTooFewRecords; });
  const std::int64_t short_ones = count([](const RunSummary& run) { return run.records < kShortRun; });
  const std::int64_t blind = count([](const RunSummary& run) { return !has_loss(run); });
  Values values = {
      {"runs", runs_phrase(report, 0, language)}, {"few", too_few}, {"short", short_ones}, {"blind", blind}};
  if (runs == 1) values.emplace_back("records", count_of(report.runs.front().records, kRecords, language));
  if (runs == 1 && too_few == 1) {
    const std::int64_t records = report.runs.front().records;
    if (records == 0)
      return say("Only messages, no record: nothing to judge", "只有消息，没有记录：无法判断", language);
    if (records == 1) return say("1 record is too little to judge", "只有 1 条记录，无法判断", language);
    return say("{records} are too few to judge", "只有 {records}，无法判断", values, language);
  }
  std::string out = say("No problem found in {runs}", "{runs}中未发现问题", values, language);
  if (runs == 1 && short_ones == 1 && axis_of(&report.runs.front()) == Axis::kRecord) {
    out += say("; too few to call it healthy", "；不足以断定其健康", language);  // their number stands before it
  } else if (runs == 1 && short_ones == 1) {
    out += say("; {records} are too few to call it healthy", "；只有 {records}，不足以断定其健康", values, language);
  } else if (short_ones > 0) {
    out +=
        say("; {short} of them too short to call healthy", "；其中 {short} 次太短，不足以断定其健康", values, language);
  }
  if (runs == 1 && blind == 1) {
    out += say("; it logs no loss", "；其中没有 loss", values, language);
  } else if (blind > 0) {
    out += say("; {blind} of them log no loss", "；其中 {blind} 次没有 loss", values, language);
  }
  return out;
}

}  // namespace

Counts count_findings(const Report& report) {
  Counts counts;
  for (const Finding& finding : report.findings) count(finding, counts);
  return counts;
}

std::string verdict_line(const Report& report, Language language, bool notes_shown) {
  // What was wrong with the files, or with a corpus, is not said of the runs.
  Counts runs;
  Counts corpus;
  Counts reading;
  for (const Finding& finding : report.findings) {
    count(finding, is_of_reading(report, finding) ? reading : is_of_corpus(report, finding) ? corpus : runs);
  }
  const std::string in_runs = problems_phrase(runs, language);
  const std::string in_corpus = problems_phrase(corpus, language);
  const std::string in_reading = problems_phrase(reading, language);

  std::string out;
  if (!report.complete) out = say("Interrupted, incomplete: ", "已中断，结果不完整：", language);
  if (report.corpus) out += corpus_verdict(*report.corpus, in_corpus, language);
  if (report.corpus && !report.runs.empty()) out += say("; ", "；", language);
  if (report.corpus && report.runs.empty()) {
    // There is nothing else to speak of.
  } else if (all_planned(report)) {
    out += plans_verdict(report, in_runs, language);
  } else if (report.runs.empty() && in_runs.empty()) {
    out += nothing_judged(language);
  } else if (in_runs.empty()) {
    out += without_problem(report, language);
  } else {
    const Values values = {{"counts", in_runs}, {"runs", runs_phrase(report, runs_concerned(report), language)}};
    out += say("{counts} in {runs}", "{runs}中有 {counts}", values, language);
  }
  if (!in_reading.empty())
    out += say("; {counts} in reading", "；读取时有 {counts}", {{"counts", in_reading}}, language);
  const std::int64_t notes = runs.notes + corpus.notes + reading.notes;
  if (notes > 0 && in_runs.empty() && in_corpus.empty() && in_reading.empty()) {
    const std::string counted = count_of(notes, kNotes, language);
    out += notes_shown ? say("; {notes}", "；{notes}", {{"notes", counted}}, language)
                       : say("; {notes} (-v)", "；{notes}（-v）", {{"notes", counted}}, language);
  }
  return out + say(".", "。", language);
}

namespace {

// "the loss diverged, steps 324-900".
std::string title_and_steps(const Report& report, const Finding& finding, Language language) {
  const RuleRecord* rule = rule_record(report, finding.name);
  std::string what = rule == nullptr ? finding.name : rule->title.in(language);
  // Where the title would say too much of this finding, the rule has another for its sentence.
  std::vector<std::string> keys = {"title-" + finding.message.key};
  for (const auto& [name, value] : finding.message.values) {
    if (name == "metric" && value == Value("eval loss")) keys.emplace_back("title-evaluation");
  }
  for (const std::string& key : keys) {
    if (const std::string own = sentence(rule, {key, {}}, language); own != key) what = own;
  }
  const Values title = {{"title", what}};
  if (!finding.where || !finding.where->steps) return say("{title}", "{title}", title, language);
  const std::string steps = steps_word(*finding.where->steps, axis_of(run_of(report, finding)), language);
  return say("{title}, ", "{title}，", title, language) + steps;
}

// What began the event of the finding; null when it did so itself, or when what did is but a note.
const Finding* first_sign(const Report& report, const Finding& finding) {
  for (const Finding& other : report.findings) {
    if (!finding.because_of.empty() && other.id == finding.because_of.back() && other.severity != Severity::kNote) {
      return &other;
    }
  }
  return nullptr;
}

// The gravest finding of what happened that names this one as its cause; null where this one happened itself.
const Finding* worst_effect(const Report& report, const Finding& cause) {
  if (tells_what(report, cause)) return nullptr;
  for (const Severity severity : {Severity::kError, Severity::kWarning}) {
    for (const Finding& other : report.findings) {
      const auto& causes = other.because_of;
      if (other.severity == severity && std::find(causes.begin(), causes.end(), cause.id) != causes.end())
        return &other;
    }
  }
  return nullptr;
}

// Whether something that is no mere sign of it explains the finding, or whether it explains itself.
bool has_cause(const Report& report, const Finding& finding) {
  if (!tells_what(report, finding)) return true;
  return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& other) {
    const auto& causes = finding.because_of;
    return std::find(causes.begin(), causes.end(), other.id) != causes.end() && !tells_what(report, other);
  });
}

}  // namespace

std::string headline(const Report& report, Language language) {
  if (report.findings.empty() || report.findings.front().severity == Severity::kNote) return {};
  const Finding& first = report.findings.front();
  const Finding* sign = first_sign(report, first);
  const bool explains = std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& other) {
    return other.severity != Severity::kNote &&
           std::find(other.because_of.begin(), other.because_of.end(), first.id) != other.because_of.end();
  });
  const bool names_cause = explains && sign == nullptr && !tells_what(report, first);
  const std::string lead =
      names_cause ? say("Most likely: ", "最可能的原因：", language) : say("Worst: ", "最严重：", language);
  std::string out = lead + title_and_steps(report, first, language);
  if (first.where && report.runs.size() > 1 && !first.where->run.empty()) {
    out += say(", in {run}", "，见 {run}", {{"run", path_word(first.where->run)}}, language);
  }
  if (sign != nullptr) {
    out += say("; first sign: ", "；最早的征兆：", language) + title_and_steps(report, *sign, language);
  }
  if (const Finding* effect = worst_effect(report, first)) {
    out += say("; it led to: ", "；其后果：", language) + title_and_steps(report, *effect, language);
  } else if (first.severity == Severity::kError && !has_cause(report, first)) {
    out += say("; nothing that was read tells why", "；读到的内容不足以说明原因", language);
  }
  return out;
}

bool tells_what(const Report& report, const Finding& finding) {
  const RuleRecord* rule = rule_record(report, finding.name);
  return rule != nullptr && !rule->tells_why;
}

bool refers_to(const Finding& finding, const Finding& other) {
  const std::pair<std::string, Value> reference("finding", other.id);
  return std::any_of(finding.actions.begin(), finding.actions.end(), [&](const Action& action) {
    const Values& values = action.text.values;
    return std::find(values.begin(), values.end(), reference) != values.end();
  });
}

const RuleRecord* rule_record(const Report& report, const std::string& name) {
  for (const RuleRecord& rule : report.rules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::string sentence(const RuleRecord* rule, const Phrase& phrase, Language language, Axis axis) {
  Values values = phrase.values;
  for (auto& [name, value] : values) {
    if (const auto* why = name == "why" ? std::get_if<std::string>(&value.data) : nullptr) {
      value = reason_word(*why, language);
    }
  }
  if (rule != nullptr) {
    for (const Sentence& one : rule->sentences) {
      if (one.key == phrase.key) return fill(on_axis(one.text, axis), values, language);
    }
  }
  return phrase.key;
}

const RunSummary* run_of(const Report& report, const Finding& finding) {
  if (!finding.where) return nullptr;
  for (const RunSummary& run : report.runs) {
    if (run.id == finding.where->run) return &run;
  }
  return nullptr;
}

bool has_begun(const RunSummary& run) { return run.records > 0 || !run.events.empty(); }

Axis axis_of(const RunSummary* run) {
  if (run == nullptr || run->records == 0) return Axis::kStep;
  return axis_of(run->axis, run->steps ? run->steps->last : 0);
}

}  // namespace assay
