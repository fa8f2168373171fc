#include "core/recording.h"

#include <algorithm>
#include <utility>

namespace assay {

namespace {

constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kMostUnusedKinds = 40;
constexpr std::size_t kMostLeftOut = 20;
constexpr std::size_t kMostEvents = 1'000'000;  // a run of 10^6 steps that skips every one of them
constexpr std::size_t kLongestExample = 120;
constexpr std::size_t kLongestEventText = 200;

// Control characters as escapes, so that a report never sends the log's bytes to a terminal unfiltered.
std::string shown(std::string_view text, std::size_t longest) {
  std::string out;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      constexpr char kHex[] = "0123456789abcdef";
      out += c == '\t' ? " " : std::string("\\x") + kHex[byte >> 4] + kHex[byte & 15];
    } else {
      out += c;
    }
  }
  if (text.size() > longest) out += "…";
  return out;
}

}  // namespace

Recorder::Recorder(std::string path) {
  recording_.path = path;
  recording_.file.path = std::move(path);
}

Recorder::Column Recorder::column(std::string_view metric, std::string_view printed_as, Unit unit, Quirk quirks) {
  for (std::size_t i = 0; i < recording_.series.size(); ++i) {
    if (recording_.series[i].metric == metric) return static_cast<Column>(i);
  }
  Series series;
  series.metric = metric;
  series.printed_as = printed_as;
  series.unit = unit;
  series.quirks = quirks;
  recording_.series.push_back(std::move(series));
  row_of_last_.push_back(-1);
  return static_cast<Column>(recording_.series.size() - 1);
}

void Recorder::event(Event event) {
  if (recording_.events.size() >= kMostEvents) return;
  event.text = shown(event.text, kLongestEventText);
  if (event.step && (*event.step > kGreatestStep || *event.step < -kGreatestStep)) event.step.reset();
  event.step_is_own = event.step.has_value();
  recording_.events.push_back(std::move(event));
  recording_.event_row.push_back(static_cast<std::int64_t>(recording_.rows()));
}

void Recorder::date_events(std::int64_t step) {
  for (Event& event : recording_.events) {
    if (event.step) continue;
    event.step = step;
    event.step_is_own = true;
  }
}

void Recorder::setting(std::string_view key, std::string_view value, std::int64_t line, std::string_view written,
                       std::string_view unknown) {
  Location where;
  where.path = recording_.path;
  where.line = line;
  where.unit = recording_.unit;
  recording_.config.settings.push_back(
      {std::string(key), std::string(value), std::move(where), std::string(written), std::string(unknown)});
}

void Recorder::planned_steps(std::int64_t steps) {
  if (steps >= 0 && steps <= kGreatestStep) recording_.planned_steps = steps;
}

void Recorder::steps_per_epoch(std::int64_t steps) {
  if (steps > 0 && steps <= kGreatestStep) recording_.steps_per_epoch = steps;
}
void Recorder::axis(std::string_view name) { recording_.axis = name; }
void Recorder::dialect(std::string_view name) { recording_.dialect = name; }

void Recorder::count_records() {
  recording_.unit = PlaceUnit::kRecord;
  recording_.file.unit = PlaceUnit::kRecord;
}

void Recorder::started(double seconds) {
  constexpr double kLatest = 1e11;  // the year 5138
  if (seconds > 0 && seconds < kLatest) recording_.started = std::min(seconds, recording_.started.value_or(kLatest));
}

void Recorder::run_id(std::string_view name) {
  if (recording_.run_id.empty()) recording_.run_id = shown(name, kLongestExample);
}

void Recorder::left_out(std::string_view name) {
  FileRecord& file = recording_.file;
  ++file.left_out_count;
  if (file.left_out.size() < kMostLeftOut) file.left_out.push_back(shown(name, kLongestExample));
}

void Recorder::truncated(std::int64_t line, std::string_view what, std::int64_t byte) {
  recording_.truncated = true;
  recording_.file.truncated = true;
  Location where;
  where.path = recording_.path;
  where.line = line;
  where.unit = recording_.unit;
  where.byte = byte;
  problem({ErrorCode::kTruncated, std::string(what), std::move(where), ""});
}

void Recorder::problem(Error error) {
  ++recording_.file.problem_count;
  if (recording_.file.problems.size() < kMostProblems) recording_.file.problems.push_back(std::move(error));
}

void Recorder::unused(std::string_view line_text, std::int64_t line, std::string_view why) {
  FileRecord& file = recording_.file;
  ++file.unused_lines;
  const std::string example = shown(line_text, kLongestExample);
  const auto known = std::find_if(file.unused.begin(), file.unused.end(), [&](const UnusedKind& kind) {
    return kind.why == why && (!why.empty() || kind.example == example);
  });
  if (known != file.unused.end()) {
    ++known->count;
  } else if (file.unused.size() < kMostUnusedKinds) {
    file.unused.push_back({example, std::string(why), 1, line});
  }
}

Recording Recorder::finish() && {
  recording_.file.records = static_cast<std::int64_t>(recording_.rows());
  return std::move(recording_);
}

}  // namespace assay
