// The configuration says one thing, the run did another. Settings against their traces: drift_seen.cpp; sources of one
// run against each other: drift_said.cpp. Here they become one finding; the traces come first, since they are what
// acted.

#include <algorithm>

#include "assay/setting.h"
#include "rules/hyper/drift_issues.h"

namespace assay {

namespace {

// A trace that contradicts a setting that another source contradicts too is said once.
bool about_rate(const Issue& one) {
  return one.message.key == "rate" || one.message.key.starts_with("rate-") ||
         one.message.key.starts_with("restart-rate");
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  if (!run.has_begun()) return;
  if (run.config.settings.empty()) return out.not_applicable("no-settings");
  const Plan plan(run);
  const DriftCase one{run, plan, set, seen_schedule(run)};
  std::vector<Issue> issues;
  judge_traces(one, issues);
  const bool rate = std::ranges::any_of(issues, about_rate);
  std::vector<Issue> sources;
  judge_sources(one, sources);
  for (Issue& issue : sources) {
    const bool again = rate && issue.message.values.front().second == Value(setting::kLearningRate);
    if (!again) issues.push_back(std::move(issue));
  }
  if (!issues.empty()) out.add(one_finding(run, issues));
}

}  // namespace

extern const Rule kConfigDrift;
const Rule kConfigDrift{
    .name = "config-drift",
    .family = "hyper",
    .title_en = "the run did not do what its configuration says",
    .title_zh = "训练实际所用的设置与配置不一致",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters =
        {{"rate", "of the learning rate", 0.02, 1e-6, 1,
          "the peak may lie between two records, and is printed with few digits"},
         {"rate-far", "times", 1.25, 1, 1e6, "a quarter more or less is within what the optimum forgives: a note"},
         {"warm-up", "of its length", 0.05, 1e-6, 1, "programs count from 0 or 1, round shares up, and skip steps"},
         {"warm-up-far", "times", 2, 1, 1e6, "twice or half is another unit, not rounding"},
         {"decay", "of its length", 0.05, 1e-6, 1, "a curve is flat at its end, and programs count from 0 or 1"},
         {"decay-far", "times", 2, 1, 1e6, "twice or half is another unit or another run, not rounding"},
         {"batch", "of the batch", 0.01, 1e-9, 1, "counters are exact; the last batch of an epoch may be smaller"}},
    .sentences =
        {{"rate", "{written} = {said}, but the learning rate of the log peaks at {seen}, {ratio} times that",
          "{written} = {said}，但日志中学习率的峰值为 {seen}，是其 {ratio} 倍"},
         {"rate-at",
          "{written} = {said} asks for a learning rate of {expected} at step {step}, but the log has {seen} there",
          "{written} = {said} 在第 {step} 步应为学习率 {expected}，但日志中为 {seen}"},
         {"rate-lower", "{written} = {said}, but the learning rate of the log peaks at {seen}, {ratio} of that",
          "{written} = {said}，但日志中学习率的峰值只有 {seen}，是其 {ratio}"},
         {"warm-up", "{written} = {said}, but the learning rate of the log reaches its peak at step {seen}",
          "{written} = {said}，但日志中学习率在第 {seen} 步才到峰值"},
         {"no-warm-up", "{written} = {said}, but the log begins at the full learning rate of {seen}",
          "{written} = {said}，但日志一开始就是完整的学习率 {seen}"},
         {"least-rate", "{written} = {said}, but the learning rate of the log stays at {seen} in the end",
          "{written} = {said}，但日志中学习率最终停在 {seen}"},
         {"warm-up-share",
          "{written} = {share} is {said} of the {run} steps, but the learning rate of the log reaches its peak at step "
          "{seen}",
          "{written} = {share} 即 {run} 步中的 {said} 步，但日志中学习率在第 {seen} 步才到峰值"},
         {"unasked-warm-up",
          "{written} = {said}, but the learning rate of the log rises from near 0 to its peak at step {seen}",
          "{written} = {said}，但日志中学习率从接近 0 上升，到第 {seen} 步才到峰值"},
         {"restart-rate",
          "{written} = {said}, but with the restart at step {step} the learning rate of the log goes from {before} to "
          "{seen}, {ratio} times that",
          "{written} = {said}，但在第 {step} 步重启时，日志中的学习率从 {before} 变为 {seen}，是其 {ratio} 倍"},
         {"restart-rate-lower",
          "{written} = {said}, but with the restart at step {step} the learning rate of the log goes from {before} to "
          "{seen}, {ratio} of that",
          "{written} = {said}，但在第 {step} 步重启时，日志中的学习率从 {before} 变为 {seen}，只有其 {ratio}"},
         {"decay", "{written} = {said}, but the decay of the log ends at step {seen}",
          "{written} = {said}，但日志中的衰减在第 {seen} 步结束"},
         {"least-below", "{written} = {said}, but the learning rate of the log falls to {seen}",
          "{written} = {said}，但日志中学习率降到 {seen}"},
         {"least-above-peak", "{written} = {said} is more than the learning rate of the log ever was, {seen}",
          "{written} = {said}，高于日志中出现过的最大学习率 {seen}"},
         {"constant", "{written} = {word}, but the learning rate of the log is constant to its end",
          "{written} = {word}，但日志中学习率直到结束都是常数"},
         {"line", "{written} = {word}, but the learning rate of the log falls along a line",
          "{written} = {word}，但日志中学习率沿直线下降"},
         {"cosine", "{written} = {word}, but the learning rate of the log falls along a cosine",
          "{written} = {word}，但日志中学习率沿余弦下降"},
         {"whole-batch",
          "{written} = {word} lets the batch grow, but the log has the whole batch of {seen} from step {step} on",
          "{written} = {word} 要求 batch 逐步增大，但日志从第 {step} 步起就是完整的 batch {seen}"},
         {"batch", "{written} = {said}, but a step of the log consumes {seen} samples",
          "{written} = {said}，但日志中每步消耗 {seen} 个样本"},
         {"planned", "{written} = {said}, but the log plans {seen} steps", "{written} = {said}，但日志计划 {seen} 步"},
         {"beyond", "{written} = {said}, but the log has reached step {seen}",
          "{written} = {said}，但日志已到第 {seen} 步"},
         {"sequence", "{written} = {said}, but the log counts {seen} tokens for a sample",
          "{written} = {said}，但日志中每个样本计 {seen} 个 token"},
         {"scaled",
          "{written} asks for {asked}, but the log has a loss scale that moves ({before} -> {after}): gradients are "
          "scaled "
          "as in fp16",
          "{written} 要求 {asked}，但日志中的 loss scale 在变化（{before} -> {after}）：梯度按 fp16 的方式缩放"},
         {"rounded", "{written} asks for {asked}, but the {records} losses of the log were rounded to bf16",
          "{written} 要求 {asked}，但日志中的 {records} 个 loss 曾被舍入到 bf16"},
         {"clip",
          "{written} = {said}, but the grad norms of the log pile up at {seen} ({records} of {of} records): that is "
          "the threshold that acts",
          "{written} = {said}，但日志中的梯度范数堆积在 {seen}（{of} 条记录中的 {records} 条）：实际生效的阈值是它"},
         {"two-printed", "{key} is {a} in {file-a}, but {b} in {file-b}, which the run printed itself",
          "{key} 在 {file-a} 中为 {a}，而在训练自己打印的 {file-b} 中为 {b}"},
         {"two-drawn", "{key} is {a} in {file-a}, but {b} in {file-b}, and the log shows the latter",
          "{key} 在 {file-a} 中为 {a}，在 {file-b} 中为 {b}，日志显示的是后者"},
         {"two", "{key} is {a} in {file-a} and {b} in {file-b}, and nothing tells which one acted",
          "{key} 在 {file-a} 中为 {a}，在 {file-b} 中为 {b}，无从判断哪一个生效"},
         {"seen-at", "seen in the log", "见于日志"},
         {"may-be-another", "{file} may be another run's: nothing but its place ties it to this log",
          "{file} 也可能属于另一次训练：只有存放位置把它与本日志联系起来"},
         {"other-place", "{written} = {value}", "{written} = {value}"},
         {"factor", "the factor of {factor} is {what} ({count})", "倍数 {factor} 正是 {what}（{count}）"},
         {"root", "the factor of {factor} is the square root of {what} ({count})",
          "倍数 {factor} 正是 {what}（{count}）的平方根"},
         {"believe-the-log",
          "take the log's number for what acted, and find what changes {written}: another file, a wrapper, a unit",
          "以日志中的数值为准，并查明是什么改变了 {written}：另一个文件、外层封装，或单位不同"},
         {"correct", "correct {file}, or do not take it for this run's", "更正 {file}，或不要把它当作本次训练的配置"},
         {"no-settings", "needs settings: of the log itself, or a script or configuration beside it",
          "需要设置：日志自身打印的，或其旁的脚本、配置文件"}},
    .docs =
        {.finds = "Settings that the log contradicts, and files of one run that contradict each other: learning rate, "
                  "warm-up, batch, length, sequence, precision, clip threshold, and more.",
         .matters =
             "A result is believed to belong to numbers that did not act. The next run is planned by them, and the "
             "paper reports them.",
         .decides =
             "Each setting that leaves a trace is compared with it (docs/design/said-against-seen.md). The peak of the "
             "logged learning rate: beyond `rate` a note, beyond `rate-far` a warning, as is an excerpt whose rates "
             "are all off by one factor of 2 and more from what the schedule asks for at their steps. The end of the "
             "warm-up: beyond "
             "`warm-up` (and two records) a note, from `warm-up-far` a warning; one that was asked to be none, a "
             "warning. The "
             "end of the decay, where the curve tells it: beyond `decay` a note, from `decay-far` a warning. A "
             "constant "
             "rate to the end where a decay was asked for, a rate that a restart changed, a batch that is whole from "
             "the beginning where it was to grow: a warning; a line for a cosine: a note. Samples for a step against "
             "the global "
             "batch: beyond `batch` a warning, a note where the batch only follows from other settings. A loss scale "
             "that "
             "moves under bf16 or fp32, and norms that pile up at another threshold: a warning. Length, sequence, "
             "least "
             "rate, losses rounded to bf16 under fp32 or fp16: a note. Two files with different numbers: a warning "
             "where the "
             "run "
             "printed one of them or the log draws it, else a note; a file that says several values agrees if one "
             "does.",
         .example = "`--lr = 3e-4, but the learning rate of the log peaks at 0.0024, 8 times that`",
         .to_do =
             "Find what changes the setting on its way: a second file, a wrapper, a unit, a scaling with the number of "
             "ranks.",
         .false_alarms =
             "Layer-wise or per-group learning rates of which the log prints one. A script that was changed "
             "after the run that it lies beside.",
         .references =
             "EleutherAI/pythia: the published 12B configuration says 40 layers and 36 heads, the model has 36 "
             "and 40. BigScience chronicles: a stray file made a resumed run ignore its learning rate "
             "(IDEFICS). NVIDIA/Megatron-LM: warm-up is counted in samples of the final batch."},
    .judge = judge};

}  // namespace assay
