// Archives of logs. The tar and zip files are put together here byte by byte, after POSIX and APPNOTE.TXT.

#include "format/archive.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compressed.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Archive : public testing::Test {
 protected:
  std::vector<Recording> read(const std::string& name, std::string_view bytes) const {
    return read_path(folder_.write(name, bytes), {.named = true},
                     [](std::string_view path) { return !path.ends_with(".py"); });
  }
  // "a/b.log" of the archive, or nothing.
  static const Recording* member(const std::vector<Recording>& all, std::string_view path) {
    for (const Recording& one : all) {
      if (one.path.ends_with(path)) return &one;
    }
    return nullptr;
  }

  TempFolder folder_;
};

std::string log(int records) {
  std::string out;
  for (int i = 1; i <= records; ++i) out += "step " + std::to_string(i) + " loss " + std::to_string(5.0 / i) + "\n";
  return out;
}

std::string tar_member(const std::string& name, std::string_view bytes, char type = '0') {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  const auto octal = [](std::size_t value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%0*zo", digits, value);
    return std::string(text.data());
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(bytes.size(), 11));
  put(136, "00000000000");
  put(148, "        ");
  header[156] = type;
  put(257, "ustar");
  put(263, "00");
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string(1, '\0') + " ");
  std::string out = header + std::string(bytes);
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}
std::string tar(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string out;
  for (const auto& [name, bytes] : members) out += tar_member(name, bytes);
  return out + std::string(1024, '\0');
}

std::string little(std::size_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i) & 0xff));
  return out;
}
// One file, stored.
std::string zip(const std::string& name, const std::string& bytes) {
  const std::size_t crc = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  const std::string sizes = little(crc, 4) + little(bytes.size(), 4) + little(bytes.size(), 4);
  const std::string common =
      little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + sizes + little(name.size(), 2);
  const std::string local = "PK\x03\x04" + common + little(0, 2) + name + bytes;
  const std::string central = "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 2) +
                              little(0, 2) + little(0, 4) + little(0, 4) + name;
  return local + central + "PK\x05\x06" + little(0, 4) + little(1, 2) + little(1, 2) + little(central.size(), 4) +
         little(local.size(), 4) + little(0, 2);
}

TEST_F(Archive, MembersOfATarAreReadAsFilesOfAFolder) {
  const std::string bytes = tar({{"a/train.log", log(20)}, {"b/train.log", log(5)}, {"a/model.py", log(9)}});
  for (const auto& [name, packed] : {std::pair<std::string, std::string>{"x.tar", bytes},
                                     {"x.tar.gz", gzipped(bytes)},
                                     {"x.tar.zst", zstandard(bytes)}}) {
    const auto got = read(name, packed);
    ASSERT_EQ(got.size(), 3U) << name;
    EXPECT_EQ(got[0].file.kind, "tar");
    EXPECT_EQ(got[0].file.state, FileState::kRead);
    EXPECT_TRUE(got[0].file.named);
    ASSERT_NE(member(got, name + "/a/train.log"), nullptr);
    EXPECT_EQ(member(got, "/a/train.log")->rows(), 20U);
    EXPECT_EQ(member(got, "/b/train.log")->rows(), 5U);
  }
}

// The names are names: nothing outside of the archive is looked at, nothing is written.
TEST_F(Archive, AbsolutePathsAndStepsUpAreOnlyNames) {
  const auto got = read("x.tar", tar({{"/etc/train.log", log(6)}, {"../../up.log", log(7)}, {"./c/./d.log", log(8)}}));
  ASSERT_EQ(got.size(), 4U);
  EXPECT_EQ(got[1].path, folder_.path("x.tar/etc/train.log"));
  EXPECT_EQ(got[2].path, folder_.path("x.tar/up.log"));
  EXPECT_EQ(got[3].path, folder_.path("x.tar/c/d.log"));
  EXPECT_FALSE(fs::exists(folder_.path("../up.log")));
}

TEST_F(Archive, LinksAndDevicesAreNotFollowed) {
  const std::string bytes = tar_member("link.log", "", '2') + tar_member("dev", "", '3') + tar_member("dir/", "", '5') +
                            tar_member("t.log", log(4)) + std::string(1024, '\0');
  const auto got = read("x.tar", bytes);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[1].rows(), 4U);
}

TEST_F(Archive, OfTwoMembersOfOneNameTheLaterCounts) {
  const auto got = read("x.tar", tar({{"t.log", log(4)}, {"u.log", log(3)}, {"t.log", log(9)}}));
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[1].rows(), 3U);
  EXPECT_EQ(got[2].rows(), 9U);
}

