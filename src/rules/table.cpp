// Every rule has one line here. A rule without a line, without fixtures or without documentation fails a test.
// Rules of the reading are asked in this order, each seeing what was found before it: unused-ignore stays the last.

#include <array>

#include "rules/rule.h"

namespace assay {

// clang-format off
#define ASSAY_RULES(RULE)       \
  RULE(kNonFiniteLoss)          \
  RULE(kHiddenNan)              \
  RULE(kNonFiniteGrad)          \
  RULE(kLossDivergence)         \
  RULE(kLossSpike)              \
  RULE(kInitialTransient)       \
  RULE(kLossPlateau)            \
  RULE(kLossOscillation)        \
  RULE(kOverfit)                \
  RULE(kMemorization)           \
  RULE(kGradNormSpike)          \
  RULE(kGradNormHigh)           \
  RULE(kGradNormVanished)       \
  RULE(kLossScaleCollapse)      \
  RULE(kLossScaleDrop)          \
  RULE(kOverflowSkips)          \
  RULE(kThroughputDrop)         \
  RULE(kRunRestarted)           \
  RULE(kRunAborted)             \
  RULE(kRerunFault)             \
  RULE(kLearningRateHigh)       \
  RULE(kLearningRateLow)        \
  RULE(kNoWarmup)               \
  RULE(kOptimizerChoice)        \
  RULE(kBeta2Stale)             \
  RULE(kAdamEpsilonLost)        \
  RULE(kAdamEpsilonSetting)     \
  RULE(kWeightDecaySetting)     \
  RULE(kClipAlwaysActive)       \
  RULE(kClipNeverActive)        \
  RULE(kClipPerLayer)           \
  RULE(kBatchArithmetic)        \
  RULE(kBatchTooLarge)          \
  RULE(kBatchTooSmall)          \
  RULE(kLossScaleSetting)       \
  RULE(kScheduleMismatch)       \
  RULE(kConfigDrift)            \
  RULE(kClipNotApplied)         \
  RULE(kSettingOverridden)      \
  RULE(kImpossibleSetting)      \
  RULE(kFp16Range)              \
  RULE(kAccumulateLowPrecision) \
  RULE(kOptimizerStateLowPrecision) \
  RULE(kUpdateSwallowed)        \
  RULE(kNarrowMatmulInputs)     \
  RULE(kSaturatingOverflow)     \
  RULE(kNondeterministicOperators) \
  RULE(kSoftmaxLowPrecision)    \
  RULE(kPositionsLowPrecision)  \
  RULE(kNormLowPrecision)       \
  RULE(kGradNormLowPrecision)   \
  RULE(kFlushedSubnormals)      \
  RULE(kReduceLowPrecision)     \
  RULE(kReduceOverflow)         \
  RULE(kNondeterministicReduce) \
  RULE(kRankDisagreement)       \
  RULE(kTokensPerParameter)     \
  RULE(kMojibake)               \
  RULE(kReplacementCharacters)  \
  RULE(kBinaryText)             \
  RULE(kBytecode)               \
  RULE(kControlCharacters)      \
  RULE(kInvisibleCharacters)    \
  RULE(kDigitsOnly)             \
  RULE(kPdfResidue)             \
  RULE(kEmptyDocument)          \
  RULE(kEncodedBlob)            \
  RULE(kEscapeResidue)          \
  RULE(kMinified)               \
  RULE(kGibberish)              \
  RULE(kMarkupResidue)          \
  RULE(kBoilerplate)            \
  RULE(kRepeatedNgram)          \
  RULE(kRepeatedLines)          \
  RULE(kAbnormalShare)          \
  RULE(kUnreadableLine)         \
  RULE(kUnreadableInput)        \
  RULE(kTruncatedInput)         \
  RULE(kUnusedIgnore)

// clang-format on

#define ASSAY_DECLARE(name) extern const Rule name;
ASSAY_RULES(ASSAY_DECLARE)
#undef ASSAY_DECLARE

std::span<const Rule* const> all_rules() {
#define ASSAY_ADDRESS(name) &name,
  static const std::vector<const Rule*> table = {ASSAY_RULES(ASSAY_ADDRESS)};
#undef ASSAY_ADDRESS
  return table;
}

const Rule* find_rule(std::string_view name) {
  for (const Rule* rule : all_rules()) {
    if (rule->name == name) return rule;
  }
  return nullptr;
}

}  // namespace assay
