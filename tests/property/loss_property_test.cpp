// Rules about the loss on thousands of runs made by formula: healthy ones stay silent, injected events are found where
// they are.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rules/rule.h"
#include "unit/stat_random.h"
#include "unit/support/make_run.h"
#include "unit/support/synthetic_loss.h"

namespace assay {

namespace {

using test::LossShape;
using test::MakeRun;
using test::Noise;
using test::Random;

const std::vector<const char*> kRules = {"non-finite-loss", "hidden-nan",        "non-finite-grad", "loss-divergence",
                                         "loss-spike",      "initial-transient", "loss-plateau",    "loss-oscillation",
                                         "overfit",         "memorization"};

std::vector<Finding> alarms(const Run& run) {
  std::vector<Finding> out;
  for (const char* name : kRules) {
    for (Finding& finding : test::judge(*find_rule(name), run)) {
      if (finding.severity == Severity::kNote) continue;
      finding.name = name;
      out.push_back(std::move(finding));
    }
  }
  return out;
}

std::string told(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& one : findings) {
    out += one.name + ": " + test::say(*find_rule(one.name), one.message) + "\n";
  }
  return out;
}

enum class Kind { kPretraining, kFineTuning, kMultiEpoch };

struct Recipe {
  LossShape shape;
  std::size_t records = 0;
  std::int64_t every = 1;
  int rounding = 0;  // 0: as is, 1: bfloat16, 2 to 4: decimals
};

// A healthy run with learning rate and grad norm.
Run healthy_run(const Recipe& recipe, Random& random, std::vector<double>* out_loss = nullptr) {
  std::vector<double> loss = test::healthy_loss(recipe.records, recipe.shape, random);
  std::vector<double> rate(recipe.records);
  std::vector<double> norm(recipe.records);
  std::vector<double> epoch(recipe.records);
  const std::size_t warmup = std::min<std::size_t>(recipe.records / 10, 200);
  for (std::size_t i = 0; i < recipe.records; ++i) {
    const double x = static_cast<double>(i);
    const double part = x / static_cast<double>(recipe.records);
    rate[i] = 3e-4 * (i < warmup ? (x + 1) / static_cast<double>(warmup) : 0.55 + 0.45 * std::cos(3.14159 * part));
    norm[i] = (0.3 + 5 * std::exp(-x / 30)) * std::exp(0.15 * random.gauss());
    epoch[i] = recipe.shape.epoch > 0 ? x / static_cast<double>(recipe.shape.epoch) : 0.5 * part;
    if (recipe.rounding == 1) loss[i] = test::to_bfloat16(loss[i]);
    if (recipe.rounding >= 2) loss[i] = test::to_decimals(loss[i], recipe.rounding);
  }
  if (out_loss != nullptr) *out_loss = loss;
  return MakeRun()
      .steps(recipe.every, recipe.every)
      .series("loss", std::move(loss))
      .series("learning_rate", std::move(rate))
      .series("grad_norm", std::move(norm))
      .series("epoch", std::move(epoch))
      .done();
}

Recipe random_recipe(Random& random) {
  Recipe out;
  constexpr std::size_t kLengths[] = {5, 8, 12, 20, 40, 80, 150, 400, 1000, 3000, 8000, 20000};
  constexpr std::int64_t kEvery[] = {1, 1, 5, 10, 100};
  out.records = kLengths[random.below(std::size(kLengths))];
  out.every = kEvery[random.below(std::size(kEvery))];
  out.rounding = static_cast<int>(random.below(5));
  LossShape& shape = out.shape;
  shape.kind = static_cast<Noise>(random.below(static_cast<std::size_t>(Noise::kCount)));
  shape.noise = 0.003 * std::pow(10.0, random.uniform());
  switch (static_cast<Kind>(random.below(3))) {
    case Kind::kPretraining:
      shape.first = 10 + 2 * random.uniform();
      shape.floor = 1.5 + 2 * random.uniform();
      shape.time = 5 + 0.05 * static_cast<double>(out.records) * random.uniform();
      break;
    case Kind::kFineTuning:
      shape.first = 0.8 + 2 * random.uniform();
      shape.floor = shape.first * (0.5 + 0.45 * random.uniform());
      shape.time = 10;
      break;
    case Kind::kMultiEpoch:
      shape.first = 1.5 + random.uniform();
      shape.floor = shape.first * 0.7;
      shape.time = 20;
      shape.epoch = std::max<std::size_t>(4, out.records / (2 + random.below(3)));
      break;
  }
  return out;
}

// With fewer than 16 records there is no noise to compare with: an outlier among the first of them makes a false level
// once in a while, and the finding says how few there were.
TEST(LossProperty, HealthyRunsStaySilent) {
  int loud = 0;
  int loud_excerpts = 0;
  std::string examples;
  for (unsigned seed = 0; seed < 600; ++seed) {
    Random random(seed + 1);
    const Recipe recipe = random_recipe(random);
    const assay::Run run = healthy_run(recipe, random);
    const auto found = alarms(run);
    if (found.empty()) continue;
    (recipe.records < 16 ? loud_excerpts : loud) += 1;
    examples += "seed " + std::to_string(seed) + ", " + std::to_string(recipe.records) + " records, noise kind " +
                std::to_string(static_cast<int>(recipe.shape.kind)) + ": " + told(found);
  }
  EXPECT_EQ(loud, 0) << examples;
  EXPECT_LE(loud_excerpts, 2) << examples;
}

// Shapes that look like trouble and are none.
TEST(LossProperty, StrangeButHealthyShapesRaiseNoError) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(4000 + seed);
    const std::size_t n = 300 + random.below(2000);
    const auto noise = [&](double sigma) { return 1 + sigma * random.gauss(); };
    const auto part = [&](std::size_t i) { return static_cast<double>(i) / static_cast<double>(n); };
    std::vector<double> sorted_batches(n), policy(n), decibel(n), new_stage(n), self_distilled(n), queue(n), mean(n),
        by_heart(n);
    double running = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(i);
      const double falling = 2 + 3 * std::exp(-x / 100);
      sorted_batches[i] = falling * (1 + 0.4 * static_cast<double>(i % 50) / 50) * noise(0.03);
      const double heavy = random.gauss() / std::sqrt(0.2 + random.uniform());
      policy[i] = 0.002 * heavy + 0.01 * part(i);
      decibel[i] = 5 - 20 * (1 - std::exp(-x / 150)) + 0.4 * random.gauss();
      new_stage[i] = (falling + (part(i) > 0.6 ? 0.14 : 0.0)) * noise(0.004);
      self_distilled[i] = (part(i) < 0.04 ? 10 - 60 * part(i) : 10 - 3 * part(i)) * noise(0.01);
      queue[i] = (part(i) < 0.05 ? 4 + 80 * part(i) : 8 - 2 * part(i)) * noise(0.01);
      const std::size_t in_epoch = i % 200;
      const double now = falling * noise(0.05) + (in_epoch < 3 ? 0.5 : 0.0);
      running = in_epoch == 0 ? now : running + (now - running) / static_cast<double>(in_epoch + 1);
      mean[i] = running;
      by_heart[i] = (0.01 + 2 * std::exp(-x / 60)) * noise(0.2);
    }
    const auto errors = [&](const char* what, const assay::Run& run, std::size_t warnings) {
      std::vector<Finding> found = alarms(run);
      EXPECT_LE(found.size(), warnings) << what << ", seed " << seed << ": " << told(found);
      std::erase_if(found, [](const Finding& one) { return one.severity != Severity::kError; });
      EXPECT_TRUE(found.empty()) << what << ", seed " << seed << ": " << told(found);
    };
    errors("batches sorted by length", MakeRun().series("loss", sorted_batches).done(), 0);
    errors("policy objective", MakeRun().series("loss", policy).series("reward", queue).done(), 0);
    errors("decibels", MakeRun().series("loss", decibel).done(), 0);
    errors("a harder stage of data", MakeRun().series("loss", new_stage).done(), 0);
    errors("self-distillation", MakeRun().series("loss", self_distilled).done(), 1);
    errors("a queue that fills", MakeRun().series("loss", queue).done(), 1);
    errors("running mean that restarts", MakeRun().series("loss", mean, Quirk::kRunningMean).done(), 1);
    errors("a memorised corpus", MakeRun().series("loss", by_heart).done(), 0);
  }
}

