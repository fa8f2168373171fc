// Distances between tokens that a 16-bit bias cannot tell apart.
//
// ALiBi adds to each score a bias proportional to the distance of the two tokens. Megatron-DeepSpeed and GPT-NeoX keep
// that bias in the format of the activations. A format with p significant bits has all integers up to 2^p and beyond it
// only multiples of the spacing: in bf16 the distances 256 and 257 are one number, at 2,000 eight distances are, and of
// 4,096 distances 769 are left. The slopes are powers of two (of 8, 16, 32 … heads), so the products have the same
// gaps. fp16 is exact up to 2,048. Attention then sees far tokens in steps; BLOOM was trained so, and it is no error.
//
// Rotary positions meet the same gaps where positions or frequencies are rounded to 16 bits (bf16 over 4,096 positions:
// phases wrong by up to 19 radians), but that is done by code, not asked for in a configuration: the frameworks here
// calculate the angles in fp32, so nothing is said of them.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "num/expected_error.h"
#include "num/format.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"
#include "rules/said_places.h"

namespace assay {

namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 20;  // more are not counted one by one

// Kernels that make the bias themselves, from slopes in fp32.
bool made_by_a_kernel(const Run& run) {
  for (const std::string_view name : {"use_flash_attn", "use_flash_attention", "alibi_fusion_attn_type"}) {
    const Setting* said = last_written(run.config, name);
    if (said != nullptr && said->value != "false" && said->value != "False" && said->value != "None") return true;
  }
  return false;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const Setting* alibi = plan.setting(setting::kPositionEmbedding);
  if (alibi == nullptr || plan.word(setting::kPositionEmbedding) != "alibi") return out.not_applicable("not-alibi");
  if (plan.framework() != "megatron" && plan.framework() != "gpt-neox") return out.not_applicable("not-known");
  if (made_by_a_kernel(run)) return out.not_applicable("kernel");
  const std::string_view name = half_format(plan.precision());
  if (name.empty()) return out.not_applicable("not-low");
  const auto positions = positions_of(plan);
  if (!positions || *positions > kMostPositions) return out.not_applicable("no-length");
  const NumberFormat& format = format_named(name);
  const double exact = largest_exact_integer(format);
  const auto length = static_cast<double>(*positions);
  if (length - 1 <= exact || length > largest(format)) return;
  const auto first = static_cast<std::int64_t>(exact);
  Finding finding = hazard(Severity::kNote, 0.6, *alibi,
                           {"collide",
                            {{"format", std::string(name)},
                             {"positions", *positions},
                             {"distinct", distinct_integers(format, *positions)},
                             {"first", first},
                             {"second", first + 1},
                             {"together", static_cast<std::int64_t>(spacing_at(format, length - 1))}}});
  finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kPositionsLowPrecision;
const Rule kPositionsLowPrecision{
    .name = "positions-low-precision",
    .family = "precision",
    .title_en = "distant positions fall together in the format of their bias",
    .title_zh = "相距较远的位置在其偏置格式中重合",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {},
    .sentences = {{"collide",
                   "{name} = {value} in {format}: of {positions} distances {distinct} can be told apart; {first} and "
                   "{second} are "
                   "one number, and at the far end {together} distances are",
                   "{name} = {value}，{format}：{positions} 个距离中只有 {distinct} 个可以区分；{first} 与 {second} "
                   "相同，最远处每 {together} 个距离重合"},
                  {"fp32", "keep the bias in fp32, or use a kernel that makes it from the slopes",
                   "以 fp32 保存偏置，或使用由斜率直接计算偏置的算子"},
                  {"not-alibi", "needs ALiBi; rotary angles are calculated in fp32",
                   "需要 ALiBi；旋转位置的角度以 fp32 计算"},
                  {"not-known", "needs a framework of which the format of the bias is known", "需要已知偏置格式的框架"},
                  {"kernel", "the attention kernel makes the bias itself", "注意力算子自行计算偏置"},
                  {"not-low", "needs training in fp16 or bf16", "需要 fp16 或 bf16 训练"},
                  {"no-length", "needs the length of a sequence", "需要序列长度"}},
    .docs =
        {.finds = "ALiBi whose bias is kept in bf16 or fp16 over more distances than the format has integers.",
         .matters = "Attention cannot tell how far apart distant tokens are but in steps of 2, 4, 8 and more.",
         .decides =
             "Megatron's position_embedding_type or GPT-NeoX' pos_emb is alibi, training is in 16 bits, no attention "
             "kernel that makes the bias itself is named, and a sequence is longer than 2^p: 256 in bf16, 2,048 in "
             "fp16. The distances that can be told apart are counted by rounding each of them.",
         .example = "`--position-embedding-type = alibi in bf16: of 2,048 distances 641 can be told apart; 256 and 257 "
                    "are one number, and at the far end 8 distances are`",
         .to_do =
             "Nothing for sequences of some thousand tokens; BLOOM was trained so. For long ones a bias in fp32, or "
             "rotary positions.",
         .false_alarms = "Versions that keep the bias in fp32.",
         .references = "Press et al., Train Short, Test Long, 2021. vllm-fork#503; transformers#29285 (the same of "
                       "rotary positions)."},
    .judge = judge};

}  // namespace assay
