// Tables of words: that they are well formed, who speaks them, what happens to values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/config/vocabulary.h"
#include "format/reader.h"
#include "measure/derive.h"
#include "unit/vocabulary_cases.h"

namespace assay {
namespace {

using test::value_of;
using test::Wanted;

TEST(Vocabularies, NamesAreUniqueAndFound) {
  for (const Vocabulary* one : vocabularies()) EXPECT_EQ(vocabulary_named(one->name), one) << one->name;
  EXPECT_EQ(vocabulary_named("nobody"), nullptr);
  EXPECT_NE(vocabulary_named("megatron"), nullptr);
}

// A word twice in one table would be a row that can never count.
TEST(Vocabularies, TermsAndSignaturesAreWrittenAsPathsAre) {
  std::vector<const Vocabulary*> all(vocabularies().begin(), vocabularies().end());
  all.push_back(&shared_vocabulary());
  for (const Vocabulary* one : all) {
    for (std::size_t i = 0; i < one->terms.size(); ++i) {
      const std::string_view words = one->terms[i].words;
      EXPECT_EQ(normal_path(words), words) << one->name;
      EXPECT_EQ(one->terms[i].canonical.empty(),
                one->terms[i].form == Form::kNoSetting || one->terms[i].form == Form::kBetas)
          << one->name << " " << words;
      for (std::size_t k = 0; k < i; ++k) EXPECT_NE(one->terms[k].words, words) << one->name;
    }
    for (const std::string_view words : one->signature) EXPECT_EQ(normal_path(words), words) << one->name;
  }
}

TEST(Vocabularies, Megatron) {
  // As a script or a dump hands them on.
  const std::vector<FlatSetting> flags = {{"--tensor-model-parallel-size", "4", 1},
                                          {"--pipeline-model-parallel-size", "2", 2},
                                          {"--lr-warmup-fraction", ".01", 3},
                                          {"--use-distributed-optimizer", "true", 4},
                                          {"--untie-embeddings-and-output-weights", "true", 5},
                                          {"--num-query-groups", "8", 6},
                                          {"--group-query-attention", "true", 6},
                                          {"--fp8-format", "hybrid", 7},
                                          {"--clip-grad", "1.0", 8},
                                          {"--train-iters", "500_000", 9}};
  ASSERT_EQ(vocabulary_of(flags), vocabulary_named("megatron"));
  Recorder recorder("run.sh");
  record_settings(flags, recorder);
  const Recording got = std::move(recorder).finish();
  for (const auto& [key, value] : Wanted{{"tensor_parallel_size", "4"},
                                         {"pipeline_parallel_size", "2"},
                                         {"warmup_fraction_of_decay", ".01"},
                                         {"warmup_fraction", ""},
                                         {"zero_stage", "1"},
                                         {"tied_embeddings", "false"},
                                         {"num_key_value_heads", "8"},
                                         {"fp8", "hybrid"},
                                         {"clip_norm", "1.0"},
                                         {"train_steps", "500000"}}) {
    EXPECT_EQ(value_of(got.config, key), value) << key;
  }
  EXPECT_EQ(got.config.find("zero_stage")->written, "--use-distributed-optimizer");
  EXPECT_EQ(got.planned_steps, 500'000);
}

TEST(Vocabularies, ThatDisagreeStayBoth) {
  const Recording got = read_bytes("a.yaml", "optimizer:\n  lr: 1e-3\nlearning_rate: 2e-3\nnum_layers: 2\n");
  std::vector<std::string> rates;
  for (const Setting& one : got.config.settings) {
    if (one.key == "learning_rate") rates.push_back(one.value);
  }
  EXPECT_THAT(rates, testing::ElementsAre("1e-3", "2e-3"));
  EXPECT_EQ(value_of(got.config, "learning_rate"), "2e-3");
}

TEST(Vocabularies, OneLetterFlagsOnlyWhereTheProgramIsKnown) {
  const std::vector<FlatSetting> flags = {{"-b", "4", 1},   {"-t", "1024", 1}, {"-d", "524288", 1}, {"-l", "0.0006", 1},
                                          {"-q", "0.0", 1}, {"-u", "700", 1},  {"-e", "d12", 1},    {"-z", "1", 1}};
  EXPECT_EQ(vocabulary_of(flags), nullptr);
  Recorder recorder("run.sh");
  record_settings(flags, recorder, vocabulary_named("llm.c"));
  const Recording got = std::move(recorder).finish();
  EXPECT_EQ(value_of(got.config, "global_batch_tokens"), "524288");
  EXPECT_EQ(value_of(got.config, "min_learning_rate_fraction"), "0.0");
  bool found = false;
  for (const Derived& one : derive(got.config))
    found = found || (one.name == "parameters" && one.value == Value(124'475'904));
  EXPECT_TRUE(found);
}

TEST(Vocabularies, UnknownValuesKeepTheirSourceAndReason) {
  const std::vector<FlatSetting> flags = {{"--train-iters", "$STEPS", 3, "$STEPS is an argument of the script"},
                                          {"--micro-batch-size", "2", 4}};
  Recorder recorder("run.sh");
  record_settings(flags, recorder);
  const Recording got = std::move(recorder).finish();
  EXPECT_EQ(got.config.find("train_steps"), nullptr);
  EXPECT_FALSE(got.planned_steps);
  const auto one = std::find_if(got.config.settings.begin(), got.config.settings.end(),
                                [](const Setting& s) { return s.key == "train_steps"; });
  ASSERT_NE(one, got.config.settings.end());
  EXPECT_EQ(one->value, "$STEPS");
  EXPECT_EQ(one->unknown, "$STEPS is an argument of the script");
}

}  // namespace
}  // namespace assay
