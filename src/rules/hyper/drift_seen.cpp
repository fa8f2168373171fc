// Settings against the traces that they leave in the log.
//
// A trace is what acted; a setting is what somebody believed. Each pair has a tolerance that is what the log cannot
// show: digits that were not printed, steps between two records, what a program rounds. Beyond it the two contradict
// each other, and a ratio that is a number of ranks, of accumulation, or of samples in a batch names the unit that was
// mixed up.
//
//   learning rate   the greatest that was logged, if the log begins with the training and its warm-up is over
//   warm-up         the step at which the peak was reached, or its length by the slope
//   least rate      the rate at which the drawn decay stays
//   global batch    growth of the consumed samples, by steps; the batch that is printed with the records
//   length          the number of steps that the log plans, or has reached
//   sequence        consumed tokens by consumed samples
//   precision       a loss scale that moves is one of fp16; losses on a grid of 8 bits were rounded to bf16
//   clip            norms that pile up at one value were cut there
//
// How a decay fits the run is for schedule-mismatch to say.

#include <algorithm>
#include <cmath>
#include <string_view>

#include "assay/metric.h"
#include "assay/setting.h"
#include "measure/scaler.h"
#include "measure/seen_batch.h"
#include "measure/seen_clip.h"
#include "measure/training_kind.h"
#include "rules/hyper/drift_issues.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/said_places.h"
#include "stat/quantum.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 8;     // records of a learning rate
constexpr double kSameFactor = 0.03;   // of a ratio that is to be a number of ranks
constexpr std::size_t kForGrid = 100;  // losses
constexpr int kBrainBits = 8;          // of bfloat16
constexpr double kMultiplier = 0.5;    // a "rate" above it beside a small one that was asked for is a factor on it

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class Traces {
 public:
  Traces(const DriftCase& one, std::vector<Issue>& out) : one_(one), run_(one.run), plan_(one.plan), out_(out) {}

  void judge() {
    if (one_.seen && one_.seen->points.size() >= kFewest) {
      rate();
      warm_up();
      least_rate();
    }
    batch();
    length();
    sequence();
    precision();
    clip();
  }

 private:
  // `asked` has the word of the sentence, `where` is in the log. The finding stands at the setting.
  Issue& add(std::string_view key, Severity severity, double confidence, const Planned& asked, Values values,
             Location where) {
    Issue issue;
    issue.severity = severity;
    issue.confidence = asked.origin == Origin::kSaid ? confidence : confidence - 0.15;
    issue.impact = severity == Severity::kNote ? 0.1 : 0.5;
    issue.message = {std::string(key), {{"written", asked.written}, {"said", asked.value}}};
    for (auto& value : values) issue.message.values.push_back(std::move(value));
    const bool has_place = !asked.where.path.empty();
    issue.evidence.push_back({{"seen-at", {}}, {}, where});
    issue.where = has_place ? asked.where : where;
    if (severity != Severity::kNote) issue.actions.push_back({{"believe-the-log", {{"written", asked.written}}}, ""});
    out_.push_back(std::move(issue));
    return out_.back();
  }

  Location rate_place(std::size_t from, std::size_t to) const {
    const RatePoint& begin = one_.seen->points[from];
    const RatePoint& end = one_.seen->points[to];
    const std::int64_t first = begin.segment == end.segment ? begin.step : end.step;
    return place(run_, end.segment, {first, end.step}, begin.segment == end.segment ? begin.line : end.line);
  }

  // A ratio that is one of the numbers of the run.
  void explain(double ratio, Issue& issue) const {
    const double factor = ratio >= 1 ? ratio : 1 / ratio;
    if (factor < 1.5) return;
    for (const std::string_view key :
         {setting::kWorldSize, setting::kDataParallelSize, setting::kGradientAccumulation, setting::kGlobalBatchSize}) {
      const auto count = plan_.told(key);
      if (!count || count->value < 2) continue;
      const bool whole = std::fabs(factor / count->value - 1) <= kSameFactor;
      const bool root = std::fabs(factor * factor / count->value - 1) <= kSameFactor;
      if (!whole && !root) continue;
      issue.evidence.push_back({{whole ? "factor" : "root",
                                 {{"factor", Value(factor, Unit::kTimes)},
                                  {"what", std::string(key)},
                                  {"count", count_value(count->value)}}},
                                {},
                                {}});
      return;
    }
  }

  // Some setting that speaks of a learning rate says the number that was seen: of several groups of parameters.
  bool said_by_another(double seen, double tolerance) const {
    return std::any_of(run_.config.settings.begin(), run_.config.settings.end(), [&](const Setting& one) {
      const std::string name = last_name(one.written.empty() ? one.key : one.written);
      if (one.key != setting::kLearningRate && !holds(name, "lr") && !holds(name, "learning_rate")) return false;
      const auto number = one.number();
      return number && std::fabs(*number - seen) <= tolerance * seen;
    });
  }

  void rate() {
    const SeenSchedule& seen = *one_.seen;
    const auto asked = plan_.told(setting::kLearningRate);
    if (!asked || !(asked->value > 0) || !seen.from_start || seen.still_rising) return;
    const std::string way = plan_.word(setting::kSchedule);
    if (holds(way, "noam") || holds(way, "rsqrt") || holds(way, "transformer")) return;  // the number is a factor
    if (seen.peak >= kMultiplier && asked->value < kMultiplier) return;
    const double digits = seen.quantum / seen.peak;
    const double tolerance = std::max(one_.set["rate"], digits);
    if (said_by_another(seen.peak, tolerance)) return;
    // The peak may lie between two records, or before the first.
    const auto& points = seen.points;
    const std::size_t at = seen.peak_from;
    const double width = static_cast<double>(record_spacing(run_.segments[points.front().segment]));
    double hidden = 0;
    if (seen.peak_to == at && at > 0) hidden = points[at].rate - points[at - 1].rate;
    if (at == 0 && points.size() > 1) {
      hidden = (points[0].rate - points[1].rate) * (static_cast<double>(points[0].step) / width + 1);
    }
    if (asked->value > seen.peak && asked->value <= seen.peak * (1 + tolerance) + std::fabs(hidden)) return;
    const double ratio = seen.peak / asked->value;
    const bool far = ratio > one_.set["rate-far"] || ratio < 1 / one_.set["rate-far"];
    Issue& issue = add("rate", far ? Severity::kWarning : Severity::kNote, 0.85, *asked,
                       {{"seen", seen.peak}, {"ratio", Value(ratio >= 1 ? ratio : 1 / ratio, Unit::kTimes)}},
                       rate_place(at, std::max(at, seen.peak_to)));
    if (ratio < 1) {
      issue.message.key = "rate-lower";
      issue.message.values.back().second = percent(ratio);
    }
    explain(ratio, issue);
  }

  void warm_up() {
    const SeenSchedule& seen = *one_.seen;
    const auto asked = plan_.told(setting::kWarmupSteps);
    if (!asked || !(asked->value >= 1) || !seen.from_start || !seen.counts_steps || seen.still_rising) return;
    if (plan_.setting(setting::kBatchRampup) != nullptr) return;  // counted in samples of the whole batch
    const double width = static_cast<double>(record_spacing(run_.segments[seen.points.front().segment]));
    const double slack = std::max({one_.set["warm-up"] * asked->value, 2.0, 2 * width});
    if (!seen.warm_up) {
      const bool visible = 4 * width <= asked->value && 4.0 * static_cast<double>(seen.first_step()) <= asked->value;
      if (!visible || seen.peak_from > 0) return;
      add("no-warm-up", Severity::kWarning, 0.8, *asked, {{"seen", seen.first}}, rate_place(0, 0));
      return;
    }
    const WarmUp& warm = *seen.warm_up;
    const auto near = [&](double steps) { return std::fabs(steps - asked->value) <= slack; };
    if (near(warm.end) || (warm.linear && near(warm.length))) return;
    if (!warm.linear && asked->value >= static_cast<double>(warm.not_before) - slack &&
        asked->value <= static_cast<double>(warm.not_after) + slack) {
      return;
    }
    const double ratio = warm.end / asked->value;
    const bool far = ratio >= one_.set["warm-up-far"] || ratio <= 1 / one_.set["warm-up-far"];
    Issue& issue = add("warm-up", far ? Severity::kWarning : Severity::kNote, 0.8, *asked,
                       {{"seen", count_value(warm.end)}}, rate_place(0, seen.peak_from));
    explain(ratio, issue);
  }

  void least_rate() {
    const SeenSchedule& seen = *one_.seen;
    const auto asked = plan_.min_learning_rate();
    if (!asked || asked->origin == Origin::kDefault || !seen.floor || seen.form == DecayForm::kSteps) return;
    const double slack = std::max({0.05 * asked->value, 2 * seen.quantum, 0.01 * seen.peak});
    if (std::fabs(*seen.floor - asked->value) <= slack) return;
    add("least-rate", Severity::kNote, 0.7, *asked, {{"seen", *seen.floor}},
        rate_place(seen.floor_from, seen.points.size() - 1));
  }

  void batch() {
    const auto asked = plan_.told(setting::kGlobalBatchSize);
    if (!asked || !(asked->value > 0) || training_kind(run_) == TrainingKind::kPreference) return;
    const auto seen = seen_batch(run_, metric::kConsumedSamples);
    if (!seen || !seen->steady) return;
    if (std::fabs(seen->last - asked->value) <= one_.set["batch"] * asked->value) return;
    const bool ramp = plan_.setting(setting::kBatchRampup) != nullptr;
    if ((ramp || seen->grows) && seen->last < asked->value) return;  // on its way
    const bool said = asked->origin == Origin::kSaid;
    Issue& issue = add("batch", said ? Severity::kWarning : Severity::kNote, 0.85, *asked, {{"seen", seen->last}},
                       place(run_, seen->segment, seen->steps, seen->line));
    explain(seen->last / asked->value, issue);
  }

  void length() {
    const auto asked = plan_.told(setting::kTrainSteps);
    if (!asked || asked->origin != Origin::kSaid || !(asked->value > 0) ||
        !counts_steps(run_, run_.segments.size() - 1)) {
      return;
    }
    const Segment& last = run_.segments.back();
    if (last.empty()) return;
    const Location where =
        place(run_, run_.segments.size() - 1, {last.last_step(), last.last_step()}, last.rows->line.back());
    if (run_.planned_steps &&
        std::fabs(static_cast<double>(*run_.planned_steps) - asked->value) > 0.01 * asked->value) {
      add("planned", Severity::kNote, 0.75, *asked, {{"seen", *run_.planned_steps}}, where);
    } else if (static_cast<double>(last.last_step()) >
               1.01 * asked->value + static_cast<double>(record_spacing(last))) {
      add("beyond", Severity::kNote, 0.75, *asked, {{"seen", last.last_step()}}, where);
    }
  }

  void sequence() {
    const auto asked = plan_.told(setting::kSequenceLength);
    const auto samples = seen_batch(run_, metric::kConsumedSamples);
    const auto tokens = seen_batch(run_, metric::kConsumedTokens);
    if (!asked || !samples || !tokens || !samples->steady || !tokens->steady || tokens->segment != samples->segment)
      return;
    const double seen = tokens->last / samples->last;
    if (std::fabs(seen - asked->value) <= one_.set["batch"] * asked->value) return;
    add("sequence", Severity::kNote, 0.7, *asked, {{"seen", std::round(seen)}},
        place(run_, tokens->segment, tokens->steps, tokens->line));
  }

  // The setting that tells the precision.
  Planned precision_setting() const {
    Planned out;
    for (const std::string_view key : {setting::kPrecision, setting::kBf16, setting::kFp16, setting::kParamsDtype}) {
      const Setting* one = plan_.setting(key);
      if (one == nullptr || one->value == "false" || one->value == "False") continue;
      out.where = one->where;
      out.written = one->written.empty() ? one->key : one->written;
      break;
    }
    return out;
  }

  void precision() {
    const std::string& asked = plan_.precision();
    if (asked != "bf16" && asked != "fp32") return;
    const Planned setting = precision_setting();
    if (setting.written.empty()) return;
    for (std::size_t i = 0; i < run_.segments.size(); ++i) {
      const ScalerHistory scaler = scaler_history(run_, i);
      if (!scaler.logged || scaler.moves.empty()) continue;
      const ScaleMove& move = scaler.moves.front();
      Issue& issue = add("scaled", Severity::kWarning, 0.8, setting,
                         {{"asked", asked}, {"before", scale_value(move.before)}, {"after", scale_value(move.after)}},
                         place(run_, i, move.steps, move.line));
      std::erase_if(issue.message.values, [](const auto& value) { return value.first == "said"; });
      return;
    }
    if (asked != "fp32") return;
    for (std::size_t i = 0; i < run_.segments.size(); ++i) {
      const Series* loss = run_.segments[i].find(metric::kLoss);
      if (loss == nullptr || loss->size() < kForGrid) continue;
      const auto grid = find_quantum(loss->values.span());
      if (!grid || !grid->binary || grid->binary->bits != kBrainBits) continue;
      add("rounded", Severity::kNote, 0.75, setting, {{"asked", asked}, {"records", loss->size()}},
          place(run_, i, {loss->first_step(), loss->last_step()}, loss->line(0)));
      return;
    }
  }

  void clip() {
    const auto asked = plan_.told(setting::kClipNorm);
    if (!asked || !(asked->value > 0)) return;
    for (std::size_t i = 0; i < run_.segments.size(); ++i) {
      const auto norms = seen_norms(run_, i);
      if (!norms || !norms->piled_at) continue;
      if (std::fabs(*norms->piled_at - asked->value) <= std::max(0.05 * asked->value, norms->quantum)) continue;
      add("clip", Severity::kWarning, 0.8, *asked,
          {{"seen", *norms->piled_at}, {"records", norms->at_pile.hits}, {"of", norms->at_pile.total}},
          place(run_, i, norms->steps, norms->line));
      return;
    }
  }

  const DriftCase& one_;
  const Run& run_;
  const Plan& plan_;
  std::vector<Issue>& out_;
};

}  // namespace

void judge_traces(const DriftCase& one, std::vector<Issue>& out) {
  if (one.run.has_begun()) Traces(one, out).judge();
}

}  // namespace assay
