#pragma once
// What programs leave behind of a run: the same numbers as a console, a table, a history. Made by formula.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace assay::test {

/// A value in (-1, 1) that depends on seed and step alone.
inline double noise(std::uint64_t seed, std::int64_t step) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(step) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 31)) * 0x94d049bb133111ebULL;
  x ^= x >> 29;
  return static_cast<double>(x >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

using Formula = std::function<double(std::int64_t)>;

/// A loss that falls from 10 to 2 with 2 % of noise.
inline Formula loss_of(std::uint64_t seed) {
  return [seed](std::int64_t step) {
    return (2 + 8 * std::exp(-static_cast<double>(step) / 150)) * (1 + 0.02 * noise(seed, step));
  };
}

/// The first up to a step, then the second: two runs that start from one checkpoint.
inline Formula then(const Formula& first, std::int64_t until, const Formula& second) {
  return [=](std::int64_t step) { return step <= until ? first(step) : second(step); };
}

inline Formula with_spike(const Formula& curve, std::int64_t at, double height) {
  return [=](std::int64_t step) { return step == at ? height : curve(step); };
}

/// The mean of the last `every` values: what a console prints that averages over its interval.
inline Formula mean_of(const Formula& curve, int every) {
  return [=](std::int64_t step) {
    double sum = 0;
    for (int k = 0; k < every; ++k) sum += curve(step - k);
    return sum / every;
  };
}

struct Span {
  std::int64_t first = 1;
  std::int64_t last = 400;
  std::int64_t every = 1;
};

inline std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

inline std::string console(const Formula& loss, Span span = {}, const char* format = "%.4f", double rate = 1e-3) {
  std::string out;
  for (std::int64_t s = span.first; s <= span.last; s += span.every) {
    out +=
        "step " + std::to_string(s) + " | loss " + printed(format, loss(s)) + " | lr " + printed("%.2e", rate) + "\n";
  }
  return out;
}

/// With a column that the console does not have.
inline std::string table(const Formula& loss, Span span = {}, const char* format = "%.6f") {
  std::string out = "step,loss,grad_norm\n";
  for (std::int64_t s = span.first; s <= span.last; s += span.every) {
    out += std::to_string(s) + "," + printed(format, loss(s)) + "," + printed("%.5f", 1 + 0.3 * noise(77, s)) + "\n";
  }
  return out;
}

inline std::string jsonl(const Formula& loss, Span span = {}) {
  std::string out;
  for (std::int64_t s = span.first; s <= span.last; s += span.every) {
    out += "{\"step\": " + std::to_string(s) + ", \"loss\": " + printed("%.4f", loss(s)) + "}\n";
  }
  return out;
}

/// trainer_state.json of a checkpoint.
inline std::string trainer_state(const Formula& loss, Span span) {
  std::string out = "{\n\"global_step\": " + std::to_string(span.last) + ",\n\"log_history\": [\n";
  for (std::int64_t s = span.first; s <= span.last; s += span.every) {
    out += "{\"loss\": " + printed("%.4f", loss(s)) +
           ", \"learning_rate\": 0.001, \"epoch\": " + printed("%.2f", static_cast<double>(s) / 100) +
           ", \"step\": " + std::to_string(s) + "}";
    out += s + span.every <= span.last ? ",\n" : "\n";
  }
  return out + "]}\n";
}

/// The console of the same trainer, which tells no step.
inline std::string dictionaries(const Formula& loss, Span span) {
  std::string out;
  for (std::int64_t s = span.first; s <= span.last; s += span.every) {
    out += "{'loss': " + printed("%.4f", loss(s)) +
           ", 'learning_rate': 0.001, 'epoch': " + printed("%.2f", static_cast<double>(s) / 100) + "}\n";
  }
  return out;
}

}  // namespace assay::test
