// Gradients are summed over many ranks in a format that has too few digits for it.
//
// Every hop of a ring adds one rank's gradient and rounds (NCCL, RCCL and Gloo add 16-bit numbers that way). Of
// gradients that are mostly noise the error of the sum is, over the sum itself,
//
//   c·u·√(N/2 + …)   around a ring of N ranks,   c·u·√(1 + 1.5·log2 N)   in NCCL's trees
//
// (sim/reduce_error, c = 0.42, u the unit roundoff: 2^-8 in bf16). For 8 ranks in bf16 that is 0.4 %, hardly more than
// the 0.2 % of a gradient that is rounded to bf16 once; for 1,024 it is 3.8 %. Such an error is another one in each
// step and small against the noise of a gradient, so trainings live with some of it. What does not average out is the
// part that all ranks agree on: from 2^p ranks on (256 in bf16) a ring adds nothing more of equal terms.
//
// So a note from `error` on, and a warning from `error-warning` on, about where that begins; PyTorch users reported
// unstable trainings with 384 ranks (2.3 %), mended by reducing in fp32. A run whose log shows that the loss fell well
// has lived with it: a note.
//
// Which algorithm runs is NCCL's choice unless NCCL_ALGO says it; a reduce-scatter (ZeRO, FSDP) is a ring or a switch.
// The ring is told first, because it is what large buckets take, and the tree beside it.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "num/format.h"
#include "rules/comm/comm_plan.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"
#include "sim/reduce_error.h"

