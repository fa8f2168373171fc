// From the words of a configuration to a shape.
//
// The sizes are said by almost every configuration; what is left out are the traits of the family, which the framework
// or the model type stands for: whether there are biases, learned positions, a gate, tied embeddings. A family is a row
// of traits; what a configuration says itself goes before them. A family that is not in the table gives no count: a
// number that is nearly right is worth less than none. Nor does one in which a size or a trait is said but not known:
// the first such answer is kept beside the shape (Asked), and the count is told to need it. So nothing is asked for
// that the shape does not stand on.

#include "measure/model_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "assay/setting.h"
#include "base/bytes.h"
#include "measure/layer_kinds.h"

namespace assay {

namespace {

// Questions to a configuration. The first answer that is said but not known is kept.
class Asked {
 public:
  explicit Asked(const Config& config) : config_(config) {}

  std::optional<std::int64_t> count(std::string_view key) { return count_said(noted(key), key); }
  std::optional<bool> flag(std::string_view key) { return flag_said(noted(key), key); }
  std::optional<double> number(std::string_view key) { return number_said(noted(key), key); }
  std::string word(std::string_view key) { return word_said(noted(key), key); }
  const std::string& unknown() const { return unknown_; }

 private:
  const Config& noted(std::string_view key) {
    if (unknown_.empty() && said_unknown(config_, key)) unknown_ = key;
    return config_;
  }

