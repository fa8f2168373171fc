// The learning rate is too high: seen in what it did to the run, or by what is published for such a model.
//
// The log comes first: a run that broke where its rate was high, with the signs of rate_trouble.cpp, says it without
// any number from outside. Before anything has run there are the settings, and three measures of different strength:
//  1. what no training survives: for Adam a rate of 1 moves each weight by 1 in a step, fifty times the width of its
//     initial distribution. Rates that only multiply another schedule are left alone;
//  2. StepLaw, within the models that it was measured on: four times its rate cost 1.8 to 6.4 % of the loss there;
//  3. published recipes of models within a factor of three in size: ten times the greatest of them.
// Published rates lie between 0.05 and 1.3 times StepLaw's, so the law judges only upwards and only inside its grid.

#include <algorithm>
#include <cmath>
#include <optional>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "facts/recipes.h"
#include "facts/scaling_laws.h"
#include "measure/adapters.h"
#include "measure/training_kind.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/hyper/rate_trouble.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kNear = 3;            // factor in size within which recipes are comparable
constexpr double kNothingBears = 100;  // by any optimizer
constexpr double kAdamCannot = 1;
constexpr double kAdamHardly = 0.1;
constexpr double kNoteAbove = 3;  // times the greatest recipe
constexpr double kAdaptersUsual = 5e-4;
constexpr double kAdaptersMost = 1e-2;
constexpr double kPreferenceUsual = 1e-6;  // TRL's and verl's default
constexpr double kPreferenceMost = 1e-4;   // a hundred times that

Finding finding_of(const ActingRate& rate, Severity severity, double confidence, Phrase message) {
  Finding out;
  out.severity = severity;
  out.confidence = confidence;
  out.impact = 0.6;
  out.where = rate.where;
  out.message = std::move(message);
  out.message.values.insert(out.message.values.begin(), {{"rate", rate.rate}, {"option", rate.name}});
  return out;
}

// What such a model was trained with, as evidence and as an action.
void advise(const Plan& plan, const std::optional<RecipeRange>& range, Finding& finding) {
  if (!range) {
    const Recipe& most = recipe_of_greatest_rate();
    finding.actions.push_back({{"lower-to", {{"rate", most.peak_rate}, {"model", most.model}}},
                               option_to_set(plan.run(), setting::kLearningRate, most.peak_rate)});
    return;
  }
  Values values = {{"count", range->count}, {"source", range->nearest->source.text}};
  add_recipe(values, "lowest", *range->lowest);
  add_recipe(values, "highest", *range->highest);
  add_recipe(values, "nearest", *range->nearest);
  finding.evidence.push_back({{"recipes", std::move(values)}, {}, {}});
  finding.actions.push_back(
      {{"use-published", {{"lowest", range->lowest->peak_rate}, {"highest", range->highest->peak_rate}}},
       option_to_set(plan.run(), setting::kLearningRate, range->nearest->peak_rate)});
}

std::optional<RecipeRange> range_of(const Plan& plan) {
  const auto size = model_size(plan);
  return size ? recipes_near(size->parameters, kNear) : std::nullopt;
}

// Whether the rate itself cannot be meant. True: told, or nothing more to say.
bool absurd(const Plan& plan, const ActingRate& rate, OptimizerKind optimizer, Findings& out) {
  if (rate.rate < 0) {
    Finding finding = finding_of(rate, Severity::kError, 0.95, {"negative", {}});
    advise(plan, range_of(plan), finding);
    out.add(std::move(finding));
    return true;
  }
  const bool factor = rate_is_a_factor(plan);
  const bool adam = optimizer == OptimizerKind::kAdam || optimizer == OptimizerKind::kLion;
  const bool nothing = rate.rate > kNothingBears && !factor;
  const bool cannot = adam && !factor && rate.rate >= kAdamCannot;
  const bool hardly = adam && !factor && rate.rate >= kAdamHardly;
  if (!nothing && !hardly) return false;
  if (adapters_said(plan.run().config) != nullptr && !nothing && !cannot) return false;
  if (ran_well(plan.run())) return true;  // then it is not what acted
  const bool error = nothing || cannot;
  Finding finding = finding_of(rate, error ? Severity::kError : Severity::kWarning,
                               nothing ? 0.97
                               : error ? 0.9
                                       : 0.75,
                               {nothing ? "no-optimizer-bears" : "adam-cannot", {}});
  advise(plan, range_of(plan), finding);
  out.add(std::move(finding));
  return true;
}

