// Updates that round to nothing: weights of 16 bits, and a learning rate too small for their spacing.
//
// A weight w moves only if the update is more than half the distance to its neighbour, spacing(w) / 2: what is less is
// rounded away, each step anew, so a thousand small updates in one direction move nothing. How many that is follows
// from three numbers: the rate, the size of the weights and their format.
//
//   lost(rho) = sum over binades [2^e, 2^(e+1)) of  P(|w| in the binade) · P(rate · rho · |z| < spacing(2^e) / 2)
//
// (sim/swallowed_updates) with weights normal around 0 with the deviation they are initialised with (0.02 where nobody
// says one: the usual one, and about that of trained matrices), and updates rate · rho · z. Adam's update is rate · m /
// sqrt(v), where m is a mean of past gradients. Of gradients that are mostly noise, which is what a small batch has, m
// / sqrt(v) is about normal with the deviation rho = sqrt((1 - beta1) / (1 + beta1)), 0.23 for beta1 = 0.9. Of
// gradients that all point one way it is 1: then the update has the length of the rate and only the weights decide;
// that number is told beside it, because nothing but a first step or a jump gives more. Lion's update has the length of
// the rate always. Other optimizers have updates that the rate does not tell: nothing is said of them.
//
// Checked by 500 steps of Adam at 1e-5 with gradients of one direction on normal weights of 0.02: 16 % of the bf16
// weights had moved; the formula says 84.5 % lost.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "num/expected_error.h"
#include "num/format.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/precision/planned_updates.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"
#include "sim/swallowed_updates.h"

