#include "format/lines/engine.h"

#include <algorithm>
#include <cstring>

#include "format/lines/claims.h"
#include "format/lines/logger_prefix.h"
#include "format/lines/settings.h"

namespace assay::lines {

namespace {

constexpr std::size_t kLongestRecord = std::size_t{64} << 10;  // longer lines are searched for messages only
std::string_view trimmed_right(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_blank_line(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

bool has_digit(std::string_view text) {
  unsigned found = 0;  // no early exit, so that it is done in vectors
  for (const char c : text) found |= static_cast<unsigned>(static_cast<unsigned char>(c - '0') < 10);
  return found != 0;
}

std::string_view behind_launcher(std::string_view text) {
  const std::size_t sure = launcher_prefix(text).size();
  return text.substr(sure > 0 ? sure : likely_prefix(text).size());
}

// A sentence: no sign that puts a value to a name, many words, and a full stop.
bool is_prose(const Tokenised& line) {
  constexpr int kManyWords = 7;
  const std::string_view end = line.literals.back().core;
  if (!end.ends_with('.') || end.ends_with("..")) return false;
  int words = 0;
  for (const Literal& literal : line.literals) {
    const std::string_view text = literal.core;
    if (text.find_first_of(":=|{") != std::string_view::npos) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (is_letter(text[i]) && (i == 0 || !is_word(text[i - 1]))) ++words;
    }
  }
  return words >= kManyWords;
}

// A line of a program's text.
bool is_source(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  constexpr std::array<std::string_view, 18> kOpenings{"//",     "/*",    "#include", "import ",  "from ", "def ",
                                                       "class ", "self.", "return",   "if (",     "for (", "while (",
                                                       "const ", "void ", "static ",  "#define ", "elif ", "print("};
  return std::any_of(kOpenings.begin(), kOpenings.end(), [&](std::string_view o) { return text.starts_with(o); });
}

// "Test Error:", "Validation": the line behind tells of an evaluation.
bool is_heading(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  text = trimmed_right(text);
  return text.ends_with(':') && text.size() <= kLongest && has_evaluation_word(text);
}

// The name of a progress bar: none, or one that says that it counts training.
bool may_count_training(std::string_view text) {
  const std::string_view name = text.substr(0, std::min(text.find_first_of("0123456789"), text.size()));
  return name.find_first_not_of(" \t-+.") == std::string_view::npos || name.find("rain") != std::string_view::npos ||
         name.find("tep") != std::string_view::npos;
}

}  // namespace

Engine::Engine(Recorder& recorder, bool remember)
    : recorder_(recorder), remember_(remember), sink_(recorder, columns_), message_rows_(messages().size(), -1) {}

void Engine::line(std::string_view text, std::int64_t number, std::size_t dropped, bool unended) {
  if (dropped > 0) ledger_.count(Unused::kTooLong, text, number);
  text = padded_.line(without_container_stamp(text), unended);
  if (is_blank_line(text)) return end_fields();
  if (in_settings_ && !has_control(text)) {
    const bool taken = settings_.take(text, number, unended);
    in_settings_ = !settings_.idle();
    if (taken) return;
  }
  if (prefix_seen_ < kFirstLines) learn_prefix(text);
  unended_ = unended;
  if (unended) sink_.begin_cut_line();
  if (!blocks_.empty() && !has_control(text) && take_brace_line(text, {.number = number})) return;
  if (!held_.empty() && continue_record(text, number)) return;
  if (!heading_.empty() && !unended && !has_control(text) && take_under_heading(text, {.number = number})) return;
  if (unended && !has_control(text)) return unended_line(text, {.number = number, .whole = false, .unended = true});
  const Place place{.number = number};
  if (remember_ && text.size() <= kLongestRecord) {
    if (Shape* shape = cache_.match(text, tokens_.data())) {
      if (act(*shape, tokens_.data(), shape->literals.slots(), text, place)) return;
    }
  }
  if (!has_control(text)) return analyse(text, place);
  const auto parts = clean_.parts(text);  // a copy: reading a part may clean another line
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_blank_line(parts[i])) continue;
    if (unended && i + 1 == parts.size()) {
      unended_line(parts[i], {.number = number, .whole = false, .unended = true});
    } else {
      piece(parts[i], place);
    }
  }
}

// The clock of a container before each line is none of the program's. Where it stands behind a launcher's mark
// ("[pod/x/y] 2024-…Z step 1"), as the first lines show, the line is put together without it.
std::string_view Engine::without_container_stamp(std::string_view text) {
  if (const std::string_view stamp = container_stamp(text); !stamp.empty()) return text.substr(stamp.size());
  if (auto said = container_json(text)) return unstamped_ = std::move(*said);
  if (!stamped_ && prefix_seen_ >= kFirstLines) return text;
  const std::string_view body = behind_launcher(text);
  if (body.size() == text.size()) return text;
  const std::size_t blanks = std::min(body.find_first_not_of(' '), body.size());
  const std::string_view stamp = container_stamp(body.substr(blanks));
  if (stamp.empty()) return text;
  stamped_ = true;
  unstamped_ = text.substr(0, text.size() - body.size() + blanks);
  unstamped_ += body.substr(blanks + stamp.size());
  return unstamped_;
}

