// Megatron-LM and what grew from it: settings that another one makes void, and pairs that its argument check refuses.
//
// The refused pairs are assertions of megatron/training/arguments.py and of the scheduler (the same in
// Megatron-DeepSpeed and MindSpeed-LLM): such a script does not start, so they are errors, but only before a run. What
// a run that has begun prints was accepted.

#include <array>
#include <cmath>

#include "assay/setting.h"
#include "rules/said_places.h"
#include "rules/setup/overrides.h"

namespace assay {

namespace {

constexpr double kRefused = 0.85;

// A share of the decay and a length of the warm-up.
void two_warm_ups(const Run& run, std::vector<Issue>& out) {
  const Setting* fraction = written_by_people(run, "lr_warmup_fraction");
  for (const std::string_view name : {"lr_warmup_iters", "lr_warmup_samples"}) {
    const Setting* length = written_by_people(run, name);
    if (is_on(fraction) && is_on(length)) {
      out.push_back(void_setting("refused-one-of", Severity::kError, kRefused, *length, *fraction));
    }
  }
}

// A run that is counted in iterations takes no samples, and the other way round.
void two_units(const Run& run, std::vector<Issue>& out) {
  const Setting* steps = written_by_people(run, "train_iters");
  const Setting* samples = written_by_people(run, "train_samples");
  if (is_on(steps) && is_on(samples)) {
    out.push_back(void_setting("refused-one-of", Severity::kError, kRefused, *samples, *steps));
    return;
  }
  const bool by_steps = is_on(steps);
  const Setting* length = by_steps ? steps : samples;
  if (!is_on(length)) return;
  const auto others = by_steps ? std::array<std::string_view, 2>{"lr_decay_samples", "lr_warmup_samples"}
                               : std::array<std::string_view, 2>{"lr_decay_iters", "lr_warmup_iters"};
  for (const std::string_view name : others) {
    const Setting* other = written_by_people(run, name);
    if (is_on(other)) out.push_back(void_setting("refused-unit", Severity::kError, kRefused, *other, *length));
  }
}

// Of all the published scripts that do it, Megatron-LM's own example for GPT-3 is one: a warning, not an error.
void ramp_up_by_steps(const Run& run, std::vector<Issue>& out) {
  const Setting* steps = written_by_people(run, "train_iters");
  const Setting* ramp = written_by_people(run, "rampup_batch_size");
  if (is_on(steps) && ramp != nullptr) {
    out.push_back(void_setting("refused-unit", Severity::kWarning, 0.6, *ramp, *steps));
  }
}

// Sequence parallelism splits what tensor parallelism holds whole: with one rank of it Megatron switches it off.
void sequence_parallel_alone(const Run& run, std::vector<Issue>& out) {
  const Setting* sequence = written_by_people(run, "sequence_parallel");
  const Setting* tensor = run.config.find(setting::kTensorParallelSize);
  if (is_on(sequence) && tensor != nullptr && tensor->number() == 1.0) {
    out.push_back(void_setting("alone", Severity::kNote, 0.85, *sequence, *tensor));
  }
}

// Under DeepSpeed the engine scales the loss, by its own configuration.
void engine_scales(const Run& run, std::vector<Issue>& out) {
  const Setting* own = nullptr;
  const Setting* engine = nullptr;
  for (const Setting& one : run.config.settings) {
    if (one.key != setting::kLossScale || !one.number() || printed_by_run(run, one.where)) continue;
    (one.written.starts_with("--") ? own : engine) = &one;
  }
  if (own == nullptr || engine == nullptr || own->number() == engine->number()) return;
  if (engine->written != "fp16/loss_scale" || engine->where.path != own->where.path) return;
  out.push_back(void_setting("engine-scales", Severity::kNote, 0.75, *own, *engine));
}

const Setting* first_of(const Run& run, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const Setting* found = last_written(run.config, name);
    if (is_on(found)) return found;
  }
  return nullptr;
}

// The scheduler of the checkpoint counts, not the one that is asked for.
void checkpoint_scheduler(const Run& run, std::vector<Issue>& out) {
  const Setting* keep = first_of(run, {"use_checkpoint_opt_param_scheduler", "use_checkpoint_lr_scheduler"});
  const Setting* replace = first_of(run, {"override_opt_param_scheduler", "override_lr_scheduler"});
  if (keep == nullptr) return;
  if (replace != nullptr && !run.has_begun()) {
    out.push_back(void_setting("refused-one-of", Severity::kError, kRefused, *replace, *keep));
    return;
  }
  const Setting* load = run.config.find(setting::kResumeFrom);
  const bool loads_it = load != nullptr && first_of(run, {"finetune", "no_load_optim"}) == nullptr;
  const Setting* rate = run.config.find(setting::kLearningRate);
  if (loads_it && rate != nullptr) out.push_back(void_setting("checkpoint", Severity::kNote, 0.7, *rate, *keep));
}

bool same_number(const Setting& a, const Setting& b) {
  const auto x = a.number();
  const auto y = b.number();
  return x && y && std::fabs(*x - *y) <= 1e-9 * std::max(std::fabs(*x), std::fabs(*y));
}

// The scheduler writes its weight decay into the optimizer at each step.
void scheduled_weight_decay(const Run& run, std::vector<Issue>& out) {
  const Setting* plain = run.config.find(setting::kWeightDecay);
  const Setting* start = last_written(run.config, "start_weight_decay");
  if (plain == nullptr || start == nullptr || !start->number() || same_number(*plain, *start)) return;
  out.push_back(void_setting("weight-decay", Severity::kNote, 0.8, *plain, *start));
}

}  // namespace

void megatron_overrides(const Plan& plan, std::vector<Issue>& out) {
  const Run& run = plan.run();
  const bool bridge = plan.framework() == "megatron-bridge";
  if (plan.framework() != "megatron" && !bridge) return;
  if (!run.has_begun() && !bridge) {
    two_warm_ups(run, out);
    two_units(run, out);
    ramp_up_by_steps(run, out);
  }
  sequence_parallel_alone(run, out);
  engine_scales(run, out);
  checkpoint_scheduler(run, out);
  scheduled_weight_decay(run, out);
}

}  // namespace assay
