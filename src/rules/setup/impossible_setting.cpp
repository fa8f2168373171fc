// A value that no run can have, or two that exclude each other. What is tested is in impossible_*.cpp; here is what is
// said of it.
//
// Only what is known before the run is judged, and only before it: what a run has begun with was possible. It is an
// error where the framework's own source refuses it, or where no arithmetic could go on; else a warning. What another
// rule has the words for (sums of a batch, lengths of a schedule, a rate, decay or epsilon below 0) is left to it.

#include <algorithm>
#include <iterator>

#include "rules/places.h"
#include "rules/rule.h"
#include "rules/setup/impossible.h"

namespace assay {

std::string name_of(const Setting& said) { return said.written.empty() ? said.key : said.written; }

Issue impossible(std::string sentence, const Setting& said, bool refused, std::string refused_by) {
  Issue out;
  out.severity = refused ? Severity::kError : Severity::kWarning;
  out.confidence = refused ? 0.9 : 0.75;
  out.impact = refused ? 1 : 0.3;
  out.message = {std::move(sentence), {{"name", name_of(said)}, {"value", said.value}}};
  out.where = said.where;
  if (!refused_by.empty()) out.evidence.push_back({{std::move(refused_by), {}}, {}, {}});
  return out;
}

bool beside_each_other(const Setting& a, const Setting& b) {
  const auto level = [](const Setting& one) {
    const std::string name = name_of(one);
    const std::size_t end = name.find_last_of("/.");
    return end == std::string::npos || name.starts_with('-') ? std::string() : name.substr(0, end);
  };
  if (a.where.path != b.where.path) return false;
  const std::string of_a = level(a);
  const std::string of_b = level(b);
  // "optim/lr" and "optim/sched/min_lr" are of one optimizer.
  return of_a == of_b || (!of_a.empty() && of_b.starts_with(of_a + "/")) ||
         (!of_b.empty() && of_a.starts_with(of_b + "/"));
}

namespace {

constexpr std::size_t kMostFindings = 6;

Finding finding_of(const Run& run, const Issue& issue) { return one_finding(run, {issue}); }

void judge(const Run& run, const Parameters&, Findings& out) {
  if (has_records(run)) return out.not_applicable("begun");
  if (run.config.settings.empty()) return out.not_applicable("no-settings");
  const Plan plan(run);
  std::vector<Issue> found;
  impossible_words(plan, found);
  impossible_counts(plan, found);
  impossible_numbers(plan, found);
  impossible_pairs(plan, found);
  std::vector<Issue> ordered;  // what is refused stands first
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    std::copy_if(found.begin(), found.end(), std::back_inserter(ordered),
                 [severity](const Issue& one) { return one.severity == severity; });
  }
  if (ordered.size() > kMostFindings) ordered.resize(kMostFindings);
  for (const Issue& one : ordered) out.add(finding_of(run, one));
}

}  // namespace

