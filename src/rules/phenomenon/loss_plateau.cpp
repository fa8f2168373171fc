// The loss does not move.
//
// Flat is no verdict by itself. A pre-trained model that is fine-tuned is flat from its first record on and learns; the
// end of every pre-training run is flat and is done. What is sick is a flat stretch far above what training reaches:
// in pre-training at half of the first loss or more (a model that only knows how frequent each token is has about 7 to
// 7.7 nats of the 11 it began with), while the learning rate is still there to move it. For other kinds of training the
// level tells only when it is the entropy of a uniform guess.

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "core/curve.h"
#include "measure/plateau.h"
#include "measure/scaler.h"
#include "measure/training_kind.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/rule.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kQuiet = 0.05;  // noise as a share of the level below which a uniform guess is recognised
constexpr double kNearlyAll = 0.8;
constexpr double kHalf = 0.5;
constexpr double kFreshWeights = 0.8;  // of the first loss of the run
constexpr std::size_t kEnoughToTell = 100;
constexpr double kNoGradient = 1e-6;
constexpr double kRandomTokens = 9;  // nats: a first loss of random weights over a vocabulary of subwords
constexpr double kUnigramLow = 6.8;  // entropy of how frequent each token is, for vocabularies of subwords
constexpr double kUnigramHigh = 7.8;
constexpr double kTokens = 10000;
constexpr double kAbove = 1.1;  // of the least loss before
constexpr double kLeft = 1.3;   // from there on the loss has left its level: loss-spike and loss-divergence tell it
constexpr double kMovedBefore = 10;  // times what the still records span

// The classes among which the model guesses, where the run tells: a pair, in preference training.
std::optional<double> classes_of(const Run& run, TrainingKind kind) {
  for (const std::string_view key : {"vocab_size", "padded_vocab_size", "num_labels", "num_classes", "nb_classes"}) {
    const Setting* said = run.config.find(key);
    const auto number = said != nullptr ? said->number() : std::nullopt;
    if (number && *number >= 2) return number;
  }
  return kind == TrainingKind::kPreference ? std::optional(2.0) : std::nullopt;
}

// Median of the metric within the steps.
std::optional<double> median_between(const Segment& segment, std::string_view name, StepRange steps) {
  const Series* series = segment.find(name);
  if (series == nullptr) return std::nullopt;
  const std::size_t from = series->at_or_after_step(steps.first);
  const std::size_t to = series->at_or_after_step(steps.last + 1);
  const double middle = from < to ? median(series->values.span().subspan(from, to - from)) : std::nan("");
  return std::isfinite(middle) ? std::optional(middle) : std::nullopt;
}

enum class Shape : std::uint8_t {
  kLong,    // long enough to be told from noise
  kExact,   // few records, all equal to the last digit
  kFrozen,  // few records that hardly differ, above what had been reached while the loss still moved
};

struct Flat {
  std::size_t segment = 0;
  const Series* loss = nullptr;
  Plateau stretch;
  StepRange steps;
  double share = 0;  // of the records of the loss
  double first = 0;  // loss
  Shape shape = Shape::kLong;
  double least = 0;  // before the stretch
};

std::optional<Flat> find_flat(const Run& run, std::size_t index, const Parameters& set) {
  const Segment& segment = run.segments[index];
  const Series* loss = segment.find(metric::kLoss);
  if (loss == nullptr || loss->size() < 2) return std::nullopt;
  const auto warm = warmup_end_row(segment);
  const std::size_t from = warm ? loss->at_or_after_row(*warm) : 0;
  PlateauOptions options;
  options.change = set["change"];
  options.least = static_cast<std::size_t>(set["records"]);
  const auto values = loss->values.span();
  auto stretch = longest_plateau(values, from, options);
  const bool proved = stretch.has_value();
  if (!proved) stretch = standstill(values, from);
  if (!stretch) return std::nullopt;
  Flat out{index, loss, *stretch, {loss->step(stretch->first), loss->step(stretch->last)}, 0, loss->value(0)};
  if (!proved) {
    const auto before = values.first(stretch->first);
    const auto [low, high] = std::minmax_element(before.begin(), before.end());
    out.shape = stretch->change > 0 ? Shape::kFrozen : Shape::kExact;
    out.least = before.empty() ? 0 : *low;
    const bool moved = before.size() >= 2 && *high - *low >= kMovedBefore * stretch->change;
    const double times = out.least > 0 ? stretch->level / out.least : 0;
    const bool above = moved && times >= kAbove && times < kLeft;
    // Two decimals repeat themselves in any calm run.
    const bool told = std::fabs(std::remainder(100 * stretch->level, 1.0)) > 1e-9;
    if (out.shape == Shape::kFrozen ? !above : !told) return std::nullopt;
  }
  out.share = static_cast<double>(stretch->records) / static_cast<double>(loss->size());
  return out;
}

