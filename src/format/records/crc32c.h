#pragma once
// The checksum of TensorBoard's event files: CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected 0x82F63B78), and the
// mask that keeps a checksum of bytes which hold checksums themselves from being predictable (LevelDB's log format).

#include <cstdint>
#include <string_view>

namespace assay {

/// Of `bytes` behind those whose checksum is `before`. One instruction for eight bytes where the processor has it, the
/// same bits everywhere.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

/// The way for processors without the instruction; public so that tests can compare the two.
std::uint32_t crc32c_by_table(std::string_view bytes, std::uint32_t before = 0);

constexpr std::uint32_t masked_crc(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8U; }

}  // namespace assay
