// Training became slower and stayed so.
//
// A slow device, a node that throttles, a data loader that cannot keep up: the loss looks as ever while every step
// takes longer. What counts is a lasting change of the level, not the record that a checkpoint or an evaluation made
// slow.
//
// Speed is compared in logarithms, so that a drop is the same whatever the unit: for each record the median of up to
// kWindow records before it against the median of as many from it on. The drop has to exceed the spread of the records
// on both sides three times over and to last for `records` records. The first record (compilation, warm caches) is left
// out. Throughput is preferred to step time because a batch that grows makes steps longer and nothing slower; where
// only step times are printed they are divided by the batch size beside them. A sequence length that changes is no
// drop.
//
// An excerpt too short for this is judged by its last two records against a steady first half.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "assay/metric.h"
#include "core/curve.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/rolling.h"

namespace assay {

namespace {

constexpr std::size_t kWindow = 64;
constexpr std::size_t kLeastSide = 8;  // records on each side that make a level
constexpr std::size_t kShort = 24;     // fewer records are an excerpt
constexpr std::size_t kFewest = 4;     // fewer tell nothing
constexpr std::size_t kSmoothing = 4;  // records to each side: a pause of four slow records is no recovery
constexpr double kSpreads = 3;         // sigma of single records
constexpr double kSteady = 0.25;       // of the drop: how quiet an excerpt has to be before it

struct Speed {
  const Series* series = nullptr;
  bool is_time = false;
  std::vector<double> log_rate;
  std::vector<std::size_t> usable;  // values of the series that log_rate was made of; empty when all of them are
  std::size_t index(std::size_t i) const { return usable.empty() ? i : usable[i]; }
};

struct Drop {
  std::size_t segment = 0;
  std::size_t onset = 0;         // into Speed::log_rate
  std::size_t end = 0;           // first record that is fast again, or the size
  double size = 0;               // share of the speed that was lost
  double before = 0, after = 0;  // as printed
  StepRange steps;
  std::int64_t line = 0;
  bool to_the_end = false;
  bool is_excerpt = false;
  std::size_t records() const { return end - onset; }
};

// The batch size beside a row, or 1.
double batch_at(const Series* batch, std::size_t row) {
  if (batch == nullptr) return 1;
  const std::size_t i = batch->at_or_after_row(row);
  return i < batch->size() && batch->row_of(i) == row && batch->value(i) > 0 ? batch->value(i) : 1;
}

Speed speed_of(const Segment& segment) {
  Speed out;
  for (const std::string_view name :
       {metric::kThroughput, metric::kTokensPerSecond, metric::kSamplesPerSecond, metric::kMfu, metric::kStepTime}) {
    const Series* series = segment.find(name);
    if (series == nullptr || series->size() < kFewest || has(series->quirks, Quirk::kRunningMean)) continue;
    out.series = series;
    out.is_time = name == metric::kStepTime;
    break;
  }
  if (out.series == nullptr) return out;
  const Series* batch = out.is_time ? segment.find(metric::kGlobalBatchSize) : nullptr;
  const auto values = out.series->values.span();
  const auto unusable = [](double value) { return !(value > 0) || !std::isfinite(value); };
  const bool all = std::none_of(values.begin(), values.end(), unusable);
  if (all) out.log_rate.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (unusable(values[i])) continue;
    const double rate = out.is_time ? batch_at(batch, out.series->row_of(i)) / values[i] : values[i];
    out.log_rate.push_back(std::log(rate));
    if (!all) out.usable.push_back(i);
  }
  return out;
}

// Whether what a step does changed near a record: then its speed means something else.
bool work_changes(const Segment& segment, std::size_t row) {
  for (const Series& series : segment.series) {
    const bool work = series.metric == metric::kGlobalBatchSize || series.metric.find("seq") != std::string::npos;
    if (!work || series.metric.find("loss") != std::string::npos || series.empty()) continue;
    const std::size_t here = series.at_or_after_row(row);
    const std::size_t from = here > 3 ? here - 3 : 0;
    const std::size_t to = std::min(here + 3, series.size());
    for (std::size_t i = from + 1; i < to; ++i) {
      if (series.value(i) != series.value(i - 1)) return true;
    }
  }
  return false;
}

Drop make_drop(const Speed& speed, std::size_t segment, std::size_t onset, std::size_t end, double before,
               double after) {
  Drop out;
  out.segment = segment;
  out.onset = onset;
  out.end = end;
  out.size = 1 - std::exp(after - before);
  out.to_the_end = end == speed.log_rate.size();
  const std::size_t i = speed.index(onset);
  const std::size_t former = onset > 0 ? speed.index(onset - 1) : i;
  out.line = speed.series->line(i);
  out.steps = {std::min(speed.series->step(former) + 1, speed.series->step(i)), speed.series->step(i)};
  // As printed: medians of the records themselves on both sides.
  const auto level = [&](std::size_t from, std::size_t to) {
    std::vector<double> values;
    for (std::size_t k = from; k < to; ++k) values.push_back(speed.series->value(speed.index(k)));
    return median(values);
  };
  out.before = level(onset > kWindow ? onset - kWindow : 0, onset);
  out.after = level(onset, std::min(end, onset + kWindow));
  return out;
}

// The levels on both sides of a record, the record itself belonging to the second; moves along the series, so that a
// million records need no more memory than two windows.
class Sides {
 public:
  explicit Sides(std::span<const double> values) : values_(values), before_(kWindow), after_(kWindow) {
    for (const double value : values.first(std::min(kWindow, values.size()))) after_.push(value);
  }
  void advance() {
    before_.push(values_[at_]);
    after_.pop_oldest();
    if (at_ + kWindow < values_.size()) after_.push(values_[at_ + kWindow]);
    ++at_;
  }
  double before() const { return before_.median(); }
  double after() const { return after_.median(); }
  /// How far the level falls here, in log; 0 where that is less than `needed` or lost in the spread of single records.
  double fall(double needed) const {
    if (before_.size() < kLeastSide || after_.size() < kLeastSide) return 0;
    const double fall = before() - after();
    if (!(fall >= needed)) return 0;
    return fall >= kSpreads * kMadToSigma * std::max(before_.mad(), after_.mad()) ? fall : 0;
  }

