// The Hugging Face Trainer, its configuration of DeepSpeed, and MindFormers: settings that another one makes void.
//
// The Trainer takes max_steps before num_train_epochs, warmup_steps before warmup_ratio, and knows no warm-up under the
// schedule "constant". Of what DeepSpeed's configuration says itself (not "auto") it checks that the arguments agree,
// and refuses to start otherwise. MindFormers counts the micro-batches of a pipeline instead of accumulation.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "assay/setting.h"
#include "rules/said_places.h"
#include "rules/setup/overrides.h"

namespace assay {

namespace {

// Both, in one file: else they may be of two programs.
bool together(const Setting* a, const Setting* b) { return is_on(a) && is_on(b) && a->where.path == b->where.path; }

struct Agreed {
  std::string_view trainer, engine;
};
// transformers, integrations/deepspeed.py: fill_match.
constexpr auto kAgreed = std::to_array<Agreed>({{"learning_rate", "optimizer/params/lr"},
                                                {"weight_decay", "optimizer/params/weight_decay"},
                                                {"adam_epsilon", "optimizer/params/eps"},
                                                {"per_device_train_batch_size", "train_micro_batch_size_per_gpu"},
                                                {"gradient_accumulation_steps", "gradient_accumulation_steps"},
                                                {"max_grad_norm", "gradient_clipping"}});

bool is_option(const Setting& one) { return one.written.starts_with("--"); }

// Files that hold a configuration of DeepSpeed: by keys that only it has. A script that writes one into a file holds
// both; there the trainer's settings are options.
std::vector<std::string> engine_files(const Run& run) {
  std::vector<std::string> out;
  for (const Setting& one : run.config.settings) {
    const bool own = one.written == "train_micro_batch_size_per_gpu" || one.written == "train_batch_size" ||
                     one.written.starts_with("zero_optimization/");
    if (own && !is_option(one)) out.push_back(one.where.path);
  }
  return out;
}

// The last saying of the trainer (an option of the command, or its own file) and of DeepSpeed's file.
void engine_differs(const Run& run, std::vector<Issue>& out) {
  const std::vector<std::string> files = engine_files(run);
  for (const Agreed& pair : kAgreed) {
    const Setting* trainer = nullptr;
    const Setting* engine = nullptr;
    for (const Setting& one : run.config.settings) {
      const bool of_engine = !is_option(one) && std::ranges::find(files, one.where.path) != files.end();
      if (!of_engine && last_name(one.written) == pair.trainer) trainer = &one;
      if (of_engine && one.written == pair.engine) engine = &one;
    }
    if (trainer == nullptr || engine == nullptr) continue;
    const auto a = trainer->number();
    const auto b = engine->number();
    if (!a || !b || std::fabs(*a - *b) <= 1e-9 * std::max(std::fabs(*a), std::fabs(*b))) continue;
    out.push_back(void_setting("engine-differs", Severity::kWarning, 0.75, *trainer, *engine));
  }
}

}  // namespace

void trainer_overrides(const Plan& plan, std::vector<Issue>& out) {
  const Run& run = plan.run();
  if (plan.framework() != "hf-trainer") return;
  const Setting* steps = written_by_people(run, "max_steps");
  const Setting* epochs = written_by_people(run, "num_train_epochs");
  if (together(steps, epochs)) out.push_back(void_setting("first-wins", Severity::kNote, 0.85, *epochs, *steps));
  const Setting* warm_steps = written_by_people(run, "warmup_steps");
  const Setting* warm_ratio = written_by_people(run, "warmup_ratio");
  if (together(warm_steps, warm_ratio)) {
    out.push_back(void_setting("first-wins", Severity::kNote, 0.85, *warm_ratio, *warm_steps));
  }
  const Setting* schedule = written_by_people(run, "lr_scheduler_type");
  for (const Setting* warm : {warm_steps, warm_ratio}) {
    if (schedule == nullptr || schedule->value != "constant" || !is_on(warm)) continue;
    out.push_back(void_setting("no-warm-up", Severity::kNote, 0.85, *warm, *schedule));
    break;
  }
  if (!run.has_begun()) engine_differs(run, out);
}

void mindformers_overrides(const Plan& plan, std::vector<Issue>& out) {
  if (plan.framework() != "mindformers") return;
  const Run& run = plan.run();
  const Setting* stages = run.config.find(setting::kPipelineParallelSize);
  const Setting* accumulation = run.config.find(setting::kGradientAccumulation);
  const Setting* micro = run.config.find(setting::kMicroBatchCount);
  const double pipeline = stages != nullptr ? stages->number().value_or(1) : 1;
  if (stages != nullptr && pipeline > 1 && accumulation != nullptr && accumulation->number().value_or(1) > 1) {
    out.push_back(void_setting("pipeline-ignores", Severity::kWarning, 0.8, *accumulation, *stages));
  }
  if (stages != nullptr && pipeline <= 1 && micro != nullptr && micro->number().value_or(1) > 1) {
    out.push_back(void_setting("no-pipeline", Severity::kNote, 0.8, *micro, *stages));
  }
}

}  // namespace assay
