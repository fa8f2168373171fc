// Any bytes as a launch script, as a Python configuration and as Gin: no crash, no hang, the same recording however
// they are cut.

#include "format/config/gin_config.h"
#include "format/config/python_config.h"
#include "format/config/shell_script.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_shell_script("file", bytes, true);
  assay::is_python_config("file.py", bytes, false);
  assay::check_pieces(assay::open_shell_script, "file.sh", bytes);
  assay::check_pieces(assay::open_python_config, "file.py", bytes);
  assay::check_pieces(assay::open_gin_config, "file.gin", bytes);
  return 0;
}
