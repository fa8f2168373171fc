// The loss scaler is set so that it cannot do its work.
//
// fp16 has no gradients below 6e-8 and none above 65,504. A dynamic scaler keeps them between: it halves after an
// overflow and doubles after a window without one. Each of its numbers has a range in which that works:
//   * a static scale follows nothing: too small and gradients vanish, too large and every step overflows;
//   * a floor above what the gradients need makes every step overflow, and the trainer stops or skips for ever;
//   * a window that is short against the run costs a skipped step each time (one in `window` steps), one that is longer
//     than what is left of the run never doubles again;
//   * a start far too high costs one skipped step for each factor of two: 2^32 mostly 16 to 22 steps. That is normal;
//     where somebody set it, it is worth knowing when one reads the first lines of the log. Of a default (2^32 is that
//     of Megatron-LM) nothing is said, nor where the log itself shows the scale coming down.
// Only fp16 is judged. Under DeepSpeed the engine scales the loss, and the trainer's options (--loss-scale, …) do not
// act: its own configuration is judged alone.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/rule.h"
#include "rules/said_places.h"

namespace assay {

namespace {

constexpr double kUsualStart = 65536;

class Scaler {
 public:
  Scaler(const Plan& plan, const Parameters& set, Findings& out)
      : plan_(plan), set_(set), out_(out), by_engine_(runs_deepspeed(plan.run().config)) {}

  void judge() {
    const auto fixed = told(setting::kLossScale);
    // A model may have a setting of that name that weighs its loss.
    const bool of_model = fixed && fixed->written.starts_with("model");
    if (fixed && fixed->value > 0 && !of_model) return fixed_scale(*fixed);
    floor();
    window();
    start();
  }

 private:
  // Under DeepSpeed: what its own configuration says.
  std::optional<Planned> told(std::string_view key) const {
    if (!by_engine_) return plan_.told(key);
    const auto& all = plan_.run().config.settings;
    const auto own = std::find_if(all.rbegin(), all.rend(), [&](const Setting& one) {
      return one.key == key && !one.written.starts_with("--") && one.number() && std::isfinite(*one.number());
    });
    if (own == all.rend()) return std::nullopt;
    return Planned{*own->number(), Origin::kSaid, std::string(key), own->written, own->where, {}};
  }

  Finding& add(Severity severity, double confidence, std::string key, Values values, const Planned& from) {
    Finding finding;
    finding.severity = severity;
    finding.confidence = confidence;
    finding.impact = severity == Severity::kNote ? 0.2 : 0.6;
    finding.message = {std::move(key), std::move(values)};
    finding.where = from.where;
    out_.add(std::move(finding));
    return out_.found().back();
  }

  void advise(Finding& finding, std::string key, std::string_view setting, double value) const {
    finding.actions.push_back({{std::move(key), {{"value", scale_value(value)}}},
                               option_to_set(plan_.run(), setting, value),
                               ActionRole::kLossScale});
  }

  void fixed_scale(const Planned& fixed) {
    const Values values = {{"name", fixed.written}, {"scale", scale_value(fixed.value)}};
    if (fixed.value <= set_["static-least"]) {
      advise(add(Severity::kWarning, 0.85, "static-small", values, fixed), "dynamic", setting::kLossScale, 0);
    } else if (fixed.value > set_["static-most"]) {
      advise(add(Severity::kWarning, 0.85, "static-large", values, fixed), "dynamic", setting::kLossScale, 0);
    } else {
      add(Severity::kNote, 0.7, "static", values, fixed);
    }
  }

  std::optional<Planned> initial() const {
    if (auto scale = told(setting::kInitialLossScale)) return scale;
    auto power = told(setting::kInitialLossScalePower);
    if (!power || std::fabs(power->value) > 1000) return std::nullopt;
    power->value = std::exp2(power->value);
    return power;
  }

  void floor() {
    const auto least = told(setting::kMinLossScale);
    if (!least || !(least->value > 0)) return;
    const auto first = initial();
    if (first && least->value > first->value) {
      Finding& finding = add(Severity::kWarning, 0.9, "floor-above-start",
                             {{"least", scale_value(least->value)}, {"first", scale_value(first->value)}}, *least);
      return advise(finding, "lower-floor", setting::kMinLossScale, 1);
    }
    if (least->value < set_["floor"]) return;
    Finding& finding = add(Severity::kWarning, 0.8, "floor-high", {{"least", scale_value(least->value)}}, *least);
    advise(finding, "lower-floor", setting::kMinLossScale, 1);
  }

  void window() {
    const auto window = told(setting::kLossScaleWindow);
    if (!window || !(window->value > 0)) return;
    const auto steps = plan_.told(setting::kTrainSteps);
    if (window->value < set_["window-least"]) {
      Finding& finding =
          add(Severity::kNote, 0.8, "window-short",
              {{"window", window->value}, {"share", Value(100 / window->value, Unit::kPercent)}}, *window);
      return advise(finding, "usual-window", setting::kLossScaleWindow, 1000);
    }
    const bool long_run = steps && steps->value >= set_["window-least"] * 10;
    if (!long_run || window->value < steps->value) return;
    const double better = std::max(100.0, std::round(steps->value / 20));
    Finding& finding =
        add(Severity::kNote, 0.8, "window-long", {{"window", window->value}, {"steps", steps->value}}, *window);
    advise(finding, "usual-window", setting::kLossScaleWindow, better);
  }

