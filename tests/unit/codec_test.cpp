#include "format/codec/codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/codec/text_encoding.h"
#include "unit/compressed.h"

namespace assay {
namespace {

// Numbers that do not compress away, so that streams have several blocks.
std::string some_text(std::size_t lines) {
  std::string text;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < lines; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    text += "step " + std::to_string(i) + " loss " + std::to_string(state >> 20) + "\n";
  }
  return text;
}

class Collected : public ByteSink {
 public:
  void take(std::span<const char> bytes) override { text.append(bytes.data(), bytes.size()); }
  std::string text;
};

struct Unpacked {
  std::string text;
  bool whole = false;
  std::optional<Error> error;
};

Unpacked unpack(std::string_view packed, std::size_t chunk, const CodecLimits& limits = {}) {
  const auto decoder = open_decoder(codec_of(packed), limits);
  Collected sink;
  bool good = true;
  for (std::size_t at = 0; at < packed.size() && good; at += chunk) {
    const std::string piece(packed.substr(at, chunk));  // an exact-size copy: reading past it is seen by sanitizers
    good = decoder->feed(piece, sink);
  }
  good = good && decoder->finish();
  return {sink.text, good, decoder->error()};
}

class CodecTest : public testing::TestWithParam<std::string (*)(std::string_view)> {};
INSTANTIATE_TEST_SUITE_P(Both, CodecTest, testing::Values(gzipped, zstandard));

TEST_P(CodecTest, UnpacksWhateverThePieces) {
  const std::string text = some_text(20'000);
  const std::string packed = GetParam()(text);
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, packed.size()}) {
    const Unpacked got = unpack(packed, chunk);
    EXPECT_TRUE(got.whole) << chunk;
    EXPECT_EQ(got.text, text) << chunk;
  }
}

TEST_P(CodecTest, ReadsFramesOneAfterAnother) {
  const std::string packed = GetParam()("step 1 loss 3\n") + GetParam()("") + GetParam()("step 2 loss 2\n");
  for (const std::size_t chunk : {std::size_t{1}, packed.size()}) {
    const Unpacked got = unpack(packed, chunk);
    EXPECT_TRUE(got.whole);
    EXPECT_EQ(got.text, "step 1 loss 3\nstep 2 loss 2\n");
  }
}

TEST_P(CodecTest, ACutStreamKeepsWhatCameBeforeAndSaysWhere) {
  const std::string text = some_text(20'000);
  const std::string packed = GetParam()(text);
  for (std::size_t length = kCodecMagic; length < packed.size(); length += 3'001) {
    const Unpacked got = unpack(packed.substr(0, length), 4096);
    ASSERT_FALSE(got.whole) << length;
    ASSERT_EQ(got.error->code, ErrorCode::kTruncated) << length;
    ASSERT_EQ(got.error->where.byte, static_cast<std::int64_t>(length));
    ASSERT_EQ(got.text, text.substr(0, got.text.size())) << length;
  }
  const Unpacked most = unpack(packed.substr(0, packed.size() - 1), 4096);
  EXPECT_GE(most.text.size(), text.size() / 2);
}

TEST_P(CodecTest, ABrokenByteKeepsWhatCameBeforeForEveryChunkSize) {
  const std::string text = some_text(40'000);
  std::string packed = GetParam()(text);
  packed[packed.size() / 2] = static_cast<char>(~packed[packed.size() / 2]);
  packed[packed.size() / 2 + 1] = static_cast<char>(~packed[packed.size() / 2 + 1]);
  const Unpacked all = unpack(packed, packed.size());
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    const Unpacked got = unpack(packed, chunk);
    EXPECT_EQ(got.whole, all.whole) << chunk;
    EXPECT_TRUE(got.text == all.text) << chunk << ": " << got.text.size() << " and " << all.text.size();
  }
  EXPECT_FALSE(all.whole);  // both formats end with a check sum, or fail earlier
  const std::size_t safe = text.size() / 4;
  EXPECT_GE(all.text.size(), safe);
  EXPECT_EQ(all.text.substr(0, safe), text.substr(0, safe));
}

TEST_P(CodecTest, BytesAfterTheLastFrameAreAFaultThatLosesNothing) {
  const Unpacked got = unpack(GetParam()("step 1 loss 3\n") + "garbage that is no frame", 5);
  EXPECT_FALSE(got.whole);
  EXPECT_EQ(got.error->code, ErrorCode::kCorrupt);
  EXPECT_EQ(got.text, "step 1 loss 3\n");
}

TEST_P(CodecTest, ABombStopsAtTheLimitWithFlatMemory) {
  const std::string packed = GetParam()(std::string(64 << 20, ' '));
  const Unpacked much = unpack(packed, packed.size(), {.output = 1 << 20});
  EXPECT_FALSE(much.whole);
  EXPECT_EQ(much.error->code, ErrorCode::kLimit);
  EXPECT_LE(much.text.size(), std::size_t{2} << 20);
  const Unpacked steep = unpack(packed, packed.size(), {.ratio = 100, .ratio_from = 1 << 20});
  EXPECT_EQ(steep.error->code, ErrorCode::kLimit);
}

TEST(GzipTest, PaddingOfZerosIsNoFault) {
  const Unpacked got = unpack(gzipped("step 1 loss 3\n") + std::string(512, '\0'), 100);
  EXPECT_TRUE(got.whole);
  EXPECT_EQ(got.text, "step 1 loss 3\n");
}

TEST(ZstdTest, SkippableFramesArePassedOverInFlatMemory) {
  const std::string skippable =
      std::string("\x50\x2a\x4d\x18", 4) + std::string("\0\0\x10\0", 4) + std::string(1 << 20, 'x');
  const Unpacked got = unpack(skippable + zstandard("step 1 loss 3\n"), 4096);
  EXPECT_TRUE(got.whole);
  EXPECT_EQ(got.text, "step 1 loss 3\n");
}

TEST(ZstdTest, ARawBlockThatIsTooLongGivesTheSameForAnyPieces) {
  // A frame of 49 bytes whose first block is longer than that.
  const std::string frame = std::string("\x28\xb5\x2f\xfd\x24\x31\x89\x00\x00", 9) + std::string(138, 'x');
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, frame.size()}) {
    const Unpacked got = unpack(frame, chunk);
    EXPECT_FALSE(got.whole);
    EXPECT_EQ(got.text, "");
  }
}

