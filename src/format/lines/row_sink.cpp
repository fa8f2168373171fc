#include "format/lines/row_sink.h"

#include <algorithm>
#include <cmath>

#include "assay/metric.h"

namespace assay::lines {

namespace {

constexpr std::uint32_t kEventItem = UINT32_MAX;
constexpr std::size_t kMostWaiting = 16'384;
constexpr std::size_t kMostFamilies = 4096;
constexpr std::int64_t kColumnRows = 5;  // fewer rows of two bare numbers are too easily something else

}  // namespace

std::uint32_t RowSink::add_family(const std::string& key, Family family) {
  const auto known = family_of_.find(key);
  if (known != family_of_.end()) return known->second;
  if (families_.size() >= kMostFamilies) return static_cast<std::uint32_t>(families_.size() - 1);
  const auto number = static_cast<std::uint32_t>(families_.size());
  families_.push_back(std::move(family));
  family_of_.emplace(key, number);
  return number;
}

std::uint32_t RowSink::family(const Meaning& meaning) {
  Family family;
  std::string key;
  if (meaning.dialect != nullptr) {
    family.dialect = meaning.dialect->name;
    family.accepted = true;
    key = "d " + family.dialect + ' ' + std::string(meaning.dialect->anchors[0]) + '\t' +
          std::string(meaning.dialect->anchors[1]);
  } else {
    std::vector<std::uint16_t> columns;
    for (const SlotPlan& slot : meaning.slots) {
      if (slot.use == SlotUse::kValue) columns.push_back(slot.column);
    }
    std::sort(columns.begin(), columns.end());
    key = "g " + meaning.axis + ' ';
    for (const std::uint16_t column : columns) key += ' ' + std::to_string(column);
  }
  family.axis = meaning.axis;
  family.has_step = meaning.has_step;
  family.weak_step = meaning.weak_step;
  family.has_loss = meaning.has_loss;
  family.only_rate = meaning.only_rate;
  // An evaluation may come once in a log; with a step by name it is no chance.
  family.accepted = family.accepted || (meaning.has_eval && meaning.has_step && !meaning.weak_step);
  return add_family(key, std::move(family));
}

std::uint32_t RowSink::columns_family() {
  Family family;
  family.columns = family.has_step = family.weak_step = true;
  family.axis = "first column";
  return add_family("columns", std::move(family));
}

void RowSink::make(ColumnSpec& spec) {
  spec.column = recorder_.column(spec.metric, spec.printed_as, spec.unit, spec.quirks);
  spec.made = true;
}

// The axis is the step's name in the lines that tell the loss; in any line, as long as none does.
void RowSink::name_axis(const Family& family) {
  if (family.axis.empty() || (axis_has_loss_ && !family.has_loss)) return;
  if (axis_has_loss_) return;
  axis_has_loss_ = family.has_loss;
  recorder_.axis(family.axis);
}

// The records take their steps from a progress bar, whatever else they count.
void RowSink::axis_of_bar() {
  axis_has_loss_ = true;
  recorder_.axis("step");
}

void RowSink::observe(Family& family, std::int64_t step, const std::vector<Cell>& cells) {
  if (family.accepted) return;
  if (step != kNoStep) {
    if (family.last_step != kNoStep) {
      family.rises += step > family.last_step ? 1 : 0;
      family.falls += step < family.last_step ? 1 : 0;
    }
    family.last_step = step;
  }
  for (const Cell& cell : cells) {
    const ColumnSpec& spec = columns_[cell.column];
    if (spec.metric == metric::kEpoch || spec.metric == metric::kStepTime) continue;
    if (family.lines == 1) family.first_value = cell.value;
    family.varies = family.varies || cell.value != family.first_value;  // also for NaN
    break;
  }
  if (family.columns) {
    family.accepted = family.rises >= kColumnRows - 1 && family.rises >= 4 * family.falls;
  } else if (family.has_step && !family.weak_step) {
    family.accepted = family.lines >= 2 && (family.rises > 0 || family.varies);
  } else if (family.has_step) {
    family.accepted =
        (family.lines >= 2 && family.rises > family.falls) || (family.lines >= 3 && family.varies && family.falls == 0);
  } else {
    // A setting that every process echoes is no series.
    family.accepted = family.lines >= (family.only_rate ? 3 : 2) && family.varies;
  }
}

void RowSink::row(std::uint32_t number, std::int64_t step, std::int64_t line, std::int64_t rank,
                  const std::vector<Cell>& cells, std::string_view text) {
  Family& family = families_[number];
  if (family.lines++ == 0) {
    family.first_line = line;
    family.cut = in_cut_line_;
    if (!family.accepted) family.example = text.substr(0, 160);
  }
  if (is_direct(number)) {
    begin_direct(number, step, line, rank);
    for (const Cell& cell : cells) put(cell.column, cell.value);
    return;
  }
  ++rows_seen_;
  queue_.push_back({number, step, line, rank, cells.size()});
  waiting_.insert(waiting_.end(), cells.begin(), cells.end());
  observe(family, step, cells);
  drain(false);
}

void RowSink::event(Event event) {
  if (queue_.empty()) {
    recorder_.event(std::move(event));
    return;
  }
  queue_.push_back({kEventItem, 0, 0, 0, 0});
  events_.push_back(std::move(event));
  drain(false);
}

void RowSink::drain(bool all) {
  while (!queue_.empty()) {
    const Item item = queue_.front();
    if (item.family == kEventItem) {
      recorder_.event(std::move(events_.front()));
      events_.pop_front();
      queue_.pop_front();
      continue;
    }
    Family& family = families_[item.family];
    if (!family.accepted && !all && queue_.size() <= kMostWaiting) return;
    if (family.accepted) {
      if (family.rows++ == 0) name_axis(family);
      recorder_.begin_row(item.step, item.line, item.rank, item.family);
      for (std::size_t i = 0; i < item.cells; ++i) put(waiting_[i].column, waiting_[i].value);
    } else {
      ++family.dropped;
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(item.cells));
    queue_.pop_front();
  }
}

void RowSink::finish(bool single_lines) {
  const bool others = std::any_of(families_.begin(), families_.end(),
                                  [](const Family& f) { return f.accepted && f.lines + f.rows > 0; });
  if (!others && single_lines) {
    // The only candidates: an excerpt of a line or two.
    for (Family& family : families_) family.accepted = !family.columns && (family.has_step || !family.only_rate);
  }
  accept_beside_others();
  drain(true);
  name_loss();
  forget_constants();
  std::map<std::string, std::int64_t> rows;
  for (const Family& family : families_) {
    if (family.rows > 0) rows[family.dialect.empty() ? "general" : family.dialect] += family.rows;
  }
  const auto most =
      std::max_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != rows.end()) recorder_.dialect(most->first);
}

