#pragma once
// What tests of readers ask of a recording.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/reader.h"

namespace assay {

inline const Series* find_series(const Recording& recording, std::string_view metric) {
  for (const Series& series : recording.series) {
    if (series.metric == metric) return &series;
  }
  return nullptr;
}

/// The values of a metric; empty where there is none.
inline std::vector<double> values_of(const Recording& recording, std::string_view metric) {
  const Series* series = find_series(recording, metric);
  if (series == nullptr) return {};
  return {series->values.span().begin(), series->values.span().end()};
}

/// The printed step of each value of a metric.
inline std::vector<std::int64_t> steps_of(const Recording& recording, std::string_view metric) {
  std::vector<std::int64_t> out;
  if (const Series* series = find_series(recording, metric)) {
    for (std::size_t i = 0; i < series->size(); ++i) out.push_back(recording.step[series->row_of(i)]);
  }
  return out;
}

/// The line of each value of a metric.
inline std::vector<std::int64_t> lines_of(const Recording& recording, std::string_view metric) {
  std::vector<std::int64_t> out;
  if (const Series* series = find_series(recording, metric)) {
    for (std::size_t i = 0; i < series->size(); ++i) out.push_back(recording.line[series->row_of(i)]);
  }
  return out;
}

/// One row as text, so that rows of two recordings can be compared.
inline std::string row_text(const Recording& recording, std::size_t row) {
  std::string out = std::to_string(recording.line[row]) + " step " + std::to_string(recording.step[row]) + " rank " +
                    std::to_string(recording.rank[row]);
  for (const Series& series : recording.series) {
    const std::size_t at = series.at_or_after_row(row);
    if (at == series.size() || series.row_of(at) != row) continue;
    out += " " + series.metric + "=" + std::to_string(series.value(at));
  }
  return out;
}

/// All that a recording says, as text.
inline std::string everything(const Recording& recording) {
  std::string out = recording.file.kind + " axis " + recording.axis + " planned " +
                    std::to_string(recording.planned_steps.value_or(-1)) + (recording.truncated ? " cut" : "") +
                    " lines " + std::to_string(recording.file.lines) + " state " +
                    std::to_string(static_cast<int>(recording.file.state)) + "\n";
  for (const Series& series : recording.series) out += series.metric + " (" + series.printed_as + ") ";
  for (std::size_t row = 0; row < recording.rows(); ++row) out += "\n" + row_text(recording, row);
  for (const Setting& setting : recording.config.settings) out += "\n" + setting.key + " = " + setting.value;
  for (const Error& error : recording.file.problems) {
    out += "\nproblem " + std::to_string(error.where.line) + " " + error.message;
  }
  for (const UnusedKind& kind : recording.file.unused) {
    out += "\nunused " + std::to_string(kind.count) + " from " + std::to_string(kind.first_line) + " " + kind.why +
           ": " + kind.example;
  }
  return out;
}

/// The recording is the same whatever the pieces in which the bytes come.
inline void expect_same_for_any_chunk(const std::string& path, const std::string& text) {
  const std::string whole = everything(read_bytes(path, text));
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    EXPECT_EQ(everything(read_bytes(path, text, chunk)), whole) << "chunks of " << chunk;
  }
}

/// Cut anywhere, a file gives the rows that stand before the cut, and no others.
inline void expect_rows_before_any_cut(const std::string& path, const std::string& text, std::size_t from) {
  const Recording whole = read_bytes(path, text);
  std::vector<std::size_t> line_end;  // bytes up to the end of each line
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_end.push_back(i + 1);
  }
  for (std::size_t length = from; length < text.size(); ++length) {
    const Recording cut = read_bytes(path, text.substr(0, length));
    std::size_t expected = 0;
    while (expected < whole.rows()) {
      const auto line = static_cast<std::size_t>(whole.line[expected]);
      if (line > line_end.size() || line_end[line - 1] > length) break;
      ++expected;
    }
    ASSERT_GE(cut.rows(), expected) << path << " cut at " << length;
    ASSERT_LE(cut.rows(), expected + 1) << path << " cut at " << length;
    for (std::size_t row = 0; row < expected; ++row) {
      ASSERT_EQ(row_text(cut, row), row_text(whole, row)) << path << " cut at " << length;
    }
  }
}

}  // namespace assay
