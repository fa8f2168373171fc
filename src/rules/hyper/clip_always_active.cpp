// Almost every step is clipped: then the threshold, not the gradient, sets the length of each update, and the learning
// rate that one believes in is not the one that acts.
//
// A share and not a count, because a count grows with the log; the lower end of its Wilson interval and not the share,
// because "almost every step" must not be said after ten of them. The median beside it says by how much: at a median of
// 8 and a threshold of 1 the gradient acts with an eighth of its length, and a plain SGD would learn with an eighth of
// its rate. Adam divides by the same factor again, so the harm is smaller there: the clip then only removes what tells
// an unusual batch from a usual one.
//
// Where the norm is printed after clipping, the steps that were clipped are those that print the threshold itself.
// Where nothing tells the threshold, the one that most recipes have (1.0) stands in, and the finding is only possible.
// A share that the log itself prints (fairseq: clip=100) needs no threshold, and counts before the default of a
// framework: a default is what acts where nobody set another, and the print shows that somebody did.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "measure/seen_clip.h"
#include "measure/training_kind.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/rule.h"
#include "rules/said_places.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kUsualClip = 1.0;  // the default of Megatron-LM, the Hugging Face Trainer and torchtitan
constexpr double kHugeNorm = 1000;  // beside a loss scale, with a threshold that is not told: it may still carry it
constexpr std::size_t kFewest = 5;  // records with a share
constexpr double kSomeBound = 0.5;  // of the lower end: what three or four records cannot show

struct Clipped {
  SeenNorms norms;
  Share share;
  double clip = 0;
  bool grave = false;
  bool printed = false;  // the log tells the share, and nothing tells the threshold
};

// The threshold is not told, and the level is not one that it would surely clip.
bool too_little_known(const Segment& segment, const SeenNorms& norms, const Parameters& set) {
  if (norms.p25 <= set["usual"] * kUsualClip) return true;
  return segment.find(metric::kLossScale) != nullptr && norms.median >= kHugeNorm;
}

bool told_otherwise(const Segment& segment) {
  const Series* fraction = segment.find(metric::kClipFraction);
  return fraction != nullptr && !fraction->empty() && median(fraction->values.span()) == 0;
}

bool prints_share(const Run& run) {
  return std::ranges::any_of(run.segments, [](const Segment& one) {
    const Series* fraction = one.find(metric::kClipFraction);
    return fraction != nullptr && fraction->size() >= kFewest;
  });
}

// The shares of all records, as so many records that were clipped whole.
std::optional<Share> printed_share(const Segment& segment) {
  const Series* fraction = segment.find(metric::kClipFraction);
  if (fraction == nullptr || fraction->size() < kFewest) return std::nullopt;
  double sum = 0;
  for (const double one : fraction->values.span()) {
    if (!(one >= 0 && one <= 1)) return std::nullopt;  // not a share
    sum += one;
  }
  return Share{static_cast<std::size_t>(sum + 1e-9), fraction->size()};  // a sum of decimals
}

std::optional<Clipped> judge_segment(const Run& run, std::size_t index, const std::optional<Planned>& asked,
                                     const Parameters& set) {
  auto norms = seen_norms(run, index);
  if (!norms || told_otherwise(run.segments[index])) return std::nullopt;
  Clipped out;
  const auto printed = asked ? std::nullopt : printed_share(run.segments[index]);
  out.printed = printed.has_value();
  const bool piled = norms->piled_at && norms->at_pile.value() >= set["share"];
  out.clip = asked ? asked->value : piled ? *norms->piled_at : kUsualClip;
  if (!asked && !printed && !piled && too_little_known(run.segments[index], *norms, set)) return std::nullopt;
  out.share = printed ? *printed : norms->clipped(out.clip);
  if (out.share.value() < set["share"] || out.share.lower_bound() < kSomeBound) return std::nullopt;
  out.grave = (asked || printed) && out.share.lower_bound() >= set["share"] &&
              static_cast<double>(out.share.total) >= set["records"];
  out.norms = std::move(*norms);
  return out;
}

std::string key_of(const Clipped& worst, const std::optional<Planned>& asked) {
  if (worst.printed) return "printed";
  if (worst.norms.above(worst.clip).hits == 0) return "piled";
  if (!asked) return "usual";
  return asked->origin == Origin::kDefault ? "default" : "always";
}

