// One event, one story.
//
// A training run that goes wrong is seen by many rules: the grad norm jumps, the loss follows, the loss scale falls,
// then all is NaN. Each rule is right, and together they say one thing five times, each with its own checkpoint to
// resume from. Here the findings of a run are put together into events, and an event speaks with one voice.
//
// Which belong together: b belongs to a when it begins while a lasts, or shortly after (5 records; 50 after a fall of
// the loss scale, which in public logs runs up to 30 steps ahead of the loss), in the same segment. What began first is
// the cause. Of what is printed in one record the order of the computation decides: the loss is known before its
// gradient, the gradient before the scaler. A restart after which the loss was another causes what begins within 20
// records. A plateau on the level to which the loss diverged is the end of the divergence; it causes nothing.
//
// What becomes of an event:
//  - everything names in `because_of` what began it, and the finding that tells what to do;
//  - this one, the gravest, carries the actions: resume from before the first sign of the event, leave out the data of
//    all its acute parts. The others refer to it instead of naming other checkpoints and other data, and leave out
//    what it has shown. Data are no cause of what began more than 50 records before they were read: then nothing is to
//    be skipped;
//  - what begins with the first records of a run or within its warm-up has nothing before it to go back to, unless the
//    log names a checkpoint: then the advice is to start again, and what to check first;
//  - where nothing was harmed (no error in it), what only repeats another finding becomes a note: the grad norm that
//    answers a spike of the loss in the same record and is calm again with it; a spike of the norm that begins a
//    lasting rise; the fall of the loss scale beside the skipped steps that made it. A norm that rose before the
//    loss, or a loss that doubled, is more than an unusual batch and is told by itself.
//
// Limits: a finding stands for its worst place; its other places are not linked, save that a norm may answer any spike
// of the loss.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "assay/metric.h"
#include "core/axis.h"
#include "engine/engine.h"
#include "measure/scaler.h"
#include "rules/loss_support.h"
#include "rules/places.h"

