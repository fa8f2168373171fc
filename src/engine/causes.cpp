// From what happened to why.
//
// link.cpp joins what a log shows of one event. Here findings about settings, data and machines are named as the cause
// of what the log shows, where the one is known to lead to the other and nothing speaks against it: a row of the table
// below. Such a finding is read before what it explains, however loud that is, and the verdict names it.
//
// When a row applies: the cause is at least a warning and at least likely (what is only possible explains nothing); the
// effect is at least a warning; and the time fits. A setting acts all the time; a missing warm-up and an epsilon that
// rounds to zero act at the beginning, so an event late in the run is not theirs; what has steps of its own explains
// nothing that began before them.
//
// Beside a cause that is the learning rate, its effects give no advice of their own on rates or data, only on where to
// resume.
//
// An event has one cause: what joins its findings (link.cpp) hands the cause of one to all the others, so that nobody
// has to go from one to the next to find it. That holds for a first sign too, although it began before the steps that
// the cause tells: those are where its harm shows.
//
// Where no row applies nothing is named: the verdict then says what happened, and that the evidence carries no cause.
//
// Sources: the chronicles of OPT-175B, BLOOM and GLM-130B for rates, clipping and scales; for the beginning, Adam's
// second moment has seen too few gradients before 2/(1 - beta2) steps (Ma and Yarats, arXiv:1910.04209).

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "measure/scaler.h"
#include "measure/training_kind.h"

