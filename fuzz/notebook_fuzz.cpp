// Any bytes as a notebook: no crash, and the same recording however they are cut.

#include "format/notebook.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_notebook("file", bytes, true);
  assay::is_notebook("file.ipynb", bytes, false);
  assay::check_pieces(assay::open_notebook, "file.ipynb", bytes);
  return 0;
}
