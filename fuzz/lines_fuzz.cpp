// The line engine on arbitrary bytes in arbitrary chunks. It may not crash, and the fast path, the slow path and every
// chunking have to give the same recording.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "format/lines/text_log.h"

namespace {

std::string recorded(std::string_view text, std::size_t chunk, bool slowly) {
  assay::Recorder recorder("fuzz");
  const auto reader = slowly ? assay::lines::open_text_log_slowly(recorder) : assay::open_text_log(recorder);
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    const std::string_view part = text.substr(at, chunk);
    reader->feed({part.data(), part.size()});
  }
  reader->finish(false);
  const assay::Recording r = std::move(recorder).finish();
  std::string out = r.dialect + '|' + r.axis + '|' + std::to_string(r.planned_steps.value_or(-1)) +
                    (r.truncated ? " cut " : " ") + std::to_string(r.file.unused_lines) + '\n';
  for (std::size_t i = 0; i < r.rows(); ++i) {
    for (const std::int64_t number : {r.step[i], r.line[i], r.rank[i], r.shape[i]}) out += std::to_string(number) + ' ';
  }
  for (const assay::Series& series : r.series) {
    out += '\n' + series.metric;
    for (std::size_t i = 0; i < series.size(); ++i) {
      char text_of[48];
      std::snprintf(text_of, sizeof text_of, " %zu=%a", series.row_of(i), series.value(i));
      out += std::isnan(series.value(i)) ? " nan" : text_of;
    }
  }
  for (std::size_t i = 0; i < r.events.size(); ++i) {
    const assay::Event& event = r.events[i];
    out += '\n' + std::string(assay::name(event.kind)) + ' ' + std::to_string(event.line) + ' ' +
           std::to_string(event.step.value_or(-1)) + ' ' + std::to_string(r.event_row[i]);
  }
  for (const assay::Setting& setting : r.config.settings) out += '\n' + setting.key + '=' + setting.value;
  return out;
}

void same(const std::string& a, const std::string& b, const char* what) {
  if (a == b) return;
  std::fprintf(stderr, "%s differs:\n%s\n---\n%s\n", what, a.c_str(), b.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t chunk = 1 + data[0] % 64;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = recorded(text, text.size() + 1, false);
  same(whole, recorded(text, chunk, false), "another chunking");
  same(whole, recorded(text, text.size() + 1, true), "the slow path");
  return 0;
}
