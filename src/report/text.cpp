// The report for a terminal: the verdict first, then what was found in rank order, then what it stands on.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/display.h"
#include "report/curve_line.h"
#include "report/page.h"
#include "report/plan_page.h"
#include "report/render.h"
#include "report/section_page.h"
#include "report/short_names.h"
#include "report/sources.h"
#include "report/verdict.h"
#include "report/words.h"

namespace assay {

namespace {

constexpr std::size_t kMostEvidence = 5;
constexpr std::size_t kMostRows = 6;     // of a table beside what was found
constexpr std::size_t kMostPlaces = 10;  // further places listed; -v lists more
constexpr std::size_t kMostPlacesVerbose = 200;
constexpr std::size_t kMostCopies = 3;

class TextReport {
 public:
  TextReport(const Report& report, const RenderOptions& options) : report_(report), page_(options) {
    for (const Finding& finding : report.findings) {
      if (finding.severity != Severity::kNote || options.verbose) shown_.push_back(&finding);
    }
    // One line that says "and 1 more" would be no shorter than most of what it hides.
    const bool all = options.most == 0 || shown_.size() == options.most + 1;
    listed_ = all ? shown_.size() : std::min(options.most, shown_.size());
    for (std::size_t i = 0; i < listed_; ++i) {
      number_of_[shown_[i]->id] = i + 1;
      const Finding& finding = *shown_[i];
      name_width_ = std::max(name_width_, display_width(finding.name));
      severity_width_ = std::max(severity_width_, display_width(word(finding.severity, language())));
      certainty_width_ = std::max(certainty_width_, display_width(confidence_word(finding.confidence, language())));
      steps_width_ = std::max(steps_width_, display_width(steps_of(finding)));
    }
    number_width_ = listed_ > 99 ? 4 : listed_ > 9 ? 3 : 2;
    indent_ = number_width_ + 1;
  }

  std::string write() {
    page_.paragraph(0, verdict_line(report_, language(), page_.options().verbose), Ink::kStrong);
    const std::string top = headline(report_, language());
    if (!top.empty()) page_.paragraph(0, top);
    if (page_.options().quiet) return page_.take();
    write_plans();
    for (std::size_t i = 0; i < listed_; ++i) write_finding(*shown_[i], i + 1);
    if (listed_ < shown_.size()) {
      page_.blank();
      page_.paragraph(0, say("and {more} more (--all)", "另有 {more} 条（--all）", {{"more", shown_.size() - listed_}},
                             language()));
    }
    write_sections();
    page_.blank();
    write_footer();
    return page_.take();
  }

 private:
  Language language() const { return page_.language(); }

  // Of many plans the tables would hide what was found.
  void write_plans() {
    constexpr std::ptrdiff_t kMostPlans = 3;
    const auto planned = [](const RunSummary& run) { return !has_begun(run); };
    const auto plans = std::count_if(report_.runs.begin(), report_.runs.end(), planned);
    if (plans > kMostPlans && !page_.options().verbose) return;
    for (const RunSummary& run : report_.runs) {
      if (planned(run)) write_plan(page_, run, report_.runs.size() > 1);
    }
  }

  // Of several plans each section would be as long as the rest: they are there to be asked for.
  void write_sections() {
    for (const Section& section : report_.sections) {
      if (!section.run.empty() && report_.runs.size() > 1 && !page_.options().verbose) continue;
      page_.blank();
      if (!section.run.empty() && report_.runs.size() > 1) {
        page_.paragraph(0, say("{run}:", "{run}：", {{"run", section.run}}, language()), Ink::kFaint);
      }
      // A corpus has as many languages as it has; a plan's tables are short.
      const bool cut = section.run.empty() && !page_.options().verbose;
      print_section(page_, indent_, section, cut ? kMostRows : 0);
    }
  }

  std::string steps_of(const Finding& finding) const {
    if (!finding.where || !finding.where->steps) return {};
    const RunSummary* run = run_of(report_, finding);
    std::string out = steps_word(*finding.where->steps, axis_of(run), language());
    if (run != nullptr && run->segments > 1 && finding.where->segment >= 0) {
      out += say(" (part {part})", "（第 {part} 段）", {{"part", finding.where->segment + 1}}, language());
    }
    return out;
  }

