// The name of the metric is the file's, and its run is the folder above: files of one run are joined by who reads
// folders; each tells its run (`run_id`) and when it began.

#include "format/tables/mlflow_metric.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "core/metric_names.h"
#include "format/tables/ledger.h"
#include "format/tables/line_cutter.h"
#include "format/tables/number.h"

namespace assay {

namespace {

constexpr std::string_view kFolder = "/metrics/";

struct Entry {
  double milliseconds = 0;
  double value = 0;
  std::int64_t step = 0;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto number = parse_number(text);
  return number ? exact_integer(*number) : std::nullopt;
}

// Older versions write no step: then there are two columns.
std::optional<Entry> read_entry(std::string_view line) {
  std::array<std::string_view, 3> parts;
  std::size_t count = 0;
  for (line = trimmed(line); !line.empty() && count < parts.size(); ++count) {
    const std::size_t blank = line.find(' ');
    parts[count] = line.substr(0, blank);
    line = blank == std::string_view::npos ? std::string_view{} : line.substr(blank + 1);
  }
  constexpr std::size_t kTimeDigits = 13;  // until the year 2286
  const bool time =
      parts[0].size() == kTimeDigits && parts[0].find_first_not_of("0123456789") == std::string_view::npos;
  const auto value = parse_number(parts[1]);
  if (!line.empty() || count < 2 || !time || !value) return std::nullopt;
  const auto step = count == 2 ? std::optional(kNoStep) : whole_number(parts[2]);
  if (!step) return std::nullopt;
  return Entry{static_cast<double>(*whole_number(parts[0])), *value, *step};
}

class MlflowMetric final : public StreamReader {
 public:
  explicit MlflowMetric(Recorder& recorder) : recorder_(recorder) {
    recorder.dialect("mlflow");
    const std::string& path = recorder.file().path;
    const std::size_t folder = path.rfind(kFolder);
    const std::string run = path.substr(0, folder);
    recorder.run_id(std::string_view(run).substr(run.find_last_of('/') + 1));
    const std::string key = printable_utf8(path.substr(folder + kFolder.size()));
    const auto meaning = meaning_of(key);
    const bool known = meaning && meaning->role == KeyRole::kMetric;
    factor_ = known ? meaning->factor : 1;
    column_ =
        recorder.column(known ? meaning->metric : std::string_view(key), key, known ? meaning->unit : Unit::kNone);
  }

  void feed(std::span<const char> bytes) override {
    cutter_.feed({bytes.data(), bytes.size()}, [this](std::string_view region) { take(region); });
  }

  void finish(bool cut) override {
    const std::string_view rest = cutter_.rest();
    if (!trimmed(rest).empty()) {  // half a number looks like a number
      ++line_;
      if (!cut) recorder_.truncated(line_, "the last line has no end");
    }
    recorder_.file().lines = line_;
  }

 private:
  void take(std::string_view region) {
    while (!region.empty()) {
      const std::size_t end = region.find('\n');
      const std::string_view line = region.substr(0, end);
      region.remove_prefix(end + 1);
      ++line_;
      if (!trimmed(line).empty()) take_line(line);
    }
  }

  void take_line(std::string_view line) {
    const auto entry = read_entry(line.substr(0, 200));
    if (!entry) return recorder_.unused(line, line_, "no time, value and step");
    recorder_.started(entry->milliseconds / 1000);
    recorder_.begin_row(entry->step, line_);
    recorder_.put(column_, entry->value * factor_);
    if (entry->step != kNoStep) recorder_.axis("step");
  }

  Recorder& recorder_;
  LineCutter cutter_;
  Recorder::Column column_ = 0;
  double factor_ = 1;
  std::int64_t line_ = 0;
};

}  // namespace

bool is_mlflow_metric(std::string_view path, std::string_view prefix, bool) {
  const std::size_t folder = path.rfind(kFolder);
  if (folder == std::string_view::npos || folder + kFolder.size() == path.size()) return false;
  constexpr int kEnough = 20;
  int good = 0;
  int bad = 0;
  for (std::size_t end = 0; good + bad < kEnough && (end = prefix.find('\n')) != std::string_view::npos;) {
    ++(read_entry(prefix.substr(0, end)) ? good : bad);
    if (good == 0) return false;
    prefix.remove_prefix(end + 1);
  }
  return good > bad;
}

std::unique_ptr<StreamReader> open_mlflow_metric(Recorder& recorder) {
  return std::make_unique<MlflowMetric>(recorder);
}

}  // namespace assay