namespace assay {

namespace {

constexpr std::int64_t kAfter = 5;          // records between the end of a cause and its effect
constexpr std::int64_t kLead = 50;          // records: earlier signs are not of the data that are read now
constexpr std::int64_t kAfterScale = 50;    // the same, for a loss scale
constexpr std::int64_t kAfterRestart = 20;  // the same, for a restart
constexpr std::int64_t kMostSkipped = 500;  // batches: what has been skipped in practice
constexpr double kDoubled = 100;            // per cent
constexpr double kWarm = 0.98;              // of the greatest learning rate: the warm-up is over
constexpr std::int64_t kFirstSteps = 100;   // a log of every thousandth step has trained long in ten records
constexpr std::size_t kFirstRecords = 10;   // of a run: there is nothing before them to go back to

constexpr std::string_view kRestart = "run-restarted";
constexpr std::string_view kPlateau = "loss-plateau";

// In the order in which one training step computes what they are about.
constexpr std::array<std::string_view, 13> kOrder{
    kRestart,          "rerun-fault",         "loss-spike",      "loss-divergence", "non-finite-loss",
    "hidden-nan",      "grad-norm-spike",     "non-finite-grad", "grad-norm-high",  "overflow-skips",
    "loss-scale-drop", "loss-scale-collapse", kPlateau};

constexpr std::array kSentences{
    SentenceRecord{"start-again",
                   "start again: the trouble begins at step {begin}, before training was under way; check the loaded "
                   "weights, precision and warm-up",
                   "重新开始训练：问题始于第 {begin} 步，训练尚未步入正轨；请检查加载的权重、精度和 warm-up"},
    SentenceRecord{
        "start-again-warm-up",
        "start again: the trouble begins at step {begin}, within the warm-up; check the loaded weights, the "
        "precision, and the length and peak of the warm-up",
        "重新开始训练：问题始于第 {begin} 步，仍在 warm-up 之内；请检查加载的权重、精度，以及 warm-up 的长度和峰值"},
    SentenceRecord{"see-finding", "see finding {finding}: it is the same event", "见问题 {finding}，属同一事件"},
};

struct Member {
  Finding* finding = nullptr;
  std::size_t order = 0;
  StepRange steps;
  int segment = 0;
};

bool is(const Member& one, std::string_view name) { return one.finding->name == name; }

bool earlier(const Member& a, const Member& b) {
  const bool a_follows = is(a, kPlateau);
  const bool b_follows = is(b, kPlateau);
  return std::tie(a_follows, a.steps.first, a.order, a.finding) <
         std::tie(b_follows, b.steps.first, b.order, b.finding);
}

// What has a beginning in training: what an evaluation alone met is not a part of that. Notes are normal by what their
// rules say; two of them explain others all the same: a restart, and an unusual batch.
bool takes_part(const Finding& finding) {
  if (finding.name == kRestart) {
    const std::string& key = finding.message.key;
    return (key.starts_with("restart") || key.starts_with("higher")) && !finding.actions.empty();
  }
  if (finding.name == "grad-norm-high" && !finding.message.key.starts_with("risen")) return false;  // a state
  if (finding.name == "non-finite-loss" && finding.message.key.starts_with("evaluation")) return false;
  return finding.severity != Severity::kNote || finding.name == "loss-spike";
}

std::vector<Member> members_of(std::vector<Finding>& findings, const std::vector<std::string>& ignored) {
  std::vector<Member> out;
  for (Finding& finding : findings) {
    const auto place = std::find(kOrder.begin(), kOrder.end(), finding.name);
    if (place == kOrder.end() || !finding.where->steps || !takes_part(finding)) continue;
    const Rule* rule = find_rule(finding.name);
    if (rule != nullptr && names(ignored, *rule)) continue;  // nobody will see it
    out.push_back({&finding, static_cast<std::size_t>(place - kOrder.begin()), *finding.where->steps,
                   std::max(finding.where->segment, 0)});
  }
  std::sort(out.begin(), out.end(), earlier);
  return out;
}

const Value* value_of(const Phrase& phrase, std::string_view name) {
  for (const auto& [key, value] : phrase.values) {
    if (key == name) return &value;
  }
  return nullptr;
}

// a began before b: whether b is a part of it.
bool leads_to(const Run& run, const Member& a, const Member& b) {
  if (a.segment != b.segment) return false;
  const Segment& segment = run.segments[static_cast<std::size_t>(a.segment)];
  if (segment.empty()) return a.steps.last >= b.steps.first;
  const std::int64_t spacing = record_spacing(segment);
  if (is(b, kPlateau)) return is(a, "loss-divergence") && b.steps.first >= a.steps.first - kAfter * spacing;
  if (is(a, kPlateau)) return false;
  if (is(a, kRestart)) return b.steps.first <= std::max(segment.first_step(), a.steps.first) + kAfterRestart * spacing;
  const bool scale = is(a, "overflow-skips") || a.finding->name.starts_with("loss-scale");
  return b.steps.first <= a.steps.last + (scale ? kAfterScale : kAfter) * spacing;
}

bool recovered_norm(const Member& one) {
  return is(one, "grad-norm-spike") && one.finding->message.key.starts_with("spike") &&
         !one.finding->message.key.ends_with("not-back");
}
bool recovered_loss(const Member& one) {
  return is(one, "loss-spike") && !one.finding->message.key.starts_with("open");
}

// The grad norm only answered the loss, in whichever of its spikes: not before it, not longer, and not as for a loss
// that doubled.
bool only_answers(const Member& norm, const Member& loss, std::int64_t spacing) {
  if (!recovered_norm(norm) || !recovered_loss(loss)) return false;
  const Value* rise = value_of(loss.finding->message, "rise");
  const double* share = rise == nullptr ? nullptr : std::get_if<double>(&rise->data);
  if (share != nullptr && *share >= kDoubled) return false;
  const auto answers = [&](const Location& spike) {
    return spike.steps && std::max(spike.segment, 0) == norm.segment && norm.steps.first >= spike.steps->first &&
           norm.steps.first <= spike.steps->last + spacing && norm.steps.last <= spike.steps->last + kAfter * spacing;
  };
  const auto& others = loss.finding->also;
  return answers(*loss.finding->where) || std::any_of(others.begin(), others.end(), answers);
}

// The loss after a restart was another, and the spike is just that: no batch made it.
bool is_of_restart(const Member& spike, const Member& restart, std::int64_t spacing) {
  return recovered_loss(spike) && is(restart, kRestart) && restart.finding->message.key.starts_with("higher") &&
         restart.segment == spike.segment && spike.finding->also.empty() && spike.steps.first >= restart.steps.first &&
         spike.steps.first <= restart.steps.last + spacing;
}

// `one` says nothing that `other` does not say.
bool repeats(const Member& one, const Member& other, std::int64_t spacing) {
  if (only_answers(one, other, spacing) || is_of_restart(one, other, spacing)) return true;
  if (is(one, "grad-norm-spike") && is(other, "grad-norm-high") && other.finding->message.key.starts_with("risen")) {
    return std::abs(one.steps.first - other.steps.first) <= kAfter * spacing;
  }
  if (is(one, "loss-scale-drop") && (is(other, "overflow-skips") || is(other, "loss-scale-collapse"))) {
    return one.steps.first <= other.steps.last + spacing && other.steps.first <= one.steps.last + spacing;
  }
  return false;
}

bool resumes(const Action& action) { return action.role == ActionRole::kResume; }
bool skips(const Action& action) {
  return action.role == ActionRole::kSkipData || action.role == ActionRole::kLookAtData;
}
bool knows_resume(const Finding& finding) {
  const Rule* rule = find_rule(finding.name);
  return rule != nullptr && std::any_of(rule->sentences.begin(), rule->sentences.end(),
                                        [](const SentenceRecord& one) { return one.key == "resume-before"; });
}
bool same(const Evidence& a, const Evidence& b) {
  if (a.text.key != b.text.key || a.text.values != b.text.values || a.curve.has_value() != b.curve.has_value()) {
    return false;
  }
  return !a.curve || (a.curve->metric == b.curve->metric && a.curve->marked == b.curve->marked &&
                      a.curve->last_step == b.curve->last_step);
}
bool about_rate(const Action& action) { return action.role == ActionRole::kLearningRate; }

// `one` refers to `other`, and does not show again what that has shown.
void see(const Member& one, const Member& other) {
  const auto& shown = other.finding->evidence;
  std::erase_if(one.finding->evidence, [&](const Evidence& evidence) {
    return std::any_of(shown.begin(), shown.end(), [&](const Evidence& before) { return same(evidence, before); });
  });
  auto& actions = one.finding->actions;
  actions.insert(actions.begin(), {{"see-finding", {{"finding", other.finding->id}}}, ""});
}

// Where nothing was harmed, a finding that repeats another becomes a note that refers to it, and takes no further part.
void step_back(const Run& run, std::vector<Member>& members) {
  const auto is_error = [](const Member& one) { return one.finding->severity == Severity::kError; };
  if (std::any_of(members.begin(), members.end(), is_error)) return;
  std::vector<Member> kept;
  for (const Member& one : members) {
    const Segment& segment = run.segments[static_cast<std::size_t>(one.segment)];
    const std::int64_t spacing = segment.empty() ? 1 : record_spacing(segment);
    const auto other =
        std::find_if(members.begin(), members.end(), [&](const Member& two) { return repeats(one, two, spacing); });
    if (other == members.end()) {
      kept.push_back(one);
      continue;
    }
    if (is(*other, kRestart)) other->finding->severity = std::max(other->finding->severity, one.finding->severity);
    one.finding->severity = Severity::kNote;
    one.finding->because_of = {other->finding->id};
    one.finding->actions.clear();  // a note is not there to be acted on
    see(one, *other);
  }
  members = std::move(kept);
}

class Story {
 public:
  Story(const Run& run, std::int64_t spacing, std::vector<Member*> members)
      : run_(run), spacing_(spacing), members_(std::move(members)) {}

