#pragma once
// The texts behind `<<EOF`. A body is read where it is announced, so that the command has it at once; the lines that it
// takes are passed over when the line of the announcement ends.

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/config/shell_lexer.h"

namespace assay::shell {

class HereDocuments {
 public:
  explicit HereDocuments(std::string_view text) : text_(text) {}

  /// The lexer stands at `<<`. False: no end is named.
  bool read(Lexer& lexer, std::vector<Heredoc>& out);
  /// The lexer stands behind a line end: the bodies announced on that line are passed over.
  void pass(Lexer& lexer);
  void forget() { pending_ = false; }

 private:
  std::string_view text_;
  bool pending_ = false;  // a body has been announced on this line
  std::size_t skip_to_ = 0;
  std::int64_t skip_line_ = 0;
};

}  // namespace assay::shell
