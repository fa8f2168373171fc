// The sums of a configuration do not come out: batch, ranks, heads, layers. What is tested is in batch_checks.cpp and
// shape_checks.cpp; here is what is said of it.

#include <algorithm>

#include "rules/hyper/batch_checks.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr std::size_t kMostFindings = 6;

// A script whose one node cannot hold a copy of the model is still to be filled in, and so are the sizes over which it
// spreads the model.
void spare_unfilled(const std::vector<Mismatch>& batch, std::vector<Mismatch>& shapes) {
  const bool unfilled =
      std::any_of(batch.begin(), batch.end(), [](const Mismatch& one) { return one.sentence == "one-node"; });
  for (Mismatch& one : shapes) {
    if (unfilled && one.sentence.starts_with("rest-")) one.refused = false;
  }
}

void judge(const Run& run, const Parameters&, Findings& out) {
  if (has_records(run)) return out.not_applicable("begun");
  const Plan plan(run);
  std::vector<Mismatch> sums = batch_mismatches(plan);
  std::vector<Mismatch> shapes = shape_mismatches(plan);
  spare_unfilled(sums, shapes);
  std::vector<Mismatch> found;  // what is refused stands first
  for (const bool refused : {true, false}) {
    for (std::vector<Mismatch>* some : {&sums, &shapes}) {
      std::copy_if(some->begin(), some->end(), std::back_inserter(found),
                   [refused](const Mismatch& one) { return one.refused == refused; });
    }
  }
  if (found.empty() && run.derived.empty()) return out.not_applicable("nothing-told");
  if (found.size() > kMostFindings) found.resize(kMostFindings);
  for (Mismatch& one : found) {
    Finding finding;
    finding.severity = one.refused ? Severity::kError : one.slow ? Severity::kNote : Severity::kWarning;
    finding.confidence = one.refused ? 0.95 : 0.8;
    finding.impact = 1;
    finding.message = {std::move(one.sentence), std::move(one.values)};
    finding.where = std::move(one.where);
    if (!one.checked.empty()) finding.evidence.push_back({{std::move(one.checked), {}}, {}, {}});
    finding.actions = std::move(one.actions);
    out.add(std::move(finding));
  }
}

}  // namespace