  void tell() {
    Member& leader = *members_.front();
    Member* speaker = &leader;
    for (Member* one : members_) {
      if (one->finding->severity > speaker->finding->severity) speaker = one;
    }
    speak(*speaker);
    std::sort(members_.begin(), members_.end(), [](const Member* a, const Member* b) {  // as they will be read
      const auto severity = a->finding->severity <=> b->finding->severity;
      return severity != 0 ? severity > 0 : a < b;
    });
    for (const Action& action : speaker->finding->actions) tell_once(action);
    for (Member* one : members_) {
      for (const Member* cause : {speaker, &leader}) {
        auto& causes = one->finding->because_of;
        const bool known = std::find(causes.begin(), causes.end(), cause->finding->id) != causes.end();
        if (cause != one && !known && earlier(*cause, *one)) causes.push_back(cause->finding->id);
      }
      if (one != speaker && one->finding->severity != Severity::kNote) refer(*one, *speaker);
    }
  }

 private:
  // The speaker's actions are those of the whole event.
  void speak(const Member& speaker) {
    StepRange acute{0, -1};
    bool resume = false;
    for (const Member* one : members_) {
      for (const Action& action : one->finding->actions) {
        resume = resume || resumes(action);
        const Value* steps = skips(action) ? value_of(action.text, "steps") : nullptr;
        if (steps == nullptr || !std::holds_alternative<StepRange>(steps->data)) continue;
        const StepRange range = std::get<StepRange>(steps->data);
        acute = acute.last < acute.first
                    ? range
                    : StepRange{std::min(acute.first, range.first), std::max(acute.last, range.last)};
      }
    }
    std::vector<Action>& actions = speaker.finding->actions;
    const auto segment = static_cast<std::size_t>(speaker.segment);
    const auto first = std::find_if(members_.begin(), members_.end(), [](Member* one) { return !is(*one, kRestart); });
    const std::int64_t begin = (*first)->steps.first;
    if (resume && knows_resume(*speaker.finding) && std::none_of(actions.begin(), actions.end(), resumes)) {
      actions.insert(actions.begin(), {{"resume-before", {}}, "", ActionRole::kResume});
    }
    for (Action& action : actions) {
      if (resumes(action)) action = resume_before(run_, segment, begin);
      if (skips(action)) widen(action, segment, acute);
    }
    if (resume && acute.first - begin > kLead * spacing_) std::erase_if(actions, skips);
  }

