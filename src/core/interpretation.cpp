#include "core/interpretation.h"

#include <vector>

namespace assay {

std::span<const Sentence> interpretation_sentences() {
  static const std::vector<Sentence> sentences = {
      {"restarts", {"the step counter goes back: judged as {factor} parts", "步数发生回退：分为 {factor} 段判断"}},
      {"repeats",
       {"records that repeat one already read (other ranks, or a console written twice), counted once: {count}",
        "{count} 条记录与已读记录重复（其他进程，或控制台写了两遍）：只计一次"}},
      {"stragglers",
       {"records of other ranks that arrived late and out of order, left out: {count}",
        "{count} 条其他进程的记录迟到且乱序：未采用"}},
      {"step-within-epoch",
       {"the step counter starts again at each epoch: steps are counted through",
        "步数每个 epoch 重新计数：已换算为连续步数"}},
      {"epochs-count-samples",
       {"'{metric}' goes to {factor}: it counts samples or tokens, not epochs",
        "'{metric}' 达到 {factor}：它计的是样本或 token，而非 epoch"}},
      {"records-numbered",
       {"the log prints no step: records are numbered from 1", "日志没有打印步数：记录从 1 开始编号"}},
      {"step-not-counting",
       {"the step that the log prints does not count up: records are numbered from 1",
        "日志打印的步数并不递增：记录从 1 开始编号"}},
      {"errors-survived",
       {"errors that were logged and did not end the run: {count}", "日志中有 {count} 个错误并未终止训练"}},
      {"metric-not-reported",
       {"{metric} is printed as {factor} throughout, which stands for \"not measured\": left out",
        "{metric} 始终打印为 {factor}，表示“未测量”：未采用"}},
      {"grad-norm-stale",
       {"grad norms that repeat the former one after a skipped step, left out: {count}",
        "{count} 个梯度范数是跳步后重复打印的旧值：未采用"}},
      {"grad-norm-unscaled",
       {"grad norm is printed multiplied by the loss scale: divided by it (median {factor})",
        "打印的梯度范数乘有 loss scale：已除以 loss scale（中位数 {factor}）"}},
      {"loss-from-bits-of-perplexity",
       {"{metric} is in bits (the perplexity beside it is 2 to its power): multiplied by ln 2",
        "{metric} 以比特为单位（旁边的困惑度是 2 的该次幂）：已乘以 ln 2"}},
      {"loss-from-bits", {"{metric} is printed in bits: multiplied by ln 2", "{metric} 以比特为单位：已乘以 ln 2"}},
      {"loss-times-accumulation",
       {"the printed loss is divided by the {factor} accumulation steps (evaluation loss tells): multiplied by them",
        "打印的 loss 除以了累积步数 {factor}（由评估 loss 可知）：已乘回"}},
      {"loss-over-accumulation",
       {"the printed loss is the sum over {factor} accumulation steps (it starts {factor} times above ln of the "
        "vocabulary): divided by them",
        "打印的 loss 是 {factor} 个累积步之和（起点为词表大小对数的 {factor} 倍）：已除以该数"}},
      {"accuracy-is-loss",
       {"'{metric}' of this benchmark is a log perplexity: read as the evaluation loss",
        "该基准的“{metric}”为对数困惑度：按评估 loss 读取"}},
      {"loss-sum-of-parts",
       {"{metric} is the sum of the {factor} parts that are logged: no total is",
        "{metric} 取所记录的 {factor} 个分项之和：日志没有总和"}},
      {"loss-in-bfloat16",
       {"{metric} holds only bfloat16 values: its resolution is {factor}",
        "{metric} 只有 bfloat16 精度：分辨率为 {factor}"}},
  };
  return sentences;
}

Phrase phrase_of(const Interpretation& interpretation) {
  Phrase phrase{
      interpretation.key,
      {{"metric", interpretation.metric}, {"factor", interpretation.factor}, {"count", interpretation.count}}};
  if (interpretation.where.steps) phrase.values.emplace_back("steps", *interpretation.where.steps);
  return phrase;
}

}  // namespace assay
