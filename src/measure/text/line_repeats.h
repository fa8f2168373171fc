#pragma once
// Lines and sentences of a text that occur more than once.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"

namespace assay {

struct LineRepeats {
  struct Stretch {
    std::size_t offset = 0;
    std::size_t length = 0;
  };
  std::size_t units = 0;               // lines, or sentences of long lines
  std::size_t repeated_bytes = 0;      // of wordy units, all occurrences but the first
  std::size_t long_bytes = 0;          // the same of units from 60 bytes on that occur at least three times
  std::size_t structural_bytes = 0;    // the same of units with signs of a format: code, tables, markup
  std::size_t most = 0;                // how often the most frequent wordy unit occurs (by its bytes)
  std::size_t most_bytes = 0;          // of all its occurrences but the first
  std::size_t most_structural = 0;     // how often the most frequent of the others occurs
  std::size_t counter_units = 0;       // units that differ in numbers only
  std::size_t counter_bytes = 0;       // of them
  std::vector<Stretch> repeated = {};  // neighbouring units that occur elsewhere, too (of counters: all of one form)
};

class LineCounter {
 public:
  /// Cheap: whether many lines or sentences begin alike (numbers aside). Never false where a third of the bytes are
  /// repeats of lines or sentences from 12 bytes on.
  bool is_suspicious(std::string_view text, const TextSurvey& survey);
  /// Counts, at most the first 65,536 units.
  void count(std::string_view text, const TextSurvey& survey, LineRepeats& out);

 private:
  struct Unit {
    std::size_t offset = 0;
    std::size_t length = 0;
    std::uint64_t hash = 0;
  };
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t count = 0;
    std::uint32_t units = 0;  // first one
  };
  std::size_t slot_of(std::uint64_t hash) const;
  void cut(std::string_view text, const TextSurvey& survey);
  void fill_table(std::string_view text, bool folded);

  std::vector<std::uint32_t> tags_;
  std::vector<Unit> units_;
  std::vector<Entry> table_;
};

}  // namespace assay
