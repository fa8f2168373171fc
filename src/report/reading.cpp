// What the readers see, and what they do not: so that who doubts a verdict can check what it stands on.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/display.h"
#include "report/page.h"
#include "report/render.h"
#include "report/settings_page.h"
#include "report/sources.h"
#include "report/sparkline.h"
#include "report/verdict.h"
#include "report/words.h"

namespace assay {

namespace {

// Whether a range leaves out no more than a fiftieth of another.
bool nearly(const StepRange& part, const StepRange& whole) {
  const double slack = (static_cast<double>(whole.last) - static_cast<double>(whole.first)) / 50;
  return static_cast<double>(part.first) <= static_cast<double>(whole.first) + slack &&
         static_cast<double>(part.last) >= static_cast<double>(whole.last) - slack;
}

// The text in at most `width` columns: its middle goes, since names differ at their ends. Only ASCII is shortened.
std::string shortened(const std::string& text, int width) {
  const int least = 12;
  const auto room = static_cast<std::size_t>(std::max(width, least));
  if (text.size() <= room || display_width(text) != static_cast<int>(text.size())) return text;
  const std::size_t end = (room - 2) * 2 / 3;
  return text.substr(0, room - 2 - end) + ".." + text.substr(text.size() - end);
}

class Reading {
 public:
  Reading(const Report& report, const RenderOptions& options) : report_(report), page_(options) {}

  std::string runs() {
    for (std::size_t i = 0; i < report_.runs.size(); ++i) {
      if (i > 0) page_.blank();
      write_run(report_.runs[i]);
    }
    if (report_.runs.empty()) page_.paragraph(0, lang("No training run was read.", "未读到训练运行。"), Ink::kStrong);
    page_.blank();
    for (const FileRecord& file : report_.files) {
      if (file.state == FileState::kUnknown && !page_.options().verbose) continue;
      write_file_line(file);
    }
    write_passed_over();
    return page_.take();
  }

  std::string ledger() {
    bool first = true;
    for (const FileRecord& file : report_.files) {
      if (file.state == FileState::kUnknown && !page_.options().verbose) continue;
      if (!first) page_.blank();
      first = false;
      write_ledger(file);
    }
    write_passed_over();
    return page_.take();
  }

 private:
  Language language() const { return page_.language(); }
  std::string lang(std::string_view en, std::string_view zh) const { return say(en, zh, language()); }

  void heading(std::string_view en, std::string_view zh) {
    page_.blank();
    page_.paragraph(0, lang(en, zh), Ink::kStrong);
  }

  void write_run(const RunSummary& run) {
    page_.paragraph(0, path_word(run.id), Ink::kStrong);
    std::vector<std::string> facts = {run.dialect};
    // What is only possible is better not said.
    if (run.kind.confidence >= kLikely) {
      std::string kind = word(run.kind.kind, language());
      const std::string& because = run.kind.because.in(language());
      if (!because.empty()) kind += say(" ({because})", "（{because}）", {{"because", because}}, language());
      facts.push_back(std::move(kind));
    }
    if (run.kind.experts) facts.push_back(lang("mixture of experts", "混合专家"));
    facts.push_back(has_begun(run) ? count_of(run.records, kRecords, language())
                                   : lang("settings alone: nothing has run yet", "只有设置：尚未开始训练"));
    const Axis axis = axis_of(&run);
    if (run.steps && axis != Axis::kRecord) facts.push_back(steps_word(*run.steps, axis, language()));
    if (run.planned_steps)
      facts.push_back(say("{all} planned", "计划 {all} 步", {{"all", *run.planned_steps}}, language()));
    if (run.records == 0) {
      // nothing is numbered
    } else if (axis != Axis::kRecord && axis != Axis::kStep) {
      facts.push_back(say("counted by '{axis}'", "以 '{axis}' 计", {{"axis", run.axis}}, language()));
    } else if (axis != Axis::kRecord) {
      facts.push_back(say("steps as in '{axis}'", "步数取自 '{axis}'", {{"axis", run.axis}}, language()));
    } else {
      const bool printed = std::any_of(run.interpretations.begin(), run.interpretations.end(),
                                       [](const Interpretation& one) { return one.key == "step-not-counting"; });
      facts.push_back(printed ? lang("the step in the log does not count up: records are numbered",
                                     "日志中的步数并不递增：按记录编号")
                              : lang("no step in the log: records are numbered", "日志中没有步数：按记录编号"));
    }
    if (run.segments > 1) {
      facts.push_back(say("{parts} parts: the steps start again", "分 {parts} 段：步数重新开始",
                          {{"parts", run.segments}}, language()));
    }
    std::erase(facts, "");
    page_.paragraph(2, listed(facts, language()));
    if (run.sources.size() > 1) page_.paragraph(2, sources_phrase(run, language()));
    write_series(run);
    write_events(run);
    write_settings(page_, run);
    write_derived(page_, run);
    if (run.interpretations.empty()) return;
    heading("what was done to the numbers", "对数值所做的处理");
    for (const Interpretation& one : run.interpretations) page_.paragraph("  ", 2, 4, describe(one, language()));
  }

