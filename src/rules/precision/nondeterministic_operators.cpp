// The same run twice is asked for, and a setting beside it takes that away, or only a part of the operators was asked.
//
// A sum depends on its order. Operators that add in the order in which threads arrive (the gradient of an embedding,
// index_add, split-K, the backward pass of attention) give other last bits in each run. How large that is follows from
// the number of terms: the gradient of a weight is a sum over all tokens of a micro-batch. Two random orders of n terms
// of both signs, summed in a format with unit roundoff u, differ by
//
//   c·u·√n  of the sum (rms), c = 0.42
//
// (the errors of the partial sums, k terms long, add up to c·u·√(1 + 2 + … + n) in units of one term; the sum is √n of
// them, and there are two orders). In fp32 with 8,192 tokens that is 2e-6: far below the noise of a gradient, and
// enough to make two runs differ in every bit after some steps. So nobody is warned who did not ask; where determinism
// is asked for and another setting undoes it, that is said.

#include <cmath>
#include <optional>
#include <string>

#include "assay/setting.h"
#include "base/ascii.h"
#include "measure/model_shape.h"
#include "num/format.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

// Tokens whose gradients one rank adds up in one backward pass.
std::optional<double> terms_of(const Plan& plan) {
  const auto length = plan.told(setting::kSequenceLength);
  const auto micro = plan.told(setting::kMicroBatchSize);
  if (!length || !micro || !(length->value >= 1) || !(micro->value > 0)) return std::nullopt;
  const double terms = length->value * micro->value;
  if (!(terms >= 2) || terms > 0x1p53) return std::nullopt;
  return std::floor(terms);
}

struct Undone {
  const char* key = nullptr;  // of a sentence
  const Setting* by = nullptr;
  Severity severity = Severity::kWarning;
};

// What takes back what `asked` asks for.
Undone undone(const Plan& plan) {
  const Run& run = plan.run();
  if (said_flag(run, "NVTE_ALLOW_NONDETERMINISTIC_ALGO") == true) {
    return {"allowed", run.config.find("NVTE_ALLOW_NONDETERMINISTIC_ALGO"), Severity::kWarning};
  }
  const Setting* workspace = run.config.find("CUBLAS_WORKSPACE_CONFIG");
  const bool known = workspace != nullptr && workspace->unknown.empty();
  // The Trainer of transformers sets the variable itself.
  if (known && plan.framework() != "hf-trainer" && workspace->value != ":4096:8" && workspace->value != ":16:8") {
    return {"refused", workspace, run.has_begun() ? Severity::kWarning : Severity::kError};
  }
  return {};
}

// Variables that make sums of collectives repeatable, and nothing else.
const Setting* asks_for_collectives(const Run& run) {
  for (const std::string_view key : {"HCCL_DETERMINISTIC", "LCCL_DETERMINISTIC", "NCCL_DETERMINISTIC"}) {
    if (said_flag(run, key) == true) return run.config.find(key);
  }
  return nullptr;
}

