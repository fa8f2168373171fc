// A setting that another place makes void: one believes in it, and it does not act.
//
// What a framework does with two settings that exclude each other is known from its source: the one wins, or it refuses
// to start. Both are said here before the run, with both places. The families stand in overrides_*.cpp; this file holds
// the rule and what they share.

#include <algorithm>

#include "assay/setting.h"
#include "rules/rule.h"
#include "rules/said_places.h"
#include "rules/setup/overrides.h"

namespace assay {

const Setting* written_by_people(const Run& run, std::string_view name) {
  const auto& all = run.config.settings;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Setting& one) {
    return one.unknown.empty() && one.value != "None" && !printed_by_run(run, one.where) &&
           last_name(one.written.empty() ? one.key : one.written) == name;
  });
  return found == all.rend() ? nullptr : &*found;
}

bool is_on(const Setting* setting) {
  if (setting == nullptr || !setting->unknown.empty()) return false;
  if (const auto number = setting->number()) return *number > 0;
  return setting->value == "true" || setting->value == "True";
}

Issue void_setting(std::string_view key, Severity severity, double confidence, const Setting& loser,
                   const Setting& winner) {
  const auto named = [](const Setting& one) { return one.written.empty() ? one.key : one.written; };
  Issue out;
  out.severity = severity;
  out.confidence = confidence;
  out.impact = severity == Severity::kNote ? 0.05 : 0.4;
  out.message = {std::string(key),
                 {{"loser", named(loser)}, {"lost", loser.value}, {"winner", named(winner)}, {"won", winner.value}}};
  out.where = loser.where;
  out.evidence.push_back({{"winner", {{"winner", named(winner)}, {"won", winner.value}}}, {}, winner.where});
  if (severity == Severity::kNote) return out;
  if (key == "twice") {
    out.actions.push_back({{"delete-first", {{"loser", named(loser)}, {"lost", loser.value}}}, ""});
  } else if (key == "engine-differs") {
    const std::string path = named(winner);
    out.actions.push_back({{"make-equal", {}}, "\"" + path.substr(path.rfind('/') + 1) + "\": \"auto\""});
  } else {
    out.actions.push_back({{"keep-one", {{"loser", named(loser)}}}, ""});
  }
  return out;
}

namespace {

constexpr std::size_t kMostFindings = 8;

// What one setting makes void is one finding; what another does has nothing to do with it.
bool of_one_kind(const Issue& a, const Issue& b) {
  const auto by = [](const Issue& one) {
    for (const std::string_view place : {"winner", "name"}) {
      for (const auto& [name, value] : one.message.values) {
        if (name == place) return value;
      }
    }
    return Value();
  };
  return a.message.key == b.message.key && by(a) == by(b);
}

// The gravest first, and of these the one that was found first.
void add_each(const Run& run, const std::vector<Issue>& issues, Findings& out) {
  std::vector<std::vector<Issue>> kinds;
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    for (const Issue& one : issues) {
      if (one.severity != severity) continue;
      const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const std::vector<Issue>& some) { return of_one_kind(some.front(), one); });
      if (kind != kinds.end()) {
        kind->push_back(one);
      } else {
        kinds.push_back({one});
      }
    }
  }
  kinds.resize(std::min(kinds.size(), kMostFindings));
  for (const std::vector<Issue>& kind : kinds) out.add(one_finding(run, kind));
}

void judge(const Run& run, const Parameters&, Findings& out) {
  if (run.config.settings.empty()) return out.not_applicable("no-settings");
  const Plan plan(run);
  std::vector<Issue> issues;
  two_precisions(plan, issues);
  megatron_overrides(plan, issues);
  trainer_overrides(plan, issues);
  mindformers_overrides(plan, issues);
  constant_rate(plan, issues);
  repeated_options(plan, issues);
  misspelt_variables(plan, issues);
  add_each(run, issues, out);
}

}  // namespace