TEST(CodecOfTest, GoesByTheBytes) {
  EXPECT_EQ(codec_of(gzipped("x")), Codec::kGzip);
  EXPECT_EQ(codec_of(zstandard("x")), Codec::kZstd);
  EXPECT_EQ(codec_of("\x50\x2a\x4d\x18"), Codec::kZstd);  // a skippable frame first
  EXPECT_EQ(codec_of("step"), Codec::kNone);
  EXPECT_EQ(codec_of(""), Codec::kNone);
}

TEST(Utf16Test, TurnsEveryPlaneIntoUtf8) {
  const std::string expected = "loss \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80\n";
  const std::u16string wide = u"loss \u00e9 \u4e2d \U0001F600\n";
  for (const bool big : {false, true}) {
    std::string bytes;
    for (const char16_t unit : wide) {
      const char high = static_cast<char>(unit >> 8);
      const char low = static_cast<char>(unit & 0xff);
      bytes += big ? std::string{high, low} : std::string{low, high};
    }
    Utf16Decoder decoder(big);
    std::string out;
    for (const char c : bytes) decoder.feed({&c, 1}, out);
    EXPECT_TRUE(decoder.finish(out));
    EXPECT_EQ(out, expected);
  }
}

TEST(Utf16Test, LoneSurrogatesAndHalfUnitsAreMarked) {
  std::string out;
  Utf16Decoder lone(true);
  lone.feed(std::string_view("\xd8\x00\x00\x41\xdc\x00", 6), out);
  EXPECT_TRUE(lone.finish(out));
  EXPECT_EQ(out,
            "\xef\xbf\xbd"
            "A\xef\xbf\xbd");
  out.clear();
  Utf16Decoder half(false);
  half.feed("A", out);
  EXPECT_FALSE(half.finish(out));
}

TEST(DetectEncodingTest, ByTheMarkOrTheZeros) {
  EXPECT_EQ(detect_encoding("\xef\xbb\xbfstep").mark, 3U);
  EXPECT_EQ(detect_encoding("\xff\xfes").encoding, TextEncoding::kUtf16Little);
  EXPECT_EQ(detect_encoding("\xfe\xffs").encoding, TextEncoding::kUtf16Big);
  std::string unmarked;
  for (const char c : std::string("step 1 loss 2.5\n")) unmarked += std::string{c, '\0'};
  EXPECT_EQ(detect_encoding(unmarked).encoding, TextEncoding::kUtf16Little);
  EXPECT_EQ(detect_encoding("step 1 loss 2.5\n").encoding, TextEncoding::kUtf8);
  EXPECT_EQ(detect_encoding("").encoding, TextEncoding::kUtf8);
}

}  // namespace
}  // namespace assay
