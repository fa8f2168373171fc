#pragma once
// The walks of num/sum_order.h.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

namespace assay {

/// Terms between two carries of the cascade: 2^max(4, ceil(log2 n) / 4) (PyTorch, SumKernel.cpp, multi_row_sum).
inline std::size_t cascade_step(std::size_t n) {
  const int bits = n <= 1 ? 0 : static_cast<int>(std::bit_width(n - 1));
  return std::size_t{1} << std::max(4, bits / 4);
}

inline constexpr std::size_t kCascadeLevels = 4;

/// Where part `index` of `parts` nearly equal parts of n begins.
inline std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t index) {
  return index * (n / parts) + std::min(index, n % parts);
}

namespace sum_walk {

template <class Walker>
auto sequential(std::size_t first, std::size_t last, std::size_t stride, Walker& walker) {
  auto sum = walker.first(first);
  for (std::size_t k = first + stride; k < last; k += stride) walker.add_term(sum, k);
  return sum;
}

template <class Walker>
auto pairwise(std::size_t first, std::size_t last, Walker& walker) -> decltype(walker.first(first)) {
  if (last - first <= 2) return sequential(first, last, 1, walker);
  const std::size_t middle = first + (last - first) / 2;
  auto sum = pairwise(first, middle, walker);
  walker.add(sum, pairwise(middle, last, walker));
  return sum;
}

// Sum l takes 2^step sums of l - 1, is then added to l + 1 and begins anew; what is left at the end is added from the
// lowest up.
template <class Walker>
auto cascade(std::size_t n, Walker& walker) {
  using Number = decltype(walker.first(0));
  std::array<std::optional<Number>, kCascadeLevels> sums;
  const std::size_t step = cascade_step(n);
  for (std::size_t k = 0; k < n; ++k) {
    if (sums[0]) {
      walker.add_term(*sums[0], k);
    } else {
      sums[0] = walker.first(k);
    }
    std::size_t carried = k + 1;
    for (std::size_t level = 0; level + 1 < kCascadeLevels && carried % step == 0; ++level, carried /= step) {
      if (sums[level + 1]) {
        walker.add(*sums[level + 1], *std::move(sums[level]));
      } else {
        sums[level + 1] = std::move(sums[level]);
      }
      sums[level].reset();
    }
  }
  std::optional<Number> total;
  for (auto& sum : sums) {
    if (!sum) continue;
    if (total) {
      walker.add(*total, *std::move(sum));
    } else {
      total = std::move(sum);
    }
  }
  return *std::move(total);
}

template <class Walker>
auto lanes(std::size_t n, std::size_t count, Walker& walker) {
  std::vector<decltype(walker.first(0))> sums;
  for (std::size_t lane = 0; lane < std::min(n, count); ++lane) {
    sums.push_back(sequential(lane, n, count, walker));
    if (count > 1) walker.close(sums.back());
  }
  while (sums.size() > 1) {
    const std::size_t half = (sums.size() + 1) / 2;
    for (std::size_t i = 0; i + half < sums.size(); ++i) walker.add(sums[i], std::move(sums[i + half]));
    sums.resize(half);
  }
  return std::move(sums.front());
}

template <class Begin, class Walker>
auto blocks(std::size_t count, Begin begin, Walker& walker) {
  auto sum = sequential(begin(0), begin(1), 1, walker);
  if (count > 1) walker.close(sum);
  for (std::size_t block = 1; block < count; ++block) {
    auto part = sequential(begin(block), begin(block + 1), 1, walker);
    walker.close(part);
    walker.add(sum, std::move(part));
  }
  return sum;
}

template <class Walker>
auto planned(const SumPlan& plan, Walker& walker) {
  std::vector<std::optional<decltype(walker.first(0))>> sums(plan.sums);
  for (const SumStep& step : plan.steps) {
    auto& sum = sums[step.sum];
    switch (step.what) {
      case SumStep::What::kFirst: sum = walker.first(step.other); break;
      case SumStep::What::kAddTerm: walker.add_term(*sum, step.other); break;
      case SumStep::What::kAdd:
        walker.add(*sum, *std::move(sums[step.other]));
        sums[step.other].reset();
        break;
      case SumStep::What::kClose: walker.close(*sum); break;
    }
  }
  return *std::move(sums.front());
}

}  // namespace sum_walk

template <class Walker>
auto walk(const SumOrder& order, std::size_t n, Walker& walker) {
  const std::size_t size = std::max<std::size_t>(order.size, 1);
  switch (order.kind) {
    case SumOrder::Kind::kSequential: break;
    case SumOrder::Kind::kPairwise: return sum_walk::pairwise(0, n, walker);
    case SumOrder::Kind::kCascade: return sum_walk::cascade(n, walker);
    case SumOrder::Kind::kLanes: return sum_walk::lanes(n, size, walker);
    case SumOrder::Kind::kBlocks:
      return sum_walk::blocks((n + size - 1) / size, [&](std::size_t block) { return std::min(n, block * size); },
                              walker);
    case SumOrder::Kind::kSplit: {
      const std::size_t parts = std::min(n, size);
      return sum_walk::blocks(parts, [&](std::size_t part) { return part_begin(n, parts, part); }, walker);
    }
    case SumOrder::Kind::kPlan: return sum_walk::planned(*order.plan, walker);
  }
  return sum_walk::sequential(0, n, 1, walker);
}

}  // namespace assay
