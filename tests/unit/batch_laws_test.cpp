// The laws of the batch give what their authors say that they give.

#include "facts/batch_laws.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// Operations of one token without embeddings, as DeepSeek LLM counts them: 72 L h^2 + 12 L h S.
double operations(double layers, double hidden, double sequence) {
  return 72 * layers * hidden * hidden + 12 * layers * hidden * sequence;
}

TEST(BatchLaws, DeepSeekPredictsItsOwnBatches) {
  // The paper used 2,304 and 4,608 sequences of 4,096 tokens for 7 B and 67 B parameters on 2 T tokens.
  const auto small = deepseek_batch(operations(30, 4096, 4096) * 2e12);
  const auto large = deepseek_batch(operations(95, 8192, 4096) * 2e12);
  ASSERT_TRUE(small && large);
  EXPECT_NEAR(small->tokens / 4096, 2252, 2);
  EXPECT_NEAR(large->tokens / 4096, 5043, 5);
}

TEST(BatchLaws, StepLawDependsOnTheTokensAlone) {
  EXPECT_NEAR(steplaw_batch(1e11)->tokens, 1.1077e6, 1e3);
  EXPECT_NEAR(steplaw_batch(1e12)->tokens / steplaw_batch(1e11)->tokens, 3.724, 0.001);
}

TEST(BatchLaws, NothingIsSaidWhereNobodyTried) {
  EXPECT_FALSE(steplaw_batch(1e8));
  EXPECT_FALSE(steplaw_batch(1e15));
  EXPECT_FALSE(deepseek_batch(1e15));
  EXPECT_FALSE(deepseek_batch(0));
}

}  // namespace
}  // namespace assay
