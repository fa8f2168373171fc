#include "core/metric_names.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"

// Every framework has its own word for the same quantity. A key is first brought to a form in which spelling does not
// matter (normalise_key), then its unit in brackets is taken off, then it is looked up as it is; only when that fails
// are namespaces ("train/", "actor/") and the words for training and evaluation taken away, because many full names
// mean something else than their parts: "train_time" is not a time per step, "value_loss" is not "val" + "ue_loss".
//
// What is not in the table has no meaning here; a reader keeps it under the file's own name. That is on purpose also
// for known quantities which no rule may mistake for the main one: "z_loss", "critic/grad_norm", "value_loss".

namespace assay {

namespace {

struct Row {
  std::string_view key;  // normalised
  KeyMeaning meaning;
};

constexpr KeyMeaning metric_of(std::string_view metric, Unit unit = Unit::kNone, int rank = 0, double factor = 1) {
  return {.role = KeyRole::kMetric, .metric = metric, .unit = unit, .factor = factor, .rank = rank};
}
constexpr KeyMeaning step(int rank = 0, std::string_view when_not_the_axis = {}) {
  return {.role = KeyRole::kStep, .metric = when_not_the_axis, .unit = Unit::kSteps, .rank = rank};
}
constexpr KeyMeaning kTotal{.role = KeyRole::kTotalSteps, .metric = metric::kTotalSteps, .unit = Unit::kSteps};
constexpr KeyMeaning kIgnore{.role = KeyRole::kIgnored};
constexpr double kMilli = 1e-3;

constexpr KeyMeaning loss(int rank) { return metric_of(metric::kLoss, Unit::kNats, rank); }
constexpr KeyMeaning grad_norm(int rank) { return metric_of(metric::kGradNorm, Unit::kNone, rank); }
constexpr KeyMeaning step_time(int rank, double factor = 1) {
  return metric_of(metric::kStepTime, Unit::kSecond, rank, factor);
}

// Sorted below at compile time, so that rows may stand by subject.
constexpr auto kUnsorted = std::to_array<Row>({
    // The training loss. Rank: the language-model loss before the plain word, that before sums, means and parts.
    {"lmloss", loss(0)},
    {"reducedtrainloss", loss(0)},
    {"averageloss", loss(0)},
    {"loss", loss(1)},
    {"losses", loss(2)},
    {"损失", loss(2)},
    {"训练损失", loss(1)},
    {"trainloss", loss(1)},
    {"trainingloss", loss(1)},
    {"trainlossstep", loss(1)},
    {"losstrain", loss(1)},
    {"loss/train", loss(1)},
    {"loss/train/total", loss(1)},
    {"losstotal", loss(2)},
    {"totalloss", loss(2)},
    {"globalavgloss", loss(1)},
    {"globalmaxloss", metric_of("global_max_loss", Unit::kNats)},
    {"globalavgmtploss", metric_of("mtp_loss", Unit::kNats)},
    {"lossmetrics/globalavgloss", loss(1)},
    {"lossmetrics/globalmaxloss", metric_of("global_max_loss", Unit::kNats)},
    {"batchloss", loss(2)},
    {"steploss", loss(3)},
    {"trl", loss(1)},
    {"celoss", loss(2)},
    {"crossentropyloss", loss(2)},
    {"crossentropy", loss(3)},
    {"languagecrossentropy", loss(3)},
    {"logitsloss", loss(3)},
    {"mlmloss", loss(3)},
    {"clmloss", loss(2)},
    {"xent", loss(4)},
    {"nll", loss(5)},
    {"nllloss", loss(5)},
    {"avgloss", loss(2)},
    {"lossavg", loss(2)},
    {"meanloss", loss(2)},
    {"lossmean", loss(2)},
    {"runningloss", loss(3)},
    {"currentloss", loss(2)},
    {"curloss", loss(2)},
    {"stepavgloss", loss(3)},
    {"epochloss", loss(4)},
    {"sftloss", loss(2)},
    {"pretrainloss", loss(2)},
    {"actor/loss", loss(2)},
    {"actor/pgloss", loss(4)},
    {"policyloss", loss(5)},
    {"actloss", loss(5)},
    // Evaluation, where the name is not simply "eval" + the training name.
    {"lmlossvalue", metric_of(metric::kEvalLoss, Unit::kNats)},
    {"lmlossppl", metric_of(metric::kEvalPerplexity)},
    {"tel", metric_of(metric::kEvalLoss, Unit::kNats)},
    {"验证损失", metric_of(metric::kEvalLoss, Unit::kNats)},
    {"vloss", metric_of(metric::kEvalLoss, Unit::kNats, 3)},
    {"metrics/eval/languagecrossentropy", metric_of(metric::kEvalLoss, Unit::kNats)},
    {"metrics/eval/languageperplexity", metric_of(metric::kEvalPerplexity)},
    {"valppl", metric_of(metric::kEvalPerplexity)},
    // Accuracy and perplexity.
    {"acc", metric_of(metric::kAccuracy, Unit::kNone, 1)},
    {"accuracy", metric_of(metric::kAccuracy)},
    {"acc1", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"acc@1", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"acc/top1", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"top1", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"tokenacc", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"tokenaccuracy", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"meantokenaccuracy", metric_of(metric::kAccuracy, Unit::kNone, 2)},
    {"ppl", metric_of(metric::kPerplexity)},
    {"perplexity", metric_of(metric::kPerplexity)},
    // The global gradient norm.
    {"gradnorm", grad_norm(0)},
    {"gnorm", grad_norm(0)},
    {"gradientnorm", grad_norm(0)},
    {"globalgradnorm", grad_norm(0)},
    {"globalgradientnorm", grad_norm(0)},
    {"gradglobalnorm", grad_norm(0)},
    {"totalgradnorm", grad_norm(0)},
    {"totalgradientnorm", grad_norm(0)},
    {"gradtotalnorm", grad_norm(0)},
    {"gradl2norm", grad_norm(1)},
    {"gradnorml2", grad_norm(1)},
    {"l2norm/grad/global", grad_norm(0)},
    {"actor/gradnorm", grad_norm(0)},
    {"globalnorm", grad_norm(1)},
    {"avggradnorm", grad_norm(2)},
    {"梯度范数", grad_norm(1)},
    {"norm", grad_norm(3)},
    {"totalnorm", grad_norm(2)},
    {"gn", grad_norm(4)},
    {"paramsnorm", metric_of(metric::kParamsNorm)},
    {"paramnorm", metric_of(metric::kParamsNorm)},
    {"weightnorm", metric_of(metric::kParamsNorm, Unit::kNone, 1)},
    {"totalparamnorm", metric_of(metric::kParamsNorm, Unit::kNone, 1)},
    {"numzeros", metric_of(metric::kNumZeros)},
    // Learning rate.
    {"learningrate", metric_of(metric::kLearningRate)},
    {"lr", metric_of(metric::kLearningRate)},
    {"curlr", metric_of(metric::kLearningRate)},
    {"currlr", metric_of(metric::kLearningRate)},
    {"currentlr", metric_of(metric::kLearningRate)},
    {"currentlearningrate", metric_of(metric::kLearningRate)},
    {"steplr", metric_of(metric::kLearningRate, Unit::kNone, 1)},
    {"学习率", metric_of(metric::kLearningRate)},
    {"lrate", metric_of(metric::kLearningRate, Unit::kNone, 1)},
    {"learnrate", metric_of(metric::kLearningRate, Unit::kNone, 1)},
    {"actor/lr", metric_of(metric::kLearningRate)},
    {"lr0", metric_of(metric::kLearningRate, Unit::kNone, 2)},
    {"lr/0", metric_of(metric::kLearningRate, Unit::kNone, 2)},
    {"lr/group0", metric_of(metric::kLearningRate, Unit::kNone, 2)},
    {"lradamw", metric_of(metric::kLearningRate, Unit::kNone, 2)},
    {"lrdecoupledadamw/group0", metric_of(metric::kLearningRate, Unit::kNone, 2)},
    {"learningrategroup0", metric_of(metric::kLearningRate, Unit::kNone, 2)},
    // Loss scale and what it does.
    {"lossscale", metric_of(metric::kLossScale)},
    {"lossscaling", metric_of(metric::kLossScale)},
    {"lossscalevalue", metric_of(metric::kLossScale)},
    {"lossscaler", metric_of(metric::kLossScale)},
    {"scaler", metric_of(metric::kLossScale, Unit::kNone, 2)},
    {"scale", metric_of(metric::kLossScale, Unit::kNone, 3)},
    {"gradscale", metric_of(metric::kLossScale, Unit::kNone, 1)},
    {"gradscaler", metric_of(metric::kLossScale, Unit::kNone, 1)},
    {"gradscalerscale", metric_of(metric::kLossScale, Unit::kNone, 1)},
    {"scalingsens", metric_of(metric::kLossScale)},
    {"numberofskippediterations", metric_of(metric::kSkippedSteps, Unit::kSteps)},
    {"skippediterations", metric_of(metric::kSkippedSteps, Unit::kSteps)},
    {"skippediter", metric_of(metric::kSkippedSteps, Unit::kSteps)},
    {"skippedsteps", metric_of(metric::kSkippedSteps, Unit::kSteps)},
    {"skippedtrainsteps", metric_of(metric::kSkippedSteps, Unit::kSteps)},
    {"stepskipped", metric_of(metric::kSkippedSteps, Unit::kSteps)},
    {"skipped", metric_of(metric::kSkippedSteps, Unit::kSteps, 1)},
    {"numberofnaniterations", metric_of(metric::kNanSteps, Unit::kSteps)},
    {"naniterations", metric_of(metric::kNanSteps, Unit::kSteps)},
    {"overflow", metric_of(metric::kOverflow)},
    {"overflowcond", metric_of(metric::kOverflow)},
    {"isoverflow", metric_of(metric::kOverflow)},
    {"clipfraction", metric_of(metric::kClipFraction)},
    // The step. A key that loses against another of its record is kept as the metric named here, if any.
    {"globalstep", step(0)},
    {"trainer/globalstep", step(0)},
    {"training/globalstep", step(0)},
    {"globalsteps", step(0)},
    {"globalstep/maxsteps", step(0)},
    {"步数", step(1)},
    {"迭代", step(2)},
    {"numupdates", step(0)},
    {"iteration", step(1)},
    {"currentiteration", step(1)},
    {"step", step(1)},
    {"steps", step(2)},
    {"trainingiteration", step(1)},
    {"trainiteration", step(1)},
    {"trainingstep", step(1)},
    {"trainstep", step(1)},
    {"currentsteps", step(1)},
    {"currentstep", step(1)},
    {"curstep", step(1)},
    {"completedstep", step(1)},
    {"curriter", step(1)},
    {"curiter", step(1)},
    {"iter", step(2)},
    {"iters", step(2)},
    {"iterations", step(2)},
    {"it", step(3)},
    {"itr", step(2)},
    {"niter", step(2)},
    {"s", step(6)},
    {"microstep", step(5)},
    {"batch", step(7)},
    {"batchidx", step(7)},
    {"minibatch", step(7)},
    {"update", step(6)},
    {"updates", step(6)},
    {"updatestep", step(4, metric::kOptimizerStep)},
    {"optimizerstep", step(4, metric::kOptimizerStep)},
    {"optimstep", step(4, metric::kOptimizerStep)},
    {"gradstep", step(4, metric::kOptimizerStep)},
    {"totalsteps", kTotal},
    {"totalstep", kTotal},
    {"maxsteps", kTotal},
    {"maxstep", kTotal},
    {"totaliterations", kTotal},
    {"totaliters", kTotal},
    {"maxiters", kTotal},
    {"maxiterations", kTotal},
    {"trainiters", kTotal},
    {"numsteps", kTotal},
    {"numiterations", kTotal},
    // Progress on other axes.
    {"epoch", metric_of(metric::kEpoch, Unit::kEpochs)},
    {"ep", metric_of(metric::kEpoch, Unit::kEpochs, 1)},
    {"trainingepoch", metric_of(metric::kEpoch, Unit::kEpochs)},
    {"globalbatchsize", metric_of(metric::kGlobalBatchSize, Unit::kSamples)},
    {"gbs", metric_of(metric::kGlobalBatchSize, Unit::kSamples)},
    {"batchsize", metric_of(metric::kGlobalBatchSize, Unit::kSamples, 2)},
    {"consumedsamples", metric_of(metric::kConsumedSamples, Unit::kSamples)},
    {"consumedtrainsamples", metric_of(metric::kConsumedSamples, Unit::kSamples)},
    {"samplescount", metric_of(metric::kConsumedSamples, Unit::kSamples)},
    {"samplesseen", metric_of(metric::kConsumedSamples, Unit::kSamples)},
    {"consumedtokens", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"consumedtraintokens", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"totaltokens", metric_of(metric::kConsumedTokens, Unit::kTokens, 1)},
    {"throughput/totaltokens", metric_of(metric::kConsumedTokens, Unit::kTokens, 1)},
    {"tokensseen", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"ntokensseen", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"trainedtokens", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"numinputtokensseen", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"inputtokensseen", metric_of(metric::kConsumedTokens, Unit::kTokens)},
    {"numtokens", metric_of(metric::kConsumedTokens, Unit::kTokens, 2)},
    {"skippedsamples", metric_of(metric::kSkippedSamples, Unit::kSamples)},
    // Speed.
    {"elapsedtimeperiteration", step_time(0)},
    {"timeperiteration", step_time(0)},
    {"timeperiterationms", step_time(0, kMilli)},
    {"timepersteps", step_time(1)},
    {"timeperstep", step_time(0)},
    {"persteptime", step_time(0)},
    {"steptime", step_time(0)},
    {"steptimems", step_time(0, kMilli)},
    {"secondsperstep", step_time(0)},
    {"secperstep", step_time(0)},
    {"sec/step", step_time(0)},
    {"s/step", step_time(0)},
    {"s/it", step_time(0)},
    {"timingspersteps", step_time(1)},
    {"timing/sstep", step_time(1)},
    {"timings/step", step_time(0)},
    {"itertime", step_time(0)},
    {"iterationtime", step_time(0)},
    {"batchtime", step_time(1)},
    {"trainsteptimingins", step_time(0)},
    {"dt", step_time(1)},
    {"stepavg", step_time(2)},
    {"timeperbatch", step_time(1)},
    {"seconds", step_time(4)},
    {"throughputpergpu", metric_of(metric::kThroughput, Unit::kTflops)},
    {"throughput/gpu", metric_of(metric::kThroughput, Unit::kTflops)},
    {"tflops", metric_of(metric::kThroughput, Unit::kTflops)},
    {"tflop/s", metric_of(metric::kThroughput, Unit::kTflops)},
    {"tflop/s/device", metric_of(metric::kThroughput, Unit::kTflops)},
    {"tflops/device", metric_of(metric::kThroughput, Unit::kTflops)},
    {"tflopspergpu", metric_of(metric::kThroughput, Unit::kTflops)},
    {"modeltflopspergpu", metric_of(metric::kThroughput, Unit::kTflops)},
    {"approxflopspergpu", metric_of(metric::kThroughput, Unit::kTflops)},
    {"tps", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"wps", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tok/s", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tok/sec", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokens/s", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokens/sec", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokens/s/device", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokenspersec", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokenspersecond", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokspersec", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"tokenspersecpergpu", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond, 1)},
    {"tgs", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond, 1)},
    {"throughput/device/tps", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"throughput/device/tokenspersecond", metric_of(metric::kTokensPerSecond, Unit::kTokensPerSecond)},
    {"samples/s", metric_of(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
    {"samples/sec", metric_of(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
    {"samplespersec", metric_of(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
    {"samplespersecond", metric_of(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
    {"currsamplespersec", metric_of(metric::kSamplesPerSecond, Unit::kSamplesPerSecond)},
    {"runningavgsamplespersec", metric_of(metric::kSamplesPerSecond, Unit::kSamplesPerSecond, 1)},
    {"mfu", metric_of(metric::kMfu, Unit::kPercent)},
    {"bf16mfu", metric_of(metric::kMfu, Unit::kPercent)},
    {"memory", metric_of(metric::kMemory, Unit::kGib)},
    {"peakmem", metric_of(metric::kMemory, Unit::kGib)},
    {"gpumemory", metric_of(metric::kMemory, Unit::kGib)},
    {"maxmemoryallocated", metric_of(metric::kMemory, Unit::kGib)},
    // Reinforcement.
    {"reward", metric_of(metric::kReward)},
    {"rewardmean", metric_of(metric::kReward)},
    {"meanreward", metric_of(metric::kReward)},
    {"reward/mean", metric_of(metric::kReward)},
    {"averagerewardscore", metric_of(metric::kReward)},
    {"critic/score/mean", metric_of(metric::kReward)},
    {"critic/rewards/mean", metric_of(metric::kReward, Unit::kNone, 1)},
    // Numbers that are no metric of training.
    {"eta", kIgnore},
    {"time", kIgnore},
    {"timestamp", kIgnore},
    {"wall", kIgnore},
    {"walltime", kIgnore},
    {"trainwall", kIgnore},
    {"runtime", kIgnore},
    {"trainruntime", kIgnore},
    {"traintime", kIgnore},
    {"elapsed", kIgnore},
    {"elapsedtime", kIgnore},
    {"elapsedtimes", kIgnore},
    {"remainingtime", kIgnore},
    {"totaltime", kIgnore},
    {"epochtime", kIgnore},
    {"percentage", kIgnore},
    {"progress", kIgnore},
    {"hfu", kIgnore},
    {"rank", kIgnore},
    {"localrank", kIgnore},
    {"worldsize", kIgnore},
    {"pid", kIgnore},
    {"host", kIgnore},
    {"seed", kIgnore},
    {"lineno", kIgnore},
    {"ups", kIgnore},
    {"gbfree", kIgnore},
    {"timems", kIgnore},
    {"stepspersecond", kIgnore},
    {"samplespersecondavg", kIgnore},
});

constexpr auto sorted() {
  auto rows = kUnsorted;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.key < b.key; });
  return rows;
}
constexpr auto kRows = sorted();
static_assert(std::adjacent_find(kRows.begin(), kRows.end(),
                                 [](const Row& a, const Row& b) { return a.key == b.key; }) == kRows.end());

const KeyMeaning* exact(std::string_view key) {
  const auto at = std::lower_bound(kRows.begin(), kRows.end(), key,
                                   [](const Row& row, std::string_view wanted) { return row.key < wanted; });
  return at != kRows.end() && at->key == key ? &at->meaning : nullptr;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "(ms)", "(GB)", "(TFLOP/s/GPU)" at the end of a key: what a printed number has to be multiplied with.
struct BracketUnit {
  std::string_view text;
  double seconds = 0;  // factor for times, 0: no unit of time
  double gib = 0;      // likewise for memory
};
constexpr std::array kBracketUnits = std::to_array<BracketUnit>({
    {"ms", 1e-3, 0},
    {"s", 1, 0},
    {"sec", 1, 0},
    {"us", 1e-6, 0},
    {"gb", 0, 1},
    {"gib", 0, 1},
    {"mb", 0, 1.0 / 1024},
    {"mib", 0, 1.0 / 1024},
    {"%", 0, 0},
    {"tflop/s/gpu", 0, 0},
    {"tflops/gpu", 0, 0},
    {"tflops", 0, 0},
    {"j/iter/gpu", 0, 0},
    {"w/gpu", 0, 0},
});

std::optional<KeyMeaning> of_evaluation(std::string_view rest) {
  const KeyMeaning* plain = exact(rest);
  if (plain == nullptr) return std::nullopt;
  KeyMeaning meaning = *plain;
  if (meaning.metric == metric::kLoss) {
    meaning.metric = metric::kEvalLoss;
  } else if (meaning.metric == metric::kAccuracy) {
    meaning.metric = metric::kEvalAccuracy;
  } else if (meaning.metric == metric::kPerplexity) {
    meaning.metric = metric::kEvalPerplexity;
  } else if (meaning.metric != metric::kEpoch) {
    return KeyMeaning{.role = KeyRole::kIgnored};  // how long the evaluation took, its own batch size, …
  }
  return meaning;
}

constexpr std::array<std::string_view, 9> kEvalWords{"evaluation", "eval",    "validation", "valid", "val",
                                                     "test",       "heldout", "dev",        "vali"};
constexpr std::array<std::string_view, 3> kTrainWords{"training", "train", "trn"};

// Without namespaces: "train_loss", "val loss", "loss val".
std::optional<KeyMeaning> of_name(std::string_view key) {
  if (const KeyMeaning* found = exact(key)) return *found;
  for (const std::string_view word : kEvalWords) {
    std::string_view rest = key;
    if (take_prefix(rest, word)) {
      if (auto found = of_evaluation(rest)) return found;
    }
    if (key.ends_with(word)) {
      key.remove_suffix(word.size());
      if (auto found = of_evaluation(key)) return found;
      return std::nullopt;
    }
  }
  for (const std::string_view word : kTrainWords) {
    std::string_view rest = key;
    if (!take_prefix(rest, word)) continue;
    if (const KeyMeaning* found = exact(rest)) return *found;
  }
  return std::nullopt;
}

std::optional<KeyMeaning> of_namespaced(std::string_view key) {
  if (auto found = of_name(key)) return found;
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view space = key.substr(0, slash);
  const std::string_view rest = key.substr(slash + 1);
  if (std::find(kEvalWords.begin(), kEvalWords.end(), space) != kEvalWords.end()) return of_evaluation(rest);
  if (rest == "train") return of_name(space);
  if (std::find(kEvalWords.begin(), kEvalWords.end(), rest) != kEvalWords.end()) return of_evaluation(space);
  // A critic, a reward model or a second optimizer has norms and losses of its own: only these spaces are transparent.
  constexpr std::array<std::string_view, 10> kTransparent{"train", "training", "optim", "optimizer", "metrics",
                                                          "perf",  "trainer",  "trn",   "timing",    "global"};
  if (std::find(kTransparent.begin(), kTransparent.end(), space) == kTransparent.end()) return std::nullopt;
  return of_namespaced(rest);
}

}  // namespace

std::string normalise_key(std::string_view key) {
  std::string out;
  out.reserve(key.size());
  for (const char c : key) {
    if (c == ' ' || c == '\t' || c == '_' || c == '-' || c == '\'' || c == '"' || c == '`' || c == '*') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return out;
}

std::optional<KeyMeaning> meaning_of(std::string_view key) {
  constexpr std::size_t kLongestKey = 96;  // nobody calls a metric by a longer name; bounds the work on hostile input
  if (key.size() > kLongestKey) return std::nullopt;
  const std::string normal = normalise_key(key);
  std::string_view name = normal;
  const BracketUnit* unit = nullptr;
  if (name.ends_with(')')) {
    const std::size_t open = name.rfind('(');
    if (open == std::string_view::npos || open == 0) return std::nullopt;
    const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
    for (const BracketUnit& row : kBracketUnits) {
      if (row.text == inside) unit = &row;
    }
    if (unit == nullptr) return std::nullopt;
    name = name.substr(0, open);
  }
  auto found = of_namespaced(name);
  if (found && unit != nullptr) {
    if (found->unit == Unit::kSecond && unit->seconds > 0) found->factor = unit->seconds;
    if (found->unit == Unit::kGib && unit->gib > 0) found->factor = unit->gib;
  }
  return found;
}

}  // namespace assay