void Engine::piece(std::string_view text, Place place) {
  if (!blocks_.empty() && !place.alone && take_brace_line(text, place)) return;
  if (remember_ && text.size() <= kLongestRecord) {
    if (Shape* shape = cache_.match(text, tokens_.data())) {
      if (act(*shape, tokens_.data(), shape->literals.slots(), text, place)) return;
    }
  }
  analyse(text, place);
}

void Engine::analyse(std::string_view text, Place place) {
  if (const std::size_t cut = first_dictionary(text); cut > 0) {  // several on one line
    piece(text.substr(0, cut), {.number = place.number});
    if (!place.unended) return piece(text.substr(cut), place);
    return unended_line(text.substr(cut), place);
  }
  const KeywordSet found = lexicon_.find(trimmed_right(text));  // a shape does not know the blanks at its end
  const bool numeric = has_digit(text) || lexicon_.has_number_word(found);
  if (!numeric || text.size() > kLongestRecord) return without_number(text, found, place);
  tokenise(text, tokenised_);
  if (tokenised_.too_many) {
    ledger_.count(Unused::kSlots, text, place.number);
    return without_number(text, found, place);
  }
  skeleton(tokenised_, skeleton_);
  Shape* known = cache_.find(skeleton_);
  if (known == nullptr &&
      (open_settings(text, place.number) || take_settings(message_of(text), place.number, recorder_))) {
    for (const Message* message : lexicon_.messages(found)) tell(*message, text, place);
    return;
  }
  Shape& shape = remember_ && known != nullptr ? *known : shape_of(text, found, known);
  const std::size_t complete = place.unended ? whole_numbers(shape, text, place) : tokenised_.slots.size();
  if (!act(shape, tokenised_.slots.data(), complete, text, place)) return analyse(text, place);
  if (remember_ && known != nullptr) cache_.used(known);
}

bool Engine::open_settings(std::string_view text, std::int64_t number) {
  if (in_settings_ || !settings_.open(text, number)) return false;
  in_settings_ = !settings_.idle();
  return true;
}

ShapeState* Engine::new_state() {
  states_.emplace_back();
  return &states_.back();
}

// Compiles the tokenised line and keeps it, if there is room. known: the one of its skeleton, or null.
Shape& Engine::shape_of(std::string_view text, const KeywordSet& found, Shape* known) {
  std::unique_ptr<Shape> shape = compile(tokenised_, text, found);
  if (known == nullptr) {
    known = shape->literals.is_sure() ? cache_.add(skeleton_, shape) : nullptr;
    if (known == nullptr) {
      passing_ = std::move(shape);
      passing_->state = &spill_;
      return *passing_;
    }
    known->state = new_state();
    if (remember_) cache_.used(known);
    return *known;
  }
  shape->state = known->state;  // without remembering: compiled anew, only the counts go on
  passing_ = std::move(shape);
  return *passing_;
}

// Numbers of a message are no metrics: "loss scaler 0" of an overflow, a thread's number before "Model diverged". What
// stands before the message, a progress bar that it is glued to, may hold some. Messages beside a record by design (the
// summary of a run, a saved checkpoint) are not meant.
Meaning Engine::meaning_beside_messages(const Tokenised& line, std::string_view text, const Dialect* dialect,
                                        std::span<const Message* const> told, bool lone_step) {
  std::size_t begin = text.size();
  for (const Message* message : told) {
    const bool beside = message->kind == EventKind::kRunEnd || message->kind == EventKind::kRunStart ||
                        message->kind == EventKind::kCheckpointSaved || message->kind == EventKind::kCheckpointLoaded;
    if (!beside) begin = std::min(begin, text.find(message->texts[0]));
  }
  const char* behind = behind_launcher(text).data();
  if (dialect != nullptr || begin >= text.size()) return derive_meaning(line, dialect, behind, lone_step);
  std::size_t slots = 0;
  while (slots < line.slots.size() && line.slots[slots].end <= text.data() + begin) ++slots;
  if (slots == 0) return {};
  Tokenised before;
  before.slots.assign(line.slots.begin(), line.slots.begin() + static_cast<std::ptrdiff_t>(slots));
  before.literals.assign(line.literals.begin(), line.literals.begin() + static_cast<std::ptrdiff_t>(slots));
  before.literals.emplace_back();
  return derive_meaning(before, nullptr, behind, lone_step);
}