bool rate_is_there(const Segment& segment, StepRange steps, double share) {
  const Series* rate = segment.find(metric::kLearningRate);
  const auto there = median_between(segment, metric::kLearningRate, steps);
  if (!there) return true;
  return *there >= share * *std::max_element(rate->values.span().begin(), rate->values.span().end());
}

// A later part whose first loss is below where the run began has weights that learned: its level is not the first one.
bool trained_before(const Run& run, const Flat& flat) {
  const Series* loss = run.segments.front().find(metric::kLoss);
  return flat.segment > 0 && loss != nullptr && !loss->empty() && flat.first < kFreshWeights * loss->value(0);
}

std::optional<Severity> severity_of(const Run& run, const Flat& flat, TrainingKind kind, const Parameters& set) {
  const Segment& segment = run.segments[flat.segment];
  if (flat.share < set["share"] || adversarial(segment)) return std::nullopt;
  const auto classes = uniform_guess(flat.stretch.level, classes_of(run, kind));
  if (flat.shape == Shape::kFrozen) return is_objective(kind) ? std::nullopt : std::optional(Severity::kWarning);
  if (flat.shape == Shape::kExact)
    return classes && flat.share >= kNearlyAll ? std::optional(Severity::kWarning) : std::nullopt;
  if (kind == TrainingKind::kPretraining) {
    if (!begins_at_start(run, flat.segment) || trained_before(run, flat)) return std::nullopt;
    if (!(flat.stretch.level >= set["level"] * flat.first)) return std::nullopt;
    if (!rate_is_there(segment, flat.steps, set["rate"])) return std::nullopt;
    return flat.share >= kHalf ? Severity::kError : Severity::kWarning;
  }
  if (flat.stretch.records < kEnoughToTell || flat.share < kNearlyAll) return std::nullopt;
  const bool quiet = flat.stretch.noise <= kQuiet * flat.stretch.level;
  if (quiet && classes) return Severity::kWarning;
  if (is_objective(kind)) return std::nullopt;
  return std::fabs(flat.stretch.change) < flat.stretch.noise ? std::optional(Severity::kNote) : std::nullopt;
}

