#pragma once
// From single measurements (metric, step, value) to rows of a recording.
//
// Exports list them by step or, as often, one metric after another: then the steps go back once for each metric,
// which is no restart. So rows are put in order at the end: by step, and where the steps of one metric fall (a
// resumed run, a second run behind the first) what follows comes after all that came before. Between equals the order
// of the file decides. Memory: 36 bytes for each measurement until the end.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/recording.h"

namespace assay {

class Pivot {
 public:
  explicit Pivot(Recorder& recorder) : recorder_(recorder) {}
  /// step: kNoStep where the file tells none.
  void add(Recorder::Column metric, std::int64_t step, double value, std::int64_t line);
  /// Hands the rows to the recorder.
  void finish();

 private:
  static constexpr std::size_t kMost = 50'000'000;  // 1.6 GB; real exports are a thousand times smaller

  struct Measurement {
    std::int64_t step;
    double value;
    std::int64_t line;
    Recorder::Column metric;
    std::uint32_t part;  // how often the steps of this metric have fallen
  };
  struct Progress {
    std::int64_t step = INT64_MIN;
    std::uint32_t part = 0;
  };

  Recorder& recorder_;
  std::vector<Measurement> measurements_;
  std::vector<Progress> progress_;  // by metric
  std::uint64_t dropped_ = 0;
};

}  // namespace assay
