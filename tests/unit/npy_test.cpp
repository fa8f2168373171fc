// .npy files of our own making: every type, both orders, broken and hostile headers, cuts. Files of numpy itself:
// tests/oracle/against_numpy.py.

#include "format/tensors/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "num/codes.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;

std::string npy(std::string_view header, std::string_view data, char major = 1) {
  std::string out = "\x93NUMPY";
  out += {major, '\0'};
  const std::size_t size = header.size();
  for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) out += static_cast<char>(size >> (8 * byte) & 0xFF);
  return out.append(header).append(data);
}

std::string plain(std::string_view type, std::string_view shape, std::string_view data, bool fortran = false) {
  return npy("{'descr': '" + std::string(type) + "', 'fortran_order': " + (fortran ? "True" : "False") +
                 ", 'shape': " + std::string(shape) + ", }  \n",
             data);
}

std::string bytes_of(std::uint64_t pattern, std::size_t count, bool big_endian) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += static_cast<char>(pattern >> (8 * (big_endian ? count - 1 - i : i)) & 0xFF);
  }
  return out;
}

std::vector<double> all_of(const NpyFile& file) {
  std::vector<double> out(static_cast<std::size_t>(file.layout().count));
  const Result<void> read = file.read(0, out);
  EXPECT_TRUE(read) << read.error().message;
  return out;
}

std::vector<double> read_back(const std::string& bytes) {
  const Result<NpyFile> file = NpyFile::of_bytes(bytes);
  EXPECT_TRUE(file) << file.error().message;
  return file ? all_of(*file) : std::vector<double>{};
}

TEST(Npy, ReadsEveryTypeInBothByteOrders) {
  struct Case {
    const char* kind;
    std::size_t bytes;
    std::uint64_t pattern;
    double value;
  };
  const Case cases[] = {
      {"i", 1, 0x80, -128},
      {"i", 2, 0xFFFE, -2},
      {"i", 4, 0x80000000, -2147483648.0},
      {"i", 8, ~std::uint64_t{0}, -1},
      {"u", 1, 0x80, 128},
      {"u", 2, 0xFFFE, 65534},
      {"u", 4, 0x80000001, 2147483649.0},
      {"u", 8, std::uint64_t{1} << 63, 0x1p63},
      {"b", 1, 1, 1},
      {"f", 2, 0xC001, -2.001953125},
      {"f", 4, 0x3F800001, 1 + 0x1p-23},
      {"f", 8, 0x3FF0000000000001, 1 + 0x1p-52},
      {"f", 2, 0x7C00, INFINITY},
      {"f", 4, 0xFF800000, -INFINITY},
      {"f", 4, 1, 0x1p-149},
  };
  for (const Case& one : cases) {
    for (const bool big : {false, true}) {
      const std::string type = (big              ? ">"
                                : one.bytes == 1 ? "|"
                                                 : "<") +
                               std::string(one.kind) + std::to_string(one.bytes);
      const std::string data = bytes_of(0, one.bytes, big) + bytes_of(one.pattern, one.bytes, big);
      EXPECT_EQ(read_back(plain(type, "(2,)", data)), (std::vector<double>{0, one.value})) << type;
    }
  }
}

TEST(Npy, HalvesAreThoseOfFp16) {
  std::string data;
  for (std::uint64_t code = 0; code < 65536; ++code) data += bytes_of(code, 2, false);
  const std::vector<double> numbers = read_back(plain("<f2", "(65536,)", data));
  ASSERT_EQ(numbers.size(), 65536U);
  const NumberFormat fp16 = number_format("fp16").value();
  for (std::uint64_t code = 0; code < 65536; ++code) {
    const double expected = decode(fp16, code);
    const double got = numbers[static_cast<std::size_t>(code)];
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << code;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected)) << code;
    }
  }
}

