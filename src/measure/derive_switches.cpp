// Settings that another one makes void, as the number that acts.
//
//   clip          use_clip_grad: False (MindFormers); early_step_in_backward: true (torchtitan, torchtune): the
//                 optimizer steps within the backward pass, so that there is no norm of all gradients
//   accumulation  MindFormers counts the micro-batches of a pipeline instead
// A table of the plan that showed what was said would contradict the finding that says that it does not act.
//
// Limits: only switches whose effect is certain from the settings alone. Whose threshold DeepSpeed asks is a matter of
// rules.

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "assay/setting.h"
#include "measure/derive.h"
#include "measure/derive_facts.h"

namespace assay {

namespace {

// The last saying of that name, wherever in its file it stands.
const Setting* last_named(const Config& config, std::string_view name) {
  const Setting* out = nullptr;
  for (const Setting& one : config.settings) {
    const std::string_view written = one.written.empty() ? std::string_view(one.key) : std::string_view(one.written);
    const bool ends =
        written.ends_with(name) &&
        (written.size() == name.size() ||
         std::string_view("/.-_").find(written[written.size() - name.size() - 1]) != std::string_view::npos);
    if (one.key == name || ends) out = &one;
  }
  return out;
}

Text with_place(const Setting& one, std::string_view en, std::string_view zh) {
  Text out{std::string(en), std::string(zh)};
  if (one.where.line == 0) return out;
  out.en += fmt::format(", line {}", one.where.line);
  out.zh += fmt::format("，第 {} 行", one.where.line);
  return out;
}

bool is_word(const Setting* one, std::string_view word) {
  if (one == nullptr || !one->unknown.empty()) return false;
  return std::equal(one->value.begin(), one->value.end(), word.begin(), word.end(),
                    [](char a, char b) { return (a | 0x20) == b; });
}

class Switches : DerivedFacts {
 public:
  Switches(const Config& config, std::string_view framework, std::vector<Derived>& out)
      : DerivedFacts(config, std::string(framework), out) {}

  void add_all() {
    clip();
    accumulation();
  }

 private:
  void clip() {
    const auto asked = number_said(config_, setting::kClipNorm);
    if (!asked || *asked <= 0) return;
    const Setting* used = last_named(config_, "use_clip_grad");
    const Setting* early = last_named(config_, "early_step_in_backward");
    Text why;
    if (is_word(used, "false")) {
      why = with_place(*used, "use_clip_grad is False", "use_clip_grad 为 False");
    } else if (is_word(early, "true")) {
      why = with_place(*early, "early_step_in_backward is true", "early_step_in_backward 为 true");
    } else {
      return;
    }
    why.en += fmt::format("; {} = {} does not act", config_.find(setting::kClipNorm)->written, *asked);
    why.zh += fmt::format("；{} = {} 不起作用", config_.find(setting::kClipNorm)->written, *asked);
    add(std::string(setting::kClipNorm), Value(std::int64_t{0}), why, {std::string(setting::kClipNorm)});
  }

  void accumulation() {
    const Count stages = said(setting::kPipelineParallelSize);
    const Count steps = said(setting::kGradientAccumulation);
    if (!is("mindformers") || stages.value_or(1) <= 1 || steps.value_or(1) <= 1) return;
    add(std::string(setting::kGradientAccumulation), Value(std::int64_t{1}),
        {fmt::format("a pipeline of {} stages counts its micro-batches; {} = {} does not act", *stages,
                     config_.find(setting::kGradientAccumulation)->written, *steps),
         fmt::format("{} 级流水线按 micro-batch 计；{} = {} 不起作用", *stages,
                     config_.find(setting::kGradientAccumulation)->written, *steps)},
        {std::string(setting::kGradientAccumulation), std::string(setting::kPipelineParallelSize)});
  }
};

}  // namespace

void derive_switched_off(const Config& config, std::string_view framework, std::vector<Derived>& out) {
  Switches(config, framework, out).add_all();
}

}  // namespace assay