extern const Rule kBatchArithmetic;
const Rule kBatchArithmetic{
    .name = "batch-arithmetic",
    .family = "hyper",
    .title_en = "the sums of batch, ranks and model do not come out",
    .title_zh = "批量、进程数与模型参数对不上",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kError,
    .parameters = {},
    .sentences =
        {{"nothing", "{name} = {value}: nothing can run with it, at least 1 is needed",
          "{name} = {value}：无法运行，至少需要 1"},
         {"absurd", "{name} = {value} is beyond anything that can be trained (more than {most})",
          "{name} = {value} 超出任何可训练的范围（大于 {most}）"},
         {"ranks", "{ranks} ranks cannot be divided by the {copy} ranks of one copy of the model ({parts})",
          "{ranks} 个进程不能被一份模型所需的 {copy} 个进程（{parts-zh}）整除"},
         {"one-node", "one copy of the model takes {copy} ranks ({parts}), the one node that is set has {devices}",
          "一份模型需要 {copy} 个进程（{parts-zh}），而设置中的一个节点只有 {devices} 个"},
         {"batch-rest",
          "a global batch of {batch} cannot be divided by {micro} micro x {copies} data-parallel = {unit}: {rest} are "
          "left over",
          "全局批量 {batch} 不能被 {micro}（单卡）× {copies}（数据并行）= {unit} 整除：余 {rest}"},
         {"batch-cut",
          "a global batch of {batch} cannot be divided by {micro} micro x {copies} data-parallel = {unit}: the "
          "framework "
          "leaves {rest} sequences of each step out",
          "全局批量 {batch} 不能被 {micro}（单卡）× {copies}（数据并行）= {unit} 整除：框架每步舍去 {rest} 条序列"},
         {"accumulation-rest",
          "gradient accumulation over {steps} micro-batches of all ranks cannot be shared out to {ranks} ranks: "
          "nanoGPT "
          "asserts that it can",
          "全部进程合计的梯度累积 {steps} 不能均分给 {ranks} 个进程：nanoGPT 会断言失败"},
         {"no-ranks",
          "a batch of {batch} with {micro} micro x {steps} accumulation = {unit} on each rank fits no number of ranks",
          "批量 {batch} 与每进程 {micro}（单卡）× {steps}（梯度累积）= {unit} 对任何进程数都不成立"},
         {"product", "{name} is {batch}, but {micro} micro x {steps} accumulation x {copies} data-parallel = {product}",
          "{name} 为 {batch}，但 {micro}（单卡）× {steps}（梯度累积）× {copies}（数据并行）= {product}"},
         {"ramp-increment", "a batch that grows from {first} by {increment} never becomes {batch}",
          "批量从 {first} 起每次增加 {increment}，达不到 {batch}"},
         {"ramp-rest",
          "while the batch grows it is {at}, which cannot be divided by {micro} micro x {copies} data-parallel = "
          "{unit}",
          "批量增长过程中为 {at}，不能被 {micro}（单卡）× {copies}（数据并行）= {unit} 整除"},
         {"ramp-long", "the batch grows over {samples} samples, the run has {all}: it never becomes {batch}",
          "批量经 {samples} 个样本才增长完毕，而训练只有 {all} 个样本：达不到 {batch}"},
         {"hidden-rest", "a hidden size of {hidden} cannot be divided by {heads} attention heads",
          "隐藏维度 {hidden} 不能被 {heads} 个注意力头整除"},
         {"rest-heads", "{all} attention heads cannot be spread over {parts} tensor-parallel ranks",
          "{all} 个注意力头不能均分到 {parts} 个张量并行进程"},
         {"rest-columns", "a feed-forward layer of {all} columns cannot be spread over {parts} tensor-parallel ranks",
          "宽度为 {all} 的前馈层不能均分到 {parts} 个张量并行进程"},
         {"rest-experts", "{all} experts cannot be spread over {parts} expert-parallel ranks",
          "{all} 个专家不能均分到 {parts} 个专家并行进程"},
         {"rest-layers", "{all} layers cannot be spread over {parts} pipeline stages",
          "{all} 层不能均分到 {parts} 个流水线阶段"},
         {"bubble", "{steps} micro-batches keep {stages} pipeline stages busy for {share} of the time",
          "{steps} 个 micro-batch 只能让 {stages} 个流水线阶段在 {share} 的时间内工作"},
         {"interleaved",
          "{steps} micro-batches are no multiple of {stages} pipeline stages, as the interleaved schedule demands",
          "{steps} 个 micro-batch 不是 {stages} 个流水线阶段的倍数，不满足交错调度的要求"},
         {"more-accumulation",
          "take a smaller micro-batch, fewer stages or a larger global batch: {steps} micro-batches keep them busy for "
          "80 "
          "%",
          "减小 micro-batch、减少阶段或增大全局批量：{steps} 个 micro-batch 可使其 80 % 的时间工作"},
         {"checked-megatron-interleaved",
          "Megatron-LM stops with it: \"number of microbatches … is not divisible by pipeline-model-parallel-size\"",
          "Megatron-LM 会因此停止：\"number of microbatches … is not divisible by pipeline-model-parallel-size\""},
         {"groups", "of {groups} key-value heads and {tensor} tensor-parallel ranks neither is a multiple of the other",
          "{groups} 个键值头与 {tensor} 个张量并行进程互不为倍数"},
         {"context", "a sequence of {sequence} tokens cannot be cut into 2 x {parts} context-parallel stretches",
          "长度为 {sequence} 的序列不能切成 2 × {parts}（上下文并行）段"},
         {"positions", "sequences of {sequence} tokens are longer than the {most} positions of the model",
          "序列长度 {sequence} 超过模型的 {most} 个位置"},
         {"positions-rotary",
          "sequences of {sequence} tokens are longer than the {most} positions that the model is made for, and nothing "
          "scales them",
          "序列长度 {sequence} 超过模型设计的 {most} 个位置，且没有设置位置缩放"},
         {"checked-megatron-world", "Megatron-LM stops with it: validate_args, \"world size … is not divisible by\"",
          "Megatron-LM 会因此停止：validate_args，\"world size … is not divisible by\""},
         {"checked-megatron-batch",
          "Megatron-LM stops with it: num_microbatches_calculator, \"global batch size … is not divisible by\"",
          "Megatron-LM 会因此停止：num_microbatches_calculator，\"global batch size … is not divisible by\""},
         {"checked-megatron-ramp", "Megatron-LM stops with it: num_microbatches_calculator, --rampup-batch-size",
          "Megatron-LM 会因此停止：num_microbatches_calculator，--rampup-batch-size"},
         {"checked-megatron-divide", "Megatron-LM stops with it: divide(), \"… is not divisible by\"",
          "Megatron-LM 会因此停止：divide()，\"… is not divisible by\""},
         {"checked-megatron-experts",
          "Megatron-LM stops with it: \"Number of experts should be a multiple of expert model parallel_size\"",
          "Megatron-LM 会因此停止：\"Number of experts should be a multiple of expert model parallel_size\""},
         {"checked-megatron-groups", "Megatron-LM stops with it: TransformerConfig, num_query_groups",
          "Megatron-LM 会因此停止：TransformerConfig，num_query_groups"},
         {"checked-megatron-layers",
          "Megatron-LM stops with it unless the stages are told to be uneven (--decoder-first-pipeline-num-layers, "
          "--pipeline-model-parallel-layout)",
          "除非指定不均匀的阶段（--decoder-first-pipeline-num-layers、--pipeline-model-parallel-layout），Megatron-LM "
          "会因此停止"},
         {"checked-megatron-context",
          "Megatron-LM stops with it: \"seq-length should be a multiple of 2 * context-parallel-size\"",
          "Megatron-LM 会因此停止：\"seq-length should be a multiple of 2 * context-parallel-size\""},
         {"checked-megatron-positions",
          "Megatron-LM stops with it: validate_args, max_position_embeddings >= seq_length",
          "Megatron-LM 会因此停止：validate_args，max_position_embeddings >= seq_length"},
         {"checked-deepspeed",
          "DeepSpeed stops with it: \"train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * "
          "world_size\"",
          "DeepSpeed 会因此停止：\"train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * "
          "world_size\""},
         {"take-nodes", "set {nodes} nodes ({ranks} ranks), or a multiple of them",
          "设为 {nodes} 个节点（{ranks} 个进程）或其倍数"},
         {"take-ranks", "use {ranks} ranks, or another multiple of {copy}",
          "使用 {ranks} 个进程，或 {copy} 的其他倍数"},
         {"take-batch", "take a global batch of {below} or {above}: multiples of {unit}",
          "全局批量取 {below} 或 {above}：{unit} 的倍数"},
         {"take-batch-at-least", "take a global batch of {above} at least: a multiple of {unit}",
          "全局批量至少取 {above}：{unit} 的倍数"},
         {"take-accumulation", "set {name} to {below} or {above} (multiples of {ranks})",
          "将 {name} 设为 {below} 或 {above}（{ranks} 的倍数）"},
         {"take-accumulation-at-least", "set {name} to {above}, or another multiple of {ranks}",
          "将 {name} 设为 {above}，或 {ranks} 的其他倍数"},
         {"take-copies", "the batch fits {copies} data-parallel ranks", "该批量适合 {copies} 个数据并行进程"},
         {"set-product", "set {name} to {product}, or to \"auto\" where the framework knows that",
          "将 {name} 设为 {product}；框架支持时设为 \"auto\""},
         {"begun", "the run has begun, so its sums came out", "训练已开始，说明算术成立"},
         {"nothing-told", "needs settings of batch, ranks or model", "需要批量、进程数或模型的设置"}},
    .docs =
        {.finds =
             "Before a run begins: a global batch that micro-batch and data-parallel ranks do not divide, ranks that "
             "one copy of the model does not divide, a batch that is not the product of what makes it, a growing "
             "batch that does not come out, heads, layers, experts or sequences that cannot be spread, sequences "
             "longer than the positions, and numbers with which nothing can run (0 ranks).",
         .matters =
             "Most frameworks refuse to start, after an hour in the queue. Others cut off what is left over, and "
             "train with a smaller batch than the one that the learning rate was chosen for.",
         .decides =
             "data-parallel ranks D = world / (tensor x pipeline x context); the global batch has to be a multiple "
             "of micro-batch x D, in DeepSpeed equal to micro-batch x accumulation x D. What the framework refuses "
             "is an error, and the finding names its check; what it cuts off is a warning; a pipeline that is idle "
             "most of the time a note. A script with one node "
             "is taken for a template: where more nodes would do, it is a warning that says how many, and so is "
             "what its parallel sizes do not divide. Nothing is said of a number that only a run can tell.",
         .example = "`a global batch of 1,000 cannot be divided by 4 micro x 48 data-parallel = 192: 40 are left over`",
         .to_do = "Take the nearest batch that comes out, the number of nodes that is named, or `auto` in a DeepSpeed "
                  "file, so that the trainer fills it in.",
         .false_alarms =
             "A script whose number of ranks is replaced when it is submitted: give the real one with "
             "--ranks, or in the script. Uneven pipeline stages that a fork of Megatron is told in words of "
             "its own.",
         .references =
             "Megatron-LM, megatron/training/arguments.py and core/num_microbatches_calculator.py. DeepSpeed, "
             "runtime/config.py (_batch_assertion). transformers, integrations/deepspeed.py. torchtitan, "
             "train.py. OLMo, scripts/train.py."},
    .judge = judge};

}  // namespace assay
