// One run from the recordings of its files.
//
// Each file is put together by itself first (assemble.cpp): its repeats, restarts and placeholders are its own. Then
// the parts are put behind each other, and what lies beside them is added step by step (join_beside.cpp). The main
// part of a stretch is the file that tells most of its main series (engine/roles.cpp), so a metric that two files
// tell is taken from the denser one, and every value keeps the place in the file that it was read from.
//
// Places are lines numbered through over the sources: line n of a file is line lines_before + n of the run, so that
// one number names file and line. Order is told by rows and by Event::rows_before, never by lines.
//
// Settings: all are kept. Config::find takes the last one, so they are ordered from the farthest file to the nearest,
// and then those that the logs printed themselves, the main one's last: they are what the program really saw.
//
// A log that is cut in the middle of a record makes a cut run only if it carries the end of the run.

#include "measure/join.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "measure/assemble.h"
#include "measure/derive.h"
#include "measure/interpret.h"
#include "measure/order.h"
#include "measure/training_kind.h"

namespace assay {

namespace {

bool is_part(SourceRole role) { return role == SourceRole::kMain || role == SourceRole::kPart; }

// The greatest line that anything of the recording stands in.
std::int64_t last_line(const Recording& recording) {
  std::int64_t last = std::max<std::int64_t>(recording.file.lines, 1);
  for (std::size_t i = 0; i < recording.line.size(); ++i) last = std::max(last, recording.line[i]);
  for (const Event& event : recording.events) last = std::max(last, event.line);
  return last;
}

void number_through(Recording& recording, std::int64_t lines_before) {
  if (lines_before == 0) return;
  IntegerColumn line;
  for (std::size_t i = 0; i < recording.line.size(); ++i) line.push_back(recording.line[i] + lines_before);
  recording.line = std::move(line);
  for (Event& event : recording.events) event.line += lines_before;
}

// A file of its own is read with the settings of the run: they say what its numbers mean.
Run assemble_with(const Config& config, Recording& recording, std::vector<Setting>& own) {
  std::vector<Setting> all = config.settings;
  const auto shared = static_cast<std::ptrdiff_t>(all.size());
  std::move(recording.config.settings.begin(), recording.config.settings.end(), std::back_inserter(all));
  recording.config.settings = std::move(all);
  Run run = assemble(recording);
  own.assign(std::make_move_iterator(run.config.settings.begin() + shared),
             std::make_move_iterator(run.config.settings.end()));
  run.config = {};
  return run;
}

// Words of a container, which any trainer writes.
bool names_a_trainer(std::string_view dialect) {
  static constexpr std::string_view kContainers[] = {"",     "general", "csv",   "jsonl",
                                                     "json", "mlflow",  "wandb", "tensorboard"};
  return std::find(std::begin(kContainers), std::end(kContainers), dialect) == std::end(kContainers);
}

void sort_events(Run& run) {
  std::sort(run.events.begin(), run.events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.segment, a.rows_before, a.line, a.kind, a.text) <
           std::tie(b.segment, b.rows_before, b.line, b.kind, b.text);
  });
}

// A segment whose end or beginning is not the log's but the program's.
bool restarts_between(const Run& run, const Run& next) {
  const auto last = static_cast<int>(run.segments.size()) - 1;
  const auto rows = static_cast<std::int64_t>(run.segments.back().rows->size());
  const bool ended = std::any_of(run.events.begin(), run.events.end(), [&](const Event& event) {
    const bool ends = event.kind == EventKind::kAborted || event.kind == EventKind::kRunEnd ||
                      event.kind == EventKind::kHardwareFault;
    return ends && event.segment == last && event.rows_before >= rows;
  });
  const bool begun = std::any_of(next.events.begin(), next.events.end(), [](const Event& event) {
    const bool begins = event.kind == EventKind::kRunStart || event.kind == EventKind::kCheckpointLoaded;
    return begins && event.segment <= 0 && event.rows_before == 0;
  });
  return ended || begun;
}

// Two columns one behind the other; `shift` is added to the second.
void append(IntegerColumn& column, const IntegerColumn& more, std::int64_t shift) {
  for (std::size_t i = 0; i < more.size(); ++i) column.push_back(more[i] + shift);
}

