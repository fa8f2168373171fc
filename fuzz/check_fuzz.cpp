// The whole job on any bytes: recognised, read, put together, judged, ranked, rendered in every form, read back. It may
// not crash, the JSON has to be one that `assay report` takes, and what that renders has to be the same.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "assay/check.h"
#include "report/render.h"

namespace {

// A file that lives in memory: readers are chosen by content and name, and take paths.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || write(descriptor_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  assay::CheckOptions options;
  options.jobs = 1;
  options.details = true;
  const auto report = assay::check({file.path()}, options);
  if (!report) std::abort();
  assay::RenderOptions render;
  render.verbose = true;
  const std::string text = assay::render_text(*report, render);
  assay::render_reading(*report, false, render);
  assay::render_reading(*report, true, render);
  const std::string json = assay::render_json(*report, render);
  const auto again = assay::parse_report(json);
  if (!again || assay::render_json(*again, render) != json || assay::render_text(*again, render) != text) {
    std::fprintf(stderr, "the saved report is another one:\n%s\n", json.c_str());
    std::abort();
  }
  return 0;
}
