// The clip threshold lies so high that it never acts, in a run whose grad norm is high.
//
// That a threshold of 1.0 does not act on norms of 0.2 is what a healthy run looks like, and no finding. Here the norms
// are high (a median of 3 and more: above what the usual threshold of 1.0 lets through unclipped), and yet the 99th
// percentile is below the threshold. Whether that does harm is told by the tail: in healthy runs one norm in a hundred
// is 2.3 times the median at most; where it is four times, steps went through whole that a threshold is there for.

#include <algorithm>
#include <optional>
#include <vector>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "measure/seen_clip.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/rule.h"
#include "rules/said_places.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr double kUsualClip = 1.0;  // the default of Megatron-LM, the Hugging Face Trainer and torchtitan
constexpr std::size_t kFewest = 5;

struct Idle {
  SeenNorms norms;
  std::string key;
  bool tail = false;
};

std::optional<Idle> judge_segment(const Run& run, std::size_t index, const std::optional<Planned>& asked,
                                  const Parameters& set) {
  auto norms = seen_norms(run, index);
  if (!norms || norms->piled_at) return std::nullopt;
  const double high = set["usual"] * kUsualClip;
  Idle out;
  out.tail = norms->p99 >= set["tail"] * norms->median;
  const bool enough = static_cast<double>(norms->values.size()) >= set["records"];
  const Series* fraction = run.segments[index].find(metric::kClipFraction);
  const bool told = fraction != nullptr && fraction->size() >= kFewest && median(fraction->values.span()) == 0;
  if (asked && asked->value > 0) {
    if (norms->p99 > asked->value || !(enough || told) || norms->median < high) return std::nullopt;
    out.key = asked->origin == Origin::kDefault ? "default" : "never";
  } else if (asked && !told) {
    if (!enough || norms->median < high || !out.tail) return std::nullopt;
    out.key = "off";
  } else {
    if (!told || norms->p25 < high) return std::nullopt;
    out.key = "told";
  }
  out.tail = out.tail && enough;
  out.norms = std::move(*norms);
  return out;
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  auto asked = plan.find(setting::kClipNorm);
  if (clipping_switched_off(run.config) != nullptr) asked.reset();
  bool any = false;
  bool fraction = false;
  std::vector<Idle> all;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    any = any || seen_norms(run, i).has_value();
    fraction = fraction || run.segments[i].find(metric::kClipFraction) != nullptr;
    if (auto one = judge_segment(run, i, asked, set)) all.push_back(std::move(*one));
  }
  if (!any) return out.not_applicable("no-norm");
  if (!asked && !fraction) return out.not_applicable("no-clip");
  if (all.empty()) return;
  const auto worst = std::ranges::max_element(all, [](const Idle& a, const Idle& b) {
    return a.tail != b.tail ? b.tail : a.norms.values.size() < b.norms.values.size();
  });
  Finding finding;
  finding.severity = worst->tail && worst->key != "off" ? Severity::kWarning : Severity::kNote;
  finding.confidence = worst->key == "told" ? 0.6 : 0.8;
  finding.impact = 0.2;
  finding.message = {worst->key,
                     {{"records", worst->norms.values.size()},
                      {"clip", asked ? asked->value : 0},
                      {"median", worst->norms.median},
                      {"p99", worst->norms.p99},
                      {"greatest", worst->norms.greatest},
                      {"framework", plan.framework()}}};
  finding.where = place(run, worst->norms.segment, worst->norms.steps, worst->norms.line);
  for (const Idle& one : all) {
    if (&one != &*worst) finding.also.push_back(place(run, one.norms.segment, one.norms.steps, one.norms.line));
  }
  if (finding.severity != Severity::kNote) {
    const Series& series = *run.segments[worst->norms.segment].find(metric::kGradNorm);
    finding.evidence.push_back({{}, curve_of(series, 0, series.size()), {}});
    finding.evidence.push_back(
        {{"tail", {{"ratio", Value(worst->norms.p99 / worst->norms.median, Unit::kTimes)}}}, {}, {}});
  }
  if (asked && asked->origin == Origin::kSaid) {
    finding.evidence.push_back({{"asked", {{"written", asked->written}, {"clip", asked->value}}}, {}, asked->where});
  }
  finding.actions.push_back({{"clip-at", {{"clip", two_digits(worst->norms.p90)}}}, ""});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kClipNeverActive;
