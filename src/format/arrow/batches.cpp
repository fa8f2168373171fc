// Memory: of a Parquet file one batch of a few MiB of the chosen columns at a time, with pages read through a buffer;
// row groups may have any size. A batch of an Arrow file or stream is what its writer made it (datasets of Hugging
// Face have 1,000 rows).

#include "format/arrow/batches.h"

#include <arrow/ipc/api.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <utility>

namespace assay::columns {

namespace {

constexpr std::int64_t kBatchBytes = std::int64_t{4} << 20;
constexpr std::int64_t kMostRows = 65536;

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& out) {
  if (field.column_index >= 0) out.push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) add_leaves(child, out);
}

class ParquetBatches final : public Batches {
 public:
  arrow::Status open(std::shared_ptr<arrow::io::RandomAccessFile> file) {
    ARROW_ASSIGN_OR_RAISE(size_, file->GetSize());
    parquet::ReaderProperties reading;
    reading.enable_buffered_stream();
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(std::move(file), reading));
    parquet::ArrowReaderProperties arrow_reading;
    arrow_reading.set_pre_buffer(false);
    builder.properties(arrow_reading);
    ARROW_ASSIGN_OR_RAISE(file_, builder.Build());
    ARROW_RETURN_NOT_OK(file_->GetSchema(&schema_));
    return arrow::Status::OK();
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status select(const std::vector<int>& columns) override {
    std::vector<int> leaves;
    for (const int column : columns) {
      add_leaves(file_->manifest().schema_fields[static_cast<std::size_t>(column)], leaves);
    }
    const auto metadata = file_->parquet_reader()->metadata();
    std::vector<int> groups;
    std::int64_t bytes = 0;
    for (int group = 0; group < metadata->num_row_groups(); ++group) {
      groups.push_back(group);
      const auto row_group = metadata->RowGroup(group);
      for (const int leaf : leaves) bytes += row_group->ColumnChunk(leaf)->total_uncompressed_size();
    }
    rows_ = metadata->num_rows();
    const std::int64_t row_bytes = std::max<std::int64_t>(bytes / std::max<std::int64_t>(rows_, 1), 1);
    file_->set_batch_size(std::clamp<std::int64_t>(kBatchBytes / row_bytes, 1, kMostRows));
    ARROW_ASSIGN_OR_RAISE(batches_, file_->GetRecordBatchReader(groups, leaves));
    // The reader keeps the order of the file, not the order asked for.
    for (const int column : columns) {
      order_.push_back(batches_->schema()->GetFieldIndex(schema_->field(column)->name()));
      if (order_.back() < 0) return arrow::Status::Invalid("two columns have one name");
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches_->ReadNext(&batch));
    if (!batch) return batch;
    passed_ += batch->num_rows();
    return batch->SelectColumns(order_);
  }

  std::int64_t position() const override {
    const double share = rows_ == 0 ? 1 : static_cast<double>(passed_) / static_cast<double>(rows_);
    return static_cast<std::int64_t>(share * static_cast<double>(size_));
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;
  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow::RecordBatchReader> batches_;
  std::vector<int> order_;
  std::int64_t size_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t passed_ = 0;
};

// Of an Arrow file, whose end lists its batches.
class FileBatches final : public Batches {
 public:
  arrow::Status open(std::shared_ptr<arrow::io::RandomAccessFile> file) {
    file_ = std::move(file);
    ARROW_ASSIGN_OR_RAISE(reader_, arrow::ipc::RecordBatchFileReader::Open(file_.get()));
    schema_ = reader_->schema();
    ARROW_ASSIGN_OR_RAISE(size_, file_->GetSize());
    return arrow::Status::OK();
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status select(const std::vector<int>& columns) override {
    for (const int column : columns) names_.push_back(schema_->field(column)->name());
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.included_fields = columns;
    options.use_threads = false;
    ARROW_ASSIGN_OR_RAISE(reader_, arrow::ipc::RecordBatchFileReader::Open(file_.get(), options));
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    if (next_ == reader_->num_record_batches()) return std::shared_ptr<arrow::RecordBatch>();
    ARROW_ASSIGN_OR_RAISE(const auto batch, reader_->ReadRecordBatch(next_++));
    std::vector<int> order;
    for (const std::string& name : names_) order.push_back(batch->schema()->GetFieldIndex(name));
    return batch->SelectColumns(order);
  }

  std::int64_t position() const override { return size_ * next_ / std::max(reader_->num_record_batches(), 1); }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchFileReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::string> names_;
  std::int64_t size_ = 0;
  int next_ = 0;
};

// Of an Arrow stream, which a program may have left unfinished: what came before stands.
class StreamBatches final : public Batches {
 public:
  arrow::Status open(std::shared_ptr<arrow::io::RandomAccessFile> file, std::int64_t from) {
    file_ = std::move(file);
    from_ = from;
    ARROW_RETURN_NOT_OK(file_->Seek(from_));
    ARROW_ASSIGN_OR_RAISE(reader_, arrow::ipc::RecordBatchStreamReader::Open(file_.get()));
    schema_ = reader_->schema();
    return arrow::Status::OK();
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }

  arrow::Status select(const std::vector<int>& columns) override {
    for (const int column : columns) names_.push_back(schema_->field(column)->name());
    ARROW_RETURN_NOT_OK(file_->Seek(from_));
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.included_fields = columns;
    options.use_threads = false;
    ARROW_ASSIGN_OR_RAISE(reader_, arrow::ipc::RecordBatchStreamReader::Open(file_.get(), options));
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
    if (!batch) return batch;
    std::vector<int> order;
    for (const std::string& name : names_) order.push_back(batch->schema()->GetFieldIndex(name));
    return batch->SelectColumns(order);
  }

  std::int64_t position() const override { return file_->Tell().ValueOr(0); }
  bool cut() const override { return position() >= file_->GetSize().ValueOr(0); }

 private:
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::string> names_;
  std::int64_t from_ = 0;
};

template <class Kind, class... Arguments>
arrow::Result<std::unique_ptr<Batches>> opened(std::shared_ptr<arrow::io::RandomAccessFile> file, Arguments... more) {
  auto batches = std::make_unique<Kind>();
  ARROW_RETURN_NOT_OK(batches->open(std::move(file), more...));
  return std::unique_ptr<Batches>(std::move(batches));
}

}  // namespace

arrow::Result<std::unique_ptr<Batches>> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  return opened<ParquetBatches>(std::move(file));
}

arrow::Result<std::unique_ptr<Batches>> open_arrow_file(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  return opened<FileBatches>(std::move(file));
}

arrow::Result<std::unique_ptr<Batches>> open_arrow_stream(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                          std::int64_t from) {
  return opened<StreamBatches>(std::move(file), from);
}

}  // namespace assay::columns
