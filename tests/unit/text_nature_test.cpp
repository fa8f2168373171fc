// What a text is made of: scripts, languages, kinds, tokens, and that they add up the same in any order.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measure/text/kind.h"
#include "measure/text/language.h"
#include "measure/text/languages.h"
#include "measure/text/nature.h"
#include "measure/text/script.h"
#include "measure/text/tokens.h"

namespace assay {
namespace {

ScriptCounts scripts_of(std::string_view text) {
  TextSurvey seen;
  survey(text, seen);
  ScriptCounts out;
  count_scripts(text, seen, out);
  return out;
}

std::string language_in(std::string_view text) {
  return std::string(key_of_language(language_of(text, scripts_of(text))));
}

std::string kind_in(std::string_view text) {
  TextSurvey seen;
  survey(text, seen);
  return std::string(key_of(kind_of_text(text, seen)));
}

TextNature nature_of(std::string_view text) {
  TextSurvey seen;
  survey(text, seen);
  TextNature out;
  add_nature(text, seen, out);
  return out;
}

TEST(Script, EveryCharacterBelongsToOne) {
  const std::string text = "Ab 12, Жёж λόγος שלום سلام हिन्दी ไทย 汉字かなカナ 한글 ሰላም ᏣᎳᎩ 😀∑";
  const ScriptCounts counts = scripts_of(text);
  EXPECT_EQ(counts.of(Script::kLatin), 2U);
  EXPECT_EQ(counts.of(Script::kCyrillic), 3U);
  EXPECT_EQ(counts.of(Script::kGreek), 5U);
  EXPECT_EQ(counts.of(Script::kHebrew), 4U);
  EXPECT_EQ(counts.of(Script::kArabic), 4U);
  EXPECT_EQ(counts.of(Script::kDevanagari), 6U);
  EXPECT_EQ(counts.of(Script::kThai), 3U);
  EXPECT_EQ(counts.of(Script::kHan), 2U);
  EXPECT_EQ(counts.of(Script::kKana), 4U);
  EXPECT_EQ(counts.of(Script::kHangul), 2U);
  EXPECT_EQ(counts.of(Script::kEthiopic), 3U);
  EXPECT_EQ(counts.of(Script::kOther), 3U);
  std::uint64_t bytes = 0;
  for (const std::uint64_t one : counts.bytes) bytes += one;
  EXPECT_EQ(bytes, text.size());
}

TEST(Script, TheOneOfEachCodePointIsTheOneOfItsBlock) {
  EXPECT_EQ(script_of('z'), Script::kLatin);
  EXPECT_EQ(script_of('@'), Script::kCommon);
  EXPECT_EQ(script_of(0xd7), Script::kCommon);  // ×
  EXPECT_EQ(script_of(0xe9), Script::kLatin);
  EXPECT_EQ(script_of(0x0b95), Script::kTamil);
  EXPECT_EQ(script_of(0x20000), Script::kHan);
  EXPECT_EQ(script_of(0x1f600), Script::kCommon);
  EXPECT_EQ(script_of(0x10ffff), Script::kCommon);
  EXPECT_EQ(script_of(0x10330), Script::kOther);  // Gothic
}

TEST(Script, IdeographsWithKanaAreJapanese) {
  EXPECT_EQ(main_script(scripts_of("東京都新宿区の天気は")), Script::kKana);
  EXPECT_EQ(main_script(scripts_of("今天的天气很好，我们去公园。")), Script::kHan);
  EXPECT_EQ(main_script(scripts_of("1, 2, 3")), Script::kCommon);
}

struct Sample {
  std::string_view code, text;
};

// Of the same three sentences: rain fell on the hills all night; in the morning the river had left its bed; the people
// of the village went out to save their animals.
constexpr Sample kSamples[] = {
    {"en",
     "Rain fell on the hills all night. In the morning the river had left its bed, and the people of the village "
     "went out to save their animals."},
    {"de",
     "Die ganze Nacht fiel Regen auf die Hügel. Am Morgen war der Fluss über die Ufer getreten, und die Leute aus "
     "dem Dorf gingen hinaus, um ihre Tiere zu retten."},
    {"fr",
     "La pluie est tombée toute la nuit sur les collines. Au matin, la rivière avait quitté son lit et les gens "
     "du village sont sortis pour sauver leurs animaux."},
    {"es",
     "Llovió toda la noche sobre las colinas. Por la mañana el río se había salido de su cauce y la gente del "
     "pueblo salió para salvar a sus animales."},
    {"pt",
     "Choveu toda a noite sobre as colinas. De manhã o rio tinha saído do seu leito e as pessoas da aldeia foram "
     "para fora salvar os seus animais."},
    {"it",
     "È piovuto tutta la notte sulle colline. La mattina il fiume era uscito dal suo letto e la gente del "
     "villaggio andò fuori per salvare i propri animali."},
    {"nl",
     "De hele nacht viel er regen op de heuvels. In de ochtend was de rivier buiten haar oevers getreden en de "
     "mensen uit het dorp gingen naar buiten om hun dieren te redden."},
    {"sv",
     "Det regnade hela natten över kullarna. På morgonen hade floden svämmat över och människorna i byn gick ut "
     "för att rädda sina djur."},
    {"fi",
     "Sade lankesi kukkuloille koko yön. Aamulla joki oli noussut uomastaan, ja kylän ihmiset lähtivät ulos "
     "pelastamaan eläimiään."},
    {"pl",
     "Przez całą noc padał deszcz na wzgórza. Rano rzeka wystąpiła z brzegów, a ludzie ze wsi wyszli, żeby "
     "ratować swoje zwierzęta."},
    {"cs",
     "Celou noc pršelo na kopce. Ráno se řeka vylila z břehů a lidé z vesnice vyšli ven, aby zachránili svá "
     "zvířata."},
    {"hu",
     "Egész éjjel esett az eső a dombokra. Reggelre a folyó kilépett a medréből, és a falu lakói kimentek, hogy "
     "megmentsék az állataikat."},
    {"ro",
     "Toată noaptea a plouat peste dealuri. Dimineața râul ieșise din albia lui, iar oamenii din sat au ieșit să "
     "își salveze animalele."},
    {"tr",
     "Bütün gece tepelere yağmur yağdı. Sabahleyin nehir yatağından taşmıştı ve köyün insanları hayvanlarını "
     "kurtarmak için dışarı çıktılar."},
    {"vi",
     "Mưa rơi suốt đêm trên những ngọn đồi. Buổi sáng con sông đã tràn bờ, và người dân trong làng đi ra ngoài để "
     "cứu những con vật của họ."},
    {"id",
     "Hujan turun sepanjang malam di perbukitan. Pada pagi hari sungai itu telah meluap, dan orang-orang desa "
     "pergi keluar untuk menyelamatkan hewan mereka."},
    {"lt",
     "Visą naktį ant kalvų lijo lietus. Rytą upė buvo išsiliejusi iš vagos, ir kaimo žmonės išėjo gelbėti savo "
     "gyvulių."},
    {"ru",
     "Всю ночь на холмы падал дождь. Утром река вышла из берегов, и люди из деревни пошли спасать своих животных."},
    {"uk", "Усю ніч на пагорби падав дощ. Уранці річка вийшла з берегів, і люди з села пішли рятувати своїх тварин."},
    {"bg",
     "Цяла нощ валеше дъжд над хълмовете. На сутринта реката беше излязла от коритото си и хората от селото "
     "излязоха, за да спасят животните си."},
    {"el",
     "Όλη τη νύχτα έβρεχε στους λόφους. Το πρωί το ποτάμι είχε βγει από την κοίτη του και οι άνθρωποι του χωριού "
     "βγήκαν να σώσουν τα ζώα τους."},
    {"he", "כל הלילה ירד גשם על הגבעות. בבוקר יצא הנהר מאפיקו, ואנשי הכפר יצאו להציל את בעלי החיים שלהם."},
    {"ar", "هطل المطر طوال الليل على التلال. وفي الصباح كان النهر قد خرج عن مجراه، فخرج أهل القرية لإنقاذ حيواناتهم."},
    {"fa",
     "تمام شب باران بر تپه‌ها می‌بارید. "
     "صبح رودخانه از بستر خود بیرون آمده بود "
     "و مردم روستا رفتند تا حیوانات خود را نجات دهند."},
    {"hi",
     "सारी रात पहाड़ियों पर बारिश होती रही। सुबह नदी अपने किनारों से बाहर आ गई थी "
     "और गाँव के लोग अपने जानवरों को बचाने के लिए बाहर निकले।"},
    {"bn",
     "সারা রাত পাহাড়ের উপর বৃষ্টি পড়েছে। সকালে নদী তার কূল ছাপিয়ে গিয়েছিল "
     "এবং গ্রামের মানুষ তাদের পশুদের বাঁচাতে বেরিয়েছিল।"},
    {"ta", "இரவு முழுவதும் மலைகளில் மழை பெய்தது. காலையில் ஆறு கரையைக் கடந்திருந்தது."},
    {"te", "రాత్రంతా కొండలపై వర్షం కురిసింది. ఉదయం నది గట్టు దాటింది."},
    {"th", "ฝนตกบนเนินเขาตลอดทั้งคืน ในตอนเช้าแม่น้ำก็ล้นตลิ่ง ชาวบ้านจึงออกไปช่วยสัตว์ของตน"},
    {"ja", "一晩中、丘に雨が降った。朝になると川は溢れ、村の人々は動物を助けるために外へ出た。"},
    {"ko", "밤새도록 언덕에 비가 내렸다. 아침에 강이 넘쳤고 마을 사람들은 동물을 구하러 나갔다."},
    {"zh", "整夜都在山上下雨。早上河水漫过了河岸，村里的人们出去救他们的动物。这是一个很长的故事，我们以后再说。"},
    {"ka", "მთელი ღამე წვიმდა ბორცვებზე. დილით მდინარე ნაპირებიდან გადმოვიდა."},
    {"hy", "Ամբողջ գիշեր անձրև էր գալիս բլուրների վրա։ Առավոտյան գետը դուրս էր եկել ափերից։"},
};

TEST(Language, OfTheSameStoryInManyLanguages) {
  ASSERT_GE(std::size(kSamples), 30U);
  if (!tells_languages()) GTEST_SKIP() << "built without CLD2";
  for (const Sample& sample : kSamples) EXPECT_EQ(language_in(sample.text), sample.code) << sample.text;
}

TEST(Language, AScriptOfItsOwnTellsItWithoutALibrary) {
  for (const std::string_view code : {"el", "ta", "te", "th", "ja", "ko", "ka", "hy", "en"}) {
    const auto sample =
        std::find_if(std::begin(kSamples), std::end(kSamples), [&](const Sample& one) { return one.code == code; });
    EXPECT_EQ(language_in(sample->text), code);
  }
}

TEST(Language, UnknownIsAnAnswer) {
  EXPECT_EQ(language_in(""), "unknown");
  EXPECT_EQ(language_in("12 345"), "unknown");
  EXPECT_EQ(language_in("OK"), "unknown");
  EXPECT_EQ(language_in("xkq zvw jqp wxz kkv qzx vvj zqx pqk xjw zzk qqv"), "unknown");
}

TEST(Language, TheWindowEndsAtCharacters) {
  std::string text;
  while (text.size() < 4000) text += kSamples[31].text;
  for (std::size_t cut = 0; cut < 4; ++cut) {
    EXPECT_EQ(language_in(std::string(cut, '.') + text), tells_languages() ? "zh" : "unknown");
  }
}

TEST(Language, NamesAreSortedAndHaveBothLanguages) {
  const auto all = languages();
  EXPECT_TRUE(std::is_sorted(all.begin() + 1, all.end(),
                             [](const LanguageName& a, const LanguageName& b) { return a.code < b.code; }));
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(language_with_code(all[i].code), i);
    EXPECT_FALSE(all[i].en.empty());
    EXPECT_FALSE(all[i].zh.empty());
  }
  EXPECT_EQ(language_with_code("xx"), kUnknownLanguage);
}

TEST(Kind, OfSmallTexts) {
  const Sample samples[] = {
      {"prose", kSamples[0].text},
      {"prose", kSamples[31].text},
      {"prose",
       "He had let the dog in, set the table and gone for wood; then it was done, and for a while nobody\nspoke. "
       "My sub, he thought, use it or lose it. With that he put the import papers away.\n"},
      {"dialogue",
       "User: How do I boil an egg?\nAssistant: Put it into boiling water for six minutes.\nUser: And if I "
       "want it soft?\nAssistant: Then four minutes are enough.\n"},
      {"markup",
       "# Install\n\nGet the **package** from [here](https://example.org).\n\n## Use\n\nRun it with ``-h`` "
       "first.\n\n> It is free.\n"},
      {"list", "- two eggs\n- a cup of flour\n- some butter\n- a pinch of salt\n"},
      {"list", "1. Heat the oven\n2. Mix the flour\n3. Bake for an hour\n"},
      {"maths",
       "Let $f$ be continuous on $[a, b]$ with $f(a) < 0$.\nThen $\\int_a^b f(x) dx \\leq 0$ for some $a$,\n"
       "and $\\frac{1}{n} \\sum x_i$ tends to $0$.\n"},
      {"latex",
       "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n\\section{Rain}\nIt fell.\n"
       "\\end{document}\n"},
      {"table", "name,age,city\nAnna,31,Rome\nBen,44,Oslo\nCleo,27,Lima\nDora,52,Bonn\n"},
      {"table", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n"},
      {"html", "<html>\n<body>\n<p class=\"x\">Rain</p>\n<br/>\n</body>\n</html>\n"},
      {"json", "{\n  \"name\": \"rain\",\n  \"days\": 3,\n  \"where\": {\"hill\": true}\n}\n"},
      {"yaml", "model:\n  layers: 12\n  width: 768\ntrain:\n  steps: 1000\n  lr: 0.001\n"},
      {"css", "body {\n  margin: 0;\n  color: #333;\n}\n.menu a {\n  padding: 4px;\n  display: block;\n}\n"},
      {"python",
       "import os\n\ndef walk(path):\n    for name in os.listdir(path):\n        if name.startswith('.'):\n"
       "            continue\n        yield name\n"},
      {"c",
       "#include <stdio.h>\n\nint main(void) {\n  const char *s = \"rain\";\n  printf(\"%s\\n\", s);\n  return "
       "0;\n}\n"},
      {"java",
       "package rain;\n\nimport java.util.List;\n\npublic class Hill {\n  private final List<String> names;\n"
       "  public int size() {\n    return names.size();\n  }\n}\n"},
      {"javascript",
       "const fs = require('fs');\n\nfunction read(path) {\n  if (path === undefined) return null;\n"
       "  let text = fs.readFileSync(path);\n  return text.map(x => x + 1);\n}\nmodule.exports = read;\n"},
      {"go",
       "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := 3\n\tif err != nil {\n\t\tfmt.Println(x)\n\t}\n}\n"},
      {"rust",
       "use std::fs;\n\npub fn read(path: &str) -> Result<String> {\n    let mut s = String::new();\n"
       "    match fs::read(path) {\n        Ok(b) => s.push(b),\n        _ => {}\n    }\n    Ok(s)\n}\n"},
      {"shell", "#!/bin/sh\nset -e\nfor f in *.txt; do\n  if [ -f \"$f\" ]; then\n    echo \"$f\"\n  fi\ndone\n"},
      {"sql",
       "SELECT name, COUNT(*)\nFROM hills\nJOIN rivers ON rivers.id = hills.river\nWHERE height > 100\nGROUP BY "
       "name;\n"},
      {"perl", "use strict;\nmy $x = shift;\nsub rain {\n  my ($n) = @_;\n  return $n =~ /hill/;\n}\n"},
      {"assembly", "\t.globl main\nmain:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tmovl\t$0, %eax\n\tret\n"},
      {"other", "31 17 4 99 2 48\n"},
      {"other", ""},
  };
  for (const Sample& sample : samples) EXPECT_EQ(kind_in(sample.text), sample.code) << sample.text;
}

TEST(Kind, EveryOneHasAKeyAndTwoNames) {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < kTextKinds; ++i) {
    const auto kind = static_cast<TextKind>(i);
    keys.push_back(key_of(kind));
    EXPECT_FALSE(name_of(kind).en.empty());
    EXPECT_FALSE(name_of(kind).zh.empty());
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
}

std::uint64_t tokens_in(std::string_view text) { return nature_of(text).tokens / 1000; }

// Counted with o200k_base: what the estimate is measured against.
TEST(Tokens, AreNearTheTruth) {
  const auto near = [](std::string_view text, double truth) {
    const auto estimate = static_cast<double>(tokens_in(text));
    EXPECT_NEAR(estimate, truth, truth * kTokenEstimateError / 100) << text;
  };
  const std::pair<std::string_view, double> truths[] = {{"en", 31}, {"de", 38}, {"es", 35}, {"ru", 34}, {"ar", 33},
                                                        {"hi", 38}, {"th", 37}, {"ja", 39}, {"ko", 32}, {"zh", 39}};
  for (const auto& [code, truth] : truths) {
    const auto sample =
        std::find_if(std::begin(kSamples), std::end(kSamples), [&](const Sample& one) { return one.code == code; });
    near(sample->text, truth);
  }
}

TEST(Nature, AddsUpTheSameInAnyGrouping) {
  std::vector<TextNature> parts;
  for (const Sample& sample : kSamples) parts.push_back(nature_of(sample.text));
  TextNature forward, backward, halves[2];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    forward.add(parts[i]);
    backward.add(parts[parts.size() - 1 - i]);
    halves[i % 2].add(parts[i]);
  }
  halves[1].add(halves[0]);
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, halves[1]);
}

