// The module that reads Parquet and Arrow files: opens, chooses the columns of text and id, and writes rows into
// blocks. Values that a file tells are checked (Validate: lengths and offsets inside of their buffers) before they are
// used.

#include <arrow/api.h>
#include <arrow/io/file.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "format/arrow/batches.h"
#include "format/arrow/row_text.h"
#include "format/documents/column_source.h"

namespace assay::columns {

namespace {

// Where a text stands: a column, and names below it.
struct Path {
  int column = -1;
  std::vector<std::string> below;
};

std::vector<std::string> cut(std::string_view text, char by) {
  std::vector<std::string> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(by, at);
    out.emplace_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return out;
    at = end + 1;
  }
}

// The column of that name, or the one of its first part with the others below it.
std::optional<Path> find_path(const arrow::Schema& schema, const std::string& name) {
  if (const int column = schema.GetFieldIndex(name); column >= 0) return Path{column, {}};
  std::vector<std::string> parts = cut(name, '.');
  Path path{schema.GetFieldIndex(parts.front()), {parts.begin() + 1, parts.end()}};
  if (path.column < 0) return std::nullopt;
  std::shared_ptr<arrow::DataType> type = schema.field(path.column)->type();
  for (const std::string& one : path.below) {
    if (type->id() != arrow::Type::STRUCT) return std::nullopt;
    const auto field = static_cast<const arrow::StructType&>(*type).GetFieldByName(one);
    if (!field) return std::nullopt;
    type = field->type();
  }
  return path;
}

// All parts of a field; of several, those between the first and the last may be missing. Empty: not there.
std::vector<Path> find_field(const arrow::Schema& schema, std::string_view field, bool wanted) {
  std::vector<Path> out;
  const std::vector<std::string> parts = cut(field, '+');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto path = find_path(schema, parts[i]);
    const bool inner = i > 0 && i + 1 < parts.size();
    if (!path && !inner) return {};
    if (!path) continue;
    // A column of numbers that happens to be called "text" is taken only where the user asks for it.
    const auto& type = *schema.field(path->column)->type();
    if (!wanted && !may_be_text(type)) return {};
    out.push_back(*path);
  }
  return out;
}

// kCancelled stands for a file that was cut, for which Arrow has no word of its own.
ErrorCode code_of(const arrow::Status& status) {
  if (status.IsCancelled()) return ErrorCode::kTruncated;
  return status.IsOutOfMemory() ? ErrorCode::kLimit : ErrorCode::kCorrupt;
}

// Arrow's messages have a class in front, and sometimes lines of a stack behind.
Error error_of(const arrow::Status& status, const std::string& path) {
  std::string message = status.message();
  message.resize(std::min(message.find('\n'), message.size()));
  while (message.ends_with('.') || message.ends_with(' ')) message.pop_back();
  const bool ours = status.IsCancelled();
  Error error{code_of(status), (ours ? "" : "cannot be read by Apache Arrow: ") + message, {}, {}};
  error.where.path = path;
  return error;
}

class Source final : public ColumnSource {
 public:
  Source(std::string path, std::unique_ptr<Batches> batches, std::size_t block, std::uint64_t longest)
      : path_(std::move(path)), batches_(std::move(batches)), size_(block), longest_(longest) {}

  arrow::Status choose(std::vector<Path> texts, int id) {
    std::vector<int> columns;
    const auto place_of = [&](int column) {
      const auto found = std::find(columns.begin(), columns.end(), column);
      const auto place = static_cast<int>(found - columns.begin());
      if (found == columns.end()) columns.push_back(column);
      return place;
    };
    for (Path& path : texts) path.column = place_of(path.column);
    if (id >= 0) id_ = place_of(id);
    texts_ = std::move(texts);
    return batches_->select(columns);
  }

  Result<bool> next(DocumentBlock& block) override {
    try {
      const arrow::Status status = fill(block);
      if (block.ends.empty() && !status.ok()) return std::unexpected(error_of(status, path_));
      if (!status.ok()) waiting_ = status;
    } catch (const std::exception& error) {  // Parquet's decoders throw
      if (block.ends.empty()) return std::unexpected(error_of(arrow::Status::Invalid(error.what()), path_));
      waiting_ = arrow::Status::Invalid(error.what());
    }
    block.lines = block.ends.size();
    const std::int64_t position = batches_->position();
    block.stored = static_cast<std::uint64_t>(std::max<std::int64_t>(position - told_, 0));
    told_ = std::max(told_, position);
    return !block.ends.empty();
  }

 private:
  arrow::Status fill(DocumentBlock& block) {
    ARROW_RETURN_NOT_OK(waiting_);  // what ended the file behind the rows of the block before
    while (block.bytes.size() < size_) {
      if (!batch_ || row_ == batch_->num_rows()) {
        auto batch = batches_->next();
        if (!batch.ok() && batches_->cut()) return arrow::Status::Cancelled("ends in the middle of a batch of rows");
        ARROW_ASSIGN_OR_RAISE(batch_, std::move(batch));
        row_ = 0;
        if (!batch_) return arrow::Status::OK();
        ARROW_RETURN_NOT_OK(batch_->Validate());
        ARROW_RETURN_NOT_OK(load_columns());
        continue;
      }
      append_row(block.bytes);
      block.ends.push_back(block.bytes.size());
      ++row_;
    }
    return arrow::Status::OK();
  }

