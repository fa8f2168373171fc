#include "format/config/shell_heredoc.h"

#include <algorithm>
#include <string>

namespace assay::shell {

bool HereDocuments::read(Lexer& lexer, std::vector<Heredoc>& out) {
  lexer.advance(2);
  const bool tabs = lexer.peek() == '-';
  if (tabs) lexer.advance();
  lexer.skip_blanks();
  std::string name;
  bool quoted = false;
  for (const Part& part : lexer.word()) {
    name += part.text;
    quoted = quoted || part.quoted;
  }
  if (name.empty()) return false;
  const std::size_t begin = pending_ ? skip_to_ : text_.find('\n', lexer.position()) + 1;
  if (begin == 0) return true;  // the file ends with this line
  const std::int64_t first = pending_ ? skip_line_ : lexer.line() + 1;
  std::size_t at = begin;
  std::size_t end = text_.size();
  skip_line_ = first;
  while (at < text_.size()) {
    const std::size_t stop = std::min(text_.find('\n', at), text_.size());
    std::string_view line = text_.substr(at, stop - at);
    while (tabs && line.starts_with('\t')) line.remove_prefix(1);
    const bool ends = line == name;
    if (ends) end = at;
    at = std::min(stop + 1, text_.size());
    ++skip_line_;
    if (ends) break;
  }
  Heredoc& document = out.emplace_back();
  document.line = first;
  const std::string_view body = text_.substr(begin, end - begin);
  if (quoted) {
    document.body.push_back({.quoted = true, .line = first, .text = std::string(body)});
  } else {
    document.body = Lexer(body, first).text_until(body.size());
  }
  skip_to_ = at;
  pending_ = true;
  return true;
}

void HereDocuments::pass(Lexer& lexer) {
  if (pending_ && skip_to_ > lexer.position()) lexer.go_back(skip_to_, skip_line_);
  pending_ = false;
}

}  // namespace assay::shell
