// The loss swings violently and gets nowhere.
//
// A learning rate that is too large for the curvature throws the weights from one side of the valley to the other. The
// noise of small batches looks the same at a glance; what tells them apart is that noise has been there from the start,
// while swings of the optimizer grow out of a calm loss. Swings with a fixed period come from the data: batches sorted
// by length, or an order that repeats.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/swings.h"
#include "measure/training_kind.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/oscillation.h"

namespace assay {

namespace {

constexpr double kRepeats = 0.5;    // of the variance: then the period is what the swings are
constexpr double kLeastPeriod = 5;  // records: an optimizer that overshoots swings with a period of two

void tell(const Run& run, std::size_t index, const Series& loss, const Swings& it, Findings& out) {
  const StepRange steps{loss.step(it.first), loss.step(it.last)};
  const auto stretch = loss.values.span().subspan(it.first, it.last - it.first + 1);
  auto period = dominant_period(stretch, kRepeats);
  if (period && period->records < kLeastPeriod) period.reset();
  Finding finding;
  finding.severity = period ? Severity::kNote : Severity::kWarning;
  finding.confidence = it.calm > 0 ? std::clamp(0.5 + 0.05 * it.amplitude / it.calm, 0.6, 0.9) : 0.55;
  finding.where = place(run, index, steps, loss.line(it.first));
  finding.impact = share_of_run(run, steps);
  finding.message = {it.calm > 0 ? "grown" : "always",
                     {{"amplitude", percent(it.amplitude)},
                      {"calm", percent(it.calm)},
                      {"steps", steps},
                      {"before", it.level_before},
                      {"after", it.level_after}}};
  finding.evidence.push_back({{}, curve_of(loss, 0, loss.size(), 60, steps), {}});
  if (const Series* norm = run.segments[index].find(metric::kGradNorm); norm != nullptr && norm->size() > 2) {
    finding.evidence.push_back({{}, curve_of(*norm, 0, norm->size(), 60, steps), {}});
  }
  if (period) {
    finding.evidence.push_back({{"period", {{"records", period->records}}}, {}, {}});
    finding.actions.push_back({{"look-order", {{"records", period->records}}}, ""});
  } else {
    if (it.smoothed > 1) finding.evidence.push_back({{"slow", {{"records", it.smoothed}}}, {}, {}});
    finding.actions.push_back(halve_learning_rate(run, index));
    Phrase& text = finding.actions.back().text;
    text.key = text.key == "halve-rate" ? "calm-rate" : "calm-rate-unknown";
    if (it.calm > 0) finding.actions.push_back(resume_before(run, index, steps.first));
    if (it.calm == 0) finding.actions.push_back({{"larger-batch", {}}, "", ActionRole::kBatch});
  }
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  if (is_objective(training_kind(run))) return out.not_applicable("preference");
  SwingOptions options;
  options.amplitude = set["amplitude"];
  options.growth = set["growth"];
  options.always = set["always"];
  options.share = set["share"];
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* loss = run.segments[i].find(metric::kLoss);
    if (loss == nullptr || loss->size() < options.least || adversarial(run.segments[i])) continue;
    any = true;
    if (const auto swings = find_swings(loss->values.span(), options)) tell(run, i, *loss, *swings, out);
  }
  if (!any) out.not_applicable("short", {{"records", options.least}});
}

}  // namespace

extern const Rule kLossOscillation;
const Rule kLossOscillation{
    .name = "loss-oscillation",
    .family = "phenomenon",
    .title_en = "the loss oscillates violently",
    .title_zh = "loss 剧烈振荡",
    .severity = Severity::kWarning,
    .parameters = {{"amplitude", "of the level", 0.10, 0.02, 2,
                    "sigma of the swings; losses averaged over a batch have a tenth of that"},
                   {"growth", "times the calmest stretch before", 3, 1.5, 100,
                    "data and batch size are the same all the time: noise that has tripled is not the data's"},
                   {"always", "of the level", 0.30, 0.05, 5,
                    "records of single samples reach 20 %; beyond the loss shows nothing of the progress"},
                   {"share", "of the records", 0.2, 0.02, 1, "shorter is an episode; spikes have their own rule"}},
    .sentences = with_loss_sentences({
        {"grown", "loss swings by {amplitude} in steps {steps}, {calm} before, and does not fall: {before} to {after}",
         "loss 在第 {steps} 步的振荡幅度为 {amplitude}（此前为 {calm}），且没有下降：{before} 到 {after}"},
        {"always", "loss swings by {amplitude} in steps {steps} and does not fall: {before} to {after}",
         "loss 在第 {steps} 步的振荡幅度为 {amplitude}，且没有下降：{before} 到 {after}"},
        {"period", "it repeats every {records} records: the order of the data, not the optimizer",
         "每 {records} 条记录重复一次：源于数据顺序，而非优化器"},
        {"slow", "the swings are slow: they show in medians of {records} records",
         "振荡较慢：在 {records} 条记录的中位数中可见"},
        {"look-order",
         "look for batches grouped by length or an order that repeats every {records} records; shuffle if that is not "
         "meant",
         "检查是否按长度分组，或数据顺序每 {records} 条记录重复一次；若非有意，请打乱数据"},
        {"calm-rate", "halve the peak learning rate ({rate} -> {half})", "将峰值学习率减半（{rate} -> {half}）"},
        {"calm-rate-unknown", "halve the learning rate", "将学习率减半"},
        {"larger-batch", "or average over a larger batch (more gradient accumulation)", "或增大 batch（更多梯度累积）"},
        {"preference", "preference objectives swing by design", "偏好训练的目标本身就会波动"},
        {"short", "needs at least {records} records of the training loss", "至少需要 {records} 条训练 loss 记录"},
    }),
    .docs =
        {.finds = "A training loss whose swings about its own level are large, have grown out of a calm loss, and lead "
                  "nowhere.",
         .matters =
             "The steps are larger than the valley is wide: nothing is learned, and the next swing may be the last.",
         .decides = "In windows of 32 records (a fifth of a shorter log, 12 at least; and of medians of 8 and 64 "
                    "records, for slow swings) the robust sigma about the local level is at least 10 % of it, and "
                    "three times that of the calmest stretch before, over at least 20 % of the run, while the level "
                    "does not fall. Without a calm stretch before, 30 % are asked for. *warning*; *note* when most of "
                    "it repeats with a fixed period.",
         .example = "`loss swings by 24 % in steps 4,000-9,990, 3 % before, and does not fall: 3.1 to 3.4`",
         .to_do = "Halve the learning rate, from a checkpoint before it began. With a fixed period: look at the order "
                  "of the data.",
         .false_alarms = "Adversarial and preference losses swing by design and are not judged.",
         .references = "Periods of sorted batches: transformers `group_by_length`."},
    .judge = judge};

}  // namespace assay
