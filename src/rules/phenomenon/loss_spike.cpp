// The loss leaves its level upwards and comes back.
//
// What a spike means is told by how long it lasts and whether anything was lost. One record that is back at the next is
// a batch unlike the others: nearly all spikes of healthy runs are of that kind, and the evaluation loss does not know
// of them. A spike that takes twenty records or two thousand to come back went through the weights. All spikes of a run
// that came back are one finding: a hundred data spikes are one fact about the data, not a hundred.
//
// A spike at which the log ends cannot be told from a divergence; it is a finding of its own, because it is urgent.

#include <algorithm>
#include <cmath>
#include <functional>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/training_kind.h"
#include "rules/actions.h"
#include "rules/excerpts.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/rolling.h"

namespace assay {

namespace {

constexpr std::size_t kMostListed = 200;
constexpr double kLargeForOneRecord = 0.5;  // half the level: larger than batches of one corpus differ
constexpr double kDoubled = 2.0;
constexpr double kTailSigmas = 2;  // times the sigmas of the rule
constexpr std::size_t kLike = 16;  // records before a rise
constexpr double kPartOfTheNoise =
    0.01;  // of the records: such a loss has a heavy tail, its spikes are its normal state
constexpr double kClipQuantile = 0.9;
constexpr std::size_t kTailHalfWidth = 16;
constexpr std::size_t kLeastInTail = 3;
constexpr std::ptrdiff_t kAmongHighest = 4;  // more than a brief spike has records
constexpr double kAlone = 3;                 // times the fifth highest: a tail of 1 / z^3 expects 1.7
constexpr std::size_t kTailFalls = 3;        // a tail as heavy as 1 / z^3 has seven times as many between as beyond

struct Judged {
  const LossEvent* event = nullptr;
  Severity severity = Severity::kNote;
  bool eval_moved = false;
  bool calm = false;  // the evaluation loss, or else the grad norm, says that nothing was harmed
};

// The log ends at the level, or what follows the peak lies no higher than the last records before the rise did.
bool back_among_its_like(const LossEvent& event) {
  const auto values = event.loss->values.span();
  const auto rest = values.subspan(event.shape.peak + 1);
  if (values.back() <= event.shape.edge) return true;
  const auto before = values.first(event.shape.onset).last(std::min(event.shape.onset, kLike));
  if (rest.empty() || before.empty()) return false;
  return median(rest) <= *std::max_element(before.begin(), before.end());
}

Severity severity_of_open(const Run& run, const LossEvent& event, TrainingKind kind) {
  const Departure& shape = event.shape;
  if (is_objective(kind) || !convincing(run, event) || back_among_its_like(event)) return Severity::kNote;
  const bool large = shape.records() >= 3 || !event.positive || shape.peak_value >= kDoubled * shape.level;
  const double half = shape.level + (shape.peak_value - shape.level) / 2;
  const bool falling = event.loss->values.back() <= half && shape.half_last - shape.onset < 3;  // brief, half way back
  return large && !falling && !event.repaired ? Severity::kError : Severity::kWarning;
}

Judged judge_recovered(const Run& run, const LossEvent& event, const Parameters& set, TrainingKind kind) {
  Judged out{.event = &event, .severity = Severity::kWarning};
  const Departure& shape = event.shape;
  const auto eval = eval_reaction(run.segments[event.segment], event.acute());
  const bool brief = static_cast<double>(event.records()) <= set["brief"];
  out.calm = eval && !eval->moved;
  out.eval_moved = eval && eval->moved;
  if (shape.rise < set["rise"]) out.severity = Severity::kNote;
  // In an excerpt the level itself is a guess, and a record that is over is a batch like any other.
  if (shape.absolute && !confirmed(run, event)) out.severity = Severity::kNote;
  // Batches differ by half of the level, or, where records are noisy, by twice the distance at which a spike begins.
  const bool usual = shape.rise < kLargeForOneRecord || shape.z < kTailSigmas * set["sigmas"];
  if (brief && !eval && usual) out.severity = Severity::kNote;
  // A batch unlike the others that did not even move the gradient did nothing to the weights. A loss that doubled is
  // worth a look all the same.
  const auto grad = grad_reaction(run.segments[event.segment], *event.loss, shape);
  if (brief && grad && !grad->rose && !eval && shape.peak_value < kDoubled * shape.level) out.calm = true;
  if (brief && out.calm) out.severity = Severity::kNote;
  if (level_moved(run, event)) out.severity = Severity::kNote;
  // A share of the level means nothing around zero, and objectives of policies jump by design.
  if ((brief && !event.positive) || is_objective(kind)) out.severity = Severity::kNote;
  return out;
}

// Spikes that stand where an epoch begins: shuffling, or a running mean that starts anew.
bool at_epoch_borders(const Run& run, const std::vector<Judged>& spikes) {
  std::size_t at_border = 0;
  for (const Judged& one : spikes) {
    const Series* epoch = run.segments[one.event->segment].find(metric::kEpoch);
    if (epoch == nullptr) return false;
    const std::size_t row = one.event->loss->row_of(one.event->shape.peak);
    const std::size_t i = epoch->at_or_after_row(row);
    if (i < 2 || i + 1 >= epoch->size()) continue;
    at_border += std::floor(epoch->value(i + 1)) > std::floor(epoch->value(i - 2)) ? 1 : 0;
  }
  return spikes.size() >= 3 && 10 * at_border >= 9 * spikes.size();
}

// Records after which the spikes come again and again; 0: they do not. What has a fixed period belongs to the data or
// to what the program does every so often.
std::size_t recurrence(const std::vector<Judged>& spikes) {
  if (spikes.size() < 4) return 0;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < spikes.size(); ++i) {
    if (spikes[i].event->loss != spikes[i - 1].event->loss) return 0;
    gaps.push_back(static_cast<double>(spikes[i].event->shape.onset - spikes[i - 1].event->shape.onset));
  }
  const double usual = median(gaps);
  const auto regular =
      std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return std::fabs(gap - usual) <= 2 + 0.02 * usual; });
  return 10 * static_cast<std::size_t>(regular) >= 9 * gaps.size() ? static_cast<std::size_t>(usual) : 0;
}

