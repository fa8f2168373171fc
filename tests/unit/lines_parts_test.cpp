// The parts of the line engine, each on its own: numbers, tokens, keys, lines, keywords.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "format/lines/keys.h"
#include "format/lines/keywords.h"
#include "format/lines/line_source.h"
#include "format/lines/number_scan.h"
#include "format/lines/shape.h"
#include "format/lines/tokenizer.h"

namespace assay::lines {
namespace {

Token scan(std::string_view text) { return scan_token(text.data(), text.data() + text.size()); }

TEST(LinesNumbers, ReadsWhatLogsPrint) {
  const auto value = [](std::string_view text) {
    const Token token = scan(text);
    EXPECT_EQ(token.kind, TokenKind::kNumber) << text;
    EXPECT_EQ(token.end, text.data() + text.size()) << text;
    return token.value();
  };
  EXPECT_EQ(value("1"), 1);
  EXPECT_EQ(value("-2.5"), -2.5);
  EXPECT_EQ(value("+0.31"), 0.31);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("0."), 0);
  EXPECT_EQ(value("1.0E+01"), 10);
  EXPECT_EQ(value("1.412743E+01"), 14.12743);
  EXPECT_EQ(value("4.9939613526570054e-05"), 4.9939613526570054e-05);
  EXPECT_EQ(value("12,345"), 12345);
  EXPECT_EQ(value("1,536,000"), 1536000);
  EXPECT_EQ(value("1.20K"), 1200);
  EXPECT_EQ(value("3.4M"), 3.4e6);
  EXPECT_EQ(value("2B"), 2e9);
  EXPECT_EQ(value("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(value("-inf"), -HUGE_VAL);
  EXPECT_EQ(value("Infinity"), HUGE_VAL);
  EXPECT_EQ(value("1e999"), HUGE_VAL);
  EXPECT_EQ(value("1e-999"), 0);
  for (const char* text : {"nan", "NaN", "NAN", "-nan"}) EXPECT_TRUE(std::isnan(value(text))) << text;
  EXPECT_TRUE(std::isnan(scan("nanxxx").value()));  // the unit and the filling belong to no number
}

TEST(LinesNumbers, KnowsWhatIsNoNumber) {
  for (const char* text :
       {"0x1f", "3rd", "8xH100", "nano", "information", "-", "+", ".", "", "None1", "Nonesuch", "12ab"}) {
    EXPECT_FALSE(scan(text)) << text;
  }
  for (const char* text : {"2024-05-28", "22:26:20", "22:26:20,123", "0:07", "13/01/2022", "2024-05-28T22:26:20.5Z",
                           "2.3.1", "10.0.0.7"}) {
    EXPECT_EQ(scan(text).kind, TokenKind::kStamp) << text;
    EXPECT_EQ(*scan(text).end, '\0') << text;
  }
  for (const char* text : {"None", "null", "n/a", "N/A"}) EXPECT_EQ(scan(text).kind, TokenKind::kAbsent) << text;
  EXPECT_EQ(scan("True").value(), 1);
  EXPECT_EQ(scan("False").value(), 0);
}

TEST(LinesNumbers, KnowsIdentifiers) {
  for (const char* text :
       {"6c576fac", "a5fae199", "06e8b2c1", "block_00af3c", "7d9f8b-x2k", "7d9f8b6c5d-vrtzq", "0x7f3a2b10", "part00123",
        "run_20240528", "exp_20240528_1530", "x2k9z4p1q", "A5FAE199", "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "12345678-1234-1234-1234-123456789012", "da39a3ee5e6b4b0d3255bfef95601890afd80709"}) {
    EXPECT_EQ(scan(text).kind, TokenKind::kStamp) << text;
    EXPECT_EQ(*scan(text).end, '\0') << text;
  }
  for (const char* text :
       {"fp16", "bf16", "layer4", "acc1000", "stage_1_and_2", "e4m3fn", "mtp_1", "deadbeef", "H100x8", "decade",
        "cifar100", "imagenet1k", "qwen2", "resnet50", "loss_scale", "gpt2_345m"}) {
    EXPECT_FALSE(scan(text)) << text;
  }
  EXPECT_EQ(*scan("6c576fac-loss").end, '-');
}

TEST(LinesNumbers, StopsBeforeUnits) {
  for (const char* text :
       {"15.34%", "1096.65ms", "300ms", "9.46GiB", "3.91x", "80.1T", "10/1000", "12, 13", "5..", "nanms"}) {
    const Token token = scan(text);
    ASSERT_EQ(token.kind, TokenKind::kNumber) << text;
    EXPECT_NE(*token.end, '\0') << text;
  }
  EXPECT_EQ(scan("10/1000").integer_or(-1), 10);
  EXPECT_EQ(scan("1.5").integer_or(-1), -1);
  EXPECT_EQ(scan("99999999999999999999").integer_or(-1), -1);
}

TEST(LinesNumbers, TheQuickScanIsTheSame) {
  for (const char* text : {"1",
                           "12 ",
                           "3.25|",
                           "3.25.1",
                           "1,234",
                           "1, 2",
                           "1,2",
                           "7/8",
                           "22:26:20",
                           "1e5",
                           "1.5e3 ",
                           "4K",
                           "4ms",
                           "-1",
                           "nan",
                           "12345678901234567890",
                           "0.1234567890123456789 ",
                           "5.",
                           "5. ",
                           "00012/",
                           "2024-05-28"}) {
    const std::string_view view(text);
    const Token quick = scan_token_quickly(view.data(), view.data() + view.size());
    const Token full = scan(view);
    EXPECT_EQ(quick.kind, full.kind) << text;
    EXPECT_EQ(quick.end, full.end) << text;
    if (full.kind == TokenKind::kNumber && !full.special) {
      EXPECT_EQ(quick.value(), full.value()) << text;
      EXPECT_EQ(quick.integer, full.integer) << text;
    }
  }
}

std::string cut_up(std::string_view line) {
  Tokenised tokens;
  tokenise(line, tokens);
  std::string out;
  for (std::size_t i = 0; i < tokens.literals.size(); ++i) {
    out += '<' + std::string(tokens.literals[i].core) + '>';
    if (i < tokens.slots.size()) out += std::string(tokens.slots[i].begin, tokens.slots[i].end);
  }
  return out;
}

TEST(LinesTokenizer, LeavesDigitsInWordsAlone) {
  EXPECT_EQ(cut_up("fp16 rank0 mtp_1 loss: 2.5"), "<fp16 rank0 mtp_1 loss:>2.5<>");
  EXPECT_EQ(cut_up("[stage_1_and_2.py:1644:step] x"), "<[stage_1_and_2.py:>1644<:step] x>");
  EXPECT_EQ(cut_up("llama3.1 v2.0.1 step 5"), "<llama3.1 v2.0.1 step>5<>");
  EXPECT_EQ(cut_up("iteration   10/  1000 |"), "<iteration>10</>1000<|>");
  EXPECT_EQ(cut_up("a-1 b -1"), "<a->1<b>-1<>");
  EXPECT_EQ(cut_up("number of nan iterations: 0, loss nan lr 0.1"), "<number of nan iterations:>0<, loss>nan<lr>0.1<>");
}

std::string keys_of(std::string_view line) {
  Tokenised tokens;
  tokenise(line, tokens);
  std::string out;
  for (const Field& field : derive_fields(tokens)) out += field.key + "; ";
  return out.substr(0, out.size() - 2);
}

TEST(LinesKeys, DerivesTheKeyOfEachNumber) {
  EXPECT_EQ(keys_of(" iteration 3 | elapsed time per iteration (ms): 1.5 | lm loss: 2 |"),
            "iteration; elapsed time per iteration (ms); lm loss");
  EXPECT_EQ(keys_of("{'loss': 1.5, 'grad_norm': tensor(nan, device='cuda:0'), 'x': '0.5'}"),
            "loss; grad_norm; cuda; x");
  EXPECT_EQ(keys_of("iter 3: loss 3.88, time 10.5ms, mfu 15%"), "iter; loss; time; mfu");
  EXPECT_EQ(keys_of("Eval loss at step 4000: 7.06,tokens_seen: 39"), "Eval loss at step; Eval loss; tokens_seen");
  EXPECT_EQ(keys_of("loss at 16004 1.78"), "loss; loss");
  EXPECT_EQ(keys_of("steps: 1 loss: 12.7 iter time (s): 150.4 samples/sec: 6.8"),
            "steps; loss; iter time (s); samples/sec");
  EXPECT_EQ(keys_of("2026-05-18 16:08:16,958 - root - INFO - step: 54  loss:  2.7"), "; ; step; loss");
  EXPECT_EQ(keys_of(R"(:::MLLOG {"key": "train_loss", "value": 1.3})"), "train_loss");
}

TEST(LinesTemplate, MatchesLinesOfTheSamePrintStatement) {
  Tokenised line;
  const std::string first = " iteration        7/    1000 | lm loss: 2.5E+00 | x 5 |";
  tokenise(first, line);
  const Template shape(line);
  std::vector<Token> tokens(kMostSlots);
  EXPECT_TRUE(shape.match(" iteration 100000/ 1000000 | lm loss: nan | x 5 |", tokens.data()));
  EXPECT_EQ(tokens[0].integer_or(0), 100000);
  EXPECT_TRUE(std::isnan(tokens[2].value()));
  EXPECT_FALSE(shape.match(" iteration 100000/ 1000000 | lm loss: 2 | x5 |", tokens.data()));
  EXPECT_FALSE(shape.match(" iteration 100000/ 1000000 | lm loss: 22:13:01 | x 5 |", tokens.data()));
  EXPECT_FALSE(shape.match(" iteration 100000/ 1000000 | lm loss: 2 | x 5 | more", tokens.data()));
  EXPECT_FALSE(shape.match("iteration 100000/1000000 | lm loss: 2 | x 5 |", tokens.data()));
  EXPECT_FALSE(shape.match("", tokens.data()));
}

TEST(LinesSource, CutsAtAnyChunkBoundary) {
  const std::string text = "one\n\ntwo\r\nthree";
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk) {
    LineSource source;
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line, std::int64_t number, std::size_t) {
      lines.push_back(std::to_string(number) + ":" + std::string(line));
    };
    for (std::size_t at = 0; at < text.size(); at += chunk) source.feed(std::string_view(text).substr(at, chunk), take);
    EXPECT_EQ(lines.size(), 3U);
    source.finish(take);
    EXPECT_EQ(lines, (std::vector<std::string>{"1:one", "2:", "3:two", "4:three"})) << chunk;
  }
}

TEST(LinesSource, KeepsOneMebibyteOfALine) {
  LineSource source;
  std::size_t size = 0;
  std::size_t dropped = 0;
  const auto take = [&](std::string_view line, std::int64_t, std::size_t rest) {
    size = std::max(size, line.size());
    dropped += rest;
  };
  const std::string block(300'000, 'x');
  for (int i = 0; i < 10; ++i) source.feed(block, take);
  source.feed("\nshort\n", take);
  EXPECT_EQ(size, kLongestLine);
  EXPECT_EQ(size + dropped, 3'000'000U);
}

TEST(LinesSource, TakesControlCharactersAway) {
  CleanLine clean;
  EXPECT_EQ(clean.parts("\x1b[1;31mred\x1b[0m text"), (std::vector<std::string_view>{"red text"}));
  EXPECT_EQ(clean.parts("bar 1\rbar 2\r\r"), (std::vector<std::string_view>{"bar 1", "bar 2"}));
  EXPECT_EQ(clean.parts(std::string_view("a\0b", 3)), (std::vector<std::string_view>{"ab"}));
  EXPECT_EQ(clean.parts("\x1b]0;title\aloss"), (std::vector<std::string_view>{"loss"}));
  EXPECT_TRUE(clean.parts("\x1b[").empty());
  EXPECT_TRUE(has_control("a\x1b"));
  EXPECT_FALSE(has_control("a\tb \xe6\x8d\x9f"));
}

TEST(LinesKeywords, FindsAllOfThem) {
  Keywords keywords;
  const std::size_t he = keywords.add("he");
  const std::size_t she = keywords.add("she");
  const std::size_t hers = keywords.add("hers");
  EXPECT_EQ(keywords.add("she"), she);
  keywords.build();
  const KeywordSet found = keywords.find("ushers");
  EXPECT_TRUE(found[he] && found[she] && found[hers]);
  EXPECT_TRUE(keywords.find("hi sh her").test(he));
  EXPECT_FALSE(keywords.find("hi sh her").test(she));
  EXPECT_TRUE(keywords.find("").none());
}

}  // namespace
}  // namespace assay::lines
