#pragma once
// What programs say beside their numbers: a table from telling texts to events. A keyword is no evidence ("overflow" is
// also the name of a router statistic and of options); a row needs the wording of one program's message.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "assay/run.h"

namespace assay::lines {

struct Message {
  EventKind kind;
  std::array<std::string_view, 2> texts;  // both have to occur (the second may be empty); neither holds a digit
  std::string_view step_after = {};       // the step is the number behind this text; likewise below
  std::string_view before_after = {};     // the loss scale before …
  std::string_view after_after = {};      // … and after
  bool once = false;                      // hundreds of processes say it: the first of a burst is kept, all are counted
};

std::span<const Message> messages();

/// The event that a line with the texts of `message` tells.
Event event_of(const Message& message, std::string_view line, std::int64_t number);

/// "RuntimeError: CUDA error: …", "torch.distributed.elastic.…ChildFailedError:": the last line of a traceback.
bool is_exception_line(std::string_view line);
/// The text that opens a traceback.
inline constexpr std::string_view kTraceback = "Traceback (most recent call last)";

}  // namespace assay::lines
