// The range of fp16 and a sum over ranks: too large before the division, or too small after it.
//
// fp16 ends at 65,504, and what is at most 2^-25 becomes 0. Gradients stand in it multiplied by the loss scale S. With
// N ranks whose gradients have the same sign, the sum is N times as large as the mean:
//
//   summed, then divided     a gradient overflows from 65,504 / (N·S) on
//   divided by f, summed     from 65,504·f / (N·S) on; a rank's gradient is lost up to 2^-25·f / S
//   divided by N, summed     from 65,504 / S on; lost up to 2^-25·N / S
//
// A dynamic scale heals the first: it halves log2 N more times, and what is lost then is 2^-25·N / 65,504 at most, too
// small for any N to matter. So nothing is said of it, unless it cannot fall so far (its floor), or the log shows that
// it has fallen to its floor. A static scale heals nothing.
// The last is hidden: no Inf, no message, and zeros that come before the average. Whether it harms depends on how large
// gradients are: it is told from Adam's epsilon on, below which a gradient moves Adam's steps less anyway, and a
// warning where of a gradient of the run's norm, spread over its parameters, more than `share-warning` is lost.
//
// Limits. That ranks agree in sign is the worst case; where they do not, the sum is √N times a gradient. The share
// takes gradients for normal and of one size; real ones have longer tails, most of them below that size.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "assay/metric.h"
#include "assay/setting.h"
#include "measure/scaler.h"
#include "num/format.h"
#include "rules/comm/comm_plan.h"
#include "rules/hyper/acting_settings.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/places.h"
#include "rules/precision/precision_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

// By what gradients are multiplied, and who says so.
struct Scale {
  double value = 1;
  enum class Kind : std::uint8_t { kNone, kStatic, kFloor, kFallen, kLogged } kind = Kind::kNone;
  std::optional<Location> where;
};

// The scale that the run has worked with at the end, or its floor where it fell to it.
std::optional<Scale> logged_scale(const Run& run) {
  for (std::size_t i = run.segments.size(); i-- > 0;) {
    const ScalerHistory history = scaler_history(run, i);
    if (!history.logged) continue;
    if (!history.low.empty() && history.low.back().to_the_end) {
      const LowScale& low = history.low.back();
      return Scale{low.lowest, Scale::Kind::kFallen, place(run, i, low.steps, low.line)};
    }
    return Scale{history.last, Scale::Kind::kLogged, std::nullopt};
  }
  return std::nullopt;
}

// Nothing where it is dynamic and nothing tells how far it goes.
std::optional<Scale> scale_of(const Plan& plan) {
  const auto fixed = plan.told(setting::kLossScale);
  if (fixed && fixed->value > 0) return Scale{fixed->value, Scale::Kind::kStatic, where_said(*fixed)};
  if (auto logged = logged_scale(plan.run())) return logged;
  if (plan.precision() != "fp16") return Scale{};  // nobody scales
  const auto least = plan.told(setting::kMinLossScale);
  if (least && least->value > 0) return Scale{least->value, Scale::Kind::kFloor, where_said(*least)};
  return std::nullopt;
}

// The greatest finite grad norm of the log; nothing where it has none.
struct Norm {
  double greatest = 0;
  double middle = 0;  // the median
};
std::optional<Norm> logged_norm(const Run& run) {
  std::vector<double> all;
  for (const Segment& segment : run.segments) {
    const Series* series = segment.find(metric::kGradNorm);
    for (std::size_t i = 0; series != nullptr && i < series->size(); ++i) {
      if (std::isfinite(series->value(i)) && series->value(i) > 0) all.push_back(series->value(i));
    }
  }
  if (all.empty()) return std::nullopt;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  const double median = *middle;
  return Norm{*std::max_element(all.begin(), all.end()), median};
}