namespace assay {

namespace {

enum class When : std::uint8_t {
  kAlways,
  kAtTheBeginning,  // in the warm-up or the first tenth of the run
  kFirstSteps,
};

constexpr double kBeginning = 0.1;                // of the run
constexpr std::int64_t kFirst = 50;               // steps in which a state that is zero from the start shows
constexpr std::int64_t kLongestBeginning = 2000;  // 2/(1 - beta2) at 0.999: the longest that is in use

// What to do about an effect is what to do about its cause: other data do not help against a rate.
enum class Advice : std::uint8_t { kStays, kOfTheCause };

struct Row {
  std::string_view cause;
  When when = When::kAlways;
  std::span<const std::string_view> effects;
  Advice advice = Advice::kStays;
};

constexpr std::array<std::string_view, 13> kTooFast{
    "loss-divergence", "loss-spike",          "non-finite-loss",   "hidden-nan",       "non-finite-grad",
    "loss-plateau",    "grad-norm-high",      "grad-norm-spike",   "loss-oscillation", "overflow-skips",
    "loss-scale-drop", "loss-scale-collapse", "clip-always-active"};
constexpr std::array<std::string_view, 2> kTooSlow{"loss-plateau", "grad-norm-vanished"};
constexpr std::array<std::string_view, 3> kNotFinite{"non-finite-loss", "hidden-nan", "non-finite-grad"};
constexpr std::array<std::string_view, 2> kStale{"loss-spike", "grad-norm-spike"};
constexpr std::array<std::string_view, 4> kUnclipped{"loss-spike", "loss-divergence", "grad-norm-spike",
                                                     "grad-norm-high"};
constexpr std::array<std::string_view, 3> kScale{"overflow-skips", "loss-scale-drop", "loss-scale-collapse"};
constexpr std::array<std::string_view, 6> kRange{"overflow-skips",  "loss-scale-drop", "loss-scale-collapse",
                                                 "non-finite-loss", "hidden-nan",      "non-finite-grad"};
constexpr std::array<std::string_view, 1> kNoise{"loss-oscillation"};

constexpr std::array kRows{
    Row{"learning-rate-high", When::kAlways, kTooFast, Advice::kOfTheCause},
    Row{"no-warmup", When::kAtTheBeginning, kTooFast, Advice::kOfTheCause},
    Row{"learning-rate-low", When::kAlways, kTooSlow},
    Row{"adam-epsilon-lost", When::kFirstSteps, kNotFinite},
    Row{"beta2-stale", When::kAlways, kStale},
    Row{"clip-not-applied", When::kAlways, kUnclipped},
    Row{"clip-never-active", When::kAlways, kUnclipped},
    Row{"fp16-range", When::kAlways, kRange},
    Row{"loss-scale-setting", When::kAlways, kScale},
    Row{"batch-too-small", When::kAlways, kNoise},
};

bool counts(const Finding& finding) { return finding.severity != Severity::kNote && finding.confidence >= kLikely; }

// The last step of the beginning of the run.
std::int64_t end_of_beginning(const Run& run) {
  std::int64_t last = 0;
  for (const Segment& segment : run.segments) {
    if (!segment.empty()) last = std::max(last, segment.last_step());
  }
  last = std::max(last, run.planned_steps.value_or(0));
  const auto tenth = static_cast<std::int64_t>(kBeginning * static_cast<double>(last));
  std::int64_t end = std::min(kLongestBeginning, std::max(tenth, kFirst));
  const Segment& first = run.segments.front();
  if (const auto row = first.empty() ? std::nullopt : warmup_end_row(first)) {
    end = std::max(end, first.rows->step[*row]);
  }
  return end;
}

bool fits(const Run& run, const Row& row, const Finding& cause, const Finding& effect) {
  if (!effect.where || !effect.where->steps) return row.when == When::kAlways;
  const std::int64_t began = effect.where->steps->first;
  if (cause.where && cause.where->steps && cause.where->segment == effect.where->segment &&
      began < cause.where->steps->first) {
    return false;
  }
  if (row.when == When::kAlways) return true;
  if (effect.where->segment > 0 || !begins_at_start(run, 0)) return false;
  return began <= (row.when == When::kFirstSteps ? kFirst : end_of_beginning(run));
}

void leave_to_the_cause(Finding& effect) {
  std::erase_if(effect.actions, [](const Action& one) {
    return one.role == ActionRole::kSkipData || one.role == ActionRole::kLookAtData ||
           one.role == ActionRole::kLearningRate;
  });
}

bool is_cause(const Finding& finding) {
  return std::any_of(kRows.begin(), kRows.end(), [&](const Row& row) { return row.cause == finding.name; });
}

const Finding* with_id(const std::vector<Finding>& findings, std::string_view id) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& one) { return one.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

// Why it happened stands before what was seen first of it. False: it is named already.
bool name_cause(const std::vector<Finding>& findings, const std::string& cause, Finding& effect) {
  auto& causes = effect.because_of;
  if (cause == effect.id || std::find(causes.begin(), causes.end(), cause) != causes.end()) return false;
  const auto signs = std::find_if(causes.begin(), causes.end(), [&](const std::string& id) {
    const Finding* one = with_id(findings, id);
    return one == nullptr || !tells_why(*one);
  });
  causes.insert(signs, cause);
  return true;
}

// The findings of its event that one names: its first signs, and the one that it refers to.
std::vector<std::string> of_its_event(const Finding& finding) {
  std::vector<std::string> out = finding.because_of;
  for (const Action& action : finding.actions) {
    for (const auto& [name, value] : action.text.values) {
      const auto* id = std::get_if<std::string>(&value.data);
      if (name == "finding" && id != nullptr) out.push_back(*id);
    }
  }
  return out;
}

void share_causes(std::vector<Finding>& findings) {
  const std::vector<Finding> before = findings;
  for (Finding& one : findings) {
    for (const std::string& id : of_its_event(one)) {
      const Finding* other = with_id(before, id);
      if (other == nullptr || tells_why(*other)) continue;
      for (const std::string& why : other->because_of) {
        const Finding* cause = with_id(before, why);
        if (cause == nullptr || !is_cause(*cause)) continue;
        name_cause(findings, why, one);
      }
    }
  }
}

}  // namespace

bool tells_why(const Finding& finding) {
  const Rule* rule = find_rule(finding.name);
  return rule != nullptr && tells_why(*rule);
}

void link_causes(const Run& run, const std::vector<std::string>& ignored, std::vector<Finding>& findings) {
  for (const Row& row : kRows) {
    for (const Finding& cause : findings) {
      if (cause.name != row.cause || !counts(cause)) continue;
      if (const Rule* rule = find_rule(cause.name); rule != nullptr && names(ignored, *rule)) continue;
      for (Finding& effect : findings) {
        const bool told = std::find(row.effects.begin(), row.effects.end(), effect.name) != row.effects.end();
        if (!told || effect.severity == Severity::kNote || !fits(run, row, cause, effect)) continue;
        const bool named = name_cause(findings, cause.id, effect);
        if (named && row.advice == Advice::kOfTheCause) leave_to_the_cause(effect);
      }
    }
  }
  share_causes(findings);
}

}  // namespace assay
