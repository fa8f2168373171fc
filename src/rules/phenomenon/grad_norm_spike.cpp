// The grad norm jumps.
//
// The gradient knows first: in the public logs of large runs its norm rises one to five records before the loss does.
// But norms are heavy-tailed, and a single record of five times the median is everyday life in a healthy run. So the
// rise is measured in logarithms, against a robust spread with a floor (logs print two or three decimals, which makes
// the spread of a quiet norm 0), and what it means depends on what follows: a single record that the loss does not
// notice, or answers in the same record and forgets, is a note; a rise that persists, or from which the loss does not
// come back at once, is a warning.
//
// Non-finite norms are not judged here; they are skipped.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/departures.h"
#include "measure/scaler.h"
#include "rules/actions.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/trend.h"

namespace assay {

namespace {

constexpr double kClearRise = 0.5;   // of the level
constexpr std::size_t kBefore = 16;  // records in which the loss may have risen before
constexpr double kAlready = 0.1;     // of the loss: as what counts as a reaction
constexpr std::int64_t kSkip = 200;  // batches: of a norm that stays high nobody knows when its data end
constexpr std::size_t kShort = 32;   // records up to which a whole event is its place; of a longer one the acute part

struct Spike {
  std::size_t segment = 0;
  Departure shape;
  StepRange steps;
  std::int64_t line = 0;
  std::size_t above = 0;  // records above the level
  std::optional<LossReaction> loss;
  bool loud = false;
  double ratio() const { return shape.peak_value / shape.level; }
};

std::size_t acute_end(const Departure& d) {
  if (!d.regained) return std::max(d.alarm, std::min(d.half_last, d.onset + kShort));
  return d.records() <= kShort ? d.last : d.half_last;
}

std::size_t records_above(const Series& norm, const Departure& d) {
  std::size_t count = 0;
  for (std::size_t i = d.onset; i <= d.last; ++i) count += norm.value(i) > d.edge ? 1U : 0U;
  return count;
}

std::vector<Spike> find_spikes(const Run& run, std::size_t index, const Parameters& set) {
  std::vector<Spike> out;
  const Segment& segment = run.segments[index];
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm == nullptr) return out;
  DepartureOptions options;
  options.compare = Compare::kRatio;
  options.sigmas = set["sigmas"];
  options.mad_floor = set["floor"];
  options.rise = set["ratio"] - 1;
  options.back = 1;  // twice the level: half of the records of a healthy norm lie within a factor of 1.5
  options.absolute_rise = set["ratio-short"] - 1;
  options.absolute_noise = 2;  // two records before make one difference, which is then the noise
  for (const Departure& d : find_departures(norm->values.span(), options)) {
    Spike spike{index, d, {norm->step(d.onset), norm->step(acute_end(d))}, norm->line(d.onset), 0, {}, false};
    spike.above = records_above(*norm, d);
    spike.loss = loss_reaction(segment, spike.steps);
    // Training may begin with norms that are not yet its own (adapters that start at zero, a warm-up from nothing): a
    // rise out of the first few records that stays, while the loss does not mind, is the start.
    if (d.absolute && !d.regained && begins_at_start(run, index) && !(spike.loss && spike.loss->reacts)) continue;
    const bool lasting = !d.regained || (spike.loss && spike.loss->lasting);
    spike.loud = static_cast<double>(spike.above) >= set["records"] || (lasting && spike.loss && spike.loss->reacts);
    out.push_back(spike);
  }
  return out;
}

// Step at which the loss first answers: halfway up to its peak, or a quarter above its level where the peak is far.
std::optional<std::int64_t> loss_follows(const Segment& segment, const Spike& spike) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr || !spike.loss || !spike.loss->reacts) return std::nullopt;
  const double rise = std::min(spike.loss->peak - spike.loss->before, kClearRise * std::fabs(spike.loss->before));
  const double clear = spike.loss->before + rise / 2;
  for (std::size_t i = loss->at_or_after_step(spike.steps.first); i < loss->size(); ++i) {
    if (loss->value(i) >= clear) return loss->step(i);
  }
  return std::nullopt;
}

// The loss was up before the norm: of the records before the event the first ones lie as far below the rest as a
// reaction would. (Skipped steps repeat the former norm, so that it rises records after the loss did.)
struct EarlierRise {
  double from = 0, to = 0;
};
std::optional<EarlierRise> loss_rose_before(const Segment& segment, const Spike& spike) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr || !spike.loss) return std::nullopt;
  const std::size_t start = loss->at_or_after_step(spike.steps.first);
  const std::size_t few = std::min(start, kBefore);
  if (few < 4) return std::nullopt;
  const auto before = loss->values.span().subspan(start - few, few);
  const EarlierRise out{median(before.first(few / 3)), median(before.last(few / 2))};
  const double needed = std::max(kAlready * std::fabs(out.from), 4 * neighbor_noise(before));
  if (!std::isfinite(out.from) || !(out.to - out.from > needed)) return std::nullopt;
  return out;
}

