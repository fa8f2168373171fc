#pragma once
// What a key claims to be: the step, a metric that is known, or a name of the file's own.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/lines/dialect.h"
#include "format/lines/keys.h"

namespace assay::lines {

struct Claim {
  KeyMeaning meaning;
  std::string key;  // as printed
  bool known = false;
  bool named = false;  // unknown, but kept under its own name
  bool part = false;   // one of several parts of a loss on its line: never the loss of the run by itself
};

/// The longest end of the key's phrase that means something and is not changed in meaning by the words before it.
Claim claim_of(Field& field, const Dialect* dialect);
/// "10 4.40 s run, 11.8750 loss, 0.000005 LR, 9.1 GB used": where no key stands before a number, the words behind tell
/// what it is. Empty where they tell fewer than two metrics of training.
std::vector<Claim> claims_behind(const Tokenised& tokens, std::span<const Claim> before, const Dialect* dialect);
/// A number of a place or a device, never of training.
bool is_no_metric(std::string_view key);
/// A key that nobody knows and that calls itself a loss: "closs", "loss_net".
bool names_loss(std::string_view key);
/// The loss of a generator or a discriminator: it has no lowest value to fall to, so it is never the loss of the run.
bool is_adversarial(std::string_view key);
/// What a number is that only the unit behind it names: "374491 tok/s".
std::optional<KeyMeaning> meaning_of_unit(std::string_view printed);
/// What a number has to be multiplied with, by the unit printed behind it; `factor` where that tells nothing.
double unit_factor(Unit unit, std::string_view printed, double factor);
/// A metric that makes a line a record.
bool is_core(std::string_view metric);
/// "[eval] step 40": a word of its own that makes the whole line an evaluation.
bool has_evaluation_word(std::string_view text);
/// What a program says before the results of an evaluation, in words that name the line, not a metric.
bool opens_evaluation(std::string_view text);
/// What a metric is called when an evaluation measured it.
std::optional<std::string_view> evaluated(std::string_view metric);
/// How fast steps are, and what they need: of an evaluation it is another series, which nobody asks for.
bool is_of_training_alone(std::string_view metric);
/// "[rank0]:", "[default7]:" before everything else.
std::int64_t rank_of_prefix(std::string_view core);

}  // namespace assay::lines
