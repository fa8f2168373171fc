#pragma once
// Where results go.

#include <string>

#include "assay/report.h"
#include "assay/result.h"

namespace assay::cli {

/// Writes to standard output, or to `file` where it is not empty: whole or not at all, by way of a file beside it that
/// takes its name. A reader of standard output that has gone away (`| head`) is no error.
Result<void> write_output(const std::string& text, const std::string& file);

/// write_output for a command that has nothing else to fail: returns its exit status, after telling what went wrong.
int print(const std::string& text, int status = 0, const std::string& file = {});

/// The same for what was made of logs: never over one of them.
int print(const Report& report, const std::string& text, int status, const std::string& file);

/// All of standard input, or of a file.
Result<std::string> read_all(const std::string& path);

}  // namespace assay::cli
