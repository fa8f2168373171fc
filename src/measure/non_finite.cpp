// NaN: which came first, was it skipped, and what announced it.
//
// A NaN in the weights never goes away: every later loss is NaN. So a series that is finite again shows that the
// weights were spared, and one that is not tells, by its first NaN, the last good step. Under dynamic loss scaling an
// infinite gradient is a routine: the step is skipped and the scale halved. Whether that is so is asked of the skip
// history (messages, counters, halvings), not guessed from the format.
//
// Hidden losses. Some logs do not print what is not finite:
// - Megatron-LM (until 2026-03) prints a loss only when its mean is greater than zero, which NaN is not. The same line
//   lacks the loss when every step since the last one was skipped; that shows in the skip history.
// - Writers of tables leave the cell empty.
// - A logging filter replaces NaN by the mean of the other losses since the last record: with one step a record that is
//   0.0. A grad norm that is not finite beside it gives it away; a loss of 0.0 with a finite grad norm is the normal
//   state of policy optimisation. Where the log has no grad norm, a loss that is exactly 0.0 in every record to the end
//   tells it, if it fell there from far above what four decimals round to 0, or was there from the first record.
// A loss is missing when its companions are there: metrics that stood in at least 90 % of the records with the loss,
// and that hardly ever (10 %) came without it while the loss was still printed. A line may also be cut (an excerpt that
// ends, a console that wraps), and then everything behind the cut is missing: a single record tells something only if
// it goes on beyond the place of the loss, to a metric that is printed after the loss or to the one that closes the
// records. In a record that is cut by the end of the file only companions that are printed after the loss count.
// Without the knowledge that a framework omits NaN, three records are asked for: a last line without a loss is what
// many trainers end with. Where the first record alone has a loss, only companions that belong to training count (the
// learning rate, the grad norm).
//
// Precursors: a grad norm that grows 10,000-fold, or stands ten times above its level in the last three records and
// more, or a loss that grows threefold within two records is an optimizer that exploded. A NaN out of a clean line is
// something else: overflow in the forward pass, a kernel, a batch without labels, an evaluation that left a switch
// behind.

#include "measure/non_finite.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "assay/metric.h"
#include "measure/order.h"
#include "stat/quantile.h"

namespace assay {
namespace {

constexpr double kCompanion = 0.9;
constexpr std::size_t kRecordsToInfer = 3;
constexpr std::size_t kLookBack = 50;
constexpr double kNormGrowth = 1e4;
constexpr double kFarAbove = 10;  // times the level: no norm of a healthy run
constexpr std::ptrdiff_t kRecordsOfClimb = 3;
constexpr double kFarFromZero = 0.1;  // a thousand times the last printed digit: nobody learns that in one interval
constexpr double kLossGrowth = 3;
constexpr std::int64_t kFirstSteps = 3;

// Was a step within (after, until] skipped?
bool skipped_within(const SkipHistory& skips, std::int64_t after, std::int64_t until) {
  const auto next = std::lower_bound(skips.stretches.begin(), skips.stretches.end(), after + 1,
                                     [](const SkipStretch& one, std::int64_t step) { return one.steps.last < step; });
  return next != skips.stretches.end() && next->steps.first <= until;
}

std::vector<bool> rows_of(const Series& series, std::size_t rows) {
  std::vector<bool> has(rows, false);
  for (std::size_t i = 0; i < series.size(); ++i) has[series.row_of(i)] = true;
  return has;
}

bool has_row(const Series& series, std::size_t row) {
  const std::size_t i = series.at_or_after_row(row);
  return i < series.size() && series.row_of(i) == row;
}

bool belongs_to_training(std::string_view name) {
  return name == metric::kLearningRate || name == metric::kGradNorm || name == metric::kLossScale ||
         name == metric::kConsumedSamples || name == metric::kConsumedTokens || name == metric::kGlobalBatchSize;
}

class HiddenFinder {
 public:
  HiddenFinder(const Run& run, std::size_t index, const Series& loss, const SkipHistory& skips)
      : run_(run),
        segment_(run.segments[index]),
        index_(index),
        loss_(loss),
        skips_(skips),
        rows_(segment_.rows->size()) {}

