#!/usr/bin/env python3
"""Writes the fixtures of the rules that judge encodings and characters: tests/rules/{mojibake,binary-text,…}/*.jsonl.

usage: make_encoding_fixtures.py        (writes beside itself; run it again after a change and read the difference)

Every text is made here, from the sentences below. bad.jsonl holds documents that the rule flags, all of them; good.jsonl
their near twins: the same languages and characters, as they should be.
"""
import json
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent

SENTENCES = {
    "en": "The landlord’s notice said “no later than Friday” – and the tenant’s reply came on Saturday.",
    "fr": "L’été dernier, nous avons mangé des crêpes à la crème près de la forêt, où le garçon gardait ses chèvres.",
    "de": "Größere Städte können über die Brücke fließende Verkehrsströme kaum noch bewältigen, sagte der Bürgermeister.",
    "es": "El niño pequeño comió piña mañana, tarde y noche; ¿quién podría decirle que no había más?",
    "pt": "A avó não comprou pão nem maçãs, porque a loja só abre às três horas da manhã.",
    "pl": "Zażółcona łąka pachniała świeżo, gdy chłopięca drużyna wróciła późno z dalekiej wędrówki.",
    "cs": "Příliš žluťoučký kůň běžel přes řeku, až se voda zvířila a děti utíkaly ke břehu.",
    "hu": "Az őszi erdőben gyűjtött gombát a szülők és a gyerekek együtt főzték meg estére.",
    "tr": "Işıklı çarşıda gün boyu çalışan şoför, akşam olunca eşine taze ağaç çileği götürdü.",
    "vi": "Mùa thu năm ấy, những đứa trẻ chạy dọc bờ sông để tìm chiếc thuyền giấy đã trôi mất.",
    "ru": "Осенью дети собирали в лесу грибы, а вечером бабушка варила из них густой суп с картошкой.",
    "uk": "Восени діти збирали в лісі гриби, а ввечері бабуся варила з них густий суп із картоплею.",
    "bg": "През есента децата събираха гъби в гората, а вечерта баба им готвеше гъста супа с картофи.",
    "el": "Το φθινόπωρο τα παιδιά μάζευαν μανιτάρια στο δάσος και το βράδυ η γιαγιά έφτιαχνε σούπα.",
    "he": "בסתיו אספו הילדים פטריות ביער, ובערב בישלה להם סבתא מרק סמיך עם תפוחי אדמה.",
    "ar": "في الخريف كان الأطفال يجمعون الفطر من الغابة، وفي المساء كانت الجدة تطبخ منه حساءً كثيفًا.",
    "fa": "بچه‌ها در پاییز از جنگل قارچ می‌چیدند و شب‌ها مادربزرگ با آن‌ها آش می‌پخت.",
    "hi": "पतझड़ में बच्चे जंगल से कुकुरमुत्ते लाते थे और शाम को दादी उनसे गाढ़ा सूप बनाती थीं।",
    "th": "ในฤดูใบไม้ร่วงเด็กๆ เก็บเห็ดในป่า และตอนเย็นคุณยายก็ทำซุปข้นๆ ให้กิน",
    "zh": "秋天的时候，孩子们到树林里采蘑菇，晚上奶奶用它们煮一锅浓汤，大家围着桌子吃得很高兴。",
    "zh-tw": "秋天的時候，孩子們到樹林裡採蘑菇，晚上奶奶用它們煮一鍋濃湯，大家圍著桌子吃得很高興。",
    "ja": "秋になると子どもたちは森でキノコを集め、夜にはおばあさんがそれで濃いスープを作りました。",
    "ko": "가을이 되면 아이들은 숲에서 버섯을 모으고 저녁에는 할머니가 그것으로 진한 국을 끓였습니다.",
}


def misread(text, was, read_as):
    """The text as who reads its bytes with the wrong encoding has it; bytes without a character become controls."""
    out = []
    data = text.encode(was, errors="ignore")
    if read_as in ("gbk", "big5", "shift_jis", "euc_jp", "euc_kr", "utf-16-be"):
        return data.decode(read_as, errors="replace")
    for byte in data:
        try:
            out.append(bytes([byte]).decode(read_as))
        except UnicodeDecodeError:
            out.append(chr(byte))
    return "".join(out)


