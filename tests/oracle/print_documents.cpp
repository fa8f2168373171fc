// Prints what assay reads of a corpus as JSON lines: {"text", "id", "line"}, and faults as {"fault", "line", "lost"}.
// usage: print_documents FILE [FIELD]; the oracles compare it with what Python reads.

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "format/documents/reader.h"

namespace {

class Printer final : public assay::DocumentSink {
 public:
  void take(const assay::Document& document) override {
    nlohmann::json row;
    row["text"] = document.text;
    row["id"] = nlohmann::json::parse(document.id.empty() ? "null" : document.id, nullptr, false);
    row["line"] = document.line;
    print(row);
  }
  void fault(const assay::LineFault& fault) override {
    nlohmann::json row;
    row["fault"] = static_cast<int>(fault.kind);
    row["line"] = fault.line;
    row["lost"] = fault.lost;
    print(row);
  }

 private:
  static void print(const nlohmann::json& row) {
    const std::string text = row.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    std::puts(text.c_str());
  }
};

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  assay::DocumentOptions options;
  if (count > 2) options.field = words[2];
  options.block = 10'000;
  const assay::Result<assay::DocumentFile> file = assay::open_documents(words[1], options);
  if (!file) {
    std::fprintf(stderr, "%s\n", file.error().message.c_str());
    return 1;
  }
  Printer printer;
  assay::DocumentBlock block;
  for (;;) {
    const assay::Result<bool> more = file->reader->next(block);
    if (!more) {
      std::fprintf(stderr, "%s\n", more.error().message.c_str());
      return 1;
    }
    if (!*more) return 0;
    file->reader->take_apart(block, printer);
  }
}