  std::vector<HiddenLoss> omissions() {
    std::vector<HiddenLoss> out;
    if (loss_.empty() || (only_first() && (loss_.metric != metric::kLoss || loss_.row_of(0) != 0))) return out;
    has_loss_ = rows_of(loss_, rows_);
    find_companions();
    if (companions_.empty()) return out;
    std::size_t begin = rows_;
    std::size_t last = rows_;
    std::size_t count = 0;
    bool whole = false;
    for (std::size_t row = loss_.row_of(0) + 1; row <= rows_; ++row) {
      const bool end = row == rows_ || has_loss_[row];
      if (!end && misses_loss(row)) {
        if (count++ == 0) begin = row;
        last = row;
        whole = whole || goes_on_behind_loss(row);
      }
      if (end && count > 0) {
        if (whole || count >= kRecordsToInfer) add(out, begin, last, count, row == rows_);
        count = 0;
        whole = false;
      }
    }
    return out;
  }

 private:
  struct Companion {
    const Series* series;
    std::vector<bool> has;
    bool printed_after = false;
    bool of_training = false;
  };

  // NaN from the second record on: a single loss shows little of its company, so only what belongs to training counts.
  bool only_first() const { return loss_.size() == 1; }

  bool explained(std::size_t row) const {
    const std::int64_t step = segment_.rows->step[row];
    const std::int64_t before = row > 0 ? segment_.rows->step[row - 1] : step - 1;
    return skipped_within(skips_, std::min(before, step - 1), step);
  }

  void find_companions() {
    const std::size_t until = loss_.row_of(loss_.size() - 1);
    bool after_loss = false;
    for (const Series& series : segment_.series) {
      if (&series == &loss_) after_loss = true;
      if (&series == &loss_ || series.metric == metric::kEpoch || series.size() < 2) continue;
      std::vector<bool> has = rows_of(series, rows_);
      std::size_t both = 0;
      std::size_t alone = 0;
      for (std::size_t row = 0; row <= until; ++row) {
        if (has[row] && has_loss_[row]) ++both;
        if (has[row] && !has_loss_[row] && !explained(row)) ++alone;
      }
      const auto n = static_cast<double>(loss_.size());
      if (static_cast<double>(both) < kCompanion * n) continue;
      if (static_cast<double>(both) < kCompanion * static_cast<double>(both + alone)) continue;
      companions_.push_back({&series, std::move(has), after_loss, belongs_to_training(series.metric)});
    }
  }

  bool misses_loss(std::size_t row) const {
    const bool cut = run_.truncated && row + 1 == rows_ && index_ + 1 == run_.segments.size();
    std::size_t there = 0;
    bool trains = false;
    for (const Companion& one : companions_) {
      if (!one.has[row] || (cut && !one.printed_after)) continue;
      ++there;
      trains = trains || one.of_training;
    }
    if (there == 0 || explained(row) || (only_first() && !trains)) return false;
    // A record that shares few metrics with those of the loss was printed by another statement, unless what it shares
    // belongs to training: after a NaN often only the learning rate has a value left.
    return trains || 2 * there >= companions_.size();
  }

  // Metrics stand in the order of their first appearance: behind the loss are those printed after it, and the last one
  // of the first record closes all records, also where that record had no loss (a skipped step).
  bool goes_on_behind_loss(std::size_t row) const {
    const Series* closing = nullptr;
    bool behind = false;
    for (const Series& series : segment_.series) {
      if (behind && has_row(series, row)) return true;
      behind = behind || &series == &loss_;
      if (has_row(series, 0)) closing = &series;
    }
    return closing != nullptr && closing != &loss_ && has_row(*closing, row);
  }

  // A loss under another name takes over: a second phase of the training, not a NaN.
  bool replaced(std::size_t from) const {
    for (const Series& series : segment_.series) {
      if (&series == &loss_ || series.empty() || series.printed_as.find("loss") == std::string::npos) continue;
      if (series.metric == metric::kLossScale || series.row_of(0) < from) continue;
      if (std::isfinite(series.value(0))) return true;
    }
    return false;
  }

  void add(std::vector<HiddenLoss>& out, std::size_t begin, std::size_t last, std::size_t count,
           bool to_the_end) const {
    const bool known = has(loss_.quirks, Quirk::kOmittedUnlessPositive);
    if (!known && (!to_the_end || count < kRecordsToInfer)) return;
    if (!known && replaced(begin)) return;
    HiddenLoss hidden;
    hidden.metric = loss_.metric;
    hidden.first_row = begin;
    hidden.last_row = last;
    hidden.records = count;
    hidden.before = loss_.at_or_after_row(begin);
    hidden.to_the_end = to_the_end;
    hidden.printed_if_positive = known;
    for (const Companion& one : companions_) {
      if (one.has[begin] && hidden.companions.size() < 4) hidden.companions.push_back(one.series->printed_as);
      if (one.series->metric == metric::kGradNorm && !one.has[begin]) hidden.norm_too = true;
    }
    const Series* norm = segment_.find(metric::kGradNorm);
    if (norm != nullptr) {
      const std::size_t i = norm->at_or_after_row(begin);
      if (i < norm->size() && norm->row_of(i) == begin && !std::isfinite(norm->value(i))) hidden.norm_too = true;
    }
    out.push_back(std::move(hidden));
  }

