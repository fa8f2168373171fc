// Each console prints what its framework prints, in the framework's words, order and number formats, quirks included:
//
//   Megatron-LM (late 2025)   the learning rate of the next step; a loss only if it is above zero, so none where the
//                             step was skipped or the loss was NaN; no grad norm for a skipped step; a perplexity of
//                             e^20 for a NaN, because Python's min(20, nan) is 20
//   Hugging Face Trainer      Python dictionaries, the loss averaged over the logging interval, no step number
//   nanoGPT                   counts from 0; no grad norm, no learning rate
//
// Times are nominal: the arithmetic of a step (6 operations a parameter and character) at 10 GFLOP/s, from a fixed
// start. A clock would make every run another file.
#include "console.h"

#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <utility>
#include <vector>

#include "exact_math.h"

namespace assay::examples {
namespace {

// As Python's repr prints a float: the shortest digits that give it back, in exponent form below 1e-4.
std::string python_float(double value) {
  char text[64];
  const double size = std::fabs(value);
  const auto format = size == 0 || size >= 1e-4 ? std::chars_format::fixed : std::chars_format::scientific;
  std::string digits(text, std::to_chars(text, text + sizeof text, value, format).ptr);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

double rounded(double value, double unit) { return std::floor(value * unit + 0.5) / unit; }

// 1234567 as 1,234,567.
std::string grouped(long long value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

// What the three have in common: where the text goes, and the nominal time.
class Printer : public Console {
 public:
  Printer(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}

  void begin(const Settings& settings, std::size_t parameters) override {
    settings_ = settings;
    parameters_ = static_cast<long long>(parameters);
    step_seconds_ = 6e-10 * static_cast<double>(parameters) * settings.batch_size * settings.sequence_length;
  }

 protected:
  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) {
    char line[1024];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_ += line;
  }

  void pass_time(double steps) { seconds_ += steps * step_seconds_; }

  // The fixed start is 2025-11-17 09:00:00; no run lasts an hour.
  std::string now() const {
    const int whole = static_cast<int>(seconds_);
    char text[32];
    std::snprintf(text, sizeof text, "2025-11-17 09:%02d:%02d", whole / 60, whole % 60);
    return text;
  }

  std::string name_;
  std::string& log_;
  Settings settings_;
  long long parameters_ = 0;
  double step_seconds_ = 0, seconds_ = 0;
};

class Megatron final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Settings& settings, std::size_t parameters) override {
    Printer::begin(settings, parameters);
    log_ +=
        "using world size: 1, data-parallel size: 1, tensor-model-parallel size: 1, pipeline-model-parallel size: 1 \n";
    if (settings.fp16) {
      log_ +=
          "WARNING: Setting args.check_for_nan_in_loss_and_grad to False since dynamic loss scaling is being used\n";
    }
    print("using torch.%s for parameters ...\n", settings.fp16 ? "float16" : "float32");
    print_arguments(settings);
    print("> setting random seeds to %d ...\n", static_cast<int>(settings.seed));
    print("building GPT model ...\n > number of parameters on (tensor, pipeline) model parallel rank (0, 0): %lld\n",
          parameters_);
    log_ += "> learning rate decay style: cosine\n";
    print("training ...\n[before the start of training step] datetime: %s \n", now().c_str());
  }

  void step(const Step& step) override {
    pass_time(1);
    print(" [%s] iteration %8d/%8d |", now().c_str(), step.number, settings_.steps);
    print(" consumed samples: %12d |", step.number * settings_.batch_size);
    print(" elapsed time per iteration (ms): %.1f |", 1000 * step_seconds_);
    print(" learning rate: %.6E | global batch size: %5d |", step.next_learning_rate, settings_.batch_size);
    if (!step.skipped && step.loss > 0) print(" lm loss: %.6E |", step.loss);
    print(" loss scale: %.1f |", step.loss_scale);
    if (step.grad_norm) print(" grad norm: %.3f |", *step.grad_norm);
    print(" number of skipped iterations: %3d |", step.skipped ? 1 : 0);
    print(" number of nan iterations: %3d |\n", step.skipped && !std::isfinite(step.loss) ? 1 : 0);
  }

  void evaluation(int step, const Evaluation& evaluation) override {
    pass_time(4);
    const double loss = evaluation.validation_loss;
    char line[256];
    std::snprintf(line, sizeof line, " validation loss at iteration %d | lm loss value: %.6E | lm loss PPL: %.6E | ",
                  step, std::isnan(loss) ? std::fabs(loss) : loss, exact_exp(loss < 20 ? loss : 20));
    const std::string dashes(std::string_view(line).size() + 1, '-');
    log_ += dashes + "\n" + line + "\n" + dashes + "\n";
  }

