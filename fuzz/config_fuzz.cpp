// Any bytes as YAML, TOML and JSON settings: no crash, no endless growth, the same recording however they are cut, and
// whatever the numbers are, what is derived from them stays within its type.

#include "format/config/config_file.h"
#include "measure/derive.h"
#include "recording_digest.h"

namespace assay {
namespace {

void derive_all(OpenReader open, std::string_view bytes) {
  Recorder recorder("file");
  const std::unique_ptr<StreamReader> reader = open(recorder);
  reader->feed({bytes.data(), bytes.size()});
  reader->finish(false);
  const Recording got = std::move(recorder).finish();
  derive(got.config, got.dialect);
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::check_pieces(assay::open_yaml, "file.yaml", bytes);
  assay::check_pieces(assay::open_toml, "file.toml", bytes);
  assay::derive_all(assay::open_yaml, bytes);
  assay::derive_all(assay::open_toml, bytes);
  assay::Recorder recorder("file.json");
  assay::record_json_settings(bytes, true, recorder);
  return 0;
}