  // The columns of the texts in the batch.
  arrow::Status load_columns() {
    arrays_.clear();
    for (const Path& path : texts_) {
      std::shared_ptr<arrow::Array> array = batch_->column(path.column);
      for (const std::string& name : path.below) {
        // Flattened: null where the struct is.
        const auto& structs = static_cast<const arrow::StructArray&>(*array);
        const int index = structs.struct_type()->GetFieldIndex(name);
        ARROW_ASSIGN_OR_RAISE(array, structs.GetFlattenedField(index));
      }
      arrays_.push_back(std::move(array));
    }
    return arrow::Status::OK();
  }

  RowState append_text(std::string& out) const {
    bool first = true;
    RowState state = RowState::kText;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const bool inner = i > 0 && i + 1 < arrays_.size();
      const std::size_t before = out.size();
      if (!first) out += '\n';
      const std::size_t start = out.size();
      const RowState part = append_value(*arrays_[i], row_, out);
      if (inner && (part == RowState::kNull || out.size() == start)) {
        out.resize(before);
        continue;
      }
      if (part == RowState::kNull || part == RowState::kWrongType) return part;
      if (part == RowState::kList) state = part;
      first = false;
    }
    return state;
  }

  void append_row(std::string& out) const {
    const std::size_t head = out.size();
    out.append(kRowHead, '\0');
    bool number = false;
    if (id_ >= 0) append_id(*batch_->column(id_), row_, out, number);
    const auto id_size = static_cast<std::uint32_t>(out.size() - head - kRowHead);
    const std::size_t text = out.size();
    const RowState state = append_text(out);
    if (state == RowState::kNull || state == RowState::kWrongType) out.resize(text);
    // A byte more, so that it can be seen that it was longer.
    if (out.size() - text > longest_) out.resize(text + static_cast<std::size_t>(longest_) + 1);
    out[head] = static_cast<char>(state);
    out[head + 1] = number ? '\1' : '\0';
    for (std::size_t i = 0; i < 4; ++i) out[head + 2 + i] = static_cast<char>(id_size >> (8 * i) & 0xff);
  }

  std::string path_;
  std::unique_ptr<Batches> batches_;
  std::size_t size_;
  std::uint64_t longest_;
  std::vector<Path> texts_;
  int id_ = -1;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::vector<std::shared_ptr<arrow::Array>> arrays_;
  std::int64_t row_ = 0;
  std::int64_t told_ = 0;
  arrow::Status waiting_;
};

// Both kinds end as they begin; a file that does not was cut.
arrow::Result<bool> ends_with(arrow::io::RandomAccessFile& file, std::string_view magic) {
  ARROW_ASSIGN_OR_RAISE(const std::int64_t size, file.GetSize());
  const auto length = static_cast<std::int64_t>(magic.size());
  if (size < 2 * length) return false;
  ARROW_ASSIGN_OR_RAISE(const auto end, file.ReadAt(size - length, length));
  return std::string_view(*end) == magic;
}

arrow::Result<std::unique_ptr<Batches>> open_batches(const std::string& path, std::string& kind) {
  constexpr std::int64_t kStreamInFile = 8;
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto start, file->ReadAt(0, 6));
  const std::string_view magic(*start);
  kind = magic.starts_with("PAR1") ? "parquet" : "arrow";
  if (magic.starts_with("PAR1")) {
    ARROW_ASSIGN_OR_RAISE(const bool whole, ends_with(*file, "PAR1"));
    if (!whole)
      return arrow::Status::Cancelled("is cut: the end of a Parquet file, which says where its rows are, is missing");
    return open_parquet(file);
  }
  if (magic != "ARROW1") return open_arrow_stream(file, 0);
  ARROW_ASSIGN_OR_RAISE(const bool whole, ends_with(*file, "ARROW1"));
  return whole ? open_arrow_file(file) : open_arrow_stream(file, kStreamInFile);
}

arrow::Status open_columns(const ColumnRequest& request, OpenedColumns& out) {
  ARROW_ASSIGN_OR_RAISE(auto batches, open_batches(request.path, out.kind));
  const auto schema = batches->schema();
  for (const auto& field : schema->fields()) out.names.push_back(field->name());
  std::vector<Path> texts;
  if (!request.field.empty()) {
    texts = find_field(*schema, request.field, true);
    out.field = request.field;
  }
  for (const std::string_view field : request.fields) {
    if (!texts.empty() || !request.field.empty()) break;
    texts = find_field(*schema, field, false);
    out.field = field;
  }
  if (texts.empty()) return arrow::Status::OK();
  int id = -1;
  for (const std::string_view name : request.ids) {
    if (id < 0) id = schema->GetFieldIndex(std::string(name));
  }
  auto source = std::make_unique<Source>(request.path, std::move(batches), request.block, request.longest);
  ARROW_RETURN_NOT_OK(source->choose(std::move(texts), id));
  out.source = std::move(source);
  return arrow::Status::OK();
}

}  // namespace

}  // namespace assay::columns

extern "C" __attribute__((visibility("default"))) void assay_open_columns(const assay::ColumnRequest& request,
                                                                          assay::Result<assay::OpenedColumns>& out) {
  assay::OpenedColumns columns;
  try {
    const arrow::Status status = assay::columns::open_columns(request, columns);
    if (status.ok()) {
      out = std::move(columns);
    } else {
      out = std::unexpected(assay::columns::error_of(status, request.path));
    }
  } catch (const std::exception& error) {
    out = std::unexpected(assay::columns::error_of(arrow::Status::Invalid(error.what()), request.path));
  }
}
