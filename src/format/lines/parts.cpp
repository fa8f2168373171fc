// Which lines can be parts of a record over several lines (engine_block.cpp joins them): a line that tells one field,
// or a header, which tells a step or an epoch and nothing else. Before either may stand what a logger or a launcher
// puts there; its end is found so that the parts can be joined without it.

#include "format/lines/parts.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"

namespace assay::lines {

namespace {

// Before the field stands nothing, or what a logger or a launcher puts there: a level, numbers without words.
bool opens_field(const Tokenised& tokens, std::span<const Field> fields, std::size_t first, const char* message,
                 Meaning& out) {
  constexpr std::array<std::string_view, 8> kMarks{"INFO",     "WARN",     "DEBUG",    "ERROR",
                                                   "<stdout>", "<stderr>", "stdout F", "stderr F"};
  const std::string_view core = tokens.literals[first].core;
  std::size_t at = core.rfind(fields[first].key);
  if (fields[first].key.empty() || at == std::string_view::npos) at = 0;
  constexpr std::string_view kOpeners = "|'\"*`{([-=#> \t";
  while (at > 0) {
    const bool drawn = core.substr(0, at).ends_with("│") || core.substr(0, at).ends_with("┃");
    if (!drawn && kOpeners.find(core[at - 1]) == std::string_view::npos) break;
    at -= drawn ? std::string_view("│").size() : 1;
  }
  if (core.data() + at < message && core.data() + core.size() >= message) {
    at = static_cast<std::size_t>(message - core.data());  // a bar of the launcher's mark
  }
  out.body_slot = first;
  out.body_skip = at;
  bool letters = false;
  bool logged = false;
  for (std::size_t i = 0; i <= first; ++i) {
    std::string_view text = tokens.literals[i].core;
    if (i == first) text = text.substr(0, at);
    if (text.data() < message)
      text.remove_prefix(std::min(static_cast<std::size_t>(message - text.data()), text.size()));
    letters = letters || (text != "T" && std::any_of(text.begin(), text.end(), is_letter));
    logged = logged || std::any_of(kMarks.begin(), kMarks.end(),
                                   [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; });
  }
  return logged || !letters;
}

// Behind the last number of a header at most a unit and decoration.
bool ends_plainly(const Tokenised& tokens) {
  const std::string_view tail = tokens.literals.back().core;
  if (tail.find_first_not_of("=-*#_+ ") == std::string_view::npos) return true;  // "==== Step 3/100 ===="
  return tail.size() <= 12 && std::none_of(tail.begin(), tail.end(), is_letter);
}

}  // namespace

// A line that can be a part of a record over several lines: one field, or nothing but the step, each perhaps behind
// what a logger puts before it.
void find_part(const Tokenised& tokens, std::span<const Field> fields, std::span<const Claim> claims,
               const char* message, Meaning& out) {
  if (out.dialect != nullptr && out.dialect->treat == Treat::kHeader) out.part = Part::kHeader;
  if (out.dialect != nullptr || out.table_row || out.bar_step) return;
  std::size_t first = fields.size();
  std::size_t values = 0;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (tokens.slots[i].begin < message) continue;
    const Claim& claim = claims[i];
    const SlotUse use = out.slots[i].use;
    const bool own = claim.named && fields[i].relation == Relation::kKeyed && !is_no_metric(claim.key);
    if (use != SlotUse::kStep && use != SlotUse::kValue && !own) continue;
    if (first == fields.size()) first = i;
    const bool counts = use == SlotUse::kStep || claim.meaning.role == KeyRole::kStep ||
                        (claim.known && claim.meaning.metric == metric::kEpoch);
    ++(counts && fields[i].relation != Relation::kAt ? steps : values);
  }
  const bool one_value = values == 1 && steps == 0;
  const bool header = values == 0 && steps > 0 && ends_plainly(tokens);
  if (!one_value && !header) return;
  if (fields[first].relation == Relation::kNone) return;  // "10/100 [==>": a bar
  out.key_slot = first;
  if (first > 0 && fields[first - 1].relation == Relation::kIndex) --first;
  if (opens_field(tokens, fields, first, message, out)) out.part = header ? Part::kHeader : Part::kField;
}

}  // namespace assay::lines
