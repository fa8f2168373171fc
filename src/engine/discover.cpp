// From what the user named to the files to read.
//
// A training folder is large and full of other things: checkpoints, caches, links to shared data, links back to itself.
// The walk therefore stays below what was named: a link to a folder elsewhere (`data -> /lustre/corpora`) would lead it
// through a file system, so it is left out, and whoever means that folder names it. Within the folder it follows links
// but enters each folder once (known by device and inode, which no link changes), goes
// by the order of names so that two machines give the same report, and leaves out what begins with a dot (but for a
// folder in which a tool is known to keep settings). A file is
// known by device and inode too: named twice, or once itself and once through its folder, it is read once.

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "engine/checkpoints.h"
#include "engine/engine.h"
#include "engine/layout.h"

namespace assay {

namespace {

constexpr std::size_t kDeepestFolder = 64;
constexpr std::size_t kMostFiles = 1'000'000;
constexpr std::size_t kMostLookedBeside = 64;  // files named one by one whose folders are looked at for checkpoints

using Identity = std::pair<dev_t, ino_t>;

Error system_error(const std::string& path, int number) {
  const bool absent = number == ENOENT || number == ENOTDIR;
  Location where;
  where.path = path;
  return {absent ? ErrorCode::kNotFound : ErrorCode::kUnreadable,
          absent ? "no such file or folder" : std::string("cannot be read: ") + std::strerror(number), std::move(where),
          ""};
}

// Empty where it cannot be told.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : std::string();
}

bool is_link(const std::string& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

bool lies_below(const std::string& path, const std::string& folder) {
  return path == folder || folder == "/" || (path.starts_with(folder) && path[folder.size()] == '/');
}

class Walk {
 public:
  explicit Walk(const std::atomic<bool>* interrupted) : interrupted_(interrupted) {}

  void argument(const std::string& path, std::size_t index) {
    argument_ = index;
    if (path == "-") {
      if (!std::exchange(read_stdin_, true)) found_.inputs.push_back({path, index, true, true, 0, {}});
      return;
    }
    reached_again_ = false;
    entered_ = false;
    visit(path, true, 0);
    if (!entered_ && found_.inputs.size() <= kMostLookedBeside) find_checkpoints_beside(path, checkpoints_);
    if (entered_ && !reached_again_) found_.folders.push_back(index);
  }

  Discovery take() {
    found_.checkpoints = checkpoints_.take();
    return std::move(found_);
  }

 private:
  void visit(const std::string& path, bool named, std::size_t depth) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
      // In a folder a link that leads nowhere is nothing that anybody asked about.
      if (named || errno != ENOENT) reject(path, named, system_error(path, errno));
      return;
    }
    if (S_ISDIR(status.st_mode)) {
      if (named) root_ = real_path(path);
      if (!named && is_link(path) && !lies_below(real_path(path), root_)) return;
      if (folders_.insert({status.st_dev, status.st_ino}).second) enter(path, named, depth);
      return;
    }
    // A pipe is read where it was named (`<(zcat …)`), never where it happens to lie.
    if (!S_ISREG(status.st_mode) && !named) return;
    if (S_ISREG(status.st_mode) && !files_.insert({status.st_dev, status.st_ino}).second) {
      reached_again_ = true;
      return;
    }
    found_.inputs.push_back(
        {path, argument_, named, !S_ISREG(status.st_mode), static_cast<std::int64_t>(status.st_size), {}});
  }

  void enter(const std::string& path, bool named, std::size_t depth) {
    if (depth >= kDeepestFolder) {
      return reject(path, named, limit(path, "folders lie more than 64 deep; what is below was not read"));
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
    if (!folder) return reject(path, named, system_error(path, errno));
    entered_ = true;
    std::vector<std::string> names;
    while (const dirent* entry = readdir(folder.get())) {
      if (entry->d_name[0] != '.' || hidden_but_told(entry->d_name)) names.emplace_back(entry->d_name);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (interrupted_ != nullptr && interrupted_->load()) return;
      if (found_.inputs.size() >= kMostFiles) {
        if (!std::exchange(full_, true))
          reject(path, false, limit(path, "more than 1,000,000 files; the rest was not read"));
        return;
      }
      const std::string below = path.ends_with('/') ? path + name : path + "/" + name;
      checkpoints_.see(below, name);
      visit(below, false, depth + 1);
    }
  }

  static Error limit(const std::string& path, std::string message) {
    Location where;
    where.path = path;
    return {ErrorCode::kLimit, std::move(message), std::move(where), "name the folders of interest"};
  }

  void reject(const std::string& path, bool named, Error error) {
    found_.inputs.push_back({path, argument_, named, false, 0, std::move(error)});
  }

  const std::atomic<bool>* interrupted_;
  std::size_t argument_ = 0;
  Discovery found_;
  CheckpointFinder checkpoints_;
  std::string root_;  // of the argument, without links
  std::set<Identity> files_;
  std::set<Identity> folders_;
  bool entered_ = false;        // the argument is a folder
  bool reached_again_ = false;  // a file of it was found before
  bool read_stdin_ = false;
  bool full_ = false;
};

}  // namespace

Discovery discover(const std::vector<std::string>& paths, const std::atomic<bool>* interrupted) {
  Walk walk(interrupted);
  for (std::size_t i = 0; i < paths.size(); ++i) walk.argument(paths[i], i);
  return walk.take();
}

}  // namespace assay
