// One row for each canonical setting: where a report shows it, and what kind of value it has.

#include "core/setting_table.h"

#include <algorithm>
#include <array>

#include "assay/setting.h"

namespace assay {

namespace {

using Group = SettingGroup;
using Kind = ValueKind;

constexpr auto kRows = std::to_array<SettingRow>({
    {setting::kOptimizer, Group::kOptimizer, Kind::kWord},
    {setting::kLearningRate, Group::kOptimizer, Kind::kReal},
    {setting::kMinLearningRate, Group::kOptimizer, Kind::kReal},
    {setting::kMinLearningRateFraction, Group::kOptimizer, Kind::kReal},
    {setting::kSchedule, Group::kOptimizer, Kind::kWord},
    {setting::kWarmupSteps, Group::kOptimizer, Kind::kCount},
    {setting::kWarmupSamples, Group::kOptimizer, Kind::kCount},
    {setting::kWarmupTokens, Group::kOptimizer, Kind::kCount},
    {setting::kWarmupFraction, Group::kOptimizer, Kind::kReal},
    {setting::kWarmupFractionOfDecay, Group::kOptimizer, Kind::kReal},
    {setting::kWarmupFractionOfEpoch, Group::kOptimizer, Kind::kReal},
    {setting::kDecaySteps, Group::kOptimizer, Kind::kCount},
    {setting::kDecaySamples, Group::kOptimizer, Kind::kCount},
    {setting::kDecayTokens, Group::kOptimizer, Kind::kCount},
    {setting::kAdamBeta1, Group::kOptimizer, Kind::kReal},
    {setting::kAdamBeta2, Group::kOptimizer, Kind::kReal},
    {setting::kAdamEpsilon, Group::kOptimizer, Kind::kReal},
    {setting::kWeightDecay, Group::kOptimizer, Kind::kReal},
    {setting::kClipNorm, Group::kOptimizer, Kind::kReal},
    {setting::kClipValue, Group::kOptimizer, Kind::kReal},
    {setting::kSeed, Group::kOptimizer, Kind::kInteger},
    {setting::kMicroBatchSize, Group::kBatch, Kind::kCount},
    {setting::kMicroBatchTokens, Group::kBatch, Kind::kCount},
    {setting::kGradientAccumulation, Group::kBatch, Kind::kCount},
    {setting::kGlobalBatchSize, Group::kBatch, Kind::kCount},
    {setting::kGlobalBatchTokens, Group::kBatch, Kind::kCount},
    {setting::kBatchRampup, Group::kBatch, Kind::kWord},
    {setting::kMicroBatchCount, Group::kBatch, Kind::kCount},
    {setting::kBatchInterleave, Group::kBatch, Kind::kCount},
    {setting::kSequenceLength, Group::kBatch, Kind::kCount},
    {setting::kTrainSteps, Group::kBatch, Kind::kCount},
    {setting::kTrainSamples, Group::kBatch, Kind::kCount},
    {setting::kTrainTokens, Group::kBatch, Kind::kCount},
    {setting::kTrainEpochs, Group::kBatch, Kind::kReal},
    {setting::kNumExamples, Group::kBatch, Kind::kCount},
    {setting::kWorldSize, Group::kParallel, Kind::kCount},
    {setting::kNodes, Group::kParallel, Kind::kCount},
    {setting::kDevicesPerNode, Group::kParallel, Kind::kCount},
    {setting::kDataParallelSize, Group::kParallel, Kind::kCount},
    {setting::kDataParallelReplicas, Group::kParallel, Kind::kCount},
    {setting::kDataParallelShards, Group::kParallel, Kind::kCount},
    {setting::kTensorParallelSize, Group::kParallel, Kind::kCount},
    {setting::kPipelineParallelSize, Group::kParallel, Kind::kCount},
    {setting::kContextParallelSize, Group::kParallel, Kind::kCount},
    {setting::kSequenceParallelSize, Group::kParallel, Kind::kCount},
    {setting::kExpertParallelSize, Group::kParallel, Kind::kCount},
    {setting::kExpertTensorParallelSize, Group::kParallel, Kind::kCount},
    {setting::kZeroStage, Group::kParallel, Kind::kCount},
    {setting::kPrecision, Group::kPrecision, Kind::kWord},
    {setting::kFp16, Group::kPrecision, Kind::kFlag},
    {setting::kBf16, Group::kPrecision, Kind::kFlag},
    {setting::kFp8, Group::kPrecision, Kind::kFlag},
    {setting::kTf32, Group::kPrecision, Kind::kFlag},
    {setting::kParamsDtype, Group::kPrecision, Kind::kWord},
    {setting::kWeightsDtype, Group::kPrecision, Kind::kWord},
    {setting::kSoftmaxDtype, Group::kPrecision, Kind::kWord},
    {setting::kNormDtype, Group::kPrecision, Kind::kWord},
    {setting::kHf32, Group::kPrecision, Kind::kFlag},
    {setting::kMatmulPrecision, Group::kPrecision, Kind::kWord},
    {setting::kDeterministic, Group::kPrecision, Kind::kFlag},
    {setting::kGradReduceDtype, Group::kPrecision, Kind::kWord},
    {setting::kGradAccumulationDtype, Group::kPrecision, Kind::kWord},
    {setting::kLossScale, Group::kPrecision, Kind::kReal},
    {setting::kInitialLossScale, Group::kPrecision, Kind::kReal},
    {setting::kInitialLossScalePower, Group::kPrecision, Kind::kReal},
    {setting::kLossScaleWindow, Group::kPrecision, Kind::kCount},
    {setting::kMinLossScale, Group::kPrecision, Kind::kReal},
    {setting::kHysteresis, Group::kPrecision, Kind::kCount},
    {setting::kModel, Group::kModel, Kind::kWord},
    {setting::kModelType, Group::kModel, Kind::kWord},
    {setting::kNumLayers, Group::kModel, Kind::kCount},
    {setting::kHiddenSize, Group::kModel, Kind::kCount},
    {setting::kFfnHiddenSize, Group::kModel, Kind::kCount},
    {setting::kNumAttentionHeads, Group::kModel, Kind::kCount},
    {setting::kNumKeyValueHeads, Group::kModel, Kind::kCount},
    {setting::kHeadDim, Group::kModel, Kind::kCount},
    {setting::kVocabSize, Group::kModel, Kind::kCount},
    {setting::kPaddedVocabSize, Group::kModel, Kind::kCount},
    {setting::kVocabDivisor, Group::kModel, Kind::kCount},
    {setting::kMaxPositions, Group::kModel, Kind::kCount},
    {setting::kTiedEmbeddings, Group::kModel, Kind::kFlag},
    {setting::kNumExperts, Group::kModel, Kind::kCount},
    {setting::kExpertsPerToken, Group::kModel, Kind::kCount},
    {setting::kMoeFfnHiddenSize, Group::kModel, Kind::kCount},
    {setting::kSharedExperts, Group::kModel, Kind::kCount},
    {setting::kDenseLayers, Group::kModel, Kind::kCount},
    {setting::kDenseFfnHiddenSize, Group::kModel, Kind::kCount},
    {setting::kSharedExpertFfnHiddenSize, Group::kModel, Kind::kCount},
    {setting::kMlpRatio, Group::kModel, Kind::kReal},
    {setting::kFfnMultipleOf, Group::kModel, Kind::kCount},
    {setting::kFfnMultiplier, Group::kModel, Kind::kReal},
    {setting::kGatedMlp, Group::kModel, Kind::kFlag},
    {setting::kLinearBias, Group::kModel, Kind::kFlag},
    {setting::kQkvBias, Group::kModel, Kind::kFlag},
    {setting::kQkNorm, Group::kModel, Kind::kFlag},
    {setting::kNormalization, Group::kModel, Kind::kWord},
    {setting::kEmbeddingNorm, Group::kModel, Kind::kFlag},
    {setting::kPositionEmbedding, Group::kModel, Kind::kWord},
    {setting::kQueryLoraRank, Group::kModel, Kind::kCount},
    {setting::kKeyValueLoraRank, Group::kModel, Kind::kCount},
    {setting::kNopeHeadDim, Group::kModel, Kind::kCount},
    {setting::kRopeHeadDim, Group::kModel, Kind::kCount},
    {setting::kValueHeadDim, Group::kModel, Kind::kCount},
    {setting::kNormEpsilon, Group::kModel, Kind::kReal},
    {setting::kRopeBase, Group::kModel, Kind::kReal},
    {setting::kDropout, Group::kModel, Kind::kReal},
    {setting::kAttentionDropout, Group::kModel, Kind::kReal},
    {setting::kInitStd, Group::kModel, Kind::kReal},
    {setting::kTrainableParameters, Group::kModel, Kind::kCount},
    {setting::kData, Group::kData, Kind::kWord},
    {setting::kTokenizer, Group::kData, Kind::kWord},
    {setting::kNumWorkers, Group::kData, Kind::kCount},
    {setting::kSaveInterval, Group::kData, Kind::kCount},
    {setting::kEvalInterval, Group::kData, Kind::kCount},
    {setting::kLogInterval, Group::kData, Kind::kCount},
    {setting::kFineTuning, Group::kData, Kind::kWord},
    {setting::kResumeFrom, Group::kData, Kind::kWord},
});

}  // namespace

std::span<const SettingRow> setting_table() { return kRows; }

const SettingRow* setting_row(std::string_view canonical) {
  const auto* found =
      std::find_if(kRows.begin(), kRows.end(), [&](const SettingRow& row) { return row.canonical == canonical; });
  return found == kRows.end() ? nullptr : found;
}

}  // namespace assay
