#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "cli/command.h"
#include "cli/output_file.h"

namespace assay::cli {

namespace {

constexpr std::size_t kLargestInput = std::size_t{1} << 30;  // a saved report is some megabytes

Error system_error(const std::string& path, std::string_view what) {
  Location where;
  where.path = path;
  return {ErrorCode::kUnreadable, std::string(what) + ": " + std::strerror(errno), std::move(where), ""};
}

Result<void> replace_file(const std::string& text, const std::string& file) {
  OutputFile out = ASSAY_TRY(OutputFile::open(file));
  ASSAY_TRY(out.write(text));
  return out.commit();
}

}  // namespace

Result<void> write_output(const std::string& text, const std::string& file) {
  if (!file.empty() && file != "-") return replace_file(text, file);
  if (write_all(STDOUT_FILENO, text) || errno == EPIPE) return {};
  return std::unexpected(system_error("standard output", "cannot be written"));
}

int print(const std::string& text, int status, const std::string& file) {
  if (auto written = write_output(text, file); !written) return complain(written.error());
  return status;
}

int print(const Report& report, const std::string& text, int status, const std::string& file) {
  struct stat out = {};
  const bool exists = !file.empty() && file != "-" && stat(file.c_str(), &out) == 0 && S_ISREG(out.st_mode);
  const bool is_log = exists && std::any_of(report.files.begin(), report.files.end(), [&](const FileRecord& one) {
                        struct stat in = {};
                        return (one.named || one.records > 0) && stat(one.path.c_str(), &in) == 0 &&
                               in.st_dev == out.st_dev && in.st_ino == out.st_ino;
                      });
  if (!is_log) return print(text, status, file);
  return complain(
      {ErrorCode::kUsage, file + " is one of the logs: the report would replace it", {}, "give -o another name"});
}

Result<std::string> read_all(const std::string& path) {
  const bool from_stdin = path == "-";
  const int descriptor = from_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::unexpected(system_error(path, "cannot be read"));
  std::string out;
  char buffer[1 << 16];
  ssize_t got = 0;
  while ((got = read(descriptor, buffer, sizeof buffer)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || out.size() > kLargestInput) break;
    out.append(buffer, static_cast<std::size_t>(got));
  }
  Error error = system_error(path, "cannot be read");
  if (!from_stdin) close(descriptor);
  if (got < 0) return std::unexpected(std::move(error));
  if (out.size() > kLargestInput) return fail(ErrorCode::kLimit, path + " is larger than 1 GiB");
  return out;
}

}  // namespace assay::cli
