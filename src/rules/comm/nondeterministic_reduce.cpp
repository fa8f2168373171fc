// The same result twice is asked for, and the sum over ranks is left free to be done in another order.
//
// A ring adds the numbers of its ranks in a fixed order for each chunk, so that two runs on the same machines give the
// same bits. The order is another one with another algorithm, another ring over the machines, another cut into chunks:
// NCCL chooses all of that by topology and message size. Two orders of the same N gradients, each with the error e of
// its own roundings (sim/reduce_error), differ by √2·e (rms) of the sum.
//
// What is told, and what carries it:
//   * HCCL_DETERMINISTIC or LCCL_DETERMINISTIC is false beside a switch that asks for determinism of all operators;
//   * NCCL_ALGO is one that Megatron's deterministic mode refuses. Tree was accepted by versions before determinism.py:
//     its order inside a node cannot be set, and that of its nodes may change from run to run;
//   * NCCL_ALGO is not said and the ranks are on several nodes: the same machines give the same bits, others need not.
//     Megatron sets it itself (Ring, since determinism.py) or stops (before); of it nothing is said.
//
// Operators of one rank that add in any order are the business of nondeterministic-operators, misspelt variables that
// of setting-overridden.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "assay/setting.h"
#include "base/ascii.h"
#include "rules/comm/comm_plan.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"
#include "sim/reduce_error.h"

