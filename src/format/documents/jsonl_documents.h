#pragma once
// JSON lines: one object a line, one document an object.

#include <memory>

#include "format/documents/reader.h"
#include "format/documents/text_field.h"
#include "format/documents/unpacked_file.h"

namespace assay {

std::unique_ptr<DocumentReader> open_jsonl_documents(UnpackedFile file, const DocumentOptions& options,
                                                     TextField field);

/// Looks at the first objects of JSON lines.
FieldChoice choose_field(std::string_view lines, std::string_view field);

}  // namespace assay
