// The rules that judge encodings and characters: what they say, of which place, and of what they are silent.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/characters.h"
#include "unit/support/document_judging.h"

namespace assay {

namespace {

constexpr std::string_view kRules[] = {"mojibake",           "replacement-characters", "binary-text", "bytecode",
                                       "control-characters", "invisible-characters",   "digits-only", "pdf-residue",
                                       "empty-document"};

// Text of many languages and kinds that no rule objects to.
constexpr std::string_view kClean[] = {
    "The landlord’s notice said “no later than Friday” – and the reply came on Saturday…",
    "L’été dernier, nous avons mangé des crêpes ; « c’était bon », dit-elle. À bientôt !",
    "Größere Städte: „fließender Verkehr“ ist schön. Straße, Maß, Übermut.",
    "El niño pequeño comió piña; ¿quién podría decirle que no? ¡Nadie!",
    "A avó não comprou pão nem maçãs. VOCÊ… MAÇÃ, PÃO, À TARDE.",
    "Zażółcona łąka pachniała świeżo. Gęś, jaźń, śledź.",
    "Příliš žluťoučký kůň běžel přes řeku, až se děti smály.",
    "Az őszi erdőben gyűjtött gombát együtt főzték meg.",
    "Işıklı çarşıda ağaç çileği, ığdır, şöförün eşi.",
    "Mùa thu năm ấy, những đứa trẻ chạy dọc bờ sông được người lớn.",
    "Tiê\u0301ng Viê\u0323t vie\u0302\u0301t ba\u0306\u0300ng da\u0302\u0301u ro\u031b\u0300i",
    "Осенью дети собирали в лесу грибы. СССР, ООН, МИД — «аббревиатуры».",
    "Восени діти збирали гриби: її, Київ, ґанок, Європа.",
    "Ђурђевдан, љубав, њива, џеп; Ќе одиме во ѓубре.",
    "Қазақстан Республикасы, Ўзбекистон, Монгол хэл, Түркмен",
    "Το φθινόπωρο τα παιδιά μάζευαν μανιτάρια. Ἐν ἀρχῇ ἦν ὁ λόγος.",
    "בסתיו אספו הילדים פטריות. בְּרֵאשִׁית בָּרָא אֱלֹהִים",
    "في الخريف كان الأطفال يجمعون الفطر. بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ ـــ",
    "بچه‌ها در پاییز از جنگل قارچ می‌چیدند؛ گچ، پژواک.",
    "ہم سب کو چاہیے کہ بچوں کو پڑھائیں، ٹھیک ہے۔",
    "पतझड़ में बच्चे जंगल से कुकुरमुत्ते लाते थे। क्\u200dष",
    "শরৎকালে শিশুরা বনে ব্যাঙের ছাতা কুড়াত।",
    "ਪਤਝੜ ਵਿੱਚ ਬੱਚੇ ਜੰਗਲ ਵਿੱਚੋਂ ਖੁੰਬਾਂ ਲਿਆਉਂਦੇ ਸਨ।",
    "இலையுதிர் காலத்தில் குழந்தைகள் காளான்களைச் சேகரித்தனர்.",
    "ശരത്കാലത്ത് കുട്ടികൾ കാട്ടിൽ കൂൺ ശേഖരിച്ചു. ന്\u200d",
    "ในฤดูใบไม้ร่วงเด็กๆ เก็บเห็ดในป่า เธอกับเนก ๑๒๓",
    "ក្មេងៗ\u200bប្រមូល\u200bផ្សិត\u200bនៅ\u200bក្នុង\u200bព្រៃ",
    "ကလေးများသည် တောထဲတွင် မှိုများ ကောက်ကြသည်။",
    "ສະບາຍດີ ເດັກນ້ອຍເກັບເຫັດ",
    "ბავშვები ტყეში სოკოს აგროვებდნენ.",
    "Աշնանը երեխաները անտառում սունկ էին հավաքում։",
    "በመከር ወቅት ልጆች በጫካ ውስጥ እንጉዳይ ይሰበስቡ ነበር።",
    "秋天的时候，孩子们到树林里采蘑菇，大家都很高兴。哈哈哈哈！",
    "秋天的時候，孩子們到樹林裡採蘑菇。佢哋喺度食緊嘢，冇問題嘅。",
    "道可道，非常道。名可名，非常名。無名天地之始；有名萬物之母。",
    "龘靐齉齾爩麤，饕餮、魑魅魍魎、齟齬、琺瑯。",
    "秋になると子どもたちは森でキノコを集めます。ﾊﾝｶｸｶﾅも使う。①②③ ㈱ ℡",
    "가을이 되면 아이들은 숲에서 버섯을 모으고 국을 끓였습니다. ㅋㅋㅋ ㅠㅠ",
    "Þeir sögðu að það væri góð hugmynd, þýðing og ræða.",
    "Mħux hekk, għandna ħafna xogħol. Ĉiu ŝanĝo ĝojigas. Nǁng ʻokina ñandú",
    "/θɹuː/ /ˈnɛsəˌsɛɹi/ [ˈʁœð̩ˌɡʁœðˀ með̩ ˈfløːð̩]",
    "∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−L|<ε; ∑ 1/n² = π²/6, ‖x+y‖ ≤ ‖x‖, (-1/2)! = √π",
    "life ← {⊃1 ⍵ ∨.∧ 3 4 = +/ +⌿ ¯1 0 1 ∘.⊖ ¯1 0 1 ⌽¨ ⊂⍵}",
    "project/\n├── README.md\n├── src/\n│   └── main.cpp\n└── tests/\n",
    "👩‍👩‍👧‍👦 ❤️ 🏳️‍🌈 👍🏽 1️⃣ 🇫🇷 (╯°□°)╯︵ ┻━┻ "
    "ʕ•ᴥ•ʔ "
    "¯\\_(ツ)_/¯ "
    "(｡◕‿◕｡) "
    "`¬´",
    "½ cup, 20 °C, 5 µm, §3 ¶2, © 2024 ® ™, €5, £3, 4288×…, NESTLÉ®, m³/h, ``lá´´",
    "1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5",
    "A000040: The prime numbers. 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53",
    "step,tokens,loss\n1,4096,10.83\n2,8192,10.71\n3,12288,10.55\n4,16384,10.40\n",
    "| n | time |\n|---|------|\n| 1 | 0.25 |\n| 2 | 0.51 |\n| 3 | 0.77 |\n",
    "int f(int a) { return a ? a->b : c[3]; }  // what?? no\nfor (auto& x : xs) x = 0x7f;\n",
    "^(?:(?:25[0-5]|2[0-4]\\d)\\.){3}\\d+$ matches; colou?r too. a?b:c /find?q=1&r=2",
    ">sp|P69905|HBA_HUMAN\nMVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKK",
    "commit 8387ae17c4704f6579f88a84500b535d19d7fbbf\nDate: Thu Dec 7 11:02:33 2023 +0100\n\n    Fix it\n",
    "\xef\xbb\xbfWith a byte order mark, a soft\xc2\xadhyphen and a\xc2\xa0no-break space.",
};

TEST(EncodingRules, CleanTextIsLeft) {
  for (const std::string_view rule : kRules) {
    Judging judge(rule);
    for (const std::string_view text : kClean) {
      const auto& hits = judge(text);
      EXPECT_TRUE(hits.empty()) << rule << " says " << (hits.empty() ? "" : hits[0].reason.key) << " of " << text;
    }
  }
}

TEST(EncodingRules, CleanTextIsLeftAsOneDocument) {
  std::string all;
  for (int i = 0; i < 20; ++i) {
    for (const std::string_view text : kClean)
      all.append(text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text).append("\n");
  }
  for (const std::string_view rule : kRules) {
    Judging judge(rule);
    EXPECT_FALSE(is_abnormal(judge(all))) << rule << " " << judge(all)[0].reason.key << " at " << judge(all)[0].offset
                                          << ": " << all.substr(judge(all)[0].offset, judge(all)[0].length);
  }
}

struct Bad {
  std::string_view rule, before, fault, after, reason, repaired;
};

// What stands between `before` and `after` is the fault; the rule tells that place, and what it should be.
constexpr Bad kBad[] = {
    {"mojibake", "It is the tenant", "â€™", "s duty to give notice in writing.", "utf8", "’"},
    {"mojibake", "Le client doit ", "rÃ©fÃ©rer", " au contrat.", "utf8", "éfé"},
    {"mojibake", "", "РџСЂРёРІРµС‚", "", "utf8", "Привет"},
    {"mojibake", "The Mona Lisa doesn", "Ã¢â‚¬â„¢", "t smile.", "utf8-twice", "’"},
    {"mojibake", "", "浣犲ソ锛屼笘鐣", "", "pages", ""},
    {"mojibake", "公告：", "锟斤拷锟斤拷锟斤拷", "，请联系管理员。", "replaced", ""},
    {"mojibake", "name=", "烫烫烫烫烫烫", ";", "fill", ""},
    {"replacement-characters", "caf", "\xef\xbf\xbd", "", "lost", ""},
    {"replacement-characters", "", "???? ?? ??????, ???", "", "words-of-marks", ""},
    {"control-characters", "ab", "\x01\x02\x03\x04\x05", "cd", "controls", ""},
    {"control-characters", "", "\x1b[31merror\x1b[0m: \x1b[1mno", " rule", "escapes", ""},
    {"invisible-characters", "Hello", "\xf3\xa0\x81\xa8\xf3\xa0\x81\xa9\xf3\xa0\x81\xaa", "", "tags", ""},
    {"invisible-characters", "x = ", "\xe2\x80\xae", "a;", "override", ""},
    {"digits-only", "", "+1-555-0199\n+1-555-0123\n+1-555-0147", "", "numbers", ""},
    {"bytecode", "x = ", "0x6080604052348015600f57600080fd5b506004361060325760003560e01c80", ";", "hex", ""},
    {"pdf-residue", "", "T h e   q u i c k   b r o w n   f o x   j u m p s", "", "spaced", "The quick brown fox jumps"},
    {"empty-document", "", "", "", "empty", ""},
    {"empty-document", "", " \n\xe2\x80\x8b\n", "", "blank", ""},
};

TEST(EncodingRules, FaultsHaveTheirPlace) {
  for (const Bad& bad : kBad) {
    Judging judge(bad.rule);
    const std::string text = std::string(bad.before) + std::string(bad.fault) + std::string(bad.after);
    const auto& hits = judge(text);
    ASSERT_FALSE(hits.empty()) << bad.rule << " of " << text;
    EXPECT_TRUE(is_abnormal(hits)) << bad.rule << " of " << text;
    EXPECT_EQ(hits[0].reason.key, bad.reason) << text;
    for (const DocumentHit& one : hits) {
      EXPECT_GE(one.offset, bad.before.size()) << bad.rule << " of " << text;
      EXPECT_LE(one.offset + one.length, bad.before.size() + bad.fault.size()) << bad.rule << " of " << text;
    }
    if (!bad.repaired.empty()) {
      EXPECT_EQ(hits[0].repaired, bad.repaired) << text;
    }
  }
}

TEST(EncodingRules, EverySentenceIsThere) {
  for (const std::string_view name : kRules) {
    const Rule& rule = *find_rule(name);
    for (const Bad& bad : kBad) {
      if (bad.rule != name) continue;
      EXPECT_TRUE(std::any_of(rule.sentences.begin(), rule.sentences.end(),
                              [&](const SentenceRecord& one) { return one.key == bad.reason; }))
          << name << " " << bad.reason;
    }
  }
}

TEST(EncodingRules, AFewAreANote) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += kClean[0];
  for (const auto& [rule, slip] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"control-characters", "\x1a"},
                                                                  {"replacement-characters", "\"\xef\xbf\xbd\""},
                                                                  {"invisible-characters", "\xe2\x80\x8b"},
                                                                  {"invisible-characters", "\xef\x82\xb7"}}) {
    Judging judge(rule);
    const auto& hits = judge(text + std::string(slip));
    ASSERT_EQ(hits.size(), 1U) << rule;
    EXPECT_EQ(hits[0].severity, Severity::kNote) << rule;
    EXPECT_LT(hits[0].confidence, 0.6) << rule;
  }
}

