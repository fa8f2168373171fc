// Measurements become rows by a merge: each tag's are in the order of the file, and the tag whose next one has the
// lowest (part, step, record) is next. Measurements of one part and step are one row.
//
// Parts. A job that was resumed into the same file goes back in steps. Then what follows comes after all that came
// before, whatever its steps are: a part begins. A tag goes back by itself, but all the others go with it, whether
// their own steps fall or not: an evaluation that is logged every thousand steps would otherwise be put before the
// training around it.
//
// Axes. Megatron logs each quantity twice, over iterations and over samples ("lm loss", "lm loss vs samples"): in one
// table the second would be records at steps of ten million. One axis is kept: that of steps, unless the training loss
// is on another only, as DeepSpeed's monitor has it ("Train/Samples/train_loss").
//
// Keras calls what it logs at the end of an epoch "epoch_loss", and its step is the epoch.
//
// Which tag is the loss, which the evaluation's, is decided once from all the names together (key_plan.h).

#include "format/records/scalar_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "assay/metric.h"
#include "base/bytes.h"
#include "core/axis.h"
#include "format/lines/ledger.h"
#include "format/tables/ledger.h"

namespace assay {

namespace {

// What a tag's step counts when it does not count steps; `plain` is the tag without the words that say so.
struct OtherAxis {
  std::string plain;
  std::string_view axis;
};

std::optional<OtherAxis> other_axis(std::string_view tag) {
  struct Ending {
    std::string_view text;
    std::string_view axis;
  };
  constexpr auto kEndings = std::to_array<Ending>({{"vssamples", "samples"},
                                                   {"vs.samples", "samples"},
                                                   {"x=samples", "samples"},
                                                   {"vstokens", "tokens"},
                                                   {"vs.tokens", "tokens"},
                                                   {"x=tokens", "tokens"}});
  if (is_logged_by_samples(tag)) return OtherAxis{std::string(tag), "samples"};
  std::string normal = normalise_key(tag);
  for (const Ending& ending : kEndings) {
    if (!normal.ends_with(ending.text) || normal.size() == ending.text.size()) continue;
    normal.resize(normal.size() - ending.text.size());
    return OtherAxis{std::move(normal), ending.axis};
  }
  return std::nullopt;
}

}  // namespace

void ScalarTable::add(std::string_view name, std::int64_t step, double value, std::int64_t record) {
  const std::uint32_t id = find_tag(name);
  if (id == kNone) return;
  Tag& tag = tags_[id];
  if (tag.part == part_ && step < tag.last_step) ++part_;
  if (tag.part != part_ || tag.parts.empty()) {
    tag.part = part_;
    tag.parts.push_back({tag.value.size(), part_});
  }
  tag.last_step = step;
  tag.step.push_back(step);
  tag.record.push_back(record);
  tag.value.push_back(value);
}

std::uint32_t ScalarTable::find_tag(std::string_view name) {
  if (last_ != kNone) {
    const std::uint32_t guess = links_[last_].follows;
    if (guess != kNone && links_[guess].name == name) return last_ = guess;
  }
  const auto known = lookup_.find(name);
  std::uint32_t found = kNone;
  if (known != lookup_.end()) {
    found = known->second;
  } else {
    if (!limit_.admits(tags_.size(), name)) return kNone;
    found = static_cast<std::uint32_t>(tags_.size());
    links_.push_back({std::string(name), kNone});
    tags_.emplace_back().part = part_;
    lookup_.emplace(name, found);
  }
  if (last_ != kNone) links_[last_].follows = found;
  return last_ = found;
}

// A writer that is given no step writes zero, or nothing, which is the same.
bool ScalarTable::steps_are_told() const {
  bool repeated = false;
  for (const Tag& tag : tags_) {
    repeated = repeated || (tag.used && tag.value.size() > 1);
    for (std::size_t i = 0; i < tag.step.size() && tag.used; ++i) {
      if (tag.step[i] != 0) return true;
    }
  }
  return !repeated;
}

void ScalarTable::leave_other_axes() {
  std::vector<std::optional<OtherAxis>> others;
  std::string_view first;    // other axis that there is
  std::string_view of_loss;  // other axis that the training loss is on
  bool plain = false;        // there are tags over steps
  bool plain_loss = false;   // the training loss is among them
  for (const Link& link : links_) {
    const auto& other = others.emplace_back(other_axis(link.name));
    const auto meaning = meaning_of_column(other ? other->plain : link.name);
    const bool loss = meaning && meaning->metric == metric::kLoss;
    if (!other) {
      plain = true;
      plain_loss = plain_loss || loss;
      continue;
    }
    if (first.empty()) first = other->axis;
    if (loss && of_loss.empty()) of_loss = other->axis;
  }
  if (first.empty()) return;
  const bool keep_plain = plain_loss || (plain && of_loss.empty());
  if (!keep_plain) axis_ = of_loss.empty() ? first : of_loss;
  std::int64_t left = 0;
  std::optional<std::size_t> example;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    tags_[i].used = others[i] ? others[i]->axis == axis_ : keep_plain;
    if (tags_[i].used) {
      if (others[i]) links_[i].name = std::move(others[i]->plain);
      continue;
    }
    left += static_cast<std::int64_t>(tags_[i].value.size());
    if (!example && !tags_[i].value.empty()) example = i;
  }
  if (!example) return;
  lines::tell_unused(recorder_, links_[*example].name, tags_[*example].record.front(), left,
                     keep_plain ? "over samples or tokens instead of steps" : "on another axis than the loss");
}

