#pragma once
// Files that are no log, told by their first bytes, so that the user learns what was passed over and what to do.

#include <cstddef>
#include <optional>
#include <string_view>

namespace assay {

struct ForeignKind {
  std::string_view kind;     // for FileRecord::kind
  std::string_view message;  // "is …"
  std::string_view hint;     // may be empty
};

/// prefix: at most the first 64 KiB, as stored or unpacked. Nothing for what may be text.
std::optional<ForeignKind> foreign_kind(std::string_view prefix);

/// Control characters and broken UTF-8 in a share that no log has.
bool looks_binary(std::string_view prefix);

}  // namespace assay