TEST(Npy, RawBytesAreCodes) {
  for (const auto& [type, big] : {std::pair{"<V2", false}, std::pair{">V2", true}, std::pair{"|V2", false}}) {
    const Result<NpyFile> file =
        NpyFile::of_bytes(plain(type, "(2,)", bytes_of(0x3F80, 2, big) + bytes_of(0x4000, 2, big)));
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->layout().type.kind, NpyType::Kind::kRaw);
    std::uint64_t codes[2];
    ASSERT_TRUE(file->read_codes(0, codes));
    EXPECT_EQ(codes[0], 0x3F80U);
    EXPECT_EQ(codes[1], 0x4000U);
    double numbers[2];
    const Result<void> read = file->read(0, numbers);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr(type));
  }
  EXPECT_EQ(NpyFile::of_bytes(plain("<f1", "()", "x")).value().layout().type.kind, NpyType::Kind::kRaw);
}

// The value of an element tells its indices.
double label(const std::vector<std::uint64_t>& index) {
  double out = 0;
  for (const std::uint64_t i : index) out = 100 * out + static_cast<double>(i);
  return out;
}

void expect_orders_agree(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) count *= size;
  std::vector<double> expected(count);
  std::string shape_text = "(", fortran(8 * count, '\0');
  for (const std::uint64_t size : shape) shape_text += std::to_string(size) + ",";
  std::vector<std::uint64_t> index(shape.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t rest = i, place = 0, stride = count;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) index[axis] = rest % shape[axis];
    for (std::size_t axis = shape.size(); axis-- > 0;) place += index[axis] * (stride /= shape[axis]);
    expected[i] = label(index);
    fortran.replace(8 * place, 8, bytes_of(std::bit_cast<std::uint64_t>(expected[i]), 8, false));
  }
  const Result<NpyFile> across = NpyFile::of_bytes(plain("<f8", shape_text + ")", fortran, true));
  ASSERT_TRUE(across) << across.error().message;
  EXPECT_EQ(across->layout().shape, shape);
  EXPECT_EQ(all_of(*across), expected);
  EXPECT_EQ(read_back(write_npy(shape, std::span<const double>(expected))), expected);
  std::mt19937_64 random(count);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t first = random() % count, size = random() % (count - first + 1);
    std::vector<double> slice(size);
    ASSERT_TRUE(across->read(first, slice));
    for (std::uint64_t k = 0; k < size; ++k) ASSERT_EQ(slice[k], expected[first + k]);
  }
}

TEST(Npy, BothOrdersGiveTheSameElements) {
  for (const std::vector<std::uint64_t>& shape : std::vector<std::vector<std::uint64_t>>{
           {1}, {7}, {3, 5}, {5, 3}, {1, 9}, {9, 1}, {2, 3, 4}, {4, 1, 3, 2}, {2, 2, 2, 2, 2, 2}, {700, 600}}) {
    expect_orders_agree(shape);
  }
}

TEST(Npy, SpellingsOfTheHeader) {
  const std::string data = bytes_of(std::bit_cast<std::uint32_t>(2.5F), 4, false);
  for (const std::string_view header : {"{'descr':'<f4','fortran_order':False,'shape':()}",
                                        "{\"shape\": (1L,), \"descr\": \"<f4\", \"fortran_order\": True}\n",
                                        "  { 'shape' : ( 1 , 1 ) , 'fortran_order' : False , 'descr' : 'f4' , } \t\r\n",
                                        "{'descr': '=f4', 'fortran_order': False, 'shape': (1,1,1), }"}) {
    for (const char major : {char{1}, char{2}, char{3}})
      EXPECT_EQ(read_back(npy(header, data, major)), std::vector<double>{2.5}) << header;
  }
  EXPECT_TRUE(read_back(plain("<f4", "(3, 0, 9223372036854775807)", "")).empty());
  EXPECT_EQ(NpyFile::of_bytes(plain("<f4", "()", data + "more")).value().trailing(), 4U);
}

