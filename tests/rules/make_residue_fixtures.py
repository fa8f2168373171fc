#!/usr/bin/env python3
"""Writes the fixtures of the rules of documents that were never prose: blobs, escapes, code, gibberish, repeats.

usage: make_residue_fixtures.py        writes into the folder that it stands in
"""
import base64
import binascii
import hashlib
import json
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent

PROSE = (
    "The harbour was quiet when the last boat came in. Nobody on the quay spoke, and the gulls had gone to sleep on the roof "
    "of the fish market. Anna counted the lamps along the wall, as she did every evening, and found that one of them was out. "
    "She wrote it down in the little book, with the date and the hour, because somebody would ask for it in the morning.")
MORE = (
    "A bridge carries its own weight before it carries anything else. Engineers therefore begin with the deck, and only "
    "then ask how many lorries may stand on it at once. In older bridges the answer was found by sending lorries across.")
GERMAN = (
    "Die Donaudampfschifffahrtsgesellschaft stellte ihre Rechtsschutzversicherungsangelegenheiten zurück, weil niemand "
    "mehr wusste, wer für die Verkehrswegebeschleunigung zuständig war. Das Protokoll umfasste zwölf Seiten.")
GERMAN_LETTER = (
    "Liebe Käthe, die Lampe am Kai wurde gestern repariert. Der Wärter stieg dreimal auf die Leiter, und niemand wagte, ihn anzusprechen. "
    "Bei Ebbe kehrten die Fischer früh zurück; einer rief, das Licht brenne schon. Wir hoffen, dich bald wiederzusehen, grüßen herzlich "
    "und schicken dir die Bücher, die du für den Winter bestellt hast. Über die Brücke fährt wieder der alte Bus.")
FINNISH = "Järjestelmällisyydellään hän yllätti kaikki, ja kolmivaihekilowattituntimittari näytti yhä samaa lukemaa kuin ennen."
POLISH = "Chrząszcz brzmi w trzcinie, a wszczęte przedsięwzięcie zakończyło się bezwzględnym sukcesem przed świtem."
WELSH = "Mae'r trên yn mynd o Lanfairpwllgwyngyll i Gaernarfon bob bore, ac nid oes neb yn cwyno am y glaw erbyn hyn."
HAWAIIAN = "Ua hele aku nei ka luahine i ke kahakai e ʻohi i ka limu, a hoʻi mai ʻo ia i ka hale i ke ahiahi."
PINYIN = "Wo jintian zaoshang qu shichang mai le yidian shucai he shuiguo, ranhou huijia zuofan gei haizi chi."
CHINESE = "清晨的港口很安静，渔船一艘接一艘地回来。没有人说话，只有海浪轻轻拍打着石岸。她在小本子上记下了日期和时间。"
JAPANESE = "港は静かだった。最後の船が戻ってくると、彼女は小さな手帳に日付と時刻を書きとめた。"
RUSSIAN = "В гавани было тихо, когда вернулась последняя лодка. Анна сосчитала фонари вдоль стены и записала число в книжку."
CODE = '''def mean(values):
    """The mean of the values; None where there are none."""
    total = 0.0
    count = 0
    for value in values:
        if value is None:
            continue
        total += value
        count += 1
    return total / count if count else None
'''
C_CODE = '''static const unsigned char kReverse[16] = {
    0x0, 0x8, 0x4, 0xc, 0x2, 0xa, 0x6, 0xe, 0x1, 0x9, 0x5, 0xd, 0x3, 0xb, 0x7, 0xf};

/* Turns the bits of a byte around. */
unsigned char reverse(unsigned char byte) {
  return (unsigned char)(kReverse[byte & 15] << 4 | kReverse[byte >> 4]);
}

int main(void) {
  printf("%d\\n", reverse(1));
  return 0;
}
'''
CSV = "step,loss,rate\n" + "".join("%d,%.4f,0.0003\n" % (i, 4 - 0.01 * i) for i in range(40))
TABLE = "| name | size | share |\n|------|------|-------|\n" + "".join("| row %d | %d | %d %% |\n" % (i, i * 7, i) for i in range(12))
GIT = "".join("commit %s\nAuthor: A. Writer <a@example.org>\nDate:   Mon Jan %d 10:00:00 2024 +0100\n\n    Make the reader say what it "
              "could not read, and where, so that people find it\n\n" % (hashlib.sha1(b"%d" % i).hexdigest(), i + 1) for i in range(4))
