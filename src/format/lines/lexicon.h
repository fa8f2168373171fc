#pragma once
// The texts by which dialects and messages are known, all in one automaton, made once for the program.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "format/lines/dialect.h"
#include "format/lines/keywords.h"
#include "format/lines/messages.h"

namespace assay::lines {

class Lexicon {
 public:
  static const Lexicon& get();

  KeywordSet find(std::string_view line) const { return keywords_.find(line); }

  /// The dialect whose anchors are in `line`, or null. found: what find(line) gave.
  const Dialect* dialect(std::string_view line, const KeywordSet& found) const;
  /// Of several wordings of one kind only the first of the table.
  std::vector<const Message*> messages(const KeywordSet& found) const;
  /// The line has the anchors of a record that may go over several lines.
  bool opens_wrapped_record(const KeywordSet& found) const;
  /// It holds a word that is a number ("nan", "inf") or stands for one.
  bool has_number_word(const KeywordSet& found) const;
  bool has_traceback(const KeywordSet& found) const { return found[traceback_]; }

 private:
  Lexicon();
  Keywords keywords_;
  std::vector<std::array<std::size_t, 3>> dialects_;
  std::vector<std::array<std::size_t, 2>> messages_;
  std::array<std::size_t, 8> words_{};
  std::size_t traceback_ = 0;
};

}  // namespace assay::lines