// Spikes that are the end of a tail: far more records stand four to eight sigma above their surroundings than beyond.
// One that something caused stands alone above all others.
bool heavy_tailed(const Series& loss) {
  const auto values = loss.values.span();
  std::vector<double> rests = running_median(values, kTailHalfWidth);
  for (std::size_t i = 0; i < rests.size(); ++i) rests[i] = values[i] - rests[i];
  const double sigma = robust_sigma(rests);
  std::size_t between = 0;
  std::size_t beyond = 0;
  for (const double rest : rests) {
    if (rest >= 8 * sigma) {
      ++beyond;
    } else if (rest >= 4 * sigma) {
      ++between;
    }
  }
  if (!(sigma > 0) || beyond < kLeastInTail || between < kTailFalls * beyond) return false;
  std::nth_element(rests.begin(), rests.begin() + kAmongHighest, rests.end(), std::greater<>());
  const double highest = *std::max_element(rests.begin(), rests.begin() + kAmongHighest);
  return highest <= kAlone * rests[kAmongHighest];
}

// Spikes as high as this one came back before, after at least as many records; in an excerpt one as high is enough.
bool has_precedent(const LossEvent& event, const std::vector<Judged>& recovered) {
  const std::size_t so_far = event.loss->size() - event.shape.onset;
  return std::any_of(recovered.begin(), recovered.end(), [&](const Judged& one) {
    const Departure& before = one.event->shape;
    if (one.event->loss != event.loss) return false;
    if (event.shape.absolute && before.peak_value >= event.shape.peak_value) return true;
    return before.rise >= 0.8 * event.shape.rise && before.records() >= so_far;
  });
}

std::size_t judged_records(const Run& run) {
  std::size_t count = 0;
  for (const Segment& segment : run.segments) {
    for (const Series* loss : judged_losses(segment)) count += loss->size();
  }
  return count;
}

Location where(const Run& run, const LossEvent& event) {
  return place(run, event.segment, event.acute(), event.loss->line(event.shape.peak));
}