class Range {
 public:
  Range(const Plan& plan, const Parameters& set, Findings& out, GradientSum sum, double ranks, Scale scale)
      : plan_(plan), set_(set), out_(out), sum_(std::move(sum)), ranks_(ranks), scale_(std::move(scale)) {}

  void judge() {
    const Averaging averaging = *sum_.averaging;
    if (averaging == Averaging::kBoth) return;  // about √N on either side: neither end is near
    const bool first = averaging == Averaging::kBefore || averaging == Averaging::kCollective;
    if (first || sum_.divided > 1) lost(first ? ranks_ : sum_.divided);
    if (!first && sum_.divided < ranks_) overflow();
  }

 private:
  double most() const { return largest(format_named("fp16")); }

  Values common() const { return {{"ranks", ranks_}, {"scale", scale_value(scale_.value)}, {"divisor", sum_.divided}}; }

  void overflow() {
    using Kind = Scale::Kind;
    if (scale_.kind == Kind::kLogged || scale_.kind == Kind::kNone) return;  // it found its place; nobody scales
    const double limit = most() * sum_.divided / (ranks_ * scale_.value);
    const auto norm = logged_norm(plan_.run());
    if (limit >= (norm ? norm->greatest : set_["gradient"])) return;
    const char* key = scale_.kind == Kind::kStatic ? "overflows" : scale_.kind == Kind::kFloor ? "floor" : "fallen";
    const bool harmless = ran_well(plan_.run()) && scale_.kind != Kind::kFallen;
    Finding finding = about(harmless ? Severity::kNote : Severity::kWarning, key);
    finding.message.values.emplace_back("limit", limit);
    finding.message.values.emplace_back("divided", most() / scale_.value);
    if (norm) finding.evidence.push_back({{"norm", {{"norm", norm->greatest}}}, {}, {}});
    finding.actions.push_back({{"divide-first", {}}, first_option(), ActionRole::kPrecision});
    out_.add(std::move(finding));
  }

  void lost(double divisor) {
    using Kind = Scale::Kind;
    if (scale_.kind == Kind::kFloor || scale_.kind == Kind::kFallen) return;  // the scale is not there to stay
    const double least = smallest_positive(format_named("fp16")) / 2;
    const double lost = least * divisor / scale_.value;
    const auto told = told_or_default(plan_, setting::kAdamEpsilon);
    const double epsilon = told && told->value > 0 ? told->value : set_["epsilon"];
    if (lost <= epsilon) return;
    const auto norm = logged_norm(plan_.run());
    const auto parameters = plan_.told("parameters");
    double share = 0;
    Finding finding = about(Severity::kNote, scale_.kind == Kind::kNone ? "lost-unscaled" : "lost");
    finding.message.values.emplace_back("lost", lost);
    finding.message.values.emplace_back("epsilon", epsilon);
    if (parameters && parameters->value > 0) {
      const double size = (norm ? norm->middle : 1) / std::sqrt(parameters->value);
      share = std::erf(lost / size / std::sqrt(2.0));
      finding.evidence.push_back({{norm ? "share" : "share-of-one",
                                   {{"share", percent_of(share)},
                                    {"norm", norm ? norm->middle : 1.0},
                                    {"parameters", parameters->value},
                                    {"size", size}}},
                                  {},
                                  {}});
    }
    if (share >= set_["share-warning"] && !ran_well(plan_.run())) finding.severity = Severity::kWarning;
    finding.actions.push_back({{"fp32", {}}, sum_.fp32, ActionRole::kPrecision});
    out_.add(std::move(finding));
  }

  Finding about(Severity severity, std::string key) const {
    Finding finding = hazard(severity, sum_.by_default ? 0.7 : 0.8, *sum_.from, {std::move(key), common()});
    if (sum_.by_default) {
      finding.evidence.push_back({{"default", {{"framework", plan_.framework()}}}, {}, sum_.from->where});
    }
    if (scale_.where) finding.where = scale_.where;
    return finding;
  }

