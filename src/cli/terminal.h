#pragma once
// What the user's terminal can show.

#include <string_view>

#include "report/render.h"

namespace assay::cli {

enum class ColourChoice { kAuto, kAlways, kNever };

/// Whether to colour what goes to standard output (or, with to_file, to a file). The user's word counts first, then
/// NO_COLOR and CLICOLOR_FORCE (https://no-color.org, https://bixense.com/clicolors), then whether it is a terminal.
bool wants_colour(ColourChoice choice, bool to_file);

/// Whether the locale's characters are UTF-8.
bool has_unicode();

/// Columns: COLUMNS where it is set, else what the terminal says, else 80; at least 40 and at most 160, beyond which
/// lines are hard to read.
int terminal_width();

}  // namespace assay::cli
