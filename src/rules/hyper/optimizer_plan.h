#pragma once
// What the rules about the optimizer ask of a run's settings: which optimizer acts, whether training starts from random
// weights, how large the model is, how long it warms up. Essay in optimizer_plan.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/recipes.h"
#include "rules/hyper/acting_settings.h"
#include "rules/plan.h"
#include "rules/rule.h"

namespace assay {

enum class OptimizerKind : std::uint8_t {
  kUnsaid,  // and the framework has none of its own
  kAdam,    // Adam, AdamW and what differs from them in bits or fusion alone
  kSgd,     // with or without momentum
  kAdafactor,
  kMuon,
  kLion,
  kLayerwise,  // LAMB, LARS: the rate is a share of each layer's norm
  kOther,      // whose rates have a scale of their own: Prodigy, GaLore, Sophia, Shampoo, …
};
/// By the setting, else by what the framework always takes.
OptimizerKind optimizer_of(const Plan& plan);
/// What is known of Adam holds for the plan; else the rule is not applicable, and the sentence says why. perhaps: where
/// nothing tells the optimizer, too. Sentences: with_optimizer_sentences.
bool surely_adam(const Plan& plan, Findings& out);
bool perhaps_adam(const Plan& plan, Findings& out);
/// As it is written; empty: not said.
std::string optimizer_word(const Plan& plan);

enum class Start : std::uint8_t { kUnknown, kScratch, kTrained };
struct Beginning {
  Start start = Start::kUnknown;
  double sure = 0;        // confidence
  bool by_log = false;    // the first loss tells it
  double first_loss = 0;  // by_log
  // A checkpoint is named, in the folder that the run itself saves to: whether one is there is not known. Then `sure`
  // is too little for more than a note.
  const Setting* own_folder = nullptr;  // of the run
};
/// From random weights, or from trained ones.
Beginning beginning_of(const Plan& plan);

/// What is trained is the policy of a language model, by preferences or by rewards: it begins as a trained model and
/// takes a hundredth of the rate that made it. Policies of games begin from random weights.
bool tunes_policy(const Plan& plan, TrainingKind kind);

/// By the framework, by the shape that is set, or by a first loss like ln V.
bool trains_language_model(const Plan& plan);

/// Rates are scaled matrix by matrix (mu-P).
bool scales_rates_by_width(const Config& config);
/// The rate that is set is a factor of another schedule (Noam, inverse square root of the step).
bool rate_is_a_factor(const Plan& plan);

struct ModelSize {
  double parameters = 0;  // that a token meets
  double matrices = 0;    // of the layers, as StepLaw counts; 0: not known
  bool whole = true;      // false: only the matrices of the layers are known
};
/// Nothing where the settings do not describe a language model.
std::optional<ModelSize> model_size(const Plan& plan);

struct WarmupSaid {
  bool known = false;
  bool said = false;            // false: the framework's default
  std::optional<double> steps;  // where they can be calculated
  double share = 0;             // of the run, the decay or an epoch, where that is what is said
  std::string written;          // of a default: its canonical name
  Location where;
  bool none() const { return known && (steps ? *steps <= 0 : share <= 0); }
};
WarmupSaid warmup_of(const Plan& plan);

/// Something ran for long enough to show whether it can: a hundred records of a loss that is finite at the end and not
/// above where it began.
bool ran_well(const Run& run);

/// A published rate with its model: {name} and {name_model}.
void add_recipe(Values& values, const std::string& name, const Recipe& recipe);

/// A finding about one number of the optimizer, which the message has under `name`, and its option under "option".
Finding about_number(const Plan& plan, const Planned& number, std::string_view name, Phrase message);

/// Sentences that several of these rules use.
std::vector<SentenceRecord> with_optimizer_sentences(std::initializer_list<SentenceRecord> own);

}  // namespace assay