TEST(EncodingRules, WhatIsSaidDoesNotDependOnTheDocumentsBefore) {
  for (const std::string_view rule : kRules) {
    Judging used(rule);
    for (const Bad& bad : kBad) used(std::string(bad.before) + std::string(bad.fault) + std::string(bad.after));
    for (const Bad& bad : kBad) {
      const std::string text = std::string(bad.before) + std::string(bad.fault) + std::string(bad.after);
      Judging fresh(rule);
      const auto& first = fresh(text);
      const auto& again = used(text);
      ASSERT_EQ(first.size(), again.size()) << rule << " of " << text;
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].offset, again[i].offset);
        EXPECT_EQ(first[i].length, again[i].length);
        EXPECT_EQ(first[i].repaired, again[i].repaired);
      }
    }
  }
}

TEST(EncodingRules, PlacesDoNotOverlapAndBytesAreCounted) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text +=
        "plain words between \xe2\x80\xae"
        "and \x01 more \xef\xbf\xbd\xe2\x80\x8b\xe2\x80\x8b caf\xc3\x83\xc2\xa9 \xef\x82\xb7 ";
  for (const std::string_view rule : kRules) {
    Judging judge(rule);
    std::vector<DocumentHit> hits = judge(text);
    std::sort(hits.begin(), hits.end(), [](const DocumentHit& a, const DocumentHit& b) { return a.offset < b.offset; });
    std::size_t told = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      told += hits[i].length;
      if (i > 0) {
        EXPECT_LE(hits[i - 1].offset + hits[i - 1].length, hits[i].offset) << rule;
      }
    }
    EXPECT_GE(judge.affected(), told) << rule;
    EXPECT_LE(judge.affected(), text.size()) << rule;
  }
}

