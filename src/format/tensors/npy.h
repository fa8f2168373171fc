#pragma once
// Files of numpy.save: one array of numbers, versions 1.0 to 3.0, read in slices.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/result.h"

namespace assay {

/// What the elements are.
struct NpyType {
  enum class Kind : std::uint8_t {
    kBool,
    kSigned,
    kUnsigned,
    kFloat,  // FP16, FP32, FP64
    kRaw,    // bytes without a meaning of their own: numpy writes BF16 as 'V2', and FP8 as 'V1' or 'f1'
  };
  Kind kind = Kind::kFloat;
  std::size_t bytes = 4;
  bool big_endian = false;
  std::string written;  // as in the header: "<f4"
};

struct NpyLayout {
  NpyType type;
  std::vector<std::uint64_t> shape;  // empty: one number
  bool fortran_order = false;        // the first index runs fastest
  std::uint64_t count = 1;           // of elements
  std::uint64_t data_from = 0;       // offset of the first element
};

class NpyFile {
 public:
  /// "-" and pipes are read whole, up to 1 GiB. Errors: those of opening; kUnrecognised: no .npy file, or one of what
  /// are no real numbers (Python objects, records, text, complex numbers); kCorrupt: a broken header; kTruncated: fewer
  /// bytes than the shape needs; kLimit.
  static Result<NpyFile> open(const std::string& path);
  /// The same from memory; `path` is for messages.
  static Result<NpyFile> of_bytes(std::string bytes, const std::string& path = "");

  NpyFile(NpyFile&&) noexcept;
  NpyFile& operator=(NpyFile&&) noexcept;
  ~NpyFile();

  const NpyLayout& layout() const { return layout_; }
  /// Bytes after the last element, which numpy does not look at either.
  std::uint64_t trailing() const { return trailing_; }

  /// Elements first, first + 1, … in C order (the last index runs fastest), whatever the file's order. Integers beyond
  /// 2^53 are rounded. May be called by several threads at once. Errors: kUsage beyond the last element or of kRaw;
  /// kTruncated when the file has become shorter; those of reading.
  Result<void> read(std::uint64_t first, std::span<double> out) const;
  /// The patterns of bits, in the same order.
  Result<void> read_codes(std::uint64_t first, std::span<std::uint64_t> out) const;

 private:
  class Source;
  NpyFile(std::unique_ptr<Source> source, NpyLayout layout, std::uint64_t trailing);
  static Result<NpyFile> over(std::unique_ptr<Source> source);
  Result<void> read_in_order(std::uint64_t first, std::span<std::uint64_t> out) const;
  Result<void> read_across(std::uint64_t first, std::span<std::uint64_t> out) const;

  std::unique_ptr<Source> source_;
  NpyLayout layout_;
  std::uint64_t trailing_ = 0;
};

/// The bytes of a file that numpy.load reads: C order, little-endian. Precondition: the shape has values.size()
/// elements.
std::string write_npy(std::span<const std::uint64_t> shape, std::span<const float> values);
std::string write_npy(std::span<const std::uint64_t> shape, std::span<const double> values);

}  // namespace assay
