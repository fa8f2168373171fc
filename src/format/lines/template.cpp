// Comparing a line with the literals of a shape: the inner loop of reading logs.
//
// How many blanks stand at the ends of a literal is padding ("%8d"); whether there are any is not: "loss 5" is no
// "loss5", "a - 5" no "a -5", and an anchor may end in a blank. Inside a literal the bytes have to be the same. So a
// line that matches has the tokens that the tokenizer would find in it, and the keywords that the lexicon would;
// tests and the fuzz target hold both against each other.

#include <cstring>

#include "format/lines/shape.h"

namespace assay::lines {

namespace {

const char* skip_blanks(const char* p, const char* end) {
  while (p < end && is_blank(*p)) ++p;
  return p;
}

// A sign at the end, and digits in the word before it; or what a digit would make a word of.
bool ends_like_a_number(std::string_view core) {
  if (core.size() > 1 && core.back() == '@' && is_letter(core[core.size() - 2])) return true;  // "acc@1" is a word
  if (core.empty() || (core.back() != '-' && core.back() != '+')) return false;
  for (std::size_t at = core.size() - 1; at > 0; --at) {
    const char c = core[at - 1];
    if (is_digit(c)) return true;
    if (!is_word(c) && c != '.' && c != '-' && c != '+') return false;
  }
  return false;
}

}  // namespace

Template::Template(const Tokenised& line) {
  const std::size_t last = line.literals.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Literal& literal = line.literals[i];
    Piece piece;
    piece.offset = static_cast<std::uint32_t>(text_.size());
    piece.size = static_cast<std::uint32_t>(literal.core.size());
    text_ += literal.core;
    piece.before = literal.blank_before;
    piece.after = literal.blank_after;
    piece.loose = i == last && literal.core.empty();
    piece.word = !literal.core.empty() && is_word(literal.core.back());
    piece.stamp = i < last && line.slots[i].kind == TokenKind::kStamp;
    pieces_.push_back(piece);
    if (i < last && !literal.blank_after && ends_like_a_number(literal.core)) sure_ = false;
  }
}

bool Template::match(std::string_view line, Token* tokens) const {
  const char* p = line.data();
  const char* const end = p + line.size();
  const std::size_t last = pieces_.size() - 1;
  for (std::size_t i = 0;; ++i) {
    const Piece& piece = pieces_[i];
    const char* q = skip_blanks(p, end);
    if (!piece.loose && (q == p ? 0 : q[-1]) != piece.before) return false;
    if (static_cast<std::size_t>(end - q) < piece.size) return false;
    const char* const core = text_.data() + piece.offset;
    if (piece.size > 0 && (*q != *core || std::memcmp(q, core, piece.size) != 0)) return false;
    p = q + piece.size;
    q = skip_blanks(p, end);
    if (i == last) return q == end;
    if ((q == p ? 0 : *p) != piece.after && piece.size > 0) return false;
    tokens[i] = piece.stamp ? scan_token(q, end) : scan_token_quickly(q, end);
    if (!tokens[i] || (tokens[i].kind == TokenKind::kStamp) != piece.stamp) return false;
    if (piece.word && tokens[i].is_word() && is_part_of_key(tokens[i], end)) return false;
    p = tokens[i].end;
  }
}

int Template::match_beginning(std::string_view line, Token* tokens) const {
  const char* p = line.data();
  const char* const end = p + line.size();
  const std::size_t last = pieces_.size() - 1;
  for (std::size_t i = 0;; ++i) {
    const Piece& piece = pieces_[i];
    p = skip_blanks(p, end);
    const auto left = static_cast<std::size_t>(end - p);
    const std::size_t size = left < piece.size ? left : piece.size;
    if (std::memcmp(p, text_.data() + piece.offset, size) != 0) return -1;
    p += size;
    if (p == end) return static_cast<int>(i);
    if (i == last) return -1;
    p = skip_blanks(p, end);
    if (p == end) return static_cast<int>(i);
    tokens[i] = scan_token(p, end);
    if (!tokens[i] || (tokens[i].kind == TokenKind::kStamp) != piece.stamp) {
      // Broken off within a number ("1.5E+") or a word ("na").
      for (const char* c = p; c < end; ++c) {
        if (is_blank(*c)) return -1;
      }
      return static_cast<int>(i);
    }
    p = tokens[i].end;
    // It may have had more digits, or an exponent.
    if (p == end || breaks_number({p, static_cast<std::size_t>(end - p)})) return static_cast<int>(i);
  }
}

}  // namespace assay::lines
