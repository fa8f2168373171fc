// Any bytes as a W&B run file: no crash, and the same recording however they are cut. Mutations seldom keep a checksum
// right, so the bytes are also taken for the fields of one record, within sound blocks.

#include "format/records/wandb.h"
#include "format/records/wandb_writer.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_wandb("file", bytes, true);
  assay::check_pieces(assay::open_wandb, "file", bytes);
  assay::WandbWriter writer;
  writer.console("iter 1\n");
  writer.record(bytes);
  writer.history(2, {});
  assay::check_pieces(assay::open_wandb, "file", writer.bytes());
  return 0;
}
