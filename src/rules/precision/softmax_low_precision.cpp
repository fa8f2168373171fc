// Softmax is told to calculate in 16 bits, over more keys than such a sum can count.
//
// The denominator is a sum of one term for each key. Where many keys matter about equally (the first steps, and heads
// that attend to everything) its terms are equal, and a sum of p significant bits that is done term by term stops at
// 2^p of them: 256 in bf16, 2,048 in fp16. From there on each further key adds nothing, and all probabilities come out
// too large by keys / 2^p. A sum in lanes or blocks stops later; how a chip sums is not in a configuration, so the
// number is that of the plain sum and the finding a note.
//
// Few configurations can ask for it. The kernels of PyTorch sum softmax in fp32 whatever the format of their input, and
// so does flash attention: there attention_softmax_in_fp32 changes the rounding of scores alone, and nothing is said.
// MindFormers has a setting for the format in which its softmax calculates.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "num/format.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"
#include "rules/said_places.h"

namespace assay {

namespace {

bool uses_flash_attention(const Run& run) {
  for (const std::string_view name : {"use_flash_attention", "use_flash_attn", "flash_attention"}) {
    const Setting* said = last_written(run.config, name);
    if (said != nullptr && (said->value == "true" || said->value == "True")) return true;
  }
  return false;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const std::string_view name = half_format(plan.word(setting::kSoftmaxDtype));
  if (name.empty()) return out.not_applicable("not-low");
  if (uses_flash_attention(run)) return out.not_applicable("flash");
  const auto keys = positions_of(plan);
  if (!keys) return out.not_applicable("no-length");
  const NumberFormat& format = format_named(name);
  const double stops = std::ldexp(1, format.precision);
  if (static_cast<double>(*keys) <= stops) return;
  Finding finding = hazard(Severity::kNote, 0.6, *plan.setting(setting::kSoftmaxDtype),
                           {"stops",
                            {{"keys", *keys},
                             {"format", std::string(name)},
                             {"stops", static_cast<std::int64_t>(stops)},
                             {"times", static_cast<double>(*keys) / stops}}});
  finding.actions.push_back({{"fp32", {}}, "", ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kSoftmaxLowPrecision;
const Rule kSoftmaxLowPrecision{
    .name = "softmax-low-precision",
    .family = "precision",
    .title_en = "softmax sums over more keys than its format can count",
    .title_zh = "softmax 求和的键数超过其格式可计数的范围",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {},
    .sentences =
        {{"stops",
          "{name} = {value}: a softmax over {keys} keys that sums term by term in {format} stops at {stops} where keys "
          "matter equally, and its probabilities are {times} times too large",
          "{name} = {value}：对 {keys} 个键的 softmax 若以 {format} 逐项求和，在各键权重相近时分母停在 "
          "{stops}，概率偏大 {times} 倍"},
         {"fp32", "let softmax calculate in fp32, or use flash attention, which sums in fp32",
          "让 softmax 以 fp32 计算，或使用以 fp32 求和的 flash attention"},
         {"not-low", "needs a setting that lets softmax calculate in fp16 or bf16; PyTorch sums it in fp32 in any case",
          "需要让 softmax 以 fp16 或 bf16 计算的设置；PyTorch 总是以 fp32 求和"},
         {"flash", "flash attention sums in fp32", "flash attention 以 fp32 求和"},
         {"no-length", "needs the length of a sequence", "需要序列长度"}},
    .docs =
        {.finds = "A softmax that is set to calculate in bf16 or fp16 over long sequences.",
         .matters = "Probabilities no longer sum to 1: attention weighs everything too much, most for long sequences "
                    "and early in training, when all keys are alike.",
         .decides =
             "softmax_compute_dtype (softmax_compute_type) of MindFormers says 16 bits, flash attention is not on, and "
             "a sequence has more than 2^p positions: 256 for bf16, 2,048 for fp16.",
         .example = "`softmax_compute_type = bfloat16: a softmax over 4,096 keys that sums term by term in bf16 stops "
                    "at 256 where keys matter equally, and its probabilities are 16 times too large`",
         .to_do = "softmax_compute_dtype: float32.",
         .false_alarms = "Kernels that sum in lanes or in fp32 inside, whatever they are told.",
         .references = "executorch#20090. Blanchard, Higham, Higham, Accurately computing the log-sum-exp and softmax "
                       "functions, 2021."},
    .judge = judge};

}  // namespace assay