// Lines that count what records count and tell the same are records, even if there are too few to prove it: one that
// was cut and so lacks columns of its like, the last drawings of two epochs at their last step.
void RowSink::accept_beside_others() {
  for (Family& family : families_) {
    if (family.accepted || !family.has_step || family.columns) continue;
    if (!family.cut && (family.lines < 2 || !family.varies || family.falls > 0)) continue;
    family.accepted = std::any_of(families_.begin(), families_.end(), [&](const Family& other) {
      return other.accepted && other.axis == family.axis && other.has_loss == family.has_loss;
    });
  }
}

// A number under a name of the file's own that never changes is a setting, a version, the size of something: no series.
void RowSink::forget_constants() {
  constexpr std::int64_t kEnough = 10;
  for (ColumnSpec& spec : columns_.all()) {
    if (spec.made && spec.own_name && !spec.varies && spec.values >= kEnough && spec.loss_likeness == 0) {
      recorder_.forget(spec.column);
    }
  }
}

// No key was known as the training loss: the likeliest of those that might be it is.
void RowSink::name_loss() {
  const auto specs = columns_.all();
  ColumnSpec* best = nullptr;
  ColumnSpec* named = nullptr;
  const auto weight = [](const ColumnSpec& spec) {
    return spec.values * (spec.loss_likeness == 3 ? 4 : spec.loss_likeness);
  };
  for (ColumnSpec& spec : specs) {
    if (spec.metric == metric::kLoss && spec.values > 0) named = &spec;
    if (spec.loss_likeness > 0 && spec.values > 0 && (best == nullptr || weight(spec) > weight(*best))) best = &spec;
  }
  // A loss in lines without a step that comes far more often than the one beside a step is no summary of it.
  constexpr std::int64_t kFarMore = 8;
  if (named != nullptr) {
    if (best == nullptr || best->loss_likeness != 3 || best->values < kFarMore * named->values) return;
    recorder_.rename(named->column, "loss beside a step");
  }
  if (best != nullptr) recorder_.rename(best->column, metric::kLoss);
}

}  // namespace assay::lines