void append_segment(Segment& segment, const Segment& next) {
  auto rows = std::make_shared<Rows>(*segment.rows);
  const auto shift = static_cast<std::int64_t>(rows->size());
  append(rows->step, next.rows->step, 0);
  append(rows->line, next.rows->line, 0);
  for (const Series& more : next.series) {
    if (more.empty()) continue;
    auto own = std::find_if(segment.series.begin(), segment.series.end(),
                            [&](const Series& one) { return one.metric == more.metric; });
    if (own == segment.series.end()) {
      Series fresh;
      fresh.metric = more.metric;
      fresh.printed_as = more.printed_as;
      fresh.unit = more.unit;
      fresh.quirks = more.quirks;
      own = segment.series.insert(segment.series.end(), std::move(fresh));
    }
    append(own->row, more.row, shift);
    for (const double value : more.values.span()) own->values.push_back(value);
  }
  for (Series& one : segment.series) one.rows = rows;
  segment.rows = std::move(rows);
}

// How many parts there are is known only at the end.
void tell_parts(Run& run) {
  std::erase_if(run.interpretations, [](const Interpretation& one) { return one.key == "restarts"; });
  const auto parts = static_cast<std::int64_t>(run.segments.size());
  if (parts > 1) run.interpretations.push_back({"restarts", "", static_cast<double>(parts), parts - 1, {}});
  merge(run.interpretations);
}

}  // namespace

void append_part(Run& run, Run next) {
  run.truncated = next.truncated;
  std::move(next.interpretations.begin(), next.interpretations.end(), std::back_inserter(run.interpretations));
  Segment& last = run.segments.back();
  const Segment& first = next.segments.front();
  const bool follows = !last.empty() && !first.empty() && last.axis == first.axis &&
                       first.first_step() > last.last_step() && !restarts_between(run, next);
  const bool replaces = last.empty() && run.segments.size() == 1;  // messages alone came before
  const auto shift = static_cast<int>(run.segments.size()) - (follows || replaces ? 1 : 0);
  const auto rows = follows ? static_cast<std::int64_t>(last.rows->size()) : 0;
  for (Event& event : next.events) {
    if (event.segment <= 0) event.rows_before += rows;
    event.segment = std::max(event.segment, 0) + shift;
    run.events.push_back(std::move(event));
  }
  if (follows) append_segment(last, first);
  if (replaces) last = std::move(next.segments.front());
  const auto begin = next.segments.begin() + (follows || replaces ? 1 : 0);
  std::move(begin, next.segments.end(), std::back_inserter(run.segments));
}

void Joiner::add_settings(Recording& recording, SourceRole role) {
  settings_.push_back({recording.path, recording.file.kind, role, recording.unit, 0});
  if (role == SourceRole::kSummary) return;  // what a program came to is no setting of it
  if (!planned_beside_) planned_beside_ = recording.planned_steps;
  std::vector<Setting>& own = recording.config.settings;
  config_.settings.insert(config_.settings.begin(), std::make_move_iterator(own.begin()),
                          std::make_move_iterator(own.end()));
  own.clear();
}

void Joiner::add(Recording& recording, SourceRole role) {
  sources_.push_back({recording.path, recording.file.kind, role, recording.unit, lines_});
  const std::int64_t lines = last_line(recording);
  number_through(recording, lines_);
  lines_ += lines;
  std::optional<std::int64_t>& planned = is_part(role) || !run_ ? planned_ : planned_beside_;
  if (!planned) planned = recording.planned_steps;
  Run next = assemble_with(config_, recording, own_.emplace_back());
  if (!run_) {
    run_ = std::move(next);
    return;
  }
  more_ = true;
  // What the settings mean and which options there are is the trainer's, whatever file has most values.
  if (!names_a_trainer(run_->dialect) && names_a_trainer(next.dialect)) run_->dialect = next.dialect;
  if (is_part(role)) {
    append_part(*run_, std::move(next));
  } else {
    add_beside(*run_, std::move(next), role, sources_.size() - 1);
  }
}

void Joiner::name_source(std::string path, std::string kind, SourceRole role, PlaceUnit unit) {
  sources_.push_back({std::move(path), std::move(kind), role, unit, lines_});
}

Run Joiner::finish() {
  Run run = std::move(*run_);
  run.sources = std::move(sources_);
  for (Source& one : settings_) {
    one.lines_before = lines_;
    run.sources.push_back(std::move(one));
  }
  run.config = std::move(config_);
  for (std::size_t i = own_.size(); i-- > 0;) {
    std::move(own_[i].begin(), own_[i].end(), std::back_inserter(run.config.settings));
  }
  run.planned_steps = planned_ ? planned_ : planned_beside_;
  run.derived = derive(run.config, run.dialect);
  if (more_) {
    sort_events(run);
    tell_parts(run);
  }
  run.kind = kind_of_training(run);
  return run;
}

}  // namespace assay