  void write_finding(const Finding& finding, std::size_t number) {
    const RuleRecord* rule = rule_record(report_, finding.name);
    const Axis axis = axis_of(run_of(report_, finding));
    page_.blank();
    write_heading(finding, number);
    page_.paragraph(indent_, sentence(rule, finding.message, language(), axis));
    write_evidence(finding, rule);
    for (const Action& action : finding.actions) {
      const std::string label = say("do: ", "建议：", language());
      const int wide = display_width(label);
      const std::string lead = std::string(static_cast<std::size_t>(indent_), ' ') + page_.paint(Ink::kDo, label);
      page_.paragraph(lead, indent_ + wide, indent_ + wide, sentence(rule, numbered(action.text), language(), axis));
      // Not wrapped: it is there to be copied.
      if (!action.command.empty())
        page_.line(std::string(static_cast<std::size_t>(indent_ + wide), ' ') + page_.clean(action.command));
    }
    if (explained_.insert(finding.name).second) {
      page_.paragraph(
          indent_,
          say("more: assay explain {name}", "详情：assay explain {name}", {{"name", finding.name}}, language()),
          Ink::kFaint);
    }
  }

  // Number, severity, name, confidence, steps, place; the place goes to a line of its own where the line is full.
  void write_heading(const Finding& finding, std::size_t number) {
    const std::string severity = word(finding.severity, language());
    const std::string sure = confidence_word(finding.confidence, language());
    std::string line = page_.paint(Ink::kFaint, pad_left(std::to_string(number), number_width_)) + " " +
                       page_.paint(ink_of(finding.severity), pad_right(severity, severity_width_)) + "  " +
                       page_.paint(Ink::kStrong, pad_right(page_.clean(finding.name), name_width_)) + "  " +
                       pad_right(sure, certainty_width_);
    int used = indent_ + severity_width_ + 2 + name_width_ + 2 + certainty_width_;
    const auto add = [&](const std::string& text, int padded) {
      if (text.empty() && padded == 0) return;
      const std::string clean = page_.clean(text);
      const int wide = display_width(clean);
      if (used + 2 + wide > page_.width()) {
        page_.line(line);
        line = std::string(static_cast<std::size_t>(indent_), ' ') + clean;
        used = indent_ + wide;
      } else {
        line += "  " + pad_right(clean, padded);
        used += 2 + std::max(wide, padded);
      }
    };
    add(steps_of(finding), steps_width_);
    if (finding.where) add(place_of(*finding.where, language()), 0);
    add(causes(finding), 0);
    page_.line(line);
  }

  // A finding that an action refers to is called by its number, else by its rule.
  Phrase numbered(Phrase phrase) const {
    for (auto& [name, value] : phrase.values) {
      if (name != "finding" || !std::holds_alternative<std::string>(value.data)) continue;
      const std::string id = std::get<std::string>(value.data);
      const auto number = number_of_.find(id);
      value = number == number_of_.end() ? id.substr(0, id.find('@')) : std::to_string(number->second);
    }
    return phrase;
  }

  // "caused by finding 1"; where no cause is known, "follows finding 2": what was seen first of the same event.
  std::string causes(const Finding& finding) const {
    std::vector<std::string> why;
    std::vector<std::string> signs;
    for (const std::string& id : finding.because_of) {
      const auto number = number_of_.find(id);
      if (number == number_of_.end()) continue;
      const Finding& other = *shown_[number->second - 1];
      if (!tells_what(report_, other)) {
        why.push_back(std::to_string(number->second));
      } else if (!refers_to(other, finding)) {
        signs.push_back(std::to_string(number->second));
      }
    }
    const Values values = {{"numbers", listed(why.empty() ? signs : why, language())}};
    if (why.size() == 1) return say("caused by finding {numbers}", "由问题 {numbers} 引起", values, language());
    if (!why.empty()) return say("caused by findings {numbers}", "由问题 {numbers} 引起", values, language());
    if (signs.empty()) return {};
    return signs.size() == 1 ? say("follows finding {numbers}", "随问题 {numbers} 出现", values, language())
                             : say("follows findings {numbers}", "随问题 {numbers} 出现", values, language());
  }