def mojibake():
    bad = {}
    for language, page in [("fr", "cp1252"), ("de", "mac_roman"), ("es", "cp437"), ("pt", "cp850"), ("pl", "cp1250"),
                           ("cs", "iso8859_2"), ("vi", "cp1252"), ("ru", "cp1251"), ("uk", "koi8_u"), ("ru", "cp866"),
                           ("el", "cp1253"), ("he", "cp1252"), ("ar", "cp1256"), ("hi", "cp1252"), ("th", "cp874"),
                           ("zh", "cp1252"), ("ja", "cp1252"), ("ko", "cp1252"), ("en", "cp1252"), ("zh", "gbk"),
                           ("ja", "shift_jis"), ("ru", "gbk")]:
        bad["utf8-%s-%s" % (language, page)] = misread(SENTENCES[language], "utf-8", page)
    twice = misread(SENTENCES["fr"], "utf-8", "cp1252")
    bad["utf8-fr-twice"] = misread(twice, "utf-8", "cp1252")
    for language, was, page in [("ru", "koi8_r", "cp1251"), ("ru", "cp1251", "koi8_r"), ("ru", "cp866", "cp1251"),
                                ("ru", "cp1251", "cp1252"), ("uk", "cp1251", "cp1252"), ("bg", "iso8859_5", "cp1251"),
                                ("el", "cp1253", "cp1252"), ("he", "cp1255", "cp1252"), ("ar", "cp1256", "cp1252"),
                                ("th", "cp874", "cp1252"), ("zh", "gbk", "cp1252"), ("zh", "gbk", "cp1250"),
                                ("zh", "gbk", "cp1251"), ("zh-tw", "big5", "cp1252"), ("ja", "shift_jis", "cp1252"),
                                ("ja", "euc_jp", "cp1252"), ("ko", "euc_kr", "cp1252"), ("ja", "euc_jp", "shift_jis"),
                                ("zh-tw", "big5", "gbk"), ("ja", "shift_jis", "gbk"), ("en", "utf-16-le", "utf-16-be"),
                                ("fr", "cp1252", "cp1251")]:
        bad["%s-%s-%s" % (language, was, page)] = misread(SENTENCES[language], was, page)
    for language in ("fr", "de", "es"):
        bad["lowered-" + language] = misread(SENTENCES[language], "utf-8", "cp1252").lower()
    kanji = ("駅前の小さな食堂では、朝早くから老人たちが新聞を読んでいる。店主は窓を開け、豆を挽き、静かに客を待つ。"
             "雨の日には港の灯が遠くに見え、少女が一人で坂を登ってくる。彼女は祖父の椅子に座り、何も言わずに海を眺めた。")
    bad["ja-euc_jp-gbk"] = misread(kanji, "euc_jp", "gbk")
    sparse = "%s The rent is due on the first day of each month, and the agreement ends with the year." % SENTENCES["de"]
    bad["one-quote"] = sparse + " It is the tenant" + misread("’", "utf-8", "cp1252") + "s duty to give notice."
    bad["replaced"] = "公告：" + "锟斤拷" * 4 + "，请联系管理员。"
    bad["unwritten"] = "name=" + "烫" * 8 + "; value=" + "屯" * 6
    good = {"text-" + language: text for language, text in SENTENCES.items()}
    good["text-ja-kanji"] = kanji
    good["chinese-about-kana"] = ("学习日语先要记住假名：あいうえお、かきくけこ，还有片假名アイウエオ。这些字来自汉字的草书，例如“あ”来自“安”，"
                                  "“い”来自“以”。老师说，每天写十个，两个星期就能记住。")
    good["portuguese-quotes"] = "Ela disse «amanhã» e ele respondeu «não»; a irmã leu «Camões» na manhã seguinte, e a avó não disse nada."
    good["signs"] = "RÉSUMÉ… VOCÊ… «É» 4288×… √π ≤ 20 °C, ½ m³, NESTLÉ®, ``lá´´, Ā å"
    good["boxes"] = "├── src\n│   ├── main.c\n│   └── util.c\n└── tests\n┌───┬───┐\n│ a │ b │\n└───┴───┘"
    good["half-kana"] = "ｶﾀｶﾅで書いたﾃｽﾄです。ﾊﾝｶｸの文字も読めます。"
    good["rare"] = "龘靐齉齾爩麤灪 都是笔画很多的字。琺瑯、齟齬、饕餮、魑魅魍魎。"
    good["capitals"] = "ВНИМАНИЕ! ВЫХОД ЗАКРЫТ. ПРОСИМ ПОЛЬЗОВАТЬСЯ ДРУГИМИ ДВЕРЯМИ."
    good["accents"] = "àèìòù ÀÈÌÒÙ áéíóú äëïöü âêîôû ãõñ"
    good["apl"] = "life ← {⊃1 ⍵ ∨.∧ 3 4 = +/ +⌿ ¯1 0 1 ∘.⊖ ¯1 0 1 ⌽¨ ⊂⍵}"
    good["ipa"] = "/θɹuː/ /ˈnɛsəˌsɛɹi/ [ˈʁœð̩ˌɡʁœðˀ]"
    return bad, good


