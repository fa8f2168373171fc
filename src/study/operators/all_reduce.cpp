// An all-reduce: elements are rows, and number k of a row is what rank k has.
//
// What it computes and in which order: sim/all_reduce.h. So a hop is an addition in `accumulator`, the format of what
// ranks send to each other: FP32 there is accumulation in FP32, 16 bits are a rounding at every hop. Theory is that of
// sums along the collective's walk, with the division by the number of ranks before or after it.
//
// A division by a power of two is exact unless it leaves the normal numbers; so is the product with 1/N then. Theory
// knows it by the grid of the number that is divided.

#include <cmath>
#include <numeric>
#include <string>

#include "num/double_double.h"
#include "num/format.h"
#include "study/operators/operators.h"
#include "study/operators/sum_theory.h"

namespace assay {

namespace {

constexpr std::size_t kPerNode = 0, kRadix = 1;  // parameters

AllReduce all_reduce_of(const OperatorCall& call) {
  AllReduce out;
  if (call.model.collective) {
    out = *call.model.collective;
  } else {
    Collective& collective = out.collective;
    if (const Result<Collective::Kind> kind = collective_named(call.variant)) collective.kind = *kind;
    collective.per_node = std::gcd(static_cast<std::size_t>(call.parameters[kPerNode]), call.length());
    collective.radix = static_cast<std::size_t>(call.parameters[kRadix]);
  }
  out.rules = call.model.rules;
  out.collective.ranks = call.length();
  out.wire = call.model.accumulator;
  if (call.model.partials) out.inside = call.model.partials;
  return out;
}

bool averages(const AllReduce& how) { return how.averaging != Averaging::kNone; }

bool is_power_of_two(double number) { return lowest_bit(number) == number; }

void exact_result(const OperatorCall& call, ExactLanes& out) {
  exact_sums(call.inputs[0], out);
  if (!averages(all_reduce_of(call))) return;
  const DoubleDouble n{static_cast<double>(call.length())};
  for (std::size_t row = 0; row < call.rows(); ++row) {
    const DoubleDouble mean = DoubleDouble{out.hi.values[row], out.lo.values[row]} / n;
    out.hi.values[row] = mean.hi;
    out.lo.values[row] = mean.lo;
  }
}

void emulate(const OperatorCall& call, Lanes& out, SumEvents* events) {
  out.values = all_reduced(all_reduce_of(call), call.inputs[0], call.first_row, events);
}

void magnitude(const OperatorCall& call, const ExactLanes& /*exact*/, Lanes& out) {
  out.values = absolute_sums(call.inputs[0]);
  if (!averages(all_reduce_of(call))) return;
  for (double& value : out.values) value /= static_cast<double>(call.length());
}

// The error of a number that is divided and rounded into the wire's format; the number's own grid where it is known.
Moments division_error(const AllReduce& how, double value, double grid, double divisor) {
  return rounding_moments(how.wire, how.rules.rounding, value, is_power_of_two(divisor) ? grid / divisor : 0);
}

// What ranks have, after it was divided or multiplied; the errors of that are added up in `inner`.
void scale_first(const OperatorCall& call, const AllReduce& how, const Scaling& scaling, Lanes& numbers,
                 std::span<Moments> inner) {
  const double divisor = scaling.before / scaling.factor;
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    double& value = numbers.values[i];
    const double grid = spacing_at(call.model.input, value);
    value /= divisor;
    inner[i % numbers.rows] += division_error(how, value, grid, divisor);
  }
}

void expect(const OperatorCall& call, const ExactLanes& exact, ExpectedErrors& out) {
  const AllReduce how = all_reduce_of(call);
  const Scaling scaling = scaling_of(how);
  const double share = averages(how) ? 1 / static_cast<double>(call.length()) : 1;
  const Lanes& x = call.inputs[0];
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const Moments one = input_rounding(call.model, x.values[i]);
    out.input[i % x.rows] += {one.mean * share, one.variance * share * share};
  }
  results_are_of(how.wire, exact, out);
  OperatorModel sums = call.model;
  const SumModel additions = sum_model(how);
  sums.accumulator = additions.accumulator;
  sums.partials = additions.partials;
  sums.joins = additions.joins;
  sums.order = additions.order;
  Lanes numbers = rounded_inputs(call.model, at_positions(how, x, call.first_row));
  if (scaling.before != scaling.factor) {
    scale_first(call, how, scaling, numbers, out.inner);
    sums.input = how.wire;
  }
  expect_sums(sums, numbers, nullptr, out.inner, out.peak);
  for (std::size_t row = 0; row < x.rows; ++row) {
    Moments& error = out.inner[row];
    error = {error.mean / scaling.after, error.variance / (scaling.after * scaling.after)};
    const double result = exact.hi.values[row];
    error.mean += result * (scaling.rest - 1);
    if (scaling.after == 1) continue;
    const double grid = spacing_at(how.wire, result * scaling.after);
    error += division_error(how, result, grid, scaling.after);
  }
}

SumBounds bounds(const OperatorCall& call, double outputs) {
  const AllReduce how = all_reduce_of(call);
  const Scaling scaling = scaling_of(how);
  const SumBounds out = sum_bounds(sum_model(how), call.length(), outputs);
  double ends = unit_roundoff(call.model.input) + unit_roundoff(call.model.output) + std::abs(scaling.rest - 1);
  if (scaling.before != scaling.factor) ends += unit_roundoff(how.wire);
  if (scaling.after != 1) ends += unit_roundoff(how.wire);
  return {out.certain + ends, out.probable + ends};
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> out;
  for (const CollectiveFacts& one : collectives()) out.push_back(one.name);
  return out;
}

}  // namespace

const Operator kAllReduce{.name = "all-reduce",
                          .also = {"allreduce"},
                          .title = {"all-reduce", "全归约"},
                          .formula = {"Σ x over the ranks", "沿各 rank 求 Σ x"},
                          .inputs = {{.name = "x"}},
                          .parameters = {{"per-node",
                                          8,
                                          1,
                                          kMostRanks,
                                          {"ranks of a node (hierarchical); as far as it divides all",
                                           "每个节点的 rank 数（分层）；取能整除总数的部分"}},
                                         {"radix", 8, 2, kMostRanks, {"ports of a switch", "交换机的端口数"}}},
                          .variants = names(),
                          .scale = {"Σ|x|", "Σ|x|"},
                          .length = 8,
                          .exact = exact_result,
                          .emulate = emulate,
                          .magnitude = magnitude,
                          .expect = expect,
                          .bounds = bounds};

}  // namespace assay
