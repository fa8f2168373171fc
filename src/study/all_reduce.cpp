// An all-reduce as an experiment: elements are rows, ranks are the length of a row.
//
// All algorithms reduce the same numbers, which are drawn, rounded and summed exactly once for all of them
// (run_experiments). Growth is measured on fewer elements the more ranks there are: the root mean square of an error
// needs some hundred of them. A block of rows has at most 2^21 numbers (16 MB), whatever the number of ranks.

#include "study/all_reduce.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "num/format.h"
#include "study/float_words.h"
#include "study/operators/operators.h"
#include "study/rank_data.h"

namespace assay {

namespace {

constexpr std::size_t kRanks = 8, kElements = 10000;  // where nothing says otherwise: the published experiment
constexpr std::size_t kMostElements = std::size_t{1} << 26;
constexpr std::size_t kTheoryNumbers = std::size_t{1} << 21;  // ranks · elements that theory follows
constexpr std::size_t kGrowthNumbers = std::size_t{1} << 21;  // measured at each number of ranks
constexpr std::size_t kGrowthTheory = std::size_t{1} << 18;
constexpr std::size_t kLeastRows = 32, kLeastMeasured = 256;
constexpr std::size_t kLeastGrowth = 8;                // ranks from which on a growth is one
constexpr std::size_t kEnoughOutputs = 500;            // of theory: their median is that of all
constexpr std::size_t kSample = std::size_t{1} << 20;  // numbers of files whose mean and variance are taken

std::size_t rows_for(std::size_t numbers, std::size_t ranks, std::size_t least, std::size_t most) {
  return std::min(std::max(numbers / ranks, least), most);
}

ErrorQuestion model_of(const AllReduceQuestion& question, const Collective& collective, const NumberFormat& wire,
                       std::size_t elements) {
  ErrorQuestion out;
  out.op = &kAllReduce;
  out.model.input = out.model.output = question.dtype;
  out.model.compute = *number_format("fp32");
  out.model.accumulator = wire;
  if (collective.kind == Collective::Kind::kHierarchical) out.model.partials = question.inside;
  out.model.rules = question.rules;
  out.model.rules.seed = question.seed;
  AllReduce how{.collective = collective, .wire = wire, .inside = out.model.partials, .averaging = question.averaging};
  how.elements = elements;
  how.bucket = question.bucket;
  out.model.collective = std::move(how);
  out.variant = facts_of(collective.kind).name;
  out.data = {question.data};
  out.rows = elements;
  out.length = collective.ranks;
  out.length_given = true;
  out.seed = question.seed;
  out.seeds = question.seeds;
  out.jobs = question.jobs;
  out.progress = question.progress;
  out.interrupted = question.interrupted;
  return out;
}

AllReduceLine line_of(const AllReduceQuestion& question, const Collective& collective, const NumberFormat& wire,
                      std::size_t elements) {
  AllReduceLine out;
  const CollectiveFacts& facts = facts_of(collective.kind);
  out.key = facts.name;
  out.title = both(facts.name);
  out.model = model_of(question, collective, wire, elements);
  const SumModel sums = sum_model(*out.model.model.collective);
  out.roundings = roundings_on_path(sums, collective.ranks, question.dtype.precision);
  out.roundings += wire.precision > question.dtype.precision ? 1 : 0;
  return out;
}

// The algorithms that the ranks suit, and the sum in FP32 that all are set against.
Result<void> add_lines(const AllReduceQuestion& question, AllReduceStudy& out) {
  for (Collective one : question.algorithms) {
    one.ranks = out.ranks;
    if (Result<void> possible = check(one); !possible) {
      if (!question.all || one.kind != Collective::Kind::kHierarchical) return possible;
      out.left_out = filled("Left out: hierarchical, as {ranks} ranks do not fill nodes of {size} (--per-node).",
                            "未列出：hierarchical，因为 {ranks} 个 rank 不能填满每节点 {size} 个（--per-node）。",
                            {{"ranks", out.ranks}, {"size", one.per_node}});
      continue;
    }
    out.lines.push_back(line_of(question, one, question.accumulate, out.elements));
  }
  const NumberFormat fp32 = *number_format("fp32");
  if (question.accumulate.precision >= fp32.precision) return {};
  out.lines.push_back(line_of(question, {.ranks = out.ranks}, fp32, out.elements));
  out.lines.back().key = "fp32";
  out.lines.back().title = {"any, sums in FP32", "任意算法，FP32 求和"};
  return {};
}

std::vector<ErrorQuestion> models_of(const std::vector<AllReduceLine*>& lines) {
  std::vector<ErrorQuestion> out;
  for (const AllReduceLine* line : lines) out.push_back(line->model);
  return out;
}

bool stopped(const AllReduceQuestion& question) {
  return question.interrupted != nullptr && question.interrupted->load();
}

Result<void> measure(const AllReduceQuestion& question, const ErrorInputs& data, AllReduceStudy& out) {
  std::vector<AllReduceLine*> lines;
  for (AllReduceLine& line : out.lines) lines.push_back(&line);
  const std::vector<ErrorQuestion> models = models_of(lines);
  const std::size_t theory = rows_for(kTheoryNumbers, out.ranks, kLeastRows, out.elements);
  for (std::size_t i = 0; i < question.seeds; ++i) {
    std::vector<Experiment> all = ASSAY_TRY(run_experiments(models, data, question.seed + i, i == 0 ? theory : 0));
    if (i > 0 && stopped(question)) break;  // it is not whole
    for (std::size_t k = 0; k < lines.size(); ++k) {
      lines[k]->figures.push_back(figures_of(all[k].measured));
      if (i == 0) lines[k]->experiment = std::move(all[k]);
    }
    if (stopped(question)) break;
  }
  return {};
}

GrowthPoint point_of(std::size_t ranks, const Experiment& one) {
  const Measured& measured = one.measured;
  const double squares = measured.judged == 0 ? NAN : measured.squares / static_cast<double>(measured.judged);
  return {ranks, over_results(squares, measured),
          one.predicted.known ? over_results(one.predicted.squares, measured) : NAN};
}

Result<void> measure_growth(const AllReduceQuestion& question, const ErrorInputs& data, AllReduceStudy& out) {
  for (std::size_t ranks = 2; question.growth && ranks < out.ranks && !stopped(question); ranks *= 2) {
    std::vector<AllReduceLine*> lines;
    std::vector<ErrorQuestion> models;
    const std::size_t rows = rows_for(kGrowthNumbers, ranks, kLeastMeasured, out.elements);
    for (AllReduceLine& line : out.lines) {
      Collective fewer = line.model.model.collective->collective;
      fewer.ranks = ranks;
      if (!check(fewer)) continue;
      lines.push_back(&line);
      models.push_back(model_of(question, fewer, line.model.model.accumulator, out.elements));
      models.back().rows = rows;
      models.back().progress = nullptr;
    }
    const std::size_t theory = rows_for(kGrowthTheory, ranks, kLeastRows, rows);
    const std::vector<Experiment> all = ASSAY_TRY(run_experiments(models, data, question.seed, theory));
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k]->growth.push_back(point_of(ranks, all[k]));
  }
  for (AllReduceLine& line : out.lines) line.growth.push_back(point_of(out.ranks, line.experiment));
  return {};
}

// Mean and deviation of what the ranks have.
Result<void> describe_files(const RankData& data, AllReduceStudy& out) {
  Lanes some(rows_for(kSample, out.ranks, 1, out.elements), out.ranks);
  if (Result<void> read = data.read(0, some); !read) return read;
  double sum = 0, squares = 0;
  for (const double one : some.values) sum += one;
  const auto count = static_cast<double>(some.values.size());
  out.mean = sum / count;
  for (const double one : some.values) squares += (one - out.mean) * (one - out.mean);
  out.deviation = std::sqrt(squares / count);
  return {};
}

Result<ErrorInputs> open_data(const AllReduceQuestion& question, AllReduceStudy& out) {
  if (question.data.path.empty()) {
    const DistributionFacts& facts = facts_of(question.data.distribution);
    out.ranks = question.ranks.value_or(kRanks);
    out.elements = question.elements.value_or(kElements);
    out.mean = question.data.mean + question.data.deviation * facts.mean;
    out.deviation = question.data.deviation * std::sqrt(facts.variance);
    ErrorQuestion random;
    random.op = &kAllReduce;
    random.data = {question.data};
    random.length_given = true;
    return ErrorInputs::open(random);
  }
  if (question.seeds > 1) {
    return fail(ErrorCode::kUsage, "--seeds repeats an experiment with other random numbers; these are of files");
  }
  auto files =
      std::make_shared<const RankData>(ASSAY_TRY(RankData::open(question.data.path, question.ranks, question.dtype)));
  out.ranks = files->ranks();
  out.elements = std::min(question.elements.value_or(files->elements()), files->elements());
  if (question.elements && *question.elements > files->elements()) {
    return fail(ErrorCode::kUsage,
                "--elements says " + std::to_string(*question.elements) + ", the ranks have " +
                    std::to_string(files->elements()),
                {.path = question.data.path});
  }
  if (Result<void> read = describe_files(*files, out); !read) return std::unexpected(read.error());
  return ErrorInputs::of([files](std::size_t first, Lanes& lanes) { return files->read(first, lanes); });
}

Result<void> check_sizes(const AllReduceStudy& study) {
  if (study.elements == 0) return fail(ErrorCode::kUsage, "--elements 0: there is nothing to reduce");
  if (study.elements > kMostElements) {
    return fail(ErrorCode::kLimit,
                std::to_string(study.elements) + " elements: at most " + std::to_string(kMostElements) + " at once");
  }
  return check(Collective{.ranks = study.ranks});
}

}  // namespace

