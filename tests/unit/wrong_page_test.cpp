// Text that was decoded with another code page than its own.

#include "measure/text/wrong_page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "measure/text/characters.h"
#include "measure/text/code_pages.h"
#include "measure/text/transcode.h"

namespace assay {

namespace {

// The bytes of a text in an encoding; nothing where it lacks a character.
template <class Page>
std::string bytes_of(std::string_view text, const Page& page) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = character_at(text, at);
    at += one.bytes;
    if (one.code < 0x80) {
      out.push_back(static_cast<char>(one.code));
      continue;
    }
    const unsigned bytes = page.encode(one.code);
    EXPECT_NE(bytes, 0U) << text;
    if (bytes > 0xff) out.push_back(static_cast<char>(static_cast<unsigned char>(bytes >> 8)));
    out.push_back(static_cast<char>(static_cast<unsigned char>(bytes & 0xff)));
  }
  return out;
}

std::string read_with(std::string_view bytes, const SinglePage& page) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(byte < 0x80 ? byte : page.decode(byte), out);
  }
  return out;
}

std::string read_with(std::string_view bytes, const DoublePage& page) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (byte < 0x80) {
      out.push_back(bytes[at]);
    } else if (page.decode_single(byte) != 0) {
      append_utf8(page.decode_single(byte), out);
    } else {
      const unsigned next = at + 1 < bytes.size() ? static_cast<unsigned char>(bytes[at + 1]) : 0;
      const char16_t code = next == 0 ? char16_t{0} : page.decode(byte, next);
      append_utf8(code == 0 ? char16_t{0xfffd} : code, out);
      if (code != 0) ++at;
    }
  }
  return out;
}

constexpr std::string_view kRussian = "Осенью дети собирали в лесу грибы, а вечером бабушка варила из них суп.";
constexpr std::string_view kGreek = "Το φθινόπωρο τα παιδιά μάζευαν μανιτάρια στο δάσος.";
constexpr std::string_view kHebrew = "בסתיו אספו הילדים פטריות ביער, ובערב בישלה להם סבתא מרק.";
constexpr std::string_view kChinese = "秋天的时候，孩子们到树林里采蘑菇，晚上奶奶用它们煮汤。";
constexpr std::string_view kTaiwan = "秋天的時候，孩子們到樹林裡採蘑菇，晚上奶奶用它們煮湯。";
constexpr std::string_view kJapanese = "秋になると子どもたちは森でキノコを集め、夜にはスープを作りました。";
constexpr std::string_view kKorean = "가을이 되면 아이들은 숲에서 버섯을 모으고 저녁에는 국을 끓였습니다.";

// The text is found as what it was, and its longest stretch reads as in `text` again.
void expect_undone(std::string_view text, std::string_view wrong, std::string_view was, std::string_view page) {
  WrongPages pages;
  ASSERT_TRUE(pages.find(wrong)) << wrong;
  EXPECT_EQ(encoding_name(pages.confusion().was), was) << wrong;
  EXPECT_EQ(encoding_name(pages.confusion().read_as), page) << wrong;
  std::size_t longest = 0;
  std::string undone;
  for (const WrongStretch& one : pages.stretches()) {
    if (one.length <= longest) continue;
    longest = one.length;
    undone = pages.undo(wrong.substr(one.offset, one.length));
  }
  EXPECT_NE(text.find(undone), std::string_view::npos) << undone;
  EXPECT_GE(longest * 2, wrong.size()) << undone;
}

TEST(WrongPage, OneByteReadAsAnother) {
  struct Case {
    std::string_view text;
    SingleByte was, read_as;
  };
  for (const Case& one : {Case{kRussian, SingleByte::kKoi8R, SingleByte::kWindows1251},
                          Case{kRussian, SingleByte::kWindows1251, SingleByte::kKoi8R},
                          Case{kRussian, SingleByte::kDos866, SingleByte::kWindows1251},
                          Case{kRussian, SingleByte::kWindows1251, SingleByte::kDos866},
                          Case{kRussian, SingleByte::kWindows1251, SingleByte::kWestern},
                          Case{kRussian, SingleByte::kKoi8R, SingleByte::kWestern},
                          Case{kGreek, SingleByte::kWindows1253, SingleByte::kWestern},
                          Case{kHebrew, SingleByte::kWindows1255, SingleByte::kWestern}}) {
    const std::string wrong = read_with(bytes_of(one.text, single_page(one.was)), single_page(one.read_as));
    expect_undone(one.text, wrong, single_page(one.was).name, single_page(one.read_as).name);
  }
}

TEST(WrongPage, TwoBytesReadAsOne) {
  struct Case {
    std::string_view text;
    DoubleByte was;
  };
  for (const Case& one :
       {Case{kChinese, DoubleByte::kGbk}, Case{kTaiwan, DoubleByte::kBig5}, Case{kJapanese, DoubleByte::kShiftJis},
        Case{kJapanese, DoubleByte::kEucJp}, Case{kKorean, DoubleByte::kEucKr}}) {
    const std::string wrong = read_with(bytes_of(one.text, double_page(one.was)), single_page(SingleByte::kWestern));
    expect_undone(one.text, wrong, double_page(one.was).name, "Windows-1252");
  }
}