POEM = "The wind came up,\nthe wind went down,\nthe wind came up again.\n" * 3 + "And nobody knew when.\n"
LITANY = "".join("%s, pray for us.\n" % name for name in ("Saint Peter", "Saint Paul", "Saint Andrew", "Saint John", "Saint Thomas"))


def random_bytes(seed, size):
    return random.Random(seed).randbytes(size)


def pseudo_words(seed, letters, count):
    make = random.Random(seed)
    return " ".join("".join(make.choice(letters) for _ in range(make.randint(3, 10))) for _ in range(count))


def dump(data):
    lines = []
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        text = "".join(chr(b) if 32 <= b < 127 else "." for b in part)
        lines.append("%08x  %-47s  |%s|" % (at, " ".join("%02x" % b for b in part), text))
    return "\n".join(lines) + "\n"


def uuencoded(data):
    lines = [binascii.b2a_uu(data[i:i + 45]).decode() for i in range(0, len(data), 45)]
    return "begin 644 data\n" + "".join(lines) + "`\nend\n"


def blobs():
    data = random_bytes(1, 900)
    code = base64.b64encode(data).decode()
    bad = {
        "base64": code,
        "lines": base64.encodebytes(data).decode(),
        "url-safe": base64.urlsafe_b64encode(data).decode().rstrip("="),
        "in-prose": PROSE + "\n" + code + "\n" + MORE,
        "data-address": '<img src="data:image/png;base64,' + base64.b64encode(b"\x89PNG\r\n\x1a\n" + data).decode() + '">',
        "hex": data[:200].hex(),
        "dump": dump(data[:400]),
        "bytes": ", ".join("0x%02x" % b for b in data[:300]),
        "hashes": "\n".join(hashlib.sha256(b"%d" % i).hexdigest() for i in range(12)),
        "sums": "\n".join(hashlib.md5(b"%d" % i).hexdigest() + "  part-%03d.bin" % i for i in range(12)),
        "uuencode": uuencoded(data[:300]),
        "ascii85": base64.a85encode(data[:400]).decode(),
        "base32": base64.b32encode(data[:200]).decode(),
        "vocabulary": "\n".join("%s %d" % (base64.b64encode(w.encode()).decode(), 1000 + i) for i, w in enumerate(PROSE.split())),
    }
    good = {
        "prose": PROSE, "german": GERMAN, "finnish": FINNISH, "code": CODE, "c": C_CODE, "csv": CSV, "git": GIT,
        "path": "See /usr/share/doc/very-long-package-name/examples/TestDataForTheReader/README.Debian for what it does.\n" + PROSE,
        "protein": ">sp|P00000 made up\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVV",
        "address": PROSE + " See https://example.org/articles/2024/how-the-harbour-was-lit?ref=front&page=2 for more.",
        "camel-case": "".join("#define seaKeyDataRawQ%dMarkId              seaOpenQuayKeyDataRawQ%dMarkId\n" % (n, n) for n in (59, 28))
                      + "".join("#define sea%sAppDefaultLampSetInit      sea%sAppDefaultLampSetInit\n" % pair
                                for pair in (("Sun", "Ray"), ("Cap", "Net"))),
    }
    return bad, good