double over_results(double mean_square_scaled, const Measured& measured) {
  double squares = 0;
  for (const double one : measured.condition) squares += 1 / (one * one);
  return std::sqrt(mean_square_scaled * static_cast<double>(measured.condition.size()) / squares);
}

double predicted_median(const AllReduceLine& line) {
  const Predicted& theory = line.experiment.predicted;
  const std::vector<double>& conditions = line.experiment.measured.condition;
  if (!theory.known || conditions.empty()) return NAN;
  if (theory.outputs >= kEnoughOutputs) return theory.relative_median;
  const double deviation = std::sqrt(std::max(theory.squares - theory.sum * theory.sum, 0.0));
  if (!(deviation > 0)) return theory.relative_median;
  const double scale = std::sqrt(2.0) * deviation;
  double low = 0, high = conditions.back() * (std::abs(theory.sum) + 10 * deviation);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const double condition : conditions) {
      const double t = middle / condition;
      below += (std::erf((t - theory.sum) / scale) + std::erf((t + theory.sum) / scale)) / 2;
    }
    (below < static_cast<double>(conditions.size()) / 2 ? low : high) = middle;
  }
  return high;
}

double growth_exponent(const std::vector<GrowthPoint>& points, double GrowthPoint::* figure) {
  const auto large = [](const GrowthPoint& one) { return one.ranks >= kLeastGrowth; };
  const bool enough = std::count_if(points.begin(), points.end(), large) > 2;
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const GrowthPoint& one : points) {
    if ((enough && !large(one)) || !(one.*figure > 0)) continue;
    const double log_ranks = std::log2(static_cast<double>(one.ranks));
    const double log_error = std::log2(one.*figure);
    count += 1;
    x += log_ranks;
    y += log_error;
    xx += log_ranks * log_ranks;
    xy += log_ranks * log_error;
  }
  return count < 2 ? NAN : (xy - x * y / count) / (xx - x * x / count);
}

Result<AllReduceStudy> study_all_reduce(const AllReduceQuestion& question) {
  AllReduceStudy out;
  const ErrorInputs data = ASSAY_TRY(open_data(question, out));
  if (Result<void> possible = check_sizes(out); !possible) return std::unexpected(possible.error());
  if (Result<void> possible = add_lines(question, out); !possible) return std::unexpected(possible.error());
  if (Result<void> done = measure(question, data, out); !done) return std::unexpected(done.error());
  if (Result<void> done = measure_growth(question, data, out); !done) return std::unexpected(done.error());
  for (AllReduceLine& line : out.lines) {
    line.overflow = overflow_share(*line.model.model.collective, question.dtype, out.mean, out.deviation);
  }
  out.complete = !stopped(question);
  return out;
}

}  // namespace assay