// Nothing but "epoch_…", and each of them once an epoch.
bool ScalarTable::counts_epochs() const {
  bool any = false;
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    const Tag& tag = tags_[i];
    if (!tag.used || tag.value.empty()) continue;
    const auto count = static_cast<std::int64_t>(tag.value.size());
    if (!links_[i].name.starts_with("epoch_") || tag.step.back() - tag.step.front() != count - 1) return false;
    any = any || count > 1;
  }
  return any;
}

// Keras and TensorFlow's estimators keep training and evaluation apart by folder ("validation"). PyTorch's add_scalars
// makes a folder for each of its curves, named by tag and curve ("Loss_validation" with the tag "Loss"); then even a
// word that runs are named with says so ("Loss_test").
bool ScalarTable::of_evaluation(std::string_view tag) const {
  const auto folder = split_of_folder(folder_);
  if (!folder || folder->split != DataSplit::kEvaluation) return false;
  if (folder->sure) return true;
  std::string name(tag);
  std::replace(name.begin(), name.end(), '/', '_');
  return name == folder->base;
}

// The tags that become columns; makes them.
std::vector<std::size_t> ScalarTable::plan() {
  KeyFacts steps;  // as if the step were a tag: it is the axis, and others are no better
  steps.key = "step";
  std::vector<KeyFacts> facts(1);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    Tag& tag = tags_[i];
    if (!tag.used || tag.value.empty()) continue;
    const auto meaning = meaning_of_column(links_[i].name);
    bool is_step = meaning && meaning->role == KeyRole::kStep;
    KeyFacts fact;
    fact.key = links_[i].name;
    for (std::size_t k = 0; k < tag.value.size(); ++k) {
      fact.see_number(tag.value[k]);
      is_step = is_step && tag.value[k] == static_cast<double>(tag.step[k]);
    }
    steps.numbers = std::max(steps.numbers, fact.numbers);
    steps.last = std::max(steps.last, static_cast<double>(tag.last_step));
    if (is_step) continue;  // the step once more, as a tag
    facts.push_back(std::move(fact));
    candidates.push_back(i);
  }
  steps.integers = steps.numbers;
  steps.rises = steps.numbers - 1;
  facts.front() = std::move(steps);
  TablePlan plan(facts, 0);
  std::vector<std::size_t> used;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    Tag& tag = tags_[candidates[k]];
    KeyPlan key = plan.keys()[k + 1];
    if (key.use == KeyUse::kValue && of_evaluation(facts[k + 1].key)) key = plan.plan_evaluation(facts[k + 1].key);
    if (key.use == KeyUse::kTotalSteps) {
      if (const auto total = exact_integer(tag.value.back()); total && *total > 0) recorder_.planned_steps(*total);
    }
    if (key.left_out) recorder_.left_out(facts[k + 1].key);
    if (key.use != KeyUse::kValue) continue;
    tag.column = recorder_.column(key.metric, key.printed_as, key.unit);
    tag.factor = key.factor;
    used.push_back(candidates[k]);
  }
  return used;
}

// The next measurement of a tag.
struct ScalarTable::Cursor {
  std::uint32_t part;
  std::int64_t step;
  std::int64_t record;
  std::uint32_t tag;
  std::size_t at = 0;
  std::size_t part_at = 0;

  auto key() const { return std::tie(part, step, record, tag); }
  // For a heap with the least on top.
  friend bool operator<(const Cursor& a, const Cursor& b) { return b.key() < a.key(); }

  bool load(const Tag& from) {
    if (at == from.value.size()) return false;
    while (part_at + 1 < from.parts.size() && from.parts[part_at + 1].from <= at) ++part_at;
    part = from.parts[part_at].number;
    step = from.step[at];
    record = from.record[at];
    return true;
  }
};

void ScalarTable::tell_events(std::int64_t before) {
  for (; next_event_ < events_.size() && events_[next_event_].line < before; ++next_event_) {
    recorder_.event(std::move(events_[next_event_]));
  }
}

void ScalarTable::merge(const std::vector<std::size_t>& used) {
  const bool told = steps_are_told();
  std::vector<Cursor> heap;
  std::vector<std::int64_t> row_of(tags_.size(), -1);  // of the tag's last measurement
  for (const std::size_t i : used) {
    Cursor cursor{0, 0, 0, static_cast<std::uint32_t>(i)};
    if (cursor.load(tags_[i])) heap.push_back(cursor);
  }
  std::make_heap(heap.begin(), heap.end());
  std::int64_t row = -1;
  std::uint32_t part = 0;
  std::int64_t step = 0;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    Cursor& next = heap.back();
    Tag& tag = tags_[next.tag];
    const bool same = row >= 0 && next.part == part && next.step == step && row_of[next.tag] != row;
    if (!same) {
      tell_events(next.record);
      recorder_.begin_row(told ? next.step : kNoStep, next.record);
      part = next.part;
      step = next.step;
      ++row;
    }
    row_of[next.tag] = row;
    tag.row.push_back(row);
    ++next.at;
    if (next.load(tag)) {
      std::push_heap(heap.begin(), heap.end());
    } else {
      heap.pop_back();
      tag.step = {};
      tag.record = {};
    }
  }
  tell_events(INT64_MAX);
  if (told && row >= 0) recorder_.axis(axis_);
}

void ScalarTable::finish() {
  limit_.tell(recorder_);
  leave_other_axes();
  if (counts_epochs()) axis_ = "epoch";
  const std::vector<std::size_t> used = plan();
  merge(used);
  for (const std::size_t i : used) {
    Tag& tag = tags_[i];
    if (tag.factor != 1) {
      for (double& value : tag.value.span()) value *= tag.factor;
    }
    recorder_.fill(tag.column, std::move(tag.row), std::move(tag.value));
  }
}

}  // namespace assay
