#include "core/metric_names.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"

// Every framework has its own word for the same quantity. A key is first brought to a form in which spelling does not
// matter (normalise_key), then its unit in brackets is taken off, then it is looked up as it is; only when that fails
// are namespaces ("train/", "actor/") and the words for training and evaluation taken away, because many full names
// mean something else than their parts: "train_time" is not a time per step, "value_loss" is not "val" + "ue_loss".
// Last, a unit that ends the name as a word is taken off ("step_time_seconds").

namespace assay {

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// "(ms)", "(GB)", "(TFLOP/s/GPU)" at the end of a key, or "_ms", "_seconds": what a printed number has to be multiplied
// with.
struct UnitWord {
  std::string_view text;
  double seconds = 0;  // factor for times, 0: no unit of time
  double gib = 0;      // likewise for memory
};
constexpr double kGibPerMib = 1.0 / 1024;
constexpr double kGibPerByte = 1.0 / (1 << 30);
constexpr std::array kUnitWords = std::to_array<UnitWord>({
    {"ms", 1e-3, 0},
    {"us", 1e-6, 0},
    {"milliseconds", 1e-3, 0},
    {"inseconds", 1, 0},
    {"seconds", 1, 0},
    {"secs", 1, 0},
    {"sec", 1, 0},
    {"ins", 1, 0},
    {"s", 1, 0},
    {"gb", 0, 1},
    {"gib", 0, 1},
    {"mb", 0, kGibPerMib},
    {"mib", 0, kGibPerMib},
    {"bytes", 0, kGibPerByte},
});
// In brackets also those of quantities that have one unit only.
constexpr std::array<std::string_view, 7> kOnlyUnits{"%",          "tflop/s/gpu", "tflops/gpu", "tflops",
                                                     "j/iter/gpu", "w/gpu",       "tokens/s"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Takes the unit's factor; false where the unit is of another quantity.
bool apply(const UnitWord& unit, KeyMeaning& meaning) {
  const double factor = meaning.unit == Unit::kSecond ? unit.seconds : meaning.unit == Unit::kGib ? unit.gib : 0;
  if (factor > 0) meaning.factor = factor;
  return factor > 0;
}

// Names that look like one of the table's behind a namespace and are something else.
constexpr std::array<std::string_view, 1> kSomethingElse{
    "train/scale",  // open_clip: what the logits are multiplied with
};

std::optional<KeyMeaning> of_evaluation(std::string_view rest) {
  const KeyMeaning* plain = exact_meaning(rest);
  if (plain == nullptr) return std::nullopt;
  KeyMeaning meaning = *plain;
  if (meaning.metric == metric::kLoss) {
    meaning.metric = metric::kEvalLoss;
  } else if (meaning.metric == metric::kAccuracy) {
    meaning.metric = metric::kEvalAccuracy;
  } else if (meaning.metric == metric::kPerplexity) {
    meaning.metric = metric::kEvalPerplexity;
  } else if (meaning.metric != metric::kEpoch && !meaning.metric.starts_with("eval_")) {
    return KeyMeaning{.role = KeyRole::kIgnored};  // how long the evaluation took, its own batch size, …
  }
  return meaning;
}

constexpr std::array<std::string_view, 15> kEvalWords{"evaluation", "eval",    "validation", "valid",  "val",
                                                      "test",       "heldout", "dev",        "vali",   "验证集",
                                                      "验证",       "评估集",  "评估",       "测试集", "测试"};
constexpr std::array<std::string_view, 5> kTrainWords{"training", "train", "trn", "训练集", "训练"};

// Without namespaces: "train_loss", "val loss", "loss val".
std::optional<KeyMeaning> of_name(std::string_view key) {
  if (const KeyMeaning* found = exact_meaning(key)) return *found;
  for (const std::string_view word : kEvalWords) {
    std::string_view rest = key;
    if (take_prefix(rest, word)) {
      // "验证 step: 40 loss: 3": the word is about the line, not about its step.
      const KeyMeaning* plain = static_cast<unsigned char>(word[0]) >= 0x80 ? exact_meaning(rest) : nullptr;
      if (plain != nullptr && plain->role == KeyRole::kStep) return std::nullopt;
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
    if (const KeyMeaning* found = exact_meaning(rest)) return *found;
  }
  return std::nullopt;
}

std::optional<KeyMeaning> of_namespaced(std::string_view key) {
  if (auto found = of_name(key)) return found;
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view space = key.substr(0, slash);
  const std::string_view rest = key.substr(slash + 1);
  if (is_one_of(kEvalWords, space)) return of_evaluation(rest);
  if (is_one_of(kTrainWords, rest)) return of_name(space);
  if (rest == space) return of_name(rest);  // Megatron's "grad-norm/grad-norm"
  if (is_one_of(kEvalWords, rest)) return of_evaluation(space);
  // A critic, a reward model or a second optimizer has norms and losses of its own: only these spaces are transparent.
  constexpr std::array<std::string_view, 12> kTransparent{"optim",   "optimizer",  "metrics", "perf",
                                                          "trainer", "timing",     "global",  "learning",
                                                          "runtime", "throughput", "speed",   "samples"};
  if (!is_one_of(kTransparent, space) && !is_one_of(kTrainWords, space)) return std::nullopt;
  return of_namespaced(rest);
}

// "lr-AdamW", "lr-Adam/pg1", "lr-DecoupledLionW/group0": the rate of an optimizer, of its first group of parameters.
std::optional<KeyMeaning> of_optimizer(std::string_view name) {
  constexpr std::array<std::string_view, 14> kOptimizers{"adam",    "adamw",     "sgd",       "lion", "lionw",
                                                         "sgdw",    "adafactor", "lamb",      "muon", "rmsprop",
                                                         "adagrad", "fusedadam", "adamw8bit", "soap"};
  if (!take_prefix(name, "lr")) return std::nullopt;
  take_prefix(name, "decoupled");
  const std::size_t slash = name.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view{} : name.substr(slash + 1);
  if (!group.empty() && group != "group0" && group != "pg1") return std::nullopt;
  if (!is_one_of(kOptimizers, name.substr(0, slash))) return std::nullopt;
  return KeyMeaning{.metric = metric::kLearningRate, .rank = 2};
}

// "step_time_seconds": only where the unit is one of the quantity, so that nothing loses its last letter by chance.
std::optional<KeyMeaning> of_unit_word(std::string_view name) {
  for (const UnitWord& unit : kUnitWords) {
    if (name.size() <= unit.text.size() || !name.ends_with(unit.text)) continue;
    auto found = of_namespaced(name.substr(0, name.size() - unit.text.size()));
    if (found && found->role == KeyRole::kMetric && apply(unit, *found)) return found;
  }
  return std::nullopt;
}

std::optional<KeyMeaning> of_dotted(std::string_view name) {
  auto found = of_namespaced(name);
  if (!found && name.find('.') != std::string_view::npos) {  // "val.loss", "Val. Loss"
    std::string dotted(name);
    std::replace(dotted.begin(), dotted.end(), '.', '/');
    found = of_namespaced(dotted);
  }
  if (!found) found = of_optimizer(name);
  return found ? found : of_unit_word(name);
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
  if (is_one_of(kSomethingElse, normal)) return std::nullopt;
  if (!normal.ends_with(')')) return of_dotted(normal);
  if (auto whole = of_namespaced(normal)) return whole;  // "throughput(tps)"
  std::string_view name = normal;
  const std::size_t open = name.rfind('(');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  name = name.substr(0, open);
  if (is_one_of(kEvalWords, inside)) return of_evaluation(name);  // "loss (val)"
  constexpr std::array<std::string_view, 5> kHow{"curr", "current", "avg", "mean", "running"};
  const auto* unit =
      std::find_if(kUnitWords.begin(), kUnitWords.end(), [&](const UnitWord& row) { return row.text == inside; });
  const bool known = unit != kUnitWords.end() || is_one_of(kOnlyUnits, inside) || is_one_of(kHow, inside) ||
                     is_one_of(kTrainWords, inside);
  if (!known) return std::nullopt;
  auto found = of_dotted(name);
  if (found && unit != kUnitWords.end()) apply(*unit, *found);
  return found;
}

std::optional<KeyMeaning> meaning_beside_data_time(std::string_view normalised) {
  if (normalised == "time") return KeyMeaning{.metric = metric::kStepTime, .unit = Unit::kSecond, .rank = 5};
  if (normalised == "datatime" || normalised == "data") return KeyMeaning{.metric = "data_time", .unit = Unit::kSecond};
  if (normalised == "memory" || normalised == "maxmem" || normalised == "mem") {
    return KeyMeaning{.metric = metric::kMemory, .unit = Unit::kGib, .factor = kGibPerMib, .rank = 1};
  }
  return std::nullopt;
}

bool is_part_of_detection_loss(std::string_view key) {
  constexpr std::array<std::string_view, 12> kParts{"box",  "cls", "dfl",  "obj",  "seg",  "sem",
                                                    "pose", "rle", "kobj", "giou", "conf", "angle"};
  if (!key.ends_with("oss")) return false;  // for speed
  const std::string name = normalise_key(key);
  std::string_view part = name;
  if (part.starts_with("train/")) part.remove_prefix(6);
  if (!part.ends_with("loss")) return false;
  part.remove_suffix(4);
  return is_one_of(kParts, part);
}

}  // namespace assay
