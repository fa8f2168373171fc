// The evaluation loss rises for good while the training loss goes on falling.
//
// One rise of the evaluation loss is noise, and a rise of both losses is a divergence. Overfitting is the scissors:
// from the best evaluation on, all later ones are worse, by more than their noise, and the training loss shows that the
// model is still learning something, only not what the evaluation asks for.

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/metric.h"
#include "core/curve.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kNoises = 4;
constexpr std::size_t kFewest = 4;  // evaluations from which scissors that are wide open need no noise
constexpr double kWideRise = 0.1;
constexpr double kWideFall = 0.3;
constexpr std::size_t kLevelRecords = 32;

struct Scissors {
  std::size_t segment = 0;
  const Series* eval = nullptr;
  std::size_t best = 0;  // index of the least evaluation loss
  double last = 0;       // median of the last three evaluations; when it is told, the last
  double rise = 0;       // (last - best) / best
  std::optional<double> train_before, train_after;
  double best_value() const { return eval->value(best); }
  std::size_t after() const { return eval->size() - best - 1; }
};

// Sigma of the evaluations about a smooth curve: second differences of independent noise have variance 6 sigma^2.
double noise_of(std::span<const double> values) {
  std::vector<double> second;
  for (std::size_t i = 2; i < values.size(); ++i)
    second.push_back(std::fabs(values[i] - 2 * values[i - 1] + values[i - 2]));
  return second.empty() ? 0 : kMadToSigma * median_in_place(second) / std::sqrt(6.0);
}

// Few evaluations tell no noise. Those after the best rise one after the other, and by a tenth in all.
bool opens_widely(std::span<const double> values, std::size_t best) {
  const auto later = values.subspan(best);
  return values.size() >= kFewest && later.size() >= 3 && std::is_sorted(later.begin(), later.end()) &&
         later.back() >= (1 + kWideRise) * later.front();
}

// Median of the training loss around a step: up to 32 records that end there, an eighth of a short log.
std::optional<double> training_level(const Segment& segment, std::int64_t step) {
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr) return std::nullopt;
  const std::size_t end = loss->at_or_after_step(step + 1);
  const std::size_t records = std::clamp<std::size_t>(loss->size() / 8, 1, kLevelRecords);
  const std::size_t from = end > records ? end - records : 0;
  const double level = median(loss->values.span().subspan(from, end - from));
  return std::isfinite(level) ? std::optional(level) : std::nullopt;
}

// The rise is more than the noise of many evaluations.
bool rises_clearly(const Scissors& it, const Parameters& set) {
  const auto values = it.eval->values.span();
  if (static_cast<double>(values.size()) < set["evaluations"] || static_cast<double>(it.after()) < set["after"])
    return false;
  const double height = it.last - it.best_value();
  if (it.rise < set["rise"] || height < kNoises * noise_of(values)) return false;
  const auto later = values.subspan(it.best + 1);
  const double clear = it.best_value() + 0.25 * height;
  const auto worse = std::count_if(later.begin(), later.end(), [&](double x) { return x > clear; });
  return 2 * static_cast<std::size_t>(worse) >= later.size() &&
         *std::min_element(values.end() - 3, values.end()) > clear;
}

std::optional<Scissors> find(const Run& run, std::size_t index, const Parameters& set) {
  const Segment& segment = run.segments[index];
  const Series* eval = segment.find(metric::kEvalLoss);
  if (eval == nullptr || eval->size() < kFewest) return std::nullopt;
  const auto values = eval->values.span();
  if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) return std::nullopt;
  Scissors out;
  out.segment = index;
  out.eval = eval;
  out.best = static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
  if (!(out.best_value() > 0)) return std::nullopt;
  out.last = median(values.last(3));
  out.rise = (out.last - out.best_value()) / out.best_value();
  double falls = set["falls"];
  if (!rises_clearly(out, set)) {
    if (!opens_widely(values, out.best)) return std::nullopt;
    falls = std::max(falls, kWideFall);
  }
  // Judged by a median, told as it stands in the log.
  out.last = values.back();
  out.rise = (out.last - out.best_value()) / out.best_value();
  out.train_before = training_level(segment, eval->step(out.best));
  out.train_after = training_level(segment, eval->last_step());
  if (!out.train_before || !out.train_after) return std::nullopt;
  return *out.train_after < *out.train_before * (1 - falls) ? std::optional(out) : std::nullopt;
}

