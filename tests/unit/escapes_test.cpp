// Escapes: what they are, where they belong, what the text should read.

#include "measure/text/escapes.h"

#include "unit/judge_helpers.h"

namespace assay {
namespace {

std::string times(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Escapes, WhatTheyMean) {
  struct Case {
    EscapeKind kind;
    const char* written;
    const char* read;
  };
  for (const Case& one : {
           Case{EscapeKind::kUnicode, "\\u6e2f\\u53e3", "港口"},
           Case{EscapeKind::kUnicode, "\\\\u6e2f is \\\\u53e3", "港 is 口"},
           Case{EscapeKind::kUnicode, "\\ud83d\\ude00", "😀"},
           Case{EscapeKind::kUnicode, "\\U0001f600 \\u{1f600}", "😀 😀"},
           Case{EscapeKind::kUnicode, "u6e2fu53e3", "港口"},
           Case{EscapeKind::kUnicode, "%u6e2f%u53e3", "港口"},
           Case{EscapeKind::kByte, "\\xe6\\xb8\\xaf", "港"},
           Case{EscapeKind::kByte, "\\346\\270\\257", "港"},
           Case{EscapeKind::kPercent, "%E6%B8%AF%20a", "港 a"},
           Case{EscapeKind::kEntity, "caf&eacute; &#233; &#xe9; &amp;", "café é é &"},
           Case{EscapeKind::kDoubleEntity, "caf&amp;eacute; &amp;amp;lt;", "café <"},
           Case{EscapeKind::kQuotedPrintable, "caf=C3=A9=20a", "café a"},
           Case{EscapeKind::kByteToken, "<0xE6><0xB8><0xAF>", "港"},
           Case{EscapeKind::kQuoted, "{\\\"a\\\": \\\"b\\\"}", "{\"a\": \"b\"}"},
           Case{EscapeKind::kTerminal, "\x1b[31mred\x1b[0m", "red"},
           Case{EscapeKind::kTokenMark, "the\xC4\xA0lamp", "the lamp"},
       }) {
    EXPECT_EQ(unescaped(one.written, one.kind), one.read) << one.written;
  }
}

TEST(Escapes, WhatIsNotCertainIsNotOffered) {
  EXPECT_EQ(unescaped("\\ud83d alone", EscapeKind::kUnicode), "");  // half of a pair
  EXPECT_EQ(unescaped("\\xe6\\xb8", EscapeKind::kByte), "");        // a cut sequence
  EXPECT_EQ(unescaped("\\xff\\xfe", EscapeKind::kByte), "");        // no UTF-8
  EXPECT_EQ(unescaped("\\x00\\x01", EscapeKind::kByte), "");        // controls
  EXPECT_EQ(unescaped("nothing here", EscapeKind::kEntity), "");    // as it was
  EXPECT_EQ(unescaped("\\\\\\\\", EscapeKind::kBackslashes), "");
}

struct Written {
  const char* sentence;
  std::string text;
};

TEST(EscapeResidue, ATextOfEscapesIsAWarning) {
  for (const Written& one : {
           Written{"unicode", times("\\u6e2f\\u53e3\\u5f88", 8)},
           Written{"byte", times("\\xe6\\xb8\\xaf", 8)},
           Written{"byte", times("\\346\\270\\257", 8)},
           Written{"percent", times("%E6%B8%AF", 8)},
           Written{"entity", "caf&eacute; &agrave; l&rsquo;h&ocirc;tel, o&ugrave; l&rsquo;on d&icirc;ne"},
           Written{"double-entity", "caf&amp;eacute; &amp;amp;nbsp; d&amp;icirc;ner &amp;lt;b&amp;gt;"},
           Written{"quoted-printable", "caf=C3=A9 =E2=80=93 d=C3=AEner"},
           Written{"terminal", "\x1b[32mok\x1b[0m reader"},
           Written{"terminal", "[32mok[0m reader [31mfail[0m writer [33mlate[0m lamp"},
           Written{"byte-token", "the <0xE6><0xB8><0xAF> lamp"},
           Written{"quoted", times("{\\\"a\\\": \\\"b\\\"}, ", 5)},
           Written{"line-feed", "One.\\nTwo.\\n\\nThree.\\n"},
           Written{"backslashes", "a " + std::string(100, '\\') + " b"},
           Written{"token-mark", times("the\xC4\xA0lamp\xC4\xA0is\xC4\xA0lit", 4)},
       }) {
    const test::Judged found = test::judged("escape-residue", one.text);
    EXPECT_TRUE(found.is_bad()) << one.text;
    ASSERT_FALSE(found.hits.empty()) << one.text;
    EXPECT_EQ(found.hits.front().reason.key, one.sentence) << one.text;
  }
}

TEST(EscapeResidue, ThePlaceIsTheRunAndItIsRepaired) {
  const std::string before = "A lamp on the wall. ";
  const std::string run = "\\u6e2f\\u53e3\\u5f88\\u5b89\\u9759\\u6e2f\\u53e3\\u5f88\\u5b89\\u9759";
  const std::string text = before + run + " and more words after it.";
  const test::Judged found = test::judged("escape-residue", text);
  EXPECT_TRUE(found.is_bad());
  EXPECT_EQ(test::place(found, text), run);
  EXPECT_EQ(found.hits.front().repaired, "港口很安静港口很安静");
}

TEST(EscapeResidue, WhereTheyBelongTheyAreNone) {
  for (const char* text : {
           "print(\"one\\ntwo\\tthree\\n\")\nprint(\"four\\n\")\nprint(\"five\\n\")\n",
           "See https://zh.example.org/wiki/%E6%B8%AF%E5%8F%A3%E6%B8%AF%E5%8F%A3 and https://example.org/a%20b%20c for "
           "a lot more.",
           "printf(\"%08x %20s %5d%%\\n\", a, b, c); /* %2d %3d %4d %5d %6d */",
           "int *p = &value; swap(&first, &second); use(&third); return &fourth;",
           ".\\\" a comment\n.\\\" another\n.\\\" and a third\n.\\\" of a manual\n.TH LAMP 1\n",
           "[3m] and [12m] are distances: [4m], [5m], [6m] and [7m] of wall",
           "x = 3; y == 4; a=12, b=20, c=40; size=AB",
       }) {
    EXPECT_FALSE(test::judged("escape-residue", text).is_bad()) << text;
  }
}

}  // namespace
}  // namespace assay
