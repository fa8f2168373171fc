#include "format/lines/tokenizer.h"

namespace assay::lines {

namespace {

Literal literal_of(std::string_view text) {
  Literal out;
  std::size_t from = 0;
  std::size_t to = text.size();
  while (from < to && is_blank(text[from])) ++from;
  while (to > from && is_blank(text[to - 1])) --to;
  out.core = text.substr(from, to - from);
  if (from > 0) out.blank_before = text[from - 1];
  if (to < text.size()) out.blank_after = text[to];
  return out;
}

// The end of the word at p: "stage_1_and_2", "fp16", "v2.1.3" (a version behind a word belongs to it).
const char* word_run(const char* p, const char* end) {
  while (p < end) {
    if (is_word(*p)) {
      ++p;
    } else if (end - p > 1 && is_digit(p[1]) && (*p == '.' ? is_digit(p[-1]) : *p == '@' && is_letter(p[-1]))) {
      ++p;  // "acc@1" is a word, too
    } else {
      break;
    }
  }
  return p;
}

bool behind_word(const char* literal, const char* p) {
  while (p > literal && is_blank(p[-1])) --p;
  return p > literal && is_word(p[-1]);
}

}  // namespace

void tokenise(std::string_view line, Tokenised& out) {
  out.literals.clear();
  out.slots.clear();
  out.too_many = false;
  out.has_value = false;
  const char* const end = line.data() + line.size();
  const char* literal = line.data();
  const char* p = literal;
  while (p < end) {
    const bool boundary = p == line.data() || (!is_word(p[-1]) && p[-1] != '.') || p == literal;
    if (boundary && (is_digit(*p) || is_letter(*p) || *p == '-' || *p == '+' || *p == '.')) {
      // Directly behind another slot only what is no part of it can follow: a sign there is a hyphen.
      const bool behind_slot = p == literal && !out.slots.empty();
      Token token = behind_slot ? Token{} : scan_token(p, end);
      if (token.is_word() && behind_word(literal, p) && is_part_of_key(token, end)) token = {};
      if (token) {
        if (out.slots.size() == kMostSlots) {
          out.too_many = true;
          break;
        }
        out.literals.push_back(literal_of({literal, static_cast<std::size_t>(p - literal)}));
        out.slots.push_back(token);
        out.has_value = out.has_value || token.is_value();
        p = literal = token.end;
        continue;
      }
    }
    p = is_word(*p) ? word_run(p, end) : p + 1;
  }
  out.literals.push_back(literal_of({literal, static_cast<std::size_t>(end - literal)}));
}

void skeleton(const Tokenised& line, std::string& out) {
  out.clear();
  const auto mark = [&out](char blank) {
    if (blank != 0) out += blank == '\t' ? '\x04' : '\x02';
  };
  for (std::size_t i = 0; i < line.literals.size(); ++i) {
    const Literal& literal = line.literals[i];
    const bool last = i == line.slots.size();
    if (!last || !literal.core.empty()) mark(literal.blank_before);  // blanks at the end of a line mean nothing
    out += literal.core;
    if (last) break;
    mark(literal.blank_after);
    out += line.slots[i].kind == TokenKind::kStamp ? '\x03' : '\x01';
  }
}

}  // namespace assay::lines
