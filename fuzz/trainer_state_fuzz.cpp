// Any bytes as a JSON document: no crash, and the same recording however they are cut.

#include "format/tables/json_history.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_json_document("file", bytes, true);
  assay::is_json_document("file.json", bytes, false);
  assay::check_pieces(assay::open_json_document, "trainer_state.json", bytes);
  return 0;
}
