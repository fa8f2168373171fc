// config.json of a model (transformers).

#include "assay/setting.h"
#include "format/config/vocabulary_tables.h"

namespace assay {

namespace {

constexpr std::string_view kHfModelSignature[] = {
    "/architectures", "/model_type",         "/transformers_version", "/bos_token_id",
    "/eos_token_id",  "/hidden_act",         "/initializer_range",    "/num_hidden_layers",
    "/rms_norm_eps",  "/use_cache",          "/tie_word_embeddings",  "/max_position_embeddings",
    "/torch_dtype",   "/intermediate_size",  "/vocab_size",           "/n_embd",
    "/n_layer",       "/layer_norm_epsilon", "/activation_function",  "/architectures/0",
};

constexpr Term kHfModelTerms[] = {
    {"hidden_size", setting::kHiddenSize},
    {"n_embd", setting::kHiddenSize},
    {"d_model", setting::kHiddenSize},
    {"intermediate_size", setting::kFfnHiddenSize},
    {"n_inner", setting::kFfnHiddenSize},
    {"ffn_dim", setting::kFfnHiddenSize},
    {"ffn_hidden_size", setting::kFfnHiddenSize},
    {"num_hidden_layers", setting::kNumLayers},
    {"n_layer", setting::kNumLayers},
    {"n_layers", setting::kNumLayers},
    {"num_attention_heads", setting::kNumAttentionHeads},
    {"n_head", setting::kNumAttentionHeads},
    {"n_heads", setting::kNumAttentionHeads},
    {"num_key_value_heads", setting::kNumKeyValueHeads},
    {"num_kv_heads", setting::kNumKeyValueHeads},
    {"head_dim", setting::kHeadDim},
    {"max_position_embeddings", setting::kMaxPositions},
    {"n_positions", setting::kMaxPositions},
    {"n_ctx", setting::kMaxPositions},
    {"max_seq_len", setting::kMaxPositions},
    {"seq_length", setting::kMaxPositions},
    {"max_length", "", Form::kNoSetting},  // of generated text
    {"tie_word_embeddings", setting::kTiedEmbeddings},
    {"rms_norm_eps", setting::kNormEpsilon},
    {"layer_norm_eps", setting::kNormEpsilon},
    {"layer_norm_epsilon", setting::kNormEpsilon},
    {"rope_theta", setting::kRopeBase},
    {"attention_bias", setting::kQkvBias},
    {"torch_dtype", setting::kParamsDtype},
    {"dtype", setting::kParamsDtype},
    {"initializer_range", setting::kInitStd},
    {"hidden_dropout", setting::kDropout},
    {"resid_pdrop", setting::kDropout},
    {"attn_pdrop", setting::kAttentionDropout},
    {"attention_dropout", setting::kAttentionDropout},
    {"num_local_experts", setting::kNumExperts},
    {"num_experts", setting::kNumExperts},
    {"n_routed_experts", setting::kNumExperts},
    {"num_experts_per_tok", setting::kExpertsPerToken},
    {"moe_intermediate_size", setting::kMoeFfnHiddenSize},
    {"shared_expert_intermediate_size", setting::kSharedExpertFfnHiddenSize},
    {"n_shared_experts", setting::kSharedExperts},
    {"first_k_dense_replace", setting::kDenseLayers},
    {"q_lora_rank", setting::kQueryLoraRank},
    {"kv_lora_rank", setting::kKeyValueLoraRank},
    {"qk_nope_head_dim", setting::kNopeHeadDim},
    {"qk_rope_head_dim", setting::kRopeHeadDim},
    {"v_head_dim", setting::kValueHeadDim},
    {"model_type", setting::kModelType},
    {"_name_or_path", setting::kModel},
    {"expansion_ratio", setting::kMlpRatio},
    {"no_bias", setting::kLinearBias, Form::kNot},
};

}  // namespace

constinit const Vocabulary kHfModelWords{"hf-model", kHfModelSignature, kHfModelTerms};

}  // namespace assay
