#pragma once
// A folder for one test: nobody else's, and gone with the object.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace assay {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path() const { return path_.string(); }
  std::string path(std::string_view name) const { return (path_ / name).string(); }
  /// Writes a file, and the folders that its name has; its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    const std::filesystem::path out = path_ / name;
    std::filesystem::create_directories(out.parent_path());
    std::ofstream(out, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return out.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace assay
