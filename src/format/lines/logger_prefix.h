#pragma once
// What stands before a message on its line: the clock of a container's log, dates and times, the level and the name of
// a logger.

#include <optional>
#include <string>
#include <string_view>

namespace assay::lines {

/// "2024-05-01T10:00:00.123456789Z ", also with "stdout F " behind it: what `docker logs -t`, `kubectl logs
/// --timestamps` and the logs of a cluster put before every line that a program wrote, with the one blank behind it.
/// Empty: the line has none. A stamp without a zone is the program's own.
std::string_view container_stamp(std::string_view line);

/// The line of a program that Docker's json-file holds: {"log":"step 1 loss 2.5\n","stream":"stdout","time":"…"}.
std::optional<std::string> container_json(std::string_view line);

/// The message behind dates, times and what a logger writes up to the name of a level: "lr ... 0.1" of
/// "2024-05-01 10:00:00,123 - root - INFO - lr ... 0.1", "[INFO] [x.py:3] lr ... 0.1", "INFO:root:lr ... 0.1". The text
/// itself where there is no such thing.
std::string_view logged_message(std::string_view text);

}  // namespace assay::lines
