#include "format/tables/key_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "assay/metric.h"
#include "base/bytes.h"
#include "core/axis.h"
#include "format/tables/number.h"

namespace assay {

namespace {

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The last part of "train/global_step".
std::string_view leaf(std::string_view key) { return key.substr(key.find_last_of('/') + 1); }

bool counts_steps(const KeyFacts& facts) {
  const bool whole = facts.integers * 4 >= facts.numbers * 3;
  const bool moves = facts.rises > 0 || facts.numbers <= 2;
  return facts.numeric() && whole && moves && facts.falls <= facts.rises;
}

// Of two keys that count steps the lower one is what people call the step. W&B's own `_step` counts calls of its log
// function: a counter that the program wrote itself is better, except one of optimizer steps beside it, since the file
// counts in micro-steps then.
int axis_order(const KeyFacts& facts, const KeyMeaning& meaning) {
  const std::string_view name = leaf(facts.key);
  const std::string normal = normalise_key(name);
  if (meaning.metric == metric::kOptimizerStep) return 4;
  if (meaning.rank >= 5) return 5;
  if (name == "_step") return 3;
  if (normal == "step") return 0;
  if (normal == "globalstep") return 1;
  return 2;
}

// What is set for a run, not what it logs.
constexpr std::array<std::string_view, 48> kSettingNames{"lr",
                                                         "learningrate",
                                                         "maxlr",
                                                         "peaklr",
                                                         "bs",
                                                         "batchsize",
                                                         "globalbatchsize",
                                                         "gbs",
                                                         "n",
                                                         "d",
                                                         "h",
                                                         "params",
                                                         "nparams",
                                                         "numparams",
                                                         "modelsize",
                                                         "size",
                                                         "tokens",
                                                         "ntokens",
                                                         "width",
                                                         "depth",
                                                         "layers",
                                                         "numl",
                                                         "nlayer",
                                                         "nlayers",
                                                         "numlayers",
                                                         "numh",
                                                         "nhead",
                                                         "nheads",
                                                         "numheads",
                                                         "hidden",
                                                         "hiddensize",
                                                         "dmodel",
                                                         "ffnh",
                                                         "seed",
                                                         "wd",
                                                         "weightdecay",
                                                         "beta1",
                                                         "beta2",
                                                         "warmup",
                                                         "warmupsteps",
                                                         "dropout",
                                                         "optimizer",
                                                         "expname",
                                                         "runname",
                                                         "run",
                                                         "runid",
                                                         "trial",
                                                         "experiment"};

constexpr std::array<std::string_view, 8> kRankNames{"rank",   "globalrank", "processindex", "processid",
                                                     "worker", "workerrank", "hostrank",     "mpirank"};
constexpr std::array<std::string_view, 7> kSplitNames{"split", "phase", "mode", "stage", "subset", "set", "partition"};
constexpr std::array<std::string_view, 6> kLongNames{"metric", "metricname", "key", "tag", "name", "variable"};

constexpr std::array<std::string_view, 12> kTellsTraining{
    metric::kLoss,     metric::kEvalLoss,   metric::kGradNorm,        metric::kLearningRate,
    metric::kAccuracy, metric::kPerplexity, metric::kEvalAccuracy,    metric::kEvalPerplexity,
    metric::kReward,   metric::kLossScale,  metric::kTokensPerSecond, metric::kThroughput};

}  // namespace

std::optional<KeyMeaning> meaning_of_column(std::string_view key) {
  if (auto meaning = meaning_of(key)) return meaning;
  const std::size_t dash = key.rfind(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  return meaning_of(key.substr(dash + 3));
}

void KeyFacts::see_number(double value) {
  ++numbers;
  const auto whole = exact_integer(value);
  if (whole) ++integers;
  if (value > last || value < last) {
    const bool fell = value < last;
    ++(fell ? falls : rises);
    if (moved && fell != falling) ++turns;
    falling = fell;
    moved = true;
  }
  last = value;
}

void KeyFacts::see_text(std::string_view text) {
  ++texts;
  if (split_of(text)) ++splits;
}

TablePlan::TablePlan(std::span<const KeyFacts> facts, std::int64_t rows) : keys_(facts.size()) {
  choose_axis(facts);
  choose_long_form(facts);
  choose_metrics(facts);
  plan_other_steps(facts);
  judge(facts, rows);
}

void TablePlan::choose_axis(std::span<const KeyFacts> facts) {
  std::int64_t most = 0;
  for (const KeyFacts& key : facts) most = std::max(most, key.numbers);
  using Order = std::tuple<bool, bool, int, int, std::size_t>;
  std::optional<Order> best;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto meaning = meaning_of_column(facts[i].key);
    if (!meaning || meaning->role != KeyRole::kStep || !counts_steps(facts[i])) continue;
    // A key that most rows lack, or one that starts again at each epoch, only if there is no other.
    const Order order{facts[i].numbers * 2 < most, facts[i].falls > 0, axis_order(facts[i], *meaning), meaning->rank,
                      i};
    if (!best || order < *best) best = order;
  }
  for (std::size_t i = 0; i < facts.size() && !best; ++i) {
    const auto meaning = meaning_of_column(facts[i].key);
    const bool every_row_one = facts[i].falls == 0 && facts[i].rises + 1 == facts[i].numbers;
    if (!meaning || meaning->metric != metric::kEpoch || !counts_steps(facts[i]) || !every_row_one) continue;
    best = Order{false, false, 0, 0, i};
  }
  // A step that stands still counts nothing, but the file tells one: what becomes of it is not for a reader to say.
  for (std::size_t i = 0; i < facts.size() && !best; ++i) {
    const auto meaning = meaning_of_column(facts[i].key);
    if (meaning && meaning->role == KeyRole::kStep && facts[i].numeric() && facts[i].integers == facts[i].numbers &&
        !facts[i].moved) {
      best = Order{false, false, 0, 0, i};
    }
  }
  if (!best) return;
  const std::size_t chosen = std::get<std::size_t>(*best);
  keys_[chosen].use = KeyUse::kAxis;
  axis_ = printable_utf8(facts[chosen].key);
  // A key of no other name counts what DeepSpeed's monitor passes as the step.
  const std::string normal = normalise_key(axis_);
  const bool samples =
      std::any_of(facts.begin(), facts.end(), [](const KeyFacts& f) { return is_logged_by_samples(f.key); });
  if (samples && normal == "step") axis_ = "samples";
}

void TablePlan::choose_long_form(std::span<const KeyFacts> facts) {
  std::optional<std::size_t> name;
  std::optional<std::size_t> value;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string normal = normalise_key(facts[i].key);
    if (is_one_of(kLongNames, normal) && facts[i].texts > 0 && !facts[i].numeric()) name = name ? name : i;
    if (normal == "value" && facts[i].numeric()) value = i;
    const bool has_loss = [&] {
      const auto meaning = meaning_of_column(facts[i].key);
      return meaning && meaning->metric == metric::kLoss;
    }();
    if (has_loss) return;
  }
  if (!name || !value) return;
  long_form_ = true;
  keys_[*name].use = KeyUse::kMetricName;
  keys_[*value].use = KeyUse::kMetricValue;
}

