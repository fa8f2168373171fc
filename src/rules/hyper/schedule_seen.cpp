// The length of the schedule against the length of the run, by the learning rate that was logged.
//
// What was drawn is what acted, whatever unit the program counted in. Four shapes are mismatches: the rate lies at its
// minimum for a good part of the run; the run came to its planned end while the rate was far from it; the warm-up did
// not end; the rate climbs back although nobody asked for restarts. A run that was stopped early shows none of the
// middle two, a constant rate and a WSD without its cool-down none at all, and a schedule of steps ends in a level by
// design.
//
// Why a schedule ends too early. Accelerate steps a prepared scheduler once for each process; loops step it for each
// micro-batch. Then the decay ends sooner by exactly that factor, and the factor is looked for among the numbers that
// the settings tell: ranks, data-parallel ranks, accumulation. Trainers that own their loop (Megatron-LM and others)
// step their scheduler by what an update consumed: there a factor is an accident, and nothing is said of it. What was
// asked for is the length of the decay, in whatever unit it was said; the length of the run stands in only where
// nothing is said of the decay.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "assay/metric.h"
#include "assay/setting.h"
#include "core/curve.h"
#include "measure/order.h"
#include "measure/training_kind.h"
#include "rules/actions.h"
#include "rules/hyper/schedule_issues.h"
#include "rules/loss_support.h"
#include "rules/places.h"

namespace assay {

namespace {

constexpr double kNothing = 0.01;    // of the peak: a rate that trains nothing worth the steps
constexpr double kAsPlanned = 0.98;  // of the planned steps: the last record may be an interval before
constexpr double kUsualLeast = 0.1;  // of the peak
constexpr double kSameLength = 0.05;
constexpr double kSameFactor = 0.03;
// Loops that call a scheduler which somebody else made, and programs that run on them.
constexpr std::string_view kForeignScheduler[] = {"",         "accelerate", "hf-trainer", "diffusers", "axolotl",
                                                  "openrlhf", "deepspeed",  "lightning",  "xtuner",    "trlx"};
constexpr double kTelling = 4;     // a whole factor below it may be meant
constexpr double kUnended = 1.05;  // times the run: a decay that ends later than that

class SeenChecks {
 public:
  SeenChecks(const ScheduleCase& one, std::vector<Issue>& out) : one_(one), seen_(*one.seen), out_(out) {}

  void judge() {
    if (seen_.form == DecayForm::kRestarts) return restarts();
    if (seen_.still_rising) return rising();
    if (seen_.floor) return floor();
    if (came_to_its_end()) unended();
    long_warm_up();
  }

 private:
  bool falls() const {
    return seen_.form != DecayForm::kNone && seen_.form != DecayForm::kSteps && seen_.form != DecayForm::kRestarts;
  }

  double last() const { return static_cast<double>(seen_.last_step()); }

  // The rate was logged to the last record. Where it stops long before, nothing is known of what came after.
  bool logged_to_the_end() const {
    const Segment& segment = one_.run.segments[seen_.points.back().segment];
    const bool own = seen_.points.back().segment + 1 == one_.run.segments.size();
    return own && last() >= kAsPlanned * static_cast<double>(segment.last_step());
  }

  // The steps of the run up to here: from 0 on where the axis is one of steps, else those that are seen.
  double covered() const { return seen_.counts_steps ? last() : last() - static_cast<double>(seen_.first_step()) + 1; }

  bool came_to_its_end() const {
    if (seen_.counts_steps && one_.length) return last() >= kAsPlanned * one_.length->value;
    return std::any_of(one_.run.events.begin(), one_.run.events.end(), [&](const Event& event) {
      return event.kind == EventKind::kRunEnd && stands_at_end(one_.run, event);
    });
  }

  Location place_of(std::size_t from, std::size_t to) const {
    const RatePoint& begin = seen_.points[from];
    const RatePoint& end = seen_.points[to];
    const std::int64_t first =
        begin.segment == end.segment ? begin.step : std::max(begin.step, one_.run.segments[end.segment].first_step());
    return place(one_.run, end.segment, {std::min(first, end.step), end.step},
                 begin.segment == end.segment ? begin.line : end.line);
  }

  void add(Issue issue, std::size_t from, std::size_t to) {
    issue.where = place_of(from, to);
    const Series* series = one_.run.segments[seen_.points[to].segment].find(metric::kLearningRate);
    if (issue.severity != Severity::kNote && series != nullptr) {
      issue.evidence.insert(issue.evidence.begin(),
                            {{}, curve_of(*series, 0, series->size(), 60, issue.where.steps), {}});
    }
    out_.push_back(std::move(issue));
  }

