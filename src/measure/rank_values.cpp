// Values that several ranks tell of one step.
//
// Ranks that train one copy of a model share some numbers: a loss that was reduced, the norm of the whole gradient, the
// learning rate, the loss scale. Others are each rank's own: the loss of its part of the batch. No name tells which a
// log prints. Their values do: what two ranks tell equally, to the last digit, at eight steps in a row, while it
// changes from step to step, is one number and not two. Losses of different data never agree that long.
//
// When such a number then differs at nearly every step that follows, the ranks no longer have the same weights, or no
// longer sum the same gradients. A difference now and then is none: numbers printed with two digits, or added up in
// another order on each rank, fall on either side of a rounding.
//
// Numbers that differ from the beginning were never shared, or diverged before the log begins: nothing is told of them.
// Nothing is compared beyond the first place where the steps of a rank go back.

#include "measure/rank_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "assay/metric.h"

namespace assay {

namespace {

constexpr std::int64_t kShared = 8;     // steps that agree before
constexpr std::int64_t kChanges = 4;    // of the value, among them
constexpr std::int64_t kDiffering = 3;  // steps that differ then
constexpr double kNearlyAll = 0.8;      // of the steps that follow

// A learning rate or a scale may stay for long: two ranks that follow one schedule share it all the same.
bool may_stay(std::string_view metric) { return metric == metric::kLearningRate || metric == metric::kLossScale; }

using ByRank = std::map<std::int64_t, std::vector<RankValue>>;

// Rows of a rank until its steps go back.
ByRank by_rank(const Recording& recording, const Series& series) {
  ByRank out;
  std::map<std::int64_t, bool> over;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t row = series.row_of(i);
    const std::int64_t rank = recording.rank[row];
    if (rank == kNoRank || recording.step[row] == kNoStep || over[rank]) continue;
    std::vector<RankValue>& told = out[rank];
    if (!told.empty() && recording.step[row] <= told.back().step) {
      over[rank] = true;
      continue;
    }
    told.push_back({recording.step[row], recording.line[row], series.value(i)});
  }
  return out;
}

std::vector<RankValue> values_of(const Series& series) {
  std::vector<RankValue> out;
  out.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!out.empty() && series.step(i) <= out.back().step) continue;
    out.push_back({series.step(i), series.line(i), series.value(i)});
  }
  return out;
}

}  // namespace

bool may_be_shared(std::string_view metric) {
  return metric == metric::kLoss || metric == metric::kGradNorm || metric == metric::kParamsNorm || may_stay(metric);
}

std::optional<RankDifference> difference_of(const std::vector<RankValue>& own, const std::vector<RankValue>& other,
                                            std::string_view metric) {
  std::optional<RankDifference> out;
  std::int64_t agreed = 0;
  std::int64_t changes = 0;
  std::int64_t following = 0;
  double last = 0;
  auto a = own.begin();
  auto b = other.begin();
  while (a != own.end() && b != other.end()) {
    if (a->step != b->step) {
      a->step < b->step ? ++a : ++b;
      continue;
    }
    // NaN on one rank alone is told elsewhere, and behind it nothing is shared.
    if (!std::isfinite(a->value) || !std::isfinite(b->value)) break;
    if (!out && a->value == b->value) {
      changes += agreed > 0 && a->value != last ? 1 : 0;
      last = a->value;
      ++agreed;
    } else if (!out) {
      if (agreed < kShared || (changes < kChanges && !may_stay(metric))) return std::nullopt;
      out = RankDifference{.step = a->step,
                           .value = a->value,
                           .other_value = b->value,
                           .line = a->line,
                           .other_line = b->line,
                           .agreed = agreed};
    }
    if (out) {
      ++following;
      out->differing += a->value != b->value ? 1 : 0;
      out->last_value = a->value;
      out->last_other = b->value;
    }
    ++a;
    ++b;
  }
  if (!out || out->differing < kDiffering) return std::nullopt;
  if (static_cast<double>(out->differing) < kNearlyAll * static_cast<double>(following)) return std::nullopt;
  out->metric = metric;
  return out;
}

std::vector<RankDifference> rank_differences(const Recording& recording, std::int64_t main) {
  std::vector<RankDifference> out;
  if (main == kNoRank) return out;
  for (const Series& series : recording.series) {
    if (!may_be_shared(series.metric)) continue;
    const ByRank told = by_rank(recording, series);
    const auto own = told.find(main);
    if (own == told.end() || told.size() < 2) continue;
    for (const auto& [rank, values] : told) {
      if (rank == main) continue;
      auto found = difference_of(own->second, values, series.metric);
      if (!found) continue;
      found->printed_as = series.printed_as;
      found->who = "rank " + std::to_string(main);
      found->other = "rank " + std::to_string(rank);
      merge_differences(out, {std::move(*found)});
    }
  }
  return out;
}

std::vector<RankDifference> rank_differences(const Run& run, const Run& other, const std::string& own_name,
                                             const std::string& other_name) {
  std::vector<RankDifference> out;
  const Segment& own = run.segments.front();
  const Segment& beside = other.segments.front();
  if (own.axis != beside.axis || own.axis == "record") return out;
  for (const Series& series : beside.series) {
    const Series* mine = own.find(series.metric);
    if (mine == nullptr || mine->printed_as != series.printed_as || !may_be_shared(series.metric)) continue;
    auto found = difference_of(values_of(*mine), values_of(series), series.metric);
    if (!found) continue;
    found->printed_as = series.printed_as;
    found->who = own_name;
    found->other = other_name;
    out.push_back(std::move(*found));
  }
  return out;
}

void merge_differences(std::vector<RankDifference>& into, std::vector<RankDifference> more) {
  for (RankDifference& one : more) {
    const auto known = std::find_if(into.begin(), into.end(), [&](const RankDifference& two) {
      return two.metric == one.metric && two.printed_as == one.printed_as;
    });
    if (known == into.end()) {
      into.push_back(std::move(one));
      continue;
    }
    const std::int64_t ranks = known->ranks + one.ranks;
    if (one.step < known->step) *known = std::move(one);
    known->ranks = ranks;
  }
}

}  // namespace assay
