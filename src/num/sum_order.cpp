// Orders of a sum: names and heights. The walks themselves: num/sum_walk.h.

#include "num/sum_order.h"

#include <charconv>
#include <utility>

#include "base/nearest.h"

namespace assay {

namespace {

struct Word {
  std::string_view word;
  SumOrder::Kind kind;
  bool sized;
};

constexpr Word kWords[] = {
    {"sequential", SumOrder::Kind::kSequential, false}, {"pairwise", SumOrder::Kind::kPairwise, false},
    {"cascade", SumOrder::Kind::kCascade, false},       {"lanes", SumOrder::Kind::kLanes, true},
    {"blocks", SumOrder::Kind::kBlocks, true},          {"split", SumOrder::Kind::kSplit, true}};

}  // namespace

const std::vector<std::string_view>& sum_order_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> out;
    for (const Word& one : kWords) out.push_back(one.word);
    return out;
  }();
  return words;
}

Result<SumOrder> sum_order(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  for (const Word& one : kWords) {
    if (one.word != word) continue;
    SumOrder out{one.kind, 0};
    if (!one.sized) {
      if (colon == std::string_view::npos) return out;
      return fail(ErrorCode::kUsage, "the order '" + std::string(word) + "' takes no number");
    }
    const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.size);
    if (error != std::errc() || end != digits.data() + digits.size() || out.size == 0) {
      return fail(ErrorCode::kUsage, "the order '" + std::string(word) + "' needs a number of at least 1, as in '" +
                                         std::string(word) + ":8'");
    }
    return out;
  }
  const std::string near = nearest(word, sum_order_words());
  std::string hint = near.empty() ? "" : "did you mean '" + near + "'? ";
  hint += "orders: sequential, pairwise, cascade, lanes:N, blocks:N, split:N";
  return fail(ErrorCode::kUsage, "no order of a sum is called '" + std::string(text) + "'", {}, std::move(hint));
}

std::string name_of(const SumOrder& order) {
  if (order.kind == SumOrder::Kind::kPlan) return order.plan->name;
  for (const Word& one : kWords) {
    if (one.kind == order.kind) {
      return std::string(one.word) + (one.sized ? ":" + std::to_string(order.size) : std::string());
    }
  }
  return {};
}

PlanRecorder::Number PlanRecorder::first(std::size_t term) {
  Number sum = static_cast<Number>(plan_.sums);
  if (free_.empty()) {
    ++plan_.sums;
  } else {
    sum = free_.back();
    free_.pop_back();
  }
  ++plan_.terms;
  plan_.steps.push_back({SumStep::What::kFirst, sum, static_cast<std::uint32_t>(term)});
  return sum;
}

void PlanRecorder::add_term(Number& sum, std::size_t term) {
  ++plan_.terms;
  plan_.steps.push_back({SumStep::What::kAddTerm, sum, static_cast<std::uint32_t>(term)});
}

void PlanRecorder::add(Number& sum, Number&& other) {
  plan_.steps.push_back({SumStep::What::kAdd, sum, other});
  free_.push_back(other);
}

void PlanRecorder::close(Number& sum) { plan_.steps.push_back({SumStep::What::kClose, sum, 0}); }

SumOrder PlanRecorder::order(std::string name, Number result) && {
  plan_.name = std::move(name);
  // The walk's result is sum 0 by what it is called, whatever it was called while it was done.
  for (SumStep& step : plan_.steps) {
    const auto renamed = [&](std::uint32_t sum) { return sum == 0 ? result : sum == result ? 0 : sum; };
    step.sum = renamed(step.sum);
    if (step.what == SumStep::What::kAdd) step.other = renamed(step.other);
  }
  return {SumOrder::Kind::kPlan, 0, std::make_shared<const SumPlan>(std::move(plan_))};
}

}  // namespace assay