  std::string first_option() const {
    if (plan_.framework() == "megatron") return "--accumulate-allreduce-grads-in-fp32";
    return plan_.framework() == "lightning" ? std::string() : "\"prescale_gradients\": true";
  }

  const Plan& plan_;
  const Parameters& set_;
  Findings& out_;
  GradientSum sum_;
  double ranks_;
  Scale scale_;
};

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const auto sum = low_gradient_sum(plan);
  if (!sum || sum->format != "fp16") return out.not_applicable("not-fp16");
  const auto ranks = ranks_of_sum(plan);
  if (!ranks) return out.not_applicable("no-ranks");
  if (ranks->count < 2) return out.not_applicable("one-rank");
  if (!sum->averaging) return out.not_applicable("no-averaging");
  const auto scale = scale_of(plan);
  if (!scale) return out.not_applicable("dynamic");
  Range(plan, set, out, *sum, static_cast<double>(ranks->count), *scale).judge();
}

}  // namespace

extern const Rule kReduceOverflow;
const Rule kReduceOverflow{
    .name = "reduce-overflow",
    .family = "comm",
    .title_en = "a sum of gradients over ranks leaves the range of fp16",
    .title_zh = "梯度在 rank 间求和时超出 fp16 的范围",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"gradient", "greatest element of a gradient", 1, 1e-6, 1e6,
                    "gradients are mostly clipped at a norm of 1, and one weight may hold most of it; a log's own "
                    "greatest norm counts instead"},
                   {"epsilon", "of a gradient", 1e-8, 0, 1,
                    "Adam's usual epsilon: what is smaller moves its steps less; the run's own counts instead"},
                   {"share-warning", "of the gradients of a norm", 0.05, 0, 1,
                    "as for update-swallowed: below it, rounding takes less than the choice of a learning rate does"}},
    .sentences =
        {{"overflows",
          "{name} = {value}: gradients of {ranks} ranks are added in fp16 before they are divided by their number; at "
          "the static loss scale {scale} the sum passes 65,504 from gradients of {limit} on, divided first only from "
          "{divided} on",
          "{name} = {value}：{ranks} 个 rank 的梯度先以 fp16 求和再求平均；在固定 loss scale {scale} 下，梯度达到 "
          "{limit} 时和即超过 65,504，先除则要到 {divided}"},
         {"floor",
          "{name} = {value}: gradients of {ranks} ranks are added in fp16 before they are divided by their number; "
          "even "
          "at its floor, loss scale {scale}, the sum passes 65,504 from gradients of {limit} on, divided first only "
          "from {divided} on",
          "{name} = {value}：{ranks} 个 rank 的梯度先以 fp16 求和再求平均；即使 loss scale 降到下限 "
          "{scale}，梯度达到 {limit} 时和仍超过 65,504，先除则要到 {divided}"},
         {"fallen",
          "{name} = {value}: gradients of {ranks} ranks are added in fp16 before they are divided by their number; at "
          "the loss scale {scale} that the log has fallen to, the sum passes 65,504 from gradients of {limit} on, "
          "divided first only from {divided} on",
          "{name} = {value}：{ranks} 个 rank 的梯度先以 fp16 求和再求平均；日志中 loss scale 已降至 "
          "{scale}，此时梯度达到 {limit} 和即超过 65,504，先除则要到 {divided}"},
         {"lost",
          "{name} = {value}: gradients are divided before {ranks} ranks add them in fp16; at loss scale {scale} a "
          "rank's gradients up to {lost} become 0 (Adam's epsilon: {epsilon})",
          "{name} = {value}：{ranks} 个 rank 的梯度先除后以 fp16 求和；在 loss scale {scale} 下，各 rank 不大于 "
          "{lost} 的梯度变为 0（Adam 的 epsilon：{epsilon}）"},
         {"lost-unscaled",
          "{name} = {value}: gradients are divided before {ranks} ranks add them in fp16, and nothing scales the loss: "
          "a rank's gradients up to {lost} become 0 (Adam's epsilon: {epsilon})",
          "{name} = {value}：{ranks} 个 rank 的梯度先除后以 fp16 求和，且没有 loss scale：各 rank 不大于 {lost} "
          "的梯度变为 0（Adam 的 epsilon：{epsilon}）"},
         {"default", "nothing else is said: {framework} sums gradients in the format of the training",
          "未另行设置：{framework} 以训练格式对梯度求和"},
         {"norm", "the log's grad norm reaches {norm}", "日志中的梯度范数最大为 {norm}"},
         {"share", "of gradients of the log's norm {norm} over {parameters} parameters ({size} each) that is {share}",
          "按日志的梯度范数 {norm} 分摊到 {parameters} 个参数（每个 {size}），占 {share}"},
         {"share-of-one", "of gradients of norm {norm} over {parameters} parameters ({size} each) that is {share}",
          "若梯度范数为 {norm}，分摊到 {parameters} 个参数（每个 {size}），占 {share}"},
         {"divide-first", "divide before the sum, or sum in fp32", "先除后求和，或以 fp32 求和"},
         {"fp32", "sum in fp32 or bf16, or scale the loss", "以 fp32 或 bf16 求和，或使用 loss scale"},
         {"not-fp16", "holds for gradients that are summed over ranks in fp16", "仅适用于以 fp16 在 rank 间求和的梯度"},
         {"no-ranks", "needs the number of data-parallel ranks", "需要数据并行的 rank 数"},
         {"one-rank", "one rank has nothing to sum", "只有一个 rank，无需求和"},
         {"no-averaging", "needs settings that tell when gradients are divided by the number of ranks",
          "需要说明何时除以 rank 数的设置"},
         {"dynamic", "a dynamic loss scale heals it as far as it can fall; needs its floor or a log of it",
          "动态 loss scale 会自行下降以避免；需要其下限或日志"}},
    .docs =
        {.finds = "A sum of gradients over ranks that overflows in fp16 before it is divided, or loses small gradients "
                  "because each rank divides first.",
         .matters =
             "N ranks add up to N gradients: fp16 ends at 65,504, and every step is skipped or becomes NaN on many "
             "ranks though it is fine on one. Dividing first loses what falls below 2^-25, without a message.",
         .decides =
             "fp16 as the format of the sum, the number of ranks N, the loss scale S (static, its floor, or that of "
             "the "
             "log), and when the division is done: DeepSpeed at stage 0 or without reduce_scatter divides after "
             "(prescale_gradients, gradient_predivide_factor change that), Megatron with calculate_per_token_loss, "
             "too; "
             "ZeRO, DDP and Megatron divide before; FSDP divides by the square root of N on both sides, and nothing is "
             "said of it. An overflow is told where 65,504 / (N S) is below `gradient` or the log's greatest grad "
             "norm, "
             "a loss where 2^-25 N / S is above `epsilon`.",
         .example =
             "`fp16/enabled = true: gradients of 64 ranks are added in fp16 before they are divided by their number; "
             "at the static loss scale 65,536 the sum passes 65,504 from gradients of 0.01562 on, divided first only "
             "from 0.9995 on`",
         .to_do = "DeepSpeed: prescale_gradients or communication_data_type fp32. Megatron: "
                  "--accumulate-allreduce-grads-in-fp32. A hook: bf16_compress_hook, or a loss scale. Otherwise a "
                  "dynamic loss scale that may fall to 1.",
         .false_alarms = "Ranks whose gradients differ in sign add up to the square root of N of them: then there is "
                         "more room than told.",
         .references = "DeepSpeed, runtime/engine.py and zero/stage_1_and_2.py; PyTorch, default_hooks.py and "
                       "_fsdp_collectives.py; pytorch#57410, horovod#1699, fairscale#565."},
    .judge = judge};

}  // namespace assay
