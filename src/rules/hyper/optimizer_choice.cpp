// The optimizer does not fit the model.
//
// Few things are said here, because many optimizers work. SGD on a transformer from random weights does not: its
// layers' gradients differ by orders of magnitude, one rate for all leaves most of them behind, and no published
// language model was trained with it. Adam with weight decay inside the gradient (L2) divides the decay by the second
// moment too, so that weights with large gradients, which need it most, are decayed least; AdamW was made for that.
// Which of the two a word means depends on the framework: Megatron's, DeepSpeed's and fairseq's "adam" decouple the
// decay, torch's does not. Optimizers with 8-bit states keep 32 bits for the embedding where they were shown to match;
// a note.

#include <string>

#include "assay/setting.h"
#include "measure/model_shape.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

constexpr double kLeastDecay = 1e-3;

bool ends_in_adam(const std::string& word) {
  const std::size_t dot = word.rfind('.');
  return (dot == std::string::npos ? word : word.substr(dot + 1)) == "adam";
}

// torch.optim.Adam itself, not one of the many that are called like it and decouple the decay.
bool is_torch_adam(const Plan& plan) {
  const std::string word = plan.word(setting::kOptimizer);
  if (!ends_in_adam(word)) return false;
  if (word.starts_with("torch.optim")) return true;
  const std::string& framework = plan.framework();
  const bool deepspeed = flag_said(plan.run().config, "adam_w_mode") == false;
  return deepspeed || framework == "torchtitan";
}

Finding finding_of(const Plan& plan, Severity severity, double confidence, Phrase message) {
  Finding out;
  out.severity = severity;
  out.confidence = confidence;
  out.impact = 0.4;
  const Setting* said = plan.setting(setting::kOptimizer);
  if (said != nullptr && !said->where.path.empty()) out.where = said->where;
  out.message = std::move(message);
  out.message.values.insert(out.message.values.begin(), {"optimizer", optimizer_word(plan)});
  return out;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  const std::string word = plan.word(setting::kOptimizer);
  if (word.empty()) return out.not_applicable("optimizer-unsaid");
  if (!model_size(plan)) return out.not_applicable("no-model");
  const Beginning beginning = beginning_of(plan);
  const bool scratch = beginning.start == Start::kScratch;
  const bool warn = scratch && beginning.own_folder == nullptr && !ran_well(run);
  if (optimizer_of(plan) == OptimizerKind::kSgd && scratch && !ran_well(run)) {
    Finding finding = finding_of(plan, warn ? Severity::kWarning : Severity::kNote, warn ? 0.75 : 0.5, {"sgd", {}});
    finding.actions.push_back({{"use-adamw", {}}, ""});
    return out.add(std::move(finding));
  }
  const auto decay = plan.told(setting::kWeightDecay);
  if (is_torch_adam(plan) && decay && decay->value >= kLeastDecay) {
    Finding finding = finding_of(plan, warn ? Severity::kWarning : Severity::kNote, 0.7,
                                 {"coupled", {{"decay", decay->value}, {"option", named(*decay)}}});
    finding.actions.push_back({{"decouple", {}}, ""});
    return out.add(std::move(finding));
  }
  if (word.find("8bit") != std::string::npos && scratch) {
    out.add(finding_of(plan, Severity::kNote, 0.55, {"eight-bit", {}}));
  }
}

}  // namespace

extern const Rule kOptimizerChoice;
const Rule kOptimizerChoice{
    .name = "optimizer-choice",
    .family = "hyper",
    .title_en = "the optimizer does not fit the model",
    .title_zh = "优化器不适合该模型",
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .sentences = with_optimizer_sentences({
        {"sgd",
         "{optimizer} trains a transformer from random weights: no published language model was trained with SGD",
         "以 {optimizer} 从随机权重训练 Transformer：没有已公布的语言模型使用 SGD 训练"},
        {"coupled",
         "{optimizer} puts the weight decay of {decay} ({option}) into the gradient, where it is divided by the second "
         "moment: weights with large gradients are hardly decayed",
         "{optimizer} 把 {decay} 的 weight decay（{option}）加入梯度，随后被二阶矩除：梯度大的权重几乎不衰减"},
        {"eight-bit",
         "{optimizer} keeps its states in 8 bits: from random weights it was shown to match with 32-bit states for the "
         "embedding",
         "{optimizer} 以 8 位保存状态：从随机权重训练时，只有词嵌入保留 32 位状态才被证明等效"},
        {"use-adamw", "use AdamW, with beta2 0.95 and a weight decay of 0.1 as most published models were",
         "使用 AdamW；多数已公布模型取 beta2 0.95、weight decay 0.1"},
        {"decouple", "use AdamW: the same settings, with the decay beside the gradient",
         "使用 AdamW：设置相同，但衰减与梯度分开"},
        {"no-model", "the settings do not describe a transformer", "设置没有描述 Transformer 模型"},
    }),
    .docs =
        {.finds = "SGD for a transformer that starts from random weights; Adam with its weight decay in the gradient; "
                  "optimizer states in 8 bits from random weights.",
         .matters = "SGD leaves most layers untrained. L2 in Adam is not the weight decay that recipes mean by 0.1.",
         .decides =
             "By the optimizer's name. SGD: the settings describe a language model and begin from random weights. L2: "
             "`torch.optim.Adam` (also as torchtitan's `Adam`, or DeepSpeed with adam_w_mode false) and a weight decay "
             "of at least 0.001; a warning from random weights, else a note. Megatron's, DeepSpeed's and fairseq's "
             "adam "
             "decouple the decay and are not meant. Where a hundred records show that it trains: a note at most.",
         .example = "`sgd trains a transformer from random weights: no published language model was trained with SGD`",
         .to_do = "Take AdamW.",
         .false_alarms = "Research on SGD for language models with small batches; optimizers of your own whose name is "
                         "Adam.",
         .references = "Loshchilov and Hutter 2019, Decoupled weight decay regularization (arXiv 1711.05101). Zhang et "
                       "al. 2024, Why transformers need Adam (arXiv 2402.16788). Dettmers et al. 2022, 8-bit "
                       "optimizers (arXiv 2110.02861)."},
    .judge = judge};

}  // namespace assay