  void write_evidence(const Finding& finding, const RuleRecord* rule) {
    std::size_t lines = 0;
    int label_width = 0;
    for (const Evidence& evidence : finding.evidence) {
      if (evidence.curve) label_width = std::max(label_width, display_width(spoken(evidence.curve->metric)));
    }
    for (const Evidence& evidence : finding.evidence) {
      if (lines == kMostEvidence && !page_.options().verbose) break;
      if (!evidence.text.key.empty()) {
        std::string text = sentence(rule, evidence.text, language(), axis_of(run_of(report_, finding)));
        if (evidence.where && evidence.where->line > 0) {
          const bool same = finding.where && finding.where->path == evidence.where->path;
          const std::string place = same ? place_word(evidence.where->line, evidence.where->unit, language())
                                         : place_of(*evidence.where, language());
          text += say(" ({place})", "（{place}）", {{"place", place}}, language());
        }
        page_.paragraph(indent_, text);
        ++lines;
      }
      if (evidence.curve && !evidence.curve->buckets.empty()) {
        print_curve(page_, indent_, *evidence.curve, label_width, ink_of(finding.severity),
                    axis_of(run_of(report_, finding)));
        ++lines;
      }
    }
    write_further_places(finding);
  }

  void write_further_places(const Finding& finding) {
    std::vector<std::string> places;
    std::set<std::string> known;
    const auto add = [&](const std::string& text) {
      if (!text.empty() && known.insert(text).second) places.push_back(text);
    };
    const Axis axis = axis_of(run_of(report_, finding));
    const auto steps = [](const Location& place) { return place.steps ? format(Value(*place.steps)) : std::string(); };
    const std::string own = finding.where ? steps(*finding.where) : "";
    const auto numbered = std::count_if(finding.also.begin(), finding.also.end(),
                                        [&](const Location& place) { return place.steps && steps(place) != own; });
    bool noun_told = false;  // once is enough: "steps 7; 20-30"
    const auto spoken_steps = [&](const Location& place) {
      if (std::exchange(noun_told, true)) return steps(place);
      const bool many = numbered > 1 && language() == Language::kEnglish;
      return many ? std::string(noun_of(axis).many) + " " + steps(place) : steps_word(*place.steps, axis, language());
    };
    std::vector<std::string> copies;  // the same steps in other files
    for (const Location& place : finding.also) {
      const std::string text = steps(place);
      const bool elsewhere = finding.where && place.path != finding.where->path;
      if (text.empty() || text != own) {
        if (text.empty()) {
          add(place_of(place, language()));
        } else if (known.insert(text + (elsewhere ? place.path : "")).second) {
          const std::string told = spoken_steps(place);
          places.push_back(
              elsewhere ? told + say(" ({place})", "（{place}）", {{"place", place_of(place, language())}}, language())
                        : told);
        }
      } else if (elsewhere) {
        copies.push_back(place_of(place, language()));
      }
    }
    write_places(std::move(places));
    if (copies.empty()) return;
    const std::size_t most = page_.options().verbose ? kMostPlacesVerbose : kMostCopies;
    const std::size_t rest = copies.size() > most ? copies.size() - most : 0;
    copies.resize(copies.size() - rest);
    std::string text =
        say("the same in {places}", "同样见于 {places}", {{"places", listed(copies, language())}}, language());
    if (rest > 0) text += say(" and {rest} more", " 等，另有 {rest} 处", {{"rest", rest}}, language());
    page_.paragraph(indent_, text);
  }

  void write_places(std::vector<std::string> places) {
    if (places.empty()) return;
    const std::size_t most = page_.options().verbose ? kMostPlacesVerbose : kMostPlaces;
    const std::size_t rest = places.size() > most ? places.size() - most : 0;
    places.resize(places.size() - rest);
    std::string text;
    for (const std::string& place : places) text += (text.empty() ? "" : say("; ", "；", language())) + place;
    const Values values = {{"places", text}, {"rest", rest}};
    page_.paragraph(indent_, rest == 0 ? say("also at {places}", "另见：{places}", values, language())
                                       : say("also at {places} and {rest} more", "另见：{places} 等，还有 {rest} 处",
                                             values, language()));
  }

