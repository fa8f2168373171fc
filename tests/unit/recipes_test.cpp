// The published recipes: their numbers fit together, and as configurations they raise nothing that would stop a run.

#include "facts/recipes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "assay/check.h"
#include "assay/setting.h"
#include "facts/framework_defaults.h"
#include "facts/scaling_laws.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Layers and embeddings; a few models tie them or not against their family, or have a projection.
double parameters_of(const RecipeShape& shape) {
  const double layers = layer_matrices(
      {shape.layers, shape.hidden, shape.ffn, shape.heads, shape.kv_heads, shape.hidden / shape.heads, shape.gated});
  return layers + (shape.tied ? 1 : 2) * static_cast<double>(shape.vocabulary * shape.hidden);
}

TEST(Recipes, ShapesAreThoseOfTheSizes) {
  for (const Recipe& one : recipes()) {
    EXPECT_GT(one.parameters, 0) << one.model;
    EXPECT_LE(one.active, one.parameters) << one.model;
    EXPECT_GT(one.batch_tokens, 0) << one.model;
    EXPECT_FALSE(one.source.text.empty()) << one.model;
    if (one.shape.layers == 0 || one.model == "Gopher 280B") continue;  // Gopher has attention of another kind
    EXPECT_NEAR(parameters_of(one.shape) / one.parameters, 1, 0.13) << one.model;
  }
}

TEST(Recipes, RangesBySize) {
  const auto seven = recipes_near(7e9, 3);
  ASSERT_TRUE(seven);
  EXPECT_GE(seven->count, 15U);
  EXPECT_DOUBLE_EQ(seven->highest->peak_rate, 8e-4);  // MLPerf
  EXPECT_DOUBLE_EQ(seven->lowest->peak_rate, 1e-4);
  EXPECT_FALSE(recipes_near(1e6, 3));
  EXPECT_FALSE(recipes_near(0, 3));
  EXPECT_FALSE(recipes_near(std::nan(""), 3));
  EXPECT_DOUBLE_EQ(recipe_of_greatest_rate().peak_rate, 1e-3);
}

// Rates of one size differ by this much among themselves: what lies within says nothing about anybody's setting.
TEST(Recipes, RatesOfOneSizeDifferByLessThanTenTimes) {
  for (double size = 1e8; size < 5e11; size *= 1.3) {
    const auto range = recipes_near(size, 3);
    ASSERT_TRUE(range) << size;
    EXPECT_LT(range->highest->peak_rate / range->lowest->peak_rate, 10) << size;
  }
}

double warmup_steps(const Recipe& recipe, double steps) {
  switch (recipe.warmup.unit) {
    case Warmup::Unit::kSteps: return recipe.warmup.length;
    case Warmup::Unit::kTokens: return std::floor(recipe.warmup.length / recipe.batch_tokens);
    case Warmup::Unit::kShareOfRun: break;
  }
  return std::floor(recipe.warmup.length * steps);
}

// As a launch script of Megatron-LM would say it.
std::string launch_script(const Recipe& recipe) {
  const RecipeShape& shape = recipe.shape;
  const std::int64_t sequence = shape.sequence > 0 ? shape.sequence : 2048;
  const double batch = std::max(8.0, std::round(recipe.batch_tokens / static_cast<double>(sequence) / 8) * 8);
  const double tokens = recipe.tokens > 0 ? recipe.tokens : 100e9;
  const double steps = std::floor(tokens / batch / static_cast<double>(sequence));
  std::ostringstream out;
  out << "#!/bin/bash\ntorchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py \\\n";
  const auto option = [&](const char* name, auto value) { out << "  --" << name << " " << value << " \\\n"; };
  if (shape.layers > 0) {
    option("num-layers", shape.layers);
    option("hidden-size", shape.hidden);
    option("ffn-hidden-size", shape.ffn);
    option("num-attention-heads", shape.heads);
    option("max-position-embeddings", sequence);
    if (shape.kv_heads != shape.heads)
      out << "  --group-query-attention --num-query-groups " << shape.kv_heads << " \\\n";
    if (shape.gated) out << "  --swiglu --disable-bias-linear --normalization RMSNorm \\\n";
    if (!shape.tied) out << "  --untie-embeddings-and-output-weights \\\n";
    option("padded-vocab-size", shape.vocabulary);
  }
  out << std::fixed;
  out.precision(0);
  option("seq-length", sequence);
  option("micro-batch-size", 1);
  option("global-batch-size", batch);
  option("train-iters", steps);
  option("lr-decay-iters", steps);
  option("lr-warmup-iters", warmup_steps(recipe, steps));
  out << std::defaultfloat;
  out.precision(6);
  option("optimizer", recipe.optimizer == "adamw" ? "adam" : recipe.optimizer);
  option("lr", recipe.peak_rate);
  option("min-lr", recipe.peak_rate / 10);
  option("lr-decay-style", "cosine");
  option("adam-beta1", 0.9);
  option("adam-beta2", 0.95);
  option("adam-eps", recipe.epsilon);
  option("weight-decay", recipe.weight_decay);
  option("clip-grad", 1.0);
  option("save", "checkpoints");
  option("load", "checkpoints");
  out << "  --bf16 --data-path data/text_document\n";
  return out.str();
}

TEST(Recipes, AsConfigurationsRaiseNoErrorAndNoWarning) {
  const fs::path folder = fs::temp_directory_path() / "assay-recipes-test";
  fs::create_directories(folder);
  std::size_t notes = 0;
  for (const Recipe& one : recipes()) {
    const fs::path path = folder / "launch.sh";
    std::ofstream(path) << launch_script(one);
    CheckOptions options;
    options.jobs = 1;
    const auto report = check({path.string()}, options);
    ASSERT_TRUE(report) << one.model;
    ASSERT_EQ(report->files.size(), 1U);
    EXPECT_GE(report->files[0].settings, 15) << one.model;
    for (const Finding& finding : report->findings) {
      EXPECT_EQ(finding.severity, Severity::kNote) << one.model << ": " << finding.name << " " << finding.message.key;
      notes += finding.severity == Severity::kNote ? 1U : 0U;
    }
  }
  fs::remove_all(folder);
  EXPECT_LE(notes, recipes().size() / 4);
}

TEST(FrameworkDefaults, OneRowForEachAndNoMore) {
  EXPECT_DOUBLE_EQ(framework_default("megatron", setting::kInitialLossScale)->value, 4294967296.0);
  EXPECT_DOUBLE_EQ(framework_default("olmo", setting::kAdamEpsilon)->value, 1e-5);
  EXPECT_DOUBLE_EQ(framework_default("gpt-neox", setting::kWarmupFractionOfDecay)->value, 0.01);
  EXPECT_FALSE(framework_default("deepspeed", setting::kClipNorm));  // 0 until June 2026, 1 since
  EXPECT_FALSE(framework_default("", setting::kClipNorm));
}

}  // namespace
}  // namespace assay
