// Sentences made for these tests, about a harbour, its lamps and a book.

#include "unit/residue_twins.h"

namespace assay::test {

namespace {

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string numbered(std::string_view before, std::string_view after, int times) {
  std::string out;
  for (int i = 1; i <= times; ++i) out += std::string(before) + std::to_string(i * 37 % 1009) + std::string(after);
  return out;
}

std::vector<NamedText> prose() {
  return {
      {"english",
       "The harbour was quiet when the last boat came in. Nobody on the quay spoke, and the gulls slept on the roof."},
      {"german",
       "Die Donaudampfschifffahrtsgesellschaft stellte ihre Rechtsschutzversicherungsangelegenheiten zurück."},
      {"dutch",
       "De haven was stil toen de laatste boot binnenkwam; niemand op de kade zei iets, en het was in de avond."},
      {"french",
       "Le port était calme lorsque le dernier bateau est rentré ; personne ne parlait sur le quai d'à côté."},
      {"spanish",
       "El puerto estaba tranquilo cuando llegó la última barca, y nadie hablaba en el muelle aquella noche."},
      {"portuguese",
       "O porto estava calmo quando chegou o último barco, e ninguém falava no cais naquela noite de verão."},
      {"italian",
       "Il porto era tranquillo quando rientrò l'ultima barca, e nessuno parlava sul molo quella sera d'estate."},
      {"catalan", "El port estava tranquil quan va arribar l'última barca, i ningú no parlava al moll aquell vespre."},
      {"romanian",
       "Portul era liniștit când a sosit ultima barcă, iar pe chei nu vorbea nimeni în seara aceea de vară."},
      {"polish", "Chrząszcz brzmi w trzcinie, a wszczęte przedsięwzięcie zakończyło się bezwzględnym sukcesem."},
      {"czech", "Strč prst skrz krk, řekl přístavní hlídač, když čtvrtá loď vplula do zátoky a lampy zhasly."},
      {"slovak", "Prístav bol tichý, keď prišla posledná loď, a nikto na nábreží nepovedal ani slovo celý večer."},
      {"slovene", "Pristanišče je bilo tiho, ko je priplul zadnji čoln, in nihče na pomolu ni spregovoril besede."},
      {"croatian",
       "Luka je bila tiha kad je stigao posljednji brod, i nitko na pristaništu nije progovorio ni riječi."},
      {"hungarian", "A kikötő csendes volt, amikor az utolsó hajó megérkezett, és senki sem szólt a rakparton."},
      {"finnish",
       "Järjestelmällisyydellään hän yllätti kaikki, ja kolmivaihekilowattituntimittari näytti samaa lukemaa."},
      {"estonian", "Sadam oli vaikne, kui viimane paat sisse tuli, ja keegi ei lausunud kail sõnagi terve öö jooksul."},
      {"latvian", "Osta bija klusa, kad ienāca pēdējā laiva, un neviens krastmalā nerunāja visu garo vakaru."},
      {"lithuanian", "Uostas buvo tylus, kai atplaukė paskutinė valtis, ir niekas krantinėje neprabilo nė žodžio."},
      {"swedish", "Hamnen var tyst när den sista båten kom in, och ingen på kajen sade något under hela kvällen."},
      {"danish", "Havnen var stille, da den sidste båd kom ind, og ingen på kajen sagde noget hele aftenen."},
      {"norwegian", "Havnen var stille da den siste båten kom inn, og ingen på kaia sa noe hele kvelden."},
      {"icelandic", "Höfnin var þögul þegar síðasti báturinn kom inn, og enginn á bryggjunni sagði neitt."},
      {"welsh", "Mae'r trên yn mynd o Lanfairpwllgwyngyll i Gaernarfon bob bore, ac nid oes neb yn cwyno am y glaw."},
      {"irish", "Bhí an cuan ciúin nuair a tháinig an bád deireanach isteach, agus níor labhair aon duine ar an gcé."},
      {"basque", "Portua isilik zegoen azken ontzia sartu zenean, eta kaian inork ez zuen hitzik esan arrats hartan."},
      {"turkish", "Son tekne girdiğinde liman sessizdi; rıhtımda kimse konuşmuyordu ve martılar çatıda uyuyordu."},
      {"albanian", "Porti ishte i qetë kur hyri varka e fundit, dhe askush në kalatë nuk foli atë mbrëmje."},
      {"maltese", "Il-port kien kwiet meta daħlet l-aħħar dgħajsa, u ħadd fuq il-moll ma tkellem dak il-lejl."},
      {"indonesian", "Pelabuhan itu sunyi ketika perahu terakhir masuk, dan tidak ada yang berbicara di dermaga."},
      {"tagalog",
       "Tahimik ang daungan nang pumasok ang huling bangka, at walang nagsalita sa pantalan noong gabing iyon."},
      {"swahili", "Bandari ilikuwa kimya wakati mashua ya mwisho ilipoingia, na hakuna mtu aliyezungumza gatini."},
      {"hausa", "Tashar jirgin ruwa ta yi shiru lokacin da jirgi na ƙarshe ya shigo, kuma ba wanda ya yi magana."},
      {"yoruba", "Èbúté náà dákẹ́ jẹ́ẹ́ nígbà tí ọkọ̀ ojú omi tó kẹ́yìn wọlé, kò sì sí ẹni tó sọ̀rọ̀ níbẹ̀."},
      {"zulu", "Ichweba lalithulile lapho kungena isikebhe sokugcina, futhi akekho owakhuluma ngalobo busuku."},
      {"hawaiian", "Ua hele aku nei ka luahine i ke kahakai e ʻohi i ka limu, a hoʻi mai ʻo ia i ka hale i ke ahiahi."},
      {"maori",
       "I te ata pō i noho puku te whanga, ā, kāore tētahi i kōrero i runga i te wāpu i te taenga mai o te waka."},
      {"vietnamese", "Bến cảng yên tĩnh khi chiếc thuyền cuối cùng cập bến, và không ai trên cầu cảng nói lời nào."},
      {"pinyin",
       "Wo jintian zaoshang qu shichang mai le yidian shucai he shuiguo, ranhou huijia zuofan gei haizi chi."},
      {"esperanto",
       "La haveno estis trankvila, kiam la lasta ŝipo envenis, kaj neniu parolis sur la kajo tiun vesperon."},
      {"latin",
       "Portus quietus erat cum ultima navis intravit, neque quisquam in mole quicquam per totam noctem dixit."},
      {"greek", "Το λιμάνι ήταν ήσυχο όταν μπήκε η τελευταία βάρκα, και κανείς στην προκυμαία δεν μιλούσε."},
      {"russian", "В гавани было тихо, когда вернулась последняя лодка; Анна сосчитала фонари с помощью PDF-плана."},
      {"ukrainian", "У гавані було тихо, коли повернувся останній човен, і ніхто на набережній не промовив ні слова."},
      {"hebrew", "הנמל היה שקט כשהסירה האחרונה נכנסה, ואיש לא דיבר על הרציף באותו ערב."},
      {"arabic", "كان الميناء هادئًا عندما دخل القارب الأخير، ولم يتكلم أحد على الرصيف في ذلك المساء."},
      {"hindi", "जब आख़िरी नाव आई तब बंदरगाह शांत था, और घाट पर उस शाम किसी ने कुछ नहीं कहा।"},
      {"thai", "ท่าเรือเงียบสงบเมื่อเรือลำสุดท้ายเข้ามา และไม่มีใครพูดอะไรบนท่าเรือในเย็นวันนั้น"},
      {"chinese", "清晨的港口很安静，渔船一艘接一艘地回来。没有人说话，只有海浪轻轻拍打着石岸。"},
      {"classical chinese", "道可道，非常道。名可名，非常名。無名天地之始；有名萬物之母。故常無欲，以觀其妙。"},
      {"japanese", "港は静かだった。最後の船が戻ってくると、彼女は小さな手帳に日付と時刻を書きとめた。"},
      {"korean", "마지막 배가 들어왔을 때 항구는 조용했고, 부두에 있던 사람들은 아무 말도 하지 않았다."},
  };
}

std::vector<NamedText> formats() {
  return {
      {"csv", "step,loss,rate\n" + numbered("", ",2.5071,0.0003\n", 60)},
      {"markdown table", "| lamp | hours |\n|------|-------|\n" + numbered("| north wall | ", " |\n", 20)},
      {"log", numbered("2024-01-07 10:22:31 INFO reader[", "]: took a document from the quay and wrote it down\n", 12)},
      {"c table",
       "static const int kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};\n"
       "int main(void) { return printf(\"%08x\\n\", kPrimes[3]) > 0 ? 0 : 1; }\n"},
      {"python",
       "def mean(values):\n    total = 0.0\n    for value in values:\n        total += value\n    return total / "
       "len(values)\n"},
      {"rust",
       "fn main() {\n    let lamps: Vec<u32> = (1..9).collect();\n    println!(\"{}\", "
       "lamps.iter().sum::<u32>());\n}\n"},
      {"makefile",
       "all: lamp wall\n\nlamp: lamp.o\n\t$(CC) -o $@ $^\n\n%.o: %.c\n\t$(CC) -c -o $@ $<\n\n.PHONY: all\n"},
      {"diff",
       "--- a/lamp.c\n+++ b/lamp.c\n@@ -1,3 +1,3 @@\n-int on = 0;\n+int on = 1;\n int wall = 3;\n@@ -9 +9 "
       "@@\n-x\n+y\n"},
      {"assembly", repeated("\tmovq\t%rdi, %rax\n\tshlq\t$4, %rax\n\taddq\t%rsi, %rax\n\tjne\t.L3\n", 4)},
      {"yaml", numbered("- name: lamp-", "\n  colour: yellow\n  wall: north\n", 10)},
      {"json", "{\"lamps\": [" + numbered("{\"id\": ", ", \"on\": false, \"wall\": \"north\"}, ", 12) + "{}]}"},
      {"xml", "<lamps>\n" + numbered("  <lamp id=\"", "\" on=\"no\"/>\n", 12) + "</lamps>\n"},
      {"regex",
       "^(?:(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d{2}|[1-9]?\\d)$ matches an "
       "address."},
      {"latex",
       "\\nabla \\cdot E = \\frac{\\rho}{\\varepsilon_0}, \\quad \\nu \\neq \\nu_0, \\begin{cases} x & y \\\\ z & w "
       "\\end{cases}"},
      {"maths", "∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−L|<ε; hence ∑ 1/n² = π²/6 and ∫ e^{−x²} dx = √π, ‖x+y‖ ≤ ‖x‖+‖y‖."},
      {"phonetics",
       "The word is [ˈhɑːbə], \"thought\" /θɔːt/; Danish has [ˈʁœð̩ˌɡʁœðˀ]; turned letters such as [ɐ ɹ ʎ ɥ] are "
       "usual."},
      {"chess",
       "1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 10. g4 Nf6"},
      {"sequence",
       "2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103"},
      {"protein", ">made up\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAK"},
      {"apl", "life ← {⊃1 ⍵ ∨.∧ 3 4 = +/ +⌿ ¯1 0 1 ∘.⊖ ¯1 0 1 ⌽¨ ⊂⍵}"},
      {"git log",
       "commit 8387ae17c4704f6579f88a84500b535d19d7fbbf\nAuthor: A. Writer <a@example.org>\nDate:   Mon Jan 1 2024\n\n"
       "    Say where the reader stopped, and why, so that somebody can look\n"},
      {"poem",
       "Keeping time, time, time,\nIn a sort of slow old rhyme,\nTo the bells, bells, bells, bells,\nBells, bells, "
       "bells.\n"},
      {"refrain", repeated("The wind came up, the wind went down,\nand nobody knew when.\nThe wind came up.\n", 3) +
                      "Then it was day.\n"},
      {"legal",
       "(1) The keeper lights the lamps. (2) The keeper writes down (a) the date, (b) the hour and (c) the number.\n"},
      {"index", "harbour, 3, 17, 204\nlamp, 5–9, 33\nquay, see harbour\nwall, north, 12\nwall, south, 13, 77\n"},
      {"dictionary",
       "quay /kiː/ n. a place where boats are loaded. [from Old French kay]\nlamp /læmp/ n. a thing that gives "
       "light.\n"},
      {"recipe", "200 g flour, 2 eggs, 1/2 tsp salt, 250 ml milk. Mix, leave for 30 min, bake at 180 °C for 25 min.\n"},
      {"chat", "a: ok\nb: ok\na: u there?\nb: yep\na: lol\nb: hahahaha\na: noooooo\nb: ok\na: back\nb: 👍\n"},
      {"badges",
       "# Lamp\n[![build](https://example.org/b.svg)](https://example.org/b) ![l](https://example.org/l.svg)\n\nLights "
       "a wall.\n"},
      {"acronyms", "BASF, HTTP, NVRAM, XML, GmbH, PhD, RFC 2045, TCP/IP, SQL, PCIe, DDR5, HBM3, LLVM, GCC, SVG, JPEG"},
      {"tree", "project/\n├── README.md\n├── src/\n│   ├── main.cpp\n│   └── util.h\n└── tests/\n    └── run.py\n"},
      {"ruler",
       "Harbour\n" + repeated("=", 78) + "\nA text follows, with a line below it.\n" + repeated("-", 78) + "\n"},
      {"address",
       "See https://example.org/articles/2024/how-the-harbour-was-lit?ref=front&page=2#lamp-17 for the rest of it."},
      {"settings", "[unit]\ncolour =\nsize =\nplace =\nname =\nPATH=/usr/local/bin:/usr/bin\n"},
      {"roman", "Chapter XXXVIII, MCMLXXXIV; see also chapters XVII, XVIII, XXIX and LXXVII of the second book."},
  };
}

}  // namespace

const std::vector<NamedText>& clean_texts() {
  static const std::vector<NamedText> kTexts = [] {
    std::vector<NamedText> out = prose();
    for (NamedText& text : formats()) out.push_back(std::move(text));
    return out;
  }();
  return kTexts;
}

}  // namespace assay::test
