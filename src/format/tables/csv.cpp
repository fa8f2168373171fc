// Reads a table in two steps: the first 64 KiB show its layout (csv_layout.h) and what its columns are (key_plan.h),
// then they and all that follows are recorded.
//
// A row of the usual kind (numbers, empty cells, text in columns that nobody wants) is read in one pass: each number is
// parsed where it stands and has to end at the delimiter. Anything else (quotes, blanks, "12,345", another number of
// cells, a header in the middle) makes the row start again in the slow way, which splits it into cells first. Both give
// the same row where both apply.

#include "format/tables/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/metric.h"
#include "base/bytes.h"
#include "format/tables/csv_layout.h"
#include "format/tables/decimal.h"
#include "format/tables/ledger.h"
#include "format/tables/line_cutter.h"
#include "format/tables/number.h"
#include "format/tables/pivot.h"
#include "format/tables/runs_of_columns.h"

namespace assay {

namespace {

constexpr std::size_t kPlanFrom = std::size_t{64} << 10;
constexpr std::size_t kLongestQuoted = std::size_t{64} << 10;  // a cell that spans lines; more is a quote never closed
constexpr Recorder::Column kNoColumn = UINT32_MAX;

struct NamedColumn {
  std::string name;
  KeyPlan plan;
  KeyPlan evaluation;
  bool evaluation_planned = false;
  Recorder::Column evaluation_column = kNoColumn;
};

// What the loop over cells needs of a column, side by side in memory.
struct Slot {
  KeyUse use = KeyUse::kSkip;
  bool wanted = false;  // its cells are read as numbers
  Recorder::Column column = kNoColumn;
  double factor = 1;
};

class CsvReader final : public StreamReader {
 public:
  explicit CsvReader(Recorder& recorder) : recorder_(recorder), pivot_(recorder) { recorder.dialect("csv"); }

  void feed(std::span<const char> bytes) override {
    cutter_.feed({bytes.data(), bytes.size()}, [this](std::string_view region) { take(region); });
  }

  void finish(bool cut) override {
    const std::string rest(cutter_.rest());
    if (!planned_) start(rest);
    if (!trimmed(rest).empty() && !cut) {
      open_end_ = true;
      read_slowly(rest);
    }
    while (!pending_.empty()) {
      if (open_end_) recorder_.truncated(line_, "the table ends inside a quoted cell");
      give_up_quote();
    }
    if (plan_.long_form()) pivot_.finish();
    recorder_.file().lines = line_;
  }

 private:
  // Whole lines.
  void take(std::string_view region) {
    while (!planned_) {
      const std::size_t length = region.find('\n') + 1;
      waiting_ += region.substr(0, length);
      region.remove_prefix(length);
      if (waiting_.size() >= kPlanFrom) start("");
      if (region.empty()) return;
    }
    read(region);
  }

  void start(std::string_view rest) {
    planned_ = true;
    const std::string waiting = std::exchange(waiting_, {});
    auto layout = find_layout(recorder_.file().path, waiting + std::string(rest), true);
    if (layout) plan(*layout);
    if (hopeless_) tell_why(layout);
    read(waiting);
  }

  // Of several runs in one table one is read.
  void leave_other_runs(CsvLayout& layout) {
    const RunsOfColumns found = runs_of_columns(layout.names);
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
      if (found.left[i]) layout.facts[i] = {};  // a column without a name is none
      if (found.bound[i]) recorder_.left_out(layout.names[i]);
    }
    if (found.runs.size() < 2) return;
    constexpr std::size_t kMostNamed = 5;
    std::string others;
    for (std::size_t i = 1; i < std::min(found.runs.size(), kMostNamed + 1); ++i) {
      others += (i == 1 ? "'" : ", '") + printable_utf8(found.runs[i].substr(0, 60)) + "'";
    }
    if (found.runs.size() > kMostNamed + 1) others += fmt::format(" and {} more", found.runs.size() - kMostNamed - 1);
    tell_problem(recorder_, ErrorCode::kLimit,
                 fmt::format("the table holds {} runs: '{}' is judged, not {}", found.runs.size(),
                             printable_utf8(found.runs.front().substr(0, 60)), others),
                 first_line_, "export each run into a table of its own");
  }

