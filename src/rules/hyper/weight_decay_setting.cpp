// Weight decay that does nothing, too much, or not what it says.
//
// Decoupled decay multiplies each weight by 1 - rate x decay in a step, so it forgets in tau = 1 / (rate x decay)
// steps. What matters is tau over the length of the run: recipes lie between 0.017 and 1.9 (LLaMA 7B 0.13, BLOOM 1.9).
// Outside of 0.01 to 3 it is odd, hence a note. A decay that takes a hundredth of every weight in each step leaves
// nothing to train; one that takes all of it is an error.
//
// Two conventions mislead. llm-foundry's decoupled_adamw multiplies by rate / first rate instead of the rate: the usual
// 0.1 there takes a tenth in a step. Megatron and Megatron Bridge have a schedule for the decay, whose start and end
// act and not the optimizer's number.

#include <cmath>
#include <optional>
#include <string>

#include "assay/setting.h"
#include "facts/scaling_laws.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kUsual = 0.1;
constexpr double kMiddle = 0.2;     // of the run: in the middle of the recipes, on a logarithmic scale
constexpr double kStrongest = 0.3;  // a run that would need more than that is too short for any decay to act

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const Setting* written_as(const Config& config, std::string_view underscores, std::string_view hyphens) {
  for (auto it = config.settings.rbegin(); it != config.settings.rend(); ++it) {
    const std::string& written = it->written.empty() ? it->key : it->written;
    const bool it_is = written.ends_with(underscores) || written.ends_with(hyphens);
    if (it_is && it->value != "None" && it->unknown.empty()) return &*it;
  }
  return nullptr;
}

// The decay at the end of its own schedule, where there is one.
const Setting* scheduled(const Plan& plan) {
  return written_as(plan.run().config, "end_weight_decay", "end-weight-decay");
}

bool times_relative_rate(const Plan& plan) {
  return plan.framework() == "llm-foundry" && has(plan.word(setting::kOptimizer), "decoupled");
}

Finding finding_of(const Plan& plan, const Planned& decay, Severity severity, double confidence, Phrase message) {
  Finding out = about_number(plan, decay, "decay", std::move(message));
  out.severity = severity;
  out.confidence = confidence;
  out.impact = 0.3;
  return out;
}

void tell(Finding finding, std::string_view action, Values values, std::string command, Findings& out) {
  finding.actions.push_back({{std::string(action), std::move(values)}, std::move(command)});
  out.add(std::move(finding));
}

// What the optimizer's setting says is not what acts.
bool judge_schedule(const Plan& plan, const Planned& decay, Findings& out) {
  const Setting* end = scheduled(plan);
  const auto acts = end == nullptr ? std::nullopt : end->number();
  if (!acts || *acts == decay.value || decay.origin == Origin::kDefault) return false;
  Finding finding =
      finding_of(plan, decay, Severity::kNote, 0.8,
                 {"schedule-acts", {{"acts", *acts}, {"end", end->written.empty() ? end->key : end->written}}});
  finding.also.push_back(end->where);
  tell(std::move(finding), "set-both", {}, "", out);
  return true;
}

// How much of a weight one step takes away.
bool judge_strength(const Plan& plan, const Planned& decay, double rate, const Parameters& set, Findings& out) {
  const double taken = times_relative_rate(plan) ? decay.value : decay.value * rate;
  const bool assumed = decay.origin == Origin::kDefault;
  if (taken < set["taken"] || ran_well(plan.run()) || assumed) return false;
  const bool all = taken >= 1;
  Finding finding = finding_of(plan, decay, all ? Severity::kError : Severity::kWarning, all ? 0.9 : 0.75,
                               {times_relative_rate(plan) ? "takes-relative" : "takes",
                                {{"taken", Value(100 * taken, Unit::kPercent)}, {"rate", rate}}});
  const double advised = times_relative_rate(plan) ? two_digits(kUsual * rate) : kUsual;
  tell(std::move(finding), "set-to", {{"advised", advised}}, option_to_set(plan.run(), setting::kWeightDecay, advised),
       out);
  return true;
}

