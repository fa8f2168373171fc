// Measuring an operator's error.
//
// Every output is computed three times: exactly from the inputs as they are (y), exactly from the inputs rounded into
// the format (y'), and in the model's arithmetic from the rounded inputs (z, then stored as Z). The error Z − y is then
// (y' − y) + (z − y') + (Z − z): rounding of the inputs, arithmetic, rounding of the result, and each is known for each
// output without any theory. Rows are worked on in groups side by side; the groups are handed to threads and their
// results are added in their order, so that the numbers do not depend on how many threads there were.

#include "study/error_measure.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "num/format.h"
#include "study/error_theory.h"

namespace assay {

namespace {

constexpr std::size_t kMostRowsAtOnce = 256;
constexpr std::size_t kMostNumbersAtOnce = std::size_t{1} << 21;
constexpr std::size_t kEventRows = 8;  // whose additions are counted one by one

std::size_t rows_at_once(std::size_t length) {
  return std::clamp<std::size_t>(kMostNumbersAtOnce / std::max<std::size_t>(length, 1), 1, kMostRowsAtOnce);
}

bool same_values(const std::vector<Lanes>& a, const std::vector<Lanes>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].values != b[i].values) return false;
  }
  return true;
}

// Rounding the inputs, the arithmetic and storing the result draw random numbers of their own: with the same ones for
// all three, the errors of one result would go the same way.
constexpr std::uint64_t kInputSeed = 0x9E3779B97F4A7C15, kOutputSeed = 0xD1B54A32D192ED03;

RoundingRules with_seed(RoundingRules rules, std::uint64_t more) {
  rules.seed += more;
  return rules;
}

std::vector<Lanes> rounded(const OperatorModel& model, std::span<const Lanes> inputs) {
  std::vector<Lanes> out(inputs.begin(), inputs.end());
  Arithmetic arithmetic(model.input, with_seed(model.rules, kInputSeed));
  for (Lanes& one : out) arithmetic.round(one.values, one.values);
  return out;
}

std::size_t outputs_a_row(const Operator& op, std::size_t length) { return op.one_output ? 1 : length; }

Lanes store(const OperatorModel& model, const Lanes& emulated) {
  Lanes out(emulated.rows, emulated.length);
  Arithmetic(model.output, with_seed(model.rules, kOutputSeed)).round(emulated.values, out.values);
  return out;
}

bool flushes(const OperatorModel& model) {
  return model.rules.flush_inputs || model.rules.flush_outputs ||
         (model.unit && (model.unit->flush_inputs || model.unit->flush_outputs));
}

// What rounding did to the inputs.
void count_inputs(std::span<const double> given, std::span<const double> kept, Measured& out) {
  out.data_numbers += given.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool finite = std::isfinite(given[i]);
    out.data_not_finite += finite ? 0 : 1;
    out.data_overflowed += finite && !std::isfinite(kept[i]) ? 1 : 0;
    out.data_vanished += given[i] != 0 && kept[i] == 0 ? 1 : 0;
  }
}

// Rows of data, and all of them that does not depend on how an operator computes: several models of one operator share
// it.
class GroupData {
 public:
  GroupData(const ErrorQuestion& question, const std::vector<Lanes>& inputs, std::size_t first_row)
      : inputs_(inputs), rounded_(rounded(question.model, inputs)), first_row_(first_row) {
    const Operator& op = *question.op;
    const std::size_t rows = inputs.front().rows;
    const std::size_t length = outputs_a_row(op, inputs.front().length);
    exact = ExactLanes(rows, length);
    of_rounded = ExactLanes(rows, length);
    magnitude = Lanes(rows, length);
    op.exact(given(question), exact);
    if (same_values(inputs_, rounded_)) {
      of_rounded = exact;
    } else {
      op.exact(kept(question), of_rounded);
    }
    op.magnitude(given(question), exact, magnitude);
    for (std::size_t i = 0; i < inputs_.size(); ++i) count_inputs(inputs_[i].values, rounded_[i].values, counts);
  }

