// What of a recording tells whose it is.
//
// Two files of one run hold the same numbers at the same steps. To find them among ten thousand files without
// comparing each with each, and without holding them all, each file gives a sample. Files of one run rarely hold the
// same steps: a console prints every tenth, an event file has them all. A sample by chance of a million steps would
// miss the thousand that the console has, so the sample prefers steps that all loggers share: round ones (the
// multiples of the greatest powers of ten, of twice and five times them, and the steps beside these, as far as half
// of the room goes), the first ones, in which a logger's offset shows, and some by a hash of the step, the same in
// all files.
//
// Do two samples show the same numbers? Each value was rounded when it was printed; the resolution is read from the
// numbers themselves (stat/quantum.h), and two values agree when they differ by no more than the coarser of the two.
// How much that says depends on how much the values could have differed. Two runs of one recipe with other seeds have
// losses that lie some half a per cent apart, and two decimals of a loss of 3 do not show that. So each agreeing step
// counts log2(noise / resolution) bits, with the noise between neighbouring records, but at most half a per cent of
// the level; ten bits in all are asked for, one chance in a thousand, at three steps or more with three different
// values. A learning rate is no evidence: all runs of a sweep over seeds have the same.
//
// Runs that start from one checkpoint, with the log copied along, agree at first and then no more. So nine tenths of
// the common steps have to agree, and among the last ones no three in a row may disagree. A tenth may: steps that
// were gone over twice after a restart, of which the files keep different ones. Where neither file goes back none may
// differ by more than rounding: a run that was repeated with the same seed and has a spike that the first had not is
// another run.
//
// Limits: a run repeated bit by bit is taken for the same run. A loss that one file averages over its interval agrees
// with nothing; such files need other evidence (group.cpp).

#include "engine/fingerprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "assay/metric.h"
#include "base/mix.h"
#include "engine/references.h"
#include "measure/derive.h"

namespace assay {

namespace {

constexpr double kEnoughBits = 10;
constexpr double kFloatEpsilon = 1.0 / (1 << 22);  // event files hold single precision
constexpr double kRounding = 5;                    // units of the last digit: sums in another order, rounded twice
constexpr std::size_t kQuantumValues = 64;
constexpr std::size_t kMostSaid = 32;
constexpr std::size_t kMostSettings = 5000;  // looked at

// How many of 2, 5, 10, 20, 50, … in this order divide a step, up to the first that does not.
std::size_t roundness(std::int64_t step) {
  std::size_t out = 0;
  std::int64_t ten = 1;
  for (int power = 0; power < 9; ++power, ten *= 10) {
    for (const std::int64_t unit : {std::int64_t{2}, std::int64_t{5}, std::int64_t{10}}) {
      if (step % (unit * ten) != 0) return out;
      ++out;
    }
  }
  return out;
}

// Loggers count from 0, from 1, or up to the last step of an interval.
std::size_t nearly_round(std::int64_t step) {
  return std::max({roundness(step), roundness(step - 1), roundness(step + 1)});
}

// Nothing of it is noise that tells runs apart.
bool is_schedule(std::string_view metric) {
  for (const std::string_view one :
       {metric::kLearningRate, metric::kEpoch, metric::kLossScale, metric::kSkippedSteps, metric::kNanSteps,
        metric::kGlobalBatchSize, metric::kConsumedSamples, metric::kConsumedTokens, metric::kTotalSteps,
        metric::kOptimizerStep, metric::kStepTime, metric::kThroughput, metric::kTokensPerSecond,
        metric::kSamplesPerSecond, metric::kMfu, metric::kMemory, metric::kOverflow}) {
    if (metric == one) return true;
  }
  return false;
}

class Sampler {
 public:
  Sampler(const Recording& recording, const Series& series, std::size_t most)
      : recording_(recording), series_(series), most_(most) {}

  SampledSeries sample() {
    SampledSeries out;
    out.metric = series_.metric;
    out.size = series_.size();
    choose();
    double sum = 0;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const std::int64_t step = step_at(i);
      sum += series_.value(i);
      if (step == kNoStep || !wanted(i, step)) continue;
      out.points.push_back({step, static_cast<std::int64_t>(i) + 1, series_.value(i), sum});
    }
    // Of a step that comes again the last value stays.
    std::sort(out.points.begin(), out.points.end(),
              [](const auto& a, const auto& b) { return a.step != b.step ? a.step < b.step : a.ordinal > b.ordinal; });
    const auto same_step = [](const auto& a, const auto& b) { return a.step == b.step; };
    out.points.erase(std::unique(out.points.begin(), out.points.end(), same_step), out.points.end());
    if (out.points.size() > most_) out.points.resize(most_);
    std::vector<double> values;
    const std::size_t stride = out.points.size() / kQuantumValues + 1;
    for (std::size_t i = 0; i < out.points.size(); i += stride) values.push_back(out.points[i].value);
    if (const auto quantum = decimal_quantum(values)) out.quantum = *quantum;
    return out;
  }