std::unique_ptr<Shape> Engine::compile(const Tokenised& line, std::string_view text, const KeywordSet& found) {
  auto shape = std::make_unique<Shape>(line);
  std::string_view opening = behind_launcher(text);
  while (!opening.empty() && is_blank(opening.front())) opening.remove_prefix(1);
  const Dialect* dialect = lexicon_.dialect(opening, found);
  shape->source = is_source(text);
  shape->messages = lexicon_.messages(found);
  shape->traceback = lexicon_.has_traceback(found);
  shape->exception = is_exception_line(message_of(text));
  shape->meaning = meaning_beside_messages(line, text, dialect, shape->messages, first_step_list_ == 1);
  if (first_step_list_ == 0 && shape->meaning.step_list > 0) {
    first_step_list_ = shape->meaning.step_list;
    shape->meaning = meaning_beside_messages(line, text, dialect, shape->messages, first_step_list_ == 1);
  }
  const Meaning& meaning = shape->meaning;
  shape->names = line.slots.empty() || line.slots.back().begin < behind_launcher(text).data();
  const bool has_value = std::any_of(meaning.slots.begin(), meaning.slots.end(),
                                     [](const SlotPlan& slot) { return slot.use == SlotUse::kValue; });
  const Treat treat = dialect == nullptr ? Treat::kMetricRecord : dialect->treat;
  shape->record =
      has_value && !meaning.table_row && treat != Treat::kNoRecord && (treat == Treat::kRecord || meaning.has_core);
  shape->opens_braces = (dialect == nullptr || dialect->anchors[0].starts_with('{')) &&
                        std::count(text.begin(), text.end(), '{') > std::count(text.begin(), text.end(), '}');
  if (!shape->messages.empty() || shape->traceback || shape->exception) shape->meaning.part = Part::kNone;
  // What tells a message repeats numbers of it ("reducing loss scale to 64"); without a step they are no series.
  if (!shape->messages.empty() && dialect == nullptr && !meaning.has_step) shape->record = false;
  if (dialect == nullptr && (is_prose(line) || shape->source)) shape->record = false;
  shape->progress = !shape->record && (meaning.bar_step || text.find("%|") != std::string_view::npos);
  shape->training_bar = shape->progress && meaning.bar_step && may_count_training(behind_launcher(text));
  if (shape->record) {
    intern(shape->meaning, columns_);
    shape->family = sink_.family(shape->meaning);
  }
  return shape;
}

// The last line without numbers may hold the names of a table.
void Engine::note_header(std::string_view text) {
  constexpr std::size_t kLongestHeader = 512;
  const std::string_view body = text.substr(launcher_of(text).size());
  if (text.size() <= kLongestHeader && body.find_first_not_of("|-+:= \t") != std::string_view::npos)
    header_text_ = body;
}

void Engine::without_number(std::string_view text, const KeywordSet& found, Place place) {
  const std::int64_t number = place.number;
  if (open_settings(text, number)) return;
  if (!place.alone && is_heading(text)) heading_ = trimmed_right(text);
  source_lines_ += is_source(text) ? 1 : 0;
  if (!place.alone) {
    if (opens_braces(text, place)) return;
    if (!blocks_.empty() && !is_beside_fields(text)) {
      Block* block = block_of(launcher_of(text));
      if (block != nullptr && !is_stranger(*block)) end_block_of(text);
    }
  }
  note_header(text);
  if (found.any()) {
    const auto told = lexicon_.messages(found);
    for (const Message* message : told) tell(*message, text, place);
    if (!told.empty()) return;
    if (lexicon_.has_traceback(found)) return note_traceback(text, number);
  }
  if (traceback_line_ >= 0 && is_exception_line(message_of(text))) return tell_exception(text, number);
  if (take_settings(message_of(text), number, recorder_)) return;
  ledger_.count(Unused::kNoNumber, text, number);
}

void Engine::finish(bool cut, std::int64_t lines) {
  if (!held_.empty()) {
    truncated_ = truncated_ || unended_;
    give_up_record();
  }
  settings_.finish();
  end_blocks();
  settle_waiting(kNoStep);
  // A traceback without its last line, behind everything else: what ended the run is cut off.
  if (traceback_line_ >= 0 && traceback_rows_ == sink_.rows_seen()) tell_exception(traceback_text_, traceback_line_);
  constexpr std::int64_t kFewSourceLines = 3;  // a traceback has some
  constexpr std::int64_t kSourceShare = 10;
  sink_.finish(source_lines_ < kFewSourceLines || kSourceShare * source_lines_ < lines);
  if (sink_.rows_seen() == 0 && bars_.last.step != kNoStep) recorder_.date_events(bars_.last.step);
  if (planned_ > 0) recorder_.planned_steps(planned_);
  for (const Family& family : sink_.families()) {
    if (family.only_rate && !family.has_step && family.dropped > 0 &&
        take_rate_setting(family.example, family.first_line, recorder_)) {
      continue;
    }
    tell_unused(recorder_, family.example, family.first_line, family.dropped, "might be a record, but is no series");
  }
  std::vector<const ShapeState*> states;
  for (const ShapeState& state : states_) {
    if (!state.example.empty()) states.push_back(&state);
  }
  std::sort(states.begin(), states.end(), [](const auto* a, const auto* b) {
    return a->lines != b->lines ? a->lines > b->lines : a->first_line < b->first_line;
  });
  for (const ShapeState* state : states) {
    tell_unused(recorder_, state->example, state->first_line, state->lines, "numbers, but no metric");
  }
  ledger_.tell(recorder_);
  recorder_.file().lines = lines;
  if (cut || truncated_) {
    recorder_.truncated(lines, cut ? "the input ends in the middle" : "the last line is cut off");
  }
}

}  // namespace assay::lines
