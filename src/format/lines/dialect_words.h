#pragma once
// What the keys of one dialect mean where they mean something else than in the table of all (core/metric_table.cpp),
// and what its metrics have of their own. A part of dialects.cpp.

#include "assay/metric.h"
#include "format/lines/dialect.h"

namespace assay::lines::words {

constexpr KeyMeaning is(std::string_view metric, Unit unit = Unit::kNone, double factor = 1, int rank = 0) {
  return {.role = KeyRole::kMetric, .metric = metric, .unit = unit, .factor = factor, .rank = rank};
}
inline constexpr KeyMeaning kIgnore{.role = KeyRole::kIgnored};
inline constexpr KeyMeaning kStepKey{.role = KeyRole::kStep, .unit = Unit::kSteps};
inline constexpr KeyMeaning kMicroStepKey{
    .role = KeyRole::kStep, .metric = "micro_step", .unit = Unit::kSteps, .rank = 9};
inline constexpr KeyMeaning kEvalLossKey = is(metric::kEvalLoss, Unit::kNats);
inline constexpr KeyMeaning kTimeKey = is(metric::kStepTime, Unit::kSecond);

// The Megatron family. A loss is printed only when it is above zero: absent when it was NaN or every step was skipped.
// DeepSpeed's engine adds: the grad norm stays multiplied by the loss scale, is printed again after a skip, and reads
// 0.000 where the engine does not tell it; the loss scale reads -1.0 then.
inline constexpr MetricQuirk kMegatronQuirks[] = {
    {metric::kLoss, Quirk::kOmittedUnlessPositive},
    {metric::kGradNorm, Quirk::kZeroIsAbsent | Quirk::kMaySitOnLossScale | Quirk::kStaleAfterSkip},
    {metric::kLossScale, Quirk::kNegativeIsAbsent},
};
inline constexpr Alias kMegatronAliases[] = {
    {"samplespersecond", is(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
    {"tflops", is(metric::kThroughput, Unit::kTflops)},
    {"learningrate", is(metric::kLearningRate)},
};
inline constexpr MetricQuirk kNeoxQuirks[] = {{metric::kLossScale, Quirk::kNegativeIsAbsent}};

inline constexpr Alias kDeepSpeedProgress[] = {{"step", kStepKey},
                                               {"skipped", is(metric::kSkippedSteps, Unit::kSteps)}};
inline constexpr Alias kDeepSpeedThroughput[] = {{"globalstep", kStepKey}, {"microstep", kIgnore}, {"epoch", kIgnore}};

inline constexpr MetricQuirk kHfQuirks[] = {{metric::kLoss, Quirk::kNanHiddenAsZero}};

// The epoch's mean beside the losses of its batches; "Steps" is the length of the epoch.
inline constexpr Alias kTimeSeriesEpoch[] = {
    {"steps", kIgnore}, {"trainloss", is("epoch_loss")}, {"valiloss", is(metric::kEvalLoss)}};
// A norm for each group of parameters, of which there is one.
inline constexpr Alias kInternEvo[] = {{"0default", is(metric::kGradNorm)}};
inline constexpr Alias kIcefall[] = {{"batchsize", kIgnore}};
inline constexpr std::string_view kNemoHeld[] = {metric::kEvalLoss};

inline constexpr Alias kFairseqJson[] = {
    {"numupdates", kStepKey}, {"update", kIgnore}, {"clip", is(metric::kClipFraction, Unit::kNone, 0.01)}};
inline constexpr Alias kFairseqEpochEnd[] = {
    {"trainnumupdates", kStepKey},
    {"numupdates", kStepKey},
    {"loss", is("epoch_loss", Unit::kNats)},
    {"trainloss", is("epoch_loss", Unit::kNats)},
    {"nllloss", is("epoch_nll_loss")},
    {"trainnllloss", is("epoch_nll_loss")},
    {"update", kIgnore},
    {"trainupdate", kIgnore},
};
inline constexpr Alias kFairseqValid[] = {
    {"validnumupdates", kStepKey},
    {"numupdates", kStepKey},
    {"loss", kEvalLossKey},
    {"validloss", kEvalLossKey},
    {"ppl", is(metric::kEvalPerplexity)},
    {"epoch", kIgnore},
    {"nllloss", is("eval_nll_loss")},
    {"bestloss", kIgnore},
    {"validbestloss", kIgnore},
};
inline constexpr Alias kFairseqSimple[] = {{"numupdates", kStepKey},
                                           {"clip", is(metric::kClipFraction, Unit::kNone, 0.01)}};

inline constexpr Alias kNanoGpt[] = {{"iter", kStepKey}, {"time", kTimeKey}};
inline constexpr Alias kNanoGptEval[] = {{"trainloss", is("train_loss_at_evaluation", Unit::kNats)},
                                         {"step", kStepKey}};
inline constexpr Alias kLlmcEval[] = {{"eval", is(metric::kEvalAccuracy)}, {"s", kStepKey}};
inline constexpr Alias kLlmc[] = {{"s", kStepKey}};
inline constexpr Alias kModded[] = {{"traintime", kIgnore}, {"step", kStepKey}};
inline constexpr MetricQuirk kNanochatQuirks[] = {{metric::kLoss, Quirk::kRunningMean}};
inline constexpr Alias kDllogger[] = {{"parameterlossscale", is(metric::kLossScale)},
                                      {"averageloss", is(metric::kLoss, Unit::kNats)},
                                      {"steploss", is(metric::kLoss, Unit::kNats, 1, 3)}};
inline constexpr Alias kLightning[] = {{"best", kIgnore}, {"astop", kIgnore}};
inline constexpr Alias kCatBoost[] = {{"learn", is(metric::kLoss)},
                                      {"test", is(metric::kEvalLoss)},
                                      {"best", kIgnore},
                                      {"total", kIgnore},
                                      {"remaining", kIgnore}};
inline constexpr Alias kDarknet[] = {{"avgloss", is(metric::kLoss)},
                                     {"avg", is(metric::kLoss)},
                                     {"rate", is(metric::kLearningRate)},
                                     {"seconds", kTimeKey},
                                     {"images", is(metric::kConsumedSamples, Unit::kSamples)}};
inline constexpr Alias kAreal[] = {{"trainstep", kStepKey}, {"step", kIgnore}};
inline constexpr Alias kYolact[] = {{"b", is("box_loss")},      {"c", is("class_loss")},  {"m", is("mask_loss")},
                                    {"s", is("semantic_loss")}, {"t", is(metric::kLoss)}, {"timer", kTimeKey}};
inline constexpr Alias kLitgpt[] = {
    {"val", kEvalLossKey}, {"step", kStepKey}, {"iter", kMicroStepKey}, {"itertime", kTimeKey}};
// Data loading has a time of its own; the results of an epoch repeat the losses of its batches as a mean.
inline constexpr Alias kEspnet[] = {
    {"train", kIgnore}, {"itertime", is("data_time", Unit::kSecond)}, {"traintime", kTimeKey}};
inline constexpr Alias kEspnetResults[] = {{"loss", is("epoch_loss", Unit::kNats)},
                                           {"itertime", is("data_time", Unit::kSecond)},
                                           {"traintime", is("epoch_step_time", Unit::kSecond)}};
inline constexpr Alias kFlashy[] = {{"ce", is(metric::kLoss, Unit::kNats)},
                                    {"duration", is("epoch_time", Unit::kSecond)}};
inline constexpr Alias kFlashyValid[] = {
    {"ce", kEvalLossKey}, {"ppl", is(metric::kEvalPerplexity)}, {"duration", kIgnore}};
inline constexpr Alias kMmengine[] = {{"epoch(train)", is(metric::kEpoch, Unit::kEpochs)},
                                      {"iter(train)", kStepKey},
                                      {"memory", is(metric::kMemory, Unit::kGib, 1.0 / 1024)},
                                      {"datatime", is("data_time", Unit::kSecond)},
                                      {"time", kTimeKey}};
inline constexpr Alias kPaddle[] = {{"iter", kStepKey},
                                    {"batchcost", kTimeKey},
                                    {"ips", is(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
                                    {"samples", kIgnore}};
inline constexpr Alias kMaxText[] = {{"seconds", kTimeKey}};
inline constexpr Alias kOlmo[] = {{"step", kStepKey}};
inline constexpr Alias kComposer[] = {{"batch", kStepKey}};
inline constexpr Alias kMindFormers[] = {{"time", kIgnore}, {"globalnorm", is(metric::kGradNorm)}};
inline constexpr Alias kMindFormersSkip[] = {{"isskip", is(metric::kSkippedSteps, Unit::kSteps)},
                                             {"optglobalstep", kIgnore},
                                             {"skipdatagradnormthreshold", kIgnore}};
inline constexpr Alias kChat[] = {{"actloss", is(metric::kLoss, Unit::kNats)}, {"unsuperloss", is("unsuper_loss")}};
inline constexpr Alias kWeNet[] = {{"trainbatch", is(metric::kEpoch, Unit::kEpochs)},
                                   {"batch", is(metric::kEpoch, Unit::kEpochs)}};
inline constexpr Alias kMmcv[] = {{"memory", is(metric::kMemory, Unit::kGib, 1.0 / 1024)}, {"time", kTimeKey}};  // MB
inline constexpr Alias kMlLog[] = {{"samplescount", is(metric::kConsumedSamples, Unit::kSamples)},
                                   {"stepnum", kStepKey},
                                   {"epochnum", is(metric::kEpoch, Unit::kEpochs)},
                                   {"lineno", kIgnore},
                                   {"timems", kIgnore}};

}  // namespace assay::lines::words