def escapes():
    bad = {
        "unicode": json.dumps(CHINESE)[1:-1],
        "twice": json.dumps(json.dumps({"title": "Harbour", "body": RUSSIAN})),
        "bytes": "".join("\\x%02x" % b for b in random_bytes(2, 80)),
        "percent": "".join("%%%02X" % b if b > 127 else chr(b) for b in JAPANESE.encode()),
        "entities": "".join("&#%d;" % ord(c) if ord(c) > 127 else c for c in GERMAN + " " + FINNISH + POLISH),
        "double": "&amp;amp;nbsp;Welcome &amp;lt;b&amp;gt;back&amp;lt;/b&amp;gt; to the caf&amp;eacute; &amp;amp;copy; 2020",
        "mail": "The harbour=E2=80=99s lamps were out =E2=80=93 nobody=E2=80=99s fault, she wrote, and=20\nclosed the book=E2=80=99s cover.",
        "backslashes": PROSE + "\n" + "\\" * 3000 + "\n" + MORE,
        "colours": "\x1b[32mok\x1b[0m   reader\n\x1b[31mfail\x1b[0m writer\n\x1b[32mok\x1b[0m   engine\n",
        "lost-colours": "[32mok[0m   reader\n[31mfail[0m writer\n[32mok[0m   engine\n",
        "line-feeds": PROSE.replace(". ", ".\\n\\n") + "\\n\\nThe End",
        "json": '{\\"title\\": \\"Harbour\\", \\"pages\\": 3, \\"author\\": \\"Anna\\", \\"where\\": \\"here\\", \\"when\\": \\"now\\", '
                '\\"note\\": \\"\\"}',
        "tokens": "".join("<0x%02X>" % b for b in "港口".encode()) + "很安静",
        "marks": PROSE.replace(" ", "Ġ"),
    }
    good = {
        "prose": PROSE, "code": 'print("one\\ntwo\\tthree")\nMATCH = re.compile("[\\u4e00-\\u9fff]+")\n' + CODE,
        "address": PROSE + " https://zh.example.org/wiki/%E6%B8%AF%E5%8F%A3 has more.",
        "format": 'printf("%08x %20s %5d\\n", code, name, count);\nprintf("%d%%\\n", share);\n' + C_CODE,
        "latex": "\\nabla \\times E = -\\partial B / \\partial t, \\quad \\nu \\neq \\nu_0, \\newline where \\rho is the charge.",
        "settings": "[unit]\ncolour =\nsize =\nplace =\nname =\n", "c": "int *p = &value; swap(&first, &second); return &p->next;\n" + C_CODE,
        "xml": "<note>\n  <to>Anna &amp; Ben</to>\n  <text>size &lt; 3 and size &gt; 1</text>\n</note>\n",
        "formulas": ("The sum of two cells is written =A1+B1. A formula may hold brackets: =(A1+B2)*C3 doubles "
                     "nothing by itself, =D4 shows what is there, =E5*16% takes a part, and =B1=0 asks whether it is "
                     "empty. Where =C1=\"\" is true, =F2 stays blank."),
    }
    return bad, good


def minified():
    script = ('var lamp=function(){"use strict";function e(e,t){return e=e||0,t=t||1,e+t}var t={},n=[];function r(e){if(!t[e]){t[e]='
              '{id:e,on:!1};n.push(t[e])}return t[e]}return{get:r,all:function(){return n.slice()},toggle:function(e){var t=r(e);'
              "return t.on=!t.on,t},count:function(){for(var e=0,t=0;t<n.length;t++)n[t].on&&e++;return e}}}();")
    style = (".lamp,.lamp *{box-sizing:border-box}.lamp{display:inline-block;position:relative;width:20px;height:20px;border:1px solid "
             "#000}.lamp.on{background:#ff0;color:#000}.lamp .cap{top:0;left:0;margin:0;padding:2px 4px;font-size:12px}@media print{"
             ".lamp{display:none}.wall{border:0;background:transparent}}")
    bad = {"script": script, "style": style, "in-page": PROSE[:300] + "\n" + script + "\n" + script[:300]}
    readable = ("function count(lamps) {\n  let lit = 0;\n  for (const lamp of lamps) {\n    if (lamp.on) {\n      lit += 1;\n    }\n  }\n"
                "  return lit;\n}\n")
    good = {"script": readable, "style": ".lamp {\n  display: inline-block;\n  width: 20px;\n}\n\n.lamp.on {\n  background: yellow;\n}\n",
            "json": json.dumps([{"id": i, "name": "lamp %d" % i, "on": i % 3 == 0, "place": {"x": i, "y": 2 * i}} for i in range(20)]),
            "csv": CSV, "prose": PROSE + " " + MORE, "latex": "\\frac{a}{b} + \\sqrt{c_{1}^{2}} = \\sum_{i=1}^{n} x_{i} " * 6}
    return bad, good


