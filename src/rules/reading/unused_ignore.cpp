// An --ignore that ignores nothing.
//
// Ignored rules outlive their reason: the run was repaired, the rule became better, the name was written for another
// log. Each that suppresses nothing today may hide something tomorrow, so it is told. The engine asks ignored rules all
// the same and counts the findings that it leaves out; what stays at 0 is unused.

#include "rules/rule.h"

namespace assay {

namespace {

void judge(const Report& read, const Parameters&, Findings& out) {
  if (read.ignored.empty()) return out.not_applicable("nothing-ignored");
  if (!read.complete) return out.not_applicable("not-complete");
  for (const IgnoredName& one : read.ignored) {
    if (one.findings > 0) continue;
    Finding finding;
    finding.severity = Severity::kNote;
    finding.confidence = 1;
    finding.impact = 0.01;
    finding.message = {"unused", {{"name", one.name}}};
    finding.actions.push_back({{"leave-out", {{"name", one.name}}}, ""});
    out.add(std::move(finding));
  }
}

}  // namespace

extern const Rule kUnusedIgnore;
const Rule kUnusedIgnore{
    .name = "unused-ignore",
    .family = "reading",
    .title_en = "an ignored rule would not have said anything",
    .title_zh = "有被忽略的规则本来就不会报告任何问题",
    .scope = Scope::kReading,
    .severity = Severity::kNote,
    .sentences = {{"unused", "--ignore {name} suppresses nothing here", "--ignore {name} 在这里没有屏蔽任何结果"},
                  {"leave-out", "leave out --ignore {name}", "去掉 --ignore {name}"},
                  {"nothing-ignored", "needs an --ignore", "需要使用了 --ignore"},
                  {"not-complete", "needs all of the input: the reading was interrupted",
                   "需要完整读取输入：读取被中断"}},
    .docs = {.finds = "Names given to `--ignore` of which no finding was left out.",
             .matters = "A suppression without a reason hides the next real finding of that rule.",
             .decides = "Ignored rules are asked like all others; their findings are counted and dropped. A name, or a "
                        "family, with none is unused.",
             .example = "`--ignore loss-plateau suppresses nothing here`",
             .to_do = "Leave the name out.",
             .false_alarms = "One command line for many runs, of which only some need the name.",
             .references = "The same idea: ruff's unused-noqa (RUF100)."},
    .judge_reading = judge};

}  // namespace assay
