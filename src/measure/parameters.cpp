// One sum for all families: embeddings, then for each layer attention, feed-forward and norms, then the last norm and
// the output. The families differ in which of the terms they have, so each known formula is a case of this one:
//   GPT-2 (tied, learned positions, biases)   V h + S h + L (12 h^2 + 13 h) + 2 h
//   LLaMA (gated, RMS norms, no bias)          (2 or 1) V h + L (2 h n d + 2 h g d + 3 h f + 2 h) + h
//   experts                                    3 h f becomes E 3 h f' + h E, and the shared ones; active: k for E
//   latent attention (DeepSeek; ranks q, c)    h q + q + q n (N + R) + h (c + R) + c + c n (N + W) + n W h
// Checked against the published sizes of some twenty models (tests/unit/parameters_test.cpp).
//
// The sizes come from files, so they are bounded first; then no product of four of them leaves 128 bits.

#include "measure/parameters.h"

#include <limits>

namespace assay {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kGreatest = std::int64_t{1} << 31;

bool within(std::initializer_list<std::int64_t> sizes, std::int64_t least) {
  for (const std::int64_t size : sizes) {
    if (size < least || size > kGreatest) return false;
  }
  return true;
}

bool sensible(const ModelShape& s) {
  const bool has_ffn = s.ffn > 0 || (s.experts > 0 && s.expert_ffn > 0);
  if (!within({s.vocabulary, s.hidden, s.layers, s.heads, s.kv_heads, s.head_dim}, 1) || !has_ffn) return false;
  if (!within({s.ffn, s.positions, s.embedding_width, s.norms_per_layer, s.experts, s.experts_per_token, s.expert_ffn,
               s.shared_ffn, s.dense_layers, s.query_rank, s.key_value_rank, s.nope_dim, s.rope_dim, s.value_dim},
              0)) {
    return false;
  }
  if (s.layers > 100'000 || s.norms_per_layer > 8 || s.experts > 1'000'000) return false;
  if (s.heads % s.kv_heads != 0 || s.dense_layers > s.layers) return false;
  if (s.dense_layers > 0 && s.ffn == 0) return false;
  if (s.key_value_rank > 0 && !within({s.nope_dim, s.value_dim}, 1)) return false;
  return s.experts == 0 || (s.experts_per_token <= s.experts && s.expert_ffn > 0);
}

Wide latent_attention(const ModelShape& s) {
  const Wide h = s.hidden, n = s.heads, q = s.query_rank, c = s.key_value_rank;
  const Wide query_width = n * (Wide{s.nope_dim} + s.rope_dim);
  const Wide query = q > 0 ? h * q + q + q * query_width : h * query_width;
  return query + h * (c + s.rope_dim) + c + c * n * (Wide{s.nope_dim} + s.value_dim) + n * s.value_dim * h;
}

Wide attention(const ModelShape& s) {
  if (s.key_value_rank > 0) return latent_attention(s);
  const Wide h = s.hidden, nd = Wide{s.heads} * s.head_dim, gd = Wide{s.kv_heads} * s.head_dim;
  Wide sum = 2 * h * nd + 2 * h * gd;
  if (s.linear_bias || s.qkv_bias) sum += nd + 2 * gd;
  if (s.linear_bias || s.attention_output_bias) sum += h;
  if (s.qk_norm == ModelShape::QkNorm::kPerHead) sum += 2 * Wide{s.head_dim};
  if (s.qk_norm == ModelShape::QkNorm::kWhole) sum += nd + gd;
  return sum;
}

Wide feed_forward(const ModelShape& s, std::int64_t ffn) {
  if (ffn == 0) return 0;
  const Wide h = s.hidden, f = ffn;
  const Wide bias = s.linear_bias ? (s.gated ? 2 : 1) * f + h : 0;
  return (s.gated ? 3 : 2) * h * f + bias;
}

// Of `experts` of them; the router is always whole.
Wide expert_layer(const ModelShape& s, std::int64_t experts) {
  const Wide router = Wide{s.hidden} * s.experts + (s.router_bias ? s.experts : 0);
  const Wide shared = feed_forward(s, s.shared_ffn) + (s.shared_gate ? s.hidden : 0);
  return experts * feed_forward(s, s.expert_ffn) + shared + router;
}

}  // namespace

std::optional<ParameterCount> count_parameters(const ModelShape& s) {
  if (!sensible(s)) return std::nullopt;
  const Wide h = s.hidden;
  const Wide norm = (s.norm_weight ? h : 0) + (s.norm_bias ? h : 0);
  const bool projected = s.embedding_width > 0;
  const Wide width = projected ? s.embedding_width : s.hidden;
  const Wide embedding =
      (s.tied ? 1 : 2) * Wide{s.vocabulary} * width + Wide{s.positions} * h + (projected ? 2 * width * h : 0);
  const Wide outside = embedding + (s.final_norm ? norm : 0) + (s.embedding_norm ? norm : 0);
  const Wide around = attention(s) + s.norms_per_layer * norm;
  const Wide dense = around + feed_forward(s, s.ffn);
  const Wide sparse = s.experts == 0 ? dense : around + expert_layer(s, s.experts);
  const Wide used = s.experts == 0 ? dense : around + expert_layer(s, s.experts_per_token);
  const std::int64_t first = s.experts == 0 ? 0 : s.dense_layers;
  const Wide total = outside + first * dense + (s.layers - first) * sparse;
  const Wide active = outside + first * dense + (s.layers - first) * used;
  if (total > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return ParameterCount{static_cast<std::int64_t>(total), static_cast<std::int64_t>(active),
                        static_cast<std::int64_t>(embedding), static_cast<std::int64_t>(sparse)};
}

std::optional<double> flops_per_token(const ModelShape& s, const ParameterCount& count, std::int64_t sequence) {
  if (sequence <= 0 || sequence > kGreatest) return std::nullopt;
  const bool latent = s.key_value_rank > 0;
  const double widths =
      latent ? static_cast<double>(s.nope_dim + s.rope_dim + s.value_dim) : 2 * static_cast<double>(s.head_dim);
  const double attention =
      6.0 * static_cast<double>(s.layers) * static_cast<double>(sequence) * static_cast<double>(s.heads) * widths;
  return 6.0 * static_cast<double>(count.active) + attention;
}

std::optional<std::int64_t> padded_vocabulary(std::int64_t vocabulary, std::int64_t divisor, std::int64_t tensor) {
  if (!within({vocabulary, divisor, tensor}, 1)) return std::nullopt;
  const Wide step = Wide{divisor} * tensor;
  const Wide padded = (vocabulary + step - 1) / step * step;
  if (padded > kGreatest) return std::nullopt;
  return static_cast<std::int64_t>(padded);
}

}  // namespace assay