void add_actions(const Run& run, const Judged& worst, std::size_t count, bool frequent, Finding& finding) {
  const LossEvent& event = *worst.event;
  const Segment& segment = run.segments[event.segment];
  const StepRange read = data_steps(*event.loss, event.shape, event.acute());
  if (finding.severity == Severity::kNote || event.records() <= 3) {
    const auto samples = samples_of(segment, read);
    Phrase look =
        samples ? Phrase{"look-samples", {{"samples", *samples}, {"steps", read}}} : Phrase{"look", {{"steps", read}}};
    finding.actions.push_back({std::move(look), ""});
  } else {
    finding.actions.push_back(skip_data(run, event.segment, steps_to_skip(event)));
    finding.actions.back().text.key =
        finding.actions.back().text.key == "skip-samples" ? "skip-next-samples" : "skip-next";
  }
  if (finding.severity == Severity::kNote || (count < 2 && !frequent)) return;
  const Series* norm = segment.find(metric::kGradNorm);
  if (norm != nullptr && norm->size() >= 100) {
    finding.actions.push_back(set_clip(run, "clip", "clip", quantile(norm->values.span(), kClipQuantile)));
  }
  finding.actions.push_back({{"beta2", {}}, ""});
}

Phrase message_of(const Run& run, const LossEvent& event, std::size_t count) {
  const Departure& shape = event.shape;
  const std::size_t records = event.records();
  const bool moved = level_moved(run, event);
  const double height = (moved ? event.stepped_to : shape.peak_value) - shape.level;
  Phrase out;
  out.values = {{"metric", spoken(*event.loss)},
                {"before", shape.level},
                {"peak", moved ? event.stepped_to : shape.peak_value},
                {"rise", percent(height / shape.level)},
                {"onset", event.onset_step()},
                {"step", event.loss->step(shape.peak)},
                {"records", records},
                {"regained", event.loss->step(shape.regained.value_or(shape.last))},
                {"after", shape.regained ? event.loss->value(*shape.regained) : shape.after},
                {"left", percent(event.end_rise)},
                {"count", count}};
  out.key = count > 1                  ? "several"
            : moved                    ? "stepped"
            : event.nearly             ? "nearly"
            : records == 1             ? "one-record"
            : shape.onset < shape.peak ? "climb"
                                       : "spike";
  if (!event.positive) out.key += "-no-ratio";
  return out;
}

void tell_recovered(const Run& run, std::vector<Judged> spikes, TrainingKind kind, const Parameters& set,
                    Findings& out) {
  const auto worst = std::max_element(spikes.begin(), spikes.end(), [](const Judged& a, const Judged& b) {
    return std::pair(a.severity, a.event->shape.rise) < std::pair(b.severity, b.event->shape.rise);
  });
  const LossEvent& event = *worst->event;
  const Departure& shape = event.shape;
  const auto records = static_cast<double>(judged_records(run));
  const double rate = static_cast<double>(spikes.size()) / records;
  const bool harmless = std::all_of(spikes.begin(), spikes.end(), [](const Judged& one) { return one.calm; });
  const bool brief = std::all_of(spikes.begin(), spikes.end(), [&](const Judged& one) {
    return static_cast<double>(one.event->records()) <= set["brief"];
  });
  // Around zero a brief one is what a heavy tail looks like, however many there are.
  const auto by_noise =  // excerpts know too little of it
      std::count_if(spikes.begin(), spikes.end(), [](const Judged& one) { return !one.event->shape.absolute; });
  const bool frequent = by_noise >= 3 && rate >= set["frequent"] / 1000 && !harmless && (event.positive || !brief);
  const bool border = at_epoch_borders(run, spikes);
  const std::size_t period = border ? 0 : recurrence(spikes);
  const bool unmoved = std::all_of(spikes.begin(), spikes.end(), [](const Judged& one) { return !one.eval_moved; });
  const bool noise =
      brief && ((spikes.size() >= 5 && rate >= kPartOfTheNoise) || (unmoved && heavy_tailed(*event.loss)));

  Finding finding;
  finding.severity = worst->severity;
  if (frequent && shape.rise >= set["rise"] && !is_objective(kind)) finding.severity = Severity::kWarning;
  if (border || noise || period > 0) finding.severity = Severity::kNote;
  finding.confidence = confidence_of(shape);
  finding.impact = share_of_run(run, event.acute());
  finding.where = where(run, event);
  finding.message = message_of(run, event, spikes.size());
  for (const Judged& one : spikes) {
    if (one.event != worst->event && finding.also.size() < kMostListed) finding.also.push_back(where(run, *one.event));
  }
  add_loss_evidence(run, event, finding);
  if (border) finding.evidence.push_back({{"border", {}}, {}, {}});
  if (period > 0) finding.evidence.push_back({{"recurring", {{"records", period}}}, {}, {}});
  if (noise && !border && period == 0) finding.evidence.push_back({{"noise", {{"share", percent(rate)}}}, {}, {}});
  if (finding.evidence.size() > 5) finding.evidence.erase(finding.evidence.end() - 2);
  add_actions(run, *worst, spikes.size(), frequent, finding);
  out.add(std::move(finding));
}

