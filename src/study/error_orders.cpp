// How large non-determinism can get: the same numbers, summed in other orders.
//
// Atomic additions, another number of thread blocks or another algorithm change the order of a sum and nothing else.
// The terms of every row are shuffled, the same way for all rows, and the stored results are compared bit for bit with
// those of the terms as they were.
//
// Theory. Two orders have independent errors of the arithmetic with deviation σ each, so their results differ by
// Δ = N(0, 2σ²) before they are rounded into the output's format with spacing q. A boundary between two numbers lies
// between them with probability |Δ| / q while |Δ| < q, so the share that changes is E[min(1, |Δ| / q)]. It needs q much
// larger than the accumulator's spacing; where the accumulator is the output's format nearly all change.

#include "study/error_orders.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "num/codes.h"
#include "num/philox.h"
#include "study/operators/operators.h"

namespace assay {

namespace {

constexpr std::size_t kMostRows = 4096;
constexpr std::size_t kMostNumbers = std::size_t{1} << 21;
constexpr std::size_t kStepKinds = 5;

std::vector<std::size_t> shuffle_of(std::size_t length, std::uint64_t seed, std::uint64_t index) {
  std::vector<std::size_t> out(length);
  std::iota(out.begin(), out.end(), std::size_t{0});
  for (std::size_t k = length; k > 1; --k) {
    const std::uint64_t random = random_word(seed ^ 0x9E3779B97F4A7C15, index * length + k);
    std::swap(out[k - 1], out[random * k >> 32]);
  }
  return out;
}

std::vector<Lanes> shuffled(const std::vector<Lanes>& inputs, const std::vector<std::size_t>& places) {
  std::vector<Lanes> out;
  for (const Lanes& one : inputs) {
    Lanes moved(one.rows, one.length);
    for (std::size_t k = 0; k < one.length; ++k) {
      std::copy(one.at(places[k]).begin(), one.at(places[k]).end(), moved.at(k).begin());
    }
    out.push_back(std::move(moved));
  }
  return out;
}

// Outputs of shuffled terms, back in their places.
Lanes put_back(const Lanes& moved, const std::vector<std::size_t>& places) {
  if (moved.length != places.size()) return moved;
  Lanes out(moved.rows, moved.length);
  for (std::size_t k = 0; k < moved.length; ++k) {
    std::copy(moved.at(k).begin(), moved.at(k).end(), out.at(places[k]).begin());
  }
  return out;
}

class Comparison {
 public:
  Comparison(const NumberFormat& format, const Lanes& first, const Lanes& magnitude)
      : format_(format), first_(first), magnitude_(magnitude) {
    changes.by_steps.assign(kStepKinds, 0);
  }

  /// `ever`: marks what changed; may be null.
  void with(const Lanes& other, std::vector<bool>* ever) {
    for (std::size_t i = 0; i < first_.values.size(); ++i) {
      const double a = first_.values[i];
      const double b = other.values[i];
      ++changes.compared;
      const bool same = a == b || (std::isnan(a) && std::isnan(b));
      if (!same) {
        ++changes.changed;
        if (ever != nullptr) (*ever)[i] = true;
      }
      if (std::isnan(a) || std::isnan(b)) continue;
      const std::int64_t steps = std::abs(ordinal(format_, a) - ordinal(format_, b));
      ++changes.by_steps[std::min<std::size_t>(static_cast<std::size_t>(steps), kStepKinds - 1)];
      changes.most_steps = std::max(changes.most_steps, steps);
      const double difference = std::abs(a - b) / magnitude_.values[i];
      if (!std::isfinite(difference)) continue;
      changes.largest = std::max(changes.largest, difference);
      squares_ += difference * difference;
    }
    changes.rms = std::sqrt(squares_ / static_cast<double>(std::max<std::uint64_t>(changes.compared, 1)));
  }

  OrderChanges changes;

 private:
  const NumberFormat& format_;
  const Lanes& first_;
  const Lanes& magnitude_;
  double squares_ = 0;
};

// E[min(1, |Δ| / q)], Δ normal with that deviation.
double changing_share(double deviation, double spacing) {
  if (!(deviation > 0)) return 0;
  const double limit = spacing / deviation;
  return std::sqrt(2 / std::numbers::pi) / limit * (1 - std::exp(-limit * limit / 2)) +
         std::erfc(limit / std::sqrt(2.0));
}

double predicted_share(const ErrorQuestion& question, const OperatorCall& call, const ExactLanes& exact) {
  if (question.op->expect == nullptr) return NAN;
  ExpectedErrors expected(exact.hi.values.size());
  question.op->expect(call, exact, expected);
  double sum = 0;
  for (std::size_t i = 0; i < exact.hi.values.size(); ++i) {
    const double deviation = std::sqrt(2 * expected.inner[i].variance);
    sum += changing_share(deviation, spacing_at(question.model.output, exact.hi.values[i]));
  }
  return sum / static_cast<double>(exact.hi.values.size());
}

}  // namespace

Result<OrderStudy> study_orders(const ErrorQuestion& question, const ErrorInputs& data) {
  OrderStudy out;
  out.rows = std::min({question.rows, kMostRows, std::max<std::size_t>(1, kMostNumbers / question.length)});
  const std::vector<Lanes> inputs = ASSAY_TRY(data.rows(question, question.seed, 0, out.rows));
  const Lanes first = stored_results(question, inputs);
  out.outputs = first.values.size();
  ExactLanes exact(first.rows, first.length);
  Lanes magnitude(first.rows, first.length);
  const OperatorCall call{question.model, question.variant, question.parameters, inputs};
  question.op->exact(call, exact);
  question.op->magnitude(call, exact, magnitude);

  Comparison again(question.model.output, first, magnitude);
  again.with(stored_results(question, inputs), nullptr);
  out.changed_in_same_order = again.changes.changed;

  std::vector<bool> ever(first.values.size());
  Comparison others(question.model.output, first, magnitude);
  for (std::size_t order = 0; order < question.orders; ++order) {
    if (question.interrupted != nullptr && question.interrupted->load()) break;
    const std::vector<std::size_t> places = shuffle_of(question.length, question.seed, order);
    others.with(put_back(stored_results(question, shuffled(inputs, places)), places), &ever);
    ++out.orders;
  }
  out.shuffled = others.changes;
  out.shuffled.predicted_share = predicted_share(question, call, exact);
  out.ever_changed = static_cast<std::uint64_t>(std::count(ever.begin(), ever.end(), true));

  const std::vector<SumOrder> named = {{SumOrder::Kind::kSequential},  {SumOrder::Kind::kPairwise},
                                       {SumOrder::Kind::kCascade},     {SumOrder::Kind::kLanes, 32},
                                       {SumOrder::Kind::kBlocks, 128}, {SumOrder::Kind::kSplit, 4}};
  for (const SumOrder& order : named) {
    if (question.model.unit || question.op == &kAllReduce || name_of(order) == name_of(question.model.order)) continue;
    ErrorQuestion other = question;
    other.model.order = order;
    Comparison comparison(question.model.output, first, magnitude);
    comparison.with(stored_results(other, inputs), nullptr);
    comparison.changes.order = name_of(order);
    out.named.push_back(comparison.changes);
  }
  return out;
}

}  // namespace assay
