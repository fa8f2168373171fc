// An all-reduce in the arithmetic of its ranks.
//
// Per hop. A rank that receives a partial sum adds its own number and sends the rounded sum on: NCCL, RCCL and Gloo add
// BF16 and FP16 that way (half additions, or a float addition and a rounding, which give the same). So every addition
// of the walk is one rounding into the wire's format. A switch adds all that its ports deliver in FP32 and rounds once;
// that is `close` of the walk. FP32 as the wire's format is accumulation in FP32 with one rounding where the result is
// stored, however the numbers travel.
//
// The mean. DDP divides by N before (gradients in their own format), Megatron before or, with average_in_collective,
// in NCCL; ncclAvg multiplies by 1/N after rounding that into the format (PreMulSum), exact only where N is a power of
// two. FSDP divides before by the least power of two f with f² >= N that it finds while f divides N, and after by N/f.
// Each division or product is rounded into the wire's format.

#include "sim/all_reduce.h"

#include <algorithm>

#include "num/arithmetic.h"
#include "num/real.h"

namespace assay {

namespace {

// PyTorch, torch/distributed/fsdp: _get_gradient_predivide_factor.
double predivide_factor(std::size_t ranks) {
  std::size_t factor = 1;
  while (ranks % factor == 0 && static_cast<double>(ranks) / static_cast<double>(factor) > static_cast<double>(factor))
    factor *= 2;
  return static_cast<double>(factor);
}

const NumberFormat& wide(const NumberFormat& wire) {
  static const NumberFormat fp32 = *number_format("fp32");
  return wire.precision > fp32.precision ? wire : fp32;
}

class PathWalker {
 public:
  using Number = std::size_t;  // roundings on the longest path until here

  PathWalker(const SumModel& model, int precision)
      : term_(model.accumulator.precision <= precision ? 1 : 0),
        join_(model.joined().precision <= precision ? 1 : 0),
        close_(model.partials && model.partials->precision <= precision && model.accumulator.precision > precision) {}

  Number first(std::size_t /*rank*/) const { return 0; }
  void add_term(Number& sum, std::size_t /*rank*/) const { sum += term_; }
  void add(Number& sum, Number&& other) const { sum = std::max(sum, other) + join_; }
  void close(Number& sum) const { sum += close_ ? 1 : 0; }

 private:
  Number term_, join_;
  bool close_;
};

bool in_rank_order(const RankOrder& order) {
  return order.node_begin == 0 && order.local_begin == 0 && !order.backwards;
}

}  // namespace

const std::vector<AveragingName>& averaging_names() {
  static const std::vector<AveragingName> names = {{Averaging::kNone, "none"},
                                                   {Averaging::kBefore, "before"},
                                                   {Averaging::kAfter, "after"},
                                                   {Averaging::kBoth, "both"},
                                                   {Averaging::kCollective, "collective"}};
  return names;
}

std::size_t chunk_of(const AllReduce& how, std::size_t element) {
  const std::size_t chunks = chunk_count(how.collective);
  if (how.elements == 0 && how.bucket == 0) return element % chunks;
  const std::size_t bucket = how.bucket == 0 ? how.elements : how.bucket;
  const std::size_t begin = element / bucket * bucket;
  const std::size_t size = how.elements == 0 ? bucket : std::min(bucket, how.elements - begin);
  return chunk_of(chunks, element - begin, size);
}

SumModel sum_model(const AllReduce& how) {
  SumModel out{.accumulator = how.wire, .order = order_of(how.collective), .rules = how.rules};
  if (how.collective.kind == Collective::Kind::kSwitch) {
    out.accumulator = wide(how.wire);
    out.joins = out.accumulator;
    out.partials = how.wire;
  }
  if (how.collective.kind == Collective::Kind::kHierarchical) {
    const bool by_switch = how.collective.within == Collective::Kind::kSwitch;
    out.accumulator = how.inside.value_or(by_switch ? wide(how.wire) : how.wire);
    out.partials = how.wire;
  }
  return out;
}

std::size_t roundings_on_path(const SumModel& model, std::size_t ranks, int precision) {
  PathWalker walker(model, precision);
  return walk(model.order, ranks, walker);
}

Scaling scaling_of(const AllReduce& how) {
  const auto ranks = static_cast<double>(how.collective.ranks);
  Scaling out;
  switch (how.averaging) {
    case Averaging::kNone: break;
    case Averaging::kBefore: out.before = ranks; break;
    case Averaging::kAfter: out.after = ranks; break;
    case Averaging::kBoth:
      out.before = predivide_factor(how.collective.ranks);
      out.after = ranks / out.before;
      break;
    case Averaging::kCollective:
      out.factor = round_to(how.wire, real(1 / ranks), how.rules).value;
      out.rest = out.factor * ranks;
      break;
  }
  return out;
}

namespace {

// Of each row; empty where positions are ranks.
std::vector<RankOrder> orders_of(const AllReduce& how, std::size_t first, std::size_t rows) {
  std::vector<RankOrder> out;
  bool same = true;
  for (std::size_t row = 0; row < rows; ++row) {
    out.push_back(rank_order(how.collective, chunk_of(how, first + row)));
    same = same && in_rank_order(out.back());
  }
  if (same) out.clear();
  return out;
}

Lanes moved(const std::vector<RankOrder>& orders, const Lanes& by_rank) {
  Lanes out(by_rank.rows, by_rank.length);
  const std::size_t size = orders.front().per_node;  // of a node, whatever the chunk
  for (std::size_t position = 0; position < by_rank.length; ++position) {
    const std::span<double> line = out.at(position);
    const std::size_t node = position / size;
    const std::size_t local = position % size;
    for (std::size_t row = 0; row < by_rank.rows; ++row) {
      line[row] = by_rank.values[orders[row].rank_at(node, local) * by_rank.rows + row];
    }
  }
  return out;
}

}  // namespace

Lanes at_positions(const AllReduce& how, const Lanes& by_rank, std::size_t first) {
  const std::vector<RankOrder> orders = orders_of(how, first, by_rank.rows);
  return orders.empty() ? by_rank : moved(orders, by_rank);
}

std::vector<double> all_reduced(const AllReduce& how, const Lanes& by_rank, std::size_t first, SumEvents* events) {
  const Scaling scaling = scaling_of(how);
  const bool multiplies = how.averaging == Averaging::kCollective;
  const bool scales = multiplies || scaling.before != 1;
  Arithmetic wire(how.wire, how.rules);
  std::vector<double> other(by_rank.rows, multiplies ? scaling.factor : scaling.before);
  std::optional<Lanes> own;  // where it differs from what is given: copying takes as long as adding
  if (const auto orders = orders_of(how, first, by_rank.rows); !orders.empty()) {
    own = moved(orders, by_rank);
  } else if (scales) {
    own = by_rank;
  }
  for (std::size_t k = 0; scales && k < by_rank.length; ++k) {
    const std::span<double> line = own->at(k);
    multiplies ? wire.multiply(line, other, line) : wire.divide(line, other, line);
  }
  Terms terms(own ? *own : by_rank);
  std::vector<double> out = rounded_sums(sum_model(how), terms, events);
  if (scaling.after == 1) return out;
  std::fill(other.begin(), other.end(), scaling.after);
  wire.round(out, out);
  wire.divide(out, other, out);
  return out;
}

}  // namespace assay