TEST(Npy, RefusesWhatIsBroken) {
  struct Case {
    std::string bytes;
    ErrorCode code;
    const char* says;
  };
  const auto header = [](std::string_view text) { return npy(text, std::string(64, '\0')); };
  const auto typed = [&](std::string_view type) { return plain(type, "(1,)", std::string(64, '\0')); };
  const auto shaped = [&](std::string_view shape) { return plain("<f8", shape, std::string(64, '\0')); };
  constexpr auto kCorrupt = ErrorCode::kCorrupt, kOther = ErrorCode::kUnrecognised, kLimit = ErrorCode::kLimit;
  const std::string nested(60000, '(');
  const Case cases[] = {
      {"", kOther, "begin"},
      {"text", kOther, "begin"},
      {std::string("PK\x03\x04") + "rest", kOther, "archive"},
      {"\x93NUM", ErrorCode::kTruncated, "header"},
      {npy("{}", "", 4), kOther, "4.0"},
      {npy("{}", "", 0), kOther, "0.0"},
      {std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12), kLimit, "4294967295 bytes"},
      {header(""), kCorrupt, "no dictionary"},
      {header("{}"), kCorrupt, "'descr'"},
      {header("{'descr': '<f8', 'shape': ()}"), kCorrupt, "'fortran_order'"},
      {header("{'descr': '<f8', 'fortran_order': False}"), kCorrupt, "'shape'"},
      {header("{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': ()}"), kCorrupt, "twice"},
      {header("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'x': 1}"), kCorrupt, "'x'"},
      {header("{'descr': '<f8', 'fortran_order': False, 'shape': ()} 1"), kCorrupt, "after the dictionary"},
      {header("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}"), kCorrupt, "neither True nor False"},
      {header("{'descr': '<f8"), kCorrupt, "without an end"},
      {header("{'descr': '<f\\x38', 'fortran_order': False, 'shape': ()}"), kCorrupt, "escape"},
      {header("{__import__('os').system('x')}"), kCorrupt, "no string"},
      {header("{'descr' '<f8'}"), kCorrupt, "':'"},
      {header("{'descr': '<f8' 'shape': ()}"), kCorrupt, "','"},
      {shaped("(-1,)"), kCorrupt, "negative"},
      {shaped("(1.5,)"), kCorrupt, "','"},
      {shaped("(x,)"), kCorrupt, "whole number"},
      {shaped("(1 2)"), kCorrupt, "','"},
      {shaped("(3)"), kCorrupt, "tuple"},
      {shaped("3"), kCorrupt, "tuple"},
      {shaped("[3]"), kCorrupt, "tuple"},
      {shaped("(99999999999999999999,)"), kLimit, "2^64"},
      {shaped("(4294967296, 4294967296)"), kLimit, "more elements"},
      {shaped("(4611686018427387904,)"), kLimit, "more elements"},
      {shaped(nested), kCorrupt, "whole number"},
      {shaped("(" + std::string(200, '1') + ",)"), kLimit, "2^64"},
      {shaped(
           "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
           "1,1,1,1,1,1,1,1,1,1,1,1)"),
       kLimit, "64 dimensions"},
      {shaped("(1152921504606846976,)"), kLimit, "more elements"},
      {typed("|O"), kOther, "never executes"},
      {typed("O"), kOther, "pickle"},
      {header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}"), kOther, "records"},
      {typed("<c8"), kOther, "'<c8'"},
      {typed("<U3"), kOther, "'<U3'"},
      {typed("<f16"), kOther, "'<f16'"},
      {typed("<M8[s]"), kOther, "'<M8[s]'"},
      {typed("<f"), kOther, "'<f'"},
      {typed("<V3"), kOther, "'<V3'"},
      {typed("<f-4"), kOther, "'<f-4'"},
      {typed(""), kOther, "''"},
      {typed("<"), kOther, "'<'"},
      {typed("<<f4"), kOther, "'<<f4'"},
  };
  for (const Case& one : cases) {
    const Result<NpyFile> file = NpyFile::of_bytes(one.bytes, "x.npy");
    ASSERT_FALSE(file) << one.says;
    EXPECT_EQ(file.error().code, one.code) << file.error().message;
    EXPECT_THAT(file.error().message, HasSubstr(one.says));
    EXPECT_EQ(file.error().where.path, "x.npy");
  }
}