TEST(WrongPage, TwoBytesReadAsOthers) {
  struct Case {
    std::string_view text;
    DoubleByte was, read_as;
  };
  for (const Case& one :
       {Case{kJapanese, DoubleByte::kEucJp, DoubleByte::kShiftJis},
        Case{kJapanese, DoubleByte::kShiftJis, DoubleByte::kGbk}, Case{kKorean, DoubleByte::kEucKr, DoubleByte::kGbk},
        Case{kChinese, DoubleByte::kGbk, DoubleByte::kEucKr}}) {
    const std::string wrong = read_with(bytes_of(one.text, double_page(one.was)), double_page(one.read_as));
    WrongPages pages;
    ASSERT_TRUE(pages.find(wrong)) << wrong;
    EXPECT_EQ(encoding_name(pages.confusion().was), double_page(one.was).name) << wrong;
    EXPECT_EQ(encoding_name(pages.confusion().read_as), double_page(one.read_as).name) << wrong;
  }
}

TEST(WrongPage, Utf8ReadInPairs) {
  const std::string wrong = read_with(kChinese, double_page(DoubleByte::kGbk));
  WrongPages pages;
  ASSERT_TRUE(pages.find(wrong));
  EXPECT_EQ(encoding_name(pages.confusion().was), "UTF-8");
  EXPECT_EQ(encoding_name(pages.confusion().read_as), "GBK");
  // One accented letter in each of several words.
  WrongPages few;
  ASSERT_TRUE(few.find("le client doit r茅sider dans le m锚me espace, apr猫s quoi il茅tait pr锚t"));
  EXPECT_EQ(few.undo("r茅sider"), "résider");
}

TEST(WrongPage, SwappedBytes) {
  std::string wrong;
  for (const char c : std::string_view("This program cannot be run")) append_utf8(static_cast<char32_t>(c) << 8, wrong);
  WrongPages pages;
  ASSERT_TRUE(pages.find(wrong));
  EXPECT_EQ(encoding_name(pages.confusion().was), "UTF-16LE") << encoding_name(pages.confusion().read_as);
}

TEST(WrongPage, DebrisIsTold) {
  const std::string text = "公告：锟斤拷锟斤拷锟斤拷，请联系管理员。烫烫烫烫烫烫";
  WrongPages pages;
  pages.find(text);
  ASSERT_EQ(pages.debris().size(), 2U);
  EXPECT_EQ(pages.debris()[0].offset, 9U);
  EXPECT_EQ(pages.debris()[0].length, 27U);
  EXPECT_FALSE(pages.debris()[0].fill);
  EXPECT_EQ(pages.debris()[1].length, 18U);
  EXPECT_TRUE(pages.debris()[1].fill);
}

TEST(WrongPage, TextThatIsRareIsLeft) {
  WrongPages pages;
  for (const std::string_view text : {kRussian,
                                      kGreek,
                                      kHebrew,
                                      kChinese,
                                      kTaiwan,
                                      kJapanese,
                                      kKorean,
                                      std::string_view("ВНИМАНИЕ! ВЫХОД ЗАКРЫТ. ПОЛЬЗУЙТЕСЬ ДРУГИМИ ДВЕРЯМИ."),
                                      std::string_view("龘靐齉齾爩麤灪，魑魅魍魎，饕餮。"),
                                      std::string_view("àèìòù ÀÈÌÒÙ áéíóú"),
                                      std::string_view("┌──┬──┐\n│░░│▒▒│\n├──┼──┤\n└──┴──┘ ▄▀▄▀█"),
                                      std::string_view("ｶﾀｶﾅで書いたﾃｽﾄ"),
                                      std::string_view("Çäçänçä"),
                                      std::string_view("ışıldığı, çığlığı, şöförü"),
                                      std::string_view("þýðingu, góðærið"),
                                      std::string_view("được người ta yêu mến"),
                                      std::string_view("∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−L|<ε"),
                                      std::string_view("ҚАЗАҚСТАН РЕСПУБЛИКАСЫ, Ўзбекистон, ЂУРЂЕВДАН"),
                                      std::string_view("道可道，非常道。名可名，非常名。無名天地之始。"),
                                      std::string_view("哈哈哈哈哈哈，烫手的山芋")}) {
    EXPECT_FALSE(pages.find(text)) << text << ": " << encoding_name(pages.confusion().was) << " read as "
                                   << encoding_name(pages.confusion().read_as);
    EXPECT_TRUE(pages.debris().empty()) << text;
  }
}

TEST(WrongPage, AnyBytesAreTaken) {
  constexpr char kNasty[] = "ÖÐ¹ú\xff\xed\xa0\x80 浣犲ソ\xe4\xbd 锟斤拷\0оПХБЕР\xf4\x90\x80\x80\xf0\x9f";
  const std::string nasty(kNasty, sizeof kNasty - 1);
  WrongPages pages;
  for (std::size_t size = 0; size <= nasty.size(); ++size) {
    const std::string_view text = std::string_view(nasty).substr(0, size);
    pages.find(text);
    for (const WrongStretch& one : pages.stretches()) {
      ASSERT_LE(one.offset + one.length, text.size());
      pages.undo(text.substr(one.offset, one.length));
    }
  }
}

}  // namespace

}  // namespace assay
