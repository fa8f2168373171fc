#pragma once
// A column of a table in text: each row a document.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/documents/reader.h"
#include "format/documents/unpacked_file.h"

namespace assay {

/// Where the text of a table is.
struct CsvColumns {
  char delimiter = ',';
  bool has_header = true;
  std::size_t count = 0;          // columns
  std::vector<std::size_t> text;  // one, or those that are joined, in this order; empty: not found
  std::size_t id = npos;
  std::string field;               // as people write it
  std::vector<std::string> names;  // of the header
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

/// start: the first bytes of the file, a row at least. field: a name, names joined by '+', or the number of a column
/// from 1; empty: the columns that the fields of JSON objects are looked for under. delimiter: 0: told by the header.
CsvColumns find_csv_columns(std::string_view start, std::string_view field, char delimiter);

std::unique_ptr<DocumentReader> open_csv_documents(UnpackedFile file, const DocumentOptions& options,
                                                   CsvColumns columns);

}  // namespace assay