  void write_series(const RunSummary& run) {
    if (run.series.empty()) return;
    const bool parts = run.segments > 1;
    const bool units = std::any_of(run.series.begin(), run.series.end(),
                                   [](const SeriesSummary& series) { return series.unit != Unit::kNone; });
    std::vector<TableColumnText> columns = {{lang("metric", "指标")},        {lang("points", "点数"), true},
                                            {lang("first", "首值"), true},   {lang("last", "末值"), true},
                                            {lang("least", "最小"), true},   {lang("median", "中位"), true},
                                            {lang("greatest", "最大"), true}};
    if (parts) columns.insert(columns.begin() + 1, {lang("part", "段"), true});
    if (units) columns.push_back({lang("unit", "单位")});
    std::vector<std::vector<std::string>> rows;
    for (const SeriesSummary& series : run.series) {
      std::vector<std::string> row = {page_.clean(series.metric), format(Value(series.points))};
      for (const double value : {series.first, series.last, series.least, series.median, series.greatest}) {
        row.push_back(std::isnan(value) ? "-" : format(Value(value)));
      }
      if (parts) row.insert(row.begin() + 1, std::to_string(series.segment + 1));
      if (units) row.emplace_back(symbol(series.unit));
      rows.push_back(std::move(row));
    }
    fit(columns, rows);
    page_.blank();
    print_table(page_, 2, columns, rows);
    write_curves(run);
  }

  // Where the line is too short, the numbers that are missed least give way, then names: names that are cut look alike.
  void fit(std::vector<TableColumnText>& columns, std::vector<std::vector<std::string>>& rows) const {
    const auto too_wide = [&] {
      const std::vector<int> widths = column_widths(columns, rows);
      return std::accumulate(widths.begin(), widths.end(), 2 * static_cast<int>(widths.size())) - page_.width();
    };
    for (const std::string& title : {lang("median", "中位"), lang("least", "最小"), lang("greatest", "最大")}) {
      if (too_wide() <= 0) return;
      const auto column =
          std::find_if(columns.begin(), columns.end(), [&](const TableColumnText& one) { return one.title == title; });
      for (auto& row : rows) row.erase(row.begin() + (column - columns.begin()));
      columns.erase(column);
    }
    const int excess = too_wide();
    const int names = column_widths(columns, rows).front();
    if (excess <= 0) return;
    for (auto& row : rows) row[0] = shortened(row[0], names - excess);
  }

  // Under the table: a picture beside seven columns of numbers would have no room.
  void write_curves(const RunSummary& run) {
    int name_width = 0;
    int about_width = 0;
    for (const SeriesSummary& series : run.series) {
      name_width = std::max(name_width, display_width(name_of(run, series)));
      about_width = std::max(about_width, display_width(about_of(run, series)));
    }
    const int room = page_.width() - 2 - name_width - 2 - 2 - about_width;
    page_.blank();
    for (const SeriesSummary& series : run.series) {
      std::string line = "  " + pad_right(name_of(run, series), name_width) + "  ";
      if (series.curve) {
        const Sparkline picture = sparkline(*series.curve, std::clamp(room, 20, 60), page_.options().unicode);
        line += picture.text() + "  ";
      }
      page_.line(line + page_.paint(Ink::kFaint, about_of(run, series)));
    }
  }

