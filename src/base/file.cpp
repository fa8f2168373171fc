#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace assay {

namespace {

std::unexpected<Error> system_error(const std::string& path, int number, std::int64_t byte = -1) {
  Location where;
  where.path = path;
  where.byte = byte;
  if (number == ENOENT || number == ENOTDIR) {
    return fail(ErrorCode::kNotFound, "there is no such file", std::move(where), "check the path");
  }
  std::string hint = number == EACCES || number == EPERM ? "ask its owner for the right to read it" : "";
  return fail(ErrorCode::kUnreadable, "cannot be read: " + std::generic_category().message(number), std::move(where),
              std::move(hint));
}

InputFile::Kind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return InputFile::Kind::kRegular;
  return S_ISDIR(mode) ? InputFile::Kind::kDirectory : InputFile::Kind::kStream;
}

}  // namespace

Result<InputFile::Kind> InputFile::kind_of(const std::string& path) {
  if (path == "-") return Kind::kStream;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return system_error(path, errno);
  return kind_of_mode(status.st_mode);
}

Result<InputFile> InputFile::open(const std::string& path) {
  const bool standard_input = path == "-";
  int descriptor = STDIN_FILENO;
  if (!standard_input) {
    do {
      descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return system_error(path, errno);
  }
  InputFile file(path, descriptor, !standard_input);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return system_error(path, errno);
  file.kind_ = kind_of_mode(status.st_mode);
  if (file.kind_ == Kind::kRegular) {
    file.size_ = static_cast<std::int64_t>(status.st_size);
    // Only advice: a file system that does not know it reads the same bytes.
    (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept { *this = std::move(other); }

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(owned_, other.owned_);
  std::swap(kind_, other.kind_);
  std::swap(size_, other.size_);
  std::swap(position_, other.position_);
  return *this;
}

InputFile::~InputFile() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputFile::read(std::span<char> into, const std::atomic<bool>* interrupted) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) break;
    const ssize_t got = ::read(descriptor_, into.data() + filled, into.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error(path_, errno, position_);
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    position_ += got;
  }
  return filled;
}

Result<std::size_t> InputFile::read_at(std::int64_t offset, std::span<char> into) const {
  std::size_t filled = 0;
  while (filled < into.size()) {
    const auto at = static_cast<off_t>(offset + static_cast<std::int64_t>(filled));
    const ssize_t got = ::pread(descriptor_, into.data() + filled, into.size() - filled, at);
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error(path_, errno, at);
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

}  // namespace assay