  void plan(CsvLayout& layout) {
    first_line_ = static_cast<std::int64_t>(layout.first_line);
    leave_other_runs(layout);
    plan_ = TablePlan(layout.facts, layout.rows);
    hopeless_ = !plan_.is_log();
    delimiter_ = layout.delimiter;
    decimal_comma_ = layout.decimal_comma;
    header_line_ = layout.has_header ? first_line_ : 0;
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
      KeyPlan key = plan_.keys()[i];
      if (layout.bare || layout.exported) key.printed_as = layout.names[i];
      if (key.left_out) recorder_.left_out(layout.names[i]);
      add_column(layout.names[i], std::move(key));
    }
    if (!plan_.axis().empty()) recorder_.axis(layout.bare ? layout.names[0] : plan_.axis());
    if (layout.names.size() == kMostColumns) {
      tell_problem(recorder_, ErrorCode::kLimit, fmt::format("only the first {} columns are read", kMostColumns),
                   first_line_);
    }
  }

  void tell_why(const std::optional<CsvLayout>& layout) {
    if (!layout) return tell_no_log(recorder_, "is no table that can be made out");
    std::string names;
    for (const std::string& name : layout->names) {
      if (names.size() > 60) {
        names += ", …";
        break;
      }
      names += (names.empty() ? "" : ", ") + printable_utf8(name).substr(0, 40);
    }
    if (plan_.is_table_of_runs()) {
      return tell_no_log(recorder_, "is a table of runs, one in each row, and no log of one (columns: " + names + ")");
    }
    tell_no_log(recorder_, "is a table without a step or a metric that is known from training (columns: " + names + ")",
                "name the columns as a training log does: step, loss, grad_norm, learning_rate");
  }

  void add_column(const std::string& name, KeyPlan plan) {
    const KeyUse use = plan.use;
    const bool special = use == KeyUse::kTotalSteps || use == KeyUse::kRank || use == KeyUse::kMetricValue;
    if (use == KeyUse::kAxis) axis_ = slots_.size();
    has_special_ = has_special_ || special;
    tells_split_ = tells_split_ || use == KeyUse::kSplit || use == KeyUse::kMetricName;
    slots_.push_back({use, special || use == KeyUse::kValue || use == KeyUse::kAxis, kNoColumn, plan.factor});
    columns_.push_back({.name = name, .plan = std::move(plan)});
    values_.push_back(0);
    filled_.push_back(0);
  }

  // Whole lines, after the plan was made.
  void read(std::string_view region) {
    const char* at = region.data();
    const char* const end = at + region.size();
    while (at != end) {
      if (!hopeless_ && pending_.empty() && line_ >= first_line_ && !tells_split_ && delimiter_ != ' ') {
        if (const char* next = read_fast(at, end)) {
          at = next;
          continue;
        }
      }
      const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      read_slowly({at, static_cast<std::size_t>(newline - at)});
      at = newline + 1;
    }
  }

