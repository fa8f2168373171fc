// The schedule of the learning rate does not fit the run. What is judged by the settings alone is in schedule_said.cpp,
// what was drawn by the log in schedule_seen.cpp; here they become one finding: the gravest speaks, the others are its
// evidence. Where both say that the decay ends before the run, or after it, the log has the word: it is what acted.

#include <algorithm>
#include <string_view>
#include <utility>

#include "assay/setting.h"
#include "rules/hyper/schedule_issues.h"
#include "rules/said_places.h"

namespace assay {

namespace {

std::optional<Planned> length_of(const Run& run, const Plan& plan) {
  auto told = plan.told(setting::kTrainSteps);
  if (run.planned_steps && *run.planned_steps > 0) {
    if (told && told->value == static_cast<double>(*run.planned_steps)) return told;
    Planned out;
    out.value = static_cast<double>(*run.planned_steps);
    out.key = out.written = setting::kTrainSteps;
    return out;
  }
  return told && told->value > 0 ? told : std::nullopt;
}

bool about_length(std::string_view key) {
  return key == "said-short" || key == "said-short-open" || key == "said-idle" || key == "said-long" || key == "flat" ||
         key == "faded" || key == "idle" || key == "unended";
}
bool about_warm_up(std::string_view key) {
  return key == "said-warm-up" || key == "said-never" || key == "warm-up" || key == "never-warm" || key == "rising" ||
         key == "rising-of";
}

// Of issues about one thing the first (what was seen) stays.
void drop_repeated(std::vector<Issue>& issues) {
  bool length = false;
  bool warm_up = false;
  std::erase_if(issues, [&](const Issue& one) {
    if (about_length(one.message.key)) return std::exchange(length, true);
    if (about_warm_up(one.message.key)) return std::exchange(warm_up, true);
    return false;
  });
}

// nanoGPT: without it the rate is constant, whatever the schedule says.
bool switched_off(const Config& config) {
  const Setting* decays = last_written(config, "decay_lr");
  return decays != nullptr && (decays->value == "False" || decays->value == "false");
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (switched_off(run.config)) return out.not_applicable("constant");
  ScheduleCase one{run, plan, set, seen_schedule(run), length_of(run, plan)};
  std::vector<Issue> issues;
  judge_seen_schedule(one, issues);
  judge_said_schedule(one, issues);
  if (!one.seen && !one.length) return out.not_applicable("nothing");
  drop_repeated(issues);
  if (issues.empty()) return;
  Finding finding = one_finding(run, issues);
  // A trial of a few steps shows that a program starts, and nothing of its schedule.
  const bool trial = one.length && one.length->value < set["trial"];
  if (trial && finding.severity != Severity::kError) finding.severity = Severity::kNote;
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kScheduleMismatch;
const Rule kScheduleMismatch{
    .name = "schedule-mismatch",
    .family = "hyper",
    .title_en = "the schedule of the learning rate does not fit the length of the run",
    .title_zh = "学习率调度与训练长度不匹配",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"rest", "of the run", 0.1, 0.01, 1,
                    "published recipes leave up to a tenth at the minimum (BLOOM 9 %); GPT-3 left more, so it is a "
                    "note as long as "
                    "the minimum still trains"},
                   {"records", "records", 10, 3, 1e6, "a flat end of fewer may be the last digit of the print"},
                   {"left", "of the way from peak to minimum", 0.1, 0.01, 1,
                    "a run that ends within a tenth of its minimum has had its decay"},
                   {"left-much", "of the way from peak to minimum", 0.5, 0.1, 1,
                    "more than half of the decay is missing: most of its gain lies in the last part"},
                   {"rising", "records", 100, 3, 1e6,
                    "fine-tuning warms up for tens of steps; pre-training, which takes hundreds and more, is left out"},
                   {"trial", "steps", 100, 0, 1e9,
                    "a run of fewer steps is there to see a program start: a note at most"},
                   {"warm-up", "of the run", 0.25, 0.01, 1,
                    "published recipes warm up over 0.1 to 2 %, fine-tuning over 3 to 10 %; the tuning playbook goes "
                    "to 5 % before "
                    "it lengthens the run"}},
    .sentences =
        {{"flat",
          "the learning rate reached its minimum of {least} ({share} of the peak) at step {step} and stayed there for "
          "the "
          "last {rest} of the run, to step {last}",
          "学习率在第 {step} 步已降到最小值 {least}（峰值的 {share}），此后直到第 {last} 步（训练的最后 "
          "{rest}）都停在该值"},
         {"idle",
          "the learning rate reached {least} at step {step}: the last {rest} of the run, to step {last}, trained "
          "nothing",
          "学习率在第 {step} 步已降到 {least}：直到第 {last} 步，训练的最后 {rest} 几乎没有学习"},
         {"unended",
          "the run ended at step {last} with a learning rate of {rate}, {share} of the peak: the decay that it drew "
          "ends at "
          "about step {end}",
          "训练在第 {last} 步结束时学习率仍为 {rate}（峰值的 {share}）：按所画出的曲线，衰减约在第 {end} 步才结束"},
         {"never-warm", "the run ended at step {last} while the learning rate was still rising (to {rate})",
          "训练在第 {last} 步结束时学习率仍在上升（到 {rate}）"},
         {"rising",
          "the log ends within the warm-up: at step {last}, after {records} records, the learning rate is still rising "
          "(to {rate})",
          "日志在 warm-up 期间结束：{records} 条记录之后（第 {last} 步）学习率仍在上升（到 {rate}）"},
         {"rising-of",
          "the log ends within the warm-up: at step {last} of {run} the learning rate is still rising (to {rate})",
          "日志在 warm-up 期间结束：第 {last} 步（共 {run} 步）学习率仍在上升（到 {rate}）"},
         {"warm-up", "the warm-up ends at step {step}, after {share} of the {run} steps",
          "warm-up 到第 {step} 步才结束，占 {run} 步的 {share}"},
         {"faded",
          "the learning rate fell below 1 % of its peak at step {step}, and to {least} in the end: the last {rest} of "
          "the run, to step {last}, trained next to nothing",
          "学习率在第 {step} 步已低于峰值的 1 %，最终降到 {least}：直到第 {last} 步，训练的最后 {rest} 几乎没有学习"},
         {"climbs", "the learning rate climbs back from {low} at step {step}; the peak is {peak}",
          "学习率在第 {step} 步从 {low} 重新上升（峰值 {peak}）"},
         {"climbs-often",
          "the learning rate climbs back {times} times, first from {low} at step {step}; the peak is {peak}",
          "学习率 {times} 次重新上升，首次在第 {step} 步从 {low} 开始（峰值 {peak}）"},
         {"said-short",
          "{written} = {decay}, but the run has {run} {unit}: the last {rest} of it are trained at the minimum, "
          "{least} of "
          "the peak",
          "{written} = {decay}，而训练共 {run} {unit-zh}：最后 {rest} 以最小学习率（峰值的 {least}）训练"},
         {"said-short-open",
          "{written} = {decay}, but the run has {run} {unit}: the last {rest} of it are trained at the minimum",
          "{written} = {decay}，而训练共 {run} {unit-zh}：最后 {rest} 以最小学习率训练"},
         {"said-idle",
          "{written} = {decay}, but the run has {run} {unit}, and the minimum learning rate is {least} of the peak: "
          "the last "
          "{rest} of the run train nothing",
          "{written} = {decay}，而训练共 {run} {unit-zh}，最小学习率只有峰值的 {least}：最后 {rest} 几乎不学习"},
         {"said-long",
          "{written} = {decay}, but the run has {run} {unit}: it ends with {end} of the peak learning rate",
          "{written} = {decay}，而训练共 {run} {unit-zh}：结束时学习率仍为峰值的 {end}"},
         {"said-fails",
          "{written} = {warm-up}, but the decay ends after {end} {unit}: Megatron's scheduler asserts that the warm-up "
          "is "
          "shorter, and the run will not start",
          "{written} = {warm-up}，而衰减在 {end} {unit-zh}后结束：Megatron 的调度器要求 warm-up 更短，训练将无法启动"},
         {"said-never", "{written} = {warm-up}, but the run has {run} {unit}: the learning rate never reaches its peak",
          "{written} = {warm-up}，而训练共 {run} {unit-zh}：学习率永远达不到峰值"},
         {"said-warm-up", "{written} = {warm-up}: the warm-up takes {share} of the {run} {unit} of the run",
          "{written} = {warm-up}：warm-up 占训练 {run} {unit-zh}的 {share}"},
         {"asked", "asked for: {written} = {value}", "设置为：{written} = {value}"},
         {"factor-known",
          "asked for were {expected} steps, {factor} times as many, and {what} is {factor}: the scheduler is stepped "
          "{factor} times for each update (Accelerate steps a prepared scheduler once for each process)",
          "要求的是 {expected} 步，为实际的 {factor} 倍，而 {what} 正是 {factor}：每次更新调度器被推进 {factor} "
          "次（Accelerate 会按进程"
          "数推进 scheduler）"},
         {"factor",
          "asked for were {expected} steps, {factor} times as many: a scheduler that is stepped {factor} times for "
          "each "
          "update (once for each process, or for each micro-batch) looks like this",
          "要求的是 {expected} 步，为实际的 {factor} 倍：每次更新推进 {factor} 次（每个进程或每个 micro-batch "
          "一次）的调度器就会这样"},
         {"as-long", "let the decay end with the run: {run} {unit}", "让衰减与训练同时结束：{run} {unit-zh}"},
         {"scale-steps",
          "give the scheduler {factor} times the steps, or step it once for each update (split_batches, or a scheduler "
          "that "
          "is not prepared)",
          "把调度器步数乘以 {factor}，或保证每次更新只推进一次（split_batches，或不对 scheduler 调用 prepare）"},
         {"shorter-warm-up",
          "shorten the warm-up, and look at its unit: samples, tokens and shares are taken for steps easily",
          "缩短 warm-up，并检查其单位：样本数、token 数和比例很容易被当成步数"},
         {"constant", "the learning rate is constant (decay_lr is off)", "学习率恒定（decay_lr 关闭）"},
         {"nothing", "needs a learning rate in at least three records, or the length of the run in the settings",
          "需要至少三条记录带有学习率，或设置中的训练长度"}},
    .docs =
        {.finds =
             "A decay that ends well before the run or well after it, a warm-up that does not end or takes much of the "
             "run, a rate that climbs back, a scheduler that is stepped several times for each update.",
         .matters =
             "The last part of the decay brings most of its gain; a run that stops in its middle gives that away, and "
             "one that goes on at a rate of 0 pays for steps that change nothing. A schedule that is too fast by the "
             "number of processes looks like a model that stops learning.",
         .decides =
             "From the log: the learning rate is fitted by the forms in use (linear, cosine, inverse square root, "
             "exponential, steps, warm-up-stable-decay). At its minimum for `rest` of the run and `records` records: a "
             "note, a warning where the minimum is below 1 % of the peak. A form without an end, an exponential, that "
             "has "
             "faded below 1 % of its peak for as long: a note. A run that came to its planned end with `left` of the "
             "decay to go: a note, from `left-much` on a warning. Still rising at the planned end: a warning; "
             "in a "
             "log of `rising` records of fine-tuning without an end: a note. Constant rates, levels, inverse square "
             "roots and runs "
             "that "
             "were stopped early are no mismatch. A decay that ends a whole factor too early, which is that of ranks "
             "or "
             "accumulation, is a warning. From the settings: decay and warm-up against the length of the run, in the "
             "unit "
             "in which they are said; a warm-up that is as long as the decay, which Megatron-LM refuses, is an error "
             "before the run. A warm-up longer than `warm-up` of the run is a note, over half of it a warning.",
         .example =
             "`lr-decay-iters = 800, but the run has 1,000 steps: the last 20 % of it are trained at the minimum, "
             "6.7 % of the peak`",
         .to_do = "Set the decay to the length of the run, in the unit in which the run is counted.",
         .false_alarms =
             "A run that is meant to be continued beyond its planned steps, or whose last part at the minimum is "
             "the point (data annealing).",
         .references = "NVIDIA/Megatron-LM, optimizer_param_scheduler.py. huggingface/accelerate, scheduler.py: a "
                       "prepared scheduler "
                       "is stepped num_processes times. Google Research, Deep Learning Tuning Playbook. GPT-3 "
                       "(2005.14165): decay "
                       "over 260 of 300 billion tokens. BigScience, tr11-176B: 410 of 450 billion."},
    .judge = judge};

}  // namespace assay