  void widen(Action& action, std::size_t segment, StepRange acute) const {
    acute.last = std::min(acute.last, acute.first + kMostSkipped - 1);
    if (action.role == ActionRole::kLookAtData) {
      action.text.values = {{"steps", acute}};
      return;
    }
    const std::string key = action.text.key;
    action = skip_data(run_, segment, acute);
    if (key.starts_with("skip-next")) {
      action.text.key = action.text.key == "skip-samples" ? "skip-next-samples" : "skip-next";
    }
  }

  // False: this was told already, in these words or as the same option.
  bool tell_once(const Action& action) {
    const bool fresh = told_.insert(action.text.key).second;
    return (action.command.empty() || told_.insert(action.command).second) && fresh;
  }

  void refer(const Member& one, const Member& speaker) {
    std::vector<Action>& actions = one.finding->actions;
    std::erase_if(actions, [&](const Action& action) {
      return resumes(action) || skips(action) || about_rate(action) || !tell_once(action);
    });
    see(one, speaker);
  }

  const Run& run_;
  std::int64_t spacing_;
  std::vector<Member*> members_;  // as they began
  std::set<std::string> told_;    // actions
};

// An epoch is no stretch of data that can be left out.
void drop_skipped_epochs(const Run& run, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const auto segment = static_cast<std::size_t>(std::max(finding.where->segment, 0));
    if (segment >= run.segments.size() || run.segments[segment].empty()) continue;
    const Segment& part = run.segments[segment];
    if (axis_of(part.axis, part.last_step()) == Axis::kEpoch) std::erase_if(finding.actions, skips);
  }
}

// The learning rate still rises from the first record on.
bool in_warm_up(const Segment& segment, std::int64_t step) {
  const Series* rate = segment.find(metric::kLearningRate);
  if (rate == nullptr || rate->size() < 3) return false;
  const std::size_t end = std::min(rate->at_or_after_step(step) + 1, rate->size());
  if (end < 2 || !(rate->value(end - 1) > rate->value(0))) return false;
  for (std::size_t i = 1; i < end; ++i) {
    if (!(rate->value(i) >= rate->value(i - 1))) return false;
  }
  const auto values = rate->values.span();
  const double greatest = *std::max_element(values.begin(), values.end());
  return rate->value(end - 1) < kWarm * greatest ||
         (end == rate->size() && rate->value(end - 1) > rate->value(end - 2));
}

// Before training is under way there is no checkpoint to go back to (unless the log names one), and neither other data
// nor a lower peak is the answer.
void start_again_where_early(const Run& run, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const auto segment = static_cast<std::size_t>(std::max(finding.where ? finding.where->segment : 0, 0));
    if (segment >= run.segments.size() || run.segments[segment].empty() || !begins_at_start(run, segment)) continue;
    auto& actions = finding.actions;
    const auto resume = std::find_if(actions.begin(), actions.end(), resumes);
    if (resume == actions.end() || value_of(resume->text, "checkpoint") != nullptr) continue;
    const Value* value = value_of(resume->text, "begin");
    const auto* begin = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
    if (begin == nullptr) continue;
    const Segment& part = run.segments[segment];
    const IntegerColumn& steps = part.rows->step;
    const bool few = steps.size() <= kFirstRecords || *begin < steps[kFirstRecords];
    const bool first = few && (!counts_steps(run, segment) || *begin <= kFirstSteps);
    if (!first && !in_warm_up(part, *begin)) continue;
    const Values values = {{"begin", *begin}};
    std::erase_if(actions, [](const Action& one) { return resumes(one) || skips(one) || about_rate(one); });
    actions.insert(actions.begin(),
                   {{first ? "start-again" : "start-again-warm-up", values}, "", ActionRole::kStartAgain});
  }
}

