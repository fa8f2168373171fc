#pragma once
// One record of an event file: tensorflow/core/util/event.proto and framework/summary.proto, as far as a log needs it.

#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// What a summary holds that is neither a number nor a text, and records that hold no summary.
enum class EventContent : std::uint8_t {
  kScalar,
  kText,
  kHparams,
  kHistogram,
  kImage,
  kAudio,
  kTensor,  // of several values, or of a type that is no number
  kNothing,
  // Whole records:
  kVersion,
  kGraph,
  kLogMessage,
  kSessionLog,
  kRunMetadata,
};

/// SessionLog::status: what TensorFlow 1 tells about the run.
enum class SessionStatus : std::uint8_t { kNone = 0, kStart = 1, kStop = 2, kCheckpoint = 3 };

struct SummaryValue {
  EventContent content = EventContent::kNothing;
  std::string_view tag;
  double number = 0;      // kScalar
  std::string_view text;  // kText; kHparams: the plugin's message
};

struct EventRecord {
  double wall_time = 0;  // seconds since 1970
  std::int64_t step = 0;
  EventContent content = EventContent::kNothing;  // of the record as a whole; kNothing where it holds summaries
  SessionStatus status = SessionStatus::kNone;
  std::string_view text;  // of a log message, the path of a checkpoint
  std::vector<SummaryValue> values;
};

/// Reads `data` into `out`, whose vector is used again. Throws protozero::exception where it is no message; what was
/// read by then is in `out`.
void read_event(std::string_view data, EventRecord& out);

}  // namespace assay
