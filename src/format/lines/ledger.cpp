#include "format/lines/ledger.h"

namespace assay::lines {

namespace {

constexpr std::array<std::string_view, kUnusedKinds> kWhy{
    "no number",
    "numbers, but no metric",
    "progress bar",
    "the same message again",
    "might be a record, but came only once",
    "longer than 1 MiB: the rest of the line was not read",
    "more numbers than a record has",
    "a step or an epoch without a metric",
};

}  // namespace

void tell_unused(Recorder& recorder, std::string_view example, std::int64_t line, std::int64_t count,
                 std::string_view why) {
  if (count <= 0) return;
  recorder.unused(example, line, why);  // escapes and cuts the example, counts one
  FileRecord& file = recorder.file();
  file.unused_lines += count - 1;
  for (UnusedKind& kind : file.unused) {
    if (kind.why == why) {
      kind.count += count - 1;
      return;
    }
  }
}

void Ledger::tell(Recorder& recorder) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    tell_unused(recorder, entries_[i].example, entries_[i].line, entries_[i].count, kWhy[i]);
  }
}

}  // namespace assay::lines
