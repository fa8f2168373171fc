#pragma once
// Tables of a key and a value that are kept apart by blanks alone, between rules of dashes, as rllab, rlpyt, rlkit and
// garage print what one iteration measured:
//
//     -----------------  ---------
//     Iteration          999
//     AverageReturn       -12.5
//     -----------------  ---------
//
// The rule tells where the columns are, also behind a logger's prefix. A row is handed on as `| key | value |`, which
// is read as the same table with bars.

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::lines {

class PaddedTable {
 public:
  /// The line, or what it is with bars. unended: the value may be cut, and is not closed.
  std::string_view line(std::string_view text, bool unended);

 private:
  std::size_t key_ = 0;    // where the columns begin
  std::size_t value_ = 0;  // 0: no table is open
  std::string row_;
};

}  // namespace assay::lines