bool against_step_law(const Plan& plan, const ActingRate& rate, const ModelSize& size, double least, Findings& out) {
  const auto tokens = plan.told(setting::kTrainTokens);
  if (!tokens || !(size.matrices > 0)) return false;
  const StepLaw law = step_law(size.matrices, tokens->value);
  if (!law.valid || rate.rate < least * law.rate) return false;
  Finding finding = finding_of(
      rate, ran_well(plan.run()) ? Severity::kNote : Severity::kWarning, 0.7,
      {"over-step-law", {{"times", Value(rate.rate / law.rate, Unit::kTimes)}, {"law", two_digits(law.rate)}}});
  finding.evidence.push_back({{"step-law-of", {{"matrices", size.matrices}, {"tokens", tokens->value}}}, {}, {}});
  finding.actions.push_back({{"use-law", {{"law", two_digits(law.rate)}}},
                             option_to_set(plan.run(), setting::kLearningRate, two_digits(law.rate))});
  out.add(std::move(finding));
  return true;
}

void against_recipes(const Plan& plan, const ActingRate& rate, const ModelSize& size, bool trained, double most,
                     Findings& out) {
  const auto range = recipes_near(size.parameters, kNear);
  if (!range) return out.not_applicable("none-near", {{"parameters", size.parameters}});
  const double times = rate.rate / range->highest->peak_rate;
  // Whoever goes on from trained weights needs no more than who made them.
  const double note = trained ? 1 : kNoteAbove;
  if (times <= note) return;
  const bool warn = times > most && !ran_well(plan.run());
  Values values = {{"times", Value(times, Unit::kTimes)}};
  add_recipe(values, "highest", *range->highest);
  Finding finding = finding_of(rate, warn ? Severity::kWarning : Severity::kNote, warn ? 0.75 : 0.5,
                               {trained ? "over-pretraining" : "over-recipes", std::move(values)});
  advise(plan, range, finding);
  out.add(std::move(finding));
}

void judge_adapters(const Plan& plan, const ActingRate& rate, Findings& out) {
  if (plan.run().config.find("pre_seq_len") != nullptr) return out.not_applicable("prefixes");
  if (rate.rate <= kAdaptersMost) return;
  Finding finding =
      finding_of(rate, ran_well(plan.run()) ? Severity::kNote : Severity::kWarning, 0.7, {"adapters-high", {}});
  finding.actions.push_back(
      {{"use-adapter-rate", {}}, option_to_set(plan.run(), setting::kLearningRate, kAdaptersUsual)});
  out.add(std::move(finding));
}

// A policy that is pulled towards preferences or rewards is trained with a hundredth of the rate that made it.
void judge_policy(const Plan& plan, const ActingRate& rate, TrainingKind kind, Findings& out) {
  if (rate.rate <= kPreferenceMost) return;
  const bool rewards = kind == TrainingKind::kReinforcement;
  Finding finding = finding_of(rate, ran_well(plan.run()) ? Severity::kNote : Severity::kWarning, 0.65,
                               {rewards ? "reinforcement-high" : "preference-high", {}});
  finding.actions.push_back(
      {{"use-preference-rate", {}}, option_to_set(plan.run(), setting::kLearningRate, kPreferenceUsual)});
  out.add(std::move(finding));
}

