// UTF-8 that was read with a code page of one byte.

#include "measure/text/misread_utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "measure/text/characters.h"

namespace assay {

namespace {

// As who decodes the bytes with the page has it.
std::string read_with(std::string_view text, SingleByte page) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(byte < 0x80 ? byte : single_page(page).decode(byte), out);
  }
  return out;
}

constexpr SingleByte kPages[] = {SingleByte::kWestern,     SingleByte::kWindows1250, SingleByte::kWindows1251,
                                 SingleByte::kWindows1253, SingleByte::kWindows1256, SingleByte::kWindows1257,
                                 SingleByte::kMacRoman,    SingleByte::kDos437,      SingleByte::kDos850,
                                 SingleByte::kDos866,      SingleByte::kKoi8R,       SingleByte::kIso2,
                                 SingleByte::kIso5,        SingleByte::kMacCyrillic};

constexpr std::string_view kTexts[] = {"L’été dernier, nous avons mangé des crêpes près de la forêt.",
                                       "Größere Städte können Verkehrsströme kaum noch bewältigen.",
                                       "Zażółcona łąka pachniała świeżo po dalekiej wędrówce.",
                                       "Осенью дети собирали в лесу грибы для бабушки.",
                                       "Το φθινόπωρο τα παιδιά μάζευαν μανιτάρια.",
                                       "בסתיו אספו הילדים פטריות ביער.",
                                       "秋天的时候，孩子们到树林里采蘑菇。",
                                       "秋になると子どもたちは森でキノコを集めます。",
                                       "Mùa thu năm ấy những đứa trẻ chạy dọc bờ sông."};

TEST(MisreadUtf8, EveryPageIsFoundAndUndone) {
  for (const std::string_view text : kTexts) {
    EXPECT_LT(misread_utf8(text).weight, 2.5) << text;
    for (const SingleByte page : kPages) {
      // What a page has no character for is lost; such a text is not undone whole.
      const std::string wrong = read_with(text, page);
      bool whole = true;
      for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        whole = whole && (byte < 0x80 || single_page(page).decode(byte) != 0);
      }
      if (!whole) continue;
      const MisreadVerdict verdict = misread_utf8(wrong);
      EXPECT_GE(verdict.weight, 5) << wrong;
      // ISO-8859-2 and Windows-1250 differ in letters that both may be meant.
      if (page == SingleByte::kIso2 && verdict.page == SingleByte::kWindows1250) continue;
      int times = 0;
      EXPECT_EQ(undo_misread(wrong, verdict.page, times), text)
          << single_page(page).name << " told as " << single_page(verdict.page).name;
      EXPECT_EQ(times, 1);
    }
  }
}

TEST(MisreadUtf8, RepeatedMisreadingsAreUndone) {
  std::string wrong(kTexts[0]);
  for (int times = 1; times <= 3; ++times) {
    wrong = read_with(wrong, SingleByte::kWestern);
    int counted = 0;
    EXPECT_EQ(undo_misread(wrong, SingleByte::kWestern, counted), kTexts[0]);
    EXPECT_EQ(counted, times);
  }
}

TEST(MisreadUtf8, OneQuotationMarkHasItsPlace) {
  const std::string before = "The rent is due on the first day of each month. It is the tenant";
  const std::string text = before + read_with("’", SingleByte::kWestern) + "s duty to give notice in writing.";
  std::vector<Misread> found;
  each_misread(text, misread_utf8(text).page, [&](const Misread& one) { found.push_back(one); });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].offset, before.size());
  EXPECT_EQ(found[0].length, read_with("’", SingleByte::kWestern).size());
  EXPECT_EQ(found[0].code, U'’');
  EXPECT_GE(found[0].weight, 5);
}

TEST(MisreadUtf8, HolesAreFilled) {
  int times = 0;
  EXPECT_EQ(undo_misread("he said â€œno” and leftâ€", SingleByte::kWestern, times), "he said “no” and left”");
  EXPECT_GE(misread_utf8("Ã  la carte, tu as Ã©tÃ©").weight, 5);
  EXPECT_GE(misread_utf8("It?s classic. Itâ€�s epic").weight, 5);
  EXPECT_GE(misread_utf8("cafÃ?Â© au lait, crÃ?Â¨me").weight, 5);
}

TEST(MisreadUtf8, ChanceIsNoMisreading) {
  for (const std::string_view text : {"VOCÊ…",
                                      "NESTLÉ® requiere personal",
                                      "4288×…",
                                      "√π und ∑ «É» ½ m³",
                                      "├───┤ ─┤ │ ├── README",
                                      "ВІ Нї Ці Рі",
                                      "„Ä“ und „Ö“",
                                      "MANHÃ” e IRMÃ…",
                                      "Connect with Āø",
                                      "``lá´´",
                                      "Brontë…”",
                                      "к утру\u00a0и в\u00a0С\u00a0отеле",
                                      "เธอ เนก ยก เธ",
                                      "کگ طک اگ چپ",
                                      "٪ ١٢٣ ط،",
                                      "Φ° Ξ±",
                                      "á é í ó ú",
                                      "Ââ Ãã Ää",
                                      "тАк и Рё",
                                      "éž áš íš"}) {
    EXPECT_LT(misread_utf8(text).weight, 2.5) << text;
  }
}

TEST(MisreadUtf8, AnyBytesAreTaken) {
  constexpr char kNasty[] = "a\xc3Ã\xa9\xe2\x80Ã©\xff\xed\xa0\x80í\u00a0½í¸€ðŸ\0\x80";
  const std::string nasty(kNasty, sizeof kNasty - 1);
  for (std::size_t size = 0; size <= nasty.size(); ++size) {
    const std::string_view text = std::string_view(nasty).substr(0, size);
    const MisreadVerdict verdict = misread_utf8(text);
    each_misread(text, verdict.page, [&](const Misread& one) { EXPECT_LE(one.offset + one.length, text.size()); });
    int times = 0;
    undo_misread(text, verdict.page, times);
  }
}

}  // namespace

}  // namespace assay
