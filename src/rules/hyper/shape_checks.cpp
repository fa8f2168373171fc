// The shape of a model against the ranks over which it is spread.
//
// Tensor parallelism gives each rank whole heads and an equal part of each matrix, a pipeline gives each stage whole
// layers, expert parallelism whole experts, context parallelism two equal stretches of each sequence. What does not
// divide stops Megatron-LM in validate_args, or in divide() when the first layer is made. Layers need not divide where
// the stages are told to be uneven, or where DeepSpeed cuts the pipeline by parameters.
//
// Positions: learned ones have no row beyond the last, and Megatron refuses a sequence that is longer than
// --max-position-embeddings for rotary ones too. Elsewhere a rotary model simply goes on into positions that it was not
// trained for, which only its scaling makes right: a warning.

#include <algorithm>
#include <array>

#include "assay/setting.h"
#include "base/bytes.h"
#include "rules/hyper/batch_checks.h"

namespace assay {

namespace {

class ShapeChecks {
 public:
  explicit ShapeChecks(const Plan& plan) : plan_(plan) {}

  std::vector<Mismatch> take() {
    heads();
    if (is_megatron(plan_)) {
      spread();
      pipeline();
      context();
    }
    positions();
    return std::move(out_);
  }

 private:
  Mismatch& add(const char* sentence, Values values, std::string_view key, bool refused, std::string checked) {
    out_.push_back({sentence, std::move(values), where_said(plan_, key), refused, std::move(checked), {}});
    return out_.back();
  }
  std::optional<std::int64_t> size(std::string_view key) const { return whole(plan_, key); }

  // Whether a setting whose name has this part is said, and not off.
  bool mentions(std::string_view part) const {
    const auto& all = plan_.run().config.settings;
    return std::any_of(all.begin(), all.end(), [&](const Setting& one) {
      const bool off = one.value == "None" || one.value == "false" || one.value == "False" || one.value == "0";
      return one.key.find(part) != std::string::npos && (!off || !one.unknown.empty());
    });
  }

  void divide(const char* sentence, std::string_view whole_key, std::string_view parts_key, std::string checked) {
    const auto all = size(whole_key);
    const auto parts = size(parts_key);
    if (!all || !parts || *parts == 1 || *all % *parts == 0) return;
    add(sentence, {{"all", *all}, {"parts", *parts}}, parts_key, true, std::move(checked));
  }

  void heads() {
    const auto hidden = size(setting::kHiddenSize);
    const auto heads = size(setting::kNumAttentionHeads);
    const bool own =
        plan_.setting(setting::kHeadDim) != nullptr || plan_.setting(setting::kKeyValueLoraRank) != nullptr;
    if (hidden && heads && !own && *hidden % *heads != 0) {
      add("hidden-rest", {{"hidden", *hidden}, {"heads", *heads}}, setting::kNumAttentionHeads, true, "");
    }
  }

  void spread() {
    divide("rest-heads", setting::kNumAttentionHeads, setting::kTensorParallelSize, "checked-megatron-divide");
    divide("rest-columns", setting::kFfnHiddenSize, setting::kTensorParallelSize, "checked-megatron-divide");
    divide("rest-experts", setting::kNumExperts, setting::kExpertParallelSize, "checked-megatron-experts");
    const auto groups = size(setting::kNumKeyValueHeads);
    const auto tensor = size(setting::kTensorParallelSize);
    if (groups && tensor && *groups > 1 && *groups % *tensor != 0 && *tensor % *groups != 0) {
      add("groups", {{"groups", *groups}, {"tensor", *tensor}}, setting::kNumKeyValueHeads, true,
          "checked-megatron-groups");
    }
  }

  void pipeline() {
    for (const std::string_view word : {"deepspeed", "noop", "first_pipeline", "last_pipeline", "layer_list", "layout",
                                        "standalone", "account_for", "mtp", "pipeline_num_transformer_layers"}) {
      if (mentions(word)) return;
    }
    divide("rest-layers", setting::kNumLayers, setting::kPipelineParallelSize, "checked-megatron-layers");
  }

  void context() {
    const auto sequence = size(setting::kSequenceLength);
    const auto parts = size(setting::kContextParallelSize);
    if (!sequence || !parts || *parts == 1 || mentions("cp_algo")) return;
    if (*sequence % (2 * *parts) == 0) return;
    add("context", {{"sequence", *sequence}, {"parts", *parts}, {"unit", 2 * *parts}}, setting::kContextParallelSize,
        true, "checked-megatron-context");
  }

  void positions() {
    const auto sequence = size(setting::kSequenceLength);
    const auto most = size(setting::kMaxPositions);
    if (!sequence || !most || *sequence <= *most) return;
    const std::string kind = plan_.word(setting::kPositionEmbedding);
    if (mentions("rope_scaling") || mentions("rope_type") || kind == "alibi" || kind == "none") return;
    const bool learned = kind.find("learned") != std::string::npos;
    const bool stops = plan_.framework() == "megatron" || learned;
    add(stops ? "positions" : "positions-rotary", {{"sequence", *sequence}, {"most", *most}}, setting::kSequenceLength,
        stops, plan_.framework() == "megatron" ? "checked-megatron-positions" : "");
  }

  const Plan& plan_;
  std::vector<Mismatch> out_;
};

}  // namespace

std::vector<Mismatch> shape_mismatches(const Plan& plan) { return ShapeChecks(plan).take(); }

}  // namespace assay
