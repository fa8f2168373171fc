#include "measure/row_plan.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "assay/metric.h"
#include "core/axis.h"
#include "measure/row_values.h"
#include "measure/second_start.h"
#include "measure/untold_epochs.h"

namespace assay {

namespace {

constexpr std::size_t kMemory = 32;  // rows looked back at for a repeat: eight ranks that run a few records apart
constexpr std::size_t kLookAround =
    1024;  // rows searched for the next or former step: hostile input must not make it quadratic

const Series* find(const Recording& recording, std::string_view metric) {
  for (const Series& series : recording.series) {
    if (series.metric == metric && !series.empty()) return &series;
  }
  return nullptr;
}

// Which rows of the recording hold a value of the series.
std::vector<bool> rows_with(const Recording& recording, const Series& series) {
  std::vector<bool> out(recording.rows());
  for (std::size_t i = 0; i < series.size(); ++i) out[series.row_of(i)] = true;
  return out;
}

void add_rows(std::vector<bool>& rows, const std::vector<bool>& more) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = rows[i] || more[i];
}

// The metric that is the backbone of the file: the training loss, else what comes nearest to it.
const Series* backbone(const Recording& recording) {
  for (const std::string_view metric : {metric::kLoss, metric::kEvalLoss, metric::kGradNorm, metric::kLearningRate}) {
    if (const Series* series = find(recording, metric)) return series;
  }
  const Series* longest = nullptr;
  for (const Series& series : recording.series) {
    if (!series.empty() && (longest == nullptr || series.size() > longest->size())) longest = &series;
  }
  return longest;
}

// Shapes whose own steps lie between those of the backbone rows around them count on the same axis.
std::map<std::int64_t, bool> shapes_on_axis(const Recording& recording, const std::vector<bool>& backbone_rows) {
  struct Count {
    std::int64_t agree = 0;
    std::int64_t all = 0;
  };
  const std::size_t n = recording.rows();
  std::vector<std::int64_t> next(n, kNoStep);
  std::int64_t following = kNoStep;
  for (std::size_t i = n; i-- > 0;) {
    next[i] = following;
    if (backbone_rows[i]) following = recording.step[i];
  }
  std::map<std::int64_t, Count> counts;
  std::int64_t before = kNoStep;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t own = recording.step[i];
    if (backbone_rows[i]) {
      before = own;
      continue;
    }
    if (own == kNoStep) continue;
    Count& count = counts[recording.shape[i]];
    ++count.all;
    const std::int64_t low = before == kNoStep ? INT64_MIN : next[i] == kNoStep ? before : std::min(before, next[i]);
    const std::int64_t high = next[i] == kNoStep ? INT64_MAX : before == kNoStep ? next[i] : std::max(before, next[i]);
    count.agree += own >= low && own <= high ? 1 : 0;
  }
  std::map<std::int64_t, bool> out;
  for (const auto& [shape, count] : counts) out[shape] = 2 * count.agree > count.all;
  return out;
}

// Rows of the rank that printed most of the backbone; all rows where none is marked.
std::int64_t main_rank(const Recording& recording, const std::vector<bool>& backbone_rows) {
  std::map<std::int64_t, std::int64_t> counts;
  for (std::size_t i = 0; i < recording.rows(); ++i) {
    if (backbone_rows[i]) ++counts[recording.rank[i]];
  }
  std::int64_t best = kNoRank;
  std::int64_t most = 0;
  for (const auto& [rank, count] : counts) {
    if (count > most) {
      best = rank;
      most = count;
    }
  }
  return best;
}

class Planner {
 public:
  explicit Planner(const Recording& recording) : recording_(recording), values_(recording) {}

  RowPlan plan() {
    const std::size_t n = recording_.rows();
    plan_.keep.assign(n, true);
    plan_.repeated_values.resize(recording_.series.size());
    plan_.segment_start = {0};
    choose_keys();
    plan_.step_printed = plan_.step_printed || (!plan_.numbered && counts_down());
    plan_.numbered = plan_.numbered || plan_.step_printed;
    if (plan_.numbered) {
      number_records();
    } else {
      walk();
    }
    return std::move(plan_);
  }