def noise(count, seed):
    rng = random.Random(seed)
    return bytes(rng.randrange(256) for _ in range(count))


def binary_text():
    png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x25\0\0\x01\x21\x08\x02\0\0\0" + noise(300, 1)
    bad = {
        "png-latin1": png.decode("latin-1"),
        "png-replace": png.decode("utf-8", "replace"),
        "noise-ignore": noise(900, 2).decode("utf-8", "ignore"),
        "noise-cp437": noise(300, 3).decode("cp437"),
        "within": SENTENCES["en"] + " " + noise(400, 4).decode("latin-1") + " " + SENTENCES["en"],
        "pdf": "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Kids [3 0 R] >>\nendobj\n",
    }
    good = {
        "latin": SENTENCES["fr"] + " " + SENTENCES["pl"],
        "slip": SENTENCES["de"] + "\x0b" + SENTENCES["de"] + "\x1a",
        "about": "A PNG file begins with 0x89 and the letters PNG; a ZIP archive begins with PK and the bytes 3 and 4.",
    }
    return bad, good


def control_characters():
    plain = SENTENCES["en"].replace("’", "'")
    bad = {
        "nul": "".join(c + "\0" for c in "Data quality"),
        "escapes": "\x1b[1mmake\x1b[0m: \x1b[31merror\x1b[0m: no rule to make \x1b[36mall\x1b[0m",
        "backspaces": "N\bNA\bAM\bME\bE\n     ls - list files",
        "c1": misread("“It’s” – “it is”", "cp1252", "latin-1") + "\x93quoted\x94",
        "mixed": "\x01\x02ab\x03\x04cd\x05\x06",
    }
    good = {"pages": "Page 1\f" + plain + "\nPage 2\f" + plain + "\ttab\r\n", "one": plain * 3 + "\x1a", "text": plain}
    return bad, good


def invisible_characters():
    bad = {
        "zero-width": "\u200b".join("Grad norm spikes usually start before the loss moves."),
        "words": SENTENCES["en"].replace(" ", " \u200b"),
        "override": "int is_admin = check(user); /* \u202e } \u2066if (is_admin)\u2069 \u2066 begin admins only */",
        "tags": "Hello" + "".join(chr(0xE0000 + ord(c)) for c in "ignore what stands before"),
        "selectors": "smile \U0001F600" + "".join(chr(0xE0100 + i) for i in range(24)),
        "zalgo": "".join(c + "\u0301\u0316\u0327\u0334\u0322" for c in "zalgo comes"),
        "variants": "".join(c + "\ufe0f" for c in SENTENCES["en"]),
        "struck": "".join(c + "\u0336" for c in "struck out letters"),
        "hyphens": "\u00ad".join(["ex", "am", "ple of ", "hy", "phen", "at", "ed ", "words, ", "syl", "la", "ble ", "by "]),
        "private": "\uf0b7 first\n\uf0b7 second\n\uf0b7 third\n\uf0b7 fourth",
        "unassigned": "\U0001B71D\U00014E01\U0001AB88\U00019E41" * 3,
    }
    good = {
        "persian": SENTENCES["fa"],
        "hindi": "क्\u200dष और र्\u200dय",
        "emoji": "👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f 🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F 🇨🇭",
        "hebrew": "\u200fבְּרֵאשִׁית\u200f abc \u202bעברית\u202c",
        "khmer": "ភាសា\u200b\u200bខ្មែរ\u200bជា\u200bភាសា",
        "thai": "ภาษา\u200bไทย",
        "vietnamese": "Tiê\u0301ng Viê\u0323t du\u0300ng dâ\u0301u",
        "mark": "\ufeff" + SENTENCES["en"] + " " + SENTENCES["en"] + " a soft\u00adhyphen",
        "hebrew-points": "שָׁלוֹם עֲלֵיכֶם, בְּרוּכִים הַבָּאִים",
    }
    return bad, good


def replacement_characters():
    lost = "\ufffd"
    bad = {
        "blanks": SENTENCES["en"].replace(" ", lost * 2),
        "letters": misread(SENTENCES["fr"], "utf-8", "utf-8").encode("cp1252", "ignore").decode("utf-8", "replace"),
        "marks": SENTENCES["ru"].encode("ascii", "replace").decode(),
        "within": SENTENCES["cs"].encode("ascii", "replace").decode(),
    }
    good = {
        "about": "A decoder puts the replacement character '\ufffd' where bytes make no sense.",
        "code": "const next = a ? b : c; const re = /colou?r/; fetch('/search?q=' + q + '&page=2') // what??",
        "questions": "Really?? Why? Who? When?? Is that so?! \"What?\" he asked.",
    }
    return bad, good