// "all 8 records", "99.2 % of the 1,800 records".
Text which(const Share& share) {
  const std::string total = format(Value(share.total));
  if (share.hits >= share.total) return {"all " + total + " records", "全部 " + total + " 条记录都"};
  const std::string part = format(Value(std::min(99.9, std::round(1000 * share.value()) / 10), Unit::kPercent));
  return {part + " of the " + total + " records", total + " 条记录中有 " + part + " "};
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  if (clipping_switched_off(run.config) != nullptr) return out.not_applicable("off");
  auto asked = plan.find(setting::kClipNorm);
  if (asked && asked->origin == Origin::kDefault && prints_share(run)) asked.reset();
  if (asked && !(asked->value > 0)) return out.not_applicable("off");
  if (plan.hidden(setting::kClipNorm)) return out.not_applicable("hidden");
  bool any = false;
  std::vector<Clipped> all;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    any = any || seen_norms(run, i).has_value();
    if (auto one = judge_segment(run, i, asked, set)) all.push_back(std::move(*one));
  }
  if (!any) return out.not_applicable("no-norm");
  if (all.empty()) return;
  const auto worst =
      std::ranges::max_element(all, [](const Clipped& a, const Clipped& b) { return a.share.total < b.share.total; });
  const TrainingKind kind = training_kind(run);
  const bool tuned = kind == TrainingKind::kFineTuning || is_objective(kind);
  Finding finding;
  finding.severity = worst->grave && !tuned ? Severity::kWarning : Severity::kNote;
  finding.confidence = !asked && !worst->printed && !worst->norms.piled_at ? 0.5 : worst->grave ? 0.9 : 0.75;
  if (asked && asked->origin == Origin::kDefault) finding.confidence -= 0.1;  // a script may have set another
  finding.impact = 0.3;
  const Text records = which(worst->share);
  finding.message = {key_of(*worst, asked),
                     {{"which", records.en},
                      {"which-zh", records.zh},
                      {"share", percent(worst->share.value())},
                      {"records", worst->share.total},
                      {"clip", worst->clip},
                      {"median", worst->norms.median},
                      {"ratio", Value(worst->norms.median / worst->clip, Unit::kTimes)},
                      {"framework", plan.framework()}}};
  finding.where = place(run, worst->norms.segment, worst->norms.steps, worst->norms.line);
  for (const Clipped& one : all) {
    if (&one != &*worst) finding.also.push_back(place(run, one.norms.segment, one.norms.steps, one.norms.line));
  }
  const Series& series = *run.segments[worst->norms.segment].find(metric::kGradNorm);
  if (finding.severity != Severity::kNote) {
    finding.evidence.push_back({{}, curve_of(series, 0, series.size()), {}});
    finding.actions.push_back({{"lower-rate", {}}, ""});
    if (finding.message.key != "piled") {
      // Adam divides by the size of the gradient: a threshold that moves leaves its updates as long as they were.
      const bool plain = plan.word(setting::kOptimizer).find("sgd") != std::string::npos;
      const std::string sentence = plain ? "clip-at-and-lower" : "clip-at";
      finding.actions.push_back({{sentence, {{"clip", two_digits(worst->norms.p90)}}}, ""});
    }
  }
  if (asked && asked->origin == Origin::kSaid) {
    finding.evidence.push_back({{"asked", {{"written", asked->written}, {"clip", asked->value}}}, {}, asked->where});
  }
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kClipAlwaysActive;
const Rule kClipAlwaysActive{
    .name = "clip-always-active",
    .family = "hyper",
    .title_en = "almost every step is clipped: the threshold sets the length of the updates",
    .title_zh = "几乎每一步都被裁剪：更新的长度由裁剪阈值决定",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters = {{"share", "of the records", 0.9, 0.5, 1,
                    "below it some steps still keep their own length; the tuning playbook calls more than half "
                    "extremely aggressive, and healthy fine-tuning has more than half"},
                   {"records", "records", 100, 5, 1e6,
                    "fewer may be the beginning, where norms are high in every run: a note"},
                   {"usual", "of the usual clip threshold of 1.0", 3, 1, 1000,
                    "where nothing tells the threshold, three quarters of the norms above three times the usual one "
                    "are clipped in nearly every recipe"}},
    .sentences =
        {{"always",
          "{which} are clipped (threshold {clip}; median grad norm {median}): the threshold, not the gradient, sets "
          "the length of each update",
          "{which-zh}被裁剪（阈值 {clip}，梯度范数中位数 {median}）：每次更新的长度由阈值而不是梯度决定"},
         {"default",
          "{which} are clipped (threshold {clip}, default of {framework}; median grad norm {median}): the threshold, "
          "not the gradient, sets the length of each update",
          "{which-zh}被裁剪（阈值 {clip}，{framework} 的默认值；梯度范数中位数 "
          "{median}）：每次更新的长度由阈值而不是梯度决定"},
         {"printed",
          "the log says that {share} of the steps are clipped ({records} records; median grad norm {median}): the "
          "threshold, not the gradient, sets the length of each update",
          "日志称 {share} 的步被裁剪（{records} 条记录，梯度范数中位数 "
          "{median}）：每次更新的长度由阈值而不是梯度决定"},
         {"piled",
          "the grad norm is printed after clipping, and {which} print {clip}, the threshold itself: nearly every step "
          "is clipped",
          "梯度范数是裁剪之后打印的，{which-zh}恰好等于阈值 {clip}：几乎每一步都被裁剪"},
         {"usual",
          "median grad norm {median}; with the usual clip threshold of {clip} nearly every step ({share}) is clipped",
          "梯度范数中位数 {median}；若采用常用的裁剪阈值 {clip}，几乎每一步（{share}）都会被裁剪"},
         {"asked", "{written} = {clip}", "{written} = {clip}"},
         {"lower-rate",
          "lower the learning rate or warm up longer, and see whether the norm falls: clipping every step hides a rate "
          "that is too high",
          "降低学习率或延长 warm-up，观察梯度范数是否下降：每一步都裁剪会掩盖过高的学习率"},
         {"clip-at",
          "or, if the level is that of the model: clip at {clip}, the 90th percentile of the norms of this run",
          "如果该模型的范数本来就在这个水平：把阈值设为 {clip}（本次训练范数的 90% 分位数）"},
         {"clip-at-and-lower",
          "or, if the level is that of the model: clip at {clip}, the 90th percentile of the norms of this run, and "
          "lower the learning rate by as much (the updates of SGD grow with the threshold)",
          "如果该模型的范数本来就在这个水平：把阈值设为 {clip}（本次训练范数的 90% "
          "分位数），并按同样倍数降低学习率（SGD "
          "的更新随阈值增大）"},
         {"off", "clipping is off", "未启用梯度裁剪"},
         {"hidden", "the clip threshold is set by another program", "裁剪阈值由其他程序设定，无从得知"},
         {"no-norm", "needs a grad norm in at least five records", "需要至少五条记录带有梯度范数"}},
    .docs =
        {.finds = "Runs in which nearly every step is clipped.",
         .matters =
             "A clip threshold is meant for the few steps whose gradient is unusual. If it cuts them all, it has "
             "become "
             "the learning rate: halving the threshold halves the update of SGD, and takes from Adam what tells an "
             "unusual batch from a usual one. Results then do not carry over to another threshold, batch size or "
             "model.",
         .decides =
             "The threshold is what the settings say, else the default of the framework, unless the log prints the "
             "share of clipped steps itself: then that counts. The share of the norms above "
             "it, without the first tenth of the records, is a warning where even the lower end of its 95 % Wilson "
             "interval is at `share` or more and there are `records` records; else a note. In "
             "fine-tuning and preference training, where healthy runs have norms of 5 to 10, it is a note. A norm that "
             "is printed after clipping piles up at the threshold: then the share of the pile counts. Without a "
             "threshold, three quarters of the norms above `usual` times 1.0 are a note that is only possible.",
         .example = "`99.2 % of the 1,800 records are clipped (threshold 1; median grad norm 8.31): the "
                    "threshold, not the gradient, sets the length of each update`",
         .to_do =
             "Lower the learning rate first. If the norm stays where it is, it is the model's own: set the threshold "
             "to the 90th percentile of its norms, and the learning rate lower by the same factor for SGD.",
         .false_alarms =
             "Losses that are summed instead of averaged have norms that mean nothing against a threshold of "
             "1.0. Some recipes clip every step on purpose (normalised updates).",
         .references =
             "Google Research, Deep Learning Tuning Playbook: threshold at the 90th percentile of the norms; more than "
             "half of the updates clipped is extremely aggressive. NVIDIA/Megatron-LM, transformers, torchtitan: "
             "default "
             "1.0. E. B. Wilson, JASA 22 (1927)."},
    .judge = judge};

}  // namespace assay
