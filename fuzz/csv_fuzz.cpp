// Any bytes as a table: no crash, and the same recording however they are cut.

#include "format/tables/csv.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_csv("file", bytes, true);
  assay::is_csv("file.csv", bytes, false);
  assay::check_pieces(assay::open_csv, "file.csv", bytes);
  return 0;
}
