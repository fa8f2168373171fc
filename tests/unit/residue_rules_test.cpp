// All rules of what was never prose: nothing is said of clean texts in fifty languages and of many kinds, nothing ends
// the program, and no text takes long.

#include <random>

#include "unit/judge_helpers.h"
#include "unit/residue_twins.h"

namespace assay {
namespace {

constexpr const char* kRules[] = {"encoded-blob",   "escape-residue", "minified",       "gibberish",
                                  "markup-residue", "boilerplate",    "repeated-ngram", "repeated-lines"};

class ResidueRules : public testing::TestWithParam<const char*> {};

TEST_P(ResidueRules, CleanTextsStayClean) {
  for (const auto& [name, text] : test::clean_texts()) {
    for (const auto& hit : test::judged(GetParam(), text).hits) {
      EXPECT_EQ(hit.severity, Severity::kNote) << name << ": " << hit.reason.key << " at " << hit.offset;
    }
  }
}

TEST_P(ResidueRules, CleanTextsTogetherStayClean) {
  std::string all;
  for (const auto& [name, text] : test::clean_texts()) all += text + "\n\n";
  EXPECT_FALSE(test::judged(GetParam(), all).is_bad());
}

TEST_P(ResidueRules, EmptyAndTinyTexts) {
  for (const std::string_view text :
       {"", " ", "\n", "a", "\\", "%", "&", "<", "[", "=", "\xE6\xB8\xAF", "\xF0\x9F\x98\x80"}) {
    EXPECT_FALSE(test::judged(GetParam(), text).is_bad()) << text;
  }
  EXPECT_FALSE(test::judged(GetParam(), std::string_view("\0\0\0\0", 4)).is_bad());
}

// Beginnings without an end, and everything that makes a search go over the text again. A quadratic search would need
// hours for these; the place of each hit is checked by `judged`.
TEST_P(ResidueRules, NoTextTakesLong) {
  constexpr std::size_t kSize = 1'000'000;
  for (const std::string_view unit : {"a",
                                      "ab",
                                      "\\",
                                      "\\\"",
                                      "\\u",
                                      "\\u4e2d",
                                      "\\x",
                                      "%4",
                                      "%E4x",
                                      "&",
                                      "&amp;",
                                      "&amp",
                                      "<",
                                      "<a ",
                                      "<!--",
                                      "<script>",
                                      "<style>",
                                      "<p",
                                      "[",
                                      "[[",
                                      "[b",
                                      "[b]",
                                      "[[a:",
                                      "{{",
                                      "{{a|",
                                      "'''",
                                      "==a",
                                      "\n==",
                                      "=",
                                      "=E2",
                                      "\x1b[",
                                      "[3",
                                      "<0x",
                                      "<0xE4>",
                                      "0x",
                                      "0x12,",
                                      "12 ",
                                      "00 ",
                                      "aB3",
                                      "Zm9vYmFy\n",
                                      "M \n",
                                      "begin 6\n",
                                      "\n",
                                      " ",
                                      "\t\n",
                                      "a\n",
                                      "abc. ",
                                      "abc.\n",
                                      "\xE4\xB8\xAD",
                                      "\xE3\x80\x82",
                                      "\xC4\xA0"
                                      "a",
                                      "@@ ",
                                      "a\xD0\xB0",
                                      "\xC9\x90\xC7\x9D\xCA\x87",
                                      "\xF0\x9D\x90\x80",
                                      "lorem ipsum ",
                                      "404 ",
                                      "function(){return ",
                                      "(){};",
                                      "[]()!+",
                                      "page 1 of it. ",
                                      "u4e2d",
                                      "{|\n",
                                      "http://%41",
                                      "/%41aaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    std::string text;
    while (text.size() < kSize) text += unit;
    test::judged(GetParam(), text);
    if (HasFailure()) return;
  }
}

TEST_P(ResidueRules, RandomTextsDoNoHarm) {
  std::mt19937 random(5);
  constexpr std::string_view kMarks = "<>[]{}'=|\\&%;/ \n\"0aZ_+-x.";
  for (int round = 0; round < 300; ++round) {
    std::string text(random() % 4000, ' ');
    for (char& c : text) c = round % 3 == 0 ? static_cast<char>(random() & 0xFF) : kMarks[random() % kMarks.size()];
    test::judged(GetParam(), text);
    if (HasFailure()) return;
  }
}

std::string test_name(const testing::TestParamInfo<const char*>& one) {
  std::string out(one.param);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ResidueRules, testing::ValuesIn(kRules), test_name);

struct Page {
  const char* rule;
  const char* name;
  std::string text;
  std::string place = {};  // empty: the whole text
};

std::vector<Page> pages() {
  const std::string program =
      "var lamp=function(){\"use strict\";function e(e,t){return e=e||0,t=t||1,e+t}var t={},n=[];function "
      "r(e){if(!t[e]){t[e]={id:e};"
      "n.push(t[e])}return t[e]}return{get:r,all:function(){return n.slice()},count:function(){return n.length}}}();";
  const std::string script = program + program;
  const std::string rules =
      ".a,.a *{box-sizing:border-box}.a{display:block;width:20px;height:20px;border:1px solid "
      "#000}.a.on{background:#ff0;color:#000}"
      ".b{margin:0;padding:2px 4px;font-size:12px}@media print{.a{display:none}}";
  const std::string prose = "The harbour was quiet when the last boat came in, and nobody on the quay spoke.";
  const std::string lorem =
      "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore "
      "magna aliqua";
  return {
      {"minified", "script", script},
      {"minified", "script in prose", prose + "\n" + script + "\n" + prose, script},
      {"minified", "style", rules + rules},
      {"boilerplate", "placeholder", lorem},
      {"boilerplate", "placeholder in prose", prose + "\n" + lorem + "\n" + prose, lorem},
      {"boilerplate", "cookies", "This website uses cookies. Accept all. Cookie settings"},
      {"boilerplate", "error", "404 Not Found\nThe page you requested could not be found",
       "404 Not Found\nThe page you requested could not be found"},
      {"boilerplate", "chinese", "抱歉，您访问的页面不存在", "抱歉，您访问的页面"},
      {"markup-residue", "pieces",
       "<div class=\"a\"><span>1</span></div><div class=\"a\"><span>2</span></div><div "
       "class=\"a\"><span>3</span></div>"},
  };
}

TEST(ResiduePages, AreFoundInTheirPlace) {
  for (const Page& page : pages()) {
    const test::Judged found = test::judged(page.rule, page.text);
    EXPECT_TRUE(found.is_bad()) << page.name;
    EXPECT_EQ(test::place(found, page.text), page.place.empty() ? page.text : page.place) << page.name;
  }
}

}  // namespace
}  // namespace assay
