// Settings that are void in any framework: an option that is given twice, two precisions, environment variables that
// are misspelt. Options of a loss scale under bf16 are void too, but so usual (most scripts of MindSpeed-LLM have them)
// and so harmless that nothing is said.
//
// An option twice: the last one counts in every parser in use. Several launches in one script give their options one
// after the other, and a repeated option is then no mistake; so options count as given twice only where few of all
// options are (kMostRepeated).
//
// A misspelt variable has no effect, and nobody says so: programs ask for the names that they know. A name is taken for
// a misspelt one if it begins like a known one up to the first '_', is not known itself, and is at most two edits away
// (one where it is short). HCCL_DETERMINISITIC was found so in two published scripts.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "assay/setting.h"
#include "base/nearest.h"
#include "rules/said_places.h"
#include "rules/setup/overrides.h"

namespace assay {

namespace {

constexpr double kMostRepeated = 0.2;  // of the options
constexpr std::size_t kShort = 14;     // letters

// Variables that change numbers (HCCL: Ascend; the rest: NVIDIA, PyTorch, Transformer Engine, MindSpore).
constexpr auto kKnown = std::to_array<std::string_view>({"HCCL_DETERMINISTIC",
                                                         "HCCL_ALGO",
                                                         "HCCL_INTRA_ROCE_ENABLE",
                                                         "HCCL_INTRA_PCIE_ENABLE",
                                                         "HCCL_BUFFSIZE",
                                                         "HCCL_CONNECT_TIMEOUT",
                                                         "HCCL_EXEC_TIMEOUT",
                                                         "HCCL_IF_BASE_PORT",
                                                         "HCCL_IF_IP",
                                                         "HCCL_SOCKET_IFNAME",
                                                         "HCCL_SOCKET_FAMILY",
                                                         "HCCL_WHITELIST_DISABLE",
                                                         "HCCL_WHITELIST_FILE",
                                                         "HCCL_OP_EXPANSION_MODE",
                                                         "HCCL_OP_BASE_FFTS_MODE_ENABLE",
                                                         "HCCL_RDMA_TC",
                                                         "HCCL_RDMA_SL",
                                                         "HCCL_RDMA_TIMEOUT",
                                                         "HCCL_RDMA_RETRY_CNT",
                                                         "HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT",
                                                         "HCCL_ASYNC_ERROR_HANDLING",
                                                         "HCCL_DESYNC_DEBUG",
                                                         "HCCL_EVENT_TIMEOUT",
                                                         "HCCL_ENTRY_LOG_ENABLE",
                                                         "HCCL_LOGIC_SUPERPOD_ID",
                                                         "HCCL_DIAGNOSE_ENABLE",
                                                         "LCCL_DETERMINISTIC",
                                                         "NCCL_ALGO",
                                                         "NCCL_PROTO",
                                                         "NCCL_DETERMINISTIC",
                                                         "NCCL_NVLS_ENABLE",
                                                         "NCCL_COLLNET_ENABLE",
                                                         "NVIDIA_TF32_OVERRIDE",
                                                         "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                                                         "HIPBLASLT_ALLOW_TF32",
                                                         "CUBLAS_WORKSPACE_CONFIG",
                                                         "NVTE_ALLOW_NONDETERMINISTIC_ALGO",
                                                         "NVTE_FLASH_ATTN",
                                                         "NVTE_FUSED_ATTN",
                                                         "NVTE_UNFUSED_ATTN",
                                                         "MAMBA_DETERMINISTIC",
                                                         "CAUSAL_CONV1D_DETERMINISTIC",
                                                         "CLOSE_MATMUL_K_SHIFT",
                                                         "ATB_MATMUL_SHUFFLE_K_ENABLE",
                                                         "ATB_LLM_LCOC_ENABLE",
                                                         "INF_NAN_MODE_ENABLE",
                                                         "INF_NAN_MODE_FORCE_DISABLE",
                                                         "MS_ASCEND_CHECK_OVERFLOW_MODE",
                                                         "ACCELERATE_MIXED_PRECISION",
                                                         "CUDA_LAUNCH_BLOCKING",
                                                         "CUDA_DEVICE_MAX_CONNECTIONS",
                                                         "PYTHONHASHSEED",
                                                         "FLASH_ATTENTION_DETERMINISTIC",
                                                         "PYTORCH_CUDA_ALLOC_CONF",
                                                         "PYTORCH_NPU_ALLOC_CONF",
                                                         "PYTORCH_ALLOC_CONF"});

bool is_variable(const Setting& one) {
  const std::string& name = one.written;
  return !name.empty() && name == one.key && name.find('_') != std::string::npos &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'); });
}

// The known variable that is meant; empty: none.
std::string_view meant(std::string_view name) {
  if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) return {};
  const std::string_view head = name.substr(0, name.find('_') + 1);
  const std::size_t most = name.size() < kShort ? 1 : 2;
  for (const std::string_view known : kKnown) {
    if (known.starts_with(head) && edit_distance(name, known) <= most) return known;
  }
  return {};
}

bool true_flag(const Setting& one) { return one.value == "true" || one.value == "True" || one.value == "1"; }

}  // namespace

