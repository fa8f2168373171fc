// Lines in GBK among lines in UTF-8. The bytes are Python's: "训练损失：0.5".encode("gbk").

#include "format/codec/gbk_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "format/reader.h"

namespace assay {
namespace {

constexpr std::string_view kLossGbk =
    "\xd1\xb5\xc1\xb7\xcb\xf0\xca\xa7\xa3\xba"
    "0.5";
constexpr std::string_view kLossUtf8 = "训练损失：0.5";

struct Collect final : ByteSink {
  std::string all;
  void take(std::span<const char> bytes) override { all.append(bytes.data(), bytes.size()); }
};

std::string turned(std::string_view text, std::size_t chunk = 0) {
  GbkLines lines;
  Collect out;
  if (chunk == 0) chunk = text.size() + 1;
  for (std::size_t at = 0; at < text.size(); at += chunk) lines.feed(text.substr(at, chunk), out);
  lines.finish(out);
  return out.all;
}

TEST(GbkLines, TurnsGbkAndLeavesTheRest) {
  const std::string text =
      "step 1 loss 2\n" + std::string(kLossGbk) + "\n" + std::string(kLossUtf8) + "\r\nend\n" + std::string(kLossGbk);
  const std::string want =
      "step 1 loss 2\n" + std::string(kLossUtf8) + "\n" + std::string(kLossUtf8) + "\r\nend\n" + std::string(kLossUtf8);
  EXPECT_EQ(turned(text), want);
}

TEST(GbkLines, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += "iter " + std::to_string(i) + "\n\n" + std::string(kLossGbk) + "\n█▌ 50%\r" + std::string(kLossUtf8) +
            "\n\xff\n";
  }
  text += kLossGbk;
  const std::string want = turned(text);
  for (std::size_t chunk = 1; chunk < 200; ++chunk) ASSERT_EQ(turned(text, chunk), want) << chunk;
}

// The symbols of GB 2312 belong to the text: "步骤 1 → 损失│2.5×℃". Python: encode("gbk").
TEST(GbkLines, SymbolsBetweenIdeographs) {
  constexpr std::string_view kGbk =
      "\xb2\xbd\xd6\xe8 1 \xa1\xfa \xcb\xf0\xca\xa7\xa9\xa6"
      "2.5\xa1\xc1\xa1\xe6\n";
  EXPECT_EQ(turned(kGbk), "步骤 1 → 损失│2.5×℃\n");
}

// Bytes that are no Chinese text stay what they are: accents in Latin-1, random bytes, half a character.
TEST(GbkLines, LeavesOtherBytesAlone) {
  for (const std::string_view text :
       {"perte \xe9lev\xe9 1.5\n", "\x80\xff\xfe\n", "\xcb\n", "\xa0\xa1\xf8\xfd\n", "caf\xe9 \xe0 la carte\n",
        "perte \xe9lev\xe9"
        "e\n",
        "\xe4hnlich\n"}) {
    EXPECT_EQ(turned(text), text);
  }
}

// Longer than a line is held: passes as it is, whatever the pieces.
TEST(GbkLines, LongLinesPass) {
  std::string text(std::size_t{1} << 20, ' ');
  text += kLossGbk;
  text += "\n";
  EXPECT_EQ(turned(text), text);
  EXPECT_EQ(turned(text, 4096), text);
  text = text.substr(100) + std::string(kLossGbk) + "\n";
  EXPECT_EQ(turned(text, 4096), turned(text));
  EXPECT_TRUE(turned(text).ends_with(std::string(kLossUtf8) + "\n"));
}

TEST(GbkLines, AConsoleInGbkIsRead) {
  std::string log;
  for (int i = 1; i <= 30; ++i) {
    log += "\xb2\xbd\xca\xfd: " + std::to_string(i * 10) + ", " + "\xcb\xf0\xca\xa7: " + std::to_string(3.0 / i) + "\n";
  }
  const Recording got = read_bytes("train.log", log);
  ASSERT_EQ(got.rows(), 30U);
  EXPECT_EQ(got.series.front().metric, "loss");
  EXPECT_EQ(got.step[29], 300);
  EXPECT_EQ(got.file.codec, "GBK");
}

}  // namespace
}  // namespace assay
