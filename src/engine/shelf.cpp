// The recordings of all files between reading and judging.
//
// Which files are of one run is known only when all were read, and a folder of ten thousand logs does not fit into
// memory. So each file is read once for its fingerprint, and its recording stays on the shelf as long as there is
// room (CheckOptions::held_bytes); what finds no room is let go and read again when its run is judged. A pipe can be
// read once, so it always stays; the members of an archive are read in one pass over it, and one that finds no room
// costs another pass. Which files stay depends on the order in which threads finish, the report does not:
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

Shelf::Shelf(std::vector<Input> inputs, const CheckOptions& options)
    : inputs_(std::move(inputs)), options_(options), places_(inputs_.size()), fingerprints_(inputs_.size()) {}

Recording Shelf::complete(const Input& input, Recording recording) const {
  recording.file.path = input.path;
  recording.file.named = input.named;
  if (recording.file.bytes == 0) recording.file.bytes = input.bytes;  // an archive is read by a library
  // Whose words they are is no setting of theirs.
  const auto& said = recording.config.settings;
  recording.file.settings =
      std::count_if(said.begin(), said.end(), [](const Setting& one) { return one.key != setting::kFramework; });
  recording.file.framework = spoken_framework(recording.config, "");
  // In a folder, a file that is no log is nothing to speak of.
  if (!input.named && recording.file.state == FileState::kNothingRead) recording.file.state = FileState::kUnknown;
  return recording;
}

// The file's own, and those of its members where it is an archive; of a member only its own.
std::vector<Recording> Shelf::recordings_of(const Input& input, bool again) const {
  const auto alone = [&](Recording recording) {
    std::vector<Recording> out;
    out.push_back(complete(input, std::move(recording)));
    return out;
  };
  if (input.error) return alone(without_records(input, FileState::kFailed, input.error));
  if (!input.named && quotes_logs(input.path)) return alone(without_records(input, FileState::kUnknown, {}));
  const ReadOptions options{
      .progress = again ? nullptr : options_.progress, .interrupted = options_.interrupted, .named = input.named};
  // An exception here is ours or a library's (memory): the file is marked, the rest goes on.
  std::string what;
  try {
    std::vector<Recording> read;
    if (input.archive.empty()) {
      read = read_path(input.path, options, [](std::string_view path) { return !quotes_logs(path); });
    } else {
      read = read_path(input.archive, options, [&](std::string_view path) { return path == input.path; });
      read.erase(read.begin());
      if (read.empty()) return alone(failed(input, "the archive has changed"));
    }
    for (Recording& one : read) {
      if (stopped()) forget_cut(one);
    }
    read.front() = complete(input, std::move(read.front()));
    return read;
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
    what = "unknown exception";
  }
  return alone(failed(input, what));
}

void Shelf::read(std::size_t file) {
  if (stopped()) return;
  std::vector<Recording> read = recordings_of(inputs_[file], false);
  Recording own = std::move(read.front());
  read.erase(read.begin());
  places_[file].members = std::move(read);
  put(file, std::move(own));
}

void Shelf::put(std::size_t file, Recording recording) {
  Place& place = places_[file];
  place.read = true;
  const bool alone = inputs_.size() == 1 && place.members.empty();
  if (!alone) fingerprints_[file] = fingerprint(recording, points_for(inputs_.size()));
  fingerprints_[file].path = inputs_[file].path;
  fingerprints_[file].named = inputs_[file].named;
  const bool wanted = recording.rows() > 0 || !recording.events.empty() || !recording.config.settings.empty();
  const std::size_t bytes = bytes_of(recording);
  const bool room = held_bytes_.fetch_add(bytes) + bytes <= options_.held_bytes;
  if ((wanted && room) || inputs_[file].stream || alone) {
    place.ledger = recording.file;
    place.held = std::move(recording);
    return;
  }
  held_bytes_ -= bytes;
  place.ledger = std::move(recording.file);
}

void Shelf::unpack() {
  const auto packed = [](const Place& place) { return !place.members.empty(); };
  if (std::none_of(places_.begin(), places_.end(), packed)) return;
  std::vector<Input> inputs = std::exchange(inputs_, {});
  std::vector<Place> places = std::exchange(places_, {});
  std::vector<Fingerprint> fingerprints = std::exchange(fingerprints_, {});
  std::vector<std::pair<std::size_t, Recording>> members;  // and where they go
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<Recording> held = std::exchange(places[i].members, {});
    Input member = inputs[i];
    member.archive = inputs[i].path;
    member.named = false;
    inputs_.push_back(std::move(inputs[i]));
    places_.push_back(std::move(places[i]));
    fingerprints_.push_back(std::move(fingerprints[i]));
    for (Recording& one : held) {
      member.path = one.path;
      member.bytes = one.file.bytes;
      members.emplace_back(inputs_.size(), std::move(one));
      inputs_.push_back(member);
      places_.emplace_back();
      fingerprints_.emplace_back();
    }
  }
  for (auto& [file, recording] : members) put(file, complete(inputs_[file], std::move(recording)));
}

std::optional<Recording> Shelf::take(std::size_t file) {
  Place& place = places_[file];
  if (place.held && place.shared) return place.held;
  if (place.held) {
    std::optional<Recording> out = std::move(place.held);
    place.held.reset();
    return out;
  }
  if (stopped()) return std::nullopt;
  return std::move(recordings_of(inputs_[file], true).front());
}

}  // namespace assay
