// Reads event files: frames (event_frames.h) hold events, events hold values under tags, and those become rows once
// all of them are there (scalar_table.h).
//
// Where a record is broken it alone is lost. Its place is told as a byte offset: nobody can look up the 412th record
// with a tool of the system, but anybody can look at byte 23,456.

#include "format/records/event_file.h"

#include <fmt/core.h>

#include <array>
#include <protozero/exception.hpp>
#include <string>

#include "base/bytes.h"
#include "format/records/event_decode.h"
#include "format/records/event_frames.h"
#include "format/records/left_out.h"
#include "format/records/scalar_table.h"
#include "format/records/setting_texts.h"

namespace assay {

namespace {

// What gave nothing, by kind.
enum class Left : std::uint8_t { kHistogram, kImage, kAudio, kTensor, kText, kGraph, kLogMessage, kNothing, kLong };
constexpr std::array<std::string_view, 9> kWhy{"a histogram",
                                               "an image",
                                               "audio",
                                               "a tensor of several values",
                                               "a text that sets nothing",
                                               "a graph or a profile",
                                               "a message of TensorFlow's log",
                                               "a record without a value",
                                               "a record of more than 16 MiB"};

// The name of the folder that the file lies in; empty where the path tells none.
std::string_view folder_name(std::string_view path) {
  const std::size_t name = path.rfind('/');
  if (name == std::string_view::npos) return {};
  const std::string_view folder = path.substr(0, name);
  return folder.substr(folder.find_last_of('/') + 1);
}

class EventFileReader final : public StreamReader, private FrameSink {
 public:
  explicit EventFileReader(Recorder& recorder)
      : recorder_(recorder), frames_(*this), table_(recorder, folder_name(recorder.file().path)) {
    recorder.count_records();
    recorder.dialect("tensorboard");
  }

  void feed(std::span<const char> bytes) override { frames_.feed({bytes.data(), bytes.size()}); }

  void finish(bool cut) override {
    stream_is_cut_ = cut;
    frames_.finish();
    table_.finish();
    left_.tell(recorder_);
    recorder_.file().lines = record_;
  }

 private:
  void record(std::string_view data, std::int64_t byte) override {
    ++record_;
    byte_ = byte;
    try {
      read_event(data, event_);
    } catch (const protozero::exception&) {
      recorder_.file().lost_bytes += static_cast<std::int64_t>(data.size());
      tell(ErrorCode::kCorrupt, byte, fmt::format("the record of {} bytes is no event: it was left out", data.size()));
      return;
    }
    if (!has_start_) recorder_.started(event_.wall_time);
    has_start_ = true;
    if (event_.content != EventContent::kNothing) return take_whole();
    if (event_.values.empty()) leave(Left::kNothing, "");
    for (const SummaryValue& value : event_.values) take(value);
  }

  void take(const SummaryValue& value) {
    switch (value.content) {
      case EventContent::kScalar: return table_.add(value.tag, event_.step, value.number, record_);
      case EventContent::kText:
        if (!take_text_settings(recorder_, value.tag, value.text, record_)) leave(Left::kText, value.tag);
        return;
      case EventContent::kHparams: return take_hyper_parameters(value);
      case EventContent::kHistogram: return leave(Left::kHistogram, value.tag);
      case EventContent::kImage: return leave(Left::kImage, value.tag);
      case EventContent::kAudio: return leave(Left::kAudio, value.tag);
      case EventContent::kTensor: return leave(Left::kTensor, value.tag);
      default: return leave(Left::kNothing, value.tag);
    }
  }

  void take_hyper_parameters(const SummaryValue& value) {
    try {
      take_hparams(recorder_, value.text, record_);
    } catch (const protozero::exception&) {
      tell(ErrorCode::kCorrupt, byte_, "the hyper-parameters are no message of the hparams plugin");
    }
  }

  void take_whole() {
    switch (event_.content) {
      case EventContent::kGraph:
      case EventContent::kRunMetadata: return leave(Left::kGraph, "");
      case EventContent::kLogMessage: return leave(Left::kLogMessage, event_.text);
      case EventContent::kSessionLog: return take_session_log();
      default: return;  // the version of the file
    }
  }

  void take_session_log() {
    Event event;
    event.line = record_;
    event.step = event_.step;
    switch (event_.status) {
      case SessionStatus::kStart:
        event.kind = EventKind::kRunStart;
        event.text = "the session starts";
        break;
      case SessionStatus::kCheckpoint:
        event.kind = EventKind::kCheckpointSaved;
        event.text = printable_utf8(event_.text);
        break;
      default: return;  // a stop says nothing of how it came about
    }
    table_.add(std::move(event));
  }

  void broken(std::int64_t byte, std::uint64_t size) override {
    ++record_;
    recorder_.file().lost_bytes += static_cast<std::int64_t>(size);
    tell(ErrorCode::kCorrupt, byte,
         fmt::format("the checksum of a record of {} bytes is wrong: it was left out", size));
  }

  void too_long(std::int64_t byte, std::uint64_t size) override {
    ++record_;
    byte_ = byte;
    leave(Left::kLong, fmt::format("{} bytes", size));
  }

  void lost(std::int64_t from, std::int64_t to) override {
    recorder_.file().lost_bytes += to - from;
    tell(ErrorCode::kCorrupt, from, fmt::format("{} bytes make no record: reading went on at byte {}", to - from, to));
  }

  void cut(std::int64_t byte, bool padding) override {
    if (stream_is_cut_) return;
    recorder_.truncated(
        record_ + 1,
        padding ? "the file ends in zeros where the next record would stand" : "the last record ends in the middle",
        byte);
  }

  void tell(ErrorCode code, std::int64_t byte, std::string message) {
    Error error;
    error.code = code;
    error.message = std::move(message);
    error.where.path = recorder_.file().path;
    error.where.byte = byte;
    error.where.unit = PlaceUnit::kRecord;
    recorder_.problem(std::move(error));
  }

  void leave(Left kind, std::string_view what) { left_.count(kind, what, record_, byte_); }

  Recorder& recorder_;
  EventFrames frames_;
  ScalarTable table_;
  EventRecord event_;
  std::int64_t record_ = 0;
  std::int64_t byte_ = 0;
  bool has_start_ = false;
  bool stream_is_cut_ = false;
  LeftOut<Left, kWhy.size()> left_{kWhy};
};

}  // namespace

bool is_event_file(std::string_view, std::string_view prefix, bool) {
  constexpr std::size_t kData = 12;
  const bool says_so = prefix.substr(0, 64).find("brain.Event:") != std::string_view::npos;
  if (!is_frame_header(prefix)) return says_so;  // the first header is broken
  // Data sets are framed alike (TFRecord), but their records do not begin with the time, a double in field 1.
  constexpr char kTime = (1 << 3) | 1;
  return says_so || (prefix.size() > kData && prefix[kData] == kTime);
}

std::unique_ptr<StreamReader> open_event_file(Recorder& recorder) {
  return std::make_unique<EventFileReader>(recorder);
}

}  // namespace assay