void tell_open(const Run& run, const LossEvent& event, TrainingKind kind, bool precedent, Findings& out) {
  const Departure& shape = event.shape;
  Finding finding;
  finding.severity = precedent ? Severity::kNote : severity_of_open(run, event, kind);
  finding.confidence = std::min(confidence_of(shape), 0.8);
  if (finding.severity == Severity::kError && shape.absolute) finding.confidence = confidence_of_few(shape);
  finding.impact = share_of_run(run, {event.onset_step(), event.last_step()});
  finding.where = place(run, event.segment, event.acute(), event.loss->line(shape.peak));
  const std::size_t later = event.loss->size() - shape.onset - 1;
  finding.message = {later == 0                  ? "open-last"
                     : shape.onset == shape.peak ? "open-jump"
                                                 : "open",
                     {{"metric", spoken(*event.loss)},
                      {"before", shape.level},
                      {"peak", shape.peak_value},
                      {"onset", event.onset_step()},
                      {"step", event.loss->step(shape.peak)},
                      {"later", later},
                      {"last", event.loss->values.back()}}};
  add_loss_evidence(run, event, finding);
  const std::int64_t begin = beginning_of(run, event);
  finding.actions.push_back(resume_before(run, event.segment, begin));
  StepRange skip = steps_to_skip(event);
  skip.first = std::min(skip.first, begin);
  finding.actions.push_back(skip_data(run, event.segment, skip));
  finding.actions.push_back(halve_learning_rate(run, event.segment));
  out.add(std::move(finding));
}

// The training loss says nothing of it: another evaluation set, a fault of the evaluation mode, statistics that broke.
void tell_evaluation(const Run& run, const LossEvent& event, Findings& out) {
  const Departure& shape = event.shape;
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.confidence = std::min(confidence_of(shape), 0.8);
  finding.impact = share_of_run(run, {event.onset_step(), event.last_step()});
  finding.where = place(run, event.segment, {event.onset_step(), event.last_step()}, event.loss->line(shape.onset));
  finding.message = {
      "evaluation",
      {{"before", shape.level}, {"after", shape.after}, {"onset", event.onset_step()}, {"last", event.last_step()}}};
  finding.evidence.push_back({{}, curve_around(*event.loss, *finding.where->steps), {}});
  finding.actions.push_back({{"check-evaluation", {{"onset", event.onset_step()}}}, ""});
  out.add(std::move(finding));
}

// What a restart brought with it is told by run-restarted; a single record is a batch like any other.
bool judged_here(const Run& run, const LossEvent& event) {
  const bool restart = event.at_restart && event.shape.records() > 1;
  return event.kind == LossEventKind::kSpike && !restart && !adversarial(run.segments[event.segment]);
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  LossEventOptions options;
  options.sigmas = set["sigmas"];
  options.rise = set["least-rise"];
  const std::vector<LossEvent> events = loss_events(run, options);
  if (judged_records(run) == 0) return out.not_applicable("no-loss");
  const TrainingKind kind = training_kind(run);
  std::vector<Judged> recovered;
  for (const LossEvent& event : events) {
    if (!judged_here(run, event)) continue;
    if (event.came_back()) recovered.push_back(judge_recovered(run, event, set, kind));
  }
  for (const LossEvent& event : events) {
    if (!judged_here(run, event)) continue;
    if (!event.came_back()) tell_open(run, event, kind, has_precedent(event, recovered), out);
  }
  for (const LossEvent& event : evaluation_jumps(run, options, events)) tell_evaluation(run, event, out);
  if (!recovered.empty()) tell_recovered(run, std::move(recovered), kind, set, out);
}

}  // namespace

