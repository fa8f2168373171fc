// Tables of the encodings from before UTF-8, and what a character is.

#include "measure/text/code_pages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "measure/text/characters.h"

namespace assay {

namespace {

TEST(CodePages, ASingleByteComesBack) {
  for (std::size_t i = 0; i < kSinglePages; ++i) {
    const SinglePage& page = single_page(static_cast<SingleByte>(i));
    for (unsigned byte = 0x80; byte < 0x100; ++byte) {
      const char16_t code = page.decode(byte);
      if (code != 0) {
        EXPECT_EQ(page.encode(code), byte) << page.name << " " << byte;
      }
    }
    EXPECT_EQ(page.encode(0x4e00), 0U) << page.name;
  }
}

TEST(CodePages, SingleBytesAreThoseOfTheStandards) {
  EXPECT_EQ(single_page(SingleByte::kWestern).decode(0x80), u'€');
  EXPECT_EQ(single_page(SingleByte::kWestern).decode(0x81), 0x81);  // undefined: as a C1 control
  EXPECT_EQ(single_page(SingleByte::kWestern).encode(0x80), 0x80U);
  EXPECT_EQ(single_page(SingleByte::kWindows1251).decode(0xcf), u'П');
  EXPECT_EQ(single_page(SingleByte::kKoi8R).decode(0xc1), u'а');
  EXPECT_EQ(single_page(SingleByte::kKoi8U).decode(0xa6), u'і');
  EXPECT_EQ(single_page(SingleByte::kDos866).decode(0x80), u'А');
  EXPECT_EQ(single_page(SingleByte::kDos437).decode(0xc3), u'├');
  EXPECT_EQ(single_page(SingleByte::kMacRoman).decode(0x8e), u'é');
  EXPECT_EQ(single_page(SingleByte::kMacRoman).decode(0xf0), 0xf8ff);
  EXPECT_EQ(single_page(SingleByte::kIso5).decode(0xd0), u'а');
  EXPECT_EQ(single_page(SingleByte::kWindows1253).decode(0xe1), u'α');
  EXPECT_EQ(single_page(SingleByte::kWindows1255).decode(0xe0), u'א');
  EXPECT_EQ(single_page(SingleByte::kWindows1256).decode(0xc7), u'ا');
  EXPECT_EQ(single_page(SingleByte::kThai).decode(0xa1), u'ก');
}

TEST(CodePages, PairsAreThoseOfTheStandards) {
  EXPECT_EQ(double_page(DoubleByte::kGbk).decode(0xc4, 0xe3), u'你');
  EXPECT_EQ(double_page(DoubleByte::kGbk).decode(0xef, 0xbf), u'锟');
  EXPECT_EQ(double_page(DoubleByte::kBig5).decode(0xa7, 0x41), u'你');
  EXPECT_EQ(double_page(DoubleByte::kShiftJis).decode(0x82, 0xa0), u'あ');
  EXPECT_EQ(double_page(DoubleByte::kShiftJis).decode_single(0xb1), u'ｱ');
  EXPECT_EQ(double_page(DoubleByte::kEucJp).decode(0xa4, 0xa2), u'あ');
  EXPECT_EQ(double_page(DoubleByte::kEucKr).decode(0xb0, 0xa1), u'가');
  EXPECT_EQ(double_page(DoubleByte::kGbk).encode(u'你'), 0xc4e3U);
  EXPECT_EQ(double_page(DoubleByte::kGbk).encode(u'가'), 0U);
}

TEST(CodePages, PairsComeBack) {
  for (std::size_t i = 0; i < kDoublePages; ++i) {
    const DoublePage& page = double_page(static_cast<DoubleByte>(i));
    std::size_t count = 0;
    for (unsigned lead = 0x81; lead < 0xff; ++lead) {
      for (unsigned trail = 0x40; trail < 0xff; ++trail) {
        const char16_t code = page.decode(lead, trail);
        if (code == 0) continue;
        ++count;
        const unsigned back = page.encode(code);  // some characters stand twice
        ASSERT_NE(back, 0U) << page.name << " " << lead << " " << trail;
        EXPECT_EQ(back > 0xff ? page.decode(back >> 8, back & 0xff) : page.decode_single(back), code);
      }
    }
    EXPECT_GT(count, 7000U) << page.name;
  }
}

TEST(Characters, LevelsHaveTheSizesOfTheStandards) {
  std::vector<int> sizes(3);
  for (char32_t code = 0; code < 0x10000; ++code) {
    for (unsigned bit = 0; bit < 3; ++bit) sizes[bit] += han_levels(code) >> bit & 1;
  }
  EXPECT_EQ(sizes, (std::vector<int>{3755, 5401, 2965}));
  EXPECT_EQ(han_levels(U'你'), 3U);  // not level 1 in Japan
  EXPECT_EQ(han_levels(U'語') & 4U, 4U);
  EXPECT_EQ(han_levels(U'龘'), 0U);
}

TEST(Characters, AreWhatTheyAre) {
  using Kind = CharacterKind;
  const std::vector<std::pair<char32_t, Kind>> known = {
      {U'\n', Kind::kSpace},      {U'\b', Kind::kControl},   {0x85, Kind::kControl},     {0xfffd, Kind::kReplacement},
      {0x200b, Kind::kZeroWidth}, {0x200d, Kind::kJoiner},   {0x202e, Kind::kBidi},      {0xe0041, Kind::kTag},
      {0xfe0f, Kind::kSelector},  {0xad, Kind::kSoftHyphen}, {0x301, Kind::kMark},       {U'é', Kind::kLatin},
      {U'ʃ', Kind::kPhonetic},    {U'Ω', Kind::kGreek},      {U'ж', Kind::kCyrillic},    {0x5b0, Kind::kHebrew},
      {0x64e, Kind::kArabic},     {0x93f, Kind::kIndic},     {U'ก', Kind::kThai},        {U'漢', Kind::kHan},
      {U'ー', Kind::kKana},       {U'ｱ', Kind::kHalfKana},   {U'가', Kind::kHangul},     {U'─', Kind::kBox},
      {0x1f600, Kind::kEmoji},    {0xe000, Kind::kPrivate},  {0x378, Kind::kUnassigned}, {0xfdd0, Kind::kNonCharacter},
      {U'٣', Kind::kDigit},       {U'½', Kind::kNumber},     {U'√', Kind::kSymbol},      {U'«', Kind::kPunctuation}};
  for (const auto& [code, kind] : known) EXPECT_EQ(kind_of(code), kind) << std::hex << static_cast<unsigned>(code);
}

TEST(Characters, BytesThatAreNoUtf8AreOneEach) {
  for (const std::string_view bad : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                                     "\xf5\x80\x80\x80", "\xe4\xbd", "\xff"}) {
    const Character one = character_at(bad, 0);
    EXPECT_EQ(one.code, 0xfffdU);
    EXPECT_EQ(one.bytes, 1U);
  }
  for (const char32_t code : {U'a', U'é', U'漢', U'\U0001f600'}) {
    std::string text;
    append_utf8(code, text);
    EXPECT_EQ(character_at(text, 0).code, code);
    EXPECT_EQ(fast_character_at(text, 0).code, code);
    EXPECT_EQ(character_at(text, 0).bytes, text.size());
    EXPECT_EQ(before(text, text.size()), 0U);
  }
}

TEST(Characters, NextHighFindsTheFirst) {
  for (std::size_t before = 0; before < 70; ++before) {
    const std::string text = std::string(before, 'a') + "é" + std::string(40, 'b');
    EXPECT_EQ(next_high(text, 0), before);
    EXPECT_EQ(next_high(text, before + 2), text.size());
  }
}

}  // namespace

}  // namespace assay
