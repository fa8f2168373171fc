// Training starts from random weights at the full learning rate.
//
// Adam divides each gradient by the root of its second moment, and in the first steps that moment is the mean of a
// handful of gradients: the first updates have full length in directions that mean nothing. From random weights, where
// gradients change fastest, this throws the weights where clipping cannot bring them back from. A warm-up of
// 2/(1-beta2) steps (40 at 0.95, 2,000 at 0.999) waits until the moment stands on enough of them.
//
// Two places tell it. The log: its first record, within the first steps of a run that starts from random weights, has
// the full rate already; where it shows a rate that rises, there is a warm-up, whatever settings say. The settings: a
// warm-up of 0, or none in a script of a framework whose default is none; that is a note. Fine-tuning at small rates
// needs none, and neither do optimizers that do not divide by a second moment.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "facts/scaling_laws.h"
#include "measure/adapters.h"
#include "measure/loss_events.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kFull = 0.9;             // of the peak
constexpr std::int64_t kFirstSteps = 40;  // 2 / (1 - 0.95): a first record behind them may have missed a warm-up
constexpr double kUsualBeta2 = 0.95;
constexpr double kRoom = 0.2;        // of the run: as beta2-stale has it
constexpr std::size_t kEnough = 40;  // records that show how a run begins

struct Memory {
  double beta2 = kUsualBeta2;
  std::optional<Planned> from;
  double steps() const { return std::ceil(least_warmup_steps(beta2) - 1e-6); }
};

Memory memory_of(const Plan& plan) {
  auto beta2 = told_or_default(plan, setting::kAdamBeta2);
  if (!beta2 || !(beta2->value > 0.5) || !(beta2->value < 1)) return {};
  return {beta2->value, std::move(beta2)};
}

// A run of a thousand steps has no room for two thousand: then beta2 is what does not fit (rule beta2-stale).
bool has_room(const Plan& plan, const Memory& memory) {
  const auto steps = plan.told(setting::kTrainSteps);
  return !steps || memory.steps() <= kRoom * steps->value;
}

void advise(const Plan& plan, Finding& finding) {
  const Memory memory = memory_of(plan);
  if (!has_room(plan, memory)) return;
  const Value steps = count_value(memory.steps());
  // Frameworks refuse a warm-up that is told in two units.
  const bool other_unit = warmup_of(plan).said && plan.setting(setting::kWarmupSteps) == nullptr;
  const std::string command = other_unit ? "" : option_to_set(plan.run(), setting::kWarmupSteps, memory.steps());
  finding.actions.push_back({{"warm-up", {{"steps", steps}, {"beta2", memory.beta2}}}, command});
}

// The log shows that the beginning did no harm.
bool began_well(const Run& run) {
  const Series* loss = run.segments.front().find(metric::kLoss);
  if (loss == nullptr || loss->size() < kEnough) return false;
  const auto first = loss->values.span().first(kEnough);
  if (!std::isfinite(first.back()) || first.back() > first.front()) return false;
  for (const LossEvent& event : loss_events(run, {.beginnings = true})) {
    if (event.segment == 0 && event.shape.onset < kEnough) return false;
  }
  return true;
}

// The log shows the full rate in its first record.
bool judge_log(const Plan& plan, const Beginning& beginning, double least, Findings& out) {
  const Run& run = plan.run();
  if (!beginning.by_log || !counts_steps(run, 0)) return false;
  const Segment& segment = run.segments.front();
  const Series* rate = segment.find(metric::kLearningRate);
  const auto peak = logged_peak(run);
  if (rate == nullptr || rate->size() < 2 || !peak || rate->first_step() > kFirstSteps) return false;
  const double first = rate->value(0);
  if (!(first >= kFull * peak->rate) || first < least) return false;
  Finding finding;
  const bool well = began_well(run);
  finding.severity = well ? Severity::kNote : Severity::kWarning;
  finding.confidence = 0.75;
  finding.impact = 0.2;
  const StepRange steps{rate->first_step(), rate->first_step()};
  finding.where = place(run, 0, steps, rate->line(0));
  finding.message = {
      "seen", {{"rate", first}, {"step", rate->first_step()}, {"peak", peak->rate}, {"loss", beginning.first_loss}}};
  finding.evidence.push_back({{}, curve_of(*rate, 0, rate->size(), 60, steps), {}});
  if (!well) advise(plan, finding);
  out.add(std::move(finding));
  return true;
}

