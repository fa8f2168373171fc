// One clip threshold for layers that differ too much, and the layer that moved first.
//
// Global clipping compares the threshold with the root of the sum of squares over all layers. Where one layer makes
// nine tenths of that sum, its norm is the global norm: when it is large, all the others are scaled down with it, and
// learn with a rate that this one layer sets. The output layer and the embeddings have large gradients by nature and
// tolerate larger updates, so they should not decide for the rest. The share is judged by the median over the records,
// since one spike is for grad-norm-spike to tell.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "assay/setting.h"
#include "measure/layer_norms.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/plan.h"
#include "rules/rule.h"
#include "stat/quantile.h"
#include "stat/share.h"

namespace assay {

namespace {

constexpr double kBeginning = 0.1;  // of the records: norms at the start of training are high in every run

struct Spread {
  std::size_t top = 0;      // the layer with the greatest median
  double norm = 0;          // that median
  double rest = 0;          // median of the other layers' medians
  double share = 0;         // of the squared global norm that is its own; median over the records
  Share clipped;            // records whose global norm is above the threshold
  std::vector<double> all;  // global norms
};

Spread spread_of(const LayerNorms& norms, double clip) {
  Spread out;
  const std::size_t records = norms.step.size();
  const std::size_t from = static_cast<std::size_t>(kBeginning * static_cast<double>(records));
  std::vector<double> medians;
  for (const auto& values : norms.values) medians.push_back(median(std::span(values).subspan(from)));
  out.top = static_cast<std::size_t>(std::ranges::max_element(medians) - medians.begin());
  out.norm = medians[out.top];
  std::vector<double> others = medians;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(out.top));
  out.rest = median(others);
  std::vector<double> shares;
  for (std::size_t i = from; i < records; ++i) {
    double sum = 0;
    for (const auto& values : norms.values) sum += values[i] * values[i];
    shares.push_back(norms.values[out.top][i] * norms.values[out.top][i] / sum);
    out.all.push_back(std::sqrt(sum));
  }
  out.share = median(shares);
  out.clipped = share_above(out.all, clip);
  return out;
}

void judge_segment(const Run& run, const LayerNorms& norms, const std::optional<Planned>& asked, const Parameters& set,
                   Findings& out) {
  const double clip = asked && asked->value > 0 ? asked->value : 0;
  const Spread spread = spread_of(norms, clip);
  const bool apart = spread.share >= set["share"] && spread.norm >= set["ratio"] * spread.rest;
  const bool acts = clip > 0 && spread.clipped.lower_bound() >= set["clipped"];
  const auto first = first_mover(norms, set["jump"]);
  if (!apart && !first) return;
  const StepRange all{norms.step.front(), norms.step.back()};
  Finding finding;
  finding.severity = apart && acts ? Severity::kWarning : Severity::kNote;
  finding.confidence = 0.75;
  finding.impact = 0.3;
  if (apart) {
    const std::string& name = norms.names[spread.top];
    finding.message = {acts ? "sets-clip" : "apart",
                       {{"layer", name},
                        {"share", percent(spread.share)},
                        {"norm", spread.norm},
                        {"rest", spread.rest},
                        {"others", norms.names.size() - 1},
                        {"clip", clip},
                        {"clipped", percent(spread.clipped.value())}}};
    finding.where = place(run, norms.segment, all, norms.line.front());
    if (output_or_embedding(name)) finding.evidence.push_back({{"by-nature", {{"layer", name}}}, {}, {}});
    finding.actions.push_back({{"clip-apart", {{"layer", name}, {"rest", two_digits(2 * spread.rest)}}}, ""});
  }
  if (first) {
    const std::int64_t step = norms.step[first->record];
    Phrase moved{"first",
                 {{"layer", norms.names[first->layer]},
                  {"step", step},
                  {"ratio", Value(first->ratio, Unit::kTimes)},
                  {"lead", first->lead},
                  {"followed", first->followed}}};
    const Location where = place(run, norms.segment, {step, step}, norms.line[first->record]);
    if (apart) {
      finding.evidence.push_back({std::move(moved), {}, where});
    } else {
      finding.message = std::move(moved);
      finding.where = where;
    }
    finding.actions.push_back({{"look-at", {{"layer", norms.names[first->layer]}}}, ""});
  }
  if (asked && asked->origin == Origin::kSaid && apart) {
    finding.evidence.push_back({{"asked", {{"written", asked->written}, {"clip", asked->value}}}, {}, asked->where});
  }
  out.add(std::move(finding));
}

void judge(const Run& run, const Parameters& set, Findings& out) {
  const Plan plan(run);
  const auto asked = plan.find(setting::kClipNorm);
  const auto least = static_cast<std::size_t>(set["records"]);
  bool any = false;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const auto norms = layer_norms(run, i, least);
    any = any || norms.has_value();
    if (norms) judge_segment(run, *norms, asked, set, out);
  }
  if (!any) out.not_applicable("no-layers");
}

}  // namespace

