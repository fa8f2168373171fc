// Matrix units that take the small numbers of fp16 for zero.
//
// fp16 has full precision down to 2^-14 = 6.1e-5; below that, down to 6e-8, numbers have fewer bits. The fp16 matrix
// units of AMD's MI200 take such inputs and results for zero. ROCm's libraries therefore multiply in bf16 in the
// backward pass, unless ROCBLAS_INTERNAL_FP16_ALT_IMPL (MIOpen: …_FP16_ALT_IMPL) is 0: then a gradient below 6.1e-5
// divided by the loss scale is lost, where otherwise 6e-8 divided by it would be.
//
// Flushing in fp32 and bf16 starts at 1.2e-38 and takes nothing that training can notice: switches of that kind
// (XLA's gpu_ftz, fast math) are no hazard and nothing is said of them.

#include <cmath>
#include <string>

#include "assay/setting.h"
#include "num/format.h"
#include "rules/places.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

const Setting* flushing(const Run& run) {
  for (const std::string_view key :
       {"ROCBLAS_INTERNAL_FP16_ALT_IMPL", "MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16_ALT_IMPL"}) {
    if (said_flag(run, key) == false) return run.config.find(key);
  }
  return nullptr;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const Setting* from = flushing(run);
  if (from == nullptr) return out.not_applicable("not-said");
  if (plan.precision() != "fp16") return out.not_applicable("not-fp16");
  const auto scale = loss_scale_told(plan);
  if (!scale) return out.not_applicable("no-scale");
  const NumberFormat& format = format_named("fp16");
  const double least = smallest_normal(format);
  Finding finding = hazard(Severity::kNote, 0.6, *from,
                           {"flushed",
                            {{"least", least},
                             {"scale", scale_value(*scale)},
                             {"gradient", least / *scale},
                             {"kept", smallest_positive(format) / *scale}}});
  finding.actions.push_back({{"alternate", {}}, "unset " + from->key, ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kFlushedSubnormals;
const Rule kFlushedSubnormals{
    .name = "flushed-subnormals",
    .family = "precision",
    .title_en = "matrix units take small numbers of fp16 for zero",
    .title_zh = "矩阵单元把 fp16 的小数值当作零",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {},
    .sentences =
        {{"flushed",
          "{name} = {value}: the fp16 matrix units of an MI200 take what is below {least} for zero; at loss scale "
          "{scale} a gradient below {gradient} is lost, otherwise only one below {kept}",
          "{name} = {value}：MI200 的 fp16 矩阵单元把小于 {least} 的数当作零；loss scale 为 {scale} 时小于 "
          "{gradient} 的梯度丢失，否则只丢失小于 {kept} 的"},
         {"alternate", "leave the variable unset: gradients are then multiplied in bf16",
          "不要设置该变量：梯度会以 bf16 相乘"},
         {"not-said", "nothing keeps AMD's libraries from multiplying gradients in bf16",
          "没有禁止 AMD 库以 bf16 计算梯度乘法的设置"},
         {"not-fp16", "holds for fp16 alone: bf16 and fp32 flush from 1.2e-38 on",
          "仅适用于 fp16：bf16 与 fp32 从 1.2e-38 起才冲零"},
         {"no-scale", "needs the loss scale", "需要 loss scale"}},
    .docs = {.finds =
                 "Settings that let AMD's MI200 multiply gradients in fp16, which flushes subnormal numbers there.",
             .matters = "Small gradients become zero a thousand times earlier than fp16 would have it.",
             .decides =
                 "ROCBLAS_INTERNAL_FP16_ALT_IMPL=0 or MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16_ALT_IMPL=0 in training "
                 "with fp16. The limit is 2^-14 divided by the loss scale that training begins with.",
             .example =
                 "`ROCBLAS_INTERNAL_FP16_ALT_IMPL = 0: the fp16 matrix units of an MI200 take what is below 6.104e-5 "
                 "for zero; at loss scale 65,536 a gradient below 9.313e-10 is lost, otherwise only one below "
                 "9.095e-13`",
             .to_do = "Leave the variable unset, or train in bf16.",
             .false_alarms = "MI300 and other cards keep subnormal numbers: there it does nothing.",
             .references = "PyTorch, Numerical accuracy, Reduced Precision FP16 and BF16 GEMMs and Convolutions on AMD "
                           "Instinct MI200 devices."},
    .judge = judge};

}  // namespace assay
