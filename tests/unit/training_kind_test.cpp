// What kind of training a run is taken for.

#include "measure/training_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assay/finding.h"
#include "unit/support/loss_cases.h"

namespace assay {

namespace {

using test::MakeRun;

TEST(TrainingKind, IsToldBySettingsMetricsAndFirstLoss) {
  EXPECT_EQ(training_kind(MakeRun().series("loss", {10.9, 10.2, 9.7}).done()), TrainingKind::kPretraining);
  EXPECT_EQ(training_kind(MakeRun().series("loss", {2.1, 2.0, 1.9}).done()), TrainingKind::kFineTuning);
  EXPECT_EQ(training_kind(MakeRun().setting("vocab_size", "256").series("loss", {4.1, 3.6, 3.2}).done()),
            TrainingKind::kPretraining);
  EXPECT_EQ(training_kind(MakeRun().setting("lora_alpha", "16").series("loss", {6.1, 4.0, 2.2}).done()),
            TrainingKind::kFineTuning);
  const auto kind_of = [](const char* key, const char* value, double loss) {
    return training_kind(MakeRun().setting(key, value).series("loss", {loss, loss - 0.1, loss - 0.2}).done());
  };
  EXPECT_EQ(kind_of("fine_tuning", "true", 10.9), TrainingKind::kFineTuning);
  EXPECT_EQ(kind_of("fine_tuning", "False", 10.9), TrainingKind::kPretraining);
  EXPECT_EQ(kind_of("init_from", "scratch", 2.1), TrainingKind::kPretraining);
  EXPECT_EQ(kind_of("init_from", "gpt2-xl", 2.1), TrainingKind::kFineTuning);
  for (const char* key : {"q_lora_rank", "kv_lora_rank", "query_lora_rank", "key_value_lora_rank"}) {
    EXPECT_EQ(kind_of(key, "1536", 10.9), TrainingKind::kPretraining) << key;  // latent attention
  }
  EXPECT_EQ(kind_of("lora_rank", "8", 10.9), TrainingKind::kFineTuning);
  EXPECT_EQ(kind_of("model_name_or_path", "/a/model", 2.1), TrainingKind::kFineTuning);
  EXPECT_EQ(kind_of("model_name_or_path", "/a/model", 10.9), TrainingKind::kPretraining);  // its shape alone
  EXPECT_EQ(training_kind(MakeRun()
                              .setting("lora_r", "16")
                              .setting("lora_target_modules", "[]")
                              .series("loss", {10.9, 10.0, 9.0})
                              .done()),
            TrainingKind::kPretraining);
  EXPECT_EQ(training_kind(MakeRun().setting("stage", "dpo").series("loss", {0.69, 0.68, 0.6}).done()),
            TrainingKind::kPreference);
  EXPECT_EQ(training_kind(MakeRun().series("loss", {0.0, 0.0, 0.0}).series("reward", {0.1, 0.2, 0.3}).done()),
            TrainingKind::kReinforcement);
  EXPECT_EQ(training_kind(MakeRun().steps(29020, 10).series("loss", {6.1, 6.0, 6.2}).done()), TrainingKind::kUnknown);
  EXPECT_EQ(training_kind(MakeRun().kind(TrainingKind::kPretraining).series("loss", {2.1}).done()),
            TrainingKind::kPretraining);
}

KindOfTraining with(const char* metric) {
  return kind_of_training(MakeRun().series("loss", {0.7, 0.6, 0.6}).series(metric, {0.1, 0.2, 0.3}).done());
}

TEST(TrainingKind, IsToldByWhatNothingElseLogs) {
  EXPECT_EQ(with("rewards/margins").kind, TrainingKind::kPreference);
  EXPECT_EQ(with("rewards/accuracy_reward").kind, TrainingKind::kReinforcement);  // GRPO names each reward function so
  EXPECT_EQ(with("critic/score/mean").kind, TrainingKind::kReinforcement);
  EXPECT_EQ(with("teacher_temp").kind, TrainingKind::kSelfDistillation);
  EXPECT_EQ(with("teacher_temp").because.en, "'teacher_temp' is logged");
  EXPECT_EQ(kind_of_training(MakeRun().series("loss_g", {0.7, 0.9}).series("loss_d", {0.7, 0.5}).done()).kind,
            TrainingKind::kAdversarial);
  EXPECT_TRUE(is_objective(TrainingKind::kReinforcement));
  EXPECT_FALSE(is_objective(TrainingKind::kAdversarial));
}

TEST(TrainingKind, OtherModelsAreNotCalledLanguageModels) {
  EXPECT_EQ(kind_of_training(MakeRun().series("loss", {1103, 1100}).done()).kind, TrainingKind::kUnknown);
  EXPECT_EQ(kind_of_training(MakeRun().series("loss", {8.1, 7.9}).series("loss_bbox", {3, 2.9}).done()).kind,
            TrainingKind::kUnknown);
  EXPECT_EQ(kind_of_training(MakeRun().series("loss", {31.1, 20}).series("train/wer", {3, 2.9}).done()).kind,
            TrainingKind::kUnknown);
  const KindOfTraining large = kind_of_training(MakeRun().dialect("megatron").series("loss", {29.3, 20}).done());
  EXPECT_EQ(large.kind, TrainingKind::kPretraining);  // an initialisation that is too wide
  EXPECT_EQ(kind_of_training(MakeRun().series("loss", {10.4, 9}).series("masked_lm_loss", {10.4, 9}).done()).kind,
            TrainingKind::kPretraining);
}

TEST(TrainingKind, ALogThatBeginsInTheMiddleHasNoFirstLoss) {
  // The command stands before it, as in an excerpt.
  const auto late = [](std::int64_t first) {
    return kind_of_training(MakeRun()
                                .setting("dtype", "float16")
                                .steps(first, 10)
                                .series("loss", {3.98, 3.94, 3.99, 3.9, 4.0, 3.9})
                                .done());
  };
  EXPECT_EQ(late(2920).kind, TrainingKind::kUnknown);
  EXPECT_EQ(late(10).kind, TrainingKind::kFineTuning);
  const auto sum = kind_of_training(MakeRun().dialect("hf-trainer").series("loss", {284.9, 270, 260}).done());
  EXPECT_EQ(sum.kind, TrainingKind::kUnknown);
}

TEST(TrainingKind, TheWordsOfAFrameworkAreNoSetting) {
  assay::Run run = MakeRun().setting("framework", "hf-trainer").setting("model_name_or_path", "/a/model").done();
  run.config.settings[0].written = "--model_name_or_path";  // by which it was recognised
  EXPECT_EQ(kind_of_training(run).because.en, "'model_name_or_path' is '/a/model'");
}

TEST(TrainingKind, SaysHowSureItIs) {
  const KindOfTraining known =
      kind_of_training(MakeRun().setting("vocab_size", "50257").series("loss", {10.9, 10}).done());
  EXPECT_GE(known.confidence, kCertain);
  EXPECT_EQ(known.because.en, "the first loss is 10.9 nats, ln V is 10.82 nats: random weights");
  const KindOfTraining unknown = kind_of_training(MakeRun().series("loss", {10.9, 10}).done());
  EXPECT_GE(unknown.confidence, kLikely);
  EXPECT_LT(unknown.confidence, kCertain);
  // A classifier of ten classes starts there too.
  EXPECT_LT(kind_of_training(MakeRun().series("loss", {2.3, 2.1}).done()).confidence, kLikely);
  EXPECT_GE(kind_of_training(MakeRun().setting("framework", "hf-trainer").series("loss", {2.3, 2.1}).done()).confidence,
            kLikely);
  EXPECT_EQ(kind_of_training(MakeRun().steps(29020, 10).series("loss", {6.1, 6.0, 6.2}).done()).confidence, 0);
}

TEST(TrainingKind, AMixtureOfExpertsIsToldBesideTheKind) {
  EXPECT_TRUE(kind_of_training(MakeRun().setting("num_experts", "8").series("loss", {10.9, 9}).done()).experts);
  EXPECT_TRUE(with("load_balancing_loss").experts);
  EXPECT_FALSE(kind_of_training(MakeRun().setting("num_experts", "1").series("loss", {10.9, 9}).done()).experts);
  EXPECT_FALSE(with("aux_loss").experts);  // detectors have auxiliary losses too
}

}  // namespace

}  // namespace assay