  // --- footer: silence has to be told apart from health ---

  void footer(const std::string& text) { page_.paragraph("", 0, 2, text, Ink::kFaint); }

  void write_footer() {
    footer(files_phrase(report_, page_.options().verbose, language()));
    if (report_.runs.size() <= 3 || page_.options().verbose) {
      const std::vector<std::string> names = short_names(report_.runs);
      for (std::size_t i = 0; i < names.size(); ++i) write_run(report_.runs[i], names[i]);
    } else if (const std::string text = joined_phrase(report_, language()); !text.empty()) {
      footer(text);
    }
    if (const std::string text = loose_settings_phrase(report_, language()); !text.empty()) footer(text);
    if (const std::string text = beside_phrase(report_, language()); !text.empty())
      with_command(text, beside_command(report_));
    write_unused();
    const Counts counts = count_findings(report_);
    if (counts.notes > 0 && counts.errors + counts.warnings > 0 && !page_.options().verbose) {
      footer(say("{notes} (-v)", "{notes}（-v）", {{"notes", count_of(counts.notes, kNotes, language())}}, language()));
    }
    write_rules();
  }

  void write_run(const RunSummary& run, const std::string& name) {
    if (!has_begun(run)) return;  // its files are told
    std::vector<std::string> metrics = metrics_of(run);
    const std::size_t most = page_.options().verbose ? metrics.size() : 6;
    const std::size_t rest = metrics.size() > most ? metrics.size() - most : 0;
    metrics.resize(metrics.size() - rest);
    Values values = {{"run", name},
                     {"dialect", run.dialect},
                     {"records", count_of(run.records, kRecords, language())},
                     {"metrics", listed(metrics, language())},
                     {"rest", rest},
                     {"axis", run.axis}};
    // A single run needs no name: its path stands in the command line.
    std::string text = report_.runs.size() > 1 ? say("{run}: ", "{run}：", values, language()) : "";
    if (!run.dialect.empty()) text += say("{dialect}, ", "{dialect}，", values, language());
    text += say("{records}", "{records}", values, language());
    if (run.segments > 1) {
      values.emplace_back("parts", run.segments);
      text += say(" in {parts} parts (the steps start again)", "，分 {parts} 段（步数重新开始）", values, language());
    }
    const Axis axis = axis_of(&run);
    if (run.records > 0 && axis == Axis::kStep) {
      text += say(", steps as in '{axis}'", "，步数取自 '{axis}'", values, language());
    } else if (run.records > 0 && axis != Axis::kRecord) {
      text += say(", counted by '{axis}'", "，以 '{axis}' 计", values, language());
    }
    text += metrics.empty() ? say(": no metric", "：没有指标", language())
                            : say(": {metrics}", "：{metrics}", values, language());
    if (rest > 0) text += say(" and {rest} more", " 等，另有 {rest} 个", values, language());
    const auto done = static_cast<std::int64_t>(run.interpretations.size());
    if (done > 0 && !page_.options().verbose) {
      values.emplace_back("remarks", count_of(done, kRemarks, language()));
      text +=
          say("; {remarks} on how the numbers were read (-v)", "；关于数值读取的 {remarks}（-v）", values, language());
    }
    footer(text);
    if (run.sources.size() > 1) {
      page_.paragraph("  ", 2, 4, say("from ", "来源：", language()) + sources_phrase(run, language()), Ink::kFaint);
    }
    if (!page_.options().verbose) return;
    for (const Interpretation& one : run.interpretations)
      page_.paragraph("  ", 2, 4, describe(one, language()), Ink::kFaint);
  }

