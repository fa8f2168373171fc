// The fast modes, one row each. `documented` is what the source says of the real thing, not what the model does.

#include <algorithm>

#include "base/ascii.h"
#include "base/nearest.h"
#include "num/fast_math.h"

namespace assay {

namespace {

constexpr const char* kPtx = "PTX ISA 9.1";

std::vector<FastMode> divisions() {
  return {
      {.name = "newton", .title = {"approximate reciprocal, Newton steps, multiplication", "近似倒数、牛顿迭代、乘法"}},
      {.name = "markstein",
       .title = {"the same, corrected by the residual", "同 newton，最后用残差校正"},
       .correction = true,
       .keeps_specials = true,
       .source = "Markstein, IBM J. Res. Dev. 34 (1990)"},
      {.name = "cuda-full",
       .also = {"div.full", "prec-div=false"},
       .title = {"CUDA a / b with -prec-div=false: div.full.f32", "CUDA -prec-div=false 的 a / b：div.full.f32"},
       .formats = {"fp32"},
       .seed_bits = 24,
       .steps = 0,
       .scaling = FastScaling::kFull,
       .documented_ulps = 2,
       .documented = {"2 ulp, full range", "全范围 2 ulp"},
       .source = kPtx},
      {.name = "cuda-approx",
       .also = {"div.approx", "fdividef", "__fdividef"},
       .title = {"CUDA __fdividef: div.approx.f32", "CUDA 的 __fdividef：div.approx.f32"},
       .formats = {"fp32"},
       .seed_bits = 24,
       .seed_flushes_outputs = true,
       .steps = 0,
       .documented_ulps = 2,
       .documented = {"2 ulp for 2^-126 <= |b| <= 2^126; 0 for larger |b|, NaN for an infinite a",
                      "2^-126 <= |b| <= 2^126 时 2 ulp；|b| 更大时为 0，a 无穷时为 NaN"},
       .source = kPtx},
      {.name = "cuda-rcp",
       .also = {"rcp.approx"},
       .title = {"CUDA 1 / b with -prec-div=false: rcp.approx.f32", "CUDA -prec-div=false 的 1 / b：rcp.approx.f32"},
       .operation = FastOperation::kReciprocal,
       .formats = {"fp32"},
       .seed_bits = 23,
       .steps = 0,
       .keeps_specials = true,
       .documented_ulps = 1,
       .documented = {"1 ulp, full range", "全范围 1 ulp"},
       .source = "CUDA C++ Programming Guide, Mathematical Functions"},
      {.name = "amd-fast",
       .also = {"v_rcp_f32"},
       .title = {"AMD a / b where 2.5 ulp will do: v_rcp_f32, large divisors scaled",
                 "AMD 允许 2.5 ulp 时的 a / b：v_rcp_f32，大除数先缩放"},
       .formats = {"fp32"},
       .seed_bits = 23,
       .seed_flushes_outputs = true,
       .steps = 0,
       .scaling = FastScaling::kLargeDivisor,
       .documented_ulps = 2.5,
       .documented = {"2.5 ulp from the exact quotient", "与精确商相差 2.5 ulp"},
       .source = "LLVM AMDGPU, D47805"},
      {.name = "x86",
       .also = {"rcpps", "sse"},
       .title = {"x86 RCPPS, one Newton step without FMA", "x86 RCPPS，一步牛顿迭代，不用 FMA"},
       .formats = {"fp32"},
       .seed = SeedKind::kTable,
       .seed_bits = 11,
       .seed_flushes_inputs = true,
       .seed_flushes_outputs = true,
       .steps = 1,
       .form = StepForm::kSeparate,
       .documented = {"relative error of the seed at most 1.5 · 2^-12", "种子相对误差至多 1.5 · 2^-12"},
       .source = "Intel SDM, RCPPS"},
      {.name = "x86-avx512",
       .also = {"vrcp14ps"},
       .title = {"x86 VRCP14PS, one Newton step with FMA", "x86 VRCP14PS，一步牛顿迭代，用 FMA"},
       .formats = {"fp32"},
       .seed_bits = 14,
       .steps = 1,
       .documented = {"relative error of the seed below 2^-14", "种子相对误差小于 2^-14"},
       .source = "Intel SDM, VRCP14PS"},
      {.name = "arm",
       .also = {"frecpe", "vrecpe", "neon"},
       .title = {"Arm FRECPE, two steps with FRECPS", "Arm FRECPE，两步 FRECPS"},
       .formats = {"fp16", "fp32", "fp64"},
       .seed = SeedKind::kTable,
       .seed_bits = 8,
       .steps = 2,
       .form = StepForm::kFusedStep,
       .keeps_specials = true,
       .seed_specified = true,
       .documented = {"the seed is specified exactly", "种子有精确的规定"},
       .source = "Arm ARM, RecipEstimate"},
      {.name = "riscv",
       .also = {"vfrec7"},
       .title = {"RISC-V vfrec7.v, two Newton steps with FMA", "RISC-V vfrec7.v，两步牛顿迭代，用 FMA"},
       .formats = {"fp16", "fp32", "fp64"},
       .seed = SeedKind::kTable,
       .seed_bits = 7,
       .steps = 2,
       .form = StepForm::kFusedStep,
       .keeps_specials = true,
       .seed_specified = true,
       .documented = {"the seed is specified exactly", "种子有精确的规定"},
       .source = "RISC-V \"V\" extension, vfrec7"},
  };
}

std::vector<FastMode> roots() {
  return {
      {.name = "newton",
       .title = {"approximate reciprocal root, Newton steps, multiplication", "近似平方根倒数、牛顿迭代、乘法"},
       .operation = FastOperation::kSquareRoot},
      {.name = "markstein",
       .title = {"the same, corrected by the residual", "同 newton，最后用残差校正"},
       .operation = FastOperation::kSquareRoot,
       .correction = true,
       .keeps_specials = true,
       .source = "Markstein, IBM J. Res. Dev. 34 (1990)"},
      {.name = "cuda-approx",
       .also = {"sqrt.approx", "prec-sqrt=false"},
       .title = {"CUDA sqrt with -prec-sqrt=false: sqrt.approx.f32", "CUDA -prec-sqrt=false 的 sqrt：sqrt.approx.f32"},
       .operation = FastOperation::kSquareRoot,
       .formats = {"fp32"},
       .seed_bits = 24,
       .steps = 0,
       .scaling = FastScaling::kFull,
       .documented_ulps = 1,
       .documented = {"relative error at most 2^-23, full range", "全范围相对误差至多 2^-23"},
       .source = kPtx},
      {.name = "cuda-rsqrt",
       .also = {"rsqrt.approx", "rsqrtf"},
       .title = {"CUDA rsqrtf: rsqrt.approx.f32", "CUDA 的 rsqrtf：rsqrt.approx.f32"},
       .operation = FastOperation::kReciprocalRoot,
       .formats = {"fp32"},
       .seed_bits = 23,
       .steps = 0,
       .keeps_specials = true,
       .documented_ulps = 2,
       .documented = {"relative error at most 2^-22.9, full range", "全范围相对误差至多 2^-22.9"},
       .source = kPtx},
      {.name = "x86",
       .also = {"rsqrtps", "sse"},
       .title = {"x86 a · RSQRTPS, one Newton step without FMA", "x86 a · RSQRTPS，一步牛顿迭代，不用 FMA"},
       .operation = FastOperation::kSquareRoot,
       .formats = {"fp32"},
       .seed_bits = 12,
       .seed_flushes_inputs = true,
       .steps = 1,
       .form = StepForm::kSeparate,
       .documented = {"relative error of the seed at most 1.5 · 2^-12", "种子相对误差至多 1.5 · 2^-12"},
       .source = "Intel SDM, RSQRTPS"},
      {.name = "x86-avx512",
       .also = {"vrsqrt14ps"},
       .title = {"x86 a · VRSQRT14PS, one Newton step with FMA", "x86 a · VRSQRT14PS，一步牛顿迭代，用 FMA"},
       .operation = FastOperation::kSquareRoot,
       .formats = {"fp32"},
       .seed_bits = 14,
       .steps = 1,
       .documented = {"relative error of the seed below 2^-14", "种子相对误差小于 2^-14"},
       .source = "Intel SDM, VRSQRT14PS"},
      {.name = "arm",
       .also = {"frsqrte", "vrsqrte", "neon"},
       .title = {"Arm a · FRSQRTE, two steps with FRSQRTS", "Arm a · FRSQRTE，两步 FRSQRTS"},
       .operation = FastOperation::kSquareRoot,
       .formats = {"fp16", "fp32", "fp64"},
       .seed = SeedKind::kTable,
       .seed_bits = 8,
       .steps = 2,
       .form = StepForm::kFusedStep,
       .seed_specified = true,
       .documented = {"the seed is specified exactly", "种子有精确的规定"},
       .source = "Arm ARM, RecipSqrtEstimate"},
      {.name = "riscv",
       .also = {"vfrsqrt7"},
       .title = {"RISC-V a · vfrsqrt7.v, two Newton steps with FMA", "RISC-V a · vfrsqrt7.v，两步牛顿迭代，用 FMA"},
       .operation = FastOperation::kSquareRoot,
       .formats = {"fp16", "fp32", "fp64"},
       .seed = SeedKind::kTable,
       .seed_bits = 7,
       .steps = 2,
       .form = StepForm::kFusedStep,
       .seed_specified = true,
       .documented = {"the seed is specified exactly", "种子有精确的规定"},
       .source = "RISC-V \"V\" extension, vfrsqrt7"},
  };
}

Error wrong(std::string message, std::string hint) {
  return Error{ErrorCode::kUsage, std::move(message), {}, std::move(hint)};
}

}  // namespace

const std::vector<FastMode>& fast_modes() {
  static const std::vector<FastMode> modes = [] {
    std::vector<FastMode> all = divisions();
    for (FastMode& mode : roots()) all.push_back(std::move(mode));
    return all;
  }();
  return modes;
}

Result<FastMode> fast_mode(std::string_view name, bool root) {
  std::string wanted = lower(name);
  std::vector<std::string_view> known;
  for (const FastMode& mode : fast_modes()) {
    if (is_root(mode.operation) != root) continue;
    if (mode.name == wanted || std::find(mode.also.begin(), mode.also.end(), wanted) != mode.also.end()) return mode;
    known.push_back(mode.name);
    known.insert(known.end(), mode.also.begin(), mode.also.end());
  }
  const std::string guess = nearest(wanted, known);
  std::string hint = guess.empty() ? "there are" : "did you mean '" + guess + "'?";
  if (guess.empty()) {
    for (const FastMode& mode : fast_modes()) {
      if (is_root(mode.operation) == root) hint += " " + mode.name;
    }
  }
  return fail(ErrorCode::kUsage, "no fast mode '" + std::string(name) + "' of " + (root ? "square roots" : "divisions"),
              {}, std::move(hint));
}

std::optional<Error> misfit(const FastMode& mode, const NumberFormat& format) {
  if (format.layout == CodeLayout::kTapered || !format.has_sign || !format.has_zero) {
    return wrong("no arithmetic is done in " + format.name, "it is done in FP32, and the result cast");
  }
  const bool exists =
      mode.formats.empty() || std::find(mode.formats.begin(), mode.formats.end(), format.name) != mode.formats.end();
  if (!exists) {
    std::string formats = mode.formats.front();
    for (std::size_t i = 1; i < mode.formats.size(); ++i) formats += ", " + mode.formats[i];
    return wrong("'" + mode.name + "' exists in " + formats + ", not in " + format.name,
                 "'newton' works in any format; FP16 and BF16 kernels divide in FP32 and round once");
  }
  const int most = mode.seed == SeedKind::kTable ? std::min(14, format.precision - 1) : format.precision;
  const int least = mode.seed == SeedKind::kTable ? 2 : 1;
  if (mode.seed_bits < least || mode.seed_bits > most) {
    return wrong("a seed of " + std::to_string(mode.seed_bits) + " bits: " + format.name + " takes " +
                     std::to_string(least) + " to " + std::to_string(most),
                 "--seed-bits");
  }
  if (mode.steps > 8) return wrong("at most 8 Newton steps, not " + std::to_string(mode.steps), "--steps");
  return std::nullopt;
}

}  // namespace assay
