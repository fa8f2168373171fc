// The schedule that was asked for against the one that the log draws: peak, warm-up, decay, least rate, form.
//
// The learning rate is the setting with the clearest trace: it is computed, not measured. Each comparison needs that
// its part of the schedule was drawn: the peak, that the warm-up is over; the end of a decay, that it was reached; a
// form, that most of the way was fallen. What the fit of the schedule to the length of the run means is for
// schedule-mismatch to say; here only what was asked for and did not act.
//
//   peak       beyond `rate`; across a restart, against the rate before it; of an excerpt, at each step
//   warm-up    its end, or its length by the slope; one that was asked to be none
//   decay      its end, where the curve tells it, in steps
//   least      the rate at which the decay stays, or below which it falls
//   form       a constant where a decay was asked for; a line where a cosine was, and the other way round

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/ascii.h"
#include "core/axis.h"
#include "measure/resumes.h"
#include "measure/scaler.h"
#include "rules/hyper/drift_traces.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/said_places.h"

namespace assay {

namespace {

constexpr std::size_t kFewest = 8;   // records of a learning rate
constexpr double kAsPlanned = 0.98;  // of the planned steps: the last record may be an interval before
constexpr double kOneFactor = 1.1;   // times: what is off by one factor, with other digits and a step more or less
constexpr double kFarOff = 2;        // times
constexpr double kRounding = 1e-6;   // steps, of a product of decimals
constexpr double kFine = 0.02;       // of the peak, of a print that shows a form
constexpr double kMultiplier = 0.5;  // a "rate" above it beside a small one that was asked for is a factor on it

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class ScheduleTraces : DriftTraces {
 public:
  using DriftTraces::DriftTraces;

  void judge() {
    excerpt();
    if (!one_.seen || one_.seen->points.size() < kFewest) return;
    rate();
    warm_up();
    decay();
    least_rate();
    form();
  }

 private:
  Location rate_place(std::size_t from, std::size_t to) const {
    const RatePoint& begin = one_.seen->points[from];
    const RatePoint& end = one_.seen->points[to];
    const std::int64_t first = begin.segment == end.segment ? begin.step : end.step;
    return place(run_, end.segment, {first, end.step}, begin.segment == end.segment ? begin.line : end.line);
  }

  // The rate that the settings ask for at a step; nothing where they do not tell a whole line or cosine.
  std::optional<double> asked_at(double step, const Planned& peak) const {
    const std::string word = plan_.word(setting::kSchedule);
    const bool cosine = holds(word, "cos");
    if (!cosine && !holds(word, "linear")) return std::nullopt;
    if (holds(word, "restart") || plan_.setting(setting::kBatchRampup) != nullptr) return std::nullopt;
    const auto decay = plan_.told(setting::kDecaySteps);
    const auto end = decay ? decay : plan_.told(setting::kTrainSteps);
    const auto warm = plan_.told(setting::kWarmupSteps);
    const auto least = plan_.min_learning_rate();
    if (!end || !warm || !least || !(step > warm->value) || !(step < end->value)) return std::nullopt;
    const double x = (step - warm->value) / (end->value - warm->value);
    const double way = cosine ? 0.5 * (1 + std::cos(std::numbers::pi * x)) : 1 - x;
    return least->value + (peak.value - least->value) * way;
  }

  // Of a log that does not begin with the training, the rate at each step is compared with the one asked for there: all
  // have to be off by one factor, since a curve of another form or length is off by many.
  void excerpt() {
    const std::vector<RatePoint> points = rates_of(run_);
    const auto asked = plan_.told(setting::kLearningRate);
    if (points.size() < 2 || !asked || !(asked->value > 0)) return;
    if (one_.seen && one_.seen->from_start && points.size() >= kFewest) return;  // rate() sees its peak
    const Segment& part = run_.segments[points.front().segment];
    if (axis_of(part.axis, part.last_step()) != Axis::kStep) return;
    double low = INFINITY;
    double high = 0;
    for (const RatePoint& one : points) {
      const auto expected = asked_at(static_cast<double>(one.step), *asked);
      if (!expected || !(*expected > 0) || !(one.rate > 0)) return;
      low = std::min(low, one.rate / *expected);
      high = std::max(high, one.rate / *expected);
    }
    if (high > kOneFactor * low || (low < kFarOff && high > 1 / kFarOff)) return;
    if (said_by_another(points.front().rate, one_.set["rate"])) return;
    const RatePoint& first = points.front();
    Issue& issue = add(
        "rate-at", Severity::kWarning, 0.75, *asked,
        {{"step", first.step}, {"expected", *asked_at(static_cast<double>(first.step), *asked)}, {"seen", first.rate}},
        place(run_, first.segment, {first.step, first.step}, first.line));
    explain(high, Of::kRate, issue);
  }

  // Some setting that speaks of a learning rate says the number that was seen: of several groups of parameters.
  bool said_by_another(double seen, double tolerance) const {
    return std::any_of(run_.config.settings.begin(), run_.config.settings.end(), [&](const Setting& one) {
      const std::string name = last_name(one.written.empty() ? one.key : one.written);
      if (one.key != setting::kLearningRate && !holds(name, "lr") && !holds(name, "learning_rate")) return false;
      if (one.key == setting::kMinLearningRate) return false;
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
    if (restarted_with_another(*asked)) return;
    const double ratio = seen.peak / asked->value;
    const bool far = ratio > one_.set["rate-far"] || ratio < 1 / one_.set["rate-far"];
    Issue& issue = add("rate", far ? Severity::kWarning : Severity::kNote, 0.85, *asked,
                       {{"seen", seen.peak}, {"ratio", Value(ratio >= 1 ? ratio : 1 / ratio, Unit::kTimes)}},
                       rate_place(at, std::max(at, seen.peak_to)));
    if (ratio < 1) {
      issue.message.key = "rate-lower";
      issue.message.values.back().second = percent(ratio);
    }
    explain(ratio, Of::kRate, issue);
  }

  // The rate at a step of the run, or right before it: before or from a row of a segment on.
  std::optional<RatePoint> rate_before(const Resume& resume) const {
    std::optional<RatePoint> out;
    for (std::size_t i = 0; i <= resume.segment; ++i) {
      const Series* rate = run_.segments[i].find(metric::kLearningRate);
      if (rate == nullptr) continue;
      for (std::size_t k = 0; k < rate->size(); ++k) {
        if (rate->step(k) > resume.first || (i == resume.segment && rate->line(k) >= resume.line)) continue;
        if (!out || rate->step(k) >= out->step) out = RatePoint{rate->step(k), rate->value(k), rate->line(k), i};
      }
    }
    return out;
  }

  // A restart changed the rate: the factor is the one across it, not that of the greatest to what was asked for.
  bool restarted_with_another(const Planned& asked) {
    const std::vector<Resume> resumes = find_resumes(run_);
    for (auto resume = resumes.rbegin(); resume != resumes.rend(); ++resume) {
      const auto& points = one_.seen->points;
      const auto first = std::ranges::find_if(points, [&](const RatePoint& one) {
        return one.segment == resume->segment && one.step >= resume->first && one.line >= resume->line;
      });
      const auto before = rate_before(*resume);
      if (first == points.end() || !before || !(before->rate > 0) || !(first->rate > 0)) continue;
      const double ratio = first->rate / before->rate;
      if (std::max(ratio, 1 / ratio) < one_.set["rate-far"]) continue;
      const auto at = static_cast<std::size_t>(first - points.begin());
      add(ratio > 1 ? "restart-rate" : "restart-rate-lower", Severity::kWarning, 0.85, asked,
          {{"step", first->step},
           {"before", before->rate},
           {"seen", first->rate},
           {"ratio", ratio > 1 ? Value(ratio, Unit::kTimes) : percent(ratio)}},
          rate_place(at, at));
      return true;
    }
    return false;
  }

  // How long the run is by the log: as it says, or by the end of the curve that it drew to its last record.
  std::optional<double> drawn_length() const {
    const SeenSchedule& seen = *one_.seen;
    const double last = static_cast<double>(seen.last_step());
    if (seen.decay_end && clear_form() && std::fabs(*seen.decay_end / last - 1) <= one_.set["decay"]) {
      return seen.decay_end;
    }
    if (!run_.planned_steps || last > static_cast<double>(*run_.planned_steps)) return std::nullopt;
    return static_cast<double>(*run_.planned_steps);
  }

  // A warm-up that is a share of the run: in steps, where the settings or the log tell how long the run is.
  std::optional<Planned> asked_warm_up() const {
    if (const auto steps = plan_.told(setting::kWarmupSteps); steps && steps->value > 0) return steps;
    const auto share = plan_.told(setting::kWarmupFraction);
    const auto length = drawn_length();
    if (!share || !(share->value > 0 && share->value < 1) || !length) return std::nullopt;
    Planned out = *share;
    out.value = std::ceil(share->value * std::round(*length) - kRounding);
    out.origin = Origin::kDerived;
    return out;
  }

  void warm_up() {
    const SeenSchedule& seen = *one_.seen;
    if (!seen.from_start || !seen.counts_steps) return;
    if (plan_.setting(setting::kBatchRampup) != nullptr) return;  // counted in samples of the whole batch
    const auto asked = asked_warm_up();
    if (!asked) return unasked_warm_up();
    if (!(asked->value >= 1) || seen.still_rising) return;
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
    warm_up_differs(*asked);
  }

  void warm_up_differs(const Planned& asked) {
    const SeenSchedule& seen = *one_.seen;
    const double ratio = seen.warm_up->end / asked.value;
    const bool far = ratio >= one_.set["warm-up-far"] || ratio <= 1 / one_.set["warm-up-far"];
    const bool share = asked.key == setting::kWarmupFraction;
    // The steps that a log plans may be those of an epoch; a curve that is over is the whole run.
    const bool sure = far && (!share || seen.decay_end);
    Issue& issue =
        add(share ? "warm-up-share" : "warm-up", sure ? Severity::kWarning : Severity::kNote, share ? 0.9 : 0.8, asked,
            {{"seen", count_value(seen.warm_up->end)}}, rate_place(0, seen.peak_from));
    if (share) {
      issue.message.values.push_back({"share", percent(plan_.told(setting::kWarmupFraction)->value)});
      issue.message.values.push_back({"run", count_value(std::round(*drawn_length()))});
    }
    explain(ratio, Of::kCount, issue);
  }

  // Said to be none, in every unit in which it was said, and yet there is one. A program may begin below its peak for a
  // few steps; forms that have a rise of their own are left out.
  void unasked_warm_up() {
    const SeenSchedule& seen = *one_.seen;
    if (!seen.warm_up || !seen.warm_up->linear || seen.peak_from < kFewest) return;
    if (seen.warm_up->from > seen.peak / 2 || !plain_form()) return;
    const Setting* none = nullptr;
    for (const Setting& one : run_.config.settings) {
      if (!holds(one.key, "warmup") || one.value == "None" || one.value == "null") continue;
      if (!one.unknown.empty() || one.number() != 0.0) return;
      none = &one;
    }
    if (none == nullptr) return;
    Planned asked;
    asked.key = none->key;
    asked.written = none->written.empty() ? none->key : none->written;
    asked.where = none->where;
    add("unasked-warm-up", Severity::kWarning, 0.85, asked, {{"seen", count_value(seen.warm_up->end)}},
        rate_place(0, seen.peak_from));
  }

  // One whose rate rises in the warm-up alone.
  bool plain_form() const {
    const std::string word = plan_.word(setting::kSchedule);
    return holds(word, "constant") || holds(word, "cos") || holds(word, "linear") || holds(word, "poly");
  }

  void least_rate() {
    const SeenSchedule& seen = *one_.seen;
    const auto asked = plan_.min_learning_rate();
    if (!asked || asked->origin == Origin::kDefault || seen.form == DecayForm::kSteps) return;
    const double slack = std::max({0.05 * asked->value, 2 * seen.quantum, 0.01 * seen.peak});
    const Location end = rate_place(seen.floor ? seen.floor_from : seen.points.size() - 1, seen.points.size() - 1);
    if (!seen.floor) {
      // It may still fall: only what lies below is known.
      const bool falls = seen.form != DecayForm::kNone && seen.form != DecayForm::kRestarts && !seen.still_rising;
      if (!falls || seen.last >= asked->value - slack) return;
      if (asked->value > seen.peak) {
        add("least-above-peak", Severity::kWarning, 0.85, *asked, {{"seen", seen.peak}},
            rate_place(seen.peak_from, seen.peak_to));
        return;
      }
      add("least-below", Severity::kNote, 0.8, *asked, {{"seen", seen.last}}, end);
      return;
    }
    if (std::fabs(*seen.floor - asked->value) <= slack) return;
    add("least-rate", Severity::kNote, 0.7, *asked, {{"seen", *seen.floor}}, end);
  }

  // Where the run was at the minimum for long, schedule-mismatch speaks, and tells what was asked for.
  void decay() {
    const SeenSchedule& seen = *one_.seen;
    const auto asked = plan_.told(setting::kDecaySteps);
    if (!asked || asked->origin == Origin::kDefault || !(asked->value > 0)) return;
    if (!seen.from_start || !seen.counts_steps || !seen.decay_end || !clear_form()) return;
    const double last = static_cast<double>(seen.last_step());
    const double end = *seen.decay_end;
    // Seen to its end: not by a curve alone, and not long before the run ended.
    if (end > last * (1 + one_.set["decay"]) || end < last * (1 - 2 * one_.set["decay"])) return;
    const double width = static_cast<double>(record_spacing(run_.segments[seen.points.back().segment]));
    const double warm = seen.warm_up ? seen.warm_up->end : 0;
    // Some programs count from the end of the warm-up.
    const double off = std::min(std::fabs(asked->value - end), std::fabs(asked->value + warm - end));
    if (off <= std::max(one_.set["decay"] * asked->value, 3 * width)) return;
    const double ratio = end / asked->value;
    const bool far = ratio >= one_.set["decay-far"] || ratio <= 1 / one_.set["decay-far"];
    Issue& issue = add("decay", far ? Severity::kWarning : Severity::kNote, 0.8, *asked, {{"seen", count_value(end)}},
                       rate_place(seen.peak_to, seen.points.size() - 1));
    explain(ratio, Of::kCount, issue);
  }

  bool clear_form() const { return one_.seen->form == DecayForm::kLinear || one_.seen->form == DecayForm::kCosine; }

  // Some source says a form that fits: which of several acted, the log shows.
  bool said_too(std::string_view part) const {
    return std::ranges::any_of(run_.config.settings, [&](const Setting& one) {
      if (one.key != setting::kSchedule) return false;
      return holds(lower(one.value), part);
    });
  }

  void form() {
    const SeenSchedule& seen = *one_.seen;
    const Setting* said = plan_.setting(setting::kSchedule);
    if (said == nullptr || !seen.counts_steps || !seen.from_start || seen.still_rising) return;
    const std::string word = plan_.word(setting::kSchedule);
    const bool asked_cosine = holds(word, "cos");
    const bool asked_line = holds(word, "linear") && !asked_cosine;
    if ((!asked_cosine && !asked_line) || holds(word, "restart") || holds(word, "constant")) return;
    Planned asked;
    asked.key = said->key;
    asked.written = said->written.empty() ? said->key : said->written;
    asked.where = said->where;
    const Location drawn = rate_place(seen.peak_from, seen.points.size() - 1);
    if (seen.form == DecayForm::kNone) {
      if (constant_to_the_end() && !said_too("constant"))
        with_word("constant", Severity::kWarning, asked, *said, drawn);
      return;
    }
    // Half of the way and more, printed finely: a line is no cosine there.
    if (!clear_form() || seen.last > seen.peak / 2 || seen.quantum > kFine * seen.peak) return;
    const bool line = seen.form == DecayForm::kLinear;
    if (line == asked_line || said_too(line ? "linear" : "cos") || said_too("poly")) return;
    with_word(line ? "line" : "cosine", Severity::kNote, asked, *said, drawn);
  }

  void with_word(std::string_view key, Severity severity, const Planned& asked, const Setting& said, Location drawn) {
    Issue& issue = add(key, severity, 0.8, asked, {{"word", said.value}}, std::move(drawn));
    std::erase_if(issue.message.values, [](const auto& value) { return value.first == "said"; });
  }

  // At the peak at the planned end, where the form that was asked for would have fallen.
  bool constant_to_the_end() const {
    const SeenSchedule& seen = *one_.seen;
    const auto steps = plan_.told(setting::kTrainSteps);
    double planned = steps ? steps->value : 0;
    if (run_.planned_steps) planned = static_cast<double>(*run_.planned_steps);
    const double last = static_cast<double>(seen.last_step());
    if (!(planned > 0) || last < kAsPlanned * planned) return false;
    const auto asked = plan_.told(setting::kDecaySteps);
    if (asked && asked->value > 1.5 * last) return false;
    const auto least = plan_.min_learning_rate();
    return !least || least->value < seen.peak / 2;
  }
};

}  // namespace

void judge_drawn_schedule(const DriftCase& one, std::vector<Issue>& out) { ScheduleTraces(one, out).judge(); }

}  // namespace assay