  void checkpoint(int step) override {
    print("saving checkpoint at iteration %7d to checkpoints/%s in torch_dist format\n", step, name_.c_str());
    print("  successfully saved checkpoint from iteration %7d to checkpoints/%s [ t 1/1, p 1/1 ]\n", step,
          name_.c_str());
    saved_ = step;
  }

  void end(int step) override {
    if (saved_ != step) checkpoint(step);
    print("[exiting program at iteration %d] datetime: %s \n", step, now().c_str());
  }

 private:
  void print_arguments(const Settings& s) {
    const std::string yes = "True", no = "False";
    const std::vector<std::pair<const char*, std::string>> arguments = {
        {"adam_beta1", python_float(s.beta1)},
        {"adam_beta2", python_float(s.beta2)},
        {"adam_eps", python_float(s.epsilon)},
        {"add_bias_linear", no},
        {"bf16", no},
        {"clip_grad", python_float(s.clip_norm)},
        {"data_parallel_size", "1"},
        {"eval_interval", std::to_string(s.eval_interval)},
        {"eval_iters", "4"},
        {"exit_interval", std::to_string(s.stop_after)},
        {"ffn_hidden_size", std::to_string(s.model.inner)},
        {"fp16", s.fp16 ? yes : no},
        {"global_batch_size", std::to_string(s.batch_size)},
        {"hidden_size", std::to_string(s.model.hidden)},
        {"hysteresis", std::to_string(s.hysteresis)},
        {"initial_loss_scale", python_float(s.initial_loss_scale)},
        {"log_interval", "1"},
        {"loss_scale", "None"},
        {"loss_scale_window", python_float(s.loss_scale_window)},
        {"lr", python_float(s.learning_rate)},
        {"lr_decay_iters", "None"},
        {"lr_decay_style", "cosine"},
        {"lr_warmup_iters", std::to_string(s.warmup_steps)},
        {"micro_batch_size", std::to_string(s.batch_size)},
        {"min_loss_scale", python_float(s.min_loss_scale)},
        {"min_lr", python_float(s.min_learning_rate)},
        {"num_layers", std::to_string(s.model.blocks)},
        {"optimizer", "adam"},
        {"params_dtype", s.fp16 ? "torch.float16" : "torch.float32"},
        {"pipeline_model_parallel_size", "1"},
        {"save", "checkpoints/" + name_},
        {"save_interval", std::to_string(s.save_interval)},
        {"seed", std::to_string(s.seed)},
        {"seq_length", std::to_string(s.sequence_length)},
        {"squared_relu", yes},
        {"tensor_model_parallel_size", "1"},
        {"train_iters", std::to_string(s.steps)},
        {"untie_embeddings_and_output_weights", yes},
        {"vocab_size", std::to_string(kAlphabet.size())},
        {"weight_decay", python_float(s.weight_decay)},
        {"world_size", "1"},
    };
    log_ += "------------------------ arguments ------------------------\n";
    for (const auto& [key, value] : arguments) {
      const std::string dots(48 - std::string_view(key).size(), '.');
      print("  %s %s %s\n", key, dots.c_str(), value.c_str());
    }
    log_ += "-------------------- end of arguments ---------------------\n";
  }

