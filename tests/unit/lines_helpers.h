#pragma once
// What the tests of the line engine share: reading a text in chunks, and comparing recordings.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/recording.h"
#include "format/lines/text_log.h"

namespace assay::lines_test {

/// chunk: bytes fed at a time, 0: all at once. slowly: without remembering shapes.
inline Recording read_log(std::string_view text, std::size_t chunk = 0, bool slowly = false) {
  Recorder recorder("test.log");
  const auto reader = slowly ? lines::open_text_log_slowly(recorder) : open_text_log(recorder);
  if (chunk == 0) chunk = std::max<std::size_t>(text.size(), 1);
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    const std::string_view part = text.substr(at, chunk);
    reader->feed({part.data(), part.size()});
  }
  reader->finish(false);
  return std::move(recorder).finish();
}

inline std::vector<double> values_of(const Recording& recording, std::string_view metric) {
  std::vector<double> out;
  for (const Series& series : recording.series) {
    if (series.metric == metric) out.assign(series.values.span().begin(), series.values.span().end());
  }
  return out;
}

inline std::string bits_of(double value) {
  if (std::isnan(value)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

/// Everything that a recording says, one line for each row, event, setting and kind of unused line.
inline std::vector<std::string> described(const Recording& r) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < r.rows(); ++i) {
    out.push_back("row step=" + std::to_string(r.step[i]) + " line=" + std::to_string(r.line[i]) +
                  " rank=" + std::to_string(r.rank[i]) + " shape=" + std::to_string(r.shape[i]));
  }
  for (const Series& series : r.series) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      out[series.row_of(i)] += ' ' + series.metric + '=' + bits_of(series.value(i));
    }
  }
  for (std::size_t i = 0; i < r.events.size(); ++i) {
    const Event& e = r.events[i];
    out.push_back("event " + std::string(name(e.kind)) + " line=" + std::to_string(e.line) +
                  " step=" + std::to_string(e.step.value_or(-1)) + " " + bits_of(e.before.value_or(-1)) + " " +
                  bits_of(e.after.value_or(-1)) + " after row " + std::to_string(r.event_row[i]) + " " + e.text);
  }
  for (const Setting& s : r.config.settings)
    out.push_back("setting " + s.key + "=" + s.value + " line=" + std::to_string(s.where.line));
  out.push_back("dialect=" + r.dialect + " axis=" + r.axis + " planned=" +
                std::to_string(r.planned_steps.value_or(-1)) + " truncated=" + std::to_string(r.truncated) +
                " lines=" + std::to_string(r.file.lines) + " unused=" + std::to_string(r.file.unused_lines));
  for (const UnusedKind& u : r.file.unused) {
    out.push_back("unused " + std::to_string(u.count) + " " + u.why + " line=" + std::to_string(u.first_line) + " " +
                  u.example);
  }
  return out;
}

}  // namespace assay::lines_test