def digits_only():
    rng = random.Random(5)
    phones = "\n".join("+1-555-%03d-%04d" % (rng.randrange(1000), rng.randrange(10000)) for _ in range(30))
    draws = "\n".join("第%d期 %s" % (2024001 + i, " ".join("%02d" % rng.randrange(1, 34) for _ in range(6))) for i in range(40))
    rows = "\n".join("%d,%d,%.3f" % (i, rng.randrange(9999), rng.random()) for i in range(30))
    bad = {
        "phones": phones,
        "draws": "双色球开奖号码\n" + draws,
        "pi": "3.14159265358979323846264338327950288419716939937510",
        "dump": " ".join("%.6e" % rng.random() for _ in range(60)),
        "arabic": " ".join("".join(chr(0x660 + int(d)) for d in str(rng.randrange(10**7))) for _ in range(20)),
    }
    good = {
        "table": "step,tokens,loss\n" + rows,
        "sequence": "The prime numbers: 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71",
        "log": "\n".join("2024-05-01 12:00:%02d worker %d finished batch %d" % (i, i % 4, 100 + i) for i in range(20)),
        "people": "Smith 555-0199\nJones 555-0142\nBrown 555-0107\nGreen 555-0155\nWhite 555-0163",
        "answer": "1234",
    }
    return bad, good


def empty_document():
    return {"none": "", "blanks": " \n\t\n ", "unseen": "\u200b\ufeff\u3000\u00a0"}, {"letter": "a", "sign": " — ", "word": "\n语\n"}


def bytecode():
    python = "\n".join("  %2d         %4d LOAD_FAST                %d (x)\n             %4d LOAD_CONST               1 (2)\n"
                       "             %4d BINARY_OP                0 (+)" % (i, 6 * i, i, 6 * i + 2, 6 * i + 4) for i in range(8))
    java = "\n".join("      %3d: aload_0\n      %3d: invokevirtual #%d                 // Method run:()V" % (4 * i, 4 * i + 1, i)
                     for i in range(6))
    machine = "\n".join("  40%04x:\t48 89 e5             \tmov    %%rsp,%%rbp" % (0x1100 + 3 * i) for i in range(8))
    dump = "\n".join("%08x: 7f45 4c46 0201 0100 0000 0000 0000 0000  .ELF............" % (16 * i) for i in range(8))
    contract = "0x6080604052348015600f57600080fd5b506004361060325760003560e01c80632e64cec11460375780636057361d146051575b600080fd"
    bad = {"python": python, "java": java, "machine": machine, "dump": dump, "contract": contract,
           "evm": "\n".join(["PUSH1 0x80", "PUSH1 0x40", "MSTORE", "CALLVALUE", "DUP1", "ISZERO", "PUSH2 0x0010", "JUMPI"] * 2)}
    good = {
        "assembly": "main:\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n\tmovl\t$0, %eax\n\tpopq\t%rbp\n\tret\n.LC0:\n\t.string \"a\"",
        "article": SENTENCES["en"] * 6 + "\n" + "\n".join(machine.split("\n")[:5]) + "\n" + SENTENCES["en"] * 6,
        "list": "1: return the book\n2: new shoes\n3: go to the bank\n4: if possible call Anna\n5: pop in at the baker's",
        "commit": "commit 8387ae17c4704f6579f88a84500b535d19d7fbbf\nAuthor: A. Developer <dev@example.org>\n\n    Fix it\n",
    }
    return bad, good


