#include "format/lines/places.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"

namespace assay::lines {

namespace {

// What mpirun --tag-output puts before each line: "[1,3]<stdout>:", job and rank; SageMaker's "[1,mpirank:3,algo-1]".
void mark_mpirun(const Tokenised& tokens, std::vector<SlotPlan>& slots) {
  if (slots.size() < 2 || tokens.literals[0].core != "[") return;
  const bool rank = tokens.literals[1].core == "," && tokens.literals[2].core.starts_with("]<std");
  if (rank || tokens.literals[1].core == ",mpirank:") slots[1].use = SlotUse::kRank;
}

// "INFO [train.py:1021] (3/8) Epoch 1, batch 50": rank and number of ranks behind the place in the source, icefall's.
void mark_behind_source(const Tokenised& tokens, std::vector<SlotPlan>& slots) {
  constexpr std::size_t kFirstSlots = 6;
  for (std::size_t i = 1; i + 1 < std::min(slots.size(), kFirstSlots); ++i) {
    if (tokens.literals[i].core != "] (" || tokens.literals[i + 1].core != "/") continue;
    if (tokens.literals[i + 2].core.starts_with(')')) slots[i].use = SlotUse::kRank;
    return;
  }
}

// "0:     train loss: 2.3", "3: {": the number of the task, as srun --label puts it before each line. Where text
// follows at once it may as well be a step ("250: loss 2.3").
void mark_task(const Tokenised& tokens, const char* message, std::vector<SlotPlan>& slots) {
  if (tokens.slots.empty() || !tokens.literals[0].core.empty() || tokens.slots[0].begin >= message) return;
  const char* const end = tokens.literals.back().core.data() + tokens.literals.back().core.size();
  constexpr std::string_view kOpeners = " \t[{|\"'";
  if (message < end && kOpeners.find(*message) != std::string_view::npos) slots[0].use = SlotUse::kRank;
}

}  // namespace

std::size_t slots_of_mark(const Tokenised& line, const char* message) {
  if (line.literals[0].core.empty()) return 0;
  std::size_t marked = 0;
  while (marked < line.slots.size() && line.slots[marked].begin < message) ++marked;
  return marked;
}

Tokenised behind_mark(const Tokenised& line, const char* message, std::size_t marked) {
  Tokenised out = line;
  const auto count = static_cast<std::ptrdiff_t>(marked);
  out.slots.erase(out.slots.begin(), out.slots.begin() + count);
  out.literals.erase(out.literals.begin(), out.literals.begin() + count);
  std::string_view& core = out.literals[0].core;
  if (!core.empty() && core.data() < message) {
    core.remove_prefix(std::min(static_cast<std::size_t>(message - core.data()), core.size()));
    while (!core.empty() && is_blank(core.front())) core.remove_prefix(1);
    out.literals[0].blank_before = 0;
  }
  return out;
}

void count_with_mark(Meaning& meaning, const Tokenised& line, const Tokenised& body, const char* message) {
  const std::size_t marked = line.slots.size() - body.slots.size();
  const std::string_view whole = line.literals[meaning.body_slot + marked].core;
  if (!whole.empty()) {
    meaning.body_skip += static_cast<std::size_t>(body.literals[meaning.body_slot].core.data() - whole.data());
  }
  meaning.slots.insert(meaning.slots.begin(), marked, SlotPlan{});
  for (std::uint16_t& cell : meaning.cells) cell = static_cast<std::uint16_t>(cell + marked);
  for (int* slot : {&meaning.done_slot, &meaning.step_slot, &meaning.total_slot, &meaning.rank_slot}) {
    if (*slot >= 0) *slot += static_cast<int>(marked);
  }
  meaning.body_slot += marked;
  meaning.key_slot += marked;
  meaning.rank = rank_of_prefix(line.literals[0].core);
  mark_ranks(line, message, meaning.slots);
  for (std::size_t i = 0; i < marked; ++i) {
    if (meaning.slots[i].use == SlotUse::kRank) meaning.rank_slot = static_cast<int>(i);
  }
}

void mark_ranks(const Tokenised& tokens, const char* message, std::vector<SlotPlan>& slots) {
  mark_task(tokens, message, slots);
  mark_mpirun(tokens, slots);
  mark_behind_source(tokens, slots);
}

void claim_epoch_of_set(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims) {
  if (fields.size() < 3 || claims[0].known || fields[1].relation != Relation::kTotal) return;
  constexpr auto kSets = std::to_array<std::string_view>({"train (", "valid (", "test (", "infer ("});
  const bool set = std::find(kSets.begin(), kSets.end(), tokens.literals[0].core) != kSets.end();
  if (!set || !tokens.literals[2].core.starts_with(')')) return;
  claims[0] = {.meaning = *meaning_of("epoch"), .key = "epoch", .known = true};
}

void claim_median(const Tokenised& tokens, std::span<const Field> fields, std::span<Claim> claims) {
  constexpr std::size_t kValues = 5;
  for (std::size_t i = 0; i + kValues <= fields.size(); ++i) {
    if (!fields[i].key.ends_with("grad-norm quartiles")) continue;
    for (std::size_t k = 1; k < kValues; ++k) {
      if (!tokens.literals[i + k].core.empty()) return;
    }
    claims[i] = {};
    claims[i + kValues / 2] = {.meaning = *meaning_of("grad_norm"), .key = "grad-norm quartiles", .known = true};
    return;
  }
}

void claim_share(std::span<const Field> fields, std::span<Claim> claims) {
  for (std::size_t i = 0; i + 2 < fields.size(); ++i) {
    const std::string_view metric = claims[i].meaning.metric;
    const bool counted = claims[i].known && fields[i + 1].relation == Relation::kTotal && fields[i + 2].unit == "%";
    if (!counted || (metric != metric::kAccuracy && metric != metric::kEvalAccuracy)) continue;
    claims[i + 2] = std::move(claims[i]);
    claims[i] = {};
  }
}

void claim_first_of_groups(const Tokenised& tokens, std::span<Claim> claims) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].known || tokens.literals[i].core.find("grad_norm={'") == std::string_view::npos) continue;
    claims[i] = {.meaning = *meaning_of("grad_norm"), .key = "grad_norm", .known = true};
    return;
  }
}

}  // namespace assay::lines