struct Injection {
  const char* what;
  const char* rule;
  double factor;        // of the loss at its height
  std::size_t records;  // length; 0: to the end
  Severity severity;
};

class LossInjection : public testing::TestWithParam<Injection> {};

TEST_P(LossInjection, IsFoundWhereItIs) {
  const Injection& wanted = GetParam();
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random random(1000 + seed);
    Recipe recipe = random_recipe(random);
    recipe.records = 300 + random.below(3000);
    recipe.shape.epoch = 0;
    if (recipe.shape.kind == Noise::kSingleSample) recipe.shape.kind = Noise::kGauss;
    recipe.shape.noise = std::min(recipe.shape.noise, 0.015);
    std::vector<double> loss;
    assay::Run run = healthy_run(recipe, random, &loss);
    const std::size_t at = recipe.records / 2 + random.below(recipe.records / 4);
    const std::size_t end = wanted.records == 0 ? recipe.records : at + wanted.records;
    Series& series = run.segments[0].series[0];
    for (std::size_t i = at; i < end; ++i) series.values[i] = loss[i] * wanted.factor;
    const auto found = alarms(run);
    ASSERT_EQ(found.size(), 1U) << wanted.what << ", seed " << seed << ": " << told(found);
    EXPECT_EQ(found[0].name, wanted.rule) << wanted.what << ", seed " << seed;
    EXPECT_EQ(found[0].severity, wanted.severity) << wanted.what << ", seed " << seed;
    const auto step = [&](std::size_t i) { return recipe.every * static_cast<std::int64_t>(i + 1); };
    EXPECT_NEAR(static_cast<double>(found[0].where->steps->first), static_cast<double>(step(at)),
                2.0 * static_cast<double>(recipe.every))
        << wanted.what << ", seed " << seed;
    const std::int64_t last = found[0].where->steps->last;
    if (wanted.records == 0) {
      EXPECT_EQ(last, step(recipe.records - 1)) << wanted.what;
    } else {
      EXPECT_NEAR(static_cast<double>(last), static_cast<double>(step(end - 1)),
                  2.0 * static_cast<double>(recipe.every))
          << wanted.what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LossInjection,
                         testing::Values(Injection{"long spike", "loss-spike", 1.6, 20, Severity::kWarning},
                                         Injection{"short high spike", "loss-spike", 3, 2, Severity::kWarning},
                                         Injection{"lasting jump", "loss-divergence", 1.6, 0, Severity::kError}),
                         [](const auto& one) {
                           std::string name = one.param.what;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

TEST(LossProperty, SlowRiseIsFound) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random random(2000 + seed);
    LossShape shape;
    shape.time = 20;
    shape.noise = 0.005 + 0.02 * random.uniform();
    shape.kind = static_cast<Noise>(random.below(2));
    const std::size_t records = 150 + random.below(3000);
    std::vector<double> loss = test::healthy_loss(records, shape, random);
    const std::size_t at = records / 4 + random.below(records / 4);
    for (std::size_t i = at; i < records; ++i) {
      loss[i] *= 1 + 0.8 * static_cast<double>(i - at) / static_cast<double>(records - at);
    }
    const assay::Run run = MakeRun().series("loss", std::move(loss)).done();
    const auto found = test::judge(*find_rule("loss-divergence"), run);
    ASSERT_EQ(found.size(), 1U) << "seed " << seed << ", " << records << " records";
    EXPECT_EQ(found[0].severity, Severity::kError) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(found[0].where->steps->first), static_cast<double>(at),
                0.15 * static_cast<double>(records))
        << "seed " << seed;
  }
}

TEST(LossProperty, NanIsFoundExactly) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random random(3000 + seed);
    const Recipe recipe = [&] {
      Recipe out = random_recipe(random);
      out.records = std::max<std::size_t>(out.records, 40);
      return out;
    }();
    assay::Run run = healthy_run(recipe, random);
    const std::size_t at = 20 + random.below(recipe.records - 20);
    for (std::size_t i = at; i < recipe.records; ++i) {
      run.segments[0].series[0].values[i] = std::numeric_limits<double>::quiet_NaN();
    }
    const auto found = test::judge(*find_rule("non-finite-loss"), run);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].severity, Severity::kError);
    EXPECT_EQ(found[0].where->steps->first, recipe.every * static_cast<std::int64_t>(at + 1));
  }
}

}  // namespace

}  // namespace assay
