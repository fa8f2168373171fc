#include "format/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/progress.h"
#include "format/codec/codec.h"

namespace assay {

namespace {

constexpr std::size_t kMostMembers = 100'000;
constexpr std::size_t kBlock = std::size_t{256} << 10;

struct Close {
  void operator()(archive* one) const { archive_read_free(one); }
};
using Handle = std::unique_ptr<archive, Close>;

bool is_single(std::string_view kind) { return kind == "bzip2" || kind == "xz" || kind == "lz4"; }

// The name of a member below its archive: without a root, without steps up, fit to be shown.
std::string member_path(const std::string& path, std::string_view name) {
  std::string out = path;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (!part.empty() && part != "." && part != "..") out += "/" + printable_utf8(part);
    at = end + 1;
  }
  return out;
}

std::string_view name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname_utf8(entry);
  if (name == nullptr) name = archive_entry_pathname(entry);
  return name == nullptr ? std::string_view() : name;
}

// Only filters that are part of the library: it would start other programs for the rest.
Handle open(const std::string& path, bool single, Error& error) {
  Handle handle(archive_read_new());
  if (!handle) return nullptr;
  archive* a = handle.get();
  for (const auto support :
       {archive_read_support_filter_gzip, archive_read_support_filter_bzip2, archive_read_support_filter_xz,
        archive_read_support_filter_lzma, archive_read_support_filter_zstd, archive_read_support_filter_lz4}) {
    support(a);
  }
  if (single) {
    archive_read_support_format_raw(a);
  } else {
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
  }
  if (archive_read_open_filename(a, path.c_str(), kBlock) == ARCHIVE_OK) return handle;
  const char* why = archive_error_string(a);
  error = {
      ErrorCode::kCorrupt, std::string("cannot be unpacked: ") + (why == nullptr ? "no reason given" : why), {}, ""};
  return nullptr;
}

// One member's bytes. Its end with an error: the member is cut.
class Member final : public ByteSource {
 public:
  Member(archive* handle, const ReadOptions& options) : handle_(handle), options_(options) {}

  Result<std::span<const char>> next() override {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(handle_, &block, &size, &offset);
    const la_int64_t input = archive_filter_bytes(handle_, -1);
    if (options_.progress != nullptr) options_.progress->bytes_done += input - std::exchange(seen_, input);
    if (status == ARCHIVE_EOF) return std::span<const char>();
    if (status < ARCHIVE_WARN) {
      const char* why = archive_error_string(handle_);
      return fail(ErrorCode::kTruncated, std::string("the archive is broken here: ") + (why == nullptr ? "" : why), {},
                  "");
    }
    output_ += size;
    if (const auto over = over_limit({}, static_cast<std::uint64_t>(std::max<la_int64_t>(input, 1)), output_)) {
      return fail(ErrorCode::kLimit, *over, {}, "");
    }
    // A sparse file's holes are left out: a log has none that mean anything.
    return std::span<const char>(static_cast<const char*>(block), size);
  }

 private:
  archive* handle_;
  const ReadOptions& options_;
  std::uint64_t output_ = 0;
  la_int64_t seen_ = 0;
};

class Unpacking {
 public:
  Unpacking(const std::string& path, const ReadOptions& options, const std::function<bool(std::string_view)>& wanted)
      : path_(path), options_(options), wanted_(wanted) {}

  void run(archive* handle, bool single) {
    for (;;) {
      if (options_.interrupted != nullptr && options_.interrupted->load()) return;
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(handle, &entry);
      if (status == ARCHIVE_EOF) return;
      if (status < ARCHIVE_WARN) return tell_broken(handle);
      if (archive_entry_filetype(entry) != AE_IFREG && !single) continue;  // folders, links, devices
      if (archive_entry_is_encrypted(entry) != 0) {
        ++encrypted_;
        continue;
      }
      if (++members_ > kMostMembers) return tell(ErrorCode::kLimit, "more than 100,000 files: the rest was not read");
      const std::string path = single ? path_ : member_path(path_, name_of(entry));
      if (!single && (path == path_ || !wanted_(path))) continue;
      take(path, handle);
    }
  }

