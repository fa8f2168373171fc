#include "format/records/event_file_writer.h"

#include <protozero/pbf_writer.hpp>

#include "format/records/crc32c.h"

namespace assay {

namespace {

void put_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// Field 5 of an event: a summary with one value.
std::string summary_of(const std::string& value) {
  std::string summary;
  protozero::pbf_writer(summary).add_message(1, value);
  std::string fields;
  protozero::pbf_writer(fields).add_message(5, summary);
  return fields;
}

}  // namespace

std::string event_frame(std::string_view data) {
  std::string out;
  put_little_endian(out, data.size(), 8);
  put_little_endian(out, masked_crc(crc32c(out)), 4);
  out += data;
  put_little_endian(out, masked_crc(crc32c(data)), 4);
  return out;
}

EventFileWriter::EventFileWriter(double wall_time) : wall_time_(wall_time) {
  std::string version;
  protozero::pbf_writer(version).add_string(3, "brain.Event:2");
  event(0, version);
}

void EventFileWriter::event(std::int64_t step, std::string_view fields) {
  std::string data;
  protozero::pbf_writer writer(data);
  writer.add_double(1, wall_time_);
  if (step != 0) writer.add_int64(2, step);
  data += fields;
  bytes_ += event_frame(data);
}

void EventFileWriter::scalar(std::string_view tag, std::int64_t step, float value) {
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, tag.data(), tag.size());
  writer.add_float(2, value);
  event(step, summary_of(message));
}

void EventFileWriter::text(std::string_view tag, std::int64_t step, std::string_view text) {
  constexpr std::int32_t kString = 7;
  std::string tensor;
  protozero::pbf_writer tensor_writer(tensor);
  tensor_writer.add_enum(1, kString);
  tensor_writer.add_string(8, text.data(), text.size());
  std::string plugin;
  protozero::pbf_writer(plugin).add_string(1, "text");
  std::string metadata;
  protozero::pbf_writer(metadata).add_message(1, plugin);
  std::string message;
  protozero::pbf_writer writer(message);
  writer.add_string(1, tag.data(), tag.size());
  writer.add_message(8, tensor);
  writer.add_message(9, metadata);
  event(step, summary_of(message));
}

}  // namespace assay