 private:
  std::int64_t step_at(std::size_t i) const {
    const std::int64_t step = recording_.step[series_.row_of(i)];
    return step == kNoStep && stepless_ ? static_cast<std::int64_t>(i) + 1 : step;
  }

  void choose() {
    std::size_t told = 0;
    std::array<std::size_t, 28> count{};
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const std::int64_t step = recording_.step[series_.row_of(i)];
      told += step != kNoStep ? 1 : 0;
      if (step != kNoStep) ++count[std::min(nearly_round(step), count.size() - 1)];
    }
    stepless_ = 2 * told < series_.size();
    if (series_.size() <= most_) return;
    all_ = false;
    std::size_t sum = 0;
    round_from_ = count.size();
    while (round_from_ > 0 && sum + count[round_from_ - 1] <= most_ / 2) sum += count[--round_from_];
    while ((series_.size() >> hash_bits_) > most_ / 8) ++hash_bits_;
  }

  bool wanted(std::size_t i, std::int64_t step) const {
    if (all_ || i < most_ / 4) return true;
    if (nearly_round(step) >= round_from_) return true;
    return (mixed_bits(static_cast<std::uint64_t>(step)) & ((std::uint64_t{1} << hash_bits_) - 1)) == 0;
  }

  const Recording& recording_;
  const Series& series_;
  std::size_t most_;
  bool all_ = true;
  bool stepless_ = false;
  std::size_t round_from_ = 0;
  unsigned hash_bits_ = 0;
};

// The main one first: loss, then what comes nearest to it.
std::vector<const Series*> telling_series(const Recording& recording) {
  std::vector<const Series*> out;
  constexpr std::size_t kMost = 4;
  for (const std::string_view metric : {metric::kLoss, metric::kEvalLoss, metric::kGradNorm}) {
    for (const Series& one : recording.series) {
      if (one.metric == metric && !one.empty()) out.push_back(&one);
    }
  }
  const Series* longest = nullptr;
  for (const Series& one : recording.series) {
    if (one.empty() || is_schedule(one.metric)) continue;
    if (std::find(out.begin(), out.end(), &one) != out.end()) continue;
    if (longest == nullptr || one.size() > longest->size()) longest = &one;
  }
  if (longest != nullptr && out.size() < kMost) out.push_back(longest);
  return out;
}

void read_steps(const Recording& recording, const Series& main, Fingerprint& out) {
  std::size_t told = 0;
  std::int64_t before = kNoStep;
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 0; i < main.size(); ++i) {
    const std::int64_t step = recording.step[main.row_of(i)];
    if (step == kNoStep) continue;
    if (told++ == 0) out.steps = {step, step};
    out.steps.first = std::min(out.steps.first, step);
    out.steps.last = std::max(out.steps.last, step);
    if (before != kNoStep && step > before && gaps.size() < 65) gaps.push_back(step - before);
    out.goes_back = out.goes_back || (before != kNoStep && step <= before);
    before = step;
  }
  out.stepless = 2 * told < main.size();
  if (out.stepless) out.steps = {1, static_cast<std::int64_t>(main.size())};
  if (gaps.empty()) return;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
  out.spacing = gaps[gaps.size() / 2];
}

void read_rate(const Recording& recording, std::size_t most, Fingerprint& out) {
  for (const Series& one : recording.series) {
    if (one.metric != metric::kLearningRate || one.empty()) continue;
    out.rate = Sampler(recording, one, most).sample();
    double highest = 0;
    std::size_t near_highest = 0;  // index of the first value that is within a hundredth of it
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double value = one.value(i);
      if (!std::isfinite(value) || value <= highest) continue;
      if (value > 1.01 * highest) near_highest = i;
      highest = value;
    }
    if (highest > 0) out.highest_rate = highest;
    // A warm-up that goes on has its greatest values at the end; a log that begins later, in the decay, never saw it.
    const bool from_start = out.steps.first <= 2 * out.spacing + 1;
    out.rate_peaked = one.size() >= 8 && 4 * near_highest < 3 * one.size() && (near_highest > 0 || from_start);
    return;
  }
}

void read_settings(const Recording& recording, Fingerprint& out) {
  struct Name {
    std::string_view key;
    std::string_view as;
  };
  static constexpr Name kTelling[] = {{"learning_rate", kRateSetting},
                                      {"lr", kRateSetting},
                                      {"train_steps", kStepsSetting},
                                      {"train_iters", kStepsSetting},
                                      {"seed", "seed"},
                                      {"global_batch_size", "global_batch_size"},
                                      {"num_layers", "num_layers"},
                                      {"hidden_size", "hidden_size"},
                                      {"weight_decay", "weight_decay"}};
  out.framework = spoken_framework(recording.config, "");
  out.refers = references_of(recording.config);
  const auto& all = recording.config.settings;
  for (std::size_t i = 0; i < std::min(all.size(), kMostSettings) && out.said.size() < kMostSaid; ++i) {
    for (const Name& name : kTelling) {
      if (all[i].key != name.key) continue;
      const auto number = all[i].number();
      const bool unset = number && *number <= 0 && (name.as == kStepsSetting || name.as == kRateSetting);
      if (number && !unset) out.said.emplace_back(name.as, *number);
    }
  }
}