TEST(Nature, BytesOfKindsAndOfScriptsAreThoseOfTheText) {
  TextNature all;
  std::uint64_t bytes = 0;
  for (const Sample& sample : kSamples) {
    all.add(nature_of(sample.text));
    bytes += sample.text.size();
  }
  const auto sum = [](const NatureShares& shares, auto member) {
    std::uint64_t out = 0;
    for (const NatureShare& one : shares.all()) out += one.*member;
    return out;
  };
  EXPECT_EQ(sum(all.kinds, &NatureShare::bytes), bytes);
  EXPECT_EQ(sum(all.scripts, &NatureShare::bytes), bytes);
  EXPECT_EQ(sum(all.kinds, &NatureShare::documents), std::size(kSamples));
  EXPECT_EQ(sum(all.scripts, &NatureShare::documents), std::size(kSamples));
  EXPECT_EQ(sum(all.kinds, &NatureShare::tokens), all.tokens);
  EXPECT_EQ(sum(all.scripts, &NatureShare::tokens), all.tokens);
}

TEST(Nature, CodeHasNoLanguage) {
  const TextNature code = nature_of("#include <a.h>\nint main(void) {\n  return 0;  // nothing to do here\n}\n");
  EXPECT_TRUE(code.languages.all().empty());
  EXPECT_EQ(code.kinds.all().size(), 1U);
}

}  // namespace
}  // namespace assay
