// Any bytes as JSON lines: no crash, and the same recording however they are cut.

#include "format/tables/jsonl.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_jsonl("file", bytes, true);
  assay::is_jsonl("file.jsonl", bytes, false);
  assay::check_pieces(assay::open_jsonl, "file.jsonl", bytes);
  return 0;
}