void tell(const Run& run, const Flat& flat, TrainingKind kind, Severity severity, Findings& out) {
  const Segment& segment = run.segments[flat.segment];
  const Plateau& it = flat.stretch;
  Finding finding;
  finding.severity = severity;
  finding.confidence = severity == Severity::kNote    ? 0.5
                       : flat.shape == Shape::kFrozen ? 0.6
                                                      : std::clamp(0.6 + 0.4 * flat.share, 0.6, 0.95);
  finding.where = place(run, flat.segment, flat.steps, flat.loss->line(it.first));
  finding.impact = share_of_run(run, flat.steps);
  finding.message = {flat.shape == Shape::kLong && kind == TrainingKind::kPretraining ? "stuck" : "flat",
                     {{"level", it.level},
                      {"steps", flat.steps},
                      {"records", it.records},
                      {"change", percent(it.change / it.level)},
                      {"first", flat.first},
                      {"share", percent(flat.share)}}};
  finding.evidence.push_back({{}, curve_of(*flat.loss, 0, flat.loss->size(), 60, flat.steps), {}});
  const auto classes = uniform_guess(it.level, classes_of(run, kind));
  if (flat.shape == Shape::kFrozen) {
    finding.evidence.push_back({{"frozen", {{"least", flat.least}}}, {}, {}});
  } else if (flat.first >= kRandomTokens && it.level >= kUnigramLow && it.level <= kUnigramHigh) {
    finding.evidence.push_back({{"unigram", {{"level", it.level}, {"first", flat.first}}}, {}, {}});
  } else if (classes && *classes >= kTokens) {
    const Value count(static_cast<std::int64_t>(*classes));
    finding.evidence.push_back({{"guess-tokens", {{"level", it.level}, {"classes", count}}}, {}, {}});
  } else if (classes) {
    finding.evidence.push_back({{"guess", {{"level", it.level}, {"classes", *classes}}}, {}, {}});
  }
  const auto norm = median_between(segment, metric::kGradNorm, flat.steps);
  const auto rate = median_between(segment, metric::kLearningRate, flat.steps);
  if (norm) finding.evidence.push_back({{"norm", {{"norm", *norm}}}, {}, {}});
  if (rate) finding.evidence.push_back({{"rate", {{"rate", *rate}}}, {}, {}});
  if (severity == Severity::kNote) {
    finding.actions.push_back({{"usual", {}}, ""});
  } else if (norm && *norm < kNoGradient) {
    finding.actions.push_back({{"no-gradient", {}}, ""});
  } else {
    finding.actions.push_back({{"check-updates", {{"step", flat.steps.first}}}, ""});
    finding.actions.push_back(rate
                                  ? Action{{"try-rate", {{"rate", *rate}, {"lower", *rate / 3}, {"higher", *rate * 3}}},
                                           "",
                                           ActionRole::kLearningRate}
                                  : Action{{"try-rate-unknown", {}}, "", ActionRole::kLearningRate});
  }
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const TrainingKind kind = training_kind(run);
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    any = any || run.segments[i].find(metric::kLoss) != nullptr;
    const auto flat = find_flat(run, i, set);
    if (!flat) continue;
    if (const auto severity = severity_of(run, *flat, kind, set)) tell(run, *flat, kind, *severity, out);
  }
  if (!any) out.not_applicable("no-loss");
}

}  // namespace