extern const Rule kLossSpike;
const Rule kLossSpike{
    .name = "loss-spike",
    .family = "phenomenon",
    .title_en = "the loss spiked",
    .title_zh = "loss 出现尖峰",
    .severity = Severity::kWarning,
    .parameters =
        {{"sigmas", "robust sigma", 8, 3, 100,
          "on healthy runs of 20,000 steps a rule of 6 sigma with mean and standard deviation fires 10 to 15 times; 8 "
          "robust sigma together with 10 % fire once or twice"},
         {"least-rise", "of the level", 0.05, 0.01, 10,
          "smaller rises are what batches of one corpus differ by; listed as notes from here"},
         {"rise", "of the level", 0.10, 0.01, 10, "healthy runs hardly ever pass it; below it a spike is a note"},
         {"brief", "records", 3, 1, 100,
          "64 of 65 data spikes of a healthy run last one record; those that went through the weights take twenty and "
          "more"},
         {"frequent", "per 1,000 records", 3, 0.1, 1000,
          "more than a healthy run of a filtered corpus has; then the optimizer should be made to bear them"}},
    .sentences = with_loss_sentences({
        {"one-record",
         "{metric} jumped from {before} to {peak} (+{rise}) at step {step}; the next record is back at {after}",
         "{metric} 在第 {step} 步从 {before} 跳到 {peak}（+{rise}），下一条记录即回到 {after}"},
        {"one-record-no-ratio",
         "{metric} jumped from {before} to {peak} at step {step}; the next record is back at {after}",
         "{metric} 在第 {step} 步从 {before} 跳到 {peak}，下一条记录即回到 {after}"},
        {"spike",
         "{metric} rose from {before} to {peak} (+{rise}) at step {step} and was back at {after} by step {regained}, "
         "after {records} records",
         "{metric} 在第 {step} 步从 {before} 升到 {peak}（+{rise}），{records} 条记录之后（第 {regained} 步）回到 "
         "{after}"},
        {"spike-no-ratio",
         "{metric} rose from {before} to {peak} at step {step} and was back at {after} by step {regained}, after "
         "{records} records",
         "{metric} 在第 {step} 步从 {before} 升到 {peak}，{records} 条记录之后（第 {regained} 步）回到 {after}"},
        {"climb",
         "{metric} rose from {before} at step {onset} to {peak} (+{rise}) at step {step} and was back at {after} by "
         "step {regained}, {records} records after the onset",
         "{metric} 从第 {onset} 步的 {before} 升到第 {step} 步的 {peak}（+{rise}），起始后 {records} 条记录（第 "
         "{regained} 步）回到 {after}"},
        {"climb-no-ratio",
         "{metric} rose from {before} at step {onset} to {peak} at step {step} and was back at {after} by step "
         "{regained}, {records} records after the onset",
         "{metric} 从第 {onset} 步的 {before} 升到第 {step} 步的 {peak}，起始后 {records} 条记录（第 {regained} 步）"
         "回到 {after}"},
        {"nearly",
         "{metric} rose from {before} at step {onset} to {peak} (+{rise}) at step {step} and came back to within "
         "{left} of its level: {after} at the end",
         "{metric} 从第 {onset} 步的 {before} 升到第 {step} 步的 {peak}（+{rise}），之后回落到高出原水平 {left} "
         "以内：结束时为 {after}"},
        {"nearly-no-ratio",
         "{metric} rose from {before} at step {onset} to {peak} at step {step} and came back most of the way: {after} "
         "at the end",
         "{metric} 从第 {onset} 步的 {before} 升到第 {step} 步的 {peak}，之后大部分已回落：结束时为 {after}"},
        {"stepped",
         "{metric} stepped up from {before} to {peak} (+{rise}) at step {onset} and fell on from there; it was back at "
         "its former level by step {regained}: check whether the data changed",
         "{metric} 在第 {onset} 步由 {before} 上移到 {peak}（+{rise}），之后继续下降，到第 {regained} "
         "步回到原水平：请检查数据是否有变化"},
        {"several",
         "{count} spikes, all of which came back; the worst: {metric} from {before} to {peak} (+{rise}) at step "
         "{step}, {records} records long",
         "共 {count} 个尖峰，均已恢复；最严重的一个：{metric} 在第 {step} 步从 {before} 升到 {peak}（+{rise}），持续 "
         "{records} 条记录"},
        {"several-no-ratio",
         "{count} spikes, all of which came back; the worst: {metric} from {before} to {peak} at step {step}, "
         "{records} records long",
         "共 {count} 个尖峰，均已恢复；最严重的一个：{metric} 在第 {step} 步从 {before} 升到 {peak}，持续 {records} "
         "条记录"},
        {"open",
         "{metric} rose from {before} at step {onset} to {peak} at step {step}; the log ends {later} records after "
         "the onset, at {last}: not back",
         "{metric} 从第 {onset} 步的 {before} 升到第 {step} 步的 {peak}；起始后日志只有 {later} 条记录，结束时为 "
         "{last}，尚未恢复"},
        {"open-jump",
         "{metric} jumped from {before} to {peak} at step {step}; the log ends {later} records later, at {last}: not "
         "back",
         "{metric} 在第 {step} 步从 {before} 跳到 {peak}；此后日志只有 {later} 条记录，结束时为 {last}，尚未恢复"},
        {"open-last", "{metric} rose from {before} to {peak} at step {step}, the last record of the log",
         "{metric} 在日志的最后一条记录（第 {step} 步）从 {before} 升到 {peak}"},
        {"evaluation",
         "eval loss jumped from {before} to {after} at step {onset} and has stayed there until step {last}; the "
         "training loss did not",
         "验证 loss 在第 {onset} 步从 {before} 跳到 {after}，直到第 {last} 步仍未恢复；训练 loss 没有变化"},
        {"check-evaluation",
         "check what changed at step {onset}: evaluation data, dropout or normalisation in evaluation mode, the loaded "
         "checkpoint; evaluate the checkpoint before it again",
         "检查第 {onset} 步前后有何变化：评估数据、评估模式下的 dropout "
         "或归一化、加载的检查点；并重新评估此前的检查点"},
        {"border", "they stand where an epoch begins: new shuffling or a restarted running mean, not the optimizer",
         "这些尖峰都出现在 epoch 交界处：源于重新打乱数据或滑动平均重新累计，与优化器无关"},
        {"recurring",
         "they recur every {records} records: the order of the data, or what the program does every so often, not the "
         "optimizer",
         "每 {records} 条记录重复出现一次：源于数据顺序或程序的周期性动作，而非优化器"},
        {"noise", "{share} of all records do so: the loss has a heavy tail, this is its normal state",
         "{share} 的记录都如此：该 loss 的分布本身有重尾，属于常态"},
        {"look",
         "no action needed: the loss is back and the run goes on as before; if another run spikes at steps {steps} as "
         "well, "
         "look at the data read there",
         "无需处理：loss 已恢复，训练照常进行；若另一次训练也在第 {steps} 步出现尖峰，请检查当时读取的数据"},
        {"look-samples",
         "no action needed: the loss is back and the run goes on as before; if another run spikes at samples {samples} "
         "(steps {steps}) as well, take these out of the data",
         "无需处理：loss 已恢复，训练照常进行；若另一次训练也在样本 {samples}（第 {steps} "
         "步）出现尖峰，请从数据中剔除这些样本"},
        {"skip-next", "in the next run skip the data of steps {steps}", "下次训练时跳过第 {steps} 步的数据"},
        {"skip-next-samples", "in the next run skip the data of steps {steps}: samples {samples}",
         "下次训练时跳过第 {steps} 步的数据：样本 {samples}"},
        {"clip", "set the clipping threshold to {clip}, the 90th percentile of this run's grad norm",
         "将梯度裁剪阈值设为 {clip}（本次训练梯度范数的 90% 分位数）"},
        {"beta2",
         "use beta2 0.95 instead of 0.999: with 0.999 the optimizer's scale of the gradient is a thousand steps old",
         "beta2 用 0.95 代替 0.999：取 0.999 时，优化器对梯度尺度的估计滞后约一千步"},
        {"title-evaluation", "the evaluation loss spiked", "评估 loss 出现尖峰"},
        {"no-loss", "the log has no loss", "日志中没有 loss"},
    }),
    .docs =
        {.finds = "Stretches in which the loss (or, where the log has no training loss to speak of, the evaluation "
                  "loss) stands clearly above its level and comes back to it; or stands above it where the log ends.",
         .matters = "A spike of one record is a batch unlike the others: worth knowing when it is always the same "
                    "batch. A spike that takes many records to come back has changed the weights: tokens are lost "
                    "until it is over, and the next one may not come back.",
         .decides =
             "The level is the median of the last 64 records that were not part of an event (after a restart: of the "
             "part before it); while the loss falls, the median of the last 9, less what these lag behind. A record "
             "departs when it lies 8 robust sigma (1.4826 MAD, not less than the printed or bfloat16 step) and 5 % "
             "above it. It has come back when the median of the next 16 records (of all that are left, at least two) "
             "is within 3 MAD or 5 %; or when it has lost half of its height and ends within 10 %. The onset is the "
             "first record of the rise, walked back from the alarm; the place of the finding is the part until the "
             "spike has lost half of its height, or, where the log ends in it, until its peak. For losses near zero "
             "or below, a third of the range that the series has covered stands for the level. With fewer than 16 "
             "records before (an excerpt), and up to 32 as well: 30 % above the smallest value so far and several "
             "times the noise, confidence at most 0.6. Such a rise is a *note* unless it convinces: at least eight "
             "times the noise and twice any swing before, the level never visited again, the "
             "grad norm not calm, and twice the level at the end (three times, with one record before), eight records "
             "up there, a clean step, or a climb of five; or a grad norm at five times its level or an evaluation loss "
             "up by a tenth as a witness (what came back in an excerpt needs a witness).\n\n*note*: rises below "
             "10 %; spikes of up to three records that the evaluation loss does not show, or, where there is none, "
             "below 50 % or 16 sigma, or, without an answer of the grad norm, below the double; a step up of less than "
             "30 % without overshoot or such an answer, which training makes good; brief spikes that are the "
             "tail of the noise (three times as many records stand 4 to 8 sigma above their surroundings as beyond, "
             "and the highest no more than three times as high as the fifth). *warning*: all others that came back. "
             "*error*: the log ends before it came back (*note* where its last records lie among those before). An "
             "evaluation loss that doubles from one evaluation to the next and stays up while the training loss does "
             "not is a *warning*. All "
             "spikes of a run that came back are one finding, its "
             "place that of the worst. What came with a restart is told by `run-restarted`.",
         .example = "`loss rose from 2.199 to 5.098 (+131.8 %) at step 31,219 and was back at 2.805 by step 31,222, "
                    "after 3 records`",
         .to_do =
             "One record, evaluation unmoved: nothing. Compare with another run that read the data in the same order: "
             "spikes at the same samples are the data's, skip them; spikes elsewhere are the optimizer's. Many spikes: "
             "beta2 0.95, clip at the 90th percentile of the grad norm. Not back: resume before the onset and skip the "
             "data of the event.",
         .false_alarms =
             "One hard batch in a small-batch run; records at epoch borders or at a fixed distance (told as such); "
             "losses with a heavy tail (told as such). Running means show a spike later and flatter than it was. "
             "Adversarial losses are not judged; spikes of preference and policy objectives are notes.",
         .references =
             "P. J. Huber, Robust Statistics (1981), for median and MAD. A spike of a 176B model that came back by "
             "itself: BigScience, chronicles of tr11-176B-ml, steps 31216-31250. Skipping the data of a stretch: "
             "Megatron-LM `--iterations-to-skip`, Megatron-DeepSpeed `--skip-train-iteration-range`, metaseq "
             "`skip_batches`. Percentile for clipping: Deep Learning Tuning Playbook."},
    .judge = judge};

}  // namespace assay
