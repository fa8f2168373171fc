// The last line of an input that has no line end: it may have been cut anywhere.
//
// A number that is followed by something is whole. One that touches the end of the input may have lost digits, and a
// loss of "1" that was 1.2 is worse than none. So it is believed only where its line shows that nothing is missing:
// a shape that came before, in which that number has as many decimals as the fewest so far, or, if it is a whole
// number, as many digits as the last time. In a shape that was never seen nothing tells what should follow, and it is
// not believed. The recording is marked as cut wherever a number is left out or the line begins like a known shape.
//
// Limits: an input of one line, without a line end, is what somebody copied, and is doubted only where a number is
// visibly broken off ("1.2e-"). A number that lost a digit but not its place (9.99 of 9.991 where others had two) and a
// whole number that had gained a digit (1234 of 12345 behind 9876) are not noticed.

#include <algorithm>

#include "format/lines/engine.h"

namespace assay::lines {

namespace {

std::string_view trimmed_right(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool can_be_of_record(const Shape& shape) {
  return shape.record || shape.meaning.table_row || shape.meaning.part != Part::kNone;
}

std::int64_t decimals_of(const Token& token) {
  return token.end - std::find(token.begin, token.end, '.') - 1;  // -1: a whole number
}

bool has_lost_digits(const Token& last, const ShapeState& before) {
  const std::int64_t decimals = decimals_of(last);
  if (before.decimals > 0) return decimals < before.decimals;
  return decimals < 0 && last.end - last.begin < before.digits;
}

// What an input that was cut leaves behind the last value: "loss=", "{'loss':", "[0.1,".
bool breaks_off(std::string_view text) {
  constexpr std::string_view kOpen = "=:,([{";
  return !text.empty() && kOpen.find(text.back()) != std::string_view::npos;
}

}  // namespace

// Where the first of several dictionaries on a line ends ("{'loss': 2.1} {'loss': 2.0}", bars between them); 0: no
// second one begins behind it.
std::size_t Engine::first_dictionary(std::string_view text) {
  const std::size_t from = text.find("{'");
  if (from == std::string_view::npos || text.find("{'", from + 2) == std::string_view::npos) return 0;
  std::int64_t depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return text.find("{'", at) == std::string_view::npos ? 0 : at + 1;
  }
  return 0;
}

// How the numbers that end the lines of a shape look.
void Engine::note_end(Shape& shape, const Token* tokens, std::size_t complete, std::string_view text) {
  if (complete == 0 || complete != shape.literals.slots() || !can_be_of_record(shape)) return;
  const Token& last = tokens[complete - 1];
  if (last.kind != TokenKind::kNumber || last.end != text.data() + text.size()) return;  // "false" has no digits
  ShapeState& state = *shape.state;
  const std::int64_t decimals = decimals_of(last);
  if (decimals < 0) {
    state.digits = last.end - last.begin;
  } else if (decimals > 0) {
    state.decimals = state.decimals < 0 ? decimals : std::min(state.decimals, decimals);
  }
}

// How many numbers of the last line, whose shape is new, are whole.
std::size_t Engine::whole_numbers(const Shape& shape, std::string_view text, const Place& place) {
  const std::size_t all = tokenised_.slots.size();
  if (all == 0 || !can_be_of_record(shape)) return all;
  text = trimmed_right(text);
  const char* const end = text.data() + text.size();
  const Token& last = tokenised_.slots.back();
  const bool touches = last.end == end && place.number > 1;
  if (!touches && !breaks_number({last.end, static_cast<std::size_t>(end - last.end)})) {
    truncated_ = truncated_ || (shape.record && breaks_off(text));
    return all;
  }
  truncated_ = true;
  return all - 1;
}

void Engine::unended_line(std::string_view text, Place place) {
  if (first_dictionary(text) > 0) return analyse(text, place);
  tokenise(text, tokenised_);
  skeleton(tokenised_, skeleton_);
  Shape* known = cache_.find(skeleton_);
  if (known != nullptr && can_be_of_record(*known)) {
    std::size_t complete = tokenised_.slots.size();
    const std::string_view trimmed = trimmed_right(text);
    const bool touches = complete > 0 && tokenised_.slots.back().end == trimmed.data() + trimmed.size();
    if (touches && has_lost_digits(tokenised_.slots.back(), *known->state)) --complete;
    truncated_ = truncated_ || complete < tokenised_.slots.size();
    if (complete == 0) return ledger_.count(Unused::kNoMetric, text, place.number);
    if (act(*known, tokenised_.slots.data(), complete, text, place)) return;
    return unended_line(text, place);
  }
  Shape* best = nullptr;
  int most = -1;
  for (const auto& shape : cache_.all()) {
    if (!can_be_of_record(*shape)) continue;
    const int complete = shape->literals.match_beginning(text, tokens_.data());
    if (complete > most) {
      most = complete;
      best = shape.get();
    }
  }
  truncated_ = truncated_ || best != nullptr;
  if (most <= 0) return analyse(text, place);
  best->literals.match_beginning(text, tokens_.data());
  if (!act(*best, tokens_.data(), static_cast<std::size_t>(most), text, place)) unended_line(text, place);
}

}  // namespace assay::lines