  std::string name_of(const RunSummary& run, const SeriesSummary& series) const {
    return page_.clean(series.metric) + (run.segments > 1 ? " " + std::to_string(series.segment + 1) : "");
  }

  // How the log calls it, its unit, its steps where they are not those of the run, and what a picture cannot show.
  std::string about_of(const RunSummary& run, const SeriesSummary& series) const {
    std::vector<std::string> about;
    if (!series.printed_as.empty() && series.printed_as != series.metric)
      about.push_back("'" + series.printed_as + "'");
    if (series.unit != Unit::kNone) about.push_back(unit_of(series));
    if (run.steps && !nearly(series.steps, *run.steps)) about.push_back(format(Value(series.steps)));
    if (series.non_finite > 0) {
      about.push_back(say("{count} NaN or Inf", "{count} 个 NaN 或 Inf", {{"count", series.non_finite}}, language()));
    }
    return page_.clean(listed(about, language()));
  }

  // A name that ends in its unit ("elapsed time (ms)", "step_time_ms") is not contradicted but explained.
  std::string unit_of(const SeriesSummary& series) const {
    std::string unit(symbol(series.unit));
    const std::string& name = series.printed_as;
    const bool milli = name.ends_with("(ms)") || name.ends_with("_ms") || name.ends_with("/ms");
    if (series.unit == Unit::kSecond && milli) unit += lang(" (printed in ms)", "（日志以 ms 打印）");
    return unit;
  }

  void write_events(const RunSummary& run) {
    if (run.events.empty()) return;
    heading("events", "事件");
    std::vector<std::vector<std::string>> rows;
    for (const EventCount& kind : run.events) {
      std::string steps;
      if (kind.first.step) steps = format(Value(*kind.first.step));
      if (kind.last.step && kind.last.step != kind.first.step) {
        // The first may have come before any step.
        steps += (kind.first.step ? "-" : lang("to ", "至 ")) + format(Value(*kind.last.step));
      }
      rows.push_back({word(kind.kind, language()), format(Value(kind.count)), steps,
                      kind.first_where.path == run.id || kind.first_where.path.empty()
                          ? std::to_string(kind.first_where.line)
                          : place_of(kind.first_where, language())});
    }
    print_table(page_, 2,
                {{lang("kind", "类型")},
                 {lang("count", "次数"), true},
                 {lang("steps", "步")},
                 {run.sources.front().unit == PlaceUnit::kRecord ? lang("first record", "首条记录")
                                                                 : lang("first line", "首行"),
                  true}},
                rows);
  }

  void write_file_line(const FileRecord& file) {
    std::vector<std::string> facts;
    if (file.state == FileState::kRead) {
      facts.push_back(kind_word(file.kind, language()) + (file.codec.empty() ? "" : " (" + file.codec + ")"));
      facts.push_back(size_text(static_cast<double>(file.bytes)));
      const bool container = file.unit == PlaceUnit::kRecord;
      if (file.lines > 0) facts.push_back(count_of(file.lines, container ? kRecords : kLines, language()));
      facts.push_back(count_of(file.records, container ? kRows : kRecords, language()));
      if (file.repeated_lines > 0) {
        facts.push_back(
            say("{count} of them repeated", "其中重复 {count} 条", {{"count", file.repeated_lines}}, language()));
      }
      if (file.unused_lines > 0) {
        facts.push_back(say("{lines} not used (--ledger)", "未使用 {lines}（--ledger）",
                            {{"lines", count_of(file.unused_lines, container ? kValues : kLines, language())}},
                            language()));
      }
      if (file.truncated) facts.push_back(lang("ends in the middle of a record", "在一条记录中间结束"));
    } else {
      facts.push_back(word(file.state, language()));
      if (file.error) facts.push_back(file.error->message);
    }
    std::erase(facts, "");
    page_.paragraph("", 0, 2, path_word(file.path) + lang(": ", "：") + listed(facts, language()), Ink::kFaint);
  }

  void write_passed_over() {
    const auto passed = std::count_if(report_.files.begin(), report_.files.end(),
                                      [](const FileRecord& file) { return file.state == FileState::kUnknown; });
    if (passed == 0 || page_.options().verbose) return;
    page_.paragraph("", 0, 2,
                    say("passed over {files} of other kinds (-v)", "跳过其他类型的 {files}（-v）",
                        {{"files", count_of(passed, kFiles, language())}}, language()),
                    Ink::kFaint);
  }

