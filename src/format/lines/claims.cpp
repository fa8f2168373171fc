// Which key means what, and what the words around it make of it.

#include "format/lines/claims.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"
#include "base/ascii.h"
#include "core/recording.h"

namespace assay::lines {

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    if (end != 0) words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return words;
}

// Words before a key that do not change what it means. "value loss" is another loss; "current loss" is not.
bool is_filler(std::string_view word) {
  constexpr std::array<std::string_view, 47> kFillers{
      "current", "the",  "training", "train",      "batch",   "step",     "avg",     "average",  "mean",    "total",
      "log",     "info", "epoch",    "iteration",  "global",  "running",  "and",     "with",     "at",      "after",
      "now",     "last", "latest",   "progress",   "metrics", "stats",    "iter",    "results",  "final",   "in",
      "on",      "for",  "model",    "rank",       "overall", "averaged", "done",    "finished", "summary", "is",
      "步",      "轮",   "steps",    "iterations", "epochs",  "平均",     "updating"};
  const std::string normal = normalise_key(word);
  return std::find(kFillers.begin(), kFillers.end(), std::string_view(normal)) != kFillers.end();
}

// Boosted trees are judged by a measure on each set: "training's l2", "valid_1's binary_logloss" of LightGBM,
// "train-rmse", "validation_0-logloss" of XGBoost. The first set that is not trained on counts.
std::optional<KeyMeaning> loss_of_boosting(std::string_view key) {
  constexpr std::array<std::string_view, 9> kMeasures{
      "l1", "l2", "rmse", "mae", "logloss", "binary_logloss", "multi_logloss", "mlogloss", "cross_entropy"};
  std::size_t at = key.find("'s ");
  const std::size_t behind = at == std::string_view::npos ? 1 : 3;
  if (at == std::string_view::npos) at = std::min(key.find('-'), key.find(' '));
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view set = key.substr(0, at);
  const std::string_view measure = key.substr(at + behind);
  if (std::find(kMeasures.begin(), kMeasures.end(), measure) == kMeasures.end()) return std::nullopt;
  constexpr int kRank = 4;
  const auto loss = [](std::string_view metric) { return KeyMeaning{.metric = metric, .rank = kRank}; };
  if (set == "train" || set == "training" || set == "dtrain") return loss(metric::kLoss);
  for (const std::string_view held : {"valid", "eval", "test", "dtest"}) {
    if (set.starts_with(held)) return loss(metric::kEvalLoss);
  }
  return std::nullopt;
}

std::optional<KeyMeaning> look_up(std::string_view key, const Dialect* dialect) {
  if (dialect != nullptr) {
    const std::string normal = normalise_key(key);
    for (const Alias& alias : dialect->aliases) {
      if (alias.key == normal) return alias.meaning;
    }
  }
  const auto found = meaning_of(key);
  return found || dialect != nullptr ? found : loss_of_boosting(key);
}

// "INFO:root:step" of a logger that leaves no blank: the name behind its prefix.
std::string_view behind_logger(std::string_view key) {
  constexpr std::array<std::string_view, 5> kLevels{"INFO:", "WARNING:", "ERROR:", "DEBUG:", "CRITICAL:"};
  const bool logged =
      std::any_of(kLevels.begin(), kLevels.end(), [&](std::string_view l) { return key.starts_with(l); });
  return logged ? key.substr(key.rfind(':') + 1) : key;
}

}  // namespace

// The longest end of the phrase that means something and is not changed in meaning by the words before it.
Claim claim_of(Field& field, const Dialect* dialect) {
  Claim claim;
  field.key = std::string(behind_logger(field.key));
  claim.key = field.key;
  if (field.key.empty() || field.key.starts_with("--")) return claim;  // an option of a command line
  if (auto found = look_up(field.key, dialect)) {
    claim.meaning = *found;
    claim.known = true;
    return claim;
  }
  const auto words = words_of(field.key);
  // "(val) loss": a word in brackets says as much as one without.
  if (words.size() >= 2 && words.front().starts_with('(') && words.front().ends_with(')')) {
    std::string plain = field.key;
    std::erase_if(plain, [](char c) { return c == '(' || c == ')'; });
    if (const auto found = look_up(plain, dialect)) {
      claim.meaning = *found;
      claim.known = true;
      return claim;
    }
  }
  // "float loss = 0.5;", "return loss": source text.
  constexpr std::array<std::string_view, 9> kOfSource{"float", "double", "int",    "const", "auto",
                                                      "var",   "let",    "return", "static"};
  if (words.empty()) return claim;
  if (std::find(kOfSource.begin(), kOfSource.end(), words.front()) != kOfSource.end()) return claim;
  bool all_filler = true;
  for (std::size_t k = 1; k < words.size() && words.size() <= 12; ++k) {
    all_filler = all_filler && is_filler(words[k - 1]);
    const auto at = static_cast<std::size_t>(words[k].data() - field.key.data());
    const std::string_view rest = std::string_view(field.key).substr(at);
    const auto found = look_up(rest, dialect);
    if (!found) continue;
    const std::string_view before = std::string_view(field.key).substr(0, field.key.size() - rest.size());
    if (const auto metric = evaluated(found->metric); metric && has_evaluation_word(before)) {  // "evaluating... loss"
      claim.meaning = *found;
      claim.meaning.metric = *metric;
      claim.key = field.key;
      claim.known = true;
      return claim;
    }
    if (all_filler || found->role == KeyRole::kStep || found->role == KeyRole::kIgnored ||
        found->metric == metric::kEpoch) {
      claim.meaning = *found;
      // "inner iter", "ppo epoch" count within something: what is told without such a word, or as global, comes first.
      constexpr int kQualified = 2;
      if (words[k - 1] == "global") {
        claim.meaning.rank = 0;
      } else if (!all_filler) {
        claim.meaning.rank += kQualified;
      }
      claim.key = rest;
      claim.known = true;
      return claim;
    }
  }
  claim.named = field.relation == Relation::kKeyed || (words.size() <= 3 && !field.paren);
  return claim;
}