void judge_timescale(const Plan& plan, const Planned& decay, double rate, const Parameters& set, Findings& out) {
  const auto steps = plan.told(setting::kTrainSteps);
  if (!steps || !(steps->value > 0)) return out.not_applicable("no-length");
  const double tau = times_relative_rate(plan) ? 1 / decay.value : decay_timescale(rate, decay.value);
  const double share = tau / steps->value;
  if (share >= set["least"] && share <= set["most"]) return;
  if (decay.value * share / kMiddle > kStrongest) return out.not_applicable("short");
  out.add(finding_of(plan, decay, Severity::kNote, 0.55,
                     {share < set["least"] ? "forgets-fast" : "hardly-acts",
                      {{"tau", count_value(two_digits(tau))},
                       {"steps", count_value(steps->value)},
                       {"rate", rate},
                       {"share", two_digits(share)}}}));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (!surely_adam(plan, out)) return;
  const auto decay = told_or_default(plan, setting::kWeightDecay);
  if (!decay) return out.not_applicable("no-decay");
  if (decay->value < 0) {
    return tell(finding_of(plan, *decay, Severity::kError, 0.9, {"negative", {}}), "set-to", {{"advised", kUsual}},
                option_to_set(plan.run(), setting::kWeightDecay, kUsual), out);
  }
  if (judge_schedule(plan, *decay, out)) return;
  const Beginning beginning = beginning_of(plan);
  if (decay->value == 0) {
    if (beginning.start != Start::kScratch || !model_size(plan)) return;
    return tell(finding_of(plan, *decay, Severity::kNote, 0.5, {"none", {}}), "recipes-have-one", {},
                option_to_set(plan.run(), setting::kWeightDecay, kUsual), out);
  }
  const auto rate = acting_rate(plan);
  if (!rate || !(rate->rate > 0)) return out.not_applicable("no-rate");
  if (rate_is_a_factor(plan) && rate->rate >= 0.1) return out.not_applicable("factor");
  if (judge_strength(plan, *decay, rate->rate, set, out)) return;
  if (beginning.start == Start::kTrained) return out.not_applicable("began-trained");
  if (beginning.start == Start::kUnknown) return out.not_applicable("begins-unknown");
  judge_timescale(plan, *decay, rate->rate, set, out);
}

}  // namespace

