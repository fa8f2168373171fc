// The recordings of all files between reading and judging.
//
// Which files are of one run is known only when all were read, and a folder of ten thousand logs does not fit into
// memory. So each file is read once for its fingerprint, and its recording stays on the shelf as long as there is
// room (CheckOptions::held_bytes); what finds no room is let go and read again when its run is judged. A pipe can be
// read once, so it always stays. Which files stay depends on the order in which threads finish, the report does not:
// a recording read again is the same recording.

#include "engine/shelf.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "assay/setting.h"
#include "base/progress.h"
#include "format/reader.h"
#include "measure/derive.h"

namespace assay {

namespace {

// A reader that is stopped finds its input cut, as it would a file that ends in the middle. The input is whole; the
// record that was being read is not, which the rules have to know.
void forget_cut(Recording& recording) {
  FileRecord& file = recording.file;
  file.truncated = false;
  file.problem_count -= static_cast<std::int64_t>(
      std::erase_if(file.problems, [](const Error& problem) { return problem.code == ErrorCode::kTruncated; }));
}

// Texts and programs quote logs and are none: such a file is read only where the user names it.
bool quotes_logs(std::string_view path) {
  constexpr std::string_view kEndings[] = {".md",  ".rst", ".tex", ".html", ".htm", ".ipynb", ".py",
                                           ".pyi", ".c",   ".cc",  ".cpp",  ".cu",  ".h",     ".hpp",
                                           ".js",  ".ts",  ".rs",  ".go",   ".java"};
  // An event file ends in the name of its host, whatever that is.
  return path.find("tfevents") == std::string_view::npos &&
         std::any_of(std::begin(kEndings), std::end(kEndings),
                     [path](std::string_view ending) { return path.ends_with(ending); });
}

Recording without_records(const Input& input, FileState state, std::optional<Error> error) {
  Recording out;
  out.path = input.path;
  out.file.state = state;
  out.file.bytes = error ? 0 : input.bytes;
  out.file.error = std::move(error);
  return out;
}

Recording failed(const Input& input, const std::string& what) {
  Location where;
  where.path = input.path;
  return without_records(input, FileState::kFailed,
                         Error{ErrorCode::kInternal, "reading failed: " + what, std::move(where), ""});
}

}  // namespace

std::size_t bytes_of(const Recording& recording) {
  std::size_t bytes = sizeof(Recording) + recording.step.bytes() + recording.line.bytes() + recording.rank.bytes() +
                      recording.shape.bytes();
  for (const Series& one : recording.series) bytes += sizeof(Series) + one.row.bytes() + one.values.bytes();
  for (const Event& one : recording.events) bytes += sizeof(Event) + sizeof(std::int64_t) + one.text.capacity();
  for (const Setting& one : recording.config.settings) {
    bytes += sizeof(Setting) + one.key.capacity() + one.value.capacity() + one.where.path.capacity();
  }
  return bytes;
}

Shelf::Shelf(std::span<const Input> inputs, const CheckOptions& options)
    : inputs_(inputs), options_(options), places_(inputs.size()), fingerprints_(inputs.size()) {}

Recording Shelf::recording_of(std::size_t file, bool again) const {
  const Input& input = inputs_[file];
  const auto complete = [&](Recording recording) {
    recording.file.path = input.path;
    recording.file.named = input.named;
    // Whose words they are is no setting of theirs.
    const auto& said = recording.config.settings;
    recording.file.settings =
        std::count_if(said.begin(), said.end(), [](const Setting& one) { return one.key != setting::kFramework; });
    recording.file.framework = spoken_framework(recording.config, "");
    // In a folder, a file that is no log is nothing to speak of.
    if (!input.named && recording.file.state == FileState::kNothingRead) recording.file.state = FileState::kUnknown;
    return recording;
  };
  if (input.error) return complete(without_records(input, FileState::kFailed, input.error));
  if (!input.named && quotes_logs(input.path)) return complete(without_records(input, FileState::kUnknown, {}));
  // An exception here is ours or a library's (memory): the file is marked, the rest goes on.
  std::string what;
  try {
    Recording recording = read_file(
        input.path,
        {.progress = again ? nullptr : options_.progress, .interrupted = options_.interrupted, .named = input.named});
    if (stopped()) forget_cut(recording);
    return complete(std::move(recording));
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "unknown exception";
  }
  return complete(failed(input, what));
}

void Shelf::read(std::size_t file) {
  if (stopped()) return;
  Recording recording = recording_of(file, false);
  Place& place = places_[file];
  place.read = true;
  if (inputs_.size() > 1) fingerprints_[file] = fingerprint(recording, points_for(inputs_.size()));
  fingerprints_[file].path = inputs_[file].path;
  const bool wanted = recording.rows() > 0 || !recording.events.empty() || !recording.config.settings.empty();
  const std::size_t bytes = bytes_of(recording);
  const bool room = held_bytes_.fetch_add(bytes) + bytes <= options_.held_bytes;
  if (wanted && (room || inputs_[file].stream || inputs_.size() == 1)) {
    place.ledger = recording.file;
    place.held = std::move(recording);
    return;
  }
  held_bytes_ -= bytes;
  place.ledger = std::move(recording.file);
}

std::optional<Recording> Shelf::take(std::size_t file) {
  Place& place = places_[file];
  if (place.held) {
    std::optional<Recording> out = std::move(place.held);
    place.held.reset();
    return out;
  }
  if (stopped()) return std::nullopt;
  return recording_of(file, true);
}

}  // namespace assay
