#pragma once
// One record of a W&B run file: wandb_internal.proto, as far as a log needs it.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

enum class WandbContent : std::uint8_t {
  kNothing,  // a header, a footer, a summary: bookkeeping
  kHistory,
  kConfig,
  kRun,
  kExit,
  kConsole,
  kSystemMetrics,
  kAlert,
  kOther,  // artifacts, files, requests
};

/// A value of a history or configuration record, under a name of one or more parts.
struct WandbItem {
  static constexpr std::size_t kMostParts = 4;
  std::array<std::string_view, kMostParts> name;
  std::size_t parts = 0;  // 0: no name, or one of more parts
  std::string_view json;
};

struct WandbRecord {
  WandbContent content = WandbContent::kNothing;
  std::string_view message;  // of history
  std::string_view text;     // of the console
  bool has_step = false;
  std::int64_t step = 0;  // of a history record
  std::int64_t exit_code = 0;
  double started = 0;  // seconds since 1970; 0 where it is not told
  std::string_view run_id;
  std::vector<WandbItem> items;  // of a configuration
};

/// Reads `data` into `out`, whose vector is used again; views into `data`. Throws protozero::exception where it is no
/// message.
void read_wandb_record(std::string_view data, WandbRecord& out);

/// The items of a history record's message, behind those that `out` has. Throws protozero::exception.
void read_wandb_items(std::string_view message, std::vector<WandbItem>& out);

}  // namespace assay
