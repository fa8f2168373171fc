#pragma once
// Identifiers: 6c576fac, block_00af3c, 7d9f8b-x2k, run20240528, 0x7f3a2b10, uuids. They name a thing anew on every
// line; a reader that took them for text would see a new format string each time.

#include <cstddef>

namespace assay::lines {

inline constexpr std::size_t kUuidSize = 36;

/// Whether a uuid begins at p.
bool is_uuid(const char* p, const char* end);
/// The end of the identifier that begins at p, which is no number; null where the word there is a name.
const char* identifier_end(const char* p, const char* end);

}  // namespace assay::lines