  OperatorCall call(const ErrorQuestion& question, const std::vector<Lanes>& inputs) const {
    return {question.model, question.variant, question.parameters, inputs, first_row_};
  }
  OperatorCall given(const ErrorQuestion& question) const { return call(question, inputs_); }
  OperatorCall kept(const ErrorQuestion& question) const { return call(question, rounded_); }
  const std::vector<Lanes>& inputs() const { return inputs_; }
  const std::vector<Lanes>& rounded_inputs() const { return rounded_; }

  ExactLanes exact, of_rounded;
  Lanes magnitude;
  Measured counts;  // of the inputs alone

 private:
  const std::vector<Lanes>& inputs_;
  std::vector<Lanes> rounded_;
  std::size_t first_row_;
};

// The results of one model.
class Group {
 public:
  Group(const ErrorQuestion& question, const GroupData& data)
      : question_(question), op_(*question.op), data_(data), emulated_(data.exact.hi.rows, data.exact.hi.length) {
    op_.emulate(data.kept(question), emulated_, op_.updates ? &updates_ : nullptr);
    stored_ = store(question.model, emulated_);
  }

  void count(const SumBounds& bounds, Measured& out) const {
    out.data_numbers += data_.counts.data_numbers;
    out.data_not_finite += data_.counts.data_not_finite;
    out.data_overflowed += data_.counts.data_overflowed;
    out.data_vanished += data_.counts.data_vanished;
    if (op_.updates) out.events = updates_;
    const Tolerance tolerance = torch_tolerance(question_.model.output);
    for (std::size_t i = 0; i < stored_.values.size(); ++i) count_output(i, bounds, tolerance, out);
  }

  // The arithmetic once more, with nothing flushed.
  void count_flushing(Measured& out) const {
    ErrorQuestion kept = question_;
    kept.model.rules.flush_inputs = kept.model.rules.flush_outputs = false;
    if (kept.model.unit) kept.model.unit->flush_inputs = kept.model.unit->flush_outputs = false;
    Lanes results(emulated_.rows, emulated_.length);
    op_.emulate(data_.kept(kept), results, nullptr);
    for (std::size_t i = 0; i < results.values.size(); ++i) {
      const double exact = data_.of_rounded.hi.values[i];
      const double flushed = (emulated_.values[i] - exact) / data_.magnitude.values[i];
      const double unflushed = (results.values[i] - exact) / data_.magnitude.values[i];
      if (!std::isfinite(flushed) || !std::isfinite(unflushed)) continue;
      out.flushed_squares += flushed * flushed;
      out.kept_squares += unflushed * unflushed;
    }
  }

  // Additions of the first rows, counted one by one.
  void count_events(Measured& out) const {
    const std::size_t rows = std::min(kEventRows, data_.inputs().front().rows);
    std::vector<Lanes> few;
    for (const Lanes& one : data_.rounded_inputs()) few.push_back(first_rows(one, rows));
    Lanes ignored(rows, emulated_.length);
    op_.emulate(data_.call(question_, few), ignored, &out.events);
  }

 private:
  void count_output(std::size_t i, const SumBounds& bounds, const Tolerance& tolerance, Measured& out) const {
    const double exact = data_.exact.hi.values[i];
    const double stored = stored_.values[i];
    const double largest_number = largest(question_.model.output);
    ++out.outputs;
    if (!std::isfinite(exact)) {
      ++out.exact_not_finite;
      return;
    }
    out.too_large += std::abs(exact) > largest_number ? 1 : 0;
    out.vanished += exact != 0 && stored == 0 ? 1 : 0;
    if (!std::isfinite(stored)) {
      ++out.not_finite;
      return;
    }
    out.at_largest += std::abs(exact) > largest_number && std::abs(stored) == largest_number ? 1 : 0;
    const double magnitude = data_.magnitude.values[i];
    if (!(magnitude > 0) || !std::isfinite(magnitude)) return;
    ++out.judged;
    add_error(i, exact, stored, magnitude, out);
    const bool too_small = std::abs(exact) < smallest_normal(question_.model.output);
    if (stored == 0 && too_small) out.vanished_squares += exact / magnitude * (exact / magnitude);
    const double error = std::abs((stored - exact) - data_.exact.lo.values[i]);
    out.beyond_ulp += error > spacing_at(question_.model.output, exact) ? 1 : 0;
    out.beyond_tolerance += error > tolerance.absolute + tolerance.relative * std::abs(exact) ? 1 : 0;
    out.beyond_certain += error > bounds.certain * magnitude ? 1 : 0;
    out.beyond_probable += error > bounds.probable * magnitude ? 1 : 0;
    if (exact == 0) return;
    out.relative.push_back(error / std::abs(exact));
    out.condition.push_back(magnitude / std::abs(exact));
  }

