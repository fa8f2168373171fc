#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "format/documents/jsonl_documents.h"
#include "format/documents/reader.h"

namespace assay {

namespace {

constexpr std::size_t kPrefix = std::size_t{1} << 20;
constexpr std::size_t kMostNamed = 12;

Location at(const std::string& path) {
  Location where;
  where.path = path;
  return where;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNamed) out += ", and " + std::to_string(names.size() - kMostNamed) + " more";
  return out;
}

std::unexpected<Error> no_field(const std::string& path, const FieldChoice& choice, const std::string& wanted) {
  const std::string fields = "fields: " + listed(choice.keys());
  if (wanted.empty()) {
    return fail(ErrorCode::kUnrecognised, "holds objects without a text; " + fields, at(path),
                "name the field of the text with --field");
  }
  const std::vector<std::string_view> names(choice.keys().begin(), choice.keys().end());
  const std::string near = nearest(wanted, names);
  return fail(ErrorCode::kUsage, "none of the first rows has the field \"" + wanted + "\"; " + fields, at(path),
              near.empty() ? "name one of them" : "did you mean \"" + near + "\"?");
}

Result<DocumentFile> open_jsonl(UnpackedFile file, const DocumentOptions& options) {
  const FieldChoice choice = choose_field(file.peek(kPrefix), options.field);
  TextField field = choice.best();
  if (field.name.empty()) {
    if (choice.objects() == 0) {
      return fail(ErrorCode::kUnrecognised, "holds no JSON object in its first lines", at(file.path()));
    }
    return no_field(file.path(), choice, options.field);
  }
  DocumentFile out{.kind = "jsonl", .codec = std::string(name(file.codec())), .field = field.name};
  out.reader = open_jsonl_documents(std::move(file), options, std::move(field));
  return out;
}

}  // namespace

Result<DocumentFile> open_documents(const std::string& path, const DocumentOptions& options) {
  UnpackedFile file = ASSAY_TRY(UnpackedFile::open(path));
  return open_jsonl(std::move(file), options);
}

bool is_corpus(std::string_view, std::string_view prefix) { return choose_field(prefix, {}).best().name == "text"; }

}  // namespace assay
