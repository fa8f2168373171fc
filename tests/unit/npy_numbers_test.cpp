// .npy files whose elements are codes.

#include "study/npy_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace assay {
namespace {

using testing::HasSubstr;

Result<NpyNumbers> codes(std::string_view type, std::string_view format, std::string_view data) {
  std::string bytes = write_npy(std::vector<std::uint64_t>{data.size()}, std::span<const float>{});
  bytes.replace(bytes.find("<f4"), 3, type);
  const std::size_t width = static_cast<std::size_t>(type.back() - '0');
  const std::string shape = "(" + std::to_string(data.size()) + ",)";
  bytes.replace(bytes.find(shape), shape.size(),
                "(" + std::to_string(data.size() / width) + ",)" +
                    std::string(shape.size() - 3 - std::to_string(data.size() / width).size(), ' '));
  std::optional<NumberFormat> of;
  if (!format.empty()) of = number_format(format).value();
  return NpyNumbers::of(NpyFile::of_bytes(bytes.append(data)).value(), "x.npy", of);
}

std::vector<double> all_of(const Result<NpyNumbers>& file) {
  if (!file) return {};
  std::vector<double> out(file->layout().count);
  EXPECT_TRUE(file->read(0, out));
  return out;
}

TEST(NpyNumbers, CodesOfAFormatBecomeNumbers) {
  EXPECT_EQ(all_of(codes("<V2", "bf16", std::string_view("\x80\x3F\x20\xC0", 4))), (std::vector<double>{1, -2.5}));
  EXPECT_EQ(all_of(codes("<u2", "bf16", std::string_view("\x80\x3F\x20\xC0", 4))), (std::vector<double>{1, -2.5}));
  EXPECT_EQ(all_of(codes("<i2", "fp16", std::string_view("\x00\x3C\x00\xC1", 4))), (std::vector<double>{1, -2.5}));
  EXPECT_EQ(all_of(codes("|V1", "e4m3", "\x38\x7E")), (std::vector<double>{1, 448}));
  EXPECT_EQ(all_of(codes("<f1", "e5m2", "\x3C\x7B")), (std::vector<double>{1, 57344}));
  EXPECT_EQ(all_of(codes("|V1", "e2m1", "\xF2\x07")), (std::vector<double>{1, 6}));  // the upper half is nobody's
  EXPECT_EQ(all_of(codes("<f4", "", std::string_view("\x00\x00\x80\x3F", 4))), (std::vector<double>{1}));
}

TEST(NpyNumbers, SaysWhatDoesNotFit) {
  const auto error = [](const Result<NpyNumbers>& file) { return file ? Error{} : file.error(); };
  EXPECT_THAT(error(codes("<V2", "", "abcd")).message, HasSubstr("'<V2', which does not say"));
  EXPECT_THAT(error(codes("<V2", "", "abcd")).hint, HasSubstr("which format"));
  EXPECT_THAT(error(codes("<V2", "e4m3", "abcd")).message, HasSubstr("16 bits; codes of e4m3 have 8"));
  EXPECT_THAT(error(codes("<f4", "fp32", "abcd")).message, HasSubstr("numbers already"));
  for (const auto& file : {codes("<V2", "", "abcd"), codes("<V2", "e4m3", "abcd"), codes("<f4", "fp32", "abcd")}) {
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace assay