 private:
  std::span<const double> values_;
  RollingMedian before_, after_;
  std::size_t at_ = 0;
};

// A place where the level falls, and the levels there.
struct Step {
  std::size_t at = 0;
  double before = 0, after = 0;
};

// The steepest record of each stretch over which the level falls.
std::vector<Step> downward_steps(std::span<const double> values, double needed) {
  std::vector<Step> out;
  Sides sides(values);
  double deepest = 0;  // of the stretch; 0 outside of one
  for (std::size_t i = 0; i < values.size(); ++i, sides.advance()) {
    const double fall = sides.fall(needed);
    if (fall > deepest) {
      if (deepest == 0) out.emplace_back();
      out.back() = {i, sides.before(), sides.after()};
      deepest = fall;
    } else if (fall == 0) {
      deepest = 0;
    }
  }
  return out;
}

// Median of the records around one: single slow records vanish and a step stays where it is.
double smooth_at(std::span<const double> values, std::size_t i) {
  const std::size_t from = i > kSmoothing ? i - kSmoothing : 0;
  return median(values.subspan(from, std::min(i + kSmoothing + 1, values.size()) - from));
}

std::vector<Drop> long_drops(const Run& run, std::size_t index, const Speed& speed, const Parameters& set) {
  std::vector<Drop> out;
  const std::span<const double> all = std::span(speed.log_rate).subspan(1);  // without the first record
  std::size_t told = 0;                                                      // records before are part of a drop
  for (const Step& step : downward_steps(all, -std::log1p(-set["drop"]))) {
    if (step.at < told) continue;
    const double middle = (step.before + step.after) / 2;
    // The levels of a step are the same over a range of records; its place is where the smoothed speed crosses.
    std::size_t onset = step.at;
    while (onset > 0 && smooth_at(all, onset - 1) < middle) --onset;
    while (onset < all.size() && smooth_at(all, onset) >= middle) ++onset;
    std::size_t end = onset;
    while (end < all.size() && smooth_at(all, end) < middle) ++end;
    if (end < all.size() && static_cast<double>(end - onset) < set["records"]) continue;
    if (end - onset < kLeastSide) continue;
    if (work_changes(run.segments[index], speed.series->row_of(speed.index(onset + 1)))) continue;
    out.push_back(make_drop(speed, index, onset + 1, end + 1, step.before, step.after));
    told = end + 1;
  }
  return out;
}

std::optional<Drop> excerpt_drop(const Run& run, std::size_t index, const Speed& speed, const Parameters& set) {
  const std::vector<double>& y = speed.log_rate;
  const std::size_t n = y.size();
  if (n < kFewest) return std::nullopt;
  const std::span<const double> first_half = std::span(y).first(n / 2);
  const double level = median(first_half);
  const double fall = level - y[n - 1];
  if (fall < -std::log1p(-set["drop"]) || level - y[n - 2] < fall / 2) return std::nullopt;
  for (const double value : first_half) {
    if (std::fabs(value - level) > kSteady * fall) return std::nullopt;
  }
  std::size_t onset = n - 2;
  while (onset > n / 2 && level - y[onset - 1] > fall / 10) --onset;
  if (work_changes(run.segments[index], speed.series->row_of(speed.index(onset)))) return std::nullopt;
  Drop out = make_drop(speed, index, onset, n, level, y[n - 1]);
  out.after = speed.series->value(speed.index(n - 1));
  out.steps.last = speed.series->step(speed.index(n - 1));
  out.is_excerpt = true;
  return out;
}

Severity severity_of(const Drop& drop, std::size_t records, const Parameters& set) {
  const bool lasting = static_cast<double>(drop.records()) >= set["large-share"] * static_cast<double>(records);
  return !drop.is_excerpt && drop.size >= set["large"] && lasting ? Severity::kWarning : Severity::kNote;
}

void report(const Run& run, const std::vector<Drop>& drops, const std::vector<Speed>& speeds, const Parameters& set,
            Findings& out) {
  const auto worst = std::max_element(drops.begin(), drops.end(), [](const Drop& a, const Drop& b) {
    return a.size * static_cast<double>(a.records()) < b.size * static_cast<double>(b.records());
  });
  const Speed& speed = speeds[worst->segment];
  const Unit unit = speed.series->unit;
  Finding finding;
  finding.severity = severity_of(*worst, speed.log_rate.size(), set);
  finding.confidence = worst->is_excerpt ? 0.5 : 0.9;
  finding.impact = static_cast<double>(worst->records()) / static_cast<double>(speed.log_rate.size()) * worst->size;
  finding.message = {
      speed.is_time                          ? "slower"
      : speed.series->metric == metric::kMfu ? "dropped-mfu"
                                             : "dropped",
      {{"drop", Value(100 * worst->size, Unit::kPercent)},
       {"before", Value(worst->before, unit)},
       {"after", Value(worst->after, unit)},
       {"step",
        worst->steps.last == worst->steps.first ? worst->steps.first : speed.series->step(speed.index(worst->onset))}}};
  finding.where = place(run, worst->segment, worst->steps, worst->line);
  for (auto drop = drops.begin(); drop != drops.end(); ++drop) {
    if (drop != worst) finding.also.push_back(place(run, drop->segment, drop->steps, drop->line));
  }
  if (worst->is_excerpt) {
    finding.evidence.push_back({{"excerpt", {{"records", speed.log_rate.size()}}}, {}, {}});
  } else {
    const std::int64_t last = speed.series->step(speed.index(worst->end - 1));
    finding.evidence.push_back({{worst->to_the_end ? "to-the-end" : "until", {{"step", last}}}, {}, {}});
    finding.evidence.push_back(
        {{}, curve_of(*speed.series, 0, speed.series->size(), 60, StepRange{worst->steps.first, last}), {}});
  }
  const auto loss = loss_reaction(run.segments[worst->segment], worst->steps);
  if (loss && !loss->reacts) finding.evidence.push_back({{"loss-quiet", {}}, {}, {}});
  finding.actions.push_back({{"find-slow-node", {{"step", worst->steps.first}}}, ""});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  std::vector<Drop> drops;
  std::vector<Speed> speeds;
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    speeds.push_back(speed_of(run.segments[i]));
    const Speed& speed = speeds.back();
    if (speed.log_rate.size() < kFewest) continue;
    any = true;
    if (speed.log_rate.size() >= kShort) {
      const std::vector<Drop> found = long_drops(run, i, speed, set);
      drops.insert(drops.end(), found.begin(), found.end());
    } else if (const auto found = excerpt_drop(run, i, speed, set)) {
      drops.push_back(*found);
    }
  }
  if (!any) return out.not_applicable("no-speed");
  if (!drops.empty()) report(run, drops, speeds, set, out);
}

}  // namespace

