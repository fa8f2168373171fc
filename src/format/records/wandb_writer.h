#pragma once
// Writes run files that W&B's client reads (`wandb sync`).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

/// Appends records to bytes in memory; the caller stores them.
class WandbWriter {
 public:
  /// A name and its value as JSON ("3.5", "NaN", "\"adam\"").
  using Items = std::span<const std::pair<std::string_view, std::string_view>>;

  WandbWriter();

  /// The record that opens a run. started: seconds since 1970.
  void run(std::string_view id, std::string_view project, double started, Items config);
  void config(Items items);
  /// A row of the history; `_step` is added.
  void history(std::int64_t step, Items items);
  void console(std::string_view text);
  void exit(std::int32_t code);
  /// Any other record: the fields of Record in wandb_internal.proto behind its number.
  void record(std::string_view fields);

  const std::string& bytes() const { return bytes_; }

 private:
  void chunk(int type, std::string_view data);
  std::string bytes_;
  std::int64_t number_ = 0;
};

}  // namespace assay