namespace assay {

namespace {

constexpr std::array<std::string_view, 2> kSwitches{"HCCL_DETERMINISTIC", "LCCL_DETERMINISTIC"};

struct Issue {
  const char* key = nullptr;  // of a sentence
  const Setting* by = nullptr;
  Severity severity = Severity::kWarning;
  std::string command = {};
};

Issue switched_off(const Run& run) {
  for (const std::string_view name : kSwitches) {
    if (said_flag(run, name) != false) continue;
    return {"off", run.config.find(name), Severity::kWarning, "export " + std::string(name) + "=true"};
  }
  return {};
}

// Every word of NCCL_ALGO is one that Megatron's determinism.py accepts.
bool megatron_accepts(std::string_view algorithms) {
  while (!algorithms.empty()) {
    const std::size_t end = std::min(algorithms.find(','), algorithms.size());
    const std::string_view one = algorithms.substr(0, end);
    if (one != "Ring" && one != "CollnetDirect" && one != "CollnetChain" && one != "^NVLS") return false;
    algorithms.remove_prefix(std::min(end + 1, algorithms.size()));
  }
  return true;
}

bool on_ascend(const Config& config) {
  for (const Setting& one : config.settings) {
    if (one.key.starts_with("HCCL_") || one.key.starts_with("LCCL_") || one.key.starts_with("ASCEND_")) return true;
  }
  return false;
}

Issue of_nccl(const Plan& plan) {
  const Setting* said = plan.setting("NCCL_ALGO");
  const bool megatron = plan.framework() == "megatron";
  const std::string command = "export NCCL_ALGO=Ring";
  if (said != nullptr) {
    if (!megatron || !said->unknown.empty() || megatron_accepts(said->value)) return {};
    const bool tree = lower(said->value) == "tree";
    const bool stops = !tree && !plan.run().has_begun();
    return {tree ? "tree" : "refused", said, stops ? Severity::kError : Severity::kWarning, command};
  }
  const auto nodes = plan.told(setting::kNodes);
  if (megatron || !nodes || nodes->value < 2 || on_ascend(plan.run().config)) return {};
  return {"free", plan.setting(setting::kDeterministic), Severity::kNote, command};
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  if (said_flag(run, setting::kDeterministic) != true) return out.not_applicable("not-asked");
  Issue issue = switched_off(run);
  if (issue.by == nullptr) issue = of_nccl(plan);
  if (issue.by == nullptr) return;
  const auto ranks = ranks_of_sum(plan);
  if (!ranks) return out.not_applicable("no-ranks");
  if (ranks->count < 3) return out.not_applicable("two-ranks");
  const auto low = low_gradient_sum(plan);
  const std::string format = low ? low->format : "fp32";
  const bool tree = std::string_view(issue.key) == "tree";
  const AllReduce how = all_reduce_of(*ranks, format, tree ? Collective::Kind::kDoubleTree : Collective::Kind::kRing);
  const double difference = order_difference(expected_reduce_error(how));
  Finding finding = hazard(issue.severity, issue.severity == Severity::kNote ? 0.6 : 0.8, *issue.by,
                           {issue.key, {{"ranks", ranks->count}, {"format", format}, {"difference", difference}}});
  const Setting* wish = plan.setting(setting::kDeterministic);
  if (wish != issue.by) {
    finding.evidence.push_back({{"asked", {{"name", written_name(*wish)}, {"value", wish->value}}}, {}, wish->where});
  }
  finding.actions.push_back({{"set", {}}, issue.command, ActionRole::kOther});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kNondeterministicReduce;
const Rule kNondeterministicReduce{
    .name = "nondeterministic-reduce",
    .family = "comm",
    .title_en = "the same result twice is asked for, and the sum over ranks may change its order",
    .title_zh = "要求结果可复现，但 rank 间求和的顺序可能改变",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences =
        {{"off",
          "{name} = {value} lets ranks add in any order, beside a setting that asks for the same result twice: two "
          "orders of the sum over {ranks} ranks differ by {difference} of a gradient (root mean square, in {format})",
          "{name} = {value} 允许 rank 间以任意顺序求和，而另有设置要求结果可复现：{ranks} 个 rank "
          "求和的两种顺序相差梯度的 {difference}（均方根，{format}）"},
         {"tree",
          "{name} = {value}: Megatron's deterministic mode refuses it (older versions took it), since the order of its "
          "sums may change from run to run; two orders over {ranks} ranks differ by {difference} of a gradient (root "
          "mean square, in {format})",
          "{name} = {value}：Megatron 的确定性模式不接受（旧版本接受），因为其求和顺序可能逐次不同；{ranks} 个 rank "
          "的两种顺序相差梯度的 {difference}（均方根，{format}）"},
         {"refused",
          "{name} = {value}: Megatron's deterministic mode stops at it; it takes Ring, CollnetDirect, CollnetChain and "
          "^NVLS. Two orders of the sum over {ranks} ranks differ by {difference} of a gradient (root mean square, in "
          "{format})",
          "{name} = {value}：Megatron 的确定性模式会因此停止，只接受 Ring、CollnetDirect、CollnetChain 和 "
          "^NVLS。{ranks} 个 rank 求和的两种顺序相差梯度的 {difference}（均方根，{format}）"},
         {"free",
          "{name} = {value} asks for the same result twice, and NCCL_ALGO is not set: on other nodes NCCL may choose "
          "another order, and two orders of the sum over {ranks} ranks differ by {difference} of a gradient (root mean "
          "square, in {format})",
          "{name} = {value} 要求结果可复现，但未设置 NCCL_ALGO：换用其他节点时 NCCL 可能选择其他顺序，{ranks} 个 "
          "rank 求和的两种顺序相差梯度的 {difference}（均方根，{format}）"},
         {"asked", "asked for here: {name} = {value}", "在此要求：{name} = {value}"},
         {"set", "fix the order of the sums over ranks", "固定 rank 间求和的顺序"},
         {"not-asked", "nobody asks for the same result twice", "没有要求结果可复现"},
         {"no-ranks", "needs the number of data-parallel ranks", "需要数据并行的 rank 数"},
         {"two-ranks", "two ranks have one order", "两个 rank 只有一种求和顺序"}},
    .docs =
        {.finds = "Determinism that is asked for beside a sum over ranks whose order is not fixed.",
         .matters = "Two runs that ought to agree in every bit differ from the first step on, and the search for a bug "
                    "begins.",
         .decides =
             "HCCL_DETERMINISTIC or LCCL_DETERMINISTIC is false, NCCL_ALGO is "
             "refused by Megatron's deterministic mode, or (a note) not set with several nodes, beside "
             "deterministic_mode, use_deter_comp, full_determinism or trainer.deterministic. The difference is sqrt(2) "
             "times the expected error of the sum in its format, around a ring or in trees.",
         .example = "`HCCL_DETERMINISTIC = false lets ranks add in any order, beside a setting that asks for the same "
                    "result twice: two orders of the sum over 64 ranks differ by 2.071e-7 of a gradient (root mean "
                    "square, in fp32)`",
         .to_do = "HCCL_DETERMINISTIC=true (strict keeps the order of the ranks, too), NCCL_ALGO=Ring. Only where bits "
                  "have to agree: differences of this size do not change what is learned.",
         .false_alarms = "The environment of a cluster may set NCCL_ALGO for every job.",
         .references = "Megatron-LM, training/determinism.py; nccl#434, nccl#1026; Ascend, HCCL_DETERMINISTIC."},
    .judge = judge};

}  // namespace assay