def gibberish():
    table = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
    turned = dict(zip("abcdefghijkmnpqrtuvwy", "ɐqɔpǝɟƃɥᴉɾʞɯudbɹʇnʌʍʎ"))
    disguised = PROSE.replace("a", "а").replace("o", "о")
    bad = {
        "random": pseudo_words(3, "abcdefghijklmnopqrstuvwxyz", 60),
        "keys": pseudo_words(4, "asdfjklghqwe", 40),
        "rot13": PROSE.lower().translate(table),
        "rot13-german": GERMAN_LETTER.lower().translate(table),
        "layout": (PROSE + MORE).lower().translate(str.maketrans("qwertyuiop[]asdfghjkl;'zxcvbnm,.", "йцукенгшщзхъфывапролджэячсмитьбю")),
        "cyrillic": "".join(random.Random(8).choices("абвгдежзийклмнопрстуфхцчшщъыьэюя      ", k=500)),
        "greek": "".join(random.Random(9).choices("αβγδεζηθικλμνξοπρστυφχψω     ", k=500)),
        "upside-down": "".join(turned.get(c, c) for c in reversed(PROSE[:170].lower())),
        "disguised": disguised,
        "in-prose": PROSE + "\n" + pseudo_words(5, "bcdfghjklmnpqrstvwxz", 50) + "\n" + MORE,
        "tokens": " SolidGoldMagikarp TheNitromeFan rawdownloadcloneembedreportprint StreamerBot guiActiveUnfocused externalToEVA",
        "babble": "the strould of hin the wath lampered and stilly oner, whin tolded the hars and brethe, so waling oulder the frine, and "
                  "thimer wis the glound, hally to brind the souten wath, enderly and grome, tharn the likesty stroof, belling arond the "
                  "quaw, nould hine and the cother, wend plonging to thers, alound the prave and shount, forly with grening quale",
    }
    good = {"prose": PROSE, "german": GERMAN, "finnish": FINNISH, "polish": POLISH, "welsh": WELSH, "hawaiian": HAWAIIAN, "pinyin": PINYIN,
            "russian": RUSSIAN, "units": "The gap is 3 μm wide, the resistor has 4 kΩ, and ΔT stays below 2 °C at νmax.",
            "ending": "Он работает с PDF-файлами, пишет email'ы и знает IT-термины, а USB-кабель забыл дома.",
            "phonetic": "The word is transcribed [ˈhɑːbə], the older form [ˈhɛrbɛrɣə]; turned letters as in [ɐ ɹ ʎ ɥ] are usual.",
            "assembly": "\tmovq %rdi, %rax\n\tshlq $4, %rax\n\taddq %rsi, %rax\n\tcmpq %rdx, %rcx\n\tjne .L3\n\tret\n" * 4,
            "names": "BASF, HTTP, NVRAM, XML, GmbH, PhD, RFC, TCP/IP, SQL, PCIe, DDR5, HBM3, LLVM, GCC, SVG, JPEG",
            "half-translated": ("With the tools for light and that for shade: Il filtro cambia la luce della figura e lascia "
                               "intatte le parti più scure, mentre i bordi restano come erano. Per aprire la finestra si "
                               "sceglie la voce del menu principale, poi si preme il tasto che mostra la prova del risultato "
                               "sullo schermo prima di salvare ogni cosa nel disco. This part of the page has not been "
                               "translated yet, and it will stay in English until somebody has the time for it. When you open "
                               "the window for the first time, the settings are those that were used before, and you can go "
                               "back to them with the button at the top of the list. Chi prova questa modifica per la prima "
                               "volta parte dai valori proposti, guarda la prova, sposta piano il cursore e confronta le due "
                               "figure finché il risultato piace davvero. Le altre voci servono a scegliere quanto forte sia "
                               "la modifica e in quale zona si debba vedere: i valori bassi bastano quasi sempre, quelli alti "
                               "conviene provarli sopra una copia della figura. If you want to see what has changed, look at "
                               "the small picture on the right, where the old and the new are shown side by side. Quando la "
                               "figura sembra pronta, conviene tenere da parte la vecchia copia, scrivere quali valori sono "
                               "stati scelti e provare ancora dopo qualche ora con occhi riposati, perché spesso la prima "
                               "scelta risulta troppo forte.")}
    return bad, good


