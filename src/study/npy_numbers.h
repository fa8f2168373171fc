#pragma once
// The numbers of an .npy file, of bare bytes, too: numpy has no BF16 and no FP8, so files of them do not say what they
// hold ('V2', 'V1', 'f1'), and some people save the patterns as integers.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "assay/number_format.h"
#include "assay/result.h"
#include "format/tensors/npy.h"

namespace assay {

class NpyNumbers {
 public:
  /// `codes_of`: the elements, bare bytes or integers, are codes of that format; formats of 4 and 6 bits have a byte
  /// each. Errors: those of the file; kUsage: bare bytes without a format, a format of another width, or one where the
  /// elements are floating-point numbers already.
  static Result<NpyNumbers> open(const std::string& path, const std::optional<NumberFormat>& codes_of = {});
  static Result<NpyNumbers> of(NpyFile file, const std::string& path, const std::optional<NumberFormat>& codes_of);

  const NpyLayout& layout() const { return file_.layout(); }
  /// As NpyFile::read.
  Result<void> read(std::uint64_t first, std::span<double> out) const;

 private:
  NpyNumbers(NpyFile file, std::optional<NumberFormat> codes_of);

  NpyFile file_;
  std::optional<NumberFormat> codes_of_;
};

}  // namespace assay
