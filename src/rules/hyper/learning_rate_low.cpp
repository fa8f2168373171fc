// The learning rate is too low to learn anything.
//
// No law is asked: recipes that trained well lie down to a twentieth of StepLaw's rate. What can be said surely is
// zero: a rate of 0 in the settings, or one that is 0 in every record of a stretch in which the loss does not move. A
// rate that prints as 0.0000 because of its decimals goes with a loss that falls. From random weights, a rate of a
// hundredth of all published ones near this size is worth a word; below 1e-9 no optimizer that divides by its gradients
// moves a weight in any usual format.
// A rate that comes to zero before the run ends is about its schedule, and told there.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "measure/model_shape.h"
#include "rules/actions.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/trend.h"

namespace assay {

namespace {

constexpr double kNear = 3;       // factor in size
constexpr double kMoves = 0.015;  // of the loss: less is no learning (as loss-plateau)
constexpr double kNothing = 1e-9;
constexpr double kTrial = 100;  // steps: what so short a run with a rate of 0 is for, its owner knows

// The loss of a segment neither falls nor shows that it is too short to tell.
bool stands_still(const Segment& segment) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr || loss->size() < 10) return false;
  const auto line = theil_sen(loss->values.span());
  if (!line) return false;
  const double change = line->slope * static_cast<double>(loss->size());
  const double level = std::fabs(line->at(0));
  return std::fabs(change) < std::max(kMoves * level, 2 * neighbor_noise(loss->values.span()));
}

bool all_zero(const Series& rate) {
  const auto values = rate.values.span();
  return std::all_of(values.begin(), values.end(), [](double one) { return one == 0; });
}

// A stretch of training with a rate of zero. True: told.
bool judge_log(const Plan& plan, double least, Findings& out) {
  const Run& run = plan.run();
  bool moved_before = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Segment& segment = run.segments[i];
    const Series* rate = segment.find(metric::kLearningRate);
    if (rate == nullptr || rate->empty()) continue;
    if (!all_zero(*rate)) {
      moved_before = true;
      continue;
    }
    if (static_cast<double>(rate->size()) < least || !stands_still(segment)) continue;
    const StepRange steps{rate->first_step(), rate->last_step()};
    Finding finding;
    finding.severity = Severity::kError;
    finding.confidence = 0.85;
    finding.where = place(run, i, steps, rate->line(0));
    finding.impact = share_of_run(run, steps);
    finding.message = {moved_before ? "zero-after-restart" : "zero-seen", {{"steps", steps}, {"count", rate->size()}}};
    const Series& loss = *segment.find(metric::kLoss);
    finding.evidence.push_back({{"loss-stands", {}}, curve_of(loss, 0, loss.size(), 60), {}});
    finding.actions.push_back({{moved_before ? "restore-scheduler" : "check-scheduler", {}}, ""});
    out.add(std::move(finding));
    return true;
  }
  return false;
}

bool only_evaluates(const Config& config) {
  for (const std::string_view key : {"skip_train", "skip-train", "eval_only", "do_eval_only", "inference"}) {
    if (flag_said(config, key) == true) return true;
  }
  return flag_said(config, "do_train") == false;
}

// Where the log shows another rate, the setting is not what acts.
bool refuted(const Run& run) {
  const auto peak = logged_peak(run);
  return peak && peak->rate > 0;
}

// What the settings say too low; its severity, confidence and impact.
std::optional<Finding> too_low(const Plan& plan, const Planned& rate, const Recipe* lowest, double below) {
  Finding finding;
  finding.where = where_said(rate);
  Values values = {{"rate", rate.value}, {"option", named(rate)}};
  const bool well = ran_well(plan.run());
  if (rate.value == 0) {
    const auto steps = plan.told(setting::kTrainSteps);
    const bool trial = steps && steps->value <= kTrial;
    finding.severity = well || trial ? Severity::kNote : Severity::kWarning;
    finding.confidence = finding.impact = 0.9;
    finding.message = {"zero-said", std::move(values)};
    return finding;
  }
  if (rate.value < kNothing) {
    finding.severity = well ? Severity::kNote : Severity::kWarning;
    finding.confidence = finding.impact = 0.75;
    finding.message = {"nothing", std::move(values)};
    return finding;
  }
  const bool adam = optimizer_of(plan) == OptimizerKind::kAdam;
  if (!adam || lowest == nullptr || rate.value >= lowest->peak_rate / below) return std::nullopt;
  if (beginning_of(plan).start != Start::kScratch) return std::nullopt;
  finding.severity = Severity::kNote;
  finding.confidence = 0.55;
  finding.impact = 0.3;
  add_recipe(values, "lowest", *lowest);
  finding.message = {"below-recipes", std::move(values)};
  return finding;
}

