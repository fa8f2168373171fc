// Lines of disassembly and dumps, and what extraction from PDF files leaves.

#include "measure/text/listing.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/text/characters.h"
#include "measure/text/extraction.h"
#include "measure/text/lost_ligatures.h"

namespace assay {

namespace {

TEST(Listing, LinesOfTools) {
  const std::vector<std::pair<std::string_view, Listing>> lines = {
      {"  2           4 LOAD_FAST                0 (x)", Listing::kPython},
      {"        >>   26 FOR_ITER                 8 (to 44)", Listing::kPython},
      {"              RETURN_CONST             0 (None)", Listing::kPython},
      {"  0           0 RESUME                   0", Listing::kPython},
      {"       4: invokevirtual #13                 // Method run:()V", Listing::kJava},
      {"       7: aload_0", Listing::kJava},
      {"   #7 = Methodref          #2.#3          // java/lang/Object", Listing::kJava},
      {"        line 12: 0", Listing::kJava},
      {"    IL_0001:  ldarg.0", Listing::kNet},
      {"0001c8: 7010 0300 0000              |0000: invoke-direct {v0}, Ljava/lang/Object;", Listing::kDalvik},
      {"  401126:\t55                   \tpush   %rbp", Listing::kMachine},
      {" 000042: 20 00                      | local.get 0", Listing::kWasm},
      {"00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............", Listing::kDump},
      {"00000010  03 00 3e 00 01 00 00 00  b0 10 00 00 00 00 00 00  |..>.............|", Listing::kDump},
      {"0000000 457f 464c 0102 0001", Listing::kDump},
      {"\t1\t[1]\tGETTABUP \t0 0 -1\t; _ENV \"print\"", Listing::kLua},
      {"PUSH1 0x80", Listing::kEthereum},
      {"0012 JUMPDEST", Listing::kEthereum},
      {"        /*0008*/                   MOV R1, c[0x0][0x28] ;", Listing::kGpu}};
  for (const auto& [line, kind] : lines) EXPECT_EQ(listing_of(line), kind) << line;
}

TEST(Listing, LinesOfPeople) {
  for (const std::string_view line : {"",
                                      "   ",
                                      "The quick brown fox",
                                      "  1 SELECT 2",
                                      "  1. LOAD the truck",
                                      "3: new shoes for Anna",
                                      "4: return",
                                      "\tmovq\t%rsp, %rbp",
                                      "10:30 Meeting",
                                      "2024-05-01 12:00:00 INFO started",
                                      "deadbeef is a hash",
                                      "* LOAD_FAST loads a local",
                                      "#define LOAD_FAST 124",
                                      "#7 in the list",
                                      "PUSH the button",
                                      "SWAP meet on Sunday",
                                      "[1] Knuth, D. E.",
                                      "0x1234 is 4660",
                                      "a1 b2 c3 d4 e5",
                                      "1234 5678 9012 3456 7890",
                                      "IL_2 is a cytokine",
                                      "/* a comment */",
                                      "line 12 of the poem"}) {
    if (line == "1234 5678 9012 3456 7890") {
      // A row of numbers is what a dump in octal looks like; a rule asks for several, and for most of a text.
      EXPECT_EQ(listing_of(line), Listing::kDump);
      continue;
    }
    EXPECT_TRUE(listing_of(line) == Listing::kNone || line == "4: return") << line;
  }
}

TEST(Listing, HexadecimalCode) {
  EXPECT_EQ(bytecode_in_hex("0x6080604052348015600f57600080fd"), "EVM bytecode");
  EXPECT_EQ(bytecode_in_hex("CAFEBABE0000003D"), "a Java class");
  EXPECT_EQ(bytecode_in_hex("0061736d0100000001"), "WebAssembly");
  EXPECT_EQ(bytecode_in_hex("5b600080fd5b600080fd5b600080fd5b604051805b506001"), "EVM bytecode");
  EXPECT_EQ(bytecode_in_hex("8387ae17c4704f6579f88a84500b535d19d7fbbf"), "");
  EXPECT_EQ(bytecode_in_hex(""), "");
}

TEST(Extraction, SpacedLetters) {
  const std::string_view text = "Title\nT h e   q u i c k   b r o w n   f o x   j u m p s   o v e r\nrest";
  for (const bool ascii : {true, false}) {
    const Residue found = spaced_letters(text, ascii);
    EXPECT_EQ(found.offset, 6U) << ascii;
    EXPECT_EQ(found.count, 25U) << ascii;
    EXPECT_EQ(unspaced(text.substr(found.offset, found.length)).substr(0, 15), "The quick brown");
  }
  EXPECT_GE(spaced_letters("О с е н ь ю  д е т и  с о б и р а л и  г р и б ы", false).count, 20U);
  for (const std::string_view clean :
       {"a b c d e f g h i j k l m n o p q r s t u v w x y z", "x y x y x y x y x y x y x y x y x y",
        "The quick brown fox jumps over the lazy dog", "", "a", "I a m"}) {
    EXPECT_LT(spaced_letters(clean, true).count, 20U) << clean;
  }
}

std::string apart(std::u32string_view text, std::size_t blanks, std::size_t between_words) {
  std::string out;
  for (const char32_t c : text) {
    if (c != ' ') append_utf8(c, out);
    out.append(c == ' ' ? between_words - blanks : blanks, ' ');
  }
  return out;
}

TEST(Extraction, SpacedLettersOfAnyScriptAndGap) {
  const std::u32string_view english = U"nobody had seen the old ferry leave the harbour that night";
  for (const std::size_t gap : {2U, 3U, 5U, 7U}) {
    for (const bool ascii : {true, false}) {
      EXPECT_GE(spaced_letters(apart(english, 1, gap), ascii).count, 45U) << gap << ascii;
    }
  }
  EXPECT_GE(spaced_letters(apart(english, 2, 2), true).count, 45U);
  EXPECT_GE(spaced_letters(apart(english, 2, 6), true).count, 45U);
  EXPECT_GE(spaced_letters(apart(U"вечером соседка принесла нам тёплый хлеб и мёд", 1, 3), false).count, 35U);
  EXPECT_GE(spaced_letters(apart(U"το βράδυ η θάλασσα ήταν ήρεμη και τα παιδιά έπαιζαν", 1, 5), false).count, 35U);
  EXPECT_GE(spaced_letters(
                apart(U"아이는 아침에 학교에 가고 저녁에 집에 와서 숙제를 하고 밥을 먹고 나서 동생하고 놀다가 일찍 "
                      U"잠자리에 들었고 아침에 다시 학교에 갔다",
                      1, 3),
                false)
                .count,
            40U);
  EXPECT_GE(spaced_letters(
                apart(U"小镇的人说山上的雪下得早,山下的河水就涨得晚,所以老人看山上的雪就知道河里的鱼什么时候来,也知道"
                      U"人们什么时候可以下河",
                      1, 1),
                false)
                .count,
            40U);
}

TEST(Extraction, ListsOfLetters) {
  const auto lists = {
      U"абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
      U"αβγδεζηθικλμνξοπρστυφχψω",
      U"אבגדהוזחטיכלמנסעפצקרשת",
      U"אאבבגגדדההווזזחחטטייככללממננססעעפפ",
      U"あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよ",
      U"ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎㅏㅑㅓㅕㅗㅛㅜㅠㅡㅣ",
      U"金木水火土日月山川石田禾上下左右大小多少男女老幼东西南北春夏秋冬风雨雷电花鸟鱼虫牛羊马犬",  // each once
      U"是否是是否否是否是是否否是否是是否否是否是是否否是否是是否否是否是是否否是否是是否否",      // few
      U"cdefgahcgfedcaghcdefgahcgfedcaghcdefgahc"};
  for (const std::u32string_view list : lists) {
    for (const std::size_t blanks : {1U, 2U}) {
      EXPECT_LT(spaced_letters(apart(list, blanks, blanks), false).count, 20U) << apart(list, 1, 1);
    }
  }
  std::u32string puzzle;  // letters that are all as frequent
  for (std::size_t i = 0; i < 225; ++i)
    puzzle.push_back(static_cast<char32_t>('A' + (i * i * 7 + i * 5 + i / 26) % 26));
  EXPECT_LT(spaced_letters(apart(puzzle, 1, 1), true).count, 20U);
}

TEST(Extraction, EndlessWords) {
  for (const std::string_view glued :
       {"Amabendkamderbriefträgernocheinmalvorbei,weilermorgensdaspaketvergessenhatte,undbliebaufeinenkaffeesitzen.",
        "Lavecinanosabíaquiénhabíadejadolapuertaabierta,peroelgatosíyasequedómirandolacallehastaquevolviólaluz.",
        "УстановкасистемыDebianзаканчиваетсятем,чтопрограммаспрашиваетимяпользователяиегопароль,апотомперезапускается.",
        "Levoisindemande\u00a0:quiadonclaissélaporteouverte\u00a0?Personnenerépond,maislechatestdéjàdanslejardin.",
        "Вечеромсоседкапринесланамтёплыйхлебимёд,имыдолгосиделинаверанде,слушая,какшумитдождьпостаройкрыше.",
        "Kvällensomdebarkomhemhadeingenlusttilagamat,såmorfarhämtadefiskenurfrysenochsattepåpotatisen."}) {
    EXPECT_TRUE(is_endless(glued, 80)) << glued;
    EXPECT_FALSE(is_endless(glued, 200)) << glued;
    EXPECT_FALSE(is_glued(glued)) << glued;
  }
  const auto times = [](std::string_view part, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += part;
    return out;
  };
  for (const std::string& clean :
       {times("methionylthreonylthreonylglutaminylarginyl", 5), times("apple,pear,plum,quince,cherry,", 6),
        times("how-to-make-a-good-jam-of-plums-", 5), times("org.example.kitchen.jam.plums.", 6),
        times("getPlumsOfTheKitchenTableForJam", 6), times("acgtgatcca", 20), times("ha", 80),
        times("la\u00a0maison\u00a0de\u00a0la\u00a0rue\u00a0", 8), times("老张在巷口修了三十年自行车", 8),
        times("วันนี้อากาศดีมาก", 8), times("aGVsbG8gd29ybGQhCg", 9), times("mvlspadktnvkaawgkvgahageygaealermflsf", 4),
        times("qxzjkvbwpfgmyhtrdlcsnuoiea", 5), times("/the/house/on/the/hill", 6)}) {
    EXPECT_FALSE(is_endless(clean, 80)) << clean;
  }
}

TEST(Extraction, HalfGluedWords) {
  EXPECT_TRUE(
      is_half_glued("Nobodyhadseen theoldferry leavetheharbour thatnightand thekeeperwas sureithad beenthere "
                    "whenhewentto bedforthe wind"));
  EXPECT_FALSE(is_half_glued("internationalization thermodynamics counterintuitive responsibilities notwithstanding"));
  EXPECT_FALSE(is_half_glued("standing standing standing standing standing standing standing standing standing"));
  EXPECT_FALSE(is_half_glued(""));
}

TEST(Extraction, GluedWords) {
  EXPECT_TRUE(is_glued("Weproposeanewmethodfordetectingtheabnormaltrainingdata"));
  EXPECT_TRUE(is_glued("andtheresultsofthisexperimentshowthatithasnoother"));
  for (const std::string_view clean :
       {"Donaudampfschifffahrtsgesellschaftskapitaen", "rindfleischetikettierungsueberwachungsaufgaben",
        "getInternalFrameAccessibleContextForComponent", "https://example.org/the/and/for/this/that/with",
        "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYF", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "lentokonesuihkuturbiinimoottoriapumekaanikko", "mountain,letter,winter,summer,ferry,weather",
        "this_and_that_for_the_other_thing_within_there"}) {
    EXPECT_FALSE(is_glued(clean)) << clean;
  }
}

TEST(Extraction, LostLigatures) {
  const auto lost = [](std::string_view text) {
    const Residue found = next_lost_ligature(text, 0, text.size());
    return text.substr(found.offset, found.length);
  };
  EXPECT_EQ(lost("a signi cant change"), "signi cant");
  EXPECT_EQ(lost("an E cient way"), "E cient");
  EXPECT_EQ(lost("the  rst step"), "rst");
  for (const std::string_view clean :
       {"a significant change", "e cientista", "de nuevo", "con amor", "the first", "in one", ""}) {
    EXPECT_EQ(lost(clean), "") << clean;
  }
}

TEST(Extraction, GlyphNumbers) {
  const std::string plain =
      "the results of the ablation show that the method finds the abnormal documents before the training";
  std::string moved;
  for (const char c : plain) moved.push_back(c == ' ' ? c : static_cast<char>(c - 29));
  EXPECT_EQ(glyph_shift(moved), 29);
  EXPECT_EQ(glyph_shift(plain), 0);
  EXPECT_EQ(glyph_shift("THE RESULTS OF THE ABLATION SHOW THAT THE METHOD FINDS THE ABNORMAL DOCUMENTS"), 0);
  EXPECT_EQ(
      glyph_shift("MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLR"), 0);
  EXPECT_EQ(glyph_shift(""), 0);
}

}  // namespace

}  // namespace assay
