#!/usr/bin/env python3
"""Writes the table of usual letter triples (src/measure/text/letter_triples_table.cpp) from translations of programs.

usage: letter_triples.py [FOLDER] > src/measure/text/letter_triples_table.cpp

FOLDER (default /usr/share/locale) holds LANGUAGE/LC_MESSAGES/*.mo, as gettext installs them. Of each language the words
of ASCII letters are cut into triples, the blanks around a word included. A triple is usual when it makes up at least 2
in 10,000 of a language with 3,000 or more of them, and was seen four times.
"""
import collections
import pathlib
import re
import struct
import sys

LEAST_SHARE = 2e-4
LEAST_TRIPLES = 3000
LEAST_SEEN = 4
WORD = re.compile(r"[^\W\d_]+")
ALPHABET = " abcdefghijklmnopqrstuvwxyz"


def messages(path):
    """Translations of a .mo file, without its header."""
    data = path.read_bytes()
    if len(data) < 28 or struct.unpack_from("<I", data)[0] != 0x950412DE:
        return
    count, originals, translations = struct.unpack_from("<III", data, 8)
    for i in range(count):
        if struct.unpack_from("<I", data, originals + 8 * i)[0] == 0:
            continue
        length, offset = struct.unpack_from("<II", data, translations + 8 * i)
        try:
            yield data[offset:offset + length].decode("utf-8").split("\0")[0]
        except UnicodeDecodeError:
            return


def triples_of(folder):
    counts = collections.Counter()
    for path in sorted(folder.glob("*.mo")):
        for message in messages(path):
            for word in WORD.findall(message):
                if len(word) >= 2 and word.isascii() and (word.islower() or word.istitle()):
                    padded = " " + word.lower() + " "
                    counts.update(padded[i:i + 3] for i in range(len(padded) - 2))
    return counts


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/locale")
    usual, languages = set(), 0
    for folder in sorted(root.glob("*/LC_MESSAGES")):
        counts = triples_of(folder)
        total = sum(counts.values())
        if total >= LEAST_TRIPLES:
            languages += 1
            usual.update(t for t, n in counts.items() if n >= LEAST_SEEN and n >= LEAST_SHARE * total)
    if not usual:
        sys.exit("no translations in %s" % root)
    words = [0] * (32 ** 3 // 64)
    for triple in usual:
        at = 0
        for letter in triple:
            at = at * 32 + ALPHABET.index(letter)
        words[at // 64] |= 1 << at % 64
    print("// Made by tools/letter_triples.py from translations of free programs into %d languages and their variants:\n"
          "// %d of %d triples are usual in at least one of them." % (languages, len(usual), 27 ** 3))
    print('\n#include "measure/text/letter_triples.h"\n\nnamespace assay {\n')
    print("// clang-format off")
    print("const std::array<std::uint64_t, kTripleWords> kUsualTriples = {")
    for i in range(0, len(words), 5):
        print("    " + " ".join("0x%016x," % w for w in words[i:i + 5]))
    print("};\n// clang-format on\n\n}  // namespace assay")


if __name__ == "__main__":
    main()
