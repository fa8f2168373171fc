// What a file holds is told by its first bytes, and by its name only where they leave it open: a table of text reads
// as prose with commas in it, so CSV has to be called so. What opens with a bracket is JSON; whether its lines are
// objects, or its values, is counted. All else that is no binary is plain text.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/nearest.h"
#include "format/documents/arrow_documents.h"
#include "format/documents/byte_scan.h"
#include "format/documents/csv_documents.h"
#include "format/documents/json_documents.h"
#include "format/documents/jsonl_documents.h"
#include "format/documents/megatron_documents.h"
#include "format/documents/plain_text.h"
#include "format/documents/reader.h"
#include "format/documents/text_documents.h"
#include "format/foreign.h"

namespace assay {

namespace {

constexpr std::size_t kPrefix = std::size_t{1} << 20;
constexpr std::size_t kLongestPrefix = std::size_t{64} << 20;  // to see the end of a first line
constexpr std::size_t kLookedAt = std::size_t{64} << 10;       // whether it is text at all
constexpr auto kFormats =
    std::to_array<std::string_view>({"jsonl", "json", "text", "csv", "tsv", "parquet", "arrow", "megatron"});

Location at(const std::string& path) {
  Location where;
  where.path = path;
  return where;
}

// ".jsonl" of "a/b.jsonl.zst"
std::string extension_of(std::string_view path) {
  std::string file = lower(path.substr(path.find_last_of('/') + 1));
  for (const std::string_view packed : {".gz", ".zst", ".zstd"}) {
    if (file.ends_with(packed)) {
      file.resize(file.size() - packed.size());
      break;
    }
  }
  const std::size_t dot = file.rfind('.');
  return dot == std::string::npos ? std::string() : file.substr(dot);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The first bytes, at least a line of them.
std::string_view first_lines(UnpackedFile& file) {
  std::string_view prefix = file.peek(kPrefix);
  for (std::size_t size = kPrefix; prefix.size() == size && size < kLongestPrefix;) {
    if (prefix.find('\n', prefix.find_first_not_of(" \t\r\n")) != std::string_view::npos) break;
    size *= 4;
    prefix = file.peek(size);
  }
  return prefix;
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

bool opens_json(std::string_view text) {
  text = without_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

struct JsonShape {
  bool lines = true;  // one value a line
  FieldChoice choice;
};

// Objects written over several lines begin with a line that is none, and have few lines that are some.
JsonShape shape_of_json(std::string_view text, std::string_view field) {
  FieldChoice lines = choose_field(text, field);
  const std::string_view start = without_mark(text);
  const bool list = start.substr(std::min(start.find_first_not_of(" \t\r\n"), start.size())).starts_with('[');
  if (!list && lines.objects() * 2 >= lines.lines()) return {true, std::move(lines)};
  FieldChoice values = choose_field_of_values(text, field);
  if (values.objects() == 0) return {true, std::move(lines)};
  return {false, std::move(values)};
}

// Any number of faults may be in a file that is in UTF-16; that it is, is one.
class ToldEncoding final : public DocumentReader {
 public:
  explicit ToldEncoding(std::unique_ptr<DocumentReader> inner) : inner_(std::move(inner)) {}
  Result<bool> next(DocumentBlock& block) override { return inner_->next(block); }
  void take_apart(const DocumentBlock& block, DocumentSink& sink) const override {
    if (block.number == 0) {
      sink.fault({.kind = LineFaultKind::kOtherEncoding, .line = 1, .lost = false, .detail = "UTF-16"});
    }
    inner_->take_apart(block, sink);
  }

 private:
  std::unique_ptr<DocumentReader> inner_;
};

class Opener {
 public:
  Opener(UnpackedFile file, const DocumentOptions& options)
      : file_(std::move(file)), options_(options), path_(file_.path()), extension_(extension_of(path_)) {}

  Result<DocumentFile> open() {
    out_.codec = std::string(name(file_.codec()));
    const DetectedEncoding encoding = detect_encoding(file_.peek(kLookedAt));
    if (encoding.encoding != TextEncoding::kUtf8) {
      file_.decode(encoding);
      out_.encoding = "UTF-16";
    }
    out_.kind = options_.format;
    if (out_.kind.empty()) out_.kind = ASSAY_TRY(told_kind());
    if (Result<void> opened = open_kind(); !opened) return std::unexpected(std::move(opened).error());
    if (encoding.encoding != TextEncoding::kUtf8) out_.reader = std::make_unique<ToldEncoding>(std::move(out_.reader));
    return std::move(out_);
  }

 private:
  Result<std::string> told_kind() {
    const std::string_view prefix = file_.peek(kLookedAt);
    if (const auto foreign = foreign_kind(prefix); foreign && !is_called_text()) {
      return fail(ErrorCode::kUnrecognised, std::string(foreign->message), at(path_), std::string(foreign->hint));
    }
    if (is_one_of(extension_, {".csv", ".tsv"})) return extension_.substr(1);
    const bool called_json = is_one_of(extension_, {".jsonl", ".ndjson", ".json"});
    if (called_json || opens_json(prefix)) {
      const std::string_view lines = first_lines(file_);
      JsonShape shape = shape_of_json(lines, options_.field);
      // Programs open with a bracket, too: then it is text, unless it is called JSON.
      if (called_json || !shape.choice.best().name.empty()) {
        choice_ = std::move(shape.choice);
        return std::string(shape.lines ? "jsonl" : "json");
      }
    }
    if (!looks_binary(prefix)) return std::string("text");
    const std::string converted = gbk_to_utf8(prefix);
    if (converted.empty() || looks_binary(converted)) {
      if (is_called_text()) return std::string("text");
      return fail(ErrorCode::kUnrecognised, "is no text: control characters, or bytes that are no UTF-8", at(path_),
                  "if it is text in another encoding, convert it to UTF-8 first: iconv does");
    }
    out_.encoding = "GB18030";
    return std::string("text");
  }

  // Whoever tokenises a folder of texts takes what it is called at its word: what is none is a finding, not another
  // file.
  bool is_called_text() const { return is_one_of(extension_, {".txt", ".text", ".md"}); }

  Result<void> open_kind() {
    if (out_.kind == "text") {
      out_.reader = open_text_documents(std::move(file_), options_);
      return {};
    }
    if (out_.kind == "csv" || out_.kind == "tsv") return open_csv();
    return open_json();
  }

  Result<void> open_csv() {
    const std::string_view start = first_lines(file_);
    CsvColumns columns = find_csv_columns(start, options_.field, out_.kind == "tsv" ? '\t' : '\0');
    if (columns.text.empty() && !start.empty()) return no_text_field(path_, columns.names, options_.field);
    out_.field = columns.field;
    out_.reader = open_csv_documents(std::move(file_), options_, std::move(columns));
    return {};
  }

  Result<void> open_json() {
    const std::string_view start = first_lines(file_);
    const bool lines = out_.kind == "jsonl";
    if (!choice_) choice_ = lines ? choose_field(start, options_.field) : choose_field_of_values(start, options_.field);
    TextField field = choice_->best();
    if (field.name.empty()) {
      if (choice_->objects() > 0) return no_text_field(path_, choice_->keys(), options_.field);
      if (start.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        return fail(ErrorCode::kUnrecognised, "holds no JSON object in its first lines", at(path_),
                    "say what it is: --input text, csv, …");
      }
      field = parse_text_field(options_.field.empty() ? "text" : options_.field, false);  // of an empty file
    }
    out_.field = field.name;
    out_.reader = lines ? open_jsonl_documents(std::move(file_), options_, std::move(field))
                        : open_json_documents(std::move(file_), options_, std::move(field));
    return {};
  }

  UnpackedFile file_;
  const DocumentOptions& options_;
  std::string path_;
  std::string extension_;
  std::optional<FieldChoice> choice_;  // made when it was told that it is JSON
  DocumentFile out_;
};

// A log in JSON lines may have a text, too; it counts its steps, or says how severe a line is.
bool tells_of_a_run(const std::vector<std::string>& keys) {
  return std::any_of(keys.begin(), keys.end(), [](const std::string& key) {
    const std::string word = lower(key);
    return is_one_of(word, {"step", "steps", "global_step", "current_steps", "iteration", "iter", "loss", "train_loss",
                            "eval_loss", "lr", "learning_rate", "level", "levelname", "loglevel", "severity"});
  });
}

}  // namespace

Result<DocumentFile> open_documents(const std::string& path, const DocumentOptions& options) {
  if (!options.format.empty() && std::find(kFormats.begin(), kFormats.end(), options.format) == kFormats.end()) {
    const std::string near = nearest(options.format, kFormats);
    return fail(ErrorCode::kUsage, "there is no format \"" + options.format + "\" of documents", at(path),
                near.empty() ? "formats: " + listed_names({kFormats.begin(), kFormats.end()})
                             : "did you mean \"" + near + "\"?");
  }
  UnpackedFile file = ASSAY_TRY(UnpackedFile::open(path));
  const std::string_view start = file.peek(kCodecMagic * 4);
  if (options.format == "megatron" || is_megatron(path, start)) return open_megatron_documents(path, options);
  if (is_one_of(options.format, {"parquet", "arrow"}) || is_arrow(path, start))
    return open_arrow_documents(path, options);
  return Opener(std::move(file), options).open();
}

bool is_corpus(std::string_view path, std::string_view prefix) {
  if (is_megatron(path, prefix) || is_arrow(path, prefix)) return true;
  if (!opens_json(prefix)) return false;
  const JsonShape shape = shape_of_json(prefix, {});
  const std::string name = shape.choice.best().name;
  return !name.empty() && name != "code" && !tells_of_a_run(shape.choice.keys());
}

bool is_corpus(const std::string& path) {
  constexpr std::size_t kLook = std::size_t{64} << 10;
  Result<UnpackedFile> file = UnpackedFile::open(path);
  return file && is_corpus(path, file->peek(kLook));
}

}  // namespace assay
