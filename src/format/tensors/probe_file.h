#pragma once
// Results of a device as a text: what it was given and what came out, bit for bit. Written by python/probe.py; the
// plain form, one table of dot products, is that of published tensor-core results. Essay in probe_file.cpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/result.h"

namespace assay {

/// A column of a section's table: so many FP32 patterns in each row.
struct ProbeColumn {
  std::string name;
  std::size_t width = 0;
  std::vector<std::uint32_t> patterns;  // row by row

  std::span<const std::uint32_t> row(std::size_t index) const {
    return std::span(patterns).subspan(index * width, width);
  }
};

/// "# key value" lines in the order of the file.
using ProbeKeys = std::vector<std::pair<std::string, std::string>>;

struct ProbeSection {
  std::string kind;  // "matmul"
  std::int64_t line = 0;
  ProbeKeys keys;
  std::vector<ProbeColumn> columns;
  std::vector<std::int64_t> lines;  // of each row

  std::size_t rows() const { return lines.size(); }
  /// Null: there is none.
  const ProbeColumn* column(std::string_view name) const;
  /// The last value under that key; empty: there is none.
  std::string_view key(std::string_view name) const;
};

struct ProbeFile {
  std::string path;
  bool plain = false;  // no section heads: one table
  ProbeKeys keys;      // before the first section
  std::vector<ProbeSection> sections;
};

struct ProbeLimits {
  std::size_t line = std::size_t{4} << 20;       // bytes
  std::size_t width = 65'536;                    // patterns in a cell
  std::size_t patterns = std::size_t{64} << 20;  // in all
  std::size_t sections = 1'000;
  std::size_t keys = 1'000;  // in all
};

/// Reads the text, whatever the pieces. After an error nothing more is taken.
class ProbeReader {
 public:
  explicit ProbeReader(std::string path, const ProbeLimits& limits = {});
  /// False: the text is wrong; finish() tells what.
  bool feed(std::string_view bytes);
  /// The file, or its first fault, with line and column (kCorrupt, kTruncated, kUnrecognised, kLimit).
  Result<ProbeFile> finish();

 private:
  void line(std::string_view text);
  void open_section(std::string_view text);
  void take_key(std::string_view text);
  void take_header(std::string_view text);
  void take_row(std::string_view text);
  bool take_cell(std::string_view text, ProbeColumn& column, std::size_t number, bool first);
  void wrong(ErrorCode code, std::string message, std::string hint = {});

  ProbeLimits limits_;
  ProbeFile file_;
  std::string held_;  // a line that has begun
  std::int64_t line_ = 0;
  std::size_t patterns_ = 0;
  std::size_t keys_ = 0;
  bool cut_ = false;  // the line that is read did not end
  std::unique_ptr<Error> error_;
};

/// A file, plain or compressed with gzip or zstd; "-" is standard input.
Result<ProbeFile> read_probe_file(const std::string& path, const ProbeLimits& limits = {});

}  // namespace assay