// What tells that training starts from random weights, and what is not said at all.
void add_grounds(const Plan& plan, const Beginning& beginning, const WarmupSaid& warmup, Finding& finding) {
  if (beginning.own_folder != nullptr) {
    const Setting& load = *beginning.own_folder;
    finding.evidence.push_back(
        {{"own-folder", {{"load", load.written.empty() ? load.key : load.written}}}, {}, load.where});
  } else {
    const char* key = beginning.by_log ? "scratch-by-loss" : "scratch-by-settings";
    finding.evidence.push_back({{key, {{"loss", beginning.first_loss}}}, {}, {}});
  }
  if (warmup.said) return;
  Planned standard;
  standard.origin = Origin::kDefault;
  standard.key = warmup.written;
  standard.value = warmup.steps.value_or(warmup.share);
  add_default(plan, standard, finding);
}

void judge_settings(const Plan& plan, const Beginning& beginning, const WarmupSaid& warmup, double least,
                    Findings& out) {
  const auto rate = acting_rate(plan);
  if (!rate) return out.not_applicable("no-rate");
  if (!warmup.known || (!warmup.said && !settings_are_whole(plan.run()))) return out.not_applicable("warm-up-unknown");
  if (rate->rate < least) return out.not_applicable("low-rate", {{"rate", rate->rate}});
  const Memory memory = memory_of(plan);
  const bool none = warmup.none();
  const bool brief = !none && warmup.steps && *warmup.steps < memory.steps() && has_room(plan, memory);
  if (!none && !brief) return;
  Finding finding;
  const bool well = plan.run().has_begun() && began_well(plan.run());
  const bool mild = brief || well || !warmup.said || beginning.own_folder != nullptr;
  finding.severity = mild ? Severity::kNote : Severity::kWarning;
  finding.confidence = std::min(brief ? 0.5 : 0.8, beginning.sure);
  finding.impact = 0.2;
  finding.where = warmup.said && !warmup.where.path.empty() ? std::optional(warmup.where) : rate->where;
  if (brief) {
    finding.message = {"brief",
                       {{"steps", count_value(*warmup.steps)},
                        {"option", warmup.written},
                        {"needed", count_value(memory.steps())},
                        {"beta2", memory.beta2}}};
  } else {
    finding.message = {beginning.own_folder != nullptr ? "none-if-random" : "none",
                       {{"rate", rate->rate}, {"option", warmup.written}}};
  }
  add_grounds(plan, beginning, warmup, finding);
  if (memory.from) add_default(plan, *memory.from, finding);
  if (!well) advise(plan, finding);
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (!perhaps_adam(plan, out)) return;
  if (adapters_said(run.config) != nullptr) return out.not_applicable("adapters");
  const Beginning beginning = beginning_of(plan);
  if (beginning.start == Start::kTrained) return out.not_applicable("began-trained");
  if (beginning.start == Start::kUnknown) return out.not_applicable("begins-unknown");
  const WarmupSaid warmup = warmup_of(plan);
  const bool said = warmup.known && warmup.said && !warmup.none();
  if (!said && judge_log(plan, beginning, set["rate"], out)) return;
  const auto seen = logged_warmup(run);
  const bool rises = seen && *seen > 0;
  if (rises && (!said || static_cast<double>(*seen) >= memory_of(plan).steps())) return;
  if (!surely_adam(plan, out)) return;
  judge_settings(plan, beginning, warmup, set["rate"], out);
}

}  // namespace

