#include "format/records/wandb_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <protozero/pbf_writer.hpp>

#include "format/records/log_blocks.h"

namespace assay {

namespace {

void put_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string item_of(std::string_view name, std::string_view json) {
  std::string out;
  protozero::pbf_writer writer(out);
  writer.add_string(1, name.data(), name.size());
  writer.add_string(16, json.data(), json.size());
  return out;
}

std::string items_of(WandbWriter::Items items) {
  std::string out;
  protozero::pbf_writer writer(out);
  for (const auto& [name, json] : items) writer.add_message(1, item_of(name, json));
  return out;
}

std::string within(std::uint32_t field, const std::string& message) {
  std::string out;
  protozero::pbf_writer(out).add_message(field, message);
  return out;
}

}  // namespace

WandbWriter::WandbWriter() : bytes_(":W&B\xe1\xbe\x00", LogBlocks::kHeader) {}

void WandbWriter::run(std::string_view id, std::string_view project, double started, Items config) {
  std::string time;
  protozero::pbf_writer time_writer(time);
  const double whole = std::floor(started);
  time_writer.add_int64(1, static_cast<std::int64_t>(whole));
  time_writer.add_int32(2, static_cast<std::int32_t>((started - whole) * 1e9));
  std::string run;
  protozero::pbf_writer writer(run);
  writer.add_string(1, id.data(), id.size());
  writer.add_string(3, project.data(), project.size());
  writer.add_message(4, items_of(config));
  writer.add_message(17, time);
  record(within(17, run));
}

void WandbWriter::config(Items items) { record(within(5, items_of(items))); }

void WandbWriter::history(std::int64_t step, Items items) {
  std::string history = items_of(items);
  protozero::pbf_writer writer(history);
  writer.add_message(1, item_of("_step", std::to_string(step)));
  std::string number;
  protozero::pbf_writer(number).add_int64(1, step);
  writer.add_message(2, number);
  record(within(2, history));
}

void WandbWriter::console(std::string_view text) {
  std::string output;
  protozero::pbf_writer writer(output);
  writer.add_enum(1, 1);  // stdout
  writer.add_string(3, text.data(), text.size());
  record(within(13, output));
}

void WandbWriter::exit(std::int32_t code) {
  std::string message;
  protozero::pbf_writer(message).add_int32(1, code);
  record(within(18, message));
}

void WandbWriter::record(std::string_view fields) {
  constexpr int kFull = 1;
  constexpr int kFirst = 2;
  constexpr int kMiddle = 3;
  constexpr int kLast = 4;
  std::string data;
  protozero::pbf_writer(data).add_int64(1, ++number_);
  data += fields;
  std::string_view rest = data;
  for (bool first = true; first || !rest.empty(); first = false) {
    const std::size_t left = LogBlocks::kBlock - bytes_.size() % LogBlocks::kBlock;
    if (left < LogBlocks::kHeader) bytes_.append(left, '\0');
    const std::size_t room =
        LogBlocks::kBlock - bytes_.size() % LogBlocks::kBlock - LogBlocks::kHeader;  // none: an empty first chunk
    const std::string_view part = rest.substr(0, room);
    rest.remove_prefix(part.size());
    const bool last = rest.empty();
    chunk(first ? (last ? kFull : kFirst) : (last ? kLast : kMiddle), part);
  }
}

void WandbWriter::chunk(int type, std::string_view data) {
  std::string checked(1, static_cast<char>(type));
  checked += data;
  const auto* bytes = reinterpret_cast<const unsigned char*>(checked.data());
  put_little_endian(bytes_, crc32(0, bytes, static_cast<uInt>(checked.size())), 4);
  put_little_endian(bytes_, data.size(), 2);
  bytes_ += checked;
}

}  // namespace assay
