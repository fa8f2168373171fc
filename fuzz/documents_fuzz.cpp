// Any bytes as a file of documents. The first byte chooses the reader (what it is named, how it is split), the second
// the size of blocks: whatever the file is, nothing crashes, every text is UTF-8, and blocks of another size give the
// same documents and faults. Of a Megatron dataset the first two bytes that follow are the length of the index.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/documents/reader.h"
#include "unit/support/temp_folder.h"

namespace {

class Digest final : public assay::DocumentSink {
 public:
  void take(const assay::Document& document) override {
    bool cut = false;
    for (std::string_view rest = document.text; !rest.empty();) {
      const std::size_t size = assay::utf8_sequence(rest, &cut);
      if (size == 0) std::abort();
      rest.remove_prefix(size);
    }
    add("d", document.line, document.byte, 0);
    all_ += document.text;
    all_ += '\n';
    all_ += document.id;
  }
  void fault(const assay::LineFault& fault) override {
    add("f" + std::to_string(static_cast<int>(fault.kind)), fault.line, fault.byte, fault.offset);
    all_ += fault.detail;
  }
  void add(std::string_view what, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    all_ += what;
    for (const std::uint64_t number : {a, b, c}) all_ += " " + std::to_string(number);
    all_ += '\n';
  }
  const std::string& all() const { return all_; }

 private:
  std::string all_;
};

std::string read(const std::string& path, const assay::DocumentOptions& options) {
  const auto file = assay::open_documents(path, options);
  if (!file) return "error " + file.error().message;
  Digest digest;
  assay::DocumentBlock block;
  std::uint64_t lines = 0;
  for (;;) {
    const auto more = file->reader->next(block);
    if (!more) {
      digest.add("error", 0, 0, 0);
      break;
    }
    if (!*more) break;
    lines += block.lines;
    file->reader->take_apart(block, digest);
  }
  digest.add("lines", lines, 0, 0);
  return digest.all();
}

struct Kind {
  const char* name;
  const char* format;
  assay::TextSplit split = assay::TextSplit::kAuto;
};

constexpr Kind kKinds[] = {{"a.jsonl", ""},
                           {"a.json", ""},
                           {"a.csv", ""},
                           {"a.tsv", ""},
                           {"a.txt", ""},
                           {"a.txt", "text", assay::TextSplit::kParagraph},
                           {"a.txt", "text", assay::TextSplit::kLine},
                           {"a", ""},
                           {"a", "jsonl"},
                           {"a", "json"},
                           {"a.idx", ""}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const assay::TempFolder kFolder;
  if (size < 4) return 0;
  const Kind& kind = kKinds[data[0] % std::size(kKinds)];
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (std::string_view(kind.name) == "a.idx") {
    const std::size_t index = std::min<std::size_t>(data[2] | std::size_t{data[3]} << 8, bytes.size() - 2);
    kFolder.write("a.bin", bytes.substr(2 + index));
    bytes = bytes.substr(2, index);
  }
  const std::string path = kFolder.write(kind.name, bytes);
  assay::DocumentOptions options;
  options.format = kind.format;
  options.split = kind.split;
  options.longest_line = 4096;
  const std::string whole = read(path, options);
  options.block = data[1] + std::size_t{1};
  if (read(path, options) != whole) std::abort();
  return 0;
}
