// What acts, where several places tell it.
//
// What acted is in the log; what was asked for is in the settings; what a framework takes where nobody asks may differ
// in the version at hand. They count in this order. llm.c's default is no warm-up to a learning rate of 3e-4; a log of
// its that rises to 6e-4 in 700 steps says that both were set. So a default alone is never a fault. Only where a script
// or a configuration tells the settings is what it leaves out left to the framework, and that may be worth a note,
// which says that it is one.
//
// A log may outrank a setting only where it can be sure. A rate above the one that was asked for acted, wherever it is
// seen. A smaller one is the peak only where the log begins with the run and shows the peak passed: an excerpt shows
// less of a schedule than there is.

#include "rules/hyper/acting_settings.h"

#include <algorithm>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "measure/scaler.h"
#include "measure/training_kind.h"
#include "rules/places.h"

namespace assay {

std::optional<LoggedPeak> logged_peak(const Run& run) {
  std::optional<LoggedPeak> out;
  for (std::size_t i = 0; i < run.segments.size(); ++i) {
    const Series* rate = run.segments[i].find(metric::kLearningRate);
    if (rate == nullptr || rate->empty()) continue;
    if (!out) out = LoggedPeak{i, 0, 0, rate->value(0)};
    for (std::size_t k = 0; k < rate->size(); ++k) {
      if (std::isfinite(rate->value(k)) && rate->value(k) > out->rate) {
        out->segment = i;
        out->index = k;
        out->rate = rate->value(k);
      }
    }
  }
  return out;
}

namespace {

constexpr double kSameRate = 0.02;  // what four printed digits and a unit's rounding may differ by

// The log shows the rate from the beginning of training until after its peak.
bool shows_whole_rise(const Run& run, const LoggedPeak& peak) {
  if (!run.has_begun() || !begins_at_start(run, 0) || peak.segment != 0) return false;
  const Series& rate = *run.segments.front().find(metric::kLearningRate);
  const bool rises = peak.index > 0 || rate.first_step() <= 1;
  return rises && (rate.value(rate.size() - 1) < peak.rate || rate.size() > 2 * (peak.index + 1));
}

}  // namespace

std::optional<ActingRate> acting_rate(const Plan& plan) {
  const Run& run = plan.run();
  const auto told = plan.told(setting::kLearningRate);
  const auto peak = logged_peak(run);
  const bool logged = peak && peak->rate > 0;
  const bool more = logged && told && peak->rate > (1 + kSameRate) * told->value;
  const bool less = logged && told && peak->rate < (1 - kSameRate) * told->value && shows_whole_rise(run, *peak);
  if (told && !more && !less) return ActingRate{told->value, named(*told), where_said(*told)};
  if (!logged) return std::nullopt;
  const Series& series = *run.segments[peak->segment].find(metric::kLearningRate);
  const std::int64_t step = series.step(peak->index);
  return ActingRate{peak->rate, Value(series.printed_as),
                    place(run, peak->segment, {step, step}, series.line(peak->index))};
}

std::optional<std::int64_t> logged_warmup(const Run& run) {
  if (!run.has_begun() || run.segments.front().empty()) return std::nullopt;
  const Segment& first = run.segments.front();
  const Series* rate = first.find(metric::kLearningRate);
  if (rate == nullptr || rate->size() < 2 || !begins_at_start(run, 0) || !counts_steps(run, 0)) return std::nullopt;
  const auto end = warmup_end_row(first);
  return end ? first.rows->step[*end] - rate->first_step() : 0;
}

bool settings_are_whole(const Run& run) {
  if (!run.has_begun()) return true;
  return std::any_of(run.sources.begin(), run.sources.end(),
                     [](const Source& one) { return one.role == SourceRole::kSettings; });
}

std::optional<Planned> told_or_default(const Plan& plan, std::string_view key) {
  auto number = plan.find(key);
  if (number && number->origin == Origin::kDefault && !settings_are_whole(plan.run())) return std::nullopt;
  return number;
}

void add_default(const Plan& plan, const Planned& number, Finding& finding) {
  if (number.origin != Origin::kDefault) return;
  finding.evidence.push_back(
      {{"default", {{"key", number.key}, {"value", number.value}, {"framework", plan.framework()}}}, {}, {}});
}

std::optional<Location> where_said(const Planned& number) {
  if (number.where.path.empty()) return std::nullopt;
  return number.where;
}

Value named(const Planned& number) { return Value(number.written.empty() ? number.key : number.written); }

}  // namespace assay