// The samples that the steps of an event read, where the log counts them.
void add_samples(const Segment& segment, const Spike& spike, Finding& finding) {
  if (const auto samples = samples_of(segment, spike.steps)) {
    finding.evidence.push_back({{"samples", {{"steps", spike.steps}, {"samples", *samples}}}, {}, {}});
  }
}

void add_evidence(const Run& run, const Spike& worst, Finding& finding) {
  const Segment& segment = run.segments[worst.segment];
  const Series& norm = *segment.find(metric::kGradNorm);
  if (norm.size() > 8) finding.evidence.push_back({{}, curve_around(norm, worst.steps), {}});
  if (const auto step = loss_follows(segment, worst)) {
    const std::int64_t lead = *step - worst.steps.first;
    finding.evidence.push_back(
        {{lead > 1    ? "loss-follows"
          : lead == 1 ? "loss-next"
                      : "loss-with-it",
          {{"before", worst.loss->before}, {"peak", worst.loss->peak}, {"step", *step}, {"lead", lead}}},
         {},
         {}});
  } else if (const auto rise = loss_rose_before(segment, worst)) {
    finding.evidence.push_back({{"loss-already", {{"from", rise->from}, {"to", rise->to}}}, {}, {}});
  } else if (worst.loss) {
    finding.evidence.push_back({{"loss-quiet", {{"before", worst.loss->before}, {"peak", worst.loss->peak}}}, {}, {}});
  }
  if (worst.shape.absolute) {
    finding.evidence.push_back({{"excerpt", {{"records", worst.shape.before_count}}}, {}, {}});
  }
  if (finding.severity != Severity::kNote) add_samples(segment, worst, finding);
}

void add_actions(const Run& run, const Spike& worst, Finding& finding) {
  if (finding.severity == Severity::kNote) return;
  const Series& norm = *run.segments[worst.segment].find(metric::kGradNorm);
  const StepRange read = data_steps(norm, worst.shape, worst.steps);
  if (!worst.shape.regained) {
    finding.actions.push_back(resume_before(run, worst.segment, worst.steps.first));
    finding.actions.push_back(skip_data(run, worst.segment, {read.first, std::min(read.last, read.first + kSkip - 1)}));
  } else {
    finding.actions.push_back({{"look-at-data", {{"steps", read}}}, "", ActionRole::kLookAtData});
  }
  const double p90 = quantile(norm.values.span().first(std::max<std::size_t>(worst.shape.onset, 1)), 0.9);
  const double threshold = clip_threshold(run);
  if (worst.shape.onset >= 20 && (threshold == 0 || threshold > 2 * p90)) {
    finding.actions.push_back(set_clip(run, "clip-at", "p90", p90));
  }
}