def markup():
    page = ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Harbour</title><link rel="stylesheet" href="a.css">'
            '<script>var _gaq=_gaq||[];_gaq.push(["_trackPageview"]);</script></head>\n<body class="front"><div id="nav"><ul><li><a href="/">'
            'Home</a></li><li><a href="/about">About</a></li><li><a href="/login">Log in</a></li></ul></div>\n<div class="text"><p>'
            + PROSE + '</p></div><div class="footer"><span>2020</span></div></body></html>')
    wiki = ("'''Harbour''' is a [[place|sheltered place]] for [[ship]]s.{{cite book|title=Ports|year=1990}} It has a [[quay]] and a "
            "[[lighthouse]].\n== History ==\nThe [[File:Quay.jpg|thumb|the quay]] was built in 1820.<ref name=\"a\"/>\n[[Category:Harbours]]\n")
    board = ("[quote=anna][b]The lamp[/b] is out again.[/quote]\n[i]Which[/i] one? See [url=http://example.org]here[/url] and [img]a.png[/img]"
             "\n[size=3]thanks[/size]")
    pieces = ('<div class="row"><span class="name">Lamp 1</span><span class="state">on</span></div>' * 6)
    bad = {"page": page, "wiki": wiki, "board": board, "pieces": pieces}
    readme = ("# Harbour\n\n[![build](https://example.org/b.svg)](https://example.org/b) [![licence](https://example.org/l.svg)](LICENSE)\n\n"
              "<p align=\"center\"><img src=\"logo.png\" width=\"200\"></p>\n\nPress <kbd>q</kbd> to leave.<br>\n\n" + PROSE)
    good = {"readme": readme, "xml": "<lamps>\n" + "".join('  <lamp id="%d" on="no"/>\n' % i for i in range(12)) + "</lamps>\n",
            "generics": "std::vector<std::map<int, std::string>> all;\nfor (auto it = all.begin(); it < all.end(); ++it) {}\n" + C_CODE,
            "shell": "if [[ -f a.txt ]]; then\n  echo \"${name:-none}\"\nfi\nif [[ $x == y ]]; then exit 1; fi\n",
            "template": "Dear {{ name }},\n{% for lamp in lamps %}\n  <div class=\"row\"><span>{{ lamp }}</span></div>\n{% endfor %}\n"
                        "<div><span>a</span></div><div><span>b</span></div>\n",
            "footnotes": "One sees it [1], and later again [2]. The list [a, b] has an index [i] and [j].", "prose": PROSE}
    return bad, good


def boilerplate():
    bad = {
        "placeholder": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna "
                       "aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat.",
        "cookies": "This website uses cookies to give you the best experience on our website. Accept all | Cookie settings | Privacy policy",
        "script": "You need to enable JavaScript to run this app.",
        "parked": "This domain may be for sale. Click here to buy this domain. Related searches: lamps, quays, boats",
        "missing": "404 Not Found\nThe page you are looking for could not be found. Go back to the home page.",
        "chinese": "抱歉，您访问的页面不存在。返回首页 | 联系我们 | 版权所有",
        "german": "Diese Website verwendet Cookies. Alle akzeptieren. Impressum. Datenschutzerklärung.",
        "swedish": "Vi använder cookies på den här sidan. Läs mer om cookies. Godkänn alla.",
        "turkish": "Bu sitede çerezler kullanılır. Çerez politikası. Tümünü kabul et.",
        "japanese": "404 お探しのページは見つかりません。トップページへ戻る",
        "russian": "Ошибка 404. Страница не найдена. Карта сайта",
        "portuguese": "Este site utiliza cookies. Política de cookies. Aceitar todos. Política de privacidade.",
        "server": "Internal Server Error. The server encountered an internal error and was unable to complete your request.",
        "blog": "Hello world!\nThis is your first post. Edit or delete it, then start blogging!\nLeave a Reply\nRecent Posts",
        "filler": "Donec ullamcorper nulla non metus auctor fringilla. Curabitur blandit tempus porttitor. Vestibulum id ligula porta "
                  "felis euismod semper.",
    }
    good = {"prose": PROSE, "cookies": "My grandmother baked cookies on Sundays. We were allowed to use of the dough what was left, and she never "
                                      "told us how much butter went into it. The kitchen smelled of it until the evening.",
            "latin": "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam qui ipsorum lingua Celtae "
                     "appellantur.",
            "licence": "Redistribution in source and binary forms is permitted. All rights reserved by the authors. The names may not be used "
                       "to endorse products without written permission, and changed files have to say so in their first lines.",
            "essay": "No sentence is read more often than “We use cookies to improve your experience”, and none is believed less. "
                     "The button “Accept all” is large and green; the other one is grey. " + PROSE,
            "article": "The server answered 404 Not Found for the old address, so the editors moved the article and left a note. " + PROSE + MORE}
    return bad, good