extern const Rule kImpossibleSetting;
const Rule kImpossibleSetting{
    .name = "impossible-setting",
    .family = "setup",
    .title_en = "a setting has a value with which no training can run",
    .title_zh = "某项设置的取值使训练无法进行",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kError,
    .parameters = {},
    .sentences =
        {{"not-finite", "{name} = {value} is no finite number: nothing can be calculated with it",
          "{name} = {value} 不是有限的数：无法参与计算"},
         {"no-number", "{name} = {value}: a number belongs there", "{name} = {value}：此处应为数字"},
         {"fraction", "{name} = {value}: a whole number belongs there", "{name} = {value}：此处应为整数"},
         {"at-least-one", "{name} = {value}: nothing can run with it, at least 1 is needed",
          "{name} = {value}：无法运行，至少需要 1"},
         {"beyond", "{name} = {value} is beyond anything that can be trained (more than {most})",
          "{name} = {value} 超出任何可训练的范围（大于 {most}）"},
         {"beta1", "{name}: beta1 is {value}, outside of 0 to 1 (1 excluded)",
          "{name}：beta1 为 {value}，不在 [0, 1) 之内"},
         {"epsilon-zero",
          "{name} = {value}: the update of a weight that has had no gradient is 0 / 0, which is NaN in plain Adam",
          "{name} = {value}：从未得到梯度的权重其更新为 0 / 0，普通 Adam 会得到 NaN"},
         {"warm-up-share", "{name} = {value} is a share of the run, between 0 and 1: {value} is meant in another unit",
          "{name} = {value}：该值是占整个训练的比例，应在 0 到 1 之间；{value} 应是其他单位"},
         {"warm-up-share-of-decay",
          "{name} = {value} is a share of the decay, at least 0 and below 1: {value} leaves nothing of it",
          "{name} = {value}：该值是占衰减长度的比例，应不小于 0 且小于 1；{value} 不留衰减"},
         {"clip-turns",
          "{name} = {value}: gradients are multiplied by the threshold over their norm, so a negative one turns them "
          "around, and the loss is climbed",
          "{name} = {value}：梯度会乘以“阈值 / 范数”，负阈值使梯度反向，loss 会上升"},
         {"clip-off", "{name} = {value}: a threshold that is not above 0 switches clipping off",
          "{name} = {value}：不大于 0 的阈值等于关闭梯度裁剪"},
         {"dropout", "{name} = {value} is no probability: dropout layers refuse it",
          "{name} = {value} 不是概率：dropout 层不接受"},
         {"dropout-all", "{name} = {value} drops everything: nothing passes through such a layer",
          "{name} = {value} 会丢弃全部：该层没有任何输出"},
         {"schedule", "{name} = {value} is no schedule; {known} is", "{name} = {value} 不是学习率调度；应为 {known}"},
         {"least-share",
          "{name} = {value}: the schedule ends above its peak, the learning rate rises instead of falling",
          "{name} = {value}：调度结束时高于峰值，学习率不降反升"},
         {"least-above-peak",
          "{name} = {value} is above {other} = {is}: the learning rate would rise where it should fall",
          "{name} = {value} 大于 {other} = {is}：学习率本应下降却会上升"},
         {"no-end", "{name} = {value}, but nothing says how long its decay is ({option})",
          "{name} = {value}，但没有给出其衰减长度（{option}）"},
         {"both-precisions", "{name} and {other} are both on, and exclude each other",
          "{name} 与 {other} 同时开启，二者互斥"},
         {"other-precision",
          "{name} = {value} in the configuration of DeepSpeed, but {other} = {is} asks for the other format",
          "DeepSpeed 配置中 {name} = {value}，而 {other} = {is} 要求另一种格式"},
         {"more-than-all", "{name} = {value}: a token cannot go to more experts than there are ({other} = {is})",
          "{name} = {value}：每个 token 选择的专家数不能超过专家总数（{other} = {is}）"},
         {"uneven-groups",
          "{name} = {value} does not divide {other} = {is}: each key-value head has to serve as many query heads",
          "{name} = {value} 不能整除 {other} = {is}：每个键值头须对应同样多的查询头"},
         {"no-experts", "{name} = {value}, but the model has no experts that could be spread",
          "{name} = {value}，但模型没有可切分的专家"},
         {"other", "{other} = {is}", "{other} = {is}"},
         {"checked-megatron-batch", "Megatron-LM stops with it: validate_args, \"assert args.global_batch_size > 0\"",
          "Megatron-LM 会因此停止：validate_args，\"assert args.global_batch_size > 0\""},
         {"checked-torchtitan-degree",
          "torchtitan stops with it: ParallelDims, \"Parallelism degree should be >= 1, except for dp_shard\"",
          "torchtitan 会因此停止：ParallelDims，\"Parallelism degree should be >= 1, except for dp_shard\""},
         {"checked-deepspeed-batch", "DeepSpeed stops with it: runtime/config.py, \"… has to be greater than 0\"",
          "DeepSpeed 会因此停止：runtime/config.py，\"… has to be greater than 0\""},
         {"checked-torch-beta", "torch.optim stops with it: \"Invalid beta parameter at index 0\"",
          "torch.optim 会因此停止：\"Invalid beta parameter at index 0\""},
         {"checked-trainer-warm-up",
          "transformers 4 stops with it: TrainingArguments, \"warmup_ratio must lie in range [0,1]\"",
          "transformers 4 会因此停止：TrainingArguments，\"warmup_ratio must lie in range [0,1]\""},
         {"checked-megatron-warm-up",
          "Megatron-LM stops with it: OptimizerParamScheduler, \"assert self.lr_warmup_steps < self.lr_decay_steps\"",
          "Megatron-LM 会因此停止：OptimizerParamScheduler，\"assert self.lr_warmup_steps < self.lr_decay_steps\""},
         {"checked-megatron-style", "Megatron-LM stops with it: \"argument --lr-decay-style: invalid choice\"",
          "Megatron-LM 会因此停止：\"argument --lr-decay-style: invalid choice\""},
         {"checked-trainer-schedule", "transformers stops with it: \"is not a valid SchedulerType\"",
          "transformers 会因此停止：\"is not a valid SchedulerType\""},
         {"checked-megatron-min",
          "Megatron-LM stops with it: OptimizerParamScheduler, \"assert self.max_lr >= self.min_lr\"",
          "Megatron-LM 会因此停止：OptimizerParamScheduler，\"assert self.max_lr >= self.min_lr\""},
         {"checked-megatron-wsd",
          "Megatron-LM stops with it: OptimizerParamScheduler, \"assert self.wsd_decay_steps is not None\"",
          "Megatron-LM 会因此停止：OptimizerParamScheduler，\"assert self.wsd_decay_steps is not None\""},
         {"checked-deepspeed-precision",
          "DeepSpeed stops with it: runtime/config.py, \"bfloat16 and fp16 modes cannot be simultaneously enabled\"",
          "DeepSpeed 会因此停止：runtime/config.py，\"bfloat16 and fp16 modes cannot be simultaneously enabled\""},
         {"checked-trainer-precision",
          "transformers stops with it: integrations/deepspeed.py, \"Please correct the following DeepSpeed config "
          "values that mismatch TrainingArguments values\"",
          "transformers 会因此停止：integrations/deepspeed.py，\"Please correct the following DeepSpeed config values "
          "that mismatch TrainingArguments values\""},
         {"checked-megatron-experts",
          "Megatron-LM stops with it: validate_args, \"num_experts must be non None to use expert model parallelism\"",
          "Megatron-LM 会因此停止：validate_args，\"num_experts must be non None to use expert model parallelism\""},
         {"as-number", "write it as 2 or 0.0003 or 3e-4", "请写成 2、0.0003 或 3e-4 的形式"},
         {"round", "take {whole}, or the number that was meant", "取 {whole}，或填写本来要用的数"},
         {"digit", "look for a digit too many, or for another unit", "请检查是否多写了一位，或单位不同"},
         {"meant-or-left-out", "set the number that is meant, or leave it out where the framework knows one",
          "填写本来要用的数；框架有默认值时可不写"},
         {"one-is-off", "1 is how such a parallelism is switched off", "关闭该并行方式请设为 1"},
         {"usual", "{usual} is what most recipes have", "多数方案使用 {usual}"},
         {"share", "say it as a share: {usual} is 3 %; or set the number of steps",
          "按比例填写：{usual} 即 3 %；或改设步数"},
         {"clip", "clip at {usual}, as most recipes do; 0 is how it is switched off, where it can be",
          "按多数方案以 {usual} 裁剪；能关闭之处，关闭请设为 0"},
         {"no-dropout", "0 is what most language models are trained with", "多数语言模型训练使用 0"},
         {"did-you-mean", "did you mean {known}?", "是否应为 {known}？"},
         {"a-tenth-share", "a tenth of the peak (0.1) is what most recipes end with",
          "多数方案以峰值的十分之一（0.1）结束"},
         {"a-tenth", "a tenth of the peak is what most recipes end with: {tenth}; or the two are swapped",
          "多数方案以峰值的十分之一结束：{tenth}；也可能两者写反了"},
         {"end-of", "set {option}: a tenth of the run is usual", "请设置 {option}：通常为训练的十分之一"},
         {"one-precision", "switch one of them off; bf16 needs no loss scale", "关闭其中之一；bf16 不需要 loss scale"},
         {"say-auto", "say \"auto\" for both formats in DeepSpeed's file: the Trainer fills them in",
          "在 DeepSpeed 文件中两种格式都写 \"auto\"：由 Trainer 填写"},
         {"at-most", "take {most} at most", "至多取 {most}"},
         {"divisor", "take a divisor of the heads: {most}", "取注意力头数的约数：{most}"},
         {"say-experts", "set --num-experts, or leave expert parallelism out", "请设置 --num-experts，或去掉专家并行"},
         {"begun", "the run has begun, so its settings were possible", "训练已开始，说明设置可行"},
         {"no-settings", "needs settings", "需要设置"}},
    .docs =
        {.finds =
             "Before a run begins: numbers that are none (NaN, 1e400, a word), counts that are not whole, not above 0 "
             "or beyond anything, an Adam beta1 outside of 0 to 1, shares of a warm-up above 1, negative clipping, "
             "dropout that is no probability, misspelt schedules, and pairs that exclude each other: a minimum "
             "learning rate above the peak, WSD without the length of its decay, fp16 with bf16 in DeepSpeed's file or "
             "against the command, more experts for a token than there are, key-value heads that do not divide the "
             "heads, expert parallelism without experts.",
         .matters =
             "The program stops after an hour in the queue, or starts and trains something else: a schedule that "
             "rises, gradients that are turned around.",
         .decides =
             "By what the frameworks' sources do. An error: what they refuse (the finding names the check where it is "
             "known), and what no arithmetic survives. A warning: what runs and cannot be meant. A note: epsilon 0, "
             "which torch allows, and a negative threshold where it switches clipping off. -1 is taken for \"not "
             "set\" everywhere, and 0 for \"off\" where a framework is not known to need the number (in gpt-neox "
             "pipe_parallel_size 0 is one). Heads and ranks that share a model end at a million, a hundred times what "
             "was "
             "ever trained, experts at ten million (a million has been tried), sequences at a milliard of tokens. "
             "The name of a schedule has to be within "
             "two edits of a known one: others may be a fork's own. Two numbers of a model are compared only where "
             "they stand on one level of one file. Nothing is said of what only a run can tell.",
         .example = "`--min-lr = 3e-3 is above --lr = 3e-4: the learning rate would rise where it should fall`",
         .to_do = "Set what the finding names; the command is in the words of the framework where it has them.",
         .false_alarms =
             "A fork that gave a value a meaning of its own: a layer count of 0, a threshold below 0. The other half "
             "of a "
             "pair that was not seen: experts in a file that was not given, the length of a decay in a variable that "
             "whoever submits the script sets ($EXTRA_ARGS).",
         .references =
             "NVIDIA/Megatron-LM, megatron/training/arguments.py and core/optimizer_param_scheduler.py. DeepSpeed, "
             "runtime/config.py. transformers, training_args.py, trainer_utils.py (SchedulerType) and "
             "integrations/deepspeed.py. torchtitan, distributed/parallel_dims.py. PyTorch, optim/adam.py, "
             "nn/utils/clip_grad.py, nn/modules/dropout.py."},
    .judge = judge};

}  // namespace assay
