#pragma once
// Megatron's token files, where the tokens are bytes of text.

#include <string>
#include <string_view>

#include "format/documents/reader.h"

namespace assay {

/// An index, or the file of tokens (.bin) beside one.
bool is_megatron(std::string_view path, std::string_view start);

/// path: the .idx or the .bin; the other one lies beside it.
Result<DocumentFile> open_megatron_documents(const std::string& path, const DocumentOptions& options);

}  // namespace assay
