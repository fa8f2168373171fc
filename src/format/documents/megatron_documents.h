#pragma once
// Megatron's token files, where the tokens are bytes of text.

#include <string>
#include <string_view>

#include "format/documents/reader.h"

namespace assay {

/// An index by its first bytes, or one half of a pair of .idx and .bin by its name.
bool is_megatron(std::string_view path, std::string_view start);

/// path: the .idx or the .bin; the other one lies beside it.
Result<DocumentFile> open_megatron_documents(const std::string& path, const DocumentOptions& options);

}  // namespace assay
