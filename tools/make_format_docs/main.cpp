// Writes docs/number-formats.md and docs/pictures/*.svg from the data of src/num and the prose of page.md beside this.
//
//   make_format_docs ROOT            writes them; ROOT is the folder of the project
//   make_format_docs --verify ROOT   compares with what is there; exit status 1 if anything differs

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

#include "page.h"
#include "pictures.h"

namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool write(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << content;
  return out.flush().good();
}

}  // namespace

int main(int count, char** arguments) {
  const bool verify = count == 3 && std::string(arguments[1]) == "--verify";
  if (count != 2 && !verify) {
    std::cerr << "usage: make_format_docs [--verify] ROOT\n";
    return 2;
  }
  const std::filesystem::path root = arguments[count - 1];
  std::map<std::filesystem::path, std::string> files = assay::docs::pictures();  // below docs/pictures
  const std::string page = content_of(root / "tools/make_format_docs/page.md");
  if (page.empty()) {
    std::cerr << root << " has no tools/make_format_docs/page.md\n";
    return 2;
  }
  files["docs/number-formats.md"] = assay::docs::page_of(page);
  int status = 0;
  for (const auto& [path, content] : files) {
    const bool good = verify ? content_of(root / path) == content : write(root / path, content);
    if (good) continue;
    std::cerr << path.string() << (verify ? " is not what make_format_docs writes\n" : " cannot be written\n");
    status = 1;
  }
  return status;
}
