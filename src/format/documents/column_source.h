#pragma once
// What the reader of Parquet and Arrow files asks of Apache Arrow. Behind it stands a module (src/format/arrow/) that
// is built where Arrow is there and loaded when the first such file is opened: linked in, its 60 MB would cost every
// start of the tool 11 ms and make Arrow a condition of building it.
//
// The module uses nothing of the library but headers, and both are of one build: what passes between them are types of
// C++.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"
#include "format/documents/reader.h"

namespace assay {

/// How a row stands in the bytes of a block: a byte of state, a byte that tells whether the id is a number, the length
/// of the id (u32, little endian), the id, the text. Where rows end, `ends` tells.
enum class RowState : std::uint8_t { kText, kList, kNull, kWrongType };
inline constexpr std::size_t kRowHead = 6;

struct ColumnRequest {
  std::string path;
  std::string field;  // a column, a path below one, several joined by '+'; empty: the first of `fields` that is there
  std::span<const std::string_view> fields;
  std::span<const std::string_view> ids;
  std::size_t block = 0;
  std::uint64_t longest = 0;  // bytes of a text; of a longer one only the first are kept
};

class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  /// Rows whose bytes are at least the size of a block, or the last ones; false: the end. The block comes empty.
  virtual Result<bool> next(DocumentBlock& block) = 0;
};

struct OpenedColumns {
  std::unique_ptr<ColumnSource> source;  // null: no column was chosen; `names` tells which there are
  std::string kind;                      // "parquet", "arrow"
  std::string field;
  std::vector<std::string> names;
};

/// What the module exports.
inline constexpr const char* kOpenColumns = "assay_open_columns";
using OpenColumns = void (*)(const ColumnRequest& request, Result<OpenedColumns>& out);

}  // namespace assay
