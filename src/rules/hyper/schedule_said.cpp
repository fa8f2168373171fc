// The length of the schedule against the length of the run, by the settings alone.
//
// Both are compared in the unit in which the decay is said: steps with steps, samples with samples, tokens with tokens.
// So a batch that grows, or a batch that is not known, does no harm. Where the decay ends before the run, the rest is
// trained at the minimum: that is how GPT-3 and BLOOM were planned (the last part at a tenth), and worth a note; at a
// minimum of (nearly) 0 the rest is not trained at all. Where the decay is longer than the run, the rate that the run
// ends with follows from the form: half of the peak and more means that the run never gets the gain of its decay.
//
// All that is a forecast. Where the log has drawn the peak, or the schedule to the end of the run, nothing is forecast:
// schedule_seen.cpp judges what was drawn.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "assay/setting.h"
#include "rules/hyper/schedule_issues.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/said_places.h"

namespace assay {

namespace {

constexpr double kNothing = 0.01;    // of the peak: a rate that trains nothing worth the steps
constexpr double kAsPlanned = 0.98;  // of the planned steps: the last record may be an interval before
constexpr std::size_t kDrawn = 8;    // records of a learning rate

struct CountedIn {
  std::string_view decay, warm_up, run;
  std::string_view en, zh;
};
constexpr auto kUnits = std::to_array<CountedIn>(
    {{setting::kDecaySteps, setting::kWarmupSteps, setting::kTrainSteps, "steps", "步"},
     {setting::kDecaySamples, setting::kWarmupSamples, setting::kTrainSamples, "samples", "个样本"},
     {setting::kDecayTokens, setting::kWarmupTokens, setting::kTrainTokens, "tokens", "个 token"}});

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

enum class Way : std::uint8_t { kNone, kLinear, kCosine, kOther };

// How the rate falls, by the word of the setting; Megatron's default is linear.
Way way_of(const Plan& plan) {
  const std::string word = plan.word(setting::kSchedule);
  if (holds(word, "constant") || holds(word, "none")) return Way::kNone;
  if (holds(word, "inverse") || holds(word, "rsqrt") || holds(word, "noam") || holds(word, "invsqrt"))
    return Way::kNone;
  if (holds(word, "restart") || holds(word, "cycl") || holds(word, "step") || holds(word, "plateau"))
    return Way::kOther;
  if (holds(word, "cos")) return Way::kCosine;
  if (holds(word, "linear") || holds(word, "poly") || holds(word, "warmupdecaylr")) return Way::kLinear;
  if (word.empty() && (plan.framework() == "megatron" || plan.framework() == "gpt-neox")) return Way::kLinear;
  return Way::kOther;  // WSD and its like
}

// The end of the schedule as a share of the peak; nothing where it is not known.
std::optional<double> least_share(const Plan& plan) {
  const auto peak = plan.told(setting::kLearningRate);
  const auto least = plan.min_learning_rate();
  if (!peak || !least || !(peak->value > 0)) return std::nullopt;
  return std::clamp(least->value / peak->value, 0.0, 1.0);
}

// Share of the peak that the run ends with.
double share_at_end(Way way, double least, double warm_up, double decay, double run) {
  const double x = std::clamp((run - warm_up) / std::max(decay - warm_up, 1.0), 0.0, 1.0);
  const double left = way == Way::kCosine ? 0.5 * (1 + std::cos(std::numbers::pi * x)) : 1 - x;
  return least + (1 - least) * left;
}

void add_short(const ScheduleCase& one, const Length& decay, std::optional<double> least, std::vector<Issue>& out) {
  const double rest = 1 - decay.share();
  if (rest < one.set["rest"]) return;
  Issue issue;
  const bool idle = least && *least < kNothing;
  issue.severity = idle ? Severity::kWarning : Severity::kNote;
  issue.impact = rest;
  issue.confidence = 0.85;
  issue.message = {idle    ? "said-idle"
                   : least ? "said-short"
                           : "said-short-open",
                   {{"written", decay.asked.written},
                    {"decay", count_value(decay.asked.value)},
                    {"run", count_value(decay.run)},
                    {"unit", decay.unit_en},
                    {"unit-zh", decay.unit_zh},
                    {"rest", percent(rest)},
                    {"least", percent(least.value_or(0))}}};
  issue.where = decay.asked.where;
  issue.actions.push_back(
      {{"as-long", {{"run", count_value(decay.run)}, {"unit", decay.unit_en}, {"unit-zh", decay.unit_zh}}}, ""});
  out.push_back(std::move(issue));
}

void add_long(const ScheduleCase& one, const Length& decay, double least, Way way, std::vector<Issue>& out) {
  const auto warm_up = asked_warm_up(one.plan, one.length);
  const double begin = warm_up && warm_up->unit_en == decay.unit_en ? warm_up->asked.value : 0;
  const double end = share_at_end(way, least, begin, decay.asked.value, decay.run);
  const double left = (end - least) / std::max(1 - least, 1e-9);
  if (left < one.set["left"]) return;
  Issue issue;
  issue.severity = left >= one.set["left-much"] ? Severity::kWarning : Severity::kNote;
  issue.impact = 0.3;
  issue.confidence = 0.75;
  issue.message = {"said-long",
                   {{"written", decay.asked.written},
                    {"decay", count_value(decay.asked.value)},
                    {"run", count_value(decay.run)},
                    {"unit", decay.unit_en},
                    {"unit-zh", decay.unit_zh},
                    {"end", percent(end)}}};
  issue.where = decay.asked.where;
  issue.actions.push_back(
      {{"as-long", {{"run", count_value(decay.run)}, {"unit", decay.unit_en}, {"unit-zh", decay.unit_zh}}}, ""});
  out.push_back(std::move(issue));
}

void judge_decay(const ScheduleCase& one, std::vector<Issue>& out) {
  const Way way = way_of(one.plan);
  const auto decay = asked_decay(one.plan, one.length);
  if (way == Way::kNone || !decay) return;
  const auto least = least_share(one.plan);
  if (decay->share() < 1) {
    // What the end of an unknown schedule is like is not known either.
    if (way != Way::kOther) add_short(one, *decay, least, out);
  } else if (way != Way::kOther) {
    add_long(one, *decay, least.value_or(0), way, out);
  }
}

// Megatron's scheduler asserts that the warm-up is shorter than the decay, in all of its styles.
bool asserts(const Plan& plan) { return plan.framework() == "megatron"; }

void judge_warm_up(const ScheduleCase& one, std::vector<Issue>& out) {
  const auto warm_up = asked_warm_up(one.plan, one.length);
  if (!warm_up || warm_up->asked.origin != Origin::kSaid) return;
  const auto decay = asked_decay(one.plan, one.length);
  const double end = decay && decay->unit_en == warm_up->unit_en ? decay->asked.value : warm_up->run;
  const bool too_long = warm_up->asked.value >= end;
  const double share = warm_up->share();
  if (!too_long && share <= one.set["warm-up"]) return;
  Issue issue;
  const bool fails = too_long && asserts(one.plan) && !one.run.has_begun();
  const bool never = warm_up->asked.value >= warm_up->run;
  issue.severity = fails ? Severity::kError : never || share > 0.5 ? Severity::kWarning : Severity::kNote;
  issue.confidence = fails ? 0.9 : 0.8;
  issue.impact = std::min(share, 1.0);
  issue.message = {fails   ? "said-fails"
                   : never ? "said-never"
                           : "said-warm-up",
                   {{"written", warm_up->asked.written},
                    {"warm-up", count_value(warm_up->asked.value)},
                    {"end", count_value(end)},
                    {"run", count_value(warm_up->run)},
                    {"unit", warm_up->unit_en},
                    {"unit-zh", warm_up->unit_zh},
                    {"share", percent(share)}}};
  issue.where = warm_up->asked.where;
  issue.actions.push_back({{"shorter-warm-up", {}}, ""});
  out.push_back(std::move(issue));
}

std::optional<Length> in_unit_of_run(const Plan& plan, const std::optional<Planned>& run_length,
                                     std::string_view CountedIn::* which) {
  // What was said comes before what follows from it: samples of a warm-up are steps too, by the batch.
  for (const bool said : {true, false}) {
    for (const CountedIn& unit : kUnits) {
      const auto asked = plan.told(unit.*which);
      if (!asked || !(asked->value > 0) || (asked->origin == Origin::kSaid) != said) continue;
      auto run = plan.told(unit.run);
      if (unit.run == setting::kTrainSteps && run_length) run = run_length;
      if (!run || !(run->value > 0)) continue;
      return Length{*asked, run->value, unit.en, unit.zh};
    }
  }
  return std::nullopt;
}

// What the log has drawn to this step is its own to judge: settings that say otherwise did not act (config-drift).
bool drawn_until(const ScheduleCase& one, double step) {
  const auto& seen = one.seen;
  if (!seen || !seen->counts_steps || seen->points.size() < kDrawn) return false;
  return static_cast<double>(seen->last_step()) >= kAsPlanned * step;
}

bool peak_was_reached(const ScheduleCase& one) {
  const bool seen = one.seen && one.seen->from_start && one.seen->points.size() >= kDrawn;
  return seen && !one.seen->still_rising && one.seen->peak_from + 1 < one.seen->points.size();
}

}  // namespace

std::optional<Length> asked_decay(const Plan& plan, const std::optional<Planned>& run_length) {
  return in_unit_of_run(plan, run_length, &CountedIn::decay);
}

std::optional<Length> asked_warm_up(const Plan& plan, const std::optional<Planned>& run_length) {
  return in_unit_of_run(plan, run_length, &CountedIn::warm_up);
}

void judge_said_schedule(const ScheduleCase& one, std::vector<Issue>& out) {
  if (!peak_was_reached(one)) judge_warm_up(one, out);
  if (!one.length || !drawn_until(one, one.length->value)) judge_decay(one, out);
}

}  // namespace assay