void judge_settings(const Plan& plan, double below, Findings& out) {
  const auto rate = plan.told(setting::kLearningRate);
  if (!rate) return out.not_applicable("no-rate");
  if (rate->value < 0 || refuted(plan.run())) return;
  if (only_evaluates(plan.run().config)) return out.not_applicable("no-training");
  const auto size = model_size(plan);
  const auto near = size ? recipes_near(size->parameters, kNear) : std::nullopt;
  const RecipeRange range = near.value_or(RecipeRange{});
  auto finding = too_low(plan, *rate, range.lowest, below);
  if (!finding) return;
  if (near) {
    finding->actions.push_back(
        {{"use-published", {{"lowest", range.lowest->peak_rate}, {"highest", range.highest->peak_rate}}},
         option_to_set(plan.run(), setting::kLearningRate, range.nearest->peak_rate)});
  } else {
    finding->actions.push_back({{"set-a-rate", {}}, ""});
  }
  out.add(std::move(*finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (judge_log(plan, set["records"], out)) return;
  judge_settings(plan, set["below"], out);
}

}  // namespace

extern const Rule kLearningRateLow;
const Rule kLearningRateLow{
    .name = "learning-rate-low",
    .family = "hyper",
    .title_en = "the learning rate is too low to learn",
    .title_zh = "学习率过低，无法学习",
    .needs = Needs::kPlan,
    .severity = Severity::kError,
    .parameters = {{"records", "records", 20, 5, 100000, "a warm-up that starts at zero prints a few zeros first"},
                   {"below", "times below the least recipe", 100, 10, 1e6,
                    "published rates of one size differ by up to eight times; fine-tuning takes a hundredth"}},
    .sentences = with_optimizer_sentences({
        {"zero-seen", "the learning rate is 0 in all {count} records (steps {steps}) and the loss stands still",
         "全部 {count} 条记录（第 {steps} 步）学习率为 0，loss 不动"},
        {"zero-after-restart",
         "after the restart the learning rate is 0 in all {count} records (steps {steps}) and the loss stands still",
         "重启后全部 {count} 条记录（第 {steps} 步）学习率为 0，loss 不动"},
        {"zero-said", "the learning rate is {rate} ({option}): nothing will be learned",
         "学习率为 {rate}（{option}）：什么也学不到"},
        {"nothing", "the learning rate is {rate} ({option}): no weight will move in any usual format",
         "学习率为 {rate}（{option}）：在常用格式中权重都不会变化"},
        {"below-recipes",
         "the learning rate is {rate} ({option}) from random weights; the least that is published for models of about "
         "this size is {lowest} ({lowest_model})",
         "从随机权重开始，学习率为 {rate}（{option}）；相近规模模型已公布的最小值为 {lowest}（{lowest_model}）"},
        {"loss-stands", "the loss over these records", "这些记录的 loss"},
        {"check-scheduler", "check what the scheduler is told: its length, its warm-up, whether it is stepped at all",
         "检查调度器的设置：长度、warm-up、是否真的被推进"},
        {"restore-scheduler",
         "restore the scheduler with the checkpoint, or give it the new length: it believes that the run has ended",
         "随检查点恢复调度器，或为其设置新的长度：它认为训练已经结束"},
        {"use-published", "models of about this size were trained from random weights with {lowest} to {highest}",
         "相近规模的模型从随机权重训练时使用 {lowest} 至 {highest}"},
        {"set-a-rate", "set a learning rate", "设置学习率"},
        {"no-rate", "no setting tells the learning rate", "设置没有给出学习率"},
        {"no-training", "the settings ask for evaluation only", "设置只要求评估"},
    }),
    .docs =
        {.finds =
             "A learning rate of zero, in the settings or in all records of a stretch, or one so small that nothing "
             "can be learned.",
         .matters = "The run costs what a run costs and learns nothing. After a restart it means that the scheduler "
                    "believes to have ended.",
         .decides =
             "Log: at least 20 records of a stretch between restarts, all with a rate of exactly 0, and a loss that "
             "moves by less than 1.5 % or its noise: an error. Settings: 0 (of up to 100 steps, a note); below 1e-9; "
             "or, as a note, from random weights with "
             "Adam less than a hundredth of the least published rate of models within three times the size. StepLaw is "
             "not asked: recipes lie down to a twentieth of it.",
         .example = "`after the restart the learning rate is 0 in all 200 records (steps 5,001-7,000) and the loss "
                    "stands still`",
         .to_do = "Look at the scheduler's length and state; then take a published rate.",
         .false_alarms = "A rate that is printed with too few decimals shows as 0; then the loss moves. A frozen "
                         "adversary or a policy objective may stand still by design. A rate of 0 is set on purpose to "
                         "measure speed or to evaluate.",
         .references = "Recipes: docs/design/settings.md. lightning#10766, IDEFICS chronicles (schedulers lost at a "
                       "restart)."},
    .judge = judge};

}  // namespace assay
