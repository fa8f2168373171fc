#include "assay/run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "assay/setting.h"

namespace assay {

std::string_view symbol(Unit unit) {
  switch (unit) {
    case Unit::kNone: return "";
    case Unit::kNats: return "nats";
    case Unit::kSecond: return "s";
    case Unit::kPercent: return "%";
    case Unit::kSamples: return "samples";
    case Unit::kTokens: return "tokens";
    case Unit::kSteps: return "steps";
    case Unit::kEpochs: return "epochs";
    case Unit::kBytes: return "bytes";
    case Unit::kGib: return "GiB";
    case Unit::kTflops: return "TFLOP/s";
    case Unit::kTokensPerSecond: return "tokens/s";
    case Unit::kSamplesPerSecond: return "samples/s";
    case Unit::kTimes: return "";  // a word of the sentence
  }
  return "";
}

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::kOverflow: return "overflow";
    case EventKind::kScaleChange: return "scale-change";
    case EventKind::kScaleAtMinimum: return "scale-at-minimum";
    case EventKind::kNonFinite: return "non-finite";
    case EventKind::kRerun: return "rerun";
    case EventKind::kRanksDiffer: return "ranks-differ";
    case EventKind::kHardwareFault: return "hardware-fault";
    case EventKind::kCheckpointSaved: return "checkpoint-saved";
    case EventKind::kCheckpointLoaded: return "checkpoint-loaded";
    case EventKind::kRunStart: return "run-start";
    case EventKind::kRunEnd: return "run-end";
    case EventKind::kAborted: return "aborted";
  }
  return "";
}

namespace {

// First index whose key is >= wanted; the keys do not fall.
template <class Key>
std::size_t lower_bound_index(std::size_t size, std::int64_t wanted, Key key) {
  std::size_t low = 0;
  std::size_t high = size;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (key(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

std::size_t Series::at_or_after_row(std::size_t wanted) const {
  return lower_bound_index(size(), static_cast<std::int64_t>(wanted), [this](std::size_t i) { return row[i]; });
}

std::size_t Series::at_or_after_step(std::int64_t wanted) const {
  return lower_bound_index(size(), wanted, [this](std::size_t i) { return step(i); });
}

std::optional<double> Setting::number() const {
  double out = 0;
  const char* begin = value.data();
  const char* end = begin + value.size();
  const auto [rest, error] = std::from_chars(begin, end, out);
  if (error != std::errc() || rest != end) return std::nullopt;
  return out;
}

bool Run::has_begun() const {
  return !events.empty() ||
         std::any_of(segments.begin(), segments.end(), [](const Segment& one) { return !one.empty(); });
}

const Setting* Config::find(std::string_view key) const {
  for (auto it = settings.rbegin(); it != settings.rend(); ++it) {
    const bool unset = it->value == "None" || it->value == "null" || it->value == setting::kAutomatic;
    if (it->key != key || unset || it->value.empty()) continue;
    return it->unknown.empty() ? &*it : nullptr;
  }
  return nullptr;
}

const Source* Run::source_of(std::int64_t line) const {
  if (sources.empty()) return nullptr;
  const auto after = std::upper_bound(sources.begin(), sources.end(), line, [](std::int64_t wanted, const Source& one) {
    return wanted <= one.lines_before;
  });
  return after == sources.begin() ? &sources.front() : &*std::prev(after);
}

Location Run::location(std::int64_t line) const {
  Location where;
  const Source* source = source_of(line);
  where.path = source == nullptr ? id : source->path;
  if (source != nullptr) where.unit = source->unit;
  where.line = line > 0 && source != nullptr ? line - source->lines_before : line;
  return where;
}

std::int64_t Run::line_of(const Location& where) const {
  for (const Source& one : sources) {
    if (one.path == where.path) return where.line > 0 ? one.lines_before + where.line : 0;
  }
  return 0;
}

const Series* Segment::find(std::string_view metric) const {
  for (const Series& one : series) {
    if (one.metric == metric) return &one;
  }
  return nullptr;
}

}  // namespace assay