extern const Rule kWeightDecaySetting;
const Rule kWeightDecaySetting{
    .name = "weight-decay-setting",
    .family = "hyper",
    .title_en = "the weight decay is odd",
    .title_zh = "weight decay 设置异常",
    .needs = Needs::kPlan,
    .severity = Severity::kNote,
    .parameters = {{"taken", "of each weight in a step", 0.01, 0.0001, 1,
                    "what is learned in a hundred steps is gone after the next hundred; recipes take 1e-6 to 1e-4"},
                   {"least", "of the run", 0.01, 0.0001, 1, "published recipes: 0.017 to 1.9"},
                   {"most", "of the run", 3, 0.1, 1000, "published recipes: 0.017 to 1.9"}},
    .sentences = with_optimizer_sentences({
        {"takes",
         "a weight decay of {decay} ({option}) with a learning rate of {rate} takes {taken} of every weight in each "
         "step: nothing can be learned against that",
         "weight decay {decay}（{option}）在学习率 {rate} 下每步使权重缩小 {taken}：无法学习"},
        {"takes-relative",
         "a weight decay of {decay} ({option}) takes {taken} of every weight in each step: decoupled_adamw does not "
         "multiply it with the learning rate of {rate}",
         "weight decay {decay}（{option}）每步使权重缩小 {taken}：decoupled_adamw 不会再乘以学习率 {rate}"},
        {"negative", "the weight decay is {decay} ({option}): a negative one lets weights grow without limit",
         "weight decay 为 {decay}（{option}）：负值会使权重无限增长"},
        {"none", "no weight decay ({option} {decay}) from random weights: most published models have 0.1",
         "从随机权重开始而没有 weight decay（{option} {decay}）：多数已公布模型取 0.1"},
        {"forgets-fast",
         "a weight decay of {decay} ({option}) with a learning rate of {rate} forgets in {tau} optimizer steps, "
         "{share} "
         "times the run's {steps}: fast beside published recipes (0.017 to 1.9)",
         "weight decay {decay}（{option}）在学习率 {rate} 下约 {tau} 步遗忘，是全程 {steps} 步的 {share} 倍：快于已公布"
         "方案（0.017 至 1.9 倍）"},
        {"hardly-acts",
         "a weight decay of {decay} ({option}) with a learning rate of {rate} needs {tau} optimizer steps to act, "
         "{share} "
         "times the run's {steps}: slow beside published recipes (0.017 to 1.9)",
         "weight decay {decay}（{option}）在学习率 {rate} 下需 {tau} 步才起作用，是全程 {steps} 步的 {share} 倍：慢于"
         "已公布方案（0.017 至 1.9 倍）"},
        {"schedule-acts",
         "the weight decay of {decay} ({option}) is not the one that acts: its schedule ends at {acts} ({end})",
         "起作用的不是 weight decay {decay}（{option}）：其调度终值为 {acts}（{end}）"},
        {"set-to", "set the weight decay to {advised}", "将 weight decay 设为 {advised}"},
        {"set-both", "set the ends of the schedule to what is meant, or leave one of them out",
         "将调度的起止值设为所需的数值，或只保留其中一处"},
        {"recipes-have-one", "0.1 is usual; MPT was trained without", "通常为 0.1；MPT 未使用"},
        {"no-decay", "nothing tells the weight decay", "没有给出 weight decay"},
        {"no-rate", "nothing tells the learning rate that multiplies it", "没有给出与其相乘的学习率"},
        {"no-length", "nothing tells how many steps the run has", "没有给出训练步数"},
        {"short", "the run is too short for any usual weight decay to act",
         "训练太短，常用的 weight decay 都来不及起作用"},
        {"factor", "the learning rate multiplies another schedule", "学习率只是另一调度的系数"},
    }),
    .docs =
        {.finds =
             "Weight decay that takes too much in a step, acts too slowly or too fast for the run, is absent, or is "
             "set in a place that does not act.",
         .matters = "Too much leaves nothing of what was learned; none lets weights grow until spikes come.",
         .decides =
             "With AdamW: rate x decay of at least 0.01 a step is a warning, 1 an error (llm-foundry's "
             "decoupled_adamw: "
             "the decay itself). From random weights: tau = 1 / (rate x decay) below 0.01 or above 3 times the run is "
             "a "
             "note without advice, because what such a run would gain is not known, and so is none at all, or a "
             "schedule of the decay that ends elsewhere than the optimizer's number. "
             "A run so short that it would need a decay above 0.3 is left alone. Where a hundred records show that the "
             "run trains, strength is not judged. Of a framework's default only the timescale is, where a script or a "
             "configuration tells the rest.",
         .example = "`a weight decay of 0.1 (optimizer/weight_decay) takes 10 % of every weight in each step: "
                    "decoupled_adamw does not multiply it with the learning rate of 1.2e-4`",
         .to_do = "0.1 with AdamW in pre-training; 0.1 times the learning rate with decoupled_adamw.",
         .false_alarms = "Fine-tuning is judged by the strength alone. MPT was trained without any.",
         .references = "Wang and Aitchison 2024 (arXiv 2405.13698); arXiv 2505.13738; llm-foundry, decoupled_adamw; "
                       "Megatron Bridge, recipes."},
    .judge = judge};

}  // namespace assay