  void start() {
    const auto first = initial();
    if (!first || first->value < set_["start"] || is_logged()) return;
    const double halvings = std::log2(first->value / kUsualStart);
    add(Severity::kNote, 0.9, "start",
        {{"first", scale_value(first->value)}, {"skips", static_cast<std::int64_t>(std::round(halvings))}}, *first);
  }

  // Then the log shows how many steps it took.
  bool is_logged() const {
    return std::ranges::any_of(plan_.run().segments,
                               [](const Segment& one) { return one.find(metric::kLossScale) != nullptr; });
  }

  const Plan& plan_;
  const Parameters& set_;
  Findings& out_;
  bool by_engine_;
};

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (plan.precision().empty()) return out.not_applicable("not-told");
  if (plan.precision() != "fp16") return out.not_applicable("not-fp16");
  Scaler(plan, set, out).judge();
}

}  // namespace

extern const Rule kLossScaleSetting;
const Rule kLossScaleSetting{
    .name = "loss-scale-setting",
    .family = "hyper",
    .title_en = "the loss scaler is set so that it cannot work well",
    .title_zh = "loss scale 的设置不当",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters =
        {{"static-least", "", 1, 0, 65536,
          "a scale of 1 scales nothing: gradients below 6e-8, a large part of those of a language model, become zero"},
         {"static-most", "", 65536, 1, 1e12,
          "where dynamic scalers start, and from where most fall at once; the largest fp16 is 65,504"},
         {"floor", "", 4096, 1, 1e12,
          "working scales of large models in public logs lie between 1 and 2^17; a floor within them leaves nowhere to "
          "go"},
         {"window-least", "steps", 100, 1, 100000,
          "each window ends with a try that mostly overflows: below 100 more than one step in a hundred is lost"},
         {"start", "", 16777216, 2, 1e15, "2^24: eight or more skipped steps until the scale fits"}},
    .sentences =
        {{"static-small", "{name} = {scale} is a static scale that scales nothing: small gradients become zero in fp16",
          "{name} = {scale} 是静态 loss scale，等于不缩放：fp16 中小梯度会变为零"},
         {"static-large", "{name} = {scale} is a static scale: gradients overflow in fp16, and nothing lowers it",
          "{name} = {scale} 是静态 loss scale：fp16 中梯度会溢出，且不会下调"},
         {"static", "{name} = {scale} is a static scale: it follows neither growing nor shrinking gradients",
          "{name} = {scale} 是静态 loss scale：不随梯度的增大或减小而变化"},
         {"floor-above-start", "the loss scale starts at {first}, below its floor of {least}",
          "loss scale 的初值 {first} 低于其下限 {least}"},
         {"floor-high", "the loss scale may not fall below {least}: where gradients need less, every step overflows",
          "loss scale 不能低于 {least}：梯度需要更低时，每一步都会溢出"},
         {"window-short",
          "the loss scale doubles after {window} steps: about {share} of the steps are lost to its tries",
          "loss scale 每 {window} 步翻倍：约 {share} 的步数会因此被跳过"},
         {"window-long", "the loss scale doubles after {window} steps, the run has {steps}: once fallen it never rises",
          "loss scale 每 {window} 步翻倍，而训练只有 {steps} 步：下降后不再回升"},
         {"start", "the loss scale starts at {first}: about {skips} steps are skipped until it fits, which is normal",
          "loss scale 从 {first} 开始：约跳过 {skips} 步后合适，属正常现象"},
         {"dynamic", "let the scale be dynamic ({value})", "改用动态 loss scale（{value}）"},
         {"lower-floor", "set the floor to {value}", "将下限设为 {value}"},
         {"usual-window", "set the window to {value}", "将窗口设为 {value}"},
         {"not-told", "needs settings that tell the precision", "需要说明精度的设置"},
         {"not-fp16", "needs fp16: other formats have no loss scale", "仅适用于 fp16：其他格式不需要 loss scale"}},
    .docs =
        {.finds =
             "In fp16: a static loss scale that scales nothing or overflows, a floor that is too high, a window that "
             "is too short, or longer than the run, and a start that costs many skipped steps.",
         .matters =
             "The scaler is what makes fp16 train at all. Set wrongly, small gradients become zero without a word, "
             "or steps are skipped for ever.",
         .decides =
             "Static: at most `static-least` or above `static-most` is a warning, between them a note. Dynamic: a "
             "floor of `floor` or more, or above the start, is a warning; a window below `window-least`, or not "
             "shorter than the run, a note; a start of `start` or more that somebody set a note with the number of "
             "halvings down to 65,536, as long as no log shows the scale itself. Where DeepSpeed runs, its own "
             "configuration alone is judged.",
         .example = "`loss_scale = 1 is a static scale that scales nothing: small gradients become zero in fp16`",
         .to_do =
             "Leave the scale dynamic, the floor at 1, the window at 1,000. Where the hardware has bf16, train in it: "
             "it needs no loss scale.",
         .false_alarms =
             "Models of vision and speech have trained with static scales of 128 to 4,096: such a scale is a "
             "note.",
         .references =
             "Micikevicius et al., Mixed Precision Training, 2017. Megatron-LM: --initial-loss-scale 2^32, "
             "--loss-scale-window 1000. DeepSpeed: fp16.initial_scale_power 16. Public logs of Megatron-LM: 19 "
             "skipped steps from 2^32."},
    .judge = judge};

}  // namespace assay
