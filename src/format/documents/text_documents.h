#pragma once
// Plain text: a file, its paragraphs or its lines are the documents.

#include <memory>

#include "format/documents/reader.h"
#include "format/documents/unpacked_file.h"

namespace assay {

std::unique_ptr<DocumentReader> open_text_documents(UnpackedFile file, const DocumentOptions& options);

/// Where the first paragraph begins behind a blank line, from `from` (0 or more) on; npos: none does, as far as the
/// text goes. A line of blanks is blank. from: at or behind the start of a line is as good as anywhere.
std::size_t next_paragraph(std::string_view text, std::size_t from);

}  // namespace assay