// Bytes that are no UTF-8, NUL, and every cut of them: nothing is read beyond the end.
TEST(EncodingRules, AnyBytesAreTaken) {
  std::string nasty;
  for (const Bad& bad : kBad)
    nasty += std::string(bad.fault) + "\xff\xc3\xed\xa0\x80\xf4\x90\x80\x80" + std::string(1, '\0');
  for (const std::string_view rule : kRules) {
    Judging judge(rule);
    for (std::size_t size = 0; size <= nasty.size(); ++size) judge(std::string_view(nasty).substr(0, size));
    for (std::size_t from = 0; from <= nasty.size(); from += 3) judge(std::string_view(nasty).substr(from));
  }
}

// Two megabytes of what each rule looks closest at: a rule that takes time with the square of it does not come back.
TEST(EncodingRules, LongDocumentsTakeTheirLengthInTime) {
  constexpr std::size_t kSize = std::size_t{2} << 20;
  for (const std::string_view piece : {"?",
                                       "? ",
                                       "a?b ",
                                       "\xef\xbf\xbd",
                                       "\x1b[",
                                       "Ã",
                                       "Ã©",
                                       "â€™",
                                       "浣犲ソ",
                                       "锟斤拷",
                                       "烫",
                                       "оПХБЕР ",
                                       "ÄãºÃ",
                                       "\xcc\x81",
                                       "\xe2\x80\x8b",
                                       "0",
                                       "0x",
                                       "6080604052",
                                       "1: aload_0\n",
                                       "a b ",
                                       "a",
                                       "the",
                                       "- a",
                                       "(cid:1",
                                       "signi cant ",
                                       "\xee\x80\x80",
                                       "\x01",
                                       " ",
                                       "тА",
                                       "├",
                                       "ﾊ",
                                       "a茅b "}) {
    std::string text;
    text.reserve(kSize + piece.size());
    while (text.size() < kSize) text += piece;
    for (const std::string_view rule : kRules) {
      Judging judge(rule);
      EXPECT_LE(judge(text).size(), DocumentHits::kMost) << rule << " of " << piece;
    }
  }
}

}  // namespace

}  // namespace assay
