// The run was restarted, or the file holds several runs.
//
// A restart is no fault by itself: it is told with its two ends, with what was repeated, and with the loss at the same
// steps before and after, which is the fairest comparison there is. What it may bring with it is: optimizer state, step
// count, learning rate, loss scale or data position that were not restored show as a loss that is higher than it was,
// weights that were not loaded as the loss of random weights, a sampler that starts over as a loss that is lower and
// rises again. A bump that is gone within fifty records costs nothing.
//
// A counter that goes back to where it began is another run in the same file, not a restart, and is told as such.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/resumes.h"
#include "measure/training_kind.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"

namespace assay {

namespace {

using Goes = LossAcross::Goes;

constexpr std::size_t kEnoughToTell = 16;  // records after a restart
constexpr std::size_t kMostEvidence = 5;
constexpr double kSameRate = 0.1;  // schedules move by less between the records around a restart

struct Judged {
  Resume at;
  Severity severity = Severity::kNote;
  double rank() const { return at.loss ? std::fabs(at.loss->rise) : 0; }
};

Location where(const Run& run, const Resume& one) {
  return place(run, one.segment, {std::min(one.first, one.last), std::max(one.first, one.last)}, one.line);
}

Severity severity_of(const Run& run, const Resume& one, TrainingKind kind, const Parameters& set) {
  if (!one.loss || is_objective(kind) || adversarial(run.segments[one.segment])) return Severity::kNote;
  const LossAcross& loss = *one.loss;
  if (loss.goes == Goes::kLower) return loss.back && -loss.rise >= set["rise"] ? Severity::kWarning : Severity::kNote;
  if (loss.goes == Goes::kOn) return Severity::kNote;
  if (loss.from_start) return loss.repaired ? Severity::kWarning : Severity::kError;
  if (loss.rise < set["rise"]) return Severity::kNote;
  if (loss.back) return static_cast<double>(loss.records) <= set["brief"] ? Severity::kNote : Severity::kWarning;
  if (loss.repaired || loss.coming_back || loss.records < kEnoughToTell) return Severity::kWarning;
  const double lost = kind == TrainingKind::kPretraining ? set["rise"] : set["lost"];
  return loss.end_rise >= lost ? Severity::kError : Severity::kWarning;
}

std::vector<Judged> judged_resumes(const Run& run, const Parameters& set) {
  const TrainingKind kind = training_kind(run);
  std::vector<Judged> out;
  for (Resume& one : find_resumes(run)) {
    const Severity severity = severity_of(run, one, kind, set);
    out.push_back({std::move(one), severity});
  }
  return out;
}

std::string key_of(const LossAcross& loss) {
  const std::string steps = loss.same_steps ? "-same" : "";
  if (loss.from_start) return "from-start";
  if (loss.goes == Goes::kLower) return (loss.back ? "lower-rises" : "lower") + steps;
  if (loss.goes == Goes::kOn) return "goes-on" + steps;
  if (loss.back) return "higher-back" + steps;
  if (loss.repaired) return "higher-repaired" + steps;
  return (loss.records < kEnoughToTell ? "higher-open" : "higher-lasting") + steps;
}

// What became of the loss, as message of the worst restart and as evidence of the others.
Phrase told(const Resume& one) {
  const std::int64_t repeated = one.repeated();
  Values values = {{"last", one.last}, {"first", one.first}, {"repeated", repeated}};
  if (!one.loss) return {one.row > 0 ? "loaded" : "restart", std::move(values)};
  const LossAcross& loss = *one.loss;
  values.insert(values.end(), {{"before", loss.before},
                               {"after", loss.after},
                               {"rise", Value(std::round(1000 * loss.rise) / 10, Unit::kPercent)},
                               {"records", loss.records},
                               {"end", loss.end},
                               {"back", loss.back.value_or(one.first)},
                               {"start", loss.from_start.value_or(0)}});
  return {key_of(loss), std::move(values)};
}

std::optional<double> value_around(const Segment& segment, std::string_view name, std::int64_t step, bool before) {
  const Series* series = segment.find(name);
  if (series == nullptr || series->empty()) return std::nullopt;
  const std::size_t i = series->at_or_after_step(step);
  if (before && i == 0) return std::nullopt;
  return before ? series->value(i - 1) : series->value(std::min(i, series->size() - 1));
}

// The learning rate at the step where the run goes on: it tells a schedule that was not restored.
void add_rate_evidence(const Run& run, const Resume& one, Finding& finding) {
  if (one.row > 0) return;
  const auto before = value_around(run.segments[one.segment - 1], metric::kLearningRate, one.first + 1, true);
  const auto after = value_around(run.segments[one.segment], metric::kLearningRate, one.first, false);
  if (!before || !after || !(*before > 0) || std::fabs(*after - *before) <= kSameRate * *before) return;
  finding.evidence.push_back({{"rate", {{"before", *before}, {"after", *after}, {"first", one.first}}}, {}, {}});
}

void add_actions(const Resume& one, Finding& finding) {
  if (!one.loss || one.loss->goes == Goes::kOn) return;
  const LossAcross& loss = *one.loss;
  const Values at = {{"first", one.first}};
  if (loss.from_start) {
    finding.actions.push_back({{"check-weights", at}, ""});
    finding.actions.push_back({{"stop-now", at}, ""});
  } else if (loss.goes == Goes::kLower) {
    finding.actions.push_back({{loss.back ? "check-sampler" : "check-lower", at}, ""});
  } else {
    finding.actions.push_back({{"check-state", at}, ""});
    if (finding.severity == Severity::kError) finding.actions.push_back({{"resume-again", at}, ""});
  }
}

void tell_resumes(const Run& run, std::vector<Judged> all, Findings& out) {
  std::sort(all.begin(), all.end(), [](const Judged& a, const Judged& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    if (a.severity != Severity::kNote && a.rank() != b.rank()) return a.rank() > b.rank();
    if (a.at.repeated() != b.at.repeated()) return a.at.repeated() > b.at.repeated();
    return std::pair(a.at.segment, a.at.row) < std::pair(b.at.segment, b.at.row);
  });
  const Judged& worst = all.front();
  Finding finding;
  finding.severity = worst.severity;
  finding.confidence = worst.severity == Severity::kNote ? 0.95 : std::clamp(0.7 + worst.rank() / 2, 0.7, 0.95);
  finding.where = where(run, worst.at);
  const StepRange steps = *finding.where->steps;
  finding.impact = share_of_run(run, steps);
  std::int64_t repeated = 0;
  for (const Judged& one : all) repeated += one.at.repeated();
  finding.message = told(worst.at);
  if (worst.severity == Severity::kNote && all.size() > 1) {
    finding.message = {"restarts",
                       {{"count", all.size()}, {"all", repeated}, {"last", worst.at.last}, {"first", worst.at.first}}};
    finding.evidence.push_back({told(worst.at), {}, where(run, worst.at)});
  }
  const Series* loss = run.segments[worst.at.segment].find(metric::kLoss);
  if (worst.severity != Severity::kNote && loss != nullptr && loss->size() > 2) {
    finding.evidence.push_back({{}, curve_around(*loss, {worst.at.first, loss->last_step()}), {}});
    add_rate_evidence(run, worst.at, finding);
  }
  for (std::size_t i = 1; i < all.size(); ++i) {
    finding.also.push_back(where(run, all[i].at));
    if (finding.evidence.size() < kMostEvidence)
      finding.evidence.push_back({told(all[i].at), {}, where(run, all[i].at)});
  }
  add_actions(worst.at, finding);
  out.add(std::move(finding));
}

// --- several runs in one file ---

void tell_new_runs(const Run& run, Findings& out) {
  Finding finding;
  finding.severity = Severity::kNote;
  finding.confidence = 0.9;
  finding.impact = 0.1;
  std::size_t runs = 1;
  std::int64_t least = 0;
  std::int64_t most = 0;
  const Segment* before = nullptr;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Segment& segment = run.segments[i];
    if (segment.empty()) continue;
    if (before == nullptr) least = segment.first_step();
    least = std::min(least, segment.first_step());
    most = std::max(most, segment.last_step());
    if (before != nullptr && !continues(run, i)) {
      ++runs;
      const std::int64_t last = before->last_step();
      const std::int64_t first = segment.first_step();
      Location at = place(run, i, {std::min(first, last), std::max(first, last)}, segment.rows->line.front());
      if (runs == 2) {
        finding.where = std::move(at);
        finding.message = {"several-runs", {{"first", first}, {"last", last}}};
      } else {
        finding.also.push_back(std::move(at));
      }
    }
    before = &segment;
  }
  if (runs == 1) return;
  finding.message.values.insert(finding.message.values.end(), {{"runs", runs}, {"least", least}, {"most", most}});
  finding.actions.push_back({{"split", {}}, ""});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  tell_new_runs(run, out);
  std::vector<Judged> resumes = judged_resumes(run, set);
  if (!resumes.empty()) tell_resumes(run, std::move(resumes), out);
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
    .is_reason = true,
    .parameters =
        {{"rise", "of the level", 0.10, 0.02, 10,
          "as for loss-divergence: less is what other data makes; below it a difference is a note"},
         {"brief", "records", 50, 1, 100000,
          "data read in another order makes a bump at the start that is gone after about 50 records; optimizer state "
          "that was lost takes longer to build up again"},
         {"lost", "of the level", 0.30, 0.05, 10,
          "as for loss-divergence: what is left at the end, outside of pre-training, that makes it an error"}},
    .sentences =
        {{"restart", "the run went back from step {last} to step {first}: {repeated} steps done twice",
          "训练从第 {last} 步退回到第 {first} 步：重复了 {repeated} 步"},
         {"restarts",
          "the run was restarted {count} times, {all} steps done twice in all; the longest way back: from step {last} "
          "to step {first}",
          "训练重启 {count} 次，共重复 {all} 步；退得最远的一次：从第 {last} 步退回到第 {first} 步"},
         {"loaded", "a checkpoint was loaded at step {first}", "第 {first} 步加载了检查点"},
         {"goes-on-same",
          "the run went back from step {last} to step {first}: {repeated} steps done twice; loss at the same steps "
          "was {before} before and is {after} after: it goes on as it was",
          "训练从第 {last} 步退回到第 {first} 步：重复了 {repeated} 步；相同步数上 loss 重启前为 {before}，重启后为 "
          "{after}，保持一致"},
         {"goes-on",
          "the run was taken up again at step {first} (after step {last}); loss was {before} before and is {after} "
          "after: it goes on as it was",
          "训练在第 {first} 步继续（此前到第 {last} 步）；loss 此前为 {before}，此后为 {after}，保持一致"},
         {"higher-back-same",
          "after the restart at step {first} loss was {after} where it had been {before} at the same steps (+{rise}); "
          "it was back by step {back}, after {records} records",
          "第 {first} 步重启后 loss 为 {after}，而重启前相同步数上为 {before}（+{rise}）；{records} 条记录之后（第 "
          "{back} 步）才恢复"},
         {"higher-back",
          "after the restart at step {first} loss was {after}, {before} before it (+{rise}); it was back by step "
          "{back}, after {records} records",
          "第 {first} 步重启后 loss 为 {after}，重启前为 {before}（+{rise}）；{records} 条记录之后（第 {back} "
          "步）才恢复"},
         {"higher-repaired-same",
          "after the restart at step {first} loss was {after} where it had been {before} at the same steps (+{rise}), "
          "until another restart brought it back",
          "第 {first} 步重启后 loss 为 {after}，而重启前相同步数上为 {before}（+{rise}），直到再次重启才恢复"},
         {"higher-repaired",
          "after the restart at step {first} loss was {after}, {before} before it (+{rise}), until another restart "
          "brought it back",
          "第 {first} 步重启后 loss 为 {after}，重启前为 {before}（+{rise}），直到再次重启才恢复"},
         {"higher-open-same",
          "after the restart at step {first} loss is {after} where it had been {before} at the same steps (+{rise}); "
          "the log has only {records} records from there on",
          "第 {first} 步重启后 loss 为 {after}，而重启前相同步数上为 {before}（+{rise}）；此后日志只有 {records} "
          "条记录"},
         {"higher-open",
          "after the restart at step {first} loss is {after}, {before} before it (+{rise}); the log has only {records} "
          "records from there on",
          "第 {first} 步重启后 loss 为 {after}，重启前为 {before}（+{rise}）；此后日志只有 {records} 条记录"},
         {"higher-lasting-same",
          "after the restart at step {first} loss is {after} where it had been {before} at the same steps (+{rise}) "
          "and has not come back: {end} at the end, {records} records later",
          "第 {first} 步重启后 loss 为 {after}，而重启前相同步数上为 {before}（+{rise}），至今未恢复：{records} "
          "条记录后仍为 {end}"},
         {"higher-lasting",
          "after the restart at step {first} loss is {after}, {before} before it (+{rise}), and has not come back: "
          "{end} at the end, {records} records later",
          "第 {first} 步重启后 loss 为 {after}，重启前为 {before}（+{rise}），至今未恢复：{records} 条记录后仍为 "
          "{end}"},
         {"from-start",
          "after the restart at step {first} loss is {after}, where training began ({start}), {before} before it: the "
          "weights were not loaded",
          "第 {first} 步重启后 loss 为 {after}，回到训练开始时的水平（{start}），重启前为 {before}：权重没有被加载"},
         {"lower-rises-same",
          "after the restart at step {first} loss was {after} where it had been {before} at the same steps, and rose "
          "again by step {back}: it read data that it had read before",
          "第 {first} 步重启后 loss 为 {after}，而重启前相同步数上为 {before}，到第 {back} 步又升了回去：说明重复读取了"
          "已经读过的数据"},
         {"lower-rises",
          "after the restart at step {first} loss was {after}, {before} before it, and rose again by step {back}: it "
          "read data that it had read before",
          "第 {first} 步重启后 loss 为 {after}，重启前为 {before}，到第 {back} 步又升了回去：说明重复读取了已经读过的"
          "数据"},
         {"lower-same",
          "after the restart at step {first} loss is {after} where it had been {before} at the same steps: lower than "
          "it was",
          "第 {first} 步重启后 loss 为 {after}，而重启前相同步数上为 {before}：低于重启前"},
         {"lower", "after the restart at step {first} loss is {after}, {before} before it: lower than it was",
          "第 {first} 步重启后 loss 为 {after}，重启前为 {before}：低于重启前"},
         {"several-runs",
          "the file holds {runs} runs: the step counter starts over ({last} -> {first}); each is judged on its own",
          "文件中有 {runs} 次训练：步数重新开始计数（{last} -> {first}），逐次分别判断"},
         {"rate", "learning rate at step {first}: {before} before the restart, {after} after it",
          "第 {first} 步的学习率：重启前 {before}，重启后 {after}"},
         {"split", "give each run its own log file", "为每次训练使用单独的日志文件"},
         {"check-state",
          "check that optimizer state, step count, learning rate, loss scale and data position were restored at step "
          "{first}: a loss that jumps up lacks one of them",
          "检查第 {first} 步续训时是否恢复了优化器状态、步数、学习率、loss scale 和数据位置：loss "
          "跳高说明缺了其中之一"},
         {"check-lower", "check that the data position was restored at step {first}",
          "检查第 {first} 步续训时是否恢复了数据位置"},
         {"resume-again", "then resume from the same checkpoint again: what was trained from step {first} on is worse",
          "然后从同一检查点重新续训：第 {first} 步之后训练的结果更差"},
         {"check-weights",
          "check the path of the checkpoint (--load or resume_from_checkpoint) and that its directory holds the "
          "weights: at step {first} training went on with new ones",
          "检查检查点路径（--load 或 resume_from_checkpoint）及其目录中是否有权重：第 {first} "
          "步是用重新初始化的权重继续训练的"},
         {"stop-now", "do not keep checkpoints saved after step {first}: they are of another model",
          "不要保留第 {first} 步之后保存的检查点：它们属于另一个模型"},
         {"check-sampler",
          "restore the sampler's position when resuming (state of the data loader, --dataloader-save, "
          "ignore_data_skip false): from step {first} on data was read again",
          "续训时同时恢复采样器位置（数据加载器状态、--dataloader-save、ignore_data_skip false）：从第 {first} "
          "步起重复读取了数据"}},
    .docs = {.finds =
                 "Places where the step counter goes back, checkpoints that are loaded on the way, and files that hold "
                 "several runs one after another; and what the restart did to the loss.",
             .matters = "Steps between the checkpoint and the failure are computed twice. What was not restored "
                        "(optimizer state, scheduler, loss scale, data position, weights) shows as a change right "
                        "after the restart and is easily taken for an instability.",
             .decides =
                 "A step that is lower than the one before begins a new part of the run, unless it is another rank's "
                 "copy of a line. A part that begins where the first one began is another run. For each restart the "
                 "loss after it (median of 16 records, or of three where that is higher) is compared with the loss at "
                 "the same steps before it, or with the last records where no steps are repeated; within 5 % or four "
                 "times the noise it goes on as it was. It is back where the median of 16 records is within that "
                 "margin.\n\n*note*: it goes on as it was, differs by less than 10 %, or is back within 50 records. "
                 "*warning*: it takes longer, is still falling back, or another restart brought it back; or it was "
                 "lower and rose again by half of the difference (data read again). *error*: it does not come back and "
                 "10 % (30 % outside of pre-training) are left at the end; or it is within 5 % of the first loss of "
                 "the run after having been below half of it (the weights were not loaded). Preference objectives "
                 "and adversarial losses are only told.",
             .example = "`the run went back from step 7,220 to step 6,900: 321 steps done twice; loss at the same "
                        "steps was 2.291 before and is 2.288 after: it goes on as it was`",
             .to_do = "Nothing, when the loss goes on as it was. Otherwise check what the resume restored.",
             .false_alarms = "Logs of several excerpts pasted together. Data, batch size or sequence length that were "
                             "changed on purpose at the restart.",
             .references =
                 "NVIDIA/apex#480, Lightning-AI/pytorch-lightning#10766 (loss scaler not restored), DeepSpeed "
                 "PR #1525 (optimizer step not saved), Lightning#18780 as told in ml-engineering (sampler "
                 "restarted), IDEFICS-80B chronicles (bump of about 50 records at each resume)."},
    .judge = judge};

}  // namespace assay
