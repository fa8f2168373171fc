// The run was restarted, or the file holds several runs.
//
// A restart is no fault. It explains what comes after it: work done twice, a loss that jumps because optimizer state or
// data order was not restored, a scale that starts anew. So each restart is told with its two ends, with what was
// repeated or is missing, and with the loss at the same steps before and after, which is the fairest comparison there
// is.
//
// A counter that goes back to where it began is another run in the same file, not a restart, and is told as such.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "measure/scaler.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/trend.h"

namespace assay {

namespace {

constexpr std::size_t kCompared = 16;  // records at each side of a restart
constexpr double kSameLevel = 0.05;    // of the level
constexpr double kNoise = 4;           // sigma

struct LossAcross {
  double before = 0;
  double after = 0;
  bool same_steps = false;
  bool goes_on = false;  // at the level of before
};

struct Restart {
  std::size_t segment = 0;  // the one that begins
  std::int64_t last = 0;    // step before it
  std::int64_t first = 0;   // step that it begins with
  std::int64_t line = 0;
  bool new_run = false;
  std::optional<LossAcross> loss;
  std::int64_t repeated() const { return std::max<std::int64_t>(last - first + 1, 0); }
  StepRange steps() const { return {std::min(first, last), std::max(first, last)}; }
};

std::vector<double> values_from(const Series& loss, std::size_t from, std::size_t to) {
  const std::span<const double> part = loss.values.span().subspan(from, to - from);
  return {part.begin(), part.end()};
}

// Loss of the segment that ended and of the one that begins: at the same steps where both have them, else side by side.
std::optional<LossAcross> loss_across(const Segment& old_part, const Segment& new_part) {
  const Series* before = old_part.find(metric::kLoss);
  const Series* after = new_part.find(metric::kLoss);
  if (before == nullptr || after == nullptr || before->empty() || after->empty()) return std::nullopt;
  LossAcross out;
  const std::size_t take = std::min(kCompared, after->size());
  const std::vector<double> now = values_from(*after, 0, take);
  const std::size_t from = before->at_or_after_step(after->step(0));
  const std::size_t to = std::min(before->at_or_after_step(after->step(take - 1) + 1), from + kCompared);
  out.same_steps = to > from && 2 * (to - from) >= take;
  const std::size_t end = out.same_steps ? to : before->size();
  const std::size_t begin = out.same_steps ? from : end > kCompared ? end - kCompared : 0;
  const std::vector<double> then = values_from(*before, begin, end);
  out.before = median(then);
  out.after = median(now);
  if (!std::isfinite(out.before) || !std::isfinite(out.after)) return std::nullopt;
  const double noise = then.size() >= 3 ? neighbor_noise(then) : 0;
  out.goes_on = std::fabs(out.after - out.before) <= std::max(kSameLevel * std::fabs(out.before), kNoise * noise);
  return out;
}

// Two segments begin at the same place when their first steps differ by no more than an interval between records.
bool begins_like_the_first(const Run& run, std::size_t index) {
  const Segment& first = run.segments.front();
  const Segment& segment = run.segments[index];
  return begins_at_start(run, index) &&
         segment.first_step() <= first.first_step() + std::max(record_spacing(first), record_spacing(segment));
}

std::vector<Restart> find_restarts(const Run& run) {
  std::vector<Restart> out;
  for (std::size_t i = 1; i < run.segments.size(); ++i) {
    const Segment& before = run.segments[i - 1];
    const Segment& segment = run.segments[i];
    if (before.empty() || segment.empty()) continue;
    Restart one{i, before.last_step(), segment.first_step(), segment.rows->line.front(), false, {}};
    one.new_run = begins_like_the_first(run, i);
    if (!one.new_run) one.loss = loss_across(before, segment);
    out.push_back(one);
  }
  return out;
}

// Checkpoints loaded in the middle of a segment: the steps go on, so nothing but the message tells of a resume.
std::vector<const Event*> loads_within(const Run& run) {
  std::vector<const Event*> out;
  for (const Event& event : run.events) {
    if (event.kind != EventKind::kCheckpointLoaded || event.segment < 0) continue;
    const Segment& segment = run.segments[static_cast<std::size_t>(event.segment)];
    if (segment.empty() || event.line <= segment.rows->line.front() || event.line >= segment.rows->line.back())
      continue;
    const bool again = !out.empty() && out.back()->segment == event.segment && out.back()->step == event.step;
    if (!again) out.push_back(&event);  // every rank may say so
  }
  return out;
}

Evidence evidence_of(const Run& run, const Restart& one) {
  Evidence out;
  out.where = place(run, one.segment, one.steps(), one.line);
  if (!one.loss) {
    out.text = {"back", {{"last", one.last}, {"first", one.first}}};
    return out;
  }
  const char* key = one.loss->goes_on                    ? one.loss->same_steps ? "loss-same-steps" : "loss-goes-on"
                    : one.loss->after > one.loss->before ? "loss-higher"
                                                         : "loss-lower";
  out.text = {key,
              {{"last", one.last}, {"first", one.first}, {"before", one.loss->before}, {"after", one.loss->after}}};
  return out;
}

void tell_new_runs(const Run& run, const std::vector<Restart>& all, Findings& out) {
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.9;
  finding.impact = 0.1;
  std::size_t runs = 1;
  std::int64_t least = run.segments.front().empty() ? all.front().first : run.segments.front().first_step();
  std::int64_t most = all.front().last;
  const Restart* first = nullptr;
  for (const Restart& one : all) {
    if (!one.new_run) continue;
    ++runs;
    least = std::min(least, one.first);
    most = std::max(most, one.last);
    if (first == nullptr)
      first = &one;
    else
      finding.also.push_back(place(run, one.segment, one.steps(), one.line));
  }
  finding.message = {
      "several-runs",
      {{"runs", runs}, {"first", first->first}, {"last", first->last}, {"least", least}, {"most", most}}};
  finding.where = place(run, first->segment, first->steps(), first->line);
  finding.actions.push_back({{"split", {}}, ""});
  out.add(std::move(finding));
}

void tell_restarts(const Run& run, const std::vector<Restart>& restarts, Findings& out) {
  const Restart* worst = nullptr;
  std::int64_t repeated = 0;
  for (const Restart& one : restarts) {
    if (one.new_run) continue;
    repeated += one.repeated();
    if (worst == nullptr || one.repeated() > worst->repeated()) worst = &one;
  }
  if (worst == nullptr) return;
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.95;
  finding.impact = share_of_run(run, worst->steps());
  std::size_t count = 0;
  for (const Restart& one : restarts) {
    if (one.new_run) continue;
    ++count;
    if (&one != worst) finding.also.push_back(place(run, one.segment, one.steps(), one.line));
    if (finding.evidence.size() < 5) finding.evidence.push_back(evidence_of(run, one));
  }
  finding.message = {count > 1 ? "restarts" : "restart",
                     {{"count", count},
                      {"last", worst->last},
                      {"first", worst->first},
                      {"repeated", worst->repeated()},
                      {"s", plural(worst->repeated())},
                      {"all", repeated}}};
  finding.where = place(run, worst->segment, worst->steps(), worst->line);
  if (worst->loss && !worst->loss->goes_on) finding.actions.push_back({{"check-state", {{"first", worst->first}}}, ""});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const std::vector<Restart> restarts = find_restarts(run);
  const auto fresh = std::count_if(restarts.begin(), restarts.end(), [](const Restart& r) { return r.new_run; });
  if (fresh > 0) tell_new_runs(run, restarts, out);
  tell_restarts(run, restarts, out);
  const std::vector<const Event*> loads = loads_within(run);
  if (!restarts.empty() || loads.empty()) return;
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.8;
  finding.impact = 0.05;
  const std::int64_t step = loads.front()->step.value_or(0);
  finding.message = {"resumed", {{"count", loads.size()}, {"step", step}}};
  finding.where = place(run, static_cast<std::size_t>(loads.front()->segment), {step, step}, loads.front()->line);
  for (std::size_t i = 1; i < loads.size(); ++i) {
    const std::int64_t at = loads[i]->step.value_or(0);
    finding.also.push_back(place(run, static_cast<std::size_t>(loads[i]->segment), {at, at}, loads[i]->line));
  }
  finding.evidence.push_back({{"line", {{"line", loads.front()->text}}}, {}, place(run, loads.front()->line)});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kRunRestarted;
const Rule kRunRestarted{
    .name = "run-restarted",
    .family = "phenomenon",
    .title_en = "the run was restarted",
    .title_zh = "训练中途重启过",
    .scope = Scope::kRun,
    .severity = Severity::kNote,
    .sentences =
        {{"restart", "the run went back from step {last} to step {first}: {repeated} step{s} done twice",
          "训练从第 {last} 步退回到第 {first} 步：重复了 {repeated} 步"},
         {"restarts",
          "the run was restarted {count} times, {all} steps done twice in all; the longest way back: from step {last} "
          "to "
          "step "
          "{first}",
          "训练重启 {count} 次，共重复 {all} 步；退得最远的一次：从第 {last} 步退回到第 {first} 步"},
         {"several-runs",
          "the file holds {runs} runs: the step counter starts over ({last} -> {first}); each is judged on its own",
          "文件中有 {runs} 次训练：步数重新开始计数（{last} -> {first}），逐次分别判断"},
         {"resumed", "a checkpoint was loaded at step {step}; the steps go on without a gap ({count} in all)",
          "第 {step} 步加载了 checkpoint，步数连续（共 {count} 次）"},
         {"back", "step {last} -> {first}", "第 {last} 步 -> 第 {first} 步"},
         {"loss-same-steps",
          "step {last} -> {first}: loss at the same steps {before} before, {after} after: goes on as it was",
          "第 {last} 步 -> 第 {first} 步：相同步数上 loss 重启前 {before}，重启后 {after}，保持一致"},
         {"loss-goes-on", "step {last} -> {first}: loss {before} before, {after} after: goes on at its level",
          "第 {last} 步 -> 第 {first} 步：loss 重启前 {before}，重启后 {after}，水平一致"},
         {"loss-higher", "step {last} -> {first}: loss {before} before, {after} after: higher than it was",
          "第 {last} 步 -> 第 {first} 步：loss 重启前 {before}，重启后 {after}，高于重启前"},
         {"loss-lower", "step {last} -> {first}: loss {before} before, {after} after: lower than it was",
          "第 {last} 步 -> 第 {first} 步：loss 重启前 {before}，重启后 {after}，低于重启前"},
         {"line", "the log says: {line}", "日志原文：{line}"},
         {"split", "give each run its own log file", "为每次训练使用单独的日志文件"},
         {"check-state",
          "check that optimizer state, step count, learning rate, loss scale and data position were restored at step "
          "{first}: a loss that jumps up lacks one of them, one that drops has read its data before",
          "检查第 {first} 步续训时是否恢复了优化器状态、步数、学习率、loss scale 和数据位置：loss "
          "跳高说明缺了其中之一，loss "
          "变低说明数据被重复读取"}},
    .docs = {.finds =
                 "Places where the step counter goes back, checkpoints that are loaded on the way, and files that hold "
                 "several runs one after another.",
             .matters =
                 "Steps between the checkpoint and the failure are computed twice. What was not restored (optimizer "
                 "state, scheduler, loss scale, data position) shows as a change right after the restart and is "
                 "easily taken for an instability.",
             .decides =
                 "A step that is lower than the one before begins a new part of the run, unless it is another rank's "
                 "copy of a line. A part that begins where the first one began is another run. For each restart "
                 "the loss after it is compared with the loss at the same steps before it, or with the last "
                 "records where steps do not overlap; within 5 % or four times the noise it goes on as it was.",
             .example = "`the run went back from step 7,220 to step 6,900: 321 steps done twice`",
             .to_do = "Nothing, when the loss goes on as it was. Otherwise check what the resume restored.",
             .false_alarms = "Logs of several excerpts pasted together.",
             .references =
                 "NVIDIA/apex#480, Lightning-AI/pytorch-lightning#10766 (loss scaler not restored), DeepSpeed "
                 "PR #1525 (optimizer step not saved), Lightning#18780 as told in ml-engineering (sampler "
                 "restarted)."},
    .judge = judge};

}  // namespace assay
