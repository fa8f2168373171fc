// Training as the large frameworks do it, for the model in model.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "model.h"

namespace assay::examples {

struct Settings {
  std::uint64_t seed = 1234;
  ModelShape model;
  int sequence_length = 32, batch_size = 16;  // a step reads batch_size * sequence_length characters, each once

  int steps = 1000;       // planned; what the schedule is made for
  int stop_after = 1000;  // when the run was stopped
  int log_interval = 1, eval_interval = 100, save_interval = 200;
  bool evaluate_first = false;  // also before the first step

  double learning_rate = 2e-3, min_learning_rate = 2e-4;
  int warmup_steps = 100;  // linear, then a cosine down to the minimum at `steps`
  double clip_norm = 1.0;  // of the global grad norm; 0 for none
  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weight_decay = 0.1;

  bool fp16 = false;  // with a dynamic loss scale
  double initial_loss_scale = 65536, min_loss_scale = 1;
  int loss_scale_window = 1000, hysteresis = 2;

  int blob_step = 0, blob_steps = 0;  // from this step on, that many batches are base64 instead of prose
};

// What one step reports.
struct Step {
  int number = 0;                   // from 1
  double loss = 0;                  // nats a character, before the update
  bool skipped = false;             // a gradient was not finite: no update
  std::optional<double> grad_norm;  // before clipping and without the loss scale; absent where the step was skipped
  double learning_rate = 0;         // that this step used
  double next_learning_rate = 0;
  double loss_scale = 1;  // after this step
};

struct Evaluation {
  double train_loss = 0, validation_loss = 0;
};

// A framework's way of printing what happens.
class Console {
 public:
  virtual ~Console() = default;
  virtual void begin(const Settings& settings, std::size_t parameters) = 0;
  virtual void step(const Step& step) = 0;
  virtual void evaluation(int step, const Evaluation& evaluation) = 0;
  virtual void checkpoint(int step) = 0;
  virtual void end(int step) = 0;
};

// Trains from the seed to the end and reports to the console as it goes.
void train(const Settings& settings, Console& console);

}  // namespace assay::examples