 private:
  void choose_keys() {
    const std::size_t n = recording_.rows();
    key_.assign(n, false);
    foreign_.assign(n, false);
    const Series* spine = backbone(recording_);
    if (spine == nullptr) return;
    key_ = rows_with(recording_, *spine);
    std::size_t stepless = 0;
    for (std::size_t i = 0; i < n; ++i) stepless += key_[i] && recording_.step[i] == kNoStep ? 1 : 0;
    const bool told = 2 * stepless <= spine->size();
    const std::int64_t rank = plan_.rank = main_rank(recording_, key_);
    if (ends_epochs(*spine)) plan_.epoch_axis = find(recording_, metric::kEpoch)->printed_as;
    plan_.step_printed = told && plan_.epoch_axis.empty() && never_changes(*spine);
    plan_.numbered = !told || plan_.step_printed || !plan_.epoch_axis.empty();
    const auto on_axis = shapes_on_axis(recording_, key_);
    for (const std::string_view metric : {metric::kGradNorm, metric::kLearningRate, metric::kLossScale}) {
      if (const Series* series = find(recording_, metric)) {
        std::vector<bool> rows = rows_with(recording_, *series);
        for (std::size_t i = 0; i < n; ++i) {
          const auto axis = on_axis.find(recording_.shape[i]);
          rows[i] = rows[i] && !plan_.numbered && axis != on_axis.end() && axis->second;
        }
        add_rows(key_, rows);
      }
    }
    std::set<std::int64_t> of_main_rank;
    for (std::size_t i = 0; i < n; ++i) {
      if (recording_.rank[i] == rank) of_main_rank.insert(recording_.shape[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto axis = on_axis.find(recording_.shape[i]);
      foreign_[i] = axis != on_axis.end() && !axis->second;
      if (key_[i] && recording_.step[i] == kNoStep && !plan_.numbered) key_[i] = false;
      // Another rank's row of a statement that the main rank prints as well.
      if (rank != kNoRank && recording_.rank[i] != rank && recording_.rank[i] != kNoRank &&
          (key_[i] || of_main_rank.contains(recording_.shape[i]))) {
        drop(i, plan_.repeats);
      }
    }
  }

  // A "step" that never changes is something else: a rank, a process id, a constant of the format string.
  bool never_changes(const Series& spine) const {
    constexpr std::int64_t kEnough = 3;
    std::int64_t same = 0;
    std::int64_t first = kNoStep;
    for (std::size_t i = 0; i < spine.size(); ++i) {
      const std::size_t row = spine.row_of(i);
      if (recording_.rank[row] != plan_.rank) continue;
      if (same++ == 0) first = recording_.step[row];
      if (recording_.step[row] != first) return false;
    }
    return same >= kEnough;
  }

  // Every record stands at the end of its epoch, "423/423" under "Epoch 3/100": the epoch counts the records.
  bool ends_epochs(const Series& spine) const {
    double former = -1;
    bool back = false;
    for (std::size_t i = 0; i < spine.size(); ++i) {
      const std::size_t row = spine.row_of(i);
      const auto epoch = epoch_of(row);
      if (!recording_.steps_per_epoch || recording_.step[row] != *recording_.steps_per_epoch) return false;
      if (!epoch || *epoch != std::floor(*epoch) || *epoch == former) return false;
      back = back || (*epoch < former && *epoch > 1);
      former = *epoch;
    }
    return !back;
  }

  // A "step" that goes back as often as forward counts something else, or backwards: no run restarts at every record.
  bool counts_down() const {
    constexpr std::int64_t kEnough = 8;
    std::int64_t back = 0;
    std::int64_t forward = 0;
    std::int64_t last = kNoStep;
    for (std::size_t i = 0; i < recording_.rows(); ++i) {
      if (!key_[i]) continue;
      back += last != kNoStep && recording_.step[i] < last ? 1 : 0;
      forward += last != kNoStep && recording_.step[i] > last ? 1 : 0;
      last = recording_.step[i];
    }
    return back >= kEnough && back > forward;
  }

  void drop(std::size_t row, std::int64_t& counter) {
    plan_.keep[row] = false;
    key_[row] = false;
    ++counter;
  }

  // What counts the records where the step stands still: "iter 46 step 1", "iter 47 step 1". Null unless it rises.
  const Series* micro_steps() const {
    const Series* series = find(recording_, "micro_step");
    for (std::size_t i = 1; series != nullptr && i < series->size(); ++i) {
      if (!(series->value(i) > series->value(i - 1))) return nullptr;
    }
    return series;
  }

  // No step is printed: key rows are numbered from 1, others take the number of the row before. The epoch tells a
  // restart.
  void number_records() {
    const Series* epoch = find(recording_, metric::kEpoch);
    const Series* micro = micro_steps();
    std::size_t at = 0;
    std::size_t micro_at = 0;
    double former = -1;
    std::int64_t number = 0;
    std::vector<RowValues::Cell> former_cells;
    for (std::size_t i = 0; i < recording_.rows(); ++i) {
      if (key_[i]) {
        auto cells = values_.of(i);
        // A console that was written twice: loss, rate and epoch all equal.
        if (cells.size() >= 3 && cells == former_cells && repeats(recording_, cells, former_cells)) {
          drop(i, plan_.repeats);
        } else if (repeats_by_another_statement(i, cells, former_cells)) {
          key_[i] = false;
        } else {
          former_cells = std::move(cells);
        }
      }
      if (key_[i] && epoch != nullptr) {
        while (at < epoch->size() && epoch->row_of(at) < i) ++at;
        if (at < epoch->size() && epoch->row_of(at) == i) {
          // Epochs are printed with two decimals: a fall by more than one unit of the last is no rounding.
          if (epoch->value(at) < former - 0.011) {
            plan_.segment_start.push_back(i);
            number = 0;
          }
          former = epoch->value(at);
        }
      }
      while (micro != nullptr && micro_at < micro->size() && micro->row_of(micro_at) < i) ++micro_at;
      if (key_[i] && micro != nullptr && micro_at < micro->size() && micro->row_of(micro_at) == i) {
        number = static_cast<std::int64_t>(micro->value(micro_at));
      } else if (key_[i] && !plan_.epoch_axis.empty()) {
        number = static_cast<std::int64_t>(*epoch_of(i));
      } else if (key_[i]) {
        ++number;
      }
      plan_.step.push_back(number);
    }
  }

  // A trainer and its callback print the same record, each with a column or two of its own: {'loss': …, 'throughput':
  // …} and {'loss': …, 'grad_norm': …}. What the second brings is kept, on the number of the first.
  bool repeats_by_another_statement(std::size_t row, const std::vector<RowValues::Cell>& cells,
                                    const std::vector<RowValues::Cell>& former) {
    std::vector<std::size_t> told;
    bool same_epoch = false;
    for (const auto& cell : cells) {
      const RowValues::Cell* other = cell_of(former, cell.series);
      if (other == nullptr) continue;
      told.push_back(cell.series);
      same_epoch =
          same_epoch || (recording_.series[cell.series].metric == metric::kEpoch && cell.value == other->value);
    }
    const bool differ = told.size() != cells.size() || told.size() != former.size();
    if (!same_epoch || !differ || !repeats(recording_, cells, former)) return false;
    if (told.size() == cells.size()) {
      drop(row, plan_.repeats);
    } else {
      for (const std::size_t series : told) plan_.repeated_values[series].push_back(row);
    }
    return true;
  }

  // The step of the first key row at or after i whose step is not `step`; nothing at the end.
  std::optional<std::int64_t> next_other_step(std::size_t i, std::int64_t step) const {
    for (const std::size_t end = std::min(recording_.rows(), i + kLookAround); i < end; ++i) {
      if (key_[i] && recording_.step[i] != step) return recording_.step[i];
    }
    return std::nullopt;
  }

  std::optional<double> epoch_of(std::size_t row) const {
    const Series* epoch = find(recording_, metric::kEpoch);
    if (epoch == nullptr) return std::nullopt;
    const std::size_t at = epoch->at_or_after_row(row);
    if (at == epoch->size() || epoch->row_of(at) != row) return std::nullopt;
    return epoch->value(at);
  }

  bool repeats_a_former(std::size_t row, const std::vector<RowValues::Cell>& cells) const {
    for (const auto& [step, former] : memory_) {
      if (step == recording_.step[row] && repeats(recording_, cells, former)) return true;
    }
    return false;
  }

  // Whether a row that repeats one of its step also tells what no row of that step told; then only the rest is dropped.
  bool brings_more(std::size_t row, const std::vector<RowValues::Cell>& cells) {
    std::vector<std::size_t> told;
    for (const auto& cell : cells) {
      const bool known = std::any_of(memory_.begin(), memory_.end(), [&](const auto& former) {
        return former.first == recording_.step[row] && cell_of(former.second, cell.series) != nullptr;
      });
      if (known) told.push_back(cell.series);
    }
    if (told.size() == cells.size()) return false;
    for (const std::size_t series : told) plan_.repeated_values[series].push_back(row);
    return true;
  }

  void remember(std::size_t row, std::vector<RowValues::Cell> cells) {
    if (memory_.size() == kMemory) memory_.pop_front();
    memory_.emplace_back(recording_.step[row], std::move(cells));
  }

  // One pass over the key rows; afterwards the other rows are placed between them.
  void walk() {
    std::vector<std::size_t> starts;
    const std::vector<std::size_t> again = second_starts(recording_, key_);
    std::int64_t last = kNoStep;
    std::size_t last_row = 0;
    for (std::size_t i = 0; i < recording_.rows(); ++i) {
      if (!key_[i]) continue;
      const std::int64_t own = recording_.step[i];
      if (last == kNoStep) first_epoch_ = epoch_of(i);
      auto cells = values_.of(i);
      if (last != kNoStep && own <= last && begins_epoch(i, own, last, last_row)) {
        offsets_.emplace_back(i, offset_of_epoch(i, own, last, last_row));
        plan_.counted_through_epochs = true;
        memory_.clear();
        remember(i, std::move(cells));
        last = own;
        last_row = i;
        continue;
      }
      const bool anew = std::binary_search(again.begin(), again.end(), i);
      if (!anew && last != kNoStep && own <= last && goes_back_for_no_reason(i, own, last, last_row, cells)) continue;
      if (anew || (last != kNoStep && own < last)) {
        starts.push_back(i);
        offsets_.emplace_back(i, offset_of_restart(i));
        memory_.clear();
      }
      remember(i, std::move(cells));
      last = own;
      last_row = i;
    }
    count_through_untold_epochs(starts);
    place_others(starts);
  }

  void count_through_untold_epochs(std::vector<std::size_t>& starts) {
    if (plan_.counted_through_epochs) return;
    const auto length = untold_epoch(recording_, key_, starts);
    if (!length) return;
    offsets_.clear();
    for (std::size_t k = 0; k < starts.size(); ++k) {
      offsets_.emplace_back(starts[k], *length * static_cast<std::int64_t>(k + 1));
    }
    starts.clear();
    plan_.counted_through_epochs = true;
  }

  // A repeat or a straggler: dropped.
  bool goes_back_for_no_reason(std::size_t i, std::int64_t own, std::int64_t last, std::size_t last_row,
                               const std::vector<RowValues::Cell>& cells) {
    if (repeats_a_former(i, cells)) {
      if (own == last && brings_more(i, cells)) return false;
      drop(i, plan_.repeats);
      return true;
    }
    if (own == last) return false;
    const auto next = next_other_step(i + 1, own);
    if (!next || *next <= last || last - own > static_cast<std::int64_t>(kMemory) * stride(last_row)) return false;
    drop(i, plan_.stragglers);
    return true;
  }

  // The step goes back while the epoch goes up: the counter starts again at each epoch. That it stays the same says so
  // only at the two ends of an epoch whose length the file tells: "[0/625]", "938/938".
  bool begins_epoch(std::size_t i, std::int64_t own, std::int64_t last, std::size_t last_row) const {
    const auto epoch = epoch_of(i);
    const auto former = epoch_of(last_row);
    if (!epoch || !former || !(*epoch > *former)) return false;
    return own < last || (recording_.steps_per_epoch && (own == 0 || own == *recording_.steps_per_epoch));
  }

  // Steps before the epoch that begins with row i: by the length of an epoch where it is told ("[50/625]"), else so
  // that the row stands as far behind the last one as rows do.
  std::int64_t offset_of_epoch(std::size_t i, std::int64_t own, std::int64_t last, std::size_t last_row) const {
    const std::int64_t before = offset_at(last_row);
    const std::int64_t length = recording_.steps_per_epoch.value_or(0);
    const double epochs = std::floor(*epoch_of(i)) - std::floor(*epoch_of(last_row));
    if (length >= last && length >= own && epochs >= 1 && epochs < static_cast<double>(kMostEpochs)) {
      return std::min(before + length * static_cast<std::int64_t>(epochs), kGreatestStep);
    }
    return std::min(before + std::max(last, last + stride(last_row) - own), kGreatestStep);
  }

  // A run that starts again in the middle of its epochs goes on where that epoch stood.
  std::int64_t offset_of_restart(std::size_t i) const {
    const auto epoch = epoch_of(i);
    if (!plan_.counted_through_epochs || !epoch || !first_epoch_ || !recording_.steps_per_epoch) return 0;
    const double epochs = std::floor(*epoch) - std::floor(*first_epoch_);
    if (!(epochs > 0 && epochs < static_cast<double>(kMostEpochs))) return 0;
    return std::min(*recording_.steps_per_epoch * static_cast<std::int64_t>(epochs), kGreatestStep);
  }

  // What is added to the printed step of a row, where the counter starts again at each epoch.
  std::int64_t offset_at(std::size_t row) const {
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), row,
                                        [](std::size_t r, const auto& o) { return r < o.first; });
    return after == offsets_.begin() ? 0 : std::prev(after)->second;
  }