  void write_unused() {
    std::int64_t lines = 0;
    std::int64_t unused = 0;
    std::int64_t problems = 0;
    const FileRecord* example = nullptr;
    bool containers = true;  // and no text among them
    for (const FileRecord& file : report_.files) {
      if (file.state != FileState::kRead) continue;
      containers = containers && file.unit == PlaceUnit::kRecord;
      lines += file.lines;
      unused += file.unused_lines;
      problems += file.problem_count;
      if (example == nullptr && (file.unused_lines > 0 || file.problem_count > 0)) example = &file;
    }
    // Lines of a corpus are told one by one as a finding, and its ledger has no more of them.
    if (example == nullptr || (report_.corpus && report_.runs.empty())) return;
    const Values values = {{"unused", unused},
                           {"lines", count_of(lines, containers ? kRecords : kLines, language())},
                           {"problems", count_of(problems, kProblems, language())},
                           {"path", report_.arguments.size() == 1 ? report_.arguments.front() : example->path}};
    std::string text =
        say("not used: {unused} of {lines}",
            containers ? "未使用：{lines}中的 {unused} 个值" : "未使用：{lines}中的 {unused} 行", values, language());
    if (problems > 0) text += say("; {problems} while reading", "；读取时遇到 {problems}", values, language());
    with_command(text, say("assay show --ledger {path}", "assay show --ledger {path}", values, language()));
  }

  // Unbroken, if need be on a line of its own: it is there to be copied.
  void with_command(const std::string& text, const std::string& command) {
    const std::string behind = say(" ({command})", "（{command}）", {{"command", command}}, language());
    if (display_width(page_.clean(text + behind)) <= page_.width()) return footer(text + behind);
    footer(text);
    page_.line(page_.paint(Ink::kFaint, page_.clean("  " + command)));
  }

  // Rules of the reading always apply, as far as anybody cares.
  std::vector<const RuleNotApplied*> not_applied() const {
    std::vector<const RuleNotApplied*> out;
    for (const RuleNotApplied& one : report_.not_applicable) {
      const RuleRecord* rule = rule_record(report_, one.rule);
      if (rule == nullptr || rule->family != "reading") out.push_back(&one);
    }
    return out;
  }

  void write_thresholds() {
    std::vector<std::string> set;
    for (const Threshold& one : report_.thresholds) {
      const Values values = {{"name", one.name}, {"value", one.value}, {"standard", one.standard}};
      set.push_back(
          say("{name} = {value} (default {standard})", "{name} = {value}（默认 {standard}）", values, language()));
    }
    if (!set.empty()) footer(say("thresholds: ", "阈值：", language()) + listed(set, language()));
  }

  void write_rules() {
    for (const IgnoredName& one : report_.ignored) {
      if (one.findings == 0) continue;
      const Values values = {{"findings", count_of(one.findings, kFindings, language())}, {"name", one.name}};
      footer(say("left out: {findings} of {name} (--ignore)", "未列出：{name} 的 {findings}（--ignore）", values,
                 language()));
    }
    write_thresholds();
    const std::vector<const RuleNotApplied*> lacking = not_applied();
    const std::size_t missing = lacking.size();
    const std::size_t judged = report_.rules_run.size() + report_.not_applicable.size() - missing;
    const Values values = {{"judged", judged}, {"missing", missing}};
    std::string text = say("rules: {judged} judged", "规则：已判断 {judged} 条", values, language());
    if (missing > 0) text += say(", {missing} not applicable", "，{missing} 条不适用", values, language());
    if (missing == 0) return footer(text);
    if (page_.options().verbose) {
      footer(text + say(":", "：", language()));
      for (const RuleNotApplied* one : lacking) {
        const std::string reason = sentence(rule_record(report_, one->rule), one->reason, language());
        page_.paragraph("  ", 2, 4, one->rule + say(": ", "：", language()) + reason, Ink::kFaint);
      }
      return;
    }
    std::vector<std::string> names;
    for (const RuleNotApplied* one : lacking) names.push_back(one->rule);
    const bool cut = names.size() > 4;
    if (cut) names.resize(3);
    const std::string more = cut ? say(", …; -v", "…；-v", language()) : "";
    footer(text + say(" (", "（", language()) + listed(names, language()) + more + say(")", "）", language()));
  }

  const Report& report_;
  Page page_;
  std::vector<const Finding*> shown_;
  std::size_t listed_ = 0;
  std::map<std::string, std::size_t> number_of_;
  std::set<std::string> explained_;
  int number_width_ = 2;
  int indent_ = 3;
  int name_width_ = 0;
  int severity_width_ = 0;
  int certainty_width_ = 0;
  int steps_width_ = 0;
};

}  // namespace

std::string render_text(const Report& report, const RenderOptions& options) {
  return TextReport(report, options).write();
}

}  // namespace assay