void read_events(const Recording& recording, Fingerprint& out) {
  for (std::size_t e = 0; e < recording.events.size(); ++e) {
    const EventKind kind = recording.events[e].kind;
    const bool opens = kind == EventKind::kRunStart || kind == EventKind::kCheckpointLoaded;
    out.begins = out.begins || (opens && recording.event_row[e] == 0);
    out.ended = out.ended || kind == EventKind::kRunEnd;
  }
}

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Pair {
  double a = 0;
  double b = 0;
};

std::vector<Pair> common_values(const SampledSeries& a, const SampledSeries& b, bool by_ordinal) {
  std::vector<Pair> out;
  const auto key = [&](const SampledSeries::Point& point) { return by_ordinal ? point.ordinal : point.step; };
  std::size_t j = 0;
  for (const auto& point : a.points) {
    while (j < b.points.size() && key(b.points[j]) < key(point)) ++j;
    if (j == b.points.size()) break;
    if (key(b.points[j]) == key(point)) out.push_back({point.value, b.points[j].value});
  }
  return out;
}

// sigma of the noise between neighbours, from second differences, so that a slope is none.
double noise_of(const std::vector<Pair>& pairs) {
  std::vector<double> bends;
  for (std::size_t i = 1; i + 1 < pairs.size(); ++i) {
    const double bend = pairs[i - 1].a - 2 * pairs[i].a + pairs[i + 1].a;
    if (std::isfinite(bend)) bends.push_back(std::fabs(bend));
  }
  return median_of(bends) * 1.4826 / std::sqrt(6.0);
}

}  // namespace

std::size_t points_for(std::size_t files) { return files <= 2000 ? 512 : files <= 20'000 ? 128 : 32; }

Fingerprint fingerprint(const Recording& recording, std::size_t most) {
  Fingerprint out;
  out.path = recording.path;
  out.kind = recording.file.kind;
  out.dialect = recording.dialect;
  out.started = recording.started;
  out.run_id = recording.run_id;
  out.rows = recording.rows();
  out.events = recording.events.size();
  out.settings = recording.config.settings.size();
  out.planned = recording.planned_steps;
  out.metrics = static_cast<std::size_t>(
      std::count_if(recording.series.begin(), recording.series.end(), [](const Series& one) { return !one.empty(); }));
  for (const Series* one : telling_series(recording)) {
    out.series.push_back(Sampler(recording, *one, most).sample());
    if (out.series.size() == 1) read_steps(recording, *one, out);
  }
  read_rate(recording, most, out);
  read_settings(recording, out);
  read_events(recording, out);
  out.ended = out.ended || (out.planned && !out.stepless && out.rows > 0 && out.steps.last >= *out.planned);
  return out;
}

bool Agreement::same() const { return common >= 3 && distinct >= 3 && !parted() && bits >= kEnoughBits; }

double resolution(const SampledSeries& a, double x, const SampledSeries& b, double y) {
  const double step = std::max(a.quantum.step_at(x), b.quantum.step_at(y));
  return std::max(step, kFloatEpsilon * std::max(std::fabs(x), std::fabs(y)));
}

std::vector<SampledSeries::Point> shared_points(const SampledSeries& series, std::size_t most) {
  std::vector<SampledSeries::Point> out = series.points;
  if (out.size() <= most) return out;
  const std::size_t first = most / 4;
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), [](const auto& a, const auto& b) {
    const std::size_t round_a = nearly_round(a.step);
    const std::size_t round_b = nearly_round(b.step);
    return round_a != round_b ? round_a > round_b : a.step < b.step;
  });
  out.resize(most);
  return out;
}

Agreement compare(const SampledSeries& a, const SampledSeries& b, bool by_ordinal) {
  Agreement out;
  const std::vector<Pair> pairs = common_values(a, b, by_ordinal);
  const double noise = noise_of(pairs);
  std::set<double> values;
  for (const auto& [x, y] : pairs) {
    ++out.common;
    const double step = resolution(a, x, b, y);
    const bool numbers = std::isfinite(x) && std::isfinite(y);
    const bool agree = numbers ? std::fabs(x - y) <= step * (1 + 1e-6) : std::isfinite(x) == std::isfinite(y);
    out.tail = agree ? 0 : out.tail + 1;
    out.gross += agree || (numbers && std::fabs(x - y) <= kRounding * step) ? 0 : 1;
    if (!agree) continue;
    ++out.agree;
    if (!numbers) continue;
    values.insert(x);
    const double could_differ = std::min(noise, kSeedsApart * std::fabs(x));
    if (step > 0 && could_differ > step) out.bits += std::min(std::log2(could_differ / step), 20.0);
  }
  out.distinct = values.size();
  return out;
}

const SampledSeries* find(const Fingerprint& print, std::string_view metric) {
  for (const SampledSeries& one : print.series) {
    if (one.metric == metric) return &one;
  }
  return nullptr;
}

}  // namespace assay