  // The distance of steps between records near a row, at least 1: what "a few records late" means.
  std::int64_t stride(std::size_t last_row) const {
    const std::int64_t last = recording_.step[last_row];
    const std::size_t end = last_row > kLookAround ? last_row - kLookAround : 0;
    for (std::size_t i = last_row; i-- > end;) {
      if (key_[i] && recording_.step[i] < last) return last - recording_.step[i];
    }
    return 1;
  }

  void place_others(const std::vector<std::size_t>& starts) {
    const std::size_t n = recording_.rows();
    std::size_t boundary = 0;
    std::size_t next = 0;  // the first key row at or after i
    std::int64_t before = kNoStep;
    bool moved = false;  // rows since the last key row already belong to the segment to come
    for (std::size_t i = 0; i < n; ++i) {
      for (next = std::max(next, i); next < n && !key_[next];) ++next;
      const std::int64_t next_step = next == n ? kNoStep : recording_.step[next] + offset_at(next);
      const bool ends_segment = boundary < starts.size() && next == starts[boundary];
      std::int64_t step = next_step;
      if (next == i) {
        if (ends_segment && !moved) plan_.segment_start.push_back(i);
        boundary += ends_segment ? 1 : 0;
        moved = false;
      } else {
        const std::int64_t own = foreign_[i] ? kNoStep : recording_.step[i];
        if (ends_segment && !moved && own != kNoStep && own < before && own <= next_step) {
          moved = true;
          plan_.segment_start.push_back(i);
          before = kNoStep;
        }
        step = clamp(own, before, ends_segment && !moved ? kNoStep : next_step);
      }
      if (step != kNoStep) before = step;
      plan_.step.push_back(step == kNoStep ? 0 : step);
    }
  }

  static std::int64_t clamp(std::int64_t own, std::int64_t low, std::int64_t high) {
    std::int64_t out = own != kNoStep ? own : low != kNoStep ? low : high;
    if (high != kNoStep) out = std::min(out, high);
    if (low != kNoStep) out = std::max(out, low);
    return out;
  }

  const Recording& recording_;
  RowValues values_;
  RowPlan plan_;
  std::vector<bool> key_;
  std::vector<bool> foreign_;
  std::vector<std::pair<std::size_t, std::int64_t>> offsets_;  // from this row on, this is added to the step
  std::optional<double> first_epoch_;                          // of the first row
  std::deque<std::pair<std::int64_t, std::vector<RowValues::Cell>>> memory_;
};

}  // namespace

RowPlan plan_rows(const Recording& recording) { return Planner(recording).plan(); }

}  // namespace assay