// Which of several keys of one meaning has it: the lower rank, the one that is called so, not the test set, the fuller
// one, the first.
void TablePlan::choose_metrics(std::span<const KeyFacts> facts) {
  using Order = std::tuple<bool, int, bool, bool, std::int64_t, std::size_t>;
  std::map<std::string_view, Order> winners;
  std::vector<std::optional<KeyMeaning>> meanings;
  const bool times = std::any_of(facts.begin(), facts.end(), [](const KeyFacts& f) { return f.key == "data_time"; });
  for (std::size_t i = 0; i < facts.size(); ++i) {
    meanings.push_back(times ? meaning_beside_data_time(normalise_key(facts[i].key)) : std::nullopt);
    if (!meanings.back()) meanings.back() = meaning_of_column(facts[i].key);
    const auto& meaning = meanings.back();
    if (!meaning || meaning->role != KeyRole::kMetric || keys_[i].use != KeyUse::kSkip) continue;
    const std::string normal = normalise_key(facts[i].key);
    const Order order{!facts[i].numeric(),
                      meaning->rank,
                      normal != normalise_key(meaning->metric),
                      normal.find("test") != std::string::npos,
                      -facts[i].numbers,
                      i};
    const auto [at, fresh] = winners.emplace(meaning->metric, order);
    if (!fresh) at->second = std::min(at->second, order);
  }
  for (const auto& [name, order] : winners) taken_.emplace(name);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (keys_[i].use != KeyUse::kSkip) continue;
    const std::string normal = normalise_key(facts[i].key);
    const auto& meaning = meanings[i];
    if (is_one_of(kRankNames, normal) && facts[i].numeric()) {
      keys_[i].use = KeyUse::kRank;
    } else if (is_one_of(kSplitNames, normal) && facts[i].splits * 2 > facts[i].texts) {
      keys_[i].use = KeyUse::kSplit;
    } else if (meaning && meaning->role == KeyRole::kTotalSteps) {
      keys_[i].use = KeyUse::kTotalSteps;
    } else if (meaning && meaning->role == KeyRole::kMetric && std::get<5>(winners.at(meaning->metric)) == i) {
      keys_[i] = {KeyUse::kValue, std::string(meaning->metric), printable_utf8(facts[i].key), meaning->unit,
                  meaning->factor};
    } else if (meaning && meaning->role == KeyRole::kIgnored) {
      keys_[i].left_out = true;
    } else if (!normal.empty() && (!meaning || meaning->role == KeyRole::kMetric)) {
      // A column that is empty so far may hold numbers later.
      if (facts[i].numeric() || facts[i].texts == 0) keys_[i] = own_name(facts[i].key);
    }
  }
}