  void add_error(std::size_t i, double exact, double stored, double magnitude, Measured& out) const {
    const double exact_low = data_.exact.lo.values[i];
    const double middle = data_.of_rounded.hi.values[i];
    const double middle_low = data_.of_rounded.lo.values[i];
    const double emulated = emulated_.values[i];
    const std::array<double, kErrorParts> parts = {((middle - exact) + (middle_low - exact_low)) / magnitude,
                                                   ((emulated - middle) - middle_low) / magnitude,
                                                   (stored - emulated) / magnitude};
    const double error = ((stored - exact) - exact_low) / magnitude;
    out.sum += error;
    out.squares += error * error;
    out.largest = std::max(out.largest, std::abs(error));
    if (std::isfinite(parts[1])) {
      const double result = exact / magnitude;
      out.inside_by_result += parts[1] * result;
      out.result_squares += result * result;
    }
    for (std::size_t part = 0; part < kErrorParts; ++part) {
      if (!std::isfinite(parts[part])) continue;  // an inner overflow that the end hid
      out.part_sums[part] += parts[part];
      out.part_squares[part] += parts[part] * parts[part];
    }
  }

  const ErrorQuestion& question_;
  const Operator& op_;
  const GroupData& data_;
  Lanes emulated_, stored_;
  SumEvents updates_;
};

// What is known of the rows of a group, for each model.
struct GroupResult {
  std::vector<Measured> measured;
  std::vector<TheorySums> theory;
  std::vector<SumBounds> bounds;
  std::optional<Error> error;
};

void append(std::vector<double>& to, const std::vector<double>& more) { to.insert(to.end(), more.begin(), more.end()); }

void merge(Measured& to, const Measured& more) {
  to.outputs += more.outputs;
  to.judged += more.judged;
  to.exact_not_finite += more.exact_not_finite;
  to.not_finite += more.not_finite;
  to.too_large += more.too_large;
  to.at_largest += more.at_largest;
  to.vanished += more.vanished;
  to.data_numbers += more.data_numbers;
  to.data_not_finite += more.data_not_finite;
  to.data_overflowed += more.data_overflowed;
  to.data_vanished += more.data_vanished;
  to.sum += more.sum;
  to.squares += more.squares;
  to.largest = std::max(to.largest, more.largest);
  to.vanished_squares += more.vanished_squares;
  to.flushed_squares += more.flushed_squares;
  to.kept_squares += more.kept_squares;
  to.inside_by_result += more.inside_by_result;
  to.result_squares += more.result_squares;
  for (std::size_t part = 0; part < kErrorParts; ++part) {
    to.part_sums[part] += more.part_sums[part];
    to.part_squares[part] += more.part_squares[part];
  }
  to.beyond_ulp += more.beyond_ulp;
  to.beyond_tolerance += more.beyond_tolerance;
  to.beyond_certain += more.beyond_certain;
  to.beyond_probable += more.beyond_probable;
  append(to.relative, more.relative);
  append(to.condition, more.condition);
  to.events.additions += more.events.additions;
  to.events.swallowed += more.events.swallowed;
}

double mean_of(double sum, std::uint64_t count) { return count == 0 ? NAN : sum / static_cast<double>(count); }

}  // namespace

double Measured::bias() const { return mean_of(sum, judged); }
double Measured::rms() const { return std::sqrt(mean_of(squares, judged)); }
double Measured::part_rms(ErrorPart part) const {
  return std::sqrt(mean_of(part_squares[static_cast<std::size_t>(part)], judged));
}
double Measured::bias_error() const {
  const double mean = bias();
  return std::sqrt(std::max(0.0, mean_of(squares, judged) - mean * mean) /
                   static_cast<double>(std::max<std::uint64_t>(judged, 1)));
}