std::vector<Claim> claims_behind(const Tokenised& tokens, std::span<const Claim> before, const Dialect* dialect) {
  if (std::any_of(before.begin(), before.end(), [](const Claim& c) { return c.known || c.named; })) return {};
  std::vector<Claim> out(before.size());
  int core = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Literal& behind = tokens.literals[i + 1];
    if (!tokens.slots[i].is_value() || !behind.blank_before) continue;
    const std::size_t end = behind.core.find_first_of(",;|");
    if (end == std::string_view::npos && i + 1 < out.size()) continue;
    const std::string_view cell = behind.core.substr(0, end);
    const auto meaning = look_up(cell, dialect);
    if (!meaning || meaning->role != KeyRole::kMetric) continue;
    out[i] = {.meaning = *meaning, .key = std::string(cell), .known = true};
    core += is_core(meaning->metric) ? 1 : 0;
  }
  return core >= 2 ? out : std::vector<Claim>{};
}

// Numbers of places and devices, never of training.
bool is_no_metric(std::string_view key) {
  constexpr std::array<std::string_view, 48> kNames{
      "cuda", "npu",        "device", "xpu",   "gpu",   "gpus",   "pid",     "tid",   "version", "vnum",
      "port", "masterport", "host",   "node",  "nodes", "job",    "jobid",   "runid", "address", "addr",
      "bus",  "line",       "id",     "shape", "size",  "shapes", "imgsize", "e",     "in",      "to",
      "from", "over",       "of",     "at",    "by",    "with",   "for",     "than",  "took",    "and",
      "the",  "x",          "v",      "port:", "gpuid", "nnodes", "file",    "year"};
  const std::string normal = normalise_key(key);
  if (std::find(kNames.begin(), kNames.end(), std::string_view(normal)) != kNames.end()) return true;
  for (const std::string_view ending : {" and", " of", " by", " with", " for", " than", " from", " over"}) {
    if (key.ends_with(ending)) return true;  // prose
  }
  // Letters of any script; lines, blocks and arrows (U+2000 to U+2FFF) are what bars are drawn with.
  const auto letter = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return is_letter(c) || (byte >= 0xc3 && byte != 0xe2);
  };
  return key.ends_with(".py") || std::none_of(key.begin(), key.end(), letter);
}

bool is_adversarial(std::string_view key) {
  constexpr std::array<std::string_view, 20> kNames{"lossd",
                                                    "lossg",
                                                    "dloss",
                                                    "gloss",
                                                    "errd",
                                                    "errg",
                                                    "lossgen",
                                                    "genloss",
                                                    "lossdisc",
                                                    "discloss",
                                                    "ganloss",
                                                    "lossgan",
                                                    "advloss",
                                                    "lossadv",
                                                    "generatorloss",
                                                    "lossgenerator",
                                                    "discriminatorloss",
                                                    "lossdiscriminator",
                                                    "criticlossgan",
                                                    "lossgangenerator"};
  const std::string normal = normalise_key(key);
  return std::find(kNames.begin(), kNames.end(), std::string_view(normal)) != kNames.end();
}

std::optional<KeyMeaning> meaning_of_unit(std::string_view printed) {
  std::string unit;
  for (const char c : printed) {
    if (c != ' ') unit += lower(c);
  }
  const auto metric = [](std::string_view name, Unit own, double factor) {
    return KeyMeaning{.role = KeyRole::kMetric, .metric = name, .unit = own, .factor = factor, .rank = 3};
  };
  if (unit == "ms") return metric(metric::kStepTime, Unit::kSecond, 1e-3);
  if (unit == "tok/s" || unit == "tokens/s" || unit == "tok/sec" || unit == "tokens/sec") {
    return metric(metric::kTokensPerSecond, Unit::kTokensPerSecond, 1);
  }
  if (unit == "samples/s" || unit == "samples/sec") {
    return metric(metric::kSamplesPerSecond, Unit::kSamplesPerSecond, 1);
  }
  if (unit.starts_with('%') && unit.ends_with("mfu")) return metric(metric::kMfu, Unit::kPercent, 1);
  if (unit == "tflops" || unit == "tflop/s") return metric(metric::kThroughput, Unit::kTflops, 1);
  return std::nullopt;
}

