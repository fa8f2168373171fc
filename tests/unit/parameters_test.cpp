// Parameters of published models, to the last one. The sizes are those that the publishers print; the shapes are those
// of their configuration files.

#include "measure/parameters.h"

#include <gtest/gtest.h>

#include "format/reader.h"
#include "measure/model_shape.h"

namespace assay {
namespace {

ModelShape llama(std::int64_t v, std::int64_t h, std::int64_t l, std::int64_t n, std::int64_t g, std::int64_t f,
                 std::int64_t d = 0) {
  ModelShape s;
  s.vocabulary = v;
  s.hidden = h;
  s.layers = l;
  s.heads = n;
  s.kv_heads = g;
  s.head_dim = d > 0 ? d : h / n;
  s.ffn = f;
  s.gated = true;
  return s;
}

ModelShape gpt(std::int64_t v, std::int64_t h, std::int64_t l, std::int64_t n, std::int64_t positions) {
  ModelShape s = llama(v, h, l, n, n, 4 * h);
  s.gated = false;
  s.positions = positions;
  s.tied = s.linear_bias = s.norm_bias = true;
  return s;
}

std::int64_t total(const ModelShape& shape) {
  const auto count = count_parameters(shape);
  return count ? count->total : -1;
}

TEST(Parameters, Gpt2Family) {
  EXPECT_EQ(total(gpt(50257, 768, 12, 12, 1024)), 124'439'808);
  EXPECT_EQ(total(gpt(50304, 768, 12, 12, 1024)), 124'475'904);  // llm.c
  EXPECT_EQ(total(gpt(50257, 1600, 48, 25, 1024)), 1'557'611'200);
  EXPECT_NEAR(static_cast<double>(total(gpt(50257, 12288, 96, 96, 2048))), 174.6e9, 0.05e9);
}

TEST(Parameters, NanoGptPrintsWithoutPositionsAndBiases) {
  ModelShape s = gpt(50304, 768, 12, 12, 0);
  s.linear_bias = s.norm_bias = false;
  EXPECT_NEAR(static_cast<double>(total(s)), 123.59e6, 0.005e6);
}

TEST(Parameters, LlamaFamily) {
  EXPECT_EQ(total(llama(32000, 4096, 32, 32, 32, 11008)), 6'738'415'616);
  EXPECT_EQ(total(llama(32000, 8192, 80, 64, 8, 28672)), 68'976'648'192);
  EXPECT_EQ(total(llama(128256, 4096, 32, 32, 8, 14336)), 8'030'261'248);
  EXPECT_EQ(total(llama(128256, 16384, 126, 128, 8, 53248)), 405'853'388'800);
  ModelShape qwen2 = llama(152064, 3584, 28, 28, 4, 18944);
  qwen2.qkv_bias = true;
  EXPECT_EQ(total(qwen2), 7'615'616'512);
  ModelShape qwen3 = llama(151936, 4096, 36, 32, 8, 12288, 128);
  qwen3.qk_norm = ModelShape::QkNorm::kPerHead;
  EXPECT_EQ(total(qwen3), 8'190'735'360);
  ModelShape olmo2 = llama(100352, 4096, 32, 32, 32, 11008);
  olmo2.qk_norm = ModelShape::QkNorm::kWhole;
  EXPECT_EQ(total(olmo2), 7'298'617'344);
}

TEST(Parameters, Experts) {
  ModelShape mixtral = llama(32000, 4096, 32, 32, 8, 14336);
  mixtral.experts = 8;
  mixtral.experts_per_token = 2;
  mixtral.expert_ffn = 14336;
  const auto count = count_parameters(mixtral);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->total, 46'702'792'704);
  EXPECT_NEAR(static_cast<double>(count->active), 12.88e9, 0.005e9);

  ModelShape qwen3 = llama(151936, 4096, 94, 64, 4, 12288, 128);
  qwen3.qk_norm = ModelShape::QkNorm::kPerHead;
  qwen3.experts = 128;
  qwen3.experts_per_token = 8;
  qwen3.expert_ffn = 1536;
  const auto large = count_parameters(qwen3);
  ASSERT_TRUE(large);
  EXPECT_NEAR(static_cast<double>(large->total), 235.09e9, 0.005e9);
  EXPECT_NEAR(static_cast<double>(large->active), 22.19e9, 0.005e9);
}

ModelShape deepseek(std::int64_t v, std::int64_t h, std::int64_t l, std::int64_t f) {
  ModelShape s = llama(v, h, l, 128, 128, f, 128);
  s.query_rank = 1536;
  s.key_value_rank = 512;
  s.nope_dim = 128;
  s.rope_dim = 64;
  s.value_dim = 128;
  return s;
}

TEST(Parameters, LatentAttention) {
  ModelShape v3 = deepseek(129280, 7168, 61, 18432);
  v3.experts = 256;
  v3.experts_per_token = 8;
  v3.expert_ffn = v3.shared_ffn = 2048;
  v3.dense_layers = 3;
  v3.router_bias = true;
  const auto count = count_parameters(v3);
  ASSERT_TRUE(count);
  EXPECT_EQ(count->total, 671'026'419'200);
  EXPECT_NEAR(static_cast<double>(count->active), 37.55e9, 0.005e9);

  ModelShape v2 = deepseek(102400, 5120, 60, 12288);
  v2.experts = 160;
  v2.experts_per_token = 6;
  v2.expert_ffn = 1536;
  v2.shared_ffn = 2 * 1536;
  v2.dense_layers = 1;
  const auto older = count_parameters(v2);
  ASSERT_TRUE(older);
  EXPECT_NEAR(static_cast<double>(older->total), 235.74e9, 0.005e9);
  EXPECT_NEAR(static_cast<double>(older->active), 21.38e9, 0.005e9);
}

TEST(Parameters, OtherFamilies) {
  ModelShape pythia = gpt(50688, 5120, 36, 40, 0);
  pythia.tied = false;
  EXPECT_EQ(total(pythia), 11'846'072'320);
  ModelShape bloom = gpt(250880, 14336, 70, 112, 0);
  bloom.embedding_norm = true;
  EXPECT_EQ(total(bloom), 176'247'271'424);
  ModelShape falcon = gpt(65024, 4544, 32, 71, 0);
  falcon.linear_bias = false;
  falcon.kv_heads = 1;
  falcon.norms_per_layer = 1;
  EXPECT_EQ(total(falcon), 6'921'720'704);
  // 13 298 573 312 bytes of bfloat16 in the published index: two norms a layer, each a weight.
  ModelShape mpt = gpt(50432, 4096, 32, 32, 0);
  mpt.linear_bias = mpt.norm_bias = false;
  EXPECT_EQ(total(mpt), 6'649'286'656);
}

TEST(Parameters, FlopsOfAToken) {
  const ModelShape shape = llama(128256, 4096, 32, 32, 8, 14336);
  const auto flops = flops_per_token(shape, *count_parameters(shape), 8192);
  ASSERT_TRUE(flops);
  EXPECT_DOUBLE_EQ(*flops, 6.0 * 8'030'261'248 + 12.0 * 32 * 4096 * 8192);
  EXPECT_NEAR(*flops, 48.2e9 + 12.9e9, 0.1e9);
}

TEST(Parameters, NonsenseGivesNothing) {
  const ModelShape good = llama(32000, 4096, 32, 32, 8, 11008);
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    for (std::int64_t ModelShape::* size :
         {&ModelShape::vocabulary, &ModelShape::hidden, &ModelShape::layers, &ModelShape::heads, &ModelShape::kv_heads,
          &ModelShape::head_dim, &ModelShape::ffn}) {
      ModelShape shape = good;
      shape.*size = bad;
      EXPECT_FALSE(count_parameters(shape)) << bad;
    }
  }
  ModelShape large = good;
  large.vocabulary = large.hidden = large.heads = large.kv_heads = large.head_dim = large.ffn = std::int64_t{1} << 31;
  large.layers = 100'000;
  EXPECT_FALSE(count_parameters(large));
  ModelShape uneven = good;
  uneven.kv_heads = 5;
  EXPECT_FALSE(count_parameters(uneven));
}

TEST(Parameters, PaddedVocabulary) {
  EXPECT_EQ(padded_vocabulary(50257, 128, 1), 50304);
  EXPECT_EQ(padded_vocabulary(50257, 128, 8), 51200);
  EXPECT_EQ(padded_vocabulary(250880, 128, 4), 250880);
  EXPECT_FALSE(padded_vocabulary(50257, 0, 1));
  EXPECT_FALSE(padded_vocabulary(INT64_MAX, 128, 1));
}

// --- from configurations ---

std::int64_t described(const char* path, std::string_view text) {
  const Recording got = read_bytes(path, text);
  const auto model = described_model(got.config, got.dialect);
  return model ? total(model->shape) : -1;
}

// GPT-NeoX-20B, as EleutherAI counts it.
TEST(Parameters, OfNeoxWithItsPaddedVocabulary) {
  EXPECT_EQ(
      described("20B.yml",
                "{\n\"pipe-parallel-size\": 4, \"model-parallel-size\": 2, \"num-layers\": 44, \"hidden-size\": 6144,\n"
                "\"num-attention-heads\": 64, \"pos-emb\": \"rotary\", \"no-weight-tying\": true,\n"
                "\"vocab-size\": 50257, \"norm\": \"layernorm\"}\n"),
      20'554'567'680);
}

TEST(Parameters, OfModelConfigurations) {
  EXPECT_EQ(
      described("config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
    "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
    "vocab_size": 32000, "tie_word_embeddings": false, "rms_norm_eps": 1e-5})"),
      6'738'415'616);
  EXPECT_EQ(described("config.json", R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12,
    "n_positions": 1024, "vocab_size": 50257, "activation_function": "gelu_new"})"),
            124'439'808);
  EXPECT_EQ(described("config.json", R"({"model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336,
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
    "num_experts_per_tok": 2, "vocab_size": 32000})"),
            46'702'792'704);
  EXPECT_EQ(described("config.json", R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "num_attention_heads": 128, "num_key_value_heads": 128, "num_hidden_layers": 61,
    "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
    "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "vocab_size": 129280})"),
            671'026'419'200);
  EXPECT_EQ(described("config.json", R"({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32,
    "num_attention_heads": 71, "multi_query": true, "bias": false, "parallel_attn": true, "vocab_size": 65024})"),
            6'921'720'704);
  EXPECT_EQ(described("config.json", R"({"model_type": "bloom", "n_embed": 1, "hidden_size": 14336, "n_layer": 70,
    "n_head": 112, "vocab_size": 250880, "layer_norm_epsilon": 1e-5})"),
            176'247'271'424);
  EXPECT_EQ(described("config.json", R"({"model_type": "mpt", "d_model": 4096, "n_layers": 32, "n_heads": 32,
    "expansion_ratio": 4, "vocab_size": 50432, "no_bias": true, "max_seq_len": 2048})"),
            6'649'286'656);
  EXPECT_EQ(
      described("params.json", R"({"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256,
    "ffn_dim_multiplier": 1.3, "multiple_of": 1024, "norm_eps": 1e-05, "rope_theta": 500000.0})"),
      8'030'261'248);
  EXPECT_EQ(
      described("config.json", R"({"model_type": "a_family_of_tomorrow", "hidden_size": 4096, "num_hidden_layers": 2,
    "num_attention_heads": 32, "intermediate_size": 4, "vocab_size": 10})"),
      -1);
}

}  // namespace
}  // namespace assay