namespace {

// `index`: of the group. `theory_rows`: rows of the experiment that theory follows, from its first.
GroupResult run_group(std::span<const ErrorQuestion> models, const ErrorInputs& data, std::uint64_t seed,
                      std::size_t index, std::size_t theory_rows) {
  const ErrorQuestion& any = models.front();
  const std::size_t at_once = rows_at_once(any.length);
  const std::size_t first = index * at_once;
  GroupResult out;
  const Result<std::vector<Lanes>> inputs = data.rows(any, seed, first, std::min(at_once, any.rows - first));
  if (!inputs) {
    out.error = inputs.error();
    return out;
  }
  const auto outputs = static_cast<double>(any.rows * outputs_a_row(*any.op, any.length));
  std::optional<GroupData> shared;
  for (const ErrorQuestion& model : models) {
    ErrorQuestion own = model;
    own.model.rules.seed += index;  // stochastic rounding: other numbers in each group
    if (!shared) shared.emplace(own, *inputs, first);
    const Group group(own, *shared);
    const OperatorCall call = shared->given(own);
    const bool bounded = own.op->bounds != nullptr;
    out.bounds.push_back(bounded ? own.op->bounds(call, outputs) : SumBounds{INFINITY, INFINITY});
    group.count(out.bounds.back(), out.measured.emplace_back());
    if (index == 0 && own.op->sums) group.count_events(out.measured.back());
    if (index == 0 && flushes(own.model)) group.count_flushing(out.measured.back());
    out.theory.emplace_back();
    if (first < theory_rows) {
      out.theory.back() = expect_group(own, call, shared->exact, shared->magnitude, theory_rows - first);
    }
  }
  return out;
}

}  // namespace

Result<std::vector<Experiment>> run_experiments(std::span<const ErrorQuestion> models, const ErrorInputs& data,
                                                std::uint64_t seed, std::size_t theory_rows) {
  const ErrorQuestion& any = models.front();
  const std::size_t at_once = rows_at_once(any.length);
  const std::size_t groups = (any.rows + at_once - 1) / at_once;
  if (any.progress != nullptr) any.progress->parts_total = static_cast<std::int64_t>(groups * any.seeds);
  std::vector<GroupResult> results(groups);
  parallel_for(groups, any.jobs, [&](std::size_t index) {
    if (any.interrupted != nullptr && any.interrupted->load()) return;
    results[index] = run_group(models, data, seed, index, theory_rows);
    if (any.progress != nullptr) any.progress->parts_done += 1;
  });
  std::vector<Experiment> out(models.size());
  for (std::size_t model = 0; model < models.size(); ++model) {
    Experiment& one = out[model];
    std::vector<TheorySums> theory;
    for (GroupResult& group : results) {
      if (group.error) return std::unexpected(*group.error);
      if (group.measured.empty()) continue;  // interrupted
      merge(one.measured, group.measured[model]);
      theory.push_back(std::move(group.theory[model]));
    }
    if (!results.front().bounds.empty()) one.bounds = results.front().bounds[model];
    std::sort(one.measured.relative.begin(), one.measured.relative.end());
    std::sort(one.measured.condition.begin(), one.measured.condition.end());
    if (theory_rows > 0) one.predicted = predicted_of(theory);
  }
  return out;
}

Result<Experiment> run_experiment(const ErrorQuestion& question, const ErrorInputs& data, std::uint64_t seed,
                                  bool with_theory) {
  const std::size_t theory_rows = with_theory ? rows_of_theory(question) : 0;
  return std::move(ASSAY_TRY(run_experiments({&question, 1}, data, seed, theory_rows)).front());
}

Lanes stored_results(const ErrorQuestion& question, const std::vector<Lanes>& inputs) {
  const std::vector<Lanes> kept = rounded(question.model, inputs);
  Lanes emulated(inputs.front().rows, outputs_a_row(*question.op, inputs.front().length));
  question.op->emulate({question.model, question.variant, question.parameters, kept}, emulated, nullptr);
  return store(question.model, emulated);
}

double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return NAN;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Tolerance torch_tolerance(const NumberFormat& format) {
  // torch.testing.assert_close: half, bfloat16, float, double. Narrower formats: bfloat16's.
  if (format.precision >= 53) return {1e-7, 1e-7};
  if (format.precision >= 24) return {1.3e-6, 1e-5};
  if (format.precision >= 11) return {1e-3, 1e-5};
  return {1.6e-2, 1e-5};
}

}  // namespace assay