  const Config& config_;
  std::string unknown_;
};

enum Trait : unsigned {
  kTied = 1U << 0U,  // unless the configuration says otherwise
  kGated = 1U << 1U,
  kBias = 1U << 2U,           // of all linear layers
  kQkvBias = 1U << 3U,        // of queries, keys and values alone
  kAttentionBias = 1U << 4U,  // a flag `attention_bias` means queries, keys, values and output
  kNormBias = 1U << 5U,
  kPositions = 1U << 6U,  // learned
  kEmbeddingNorm = 1U << 7U,
  kQkPerHead = 1U << 8U,
  kQkWhole = 1U << 9U,
  kFourTimes = 1U << 10U,   // the feed-forward layer, where its size is not said
  kMultiQuery = 1U << 11U,  // `multi_query`: one key-value head
  kRouterBias = 1U << 12U,
  kSharedGate = 1U << 13U,
  kNoNormWeight = 1U << 14U,
  kOneNorm = 1U << 15U,  // attention and feed-forward side by side behind one norm
  kTwoMorePositions = 1U << 16U,
};

struct Family {
  std::string_view name;  // model_type of transformers, in lower case
  unsigned traits;
};

constexpr unsigned kGpt = kTied | kBias | kNormBias | kPositions | kFourTimes;
constexpr unsigned kLlama = kGated | kAttentionBias;
constexpr auto kFamilies = std::to_array<Family>({
    {"gpt2", kGpt},
    {"gpt_bigcode", kGpt | kMultiQuery},
    {"opt", kGpt | kTwoMorePositions},
    {"gpt_neox", kBias | kNormBias | kFourTimes},
    {"bloom", kTied | kBias | kNormBias | kEmbeddingNorm | kFourTimes},
    {"mpt", kTied | kFourTimes},
    {"falcon", kTied | kNormBias | kFourTimes | kMultiQuery | kOneNorm},
    {"refinedwebmodel", kTied | kNormBias | kFourTimes | kMultiQuery | kOneNorm},
    {"llama", kLlama},
    {"mistral", kLlama},
    {"mixtral", kLlama},
    {"minimind", kLlama | kTied},
    {"internlm2", kLlama},
    {"baichuan", kLlama},
    {"phi3", kLlama},
    {"gemma", kLlama | kTied},
    {"qwen2", kGated | kQkvBias},
    {"qwen2_moe", kGated | kQkvBias | kSharedGate},
    {"qwen3", kLlama | kQkPerHead},
    {"qwen3_moe", kLlama | kQkPerHead},
    {"olmo", kLlama | kNoNormWeight},
    {"olmo2", kLlama | kQkWhole},
    {"olmo3", kLlama | kQkWhole},
    {"deepseek_v2", kLlama},
    {"deepseek_v3", kLlama | kRouterBias},
});

const Family* family_named(std::string_view name) {
  const auto* found =
      std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& one) { return one.name == name; });
  return found == kFamilies.end() ? nullptr : found;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A family with its row, or a framework that has flags for every trait: no row. Their names may be the same: OLMo's own
// YAML says all traits, and its defaults are not those of transformers' model of this name.
struct Named {
  std::string_view name;
  const Family* family = nullptr;
};

Named family_row(std::string_view name) { return {name, family_named(name)}; }

// The family that a framework trains where no model type is said.
Named family_of(Asked& asked, std::string_view framework) {
  const std::string type = asked.word(setting::kModelType);
  if (family_named(type) != nullptr) return family_row(family_named(type)->name);
  if (framework == "nanotron") return family_row("llama");
  if (framework == "llama-params") return family_row("llama");
  if (framework == "mindformers" && contains(type, "llama")) return family_row("llama");
  if (framework == "maxtext") {
    const std::string block = asked.word("decoder_block");
    if (contains(block, "llama") || block == "mistral" || block == "mixtral") return family_row("llama");
  }
  if (framework == "llm-foundry" && (type == "mpt_causal_lm" || type.empty())) return family_row("mpt");
  if (framework == "megatron" || framework == "megatron-bridge" || framework == "nemo" || framework == "gpt-neox" ||
      framework == "nanogpt" || framework == "litgpt" || framework == "olmo") {
    return {framework};
  }
  return {};
}

bool is_gate(std::string_view activation) {
  return contains(activation, "swiglu") || contains(activation, "geglu") || contains(activation, "llamamlp") ||
         contains(activation, "gemmamlp");
}

// Positions that are computed and not learned.
bool computed_positions(std::string_view kind) {
  return contains(kind, "rope") || contains(kind, "rotary") || contains(kind, "alibi") || kind == "none" ||
         contains(kind, "yarn") || contains(kind, "sinusoidal");
}

void traits_of_flags(Asked& asked, std::string_view framework, ModelShape& shape) {
  const bool megatron = framework.starts_with("megatron") || framework == "nemo";
  const std::string norm = asked.word(setting::kNormalization);
  const bool rms = contains(norm, "rms");
  shape.linear_bias = asked.flag(setting::kLinearBias).value_or(megatron || framework == "gpt-neox");
  shape.tied = asked.flag(setting::kTiedEmbeddings).value_or(framework != "litgpt");
  shape.gated = asked.flag(setting::kGatedMlp).value_or(false);
  shape.norm_bias = !rms && framework != "olmo" && (framework != "nanogpt" || shape.linear_bias);
  const std::string positions = asked.word(setting::kPositionEmbedding);
  const bool learned =
      (megatron || framework == "gpt-neox" || framework == "nanogpt") && !computed_positions(positions);
  if (learned) {
    const auto most = asked.count(setting::kMaxPositions);
    shape.positions = most ? *most : asked.count(setting::kSequenceLength).value_or(0);
  }
  if (asked.flag(setting::kQkNorm).value_or(false)) {
    shape.qk_norm = framework == "olmo" ? ModelShape::QkNorm::kWhole : ModelShape::QkNorm::kPerHead;
  }
  if (megatron && asked.flag("post_norm").value_or(false)) shape.norms_per_layer = 4;  // MindSpeed-LLM: Gemma 2
  if (framework == "nemo" || framework == "olmo" || framework == "litgpt") {
    const char* key = framework == "nemo" ? "activation" : framework == "olmo" ? "activation_type" : "mlp_class_name";
    const std::string activation = asked.word(key);
    shape.gated = shape.gated || is_gate(activation) || (framework == "olmo" && activation.empty());
  }
  if (framework == "olmo") {
    shape.norm_weight = asked.flag("layer_norm_with_affine").value_or(true);
    shape.norm_bias = shape.norm_weight && !rms && asked.flag("bias_for_layer_norm").value_or(false);
    if (asked.flag("alibi").value_or(false) || !asked.flag("rope").value_or(false)) {
      const bool none = asked.flag("alibi").value_or(false);
      shape.positions = none ? 0 : asked.count(setting::kSequenceLength).value_or(0);
    }
  }
}

void traits_of_family(Asked& asked, std::string_view framework, const Family& family, ModelShape& shape) {
  const unsigned traits = family.traits;
  const auto has = [&](unsigned trait) { return (traits & trait) != 0; };
  shape.tied = asked.flag(setting::kTiedEmbeddings).value_or(has(kTied));
  shape.gated = has(kGated);
  const bool mpt = family.name == "mpt";
  const bool foundry = mpt && framework == "llm-foundry";  // whose own defaults are not those of the published model
  const bool bias_said = asked.flag(setting::kLinearBias).value_or(has(kBias) || foundry);
  shape.linear_bias = mpt ? bias_said : has(kBias);
  const bool attention_bias = asked.flag(setting::kQkvBias).value_or(has(kQkvBias));
  shape.qkv_bias = has(kQkvBias) || attention_bias;
  shape.attention_output_bias = has(kAttentionBias) && attention_bias;
  shape.norm_bias = has(kNormBias) || (mpt && bias_said);
  shape.norm_weight = !has(kNoNormWeight);
  shape.norms_per_layer = has(kOneNorm) ? 1 : 2;
  shape.embedding_norm = has(kEmbeddingNorm);
  shape.router_bias = has(kRouterBias);
  shape.shared_gate = has(kSharedGate);
  if (has(kQkPerHead)) shape.qk_norm = ModelShape::QkNorm::kPerHead;
  if (has(kQkWhole)) shape.qk_norm = ModelShape::QkNorm::kWhole;
  if (has(kPositions)) {
    shape.positions = asked.count(setting::kMaxPositions).value_or(0) + (has(kTwoMorePositions) ? 2 : 0);
  }
  // OPT-350M: narrower embeddings behind two projections, and no norm at the end.
  if (family.name == "opt") {
    if (const auto width = asked.count("word_embed_proj_dim"); width && *width != shape.hidden) {
      shape.embedding_width = *width;
    }
    // The published file says so; one that leaves it out is not known to have the norm or not.
    const auto before = asked.flag("do_layer_norm_before");
    shape.final_norm = before.value_or(true);
    if (shape.embedding_width > 0 && !before) shape.vocabulary = 0;
  }
  const bool grouped = asked.flag("new_decoder_architecture").value_or(false);  // Falcon 40B and later
  if (grouped) shape.norms_per_layer = 2;
  if (has(kMultiQuery) && !grouped && asked.flag("multi_query").value_or(true)) shape.kv_heads = 1;
  if (foundry && !asked.flag("alibi").value_or(false) && !asked.flag("rope").value_or(false) &&
      asked.flag("learned_pos_emb").value_or(true)) {
    shape.positions = asked.count(setting::kSequenceLength).value_or(0);
  }
  // DeepSeek's own inference configuration names no type; its third version scores by a sigmoid.
  if (framework == "llama-params" && asked.word("score_func") == "sigmoid") shape.router_bias = true;
}

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return step <= 0 || value <= 0 ? value : (value + step - 1) / step * step;
}