  void write_ledger(const FileRecord& file) {
    page_.paragraph(0, path_word(file.path), Ink::kStrong);
    if (file.error) return page_.paragraph(2, word(file.state, language()) + lang(": ", "：") + file.error->message);
    if (file.state != FileState::kRead) return page_.paragraph(2, word(file.state, language()));
    write_left_out(file);
    if (file.unused_lines == 0 && file.problem_count == 0 && file.left_out_count > 0) return;
    if (file.unused_lines == 0 && file.problem_count == 0) {
      return page_.paragraph(2, lang("everything in it was used", "其中内容全部被使用"));
    }
    if (file.unused_lines > 0) {
      page_.paragraph(2, file.unit == PlaceUnit::kRecord
                             ? say("not used: {values}", "未使用：{values}",
                                   {{"values", count_of(file.unused_lines, kValues, language())}}, language())
                             : say("{unused} of {lines} not used:", "{lines}中有 {unused} 行未使用：",
                                   {{"unused", file.unused_lines}, {"lines", count_of(file.lines, kLines, language())}},
                                   language()));
      std::vector<UnusedKind> kinds = file.unused;
      std::sort(kinds.begin(), kinds.end(), [](const UnusedKind& a, const UnusedKind& b) {
        return std::tie(b.count, a.first_line, a.why) < std::tie(a.count, b.first_line, b.why);
      });
      std::int64_t told = 0;
      for (const UnusedKind& kind : kinds) {
        told += kind.count;
        write_unused_kind(kind, file.unit);
      }
      if (told < file.unused_lines) {
        page_.paragraph(4, say("and {more} lines of other kinds", "另有 {more} 行其他类型",
                               {{"more", file.unused_lines - told}}, language()));
      }
    }
    if (file.problem_count == 0) return;
    page_.paragraph(2, count_of(file.problem_count, kProblems, language()) + lang(":", "："));
    for (const Error& problem : file.problems) {
      page_.paragraph("    ", 4, 6, lead_of(problem.where) + problem.message);
    }
    const auto kept = static_cast<std::int64_t>(file.problems.size());
    if (kept < file.problem_count) {
      page_.paragraph(4, say("and {more} more", "另有 {more} 处", {{"more", file.problem_count - kept}}, language()));
    }
  }

  void write_left_out(const FileRecord& file) {
    if (file.left_out_count == 0) return;
    const std::int64_t rest = file.left_out_count - static_cast<std::int64_t>(file.left_out.size());
    std::string text = say("left out by name: {names}", "按名称略去：{names}",
                           {{"names", listed(file.left_out, language())}}, language());
    if (rest > 0) text += say(" and {rest} more", " 等，另有 {rest} 个", {{"rest", rest}}, language());
    page_.paragraph(2, text);
  }

  // "line 12: ", "record 12 (byte 3,456): ", "byte 3,456: ".
  std::string lead_of(const Location& where) const {
    std::string place = where.line > 0 ? place_word(where.line, where.unit, language()) : "";
    if (where.byte >= 0) {
      const Values values = {{"byte", where.byte}};
      place += place.empty() ? say("byte {byte}", "第 {byte} 字节", values, language())
                             : say(" (byte {byte})", "（第 {byte} 字节）", values, language());
    }
    return place.empty() ? place : place + lang(": ", "：");
  }

  void write_unused_kind(const UnusedKind& kind, PlaceUnit unit) {
    const std::string why = kind.why.empty() ? "" : kind.why + lang(": ", "：");
    const Values values = {{"count", format(Value(kind.count))},
                           {"place", place_word(kind.first_line, unit, language())}};
    const std::string lead = say("{count}x, first in {place}: ", "{count} 次，首见{place}：", values, language());
    page_.paragraph("    ", 4, 6, lead + why + kind.example);
  }

  const Report& report_;
  Page page_;
};

}  // namespace

std::string render_reading(const Report& report, bool ledger, const RenderOptions& options) {
  Reading reading(report, options);
  return ledger ? reading.ledger() : reading.runs();
}

}  // namespace assay
