// What a model costs, from its shape (model_shape.cpp) and its parameters (parameters.cpp).

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "assay/setting.h"
#include "measure/derive.h"
#include "measure/derive_facts.h"

namespace assay {

namespace {

class ModelFacts : DerivedFacts {
 public:
  ModelFacts(const Config& config, std::string_view framework, Count sequence, Count train_tokens,
             std::vector<Derived>& out)
      : DerivedFacts(config, std::string(framework), out), sequence_(sequence), train_tokens_(train_tokens) {}

  /// Nobody describes the model, but its size is said.
  void add_said() {
    const Count count = said(setting::kParameters);
    if (!count) return;
    as_set(setting::kParameters, *count);
    for_each_parameter(said(setting::kActiveParameters).value_or(*count));
  }

  void add_all(const DescribedModel& model) {
    if (!model.unknown.empty()) return needs("parameters", model.unknown);
    padded(model.shape);
    const auto count = count_parameters(model.shape);
    if (!count) return;
    add("parameters", Value(count->total), parameters_text(model.shape, *count, model.family),
        {std::string(setting::kVocabSize), std::string(setting::kHiddenSize), std::string(setting::kNumLayers)});
    if (count->active != count->total) active(model.shape, *count);
    compute(model.shape, *count);
  }

 private:
  void active(const ModelShape& shape, const ParameterCount& count) {
    const std::string kept = shown(shape.experts_per_token);
    const std::string all = shown(shape.experts);
    add("active_parameters", Value(count.active),
        {fmt::format("with {} of {} experts", kept, all),
         fmt::format("每个 token 使用 {} 个专家（共 {} 个）", kept, all)},
        {std::string(setting::kExpertsPerToken), std::string(setting::kNumExperts)});
  }

  void padded(const ModelShape& shape) {
    const Count plain = said(setting::kVocabSize);
    if (said(setting::kPaddedVocabSize) || !plain || shape.vocabulary == *plain || shape.vocabulary <= 0) return;
    add(std::string(setting::kPaddedVocabSize), Value(shape.vocabulary),
        {fmt::format("{} up to a multiple of {} x {} tensor", shown(*plain), said(setting::kVocabDivisor).value_or(128),
                     said(setting::kTensorParallelSize).value_or(1)),
         fmt::format("{} 向上取到 {} × {}（张量并行）的倍数", shown(*plain), said(setting::kVocabDivisor).value_or(128),
                     said(setting::kTensorParallelSize).value_or(1))},
        {std::string(setting::kVocabSize), std::string(setting::kVocabDivisor),
         std::string(setting::kTensorParallelSize)});
  }

  static Text parameters_text(const ModelShape& shape, const ParameterCount& count, const std::string& family) {
    const std::int64_t layers = shape.layers - (shape.experts > 0 ? shape.dense_layers : 0);
    const std::string embedding = shown(count.embedding), layer = shown(count.layer), many = shown(layers);
    const bool dense_too = layers != shape.layers;
    return {fmt::format("{} in {}embeddings + {} layers x {}{} + norms; formula of {}", embedding,
                        shape.tied ? "tied " : "", many, layer, dense_too ? " + dense layers" : "", family),
            fmt::format("{}词嵌入 {} + {} 层 × {}{} + 归一化；按 {} 的公式", shape.tied ? "共享" : "", embedding, many,
                        layer, dense_too ? " + 稠密层" : "", family)};
  }

  void compute(const ModelShape& shape, const ParameterCount& count) {
    const bool positions = !sequence_ && !unknown(setting::kSequenceLength);
    const Count sequence = positions ? said(setting::kMaxPositions) : sequence_;
    if (!sequence) return;
    if (const auto flops = flops_per_token(shape, count, *sequence)) {
      add("flops_per_token", Value(*flops),
          {"6 N + 12 L n d S, forward and backward", "6 N + 12 L n d S（前向与反向）"},
          {"parameters", std::string(setting::kSequenceLength)});
    }
    for_each_parameter(count.active);
  }

  void for_each_parameter(std::int64_t parameters) {
    if (!train_tokens_ || parameters <= 0) return;
    const Values sizes = {{"tokens", *train_tokens_}, {"parameters", parameters}};
    add("tokens_per_parameter", Value(static_cast<double>(*train_tokens_) / static_cast<double>(parameters)),
        {fill({"{tokens} tokens / {parameters} parameters", ""}, sizes, Language::kEnglish),
         fill({"", "{tokens} 个 token / {parameters} 个参数"}, sizes, Language::kChinese)},
        {std::string(setting::kTrainTokens), std::string(setting::kParameters)});
  }

  Count sequence_;
  Count train_tokens_;
};

}  // namespace

std::string spoken_framework(const Config& config, std::string_view dialect) {
  std::string found;
  for (const Setting& one : config.settings) {
    if (one.key != setting::kFramework) continue;
    const bool lesser = one.value == "deepspeed" || one.value == "accelerate" || one.value == "hf-model";
    if (found.empty() || !lesser) found = one.value;
  }
  return found.empty() ? std::string(dialect) : found;
}

void derive_model(const Config& config, std::string_view framework, std::optional<std::int64_t> sequence,
                  std::optional<std::int64_t> train_tokens, std::vector<Derived>& out) {
  const auto model = told_by_user(config, setting::kParameters) ? std::nullopt : described_model(config, framework);
  ModelFacts facts(config, framework, sequence, train_tokens, out);
  const std::size_t before = out.size();
  if (model) facts.add_all(*model);
  const bool counted =
      std::any_of(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(),
                  [](const Derived& one) { return one.name == setting::kParameters && one.value != Value("unknown"); });
  if (counted || !count_said(config, setting::kParameters)) return;
  // What the user says of a shape that is not known: the number counts, not the reason why there was none.
  std::erase_if(out, [](const Derived& one) { return one.name == setting::kParameters; });
  facts.add_said();
}

}  // namespace assay
