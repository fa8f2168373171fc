// The grad norm is high and stays so: as a level that rose and did not come back, or as a tail that is far too heavy.
//
// Two questions, the worse one first.
//  1. Did the level rise for good? The level is compared with the lowest that the same run had held before, so that no
//     absolute number is needed: a jump that is never taken back, or a slow climb to the end (measure/drift).
//  2. Is it wild? Each norm is divided by the median of its neighbourhood, which removes the long decline of a healthy
//     run; of what is left, the ratio of the 90th and 99th percentile to the median is nearly the same in all healthy
//     runs (1.15 to 1.8 and up to 2.3) and far away in a run whose learning rate is too high (7.9 and 67).
// How the level lies to the clip threshold is for clip-always-active and clip-never-active to say.

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/departures.h"
#include "measure/drift.h"
#include "measure/scaler.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/changepoint.h"
#include "stat/quantile.h"
#include "stat/rolling.h"

namespace assay {

namespace {

constexpr std::size_t kNeighbourhood = 32;  // records to each side
constexpr std::size_t kFewest = 5;          // records from which a median of norms means anything
constexpr double kSpread = 0.5;             // of the records: what happens within a shorter stretch is an event
constexpr std::size_t kApart = 10;          // records between two events; one event alone is no tail
constexpr std::size_t kForTail = 100;       // records from which a 99th percentile does
constexpr double kWarmUp = 0.1;             // of the records: norms at the start of training are high in every run

enum class Kind : std::uint8_t { kHeavyTail, kRisen };

struct High {
  std::size_t segment = 0;
  Kind kind = Kind::kHeavyTail;
  Severity severity = Severity::kNote;
  StepRange steps;
  std::int64_t line = 0;
  Values values;
  double confidence = 0.7;
  double impact = 0.1;
  std::optional<LossReaction> loss;
  bool to_the_end = true;
};

bool is_norm(double value) { return value > 0 && std::isfinite(value); }

// Logarithms of the finite positive norms. Places count these; a series hardly ever has others.
struct Norms {
  const Series* series = nullptr;
  std::vector<double> logs;

  // Index in the series of the norm `i`.
  std::size_t index(std::size_t i) const {
    if (logs.size() == series->size()) return i;
    std::size_t at = 0;
    for (;; ++at) {
      if (is_norm(series->value(at)) && i-- == 0) return at;
    }
  }
  // How many norms lie before an index of the series.
  std::size_t before(std::size_t at) const {
    if (logs.size() == series->size()) return at;
    const auto begin = series->values.span().first(at);
    return static_cast<std::size_t>(std::count_if(begin.begin(), begin.end(), is_norm));
  }
};

Norms norms_of(const Series& series) {
  Norms out{&series, {}};
  out.logs.reserve(series.size());
  for (const double value : series.values.span()) {
    if (is_norm(value)) out.logs.push_back(std::log(value));
  }
  return out;
}

struct Rise {
  std::size_t from = 0;  // into Norms
  std::size_t to = 0;
  double level = 0, now = 0;
  double ratio() const { return now / level; }
};

// A level that rose by `ratio` and stayed for `share` of the records, or to the end. from_start: the log holds the
// first records of training, whose norms may not be its own yet; they are no level to rise from.
std::optional<Rise> find_rise(const Norms& norms, const Parameters& set, bool from_start) {
  const std::size_t n = norms.logs.size();
  std::optional<Rise> best;
  const auto longest = [&](const Rise& one) {
    if (one.ratio() >= set["ratio"] && (!best || one.to - one.from > best->to - best->from)) best = one;
  };
  DepartureOptions jumps;
  jumps.compare = Compare::kRatio;
  jumps.sigmas = 10;
  jumps.mad_floor = 0.05;
  jumps.rise = set["ratio"] - 1;
  jumps.back = 1;
  jumps.absolute_rise = 9;
  for (const Departure& d : find_departures(norms.series->values.span(), jumps)) {
    const auto wanted = std::max(set["records"], set["share"] * static_cast<double>(n));
    const std::size_t from = norms.before(d.onset);
    const std::size_t to = norms.before(d.last);
    if (static_cast<double>(to - from + 1) < wanted || d.before_count < kFewest || (d.absolute && from_start)) continue;
    const double now = std::exp(median(std::span(norms.logs).subspan(from, to - from + 1)));
    longest({from, to, d.level, now});
  }
  const auto drift = find_drift(norms.logs, {.rise = 0});
  if (!drift || drift->coming_back) return best;
  // A level wanders; it has been left for good where the norm was last below twice of it.
  const auto left = last_departure(norms.logs, drift->level + std::log(2.0));
  if (left && static_cast<double>(n - *left) >= set["records"] && !(from_start && *left < jumps.least)) {
    longest({*left, n - 1, std::exp(drift->level), std::exp(drift->end)});
  }
  return best;
}

struct Tail {
  double p90 = 0, p99 = 0;
  std::size_t events = 0;  // groups of records that lie apart above `far`
  double spread = 0;       // share of the records from the first above `high` to the last
};

std::optional<Tail> tail_of(const Norms& norms, double high, double far) {
  const std::size_t skip = static_cast<std::size_t>(kWarmUp * static_cast<double>(norms.logs.size()));
  const std::span<const double> logs = std::span(norms.logs).subspan(skip);
  if (logs.size() < kForTail) return std::nullopt;
  std::vector<double> rest = running_median(logs, kNeighbourhood);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = logs[i] - rest[i];
  const std::vector<double> q = quantiles(rest, std::array{0.5, 0.9, 0.99});
  Tail out{std::exp(q[1] - q[0]), std::exp(q[2] - q[0]), 0};
  std::size_t last = 0;
  std::optional<std::size_t> first_high;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] - q[0] < std::log(high)) continue;
    if (!first_high) first_high = i;
    out.spread = static_cast<double>(i + 1 - *first_high) / static_cast<double>(rest.size());
    if (rest[i] - q[0] < std::log(far)) continue;
    if (out.events == 0 || i - last > kApart) ++out.events;
    last = i;
  }
  return out;
}

