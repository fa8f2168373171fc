#pragma once
// Feeds a reader in pieces and sums up what it recorded: the sum has to be the same for every way of cutting.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "format/reader.h"

namespace assay {

/// An order-dependent sum over all that a recording holds.
inline std::uint64_t digest(const Recording& recording) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { sum = std::rotl((sum ^ value) * 0x9e3779b97f4a7c15, 29); };
  const auto add_text = [&](std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  };
  for (std::size_t row = 0; row < recording.rows(); ++row) {
    add(static_cast<std::uint64_t>(recording.step[row]));
    add(static_cast<std::uint64_t>(recording.line[row]));
    add(static_cast<std::uint64_t>(recording.rank[row]));
    add(static_cast<std::uint64_t>(recording.shape[row]));
  }
  for (const Series& series : recording.series) {
    add_text(series.metric);
    for (std::size_t i = 0; i < series.size(); ++i) {
      add(series.row_of(i));
      add(std::bit_cast<std::uint64_t>(series.value(i)));
    }
  }
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const Event& event = recording.events[i];
    add(static_cast<std::uint64_t>(event.kind));
    add(static_cast<std::uint64_t>(event.line));
    add(static_cast<std::uint64_t>(event.step.value_or(-1)));
    add(static_cast<std::uint64_t>(recording.event_row[i]));
    add_text(event.text);
  }
  for (const Setting& setting : recording.config.settings) add_text(setting.key + "=" + setting.value);
  add(static_cast<std::uint64_t>(recording.file.lines));
  add(static_cast<std::uint64_t>(recording.file.unused_lines));
  add(static_cast<std::uint64_t>(recording.file.problem_count));
  add(recording.truncated ? 1 : 0);
  return sum;
}

using OpenReader = std::unique_ptr<StreamReader> (*)(Recorder&);

inline std::uint64_t digest_of_pieces(OpenReader open, const std::string& path, std::string_view bytes,
                                      std::size_t piece) {
  Recorder recorder(path);
  const std::unique_ptr<StreamReader> reader = open(recorder);
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader->feed(bytes.substr(at, piece));
  reader->finish(false);
  return digest(std::move(recorder).finish());
}

/// Aborts where the recording depends on how the bytes were cut.
inline void check_pieces(OpenReader open, const std::string& path, std::string_view bytes) {
  const std::uint64_t whole = digest_of_pieces(open, path, bytes, bytes.size() + 1);
  const std::size_t odd = 1 + bytes.size() % 13;
  if (digest_of_pieces(open, path, bytes, odd) != whole) std::abort();
}

}  // namespace assay