  void floor() {
    const std::size_t n = seen_.points.size();
    const bool fades = fades_out();
    const double end = fades ? nothing_from() : *seen_.decay_end;
    if (!falls() || (!seen_.counts_steps && !seen_.from_start)) return;
    const double flat = last() - end;
    const double share = flat / std::max(covered(), 1.0);
    if (share < one_.set["rest"] || static_cast<double>(n - seen_.floor_from) < one_.set["records"]) return;
    Issue issue;
    const double least = *seen_.floor / seen_.peak;
    const bool idle = least < kNothing;
    // A form without an end is meant to fade.
    issue.severity = idle && !fades ? Severity::kWarning : Severity::kNote;
    issue.confidence = seen_.form == DecayForm::kUnclear ? 0.7 : 0.85;
    issue.impact = share;
    issue.message = {fades  ? "faded"
                     : idle ? "idle"
                            : "flat",
                     {{"step", count_value(end)},
                      {"last", seen_.last_step()},
                      {"rest", percent(share)},
                      {"least", *seen_.floor},
                      {"share", percent(least)}}};
    if (!fades) explain_early_end(end, issue);
    if (one_.length && !fades) {
      issue.actions.push_back(
          {{"as-long", {{"run", count_value(one_.length->value)}, {"unit", "steps"}, {"unit-zh", "步"}}}, ""});
    }
    std::size_t from = seen_.floor_from;
    while (from + 1 < n && static_cast<double>(seen_.points[from].step) < end) ++from;
    add(std::move(issue), from, n - 1);
  }

  // No floor is reached: what looks flat beside the peak still falls by its own measure (an exponential).
  bool fades_out() const {
    const bool ends =
        seen_.form == DecayForm::kLinear || seen_.form == DecayForm::kCosine || seen_.form == DecayForm::kSquareRoot;
    return !ends && *seen_.floor < kNothing * seen_.peak && seen_.points[seen_.floor_from].rate > 2 * *seen_.floor &&
           *seen_.floor > 0;
  }

  // The first step with a rate that trains nothing.
  double nothing_from() const {
    const auto first =
        std::ranges::find_if(seen_.points.begin() + static_cast<std::ptrdiff_t>(seen_.peak_to), seen_.points.end(),
                             [&](const RatePoint& one) { return one.rate < kNothing * seen_.peak; });
    return static_cast<double>(first->step);
  }

  // The end of the decay that was asked for, in steps.
  std::optional<Planned> asked_end(Issue& issue) const {
    if (const auto steps = one_.plan.told(setting::kDecaySteps)) {
      issue.evidence.push_back(asked_evidence(*steps));
      return steps;
    }
    const auto samples = one_.plan.told(setting::kDecaySamples);
    if (!samples && !one_.plan.told(setting::kDecayTokens)) return one_.length;
    const auto batch = one_.plan.told(setting::kGlobalBatchSize);
    const bool grows = one_.plan.setting(setting::kBatchRampup) != nullptr;
    if (!samples || !batch || !(batch->value > 0) || grows) return std::nullopt;
    issue.evidence.push_back(asked_evidence(*samples));
    Planned out = *samples;
    out.value /= batch->value;
    return out;
  }

  bool foreign_scheduler() const {
    const std::string trainer = trainer_of(one_.run);
    return std::ranges::any_of(kForeignScheduler, [&](std::string_view one) { return one == trainer; });
  }

  // Was it asked for, or is there a factor between what was asked for and what was drawn?
  void explain_early_end(double end, Issue& issue) const {
    if (!seen_.counts_steps || !(end > 0)) return;
    const auto expected = asked_end(issue);
    if (!expected || !foreign_scheduler()) return;
    const double factor = expected->value / end;
    if (std::fabs(factor - 1) <= kSameLength || factor < 1.5) return;
    for (const std::string_view key :
         {setting::kWorldSize, setting::kDataParallelSize, setting::kGradientAccumulation}) {
      const auto count = one_.plan.told(key);
      if (!count || count->value < 2 || std::fabs(factor / count->value - 1) > kSameFactor) continue;
      issue.severity = Severity::kWarning;
      issue.confidence = 0.85;
      issue.evidence.push_back({{"factor-known",
                                 {{"factor", count_value(count->value)},
                                  {"expected", count_value(expected->value)},
                                  {"what", std::string(key)}}},
                                {},
                                {}});
      issue.actions.push_back({{"scale-steps", {{"factor", count_value(count->value)}}}, ""});
      return;
    }
    const double whole = std::round(factor);
    if (whole < kTelling || std::fabs(factor / whole - 1) > kSameFactor / 2) return;
    issue.evidence.push_back(
        {{"factor", {{"factor", count_value(whole)}, {"expected", count_value(expected->value)}}}, {}, {}});
  }