Phrase message_of(const Spike& worst, std::size_t count) {
  std::string key = worst.shape.regained ? "spike" : "not-back";
  if (count > 1) key = worst.shape.regained ? "spikes" : "spikes-not-back";
  return {key,
          {{"ratio", Value(worst.ratio(), Unit::kTimes)},
           {"before", worst.shape.level},
           {"peak", worst.shape.peak_value},
           {"onset", worst.steps.first},
           {"steps", worst.steps},
           {"records", worst.above},
           {"count", count}}};
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  std::vector<Spike> spikes;
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* norm = run.segments[i].find(metric::kGradNorm);
    any = any || (norm != nullptr && norm->size() >= 2);
    const std::vector<Spike> found = find_spikes(run, i, set);
    spikes.insert(spikes.end(), found.begin(), found.end());
  }
  if (!any) return out.not_applicable("no-norm");
  if (spikes.empty()) return;
  const auto worst = std::max_element(spikes.begin(), spikes.end(), [](const Spike& a, const Spike& b) {
    return a.loud != b.loud ? b.loud : a.ratio() < b.ratio();
  });
  Finding finding;
  finding.severity = worst->loud ? Severity::kWarning : Severity::kNote;
  finding.confidence = worst->shape.absolute ? 0.6 : 0.9;
  finding.impact = share_of_run(run, worst->steps);
  finding.message = message_of(*worst, spikes.size());
  finding.where = place(run, worst->segment, worst->steps, worst->line);
  for (auto spike = spikes.begin(); spike != spikes.end(); ++spike) {
    if (spike != worst) finding.also.push_back(place(run, spike->segment, spike->steps, spike->line));
  }
  add_evidence(run, *worst, finding);
  add_actions(run, *worst, finding);
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kGradNormSpike;
const Rule kGradNormSpike{
    .name = "grad-norm-spike",
    .family = "phenomenon",
    .title_en = "the grad norm jumped",
    .title_zh = "梯度范数突增",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters =
        {{"sigmas", "sigma", 10, 3, 1000,
          "of the logarithm. In 19,500 steps of a healthy GPT-2 run 99.9 % of the norms stay below 9.8"},
         {"ratio", "of the level", 5, 1.5, 1e6,
          "healthy norms reach 1.2 to 1.8 times their median in a record of ten and 2.3 times in one of a hundred"},
         {"ratio-short", "of the level", 10, 2, 1e6,
          "with fewer than 16 records before there is no spread to measure; ten times the smallest record before is "
          "beyond what warm-up does"},
         {"floor", "of the logarithm", 0.05, 0, 1,
          "norms are printed with two or three decimals: a spread below 5 % is rounding"},
         {"records", "records", 3, 1, 1000,
          "one or two records are a batch; three in a row come from the weights themselves"}},
    .sentences = with_loss_sentences(
        {{"spike", "grad norm rose from {before} to {peak} (about {ratio} times) at steps {steps} and came back",
          "第 {steps} 步梯度范数从 {before} 升到 {peak}（约 {ratio} 倍），之后恢复"},
         {"not-back",
          "grad norm rose from {before} to {peak} (about {ratio} times) from step {onset} on and is not back",
          "第 {onset} 步起梯度范数从 {before} 升到 {peak}（约 {ratio} 倍），未恢复"},
         {"spikes",
          "grad norm jumped {count} times; the worst: from {before} to {peak} (about {ratio} times) at steps {steps}, "
          "back afterwards",
          "梯度范数突增 {count} 次；最严重的一次在第 {steps} 步，从 {before} 升到 {peak}（约 {ratio} 倍），之后恢复"},
         {"spikes-not-back",
          "grad norm jumped {count} times; the worst: from {before} to {peak} (about {ratio} times) from step {onset} "
          "on, not back",
          "梯度范数突增 {count} 次；最严重的一次从第 {onset} 步开始，从 {before} 升到 {peak}（约 {ratio} 倍），未恢复"},
         {"no-norm", "needs a grad norm in the log", "需要日志中有梯度范数"},
         {"loss-follows", "the loss followed {lead} steps later, at step {step}: {before} before, up to {peak}",
          "loss 在 {lead} 步之后（第 {step} 步）随之上升：之前 {before}，最高 {peak}"},
         {"loss-next", "the loss followed at the next step, {step}: {before} before, up to {peak}",
          "loss 在下一步（第 {step} 步）随之上升：之前 {before}，最高 {peak}"},
         {"loss-with-it", "the loss rose in the same record: {before} before, up to {peak}",
          "loss 在同一条记录中上升：之前 {before}，最高 {peak}"},
         {"loss-quiet", "the loss did not react: {before} before, at most {peak}",
          "loss 没有变化：之前 {before}，最高 {peak}"},
         {"loss-already", "the loss had risen shortly before: from {from} to {to}",
          "loss 此前不久已经上升：从 {from} 到 {to}"},
         {"excerpt", "few records before it ({records}): judged in absolute terms, not against the noise",
          "此前只有 {records} 条记录：按绝对幅度判断，而非相对噪声"},
         {"look-at-data", "look at the data of steps {steps}, and leave it out of the next run",
          "检查第 {steps} 步的数据，下次训练时跳过"},
         {"clip-at", "clip at {p90}, the 90th percentile of the norms before",
          "把梯度裁剪阈值设为 {p90}（此前范数的 90% 分位数）"}}),
    .docs =
        {.finds = "Jumps of the global grad norm above its level.",
         .matters = "It is the earliest sign of a loss spike or a divergence, and it dates the onset: a run is resumed "
                    "from before the norm rose, not from before the loss peaked.",
         .decides =
             "The logarithm of the norm is compared with the median and MAD of the last 64 records that were not part "
             "of an event: at least `sigmas` and at least `ratio` times the level. With fewer than 16 records before: "
             "`ratio-short` times the smallest of them, and beyond their noise. It has come back at twice the level. A "
             "rise of `records` records is a warning, and so is a shorter one after which the loss, a tenth or more "
             "higher, does not come back at once; the rest are notes. All rises of a run are one finding. In a run "
             "that took no harm a rise that only answers a spike of the loss (not before it, not longer, the loss not "
             "doubled), or that begins what `grad-norm-high` tells, is a note beside it.",
         .example = "`grad norm rose from 0.242 to 960.4 (about 4,000 times) at steps 31,215-31,222 and came back`",
         .to_do = "A recovered spike needs nothing now; look at its samples. One that is not back: resume from before "
                  "its onset and leave out the data it read; if it comes again with other data, lower the learning "
                  "rate or the clip threshold.",
         .false_alarms = "Objectives whose gradient is zero for many batches (reinforcement learning), very small "
                         "batches, a norm that is printed as a sum over micro-batches.",
         .references = "BigScience chronicles: 176B, steps 31,214-31,250; 104B, steps 8,740 and 11,447 (public logs). "
                       "karpathy/llm.c, GPT-2 124M main.log. Google Research, Deep Learning Tuning Playbook: clip at "
                       "the 90th percentile."},
    .judge = judge};

}  // namespace assay
