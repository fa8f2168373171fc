#include "format/documents/arrow_documents.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "format/documents/column_source.h"
#include "format/documents/json_walk.h"
#include "format/documents/plain_text.h"
#include "format/documents/text_field.h"

namespace assay {

namespace {

constexpr const char* kModule = "assay_arrow.so";

// Beside the program, one folder above it (tests), or where it is installed.
std::vector<std::filesystem::path> places_of_module() {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {program / kModule, program.parent_path() / kModule, program.parent_path() / "lib/assay" / kModule};
}

struct Module {
  OpenColumns open = nullptr;
  std::string why;  // it is not there
};

Module load_module() {
  Module out{nullptr, "this assay was built without Apache Arrow"};
  for (const std::filesystem::path& place : places_of_module()) {
    std::error_code ignored;
    if (!std::filesystem::exists(place, ignored)) continue;
    // Local, so that what its libraries export (OpenSSL among it) is seen by nobody else.
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      out.why = fmt::format("Apache Arrow cannot be loaded: {}", dlerror());
      continue;
    }
    out.open = reinterpret_cast<OpenColumns>(dlsym(handle, kOpenColumns));
    if (out.open != nullptr) return out;
  }
  return out;
}

const Module& module() {
  static const Module kLoaded = load_module();
  return kLoaded;
}

class ArrowDocuments final : public DocumentReader {
 public:
  ArrowDocuments(std::unique_ptr<ColumnSource> source, std::uint64_t longest)
      : source_(std::move(source)), longest_(longest) {}

  Result<bool> next(DocumentBlock& block) override {
    std::string bytes = std::move(block.bytes);
    bytes.clear();
    block = {.number = number_, .line = line_, .bytes = std::move(bytes)};
    if (!ASSAY_TRY(source_->next(block))) return false;
    ++number_;
    line_ += block.lines;
    return true;
  }

  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override {
    PlainText text(sink);
    std::string id;
    std::uint64_t number = 0;
    std::uint64_t line = block.line;
    std::size_t from = 0;
    for (const std::uint64_t end : block.ends) {
      if (sink.wants(line)) {
        const std::string_view row = std::string_view(block.bytes).substr(from, static_cast<std::size_t>(end) - from);
        number += take(row, {.line = line, .rows = true}, number, text, id, sink) ? 1 : 0;
      }
      from = static_cast<std::size_t>(end);
      ++line;
    }
  }

 private:
  // True: the row gave a document.
  bool take(std::string_view row, const PlainText::Place& place, std::uint64_t number, PlainText& text, std::string& id,
            DocumentSink& sink) const {
    std::uint32_t id_size = 0;
    std::memcpy(&id_size, row.data() + 2, sizeof id_size);
    id.clear();
    if (const std::string_view raw = row.substr(kRowHead, id_size); row[1] != '\0') {
      id = raw;
    } else if (!raw.empty()) {
      append_scalar(printable_utf8(raw), id);
    }
    const std::string_view raw = row.substr(kRowHead + id_size);
    const auto fault = [&](LineFaultKind kind, std::uint64_t length, bool lost) {
      sink.fault({.kind = kind, .line = place.line, .length = length, .lost = lost});
      return !lost;
    };
    switch (static_cast<RowState>(row[0])) {
      case RowState::kNull: return fault(LineFaultKind::kNullText, 0, true);
      case RowState::kWrongType: return fault(LineFaultKind::kWrongType, 0, true);
      case RowState::kList: fault(LineFaultKind::kListText, 0, false); break;
      case RowState::kText: break;
    }
    if (raw.size() > longest_) return fault(LineFaultKind::kTooLong, raw.size(), true);
    const std::string_view read = text.read(raw, place, false);
    sink.take({.text = read, .id = id, .number = number, .line = place.line});
    return true;
  }

  std::unique_ptr<ColumnSource> source_;
  std::uint64_t longest_;
  std::uint64_t number_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace

bool is_arrow(std::string_view path, std::string_view start) {
  return start.starts_with("PAR1") || start.starts_with("ARROW1") ||
         (path.ends_with(".arrow") && start.starts_with("\xff\xff\xff\xff"));
}

Result<DocumentFile> open_arrow_documents(const std::string& path, const DocumentOptions& options) {
  Location where;
  where.path = path;
  if (module().open == nullptr) {
    return fail(ErrorCode::kUnrecognised, "is a Parquet or Arrow file; " + module().why, std::move(where),
                "install pyarrow (pip install pyarrow) and build assay again, or export the text as JSON lines");
  }
  if (ASSAY_TRY(InputFile::kind_of(path)) != InputFile::Kind::kRegular) {
    return fail(ErrorCode::kUsage, "is a pipe; Parquet and Arrow are read from files", std::move(where));
  }
  const ColumnRequest request{.path = path,
                              .field = options.field,
                              .fields = default_text_fields(),
                              .ids = id_fields(),
                              .block = options.block,
                              .longest = options.longest_line};
  Result<OpenedColumns> opened;
  module().open(request, opened);
  if (!opened) return std::unexpected(std::move(opened).error());
  if (!opened->source) return no_text_field(path, opened->names, options.field);
  DocumentFile out{.kind = opened->kind, .field = opened->field};
  out.reader = std::make_unique<ArrowDocuments>(std::move(opened->source), options.longest_line);
  return out;
}

}  // namespace assay