void judge_settings(const Plan& plan, const Parameters& set, Findings& out) {
  const auto rate = acting_rate(plan);
  if (!rate) return out.not_applicable("no-rate");
  const OptimizerKind optimizer = optimizer_of(plan);
  if (absurd(plan, *rate, optimizer, out)) return;
  if (adapters_said(plan.run().config) != nullptr) return judge_adapters(plan, *rate, out);
  if (!surely_adam(plan, out)) return;
  if (scales_rates_by_width(plan.run().config)) return out.not_applicable("by-width");
  const TrainingKind kind = training_kind(plan.run());
  if (tunes_policy(plan, kind)) return judge_policy(plan, *rate, kind, out);
  if (rate_is_a_factor(plan) && rate->rate > kAdamHardly) return out.not_applicable("factor");
  const auto size = model_size(plan);
  if (!size) return out.not_applicable("no-size");
  const Beginning beginning = beginning_of(plan);
  const bool trained = beginning.start == Start::kTrained;
  if (!trained && against_step_law(plan, *rate, *size, set["over-law"], out)) return;
  against_recipes(plan, *rate, *size, trained, set["over-recipes"], out);
}

// --- the log ---

std::string_view phase_key(RateTrouble::Phase phase) {
  switch (phase) {
    case RateTrouble::Phase::kRising: return "while-rising";
    case RateTrouble::Phase::kAtPeak: return "at-peak";
    case RateTrouble::Phase::kHigh: break;
  }
  return "while-high";
}

void add_signs(const RateTrouble& it, const Recipe* published, Finding& finding) {
  const auto tell = [&](std::string_view key, Values values) {
    finding.evidence.push_back({{std::string(key), std::move(values)}, {}, {}});
  };
  tell(phase_key(it.phase), {{"peak", it.peak_rate}});
  if (it.spread) tell("wild-norms", {{"spread", Value(*it.spread, Unit::kTimes)}});
  if (it.over_clip) tell("over-clip", {{"times", Value(*it.over_clip, Unit::kTimes)}});
  if (it.published) {
    Values values = {{"times", Value(*it.published, Unit::kTimes)}};
    add_recipe(values, "highest", *published);
    tell("beyond", std::move(values));
  }
  if (it.jump) tell(it.jump_of_norm ? "norm-explosion" : "loss-explosion", {{"times", Value(*it.jump, Unit::kTimes)}});
}

// Half of the rate at which it broke; of one that is far beyond all that is published, the greatest of these.
void advise_less(const Plan& plan, const RateTrouble& it, const Recipe* published, Finding& finding) {
  const bool rising = it.phase == RateTrouble::Phase::kRising;
  const double half = two_digits((rising ? it.rate : it.peak_rate) / 2);
  if (it.published && published->peak_rate < half) {
    finding.actions.push_back({{"to-published", {{"highest", published->peak_rate}, {"model", published->model}}},
                               option_to_set(plan.run(), setting::kLearningRate, published->peak_rate)});
    return;
  }
  finding.actions.push_back(
      {{rising ? "stay-below" : "halve", {{"half", half}}}, option_to_set(plan.run(), setting::kLearningRate, half)});
}

void tell_trouble(const Plan& plan, const RateTrouble& it, const Recipe* published, Findings& out) {
  const Run& run = plan.run();
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.confidence = std::min((4 + it.signs) / 10.0, 0.85);
  finding.where = place(run, it.segment, it.steps, it.line);
  finding.impact = share_of_run(run, {it.steps.first, std::max(it.steps.first, it.loss->last_step())});
  const bool rose = it.what == RateTrouble::What::kRose;
  finding.message = {rose ? "broke" : "stuck",
                     {{"rate", it.rate}, {"step", it.steps.first}, {"before", it.before}, {"after", it.after}}};
  const Series& rate = *run.segments[it.segment].find(metric::kLearningRate);
  if (rate.size() > 2) finding.evidence.push_back({{}, curve_of(rate, 0, rate.size(), 60, it.steps), {}});
  add_signs(it, published, finding);
  finding.evidence.resize(std::min<std::size_t>(finding.evidence.size(), 5));
  advise_less(plan, it, published, finding);
  out.add(std::move(finding));
}

