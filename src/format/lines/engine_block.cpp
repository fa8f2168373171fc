// Records that go over several lines without saying so: pretty-printed JSON and Python dictionaries, blocks of
// "key: value" lines under a line that tells the step, tables of one metric a row.
//
// Nothing here knows what the fields mean. Lines that can be parts of one record are joined into the line that a
// program with less love for paper would have printed, and that line is read like any other: it gets a shape, the step
// and the metrics are chosen among all its fields, a dialect may claim it. Whether it was one record is decided by what
// comes out: if the joined line is no record, each of its lines is read for itself.
//
//   * Braces: a line that opens more than it closes begins a block; lines that look like parts of an object go on; the
//     line that closes the last brace ends it. A few lines of other origin may stand between.
//   * Fields: a line of one field (behind what a logger puts before it) goes on with the fields before it. A key that
//     comes again, a line that tells the step after fields, a blank line and any line of another kind begin something
//     new. Where the first line that tells a step stood behind fields, it ends the record instead.
//
// Lines of several processes are kept apart by their launcher's mark. Limits: 512 lines, 32 KiB, 32 processes.

#include <algorithm>

#include "format/lines/engine.h"

namespace assay::lines {

namespace {

constexpr std::size_t kMostLines = 512;
constexpr std::size_t kMostBytes = std::size_t{32} << 10;
constexpr std::size_t kMostBlocks = 32;
constexpr int kMostStrangers = 8;
constexpr int kEnough = 3;  // lines that show a launcher's mark

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::int64_t open_braces(std::string_view text) {
  return std::count(text.begin(), text.end(), '{') - std::count(text.begin(), text.end(), '}');
}

// What a logger put before a part of an object: dates, times, and all up to the object behind the name of a level.
std::string_view behind_logger(std::string_view text) {
  text = trimmed(text);
  for (Token token; (token = scan_token(text.data(), text.data() + text.size())).kind == TokenKind::kStamp;) {
    text = trimmed({token.end, static_cast<std::size_t>(text.data() + text.size() - token.end)});
  }
  const std::size_t at = text.find_first_of("\"'{}");
  if (at == std::string_view::npos || at == 0) return text;
  for (const std::string_view level : {"INFO", "WARN", "DEBUG", "ERROR"}) {
    if (text.substr(0, at).find(level) != std::string_view::npos) return text.substr(at);
  }
  return text;
}

bool looks_like_object(std::string_view body, std::int64_t change) {
  if (body.empty()) return false;
  if (change < 0) return true;
  if (body.front() == '{' && change == 0 && body.back() == '}') return false;  // a whole one
  constexpr std::string_view kBegins = "\"'{}[]-+.";
  return kBegins.find(body.front()) != std::string_view::npos || is_digit(body.front()) || body.starts_with("NaN") ||
         body.starts_with("nan") || body.starts_with("Infinity") || body.starts_with("inf");
}

// "├──────┼──────┤", nothing but lines (U+2500 to U+257F).
bool is_drawn_rule(std::string_view body) {
  if (body.size() < 3 || body.size() % 3 != 0) return false;
  for (std::size_t at = 0; at < body.size(); at += 3) {
    if (body[at] != '\xe2' || (body[at + 1] != '\x94' && body[at + 1] != '\x95')) return false;
  }
  return true;
}

// More than settings tell: a measured number, or something that calls itself a loss beside a step.
bool is_worth_a_record(const Meaning& meaning) {
  return meaning.dialect != nullptr || meaning.measured || (meaning.loss_like && meaning.has_step);
}

}  // namespace

// The first lines show what the launcher puts before each: three in a row that begin alike, up to their digits.
void Engine::learn_prefix(std::string_view text) {
  if (!prefix_.empty() && prefix_lines_ >= kEnough) return;
  if (++prefix_seen_ > kFirstLines) {
    prefix_.clear();
    return;
  }
  const std::string_view now = likely_prefix(text);
  if (!now.empty() && same_but_digits(now, prefix_)) {
    ++prefix_lines_;
  } else {
    prefix_ = now;
    prefix_lines_ = now.empty() ? 0 : prefix_seen_ == 1 ? kEnough : 1;  // of the first line it is believed
  }
}

std::string_view Engine::launcher_of(std::string_view text) const {
  const std::string_view sure = launcher_prefix(text);
  if (!sure.empty() || prefix_lines_ < kEnough) return sure;
  const std::string_view likely = likely_prefix(text);
  return !likely.empty() && same_but_digits(likely, prefix_) ? likely : sure;
}

// "[rank0]: RuntimeError: …" without what the launcher put before it.
std::string_view Engine::message_of(std::string_view text) const {
  text.remove_prefix(launcher_of(text).size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

Engine::Block* Engine::block_of(std::string_view launcher) {
  for (Block& block : blocks_) {
    if (block.depth == 0 && block.launcher == launcher) return &block;
  }
  return nullptr;
}

bool Engine::opens_braces(std::string_view text, Place place) {
  const std::string_view body = trimmed(text.substr(launcher_of(text).size()));
  const std::int64_t depth = open_braces(body);
  if (depth <= 0 || blocks_.size() >= kMostBlocks) return false;
  if (body.front() != '{' && body.back() != '{' && body.back() != ',') return false;
  end_block_of(text);
  Block& block = blocks_.emplace_back();
  block.launcher = launcher_of(text);
  block.joined = text;
  block.depth = depth;
  block.lines.push_back({std::string(text), place.number});
  return true;
}

bool Engine::take_brace_line(std::string_view text, Place place) {
  const std::string_view launcher = launcher_of(text);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    if (block.depth == 0 || block.launcher != launcher) continue;
    const std::string_view body = behind_logger(text.substr(launcher.size()));
    const std::int64_t change = open_braces(body);
    if (!looks_like_object(body, change)) {
      if (++block.strangers > kMostStrangers) end_block(b);
      return false;
    }
    // A number or a word is broken only where a terminal's width ends.
    constexpr std::size_t kNarrowest = 60;
    if (block.lines.back().text.size() < kNarrowest && !block.joined.ends_with('{')) block.joined += ' ';
    join(block.joined, body);
    block.lines.push_back({std::string(text), place.number});
    block.depth += change;
    if (block.depth <= 0 || block.lines.size() >= kMostLines || block.joined.size() > kMostBytes) end_block(b);
    return true;
  }
  return false;
}

Engine::Taken Engine::take_part(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text,
                                Place place) {
  const Meaning& meaning = shape.meaning;
  const std::string_view launcher = launcher_of(text);
  Block* block = block_of(launcher);
  const bool whole = complete == meaning.slots.size() && complete > 0;
  // A line of several values that tells no step takes that of the header before it.
  const bool under_header = block != nullptr && block->has_header && shape.record && !meaning.has_step &&
                            meaning.dialect == nullptr && !meaning.table_row;
  const bool part = (meaning.part != Part::kNone || under_header) && !shape.state->repeats;
  if (!whole || !part) {
    if (block == nullptr) return Taken::kNo;
    if (!shape.record && (is_beside_fields(text) || is_stranger(*block))) return Taken::kNo;
    end_block_of(text);
    return Taken::kAgain;
  }
  const char* from = meaning.body_slot == 0 ? text.data() : tokens[meaning.body_slot - 1].end;
  while (is_blank(*from)) ++from;
  from += meaning.body_skip;
  while (is_blank(*from)) ++from;
  const std::string_view body(from, static_cast<std::size_t>(text.data() + text.size() - from));
  const Token& value = tokens[meaning.key_slot];
  const std::string_view key =
      from < value.begin ? std::string_view(from, static_cast<std::size_t>(value.begin - from)) : std::string_view{};
  const bool header = meaning.part == Part::kHeader;
  if (block != nullptr) {
    const bool again = std::find(block->keys.begin(), block->keys.end(), key) != block->keys.end();
    const bool full = block->lines.size() >= kMostLines || block->joined.size() + body.size() > kMostBytes;
    const bool behind = header && block->has_field && meaning.dialect == nullptr && body.front() != '|';
    if (behind && headers_ == Headers::kUnknown) headers_ = Headers::kTrail;
    const bool ends = behind && headers_ == Headers::kTrail && !block->has_header;
    const bool anew = (behind && !ends) || meaning.dialect != nullptr;
    if (again || full || anew) {
      // "Epoch 1", then "loss: 0.5" for every batch: the header speaks for all of them.
      const bool repeats = again && !header && block->has_header && !block->sure;
      if (repeats && shape.state != &spill_) shape.state->repeats = true;
      end_block_of(text, repeats);
      return Taken::kAgain;
    }
    block->joined += body.starts_with('|') ? " " : ", ";
    block->joined += body;
    if (ends && !again) {
      block->lines.push_back({std::string(text), place.number});
      end_block_of(text);
      return Taken::kYes;
    }
  } else {
    if (blocks_.size() >= kMostBlocks) return Taken::kNo;
    if (header && headers_ == Headers::kUnknown) headers_ = Headers::kLead;
    block = &blocks_.emplace_back();
    block->launcher = launcher;
    block->joined = text;
  }
  block->lines.push_back({std::string(text), place.number});
  block->keys.emplace_back(key);
  block->sure = block->sure || meaning.dialect != nullptr;
  block->has_header = block->has_header || header;
  block->has_field = block->has_field || !header;
  return Taken::kYes;
}

// Another line under the header of a known program: its fields go on behind it.
bool Engine::is_stranger(Block& block) { return block.sure && ++block.strangers <= kMostStrangers; }

// A line without a field that a block may go on behind: a heading within a table, a rule before its first row.
bool Engine::is_beside_fields(std::string_view text) const {
  const std::string_view launcher = launcher_of(text);
  for (const Block& block : blocks_) {
    if (block.depth > 0 || block.launcher != launcher) continue;
    const std::string_view body = behind_logger(text.substr(launcher.size()));
    const std::string_view last = behind_logger(std::string_view(block.lines.back().text).substr(launcher.size()));
    const bool bars = last.starts_with('|') || last.starts_with("│");
    return (bars && body.starts_with('|')) || (bars && is_drawn_rule(body)) ||
           (!block.has_field && body.find_first_not_of("-=+*#_") == std::string_view::npos);
  }
  return false;
}

bool Engine::end_block_of(std::string_view text, bool apart) {
  const std::string_view launcher = launcher_of(text);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (blocks_[b].depth > 0 || blocks_[b].launcher != launcher) continue;
    end_block(b, apart);
    return true;
  }
  return false;
}

// The joined text as one line, if that is a record.
bool Engine::take_joined(const std::string& text, std::int64_t number) {
  tokenise(text, tokenised_);
  if (tokenised_.too_many) return false;
  skeleton(tokenised_, skeleton_);
  const KeywordSet found = lexicon_.find(trimmed(text));
  Shape* known = cache_.find(skeleton_);
  Shape& shape = remember_ && known != nullptr ? *known : shape_of(text, found, known);
  if (!shape.record || !is_worth_a_record(shape.meaning)) return false;
  act(shape, tokenised_.slots.data(), tokenised_.slots.size(), text, {.number = number, .whole = false, .alone = true});
  if (remember_ && known != nullptr) cache_.used(known);
  return true;
}

// "Test Error:", and on the next line "Accuracy: 70.1%, Avg loss: 0.81": read as one line.
bool Engine::take_under_heading(std::string_view text, Place place) {
  const std::string joined = heading_ + ' ' + std::string(trimmed(text));
  heading_.clear();
  return blocks_.empty() && take_joined(joined, place.number);
}

// apart: each line for itself.
void Engine::end_block(std::size_t which, bool apart) {
  const Block block = std::move(blocks_[which]);
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which));
  if (block.lines.size() > 1 && !apart && take_joined(block.joined, block.lines.front().number)) return;
  for (const HeldLine& line : block.lines) piece(line.text, {.number = line.number, .alone = true});
}

// A blank line ends what has fields.
void Engine::end_fields() {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.depth == 0 && block.has_field && !block.sure && block.launcher.empty()) return end_block(b);
  }
}

void Engine::end_blocks() {
  while (!blocks_.empty()) end_block(0);
}

}  // namespace assay::lines
