// A model that was trained in bfloat16 is asked to go on in fp16.
//
// bf16 has the range of fp32; fp16 ends at 65,504. A model that was trained in bf16 has never been kept from large
// activations: those of T5 and Gemma are known to pass 65,504, and the loss is NaN or the outputs are rubbish. Others
// (LLaMA, Mistral, Qwen) mostly stay below, so that many have been fine-tuned in fp16; for them it is worth knowing.
// This is told by names alone, before anything runs.

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "assay/setting.h"
#include "rules/actions.h"
#include "rules/plan.h"
#include "rules/rule.h"

namespace assay {

namespace {

struct Family {
  std::string_view word;  // begins a word of the name
  std::string_view name;
  bool overflows = false;  // known to leave the range of fp16
};
constexpr auto kFamilies = std::to_array<Family>({{"t5", "T5", true},
                                                  {"mt5", "mT5", true},
                                                  {"umt5", "UMT5", true},
                                                  {"gemma", "Gemma", true},
                                                  {"pegasus", "Pegasus", true},
                                                  {"llama", "LLaMA", false},
                                                  {"mistral", "Mistral", false},
                                                  {"mixtral", "Mixtral", false},
                                                  {"qwen", "Qwen", false},
                                                  {"deepseek", "DeepSeek", false},
                                                  {"falcon", "Falcon", false},
                                                  {"bloom", "BLOOM", false},
                                                  {"olmo", "OLMo", false}});

// The family of which a word of the text begins with the name: "google/flan-t5-xl" is of T5, "gpt5" of none.
const Family* family_in(std::string_view text) {
  for (const Family& one : kFamilies) {
    for (std::size_t at = text.find(one.word); at != std::string_view::npos; at = text.find(one.word, at + 1)) {
      const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
      const std::size_t end = at + one.word.size();
      // "t5" and "t5v1" are T5; "t5x" is a program.
      const bool ends = end == text.size() || std::isalpha(static_cast<unsigned char>(text[end])) == 0 ||
                        text[end] == 'v' || one.word.size() > 4;
      if (begins && ends) return &one;
    }
  }
  return nullptr;
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Plan plan(run);
  if (plan.precision().empty()) return out.not_applicable("not-told");
  if (plan.precision() != "fp16") return out.not_applicable("not-fp16");
  const Setting* from = nullptr;
  const Family* family = nullptr;
  for (const std::string_view key : {setting::kModel, setting::kModelType}) {
    const Family* found = family_in(plan.word(key));
    if (found == nullptr) continue;
    family = found;
    from = plan.setting(key);
    break;
  }
  const std::string stored = plan.word(setting::kParamsDtype);
  const bool stored_bf16 = stored.find("bf16") != std::string::npos || stored.find("bfloat16") != std::string::npos;
  if (family == nullptr && !stored_bf16) return out.not_applicable("no-model");
  Finding finding;
  const bool known = family != nullptr && family->overflows;
  finding.severity = known ? Severity::kWarning : Severity::kNote;
  finding.confidence = known ? 0.75 : 0.6;
  finding.impact = known ? 0.8 : 0.3;
  if (family == nullptr) {
    finding.message = {"stored", {}};
    finding.where = plan.setting(setting::kParamsDtype)->where;
  } else {
    finding.message = {known ? "overflows" : "family", {{"family", family->name}}};
    finding.where = from->where;
  }
  const Setting* fp16 = plan.setting(setting::kFp16);
  if (fp16 == nullptr) fp16 = plan.setting(setting::kPrecision);
  if (fp16 != nullptr)
    finding.evidence.push_back(
        {{"asked", {{"option", fp16->written.empty() ? fp16->key : fp16->written}, {"value", fp16->value}}},
         {},
         fp16->where});
  finding.actions.push_back({{"use-bf16", {}}, bf16_option(run), ActionRole::kPrecision});
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kFp16Range;
const Rule kFp16Range{
    .name = "fp16-range",
    .family = "precision",
    .title_en = "fp16 is asked for a model that was trained in bf16",
    .title_zh = "对以 bf16 训练的模型使用了 fp16",
    .scope = Scope::kRun,
    .needs = Needs::kPlan,
    .severity = Severity::kWarning,
    .parameters = {},
    .sentences =
        {{"overflows",
          "{family} models were trained in bf16, and their activations are known to pass 65,504, the largest fp16",
          "{family} 模型以 bf16 训练，已知其激活值会超过 fp16 的最大值 65,504"},
         {"family", "{family} models were trained in bf16; their activations may exceed 65,504, the largest fp16",
          "{family} 模型以 bf16 训练，其激活值可能超过 fp16 的最大值 65,504"},
         {"stored", "the model's own configuration says that its weights are bf16, the training asks for fp16",
          "模型配置中权重为 bf16，而训练要求 fp16"},
         {"asked", "fp16 is set: {option} {value}", "fp16 在此开启：{option} {value}"},
         {"use-bf16", "train in bf16 where the hardware has it", "硬件支持时使用 bf16 训练"},
         {"not-told", "needs settings that tell the precision", "需要说明精度的设置"},
         {"not-fp16", "holds for fp16 alone", "仅适用于 fp16"},
         {"no-model", "needs the name or the type of a model whose precision is known",
          "需要已知其精度的模型名称或类型"}},
    .docs =
        {.finds = "Training in fp16 that starts from a model which was trained in bf16.",
         .matters =
             "fp16 ends at 65,504. A model from bf16 may have activations beyond it: they become Inf, the loss NaN, or "
             "every step is skipped while the loss scale falls.",
         .decides =
             "The name or type of the model, against families known to have been trained in bf16, or the data type in "
             "the model's own configuration. T5, mT5, UMT5, Pegasus and Gemma, whose overflow is documented, are a "
             "warning; others a note.",
         .example =
             "`T5 models were trained in bf16, and their activations are known to pass 65,504, the largest fp16`",
         .to_do = "Train in bf16, or in fp32 where the hardware has none.",
         .false_alarms =
             "A model of your own that only has such a name. LLaMA and its like have been fine-tuned in fp16 "
             "with low-rank adapters many times: that is a note.",
         .references = "transformers, documentation of T5 (\"pretrained in bfloat16 … fine-tuning in fp16\") and of "
                       "DeepSpeed (\"bf16-pretrained models\"). Model cards of the families."},
    .judge = judge};

}  // namespace assay