  void fail(Error error) {
    error.where.path = path_;
    file_.state = FileState::kFailed;
    file_.error = std::move(error);
  }

  std::vector<Recording> finish(std::string_view kind, bool single) {
    if (single && recordings_.size() == 1) {
      recordings_.front().file.codec = kind;
      return std::move(recordings_);
    }
    if (encrypted_ > 0) tell(ErrorCode::kUnreadable, std::to_string(encrypted_) + " files are encrypted");
    std::erase_if(recordings_, [](const Recording& one) { return one.path.empty(); });
    Recording whole;
    whole.path = path_;
    whole.file = std::move(file_);
    whole.file.path = path_;
    whole.file.kind = kind;
    const bool some = std::any_of(recordings_.begin(), recordings_.end(),
                                  [](const Recording& one) { return one.file.state == FileState::kRead; });
    if (!some && !whole.file.error) {
      whole.file.state = FileState::kNothingRead;
      Location where;
      where.path = path_;
      whole.file.error =
          Error{ErrorCode::kUnrecognised,
                members_ == 1 ? "the one file in it is no log of a training run"
                              : "holds no log of a training run among its " + std::to_string(members_) + " files",
                std::move(where), ""};
    }
    std::vector<Recording> out;
    out.push_back(std::move(whole));
    std::move(recordings_.begin(), recordings_.end(), std::back_inserter(out));
    return out;
  }

 private:
  void take(const std::string& path, archive* handle) {
    Member member(handle, options_);
    Recording recording = read_pieces(path, member, options_);
    const auto [known, fresh] = of_path_.try_emplace(path, recordings_.size());
    if (!fresh) recordings_[std::exchange(known->second, recordings_.size())].path.clear();
    recordings_.push_back(std::move(recording));
  }

  void tell_broken(archive* handle) {
    const char* why = archive_error_string(handle);
    file_.truncated = true;
    tell(ErrorCode::kTruncated,
         std::string("the archive is cut or broken; what follows is not read: ") + (why == nullptr ? "" : why),
         archive_filter_bytes(handle, -1));
  }

  void tell(ErrorCode code, std::string message, std::int64_t byte = -1) {
    Location where;
    where.path = path_;
    where.byte = byte;
    ++file_.problem_count;
    file_.problems.push_back({code, std::move(message), std::move(where), ""});
  }

  const std::string& path_;
  const ReadOptions& options_;
  const std::function<bool(std::string_view)>& wanted_;
  FileRecord file_;
  std::vector<Recording> recordings_;
  std::unordered_map<std::string, std::size_t> of_path_;  // never iterated
  std::size_t members_ = 0;
  std::size_t encrypted_ = 0;
};

// Whether what a compressor packed is an archive: "logs.tar.xz" is one, "train.log.xz" is not.
bool holds_members(const std::string& path) {
  Error error;
  const Handle handle = open(path, false, error);
  archive_entry* entry = nullptr;
  return handle && archive_read_next_header(handle.get(), &entry) >= ARCHIVE_WARN;
}

}  // namespace

bool is_archive(std::string_view kind) { return kind == "tar" || kind == "zip" || is_single(kind); }

std::vector<Recording> read_archive(const std::string& path, std::string_view kind, const ReadOptions& options,
                                    const std::function<bool(std::string_view path)>& wanted) {
  const bool single = is_single(kind) && !holds_members(path);
  Unpacking unpacking(path, options, wanted);
  Error error;
  const Handle handle = open(path, single, error);
  if (handle) {
    unpacking.run(handle.get(), single);
  } else {
    unpacking.fail(std::move(error));
  }
  return unpacking.finish(kind, single);
}

}  // namespace assay