  const Run& run_;
  const Segment& segment_;
  std::size_t index_;
  const Series& loss_;
  const SkipHistory& skips_;
  std::size_t rows_;
  std::vector<bool> has_loss_;
  std::vector<Companion> companions_;
};

// 0.0 beside a grad norm that is not finite.
std::optional<HiddenLoss> zeros(const Segment& segment, const Series& loss) {
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr) return std::nullopt;
  std::optional<HiddenLoss> out;
  bool came_back = false;
  for (std::size_t i = 0; i < loss.size(); ++i) {
    const std::size_t row = loss.row_of(i);
    const std::size_t k = loss.value(i) == 0 ? norm->at_or_after_row(row) : norm->size();
    const bool hidden = k < norm->size() && norm->row_of(k) == row && !std::isfinite(norm->value(k));
    if (!hidden) {
      came_back = came_back || (out && loss.value(i) != 0);
      continue;
    }
    if (!out) {
      out.emplace();
      out->by = HiddenBy::kZero;
      out->metric = loss.metric;
      out->first_row = row;
      out->before = i;
      out->norm_too = true;
      out->companions = {norm->printed_as};
    }
    out->last_row = row;
    ++out->records;
  }
  if (out) out->to_the_end = !came_back;
  return out;
}

// Index from which on all values up to the first that is not finite lie above the limit, where these are three or more:
// then the norm was on its way up. Else the number of values.
std::size_t climb_before(std::span<const double> values, double limit) {
  const auto finite = [](double x) { return std::isfinite(x); };
  const auto end = std::find_if_not(values.begin(), values.end(), finite);
  auto begin = end;
  while (begin != values.begin() && *(begin - 1) >= limit) --begin;
  return end - begin >= kRecordsOfClimb ? static_cast<std::size_t>(begin - values.begin()) : values.size();
}

// Exactly 0.0 to the end, in a log that prints no grad norm.
std::optional<HiddenLoss> zeros_to_the_end(const Segment& segment, const Series& loss) {
  if (!has(loss.quirks, Quirk::kNanHiddenAsZero) || segment.find(metric::kGradNorm) != nullptr) return std::nullopt;
  const auto values = loss.values.span();
  std::size_t begin = values.size();
  while (begin > 0 && values[begin - 1] == 0) --begin;
  const std::size_t count = values.size() - begin;
  if (count < (begin > 0 ? kRecordsToInfer : 2)) return std::nullopt;
  if (begin > 0 && !(values[begin - 1] >= kFarFromZero)) return std::nullopt;
  HiddenLoss out;
  out.by = begin > 0 ? HiddenBy::kZeroFromThere : HiddenBy::kZeroAlways;
  out.metric = loss.metric;
  out.first_row = loss.row_of(begin);
  out.last_row = loss.row_of(values.size() - 1);
  out.records = count;
  out.before = begin;
  out.to_the_end = true;
  return out;
}

Precursors of_norm(const Segment& segment, std::size_t row) {
  Precursors out;
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr) return out;
  std::size_t end = norm->at_or_after_row(row);
  if (end < norm->size() && norm->row_of(end) == row) ++end;  // the record of the NaN counts: its gradient came before
  const std::size_t from = end > kLookBack ? end - kLookBack : 0;
  const auto values = norm->values.span().subspan(from, end - from);
  const double level = quantile(values, 0.25);
  if (!(level > 0)) return out;
  const std::size_t climb = climb_before(values, kFarAbove * level);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool exploded = !std::isfinite(values[i]) ? norm->row_of(from + i) < row : values[i] >= kNormGrowth * level;
    if (!exploded && i < climb) continue;
    // Where it left its level: back over the records that are ten times above it.
    std::size_t begin = i;
    while (begin > 0 && values[begin - 1] >= kFarAbove * level) --begin;
    out.kind = Precursor::kNormGrew;
    out.before = level;
    out.peak = *std::max_element(values.begin() + static_cast<std::ptrdiff_t>(i), values.end(),
                                 [](double a, double b) { return !std::isnan(b) && (std::isnan(a) || a < b); });
    out.step = norm->step(from + begin);
    out.records = end - (from + begin);
    return out;
  }
  return out;
}

