// The experiment of assay-mpi.
//
// Each algorithm reduces the same input several times. A call gives a hash of each rank's result; a whole result is
// fetched only where a hash differs from rank 0's first one, to name the element. So what is compared does not depend
// on how many ranks or repeats there are, and a million elements cost a number a rank. Two results of one hash are
// taken as equal: 64 bits, no adversary.
//
// Then the input goes through the simulation once, in blocks of elements: exact sums, for the errors; and for each
// algorithm whose additions are defined the sums in that order, code by code beside MPI's. Both use one arithmetic
// (num/arithmetic.h) on the same numbers, so any difference is one of order, or a fault of one of the two. Errors are
// measured on what is stored in the end: sums rounded into the dtype.
//
// What this cannot see: an order that changes from call to call and gives the same bits for this input.

#include "mpi/experiment.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "sim/all_reduce.h"
#include "study/error_measure.h"
#include "study/operators/sum_theory.h"

namespace assay::mpi {

namespace {

constexpr double kMiddle = 0.5;

// Of one algorithm, while the calls are made.
struct Kept {
  std::vector<std::byte> result;  // rank 0's, of the first call
  std::uint64_t hash = 0;
  std::vector<double> errors, simulated_errors;
};

double number_at(const Wire& wire, std::span<const std::byte> codes, std::size_t element) {
  double out = 0;
  wire.decode(codes.subspan(element * wire.bytes(), wire.bytes()), {&out, 1});
  return out;
}

// The first element whose codes differ; nothing where none does.
std::optional<std::size_t> first_difference(std::span<const std::byte> a, std::span<const std::byte> b,
                                            std::size_t bytes) {
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (left == a.end()) return std::nullopt;
  return static_cast<std::size_t>(left - a.begin()) / bytes;
}

void note_difference(const Wire& wire, const Kept& kept, std::size_t repeat, std::size_t rank, Reducer& reducer,
                     Outcome& out) {
  const std::vector<std::byte> other = reducer.result_of(rank);
  const std::optional<std::size_t> element = first_difference(kept.result, other, wire.bytes());
  if (!element) return;
  out.difference = {repeat, rank, *element, number_at(wire, other, *element), number_at(wire, kept.result, *element)};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile_of_sorted(values, kMiddle);
}

Kept call_repeatedly(const Question& question, const Wire& wire, Reducer& reducer, Outcome& out) {
  Kept kept;
  std::vector<std::uint64_t> first;
  std::vector<double> seconds;
  for (std::size_t repeat = 0; repeat < question.repeats; ++repeat) {
    const Reducer::Call call = reducer.reduce();
    seconds.push_back(call.seconds);
    out.additions = std::max(out.additions, *std::max_element(call.additions.begin(), call.additions.end()));
    if (repeat == 0) {
      first = call.hashes;
      kept.result = reducer.result_of(0);
      kept.hash = call.hashes.front();
    }
    out.repeats_agree = out.repeats_agree && call.hashes == first;
    for (std::size_t rank = 0; rank < call.hashes.size(); ++rank) {
      out.ranks_agree = out.ranks_agree && call.hashes[rank] == call.hashes.front();
      if (call.hashes[rank] != kept.hash && !out.difference) {
        note_difference(wire, kept, repeat, rank, reducer, out);
      }
    }
  }
  out.seconds = median_of(std::move(seconds));
  return kept;
}

// A block of elements: what the ranks have, exactly and as it travels.
struct Block {
  std::size_t first = 0, count = 0;
  ExactLanes exact;
  Lanes sent;
};

Block block_of(const Question& question, const Wire& wire, const Lanes& numbers, std::size_t first) {
  Block out{.first = first, .count = numbers.rows, .exact = ExactLanes(numbers.rows, 1), .sent = numbers};
  exact_sums(numbers, out.exact);
  Arithmetic(question.dtype).round(out.sent.values, out.sent.values);
  Arithmetic(wire.format()).round(out.sent.values, out.sent.values);
  return out;
}

void compare(const Block& block, std::span<const std::byte> by_mpi, std::span<const std::byte> simulated,
             const Wire& wire, Comparison& out) {
  const std::size_t bytes = wire.bytes();
  for (std::size_t i = 0; i < block.count; ++i) {
    if (std::memcmp(simulated.data() + i * bytes, by_mpi.data() + i * bytes, bytes) == 0) {
      ++out.equal;
    } else if (out.holds()) {  // until here
      out.element = block.first + i;
      out.value = number_at(wire, by_mpi, i);
      out.expected = number_at(wire, simulated, i);
    }
    ++out.elements;
  }
}

// `codes`: of the block.
void measure_errors(const Question& question, const Block& block, const Wire& wire, std::span<const std::byte> codes,
                    std::vector<double>& errors, Errors& out) {
  std::vector<double> stored(block.count);
  wire.decode(codes, stored);
  Arithmetic(question.dtype).round(stored, stored);
  for (std::size_t i = 0; i < block.count; ++i) {
    const double exact = block.exact.hi.values[i];
    if (!std::isfinite(exact)) continue;
    if (!std::isfinite(stored[i])) {
      ++out.not_finite;
    } else if (exact != 0) {
      errors.push_back(std::abs((stored[i] - exact) - block.exact.lo.values[i]) / std::abs(exact));
    }
  }
}

void finish(std::vector<double>& errors, Errors& out) {
  std::sort(errors.begin(), errors.end());
  out.median = quantile_of_sorted(errors, kMiddle);
  double sum = 0;
  for (const double one : errors) sum += one;
  out.mean = errors.empty() ? NAN : sum / static_cast<double>(errors.size());
  out.most = errors.empty() ? NAN : errors.back();
}

// All algorithms beside the simulation, block by block.
Result<void> judge(const Question& question, const RankNumbers& numbers, Wire& wire, std::vector<Kept>& kept,
                   Experiment& out) {
  for (std::size_t first = 0; first < numbers.elements(); first += numbers.rows_at_once()) {
    const std::size_t count = std::min(numbers.rows_at_once(), numbers.elements() - first);
    const Block block = block_of(question, wire, ASSAY_TRY(numbers.rows(first, count)), first);
    std::map<Collective::Kind, std::vector<std::byte>> simulated;  // by what is added to what
    for (std::size_t k = 0; k < kept.size(); ++k) {
      Outcome& outcome = out.outcomes[k];
      const std::span<const std::byte> by_mpi =
          std::span(kept[k].result).subspan(first * wire.bytes(), count * wire.bytes());
      measure_errors(question, block, wire, by_mpi, kept[k].errors, outcome.errors);
      if (!outcome.simulation) continue;
      const Collective& order = outcome.simulation->order;
      std::vector<std::byte>& codes = simulated[order.kind];
      if (codes.empty()) {
        const AllReduce how{.collective = order, .wire = wire.format(), .elements = numbers.elements()};
        codes.resize(count * wire.bytes());
        wire.encode(all_reduced(how, block.sent, first), codes);
      }
      compare(block, by_mpi, codes, wire, *outcome.simulation);
      measure_errors(question, block, wire, codes, kept[k].simulated_errors, *outcome.simulated_errors);
    }
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    finish(kept[k].errors, out.outcomes[k].errors);
    if (out.outcomes[k].simulated_errors) finish(kept[k].simulated_errors, *out.outcomes[k].simulated_errors);
  }
  return {};
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  // FNV-1a, over words of eight bytes: a step a word, and every bit of it counts.
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t out = 0xcbf29ce484222325;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    out = (out ^ word) * kPrime;
    out ^= out >> 32;  // a product's low bits depend on low bits alone
  }
  return out;
}

bool Outcome::acted(std::size_t ranks) const {
  if (!planned) return true;
  // Parts of a buffer differ by one element; a rank adds no more parts than there are ranks.
  const std::uint64_t apart = additions > *planned ? additions - *planned : *planned - additions;
  return apart <= ranks;
}

bool Experiment::holds() const {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& one) {
    return one.ranks_agree && one.repeats_agree && (!one.simulation || one.simulation->holds());
  });
}

Result<Experiment> run_experiment(const Question& question, const RankNumbers& numbers, Wire& wire, Reducer& reducer) {
  Experiment out{.ranks = numbers.ranks(), .elements = numbers.elements(), .library = reducer.library()};
  std::vector<Kept> kept;
  for (const Algorithm& algorithm : question.algorithms) {
    if (Result<void> chosen = reducer.choose(algorithm); !chosen) {
      if (!question.all) return std::unexpected(chosen.error());
      out.left_out.push_back(algorithm);
      continue;
    }
    Outcome& one = out.outcomes.emplace_back();
    one.algorithm = algorithm;
    one.planned = busiest_additions(algorithm, out.ranks, out.elements);
    if (const auto order = additions_of(algorithm, out.ranks, out.elements)) {
      one.simulation = {.order = *order};
      one.simulated_errors.emplace();
    }
    kept.push_back(call_repeatedly(question, wire, reducer, one));
    std::size_t distinct = 0;
    while (kept[distinct].hash != kept.back().hash) ++distinct;
    one.alike = distinct;
  }
  if (Result<void> judged = judge(question, numbers, wire, kept, out); !judged) {
    return std::unexpected(judged.error());
  }
  return out;
}

}  // namespace assay::mpi
