// Operators: theory against measurement, and how fast the measurement is.
//
// Each Prediction line is an experiment of `assay error`: `measured` and `predicted` are the root mean square of the
// error over the operator's magnitude (of data of one sign: its mean; of optimizers: the share of swallowed updates),
// `ratio` is theory by measurement. Lines of Numbers tell how many numbers a second go through a whole experiment
// (drawn, rounded, computed exactly twice and in the format, compared), per core: `of_draw` is that by the speed of
// drawing the numbers alone.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "study/error_measure.h"
#include "study/operators/operators.h"
#include "timing.h"

namespace assay {
namespace {

struct Setting {
  const char* op;
  const char* dtype;
  const char* inside = "fp32";  // compute and accumulate
  const char* state = "";       // accumulate, where it is another
  const char* order = "sequential";
  std::size_t length = 0;
  std::size_t rows = 1000;
  const char* variant = "";
  const char* unit = "";
  Distribution data = Distribution::kNormal;
  bool bias = false;  // the mean, not the root mean square
  double rate = 0;    // learning rate of an optimizer: the share of swallowed updates is what is compared
};

ErrorQuestion question_of(const Setting& setting) {
  ErrorQuestion question;
  question.op = *operator_named(setting.op);
  OperatorModel& model = question.model;
  model.input = model.output = *number_format(setting.dtype);
  model.compute = model.accumulator = *number_format(setting.inside);
  if (*setting.state != 0) model.accumulator = *number_format(setting.state);
  model.order = *sum_order(setting.order);
  if (*setting.unit != 0) {
    model.unit = *matrix_unit(setting.unit);
    if (model.output.bits != 16) model.output = model.unit->accumulator;
  }
  for (const OperatorParameter& one : question.op->parameters) question.parameters.push_back(one.value);
  if (setting.rate != 0) question.parameters.front() = setting.rate;
  question.variant = *setting.variant != 0           ? std::string(setting.variant)
                     : question.op->variants.empty() ? ""
                                                     : std::string(question.op->variants.front());
  for (const OperatorInput& one : question.op->inputs) {
    const bool chosen = setting.data != Distribution::kNormal;
    question.data.push_back({{}, chosen ? setting.data : one.distribution, one.mean, one.deviation});
  }
  question.rows = setting.rows;
  question.length = setting.length;
  question.length_given = true;
  question.jobs = 1;
  return question;
}

Experiment run(ErrorQuestion question, bool with_theory) {
  const ErrorInputs data = std::move(ErrorInputs::open(question)).value();
  return std::move(run_experiment(question, data, question.seed, with_theory)).value();
}

void prediction(benchmark::State& state, const Setting& setting) {
  Experiment experiment;
  for ([[maybe_unused]] auto _ : state) experiment = run(question_of(setting), true);
  const SumEvents& events = experiment.measured.events;
  const double swallowed = static_cast<double>(events.swallowed) / static_cast<double>(events.additions);
  const double measured = setting.rate != 0 ? swallowed
                          : setting.bias    ? experiment.measured.bias()
                                            : experiment.measured.rms();
  const double predicted = setting.rate != 0 ? experiment.predicted.swallowed
                           : setting.bias    ? experiment.predicted.sum
                                             : std::sqrt(experiment.predicted.squares);
  state.counters["measured"] = measured;
  state.counters["predicted"] = predicted;
  state.counters["ratio"] = predicted / measured;
}

void numbers(benchmark::State& state, const Setting& setting) {
  const ErrorQuestion question = question_of(setting);
  const std::size_t count = setting.rows * setting.length * question.op->inputs.size();
  std::vector<double> drawn(setting.length);
  const double draw_seconds = seconds_of([&] {
    for (std::size_t row = 0; row < setting.rows * question.op->inputs.size(); ++row) {
      draw({.distribution = setting.data}, row * setting.length, drawn);
    }
    benchmark::DoNotOptimize(drawn.data());
  });
  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) seconds = seconds_of([&] { benchmark::DoNotOptimize(run(question, false)); });
  state.counters["numbers"] = benchmark::Counter(static_cast<double>(count) / seconds);
  state.counters["of_draw"] = draw_seconds / seconds;
}

constexpr auto kUniform = Distribution::kUniform;

const std::vector<std::pair<const char*, Setting>>& settings() {
  static const std::vector<std::pair<const char*, Setting>> all = {
      {"mean 1e4 fp16, fp32 sums", {.op = "mean", .dtype = "fp16", .length = 10000}},
      {"mean 1e4 bf16, fp32 sums", {.op = "mean", .dtype = "bf16", .length = 10000}},
      {"dot 4096 fp16, 8 fp32 lanes", {.op = "dot", .dtype = "fp16", .order = "lanes:8", .length = 4096}},
      {"sum 1e3 fp16, pairwise in fp16",
       {.op = "sum", .dtype = "fp16", .inside = "fp16", .order = "pairwise", .length = 1000}},
      {"matmul 4096 bf16 on h100", {.op = "matmul", .dtype = "bf16", .length = 4096, .unit = "h100/bf16"}},
      {"softmax 1024 fp16", {.op = "softmax", .dtype = "fp16", .length = 1024, .rows = 200}},
      {"softmax 1024, all in fp16", {.op = "softmax", .dtype = "fp16", .inside = "fp16", .length = 1024, .rows = 200}},
      {"layer norm 4096 one-pass bf16, fp32 inside",
       {.op = "layer-norm", .dtype = "bf16", .length = 4096, .rows = 100, .variant = "one-pass"}},
      {"layer norm 4096 one-pass, all in bf16",
       {.op = "layer-norm", .dtype = "bf16", .inside = "bf16", .length = 4096, .rows = 100, .variant = "one-pass"}},
      {"layer norm 4096 one-pass, all in bf16, pairwise",
       {.op = "layer-norm",
        .dtype = "bf16",
        .inside = "bf16",
        .order = "pairwise",
        .length = 4096,
        .rows = 100,
        .variant = "one-pass"}},
      {"RMS norm 4096 bf16, fp32 inside", {.op = "rms-norm", .dtype = "bf16", .length = 4096, .rows = 100}},
      {"RMS norm 4096, all in bf16, pairwise",
       {.op = "rms-norm", .dtype = "bf16", .inside = "bf16", .order = "pairwise", .length = 4096, .rows = 100}},
      {"AdamW, bf16 weights, lr 1e-5: swallowed", {.op = "adamw", .dtype = "bf16", .length = 100, .rate = 1e-5}},
      {"AdamW, bf16 weights, lr 1e-4: swallowed", {.op = "adamw", .dtype = "bf16", .length = 100, .rate = 1e-4}},
      {"AdamW, bf16 weights, lr 1e-3: swallowed", {.op = "adamw", .dtype = "bf16", .length = 100, .rate = 1e-3}},
      {"moving average 1e3, 0.999, bf16 state", {.op = "ema", .dtype = "bf16", .state = "bf16", .length = 1000}},
      {"GELU, all in bf16", {.op = "gelu", .dtype = "bf16", .inside = "bf16", .length = 1000, .rows = 100}},
      {"rotary cosine, all in bf16", {.op = "rope", .dtype = "bf16", .inside = "bf16", .length = 64, .variant = "cos"}},
      {"accumulate 64 micro-batches in bf16",
       {.op = "accumulate", .dtype = "bf16", .inside = "bf16", .length = 64, .rows = 4000}},
      {"all-reduce 64 ranks bf16, ring",
       {.op = "all-reduce", .dtype = "bf16", .inside = "bf16", .length = 64, .rows = 4000, .variant = "ring"}},
      {"all-reduce 1024 ranks bf16, ring",
       {.op = "all-reduce", .dtype = "bf16", .inside = "bf16", .length = 1024, .variant = "ring"}},
      {"all-reduce 1024 ranks bf16, double tree",
       {.op = "all-reduce", .dtype = "bf16", .inside = "bf16", .length = 1024, .variant = "double-tree"}},
      {"sum 1e3 fp16, sequential in fp16", {.op = "sum", .dtype = "fp16", .inside = "fp16", .length = 1000}},
      {"sum 1e4 fp16, sequential in fp16", {.op = "sum", .dtype = "fp16", .inside = "fp16", .length = 10000}},
      {"sum 1e3 bf16, sequential in bf16", {.op = "sum", .dtype = "bf16", .inside = "bf16", .length = 1000}},
      {"sum 1e4 bf16, sequential in bf16", {.op = "sum", .dtype = "bf16", .inside = "bf16", .length = 10000}},
      {"sum 1e4 U(0,1) bf16, sequential in bf16, bias",
       {.op = "sum", .dtype = "bf16", .inside = "bf16", .length = 10000, .data = kUniform, .bias = true}},
      {"matmul 1024 U(0,1) e4m3 on h100, bias",
       {.op = "matmul", .dtype = "e4m3", .length = 1024, .unit = "h100/e4m3", .data = kUniform, .bias = true}},
      {"matmul 4096 U(0,1) e4m3 on h100, bias",
       {.op = "matmul", .dtype = "e4m3", .length = 4096, .unit = "h100/e4m3", .data = kUniform, .bias = true}},
      {"matmul 16384 U(0,1) e4m3 on h100, bias",
       {.op = "matmul",
        .dtype = "e4m3",
        .length = 16384,
        .rows = 300,
        .unit = "h100/e4m3",
        .data = kUniform,
        .bias = true}},
  };
  return all;
}

const bool registered = [] {
  for (const auto& [name, setting] : settings()) {
    const std::string full = "Prediction/" + std::string(name);
    const Setting& own = setting;
    benchmark::RegisterBenchmark(full.c_str(), [&own](benchmark::State& state) { prediction(state, own); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  static const Setting mean{.op = "mean", .dtype = "fp16", .length = 10000};
  static const Setting matmul{.op = "matmul", .dtype = "bf16", .length = 4096, .unit = "h100/bf16"};
  static const Setting ring{.op = "all-reduce", .dtype = "bf16", .inside = "bf16", .length = 4096, .variant = "ring"};
  static const Setting tree{
      .op = "all-reduce", .dtype = "bf16", .inside = "bf16", .length = 4096, .variant = "double-tree"};
  for (const Setting* one : {&mean, &matmul, &ring, &tree}) {
    const std::string full = "Numbers/" + std::string(one->op) + (*one->variant != 0 ? "/" : "") + one->variant;
    benchmark::RegisterBenchmark(full.c_str(), [one](benchmark::State& state) { numbers(state, *one); })->Iterations(1);
  }
  return true;
}();

}  // namespace
}  // namespace assay