// Counters beside the axis: the step of the optimizer where the axis counts something finer.
void TablePlan::plan_other_steps(std::span<const KeyFacts> facts) {
  const auto axis =
      std::find_if(keys_.begin(), keys_.end(), [](const KeyPlan& key) { return key.use == KeyUse::kAxis; });
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const auto meaning = meaning_of_column(facts[i].key);
    if (!meaning || meaning->role != KeyRole::kStep || keys_[i].use != KeyUse::kSkip || !facts[i].numeric()) continue;
    const std::string normal = normalise_key(leaf(facts[i].key));
    const bool counts_updates =
        meaning->metric == metric::kOptimizerStep || normal == "globalstep" || normal == "numupdates";
    const bool below_axis =
        axis != keys_.end() && facts[i].last <= facts[static_cast<std::size_t>(axis - keys_.begin())].last;
    if (counts_updates && below_axis && taken_.emplace(metric::kOptimizerStep).second) {
      keys_[i] = {KeyUse::kValue, std::string(metric::kOptimizerStep), printable_utf8(facts[i].key), Unit::kSteps, 1};
    } else {
      keys_[i] = own_name(facts[i].key);
    }
  }
}

void TablePlan::judge(std::span<const KeyFacts> facts, std::int64_t rows) {
  bool tells = false;
  bool has_values = false;
  bool has_total = false;  // "12 of 250 steps": progress alone is of a training too
  bool has_result = false;
  bool jumps = false;  // a setting that changes to and fro from row to row
  std::int64_t settings = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string normal = normalise_key(facts[i].key);
    const bool value = keys_[i].use == KeyUse::kValue;
    has_values = has_values || (value && facts[i].numbers > 0);
    has_total = has_total || keys_[i].use == KeyUse::kTotalSteps;
    tells = tells || (value && is_one_of(kTellsTraining, keys_[i].metric));
    has_result = has_result || normal.find("loss") != std::string::npos || normal.find("acc") != std::string::npos;
    if (is_one_of(kSettingNames, normal)) {
      ++settings;
      jumps = jumps || (facts[i].turns >= 2 && facts[i].turns * 8 >= facts[i].numbers);
    }
  }
  is_table_of_runs_ = axis_.empty() && rows >= 3 && has_result && settings >= 2 && (jumps || settings >= 4);
  is_log_ =
      !is_table_of_runs_ && (long_form_ || (has_values && (tells || !axis_.empty())) || (has_total && !axis_.empty()));
}

KeyPlan TablePlan::own_name(std::string_view key) {
  const std::string printed = printable_utf8(key);
  std::string name = printed;
  while (!taken_.insert(name).second) {
    int& number = repeats_.emplace(printed, 1).first->second;
    name = printed + " (" + std::to_string(++number) + ")";
  }
  return {KeyUse::kValue, std::move(name), printed, Unit::kNone, 1};
}

KeyPlan TablePlan::value_plan(std::string_view key, const KeyMeaning* meaning) {
  if (meaning != nullptr && meaning->role == KeyRole::kIgnored) return {.left_out = true};
  if (meaning != nullptr && meaning->role == KeyRole::kTotalSteps) return {.use = KeyUse::kTotalSteps};
  if (meaning != nullptr && meaning->role == KeyRole::kMetric && taken_.emplace(meaning->metric).second) {
    return {KeyUse::kValue, std::string(meaning->metric), printable_utf8(key), meaning->unit, meaning->factor};
  }
  return own_name(key);
}

KeyPlan TablePlan::plan_late(std::string_view key) {
  const auto meaning = meaning_of_column(key);
  return value_plan(key, meaning ? &*meaning : nullptr);
}

KeyPlan TablePlan::plan_evaluation(std::string_view key) {
  const auto plain = meaning_of_column(key);
  if (plain && plain->role != KeyRole::kMetric) return {.left_out = plain->role == KeyRole::kIgnored};
  if (plain && plain->metric.starts_with("eval_")) {
    return {KeyUse::kValue, std::string(plain->metric), printable_utf8(key), plain->unit, plain->factor};
  }
  const std::string name = "eval/" + std::string(key);
  const auto meaning = meaning_of(name);
  if (meaning && meaning->role == KeyRole::kMetric) {
    return {KeyUse::kValue, std::string(meaning->metric), printable_utf8(key), meaning->unit, meaning->factor};
  }
  if (meaning) return {.left_out = meaning->role == KeyRole::kIgnored};
  KeyPlan plan = own_name(name);
  plan.printed_as = printable_utf8(key);
  return plan;
}

}  // namespace assay