void set_place(const Series& series, const Norms& norms, std::size_t from, std::size_t to, High& out) {
  out.steps = {series.step(norms.index(from)), series.step(norms.index(to))};
  out.line = series.line(norms.index(from));
}

std::optional<High> judge_segment(const Run& run, std::size_t index, const Parameters& set) {
  const Segment& segment = run.segments[index];
  const Series* series = segment.find(metric::kGradNorm);
  if (series == nullptr) return std::nullopt;
  const Norms norms = norms_of(*series);
  const std::size_t n = norms.logs.size();
  if (n < kFewest) return std::nullopt;
  if (const auto rise = find_rise(norms, set, begins_at_start(run, index))) {
    High out{index, Kind::kRisen};
    set_place(*series, norms, rise->from, rise->to, out);
    out.to_the_end = rise->to + 1 == n;
    out.loss = loss_reaction(segment, out.steps);
    const bool grave = rise->ratio() >= set["ratio-alone"] || (out.loss && out.loss->reacts);
    out.severity = grave ? Severity::kWarning : Severity::kNote;
    out.confidence = 0.85;
    out.impact = static_cast<double>(rise->to - rise->from + 1) / static_cast<double>(n);
    out.values = {{"level", rise->level},
                  {"now", rise->now},
                  {"ratio", Value(rise->ratio(), Unit::kTimes)},
                  {"step", out.steps.first},
                  {"steps", out.steps}};
    return out;
  }
  const auto tail = tail_of(norms, set["p90"], set["p99"]);
  const bool wild = tail && tail->p90 >= set["p90"] && tail->spread >= kSpread;
  if (tail && (wild || (tail->p99 >= set["p99"] && tail->events >= kFewest))) {
    High out{index, Kind::kHeavyTail};
    set_place(*series, norms, 0, n - 1, out);
    out.severity = wild ? Severity::kWarning : Severity::kNote;
    out.impact = 0.5;
    out.values = {{"p90", tail->p90}, {"p99", tail->p99}};
    return out;
  }
  return std::nullopt;
}

std::string key_of(const High& high) {
  if (high.kind == Kind::kHeavyTail) return "heavy-tail";
  return high.to_the_end ? "risen" : "risen-for-a-time";
}