TEST_F(Archive, ACutArchiveGivesWhatStandsBefore) {
  const std::string bytes = tar({{"a.log", log(40)}, {"b.log", log(40)}});
  std::size_t told = 0;
  for (std::size_t cut = 600; cut + 1024 < bytes.size(); cut += 97) {
    const auto got = read("x.tar", bytes.substr(0, cut));
    ASSERT_GE(got.size(), 1U);
    bool truncated = got[0].file.truncated;
    for (const Recording& one : got) truncated = truncated || one.truncated;
    told += truncated ? 1 : 0;
    if (cut > 2048) {
      ASSERT_NE(member(got, "/a.log"), nullptr) << cut;
      EXPECT_EQ(member(got, "/a.log")->rows(), 40U) << cut;
    }
  }
  EXPECT_GT(told, 10U);
}

TEST_F(Archive, AnArchiveWithoutALogSaysSo) {
  const auto got = read("x.tar", tar({{"a.txt", "hello"}, {"b.bin", std::string("\x01\x02\x03\x00\x05", 5)}}));
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0].file.state, FileState::kNothingRead);
  ASSERT_TRUE(got[0].file.error);
  EXPECT_NE(got[0].file.error->message.find("no log of a training run"), std::string::npos);
}

TEST_F(Archive, ZipFilesAreReadToo) {
  const auto got = read("x.zip", zip("1_train.txt", log(12)));
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[1].path, folder_.path("x.zip/1_train.txt"));
  EXPECT_EQ(got[1].rows(), 12U);
}

// Python: lzma.compress(text, check=CHECK_CRC32), bz2.compress(text); the text is log lines 1 to 12.
constexpr std::string_view kXz(
    "\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x1c\x00\x00\x00\x10\xcf\x58\xcc\xe0\x00\xda\x00"
    "\x55\x5d\x00\x39\x9d\x08\xce\xb4\xe4\xd4\x89\x62\xd8\xaa\x4b\x96\x75\x7b\x94\xfa\x87\x57\xc0\x79\xde\xc2\x88\xd8"
    "\x36\x83\xb4\xed\xb1\x92\x9d\x62\x86\xfa\x68\xd5\xe3\x23\x06\xe3\xf8\xd2\xc6\x91\xd9\xc2\x09\xf9\xb3\xc6\xb5\x0a"
    "\xd0\xa6\xfa\x93\xdc\xce\x12\x36\xa0\x58\x96\x20\xc0\x43\xc1\x21\xd5\x7c\x92\x00\x7e\x78\x39\x05\x14\x0a\xd3\x50"
    "\xbd\x9a\xe2\x40\x00\x00\x00\x00\x51\x0e\x34\xfb\x00\x01\x6d\xdb\x01\x00\x00\x00\x74\xe1\xa6\x31\x3e\x30\x0d\x8b"
    "\x02\x00\x00\x00\x00\x01\x59\x5a",
    148);
constexpr std::string_view kBzip2(
    "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x16\xbc\xcd\x3f\x00\x00\x61\xd9\x80\x00\x10\x40\x01\x7f\xe0\x02\x04\xcc"
    "\x00\x20\x00\x75\x0d\x4f\x4c\xa4\x79\x23\x10\x09\x12\x81\xe4\x46\x8c\x93\xbb\xb4\x36\x4d\x6f\x6c\x81\x96\x98\x36"
    "\x97\x7d\xce\x31\x79\xab\x5e\xa9\x50\x43\x21\x87\x06\x32\x00\x41\x69\xbb\x5a\xa5\x21\x57\xa5\x85\x75\x01\x56\x19"
    "\x62\x4b\x0e\x04\xf2\x52\x26\x63\x40\x98\x2c\x82\xc8\x2f\x81\x68\x16\x81\x40\x2f\xc5\xdc\x91\x4e\x14\x24\x05\xaf"
    "\x33\x4f\xc0",
    115);

TEST_F(Archive, ASingleCompressedLogIsThatLog) {
  for (const auto& [name, bytes] : {std::pair{"t.log.xz", kXz}, {"t.log.bz2", kBzip2}}) {
    const auto got = read(name, bytes);
    ASSERT_EQ(got.size(), 1U) << name;
    EXPECT_EQ(got[0].rows(), 12U) << name;
    EXPECT_EQ(got[0].path, folder_.path(name));
    EXPECT_FALSE(got[0].file.codec.empty());
    EXPECT_TRUE(got[0].file.named);
  }
}

}  // namespace
}  // namespace assay