void misspelt_variables(const Plan& plan, std::vector<Issue>& out) {
  for (const Setting& one : plan.run().config.settings) {
    if (!is_variable(one)) continue;
    const std::string_view known = meant(one.written);
    if (known.empty()) continue;
    Issue issue;
    issue.severity = Severity::kWarning;
    issue.confidence = 0.9;
    issue.impact = 0.3;
    issue.message = {"misspelt", {{"name", one.written}, {"known", known}}};
    issue.where = one.where;
    issue.actions.push_back({{"spell", {}}, "export " + std::string(known) + "=" + one.value});
    out.push_back(std::move(issue));
  }
}

void repeated_options(const Plan& plan, std::vector<Issue>& out) {
  struct Said {
    const Setting* first = nullptr;
    const Setting* last = nullptr;
    std::size_t times = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Said> options;  // path, option, canonical name
  for (const Setting& one : plan.run().config.settings) {
    if (!one.written.starts_with("--") || !one.unknown.empty() || printed_by_run(plan.run(), one.where)) continue;
    Said& said = options[{one.where.path, one.written, one.key}];
    if (said.times++ == 0) said.first = &one;
    said.last = &one;
  }
  std::size_t repeated = 0;
  for (const auto& [name, said] : options) repeated += said.times > 1 ? 1 : 0;
  if (static_cast<double>(repeated) > kMostRepeated * static_cast<double>(options.size())) return;
  for (const auto& [name, said] : options) {
    if (said.times < 2 || said.first->value == said.last->value) continue;
    const auto a = said.first->number();
    const auto b = said.last->number();
    if (!a || !b || *a == *b) continue;  // lists and words may be meant
    out.push_back(void_setting("twice", Severity::kWarning, 0.8, *said.first, *said.last));
  }
}

// nanoGPT: get_lr is not asked where decay_lr is off.
void constant_rate(const Plan& plan, std::vector<Issue>& out) {
  const Setting* decays = last_written(plan.run().config, "decay_lr");
  if (decays == nullptr || (decays->value != "False" && decays->value != "false")) return;
  for (const std::string_view name : {"warmup_iters", "lr_decay_iters", "min_lr"}) {
    const Setting* idle = written_by_people(plan.run(), name);
    if (!is_on(idle) || idle->where.path != decays->where.path) continue;
    out.push_back(void_setting("constant-rate", Severity::kNote, 0.85, *idle, *decays));
    return;
  }
}

// Options of a command alone: blocks of a configuration list both precisions, and switch one of them off.
void two_precisions(const Plan& plan, std::vector<Issue>& out) {
  const Run& run = plan.run();
  const Setting* half = nullptr;
  const Setting* brain = nullptr;
  for (const Setting& one : run.config.settings) {
    if (!one.unknown.empty() || printed_by_run(run, one.where)) continue;
    const bool plain = one.written == "--" + one.key || one.written == one.key;
    if (one.key == setting::kFp16 && plain) half = &one;
    if (one.key == setting::kBf16 && plain) brain = &one;
  }
  const bool both = half != nullptr && brain != nullptr && true_flag(*half) && true_flag(*brain) &&
                    half->where.path == brain->where.path;
  const bool refuses = plan.framework() == "megatron" || plan.framework() == "hf-trainer";
  if (both && !run.has_begun()) {
    out.push_back(void_setting("two-precisions", refuses ? Severity::kError : Severity::kWarning, refuses ? 0.85 : 0.7,
                               *half, *brain));
  }
}

}  // namespace assay
