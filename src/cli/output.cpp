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

namespace assay::cli {

namespace {

constexpr std::size_t kLargestInput = std::size_t{1} << 30;  // a saved report is some megabytes

Error system_error(const std::string& path, std::string_view what) {
  Location where;
  where.path = path;
  return {ErrorCode::kUnreadable, std::string(what) + ": " + std::strerror(errno), std::move(where), ""};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A device or a pipe (/dev/stdout, a fifo) cannot be replaced: it is written to.
Result<void> write_through(const std::string& text, const std::string& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return std::unexpected(system_error(file, "cannot be written"));
  const bool good = write_all(descriptor, text) || errno == EPIPE;
  if (!good) {
    Error error = system_error(file, "cannot be written");
    close(descriptor);
    return std::unexpected(std::move(error));
  }
  close(descriptor);
  return {};
}

Result<void> replace_file(const std::string& text, const std::string& file) {
  // Through a link to what it points at, so that the link stays.
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(file.c_str(), nullptr), std::free);
  const std::string target = resolved ? resolved.get() : file;
  struct stat old = {};
  const bool replaces = stat(target.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode)) return write_through(text, file);

  std::string beside = target + ".XXXXXX";
  const int descriptor = mkstemp(beside.data());
  if (descriptor < 0) return std::unexpected(system_error(file, "cannot be written"));
  const mode_t mask = umask(0);
  umask(mask);
  const mode_t mode = replaces ? old.st_mode & 07777 : 0666 & ~mask;
  const bool written = write_all(descriptor, text) && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0;
  Error error = system_error(file, "cannot be written");
  const bool closed = close(descriptor) == 0;
  if (written && closed) {
    if (rename(beside.c_str(), target.c_str()) == 0) return {};
    error = system_error(file, "cannot be replaced");
  }
  unlink(beside.c_str());
  return std::unexpected(std::move(error));
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
