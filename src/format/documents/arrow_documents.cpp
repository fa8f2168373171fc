#include "format/documents/arrow_documents.h"

namespace assay {

bool is_arrow(std::string_view path, std::string_view start) {
  return start.starts_with("PAR1") || start.starts_with("ARROW1") ||
         (path.ends_with(".arrow") && start.starts_with("\xff\xff\xff\xff"));
}

Result<DocumentFile> open_arrow_documents(const std::string& path, const DocumentOptions&) {
  Location where;
  where.path = path;
  return fail(ErrorCode::kUnrecognised, "is a Parquet or Arrow file, which needs Apache Arrow", std::move(where),
              "export the text as JSON lines");
}

}  // namespace assay
