// AdamW, warm-up and cosine decay, clipping by the global norm, and the dynamic loss scaler of mixed precision.
//
// The order within a step is that of Megatron-LM: gradients of the scaled loss; if any is not finite, skip the update
// and lower the scale; else unscale, measure the norm, clip, update, advance the schedule. A skipped step consumes its
// samples, but does not advance the schedule.
#include "trainer.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "exact_math.h"

namespace assay::examples {
namespace {

// Halves the scale once the overflows since it last grew have used up the hysteresis, doubles it after a window of
// steps without one.
class LossScaler {
 public:
  explicit LossScaler(const Settings& settings)
      : settings_(settings), scale_(settings.fp16 ? settings.initial_loss_scale : 1), patience_(settings.hysteresis) {}

  double scale() const { return scale_; }

  void update(bool overflow) {
    if (!settings_.fp16) return;
    if (overflow) {
      clean_steps_ = 0;
      if (--patience_ <= 0) scale_ = std::max(scale_ / 2, settings_.min_loss_scale);
    } else if (++clean_steps_ == settings_.loss_scale_window) {
      clean_steps_ = 0;
      patience_ = settings_.hysteresis;
      scale_ *= 2;
    }
  }

 private:
  const Settings& settings_;
  double scale_;
  int patience_, clean_steps_ = 0;
};

class Trainer {
 public:
  Trainer(const Settings& settings, Console& console)
      : settings_(settings),
        console_(console),
        model_(settings.model, settings.fp16, settings.seed),
        scaler_(settings),
        batch_tokens_(static_cast<std::size_t>(settings.batch_size * settings.sequence_length)) {
    const std::size_t context = settings.model.context,
                      total = batch_tokens_ * static_cast<std::size_t>(settings.steps);
    std::string prose = write_prose(settings.seed + 1, total + context);
    if (settings.blob_steps > 0) {
      const std::size_t size = batch_tokens_ * static_cast<std::size_t>(settings.blob_steps);
      const std::size_t begin = batch_tokens_ * static_cast<std::size_t>(settings.blob_step - 1) + context;
      prose.replace(begin, size, write_blob(settings.seed + 2, size));
    }
    training_ = tokens_of(prose);
    validation_ = tokens_of(write_prose(settings.seed + 3, 4 * batch_tokens_ + context));
  }

  void run() {
    console_.begin(settings_, model_.parameter_count());
    if (settings_.evaluate_first) console_.evaluation(0, {evaluate(training_), evaluate(validation_)});
    for (int number = 1; number <= settings_.stop_after; ++number) {
      console_.step(step(number));
      if (number % settings_.eval_interval == 0)
        console_.evaluation(number, {evaluate(training_), evaluate(validation_)});
      if (number % settings_.save_interval == 0) console_.checkpoint(number);
    }
    console_.end(settings_.stop_after);
  }

 private:
  double learning_rate(int updates) const {
    const Settings& s = settings_;
    if (updates <= s.warmup_steps) return s.learning_rate * updates / s.warmup_steps;
    const double done = static_cast<double>(updates - s.warmup_steps) / (s.steps - s.warmup_steps);
    return s.min_learning_rate + (s.learning_rate - s.min_learning_rate) * 0.5 * (1 + exact_cos_pi(std::fmin(done, 1)));
  }

  // The batches follow one another in the text and overlap by the context that the next one starts from.
  std::span<const std::uint8_t> batch(const std::vector<std::uint8_t>& tokens, std::size_t index) const {
    return std::span(tokens).subspan(index * batch_tokens_, batch_tokens_ + settings_.model.context);
  }

  double evaluate(const std::vector<std::uint8_t>& tokens) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += model_.loss(batch(tokens, i));
    return sum / 4;
  }

  Step step(int number) {
    Step report;
    report.number = number;
    report.learning_rate = learning_rate(updates_);
    report.loss = model_.loss(batch(training_, static_cast<std::size_t>(number - 1)));
    const double scale = scaler_.scale();
    model_.backward(scale);
    const double norm = grad_norm() / scale;
    report.skipped = settings_.fp16 && !std::isfinite(norm);
    if (!report.skipped) {
      report.grad_norm = norm;
      const double limit = settings_.clip_norm;
      const double shrink = limit > 0 && norm > limit ? limit / (norm + 1e-6) : 1;
      update_weights(static_cast<float>(shrink / scale), report.learning_rate);
    }
    scaler_.update(report.skipped);
    report.loss_scale = scaler_.scale();
    report.next_learning_rate = learning_rate(updates_);
    return report;
  }

  double grad_norm() {
    double sum = 0;
    for (const Parameter& parameter : model_.parameters()) {
      for (const float g : parameter.grad.values) sum += static_cast<double>(g) * g;
    }
    return std::sqrt(sum);
  }

  void update_weights(float factor, double rate) {
    ++updates_;
    beta1_power_ *= settings_.beta1;
    beta2_power_ *= settings_.beta2;
    const float beta1 = static_cast<float>(settings_.beta1), beta2 = static_cast<float>(settings_.beta2);
    const float first_scale = static_cast<float>(1 / (1 - beta1_power_));
    const float second_scale = static_cast<float>(1 / (1 - beta2_power_));
    const float epsilon = static_cast<float>(settings_.epsilon), step_size = static_cast<float>(rate);
    const float keep = static_cast<float>(1 - rate * settings_.weight_decay);
    for (Parameter& p : model_.parameters()) {
      for (std::size_t i = 0; i < p.weight.values.size(); ++i) {
        const float g = p.grad.values[i] * factor;
        float& m = p.first.values[i];
        float& v = p.second.values[i];
        m = beta1 * m + (1 - beta1) * g;
        v = beta2 * v + (1 - beta2) * g * g;
        float& w = p.weight.values[i];
        w = w * keep - step_size * (m * first_scale) / (std::sqrt(v * second_scale) + epsilon);
      }
    }
    model_.refresh_working_weights();
  }

  const Settings& settings_;
  Console& console_;
  Model model_;
  LossScaler scaler_;
  std::size_t batch_tokens_;
  std::vector<std::uint8_t> training_, validation_;
  int updates_ = 0;
  double beta1_power_ = 1, beta2_power_ = 1;
};

}  // namespace

void train(const Settings& settings, Console& console) { Trainer(settings, console).run(); }

}  // namespace assay::examples
