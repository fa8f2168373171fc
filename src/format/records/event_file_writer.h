#pragma once
// Writes event files that TensorBoard reads.

#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// Appends records to bytes in memory; the caller stores them.
class EventFileWriter {
 public:
  /// wall_time: seconds since 1970 of the records until set_time.
  explicit EventFileWriter(double wall_time = 0);

  void set_time(double wall_time) { wall_time_ = wall_time; }
  /// A scalar in the field that PyTorch and TensorFlow 1 write.
  void scalar(std::string_view tag, std::int64_t step, float value);
  /// A text as the text plugin shows it (Markdown).
  void text(std::string_view tag, std::int64_t step, std::string_view text);
  /// Any other event: the fields of event.proto behind time and step.
  void event(std::int64_t step, std::string_view fields);

  const std::string& bytes() const { return bytes_; }

 private:
  double wall_time_;
  std::string bytes_;
};

/// `data` within the frame of a record.
std::string event_frame(std::string_view data);

}  // namespace assay