  // One row of the usual kind; null when it is of another. Ends behind its '\n', which is known to come.
  const char* read_fast(const char* at, const char* end) {
    const char* const begin = at;
    const char delimiter = delimiter_;
    const std::size_t count = slots_.size();
    // Copies of the pointers: a store through an unsigned char* might change the members, as far as a compiler knows.
    const Slot* const slots = slots_.data();
    double* const values = values_.data();
    unsigned char* const filled = filled_.data();
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      const char close = i + 1 == count ? '\n' : delimiter;
      const bool number = slots[i].wanted && *at != close && *at != '\r';
      filled[i] = number ? 1 : 0;
      if (number) {
        at = read_decimal(at, end, values[i]);
        if (at == nullptr) return nullptr;
        any = true;
      } else {
        while (*at != delimiter && *at != '\n' && *at != '\r') {
          if (*at == '"') return nullptr;
          ++at;
        }
      }
      if (*at == '\r' && close == '\n') ++at;
      if (*at != close) return nullptr;
      ++at;
    }
    if (!any || static_cast<std::size_t>(at - begin) > LineCutter::kLongest) return nullptr;
    ++line_;
    record(line_);
    return at;
  }

  // A line without its '\n'.
  void read_slowly(std::string_view line) {
    ++line_;
    if (hopeless_) return;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > LineCutter::kLongest) return recorder_.unused(line, line_, "a line of more than 1 MiB");
    if (!pending_.empty()) return continue_quote(line);
    if (line_ < first_line_) {
      if (!is_filler(line)) recorder_.unused(line, line_, "above the table");
      return;
    }
    if (line_ == header_line_ || is_filler(line)) return;
    if (!split_record(line, delimiter_, cells_)) {
      pending_ = line;
      pending_line_ = line_;
      return;
    }
    read_cells(line, line_);
  }

  void continue_quote(std::string_view line) {
    pending_ += '\n';
    pending_ += line;
    if (split_record(pending_, delimiter_, cells_)) {
      const std::string record = std::exchange(pending_, {});
      split_record(record, delimiter_, cells_);
      read_cells(record, pending_line_);
    } else if (pending_.size() > kLongestQuoted) {
      give_up_quote();
    }
  }

  // The quote that opened the first pending line is never closed: that line is lost, the others are read for
  // themselves.
  void give_up_quote() {
    const std::string lines = std::exchange(pending_, {});
    const std::size_t first = std::min(lines.find('\n'), lines.size());
    line_ = pending_line_;
    recorder_.unused(std::string_view(lines).substr(0, first), line_, "a quote that is never closed");
    for (std::size_t at = first; at < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at + 1), lines.size());
      read_slowly(std::string_view(lines).substr(at + 1, end - at - 1));
      at = end;
    }
  }

  void read_cells(std::string_view record_text, std::int64_t line) {
    if (names_columns()) return;
    std::size_t present = cells_.size();
    const auto extra = std::span(cells_).subspan(std::min(present, columns_.size()));
    if (!std::all_of(extra.begin(), extra.end(), [](const CsvCell& c) { return is_no_value(c.text); })) {
      return recorder_.unused(record_text, line, "more cells than the header names");
    }
    const bool cut = open_end_ && present < columns_.size();
    if (cut) --present;  // the last cell of a cut row may be cut, too
    bool any = false;
    bad_cells_.clear();
    split_ = DataSplit::kTraining;
    metric_name_ = {};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      filled_[i] = 0;
      if (i < present) any = read_cell(i) || any;
    }
    if (cut)
      recorder_.truncated(
          line, fmt::format("the table ends in the middle of a row: {} cells of {}", cells_.size(), columns_.size()));
    if (!any) {
      const bool empty =
          std::all_of(cells_.begin(), cells_.end(), [](const CsvCell& c) { return is_no_value(c.text); });
      if (!empty && !cut) recorder_.unused(record_text, line, "no row of the table");
      return;
    }
    tell_bad_cells(line);
    if (present < columns_.size() && !cut) {
      tell_problem(recorder_, ErrorCode::kCorrupt,
                   fmt::format("a row of {} cells where the header names {}", present, columns_.size()), line);
    }
    record(line);
  }

  // True: the cell holds a number that is wanted.
  bool read_cell(std::size_t i) {
    const std::string_view text = cells_[i].text;
    const Slot& slot = slots_[i];
    if (slot.use == KeyUse::kSplit) split_ = split_of(text).value_or(DataSplit::kTraining);
    if (slot.use == KeyUse::kMetricName) metric_name_ = trimmed(text);
    if (!slot.wanted || is_no_value(text)) return false;
    const auto number = parse_number(text, decimal_comma_);
    if (!number) {
      bad_cells_.push_back(i);
      return false;
    }
    values_[i] = *number;
    filled_[i] = 1;
    return true;
  }

  void tell_bad_cells(std::int64_t line) {
    for (const std::size_t i : bad_cells_) {
      tell_problem(recorder_, ErrorCode::kCorrupt,
                   fmt::format("{} is no number in column {}", printable_utf8(cells_[i].text.substr(0, 40)),
                               printable_utf8(columns_[i].name)),
                   line);
    }
  }

  // The header again, where a second run was appended, or another one: then it holds from here on.
  bool names_columns() {
    std::size_t same = 0;
    std::size_t known = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const std::string_view text = trimmed(cells_[i].text);
      if (is_no_value(text)) continue;
      if (parse_number(text)) return false;
      same += i < columns_.size() && text == columns_[i].name ? 1 : 0;
      known += meaning_of_column(text) ? 1 : 0;
    }
    if (same == 0 && known < 2) return false;
    if (same == cells_.size() || cells_.size() > kMostColumns) return true;
    if (known < 2) return false;
    const std::vector<NamedColumn> former = std::exchange(columns_, {});
    const std::vector<Slot> former_slots = std::exchange(slots_, {});
    axis_ = kNoAxis;
    values_.clear();
    filled_.clear();
    for (const CsvCell& cell : cells_) {
      const std::string name(trimmed(cell.text));
      const auto at = std::find_if(former.begin(), former.end(), [&](const NamedColumn& c) { return c.name == name; });
      add_column(name, at == former.end() ? plan_.plan_late(name) : at->plan);
      if (at == former.end()) continue;
      columns_.back() = *at;
      slots_.back() = former_slots[static_cast<std::size_t>(at - former.begin())];
    }
    return true;
  }

  // The row in values_ and filled_.
  void record(std::int64_t line) {
    std::int64_t step = kNoStep;
    std::int64_t rank = kNoRank;
    std::optional<double> measured;
    if (axis_ != kNoAxis && filled_[axis_] != 0) step = step_of(values_[axis_], line);
    for (std::size_t i = 0; has_special_ && i < slots_.size(); ++i) {
      if (filled_[i] == 0) continue;
      const auto whole = exact_integer(values_[i]);
      if (slots_[i].use == KeyUse::kRank && whole) rank = *whole;
      if (slots_[i].use == KeyUse::kTotalSteps && whole && *whole > 0) recorder_.planned_steps(*whole);
      if (slots_[i].use == KeyUse::kMetricValue) measured = values_[i];
    }
    if (plan_.long_form()) return record_measurement(step, measured, line);
    const bool evaluation = split_ == DataSplit::kEvaluation;
    recorder_.begin_row(step, line, rank, evaluation ? 1 : 0);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (filled_[i] == 0 || slot.use != KeyUse::kValue) continue;
      if (evaluation) {
        put_evaluation(columns_[i], values_[i]);
        continue;
      }
      if (slot.column == kNoColumn) slot.column = make_column(columns_[i].plan);
      recorder_.put(slot.column, values_[i] * slot.factor);
    }
  }

  std::int64_t step_of(double value, std::int64_t line) {
    if (const auto step = exact_integer(value)) return *step;
    tell_problem(recorder_, ErrorCode::kCorrupt,
                 fmt::format("{} {} is no step", printable_utf8(columns_[axis_].name), value), line);
    return kNoStep;
  }

  // Made when the first value comes: a column that stays empty leaves no series.
  Recorder::Column make_column(const KeyPlan& plan) {
    return recorder_.column(plan.metric, plan.printed_as, plan.unit);
  }

  void put_evaluation(NamedColumn& column, double value) {
    if (!std::exchange(column.evaluation_planned, true)) column.evaluation = plan_.plan_evaluation(column.name);
    if (column.evaluation.use != KeyUse::kValue) return;
    if (column.evaluation_column == kNoColumn) column.evaluation_column = make_column(column.evaluation);
    recorder_.put(column.evaluation_column, value * column.evaluation.factor);
  }

  void record_measurement(std::int64_t step, std::optional<double> value, std::int64_t line) {
    if (!value || metric_name_.empty()) return;
    const auto [at, fresh] = measured_.try_emplace(std::string(metric_name_));
    if (fresh && measured_.size() <= kMostColumns) {
      const KeyPlan plan = plan_.plan_named(metric_name_);
      if (plan.use == KeyUse::kValue) at->second = {plan.use, true, make_column(plan), plan.factor};
    }
    const Slot& slot = at->second;
    if (slot.use == KeyUse::kValue) pivot_.add(slot.column, step, *value * slot.factor, line);
  }

  static constexpr std::size_t kNoAxis = SIZE_MAX;

  Recorder& recorder_;
  LineCutter cutter_;
  std::string waiting_;  // lines that the plan is made from
  bool planned_ = false;
  bool hopeless_ = true;
  TablePlan plan_;
  char delimiter_ = ',';
  bool decimal_comma_ = false;
  bool tells_split_ = false;  // a text column decides what a row is
  std::int64_t first_line_ = 1;
  std::int64_t header_line_ = 0;
  std::int64_t line_ = 0;
  std::string pending_;  // lines of a record whose quote is open
  std::int64_t pending_line_ = 0;
  bool open_end_ = false;  // the line being read is the last and has no '\n'
  std::vector<NamedColumn> columns_;
  std::vector<Slot> slots_;  // one for each of columns_
  std::size_t axis_ = kNoAxis;
  bool has_special_ = false;              // a column tells a rank, the planned steps or a measured value
  std::map<std::string, Slot> measured_;  // long form, by the name of the metric
  std::vector<CsvCell> cells_;            // of the row being read
  std::vector<std::size_t> bad_cells_;    // of the row being read: text where a number should be
  std::vector<double> values_;            // by column
  std::vector<unsigned char> filled_;
  DataSplit split_ = DataSplit::kTraining;
  std::string_view metric_name_;
  Pivot pivot_;
};

}  // namespace

bool is_csv(std::string_view path, std::string_view prefix, bool whole) {
  const auto layout = find_layout(path, prefix, whole);
  if (!layout) return false;
  if (path.ends_with(".csv") || path.ends_with(".tsv")) return true;
  const TablePlan plan(layout->facts, layout->rows);
  return layout->rows > 0 && (plan.is_log() || plan.is_table_of_runs());
}

std::unique_ptr<StreamReader> open_csv(Recorder& recorder) { return std::make_unique<CsvReader>(recorder); }

}  // namespace assay
