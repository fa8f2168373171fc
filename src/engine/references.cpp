// A launch script says `--deepspeed configs/ds_z2.json`; the file lies beside it, and is a part of what will run.
//
// Nothing is executed, so nobody knows in which folder the script will be started: it may be its own, or one of those
// above it (`bash examples/train.sh` from the root of a repository). What the script writes is therefore compared with
// the paths of files as text: the reference has to be the end of the path, and what stands before it in the path the
// folder of the script or one above it. Of an absolute path, and of one that begins with a variable, the end is
// compared alone: the last name at least, in the script's own folder. `../` is followed from the script's own folder.
//
// A folder is named for the configuration of the model in it (`--model_name_or_path ./tiny`): its config.json is meant.

#include "engine/references.h"

#include <algorithm>
#include <array>

#include "assay/setting.h"
#include "engine/layout.h"

namespace assay {

namespace {

constexpr std::size_t kMostReferences = 64;
constexpr std::size_t kLongest = 400;
constexpr std::size_t kMostPlaces = 4;
constexpr std::size_t kMostPaths = 256;

constexpr auto kEndings =
    std::to_array<std::string_view>({".json", ".yaml", ".yml", ".toml", ".sh", ".env", ".gin", ".cfg", ".py"});
// Keys whose value may be a folder with the configuration of a model.
constexpr auto kFolderKeys =
    std::to_array<std::string_view>({setting::kModel, "config_name", "tokenizer_name_or_path"});

// "a//b/./c/../d" -> "a/b/d"; "../" at the beginning stays.
std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name == ".." && !out.empty() && out.back() != "..") {
      out.pop_back();
    } else if (!name.empty() && name != ".") {
      out.emplace_back(name);
    }
    at = end + 1;
  }
  return out;
}

std::string joined(const std::vector<std::string>& names, std::size_t from, bool absolute) {
  std::string out = absolute ? "/" : "";
  for (std::size_t i = from; i < names.size(); ++i) out += (i > from ? "/" : "") + names[i];
  return out.empty() ? "." : out;
}

// What is left of it behind the last name that only a run can tell; `open`: something was left out, or the path is
// absolute, so that nobody knows from where it goes on.
std::string_view known_end(std::string_view reference, bool& open) {
  const std::size_t variable = reference.find_last_of("$`{}()");
  const std::size_t slash = variable == std::string_view::npos ? variable : reference.find('/', variable);
  open = variable != std::string_view::npos || reference.starts_with('/') || reference.starts_with('~');
  if (reference.starts_with("~/")) return reference.substr(2);
  if (variable == std::string_view::npos) return reference;
  return slash == std::string_view::npos ? std::string_view{} : reference.substr(slash + 1);
}

// A reference, and the places where it is looked for from a folder.
struct Search {
  Search(std::string_view folder, std::string_view reference)
      : wanted(names_of(known_end(reference, open))), of_folder(names_of(folder)), absolute(folder.starts_with('/')) {}

  // The names from `from` on, seen from `up` levels above the folder.
  std::string place(std::size_t up, std::size_t from) const {
    std::vector<std::string> whole(of_folder.begin(), of_folder.end() - static_cast<std::ptrdiff_t>(up));
    whole.insert(whole.end(), wanted.begin() + static_cast<std::ptrdiff_t>(from), wanted.end());
    return joined(names_of(joined(whole, 0, absolute)), 0, absolute);
  }

  bool open = false;
  std::vector<std::string> wanted;
  std::vector<std::string> of_folder;
  bool absolute;
};

bool is_end_of(const std::vector<std::string>& path, const std::vector<std::string>& end, std::size_t from) {
  const std::size_t count = end.size() - from;
  return count <= path.size() && std::equal(end.begin() + static_cast<std::ptrdiff_t>(from), end.end(),
                                            path.end() - static_cast<std::ptrdiff_t>(count));
}

bool is_beginning_of(const std::vector<std::string>& whole, const std::vector<std::string>& part, std::size_t count) {
  return count <= whole.size() &&
         std::equal(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(count), whole.begin());
}

}  // namespace

std::vector<std::string> references_of(const Config& config) {
  std::vector<std::string> out;
  for (const Setting& one : config.settings) {
    if (out.size() == kMostReferences) break;
    const std::string_view value = one.value;
    if (value.empty() || value.size() > kLongest || value.find_first_of(" \t\n,*") != std::string_view::npos) continue;
    const bool file = std::any_of(kEndings.begin(), kEndings.end(), [&](auto end) { return value.ends_with(end); });
    const bool folder = std::find(kFolderKeys.begin(), kFolderKeys.end(), one.key) != kFolderKeys.end();
    if (!file && !folder) continue;
    std::string reference(value);
    if (!file) reference += reference.ends_with('/') ? "config.json" : "/config.json";
    bool open = false;
    if (known_end(reference, open).empty()) continue;
    if (std::find(out.begin(), out.end(), reference) == out.end()) out.push_back(std::move(reference));
  }
  return out;
}

std::string plain_path(std::string_view path) { return joined(names_of(path), 0, path.starts_with('/')); }

std::size_t fits_reference(std::string_view path, std::string_view folder, std::string_view reference) {
  bool open = false;
  const std::string_view end = known_end(reference, open);
  const std::vector<std::string> of_path = names_of(path);
  const std::vector<std::string> of_folder = names_of(folder);
  std::vector<std::string> wanted = names_of(end);
  if (wanted.empty() || path.starts_with('/') != folder.starts_with('/')) return 0;
  if (reference.starts_with('/') && names_of(reference) == of_path && path.starts_with('/')) return of_path.size();
  if (wanted.front() == "..") {
    const std::string from_folder = std::string(folder) + "/" + std::string(end);
    return !open && names_of(from_folder) == of_path ? wanted.size() : 0;
  }
  // A name alone that is the end of a longer path is enough only beside the script.
  for (std::size_t from = 0; from < wanted.size(); ++from) {
    const std::size_t count = wanted.size() - from;
    if (from > 0 && !open) break;
    if (!is_end_of(of_path, wanted, from)) continue;
    const std::size_t before = of_path.size() - count;
    const bool own = before == of_folder.size();
    if (is_beginning_of(of_folder, of_path, before) && (own || !open || count > 1)) return count;
  }
  return 0;
}

std::vector<std::string> paths_of_reference(std::string_view folder, std::string_view reference) {
  const Search search(folder, reference);
  std::vector<std::string> out;
  if (search.wanted.empty()) return out;
  if (reference.starts_with('/')) out.push_back(joined(names_of(reference), 0, true));
  for (std::size_t up = 0; up <= search.of_folder.size() && out.size() < kMostPaths; ++up) {
    for (std::size_t from = 0; from < (search.open ? search.wanted.size() : 1); ++from) {
      out.push_back(search.place(up, from));
    }
  }
  return out;
}

std::vector<std::string> places_of_reference(std::string_view folder, std::string_view reference) {
  const Search search(folder, reference);
  std::vector<std::string> out;
  if (search.wanted.empty()) return out;
  const auto add = [&](std::size_t up, std::size_t from) {
    std::string path = search.place(up, from);
    if (out.size() < kMostPlaces && std::find(out.begin(), out.end(), path) == out.end()) {
      out.push_back(std::move(path));
    }
  };
  add(0, 0);
  if (search.open && search.wanted.size() > 1) add(0, search.wanted.size() - 1);
  for (std::size_t up = 1; up <= search.of_folder.size() && up <= 2 && search.wanted.front() != ".."; ++up) add(up, 0);
  return out;
}

}  // namespace assay
