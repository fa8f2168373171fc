#pragma once
// The text of one row of an Arrow column.

#include <arrow/api.h>

#include <string>
#include <string_view>
#include <vector>

#include "format/documents/column_source.h"

namespace assay::columns {

/// Appends the text of a value: strings of every kind, dictionaries of them; a list of strings; the messages of a
/// conversation (structs with content, value or text). As format/documents/text_field.h has it for JSON.
RowState append_value(const arrow::Array& array, std::int64_t row, std::string& out);

/// Appends an id: a string, or an integer as it is printed; false: neither, or null.
bool append_id(const arrow::Array& array, std::int64_t row, std::string& out, bool& number);

/// Whether values of the type may be a text.
bool may_be_text(const arrow::DataType& type);

}  // namespace assay::columns