namespace assay {

namespace {

using Kind = Collective::Kind;

// NCCL has trees for an all-reduce alone: where gradients are scattered it goes around.
Kind algorithm_of(const Plan& plan) {
  const auto stage = plan.told(setting::kZeroStage);
  const auto shards = plan.told(setting::kDataParallelShards);
  const bool scatters = (stage && stage->value >= 1) || (shards && shards->value > 1);
  return scatters ? Kind::kRing : pinned_algorithm(plan.run()).value_or(Kind::kRing);
}

void add_evidence(const Plan& plan, const GradientSum& sum, const SumRanks& ranks, double error, Kind kind,
                  Finding& finding) {
  const NumberFormat& format = format_named(sum.format);
  if (ranks.count > ranks.sharers) {
    finding.evidence.push_back(
        {{"ranks", {{"ranks", ranks.count}, {"sharers", ranks.sharers}, {"context", ranks.count / ranks.sharers}}},
         {},
         {}});
  }
  const Kind other = kind == Kind::kRing ? Kind::kDoubleTree : Kind::kRing;
  SumRanks flat = ranks;
  flat.per_node = 0;
  const double beside = expected_reduce_error(all_reduce_of(flat, sum.format, other));
  finding.evidence.push_back({{other == Kind::kRing ? "ring" : "tree",
                               {{"error", percent_of(beside)},
                                {"once", percent_of(kRmsOfRounding * unit_roundoff(format))},
                                {"format", sum.format}}},
                              {},
                              {}});
  const double apart = std::exp2(format.precision);  // equal terms that can be told apart in a sum
  if (kind == Kind::kRing && ranks.per_node == 0 && static_cast<double>(ranks.count) >= apart) {
    finding.evidence.push_back({{"equal", {{"lost", apart}, {"ranks", ranks.count}, {"format", sum.format}}}, {}, {}});
  }
  const auto micro = plan.told(setting::kGradientAccumulation);
  const bool same = sum.format == plan.word(setting::kGradAccumulationDtype);
  if (micro && micro->value > 1 && micro->value <= static_cast<double>(kMostRanks) && same) {
    const double before = expected_running_error(format, static_cast<std::size_t>(micro->value));
    finding.evidence.push_back(
        {{"micro", {{"terms", micro->value}, {"format", sum.format}, {"error", percent_of(std::hypot(error, before))}}},
         {},
         {}});
  }
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const auto sum = low_gradient_sum(plan);
  if (!sum) return out.not_applicable("not-low");
  const auto ranks = ranks_of_sum(plan);
  if (!ranks) return out.not_applicable("no-ranks");
  if (ranks->count < 2) return out.not_applicable("one-rank");
  const Kind kind = algorithm_of(plan);
  const AllReduce how = all_reduce_of(*ranks, sum->format, kind);
  const double error = expected_reduce_error(how);
  if (error < set["error"]) return;
  AllReduce exact = how;
  exact.wire = format_named("fp32");
  const bool nodes = how.collective.kind == Kind::kHierarchical;
  const std::string key = nodes ? "summed-nodes" : kind == Kind::kRing ? "summed" : "summed-tree";
  const bool warn = error >= set["error-warning"] && !ran_well(run);
  Finding finding = hazard(warn ? Severity::kWarning : Severity::kNote, sum->by_default ? 0.7 : 0.8, *sum->from,
                           {key,
                            {{"ranks", ranks->count},
                             {"format", sum->format},
                             {"error", percent_of(error)},
                             {"exact", expected_reduce_error(exact)},
                             {"per_node", ranks->per_node}}});
  if (sum->by_default) finding.evidence.push_back({{"default", {{"framework", plan.framework()}}}, {}, {}});
  add_evidence(plan, *sum, *ranks, error, kind, finding);
  finding.actions.push_back({{"fp32", {}}, sum->fp32, ActionRole::kPrecision});
  finding.actions.push_back({{"measure", {}},
                             "assay allreduce --ranks " + std::to_string(ranks->count) + " --dtype " + sum->format,
                             ActionRole::kOther});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kReduceLowPrecision;
const Rule kReduceLowPrecision{
    .name = "reduce-low-precision",
    .family = "comm",
    .title_en = "gradients are summed over many ranks in too few digits",
    .title_zh = "梯度以过低精度在大量 rank 间求和",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {{"error", "of a gradient (rms)", 0.01, 1e-6, 1,
                    "a ring of 72 ranks in bf16; six times what a gradient loses when it is rounded to bf16 once"},
                   {"error-warning", "of a gradient (rms)", 0.018, 1e-6, 10,
                    "a ring of about 240 ranks in bf16: from 256 on it adds nothing more of what all ranks agree on, "
                    "and unstable trainings were reported"}},
    .sentences =
        {{"summed",
          "{name} = {value}: gradients of {ranks} ranks are summed in {format}; around a ring that adds an error of "
          "{error} to a gradient (root mean square), in fp32 {exact} of it",
          "{name} = {value}：{ranks} 个 rank 的梯度以 {format} 求和；沿环归约会给梯度带来 {error} "
          "的误差（均方根），fp32 为其 {exact}"},
         {"summed-tree",
          "{name} = {value}: gradients of {ranks} ranks are summed in {format}; in trees that adds an error of {error} "
          "to a gradient (root mean square), in fp32 {exact} of it",
          "{name} = {value}：{ranks} 个 rank 的梯度以 {format} 求和；按树归约会给梯度带来 {error} "
          "的误差（均方根），fp32 为其 {exact}"},
         {"summed-nodes",
          "{name} = {value}: gradients of {ranks} ranks are summed in {format}, {per_node} of a copy first; around "
          "rings that adds an error of {error} to a gradient (root mean square), in fp32 {exact} of it",
          "{name} = {value}：{ranks} 个 rank 的梯度以 {format} 求和，先在每份模型的 {per_node} 个 rank "
          "内求和；沿环归约会给梯度带来 {error} 的误差（均方根），fp32 为其 {exact}"},
         {"default", "nothing else is said: {framework} sums gradients in the format of the training",
          "未另行设置：{framework} 以训练格式对梯度求和"},
         {"ranks", "{ranks} ranks: {sharers} data-parallel x {context} that split a sequence",
          "{ranks} 个 rank：{sharers} 路数据并行 x {context} 路序列切分"},
         {"tree", "in NCCL's trees it would be {error}; one rounding to {format} is {once}",
          "用 NCCL 的树形归约为 {error}；舍入到 {format} 一次为 {once}"},
         {"ring", "around a ring it would be {error}; one rounding to {format} is {once}",
          "沿环归约为 {error}；舍入到 {format} 一次为 {once}"},
         {"equal",
          "of what all ranks agree on, a ring of {ranks} adds nothing more from {lost} equal terms on: {format} cannot "
          "tell them apart",
          "对各 rank 相同的部分，{ranks} 个 rank 的环在累加 {lost} 项之后不再增长：{format} 已无法分辨"},
         {"micro", "{terms} micro-batches are summed in {format} before: together {error}",
          "此前还有 {terms} 个 micro-batch 以 {format} 累加：合计 {error}"},
         {"fp32", "sum gradients over ranks in fp32: twice the bytes, and the error is gone",
          "以 fp32 在 rank 间求和：通信量加倍，误差消失"},
         {"measure", "see the algorithms and the growth with the ranks", "查看各算法及其随 rank 数的增长"},
         {"not-low", "needs settings that sum gradients over ranks in 16 or 8 bits",
          "需要以 16 位或 8 位在 rank 间求和的设置"},
         {"no-ranks", "needs the number of data-parallel ranks", "需要数据并行的 rank 数"},
         {"one-rank", "one rank has nothing to sum", "只有一个 rank，无需求和"}},
    .docs =
        {.finds = "Gradients that are reduced over many data-parallel ranks in bf16, fp16 or FP8.",
         .matters =
             "Around a ring every hop rounds. The error grows with the square root of the ranks, is not there on a "
             "workstation, and from 256 ranks in bf16 on a ring no longer adds what all ranks agree on.",
         .decides =
             "The format that the settings say for the sum (grad_reduce_in_bf16, communication_data_type, "
             "reduce_dtype, "
             "mixed_precision_reduce, fsdp.precision pure, a DDP hook), or that of the framework where nothing is said "
             "(DeepSpeed, FSDP of accelerate and Lightning, Megatron in fp16, weights of 16 bits). Ranks are "
             "data-parallel times context-parallel ones. The error is c u sqrt(N/2) for a ring of N, c = 0.42, for "
             "gradients that are mostly noise (`assay allreduce` has it for every algorithm). From `error` on it is a "
             "note, from `error-warning` on a warning unless the log shows a loss that fell well.",
         .example = "`--grad-reduce-in-bf16 = true: gradients of 1,024 ranks are summed in bf16; around a ring that "
                    "adds an error of 3.8 % to a gradient (root mean square), in fp32 5.735e-7 of it`",
         .to_do = "Reduce in fp32: Megatron --accumulate-allreduce-grads-in-fp32, DeepSpeed communication_data_type "
                  "fp32, FSDP reduce_dtype float32. Where the network does not carry it, sum in nodes first, or let a "
                  "switch add (NVLS, SHARP).",
         .false_alarms =
             "Libraries that sum in fp32 whatever the format is (NCCL's NVLS and symmetric kernels, Megatron's "
             "reduce_scatter_with_fp32_accumulation) add one rounding, not one a hop.",
         .references = "NCCL, reduce_kernel.h; nccl#1026; pytorch#106395; Higham, Accuracy and Stability of Numerical "
                       "Algorithms, ch. 4."},
    .judge = judge};

}  // namespace assay
