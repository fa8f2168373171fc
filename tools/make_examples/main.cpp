// Trains the models whose logs are in examples/, and writes the logs.
//
//   make_examples FOLDER            writes FOLDER/<run>/train.log for every run
//   make_examples --verify FOLDER   trains again and compares with what is there; exit status 1 if a byte differs
//   ... RUN...                      only these runs
//
// Every run is the same small model (model.cpp) on text from the same grammar (text.cpp). What differs is in this file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "console.h"
#include "trainer.h"

namespace assay::examples {
namespace {

struct Run {
  const char* name;
  Framework framework;
  Settings settings;
};

// Nothing is wrong: a moderate learning rate, short memory in the optimizer, a clip threshold above the usual norm.
Settings healthy() {
  Settings s;
  s.steps = s.stop_after = 1200;
  s.log_interval = 2;
  s.save_interval = 400;
  s.learning_rate = 4e-3;
  s.min_learning_rate = 4e-4;
  s.clip_norm = 5;
  return s;
}

// The peak learning rate is several times too high for this model, and the clip threshold of 1000 is a thousand times
// the usual norm: the first outlying gradients pass whole, and beta2 = 0.999 keeps the optimizer from noticing in time.
// Either cure is enough: clip_norm = 1 and nothing else changed trains on to 0.5, a quarter of the rate to 0.35.
Settings sick_learning_rate() {
  Settings s;
  s.steps = 3000;
  s.stop_after = 900;
  s.learning_rate = 2e-2;
  s.min_learning_rate = 2e-4;
  s.warmup_steps = 150;
  s.beta2 = 0.999;
  s.clip_norm = 1000;
  return s;
}

// The same mistake in fp16: the weights outgrow the format. First the loss scale gives way, then the loss, and in the
// end the forward pass itself overflows, which no loss scale can help: every step is skipped, for ever.
Settings sick_loss_scale() {
  Settings s = sick_learning_rate();
  s.stop_after = 700;
  s.learning_rate = 3e-2;
  s.warmup_steps = 300;
  s.fp16 = true;
  s.initial_loss_scale = 65536;
  s.loss_scale_window = 200;
  s.min_loss_scale = 0.5;
  return s;
}

// A file attachment got into the text: three batches of base64. Without clipping (0 is off) the three updates push the
// weights far off, and the loss needs about a hundred steps to come back.
Settings garbage_batch() {
  Settings s;
  s.learning_rate = 3e-3;
  s.min_learning_rate = 3e-4;
  s.beta2 = 0.99;
  s.clip_norm = 0;
  s.evaluate_first = true;
  s.blob_step = 621;
  s.blob_steps = 3;
  return s;
}

std::string make_log(const Run& run) {
  std::string log;
  train(run.settings, *make_console(run.framework, run.name, log));
  return log;
}

bool write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  return static_cast<bool>(std::ofstream(path, std::ios::binary) << text << std::flush);
}

bool same(const std::filesystem::path& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  return file && std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

int main_with(std::vector<std::string> arguments) {
  const bool verify = !arguments.empty() && arguments[0] == "--verify";
  if (verify) arguments.erase(arguments.begin());
  if (arguments.empty()) {
    std::fputs("usage: make_examples [--verify] FOLDER [RUN...]\n", stderr);
    return 2;
  }
  const std::vector<Run> runs = {{"sick-learning-rate", Framework::kMegatron, sick_learning_rate()},
                                 {"healthy", Framework::kHuggingFace, healthy()},
                                 {"sick-loss-scale", Framework::kMegatron, sick_loss_scale()},
                                 {"garbage-batch", Framework::kNanoGpt, garbage_batch()}};
  bool good = true;
  for (const Run& run : runs) {
    if (arguments.size() > 1 && std::find(arguments.begin() + 1, arguments.end(), run.name) == arguments.end())
      continue;
    const std::filesystem::path path = std::filesystem::path(arguments[0]) / run.name / "train.log";
    const std::string log = make_log(run);
    const bool done = verify ? same(path, log) : write(path, log);
    std::printf("%s: %s\n", path.c_str(),
                !done    ? (verify ? "differs" : "cannot be written")
                : verify ? "same"
                         : "written");
    good = good && done;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace assay::examples

int main(int count, char** arguments) { return assay::examples::main_with({arguments + 1, arguments + count}); }
