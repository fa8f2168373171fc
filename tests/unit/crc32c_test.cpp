#include "format/records/crc32c.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/record_bytes.h"

namespace assay {
namespace {

TEST(Crc32cTest, KnownValuesAndTheSlowTwin) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);            // the check value of the algorithm
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4
  std::string bytes;
  std::uint64_t state = 7;
  for (std::size_t size = 0; size < 300; ++size) {
    const std::uint32_t slow = bytes::castagnoli(bytes);
    EXPECT_EQ(crc32c(bytes), slow) << size;
    EXPECT_EQ(crc32c_by_table(bytes), slow) << size;
    const std::string_view view = bytes;
    EXPECT_EQ(crc32c(view.substr(size / 3), crc32c(view.substr(0, size / 3))), slow);
    EXPECT_EQ(crc32c_by_table(view.substr(size / 3), crc32c_by_table(view.substr(0, size / 3))), slow);
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    bytes += static_cast<char>(state >> 56);
  }
}

}  // namespace
}  // namespace assay
