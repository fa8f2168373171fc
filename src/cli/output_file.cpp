#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace assay::cli {

namespace {

Error system_error(const std::string& path, std::string_view what) {
  Location where;
  where.path = path;
  return {ErrorCode::kUnreadable, std::string(what) + ": " + std::strerror(errno), std::move(where), ""};
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<OutputFile> OutputFile::open(const std::string& file) {
  OutputFile out;
  out.file_ = file;
  const std::unique_ptr<char, decltype(&std::free)> resolved(realpath(file.c_str(), nullptr), std::free);
  out.target_ = resolved ? resolved.get() : file;
  struct stat old = {};
  const bool replaces = stat(out.target_.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode)) {
    out.descriptor_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const mode_t mask = umask(0);
    umask(mask);
    out.mode_ = replaces ? old.st_mode & 07777 : 0666 & ~mask;
    std::string beside = out.target_ + ".XXXXXX";
    out.descriptor_ = mkstemp(beside.data());
    if (out.descriptor_ >= 0) out.beside_ = std::move(beside);
  }
  if (out.descriptor_ < 0) return std::unexpected(system_error(file, "cannot be written"));
  return out;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!beside_.empty()) unlink(beside_.c_str());
}

Result<void> OutputFile::write(std::string_view text) {
  if (write_all(descriptor_, text) || (beside_.empty() && errno == EPIPE)) return {};
  return std::unexpected(system_error(file_, "cannot be written"));
}

Result<void> OutputFile::commit() {
  const bool written = beside_.empty() || (fchmod(descriptor_, mode_) == 0 && fsync(descriptor_) == 0);
  if (!written) return std::unexpected(system_error(file_, "cannot be written"));
  if (close(std::exchange(descriptor_, -1)) != 0) return std::unexpected(system_error(file_, "cannot be written"));
  if (beside_.empty()) return {};
  if (rename(beside_.c_str(), target_.c_str()) != 0) {
    return std::unexpected(system_error(file_, "cannot be replaced"));
  }
  beside_.clear();
  return {};
}

}  // namespace assay::cli
