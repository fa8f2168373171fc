// Settings against the traces that they leave in the log.
//
// A trace is what acted; a setting is what somebody believed. Each pair has a tolerance that is what the log cannot
// show: digits that were not printed, steps between two records, what a program rounds. Beyond it the two contradict
// each other, and a ratio that is a number of ranks, of accumulation, or of samples in a batch names the unit that was
// mixed up.
//
//   learning rate   peak, warm-up, decay, least rate, form: drift_schedule.cpp
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
#include "measure/rampup.h"
#include "measure/scaler.h"
#include "measure/seen_batch.h"
#include "measure/seen_clip.h"
#include "measure/training_kind.h"
#include "rules/hyper/drift_traces.h"
#include "rules/loss_support.h"
#include "rules/places.h"
#include "rules/said_places.h"
#include "stat/quantum.h"

namespace assay {

namespace {

constexpr std::size_t kForGrid = 100;  // losses
constexpr double kMostBatch = 1e9;
constexpr double kGrowing = 0.9;  // of the samples of a whole batch: one that grows has fewer
constexpr int kBrainBits = 8;     // of bfloat16

class Traces : DriftTraces {
 public:
  using DriftTraces::DriftTraces;

  void judge() {
    batch();
    length();
    sequence();
    precision();
    clip();
  }

 private:
  void batch() {
    const auto asked = plan_.told(setting::kGlobalBatchSize);
    if (!asked || !(asked->value > 0) || is_objective(training_kind(run_))) return;
    const auto seen = seen_batch(run_, metric::kConsumedSamples);
    if (!seen || !seen->steady) return;
    whole_at_once(*seen, asked->value);
    if (std::fabs(seen->last - asked->value) <= one_.set["batch"] * asked->value) return;
    const bool ramp = plan_.setting(setting::kBatchRampup) != nullptr;
    if ((ramp || seen->grows) && seen->last < asked->value) return;  // on its way
    const bool said = asked->origin == Origin::kSaid;
    Issue& issue = add("batch", said ? Severity::kWarning : Severity::kNote, 0.85, *asked, {{"seen", seen->last}},
                       place(run_, seen->segment, seen->steps, seen->line));
    explain(seen->last / asked->value, Of::kCount, issue);
  }

  // The batch was to grow from a part of it, and is whole in the first steps already.
  void whole_at_once(const SeenBatch& seen, double whole) {
    const auto rampup = rampup_said(run_.config);
    const Setting* said = plan_.setting(setting::kBatchRampup);
    if (!rampup || said == nullptr || seen.grows || whole > kMostBatch || !begins_at_start(run_, 0)) return;
    const Series* counter = run_.segments[0].find(metric::kConsumedSamples);
    if (counter == nullptr || counter->empty() || counter->step(0) < 1) return;
    const double consumed = counter->value(0);
    const double at_once = whole * static_cast<double>(counter->step(0));
    const auto growing = samples_of_steps(*rampup, static_cast<std::int64_t>(whole), counter->step(0));
    if (!growing || static_cast<double>(*growing) > kGrowing * at_once) return;  // too late to tell
    if (std::fabs(consumed - at_once) > one_.set["batch"] * at_once) return;
    Planned asked;
    asked.key = said->key;
    asked.written = said->written.empty() ? said->key : said->written;
    asked.where = said->where;
    Issue& issue = add("whole-batch", Severity::kWarning, 0.85, asked,
                       {{"word", said->value}, {"seen", count_value(whole)}, {"step", seen.steps.first}},
                       place(run_, seen.segment, seen.steps, seen.line));
    std::erase_if(issue.message.values, [](const auto& value) { return value.first == "said"; });
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
    if (asked != "bf16" && asked != "fp32" && asked != "fp16") return;
    const Planned setting = precision_setting();
    if (setting.written.empty()) return;
    for (std::size_t i = 0; asked != "fp16" && i < run_.segments.size(); ++i) {
      const ScalerHistory scaler = scaler_history(run_, i);
      if (!scaler.logged || scaler.moves.empty()) continue;
      const ScaleMove& move = scaler.moves.front();
      Issue& issue = add("scaled", Severity::kWarning, 0.8, setting,
                         {{"asked", asked}, {"before", scale_value(move.before)}, {"after", scale_value(move.after)}},
                         place(run_, i, move.steps, move.line));
      std::erase_if(issue.message.values, [](const auto& value) { return value.first == "said"; });
      return;
    }
    if (asked == "bf16") return;
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
};

}  // namespace

void judge_traces(const DriftCase& one, std::vector<Issue>& out) {
  if (!one.run.has_begun()) return;
  judge_drawn_schedule(one, out);
  Traces(one, out).judge();
}

}  // namespace assay