extern const Rule kNoWarmup;
const Rule kNoWarmup{
    .name = "no-warmup",
    .family = "hyper",
    .title_en = "no warm-up, or too short a one",
    .title_zh = "没有 warm-up 或过短",
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters =
        {{"rate", "learning rate", 1e-4, 1e-7, 1,
          "below it the first updates are too small to do harm: 108 of 430 published fine-tuning scripts have "
          "no warm-up, nearly all of them with smaller rates"}},
    .sentences = with_optimizer_sentences({
        {"seen",
         "the first record (step {step}) has the full learning rate {rate} already, and training starts from random "
         "weights (loss {loss}): there is no warm-up",
         "首条记录（第 {step} 步）已是完整学习率 {rate}，且从随机权重开始（loss {loss}）：没有 warm-up"},
        {"none", "no warm-up ({option}) to a learning rate of {rate}, from random weights",
         "从随机权重开始，学习率 {rate} 没有 warm-up（{option}）"},
        {"none-if-random", "no warm-up ({option}) to a learning rate of {rate}, should it start from random weights",
         "学习率 {rate} 没有 warm-up（{option}）；若从随机权重开始则需要"},
        {"brief",
         "the warm-up of {steps} optimizer steps ({option}) is short: with beta2 {beta2}, {needed} are advised",
         "warm-up 仅 {steps} 步（{option}），偏短：beta2 为 {beta2} 时建议 {needed} 步"},
        {"scratch-by-loss", "it starts from random weights: the first loss is {loss}",
         "从随机权重开始：首个 loss 为 {loss}"},
        {"scratch-by-settings", "it starts from random weights: the settings name no checkpoint to begin with",
         "从随机权重开始：设置中没有指定要加载的检查点"},
        {"own-folder", "{load} names the folder that it saves to: whether a checkpoint is there is not known",
         "{load} 指向其保存目录：其中是否已有检查点未知"},
        {"warm-up",
         "warm up over at least {steps} optimizer steps, 2 / (1 - beta2) with beta2 {beta2}; published runs take 0.4 "
         "to 2 % of "
         "their steps, or 2,000",
         "warm-up 至少 {steps} 步，即 2 / (1 - beta2)，beta2 为 {beta2}；已公布的训练取全程的 0.4% 至 2%，或 2,000 步"},
        {"no-rate", "no setting tells the learning rate", "设置没有给出学习率"},
        {"warm-up-unknown", "nothing tells the warm-up", "没有给出 warm-up"},
        {"low-rate", "a learning rate of {rate} needs no warm-up", "学习率 {rate} 不需要 warm-up"},
    }),
    .docs =
        {.finds = "A run that starts from random weights at the full learning rate.",
         .matters =
             "Adam's first updates have full length in directions that mean little. The loss jumps, and what the "
             "first steps broke may never mend.",
         .decides =
             "Adam, from random weights (the first loss is that of a uniform guess; or a framework that begins from "
             "scratch where no checkpoint is named), a learning rate of at least 1e-4, and either the first record, "
             "within 40 steps, has 90 % of the peak already, or the settings say a warm-up of 0. Where forty "
             "records show a loss that falls without a bump, it is a note; so is a script that says nothing of a "
             "warm-up and leaves it to a framework whose default is none, and one that loads from the folder that it "
             "saves to. A log whose learning rate rises outranks all settings. A warm-up shorter than 2 / (1 - beta2) "
             "is a note, where the run is five times as long: MPT's 100 steps and MLPerf's 16 have worked.",
         .example = "`the first record (step 0) has the full learning rate 2.0e-4 already, and training starts from "
                    "random weights (loss 8.863): there is no warm-up`",
         .to_do = "Warm up linearly over 2 / (1 - beta2) steps or more.",
         .false_alarms = "A program may print the rate that was set instead of the one that acts. Muon, SGD, Lion and "
                         "fine-tuning do with none: not applicable.",
         .references = "Ma and Yarats 2019, On the adequacy of untuned warmup for adaptive optimization (arXiv "
                       "1910.04209). Recipes: docs/design/settings.md."},
    .judge = judge};

}  // namespace assay