  void unended() {
    if (!falls() || seen_.form == DecayForm::kUnclear) return;
    auto asked = one_.plan.min_learning_rate();
    // A default says less than the curve, and nothing of a program whose settings were not seen.
    const bool assumed = asked && asked->origin == Origin::kDefault;
    if (assumed && (seen_.decay_end || !one_.plan.told(setting::kLearningRate))) asked.reset();
    // Where nobody told the minimum: the one that fits, or the usual tenth.
    const double least = asked ? asked->value : kUsualLeast * seen_.peak;
    if (least >= seen_.last * (1 - kSameLength)) return;  // it is there
    const auto end = asked || !seen_.decay_end ? seen_.end_at(least) : seen_.decay_end;
    const double left = (seen_.last - least) / (seen_.peak - least);
    if (left < one_.set["left"] || (end && *end < kUnended * last())) return;
    // Without an end (1/sqrt, exponential) nobody asked for a lower rate.
    if (!end) return;
    Issue issue;
    issue.severity = left >= one_.set["left-much"] ? Severity::kWarning : Severity::kNote;
    issue.confidence = 0.8;
    issue.impact = 0.3;
    issue.message = {"unended",
                     {{"last", seen_.last_step()},
                      {"rate", seen_.last},
                      {"share", percent(seen_.last / seen_.peak)},
                      {"end", count_value(*end)}}};
    if (const auto decay = one_.plan.told(setting::kDecaySteps)) issue.evidence.push_back(asked_evidence(*decay));
    issue.actions.push_back({{"as-long", {{"run", seen_.last_step()}, {"unit", "steps"}, {"unit-zh", "步"}}}, ""});
    add(std::move(issue), seen_.points.size() - 1, seen_.points.size() - 1);
  }

  void rising() {
    const std::size_t n = seen_.points.size();
    const bool ended = came_to_its_end();
    // Warm-ups of pre-training take hundreds of steps and more.
    const bool usual = training_kind(one_.run) == TrainingKind::kPretraining;
    if (!logged_to_the_end()) return;
    if (!seen_.from_start || (!ended && (usual || static_cast<double>(n) < one_.set["rising"]))) return;
    Issue issue;
    issue.severity = ended ? Severity::kWarning : Severity::kNote;
    issue.confidence = ended ? 0.85 : 0.6;
    issue.impact = 0.5;
    const bool of_known = !ended && one_.length && seen_.counts_steps;
    issue.message = {ended      ? "never-warm"
                     : of_known ? "rising-of"
                                : "rising",
                     {{"last", seen_.last_step()}, {"rate", seen_.last}, {"records", n}}};
    if (of_known) issue.message.values.push_back({"run", count_value(one_.length->value)});
    if (const auto asked = one_.plan.told(setting::kWarmupSteps)) issue.evidence.push_back(asked_evidence(*asked));
    if (ended) issue.actions.push_back({{"shorter-warm-up", {}}, ""});
    add(std::move(issue), 0, n - 1);
  }

  void long_warm_up() {
    if (!seen_.warm_up || !seen_.from_start || !one_.length || !seen_.counts_steps) return;
    const double share = seen_.warm_up->end / one_.length->value;
    if (share <= one_.set["warm-up"]) return;
    Issue issue;
    issue.severity = share > 0.5 ? Severity::kWarning : Severity::kNote;
    issue.confidence = 0.75;
    issue.impact = share;
    issue.message = {"warm-up",
                     {{"step", count_value(seen_.warm_up->end)},
                      {"run", count_value(one_.length->value)},
                      {"share", percent(share)}}};
    issue.actions.push_back({{"shorter-warm-up", {}}, ""});
    add(std::move(issue), 0, seen_.peak_from);
  }

  void restarts() {
    const std::string word = one_.plan.word(setting::kSchedule);
    for (const std::string_view asked : {"restart", "cycl", "sgdr", "plateau", "hard", "wave"}) {
      if (word.find(asked) != std::string::npos) return;
    }
    Issue issue;
    issue.severity = Severity::kNote;
    issue.confidence = 0.7;
    const std::size_t at = seen_.climbs.front();
    issue.message = {seen_.climbs.size() == 1 ? "climbs" : "climbs-often",
                     {{"step", seen_.points[at].step},
                      {"low", seen_.points[at > 0 ? at - 1 : 0].rate},
                      {"peak", seen_.peak},
                      {"times", seen_.climbs.size()}}};
    add(std::move(issue), at, seen_.points[at].segment == seen_.points.back().segment ? seen_.points.size() - 1 : at);
  }

  const ScheduleCase& one_;
  const SeenSchedule& seen_;
  std::vector<Issue>& out_;
};

}  // namespace

void judge_seen_schedule(const ScheduleCase& one, std::vector<Issue>& out) {
  if (one.seen && one.seen->points.size() >= 3) SeenChecks(one, out).judge();
}

}  // namespace assay
