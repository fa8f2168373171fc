#pragma once
// How many parameters a transformer has, from its shape, exactly.

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// The shape of a decoder. What a family does not have is zero or false.
struct ModelShape {
  enum class QkNorm : std::uint8_t { kNone, kPerHead, kWhole };

  std::int64_t vocabulary = 0;  // padded
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t ffn = 0;              // of a layer without experts
  std::int64_t positions = 0;        // learned ones
  std::int64_t embedding_width = 0;  // where it is not `hidden`: a projection leads to it and one back (OPT-350M)
  bool final_norm = true;
  bool tied = false;         // embeddings and output
  bool gated = false;        // three matrices instead of two
  bool linear_bias = false;  // of every linear layer
  bool qkv_bias = false;
  bool attention_output_bias = false;
  bool norm_weight = true;
  bool norm_bias = false;
  std::int64_t norms_per_layer = 2;
  bool embedding_norm = false;
  QkNorm qk_norm = QkNorm::kNone;

  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_ffn = 0;
  std::int64_t shared_ffn = 0;    // of all shared experts together
  bool shared_gate = false;       // Qwen2-MoE
  bool router_bias = false;       // DeepSeek-V3
  std::int64_t dense_layers = 0;  // without experts

  std::int64_t query_rank = 0;  // latent attention where key_value_rank > 0
  std::int64_t key_value_rank = 0;
  std::int64_t nope_dim = 0;
  std::int64_t rope_dim = 0;
  std::int64_t value_dim = 0;
};

struct ParameterCount {
  std::int64_t total = 0;
  std::int64_t active = 0;     // for one token: the experts it is sent to; the same as total without experts
  std::int64_t embedding = 0;  // of them in embeddings of tokens and positions, and in the output
  std::int64_t layer = 0;      // of one layer, the last
};

/// Nothing where the shape is incomplete, senseless (a dimension beyond 2^40 elements in one matrix, heads that the
/// key-value heads do not divide) or the count does not fit.
std::optional<ParameterCount> count_parameters(const ModelShape& shape);

/// Floating-point operations of one token, forward and backward: 6 for each active parameter, and 12 L n d S of
/// attention, whole rows (causal kernels that leave out the upper half do half of it). Nothing where it does not fit.
std::optional<double> flops_per_token(const ModelShape& shape, const ParameterCount& count, std::int64_t sequence);

/// The vocabulary as Megatron pads it: the next multiple of divisor x tensor-parallel size.
std::optional<std::int64_t> padded_vocabulary(std::int64_t vocabulary, std::int64_t divisor, std::int64_t tensor);

}  // namespace assay
