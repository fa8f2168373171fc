// What a line of a known shape does: events, rows, headers, tables; and records that go over several lines.

#include <algorithm>

#include "assay/metric.h"
#include "format/lines/engine.h"

namespace assay::lines {

namespace {

constexpr std::size_t kMostJoinedLines = 8;
constexpr std::size_t kMostJoinedBytes = 4096;
constexpr std::int64_t kLongestTraceback = 1000;

std::string_view trimmed_right(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The values among the first `complete` tokens. A slot with a column is a value, or an epoch that is also the step.
template <class Take>
void for_each_cell(const Meaning& meaning, const Token* tokens, std::size_t complete, Take take) {
  const std::size_t n = std::min(complete, meaning.slots.size());
  for (std::size_t i = 0; i < n; ++i) {
    const SlotPlan& plan = meaning.slots[i];
    if (plan.column == kNoColumn) continue;
    const Token& token = tokens[i];
    if (token.kind == TokenKind::kNumber || (token.kind == TokenKind::kTruth && plan.truth)) {
      take(plan.column, token.value() * plan.factor);
    }
  }
}

// The dictionaries of Hugging Face tell the epoch, as a fraction, and no step.
bool tells_no_step(const Meaning& meaning) {
  return !meaning.has_step || (meaning.epoch_step && meaning.dialect != nullptr);
}

// A training loss is among the values, not only that of an evaluation.
bool tells_loss(const Meaning& meaning) { return !meaning.has_eval && meaning.measured; }

}  // namespace

bool Engine::act(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text, Place place) {
  const Dialect* dialect = shape.meaning.dialect;
  if (!place.unended) note_end(shape, tokens, complete, text);
  if (shape.opens_braces && !place.alone && opens_braces(text, place)) return true;
  if ((shape.meaning.part != Part::kNone || !blocks_.empty()) && !place.alone) {
    const Taken taken = take_part(shape, tokens, complete, text, place);
    if (taken != Taken::kNo) return taken == Taken::kYes;
  }
  if (shape.record && dialect != nullptr && !dialect->terminator.empty()) {
    const std::string_view end = trimmed_right(text);
    if (!end.ends_with(dialect->terminator)) {
      if (place.whole) {
        held_.push_back({std::string(text), place.number});
        joined_ = text;
        return true;
      }
      truncated_ = truncated_ || place.unended;
      // The number that touches the end may be a part of one.
      if (complete > 0 && tokens[complete - 1].end == end.data() + end.size()) --complete;
    }
  }
  if (shape.training_bar) note_bar(shape.meaning, tokens, complete);
  if (bars_.waiting.active && shape.record) settle_waiting(kNoStep);
  ShapeState& state = *shape.state;
  if (state.lines++ == 0) state.first_line = place.number;
  const bool own_bar = shape.record && shape.meaning.bar_step;
  const std::int64_t bar = shape.training_bar ? bars_.last.step
                           : own_bar          ? step_of(shape.meaning, tokens, complete)
                                              : kNoStep;
  for (const Message* message : shape.messages) tell(*message, text, place, bar);
  if (shape.names) note_header(text);
  source_lines_ += shape.source ? 1 : 0;
  if (shape.traceback) note_traceback(text, place.number);
  if (shape.exception && traceback_line_ >= 0) tell_exception(text, place.number);
  if (shape.meaning.table_row) {
    table_row(shape, tokens, complete, text, place.number);
  } else if (shape.record) {
    row(shape, tokens, complete, text, place.number);
  } else if (shape.meaning.part == Part::kHeader && shape.meaning.dialect == nullptr && complete > 0 &&
             complete == shape.meaning.slots.size()) {
    note_epoch(shape.meaning, tokens);
    if (!shape.meaning.epoch_step) note_bar(shape.meaning, tokens, complete);  // "=== Step 3/1000 ==="
    ledger_.count(Unused::kHeader, text, place.number);
    return true;
  } else if (shape.messages.empty() && !shape.traceback && !shape.exception) {
    if (shape.progress) {
      ledger_.count(Unused::kProgress, text, place.number);
    } else if (shape.state == &spill_) {
      ledger_.count(Unused::kNoMetric, text, place.number);
    } else if (state.example.empty()) {
      state.example = text.substr(0, 160);
    }
    return true;
  }
  return true;
}

std::int64_t Engine::step_of(const Meaning& meaning, const Token* tokens, std::size_t complete) const {
  if (meaning.step_slot < 0 || static_cast<std::size_t>(meaning.step_slot) >= complete) return kNoStep;
  const Token& token = tokens[meaning.step_slot];
  if (meaning.epoch_step && !token.integer) return kNoStep;
  const std::int64_t step = token.integer_or(-1);
  return step >= 0 ? step : kNoStep;
}

std::int64_t Engine::rank_of(const Meaning& meaning, const Token* tokens, std::size_t complete) const {
  if (meaning.rank_slot < 0 || static_cast<std::size_t>(meaning.rank_slot) >= complete) return meaning.rank;
  return tokens[meaning.rank_slot].integer_or(kNoRank);
}

void Engine::plan(const Meaning& meaning, const Token* tokens, std::size_t complete) {
  if (meaning.total_slot < 0 || static_cast<std::size_t>(meaning.total_slot) >= complete) return;
  const std::int64_t total = tokens[meaning.total_slot].integer_or(0);
  if (total <= 0) return;
  if (meaning.total_is_plan) {
    planned_ = total;
  } else if (meaning.has_loss && (meaning.has_epoch || takes_epoch(meaning))) {
    recorder_.steps_per_epoch(total);
  }
}

// "Epoch 3/10" alone on its line.
void Engine::note_epoch(const Meaning& meaning, const Token* tokens) {
  if (!meaning.epoch_step || meaning.step_slot < 0) return;
  const std::int64_t epoch = tokens[meaning.step_slot].integer_or(-1);
  if (epoch < 0) return;
  epoch_ = epoch;
  if (epoch_column_ == kNoColumn) {
    ColumnSpec spec;
    spec.metric = metric::kEpoch;
    spec.printed_as = meaning.axis;
    spec.unit = Unit::kEpochs;
    epoch_column_ = columns_.find_or_add(std::move(spec));
  }
}

void Engine::cells_of(const Meaning& meaning, const Token* tokens, std::size_t complete, std::vector<Cell>& out) const {
  for_each_cell(meaning, tokens, complete,
                [&out](std::uint16_t column, double value) { out.push_back({column, value}); });
}

void Engine::row(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text, std::int64_t number) {
  const Meaning& meaning = shape.meaning;
  std::int64_t step = step_of(meaning, tokens, complete);
  const std::int64_t rank = rank_of(meaning, tokens, complete);
  plan(meaning, tokens, complete);
  if (meaning.bar_step) note_bar(meaning, tokens, complete);
  if (meaning.bar_step && meaning.dialect != nullptr && meaning.has_loss) sink_.axis_of_bar();
  if (!meaning.has_loss && !meaning.has_eval && meaning.dialect == nullptr) note_epoch(meaning, tokens);
  // "Loss became NaN at iteration=27!", and on the next line what it was made of.
  if (step == kNoStep && last_kind_ == EventKind::kNonFinite && last_event_step_ && number == last_event_line_ + 1) {
    step = *last_event_step_;
    sink_.axis_of_bar();
  }
  if (step == kNoStep && tells_no_step(meaning) && (bars_.last.step != kNoStep || !bars_.asked)) {
    bars_.asked = true;
    step = step_of_bar(tells_loss(meaning));
    if (step == kNoStep && bars_.place != Bars::Place::kBefore) {
      auto& waiting = bars_.waiting;
      waiting = {
          .active = true, .family = shape.family, .line = number, .rank = rank, .text = std::string(text), .cells = {}};
      cells_of(meaning, tokens, complete, waiting.cells);
      return;
    }
  }
  if (sink_.is_direct(shape.family)) {
    sink_.begin_direct(shape.family, step, number, rank);
    for_each_cell(meaning, tokens, complete, [this](std::uint16_t column, double value) { sink_.put(column, value); });
    if (takes_epoch(meaning) && epoch_column_ != kNoColumn) sink_.put(epoch_column_, static_cast<double>(epoch_));
    return;
  }
  cells_.clear();
  cells_of(meaning, tokens, complete, cells_);
  if (takes_epoch(meaning) && epoch_column_ != kNoColumn) {
    cells_.push_back({epoch_column_, static_cast<double>(epoch_)});
  }
  sink_.row(shape.family, step, number, rank, cells_, text);
}

// Numbers only: a row under the names of a table, or two bare columns.
void Engine::table_row(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text,
                       std::int64_t number) {
  const Meaning& meaning = shape.meaning;
  if (meaning.done_slot >= 0) {
    // Only the last drawing of a row counts, whose bar is full.
    const auto done = static_cast<std::size_t>(meaning.done_slot);
    if (complete <= done || tokens[done].integer_or(0) != 100) {
      return ledger_.count(Unused::kProgress, text, number);
    }
  }
  const std::size_t n = meaning.cells.size();
  std::array<Token, kMostSlots> cells;
  std::size_t read = 0;
  while (read < n && meaning.cells[read] < complete) {
    cells[read] = tokens[meaning.cells[read]];
    ++read;
  }
  tokens = cells.data();
  complete = read;
  if (!header_text_.empty() && header_text_ != header_used_) {
    header_used_ = header_text_;
    const std::string_view line = header_used_;
    const char* separators = line.find('|') != std::string_view::npos    ? "|"
                             : line.find(',') != std::string_view::npos  ? ","
                             : line.find('\t') != std::string_view::npos ? "\t"
                                                                         : " ";
    std::vector<std::string_view> names;
    for (std::size_t at = 0; at <= line.size() && names.size() <= kMostSlots;) {
      const std::size_t end = std::min(line.find_first_of(separators, at), line.size());
      std::string_view name = trimmed_right(line.substr(at, end - at));
      while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
      if (!name.empty()) names.push_back(name);
      at = end + 1;
    }
    Meaning named = names.size() >= 2 ? derive_table(names) : Meaning{};
    if (named.has_core && names.size() == n) {
      header_ = std::move(named);
      intern(header_, columns_);
      header_family_ = sink_.family(header_);
    }
  }
  cells_.clear();
  if (header_.slots.size() == n && n >= 2) {
    cells_of(header_, tokens, complete, cells_);
    sink_.row(header_family_, step_of(header_, tokens, complete), number, rank_of(header_, tokens, complete), cells_,
              text);
    return;
  }
  const bool bare = n == 2 && complete == 2 && meaning.done_slot < 0 && tokens[0].integer && !tokens[0].negative &&
                    tokens[1].kind == TokenKind::kNumber;
  // A loss has a fraction: a column of whole numbers alone is something else.
  columns_have_fraction_ = columns_have_fraction_ || (bare && !tokens[1].integer);
  if (!bare || !columns_have_fraction_) {
    ledger_.count(Unused::kNoMetric, text, number);
    return;
  }
  ColumnSpec spec;
  spec.metric = "second column";
  spec.loss_likeness = 2;
  const std::uint16_t column = columns_.find_or_add(std::move(spec));
  if (column == kNoColumn) return;
  cells_.push_back({column, tokens[1].value()});
  sink_.row(sink_.columns_family(), tokens[0].integer_or(kNoStep), number, kNoRank, cells_, text);
}

void Engine::tell(const Message& message, std::string_view text, const Place& place, std::int64_t bar) {
  const std::int64_t number = place.number;
  // The source line that a traceback quotes is what the program would have said.
  if (traceback_line_ >= 0 && text.starts_with("    ")) return ledger_.count(Unused::kRepeatedMessage, text, number);
  std::int64_t& rows = message_rows_[static_cast<std::size_t>(&message - messages().data())];
  if (message.once && rows == sink_.rows_seen()) {
    ledger_.count(Unused::kRepeatedMessage, text, number);
    return;
  }
  settle_waiting(kNoStep);
  rows = sink_.rows_seen();
  // The number that touches the end of the input may be a part of one.
  std::size_t sure = text.size();
  while (place.unended && sure > 0 && (is_word(text[sure - 1]) || text[sure - 1] == '.' || text[sure - 1] == '-'))
    --sure;
  Event event = event_of(message, text.substr(0, sure), number);
  event.text = text.substr(0, 400);
  // What is told behind a bar happened where the bar stood; before the first record the last bar is all there is.
  if (bar == kNoStep && sink_.rows_seen() == 0) bar = bars_.last.step;
  if (!event.step && bar != kNoStep) event.step = bar;
  // "saving checkpoint at iteration 500" and then "successfully saved checkpoint at iteration 500"
  const bool same = event.step && event.kind == last_kind_ && event.step == last_event_step_ &&
                    last_event_rows_ == sink_.rows_seen() && event.kind == EventKind::kCheckpointSaved;
  last_kind_ = event.kind;
  last_event_step_ = event.step;
  last_event_line_ = number;
  last_event_rows_ = sink_.rows_seen();
  if (!same) sink_.event(std::move(event));
}

void Engine::note_traceback(std::string_view text, std::int64_t number) {
  settle_waiting(kNoStep);
  traceback_line_ = number;
  traceback_rows_ = sink_.rows_seen();
  traceback_text_ = text.substr(0, 400);
}

void Engine::tell_exception(std::string_view text, std::int64_t number) {
  const bool stale = number - traceback_line_ > kLongestTraceback;
  traceback_line_ = -1;
  if (stale) return;
  if (exception_rows_ == sink_.rows_seen()) {
    ledger_.count(Unused::kRepeatedMessage, text, number);
    return;
  }
  settle_waiting(kNoStep);
  exception_rows_ = sink_.rows_seen();
  Event event;
  event.kind = EventKind::kAborted;
  event.line = number;
  event.text = text.substr(0, 400);
  sink_.event(std::move(event));
}

// A record without its end goes on in the next line, unless that begins a record itself or is something else.
bool Engine::continue_record(std::string_view text, std::int64_t number) {
  const bool plain = !has_control(text);
  if (!plain || held_.size() >= kMostJoinedLines || joined_.size() + text.size() > kMostJoinedBytes ||
      lexicon_.opens_wrapped_record(lexicon_.find(text)) || text.find_first_of(":|") == std::string_view::npos) {
    give_up_record();
    return false;
  }
  const std::string_view prefix = launcher_prefix(joined_);
  held_.push_back({std::string(text), number});
  std::string_view tail = text;
  if (!prefix.empty() && tail.starts_with(prefix)) tail.remove_prefix(prefix.size());
  join(joined_, tail);
  if (!trimmed_right(joined_).ends_with('|')) return true;
  const std::int64_t first = held_.front().number;
  held_.clear();
  const std::string record = std::move(joined_);
  joined_.clear();
  analyse(record, {.number = first, .whole = false, .alone = true});
  return true;
}

// The held line alone, as far as it goes; then what was taken for its continuation, line by line.
void Engine::give_up_record() {
  const std::vector<HeldLine> held = std::move(held_);
  held_.clear();
  joined_.clear();
  for (const HeldLine& line : held) analyse(line.text, {.number = line.number, .whole = &line != &held.front()});
}

}  // namespace assay::lines
