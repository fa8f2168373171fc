#include "core/metric_names.h"

#include <algorithm>
#include <array>

#include "assay/metric.h"

// Every framework has its own word for the same quantity. A key is first brought to a form in which spelling does not
// matter (normalise_key), then its unit in brackets is taken off, then it is looked up as it is; only when that fails
// are namespaces ("train/", "actor/") and the words for training and evaluation taken away, because many full names
// mean something else than their parts: "train_time" is not a time per step, "value_loss" is not "val" + "ue_loss".

namespace assay {

namespace {

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
  const KeyMeaning* plain = exact_meaning(rest);
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
  if (const KeyMeaning* found = exact_meaning(key)) return *found;
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
  if (std::find(kEvalWords.begin(), kEvalWords.end(), space) != kEvalWords.end()) return of_evaluation(rest);
  if (rest == "train") return of_name(space);
  if (rest == space) return of_name(rest);  // Megatron's "grad-norm/grad-norm"
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
    if (unit == nullptr) {  // "loss (val)"
      const bool evaluation = std::find(kEvalWords.begin(), kEvalWords.end(), inside) != kEvalWords.end();
      if (evaluation) return of_evaluation(name.substr(0, open));
      constexpr std::array<std::string_view, 5> kHow{"curr", "current", "avg", "mean", "running"};
      if (std::find(kHow.begin(), kHow.end(), inside) == kHow.end() &&
          std::find(kTrainWords.begin(), kTrainWords.end(), inside) == kTrainWords.end()) {
        return std::nullopt;
      }
    }
    name = name.substr(0, open);
  }
  auto found = of_namespaced(name);
  if (!found && name.find('.') != std::string_view::npos) {  // "val.loss", "Val. Loss"
    std::string dotted(name);
    std::replace(dotted.begin(), dotted.end(), '.', '/');
    found = of_namespaced(dotted);
  }
  if (found && unit != nullptr) {
    if (found->unit == Unit::kSecond && unit->seconds > 0) found->factor = unit->seconds;
    if (found->unit == Unit::kGib && unit->gib > 0) found->factor = unit->gib;
  }
  return found;
}

}  // namespace assay