const Rule kClipNeverActive{
    .name = "clip-never-active",
    .family = "hyper",
    .title_en = "the clip threshold is so high that it never acts",
    .title_zh = "裁剪阈值过高，从未起作用",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters = {{"records", "records", 100, 5, 1e6, "a 99th percentile needs a hundred"},
                   {"usual", "of the usual clip threshold of 1.0", 3, 1, 1000,
                    "norms below it are those of healthy runs, which no threshold has to act on"},
                   {"tail", "of the median", 4, 1.5, 1000,
                    "healthy runs have a 99th percentile of up to 2.3 times the median; beyond twice that, steps go "
                    "through whole that a threshold is there for"}},
    .sentences =
        {{"never",
          "grad norm {median} at the median and {p99} at the 99th percentile of {records} records: the clip threshold "
          "of "
          "{clip} never acts",
          "{records} 条记录的梯度范数中位数为 {median}，99% 分位数为 {p99}：裁剪阈值 {clip} 从未起作用"},
         {"default",
          "grad norm {median} at the median and {p99} at the 99th percentile of {records} records: the clip threshold "
          "of "
          "{clip}, the default of {framework}, never acts",
          "{records} 条记录的梯度范数中位数为 {median}，99% 分位数为 {p99}：{framework} 的默认裁剪阈值 {clip} "
          "从未起作用"},
         {"off",
          "gradients are not clipped, and their norm has a heavy tail: {median} at the median, {p99} at the 99th "
          "percentile, {greatest} at most, of {records} records",
          "未启用梯度裁剪，而梯度范数的尾部很重：{records} 条记录中位数 {median}，99% 分位数 {p99}，最大 {greatest}"},
         {"told",
          "median grad norm {median}, and the log says that no step is clipped: the threshold is too high to act, or "
          "clipping is off",
          "梯度范数中位数 {median}，而日志称没有一步被裁剪：阈值过高而不起作用，或未启用裁剪"},
         {"asked", "{written} = {clip}", "{written} = {clip}"},
         {"tail", "one norm in a hundred is {ratio} times the median (healthy: at most 2.3)",
          "百分之一的范数达到中位数的 {ratio} 倍（正常不超过 2.3）"},
         {"clip-at", "clip at {clip}, the 90th percentile of the norms of this run",
          "把梯度裁剪阈值设为 {clip}（本次训练范数的 90% 分位数）"},
         {"no-norm", "needs a grad norm in at least five records", "需要至少五条记录带有梯度范数"},
         {"no-clip", "needs the clip threshold (from settings or a known framework), or the share of clipped steps",
          "需要裁剪阈值（来自设置或已知框架的默认值），或日志中的裁剪比例"}},
    .docs = {.finds = "A clip threshold above nearly all grad norms of a run whose norms are high.",
             .matters =
                 "Clipping is the cheapest protection against a single bad batch: it bounds the harm that one step "
                 "can do. A threshold that was set for another model, or for a loss that is summed differently, "
                 "bounds nothing.",
             .decides =
                 "The norms without the first tenth of the records: their 99th percentile is at or below the "
                 "threshold, while their median is `usual` or more. That is a note; with a 99th percentile of "
                 "`tail` times the median it is a warning. A log that prints its share of clipped steps as 0 beside "
                 "such norms is a note even where it does not tell the threshold, and so is a run without clipping "
                 "and with such a tail.",
             .example =
                 "`grad norm 6.2 at the median and 41 at the 99th percentile of 2,400 records: the clip threshold of "
                 "100.0 never acts`",
             .to_do =
                 "Set the threshold to the 90th percentile of the norms of a stretch that trained well; where only the "
                 "tail is to be cut, the 99th of that stretch.",
             .false_alarms = "Norms of losses that are summed over tokens or micro-batches. Optimizers that clip by "
                             "themselves (Adafactor, LAMB).",
             .references = "Google Research, Deep Learning Tuning Playbook: threshold at the 90th percentile of the "
                           "unclipped norms. P. Seetharaman et al., AutoClip (2020): a percentile of all norms so far. "
                           "MLCommons AlgoPerf submissions: p99 over median of healthy runs."},
    .judge = judge};

}  // namespace assay
