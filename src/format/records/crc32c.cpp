// CRC-32C in two ways that give the same bits.
//
// x86-64 has an instruction for this very polynomial (SSE 4.2): eight bytes in one step of three cycles. The records
// of an event file are some forty bytes long, so that the interleaved streams and carry-less multiplications which long
// buffers are worth would gain nothing here. Elsewhere eight tables take eight bytes a step ("slicing by 8": Kounavis
// and Berry, "A systematic approach to building high performance software-based CRC generators", 2005): table k holds
// the checksum of a byte followed by k zeros, and since a CRC is linear, the eight contributions are added by xor.

#include "format/records/crc32c.h"

#include <array>
#include <bit>
#include <cstring>

namespace assay {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables out{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    out[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = out[k - 1][byte];
      out[k][byte] = (before >> 8) ^ out[0][before & 0xff];
    }
  }
  return out;
}
constexpr Tables kTables = make_tables();

std::uint64_t eight_bytes(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::string_view bytes, std::uint32_t before) {
  std::uint64_t crc = before ^ 0xffffffffU;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; end - at >= 8; at += 8) crc = __builtin_ia32_crc32di(crc, eight_bytes(at));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; at != end; ++at) rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
  return rest ^ 0xffffffffU;
}
#endif

}  // namespace

std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before) {
  std::uint32_t crc = before ^ 0xffffffffU;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    const std::uint64_t word = eight_bytes(at) ^ crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; at != end; ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  return crc ^ 0xffffffffU;
}

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) return by_instruction(bytes, before);
#endif
  return crc32c_by_table(bytes, before);
}

}  // namespace assay