Precursors of_loss(const Segment& segment, std::size_t row) {
  Precursors out;
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr) return out;
  const std::size_t end = loss->at_or_after_row(row);
  if (end < 2) return out;
  const auto values = loss->values.span().first(end);
  for (std::size_t back = 1; back <= 2 && back < end; ++back) {
    const std::size_t from = end - back;
    const std::size_t begin = from > kLookBack ? from - kLookBack : 0;
    const double level = median(values.subspan(begin, from - begin));
    if (!(level > 0) || !(values[end - 1] >= kLossGrowth * level)) continue;
    out = {Precursor::kLossGrew, level, values[end - 1], loss->step(from), back};
  }
  return out;
}

}  // namespace

std::optional<NonFinite> non_finite_values(const Series& series, const SkipHistory& skips) {
  const auto values = series.values.span();
  std::size_t last_finite = values.size();
  for (std::size_t i = values.size(); i-- > 0;) {
    if (std::isfinite(values[i])) {
      last_finite = i;
      break;
    }
  }
  NonFinite out;
  std::size_t row = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) {
      row = 0;
      continue;
    }
    const std::int64_t before = i > 0 ? series.step(i - 1) : series.step(i) - 1;
    const bool goes_on = last_finite < values.size() && last_finite > i;
    if (goes_on && skipped_within(skips, std::min(before, series.step(i) - 1), series.step(i))) {
      if (out.skipped++ == 0) out.first_skipped = i;
      row = 0;
      continue;
    }
    if (out.count++ == 0) {
      out.first = i;
      out.is_nan = std::isnan(values[i]);
    }
    out.last = i;
    out.longest = std::max(out.longest, ++row);
  }
  if (out.count + out.skipped == 0) return std::nullopt;
  if (out.count > 0) {
    out.to_the_end = last_finite == values.size() || last_finite < out.first;
    out.from_the_start = std::none_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(out.first),
                                      [](double x) { return std::isfinite(x); });
  }
  return out;
}

std::vector<HiddenLoss> hidden_losses(const Run& run, std::size_t index, const SkipHistory& skips) {
  const Segment& segment = run.segments[index];
  std::vector<HiddenLoss> out;
  for (const std::string_view name : {metric::kLoss, metric::kEvalLoss}) {
    const Series* loss = segment.find(name);
    if (loss == nullptr || loss->empty()) continue;
    auto found = HiddenFinder(run, index, *loss, skips).omissions();
    out.insert(out.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    if (name != metric::kLoss) continue;
    if (auto hidden = zeros(segment, *loss)) out.push_back(std::move(*hidden));
    if (auto hidden = zeros_to_the_end(segment, *loss)) out.push_back(std::move(*hidden));
  }
  return out;
}

Precursors precursors_of(const Run& run, std::size_t index, std::size_t row) {
  const Segment& segment = run.segments[index];
  Precursors out = of_norm(segment, row);
  if (out.kind == Precursor::kNone) out = of_loss(segment, row);
  if (out.kind != Precursor::kNone) return out;
  out.step = segment.rows->step[row];
  if (row < 2 && out.step <= kFirstSteps) {
    out.kind = Precursor::kFirstSteps;
    return out;
  }
  const bool event = std::any_of(run.events.begin(), run.events.end(), [&](const Event& one) {
    const bool kind = one.kind == EventKind::kCheckpointSaved || one.kind == EventKind::kCheckpointLoaded;
    return kind && stands_before(one, index, row, segment) &&
           (row == 0 || !stands_before(one, index, row - 1, segment)) &&
           (row == 0 || one.line != segment.rows->line[row - 1]);
  });
  const Series* eval = segment.find(metric::kEvalLoss);
  const std::size_t i = eval != nullptr ? eval->at_or_after_row(row) : 0;
  // Where every record has its evaluation, that one stands before a NaN says nothing.
  const bool rare = eval != nullptr && 2 * eval->size() <= segment.rows->size();
  const bool evaluated = rare && i > 0 && row > 0 && eval->row_of(i - 1) + 1 >= row;
  if (event || evaluated) out.kind = Precursor::kEvaluation;
  return out;
}

}  // namespace assay
