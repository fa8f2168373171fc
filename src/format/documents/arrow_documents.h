#pragma once
// A column of Parquet and Arrow files.

#include <string>
#include <string_view>

#include "format/documents/reader.h"

namespace assay {

/// Parquet, an Arrow file, or an Arrow stream, as far as its name and first bytes tell.
bool is_arrow(std::string_view path, std::string_view start);

Result<DocumentFile> open_arrow_documents(const std::string& path, const DocumentOptions& options);

}  // namespace assay