extern const Rule kClipPerLayer;
const Rule kClipPerLayer{
    .name = "clip-per-layer",
    .family = "hyper",
    .title_en = "one clip threshold does not fit all layers",
    .title_zh = "同一裁剪阈值不适合所有层",
    .scope = Scope::kRun,
    .severity = Severity::kWarning,
    .parameters =
        {{"share", "of the squared global norm", 0.9, 0.3, 1,
          "then the global norm is that of this layer to within 5 %, and the others only follow"},
         {"ratio", "of the middle layer", 10, 2, 1e6,
          "layers of healthy models differ by a factor of two or three, the output layer and embeddings by more"},
         {"clipped", "of the records", 0.25, 0, 1,
          "a threshold that hardly ever acts scales nobody; the tuning playbook wants one step in ten clipped"},
         {"jump", "of the layer's own level", 5, 1.5, 1000,
          "five times the level is what a spike of the global norm has at least (grad-norm-spike)"},
         {"records", "records", 20, 10, 1e6, "levels of layers, and who came first, need some"}},
    .sentences =
        {{"sets-clip",
          "{layer} alone makes {share} of the squared grad norm (median {norm}, the {others} others {rest}): clipping "
          "the "
          "whole at {clip}, which acts on {clipped} of the records, scales every layer by what this one does",
          "仅 {layer} 就占梯度范数平方的 {share}（中位数 {norm}，其余 {others} 层为 {rest}）：整体裁剪阈值 "
          "{clip}（作用于 {clipped} "
          "的记录）使所有层都按这一层缩放"},
         {"apart",
          "{layer} alone makes {share} of the squared grad norm (median {norm}, the {others} others {rest}): one clip "
          "threshold cannot fit all layers",
          "仅 {layer} 就占梯度范数平方的 {share}（中位数 {norm}，其余 {others} 层为 "
          "{rest}）：同一裁剪阈值无法适合所有层"},
         {"first",
          "{layer} moved first: its grad norm rose to {ratio} times its level at step {step}, {lead} records before "
          "the "
          "middle one of the {followed} layers that followed",
          "{layer} 最先变化：第 {step} 步其梯度范数升到自身水平的 {ratio} 倍，比随后变化的 {followed} 层的中间一层早 "
          "{lead} 条记录"},
         {"by-nature",
          "{layer} is an output layer or an embedding: its gradients are larger by nature, and it tolerates larger "
          "updates than the rest",
          "{layer} 是输出层或嵌入层：其梯度天然较大，也能承受比其他层更大的更新"},
         {"asked", "{written} = {clip}", "{written} = {clip}"},
         {"clip-apart",
          "clip {layer} by itself, or each layer by its own range (AGC, AdaGC); the others have norms for a threshold "
          "of "
          "about {rest}",
          "对 {layer} 单独裁剪，或各层按自身范围裁剪（AGC、AdaGC）；其余层的范数适合约 {rest} 的阈值"},
         {"look-at", "look at {layer} first: its input, its weights and its precision at that step",
          "先检查 {layer}：该步的输入、权重和精度"},
         {"no-layers", "needs grad norms of at least four layers (series such as grad_norm/layers.3.mlp)",
          "需要至少四层各自的梯度范数（如 grad_norm/layers.3.mlp 这样的序列）"}},
    .docs =
        {.finds =
             "Runs that log a grad norm for each layer: one layer that makes nearly the whole norm, so that a global "
             "clip threshold is set by it; and the layer whose norm left its level first.",
         .matters =
             "Global clipping multiplies all gradients by one factor. If one layer decides that factor, the others "
             "learn with a rate that changes with it. Where a run breaks, the layer that moved first is where to "
             "look.",
         .decides =
             "Over the records that have all layers, without the first tenth: the greatest layer makes `share` of "
             "the squared global norm (median) and has `ratio` times the median of the others. It is a warning "
             "where a known threshold clips at least `clipped` of the records (lower end of the 95 % Wilson "
             "interval), else a note. A layer moved first if it rose to `jump` times its level before the middle "
             "one of at least half of the layers, which follow within 20 records: a note.",
         .example =
             "`lm_head alone makes 97.1 % of the squared grad norm (median 4.1, the 24 others 0.11): clipping the "
             "whole at 1.0, which acts on 99.5 % of the records, scales every layer by what this one does`",
         .to_do =
             "Clip the large layer by itself, or every layer relative to its weights: AGC cuts a gradient at 0.01 to "
             "0.16 times the norm of its weights and leaves the output layer alone; AdaGC keeps a threshold for each "
             "tensor.",
         .false_alarms = "Norms of biases and gains among those of matrices: their share of the sum tells, not their "
                         "number. Logs that hold a few layers only, chosen by hand.",
         .references = "A. Brock et al., High-Performance Large-Scale Image Recognition Without Normalization (2021): "
                       "AGC, not for the output layer. AdaGC (2025). Google Research, Deep Learning Tuning Playbook."},
    .judge = judge};

}  // namespace assay
