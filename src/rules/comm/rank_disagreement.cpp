// Ranks that share a number, and no longer agree on it.
//
// Data-parallel ranks hold the same weights. They stay the same because each rank takes the same step with the same sum
// of gradients; nothing ever compares them. If one rank adds up other gradients (a hook that missed a parameter, a
// bucket that was overwritten while it was sent, a faulty device or link), its weights drift away, and the loss goes on
// falling for some time, since the mean still helps.
//
// Two things tell. Some frameworks compare (Megatron's check-weight-hash-across-dp-replicas, ZeRO's assertions,
// TORCH_DISTRIBUTED_DEBUG=DETAIL) and stop with a message. And a log of several ranks shows it, where a number that two
// ranks told equally to the last digit for many steps differs from some step on (measure/rank_values, where it is
// explained why no other difference counts).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "assay/metric.h"
#include "measure/scaler.h"
#include "rules/comm/comm_plan.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

// Two numbers as they are read beside each other: with so many digits that they differ.
std::pair<Value, Value> beside(double a, double b, std::string_view metric) {
  if (metric == metric::kLossScale) return {scale_value(a), scale_value(b)};
  if (a == b || format(Value(a)) != format(Value(b))) return {Value(a), Value(b)};
  char first[32];
  char second[32];
  for (int digits = 5; digits <= 17; ++digits) {
    std::snprintf(first, sizeof first, "%.*g", digits, a);
    std::snprintf(second, sizeof second, "%.*g", digits, b);
    if (std::string_view(first) != second) break;
  }
  return {Value(first), Value(second)};
}

// Over the larger of the two.
double apart(double a, double b) {
  const double size = std::max(std::fabs(a), std::fabs(b));
  return size > 0 ? std::fabs(a - b) / size : 0;
}

// A file by its name, a rank as it is called.
std::string shown(std::string_view who) { return std::string(who.substr(who.find_last_of('/') + 1)); }

void values_differ(const Run& run, const RankDifference& one, Findings& out) {
  const auto [value, other] = beside(one.value, one.other_value, one.metric);
  const auto [last, last_other] = beside(one.last_value, one.last_other, one.metric);
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.confidence = 0.8;
  finding.impact = 0.9;
  finding.message = {"values",
                     {{"step", one.step},
                      {"metric", one.printed_as},
                      {"agreed", one.agreed},
                      {"first", shown(one.who)},
                      {"value", value},
                      {"second", shown(one.other)},
                      {"other", other},
                      {"apart", percent_of(apart(one.value, one.other_value))}}};
  Location where = place(run, one.other_line);
  where.segment = 0;
  where.steps = StepRange{one.step, one.step};
  finding.where = where;
  finding.also.push_back(place(run, one.line));
  finding.evidence.push_back({{"since",
                               {{"count", one.differing},
                                {"value", last},
                                {"other", last_other},
                                {"apart", percent_of(apart(one.last_value, one.last_other))}}},
                              {},
                              {}});
  if (one.ranks > 1) finding.evidence.push_back({{"ranks", {{"count", one.ranks}}}, {}, {}});
  finding.actions.push_back({{"compare", {{"step", one.step}}}, "", ActionRole::kOther});
  if (auto saved = checkpoint_before(run, 0, one.step)) {
    finding.actions.push_back({{"resume", {{"step", saved->step}}}, "", ActionRole::kResume});
  }
  out.add(std::move(finding));
}

void framework_says(const Run& run, const Event& event, Findings& out) {
  const auto segment = static_cast<std::size_t>(std::max(event.segment, 0));
  const bool collectives = event.text.find("collectives") != std::string::npos;
  Finding finding;
  finding.severity = Severity::kError;
  finding.confidence = 0.95;
  finding.impact = 1;
  finding.message = {collectives ? "collectives" : "told", {}};
  finding.where = place(run, segment, steps_of_event(run, segment, event), event.line);
  finding.evidence.push_back({{"line", {{"line", event.text}}}, {}, place(run, event.line)});
  finding.actions.push_back({{collectives ? "same-calls" : "check-start", {}}, "", ActionRole::kOther});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const auto told = std::find_if(run.events.begin(), run.events.end(),
                                 [](const Event& one) { return one.kind == EventKind::kRanksDiffer; });
  if (told != run.events.end()) framework_says(run, *told, out);
  if (told == run.events.end() && run.rank_differences.empty()) return out.not_applicable("no-ranks");
  // One drift shows in every number: the first tells when it began, and of several the one that shows it best.
  const auto first = std::min_element(run.rank_differences.begin(), run.rank_differences.end(),
                                      [](const RankDifference& a, const RankDifference& b) {
                                        if (a.step != b.step) return a.step < b.step;
                                        return apart(a.value, a.other_value) > apart(b.value, b.other_value);
                                      });
  if (first != run.rank_differences.end()) values_differ(run, *first, out);
}

}  // namespace

