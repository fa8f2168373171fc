#pragma once
// A second encoder of event files and W&B run files, after their specifications and as slow and plain as can be, so
// that reader and writer do not share a mistake.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace assay::bytes {

inline std::string little(std::uint64_t value, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

/// A reflected CRC of 32 bits, bit by bit.
inline std::uint32_t crc(std::string_view data, std::uint32_t polynomial) {
  std::uint32_t state = 0xffffffff;
  for (const char c : data) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
  }
  return ~state;
}
inline std::uint32_t castagnoli(std::string_view data) { return crc(data, 0x82f63b78); }
inline std::uint32_t zip_crc(std::string_view data) { return crc(data, 0xedb88320); }

// Protocol buffers: key = field << 3 | wire type.
inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127) | 128);
  return out + static_cast<char>(value);
}
inline std::string number(unsigned field, std::uint64_t value) { return varint(field << 3) + varint(value); }
inline std::string text(unsigned field, std::string_view data) {
  return varint(field << 3 | 2) + varint(data.size()) + std::string(data);
}
inline std::string real32(unsigned field, float value) {
  return varint(field << 3 | 5) + little(std::bit_cast<std::uint32_t>(value), 4);
}
inline std::string real64(unsigned field, double value) {
  return varint(field << 3 | 1) + little(std::bit_cast<std::uint64_t>(value), 8);
}

// Event files.
inline std::string frame(std::string_view data) {
  const auto masked = [](std::uint32_t c) { return ((c >> 15) | (c << 17)) + 0xa282ead8U; };
  const std::string length = little(data.size(), 8);
  return length + little(masked(castagnoli(length)), 4) + std::string(data) + little(masked(castagnoli(data)), 4);
}
inline std::string version() { return frame(real64(1, 1700000000.5) + text(3, "brain.Event:2")); }
inline std::string event(std::uint64_t step, std::string_view summary) {
  return frame(real64(1, 1700000001) + number(2, step) + text(5, summary));
}
/// A value of a summary: what stands beside its tag.
inline std::string value(std::string_view tag, std::string_view rest) {
  return text(1, text(1, tag) + std::string(rest));
}
inline std::string scalar(std::uint64_t step, std::string_view tag, float x) {
  return event(step, value(tag, real32(2, x)));
}
/// A tensor as a value. type: of types.proto; rest: of tensor.proto.
inline std::string tensor(std::uint64_t step, std::string_view tag, std::uint64_t type, std::string_view rest,
                          std::string_view plugin = "scalars") {
  return event(
      step, value(tag, text(8, number(1, type) + text(2, "") + std::string(rest)) + text(9, text(1, text(1, plugin)))));
}

// W&B run files.
inline std::string wandb_file(const std::vector<std::string>& records) {
  constexpr std::size_t kBlock = 32768;
  std::string out(":W&B\xe1\xbe\0", 7);
  for (std::string_view rest : records) {
    for (bool first = true; first || !rest.empty(); first = false) {
      if (kBlock - out.size() % kBlock < 7) out.resize((out.size() / kBlock + 1) * kBlock, '\0');
      const std::string_view part = rest.substr(0, kBlock - out.size() % kBlock - 7);
      rest.remove_prefix(part.size());
      const int type = first && rest.empty() ? 1 : first ? 2 : rest.empty() ? 4 : 3;
      const std::string checked = static_cast<char>(type) + std::string(part);
      out += little(zip_crc(checked), 4) + little(part.size(), 2) + checked;
    }
  }
  return out;
}
inline std::string item(std::string_view key, std::string_view json) { return text(1, text(1, key) + text(16, json)); }
inline std::string nested_item(const std::vector<std::string>& keys, std::string_view json) {
  std::string out;
  for (const std::string& key : keys) out += text(2, key);
  return text(1, out + text(16, json));
}
inline std::string history(std::uint64_t step, std::string_view items) {
  return number(1, 7) + text(2, std::string(items) + text(2, number(1, step)));
}

}  // namespace assay::bytes