// LLaMA's params.json: two thirds of 4 h, times a factor, up to a multiple.
std::int64_t llama_ffn(Asked& asked, std::int64_t hidden, std::int64_t multiple) {
  const double factor = asked.number(setting::kFfnMultiplier).value_or(1.0);
  const std::int64_t two_thirds = hidden * 8 / 3;  // whole, before the factor: as the model's own code has it
  const double size = std::floor(factor * static_cast<double>(two_thirds));
  if (!(size > 0) || size > 1e12) return 0;
  return rounded_up(static_cast<std::int64_t>(size), multiple);
}

std::int64_t ffn_of(Asked& asked, std::string_view framework, bool four_times, const ModelShape& shape) {
  const std::int64_t h = shape.hidden;
  if (const auto said = asked.count(setting::kFfnHiddenSize)) {
    return framework == "olmo" && shape.gated ? *said / 2 : *said;
  }
  if (const auto ratio = asked.number(setting::kMlpRatio); ratio && *ratio > 0 && *ratio < 1000) {
    const auto size = exact_integer(*ratio * static_cast<double>(h)).value_or(0);
    return framework == "olmo" && shape.gated ? size / 2 : size;
  }
  if (const auto multiple = asked.count(setting::kFfnMultipleOf)) return llama_ffn(asked, h, *multiple);
  if (framework == "mindformers") return llama_ffn(asked, h, 256);
  if (framework.starts_with("megatron") && shape.gated) return h * 8 / 3 / 64 * 64;
  const bool gpt = four_times || framework.starts_with("megatron") || framework == "nemo" || framework == "gpt-neox" ||
                   framework == "nanogpt";
  return gpt ? 4 * h : 0;
}