extern const Rule kLossPlateau;
const Rule kLossPlateau{
    .name = "loss-plateau",
    .family = "phenomenon",
    .title_en = "the loss is stuck",
    .title_zh = "loss 停滞不降",
    .severity = Severity::kWarning,
    .parameters = {{"records", "records", 30, 10, 100000, "fewer do not tell flat from slow"},
                   {"share", "of the records", 0.2, 0.01, 1, "a shorter flat stretch is a pause, not a state"},
                   {"change", "of the level", 0.015, 0.001, 0.2,
                    "a stuck pre-training run moved by 0.5 % in 11,000 steps, its healthy twin by half; 1.5 % is what "
                    "a healthy run loses in a twentieth of its length"},
                   {"level", "of the first loss", 0.5, 0.1, 1,
                    "knowing only how frequent each token is leaves about 7 to 7.7 of 11 nats; far below half of the "
                    "first loss a flat end is what training looks like"},
                   {"rate", "of its peak", 0.1, 0, 1, "with less learning rate nothing is expected to move"}},
    .sentences = with_loss_sentences({
        {"stuck",
         "loss stays at {level} for {records} records (steps {steps}, {share} of the run): {change} in all, from "
         "{first} at the start",
         "loss 停在 {level}，持续 {records} 条记录（第 {steps} 步，占 {share}）：总变化仅 {change}，起始值为 {first}"},
        {"flat", "loss stays at {level} for {records} records (steps {steps}): {change} in all",
         "loss 停在 {level}，持续 {records} 条记录（第 {steps} 步）：总变化仅 {change}"},
        {"guess",
         "{level} is the entropy of a uniform guess among {classes}: the model has learned nothing that tells them "
         "apart",
         "{level} 正是在 {classes} 个类别中均匀猜测的熵：模型没有学到任何区分它们的信息"},
        {"guess-tokens",
         "{level} is about what a uniform guess over {classes} tokens gives: the model knows not even which tokens are "
         "frequent",
         "{level} 约等于在 {classes} 个 token 中均匀猜测的 loss：模型连哪些 token 更常见都没有学到"},
        {"frozen",
         "it had been at {least} while it still moved: now the model gives the same answer to whatever it is shown",
         "此前仍在变化时曾达到 {least}：现在无论输入什么，模型给出的都是同样的答案"},
        {"unigram",
         "{level} is about what knowing only how frequent each token is gives (7 to 7.7): nothing of the context is "
         "used",
         "{level} 约等于只知道每个 token 出现频率时的 loss（7 到 7.7）：完全没有用到上下文"},
        {"norm", "grad norm there: {norm} (median)", "该段梯度范数：{norm}（中位数）"},
        {"rate", "learning rate there: {rate} (median)", "该段学习率：{rate}（中位数）"},
        {"usual", "nothing to do if the evaluation improves: fine-tuning often looks like this",
         "若评估指标在提升则无需处理：微调的 loss 常常如此"},
        {"no-gradient", "no gradient arrives: look for frozen parameters, a detached graph, labels that are all masked",
         "没有梯度传到参数：请检查参数是否被冻结、计算图是否被截断、标签是否被全部屏蔽"},
        {"check-updates",
         "check that the optimizer holds the parameters that the model uses (compare a weight before and after step "
         "{step})",
         "确认优化器持有的正是模型所用的参数（比较第 {step} 步前后的某个权重）"},
        {"try-rate", "then try learning rates of {lower} and {higher} instead of {rate} for 500 steps each",
         "再用 {lower} 和 {higher} 代替 {rate} 的学习率各试 500 步"},
        {"try-rate-unknown", "then try a third and three times the learning rate for 500 steps each",
         "再用三分之一和三倍的学习率各试 500 步"},
        {"no-loss", "the log has no training loss", "日志中没有训练 loss"},
    }),
    .docs = {.finds = "A long stretch in which the training loss does not move although it should.",
             .matters = "The compute of the stretch is lost, and it will not end by waiting: the optimizer does not "
                        "reach the weights, or its steps are too large or too small to get anywhere.",
             .decides =
                 "The longest stretch whose Theil-Sen line changes by less than 1.5 % of the level and less "
                 "than two sigma of the noise, with at least 30 records and 20 % of the run, after the "
                 "warm-up. If the noise is too large to show such a change nothing is said.\n\n*Pre-training* "
                 "(told by the first loss, 5 nats or more, or 0.6 ln V; or by the settings): the level is at "
                 "least half of the first loss, the learning rate at least a tenth of its peak. *warning*; "
                 "*error* from half of the run on. *Other training*: *warning* when nearly the whole run lies "
                 "at the entropy of a uniform guess (of a usual vocabulary, 1,000 classes, or the number that "
                 "the settings name; ln 2 in preference training) with little noise; *note* when nothing moved "
                 "at all over 100 records.\n\n*Fewer records*: five that are equal to the last digit at such "
                 "an entropy, or that differ by 0.25 % at most, 10 to 30 % above what the loss had reached while "
                 "it still moved: *warning*.",
             .example = "`loss stays at 7.617 for 220 records (steps 49-10,999, 100 % of the run): -0.5 % in all, from "
                        "7.682 at the start`",
             .to_do = "Look at the grad norm: near zero, nothing arrives. Else see whether the weights change at all: "
                      "an optimizer built before the model was wrapped holds other parameters. Then the learning rate, "
                      "both ways.",
             .false_alarms = "A from-scratch run of another kind of model whose first loss is above 5.",
             .references =
                 "P. K. Sen, J. Amer. Statist. Assoc. 63 (1968). An optimizer that holds other parameters: "
                 "huggingface/accelerate#2665. Stale parameters in the forward pass: NVIDIA/Megatron-LM#663, #950."},
    .judge = judge};

}  // namespace assay
