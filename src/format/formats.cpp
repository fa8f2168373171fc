// The formats that a file is tried for, and reading one.

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "format/archive.h"
#include "format/config/config_file.h"
#include "format/config/gin_config.h"
#include "format/config/python_config.h"
#include "format/config/shell_script.h"
#include "format/intake.h"
#include "format/lines/text_log.h"
#include "format/notebook.h"
#include "format/reader.h"
#include "format/records/event_file.h"
#include "format/records/wandb.h"
#include "format/tables/csv.h"
#include "format/tables/json_history.h"
#include "format/tables/jsonl.h"
#include "format/tables/mlflow_metric.h"

namespace assay {

namespace {

bool is_text_log(std::string_view, std::string_view prefix, bool) { return looks_like_text(prefix); }

// The first that says yes reads the file. A container has to be sure of itself: what it does not claim goes to the line
// engine, which takes any text.
constexpr auto kFormats = std::to_array<Format>({
    {"TensorBoard event file", is_event_file, open_event_file, true},
    {"W&B run file", is_wandb, open_wandb, true},
    {"MLflow metric", is_mlflow_metric, open_mlflow_metric},
    {"yaml", is_yaml, open_yaml},
    {"toml", is_toml, open_toml},
    {"launch script", is_shell_script, open_shell_script},
    {"gin configuration", is_gin_config, open_gin_config},
    {"python configuration", is_python_config, open_python_config},
    {"notebook", is_notebook, open_notebook},
    {"jsonl", is_jsonl, open_jsonl},
    {"json", is_json_document, open_json_document},
    {"csv", is_csv, open_csv},
    {"text log", is_text_log, open_text_log},
});

constexpr std::size_t kChunk = std::size_t{1} << 20;

void failed(Recorder& recorder, Error error) {
  FileRecord& file = recorder.file();
  file.state = FileState::kFailed;
  file.error = std::move(error);
}

// What a file that gave nothing held instead, and what it was searched for.
std::string what_it_held(const FileRecord& file) {
  constexpr std::size_t kMostKinds = 3;
  std::string held;
  for (std::size_t i = 0; i < std::min(file.unused.size(), kMostKinds); ++i) {
    const UnusedKind& kind = file.unused[i];
    held += i == 0 ? "it holds " : "; ";
    const std::string_view what = file.unit == PlaceUnit::kRecord ? "value" : "line";
    held += std::to_string(kind.count) + " " + std::string(what) + (kind.count == 1 ? " (" : "s (") + kind.why;
    held += "), the first: \"" + kind.example + '"';
  }
  if (!held.empty()) held += ". ";
  return held +
         "Looked for: a loss, accuracy, reward, grad norm, learning rate or loss scale in lines or columns that " +
         "come again; settings; messages of a training framework";
}

// What the file as a whole came to.
Recording conclude(Recorder&& recorder) {
  Recording recording = std::move(recorder).finish();
  FileRecord& file = recording.file;
  const bool nothing = recording.rows() == 0 && recording.events.empty() && recording.config.settings.empty();
  if (file.state == FileState::kRead && nothing) {
    file.state = FileState::kNothingRead;
    Location where;
    where.path = file.path;
    // A limit that was reached is why there is nothing; what is in the file was not all looked at.
    const auto limit = std::find_if(file.problems.begin(), file.problems.end(),
                                    [](const Error& one) { return one.code == ErrorCode::kLimit; });
    if (!file.error && limit != file.problems.end()) file.error = *limit;
    if (!file.error) {
      file.error = Error{ErrorCode::kUnrecognised, "holds nothing that is known as a training log", std::move(where),
                         what_it_held(file)};
    }
  }
  return recording;
}

void read_all(ByteSource& source, Recorder& recorder, const ReadOptions& options) {
  Intake intake(recorder, kFormats);
  const auto interrupted = [&] { return options.interrupted != nullptr && options.interrupted->load(); };
  while (!intake.done() && !interrupted()) {
    const Result<std::span<const char>> piece = source.next();
    if (!piece) {
      // A disk that fails in the middle: what came before stays, as of a file that is cut.
      if (recorder.file().bytes == 0) return failed(recorder, piece.error());
      recorder.truncated(0, piece.error().message, piece.error().where.byte);
      return intake.finish(true);
    }
    if (piece->empty()) break;
    intake.feed(*piece);
  }
  intake.finish(interrupted());
}

class FileSource final : public ByteSource {
 public:
  FileSource(InputFile& file, const ReadOptions& options) : file_(file), options_(options), buffer_(kChunk) {}

  Result<std::span<const char>> next() override {
    const std::size_t got = ASSAY_TRY(file_.read(buffer_, options_.interrupted));
    if (options_.progress != nullptr) options_.progress->bytes_done += static_cast<std::int64_t>(got);
    return std::span<const char>(buffer_.data(), got);
  }

 private:
  InputFile& file_;
  const ReadOptions& options_;
  std::vector<char> buffer_;
};

}  // namespace

Recording read_file(const std::string& path, const ReadOptions& options) {
  Recorder recorder(path);
  recorder.file().named = options.named;
  const auto stop = [&](Error error) {
    failed(recorder, std::move(error));
    return std::move(recorder).finish();
  };
  Location where;
  where.path = path;
  const Result<InputFile::Kind> kind = InputFile::kind_of(path);
  if (!kind) return stop(kind.error());
  if (*kind == InputFile::Kind::kDirectory) {
    return stop(
        {ErrorCode::kUsage, "is a directory", std::move(where), "name it to `assay check`, which looks inside"});
  }
  if (*kind == InputFile::Kind::kStream && !options.named) {
    // Found in a folder: a pipe without a writer would keep us waiting for ever.
    return stop({ErrorCode::kUnreadable, "is a pipe or device", std::move(where), "name it to have it read"});
  }
  Result<InputFile> file = InputFile::open(path);
  if (!file) return stop(std::move(file).error());
  FileSource source(*file, options);
  read_all(source, recorder, options);
  return conclude(std::move(recorder));
}

Recording read_pieces(const std::string& path, ByteSource& source, const ReadOptions& options) {
  Recorder recorder(path);
  read_all(source, recorder, options);
  return conclude(std::move(recorder));
}

std::vector<Recording> read_path(const std::string& path, const ReadOptions& options,
                                 const std::function<bool(std::string_view path)>& wanted) {
  std::vector<Recording> out;
  out.push_back(read_file(path, options));
  const FileRecord& file = out.front().file;
  if (file.state == FileState::kRead || !is_archive(file.kind)) return out;
  const Result<InputFile::Kind> kind = InputFile::kind_of(path);
  if (!kind || *kind != InputFile::Kind::kRegular) return out;  // its bytes are gone
  const std::string archive(file.kind);
  out = read_archive(path, archive, options, wanted);
  out.front().file.named = options.named;
  return out;
}

Recording read_bytes(const std::string& path, std::string_view bytes, std::size_t chunk) {
  Recorder recorder(path);
  Intake intake(recorder, kFormats);
  const std::size_t step = chunk == 0 ? std::max<std::size_t>(bytes.size(), 1) : chunk;
  for (std::size_t at = 0; at < bytes.size() && !intake.done(); at += step) intake.feed(bytes.substr(at, step));
  intake.finish();
  return conclude(std::move(recorder));
}

}  // namespace assay