namespace assay {

namespace {

Value percent(double share) { return Value(std::round(1000 * share) / 10, Unit::kPercent); }

// A warning where weights are learned from nothing, with nothing in the log that shows that it went well.
Severity severity_of(const Plan& plan, double lost, double much) {
  const Beginning beginning = beginning_of(plan);
  const bool scratch = beginning.start == Start::kScratch && beginning.sure >= kLikely;
  return scratch && lost >= much && !ran_well(plan.run()) ? Severity::kWarning : Severity::kNote;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const auto weights = low_weights(plan);
  if (!weights) return out.not_applicable("not-low");
  if (const Setting* kept = keeps_the_rest(plan)) {
    return out.not_applicable("kept", {{"name", written_name(*kept)}, {"value", kept->value}});
  }
  const OptimizerKind kind = optimizer_of(plan);
  if (kind != OptimizerKind::kLion && kind != OptimizerKind::kAdam) return out.not_applicable("not-adam");
  const auto updates = planned_updates(plan);
  if (!updates) return out.not_applicable("no-rate");
  const NumberFormat& format = format_named(weights->format);
  const double lost = swallowed_at(*updates, format, updates->rate);
  if (lost < set["share"]) return;
  Finding finding =
      hazard(severity_of(plan, lost, set["share-warning"]), 0.7, *weights->from,
             {updates->lion ? "swallowed-lion" : "swallowed",
              {{"rate", updates->rate},
               {"format", std::string(weights->format)},
               {"weight", updates->deviation},
               {"threshold", spacing_at(format, updates->deviation) / 2},
               {"lost", percent(lost)},
               {"full", percent(swallowed_share(format, updates->deviation, fixed_size(updates->rate)))}}});
  finding.evidence.push_back({{"said", finding.message.values}, {}, weights->from->where});
  if (updates->by_default) add_default(plan, *updates->by_default, finding);
  const auto last = plan.min_learning_rate();
  if (last && last->value > 0 && last->value < updates->rate) {
    const double at_end = swallowed_at(*updates, format, last->value);
    finding.evidence.push_back({{"end", {{"rate", last->value}, {"lost", percent(at_end)}}}, {}, {}});
  }
  const auto decay = told_or_default(plan, setting::kWeightDecay);
  if (decay && decay->value > 0 && updates->rate * decay->value < unit_roundoff(format) / 2) {
    finding.evidence.push_back(
        {{"decay", {{"share", updates->rate * decay->value}, {"least", unit_roundoff(format) / 2}}},
         {},
         where_said(*decay)});
  }
  finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kUpdateSwallowed;
const Rule kUpdateSwallowed{
    .name = "update-swallowed",
    .family = "precision",
    .title_en = "updates are too small for the format of the weights and round to nothing",
    .title_zh = "更新量小于权重格式的间距，被舍入为零",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"share", "of the updates", 0.05, 0.001, 1,
                    "below it, rounding takes less from training than the choice of a learning rate does"},
                   {"share-warning", "of the updates", 0.5, 0.01, 1,
                    "from here on most updates do nothing: the rate that one believes in is not the one that acts"}},
    .sentences =
        {{"swallowed",
          "at learning rate {rate} a weight of {weight} in {format} moves only if its update is more than {threshold}: "
          "{lost} of Adam's updates are swallowed where gradients are mostly noise, {full} where all point one way",
          "学习率为 {rate} 时，大小为 {weight} 的 {format} 权重只有在更新量超过 {threshold} 时才会改变："
          "梯度以噪声为主时 Adam 有 {lost} 的更新被吞掉，方向完全一致时为 {full}"},
         {"swallowed-lion",
          "at learning rate {rate} a weight of {weight} in {format} moves only if its update is more than {threshold}: "
          "{lost} of Lion's updates are swallowed",
          "学习率为 {rate} 时，大小为 {weight} 的 {format} 权重只有在更新量超过 {threshold} 时才会改变："
          "Lion 有 {lost} 的更新被吞掉"},
         {"said", "{name} = {value}: the optimizer changes the weights in {format}, with no copy in fp32",
          "{name} = {value}：优化器直接以 {format} 更新权重，没有 fp32 副本"},
         {"end", "at the end of the schedule, at {rate}, {lost}", "学习率降至末期的 {rate} 时为 {lost}"},
         {"decay",
          "weight decay takes {share} of a weight in a step by itself: below {least} of it that is lost for every "
          "weight",
          "权重衰减单独每步只减去权重的 {share}：低于其 {least} 时对任何权重都会丢失"},
         {"default", "{key} is not set: {value} is the default of {framework}",
          "未设置 {key}：{value} 是 {framework} 的默认值"},
         {"fp32",
          "keep the weights in fp32 (mixed precision), or take an optimizer that rounds stochastically or keeps "
          "the lost part (Kahan summation)",
          "以 fp32 保存权重（混合精度），或使用随机舍入、或保留丢失部分（Kahan 求和）的优化器"},
         {"not-low", "needs weights that the optimizer changes in bf16 or fp16, without a copy in fp32",
          "需要优化器以 bf16 或 fp16 直接更新、没有 fp32 副本的权重"},
         {"kept", "{name} = {value} keeps what rounding takes away", "{name} = {value} 会保留舍入丢失的部分"},
         {"not-adam", "holds for Adam and Lion, whose updates are as long as the rate",
          "仅适用于更新量与学习率同级的 Adam 和 Lion"},
         {"no-rate", "needs the learning rate", "需要学习率"}},
    .docs =
        {.finds = "Weights in bf16 or fp16 without a copy in fp32, at a learning rate whose updates mostly round to "
                  "nothing.",
         .matters = "A lost update is lost in every step again: small steps in one direction never add up. Large "
                    "weights stop, "
                    "small ones go on, and late in a schedule nothing moves. The loss still falls, more slowly than it "
                    "should, "
                    "and no message says why.",
         .decides =
             "The settings have to say that the optimizer changes the weights in 16 bits (`bf16-true`, torchtune's "
             "dtype, torchtitan's training.dtype, verl's model_dtype, MaxText's weight_dtype, transformers' "
             "--torch_dtype without DeepSpeed and FSDP, pure_bf16, bf16_master_weights_and_grads), and the optimizer "
             "to "
             "be Adam or Lion. Weights are taken as normal with the deviation that the settings say (else 0.02), "
             "Adam's "
             "updates as normal with the deviation rate · sqrt((1 - beta1)/(1 + beta1)). From `share` lost on it is a "
             "note; from `share-warning` on, in a training from random weights, a warning. Fine-tuning in pure bf16 is "
             "common and mostly does what is asked of it, so it stays a note; so does a run whose log shows that the "
             "loss fell.",
         .example = "`at learning rate 3.0e-5 a weight of 0.02 in bf16 moves only if its update is more than 6.104e-5: "
                    "92 % of "
                    "Adam's updates are swallowed where gradients are mostly noise, 69.6 % where all point one way`",
         .to_do = "Keep the weights in fp32: bf16-mixed instead of bf16-true, fp32 as the format of the weights. Where "
                  "memory does not allow it, an optimizer that rounds stochastically or keeps the lost part.",
         .false_alarms =
             "Optimizers that keep the lost part without saying so in a setting. Matrices whose weights are much "
             "smaller than 0.02 lose less.",
         .references = "Zamirai et al., Revisiting BFloat16 Training, 2020. pytorch#120376, torchtune#2254, ao#1124, "
                       "OneTrainer#996."},
    .judge = judge};

}  // namespace assay
