#include "rules/plan.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <variant>

#include "assay/setting.h"
#include "facts/framework_defaults.h"
#include "measure/derive.h"
#include "measure/model_shape.h"

namespace assay {

Plan::Plan(const Run& run)
    : run_(run), framework_(spoken_framework(run.config, run.dialect)), precision_(precision_word(run.config)) {}

namespace {

// A word stands where settings exclude every number, or hide one.
std::optional<double> number_of(const Value& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return std::nullopt;
}

// The same thing in several units: who says one of them leaves no room for the default of another.
constexpr std::initializer_list<std::string_view> kOneThing[] = {
    {setting::kWarmupSteps, setting::kWarmupSamples, setting::kWarmupTokens, setting::kWarmupFraction,
     setting::kWarmupFractionOfDecay, setting::kWarmupFractionOfEpoch},
    {setting::kMinLearningRate, setting::kMinLearningRateFraction},
    {setting::kInitialLossScale, setting::kInitialLossScalePower},
};

bool said_otherwise(const Config& config, std::string_view key) {
  for (const auto& names : kOneThing) {
    if (std::find(names.begin(), names.end(), key) == names.end()) continue;
    return std::any_of(names.begin(), names.end(), [&](std::string_view one) {
      return one != key && (config.find(one) != nullptr || said_unknown(config, one));
    });
  }
  return false;
}

}  // namespace

std::optional<Planned> Plan::derived(std::string_view key) const {
  for (const Derived& fact : run_.derived) {
    if (fact.name != key) continue;
    const auto number = number_of(fact.value);
    if (!number) return std::nullopt;
    Planned out;
    out.value = *number;
    out.origin = Origin::kDerived;
    out.key = out.written = fact.name;
    out.arithmetic = fact.arithmetic;
    for (const std::string& from : fact.from) {
      const Setting* said = run_.config.find(from);
      if (said == nullptr) continue;
      out.where = said->where;
      break;
    }
    return out;
  }
  return std::nullopt;
}

std::optional<Planned> Plan::told(std::string_view key) const {
  if (said_unknown(run_.config, key)) return std::nullopt;
  if (const Setting* said = run_.config.find(key)) {
    const auto number = said->number();
    if (!number || !std::isfinite(*number)) return std::nullopt;
    return Planned{
        *number, Origin::kSaid, std::string(key), said->written.empty() ? said->key : said->written, said->where, {}};
  }
  return derived(key);
}

std::optional<Planned> Plan::find(std::string_view key) const {
  if (auto number = told(key)) return number;
  if (hidden(key) || run_.config.find(key) != nullptr || said_otherwise(run_.config, key)) return std::nullopt;
  const auto standard = framework_default(framework_, key);
  if (!standard) return std::nullopt;
  return Planned{standard->value, Origin::kDefault, std::string(key), std::string(key), {}, {}};
}

bool Plan::hidden(std::string_view key) const {
  if (said_unknown(run_.config, key)) return true;
  for (const Derived& fact : run_.derived) {
    if (fact.name == key && fact.value == Value("unknown")) return true;
  }
  return false;
}

std::optional<Planned> Plan::min_learning_rate() const {
  if (auto least = told(setting::kMinLearningRate)) return least;
  auto share = told(setting::kMinLearningRateFraction);
  const auto peak = told(setting::kLearningRate);
  if (share && peak) {
    share->value *= peak->value;
    share->origin = Origin::kDerived;
    return share;
  }
  return find(setting::kMinLearningRate);
}

std::string Plan::word(std::string_view key) const { return word_said(run_.config, key); }

}  // namespace assay