void experts_of(Asked& asked, std::string_view framework, ModelShape& shape) {
  shape.experts = asked.count(setting::kNumExperts).value_or(0);
  if (shape.experts <= 1) {
    shape.experts = 0;
    return;
  }
  const std::int64_t usual = framework == "gpt-neox" ? 1 : 2;
  shape.experts_per_token = asked.count(setting::kExpertsPerToken).value_or(usual);
  shape.expert_ffn = asked.count(setting::kMoeFfnHiddenSize).value_or(shape.ffn);
  shape.dense_layers = asked.count(setting::kDenseLayers).value_or(0);
  if (asked.flag("moe_router_enable_expert_bias").value_or(false)) shape.router_bias = true;
  if (const auto shared = asked.count(setting::kSharedExpertFfnHiddenSize)) {
    shape.shared_ffn = *shared;
  } else if (const auto experts = asked.count(setting::kSharedExperts)) {
    shape.shared_ffn = checked_multiply(*experts, shape.expert_ffn).value_or(0);
  }
}

// Layers that only fill a pipeline are none, and not all of the others have experts. False: not understood.
bool layers_of(Asked& asked, ModelShape& shape) {
  const std::string noop = asked.word("noop_layers");
  const std::string frequency = shape.experts > 0 ? asked.word("moe_layer_freq") : std::string();
  if (noop.empty() && frequency.empty()) return true;
  const auto kinds = layer_kinds(shape.layers, shape.dense_layers, frequency, noop);
  if (!kinds) return false;
  shape.layers = kinds->real;
  if (shape.experts > 0) shape.dense_layers = kinds->dense;
  return true;
}

// Latent attention (MLA). Megatron's dump prints its ranks whether it is used or not.
void latent_attention_of(Asked& asked, std::string_view framework, ModelShape& shape) {
  if (framework.starts_with("megatron") && asked.flag("multi_latent_attention") == false) return;
  shape.query_rank = asked.count(setting::kQueryLoraRank).value_or(0);
  shape.key_value_rank = asked.count(setting::kKeyValueLoraRank).value_or(0);
  shape.nope_dim = asked.count(setting::kNopeHeadDim).value_or(0);
  shape.rope_dim = asked.count(setting::kRopeHeadDim).value_or(0);
  shape.value_dim = asked.count(setting::kValueHeadDim).value_or(0);
}

std::int64_t vocabulary_of_model(Asked& asked, std::string_view framework) {
  const auto padded = asked.count(setting::kPaddedVocabSize);
  const std::int64_t size = padded ? *padded : asked.count(setting::kVocabSize).value_or(0);
  const bool pads = framework.starts_with("megatron") || framework == "nemo" || framework == "gpt-neox";
  if (padded || !pads || size == 0) return size;
  const std::int64_t divisor = asked.count(setting::kVocabDivisor).value_or(128);
  const std::int64_t tensor = asked.count(setting::kTensorParallelSize).value_or(1);
  return padded_vocabulary(size, divisor, tensor).value_or(0);
}