extern const Rule kRankDisagreement;
const Rule kRankDisagreement{
    .name = "rank-disagreement",
    .family = "comm",
    .title_en = "ranks that should be the same are not",
    .title_zh = "本应一致的 rank 之间出现差异",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences =
        {{"values",
          "step {step}: {first} has {metric} = {value}, {second} {other} ({apart} apart); until there they agreed to "
          "the "
          "last digit for {agreed} steps",
          "第 {step} 步：{first} 的 {metric} 为 {value}，{second} 为 {other}（相差 {apart}）；此前 {agreed} "
          "步完全一致"},
         {"told", "the framework compared its ranks, and they do not agree", "框架对比了各 rank，结果不一致"},
         {"collectives", "ranks call different collectives at the same place",
          "各 rank 在同一位置调用了不同的集合通信"},
         {"line", "the log says: {line}", "日志原文：{line}"},
         {"since", "they differ at {count} steps from there on; at the last one {value} and {other} ({apart} apart)",
          "此后有 {count} 步不同；最后一步为 {value} 和 {other}（相差 {apart}）"},
         {"ranks", "{count} ranks differ", "共有 {count} 个 rank 不同"},
         {"compare",
          "compare the weights of the two ranks just before step {step}; look for a parameter that the reduction "
          "missed, "
          "communication that overlaps with its buffer's next use, or a faulty device",
          "对比两个 rank 在第 {step} 步之前的权重；检查是否有参数未被归约、通信与缓冲区复用重叠或设备故障"},
         {"resume", "go on from the checkpoint at step {step}: weights that have drifted do not come together again",
          "从第 {step} 步的检查点继续：已经漂移的权重不会自行恢复一致"},
         {"check-start",
          "compare the weights right after loading: the same checkpoint on every rank, the same seed of "
          "initialisation; "
          "then find the first step that differs",
          "对比加载后的权重：各 rank 是否为同一检查点、同一初始化种子；再定位首个不同的步"},
         {"same-calls",
          "look for a branch that depends on data of one rank: an empty batch, a skipped loss, an expert without "
          "tokens, an evaluation that only one rank leaves",
          "查找依赖单个 rank 数据的分支：空 batch、被跳过的 loss、没有 token 的专家、只有某个 rank 退出的评估"},
         {"no-ranks",
          "needs a log in which two ranks tell the same number for some steps, or a framework that compares its ranks",
          "需要两个 rank 在若干步给出相同数值的日志，或会对比各 rank 的框架"}},
    .docs =
        {.finds =
             "Ranks that told the same loss, grad norm, learning rate or loss scale for some steps and then differ, "
             "and messages of a framework that found its ranks to differ.",
         .matters = "Nothing compares ranks in an ordinary run. One whose weights have drifted spoils every gradient "
                    "that it adds, and the loss shows it late.",
         .decides =
             "A number counts as shared when two ranks tell it equally, to the last digit, at 8 steps in a row, among "
             "them 4 changes (a learning rate or a loss scale may stay). It is told when it then differs at 3 steps or "
             "more and at four fifths of those that follow. The first number that differs is told. Megatron's weight "
             "hashes, ZeRO's assertions and PyTorch's check of collectives are an error.",
         .example =
             "`step 41: rank 0 has grad_norm = 1.337, rank 3 1.352 (1.1 % apart); until there they agreed to the "
             "last digit for 40 steps`",
         .to_do =
             "Compare the weights of the two ranks before that step. Megatron: "
             "--check-weight-hash-across-dp-replicas-interval 100. PyTorch: TORCH_DISTRIBUTED_DEBUG=DETAIL. Switch "
             "off overlapped communication to see whether it goes away.",
         .false_alarms = "A program that changes in the middle what a rank logs, say from the reduced loss to its own.",
         .references = "Megatron-LM, training.py (check_param_hashes_across_dp_replicas); DeepSpeed, "
                       "assert_ints_same_as_other_ranks; PyTorch, ProcessGroupWrapper.cpp."},
    .judge = judge};

}  // namespace assay