extern const Rule kSettingOverridden;
const Rule kSettingOverridden{
    .name = "setting-overridden",
    .family = "setup",
    .title_en = "a setting does not act: another place overrides it",
    .title_zh = "某项设置不起作用：被其他设置覆盖",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences =
        {{"first-wins", "{loser} = {lost} does not act: {winner} = {won} comes first",
          "{loser} = {lost} 不起作用：{winner} = {won} 优先"},
         {"no-warm-up", "{loser} = {lost} does not act: {winner} = {won} has no warm-up (constant_with_warmup has)",
          "{loser} = {lost} 不起作用：{winner} = {won} 没有 warm-up（constant_with_warmup 才有）"},
         {"twice", "{loser} is given twice: {lost}, and behind it {won}, which counts",
          "{loser} 给了两次：先是 {lost}，后是 {won}，以后者为准"},
         {"two-precisions", "{loser} and {winner} are both set, and exclude each other",
          "{loser} 与 {winner} 同时设置，二者互斥"},
         {"refused-one-of",
          "{loser} = {lost} and {winner} = {won} exclude each other: Megatron-LM takes one of them and refuses to "
          "start "
          "with both",
          "{loser} = {lost} 与 {winner} = {won} 互斥：Megatron-LM 只接受其一，同时设置将无法启动"},
         {"refused-unit",
          "{loser} = {lost} does not go with {winner} = {won}: Megatron-LM counts a run in iterations or in samples, "
          "and "
          "refuses to start with both",
          "{loser} = {lost} 不能与 {winner} = {won} 并用：Megatron-LM "
          "的训练长度只能按步数或按样本数计，混用将无法启动"},
         {"checkpoint",
          "{loser} = {lost} does not act when a checkpoint is loaded: {winner} takes the learning rate, warm-up, decay "
          "and "
          "weight decay of the checkpoint",
          "加载检查点时 {loser} = {lost} 不起作用：{winner} 采用检查点中的学习率、warm-up、衰减和权重衰减"},
         {"weight-decay", "{loser} = {lost} does not act: the scheduler sets {winner} = {won} at each step",
          "{loser} = {lost} 不起作用：调度器每一步都会设为 {winner} = {won}"},
         {"engine-differs",
          "{loser} = {lost}, but the configuration of DeepSpeed says {winner} = {won}: the Trainer refuses to start "
          "unless "
          "they agree, or the latter is \"auto\"",
          "{loser} = {lost}，而 DeepSpeed 配置为 {winner} = {won}：两者不一致时 Trainer 拒绝启动（除非后者为 "
          "\"auto\"）"},
         {"pipeline-ignores",
          "{loser} = {lost} does not act: with {winner} = {won} MindFormers counts micro_batch_num instead, and the "
          "global "
          "batch is smaller than it looks",
          "{loser} = {lost} 不起作用：{winner} = {won} 时 MindFormers 以 micro_batch_num 计，全局批量比看上去小"},
         {"no-pipeline", "{loser} = {lost} does not act without a pipeline ({winner} = {won})",
          "没有流水线并行（{winner} = {won}）时 {loser} = {lost} 不起作用"},
         {"alone", "{loser} does not act with {winner} = {won}: Megatron-LM switches it off",
          "{winner} = {won} 时 {loser} 不起作用：Megatron-LM 会将其关闭"},
         {"engine-scales",
          "{loser} = {lost} does not act: under DeepSpeed the engine scales the loss, by {winner} = {won} of its own "
          "configuration (0: dynamic)",
          "{loser} = {lost} 不起作用：使用 DeepSpeed 时由其引擎按自身配置 {winner} = {won}（0 表示动态）缩放 loss"},
         {"constant-rate", "{loser} = {lost} does not act: {winner} is {won}, and the learning rate constant",
          "{loser} = {lost} 不起作用：{winner} 为 {won}，学习率恒定"},
         {"misspelt", "{name} is no variable that anything reads; {known} is: it has no effect, and nobody says so",
          "没有任何程序读取环境变量 {name}；应为 {known}：它不起作用，也不会有提示"},
         {"winner", "{winner} = {won}", "{winner} = {won}"},
         {"keep-one", "keep one of the two; remove {loser} if the other is meant",
          "二者只保留其一；若以另一项为准，请删去 {loser}"},
         {"delete-first", "delete the former, `{loser} {lost}`", "删去前面的 `{loser} {lost}`"},
         {"make-equal", "make them equal, or leave it to the Trainer in the configuration of DeepSpeed",
          "使两者一致，或在 DeepSpeed 配置中交由 Trainer 填写"},
         {"spell", "spell it as it is read", "改为正确的名称"},
         {"no-settings", "needs settings", "需要设置"}},
    .docs =
        {.finds =
             "Settings that do not act because another one, another file or a checkpoint has the word, pairs that a "
             "framework refuses, and environment variables that are misspelt.",
         .matters =
             "One tunes a number that nothing reads, or learns after an hour in a queue that the program does not "
             "start.",
         .decides =
             "By what the frameworks' sources do. Refused, and therefore an error before the run: fp16 with bf16; in "
             "Megatron-LM a warm-up as fraction and as length, iterations with samples, both scheduler flags of "
             "checkpoints. A warning: an option of one command twice with two numbers, DeepSpeed's number against the "
             "Trainer's, MindFormers' accumulation under a pipeline, a variable within two edits of a known one. A "
             "note: "
             "max_steps over epochs, warmup_steps over warmup_ratio, a warm-up under \"constant\", a weight decay that "
             "the scheduler sets, a checkpoint's scheduler, "
             "--loss-scale under DeepSpeed, sequence parallelism without tensor parallelism, nanoGPT's schedule "
             "without "
             "decay_lr. "
             "What one setting makes void is one finding. "
             "Options count as given twice only where few of all options of the script are: several launches repeat "
             "theirs. What a run itself prints holds defaults and is not judged.",
         .example =
             "`HCCL_DETERMINISITIC is no variable that anything reads; HCCL_DETERMINISTIC is: it has no effect, and "
             "nobody says so`",
         .to_do = "Keep the one that is meant, at the place that counts.",
         .false_alarms =
             "A framework's fork that changed the order. A script whose launches are guarded by conditions that "
             "only the shell can tell.",
         .references =
             "NVIDIA/Megatron-LM, megatron/training/arguments.py, optimizer_param_scheduler.py. transformers, "
             "training_args.py and integrations/deepspeed.py. mindspore-lab/mindformers. Ascend/pytorch, "
             "OpParamMaker.cpp (HCCL_DETERMINISTIC)."},
    .judge = judge};

}  // namespace assay