def ngrams():
    words = "one lamp after the other went out along the wall of the harbour"
    bad = {
        "word": "lamp " * 60, "period-13": (words + " ") * 33, "in-prose": PROSE + "\n" + "go home now " * 120 + "\n" + MORE,
        "chinese": "点击这里下载" * 60, "blanks": "Harbour" + " " * 700 + "12", "no-break": "Harbour" + "\u00a0" * 300 + "12",
        "letters": PROSE + "\n" + "a" * 3000,
        "long-period": (PROSE.replace(".", "") + " ") * 12,
        "stuffed": " ".join(random.Random(6).choice(["cheap lamps", "buy lamps online", "best harbour lamps", "lamps near me"])
                            for _ in range(90)),
    }
    good = {"prose": PROSE, "poem": POEM, "litany": LITANY, "laugh": "He said no no no no no no and ha ha ha ha ha, and then he left. " + PROSE,
            "ruler": "Title\n" + "=" * 78 + "\n" + PROSE + "\n" + "-" * 78 + "\n", "table": TABLE, "csv": CSV,
            "zeros": PROSE + MORE + "\n" + "0, " * 40 + "\n" + PROSE,
            "31": "ok " * 31 + "and then the story goes on with ordinary words. " + PROSE}
    return bad, good


def lines():
    sentence = "Copyright 2019 by the Harbour Company and its friends, all wrongs reserved."
    bad = {
        "line": (sentence + "\n") * 40,
        "scattered": "\n".join(part + "\n" + sentence + "\n" + sentence for part in (PROSE + " " + MORE).split(". ")),
        "sentences": "The lamp at the end of the long quay is still burning tonight. " * 4 + PROSE[:150]
                     + " The lamp at the end of the long quay is still burning tonight." * 4,
        "counter": "\n".join("This is page number %d of the harbour book" % i for i in range(1, 60)),
    }
    good = {"prose": PROSE + "\n" + MORE, "poem": POEM, "litany": LITANY, "csv": CSV, "code": CODE * 2, "c": C_CODE, "table": TABLE,
            "log": "\n".join("2024-01-%02d 10:%02d:00 INFO reader: %d documents in %d ms" % (i % 28 + 1, i, 1000 + i * 37, 20 + i)
                             for i in range(60)),
            "yaml": "".join("- name: lamp-%d\n  state: \"on\"\n  colour: yellow\n  wall: north\n" % i for i in range(15))}
    return bad, good


MAKERS = {"encoded-blob": blobs, "escape-residue": escapes, "minified": minified, "gibberish": gibberish, "markup-residue": markup,
          "boilerplate": boilerplate, "repeated-ngram": ngrams, "repeated-lines": lines}


def write(path, rows):
    path.write_text("".join(json.dumps({"id": i, "text": t}, ensure_ascii=False) + "\n" for i, t in rows.items()), encoding="utf-8")


def main():
    for rule, make in MAKERS.items():
        folder = HERE / rule
        folder.mkdir(exist_ok=True)
        bad, good = make()
        write(folder / "bad.jsonl", bad)
        write(folder / "good.jsonl", good)
        expected = {"severity": "warning", "documents": list(bad)}
        (folder / "bad.expect.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