Finding about(const Plan& plan, const Undone& issue, const Setting& from, double terms) {
  const double difference = kRmsOfRounding * unit_roundoff(format_named("fp32")) * std::sqrt(terms);
  Finding finding = hazard(issue.severity, issue.severity == Severity::kNote ? 0.6 : 0.8, from,
                           {issue.key, {{"terms", static_cast<std::int64_t>(terms)}, {"difference", difference}}});
  if (issue.by != nullptr && issue.by != &from) {
    finding.message.values.emplace_back("other", written_name(*issue.by));
    finding.message.values.emplace_back("said", issue.by->value);
    finding.where = issue.by->where;
    finding.also.push_back(from.where);
  }
  if (plan.precision() == "bf16" || plan.precision() == "fp16") {
    const double u = unit_roundoff(format_named(plan.precision()));
    finding.evidence.push_back(
        {{"half", {{"format", plan.precision()}, {"difference", kRmsOfRounding * u * std::sqrt(terms)}}}, {}, {}});
  }
  return finding;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const auto terms = terms_of(plan);
  const bool asked = said_flag(run, setting::kDeterministic) == true;
  const Setting* collectives = asks_for_collectives(run);
  if (!asked && collectives == nullptr) return out.not_applicable("not-asked");
  if (!terms) return out.not_applicable("no-terms");
  if (asked) {
    const Undone issue = undone(plan);
    if (issue.key == nullptr) return;
    Finding finding = about(plan, issue, *run.config.find(setting::kDeterministic), *terms);
    finding.actions.push_back({{issue.severity == Severity::kError ? "set-workspace" : "agree", {}},
                               issue.by->key == "CUBLAS_WORKSPACE_CONFIG" ? "export CUBLAS_WORKSPACE_CONFIG=:4096:8"
                                                                          : "export NVTE_ALLOW_NONDETERMINISTIC_ALGO=0",
                               ActionRole::kOther});
    return out.add(std::move(finding));
  }
  // A program may ask its operators in its code; where its framework has a switch that is left off, it does not.
  const bool has_switch = plan.framework() == "megatron" || plan.framework() == "hf-trainer";
  if (!has_switch || said_unknown(run.config, setting::kDeterministic)) return out.not_applicable("not-asked");
  Finding finding = about(plan, {"collectives", nullptr, Severity::kNote}, *collectives, *terms);
  // On Ascend processors it is MindSpeed-LLM that speaks Megatron's words.
  const char* option = plan.framework() == "hf-trainer"       ? "--full_determinism"
                       : collectives->key.starts_with("NCCL") ? "--deterministic-mode"
                                                              : "--use-deter-comp";
  finding.actions.push_back({{"ask", {}}, option, ActionRole::kOther});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kNondeterministicOperators;
const Rule kNondeterministicOperators{
    .name = "nondeterministic-operators",
    .family = "precision",
    .title_en = "the same result twice is asked for, and operators that add in any order remain",
    .title_zh = "要求结果可复现，但仍有以任意顺序累加的算子",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences =
        {{"allowed",
          "{name} = {value} asks for the same result twice, {other} = {said} allows Transformer Engine algorithms that "
          "add in any order: two runs' gradients of a weight, sums over {terms} tokens, differ by about {difference} "
          "of "
          "them in fp32",
          "{name} = {value} 要求结果可复现，而 {other} = {said} 允许 Transformer Engine 使用任意顺序累加的算法："
          "一个权重的梯度是 {terms} 个 token 之和，两次运行在 fp32 中相差约 {difference}（相对值）"},
         {"refused",
          "{name} = {value} asks for the same result twice, and PyTorch stops at the first matrix product under "
          "{other} = {said}: only :4096:8 and :16:8 are deterministic; without them sums over {terms} tokens differ by "
          "about {difference} of them between runs, in fp32",
          "{name} = {value} 要求结果可复现，但 {other} = {said} 时 PyTorch 会在第一个矩阵乘处报错：只有 :4096:8 "
          "和 :16:8 是确定性的；否则对 {terms} 个 token 的求和在两次运行间相差约 {difference}（fp32，相对值）"},
         {"collectives",
          "{name} = {value} makes sums across ranks repeatable, the operators of a rank are left to add in any order: "
          "two runs' gradients of a weight, sums over {terms} tokens, differ by about {difference} of them in fp32",
          "{name} = {value} 只使跨卡求和可复现，单卡算子仍可任意顺序累加：一个权重的梯度是 {terms} 个 token 之和，"
          "两次运行在 fp32 中相差约 {difference}（相对值）"},
         {"half", "where an operator adds in {format}, by about {difference}",
          "若算子以 {format} 累加，则约为 {difference}"},
         {"agree", "forbid them", "禁止这些算法"},
         {"set-workspace", "set the workspace that cuBLAS needs for deterministic products",
          "设置 cuBLAS 确定性计算所需的 workspace"},
         {"ask", "ask the operators, too, if two runs are to agree in every bit; it costs speed",
          "若要求两次运行逐位一致，也要求算子确定性；会降低速度"},
         {"not-asked", "nobody asks for the same result twice", "没有要求结果可复现"},
         {"no-terms", "needs the micro-batch and the length of a sequence", "需要 micro-batch 与序列长度"}},
    .docs =
        {.finds = "Determinism that is asked for and undone by another setting, or asked of collectives alone.",
         .matters = "Two runs that ought to agree differ after some steps, and the search for a bug begins. Or PyTorch "
                    "refuses to start.",
         .decides =
             "deterministic_mode, use_deter_comp, full_determinism or trainer.deterministic is on, beside "
             "NVTE_ALLOW_NONDETERMINISTIC_ALGO=1 (a warning) or a CUBLAS_WORKSPACE_CONFIG that PyTorch refuses (an "
             "error; transformers sets the variable itself). HCCL_DETERMINISTIC and its like on, and the switch of the "
             "operators off: a note. The difference of two orders is 0.42 · u · sqrt(n) for n tokens of a micro-batch.",
         .example =
             "`HCCL_DETERMINISTIC = true makes sums across ranks repeatable, the operators of a rank are left to "
             "add in any order: two runs' gradients of a weight, sums over 8,192 tokens, differ by about "
             "2.291e-6 of them in fp32`",
         .to_do = "Where bits have to agree: Megatron --deterministic-mode (MindSpeed-LLM --use-deter-comp) with "
                  "NVTE_ALLOW_NONDETERMINISTIC_ALGO=0, "
                  "CUBLAS_WORKSPACE_CONFIG=:4096:8, NCCL_ALGO=Ring; transformers --full_determinism. Else nothing: "
                  "differences of this size do not change what is learned.",
         .false_alarms = "Programs that ask for determinism in their code.",
         .references = "PyTorch, Reproducibility; Megatron-LM, training/determinism.py; Ascend, HCCL_DETERMINISTIC. "
                       "Higham, Accuracy and Stability of Numerical Algorithms, ch. 4."},
    .judge = judge};

}  // namespace assay
