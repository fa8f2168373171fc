#include "assay/finding.h"

namespace assay {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::kNote: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "";
}

}  // namespace assay