def pdf_residue():
    words = "the results of the ablation show that the method finds the abnormal documents before the training begins"
    english = ("Nobody had seen the old ferry leave the harbour that night and the keeper was sure that it had been there "
               "when he went to bed. In the morning his brother was waiting for the first boat with all of the others, "
               "and they asked him what the weather would be.").split()
    german = ("Am Abend kam der Briefträger noch einmal vorbei, weil er morgens das Paket vergessen hatte, und blieb auf "
              "einen Kaffee sitzen. Draußen wurde es dunkel, und keiner machte Licht.")
    russian = ("Вечером соседка принесла нам тёплый хлеб и мёд, и мы долго сидели на веранде, слушая, как шумит дождь по "
               "старой крыше. Дети уже спали, а собака ждала у двери.")
    korean = ("아이는 아침에 학교에 가고 저녁에 집에 와서 숙제를 하고 밥을 먹고 나서 동생하고 놀다가 일찍 잠자리에 들었고 "
              "아침에 다시 학교에 갔다")
    chinese = "小镇的人说山上的雪下得早,山下的河水就涨得晚,所以老人看山上的雪就知道河里的鱼什么时候来,也知道人们什么时候可以下河。"
    shifted = "".join(c if c == " " else chr(ord(c) - 29) for c in words.capitalize() + " and that it works for all of them")
    bad = {
        "spaced": "   ".join(" ".join(word) for word in words.split()),
        "glued": words.replace(" ", "") + ".",
        "ligatures": "We de ned a speci c coe cient that signi cantly a ects the e ciency of the con guration.",
        "hyphens": "The extrac- tion of docu- ments from pic- tures of pages leaves hyphe- nated words in sen- tences.",
        "glyphs": shifted,
        "numbers": "(cid:55)(cid:75)(cid:72) (cid:84)(cid:88)(cid:76)(cid:70)(cid:78) brown fox",
        "spaced-far": (" " * 5).join(" ".join(word) for word in words.split()),
        "spaced-wide": "  ".join(words.replace(" ", "")),
        "spaced-ru": "   ".join(" ".join(word) for word in russian.split()),
        "spaced-ko": "   ".join(" ".join(word) for word in korean.split()),
        "spaced-zh": " ".join(chinese),
        "glued-de": german.replace(" ", ""),
        "glued-ru": russian.replace(" ", ""),
        "glued-lines": "\n".join("".join(german.split()[i:i + 9]) for i in range(0, 27, 9)),
        "glued-by-threes": " ".join("".join(english[i:i + 3]) for i in range(0, len(english), 3)),
        "hyphens-ru": "Со- седка принес- ла тёп- лый хлеб, и де- ти дол- го си- дели на веран- де, слу- шая дождь.",
    }
    good = {
        "alphabet-ru": " ".join("абвгдеёжзийклмнопрстуфхцчшщъыьэюя"),
        "syllables-ko": "\n".join(" ".join(chr(0xac00 + (i * 21 + j) * 28) for j in (0, 2, 4, 6, 8)) for i in range(14)),
        "ideographs": " ".join("金木水火土日月山川石田禾上下左右大小多少男女老幼东西南北春夏秋冬风雨雷电花鸟鱼虫牛羊马犬"),
        "list": "\n".join(["apple,mountain,letter,winter,summer,ferry,weather,the,and,that"] * 4),
        "compound-list": "\n".join(["Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnung",
                                    "Verkehrsinfrastrukturfinanzierungsgesellschaft",
                                    "Kraftfahrzeughaftpflichtversicherungsgesellschaft"]),
        "protein-name": "methionylthreonylthreonylglutaminylarginylisoleucylalanyl" * 4,
        "dashes-ru": "Москва- столица, Волга- река, город- порт, лето- пора отпусков, зима- пора лыж.",
        "primer": "Gur- ke, To- ma- te, Kar- tof- fel, Ba- na- ne, Zi- tro- ne, Spa- get- ti, Sa- la- mi.",
        "prose": words.capitalize() + ".",
        "compounds": "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz und Donaudampfschifffahrtsgesellschaft.",
        "pairs": "pre- and post-war novels, two- to three-year terms, long- or short-lived, Vor- und Nachteile, in- und ausländisch",
        "alphabet": "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "matrix": "x y z w x y z w\nx x y y z z w w",
        "protein": ">sp|P1\n" + "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHG",
        "capitals": "ATTENTION! THE DOOR ON THE LEFT IS CLOSED. PLEASE USE THE ONE ON THE RIGHT.",
        "identifier": "getInternalFrameAccessibleContextForComponentOrParentContainer() is the longest name here.",
    }
    return bad, good


def write(rule, bad, good):
    folder = HERE / rule
    folder.mkdir(exist_ok=True)
    for name, documents in (("bad", bad), ("good", good)):
        lines = [json.dumps({"id": key, "text": text}, ensure_ascii=True) for key, text in documents.items()]
        (folder / (name + ".jsonl")).write_text("\n".join(lines) + "\n", encoding="ascii")
    expected = {"severity": "warning", "documents": list(bad)}
    (folder / "bad.expect.json").write_text(json.dumps(expected, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    for make in (mojibake, binary_text, control_characters, invisible_characters, replacement_characters, digits_only,
                 empty_document, bytecode, pdf_residue):
        write(make.__name__.replace("_", "-"), *make())


if __name__ == "__main__":
    main()
