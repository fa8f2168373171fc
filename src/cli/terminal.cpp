#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/ascii.h"

namespace assay::cli {

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

bool wants_colour(ColourChoice choice, bool to_file) {
  if (choice != ColourChoice::kAuto) return choice == ColourChoice::kAlways;
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return !to_file && isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
}

bool has_unicode() {
  // The order in which the C library looks.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = lower(variable(name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int terminal_width() {
  constexpr int kLeast = 40;
  constexpr int kMost = 160;
  int width = std::atoi(std::string(variable("COLUMNS")).c_str());
  winsize size = {};
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width <= 0 ? 80 : std::clamp(width, kLeast, kMost);
}

}  // namespace assay::cli