bool names_loss(std::string_view key) {
  const std::string normal = normalise_key(key);
  if (normal.ends_with("loss")) return true;
  // "loss_net", "loss/pixel"; not what a loss is multiplied with or how long it took.
  const bool parted = normal.starts_with("loss/") || normal.size() < key.size();
  if (!normal.starts_with("loss") || !parted) return false;
  constexpr std::string_view kNoLoss[] = {"scale", "weight", "coef", "time", "ratio", "count", "factor", "mask"};
  return std::none_of(std::begin(kNoLoss), std::end(kNoLoss),
                      [&](std::string_view word) { return normal.find(word) != std::string::npos; });
}

double unit_factor(Unit unit, std::string_view printed, double factor) {
  if (unit == Unit::kSecond) {
    if (printed == "ms") return 1e-3;
    if (printed == "us") return 1e-6;
    if (printed == "s" || printed == "sec" || printed == "seconds") return 1;
    if (printed == "min" || printed == "mins" || printed == "m") return 60;
  }
  if (unit == Unit::kTokens || unit == Unit::kSamples) {
    if (printed == "G") return 1e9;
    if (printed == "T") return 1e12;
  }
  if (unit == Unit::kGib) {
    if (printed == "MiB" || printed == "MB") return 1.0 / 1024;
    if (printed == "GiB" || printed == "GB" || printed == "G") return 1;
  }
  return factor;
}

bool is_core(std::string_view metric) {
  constexpr std::array kCore{metric::kLoss,           metric::kEvalLoss, metric::kGradNorm,     metric::kLearningRate,
                             metric::kLossScale,      metric::kAccuracy, metric::kEvalAccuracy, metric::kPerplexity,
                             metric::kEvalPerplexity, metric::kReward,   metric::kOverflow,     metric::kSkippedSteps};
  return std::find(kCore.begin(), kCore.end(), metric) != kCore.end();
}

// "validate step: 40 loss: 9.1", "[eval] step 40 | loss": a word that stands by itself says
// that the whole line tells of an evaluation. Names of files and loggers ("eval.py", "run_eval", "test-val") are no
// such word.
bool has_evaluation_word(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords{"eval",     "evaluation", "evaluating", "val",
                                                   "validate", "valid",      "validation", "validating"};
  for (const std::string_view word : {std::string_view("验证"), std::string_view("评估")}) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  const auto joins = [](char c) { return is_word(c) || c == '.' || c == '/' || c == '-' || c == '\\'; };
  const std::string small = lower(text);
  for (const std::string_view word : kWords) {
    for (std::size_t at = small.find(word); at != std::string::npos; at = small.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !joins(small[at - 1])) &&
          (end == small.size() || !joins(small[end]) || small.compare(end, 2, "..") == 0))
        return true;
    }
  }
  // "test" is also a name of experiments: it counts where it opens the message, "Test: [0/48]", "Test set: …".
  for (const std::string_view opening :
       {std::string_view("test:"), std::string_view("test set"), std::string_view("test error"),
        std::string_view("testing:"), std::string_view("test |"), std::string_view("dev |"),
        std::string_view("dev:")}) {
    const std::size_t at = small.find(opening);
    if (at != std::string::npos && (at == 0 || (small[at - 1] == ' ' && text[at] == 'T'))) return true;
  }
  if (small.find("[dev]") != std::string::npos || small.find("[test]") != std::string::npos) return true;
  return false;
}

bool opens_evaluation(std::string_view text) {
  return text.find("Saving dict for global step") != std::string_view::npos ||  // TensorFlow's estimator
         text.find("Test net output #") != std::string_view::npos;              // Caffe
}

std::optional<std::string_view> evaluated(std::string_view metric) {
  if (metric == metric::kLoss || metric == "epoch_loss") return metric::kEvalLoss;
  if (metric == metric::kAccuracy) return metric::kEvalAccuracy;
  if (metric == metric::kPerplexity) return metric::kEvalPerplexity;
  return std::nullopt;
}

bool is_of_training_alone(std::string_view metric) {
  constexpr std::array<std::string_view, 7> kSpeeds{metric::kStepTime,
                                                    metric::kTokensPerSecond,
                                                    metric::kSamplesPerSecond,
                                                    metric::kThroughput,
                                                    metric::kMfu,
                                                    metric::kMemory,
                                                    "data_time"};
  return std::find(kSpeeds.begin(), kSpeeds.end(), metric) != kSpeeds.end();
}

// "[rank0]:", "[default7]:" before everything else.
std::int64_t rank_of_prefix(std::string_view core) {
  for (const std::string_view mark :
       {std::string_view("[rank"), std::string_view("[default"), std::string_view("[Rank")}) {
    const std::size_t at = core.find(mark);
    if (at == std::string_view::npos) continue;
    std::int64_t rank = 0;
    std::size_t p = at + mark.size();
    const std::size_t first = p;
    for (; p < core.size() && is_digit(core[p]) && p - first < 9; ++p) rank = rank * 10 + (core[p] - '0');
    if (p > first && p < core.size() && core[p] == ']') return rank;
  }
  return kNoRank;
}

}  // namespace assay::lines