void tell(const Run& run, const Scissors& it, Findings& out) {
  const Segment& segment = run.segments[it.segment];
  const StepRange steps{it.eval->step(it.best), it.eval->last_step()};
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.confidence = std::clamp(0.6 + it.rise + 0.02 * static_cast<double>(it.after()), 0.6, 0.97);
  finding.where = place(run, it.segment, steps, it.eval->line(it.best));
  finding.impact = share_of_run(run, steps);
  finding.message = {"rises",
                     {{"best", it.best_value()},
                      {"step", steps.first},
                      {"last", it.last},
                      {"rise", percent(it.rise)},
                      {"end", steps.last},
                      {"before", *it.train_before},
                      {"after", *it.train_after}}};
  finding.evidence.push_back({{}, curve_of(*it.eval, 0, it.eval->size(), 60, steps), {}});
  const Series& loss = *segment.find(metric::kLoss);
  finding.evidence.push_back({{}, curve_of(loss, 0, loss.size(), 60, steps), {}});
  finding.evidence.push_back({{"evaluations", {{"worse", it.after()}, {"count", it.eval->size()}}}, {}, {}});
  const auto checkpoint = checkpoint_before(run, it.segment, steps.first + 1);
  finding.actions.push_back(
      checkpoint ? Action{{"use-checkpoint", {{"checkpoint", checkpoint->step}, {"step", steps.first}}}, ""}
                 : Action{{"use-nearest", {{"step", steps.first}}}, ""});
  finding.actions.push_back({{"stop-there", {{"step", steps.first}}}, ""});
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* eval = run.segments[i].find(metric::kEvalLoss);
    most = std::max(most, eval != nullptr ? eval->size() : 0);
    if (const auto scissors = find(run, i, set)) tell(run, *scissors, out);
  }
  if (most < kFewest) out.not_applicable("few", {{"needed", static_cast<std::int64_t>(kFewest)}});
}

}  // namespace

extern const Rule kOverfit;
const Rule kOverfit{
    .name = "overfit",
    .family = "phenomenon",
    .title_en = "the model overfits",
    .title_zh = "模型过拟合",
    .severity = Severity::kWarning,
    .parameters = {{"evaluations", "evaluations", 5, 4, 1000,
                    "a minimum and what comes after it cannot be told apart from fewer"},
                   {"after", "evaluations", 3, 2, 1000, "after the best one: one or two worse ones are chance"},
                   {"rise", "of the best", 0.05, 0.005, 10,
                    "evaluations on a fixed set repeat to within a per cent; less is not worth an early stop"},
                   {"falls", "of the training loss", 0.02, 0, 1,
                    "the training loss has to have gone on falling, else this is no overfitting"}},
    .sentences = with_loss_sentences({
        {"rises",
         "eval loss rises from {best} (step {step}) to {last} (+{rise}, step {end}) while the training loss falls from "
         "{before} to {after}",
         "验证 loss 从 {best}（第 {step} 步）升到 {last}（+{rise}，第 {end} 步），而训练 loss 由 {before} 降到 "
         "{after}"},
        {"evaluations", "{worse} of {count} evaluations come after the best one",
         "共 {count} 次评估，其中 {worse} 次在最佳点之后"},
        {"use-checkpoint",
         "use the checkpoint of step {checkpoint}, the last one up to the best evaluation (step {step})",
         "使用第 {checkpoint} 步的检查点：它是最佳评估（第 {step} 步）及之前的最后一个"},
        {"use-nearest", "use the checkpoint nearest to step {step}, where the evaluation was best",
         "使用最接近第 {step} 步（评估最佳处）的检查点"},
        {"stop-there", "next time stop at about step {step}, or train on more data, with more dropout or weight decay",
         "下次在第 {step} 步左右停止；或使用更多数据、更强的 dropout 或 weight decay"},
        {"few", "needs at least {needed} evaluation losses in one stretch of training",
         "同一段训练中至少需要 {needed} 个验证 loss"},
    }),
    .docs =
        {.finds = "An evaluation loss that has been rising since its minimum while the training loss goes on falling.",
         .matters = "Everything after the minimum makes the model worse at what it is evaluated on; an earlier "
                    "checkpoint is the better model.",
         .decides = "At least five evaluations, three of them after the best one; the median of the last three "
                    "lies 5 % and four sigma of their noise above the best; most of those after it, and all of the "
                    "last three, lie above a quarter of that rise; and the training loss has fallen by 2 % since "
                    "(medians of 32 records, an eighth of a short log). With four evaluations, or two after the best: "
                    "these rise one after the other by a tenth in all, and the training loss has fallen by 30 %.",
         .example = "`eval loss rises from 1.02 (step 400) to 1.31 (+28.4 %, step 1,200) while the training loss "
                    "falls from 0.84 to 0.31`",
         .to_do = "Take the checkpoint nearest to the minimum. Stop there next time, or add data or regularisation.",
         .false_alarms = "An evaluation set from another distribution than the training data may rise while the "
                         "task improves: look at the task's own score.",
         .references = "L. Prechelt, Early Stopping - But When?, in Neural Networks: Tricks of the Trade (1998). "
                       "Amazon SageMaker Debugger, built-in rule Overfit."},
    .judge = judge};

}  // namespace assay