extern const Rule kThroughputDrop;
const Rule kThroughputDrop{
    .name = "throughput-drop",
    .family = "phenomenon",
    .title_en = "training became slower and stayed so",
    .title_zh = "训练速度下降且未恢复",
    .scope = Scope::kRun,
    .severity = Severity::kNote,
    .parameters = {{"drop", "of the speed", 0.05, 0.01, 0.9,
                    "one slow device among many showed as 5 % in a 176B run; less is what a cluster does by itself"},
                   {"records", "records", 20, 8, 100000,
                    "an evaluation, a checkpoint or a neighbour on the network takes a few records; a state lasts"},
                   {"large", "of the speed", 0.3, 0.05, 0.95, "a third of the machine is lost: worth stopping for"},
                   {"large-share", "of the records", 0.1, 0, 1,
                    "a large drop is a warning when it also costs a tenth of the run"}},
    .sentences = {{"dropped", "throughput fell by {drop} at step {step}: {before} -> {after}",
                   "第 {step} 步起吞吐下降 {drop}：{before} -> {after}"},
                  {"dropped-mfu", "MFU fell from {before} to {after} at step {step}: training is slower by {drop}",
                   "第 {step} 步起 MFU 从 {before} 降到 {after}：训练变慢 {drop}"},
                  {"slower", "training slowed down by {drop} at step {step}: {before} -> {after} a step",
                   "第 {step} 步起训练变慢 {drop}：单步耗时 {before} -> {after}"},
                  {"no-speed", "needs throughput or step time in at least four records",
                   "需要至少四条记录带有吞吐或单步耗时"},
                  {"excerpt", "judged on {records} records only", "仅依据 {records} 条记录判断"},
                  {"to-the-end", "it stays so to the end (step {step})", "一直持续到日志结束（第 {step} 步）"},
                  {"until", "it lasts until step {step}", "持续到第 {step} 步"},
                  {"loss-quiet", "the loss does not react: a matter of the machine, not of the model",
                   "loss 没有异动：是机器的问题，不是模型的问题"},
                  {"find-slow-node",
                   "compare step times and clocks of all ranks around step {step} (a throttling or failing device, a "
                   "slow link, the data loader); replace the slow node",
                   "对比第 {step} 步前后各 rank 的单步耗时和频率（降频或故障的卡、慢链路、数据加载），更换变慢的节点"}},
    .docs = {.finds = "A lasting drop of the training speed within a run.",
             .matters = "Everyone waits for the slowest rank: one throttling device takes its share from the whole "
                        "machine, and nothing in the loss shows it.",
             .decides = "The median speed of up to 64 records before a record is compared with that of up to 64 from "
                        "it on. The difference must be at least `drop`, three times the spread of single records, and "
                        "last `records` records or to the end. Batch size or sequence length that change at the place "
                        "explain it away. Fewer than 24 records: the last two are compared with a steady first half.",
             .example = "`throughput fell by 5.4 % at step 42,782: 149.1 TFLOP/s -> 141.1 TFLOP/s`",
             .to_do = "Find the slow rank: step times and clocks per rank, link errors, the data loader's queue.",
             .false_alarms = "A model that changes its work on the way (curriculum, progressive growing, experts that "
                             "become unbalanced) where the log does not print it.",
             .references = "BigScience, chronicles of the 176B model, 2022-04-28: throughput -5 % in one step, a slow "
                           "node, cured by replacing it (public log)."},
    .judge = judge};

}  // namespace assay
