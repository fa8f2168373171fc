#include "format/config/megatron_words.h"

#include <algorithm>
#include <array>
#include <string>

#include "assay/setting.h"

namespace assay {

namespace {

constexpr auto kWords = std::to_array<MegatronWord>({
    {"lr_warmup_fraction", setting::kWarmupFractionOfDecay},
    {"lr_warmup_tokens", setting::kWarmupTokens},
    {"lr_decay_tokens", setting::kDecayTokens},
    {"train_tokens", setting::kTrainTokens},
    {"ffn_hidden_size", setting::kFfnHiddenSize},
    {"kv_channels", setting::kHeadDim},
    {"num_query_groups", setting::kNumKeyValueHeads},
    {"num_key_value_heads", setting::kNumKeyValueHeads},
    {"max_position_embeddings", setting::kMaxPositions},
    {"make_vocab_size_divisible_by", setting::kVocabDivisor},
    {"pad_vocab_size_to", setting::kPaddedVocabSize},
    {"untie_embeddings_and_output_weights", setting::kTiedEmbeddings, true},
    {"num_experts", setting::kNumExperts},
    {"moe_router_topk", setting::kExpertsPerToken},
    {"moe_ffn_hidden_size", setting::kMoeFfnHiddenSize},
    {"n_shared_experts", setting::kSharedExperts},
    {"first_k_dense_replace", setting::kDenseLayers},
    {"norm_epsilon", setting::kNormEpsilon},
    {"layernorm_epsilon", setting::kNormEpsilon},
    {"rotary_base", setting::kRopeBase},
    {"hidden_dropout", setting::kDropout},
    {"attention_dropout", setting::kAttentionDropout},
    {"init_method_std", setting::kInitStd},
    {"model_parallel_size", setting::kTensorParallelSize},
    {"context_parallel_size", setting::kContextParallelSize},
    {"ds_sequence_parallel_size", setting::kSequenceParallelSize},
    {"expert_model_parallel_size", setting::kExpertParallelSize},
    {"expert_tensor_parallel_size", setting::kExpertTensorParallelSize},
    {"zero_stage", setting::kZeroStage},
    {"data_path", setting::kData},
    {"tokenizer_type", setting::kTokenizer},
    {"save_interval", setting::kSaveInterval},
    {"eval_interval", setting::kEvalInterval},
    {"log_interval", setting::kLogInterval},
    {"num_workers", setting::kNumWorkers},
    {"finetune", setting::kFineTuning},
    {"load", setting::kResumeFrom},
    {"fp8_format", setting::kFp8},
});

constexpr std::array<std::string_view, 8> kMarks{
    "tensor_model_parallel_size", "pipeline_model_parallel_size", "lr_decay_style",   "lr_warmup_fraction",
    "lr_warmup_samples",          "use_distributed_optimizer",    "transformer_impl", "encoder_num_layers"};

std::string normal(std::string_view key) {
  key.remove_prefix(std::min(key.find_first_not_of('-'), key.size()));
  std::string out(key.substr(0, 80));
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace

const MegatronWord* megatron_word(std::string_view key) {
  const std::string wanted = normal(key);
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), [&](auto& word) { return word.key == wanted; });
  return found == kWords.end() ? nullptr : found;
}

bool is_megatron_mark(std::string_view key) {
  return std::find(kMarks.begin(), kMarks.end(), normal(key)) != kMarks.end();
}

}  // namespace assay