// The recipe with the greatest rate for such a model; null where none can be compared: where nothing says that the
// optimizer is Adam, or that a language model is trained.
const Recipe* greatest_recipe(const Plan& plan) {
  const Config& config = plan.run().config;
  if (optimizer_of(plan) != OptimizerKind::kAdam || adapters_said(config) != nullptr || scales_rates_by_width(config)) {
    return nullptr;
  }
  if (const auto range = range_of(plan)) return range->highest;
  return trains_language_model(plan) ? &recipe_of_greatest_rate() : nullptr;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const Recipe* published = greatest_recipe(plan);
  if (run.has_begun()) {
    const double greatest = published != nullptr ? published->peak_rate : 0;
    if (const auto trouble = rate_trouble(run, static_cast<int>(set["signs"]), greatest)) {
      return tell_trouble(plan, *trouble, published, out);
    }
  }
  Findings by_settings;
  judge_settings(plan, set, by_settings);
  for (Finding& finding : by_settings.found()) out.add(std::move(finding));
  // Where the log shows the rate, the rule has judged, whatever the settings lack.
  if (by_settings.reason() && !(run.has_begun() && logged_peak(run))) {
    out.not_applicable(by_settings.reason()->key, by_settings.reason()->values);
  }
}

}  // namespace

extern const Rule kLearningRateHigh;
const Rule kLearningRateHigh{
    .name = "learning-rate-high",
    .family = "hyper",
    .title_en = "the learning rate is too high",
    .title_zh = "学习率过高",
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {{"signs", "signs", 2, 1, 5,
                    "every divergence happens at some learning rate: one sign alone is coincidence"},
                   {"over-law", "times StepLaw", 4, 2, 100,
                    "four times the law's rate cost 1.8 to 6.4 % of the loss on its own grid, twice hardly any; "
                    "published recipes go up to 1.3 times"},
                   {"over-recipes", "times the greatest recipe", 10, 3, 1000,
                    "recipes of models of one size differ by up to eight times among themselves"}},
    .sentences = with_optimizer_sentences({
        {"broke",
         "the loss rose from {before} to {after} from step {step} on, at a learning rate of {rate}: it is probably too "
         "high",
         "loss 自第 {step} 步起由 {before} 升到 {after}，当时学习率为 {rate}：很可能过高"},
        {"stuck",
         "the loss stays at {after} (it began at {before}) from step {step} on, at a learning rate of {rate}: it is "
         "probably too high",
         "loss 自第 {step} 步起停在 {after}（起始为 {before}），当时学习率为 {rate}：很可能过高"},
        {"negative", "the learning rate is {rate} ({option}): a negative one climbs the loss",
         "学习率为 {rate}（{option}）：负的学习率会使 loss 上升"},
        {"no-optimizer-bears", "the learning rate is {rate} ({option}): no optimizer trains with that",
         "学习率为 {rate}（{option}）：任何优化器都无法以此训练"},
        {"adam-cannot",
         "the learning rate is {rate} ({option}): Adam moves every weight by about that much in each step",
         "学习率为 {rate}（{option}）：Adam 每一步都会让每个权重移动约这么多"},
        {"over-step-law",
         "the learning rate is {rate} ({option}), {times} times the {law} that StepLaw gives for this model and this "
         "many tokens",
         "学习率为 {rate}（{option}），是 StepLaw 按此模型与 token 数给出的 {law} 的 {times} 倍"},
        {"over-recipes",
         "the learning rate is {rate} ({option}), {times} times the greatest that is published for models of about "
         "this size: {highest} ({highest_model})",
         "学习率为 {rate}（{option}），是相近规模模型已公布的最大值 {highest}（{highest_model}）的 {times} 倍"},
        {"over-pretraining",
         "the learning rate is {rate} ({option}) and training starts from trained weights: {times} times the greatest "
         "with which models of about this size were pre-trained, {highest} ({highest_model})",
         "学习率为 {rate}（{option}），且从已训练的权重开始：是相近规模模型预训练最大值 "
         "{highest}（{highest_model}）的 {times} 倍"},
        {"preference-high",
         "the learning rate is {rate} ({option}) for a preference method on a whole model: 1e-7 to 5e-6 is usual",
         "对整个模型做偏好训练的学习率为 {rate}（{option}）：通常为 1e-7 至 5e-6"},
        {"reinforcement-high",
         "the learning rate is {rate} ({option}) for reinforcement learning of a whole model: 1e-7 to 5e-6 is usual",
         "对整个模型做强化学习的学习率为 {rate}（{option}）：通常为 1e-7 至 5e-6"},
        {"adapters-high", "the learning rate is {rate} ({option}), for adapters too: 1e-4 to 5e-4 is usual",
         "学习率为 {rate}（{option}），对适配器也过高：通常为 1e-4 至 5e-4"},
        {"while-rising", "the learning rate was still rising ({peak} so far): its peak would have been worse",
         "当时学习率仍在上升（至此 {peak}）：到峰值只会更糟"},
        {"at-peak", "the learning rate had just come to its peak of {peak}", "学习率刚到达峰值 {peak}"},
        {"while-high", "the learning rate was above half of its peak of {peak}", "学习率高于峰值 {peak} 的一半"},
        {"wild-norms",
         "grad norms before it are wild: the 90th percentile is {spread} times the median (healthy runs: below 2)",
         "此前的梯度范数起伏很大：90% 分位数是中位数的 {spread} 倍（健康训练低于 2 倍）"},
        {"over-clip", "the median grad norm before it is {times} times the clip threshold",
         "此前梯度范数的中位数是裁剪阈值的 {times} 倍"},
        {"beyond", "that is {times} times the largest published for AdamW, {highest} ({highest_model})",
         "这是 AdamW 已公布最大值 {highest}（{highest_model}）的 {times} 倍"},
        {"loss-explosion", "the loss grew {times}-fold; a bad batch rarely does that",
         "loss 增至 {times} 倍，异常数据很少造成这样的增幅"},
        {"norm-explosion", "the grad norm grew {times}-fold; a bad batch rarely does that",
         "梯度范数增至 {times} 倍，异常数据很少造成这样的增幅"},
        {"recipes",
         "{count} published recipes lie near this size, from {lowest} ({lowest_model}) to {highest} ({highest_model}); "
         "nearest: {nearest} ({nearest_model}), {source}",
         "相近规模的已公布方案有 {count} 个，从 {lowest}（{lowest_model}）到 {highest}（{highest_model}）；最接近的是 "
         "{nearest}（{nearest_model}），{source}"},
        {"step-law-of",
         "StepLaw: 1.79 N^-0.713 D^0.307 with N = {matrices} parameters in the layers and D = {tokens} tokens; "
         "measured for 0.21-1.07 B parameters and 4-100 B tokens",
         "StepLaw：1.79 N^-0.713 D^0.307，层内 N = {matrices} 个参数，D = {tokens} 个 token；实测范围为 "
         "2.1-10.7 亿个参数、40-1,000 亿个 token"},
        {"stay-below", "keep the peak learning rate at or below {half}, half of what it was when the loss rose",
         "将学习率峰值控制在 {half} 以内，即 loss 上升时的一半"},
        {"halve", "lower the peak learning rate to {half}, half of what it was",
         "将学习率峰值降到 {half}，即原来的一半"},
        {"to-published", "lower the peak learning rate to {highest} or less, the largest published for AdamW ({model})",
         "将学习率峰值降到 {highest} 或更低，即 AdamW 已公布的最大值（{model}）"},
        {"lower-to", "{rate} is the greatest that is published for AdamW ({model}); larger models take less",
         "AdamW 已公布的最大值为 {rate}（{model}）；更大的模型更小"},
        {"use-published", "models of about this size were trained with {lowest} to {highest}",
         "相近规模的模型使用 {lowest} 至 {highest}"},
        {"use-law", "StepLaw gives {law}; recipes that trained well lie between 0.05 and 1.3 times that",
         "StepLaw 给出 {law}；训练良好的方案介于其 0.05 至 1.3 倍"},
        {"use-preference-rate", "TRL and verl take 1e-6", "TRL 与 verl 默认为 1e-6"},
        {"use-adapter-rate", "LoRA is usually trained with 1e-4 to 5e-4", "LoRA 通常使用 1e-4 至 5e-4"},
        {"no-rate", "neither a setting nor the log tells the learning rate", "设置和日志都没有给出学习率"},
        {"no-size", "the settings do not tell the size of the model", "设置没有给出模型规模"},
        {"none-near", "no published recipe is near {parameters} parameters",
         "没有规模接近 {parameters} 个参数的已公布方案"},
        {"by-width", "rates are scaled matrix by matrix (mu-P): no single rate can be compared",
         "学习率按矩阵缩放（μP），没有可比较的单一数值"},
        {"factor", "the learning rate multiplies another schedule", "学习率只是另一调度的系数"},
        {"prefixes", "prefixes are trained, with rates of their own", "训练的是前缀（P-Tuning），学习率另有范围"},
    }),
    .docs =
        {.finds = "A learning rate at which the run broke, or that lies far above what is known to train such a model.",
         .matters = "It is the most frequent cause of divergence, of a loss that stays where it began, and of grad "
                    "norms that only clipping holds. Lowered, the same run trains.",
         .decides =
             "From the log: a loss that rose and did not come back, or never left its first half, with two of these "
             "signs: the learning rate was rising or had come to its peak within three warm-ups; the 90th percentile "
             "of the grad norms before lies 5 times above their median (healthy: 1.15-1.8); their median is 10 times "
             "the clip threshold; loss or norm exploded (10 and 100 times); the rate is 3 times anything published, "
             "where "
             "a language model is trained with Adam by what settings, framework and first loss tell. "
             "Below half of its peak the rate is not blamed.\n\n"
             "From the settings: above 100, or for Adam and Lion 1 or more, is an error; for Adam from 0.1 on a "
             "warning. From random weights: 4 times StepLaw, only for models on its grid (0.21-1.07 B parameters in "
             "the layers, 4-100 B tokens), or 10 times the greatest published rate of models within three times the "
             "size; 3 times is a note. From trained weights: more than these were pre-trained with is a note, 10 times "
             "a warning. Adapters: above 0.01; preference and reinforcement training of a whole model: above 1e-4. If "
             "a hundred records "
             "show that the run trains, all of this is a note. "
             "On StepLaw's published grid (17 cells of at least 25 runs) the run nearest to its advice is on average "
             "0.10 %, at worst 0.31 %, above the best of its cell; four times the rate cost 1.8-6.4 %, eight times "
             "made 6 of 8 diverge.",
         .example = "`the loss rose from 0.61 to 1467 from step 2 on, at a learning rate of 3.7e-3: it is probably too "
                    "high`",
         .to_do = "Take half of the rate at which it broke, or a published one where that is less; scale with the "
                  "square root "
                  "of the batch for Adam. Warm up longer only after that.",
         .false_alarms =
             "A defect in data, precision or kernels may break a run while its rate rises: two signs make it likely, "
             "not certain. SGD, Adafactor (1e-2), Muon (0.02), LAMB, mu-P and factors of a Noam schedule have scales "
             "of their own and are not compared. Models that are no language models are judged by their log alone.",
         .references = "StepLaw (arXiv 2503.04715); recipes: docs/design/settings.md; BLOOM chronicles, 104B; Deep "
                       "Learning Tuning Playbook; Wortsman et al. 2023, Small-scale proxies (arXiv 2309.14322)."},
    .judge = judge};

}  // namespace assay