// GPT-2 by its depth alone, as llm.c is told it: "d12".
std::optional<DescribedModel> llmc_model(Asked& asked) {
  constexpr std::pair<std::string_view, std::pair<int, int>> kDepths[] = {
      {"d6", {6, 384}}, {"d12", {12, 768}}, {"d24", {24, 1024}}, {"d36", {36, 1280}}, {"d48", {48, 1600}}};
  const std::string model = asked.word(setting::kModel);
  for (const auto& [name, size] : kDepths) {
    if (model != name) continue;
    ModelShape shape;
    shape.vocabulary = 50304;
    shape.layers = size.first;
    shape.hidden = size.second;
    shape.heads = shape.kv_heads = size.second / 64;
    shape.head_dim = 64;
    shape.ffn = 4 * shape.hidden;
    shape.positions = 1024;
    shape.tied = shape.linear_bias = shape.norm_bias = true;
    return DescribedModel{shape, "gpt2", asked.unknown()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> count_said(const Config& config, std::string_view key) {
  const auto number = number_said(config, key);
  const auto count = number ? exact_integer(*number) : std::nullopt;
  return count && *count > 0 ? count : std::nullopt;
}

bool said_unknown(const Config& config, std::string_view key) {
  for (auto it = config.settings.rbegin(); it != config.settings.rend(); ++it) {
    const bool unset = it->value == "None" || it->value == "null" || it->value == setting::kAutomatic;
    if (it->key != key || unset || it->value.empty()) continue;
    return !it->unknown.empty();
  }
  return false;
}

std::optional<double> number_said(const Config& config, std::string_view key) {
  const Setting* said = config.find(key);
  return said == nullptr ? std::nullopt : said->number();
}

std::string word_said(const Config& config, std::string_view key) {
  const Setting* said = config.find(key);
  std::string word = said == nullptr ? std::string() : said->value;
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

std::optional<bool> flag_said(const Config& config, std::string_view key) {
  const std::string word = word_said(config, key);
  if (word == "true" || word == "1" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "0" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<DescribedModel> described_model(const Config& config, std::string_view framework) {
  Asked asked(config);
  if (framework.starts_with("llm.c")) return llmc_model(asked);
  const auto [name, family] = family_of(asked, framework);
  if (name.empty()) return std::nullopt;
  ModelShape shape;
  shape.hidden = asked.count(setting::kHiddenSize).value_or(0);
  shape.layers = asked.count(setting::kNumLayers).value_or(0);
  shape.heads = asked.count(setting::kNumAttentionHeads).value_or(0);
  const bool sizes = shape.hidden > 0 && shape.layers > 0 && shape.heads > 0;
  if (!sizes && asked.unknown().empty()) return std::nullopt;
  shape.kv_heads = asked.count(setting::kNumKeyValueHeads).value_or(shape.heads);
  if (framework.starts_with("megatron") && asked.flag("group_query_attention") == false) {
    shape.kv_heads = shape.heads;
  }
  const auto head_dim = asked.count(setting::kHeadDim);
  if (!sizes || !asked.unknown().empty()) return DescribedModel{shape, std::string(name), asked.unknown()};
  if (!head_dim && shape.hidden % shape.heads != 0) return std::nullopt;
  shape.head_dim = head_dim.value_or(shape.hidden / shape.heads);
  shape.vocabulary = vocabulary_of_model(asked, framework);
  if (family != nullptr) {
    traits_of_family(asked, framework, *family, shape);
  } else {
    traits_of_flags(asked, framework, shape);
  }
  if (asked.flag(setting::kEmbeddingNorm).value_or(false)) shape.embedding_norm = true;
  if (asked.flag(setting::kQkvBias).value_or(false)) shape.qkv_bias = true;
  shape.ffn = ffn_of(asked, framework, family != nullptr && (family->traits & kFourTimes) != 0, shape);
  experts_of(asked, framework, shape);
  if (!layers_of(asked, shape)) return std::nullopt;
  latent_attention_of(asked, framework, shape);
  return DescribedModel{shape, std::string(name), asked.unknown()};
}

}  // namespace assay