TEST(Npy, EveryCutIsToldWithWhatIsMissing) {
  const std::string whole = plain("<f4", "(2, 3)", std::string(24, 'x'));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<NpyFile> file = NpyFile::of_bytes(whole.substr(0, size));
    ASSERT_FALSE(file) << size;
    EXPECT_EQ(file.error().code, size == 0 ? ErrorCode::kUnrecognised : ErrorCode::kTruncated) << size;
    if (size >= whole.size() - 24) {
      EXPECT_THAT(file.error().message, HasSubstr(std::to_string(whole.size() - size) + " are missing"));
    }
  }
  const NpyFile file = NpyFile::of_bytes(whole).value();
  std::vector<double> out(4);
  EXPECT_EQ(file.read(3, out).error().code, ErrorCode::kUsage);
  EXPECT_EQ(file.read(~std::uint64_t{0}, out).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(file.read(6, std::span<double>{}));
}

class NpyOnDisk : public testing::Test {
 protected:
  std::string store(const std::string& bytes) const { return folder_.write("x.npy", bytes); }

  TempFolder folder_;
};

TEST_F(NpyOnDisk, SlicesOfAFileThatFitsNoMemory) {
  // 8 TiB on paper: a file with a hole of which only what is asked for is read.
  constexpr std::uint64_t kRows = std::uint64_t{1} << 26, kColumns = 1 << 15;
  for (const bool fortran : {false, true}) {
    const std::string path = store(plain("<f4", "(67108864, 32768)", "", fortran));
    const std::uint64_t from = std::filesystem::file_size(path);
    std::error_code error;
    std::filesystem::resize_file(path, from + 4 * kRows * kColumns, error);
    if (error) GTEST_SKIP() << "this file system has no files with holes: " << error.message();
    const Result<NpyFile> file = NpyFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    std::vector<double> row(1000, 1);
    ASSERT_TRUE(file->read((kRows - 1) * kColumns, row));
    EXPECT_EQ(row, std::vector<double>(1000));
  }
}

TEST_F(NpyOnDisk, AFileThatShrinksIsAnError) {
  const std::vector<float> numbers(100, 1.5F);
  const std::string path = store(write_npy(std::vector<std::uint64_t>{100}, std::span(numbers)));
  const Result<NpyFile> file = NpyFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(all_of(*file), std::vector<double>(100, 1.5));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40);
  std::vector<double> out(20);
  EXPECT_TRUE(file->read(70, out));
  const Result<void> read = file->read(71, out);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kTruncated);
}

TEST_F(NpyOnDisk, WhatIsNoFile) {
  EXPECT_EQ(NpyFile::open(folder_.path("absent.npy")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(NpyFile::open(folder_.path()).error().code, ErrorCode::kUnrecognised);
}

TEST(Npy, WritesWhatNumpyWrites) {
  const std::vector<float> numbers = {1, -2.5F};
  const std::string bytes = write_npy(std::vector<std::uint64_t>{2, 1}, std::span(numbers));
  EXPECT_EQ((bytes.size() - 8) % 64, 0U);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_THAT(bytes, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,1,), }"));
  EXPECT_EQ(bytes[bytes.size() - 9], '\n');
  EXPECT_EQ(bytes.substr(bytes.size() - 8), std::string("\x00\x00\x80\x3F\x00\x00\x20\xC0", 8));
}

}  // namespace
}  // namespace assay