// Each place once, and not the finding's own again. A run that was restarted at each record has as many as records.
void drop_repeated_places(std::vector<Finding>& findings) {
  const auto key_of = [](const Location& place) {
    const StepRange steps = place.steps.value_or(StepRange{});
    const std::int64_t line = place.steps ? 0 : place.line;
    return std::tuple(place.path, place.segment, place.steps.has_value(), steps.first, steps.last, line);
  };
  for (Finding& finding : findings) {
    std::set<std::tuple<std::string, int, bool, std::int64_t, std::int64_t, std::int64_t>> seen;
    if (finding.where) seen.insert(key_of(*finding.where));
    std::erase_if(finding.also, [&](const Location& place) { return !seen.insert(key_of(place)).second; });
  }
}

// Groups of members that lead to one another, each as it began.
std::vector<std::vector<Member*>> events_of(const Run& run, std::vector<Member>& members) {
  std::vector<std::size_t> group(members.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      if (!leads_to(run, members[i], members[j]) || group[i] == group[j]) continue;
      const std::size_t to = std::min(group[i], group[j]);
      std::replace(group.begin(), group.end(), std::max(group[i], group[j]), to);
    }
  }
  std::vector<std::vector<Member*>> out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::vector<Member*> one;
    for (std::size_t j = i; j < members.size(); ++j) {
      if (group[j] == i) one.push_back(&members[j]);
    }
    if (one.size() > 1) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::span<const SentenceRecord> link_sentences() { return kSentences; }

void link(const Run& run, const std::vector<std::string>& ignored, std::vector<Finding>& findings) {
  give_ids(findings);
  drop_repeated_places(findings);
  drop_skipped_epochs(run, findings);
  std::vector<Member> members = members_of(findings, ignored);
  step_back(run, members);
  for (std::vector<Member*>& event : events_of(run, members)) {
    const Segment& segment = run.segments[static_cast<std::size_t>(event.front()->segment)];
    Story(run, segment.empty() ? 1 : record_spacing(segment), std::move(event)).tell();
  }
  start_again_where_early(run, findings);
}

}  // namespace assay