void add_actions(const Run& run, const High& worst, Finding& finding) {
  const Series& series = *run.segments[worst.segment].find(metric::kGradNorm);
  if (worst.kind == Kind::kRisen && worst.severity != Severity::kNote) {
    finding.actions.push_back(resume_before(run, worst.segment, worst.steps.first));
  }
  if (worst.severity != Severity::kNote) finding.actions.push_back({{"lower-rate", {}}, "", ActionRole::kLearningRate});
  if (worst.kind == Kind::kHeavyTail) {
    finding.actions.push_back(set_clip(run, "clip-at", "clip", quantile(series.values.span(), 0.9)));
  }
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  std::vector<High> all;
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* norm = run.segments[i].find(metric::kGradNorm);
    any = any || (norm != nullptr && norm->size() >= kFewest);
    if (auto high = judge_segment(run, i, set)) all.push_back(std::move(*high));
  }
  if (!any) return out.not_applicable("no-norm");
  if (all.empty()) return;
  const auto worst = std::max_element(all.begin(), all.end(), [](const High& a, const High& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    return a.kind != b.kind ? a.kind < b.kind : a.impact < b.impact;
  });
  Finding finding;
  finding.severity = worst->severity;
  finding.confidence = worst->confidence;
  finding.impact = worst->impact;
  finding.message = {key_of(*worst), worst->values};
  finding.where = place(run, worst->segment, worst->steps, worst->line);
  for (const High& high : all) {
    if (&high != &*worst) finding.also.push_back(place(run, high.segment, high.steps, high.line));
  }
  const Series& series = *run.segments[worst->segment].find(metric::kGradNorm);
  if (worst->severity != Severity::kNote && series.size() > 8) {
    finding.evidence.push_back({{}, curve_of(series, 0, series.size(), 60, worst->steps), {}});
  }
  if (worst->loss) {
    finding.evidence.push_back({{worst->loss->reacts ? "loss-reacts" : "loss-quiet",
                                 {{"before", worst->loss->before}, {"peak", worst->loss->peak}}},
                                {},
                                {}});
  }
  add_actions(run, *worst, finding);
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kGradNormHigh;
const Rule kGradNormHigh{
    .name = "grad-norm-high",
    .family = "phenomenon",
    .title_en = "the grad norm is high and stays so",
    .title_zh = "梯度范数持续偏高",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters = {{"ratio", "of the lowest level", 5, 2, 1e6,
                    "norms of healthy runs grow by a factor of two or three late in training; five is no part of that"},
                   {"ratio-alone", "of the lowest level", 10, 2, 1e6,
                    "a factor that is a warning even when the loss is quiet"},
                   {"share", "of the records", 0.2, 0.01, 1, "a level, not an event: at least a fifth of the run"},
                   {"records", "records", 20, 5, 1e6, "fewer records are a spike"},
                   {"p90", "of the median", 4, 1.5, 1000,
                    "healthy runs have 1.15 to 1.8, a run with its learning rate too high 7.9; the limit lies between, "
                    "at twice the worst healthy one"},
                   {"p99", "of the median", 12, 2, 1e6,
                    "healthy runs have up to 2.3, the sick one 67; alone it is a note"}},
    .sentences = with_loss_sentences(
        {{"risen", "grad norm rose from {level} to {now} (about {ratio} times) from step {step} on and stayed",
          "从第 {step} 步起梯度范数从 {level} 升到 {now}（约 {ratio} 倍）并一直停留在高位"},
         {"risen-for-a-time",
          "grad norm rose from {level} to {now} (about {ratio} times) and came back only after steps {steps}",
          "第 {steps} 步梯度范数从 {level} 升到 {now}（约 {ratio} 倍），此后才回落"},
         {"heavy-tail",
          "grad norm swings wildly: one record in ten above {p90} times the median around it, one in a hundred above "
          "{p99} times (healthy: 1.8 and 2.3)",
          "梯度范数剧烈波动：十分之一的记录超过局部中位数的 {p90} 倍，百分之一超过 {p99} 倍（正常为 1.8 和 2.3）"},
         {"no-norm", "needs a grad norm in at least five records", "需要至少五条记录带有梯度范数"},
         {"loss-reacts", "the loss reacts: {before} before, up to {peak}", "loss 随之变化：之前 {before}，最高 {peak}"},
         {"loss-quiet", "the loss does not react: {before} before, at most {peak}",
          "loss 没有变化：之前 {before}，最高 {peak}"},
         {"lower-rate",
          "lower the learning rate (a half to begin with); a clip threshold alone only hides a rate that is too high",
          "降低学习率（可先减半）；学习率过高时，只调裁剪阈值是治标不治本"},
         {"clip-at", "clip at {clip}, the 90th percentile of the norms of this run",
          "把梯度裁剪阈值设为 {clip}（本次训练范数的 90% 分位数）"}}),
    .docs = {.finds = "A grad norm whose level rose and stayed, and one with far too heavy a tail.",
             .matters = "A norm that grows for good says that the run is leaving the region where its learning rate is "
                        "small enough; a norm that swings says that it never was there.",
             .decides =
                 "First the level: a jump of at least `ratio` that lasts for `share` of the records, or a climb to the "
                 "end by as much, is a warning at `ratio-alone` or when the loss reacts, else a note. Then the tail, "
                 "after division by the median of 65 records around each: `p90` is a warning where the high records "
                 "are spread over half of the run, `p99` alone a note. The first tenth of the records is left out of "
                 "the tail.",
             .example = "`grad norm rose from 1.5 to 41,200 (about 27,000 times) from step 7,300 on and stayed`",
             .to_do = "Lower the learning rate, or warm up longer; resume from before the rise.",
             .false_alarms = "Norms printed as a sum over micro-batches or still multiplied by something.",
             .references = "MLCommons AlgoPerf submissions (public logs of healthy and sick runs)."},
    .judge = judge};

}  // namespace assay
