// Grad norms that a log has for each layer or parameter.
//
// Why: one clip threshold for the whole model compares it with the root of the sum of squares over all layers, which is
// the norm of the largest. If that is one layer (the output layer, an embedding, a gate of experts), every other layer
// is scaled by what this one does. And where a run breaks, the layer that moved first names the operator to look at.
//
// Names: trackers write what people pass to them ("grad_norm/layers.3.mlp", "grad_2.0_norm/encoder.weight",
// "layers.5/grad_norm"). A series is a layer's where its name holds a word for the norm of a gradient and something
// else that names a part: what is left without the word. Totals, extremes and the networks of reinforcement learning or
// of adversaries are no layers.
//
// First mover: each layer's level is the median of up to 32 records before; it leaves its level at the first record
// that is `ratio` times above it. An event is one that at least half of the layers follow within kTogether records; who
// comes first is only worth a word if it is at least one record ahead of the middle one. Linear in values, bounded
// window.
//
// Limits: all layers have to be logged in the same records; a log of every thousandth step cannot tell who was first.

#include "measure/layer_norms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "assay/metric.h"
#include "base/ascii.h"
#include "stat/quantile.h"

namespace assay {

namespace {

constexpr std::size_t kFewestLayers = 4;
constexpr std::size_t kWindow = 32;
constexpr std::size_t kLeastBefore = 8;         // records that make a level
constexpr std::size_t kTogether = 20;           // records
constexpr std::size_t kMostValues = 4'000'000;  // copied; of longer logs evenly spaced records

constexpr auto kWords = std::to_array<std::string_view>({"gradient_norms", "gradient_norm", "grad_2.0_norm",
                                                         "grad_2_norm", "grad_inf_norm", "grad_norms", "grads_norm",
                                                         "grad-norm", "grad_norm", "gradnorm", "grad norm", "gnorm"});

constexpr auto kNoLayers = std::to_array<std::string_view>(
    {"total",  "global", "clip",      "max",           "min",  "mean",   "std",   "avg",   "actor",  "critic",
     "policy", "value_", "generator", "discriminator", "disc", "before", "after", "ratio", "median", "all"});

bool is_joint(char c) { return c == '/' || c == '.' || c == '_' || c == '-' || c == ':' || c == ' '; }

// The series of each layer, with a cursor: rows only rise.
struct Column {
  const Series* series = nullptr;
  std::size_t at = 0;

  std::optional<double> value(std::size_t row) {
    while (at < series->size() && series->row_of(at) < row) ++at;
    if (at == series->size() || series->row_of(at) != row) return std::nullopt;
    const double out = series->value(at);
    return out > 0 && std::isfinite(out) ? std::optional(out) : std::nullopt;
  }
};

std::optional<std::size_t> leaves_level(std::span<const double> values, double ratio) {
  std::vector<double> scratch;
  for (std::size_t i = kLeastBefore; i < values.size(); ++i) {
    const std::size_t from = i > kWindow ? i - kWindow : 0;
    // Cheap first: what is not above the record before by a third of it is no jump, and a climb shows later.
    if (values[i] < values[i - 1] * 1.1) continue;
    if (values[i] >= ratio * median(values.subspan(from, i - from), scratch)) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string layer_of_series(const Series& series) {
  if (series.metric == metric::kGradNorm) return {};
  const std::string name = lower(series.metric);
  for (const std::string_view word : kWords) {
    const std::size_t at = name.find(word);
    if (at == std::string::npos) continue;
    std::string left = series.metric.substr(0, at);
    std::string right = series.metric.substr(at + word.size());
    while (!left.empty() && is_joint(left.back())) left.pop_back();
    while (!right.empty() && is_joint(right.front())) right.erase(right.begin());
    if (left == "train" || left == "optim" || left == "debug") left.clear();
    std::string out = right.empty() ? left : right;
    const std::string plain = lower(out);
    const auto names = [&](std::string_view one) { return plain.find(one) != std::string::npos; };
    // "all" and the like are words of their own; "mlp.max_pool" is none.
    const bool total = std::any_of(kNoLayers.begin(), kNoLayers.end(), [&](std::string_view one) {
      return plain == one || plain.starts_with(std::string(one) + "_") || plain.starts_with(std::string(one) + "/");
    });
    if (total || names("actor") || names("critic") || names("discriminator") || names("generator")) return {};
    return out;
  }
  return {};
}

bool output_or_embedding(std::string_view layer) {
  const std::string name = lower(layer);
  constexpr auto kParts = std::to_array<std::string_view>(
      {"lm_head", "output_layer", "embed", "wte", "wpe", "classifier", "logits", "output_projection", "unembed"});
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view one) { return name.find(one) != std::string::npos; }) ||
         name == "output" || name == "head" || name.ends_with(".head.weight") || name.ends_with("output.weight");
}

std::optional<LayerNorms> layer_norms(const Run& run, std::size_t segment, std::size_t least) {
  LayerNorms out;
  out.segment = segment;
  const Segment& part = run.segments[segment];
  std::vector<Column> columns;
  for (const Series& series : part.series) {
    if (series.size() < least) continue;
    std::string layer = layer_of_series(series);
    if (layer.empty()) continue;
    out.names.push_back(std::move(layer));
    columns.push_back({&series, 0});
  }
  if (columns.size() < kFewestLayers) return std::nullopt;
  out.values.resize(columns.size());
  std::vector<double> row(columns.size());
  const std::size_t records = columns.front().series->size();
  const std::size_t stride = columns.size() * records / kMostValues + 1;
  for (std::size_t i = 0; i < records; i += stride) {
    const std::size_t at = columns.front().series->row_of(i);
    bool whole = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto value = columns[c].value(at);
      whole = whole && value.has_value();
      row[c] = value.value_or(0);
    }
    if (!whole) continue;
    for (std::size_t c = 0; c < columns.size(); ++c) out.values[c].push_back(row[c]);
    out.step.push_back(part.rows->step[at]);
    out.line.push_back(part.rows->line[at]);
  }
  if (out.step.size() < least) return std::nullopt;
  return out;
}

std::optional<FirstMover> first_mover(const LayerNorms& norms, double ratio) {
  std::vector<std::pair<std::size_t, std::size_t>> left;  // record, layer
  for (std::size_t layer = 0; layer < norms.values.size(); ++layer) {
    if (const auto at = leaves_level(norms.values[layer], ratio)) left.emplace_back(*at, layer);
  }
  std::sort(left.begin(), left.end());
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t end = i;
    while (end < left.size() && left[end].first <= left[i].first + kTogether) ++end;
    const std::size_t together = end - i;
    if (2 * together < norms.values.size()) continue;
    const std::size_t middle = left[i + together / 2].first;
    if (middle == left[i].first || left[i + 1].first == left[i].first) return std::nullopt;  // all at once
    FirstMover out;
    out.layer = left[i].second;
    out.record = left[i].first;
    out.lead = middle - left[i].first;
    out.followed = together - 1;
    const std::span<const double> values = norms.values[out.layer];
    const std::size_t from = out.record > kWindow ? out.record - kWindow : 0;
    out.ratio = values[out.record] / median(values.subspan(from, out.record - from));
    return out;
  }
  return std::nullopt;
}

}  // namespace assay
