// Loss scalers, step by step, against traces worked out by hand from the frameworks' sources.

#include "sim/loss_scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace assay {
namespace {

LossScalerRule rule_of(std::string_view name, double initial, int window) {
  LossScalerRule rule = loss_scaler_rule(name).value();
  rule.initial = initial;
  rule.window = window;
  return rule;
}

// The scale after each step of a text: '.' is a clean step, 'x' an overflow.
std::vector<double> scales(const LossScalerRule& rule, std::string_view steps) {
  LossScaler scaler = LossScaler::start(rule).value();
  std::vector<double> out;
  for (const char step : steps) {
    const double before = scaler.scale();
    const LossScaler::Update update = scaler.update(step == 'x');
    EXPECT_EQ(update.skipped, step == 'x');
    EXPECT_EQ(update.raised, scaler.scale() > before);
    EXPECT_EQ(update.lowered, scaler.scale() < before);
    out.push_back(scaler.scale());
  }
  return out;
}

using Scales = std::vector<double>;

TEST(LossScaler, TorchHalvesAtOnceAndDoublesAfterAWindow) {
  const LossScalerRule rule = rule_of("torch", 16, 3);
  EXPECT_EQ(scales(rule, "..x..."), (Scales{16, 16, 8, 8, 8, 16}));
  EXPECT_EQ(scales(rule, "......"), (Scales{16, 16, 32, 32, 32, 64}));
  EXPECT_EQ(scales(rule, "xxx"), (Scales{8, 4, 2}));
  // It is never lowered to a floor, and never grows to infinity.
  EXPECT_EQ(scales(rule_of("torch", 1, 3), "xx"), (Scales{0.5, 0.25}));
  EXPECT_EQ(scales(rule_of("torch", 0x1p127, 1), ".."), (Scales{0x1p127, 0x1p127}));
}

TEST(LossScaler, MegatronForgivesOnceUntilTheScaleHasGrown) {
  const LossScalerRule rule = rule_of("megatron", 16, 3);
  // The first overflow is forgiven, the next one not, however many clean steps lie between.
  EXPECT_EQ(scales(rule, "x..x..x"), (Scales{16, 16, 16, 8, 8, 8, 4}));
  // Growth refills it: x . . . grows to 32, and the next overflow is forgiven again.
  EXPECT_EQ(scales(rule, "x...xx"), (Scales{16, 16, 16, 32, 32, 16}));
  EXPECT_EQ(scales(rule_of("megatron", 2, 3), "xxxxx"), (Scales{2, 1, 1, 1, 1}));
}

TEST(LossScaler, DeepspeedCountsAStepLessAndStopsAtTheBottom) {
  const LossScalerRule rule = rule_of("deepspeed", 16, 3);
  // Iterations since the last overflow less one: the fourth clean step grows it, then each third.
  EXPECT_EQ(scales(rule, "......."), (Scales{16, 16, 16, 32, 32, 32, 64}));
  EXPECT_EQ(scales(rule, "x....xx"), (Scales{16, 16, 16, 16, 32, 32, 16}));
  LossScaler scaler = LossScaler::start(rule_of("deepspeed", 2, 3)).value();
  EXPECT_EQ(scaler.spare_overflows(), 1);
  EXPECT_FALSE(scaler.update(true).lowered);  // forgiven
  EXPECT_EQ(scaler.spare_overflows(), 0);
  EXPECT_TRUE(scaler.update(true).lowered);  // 2 -> 1
  EXPECT_FALSE(scaler.stopped());
  EXPECT_TRUE(scaler.update(true).stopped);  // at 1 already
  EXPECT_TRUE(scaler.stopped());
  EXPECT_TRUE(scaler.update(false).stopped);
  EXPECT_EQ(scaler.scale(), 1);
}

TEST(LossScaler, ConsecutiveHysteresisIsRefilledByACleanStep) {
  const LossScalerRule rule = rule_of("deepspeed-consecutive", 16, 100);
  EXPECT_EQ(scales(rule, "x.x.xx.xx"), (Scales{16, 16, 16, 16, 16, 8, 8, 8, 4}));
}

TEST(LossScaler, FairseqEndsTheRunBeforeItsFloor) {
  LossScalerRule rule = rule_of("fairseq", 16, 2);
  EXPECT_EQ(scales(rule, "..x.."), (Scales{16, 32, 16, 16, 32}));
  rule.initial = 0x1p-12;  // 2.4e-4
  LossScaler scaler = LossScaler::start(rule).value();
  EXPECT_TRUE(scaler.update(true).lowered);  // 1.2e-4
  const LossScaler::Update last = scaler.update(true);
  EXPECT_TRUE(last.stopped && !last.lowered);  // 6e-5 would be below 1e-4: the scale is put back
  EXPECT_EQ(scaler.scale(), 0x1p-13);
}

TEST(LossScaler, ApexStopsGrowing) {
  EXPECT_EQ(scales(rule_of("apex", 0x1p23, 1), "..."), (Scales{0x1p24, 0x1p24, 0x1p24}));
}

TEST(LossScaler, MindsporeStaysAtOne) {
  EXPECT_EQ(scales(rule_of("mindspore", 4, 2), "xxx..."), (Scales{2, 1, 1, 1, 2, 2}));
}

TEST(LossScaler, AConstantScaleSkipsAndStays) {
  EXPECT_EQ(scales(loss_scaler_rule("static").value(), "x..xx"), (Scales{65536, 65536, 65536, 65536, 65536}));
}

// Known from logs of Megatron: from 2^32 down to 2^14 takes 19 skipped steps, one of them forgiven.
TEST(LossScaler, TheSearchAtTheStartOfARun) {
  LossScaler scaler = LossScaler::start(loss_scaler_rule("megatron").value()).value();
  int skipped = 0;
  while (scaler.scale() > 0x1p14) skipped += scaler.update(true).skipped ? 1 : 0;
  EXPECT_EQ(skipped, 19);
}

TEST(LossScaler, RefusesWhatCannotBe) {
  const auto refused = [](auto change) {
    LossScalerRule rule = loss_scaler_rule("megatron").value();
    change(rule);
    const Result<LossScaler> scaler = LossScaler::start(rule);
    return !scaler && scaler.error().code == ErrorCode::kUsage && !scaler.error().message.empty();
  };
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.initial = 0; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.initial = std::nan(""); }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.initial = INFINITY; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.growth = 0.5; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.backoff = 0; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.backoff = 2; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.smallest = 0x1p40; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.largest = 1; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.window = -1; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.uncounted = -1; }));
  EXPECT_TRUE(refused([](LossScalerRule& rule) { rule.hysteresis = 0; }));
  EXPECT_FALSE(refused([](LossScalerRule&) {}));
}

TEST(LossScaler, NamesAreFound) {
  for (const LossScalerRule& rule : loss_scaler_rules()) {
    EXPECT_EQ(loss_scaler_rule(rule.name).value().title.en, rule.title.en);
    for (const std::string& other : rule.also) EXPECT_EQ(loss_scaler_rule(other).value().name, rule.name);
    EXPECT_FALSE(rule.source.empty() || rule.title.zh.empty());
    EXPECT_TRUE(LossScaler::start(rule));
  }
  EXPECT_EQ(loss_scaler_rule("GradScaler").value().name, "torch");
  EXPECT_EQ(loss_scaler_rule("megatrn").error().hint, "did you mean 'megatron'?");
  EXPECT_EQ(loss_scaler_rule("qqqq").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace assay
