// Any bytes as an event file: no crash, and the same recording however they are cut. Mutations seldom keep a checksum
// right, so the bytes are also taken for the data of one record, within a sound frame.

#include "format/records/event_file.h"
#include "format/records/event_file_writer.h"
#include "recording_digest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  assay::is_event_file("file", bytes, true);
  assay::check_pieces(assay::open_event_file, "file", bytes);
  assay::EventFileWriter writer;
  writer.scalar("loss", 1, 2);
  const std::string framed = writer.bytes() + assay::event_frame(bytes) + writer.bytes();
  assay::check_pieces(assay::open_event_file, "file", framed);
  return 0;
}