  int saved_ = 0;
};

class HuggingFace final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Settings& settings, std::size_t parameters) override {
    Printer::begin(settings, parameters);
    info(2409, "***** Running training *****");
    info(2410, "  Num examples = " + grouped(1LL * settings.steps * settings.batch_size));
    info(2411, "  Num Epochs = 1");
    info(2412, "  Instantaneous batch size per device = " + grouped(settings.batch_size));
    info(2415, "  Total train batch size (w. parallel, distributed & accumulation) = " + grouped(settings.batch_size));
    info(2416, "  Gradient Accumulation steps = 1");
    info(2417, "  Total optimization steps = " + grouped(settings.steps));
    info(2418, "  Number of trainable parameters = " + grouped(parameters_));
  }

  void step(const Step& step) override {
    pass_time(1);
    interval_loss_ += step.loss;
    total_loss_ += step.loss;
    if (step.number % settings_.log_interval != 0) return;
    print("{'loss': %s, 'grad_norm': %s, 'learning_rate': %s, 'epoch': %s}\n",
          python_float(rounded(interval_loss_ / settings_.log_interval, 1e4)).c_str(),
          python_float(static_cast<float>(step.grad_norm.value_or(NAN))).c_str(),
          python_float(step.learning_rate).c_str(), epoch(step.number).c_str());
    interval_loss_ = 0;
  }

  void evaluation(int step, const Evaluation& evaluation) override {
    const double runtime = 4 * step_seconds_;
    pass_time(4);
    print(
        "{'eval_loss': %s, 'eval_runtime': %s, 'eval_samples_per_second': %s, 'eval_steps_per_second': %s, 'epoch': "
        "%s}\n",
        python_float(evaluation.validation_loss).c_str(), python_float(rounded(runtime, 1e4)).c_str(),
        python_float(rounded(4 * settings_.batch_size / runtime, 1e3)).c_str(),
        python_float(rounded(4 / runtime, 1e3)).c_str(), epoch(step).c_str());
  }

  void checkpoint(int step) override {
    info(3910, "Saving model checkpoint to " + name_ + "/checkpoint-" + std::to_string(step));
  }

  void end(int step) override {
    info(2657, "\n\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n");
    print(
        "{'train_runtime': %s, 'train_samples_per_second': %s, 'train_steps_per_second': %s, 'train_loss': %s, "
        "'epoch': %s}\n",
        python_float(rounded(seconds_, 1e4)).c_str(),
        python_float(rounded(step * settings_.batch_size / seconds_, 1e3)).c_str(),
        python_float(rounded(step / seconds_, 1e3)).c_str(), python_float(total_loss_ / step).c_str(),
        epoch(step).c_str());
  }

 private:
  std::string epoch(int step) const { return python_float(rounded(static_cast<double>(step) / settings_.steps, 1e2)); }

  void info(int line, const std::string& message) {
    const int milliseconds = static_cast<int>(1000 * (seconds_ - std::floor(seconds_)));
    print("[INFO|trainer.py:%d] %s,%03d >> %s\n", line, now().c_str(), milliseconds, message.c_str());
  }

  double interval_loss_ = 0, total_loss_ = 0;
};

class NanoGpt final : public Printer {
 public:
  using Printer::Printer;

  void begin(const Settings& settings, std::size_t parameters) override {
    Printer::begin(settings, parameters);
    print("Overriding: out_dir = %s\n", name_.c_str());
    print("Overriding: eval_interval = %d\nOverriding: eval_iters = 4\nOverriding: log_interval = 1\n",
          settings.eval_interval);
    print("Overriding: batch_size = %d\nOverriding: block_size = %d\n", settings.batch_size, settings.sequence_length);
    print("Overriding: n_layer = %zu\nOverriding: n_embd = %zu\n", settings.model.blocks, settings.model.hidden);
    print("Overriding: learning_rate = %s\n", python_float(settings.learning_rate).c_str());
    print("Overriding: max_iters = %d\nOverriding: lr_decay_iters = %d\n", settings.steps, settings.steps);
    print("Overriding: min_lr = %s\n", python_float(settings.min_learning_rate).c_str());
    print("Overriding: beta2 = %s\n", python_float(settings.beta2).c_str());
    print("Overriding: grad_clip = %s\n", python_float(settings.clip_norm).c_str());
    print("Overriding: warmup_iters = %d\nOverriding: dtype = float32\n", settings.warmup_steps);
    print("tokens per iteration will be: %s\n", grouped(1LL * settings.batch_size * settings.sequence_length).c_str());
    print("found vocab_size = %zu (inside data/daybook_char/meta.pkl)\n", kAlphabet.size());
    print("Initializing a new model from scratch\nnumber of parameters: %.2fM\n",
          static_cast<double>(parameters_) / 1e6);
    print("num decayed parameter tensors: %zu, with %s parameters\n", 3 + 2 * settings.model.blocks,
          grouped(parameters_).c_str());
    print("num non-decayed parameter tensors: 0, with 0 parameters\nusing fused AdamW: False\n");
  }

  void step(const Step& step) override {
    // The share of an A100's peak that 10 GFLOP/s are; the first five iterations have no average yet.
    const double utilisation = step.number <= 5 ? -100 : 100 * 10e9 / 312e12;
    print("iter %d: loss %.4f, time %.2fms, mfu %.2f%%\n", step.number - 1, step.loss, 1000 * step_seconds_,
          utilisation);
  }

  void evaluation(int step, const Evaluation& evaluation) override {
    print("step %d: train loss %.4f, val loss %.4f\n", step, evaluation.train_loss, evaluation.validation_loss);
  }

  void checkpoint(int) override { print("saving checkpoint to %s\n", name_.c_str()); }

  void end(int) override {}
};

}  // namespace

std::unique_ptr<Console> make_console(Framework framework, std::string name, std::string& log) {
  switch (framework) {
    case Framework::kMegatron: return std::make_unique<Megatron>(std::move(name), log);
    case Framework::kHuggingFace: return std::make_unique<HuggingFace>(std::move(name), log);
    case Framework::kNanoGpt: return std::make_unique<NanoGpt>(std::move(name), log);
  }
  return nullptr;
}

}  // namespace assay::examples
