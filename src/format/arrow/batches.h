#pragma once
// Record batches of Parquet files, Arrow files and Arrow streams, one after the other.

#include <arrow/api.h>
#include <arrow/io/api.h>

#include <memory>
#include <string>
#include <vector>

namespace assay::columns {

class Batches {
 public:
  virtual ~Batches() = default;
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  /// Of these columns (places in the schema) alone, in this order. To be called once, before the first batch.
  virtual arrow::Status select(const std::vector<int>& columns) = 0;
  /// Null: the end.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() = 0;
  /// Bytes of the stored file that have been passed, as well as that can be told.
  virtual std::int64_t position() const = 0;
  /// After a fault: the file ended.
  virtual bool cut() const { return false; }
};

arrow::Result<std::unique_ptr<Batches>> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file);
arrow::Result<std::unique_ptr<Batches>> open_arrow_file(std::shared_ptr<arrow::io::RandomAccessFile> file);
/// from: where the stream begins. An Arrow file is a stream from byte 8 on, so that one whose end is missing can be
/// read as far as it goes.
arrow::Result<std::unique_ptr<Batches>> open_arrow_stream(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                          std::int64_t from);

}  // namespace assay::columns
