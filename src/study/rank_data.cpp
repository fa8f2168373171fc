#include "study/rank_data.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "sim/collective.h"

namespace assay {

namespace {

// Every file stays open.
constexpr std::size_t kMostFiles = 1000;

Result<NpyNumbers> open_one(const std::string& path, const NumberFormat& dtype) {
  NpyFile file = ASSAY_TRY(NpyFile::open(path));
  std::optional<NumberFormat> codes_of;
  if (file.layout().type.kind == NpyType::Kind::kRaw) codes_of = dtype;
  return NpyNumbers::of(std::move(file), path, codes_of);
}

// The last number in a name: "grad_rank12.npy" is 12; none: the greatest, so that such files come last.
std::uint64_t number_in(const std::string& name) {
  std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return UINT64_MAX;
  std::size_t begin = end;
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  std::uint64_t out = 0;
  for (; begin <= end; ++begin) out = out * 10 + static_cast<std::uint64_t>(name[begin] - '0');
  return out;
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".npy")
      found.emplace_back(number_in(at->path().stem().string()), at->path().string());
  }
  if (error) return fail(ErrorCode::kUnreadable, "cannot read the folder: " + error.message(), {.path = folder});
  std::sort(found.begin(), found.end());
  std::vector<std::string> out;
  for (auto& [number, path] : found) out.push_back(std::move(path));
  if (out.empty()) return fail(ErrorCode::kUsage, "no .npy file is in the folder", {.path = folder});
  return out;
}

// rank%d.npy: from 0 on, as many as there are.
std::vector<std::string> files_named(const std::string& pattern, std::optional<std::size_t> wanted) {
  const std::size_t place = pattern.find("%d");
  std::vector<std::string> out;
  while (out.size() <= kMostFiles && (!wanted || out.size() < *wanted)) {
    std::string path = pattern;
    path.replace(place, 2, std::to_string(out.size()));
    std::error_code error;
    // The first is opened whether or not it is there: its error is the one to tell.
    if (!out.empty() && !std::filesystem::exists(path, error)) break;
    out.push_back(std::move(path));
  }
  return out;
}

std::string ranks_text(std::size_t ranks) { return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"); }

Result<void> enough(std::size_t there, std::optional<std::size_t> wanted, const std::string& path) {
  if (!wanted || *wanted <= there) return {};
  return fail(ErrorCode::kUsage,
              "--ranks says " + std::to_string(*wanted) + ", and there are data of " + ranks_text(there),
              {.path = path});
}

}  // namespace

Result<RankData> RankData::open(const std::string& path, std::optional<std::size_t> ranks, const NumberFormat& dtype) {
  RankData out;
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  if (!folder && path.find("%d") == std::string::npos) {
    out.files_.push_back(ASSAY_TRY(open_one(path, dtype)));
    const NpyLayout& layout = out.files_.front().layout();
    if (layout.count == 0) return fail(ErrorCode::kUsage, "the array is empty", {.path = path});
    if (layout.shape.size() < 2) {
      return fail(ErrorCode::kUsage, "one array for all ranks has the shape ranks × elements; this has one axis",
                  {.path = path}, "for a file a rank, name them: rank%d.npy");
    }
    if (const Result<void> there = enough(layout.shape.front(), ranks, path); !there)
      return std::unexpected(there.error());
    out.ranks_ = ranks.value_or(layout.shape.front());
    out.elements_ = layout.count / layout.shape.front();
    return out;
  }
  std::vector<std::string> paths = folder ? ASSAY_TRY(files_in(path)) : files_named(path, ranks);
  if (const Result<void> there = enough(paths.size(), ranks, path); !there) return std::unexpected(there.error());
  if (ranks) paths.resize(*ranks);
  if (paths.size() > kMostFiles) {
    return fail(ErrorCode::kLimit, "more than " + std::to_string(kMostFiles) + " files", {.path = path},
                "put them into one array of ranks × elements");
  }
  for (const std::string& one : paths) {
    out.files_.push_back(ASSAY_TRY(open_one(one, dtype)));
    const std::size_t elements = out.files_.back().layout().count;
    if (elements == 0) return fail(ErrorCode::kUsage, "the array is empty", {.path = one});
    if (out.elements_ != 0 && elements != out.elements_) {
      return fail(ErrorCode::kUsage,
                  "it has " + std::to_string(elements) + " elements, " + paths.front() + " has " +
                      std::to_string(out.elements_) + ": ranks reduce buffers of one length",
                  {.path = one});
    }
    out.elements_ = elements;
  }
  out.ranks_ = paths.size();
  return out;
}

Result<void> RankData::read(std::size_t first, Lanes& out) const {
  for (std::size_t rank = 0; rank < out.length; ++rank) {
    const bool shared = files_.size() == 1;
    const NpyNumbers& file = files_[shared ? 0 : rank];
    if (Result<void> read = file.read(shared ? rank * elements_ + first : first, out.at(rank)); !read) return read;
  }
  return {};
}

}  // namespace assay
