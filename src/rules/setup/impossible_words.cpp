// Words where a number belongs, numbers that are none, and the name of a schedule that is misspelt.
//
// A number: NaN and infinity are read by every parser and calculated with by none; 1e400 is infinity to Python. A word
// ("abc", "1e-4x") is refused by whoever converts it. What may be an expression (it has operators, brackets, spaces) is
// no word, and what only a run can tell has no value here.
//
// A schedule: Megatron-LM and transformers take their own names only, letter by letter. Others have names of their own,
// so there a name has to be within two edits of a common one, and not be one in other letters.

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/setting.h"
#include "base/ascii.h"
#include "base/nearest.h"
#include "rules/said_places.h"
#include "rules/setup/impossible.h"

namespace assay {

namespace {

constexpr std::size_t kMostEdits = 2;

// An infinite threshold of clipping is a way to say "off".
constexpr auto kNumbers = std::to_array<std::string_view>({
    setting::kLearningRate,
    setting::kMinLearningRate,
    setting::kMinLearningRateFraction,
    setting::kWarmupFraction,
    setting::kWarmupFractionOfDecay,
    setting::kAdamBeta1,
    setting::kAdamBeta2,
    setting::kAdamEpsilon,
    setting::kWeightDecay,
    setting::kClipNorm,
    setting::kDropout,
    setting::kAttentionDropout,
    setting::kInitStd,
    setting::kNumLayers,
    setting::kHiddenSize,
    setting::kNumAttentionHeads,
    setting::kSequenceLength,
    setting::kMicroBatchSize,
    setting::kGlobalBatchSize,
    setting::kTrainSteps,
    setting::kTensorParallelSize,
    setting::kPipelineParallelSize,
});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

enum class Looks : std::uint8_t { kNumber, kWord, kOther };

// Digits, a point, an exponent; or letters and digits, no more than a word has.
Looks looks(std::string_view text) {
  for (const std::string_view other : {"true", "false", "True", "False", "default", "max"}) {
    if (text == other) return Looks::kOther;  // a switch, or somebody's own way to leave it open
  }
  if (text.empty()) return Looks::kOther;
  bool number = is_digit(text.front()) || text.front() == '-';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool exponent = c == 'e' || c == 'E';
    const bool sign = (c == '-' || c == '+') && (i == 0 || text[i - 1] == 'e' || text[i - 1] == 'E');
    if (!is_digit(c) && !is_letter(c) && c != '.' && !sign) return Looks::kOther;
    number = number && (is_digit(c) || c == '.' || exponent || sign);
  }
  return number ? Looks::kNumber : Looks::kWord;
}

// Options of a command, and these trainers' files, are converted before anything else happens.
bool converts(const Plan& plan, const Setting& said) {
  return name_of(said).starts_with("--") || plan.framework() == "megatron" || plan.framework() == "hf-trainer" ||
         plan.framework() == "deepspeed";
}

// NaN, infinity, and what is too large for a number. What is too small for one is 0 to whoever reads it.
bool is_not_finite(const Setting& said) {
  if (const auto number = said.number()) {
    const bool off = said.key == setting::kClipNorm && std::isinf(*number);
    return !std::isfinite(*number) && !off;
  }
  const bool small = said.value.find("e-") != std::string::npos || said.value.find("E-") != std::string::npos;
  return looks(said.value) == Looks::kNumber && !small;
}

void check_number(const Plan& plan, const Setting& said, std::vector<Issue>& out) {
  const bool word = !said.number() && looks(said.value) == Looks::kWord;
  if (!word && !is_not_finite(said)) return;
  out.push_back(impossible(word ? "no-number" : "not-finite", said, !word || converts(plan, said)));
  out.back().actions.push_back({{"as-number", {}}, ""});
}

constexpr std::array<std::string_view, 5> kMegatron{"constant", "linear", "cosine", "inverse-square-root", "WSD"};
constexpr std::array<std::string_view, 12> kTrainer{"linear",
                                                    "cosine",
                                                    "cosine_with_restarts",
                                                    "polynomial",
                                                    "constant",
                                                    "constant_with_warmup",
                                                    "inverse_sqrt",
                                                    "reduce_lr_on_plateau",
                                                    "cosine_with_min_lr",
                                                    "cosine_warmup_with_min_lr",
                                                    "warmup_stable_decay",
                                                    "greedy"};
constexpr std::array<std::string_view, 7> kCommon{"constant",    "linear",       "cosine",          "polynomial",
                                                  "exponential", "inverse_sqrt", "polynomial_decay"};

// The name that is meant by one that is none of them; empty: it is one, or none is near.
std::string_view meant(std::string_view word, std::span<const std::string_view> names, bool by_letter) {
  const std::string small = lower(word);
  const auto is_it = [&](std::string_view one) { return by_letter ? one == word : lower(one) == small; };
  if (word.size() > 40 || std::any_of(names.begin(), names.end(), is_it)) return {};
  std::string_view best;
  std::size_t least = kMostEdits + 1;
  for (const std::string_view one : names) {
    const std::size_t edits = edit_distance(small, lower(one));
    if (edits >= least || edits * 3 > one.size()) continue;
    least = edits;
    best = one;
  }
  return best;
}

void schedule(const Plan& plan, std::vector<Issue>& out) {
  const Setting* said = plan.setting(setting::kSchedule);
  if (said == nullptr || looks(said->value) == Looks::kNumber) return;
  const std::string name = last_name(name_of(*said));
  const bool megatron = plan.framework() == "megatron" && name == "lr_decay_style";
  const bool trainer = plan.framework() == "hf-trainer" && name == "lr_scheduler_type";
  const std::span<const std::string_view> names = megatron  ? std::span<const std::string_view>(kMegatron)
                                                  : trainer ? std::span<const std::string_view>(kTrainer)
                                                            : std::span<const std::string_view>(kCommon);
  const std::string_view known = meant(said->value, names, megatron || trainer);
  if (known.empty()) return;
  Issue issue = impossible("schedule", *said, megatron || trainer,
                           megatron  ? "checked-megatron-style"
                           : trainer ? "checked-trainer-schedule"
                                     : "");
  issue.message.values.push_back({"known", std::string(known)});
  issue.actions.push_back({{"did-you-mean", {{"known", std::string(known)}}}, ""});
  out.push_back(std::move(issue));
}

}  // namespace

void impossible_words(const Plan& plan, std::vector<Issue>& out) {
  for (const std::string_view key : kNumbers) {
    if (const Setting* said = plan.setting(key)) check_number(plan, *said, out);
  }
  schedule(plan, out);
}

}  // namespace assay
